"""A numeric variable put into classes that are made from the pooled values of all tables."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.arrays import Flags, Floats, Integers, Values
from ..core.columns import Column
from ..core.grouping import Grouping, assign_classes, group
from ..core.levels import Variable, encode_classes
from ..core.rtext import double_text, integer_text
from ..errors import InputError
from .rcompat import Compat

# values that are counted may span this many times the records, so that memory grows with the data
WIDEST = 4
LARGEST_COUNTED = 2.0**53


class Distinct(NamedTuple):
    """What is different in a column, (k,): values, which of them is no value but a gap, and how
    often each occurs; `place`, (n,), leads from records to them. Where it is not worth counting,
    records stand for themselves: `often` and `place` are None.
    """

    values: Values
    missing: Flags | None
    often: Integers | None = None
    place: Integers | None = None


def distinct(columns: Sequence[Column]) -> list[Distinct]:
    """Whole numbers in a narrow range, such as incomes, are counted: to sort and to look up each of
    many records would take longer.
    """
    found = [_counted(column) for column in columns]
    counted = [f for f in found if f is not None]
    if len(counted) < len(columns):
        return [Distinct(c.values.astype(np.float64), c.missing) for c in columns]
    return counted


def _counted(column: Column) -> Distinct | None:
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
    often = np.bincount(whole)
    found = np.flatnonzero(often > 0)
    number = np.empty(gap + 1, dtype=np.int64)
    number[found] = np.arange(len(found))
    return Distinct(
        found + low, found == gap if missing is not None else None, often[found], number[whole]
    )


def pooled(levels: Sequence[Distinct], wanted: Sequence[Flags]) -> Floats:
    """The values of all records of all tables, of those wanted; counted ones in order."""
    values: Floats = np.concatenate([level.values[w] for level, w in zip(levels, wanted)])
    # all columns are counted, or none is
    often = [level.often[w] for level, w in zip(levels, wanted) if level.often is not None]
    if not often:
        return values
    order = np.argsort(values, kind="stable")
    return np.repeat(values[order], np.concatenate(often)[order])


def grouped(
    name: Hashable,
    columns: list[Column],
    n: int,
    style: dict[str, Any],
    special: tuple[Any, ...],
    compat: Compat,
) -> tuple[Variable, Grouping]:
    """The variable in n classes, and these."""
    for table, column in enumerate(columns):
        if not column.is_number:
            raise InputError(
                f"ngroups: column {name!r} is numeric in the original but not in synthetic data set"
                f" {table}; it cannot be grouped"
            )
    # classes by deviations add all values up, in their order, as R does
    levels = (
        distinct(columns)
        if style.get("style") != "sd"
        else [Distinct(c.values.astype(np.float64), c.missing) for c in columns]
    )
    ordinary = [_ordinary(level, special) for level in levels]
    if not any(o.any() for o in ordinary[1:]):
        raise InputError(
            f"ngroups: column {name!r} of the synthetic data has only missing or special values; it"
            " cannot be grouped"
        )
    made = _classes(name, pooled(levels, ordinary), n, style, special, compat)
    codes = [
        _class_codes(level, o, c.kind == "integer", made, special, compat)
        for level, o, c in zip(levels, ordinary, columns)
    ]
    return encode_classes(str(name), codes, made.labels), made


def _classes(
    name: Hashable,
    pooled: Floats,
    n: int,
    style: dict[str, Any],
    special: Sequence[float],
    compat: Compat,
) -> Grouping:
    try:
        made = group(pooled, n, special=special, median_split=True, **style)
        as_r = group(pooled, n, special=special, **style) if n == 2 else made
    except InputError as error:
        raise InputError(f"grouping of column {name!r}: {error}") from error
    return (
        as_r
        if n == 2 and compat.shows("D22", not np.array_equal(as_r.breaks, made.breaks))
        else made
    )


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
    compat: Compat,
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
        if not compat.shows("D15", bool(lost)):
            codes[here] = first + i
    return codes if level.place is None else codes[level.place]
