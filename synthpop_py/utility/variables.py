"""A release and its original: which columns are compared, and these as codes, which makes their
tables comparable.

Categories, texts and truth values are matched by their level. Numbers, dates and times are put into
classes made from the original alone: all releases are measured with the same classes.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..arguments import chosen_columns, is_number, special_values
from ..core.arrays import Flags, Floats, Integers, Values, distinct_sorted
from ..core.coding import encode
from ..core.columns import Column
from ..errors import DataWarning, InputError, some, warn
from ..synds import SynDS
from ..tables.comparable import warn_of_near_levels
from ..tables.opening import (
    check_frames,
    is_table,
    listed_sets,
    open_tables,
    refuse_released,
    set_places,
)
from ..tables.protocol import Counted
from ..tables.reading import read_column

AMOUNTS = ("integer", "double", "date", "time", "duration")  # kinds with a distance between values
ORIGINAL = "the original data"  # what messages call them

Special = Mapping[Hashable, tuple[float, ...]]


# ---- what is compared ----------------------------------------------------------------


class Compared(NamedTuple):
    """A release and its original.

    Attributes
    ----------
    tables : the original, then the data sets of the release: tables that count, or data frames.
    places : what messages call them.
    names : columns that are compared.
    special : special values of these.
    left_out : a sentence for each side that has columns the other lacks, if none were chosen.
    """

    tables: list[Any]
    places: list[str]
    names: list[Hashable]
    special: Special
    left_out: tuple[str, ...]


def read_release(
    synthetic: Any, original: Any, variables: Any, cont_na: Any, *, counts: Any = None, frames: bool
) -> Compared:
    """What is compared: as data frames for functions that need single records, otherwise as tables;
    the column of `counts` is not compared.
    """
    given = listed_sets("synthetic", synthetic)
    refuse_released(original, "original")
    arguments = ["original", *set_places("synthetic", len(given))]
    all_given = [original, *given]
    tables: list[Any] = (
        check_frames(all_given, arguments) if frames else open_tables(all_given, arguments, counts)
    )
    places = ["the release"]
    if len(given) > 1:
        places = [f"data set {i} of the release" for i in range(1, len(given) + 1)]
    for table, place in zip(tables, ["original:", *(f"synthetic: {place}" for place in places)]):
        if not (table.records if is_table(table) else len(table)):
            raise InputError(f"{place} has no rows, so there is nothing to compare")
    data, *sets = tables
    names = compared_columns(variables, data, sets, places)
    columns = list(data.columns)
    if cont_na is None and isinstance(synthetic, SynDS):
        special = brought_numbers(synthetic.cont_na, columns)
    else:
        special = special_numbers(cont_na, columns)
    return Compared(
        tables=tables,
        places=[ORIGINAL, *places],
        names=names,
        special={name: values for name, values in special.items() if name in names},
        left_out=_left_out(columns, sets) if variables is None else (),
    )


def compared_columns(
    asked: Any, original: Any, sets: Sequence[Any], places: Sequence[str]
) -> list[Hashable]:
    """The columns asked for, which every data set must have; all common columns by default."""
    columns = list(original.columns)
    if asked is None:
        common = [name for name in columns if all(name in one.columns for one in sets)]
        if not common:
            raise InputError(
                f"variables: {places[0]} and the original data have no column in common; the"
                f" original's are {', '.join(map(str, columns))}"
            )
        return common
    names = chosen_columns("variables", asked, columns, ORIGINAL)
    if not names:
        raise InputError(f"variables: is empty; choices: {', '.join(map(str, columns))}")
    for name in names:
        for one, place in zip(sets, places):
            if name not in one.columns:
                raise InputError(
                    f"variables: {name!r} is not a column of {place}; its columns are"
                    f" {', '.join(map(str, one.columns))}"
                )
    return names


def _left_out(columns: Sequence[Hashable], sets: Sequence[Any]) -> tuple[str, ...]:
    """The columns not compared because not every table has them."""
    released = dict.fromkeys(name for one in sets for name in one.columns)  # in order, each once
    lacking = [name for name in columns if any(name not in one.columns for one in sets)]
    extra = [name for name in released if name not in columns]
    sentences = []
    if lacking:
        sentences.append(f"Not compared, because the release lacks it: {some(lacking)}.")
    if extra:
        sentences.append(f"Not compared, because the original lacks it: {some(extra)}.")
    return tuple(sentences)


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
        for value in values:
            if isinstance(value, (str, bool)):
                raise InputError(
                    f"cont_na: {value!r} for {name!r} is not a number; only numeric columns have"
                    " special values"
                )
        if values:
            numbers[name] = tuple(dict.fromkeys(map(float, values)))
    return numbers


# ---- columns of several tables -------------------------------------------------------


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


class Coded(NamedTuple):
    """One variable in several tables, the original first: how many codes there are, and the codes
    of each table, from 0 to size - 1.
    """

    size: int
    codes: list[Integers]


def coded_variables(
    names: Sequence[Hashable],
    counted: Sequence[Counted],
    places: Sequence[str],
    classes: int,
    special: Special,
) -> list[Coded]:
    """The variables of the original, which comes first, and of other tables, coded alike."""
    coded = []
    for name in names:
        columns = [rows.columns[name] for rows in counted]
        check_alike(name, columns, places)
        if all(map(is_amount, columns)):
            coded.append(_in_classes(columns, counted[0].n, classes, special.get(name, ())))
        else:
            variable = encode(str(name), columns)
            coded.append(Coded(variable.size, list(variable.codes)))
    return coded


def _in_classes(
    columns: Sequence[Column], n: Integers | None, classes: int, apart: Sequence[float]
) -> Coded:
    """Classes by the quantiles of the original, where a row stands for `n` records, then the values
    kept apart, then missing.
    """
    original = columns[0]
    ordinary: Flags = ~np.isin(original.values, list(apart))
    if original.missing is not None:
        ordinary &= ~original.missing
    cuts = cut_points(original.values[ordinary], classes, None if n is None else n[ordinary])
    codes = []
    for column in columns:
        of_table = np.searchsorted(cuts, column.values, side="left").astype(np.int64)
        for code, value in enumerate(apart, start=len(cuts) + 1):
            of_table[column.values == value] = code
        if column.missing is not None:
            of_table[column.missing] = len(cuts) + 1 + len(apart)
        codes.append(of_table)
    return Coded(len(cuts) + 2 + len(apart), codes)


def cut_points(values: Values, classes: int, n: Integers | None = None) -> Floats:
    """Upper ends of all classes except the last: quantiles (Hyndman and Fan's type 7), or each
    distinct value where there are no more than `classes`. `n` says how often each value occurs.

    Examples
    --------
    >>> cut_points(np.array([1.0, 2, 3, 10]), 2), cut_points(np.array([0, 0, 1, 0]), 5)
    (array([2.5]), array([0]))
    """
    order = slice(None) if n is None else np.argsort(values, kind="stable")
    ordered = np.sort(values) if n is None else values[order]
    distinct = distinct_sorted(ordered)
    if len(distinct) <= classes:
        return distinct[:-1]
    ordered = ordered.astype(np.float64)  # differences may not fit a type of small whole numbers
    up_to = None if n is None else np.cumsum(n[order])  # records up to each value
    records = len(ordered) if up_to is None else int(up_to[-1])
    # positions as whole numbers and remainders: a rounded position could put a cut just below the
    # value it should be
    low, rest = np.divmod(np.arange(1, classes) * (records - 1), classes)
    high = np.minimum(low + 1, records - 1)
    if up_to is not None:
        low, high = (np.searchsorted(up_to, at, side="right") for at in (low, high))
    below, above = ordered[low], ordered[high]
    with np.errstate(invalid="ignore"):  # between two infinite numbers
        between = below + (above - below) * (rest / classes)
    at_a_value = (rest == 0) | (below == above) | np.isnan(between)
    return np.unique(np.where(at_a_value, below, between))
