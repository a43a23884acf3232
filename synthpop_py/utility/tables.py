"""`table_utility()`: how far all one- and two-way tables of a release are from those of the
original.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_whole, chosen_columns, listed
from ..core.arrays import Floats, Integers
from ..core.crosstab import count_codes, sparse
from ..core.distance import total_variation
from ..errors import InputError
from ..show import Document, Note, Shown, fill
from ..show.plain import column_name
from ..spellings import plain_names_too
from ..synds import SynDS
from ..tables.opening import check_original, is_table, open_table, synthetic_sets
from ..tables.protocol import Counted
from .variables import (
    Coded,
    Special,
    brought_numbers,
    check_alike,
    code_columns,
    special_numbers,
)

CLASSES = 5
DIGITS = 4
WORST = 5
COLUMNS = ["variables", "text", "order", "cells", "tvd", "by_chance"]
UNIT = (
    "total variation distance, from 0 (the same table) to 1 (nothing in common); lower is more"
    " useful"
)


@plain_names_too()
def table_utility(
    object: SynDS | pd.DataFrame | Sequence[pd.DataFrame],
    data: pd.DataFrame,
    variables: Any = None,
    *,
    orders: Any = (1, 2),
    classes: int = CLASSES,
    cont_na: Mapping[Any, Any] | None = None,
    counts: Any = None,
) -> TableUtility:
    """Total variation distance (TVD) of every one-way and two-way table of a release from the
    original's.

    The TVD of two tables is half the sum of the absolute differences of their shares, sum |p - q| /
    2: the share of records that would have to be put into another cell to turn one table into the
    other.

    Parameters
    ----------
    object : SynDS, DataFrame or list of DataFrame
        The release: one or more synthetic, or masked, data sets. Figures are averages over them.
        By name also ``synthetic=``.
    data : DataFrame
        The original data. By name also ``original=``.
    variables : names or positions (from 1) of the columns that are tabled; all that both have
        unless given.
    orders : 1 for one-way tables, 2 for two-way tables, (1, 2) for both.
    classes : approximate number of classes that numbers, dates and times are put into: cut at the
        original's quantiles, each class with its upper end; a variable with no more distinct values
        than this keeps them. Everything else keeps its levels. Missing is a class of its own.
    cont_na : special values of numeric columns, as in ``{"income": -8}``: classes of their own.
        Unless given, those that a SynDS brings.
    counts : name of the column that says how many records a row stands for, on both sides, where
        the data are frequency tables.

    Returns
    -------
    TableUtility

    Examples
    --------
    One man too few: a quarter of the records would have to change sex. Towns are as they were. Of
    sex and town together the cell m, A is lost to f, A.

    >>> people = pd.DataFrame({"sex": ["f", "f", "m", "m"], "town": ["A", "B", "A", "B"]})
    >>> fake = pd.DataFrame({"sex": ["f", "f", "f", "m"], "town": ["A", "A", "B", "B"]})
    >>> utility = table_utility(fake, people)
    >>> utility.table[["text", "tvd"]].to_dict("list")
    {'text': ['sex', 'sex, town', 'town'], 'tvd': [0.25, 0.25, 0.0]}
    >>> round(utility.mean(), 4), utility.mean(order=2)
    (0.1667, 0.25)
    """
    sets, names, special = read_release(object, data, variables, cont_na, counts)
    wanted = check_orders(orders, len(names))
    most = check_whole("classes", classes, 2)
    opened = [open_table(t, p, counts) for t, p in zip([data, *sets], places(len(sets)))]
    counted = [table.count_by(names) for table in opened]
    records = [own.records for own in counted]
    coded = [_coded(name, counted, most, special) for name in names]
    tables = table_list(coded, wanted)
    distances = np.array(
        [[distance(coded, which, 1 + s) for s in range(len(sets))] for which in tables]
    )
    order = np.argsort(-distances.mean(axis=1), kind="stable")
    described = _described(coded, tables, records[1:])
    table = described.assign(tvd=distances.mean(axis=1))[COLUMNS]
    return TableUtility(
        table.iloc[order].reset_index(drop=True),
        distances[order],
        tuple(names),
        records[0],
        tuple(records[1:]),
    )


def _coded(name: Hashable, counted: Sequence[Counted], classes: int, special: Special) -> Coded:
    columns = [own.columns[name] for own in counted]
    check_alike(name, columns, places(len(counted) - 1))
    return code_columns(name, columns, tuple(own.n for own in counted), classes, special)


# ---- arguments -----------------------------------------------------------------------


def read_release(
    object: Any, data: Any, variables: Any, cont_na: Any, counts: Any = None
) -> tuple[list[pd.DataFrame], list[Hashable], dict[Hashable, tuple[float, ...]]]:
    """The sets of a release, the columns to be compared, and special values of these."""
    sets = synthetic_sets("object", object)
    if not is_table(data):
        check_original(data, "data")
    for frame, place in zip(
        [data, *sets], ["data:", *(f"object: {place}" for place in places(len(sets))[1:])]
    ):
        if not (frame.records if is_table(frame) else len(frame)):
            raise InputError(f"{place} has no rows; there is nothing to compare")
    names = compared_columns("variables", variables, data, sets, places(len(sets))[1:])
    names = [name for name in names if counts is None or name != counts]
    columns = list(data.columns)
    special = (
        brought_numbers(object.cont_na, columns)
        if cont_na is None and isinstance(object, SynDS)
        else special_numbers(cont_na, columns)
    )
    return sets, names, {name: values for name, values in special.items() if name in names}


def places(number: int) -> list[str]:
    """What error messages call the tables, the original first."""
    return [
        "the original data",
        *(
            ["the release"]
            if number == 1
            else [f"data set {i} of the release" for i in range(1, number + 1)]
        ),
    ]


def compared_columns(
    argument: str,
    given: Any,
    data: pd.DataFrame,
    sets: Sequence[pd.DataFrame],
    names_of_sets: Sequence[str],
) -> list[Hashable]:
    """The columns asked for, which every table must have; all common ones if none are."""
    columns = list(data.columns)
    if given is None:
        common = [name for name in columns if all(name in frame.columns for frame in sets)]
        if not common:
            raise InputError(
                f"{argument}: {names_of_sets[0]} and the original data have no column in common;"
                f" the original's are {', '.join(map(str, columns))}"
            )
        return common
    names = chosen_columns(argument, given, columns, "the original data")
    if not names:
        raise InputError(f"{argument}: none given; choices: {', '.join(map(str, columns))}")
    for name in names:
        for frame, place in zip(sets, names_of_sets):
            if name not in frame.columns:
                raise InputError(
                    f"{argument}: {name!r} is not a column of {place}; its columns are"
                    f" {', '.join(map(str, frame.columns))}"
                )
    return names


def check_orders(orders: Any, variables: int) -> tuple[int, ...]:
    wanted = tuple(dict.fromkeys(listed(orders)))
    if not wanted or any(isinstance(o, bool) or o not in (1, 2) for o in wanted):
        raise InputError(f"orders: {orders!r} cannot be used; give 1, 2 or (1, 2)")
    if wanted == (2,) and variables < 2:
        raise InputError("orders: two-way tables need at least two variables")
    return wanted


# ---- tables --------------------------------------------------------------------------


def table_list(variables: Sequence[Any], orders: Sequence[int]) -> list[tuple[int, ...]]:
    """Which variables, by position, make up each table."""
    return [
        which for order in sorted(orders) for which in combinations(range(len(variables)), order)
    ]


def _described(
    coded: Sequence[Coded], tables: Sequence[tuple[int, ...]], sizes: Sequence[int]
) -> pd.DataFrame:
    """One row per table: its variables, cells, and the distance that chance alone would make."""
    names = [tuple(coded[i].name for i in which) for which in tables]
    expected = [chance(coded, which, sizes) for which in tables]
    columns = {
        "variables": pd.Series(names, dtype=object),
        "text": [", ".join(map(str, n)) for n in names],
        "order": [len(n) for n in names],
    }
    return pd.DataFrame(
        columns
        | {
            "cells": [cells for cells, _ in expected],
            "by_chance": [tvd for _, tvd in expected],
        }
    )


def cell_counts(
    coded: Sequence[Coded], which: tuple[int, ...], table: int, rows: Integers | None = None
) -> Any:
    """Records by cell of one table of one data set; with `rows`, of these records only."""
    codes, size = np.zeros(1, dtype=np.int64), 1
    for i in which:
        own = coded[i].codes[table]
        codes = codes * coded[i].size + (own if rows is None else own[rows])
        size *= coded[i].size
    n = coded[0].n[table]
    if n is not None and rows is not None:
        n = n[rows]
    return count_codes(codes, size, 4 * sum(len(c) for c in coded[0].codes) + 1024, n)


def distance(
    coded: Sequence[Coded],
    which: tuple[int, ...],
    table: int,
    rows_original: Integers | None = None,
    rows: Integers | None = None,
) -> float:
    return total_variation(
        cell_counts(coded, which, 0, rows_original), cell_counts(coded, which, table, rows)
    )


def chance(
    coded: Sequence[Coded], which: tuple[int, ...], sizes: Sequence[int]
) -> tuple[int, float]:
    """Occupied cells of the original, and the mean TVD of samples drawn with replacement from the
    original's own table (normal approximation, averaged over sets).
    """
    n = sparse(cell_counts(coded, which, 0)).n
    share = n / n.sum()
    spread = np.sqrt(share * (1 - share)).sum()
    return len(n), float(np.mean([spread / math.sqrt(2 * math.pi * size) for size in sizes]))


# ---- the result ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class TableUtility(Shown):
    """Distance of all tables of a release from the original's. Total variation distance: from 0
    (the same) to 1 (nothing in common); lower is more useful.

    Attributes
    ----------
    table : DataFrame
        One row per table, the most different first. Columns: variables (tuple), text, order (1 or
        2), cells (occupied in the original), tvd (mean over the data sets), by_chance (about what a
        sample drawn from the original's own table would have: the mark of a good synthesis; a mask
        that changes little can be below).
    by_set : array, shape (tables, data sets).
    variables, Norig, Nsyn : names; records of the original, and of each data set.
    """

    table: pd.DataFrame
    by_set: Floats
    variables: tuple[Hashable, ...]
    Norig: int
    Nsyn: tuple[int, ...]

    def mean(self, order: int | None = None) -> float:
        """Mean TVD over all tables, or those of one order; NaN where there are none."""
        if order is not None and order not in (1, 2):
            raise InputError(f"order: {order!r} is unknown; choices: 1, 2, None for all tables")
        values = (
            self.table["tvd"] if order is None else self.table["tvd"][self.table["order"] == order]
        )
        return float(values.mean()) if len(values) else math.nan

    def tidy(self) -> pd.DataFrame:
        """One row for each table and data set. Columns: synthesis, variables, order, cells, tvd,
        by_chance, unit, direction.
        """
        sets = self.by_set.shape[1]
        rows = self.table.loc[
            self.table.index.repeat(sets), ["variables", "order", "cells", "by_chance"]
        ].reset_index(drop=True)
        rows.insert(0, "synthesis", np.tile(np.arange(1, sets + 1), len(self.table)))
        rows.insert(4, "tvd", self.by_set.reshape(-1))
        return rows.assign(
            unit="total variation distance (0 to 1)", direction="lower is more useful"
        )

    def _document(self) -> Document:
        number = len(self.table)
        worst = fill.table_of(
            self._worst(),
            f"Most different {min(WORST, number)} of {number} tables",
            digits=DIGITS,
        )
        means = fill.table_of(self._means(), "Mean over tables", digits=DIGITS, titled=False)
        first = self.table.iloc[0]
        return Document(
            title="Utility of tables",
            sections=(
                fill.section(self._head(), fill.note(UNIT)),
                fill.section(means),
                fill.section(worst),
            ),
            headline=(
                fill.note(
                    f"Mean total variation distance of {number} tables: {self.mean():.{DIGITS}f}"
                    f" (0: the same); most different: {first['text']}, {first['tvd']:.{DIGITS}f}."
                ),
            ),
        )

    def _head(self) -> Note:
        sets = "1 data set" if len(self.Nsyn) == 1 else f"{len(self.Nsyn)} data sets (averages)"
        return fill.note(
            f"Tables of {len(self.variables)} variables, ",
            fill.people("original records", self.Norig),
            f" original records, {sets}",
        )

    def _content(self) -> dict[str, Any]:
        return {
            "variables": [column_name(name) for name in self.variables],
            "unit": UNIT,
            "means": self._means(),
            "table": self.table.drop(columns="variables"),
            "by_set": self.by_set,
        }

    def _arguments(self) -> dict[str, Any]:
        return {"variables": [column_name(name) for name in self.variables]}

    def _records(self) -> dict[str, Any]:
        original = fill.people("original records", self.Norig)
        return {"original": original, "synthetic": self.Nsyn}

    def _means(self) -> pd.DataFrame:
        rows = {
            f"{name} tables": self.table[self.table["order"] == order]
            for name, order in (("one-way", 1), ("two-way", 2))
        } | {"all tables": self.table}
        rows = {name: part for name, part in rows.items() if len(part)}
        return pd.DataFrame(
            {
                "tables": [len(p) for p in rows.values()],
                "tvd": [p["tvd"].mean() for p in rows.values()],
                "by_chance": [p["by_chance"].mean() for p in rows.values()],
            },
            index=list(rows),
        )

    def _worst(self) -> pd.DataFrame:
        return self.table.head(WORST).set_index("text")[["cells", "tvd", "by_chance"]]
