"""A numeric variable put into classes that are made from the pooled values of all tables."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.arrays import Flags, Floats, Integers, Values
from ..core.coding import encode_classes
from ..core.columns import Column
from ..core.crosstab import totals
from ..core.grouping import Grouping, assign_classes, group
from ..core.levels import Variable
from ..errors import InputError
from ..r.reading import Reading
from ..r.text import double_text, integer_text

# values that are counted may span this many times the records, so that memory grows with the data
WIDEST = 4
LARGEST_COUNTED = 2.0**53


Counts = Sequence[Integers | None]  # records by row, for each table


class Distinct(NamedTuple):
    """What is different in a column, (k,): values, which of them is no value but a gap, and how
    many records each stands for; `place`, (rows,), leads from rows to them. Where it is not worth
    counting, rows stand for themselves and `place` is None; so is `often` where each is one record.
    """

    values: Values
    missing: Flags | None
    often: Integers | None = None
    place: Integers | None = None


def distinct(columns: Sequence[Column], n: Counts) -> list[Distinct]:
    """Whole numbers in a narrow range, such as incomes, are counted: to sort and to look up each of
    many records would take longer.
    """
    found = [_counted(column, times) for column, times in zip(columns, n)]
    if any(f is None for f in found):
        return as_they_are(columns, n)
    return [f for f in found if f is not None]


def as_they_are(columns: Sequence[Column], n: Counts) -> list[Distinct]:
    """Rows in their order. Where one table has counts, all are given some."""
    if any(times is not None for times in n):
        n = tuple(np.ones(len(c), dtype=np.int64) if t is None else t for c, t in zip(columns, n))
    return [
        Distinct(column.values.astype(np.float64), column.missing, times)
        for column, times in zip(columns, n)
    ]


def _counted(column: Column, n: Integers | None) -> Distinct | None:
    values, missing = column.values.astype(np.float64), column.missing
    if not len(values) or (missing is not None and missing.all()):
        return None
    known = values if missing is None else np.where(missing, values[np.argmin(missing)], values)
    low, high = float(known.min()), float(known.max())
    if not (high - low < WIDEST * len(values) and max(-low, high) < LARGEST_COUNTED):
        return None
    whole = known.astype(np.int64)
    if not (whole == known).all():
        return None
    gap = int(high - low) + 1
    whole -= int(low)
    if missing is not None:
        whole = np.where(missing, gap, whole)
    often = totals(whole, n, 0)
    found = np.flatnonzero(often > 0)
    number = np.empty(gap + 1, dtype=np.int64)
    number[found] = np.arange(len(found))
    is_gap = found == gap if missing is not None else None
    return Distinct(found + low, is_gap, often[found], number[whole])


def pooled(levels: Sequence[Distinct], wanted: Sequence[Flags]) -> tuple[Floats, Integers | None]:
    """The values of all tables, of those wanted, and how many records each stands for."""
    values = np.concatenate([level.values[w] for level, w in zip(levels, wanted)])
    often = [level.often[w] for level, w in zip(levels, wanted) if level.often is not None]
    return values, np.concatenate(often) if often else None


def grouped(
    name: Hashable,
    columns: list[Column],
    n: Counts,
    classes: int,
    style: dict[str, Any],
    special: tuple[Any, ...],
    compat: Reading,
) -> tuple[Variable, Grouping]:
    """The variable in so many classes, and these."""
    for table, column in enumerate(columns):
        if not column.is_number:
            raise InputError(
                f"ngroups: column {name!r} is numeric in the original but not in synthetic data set"
                f" {table}; it cannot be grouped"
            )
    # classes by deviations add all values up, in their order, as R does
    in_order = style.get("style") == "sd"
    levels = as_they_are(columns, n) if in_order else distinct(columns, n)
    ordinary = [_ordinary(level, special) for level in levels]
    if not any(o.any() for o in ordinary[1:]):
        raise InputError(
            f"ngroups: column {name!r} of the synthetic data has only missing or special values; it"
            " cannot be grouped"
        )
    values, often = pooled(levels, ordinary)
    try:
        made = _classes(values, often, classes, style, special, compat)
    except InputError as error:
        raise InputError(f"grouping of column {name!r}: {error}") from error
    codes = [
        _class_codes(level, o, c.kind == "integer", made, special, compat)
        for level, o, c in zip(levels, ordinary, columns)
    ]

    def class_of(column: Column) -> Integers:
        (level,) = as_they_are([column], [None])
        usual = _ordinary(level, special)
        return _class_codes(level, usual, column.kind == "integer", made, special, compat)

    return encode_classes(str(name), codes, made.labels, class_of), made


def _classes(
    values: Floats,
    often: Integers | None,
    n: int,
    style: dict[str, Any],
    special: Sequence[float],
    compat: Reading,
) -> Grouping:
    made = group(values, n, special=special, median_split=True, often=often, **style)
    if n != 2:
        return made
    as_r = group(values, n, special=special, often=often, **style)
    differ = not np.array_equal(as_r.breaks, made.breaks)
    return as_r if compat.follow_r("D22", differ) else made


def _ordinary(level: Distinct, special: tuple[Any, ...]) -> Flags:
    """Neither missing nor a special value."""
    usual = np.ones(len(level.values), dtype=bool) if level.missing is None else ~level.missing
    for value in special:
        usual &= level.values != value
    return usual


def _class_codes(
    level: Distinct,
    ordinary: Flags,
    whole: bool,
    made: Grouping,
    special: tuple[Any, ...],
    compat: Reading,
) -> Integers:
    """The class of every record, -1 where it is missing."""
    codes = np.full(len(level.values), -1, dtype=np.int64)
    codes[ordinary] = assign_classes(level.values[ordinary], made.breaks)
    first = len(made.labels) - len(special)
    for i, value in enumerate(special):
        here = (
            level.values == value
            if level.missing is None
            else (level.values == value) & ~level.missing
        )
        # R looks for the text of a real number among whole ones and finds none
        lost = whole and here.any() and integer_text(int(value)) != double_text(float(value))
        if not compat.follow_r("D15", bool(lost)):
            codes[here] = first + i
    return codes if level.place is None else codes[level.place]
