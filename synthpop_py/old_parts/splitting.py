"""Work in parts: by which column, and into which parts, the records of several tables are split;
and the rows of a part.

Records that may match must be in one part. So parts are made of levels after these have been
paired: 1, "1" and 1.0 are in one part, whatever the table.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..core.arrays import Integers
from ..core.columns import Column
from ..errors import InputError
from ..progress import Begin
from ..redaction import redacted
from ..tables.protocol import Counted, Table
from .parts import NOWHERE, Places, count_part, rows_by_value, some_values

Units = dict[Hashable, list[Integers]]


class Margin(NamedTuple):
    """One column by itself: in each table its values, and how many records each stands for."""

    columns: Sequence[Column]
    n: Sequence[Integers | None]


Margins = dict[Hashable, Margin]


@dataclass(frozen=True, slots=True)
class Parts:
    """How records are split.

    Attributes
    ----------
    column : the name of the column.
    number : of parts.
    of_value : for each table the part of each value of the column, in the order of its margin.
    """

    column: Hashable
    number: int
    of_value: tuple[Integers, ...]


def split(
    tables: Sequence[Table],
    names: Sequence[Hashable],
    units: Units,
    margins: Margins,
    most: int,
) -> Parts:
    """Parts of at most `most` distinct rows of the named columns, in all tables together, as far as
    levels of one column allow. For each column that may split the records, and each table, `units`
    has the unit of every value of its margin.
    """
    column = _best_column(units, margins, most)
    margin = margins[column]
    rows = []
    for table, values, n in zip(tables, margin.columns, margin.n):
        rows.append(rows_by_value(table, names, column, values, n))
    place, rows_by_unit = _by_unit(units[column], rows)
    part_of_unit = packed(rows_by_unit, most)
    return Parts(
        column=column,
        number=int(part_of_unit[-1]) + 1,
        of_value=tuple(part_of_unit[of_values] for of_values in place),
    )


def _best_column(units: Units, margins: Margins, most: int) -> Hashable:
    """Of the columns whose levels have no more records each than fit, the one with the fewest
    levels; where there is none, the one whose largest level is the smallest.
    """
    order = {}
    for name, of_tables in units.items():
        records = []
        for of_values, n in zip(of_tables, margins[name].n):
            records.append(np.ones(len(of_values), dtype=np.int64) if n is None else n)
        _, by_unit = _by_unit(of_tables, records)
        largest = int(by_unit.max(initial=0))
        order[name] = (max(largest - most, 0), len(by_unit))
    return min(order, key=lambda name: order[name])


def _by_unit(
    units: Sequence[Integers], weights: Sequence[Integers]
) -> tuple[list[Integers], Integers]:
    """For each table the position of its values among the units that occur, and the sum of weights
    over each of these.
    """
    occurring, place = np.unique(np.concatenate(units), return_inverse=True)
    place = place.reshape(-1)
    sums = np.zeros(len(occurring), dtype=np.int64)
    np.add.at(sums, place, np.concatenate(weights))
    ends = np.cumsum([len(of_table) for of_table in units])
    return np.split(place, ends[:-1]), sums


def packed(rows: Integers, most: int) -> Integers:
    """The part of each unit, in their order: a part is closed before it gets too large. A unit that
    is too large by itself is a part.

    >>> packed(np.array([3, 2, 4, 9, 1]), 6).tolist()
    [0, 0, 1, 2, 3]
    """
    parts = np.empty(len(rows), dtype=np.int64)
    part, filled = 0, 0
    for unit, n in enumerate(rows.tolist()):
        if filled and filled + n > most:
            part, filled = part + 1, 0
        parts[unit] = part
        filled += n
    return parts


class MarginPlaces:
    """Where values of the tables' columns stand in their margins."""

    def __init__(self, tables: Sequence[Table], margins: Margins) -> None:
        self._tables = tables
        self._places = {}
        for name, margin in margins.items():
            self._places[name] = [Places(column) for column in margin.columns]

    def of(self, name: Hashable, number: int, column: Column) -> Integers:
        """Of a column of one table, given by its number."""
        places = self._places[name][number].of(column)
        if (places == NOWHERE).any():
            raise changed(self._tables[number])
        return places


class PartReader:
    """The parts of several tables in turn; `begin` is called for each.

    Attributes
    ----------
    parts : how records are split.
    records : of each table.
    """

    def __init__(
        self,
        tables: Sequence[Table],
        names: Sequence[Hashable],
        margins: Margins,
        parts: Parts,
        begin: Begin | None,
    ) -> None:
        self.parts = parts
        self.records = [table.records for table in tables]
        self._tables = tables
        self._names = names
        self._margins = margins
        self._begin = begin

    def __iter__(self) -> Iterator[list[Counted]]:
        """The parts in turn; an error at the end if they do not have every record once."""
        read = [0] * len(self._tables)
        parts = self.parts.number
        for part in range(parts):
            if self._begin is not None:
                self._begin(part + 1, parts, f"part {part + 1} of {parts}")
            counted = [self._read(number, part) for number in range(len(self._tables))]
            read = [before + rows.records for before, rows in zip(read, counted)]
            yield counted
        for table, found, expected in zip(self._tables, read, self.records):
            if found != expected:
                raise changed(table)

    def _read(self, number: int, part: int) -> Counted:
        table, column = self._tables[number], self.parts.column
        here = np.flatnonzero(self.parts.of_value[number] == part)
        if len(here):
            values = some_values(self._margins[column].columns[number], here)
            return count_part(table, self._names, column, values)
        nothing = {}
        for name in self._names:
            nothing[name] = some_values(self._margins[name].columns[number], here)
        return Counted(nothing, np.zeros(0, dtype=np.int64), 0)


def changed(table: Table) -> InputError:
    return InputError(
        f"{redacted(table.place)}: changed while it was counted in parts, so counts do not "
        "add up; call again when nobody writes to it, or give a copy"
    )
