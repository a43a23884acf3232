"""What an intruder asks and knows: their own targets, of whom some keys are known in part (a set of
values, or ends) or in groups only, and which records of the original they are.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_number, is_column, is_number, listed
from ..core.arrays import Flags, Floats, Integers
from ..core.coding import encode
from ..core.columns import Column
from ..errors import InputError
from ..tables.bands import bands_between
from ..tables.frames import owned, plain_values
from ..tables.opening import check_frame
from ..tables.reading import read_column
from .near import LAST_DIGITS

SETS = (set, frozenset, list, tuple, range, np.ndarray, pd.Index, pd.Series)
MODEL_SCALE = 10**6  # N_t of a model is rounded to six decimals
ROOM = 2**61  # totals stay below this, so sums of whole numbers never exceed 64 bits
UNNAMED = -2  # a level that the mapping does not name; -1 is one whose group is missing


@dataclass(frozen=True, slots=True)
class Between:
    """Only the range of a number is known: ``low <= z <= high``, both ends included. None for no
    end; `Between()` says that nothing is known about this key: every value matches.

    It stands in a cell of `targets`. A missing value lies between no ends.

    Examples
    --------
    >>> Between(100_000), Between(None, 18), Between(30, 39)
    (Between(low=100000, high=None), Between(low=None, high=18), Between(low=30, high=39))
    """

    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        try:
            ends = [
                check_number("Between", end) for end in (self.low, self.high) if end is not None
            ]
        except OverflowError:
            raise InputError("Between: an end is too large; give None for no end") from None
        if ends != sorted(ends):
            raise InputError(
                f"Between: low={self.low!r} is above high={self.high!r}; give the lower end first"
            )

    @property
    def says_nothing(self) -> bool:
        return self.low is None and self.high is None

    def holds(self, values: Floats) -> Flags:
        """Which numbers lie between the ends; missing ones (NaN) do not."""
        low = -np.inf if self.low is None else float(self.low)
        high = np.inf if self.high is None else float(self.high)
        slack = LAST_DIGITS * np.nan_to_num(np.spacing(np.abs([low, high])))
        inside: Flags = (values >= low - slack[0]) & (values <= high + slack[1])
        return inside


# what is known of one key where it is no value: the position of each target's statement, -1 where
# the value is known, and the distinct statements: ends, or the values of which one is the target's
Statement = Between | tuple[Any, ...]
Statements = tuple[Integers, list[Statement]]


def split_statements(
    frame: pd.DataFrame, keys: Sequence[Hashable]
) -> tuple[pd.DataFrame, dict[Hashable, Statements]]:
    """The keys of targets, missing where no value is known but a statement; these, by key."""
    columns, stated = {}, {}
    for name in keys:
        if name not in frame.columns:
            raise InputError(
                f"targets: has no column {name!r}; it needs all keys ({', '.join(map(str, keys))}),"
                " with Between() where nothing is known about a target"
            )
        columns[name] = frame[name]
        cells = frame[name].tolist() if frame[name].dtype == object else []
        numbers: dict[Hashable, int] = {}
        statements: list[Statement] = []
        of_target = np.full(len(frame), -1, dtype=np.int64)
        for row, cell in enumerate(cells):
            if isinstance(cell, Between):
                one: Statement = cell
                identity: Hashable = cell
            elif isinstance(cell, SETS):
                one = tuple(None if is_missing(value) else value for value in cell)
                if not one or not all(isinstance(value, Hashable) for value in one):
                    raise InputError(
                        f"targets: the set for {name!r} in row {row + 1} is empty or does not hold"
                        " plain values; give those that are possible, as in {'north', 'south'}, or"
                        " Between() where nothing is known"
                    )
                # 1 and True are not the same
                identity = frozenset((type(value), value) for value in one)
            else:
                continue
            of_target[row] = numbers.setdefault(identity, len(statements))
            if len(numbers) > len(statements):
                statements.append(one)
            cells[row] = None
        if statements:
            columns[name] = pd.Series(cells, index=frame.index, dtype=object)
            stated[name] = (of_target, statements)
    return pd.DataFrame(columns, index=frame.index), stated


def is_missing(value: Any) -> bool:
    if value is None or value is pd.NA or value is pd.NaT:
        return True
    return isinstance(value, (float, np.floating)) and math.isnan(value)


def read_records(target_records: Any, frame: pd.DataFrame, original: pd.DataFrame) -> Integers:
    """The row of the original that each target is, -1 for one outside the file."""
    given = one_per_row("target_records", target_records, frame, "targets")
    if not original.index.is_unique:
        raise InputError(
            "target_records: row labels of the original data occur more than once, so they do not"
            " identify a record; give unique ones, for instance with .reset_index(drop=True)"
        )
    labels = pd.Series(list(given), dtype=object)
    inside = np.flatnonzero(labels.notna())
    rows = np.full(len(frame), -1, dtype=np.int64)
    rows[inside] = original.index.get_indexer(pd.Index(labels[inside].tolist()))
    strangers = inside[rows[inside] < 0]
    if strangers.size:
        first = int(strangers[0])
        raise InputError(
            f"target_records: {strangers.size} of {len(frame)} are not row labels of the original"
            f" data, first {labels[first]!r} in row {first + 1}; give a missing value (None) for a"
            " target who is not in the file"
        )
    return rows


def one_per_row(argument: str, values: Any, frame: pd.DataFrame, rows: str) -> Any:
    """One value for each row, from a column or in the order of the rows."""
    if is_column(values, list(frame.columns)):
        return plain_values(frame[values])
    if isinstance(values, (str, Mapping, set, frozenset)) or not hasattr(values, "__len__"):
        raise InputError(
            f"{argument}: {repr(values) if isinstance(values, str) else type(values).__name__}"
            f" cannot be used; give a column of the {rows}, or one value for each of its rows, in"
            " their order: a list, or a Series with their row labels"
        )
    values = plain_values(values)
    if len(values) != len(frame):
        raise InputError(f"{argument}: {len(values)} given for {len(frame)} rows of the {rows}")
    if isinstance(values, pd.Series) and not values.index.equals(frame.index):
        # plain numbers from 0 say nothing, unless they are the rows' own in another order
        is_plain = values.index.equals(pd.RangeIndex(len(frame)))
        if not is_plain or frame.index.isin(values.index).all():
            raise InputError(
                f"{argument}: has row labels that differ from those of the {rows}, or are in"
                " another order; bring both into the same order, or give .to_numpy() if they"
                " already are"
            )
    return values


def coarsened(name: Hashable, rule: Any, series: pd.Series, place: str) -> Column:
    """A column; under a rule the group of each value as a whole number. Missing values stay
    missing, unless a mapping names them.

    Examples
    --------
    >>> coarsened("age", [30, 45], pd.Series([29, 30, 60]), "here").values.tolist()
    [0, 1, 2]
    """
    if rule is None:
        return read_column(series, f"column {name!r} of {place}")
    if isinstance(rule, (Mapping, pd.Series)):
        groups = _by_mapping(name, rule, series, place)
        missing = groups < 0
    elif series.isna().all():
        # without values a column has no type, so it cannot have bands
        groups = np.zeros(len(series), dtype=np.int64)
        missing = groups == 0
    else:
        groups, texts = bands_between("coarsen", name, rule, series)
        missing = groups == len(texts) - 1
    return Column("integer", np.where(missing, 0, groups), missing if missing.any() else None)


def _by_mapping(name: Hashable, rule: Any, series: pd.Series, place: str) -> Integers:
    """The number of each value's group, negative where it has none."""
    column = read_column(series, f"column {name!r} of {place}")
    levels = pd.Series(list(rule.keys()), dtype=object)
    groups = list(rule.values) if isinstance(rule, pd.Series) else list(rule.values())
    if not groups or not all(isinstance(group, Hashable) for group in groups):
        raise InputError(
            f"coarsen: the mapping for {name!r} is empty, or gives a group that is no name; write"
            " it as in {'town': {'A': 'north', 'B': 'north', 'C': 'south'}}"
        )
    of_level, _ = pd.factorize(pd.Series(groups, dtype=object))
    # texts apart from others, so that the original may have ages and the file bands of them
    is_text = np.array([isinstance(level, str) for level in levels])
    columns = [read_column(levels[chosen], "coarsen") for chosen in (is_text, ~is_text)]
    # 1, 1.0 and "1" are one level here too
    variable = encode(str(name), [column, *columns])
    found, *codes_of = variable.codes
    codes = np.empty(len(levels), dtype=np.int64)
    codes[is_text], codes[~is_text] = codes_of
    group_of = np.full(variable.size, UNNAMED, dtype=np.int64)
    group_of[codes] = of_level
    if (group_of[codes] != of_level).any():
        raise InputError(
            f"coarsen: the mapping for {name!r} has two groups for the same level, perhaps written"
            " in two ways, such as 37 and '37'; give one"
        )
    unnamed = group_of[found] == UNNAMED
    if column.missing is not None:
        unnamed &= ~column.missing
    if unnamed.any():
        raise InputError(
            f"coarsen: the mapping for {name!r} has no group for the values of"
            f" {int(unnamed.sum())} of {found.size} records of {place}; name every level that"
            " occurs; .details lists them",
            details={"levels": tuple(pd.unique(series[unnamed]).tolist())},
        )
    return np.asarray(group_of[found])


@dataclass(frozen=True, slots=True)
class LogLinear:
    """N_t by a log-linear model with main effects: units of the population fall into each cell of
    the keys with a Poisson distribution, and each is in the file with probability `fraction`, above
    0 and at most 1 (a float is read as it is written: 0.05 is 1/20).

    Then N_t is n_t plus the mean number outside: ``N_t = n_t + mu_t (1 - fraction) / fraction``
    with ``mu_t = n * product of n_tk / n``, where n_tk records agree with the target on key k
    alone. All are counted in each released set. N_t is rounded to six decimals. A record that
    matches gets 1 / N_t, which is less than the mean of 1 / N_t under the model.

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
    units = frame[others[0]] if others else np.ones(len(frame))
    return owned(frame[list(keys)]), units


def _numbers(argument: str, values: Any) -> Floats:
    """Finite numbers of 0 or more, none missing."""
    try:
        numbers: Floats = pd.Series(values).astype("float64").to_numpy()
    except (TypeError, ValueError):
        raise InputError(f"{argument}: not all of its values are numbers") from None
    unusable = ~(np.isfinite(numbers) & (numbers >= 0))
    if unusable.any():
        raise InputError(
            f"{argument}: {int(unusable.sum())} of {numbers.size} are missing, infinite or"
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
