"""Single records: the cell of each one found again from the levels that a result keeps.

A result holds neither the data nor anything as long as the data. It keeps the levels of every
variable and the cells that occur, so anyone with the original can ask about its records.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.arrays import Flags, Integers, Values
from ..core.crosstab import totals
from ..core.fingerprint import rows_fingerprint
from ..errors import InputError
from ..tables.engine import EngineTable
from ..tables.frames import is_foreign_frame
from ..tables.labelling import TOTAL, label_by, label_rows, rows_to_label
from ..tables.opening import open_table, rows_with_records
from ..tables.protocol import Counted
from .certainty import cell_vectors

if TYPE_CHECKING:
    from .result import Disclosure
    from .run import CountedCells, SetCells

OTHER_DATA = (
    "give exactly the data that disclosure() was called with: these are others, or have been "
    "changed"
)


def record_table(
    cells: CountedCells, original: Any, counts: Hashable | None, known: str | None
) -> Any:
    """One row per original record and synthesis, as a data frame; where the original is a table of
    another library, that table with the same columns added. `counts` is the column of counts,
    `known` the fingerprint of the original, None where there is none.
    """
    table = open_table(original, "original", counts)
    recoder = cells.recoder
    names = (recoder.target, *recoder.keys)
    absent = [name for name in names if name not in table.columns]
    if absent:
        raise InputError(f"original: has no column {absent[0]!r}; {OTHER_DATA}")
    if isinstance(table, EngineTable):
        rows = rows_to_label(table, names)
        blocks = _labels(cells, rows.counted, known)
        return label_by(table, names, rows, blocks)
    counted = table.count_by(names)
    blocks = _labels(cells, counted, known)
    kept = rows_with_records(table)
    if is_foreign_frame(original):
        if counts != TOTAL:  # the table's own column already says this
            blocks = _with_totals(blocks, counted, counts)
        return label_rows(original, kept, blocks)
    positions = np.arange(counted.rows) if kept is None else np.flatnonzero(kept)
    parts = []
    for labels in _with_totals(blocks, counted, counts):
        synthesis = labels.pop("synthesis")
        parts.append(pd.DataFrame({"synthesis": synthesis, "record": positions, **labels}))
    return pd.concat(parts, ignore_index=True)


def _labels(cells: CountedCells, counted: Counted, known: str | None) -> list[dict[str, Values]]:
    """For each synthesis, columns with a value for each row of the original."""
    # R may read different values as one, and classes hold many: cells alone are not enough
    if known is not None and rows_fingerprint(counted.columns, counted.n) != known:
        raise _other_records()
    recoder = cells.recoder
    cell_of_row = recoder.cells(counted.columns)
    blocks = []
    for number, one in enumerate(cells.sets, start=1):
        place = _place_of(cell_of_row, one.cells.key * recoder.targets + one.cells.target)
        # the same cells with other counts are other data
        if not np.array_equal(totals(place, counted.n, len(one.cells.target)), one.cells.n_orig):
            raise _other_records()
        blocks.append(_labels_of(number, one, place))
    return blocks


def _other_records() -> InputError:
    return InputError(f"original: its records are not those of this result; {OTHER_DATA}")


def _with_totals(
    blocks: list[dict[str, Values]], counted: Counted, counts: Hashable | None
) -> list[dict[str, Values]]:
    """For a frequency table, also the number of records per row."""
    if counts is None or counted.n is None:
        return blocks
    return [{TOTAL: counted.n, **labels} for labels in blocks]


def _labels_of(number: int, one: SetCells, place: Integers) -> dict[str, Values]:
    cells, by_key = one.cells, one.before_exclusions.of
    columns: dict[str, Values] = {"synthesis": np.full(len(place), number)}
    for name, flags in cell_flags(one).items():
        columns[name] = flags[place]
    group = cells.group[place]
    columns["orig_key"] = by_key.d_q[group]
    columns["syn_key"] = by_key.s_q[group]
    columns["orig_cell"] = cells.n_orig[place]
    columns["syn_cell"] = cells.n_syn[place]
    return columns


def cell_flags(one: SetCells) -> dict[str, Flags]:
    """For each cell, (c,), whether its original records count for a measure."""
    cells, before = one.cells, one.before_exclusions
    counted, remaining = one.kept.counted, one.kept.remaining
    unique = counted.of.unique_orig[cells.group] & (counted.d > 0)
    flags = {"UiO": unique, "repU": unique & counted.of.unique_syn[cells.group]}
    for name, vector in cell_vectors(cells, before, remaining.d).items():
        flags[name] = vector > 0
    return flags


def flags_by_original_cell(result: Disclosure, measure: str) -> tuple[Flags, Integers]:
    """For each synthesis and each cell of the original, (m, c), whether its records count for the
    measure; and how many records the cell holds, (c,). The cells are the same in every synthesis.
    """
    assert result._outcome is not None, "a result that was just made"
    assert result._outcome.counted is not None, "from frames, which are counted at once"
    sets = result._outcome.counted.sets
    flags = []
    for one in sets:
        in_original = one.cells.n_orig > 0
        flags.append(cell_flags(one)[measure][in_original])
    n_orig = sets[0].cells.n_orig
    return np.array(flags), n_orig[n_orig > 0]


def _place_of(cell_of_row: Integers, cells: Integers) -> Integers:
    """The place of each record's cell among those of the result."""
    place = np.searchsorted(cells, cell_of_row)
    place[place == len(cells)] = 0
    if len(cell_of_row) and not (len(cells) and (cells[place] == cell_of_row).all()):
        raise InputError(f"original: has records that this result does not know; {OTHER_DATA}")
    return place
