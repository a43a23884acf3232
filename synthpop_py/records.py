"""Single records of the original: the cell of each one found again from the levels that a result
keeps. A result holds neither the data nor anything as long as the data.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .cells import place_among
from .core.arrays import Flags, Integers, Values
from .core.columns import Column
from .errors import InputError
from .levels import Factor, Side, count, factorise
from .measures import Counts, Share
from .tables.engine import TOTAL, EngineTable, label_by, label_rows
from .tables.frames import is_foreign_frame
from .tables.opening import open_table, rows_with_records
from .tables.protocol import Counted

if TYPE_CHECKING:
    from .results import Disclosure, Figures

OTHER_DATA = (
    "give exactly the data that disclosure() was called with: these are others, or have been "
    "changed"
)
NOT_THESE = f"original: its records are not those of this result; {OTHER_DATA}"


def as_read(factors: Mapping[Hashable, Factor], merged: bool) -> Mapping[Hashable, Factor]:
    """The original's columns, for a result. Cells tell other records apart, unless levels were put
    together: then the records of each level are counted too, while there are rows.
    """
    for factor in factors.values():
        if merged or factor.has_gaps:
            _ = factor.rows.often
    return factors


def records_of(result: Disclosure, original: Any) -> Any:
    """One row per original record and synthesis; see `Disclosure.records`."""
    if result._pasted:
        raise InputError(
            "records: not available where R pastes keys (D10, D12); ask"
            " result.corrected.records(original)"
        )
    table = open_table(original, "original", result._counts)
    names = (result.target, *result.keys)
    for name in names:
        if name not in table.columns:
            raise InputError(f"original: has no column {name!r}; {OTHER_DATA}")
    if isinstance(table, EngineTable):
        rows, counted = table.answer(names)
        return label_by(table, names, rows, _labels(result, counted))
    counted = table.count_by(names)
    blocks = _labels(result, counted)
    kept = rows_with_records(table)
    said = is_foreign_frame(original) and result._counts == TOTAL  # by the table's own column
    if counted.n is not None and not said:
        blocks = [{TOTAL: counted.n, **labels} for labels in blocks]
    if is_foreign_frame(original):
        return label_rows(original, kept, blocks)
    positions = np.arange(counted.rows) if kept is None else np.flatnonzero(kept)
    parts = []
    for labels in blocks:
        synthesis = labels.pop("synthesis")
        parts.append(pd.DataFrame({"synthesis": synthesis, "record": positions, **labels}))
    return pd.concat(parts, ignore_index=True)


def _labels(result: Disclosure, counted: Counted) -> list[dict[str, Values]]:
    """For each synthesis, columns with a value for each row of the original."""
    assert result._as_read is not None, "a result that was not copied"
    read = {}
    for name, old in result._as_read.items():
        read[name] = levels_of_rows(counted.columns[name], counted.n, old)
    blocks = []
    for number, one in enumerate(result._sets, start=1):
        cells, place = one.counts.cells, _cells_of_rows(result, one, read)
        if (place < 0).any():
            raise InputError(f"original: has records that this result does not know; {OTHER_DATA}")
        # the same cells with other counts are other data
        if not np.array_equal(count(place, counted.n, len(cells.t)), cells.d):
            raise InputError(NOT_THESE)
        group = cells.group[place]
        columns: dict[str, Values] = {"synthesis": np.full(len(place), number)}
        for name, flags in flags_of_cells(one.counts).items():
            columns[name] = flags[place]
        columns["orig_key"] = cells.d_q[group].astype(np.int64)
        columns["syn_key"] = cells.s_q[group].astype(np.int64)
        columns["orig_cell"] = cells.d[place].astype(np.int64)
        columns["syn_cell"] = cells.s[place].astype(np.int64)
        blocks.append(columns)
    return blocks


def _cells_of_rows(result: Disclosure, one: Figures, read: Mapping[Hashable, Integers]) -> Integers:
    """The cell of each row of the original in one synthesis; -1 where there is none."""
    cells = one.counts.cells
    codes = []
    for name, key in zip(result.keys, cells.combinations.keys):
        codes.append(_codes(key.sides[0], read[name]))
    group = place_among(cells.q, cells.combinations.code_of(codes))
    t = _codes(one.target, read[result.target])
    # occupied cells in order: combinations ascending, and targets within
    width = 1 + max(int(cells.t.max(initial=0)), int(t.max(initial=0)))
    wanted = group * width + t
    wanted[(group < 0) | (t < 0)] = -1
    return place_among(cells.group * width + cells.t, wanted)


def _codes(side: Side, as_read: Integers) -> Integers:
    """Codes of a variable for rows in the codes as they were first read."""
    return np.where(as_read < 0, -1, side.place[as_read])


def diversity_of(result: Disclosure, up_to: int) -> pd.DataFrame:
    """Records whose combination has fewer than l target values, counted on all records as for
    certainty. Certainty, as the paper defines it, means not being 2-diverse.
    """
    rows = []
    for number, one in enumerate(result._sets, start=1):
        cells, d = one.counts.cells, one.counts.d
        values_d, values_s = cells.by_q(cells.d > 0), cells.by_q(cells.s > 0)
        for least in range(2, up_to + 1):
            few_d = (values_d < least)[cells.group]
            few_s = ((values_s > 0) & (values_s < least))[cells.group]
            own = few_s & (cells.s > 0)
            numbers = [int(d @ few) for few in (few_d, few_s, own, own & few_d)]
            rows.append((number, least, *(Share(n, result.Norig).percent for n in numbers)))
    return pd.DataFrame(rows, columns=["synthesis", "l", "Dorig", "DiS", "DiSCO", "DiSDiO"])


def flags_of_cells(counts: Counts) -> dict[str, Flags]:
    """For each cell, (c,), whether its original records count for a measure."""
    cells, kept = counts.cells, counts.d > 0
    identity = cells.d > 0
    if counts.no_identity is not None:
        identity &= ~counts.no_identity[0]
    unique = counts.one_d[cells.group] & identity
    certain = counts.sure_s & kept
    return {
        "UiO": unique,
        "repU": counts.one_s[cells.group] & unique,
        "iS": (cells.s_q > 0)[cells.group] & kept,
        "DiS": counts.some_sure[cells.group] & kept,
        "DiSCO": certain,
        "DiSDiO": certain & counts.sure_d,
    }


def levels_of_rows(column: Column, n: Integers | None, old: Factor) -> Integers:
    """The code, as it was first read, of each row of a column; -1 for a level not known. Levels
    must have as many records as before, also where classes, or R, do not tell them apart.
    """
    new = factorise(column, n)
    missing = len(old.levels)
    if new.kind != old.kind:
        to = np.full(len(new.levels), -1)
    elif old.is_text:
        place = {text: i for i, text in enumerate(old.levels)}
        to = np.array([place.get(text, -1) for text in new.levels], dtype=np.int64)
    else:
        to = place_among(np.asarray(old.levels), np.asarray(new.levels))
    to = np.append(to, missing)
    if old.rows.are_counted:
        known = to >= 0
        found = count(to[known], new.records()[known], missing + 1)
        if not np.array_equal(found, old.records()):
            raise InputError(NOT_THESE)
    code_of_level = np.full(missing + 2, -1)  # the last: of a level that is not known
    read = np.flatnonzero(old.place >= 0)
    code_of_level[old.place[read]] = read
    codes: Integers = code_of_level[to][new.place]
    return codes[new.rows.codes]


def flags_by_original_cell(result: Disclosure, measure: str) -> tuple[Flags, Integers]:
    """For each synthesis and each cell of the original, (m, c), whether its records count for the
    measure; and how many records the cell holds, (c,). The cells are the same in every synthesis.
    """
    flags = []
    for one in result._sets:
        cells = one.counts.cells
        flags.append(flags_of_cells(one.counts)[measure][cells.d > 0])
    return np.array(flags), cells.d[cells.d > 0]
