"""Variables of the original and of releases as whole numbers, so that their tables can be compared.

Categories, texts and truth values are matched by their level. Numbers, dates and times are put into
classes made from the original alone, so that all releases are measured with the same classes.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import is_number, special_values
from ..core.arrays import Floats, Integers, Values
from ..core.coding import encode
from ..core.columns import Column
from ..errors import InputError
from ..tables.reading import read_column

AMOUNTS = ("integer", "double", "date", "time", "duration")  # kinds with a distance between values

Special = Mapping[Hashable, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Coded:
    """One variable in several tables, the original first.

    Attributes
    ----------
    name : of the column.
    size : number of codes, 0 to size - 1.
    codes : one array per table, int64, shape (rows,).
    n : for each table how many records each row stands for; None where every row is one.
    """

    name: Hashable
    size: int
    codes: tuple[Integers, ...]
    n: tuple[Integers | None, ...]


def read_variable(
    name: Hashable, tables: Sequence[pd.DataFrame], places: Sequence[str]
) -> list[Column]:
    """The columns of one name in all tables; amounts must be amounts everywhere."""
    columns = [
        read_column(table[name], f"{place}, column {name!r}")
        for table, place in zip(tables, places)
    ]
    check_alike(name, columns, places)
    return columns


def check_alike(name: Hashable, columns: Sequence[Column], places: Sequence[str]) -> None:
    """Amounts must be amounts everywhere."""
    for column, place in zip(columns, places):
        if (
            (column.kind in AMOUNTS) != (columns[0].kind in AMOUNTS)
            and len(column.present())
            and len(columns[0].present())
        ):
            raise InputError(
                f"{place}: column {name!r} is {_what(column)}, but {_what(columns[0])} in"
                f" {places[0]}; make them alike first, for instance by grouping the numbers into"
                " the same classes, or leave the column out (variables)"
            )


def _what(column: Column) -> str:
    return f"an amount ({column.kind})" if column.kind in AMOUNTS else f"a category ({column.kind})"


def code_variable(
    name: Hashable,
    tables: Sequence[pd.DataFrame],
    places: Sequence[str],
    classes: int,
    special: Special,
) -> Coded:
    """Codes of one variable in all tables: its levels, or classes of its amounts; missing and each
    special value are classes of their own.

    Examples
    --------
    Quartiles of the original's 1, 2, 3, 4, 5 are 2, 3 and 4; a class holds its upper end.

    >>> tables = pd.DataFrame({"x": [1, 2, 3, 4, 5]}), pd.DataFrame({"x": [2.5, 99, None]})
    >>> coded = code_variable("x", tables, ["original", "release"], classes=4, special={})
    >>> [codes.tolist() for codes in coded.codes]
    [[0, 0, 1, 2, 3], [1, 3, 4]]
    """
    columns = read_variable(name, tables, places)
    return code_columns(name, columns, (None,) * len(columns), classes, special)


def code_columns(
    name: Hashable,
    columns: Sequence[Column],
    n: tuple[Integers | None, ...],
    classes: int,
    special: Special,
) -> Coded:
    """The same from columns that were read already; `n` says how many records rows stand for."""
    if not all(c.kind in AMOUNTS for c in columns):
        variable = encode(str(name), columns)
        own = tuple(variable.own_codes(t) for t in range(len(columns)))
        return Coded(name, variable.size, own, n)
    apart = special.get(name, ())
    original = columns[0]
    ordinary = np.ones(len(original), dtype=bool)
    if original.missing is not None:
        ordinary = ~original.missing
    if apart:
        ordinary = ordinary & ~np.isin(original.values, apart)
    cuts = cut_points(original.values[ordinary], classes, None if n[0] is None else n[0][ordinary])
    size = len(cuts) + 2 + len(apart)
    return Coded(name, size, tuple(_classified(c, cuts, apart) for c in columns), n)


def cut_points(values: Values, classes: int, n: Integers | None = None) -> Floats:
    """Upper ends of all classes but the last: quantiles (Hyndman and Fan's type 7), or each
    distinct value where there are no more than `classes`. `n` says how often each value occurs.

    Examples
    --------
    >>> cut_points(np.array([1.0, 2, 3, 10]), 2), cut_points(np.array([0, 0, 1, 0]), 5)
    (array([2.5]), array([0]))
    """
    order = None if n is None else np.argsort(values, kind="stable")
    ordered = np.sort(values) if order is None else values[order]
    distinct = np.unique(ordered)
    if len(distinct) <= classes:
        return distinct[:-1]
    # differences of small whole numbers may not fit their own type
    ordered = ordered.astype(np.float64)
    up_to = None if n is None else np.cumsum(n[order])
    records = len(ordered) if up_to is None else int(up_to[-1])
    # positions as whole numbers and remainders: a rounded position could put a cut just below the
    # value it should be
    whole = [divmod((records - 1) * i, classes) for i in range(1, classes)]
    low, rest = (np.array(part, dtype=np.int64) for part in zip(*whole))
    high = np.minimum(low + 1, records - 1)
    if up_to is not None:
        low, high = (np.searchsorted(up_to, rank, side="right") for rank in (low, high))
    below, above = ordered[low], ordered[high]
    with np.errstate(invalid="ignore"):  # between two infinite numbers
        between = below + (above - below) * (rest / classes)
    return np.unique(np.where((rest == 0) | (below == above) | np.isnan(between), below, between))


def _classified(column: Column, cuts: Floats, apart: Sequence[float]) -> Integers:
    codes = np.searchsorted(cuts, column.values, side="left").astype(np.int64)
    for i, value in enumerate(apart, start=1):
        codes[column.values == value] = len(cuts) + i
    if column.missing is not None:
        codes[column.missing] = len(cuts) + 1 + len(apart)
    return codes


def brought_numbers(
    cont_na: Mapping[Hashable, Sequence[Any]], columns: Sequence[Hashable]
) -> dict[Hashable, tuple[float, ...]]:
    """Special values that a SynDS brings, as far as they concern these columns and are numbers."""
    found = {
        name: tuple(v for v in values if is_number(v))
        for name, values in cont_na.items()
        if name in columns
    }
    return special_numbers(found, columns)


def special_numbers(cont_na: Any, columns: Sequence[Hashable]) -> dict[Hashable, tuple[float, ...]]:
    """Special values of numeric columns, as in ``{"income": -8}``, each as a tuple of numbers."""
    special = special_values(cont_na)
    unknown = [name for name in special if name not in columns]
    if unknown:
        raise InputError(
            f"cont_na: {unknown[0]!r} is not a column of the original data; choices:"
            f" {', '.join(map(str, columns))}"
        )
    for name, values in special.items():
        wrong = [v for v in values if isinstance(v, (str, bool))]
        if wrong:
            raise InputError(
                f"cont_na: {wrong[0]!r} for {name!r} is not a number; only numeric columns have"
                " special values"
            )
    return {
        name: tuple(dict.fromkeys(float(v) for v in values))
        for name, values in special.items()
        if values
    }
