"""Rows already counted, as a table."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from .protocol import Counted


@dataclass(frozen=True, slots=True)
class HeldTable:
    """A table whose rows are held here, with the columns asked for or made from them."""

    counted: Counted
    place: str
    keeps_rows: bool = True

    @property
    def columns(self) -> list[Hashable]:
        return list(self.counted.columns)

    @property
    def records(self) -> int:
        return self.counted.records

    def count_by(self, names: Sequence[Hashable]) -> Counted:
        columns = {name: self.counted.columns[name] for name in names}
        return replace(self.counted, columns=columns)
