"""`table_utility()`: how far all one- and two-way tables of a release are from the original's."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_whole, listed
from ..core.arrays import Floats, Integers
from ..errors import InputError, warning_once
from ..progress import Progress
from ..rounding import figure, figures, part
from ..show.printing import Sections
from ..show.printing import Table as ShownTable
from ..show.values import column_name
from ..show.views import Shown
from ..synds import SynDS
from ..tables.frames import AnyFrame
from .variables import Coded, coded_variables, read_release

CLASSES = 5
DIGITS = 4
WORST = 5
DENSE = 2**16, 4  # cells, and cells for each record, that are counted without sorting
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
    tables, places, names, special, left_out = read_release(
        synthetic, original, variables, cont_na, counts=counts, frames=False
    )
    wanted = table_list(len(names), orders)
    classes = check_whole("classes", classes, 2)
    counted = [table.count_by(names) for table in tables]
    coded = coded_variables(names, counted, places, classes, special)
    n = [rows.n for rows in counted]
    n_original, *n_released = [rows.records for rows in counted]
    sizes = np.array(n_released)
    rows, distances = [], []
    # a hundred variables have five thousand tables
    with Progress(len(wanted), show=True) as progress:
        for which in wanted:
            progress.step("tables")
            of_original, *of_sets = cell_counts([coded[i] for i in which], n)
            distances.append([total_variation(of_original, of_set) for of_set in of_sets])
            chosen = tuple(names[i] for i in which)
            cells = int(np.count_nonzero(of_original))
            text = ", ".join(map(str, chosen))
            rows.append((chosen, text, len(which), cells, by_chance(of_original, sizes)))
    by_set = np.array(distances)
    tvd = by_set.mean(axis=1)
    table = pd.DataFrame(rows, columns=["variables", "text", "order", "cells", "by_chance"])
    table.insert(4, "tvd", tvd)
    worst_first = np.argsort(-tvd, kind="stable")
    table = table.iloc[worst_first].reset_index(drop=True)
    return TableUtility(
        table=table,
        by_set=by_set[worst_first],
        variables=tuple(names),
        Norig=n_original,
        Nsyn=tuple(n_released),
        left_out=left_out,
    )


def table_list(variables: int, orders: Any) -> list[tuple[int, ...]]:
    """Which variables, by position, make up each table of the orders asked for.

    >>> table_list(3, (1, 2))
    [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]
    """
    wanted = listed(orders)
    if not wanted or any(order not in (1, 2) for order in wanted):
        raise InputError(f"orders: {orders!r} cannot be used; give 1, 2 or (1, 2)")
    tables: list[tuple[int, ...]] = []
    for order in sorted(set(wanted)):
        tables += combinations(range(variables), order)
    if not tables:
        raise InputError("orders: two-way tables need at least two variables")
    return tables


def cell_counts(
    variables: Sequence[Coded], weights: Sequence[Integers | None]
) -> list[Integers | Floats]:
    """Records by cell of one or two variables, an array for each table that was coded, all of one
    length; `weights` says for each table how many records rows stand for.
    """
    (size, codes), *others = variables
    for more, own in others:
        codes = [first * more + second for first, second in zip(codes, own)]
        size *= more
    lengths = list(map(len, codes))
    if size > max(DENSE[0], DENSE[1] * sum(lengths)):
        # memory grows with the cells that are occupied
        occupied, places = np.unique(np.concatenate(codes), return_inverse=True)
        ends = np.cumsum(lengths)
        codes = np.split(places.reshape(-1), ends[:-1])
        size = len(occupied)
    return [np.bincount(c, weights=n, minlength=size) for c, n in zip(codes, weights)]


def total_variation(p: Integers | Floats, q: Integers | Floats) -> float:
    """The largest difference in probability that any event can have, from counts by cell: half the
    sum of absolute differences of shares.

    >>> total_variation(np.array([2, 1, 1]), np.array([1, 1, 2]))
    0.25
    """
    n_p, n_q = p.sum(), q.sum()
    if n_p == n_q:  # one division only: before it, sums of whole numbers are exact
        return float(np.abs(p - q).sum() / (2 * n_p))
    occupied = np.logical_or(p, q)
    # sorted, because an engine gives cells in any order, and a sum in another order may differ
    gaps = np.sort(np.abs(p[occupied] / n_p - q[occupied] / n_q))
    return float(min(gaps.sum() / 2, 1.0))  # rounding may exceed 1 in the last bit


def by_chance(n: Integers | Floats, sizes: Integers) -> float:
    """The mean TVD of samples of these sizes drawn with replacement from the original's own table
    `n` (normal approximation, averaged over sets).
    """
    occupied = np.sort(n[n > 0])
    share = occupied / occupied.sum()
    spread = np.sqrt(share * (1 - share)).sum()
    of_sets = spread / np.sqrt(2 * math.pi * sizes)
    return float(of_sets.mean())


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
        if order is None:
            return float(self.table["tvd"].mean())
        if order not in (1, 2):
            raise InputError(f"order: {order!r} is unknown; choices: 1, 2, None for all tables")
        of_order = self.table["order"] == order
        return float(self.table["tvd"][of_order].mean())

    def tidy(self) -> pd.DataFrame:
        """One row for each table and data set. Columns: synthesis, variables, order, cells, tvd,
        by_chance, unit, direction.
        """
        tables, sets = self.by_set.shape
        columns = ["variables", "order", "cells", "tvd", "by_chance"]
        rows = self.table.loc[self.table.index.repeat(sets), columns]
        rows.insert(0, "synthesis", np.tile(np.arange(1, sets + 1), tables))
        return rows.reset_index(drop=True).assign(
            tvd=self.by_set.reshape(-1),
            unit="total variation distance (0 to 1)",
            direction="lower is more useful",
        )

    def _title(self) -> str:
        return "Utility of tables"

    def _everybody(self) -> int:
        return self.Norig

    def _headline(self, to: int = 1) -> list[str]:
        first = self.table.iloc[0]
        mean, most = self.mean(), float(first["tvd"])
        if to == 1:
            told = f"{mean:.{DIGITS}f}", f"{most:.{DIGITS}f}"
        else:
            told = figure(mean, to), figure(most, to)
        return [
            f"Mean total variation distance of {len(self.table)} tables: {told[0]} (0: the same);"
            f" most different: {first['text']}, {told[1]}."
        ]

    def _sections(self) -> Sections:
        return self._rounded(1)

    def _rounded(self, to: int) -> Sections:
        number = len(self.table)
        caption = f"Most different {min(WORST, number)} of {number} tables"
        sets = "1 data set" if len(self.Nsyn) == 1 else f"{len(self.Nsyn)} data sets (averages)"
        records = f"{part(self.Norig, to=to)} original records"
        worst = self.table.head(WORST).set_index("text")[["cells", "tvd", "by_chance"]]
        means = figures(self._means(), to)
        return [
            [f"Tables of {len(self.variables)} variables, {records}, {sets}", *self.left_out, UNIT],
            [ShownTable(means, "Mean over tables", digits=DIGITS, titled=False)],
            [ShownTable(figures(worst, to), caption, digits=DIGITS)],
        ]

    def _content(self) -> dict[str, Any]:
        return {
            **self._arguments(),
            "unit": UNIT,
            "means": self._means(),
            "table": self.table.drop(columns="variables"),
            "by_set": self.by_set.tolist(),
        }

    def _arguments(self) -> dict[str, Any]:
        return {"variables": list(map(column_name, self.variables))}

    def _records(self) -> dict[str, Any]:
        return {"original": self.Norig, "synthetic": self.Nsyn}

    def _means(self) -> pd.DataFrame:
        """Of the tables of each order, and of all."""
        means = {}
        for label, orders in {"one-way": [1], "two-way": [2], "all": [1, 2]}.items():
            tables = self.table[self.table["order"].isin(orders)]
            if len(tables):
                of_tables = tables[["tvd", "by_chance"]].mean()
                means[f"{label} tables"] = {"tables": len(tables), **of_tables}
        return pd.DataFrame.from_dict(means, orient="index")
