"""Fingerprints of the tables of a call, made from the counted cells when somebody asks for them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ..core.arrays import Integers
from ..core.crosstab import Radix
from ..core.fingerprint import CodedColumn, Fingerprints, Levels, fingerprint
from ..core.levels import Variable
from .cells import Cells

if TYPE_CHECKING:
    from .run import Outcome


def levels_of(variables: Iterable[Variable]) -> tuple[Levels, ...]:
    """What codes stand for, without the records that have them."""
    return tuple(Levels(v.name, v.name_codes, v.missing_code) for v in variables)


@dataclass(frozen=True)  # no slots: what is made when first asked for needs a place
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
        return Fingerprints(
            columns=tuple(sorted(levels.name for levels in (self.target, *self.keys))),
            synthetic=self._synthetic,
            original=self._original if original else None,
        )

    @cached_property
    def _synthetic(self) -> tuple[str, ...]:
        return tuple(self._fingerprint(cells, cells.n_syn) for cells in self.cells)

    @cached_property
    def _original(self) -> str:
        first = self.cells[0]
        return self._fingerprint(first, first.n_orig)

    def _fingerprint(self, cells: Cells, n: Integers) -> str:
        occupied = n > 0
        key_codes = self.radix.components(cells.key[occupied])
        columns = [CodedColumn(self.target, cells.target[occupied])]
        for position, levels in enumerate(self.keys):
            columns.append(CodedColumn(levels, key_codes[:, position]))
        return fingerprint(columns, n[occupied])


def counted_rows(outcome: Outcome) -> CountedRows | None:
    """None where R's defects were reproduced: then cells may not be what the data hold."""
    if outcome.compat.touched:
        return None
    target, *keys = outcome.levels
    return CountedRows(
        target=target,
        keys=tuple(keys),
        radix=outcome.recoder.radix,
        cells=tuple(one.cells for one in outcome.sets),
    )
