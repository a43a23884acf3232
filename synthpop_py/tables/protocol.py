"""What every table answers, wherever its records are stored.

Disclosure risk is a function of distinct rows and how many records each stands for. So a table
answers one question, `count_by`, and nothing after it knows of frames, files or databases.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..core.arrays import Integers
from ..core.columns import Column


@dataclass(frozen=True, slots=True)
class Counted:
    """Rows of some columns, and how many records each row stands for.

    Attributes
    ----------
    columns : one `Column` per name, all of the same length.
    n : int64, shape (rows,), above 0; None where every row is one record. Rows may repeat: a data
        frame is passed on as it is, because grouping it first would take longer than counting.
    rows : number of rows.
    """

    columns: dict[Hashable, Column]
    n: Integers | None
    rows: int

    @property
    def records(self) -> int:
        """How many records the rows stand for."""
        return self.rows if self.n is None else int(self.n.sum())


class Table(Protocol):
    """One table.

    Attributes
    ----------
    place : what messages call it.
    columns : names in the table's order.
    keeps_rows : `count_by` gives the same rows in the same order, whatever the columns.
    """

    place: str
    keeps_rows: bool
    columns: list[Hashable]

    @property
    def records(self) -> int:
        """How many records there are."""
        ...

    def count_by(self, names: Sequence[Hashable]) -> Counted:
        """Rows of these columns, with their counts."""
        ...


class LargeTable(Table, Protocol):
    """A table that may have more distinct rows than memory holds. If it answers these too, work is
    done in parts without reading all of them; other tables are asked by `count_by`.
    """

    def count_at_most(self, names: Sequence[Hashable], rows: int) -> Counted | None:
        """What `count_by` gives; None if that is more than `most` rows."""
        ...

    def count_part(self, names: Sequence[Hashable], column: Hashable, values: Column) -> Counted:
        """Of what `count_by(names)` gives, the rows whose `column`, one of the names, has one of
        the values: rows of what `count_by([column])` gave, missing ones included. Columns have the
        same kinds as there.
        """
        ...

    def count_distinct(self, names: Sequence[Hashable], column: Hashable) -> Counted:
        """The values of `column`, one of the names, and how many rows of `count_by(names)` have
        each.
        """
        ...
