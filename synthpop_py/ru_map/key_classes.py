"""Numeric keys, or a numeric target, in classes made from the original alone, so that every release
on a map is judged by the same classes.

`disclosure()` itself makes classes from the original and the synthetic data together, as R does.
Then a release could lower its risk by records that shift the classes.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import Floats, Integers
from ..core.columns import Column
from ..core.grouping import Grouping, group
from ..errors import InputError, OutsideBreaksWarning, warn
from ..tables.near_levels import about
from ..tables.reading import read_column


@dataclass(frozen=True, slots=True)
class ClassesAsked:
    """Which columns are put into classes, and how.

    Attributes
    ----------
    groups : numbers of classes by column, 0 for none.
    special : special values by column, each a class of its own.
    style : further arguments for the making of classes.
    """

    groups: Mapping[Hashable, int]
    special: Mapping[Hashable, Sequence[float]] = field(default_factory=dict)
    style: Mapping[str, Any] = field(default_factory=dict)


def in_classes_of_original(
    original: pd.DataFrame,
    frames: Sequence[pd.DataFrame],
    places: Sequence[str],
    asked: ClassesAsked,
) -> tuple[pd.DataFrame, list[pd.DataFrame]]:
    """The data with the numeric columns that were asked for put into classes; values beyond those
    of the original belong to the first or last class.

    Examples
    --------
    Two classes of 1, 2, 3, 4; the release's 99 belongs to the upper one.

    >>> people, fake = pd.DataFrame({"age": [1, 2, 3, 4]}), pd.DataFrame({"age": [2, 99, None]})
    >>> asked = ClassesAsked({"age": 2})
    >>> first, (second,) = in_classes_of_original(people, [fake], ["fake"], asked)
    >>> first["age"].tolist(), second["age"].tolist()
    (['[1,2.5)', '[1,2.5)', '[2.5,4]', '[2.5,4]'], ['[1,2.5)', '[2.5,4]', nan])
    """
    original = original.copy()
    frames = [frame.copy() for frame in frames]
    tables = dict(zip(["the original data", *places], [original, *frames]))
    for name, number in asked.groups.items():
        if not number:
            continue
        columns = _numeric_columns(name, tables)
        if not columns:
            continue
        apart = tuple(asked.special.get(name, ()))
        classes = _classes(name, columns[0], number, apart, asked.style)
        _warn_of_outside(name, columns[0], classes, apart)
        for frame, column in zip(tables.values(), columns):
            codes = _codes(column, classes.breaks, apart)
            frame[name] = pd.Categorical.from_codes(codes, categories=list(classes.labels))
    return original, frames


def _numeric_columns(name: Hashable, tables: Mapping[str, pd.DataFrame]) -> list[Column]:
    """The columns of this name, the original's first; empty where that is not numeric."""
    columns: list[Column] = []
    for place, frame in tables.items():
        column = read_column(frame[name], f"{place}, column {name!r}")
        if not columns and not column.is_number:
            return []
        columns.append(column)
    for place, column in zip(tables, columns):
        if not column.is_number and len(column.present()):
            raise InputError(
                f"{place}, column {name!r}: is not numeric, but numeric in the original data;"
                " it cannot be put into the same classes"
            )
    return columns


def _classes(
    name: Hashable,
    column: Column,
    number: int,
    apart: Sequence[float],
    style: Mapping[str, Any],
) -> Grouping:
    values = column.present().astype(np.float64)
    try:
        return group(values, number, special=apart, median_split=True, **style)
    except InputError as error:
        raise InputError(f"grouping of column {name!r}: {error}", details=error.details) from error


def _warn_of_outside(
    name: Hashable, column: Column, classes: Grouping, apart: Sequence[float]
) -> None:
    """Fixed breaks that do not reach as far as the original."""
    if classes.style != "fixed":
        return
    values = column.present().astype(np.float64)
    beyond = (values < classes.breaks[0]) | (values > classes.breaks[-1])
    records = int((beyond & ~np.isin(values, list(apart))).sum())
    if records:
        warn(
            f"fixedBreaks: {about(records)} of {len(column):,} original records have a value of"
            f" column {name!r} outside the breaks, and go to the first or last class; give breaks"
            " that cover them, for instance -inf first and inf last",
            OutsideBreaksWarning,
        )


def _codes(column: Column, ends: Floats, apart: Sequence[float]) -> Integers:
    """Class of each value, then the special values; -1 for missing ones."""
    if not column.is_number:  # nothing but missing values
        return np.full(len(column), -1)
    values = column.values.astype(np.float64)
    codes = np.searchsorted(ends, values, side="right") - 1
    last = len(ends) - 2
    codes = np.clip(codes, 0, last)
    for code, value in enumerate(apart, start=last + 1):
        codes[values == value] = code
    if column.missing is not None:
        codes[column.missing] = -1
    return codes
