"""How many units of the population a released record may stand for: census counts, survey weights,
numbers per target or a model, as whole numbers over a common scale.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_number, is_number, listed
from ..core.arrays import Floats, Integers
from ..errors import InputError
from ..tables.frames import owned
from ..tables.opening import check_frame
from .targets import one_per_row

MODEL_SCALE = 10**6  # N_t of a model is rounded to six decimals
ROOM = 2**61  # totals stay below this, so sums of whole numbers never exceed 64 bits


@dataclass(frozen=True, slots=True)
class LogLinear:
    """N_t by a log-linear model with main effects, as is usual for this problem: units of the
    population fall into each cell of the keys with a Poisson distribution, each is in the file with
    probability `fraction`, and the logarithm of the mean has main effects of the keys only.

    Then the units outside the file are a Poisson number too, whatever the number inside, and N_t is
    n_t plus their mean: ``N_t = n_t + mu_t (1 - fraction) / fraction``, where ``mu_t = n * product
    of n_tk / n`` is the number of records to be expected and n_tk the number that agree with the
    target on key k alone. All are counted in each released set, which is what the intruder has.
    N_t is rounded to six decimals.

    A record that matches gets 1 / N_t with this mean in the place of N_t. That is less than the
    mean of 1 / N_t under the model: 1/2 and not 0.632 where n_t is 1 and 1 is expected outside.

    Parameters
    ----------
    fraction : share of the population that is in the file, above 0 and at most 1. A float is read
        as it is written (0.05 is 1/20).

    Examples
    --------
    >>> LogLinear(0.05).share
    Fraction(1, 20)
    """

    fraction: float | Fraction

    def __post_init__(self) -> None:
        check_number("units, fraction", self.fraction, 0, 1, open_low=True)

    @property
    def share(self) -> Fraction:
        """The fraction, exactly."""
        return as_written(self.fraction)

    def __str__(self) -> str:
        return f"N_t by a log-linear model, {float(self.fraction):g} of the population in the file"


def as_written(number: Any) -> Fraction:
    """What a number means to who wrote it: 0.3 is 3/10; a fraction stays as it is."""
    return number if isinstance(number, Fraction) else Fraction(repr(float(number)))


def read_amounts(asked: SimpleNamespace, given: Any) -> None:
    """What says how many units a record may stand for, as whole numbers over `scale`: of the rows
    of the `population`, of the records (weights), or of the targets (units).
    """
    original = asked.original
    if isinstance(given, LogLinear):
        asked.source, asked.model, asked.scale = "model", given, MODEL_SCALE
        return
    if asked.source == "population":
        asked.population, amounts = read_population(given, asked.keys)
    elif asked.source == "weights":
        amounts = one_per_row("weights", given, original, "original data")
    else:
        frame = original if asked.given is None else asked.given
        if is_number(given):
            given = np.full(len(frame), float(given))
        amounts = one_per_row("units", given, frame, "targets")
    whole = _numbers(asked.source, amounts)
    asked.amounts, asked.scale = whole_amounts(whole, len(original))


def read_population(population: Any, keys: Sequence[Hashable]) -> tuple[pd.DataFrame, Any]:
    """The population as a frame of keys and the number of units of each row."""
    names = ", ".join(map(str, keys))
    if isinstance(population, pd.Series):
        if any(name is not None for name in population.index.names):
            population = population.reset_index(name=object())
        else:
            population = dict(zip(population.index, population))
    if isinstance(population, Mapping):
        rows = [listed(row) if len(keys) == 1 else row for row in population]
        if not all(isinstance(row, (tuple, list)) and len(row) == len(keys) for row in rows):
            raise InputError(
                f"population: not all of its keys are combinations of one value each of {names}, in"
                " this order"
            )
        counts = list(population.values())
        population = pd.DataFrame(rows, columns=pd.Index(keys, tupleize_cols=False))
        population[object()] = counts
    frame = check_frame(population, "population").reset_index(drop=True)
    for key in keys:
        if key not in frame.columns:
            raise InputError(
                f"population: has no column {key!r}; it needs all keys ({names}) and a count"
            )
    others = [name for name in frame.columns if name not in keys]
    if len(others) > 1:
        raise InputError(
            f"population: it is unclear which of {', '.join(map(str, others))} holds the counts;"
            " keep the keys and one column of counts, or the keys alone with one row per unit"
        )
    counts = frame[others[0]] if others else np.ones(len(frame))
    return owned(frame[list(keys)]), counts


def _numbers(argument: str, values: Any) -> Floats:
    """Finite numbers of 0 or more, none missing."""
    try:
        numbers: Floats = pd.Series(values).astype("float64").to_numpy()
    except (TypeError, ValueError):
        raise InputError(f"{argument}: not all of its values are numbers") from None
    unusable = ~(np.isfinite(numbers) & (numbers >= 0))
    if unusable.any():
        raise InputError(
            f"{argument}: {int(unusable.sum())} of {len(numbers)} are missing, infinite or"
            f" negative, first in row {int(np.argmax(unusable)) + 1}; give numbers of 0 or more"
        )
    return numbers


def whole_amounts(amounts: Floats, n: int) -> tuple[Integers, int]:
    """Amounts as whole numbers over a power of ten: exact where that fits into 64 bits, else with
    as many decimals as do.

    Examples
    --------
    >>> whole_amounts(np.array([1.5, 2.25]), 2)
    (array([150, 225]), 100)
    """
    total = max(float(amounts.sum()), n, 1)
    if total >= ROOM:
        raise InputError(
            f"population, weights, units: they add up to {total:g}, more than can be counted in 64"
            " bits"
        )
    # weights such as 1.25 become whole over 100: ties are decided exactly
    scale = 1
    while True:
        whole = np.rint(amounts * scale)
        if (whole / scale == amounts).all() or total * scale * 10 >= ROOM:
            return whole.astype(np.int64), scale
        scale *= 10
