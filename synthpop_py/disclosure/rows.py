"""The rows of a call: columns of the original and of every synthesis, with their counts."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace

from ..core.arrays import Integers
from ..core.columns import Column

Columns = dict[Hashable, list[Column]]
Preparations = dict[Hashable, Callable[[Column], Column]]


@dataclass(frozen=True, slots=True)
class Rows:
    """Table 0 is the original, tables 1 to m are the syntheses.

    Attributes
    ----------
    columns : by name, one column per table.
    n : for each table how many records each row stands for; None where every row is one record.
    records : records of each table.
    identity : equal for two `Rows` of one source with the same rows in the same order: codes of
        keys made for one serve the other.
    prepared : by name, what R did to columns of the original before it compared them.
    """

    columns: Columns
    n: tuple[Integers | None, ...]
    records: tuple[int, ...]
    identity: Hashable
    prepared: Preparations = field(default_factory=dict)

    def in_order(self, names: Sequence[Hashable]) -> Rows:
        """The same rows with their columns in the order of the names."""
        return replace(self, columns={name: self.columns[name] for name in names})

    def with_columns(self, columns: Columns, prepared: Preparations, tables: int) -> Rows:
        """The same rows with other columns, of the first `tables` tables only."""
        return replace(
            self,
            columns=columns,
            n=self.n[:tables],
            records=self.records[:tables],
            prepared=prepared,
        )
