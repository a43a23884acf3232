"""Variables of the original and of releases as codes, which makes their tables comparable.

Categories, texts and truth values are matched by their level. Numbers, dates and times are put into
classes made from the original alone: all releases are measured with the same classes.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import is_number, special_values
from ..core.arrays import Flags, Floats, Integers, Values, distinct_sorted
from ..core.coding import encode
from ..core.columns import Column
from ..errors import DataWarning, InputError, warn
from ..tables.comparable import warn_of_near_levels
from ..tables.opening import is_table
from ..tables.reading import read_column

AMOUNTS = ("integer", "double", "date", "time", "duration")  # kinds with a distance between values

Special = Mapping[Hashable, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class CodedVariable:
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


def read_variable(name: Hashable, tables: Sequence[Any], places: Sequence[str]) -> list[Column]:
    """The columns of one name in all tables, data frames or not; amounts must be amounts
    everywhere.
    """
    columns = []
    for table, place in zip(tables, places):
        if is_table(table):
            columns.append(table.count_by([name]).columns[name])
        else:
            columns.append(read_column(table[name], f"{place}, column {name!r}"))
    check_alike(name, columns, places)
    return columns


def check_alike(name: Hashable, columns: Sequence[Column], places: Sequence[str]) -> None:
    """Amounts must be amounts everywhere; a column of gaps may stand for anything."""
    original = columns[0]
    if not any(column.has_values for column in columns):
        warn(
            f"variables: {name!r} is missing in every record of every table, so it says "
            "nothing; leave it out",
            DataWarning,
            short=f"{name!r} is missing in every record",
        )
    for column, place in zip(columns[1:], places[1:]):
        if is_amount(column) == is_amount(original):
            warn_of_near_levels(name, original, column, place)
            continue
        if column.has_values and original.has_values:
            raise InputError(
                f"{place}: column {name!r} is {_what(column)}, but {_what(original)} in"
                f" {places[0]}; make them alike first, for instance by grouping the numbers into"
                " the same classes, or leave the column out (variables)"
            )


def is_amount(column: Column) -> bool:
    return column.kind in AMOUNTS


def _what(column: Column) -> str:
    what = "an amount" if is_amount(column) else "a category"
    return f"{what} ({column.kind})"


def code_columns(
    name: Hashable,
    columns: Sequence[Column],
    n: tuple[Integers | None, ...],
    classes: int,
    special: Special,
) -> CodedVariable:
    """The same from columns that were read already; `n` says how many records rows stand for."""
    if all(is_amount(column) for column in columns):
        return _coded_amounts(name, columns, n, classes, special.get(name, ()))
    variable = encode(str(name), columns)
    codes = [variable.own_codes(table) for table in range(len(columns))]
    return CodedVariable(name=name, size=variable.size, codes=tuple(codes), n=n)


def _coded_amounts(
    name: Hashable,
    columns: Sequence[Column],
    n: tuple[Integers | None, ...],
    classes: int,
    apart: Sequence[float],
) -> CodedVariable:
    """Classes by the quantiles of the original, then the values kept apart, then missing."""
    original, n_original = columns[0], n[0]
    ordinary = _ordinary(original, apart)
    if n_original is not None:
        n_original = n_original[ordinary]
    cuts = cut_points(original.values[ordinary], classes, n_original)
    codes = [_classified(column, cuts, apart) for column in columns]
    size = len(cuts) + 2 + len(apart)
    return CodedVariable(name=name, size=size, codes=tuple(codes), n=n)


def _ordinary(column: Column, apart: Sequence[float]) -> Flags:
    """Which values are neither missing nor kept apart."""
    ordinary = np.ones(len(column), dtype=bool)
    if column.missing is not None:
        ordinary = ~column.missing
    if apart:
        ordinary = ordinary & ~np.isin(column.values, apart)
    return ordinary


def cut_points(values: Values, classes: int, n: Integers | None = None) -> Floats:
    """Upper ends of all classes except the last: quantiles (Hyndman and Fan's type 7), or each
    distinct value where there are no more than `classes`. `n` says how often each value occurs.

    Examples
    --------
    >>> cut_points(np.array([1.0, 2, 3, 10]), 2), cut_points(np.array([0, 0, 1, 0]), 5)
    (array([2.5]), array([0]))
    """
    if n is None:
        ordered, up_to = np.sort(values), None
    else:
        order = np.argsort(values, kind="stable")
        ordered, up_to = values[order], np.cumsum(n[order])
    distinct = distinct_sorted(ordered)
    if len(distinct) <= classes:
        return distinct[:-1]
    # differences of small whole numbers may not fit their own type
    return np.unique(_quantiles(ordered.astype(np.float64), up_to, classes))


def _quantiles(ordered: Floats, up_to: Integers | None, classes: int) -> Floats:
    """The quantiles i / classes of sorted values; `up_to` says how many records there are up to
    each, None where every value is one.
    """
    records = len(ordered) if up_to is None else int(up_to[-1])
    # positions as whole numbers and remainders: a rounded position could put a cut just below the
    # value it should be
    positions = [divmod((records - 1) * i, classes) for i in range(1, classes)]
    low = np.array([whole for whole, _ in positions], dtype=np.int64)
    rest = np.array([remainder for _, remainder in positions], dtype=np.int64)
    high = np.minimum(low + 1, records - 1)
    if up_to is not None:
        low = np.searchsorted(up_to, low, side="right")
        high = np.searchsorted(up_to, high, side="right")
    below, above = ordered[low], ordered[high]
    with np.errstate(invalid="ignore"):  # between two infinite numbers
        between = below + (above - below) * (rest / classes)
    at_a_value = (rest == 0) | (below == above) | np.isnan(between)
    return np.where(at_a_value, below, between)


def _classified(column: Column, cuts: Floats, apart: Sequence[float]) -> Integers:
    codes = np.searchsorted(cuts, column.values, side="left").astype(np.int64)
    first_apart = len(cuts) + 1
    for code, value in enumerate(apart, start=first_apart):
        codes[column.values == value] = code
    if column.missing is not None:
        codes[column.missing] = first_apart + len(apart)
    return codes


def brought_numbers(
    cont_na: Mapping[Hashable, Sequence[Any]], columns: Sequence[Hashable]
) -> dict[Hashable, tuple[float, ...]]:
    """Special values that a SynDS brings, as far as they concern these columns and are numbers."""
    brought = {}
    for name, values in cont_na.items():
        if name in columns:
            brought[name] = tuple(value for value in values if is_number(value))
    return special_numbers(brought, columns)


def special_numbers(cont_na: Any, columns: Sequence[Hashable]) -> dict[Hashable, tuple[float, ...]]:
    """Special values of numeric columns, as in ``{"income": -8}``, each as a tuple of numbers."""
    special = special_values(cont_na)
    for name in special:
        if name not in columns:
            raise InputError(
                f"cont_na: {name!r} is not a column of the original data; choices:"
                f" {', '.join(map(str, columns))}"
            )
    numbers = {}
    for name, values in special.items():
        _check_numbers(name, values)
        if values:
            numbers[name] = tuple(dict.fromkeys(map(float, values)))
    return numbers


def _check_numbers(name: Hashable, values: Sequence[Any]) -> None:
    for value in values:
        if isinstance(value, (str, bool)):
            raise InputError(
                f"cont_na: {value!r} for {name!r} is not a number; only numeric columns have"
                " special values"
            )
