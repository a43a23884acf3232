"""Some of a table's distinct rows: up to a limit, or those with some values of a column.

A table that is larger than memory answers these by itself (`protocol.LargeTable`). Any other table
is asked for all of its rows, which are in memory anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..arguments import check_whole
from ..core.arrays import Flags, Integers, Values
from ..core.columns import Column
from ..core.crosstab import totals
from ..tables.protocol import Counted, Table

NOWHERE = -1


def count_tables(
    tables: Sequence[Table], names: Sequence[Hashable], most: int
) -> list[Counted] | None:
    """What `count_by` gives for each table, unless that is more than `most` rows in all of them
    together.
    """
    counted = []
    room = most
    for table in tables:
        of_table = count_at_most(table, names, room)
        if of_table is None:
            return None
        room -= of_table.rows
        counted.append(of_table)
    return counted


def check_max_cells(value: Any) -> int:
    return check_whole("max_cells", value, 1)


def count_at_most(table: Table, names: Sequence[Hashable], rows: int) -> Counted | None:
    """What `count_by` gives, unless that is more than `most` rows."""
    ask: Callable[..., Counted | None] | None = getattr(table, "count_at_most", None)
    if ask is not None:
        return ask(names, rows)
    counted = table.count_by(names)
    return counted if counted.rows <= rows else None


def count_part(
    table: Table, names: Sequence[Hashable], column: Hashable, values: Column
) -> Counted:
    """Of what `count_by` gives, the rows with some values of one of the columns."""
    ask: Callable[..., Counted] | None = getattr(table, "count_part", None)
    if ask is not None:
        return ask(names, column, values)
    return only_with(table.count_by(names), column, values)


def only_with(counted: Counted, column: Hashable, values: Column) -> Counted:
    """The rows that have one of the values of a column."""
    return _only(counted, Places(values).of(counted.columns[column]) != NOWHERE)


def rows_by_value(
    table: Table, names: Sequence[Hashable], column: Hashable, values: Column, n: Integers | None
) -> Integers:
    """How many rows `count_by` gives for each value of one of the columns, at most: the values are
    those of its own count, `n` how many records each stands for.
    """
    ask: Callable[..., Counted] | None = getattr(table, "count_distinct", None)
    if ask is None:
        # no value has more distinct rows than records
        return np.ones(len(values), dtype=np.int64) if n is None else n
    counted = ask(names, column)
    places = Places(values).of(counted.columns[column])
    known = places != NOWHERE
    often = None if counted.n is None else counted.n[known]
    return totals(places[known], often, len(values))


def _only(counted: Counted, flags: Flags) -> Counted:
    columns = {name: some_values(column, flags) for name, column in counted.columns.items()}
    n = None if counted.n is None else counted.n[flags]
    return Counted(columns, n, int(np.count_nonzero(flags)))


def some_values(column: Column, which: Any) -> Column:
    """Those of a column's rows, by flags, positions or a slice."""
    missing = None if column.missing is None else column.missing[which]
    if missing is not None and not missing.any():
        missing = None
    return replace(column, values=column.values[which], missing=missing)


class Places:
    """The positions of values of other columns in one column, matched by value: texts by their
    text, whatever their codes.
    """

    def __init__(self, column: Column) -> None:
        self.is_text = column.is_text
        self.gap = NOWHERE
        present = np.arange(len(column))
        if column.missing is not None:
            gaps = np.flatnonzero(column.missing)
            self.gap = int(gaps[0]) if len(gaps) else NOWHERE
            present = np.flatnonzero(~column.missing)
        values = column.values[present]
        if column.is_text:
            of_code = np.full(len(column.labels), NOWHERE, dtype=np.int64)
            of_code[values] = present
            self.of_label = dict(zip(column.labels, of_code.tolist()))
        else:
            order = np.argsort(values, kind="stable")
            self.ordered: Values = values[order]
            self.positions: Integers = present[order]

    def of(self, column: Column) -> Integers:
        """The place of each value, -1 where it is nowhere."""
        places = self._of_texts(column) if self.is_text else self._of_numbers(column)
        if column.missing is not None:
            places[column.missing] = self.gap
        return places

    def _of_texts(self, column: Column) -> Integers:
        places = [self.of_label.get(label, NOWHERE) for label in column.labels]
        # one more, which the code of a gap may lead to
        table = np.array([*places, NOWHERE], dtype=np.int64)
        of_rows: Integers = table[np.clip(column.values, NOWHERE, len(places))]
        return of_rows

    def _of_numbers(self, column: Column) -> Integers:
        if not len(self.ordered):
            return np.full(len(column), NOWHERE, dtype=np.int64)
        near = np.searchsorted(self.ordered, column.values)
        near[near == len(self.ordered)] = 0
        is_there = self.ordered[near] == column.values
        return np.where(is_there, self.positions[near], NOWHERE)
