"""Fingerprints of the tables of a call, made from the counted cells when somebody asks for them; at
once where cells are not those of the values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.arrays import Integers
from ..core.crosstab import Radix
from ..core.fingerprint import (
    CodedColumn,
    Fingerprints,
    Levels,
    fingerprint,
    texts_meet_others,
)
from .cells import Cells
from .rows import Rows

if TYPE_CHECKING:
    from .run import Outcome


class Known(NamedTuple):
    """Fingerprints that were made, or read, before; None where there are none to be had."""

    fingerprints: Fingerprints | None


def needs_rows(rows: Rows, groupings: Mapping[Any, Any]) -> bool:
    """Whether cells do not tell the values: classes hold many, and a level of text beside numbers
    may be written in two ways.
    """
    return bool(groupings) or any(map(texts_meet_others, rows.columns.values()))


@dataclass(frozen=True, slots=True)
class CountedRows:
    """Rows of the columns of a call, as they were compared, with counts in every table.

    Attributes
    ----------
    target, keys : what codes stand for.
    radix : how codes of key combinations are taken apart.
    cells : one list for each synthesis.
    """

    target: Levels
    keys: tuple[Levels, ...]
    radix: Radix
    cells: tuple[Cells, ...]

    def fingerprints(self, *, original: bool) -> Fingerprints:
        names = [levels.name for levels in (self.target, *self.keys)]
        first = self.cells[0]
        return Fingerprints(
            columns=tuple(sorted(names)),
            synthetic=tuple(self._fingerprint(cells, cells.n_syn) for cells in self.cells),
            original=self._fingerprint(first, first.n_orig) if original else None,
        )

    def _fingerprint(self, cells: Cells, n: Integers) -> str:
        occupied = n > 0
        key_codes = self.radix.components(cells.key[occupied])
        columns = [CodedColumn(self.target, cells.target[occupied])]
        for position, levels in enumerate(self.keys):
            columns.append(CodedColumn(levels, key_codes[:, position]))
        return fingerprint(columns, n[occupied])


def counted_rows(outcome: Outcome) -> CountedRows:
    target, *keys = outcome.levels
    return CountedRows(
        target=target,
        keys=tuple(keys),
        radix=outcome.recoder.radix,
        cells=tuple(one.cells for one in outcome.sets),
    )
