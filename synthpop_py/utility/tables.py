"""`table_utility()`: how far all one- and two-way tables of a release are from those of the
original.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_whole
from ..core.arrays import Floats, Integers
from ..core.crosstab import Counts, sparse
from ..core.distance import total_variation
from ..errors import InputError, warning_once
from ..progress import Progress
from ..rounding import figure, figures, part
from ..show.printing import Sections
from ..show.printing import Table as ShownTable
from ..show.values import column_name
from ..show.views import Shown
from ..synds import SynDS
from ..tables.frames import AnyFrame
from .release import read_tables
from .table_distances import by_chance, cell_counts, check_orders, table_list
from .variables import CodedVariable, check_alike, code_columns

Which = tuple[int, ...]
Cells = Integers | Counts
CellsOf = Callable[[Which], list[Cells]]

CLASSES = 5
DIGITS = 4
WORST = 5
ALL = "all tables"
DESCRIBED = ("variables", "text", "order", "cells", "by_chance")
UNIT = (
    "total variation distance, from 0 (the same table) to 1 (nothing in common); lower is more"
    " useful"
)


@warning_once
def table_utility(
    synthetic: SynDS | AnyFrame | Sequence[AnyFrame],
    original: AnyFrame,
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
    synthetic : SynDS, DataFrame of pandas, polars or Arrow, table of an engine, or a list of these
        The release: one or more synthetic, or masked, data sets. Figures are averages over them.
    original : DataFrame of pandas, polars or Arrow, or table of an engine
        The original data.
    variables : names or positions (from 1) of the columns to tabulate; by default all that both
        have.
    orders : 1 for one-way tables, 2 for two-way tables, (1, 2) for both.
    classes : approximate number of classes that numbers, dates and times are put into: cut at the
        original's quantiles, each class with its upper end; a variable with no more distinct values
        than this keeps them. Everything else keeps its levels. Missing is a separate class.
    cont_na : special values of numeric columns, as in ``{"income": -8}``: each is a separate class.
        By default those of a SynDS.
    counts : name of the column that says how many records a row stands for, on both sides, where
        the data are frequency tables.

    Returns
    -------
    TableUtility

    Examples
    --------
    One man too few: a quarter of the records would have to change sex. The towns do not change. In
    the table of sex and town, one record has moved from the cell m, A to f, A.

    >>> people = pd.DataFrame({"sex": ["f", "f", "m", "m"], "town": ["A", "B", "A", "B"]})
    >>> fake = pd.DataFrame({"sex": ["f", "f", "f", "m"], "town": ["A", "A", "B", "B"]})
    >>> utility = table_utility(fake, people)
    >>> utility.table[["text", "tvd"]].to_dict("list")
    {'text': ['sex', 'sex, town', 'town'], 'tvd': [0.25, 0.25, 0.0]}
    >>> round(utility.mean(), 4), utility.mean(order=2)
    (0.1667, 0.25)
    """
    released = read_tables(synthetic, original, variables, cont_na, counts)
    names = released.names
    wanted = check_orders(orders, len(names))
    classes = check_whole("classes", classes, 2)
    places = ["the original data", *released.places]
    counted = [table.count_by(names) for table in (released.original, *released.sets)]
    n = [rows.n for rows in counted]
    coded = []
    for name in names:
        columns = [rows.columns[name] for rows in counted]
        check_alike(name, columns, places)
        coded.append(code_columns(name, columns, tuple(n), classes, released.special))
    records = [rows.records for rows in counted]
    cells_of = partial(_counted_at_once, coded, len(counted))
    which_tables = table_list(len(names), wanted)
    n_original, *n_released = records
    table, by_set = _compared_tables(names, which_tables, cells_of, n_released)
    return TableUtility(
        table=table,
        by_set=by_set,
        variables=tuple(names),
        Norig=n_original,
        Nsyn=tuple(n_released),
        left_out=released.left_out,
    )


def _counted_at_once(coded: Sequence[CodedVariable], tables: int, which: Which) -> list[Cells]:
    """The cells of some variables, of the original and of each data set."""
    variables = [coded[i] for i in which]
    return [cell_counts(variables, table) for table in range(tables)]


def _compared_tables(
    names: Sequence[Hashable], tables: Sequence[Which], cells_of: CellsOf, sizes: Sequence[int]
) -> tuple[pd.DataFrame, Floats]:
    """All tables, the most different first, and their distances by data set."""
    rows: list[tuple[Any, ...]] = []
    distances = []
    records = np.array(sizes)
    # a hundred variables have five thousand tables
    with Progress(len(tables), show=True) as progress:
        for which in tables:
            progress.step("tables")
            of_table = tuple(names[i] for i in which)
            row, by_number = _compared_table(of_table, cells_of(which), records)
            rows.append(row)
            distances.append(by_number)
    by_set = np.array(distances)
    tvd = by_set.mean(axis=1)
    most_different_first = np.argsort(-tvd, kind="stable")
    ordered = [rows[position] for position in most_different_first.tolist()]
    columns = dict(zip(DESCRIBED, map(list, zip(*ordered))))
    columns["variables"] = pd.Series(columns["variables"], dtype=object)
    table = pd.DataFrame(columns)
    table.insert(4, "tvd", tvd[most_different_first])
    return table, by_set[most_different_first]


def _compared_table(
    names: tuple[Hashable, ...], cells: Sequence[Cells], sizes: Integers
) -> tuple[tuple[Any, ...], list[float]]:
    """The description of one table, as in `DESCRIBED`, and its distance by data set."""
    original, *released = cells
    distances = [total_variation(original, of_set) for of_set in released]
    text = ", ".join(map(str, names))
    n = sparse(original).n
    return (names, text, len(names), len(n), by_chance(n, sizes)), distances


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class TableUtility(Shown):
    """Distance of all tables of a release from the original's. Total variation distance: from 0
    (the same) to 1 (nothing in common); lower is more useful.

    Attributes
    ----------
    table : DataFrame
        One row per table, the most different first. Columns: variables (tuple), text, order (1 or
        2), cells (occupied in the original), tvd (mean over the data sets), by_chance (the
        approximate distance of a sample drawn from the original's own table, which a good synthesis
        reaches; a mask that changes little can be below it).
    by_set : array, shape (tables, data sets).
    variables, Norig, Nsyn : names; records of the original, and of each data set.
    left_out : sentences on columns that not every table has.
    """

    table: pd.DataFrame
    by_set: Floats
    variables: tuple[Hashable, ...]
    Norig: int
    Nsyn: tuple[int, ...]
    left_out: tuple[str, ...] = ()

    def mean(self, order: int | None = None) -> float:
        """Mean TVD over all tables, or those of one order; NaN where there are none."""
        if order is not None and order not in (1, 2):
            raise InputError(f"order: {order!r} is unknown; choices: 1, 2, None for all tables")
        values = self.table["tvd"]
        if order is not None:
            values = values[self.table["order"] == order]
        return float(values.mean()) if len(values) else math.nan

    def tidy(self) -> pd.DataFrame:
        """One row for each table and data set. Columns: synthesis, variables, order, cells, tvd,
        by_chance, unit, direction.
        """
        sets = self.by_set.shape[1]
        columns = ["variables", "order", "cells", "by_chance"]
        repeated = self.table.index.repeat(sets)
        rows = self.table.loc[repeated, columns].reset_index(drop=True)
        numbers = np.arange(1, sets + 1)
        rows.insert(0, "synthesis", np.tile(numbers, len(self.table)))
        rows.insert(4, "tvd", self.by_set.reshape(-1))
        return rows.assign(
            unit="total variation distance (0 to 1)", direction="lower is more useful"
        )

    def _title(self) -> str:
        return "Utility of tables"

    def _everybody(self) -> int:
        return self.Norig

    def _headline(self, to: int = 1) -> list[str]:
        first = self.table.iloc[0]
        mean, most = (
            f"{tvd:.{DIGITS}f}" if to == 1 else figure(tvd, to)
            for tvd in (self.mean(), float(first["tvd"]))
        )
        return [
            f"Mean total variation distance of {len(self.table)} tables: {mean} (0: the same);"
            f" most different: {first['text']}, {most}."
        ]

    def _sections(self) -> Sections:
        return self._rounded(1)

    def _rounded(self, to: int) -> Sections:
        number = len(self.table)
        caption = f"Most different {min(WORST, number)} of {number} tables"
        means = figures(self._means(), to)
        worst = figures(self._worst(), to)
        return [
            [self._head(to), *self.left_out, UNIT],
            [ShownTable(means, "Mean over tables", digits=DIGITS, titled=False)],
            [ShownTable(worst, caption, digits=DIGITS)],
        ]

    def _head(self, to: int) -> str:
        sets = "1 data set" if len(self.Nsyn) == 1 else f"{len(self.Nsyn)} data sets (averages)"
        records = f"{part(self.Norig, to=to)} original records"
        return f"Tables of {len(self.variables)} variables, {records}, {sets}"

    def _content(self) -> dict[str, Any]:
        return {
            "variables": [column_name(name) for name in self.variables],
            "unit": UNIT,
            "means": self._means(),
            "table": self.table.drop(columns="variables"),
            "by_set": self.by_set.tolist(),
        }

    def _arguments(self) -> dict[str, Any]:
        return {"variables": [column_name(name) for name in self.variables]}

    def _records(self) -> dict[str, Any]:
        return {"original": self.Norig, "synthetic": self.Nsyn}

    def _orders(self) -> dict[str, pd.DataFrame]:
        """The tables that means are taken of, by what they are called."""
        order = self.table["order"]
        parts = {
            "one-way tables": self.table[order == 1],
            "two-way tables": self.table[order == 2],
            ALL: self.table,
        }
        return {name: part for name, part in parts.items() if len(part)}

    def _means(self) -> pd.DataFrame:
        means = {}
        for name, tables in self._orders().items():
            means[name] = {
                "tables": len(tables),
                "tvd": tables["tvd"].mean(),
                "by_chance": tables["by_chance"].mean(),
            }
        return pd.DataFrame.from_dict(means, orient="index")

    def _worst(self) -> pd.DataFrame:
        return self.table.head(WORST).set_index("text")[["cells", "tvd", "by_chance"]]
