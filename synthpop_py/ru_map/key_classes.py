"""Numeric keys, or a numeric target, in classes made from the original alone: every release on a
map is judged by the same classes.

`disclosure()` itself makes classes from the original and the synthetic data together, as R does.
With those, a release could lower its risk by records that shift the classes.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.columns import Column
from ..errors import DataWarning, InputError, warn
from ..grouping import Grouping, group
from ..tables.comparable import about
from ..tables.protocol import Counted


@dataclass(frozen=True, slots=True)
class ClassesAsked:
    """Which columns are put into classes, and how.

    Attributes
    ----------
    groups : numbers of classes by column, 0 for none.
    special : special values by column, each a separate class.
    style : further arguments for the making of classes.
    """

    groups: Mapping[Hashable, int]
    special: Mapping[Hashable, Sequence[float]] = field(default_factory=dict)
    style: Mapping[str, Any] = field(default_factory=dict)


def in_classes_of_original(
    original: Counted, sets: Sequence[Counted], places: Sequence[str], asked: ClassesAsked
) -> tuple[Counted, list[Counted]]:
    """The rows with the numeric columns that were asked for put into classes; values beyond those
    of the original belong to the first or last class.

    Examples
    --------
    Two classes of 1, 2, 3, 4; the release's 99 belongs to the upper one.

    >>> people, fake = (Column("integer", np.array(ages)) for ages in ([1, 2, 3, 4], [2, 99]))
    >>> tables = Counted({"age": people}, None, 4), [Counted({"age": fake}, None, 2)]
    >>> first, (second,) = in_classes_of_original(*tables, ["fake"], ClassesAsked({"age": 2}))
    >>> first.columns["age"].labels, second.columns["age"].values.tolist()
    (('[1,2.5)', '[2.5,4]'), [0, 1])
    """
    tables = [original, *sets]
    for name, number in asked.groups.items():
        if not number:
            continue
        columns = [table.columns[name] for table in tables]
        if not columns[0].is_number:
            continue
        _check_numeric(name, columns, ["the original data", *places])
        apart = tuple(asked.special.get(name, ()))
        classes = _classes(name, tables[0], number, apart, asked.style)
        _warn_of_outside(name, tables[0], classes, apart)
        for at, column in enumerate(columns):
            classed = _classed(column, classes, apart)
            tables[at] = replace(tables[at], columns={**tables[at].columns, name: classed})
    return tables[0], tables[1:]


def _check_numeric(name: Hashable, columns: Sequence[Column], places: Sequence[str]) -> None:
    for place, column in zip(places, columns):
        if not column.is_number and column.has_values:
            raise InputError(
                f"{place}, column {name!r}: is not numeric, but it is in the original data; "
                "it cannot be put into the same classes"
            )


def _present(name: Hashable, table: Counted) -> tuple[Floats, Integers | None]:
    """The values of a column that are not missing, and how many records each stands for."""
    column, n = table.columns[name], table.n
    if n is not None and column.missing is not None:
        n = n[~column.missing]
    return column.present().astype(np.float64), n


def _classes(
    name: Hashable,
    original: Counted,
    number: int,
    apart: Sequence[float],
    style: Mapping[str, Any],
) -> Grouping:
    values, n = _present(name, original)
    try:
        return group(values, number, special=apart, median_split=True, often=n, exact=True, **style)
    except InputError as error:
        raise InputError(f"grouping of column {name!r}: {error}", details=error.details) from error


def _warn_of_outside(
    name: Hashable, original: Counted, classes: Grouping, apart: Sequence[float]
) -> None:
    """Fixed breaks that do not reach as far as the original."""
    if classes.style != "fixed":
        return
    values, n = _present(name, original)
    beyond = (values < classes.breaks[0]) | (values > classes.breaks[-1])
    beyond &= ~np.isin(values, list(apart))
    records = int(beyond.sum() if n is None else n[beyond].sum())
    if records:
        everybody = original.records
        outside = f"{about(records, everybody)} of {about(everybody, everybody)} original records"
        warn(
            f"fixedBreaks: {outside} have a value of column {name!r} outside the breaks and "
            "go to the first or last class; give breaks that cover them, for instance -inf "
            "first and inf last",
            DataWarning,
            short=f"{outside} in column {name!r}",
        )


def _classed(column: Column, classes: Grouping, apart: Sequence[float]) -> Column:
    codes = _codes(column, classes.breaks, apart)
    missing = codes < 0
    return Column(
        kind="factor",
        values=codes,
        missing=missing if missing.any() else None,
        labels=tuple(classes.labels),
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
