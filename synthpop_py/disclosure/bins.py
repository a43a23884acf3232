"""A numeric variable put into classes that are made from the pooled values of all tables."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..core.arrays import Flags, Floats, Integers, Values
from ..core.coding import encode_classes
from ..core.columns import Column
from ..core.crosstab import totals
from ..grouping import Grouping, assign_classes, covering, group, same_classes
from ..core.levels import Variable
from ..errors import InputError, NothingInCommonWarning, OutsideBreaksWarning, warn
from ..r.reading import Reading
from ..r.text import double_text, integer_text
from ..tables.comparable import about

# counted values may span this many times the records, so memory grows with the data
WIDEST = 4
LARGEST_COUNTED = 2.0**53


Counts = Sequence[Integers | None]  # records by row, for each table


class Distinct(NamedTuple):
    """The distinct values of a column, (k,), which of them is missing, and how many records each
    stands for; `place`, (rows,), is the position of each row among them. Where counting does not
    pay, rows stand for themselves and `place` is None. `often` is None where each is one record.
    """

    values: Values
    missing: Flags | None
    often: Integers | None = None
    place: Integers | None = None

    def by_row(self, codes: Integers) -> Integers:
        """Results per value, spread over the rows."""
        return codes if self.place is None else codes[self.place]


def distinct(columns: Sequence[Column], n: Counts) -> list[Distinct]:
    """The distinct values. Whole numbers in a narrow range, such as incomes, are counted, which is
    faster than sorting and looking up every record.
    """
    levels = []
    for column, times in zip(columns, n):
        counted = _counted(column, times)
        if counted is None:
            return as_they_are(columns, n)
        levels.append(counted)
    return levels


def as_they_are(columns: Sequence[Column], n: Counts) -> list[Distinct]:
    """Rows in their order. If one table has counts, all get counts."""
    some_counts = any(times is not None for times in n)
    levels = []
    for column, times in zip(columns, n):
        if some_counts and times is None:
            times = np.ones(len(column), dtype=np.int64)
        levels.append(Distinct(column.values.astype(np.float64), column.missing, times))
    return levels


def _counted(column: Column, n: Integers | None) -> Distinct | None:
    """The distinct values of a column; None where they are not whole, or too far apart."""
    if not column.has_values:
        return None
    values, missing = column.values.astype(np.float64), column.missing
    known = values
    if missing is not None:
        some_value = values[np.argmin(missing)]
        known = np.where(missing, some_value, values)
    low, high = float(known.min()), float(known.max())
    # a table of all whole numbers in between must not be much longer than the data
    narrow = high - low < WIDEST * len(values)
    if not (narrow and max(-low, high) < LARGEST_COUNTED):
        return None
    whole = known.astype(np.int64)
    if not (whole == known).all():
        return None
    gap = int(high - low) + 1  # missing values go behind the highest
    whole -= int(low)
    if missing is not None:
        whole = np.where(missing, gap, whole)
    often = totals(whole, n, 0)
    occurring = np.flatnonzero(often > 0)
    place_of = np.empty(gap + 1, dtype=np.int64)
    place_of[occurring] = np.arange(len(occurring))
    return Distinct(
        values=occurring + low,
        missing=None if missing is None else occurring == gap,
        often=often[occurring],
        place=place_of[whole],
    )


def pooled(levels: Sequence[Distinct], wanted: Sequence[Flags]) -> tuple[Floats, Integers | None]:
    """The values of all tables, of those wanted, and how many records each stands for."""
    values, often = [], []
    for level, flags in zip(levels, wanted):
        values.append(level.values[flags])
        if level.often is not None:
            often.append(level.often[flags])
    return np.concatenate(values), np.concatenate(often) if often else None


@dataclass(frozen=True, slots=True)
class Binning:
    """Classes made from pooled values, special values apart, under one reading."""

    grouping: Grouping
    special: tuple[Any, ...]
    compat: Reading

    def class_of(self, column: Column) -> Integers:
        """The class of every row of a column, -1 where it is missing."""
        (level,) = as_they_are([column], [None])
        return self.classes(level, _ordinary(level, self.special), column.kind == "integer")

    def classes(self, level: Distinct, ordinary: Flags, whole: bool) -> Integers:
        """The class of every distinct value, -1 where it is missing; `whole`: the column is one of
        whole numbers.
        """
        codes = np.full(len(level.values), -1, dtype=np.int64)
        codes[ordinary] = assign_classes(level.values[ordinary], self.grouping.breaks)
        first = len(self.grouping.labels) - len(self.special)
        for code, value in enumerate(self.special, start=first):
            here = level.values == value
            if level.missing is not None:
                here &= ~level.missing
            # R looks for the text of a double among those of integers and finds none
            lost = whole and bool(here.any()) and _has_two_texts(value)
            if not self.compat.follow_r("D15", lost):
                codes[here] = code
        return codes


def _has_two_texts(value: float) -> bool:
    """Whether R writes a number differently as integer and as double: 100000 and 1e+05."""
    return integer_text(int(value)) != double_text(float(value))


def grouped(
    name: Hashable,
    columns: list[Column],
    n: Counts,
    *,
    classes: int,
    style: dict[str, Any],
    special: tuple[Any, ...],
    compat: Reading,
) -> tuple[Variable, Grouping]:
    """The variable put into classes, and the classes."""
    _check_numbers(name, columns)
    # classes by deviations add all values up, in their order, as R does
    in_order = style.get("style") == "sd"
    levels = as_they_are(columns, n) if in_order else distinct(columns, n)
    ordinary = [_ordinary(level, special) for level in levels]
    if not any(flags.any() for flags in ordinary[1:]):
        raise InputError(
            f"ngroups: column {name!r} of the synthetic data has only missing or special values; it"
            " cannot be grouped"
        )
    values, often = pooled(levels, ordinary)
    if often is None and not in_order:
        values = np.sort(values)  # once, for all that look for breaks
    arguments = {"special": special, "often": often, **style}
    try:
        grouping = _classes(values, classes, arguments, compat)
    except InputError as error:
        raise InputError(f"grouping of column {name!r}: {error}", details=error.details) from error
    binning = Binning(grouping, special, compat)
    classes_of = []
    for level, flags, column in zip(levels, ordinary, columns):
        classes_of.append(binning.classes(level, flags, column.kind == "integer"))
    if grouping.style == "fixed":
        grouping = replace(grouping, outside=_outside(grouping, levels, ordinary))
    grouping = replace(grouping, apart=_apart(classes_of))
    codes = [level.by_row(found) for level, found in zip(levels, classes_of)]
    return encode_classes(str(name), codes, grouping.labels, binning.class_of), grouping


def _outside(
    grouping: Grouping, levels: Sequence[Distinct], ordinary: Sequence[Flags]
) -> tuple[int, ...]:
    """How many records of each table have a value beyond the breaks."""
    low, high = grouping.breaks[0], grouping.breaks[-1]
    records = []
    for level, flags in zip(levels, ordinary):
        beyond = flags & ((level.values < low) | (level.values > high))
        records.append(int(beyond.sum() if level.often is None else level.often[beyond].sum()))
    return tuple(records)


def _apart(classes_of: Sequence[Integers]) -> bool:
    """Whether some synthesis has no class in common with the original."""
    original, *syntheses = [_occurring(classes) for classes in classes_of]
    return any(original.isdisjoint(classes) for classes in syntheses)


def _occurring(classes: Integers) -> set[int]:
    """The classes that occur; missing, -1, is not a class."""
    values = np.bincount(classes + 1)
    return set(np.flatnonzero(values[1:]).tolist())


def warn_of_classes(
    name: Hashable, grouping: Grouping, records: Sequence[int], *, must_match: bool = False
) -> list[str]:
    """A `NothingInCommonWarning` where no class is common to both sides, or an error where the
    column must match; an `OutsideBreaksWarning` where fixed breaks leave records out; `records`, of
    each table. Returns the texts.
    """
    found: list[str] = []

    def told(text: str, category: type[Warning], short: str) -> None:
        found.append(text)
        warn(text, category, short)

    if grouping.apart:
        apart = f"column {name!r}: no synthetic record is in a class of the original data"
        text = (
            f"{apart}; values that cannot match always show zero risk, whatever the true "
            "risk: ask for fewer classes, or look for a mistake in the data"
        )
        if must_match:
            raise InputError(text)
        told(text, NothingInCommonWarning, short=apart)
    if grouping.unused_breaks:
        told(
            f"fixedBreaks: make fewer than three classes of column {name!r}, so classes of "
            "equal width were used instead, as in R; give more breaks",
            OutsideBreaksWarning,
            short=f"too few breaks for column {name!r}",
        )
    if not any(grouping.outside):
        return found
    original, *synthetic = grouping.outside
    outside = (
        f"{about(original)} of {records[0]:,} original and {sum(synthetic):,} of"
        f" {sum(records[1:]):,} synthetic records of column {name!r}"
    )
    told(
        f"fixedBreaks: {outside} lie outside the breaks and count as missing; give breaks "
        "that cover them, for instance -inf first and inf last",
        OutsideBreaksWarning,
        short=outside,
    )
    return found


def _check_numbers(name: Hashable, columns: Sequence[Column]) -> None:
    for table, column in enumerate(columns):
        if not column.is_number:
            raise InputError(
                f"ngroups: column {name!r} is numeric in the original but not in synthetic data set"
                f" {table}; it cannot be grouped"
            )


def _classes(values: Floats, classes: int, arguments: dict[str, Any], compat: Reading) -> Grouping:
    """The classes of values. Each lies in the class whose label holds it, unless R rounds it into
    another (D50) or loses the largest (D49).
    """
    correct = _two_split(values, classes, {**arguments, "exact": True}, compat)
    if not compat.active:
        return correct
    rounded = _two_split(values, classes, arguments, compat)
    wider = covering(rounded, values)
    loses = compat.follow_r("D49", wider is not rounded)
    rounds = compat.follow_r("D50", not same_classes(values, wider, correct))
    if loses:
        return rounded
    return wider if rounds else correct


def _two_split(
    values: Floats, classes: int, arguments: dict[str, Any], compat: Reading
) -> Grouping:
    """The classes of values; two are split at the median, unless R splits elsewhere (D22)."""
    correct = group(values, classes, median_split=True, **arguments)
    if classes != 2:
        return correct
    as_r = group(values, classes, **arguments)
    differ = not np.array_equal(as_r.breaks, correct.breaks)
    return as_r if compat.follow_r("D22", differ) else correct


def _ordinary(level: Distinct, special: tuple[Any, ...]) -> Flags:
    """Neither missing nor a special value."""
    usual = np.ones(len(level.values), dtype=bool) if level.missing is None else ~level.missing
    for value in special:
        usual &= level.values != value
    return usual
