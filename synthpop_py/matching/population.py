"""How many units of the population a released record may stand for: census counts, survey weights,
numbers per target or a model, as whole numbers over a common scale.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_number, is_column, is_number, listed
from ..core.arrays import Floats, Integers
from ..errors import InputError
from ..tables.frames import check_labels, owned, plain_values
from ..tables.opening import check_frame

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
        if isinstance(self.fraction, Fraction):
            return self.fraction
        return Fraction(repr(float(self.fraction)))

    def __str__(self) -> str:
        return f"N_t by a log-linear model, {float(self.fraction):g} of the population in the file"


def read_units(units: Any, frame: pd.DataFrame) -> Floats:
    """N_t of each target: one number for all, a column of the targets' frame, or one number per
    target.
    """
    if is_column(units, list(frame.columns)):
        units = frame[units]
    elif is_number(units):
        units = np.full(len(frame), float(units))
    elif isinstance(units, str) or not hasattr(units, "__len__"):
        raise InputError(
            f"units: {units!r} cannot be used; give N_t as one number, one number per target, a"
            " column that holds them, or LogLinear(fraction)"
        )
    check_has_order("units", units, "targets")
    check_target_labels("units", units, frame)
    values = _numbers("units", plain_values(units))
    if len(values) != len(frame):
        raise InputError(f"units: {len(values)} given for {len(frame)} targets; give one for each")
    return values


def read_weights(weights: Any, original: pd.DataFrame) -> Floats:
    """Survey weights of the records: a column of the original, or one number per record."""
    if is_column(weights, list(original.columns)):
        weights = original[weights]
    elif isinstance(weights, str):
        raise InputError(
            f"weights: {weights!r} is not a column of the original data; give a column, or one"
            " number for each record"
        )
    check_has_order("weights", weights, "original data")
    weights = plain_values(weights)
    values = _numbers("weights", weights)
    if len(values) != len(original):
        raise InputError(
            f"weights: {len(values)} given for {len(original)} records; give one for each record"
        )
    if isinstance(weights, pd.Series):
        check_labels("weights", weights.index, original)
    return values


def check_has_order(argument: str, values: Any, rows: str) -> None:
    """Refuse what is not in the order of the rows: the keys of a mapping would be ignored."""
    if isinstance(values, (Mapping, set, frozenset)):
        raise InputError(
            f"{argument}: is read in the order of the rows of the {rows}, so a mapping or a set "
            "cannot be used; give a list, or a Series with their row labels"
        )


def check_target_labels(argument: str, values: Any, frame: pd.DataFrame) -> None:
    """Refuse a Series whose row labels are not those of the targets: it is read by position. Plain
    numbers from 0 say nothing, unless they are the targets' own in another order.
    """
    if not isinstance(values, pd.Series) or values.index.equals(frame.index):
        return
    unique = values.index.is_unique and frame.index.is_unique
    if unique and len(values) == len(frame) and values.index.isin(frame.index).all():
        raise InputError(
            f"{argument}: has the targets' row labels in another order; it is read by position: "
            "bring both into the same order, or give .to_numpy() if they already are"
        )
    if not values.index.equals(pd.RangeIndex(len(frame))):
        raise InputError(
            f"{argument}: has row labels that differ from the targets'; bring them into the "
            "same order, or give .to_numpy() if they already are"
        )


def read_population(population: Any, keys: Sequence[Hashable]) -> tuple[pd.DataFrame, Floats]:
    """The population as a frame of keys and the number of units of each row."""
    if isinstance(population, Mapping):
        population = _from_mapping(population, keys)
    if isinstance(population, pd.Series):
        population = _from_series(population, keys)
    frame = check_frame(population, "population").reset_index(drop=True)
    for key in keys:
        if key not in frame.columns:
            raise InputError(
                f"population: has no column {key!r}; it needs all keys ({_listed(keys)}) and a"
                " count"
            )
    others = [name for name in frame.columns if name not in keys]
    if len(others) > 1:
        raise InputError(
            f"population: it is unclear which of {_listed(others)} holds the counts; keep the "
            "keys and one column of counts, or the keys alone with one row per unit"
        )
    counts = _numbers("population", frame[others[0]]) if others else np.ones(len(frame))
    return owned(frame[list(keys)]), counts


def _listed(names: Sequence[Hashable]) -> str:
    return ", ".join(map(str, names))


def _from_mapping(population: Mapping[Any, Any], keys: Sequence[Hashable]) -> pd.DataFrame:
    """Keys of the mapping are values of the keys, in the order known, synthesised."""
    columns: dict[Hashable, list[Any]] = {key: [] for key in keys}
    for combination in population:
        row = tuple(listed(combination)) if len(keys) == 1 else combination
        if not isinstance(row, tuple) or len(row) != len(keys):
            raise InputError(
                f"population: {row!r} is not a combination of {_listed(keys)}; give one value for"
                " each, in this order"
            )
        for key, value in zip(keys, row):
            columns[key].append(value)
    return _with_counts(pd.DataFrame(columns), list(population.values()))


def _from_series(population: pd.Series, keys: Sequence[Hashable]) -> pd.DataFrame:
    """The index of the series has the keys, named or in the order known, synthesised."""
    index = population.index
    names = list(index.names)
    named = any(name is not None for name in names)
    if index.nlevels != len(keys) or (named and set(names) != set(keys)):
        raise InputError(
            f"population: its index has the levels {names}; it needs one for each key:"
            f" {_listed(keys)}"
        )
    order = names if named else list(keys)
    values = {key: index.get_level_values(order.index(key)) for key in keys}
    return _with_counts(pd.DataFrame(values), population.to_numpy())


def _with_counts(frame: pd.DataFrame, counts: Any) -> pd.DataFrame:
    name = "count"
    while name in frame.columns:
        name += "_"
    return frame.assign(**{name: counts})


def _numbers(argument: str, values: Any) -> Floats:
    """Finite numbers of 0 or more, none missing."""
    try:
        numbers: Floats = pd.Series(values).astype("float64").to_numpy()
    except (TypeError, ValueError):
        raise InputError(f"{argument}: not all of its values are numbers") from None
    for unusable, what in (
        (np.isnan(numbers), "missing"),
        (np.isinf(numbers), "infinite"),
        (numbers < 0, "negative"),
    ):
        if unusable.any():
            raise InputError(
                f"{argument}: {int(unusable.sum())} of {len(numbers)} are {what}, first in "
                f"row {int(np.argmax(unusable)) + 1}; give numbers of 0 or more"
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
            f"population, weights: they add up to {total:g}, more than can be counted in 64 bits"
        )
    # weights such as 1.25 become whole over 100: ties are decided exactly
    scale = 1
    while True:
        whole = np.rint(amounts * scale)
        if (whole / scale == amounts).all() or total * scale * 10 >= ROOM:
            return whole.astype(np.int64), scale
        scale *= 10
