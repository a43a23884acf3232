"""Fingerprints of the tables of a call, made on demand from counted rows: from the cells of the
result where these show the values, from separately counted rows where the target was put into
classes. Where neither is available they are made at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..core.arrays import Integers
from ..core.coding import encode
from ..core.combinations import LARGEST_CODE, Radix, room_for
from ..core.crosstab import cell_codes, count_codes, sparse
from ..core.fingerprint import (
    MOST_VALUES,
    CodedColumn,
    Fingerprints,
    Levels,
    fingerprint,
    levels_of,
)

if TYPE_CHECKING:
    from .run import Outcome
    from .source import Source


class Known(NamedTuple):
    """Fingerprints made or read before; None where there are none."""

    fingerprints: Fingerprints | None


class TableRows(NamedTuple):
    """Rows of one table by codes of key combination and target, and how many records each stands
    for; rows without a record may be among them.
    """

    key: Integers
    target: Integers
    n: Integers


@dataclass(frozen=True, slots=True)
class CountedRows:
    """Rows of the columns of a call, as they were compared, with counts in every table.

    Attributes
    ----------
    target, keys : the values that codes stand for.
    radix : how codes of key combinations are taken apart.
    original, synthetic : the rows of the tables.
    """

    target: Levels
    keys: tuple[Levels, ...]
    radix: Radix
    original: TableRows
    synthetic: tuple[TableRows, ...]

    def fingerprints(self, *, original: bool) -> Fingerprints:
        names = [levels.name for levels in (self.target, *self.keys)]
        return Fingerprints(
            columns=tuple(sorted(names)),
            synthetic=tuple(map(self._fingerprint, self.synthetic)),
            original=self._fingerprint(self.original) if original else None,
        )

    def _fingerprint(self, rows: TableRows) -> str:
        occupied = rows.n > 0
        key_codes = self.radix.components(rows.key[occupied])
        columns = [CodedColumn(self.target, rows.target[occupied])]
        for position, levels in enumerate(self.keys):
            columns.append(CodedColumn(levels, key_codes[:, position]))
        return fingerprint(columns, rows.n[occupied])


def value_rows(outcome: Outcome, source: Source) -> CountedRows | None:
    """Rows with the values of a target that was put into classes; None if only reading all columns
    again would give them.
    """
    plan, counted_cells = outcome.plan, outcome.counted
    if counted_cells is None:
        return None
    keys = source.coded_keys[counted_cells.asked_keys].keys
    # R's reading of the keys, or codes that were packed for this target alone
    as_read = not outcome.compat.touched and keys.radix is counted_cells.recoder.radix
    if not as_read or any(plan.groups[name] for name in plan.keys):
        return None
    rows = source.rows([plan.target, *plan.keys])
    columns = rows.columns[plan.target]
    target = encode(str(plan.target), columns)
    if target.size > MOST_VALUES or keys.size * target.size > LARGEST_CODE:
        return None
    size = keys.size * target.size
    tables = []
    for table, (combinations, n) in enumerate(zip(keys.codes, rows.n)):
        codes = cell_codes(combinations, target, table)
        counted = sparse(count_codes(codes, size, room_for(len(codes)), n))
        key, value = np.divmod(counted.cells, target.size)
        tables.append(TableRows(key=key, target=value, n=counted.n))
    return CountedRows(
        target=levels_of(target, columns[0]),
        keys=counted_cells.levels[1:],
        radix=keys.radix,
        original=tables[0],
        synthetic=tuple(tables[1:]),
    )


def counted_rows(outcome: Outcome) -> CountedRows | None:
    """The rows behind the cells of a run; None if they were counted in parts."""
    if outcome.counted is None:
        return None
    target, *keys = outcome.counted.levels
    cells = [one.cells for one in outcome.counted.sets]
    return CountedRows(
        target=target,
        keys=tuple(keys),
        radix=outcome.counted.recoder.radix,
        original=TableRows(cells[0].key, cells[0].target, cells[0].n_orig),
        synthetic=tuple(TableRows(one.key, one.target, one.n_syn) for one in cells),
    )
