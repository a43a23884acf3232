"""What an intruder knows about their own targets: values, or only one end, two ends or a set of
values; and which records of the original the targets are.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import is_column, is_number
from ..core.arrays import Flags, Floats, Integers
from ..core.numerals import exact_number
from ..errors import InputError
from ..tables.frames import owned, plain_values
from ..tables.opening import check_frame
from .intervals import LAST_DIGITS

__all__ = ["Between", "OneOf", "Statement", "Statements", "TargetList", "read_targets"]

NEAR = 1e-14  # numbers further apart than this share of them differ in 15 digits
SETS = (set, frozenset, list, tuple, range, np.ndarray, pd.Index, pd.Series)


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
        for side, end in (("low", self.low), ("high", self.high)):
            if is_number(end) and is_too_large(end):
                raise InputError(f"Between: {side} is too large; give None for no end")
            if end is not None and not (is_number(end) and math.isfinite(end)):
                raise InputError(
                    f"Between: {side}={end!r} is not a number; give a number, or None for no end"
                )
        if self.low is not None and self.high is not None and self.low > self.high:
            raise InputError(
                f"Between: low={self.low!r} is above high={self.high!r}; give the lower end first"
            )

    @property
    def says_nothing(self) -> bool:
        return self.low is None and self.high is None

    def holds(self, values: Floats, gaps: Flags) -> Flags:
        """Which numbers lie between the ends; those that are missing do not, unless nothing is
        known.
        """
        good = np.ones(len(values), dtype=bool) if self.says_nothing else ~gaps
        if self.low is not None:
            good &= values >= self.low - LAST_DIGITS * np.spacing(abs(float(self.low)))
        if self.high is not None:
            good &= values <= self.high + LAST_DIGITS * np.spacing(abs(float(self.high)))
        return good


@dataclass(frozen=True, slots=True)
class OneOf:
    """Only a set of possible values is known; None in it for a missing value."""

    values: tuple[Any, ...]

    @property
    def says_nothing(self) -> bool:
        return False

    def holds(self, values: Floats, gaps: Flags) -> Flags:
        """Which numbers are among the values, in 15 digits."""
        among = np.zeros(len(values), dtype=bool)
        for value in self.values:
            if value is not None:
                among |= _equal(values, float(value))
        among &= ~gaps
        return among | gaps if None in self.values else among


def _equal(values: Floats, number: float) -> Flags:
    """Which values are a number: whole numbers exactly, fractions in 15 digits, as everywhere."""
    equal: Flags = values == number
    neighbours = ~equal & (np.abs(values - number) <= NEAR * abs(number))
    for row in np.flatnonzero(neighbours):
        equal[row] = exact_number(float(values[row])) == exact_number(number)
    return equal


Statement = Between | OneOf


@dataclass(frozen=True, slots=True, eq=False)
class Statements:
    """What is known of one key where it is no value.

    Attributes
    ----------
    of_target : int64, one per target: the position of its statement, -1 where the value is known.
    distinct : the statements, each once.
    """

    of_target: Integers
    distinct: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, eq=False)
class TargetList:
    """The intruder's targets.

    Attributes
    ----------
    given : the frame as given, for its row labels and columns.
    values : its keys, missing where no value is known but a statement.
    statements : by key; keys without any are not in it.
    records : int64, one per target: the row of the original, -1 for a target outside the file.
    """

    given: pd.DataFrame
    values: pd.DataFrame
    statements: dict[Hashable, Statements]
    records: Integers


def read_targets(
    targets: Any, target_records: Any, original: pd.DataFrame, keys: Sequence[Hashable]
) -> TargetList | None:
    """The targets, checked; None where all original records are targets."""
    if targets is None:
        if target_records is not None:
            raise InputError(
                "target_records: says which records the targets are, but there are no "
                "targets; give targets too, or leave it out: then every original record is a "
                "target"
            )
        return None
    frame = check_frame(targets, "targets")
    if not len(frame):
        raise InputError("targets: has no rows; give one row per target, or leave it out")
    _check_has_keys(frame, keys)
    statements = {}
    columns = {}
    for name in keys:
        columns[name], stated = _values_and_statements(name, frame[name])
        if stated is not None:
            statements[name] = stated
    return TargetList(
        given=owned(frame),
        values=pd.DataFrame(columns, index=frame.index),
        statements=statements,
        records=_records(target_records, frame, original),
    )


def _check_has_keys(frame: pd.DataFrame, keys: Sequence[Hashable]) -> None:
    for name in keys:
        if name not in frame.columns:
            listed_keys = ", ".join(map(str, keys))
            raise InputError(
                f"targets: has no column {name!r}; it needs all keys ({listed_keys}), with "
                "Between() where nothing is known about a target"
            )


# ---- what is known of a key ----------------------------------------------------------


def _values_and_statements(
    name: Hashable, column: pd.Series
) -> tuple[pd.Series, Statements | None]:
    """A column with its statements taken out, and these."""
    if column.dtype != object:
        return column, None
    numbers: dict[Any, int] = {}
    distinct: list[Statement] = []
    of_target = np.full(len(column), -1, dtype=np.int64)
    cells = column.tolist()
    for row, cell in enumerate(cells):
        statement = _statement(name, row, cell)
        if statement is None:
            continue
        identity = _identity(statement)
        if identity not in numbers:
            numbers[identity] = len(distinct)
            distinct.append(statement)
        of_target[row] = numbers[identity]
        cells[row] = None
    if not distinct:
        return column, None
    values = pd.Series(cells, index=column.index, dtype=object)
    return values, Statements(of_target, tuple(distinct))


def _statement(name: Hashable, row: int, cell: Any) -> Statement | None:
    """What a cell says; None for a value."""
    if isinstance(cell, Between):
        return cell
    if not isinstance(cell, SETS):
        return None
    values = tuple(None if is_missing(value) else value for value in cell)
    if not values:
        raise InputError(
            f"targets: the set for {name!r} in row {row + 1} is empty, so nobody could match;"
            " give the values that are possible, or Between() where nothing is known"
        )
    if not all(isinstance(value, Hashable) for value in values):
        raise InputError(
            f"targets: the set for {name!r} in row {row + 1} does not hold plain values; give"
            " texts, numbers or dates, as in {'north', 'south'}"
        )
    return OneOf(values)


def is_missing(value: Any) -> bool:
    if value is None or value is pd.NA or value is pd.NaT:
        return True
    return isinstance(value, (float, np.floating)) and math.isnan(value)


def is_too_large(number: Any) -> bool:
    """Whether a whole number has more digits than a double can have."""
    try:
        float(number)
    except OverflowError:
        return True
    return False


def _identity(statement: Statement) -> Hashable:
    """Equal for statements that say the same; 1 and True are not the same."""
    if isinstance(statement, Between):
        return statement
    return frozenset((type(value), value) for value in statement.values)


# ---- who the targets are -------------------------------------------------------------


def _records(target_records: Any, frame: pd.DataFrame, original: pd.DataFrame) -> Integers:
    """The row of the original that each target is, -1 for one outside the file."""
    labels = _record_labels(target_records, frame)
    if not original.index.is_unique:
        raise InputError(
            "target_records: row labels of the original data occur more than once, so they "
            "do not identify a record; give unique ones, for instance with "
            ".reset_index(drop=True)"
        )
    rows = np.full(len(frame), -1, dtype=np.int64)
    inside = np.flatnonzero(~pd.isna(labels))
    rows[inside] = original.index.get_indexer(pd.Index([labels[row] for row in inside]))
    strangers = inside[rows[inside] < 0]
    if len(strangers):
        first = labels[strangers[0]]
        raise InputError(
            f"target_records: {len(strangers)} of {len(frame)} are not row labels of the "
            f"original data, first {first!r} in row {int(strangers[0]) + 1}; give a missing "
            "value (None) for a target who is not in the file"
        )
    return rows


def _record_labels(target_records: Any, frame: pd.DataFrame) -> Any:
    """One label of the original, or a missing value, per target; an array of objects."""
    if target_records is None:
        raise InputError(
            "target_records: is not given; it says which record of the original data each target"
            " is: a column of targets, or one row label per target, None for a target who is not"
            " in the file"
        )
    if is_column(target_records, list(frame.columns)):
        target_records = frame[target_records]
    elif isinstance(target_records, str):
        raise InputError(
            f"target_records: {target_records!r} is not a column of the targets; give a column, or"
            " one row label of the original data per target"
        )
    check_target_labels("target_records", target_records, frame)
    labels = np.empty(len(frame), dtype=object)
    given = list(plain_values(target_records))
    if len(given) != len(frame):
        raise InputError(
            f"target_records: {len(given)} given for {len(frame)} targets; give one for each"
        )
    labels[:] = given
    return labels


def check_target_labels(argument: str, values: Any, frame: pd.DataFrame) -> None:
    """Refuse a Series whose row labels are not those of the targets: it is read by position. Plain
    numbers from 0 say nothing, unless they are the targets' own in another order.
    """
    check_has_order(argument, values, "targets")
    if not isinstance(values, pd.Series) or values.index.equals(frame.index):
        return
    if _same_labels(values.index, frame.index):
        raise InputError(
            f"{argument}: has the targets' row labels in another order; it is read by position: "
            "bring both into the same order, or give .to_numpy() if they already are"
        )
    if not values.index.equals(pd.RangeIndex(len(frame))):
        raise InputError(
            f"{argument}: has row labels that differ from the targets'; bring them into the "
            "same order, or give .to_numpy() if they already are"
        )


def _same_labels(one: pd.Index, other: pd.Index) -> bool:
    if len(one) != len(other) or not (one.is_unique and other.is_unique):
        return False
    return bool(one.isin(other).all())


def check_has_order(argument: str, values: Any, rows: str) -> None:
    """Refuse what is not in the order of the rows: the keys of a mapping would be ignored."""
    if isinstance(values, (Mapping, set, frozenset)):
        raise InputError(
            f"{argument}: is read in the order of the rows of the {rows}, so a mapping or a set "
            "cannot be used; give a list, or a Series with their row labels"
        )
