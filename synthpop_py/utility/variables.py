"""A release and its original: the columns that are compared, and these as codes.

Categories, texts and truth values are matched by their level. Numbers, dates and times are put into
classes made from the original alone: all releases are measured with the same classes.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from ..arguments import chosen_columns, is_number, special_values
from ..core.arrays import Floats, Integers, Values, distinct_sorted
from ..core.coding import encode
from ..core.columns import Column
from ..errors import DataWarning, InputError, some, unknown_name, warn
from ..synds import SynDS
from ..tables.comparable import warn_of_near_levels
from ..tables.opening import (
    check_frames,
    is_table,
    listed_sets,
    number_of_records,
    open_tables,
    refuse_released,
    set_places,
)
from ..tables.protocol import Counted
from ..tables.reading import read_column

AMOUNTS = ("integer", "double", "date", "time", "duration")  # kinds with a distance between values
ORIGINAL = "the original data"  # what messages call them

Special = Mapping[Hashable, tuple[float, ...]]
Coded: TypeAlias = tuple[int, list[Integers]]  # how many codes, and those of each table


def read_release(
    synthetic: Any, original: Any, variables: Any, cont_na: Any, *, counts: Any = None, frames: bool
) -> tuple[list[Any], list[str], list[Hashable], Special, tuple[str, ...]]:
    """The original and the data sets of a release, as data frames or as tables that count; what
    messages call them; the columns compared; special values; sentences on columns left out.
    """
    given = listed_sets("synthetic", synthetic)
    refuse_released(original, "original")
    arguments = ["original", *set_places("synthetic", len(given))]
    tables: list[Any]
    if frames:
        tables = check_frames([original, *given], arguments)
    else:
        tables = open_tables([original, *given], arguments, counts)
    places = [f"data set {number} of the release" for number in range(1, len(tables))]
    if len(given) == 1:
        places = ["the release"]
    data, *sets = tables
    for table, place in zip(tables, ["original:", *(f"synthetic: {place}" for place in places)]):
        if not number_of_records(table):
            raise InputError(f"{place} has no rows, so there is nothing to compare")
    columns = list(data.columns)
    names = compared_columns(variables, columns, sets, places)
    if cont_na is None and isinstance(synthetic, SynDS):
        special = brought_numbers(synthetic.cont_na, columns)
    else:
        special = special_numbers(cont_na, columns)
    left_out = () if variables is not None else _left_out(columns, sets)
    return tables, [ORIGINAL, *places], names, special, left_out


def compared_columns(
    asked: Any, columns: Sequence[Hashable], sets: Sequence[Any], places: Sequence[str]
) -> list[Hashable]:
    """The columns asked for, which every data set must have; all common columns by default."""
    if asked is None:
        common = [name for name in columns if not lacking([name], sets)]
        if common:
            return common
        raise InputError(
            f"variables: {places[0]} and the original data have no column in common; the"
            f" original's are {', '.join(map(str, columns))}"
        )
    names = chosen_columns("variables", asked, columns, ORIGINAL)
    if not names:
        raise InputError(f"variables: is empty; choices: {', '.join(map(str, columns))}")
    for one, place in zip(sets, places):
        for name in lacking(names, [one]):
            raise unknown_name("variables", name, list(one.columns), place)
    return names


def lacking(names: Sequence[Hashable], sets: Sequence[Any]) -> list[Hashable]:
    """Columns that some data set does not have."""
    return [name for name in names if any(name not in one.columns for one in sets)]


def added(columns: Sequence[Hashable], sets: Sequence[Any]) -> list[Hashable]:
    """Columns of the data sets that the original does not have, in order, each once."""
    released = dict.fromkeys(name for one in sets for name in one.columns)
    return [name for name in released if name not in columns]


def _left_out(columns: Sequence[Hashable], sets: Sequence[Any]) -> tuple[str, ...]:
    sides = {"the release": lacking(columns, sets), "the original": added(columns, sets)}
    sentences = []
    for side, names in sides.items():
        if names:
            sentences.append(f"Not compared, because {side} lacks it: {some(names)}.")
    return tuple(sentences)


def brought_numbers(
    cont_na: Mapping[Hashable, Sequence[Any]], columns: Sequence[Hashable]
) -> dict[Hashable, tuple[float, ...]]:
    """Special values that a SynDS brings, as far as they concern these columns and are numbers."""
    brought = {}
    for name, values in cont_na.items():
        if name in columns:
            brought[name] = tuple(filter(is_number, values))
    return special_numbers(brought, columns)


def special_numbers(cont_na: Any, columns: Sequence[Hashable]) -> dict[Hashable, tuple[float, ...]]:
    """Special values of numeric columns, as in ``{"income": -8}``, each as a tuple of numbers."""
    numbers = {}
    for name, values in special_values(cont_na).items():
        if name not in columns:
            raise unknown_name("cont_na", name, columns, ORIGINAL)
        for value in values:
            if isinstance(value, (str, bool)):
                raise InputError(
                    f"cont_na: {value!r} for {name!r} is not a number; only numeric columns have"
                    " special values"
                )
        if values:
            numbers[name] = tuple(dict.fromkeys(map(float, values)))
    return numbers


def read_variable(name: Hashable, tables: Sequence[Any], places: Sequence[str]) -> list[Column]:
    """The columns of one name in all tables, data frames or not, checked to be alike."""
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
        elif column.has_values and original.has_values:
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


def coded_variables(
    names: Sequence[Hashable],
    counted: Sequence[Counted],
    places: Sequence[str],
    classes: int,
    special: Special,
) -> list[Coded]:
    """The variables of the original, which comes first, and of other tables, coded alike: from 0 to
    one less than the number of codes.
    """
    coded = []
    for name in names:
        columns = [rows.columns[name] for rows in counted]
        check_alike(name, columns, places)
        if all(map(is_amount, columns)):
            coded.append(_in_classes(columns, counted[0].n, classes, special.get(name, ())))
        else:
            variable = encode(str(name), columns)
            coded.append((variable.size, list(variable.codes)))
    return coded


def _in_classes(
    columns: Sequence[Column], n: Integers | None, classes: int, apart: Sequence[float]
) -> Coded:
    """Classes by the quantiles of the original, where a row stands for `n` records, then the values
    kept apart, then missing.
    """
    original = columns[0]
    ordinary = ~np.isin(original.values, list(apart))
    if original.missing is not None:
        ordinary &= ~original.missing
    times = None if n is None else n[ordinary]
    cuts = cut_points(original.values[ordinary], classes, times)
    codes = []
    for column in columns:
        of_table = np.searchsorted(cuts, column.values, side="left").astype(np.int64)
        for code, value in enumerate(apart, start=len(cuts) + 1):
            of_table[column.values == value] = code
        if column.missing is not None:
            of_table[column.missing] = len(cuts) + 1 + len(apart)
        codes.append(of_table)
    return len(cuts) + 2 + len(apart), codes


def cut_points(values: Values, classes: int, n: Integers | None = None) -> Floats:
    """Upper ends of all classes except the last: quantiles (Hyndman and Fan's type 7), or each
    distinct value where there are no more than `classes`. `n` says how often each value occurs.

    Examples
    --------
    >>> cut_points(np.array([1.0, 2, 3, 10]), 2), cut_points(np.array([0, 0, 1, 0]), 5)
    (array([2.5]), array([0]))
    """
    up_to = None
    if n is None:
        ordered = np.sort(values)
        records = len(ordered)
    else:
        order = np.argsort(values, kind="stable")
        ordered, up_to = values[order], np.cumsum(n[order])
        records = int(n.sum())
    distinct = distinct_sorted(ordered)
    if len(distinct) <= classes:
        return distinct[:-1]
    ordered = ordered.astype(np.float64)  # differences may not fit a type of small whole numbers
    # positions as whole numbers and remainders: a rounded position could put a cut just below the
    # value it should be
    low, rest = np.divmod(np.arange(1, classes) * (records - 1), classes)
    high = np.minimum(low + 1, records - 1)
    if up_to is not None:
        low = np.searchsorted(up_to, low, side="right")
        high = np.searchsorted(up_to, high, side="right")
    below, above = ordered[low], ordered[high]
    with np.errstate(invalid="ignore"):  # between two infinite numbers
        between = below + (above - below) * (rest / classes)
    at_a_value = (rest == 0) | (below == above) | np.isnan(between)
    return np.unique(np.where(at_a_value, below, between))
