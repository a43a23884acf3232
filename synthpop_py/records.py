"""Single records of the original: the cell of each one found again from the levels that a result
keeps. A result holds neither the data nor anything as long as the data.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .cells import place_among
from .core.arrays import Flags, Integers, Values
from .core.columns import Column
from .core.crosstab import count
from .errors import InputError
from .levels import Factor, Side, factorise
from .measures import Counts, Share
from .tables.engine import EngineTable
from .tables.frames import is_foreign_frame
from .tables.labelling import TOTAL, check_joinable, label_by, label_rows
from .tables.opening import open_table, rows_with_records
from .tables.protocol import Counted

if TYPE_CHECKING:
    from .results import Disclosure

OTHER_DATA = (
    "give exactly the data that disclosure() was called with: these are others, or have been "
    "changed"
)
NOT_THESE = f"original: its records are not those of this result; {OTHER_DATA}"


@dataclass(frozen=True, slots=True)
class Cellwise:
    """The cells behind a result.

    Attributes
    ----------
    target : name of the target. keys : names of the keys.
    sets : cells and counts of each synthesis, with the original's levels of the target.
    as_read : the original's columns by their levels.
    counts : the column that says how many records a row stands for.
    pasted : whether R pastes keys so that their levels do not lead to a cell (D10, D12).
    """

    target: Hashable
    keys: tuple[Hashable, ...]
    sets: tuple[tuple[Counts, Side], ...]
    as_read: dict[Hashable, Factor]
    counts: Hashable | None
    pasted: bool

    # ---- records ---------------------------------------------------------------------

    def records(self, original: Any) -> Any:
        """One row per original record and synthesis; see `Disclosure.records`."""
        if self.pasted:
            raise InputError(
                "records: not available where R pastes keys (D10, D12); ask"
                " result.corrected.records(original)"
            )
        table = open_table(original, "original", self.counts)
        names = (self.target, *self.keys)
        for name in names:
            if name not in table.columns:
                raise InputError(f"original: has no column {name!r}; {OTHER_DATA}")
        if isinstance(table, EngineTable):
            check_joinable(table)
            rows = table.answer(names)
            return label_by(table, names, rows, self._labels(rows.counted))
        counted = table.count_by(names)
        blocks = self._labels(counted)
        kept = rows_with_records(table)
        if is_foreign_frame(original):
            if self.counts != TOTAL:  # the table's own column already says this
                blocks = self._with_totals(blocks, counted)
            return label_rows(original, kept, blocks)
        positions = np.arange(counted.rows) if kept is None else np.flatnonzero(kept)
        parts = []
        for labels in self._with_totals(blocks, counted):
            synthesis = labels.pop("synthesis")
            parts.append(pd.DataFrame({"synthesis": synthesis, "record": positions, **labels}))
        return pd.concat(parts, ignore_index=True)

    def _with_totals(
        self, blocks: list[dict[str, Values]], counted: Counted
    ) -> list[dict[str, Values]]:
        """For a frequency table, also the number of records per row."""
        if self.counts is None or counted.n is None:
            return blocks
        return [{TOTAL: counted.n, **labels} for labels in blocks]

    def _labels(self, counted: Counted) -> list[dict[str, Values]]:
        """For each synthesis, columns with a value for each row of the original."""
        read = {}
        for name, old in self.as_read.items():
            read[name] = levels_of_rows(counted.columns[name], counted.n, old)
        blocks = []
        for number, (counts, target) in enumerate(self.sets, start=1):
            cells = counts.cells
            keys = cells.combinations.keys
            codes = [code_of(read[name], key.sides[0]) for name, key in zip(self.keys, keys)]
            combination = cells.combinations.code_of(codes)
            t = code_of(read[self.target], target)
            group = place_among(cells.q, combination)
            # occupied cells in order: combinations ascending, and targets within
            width = int(max(cells.t.max(initial=0), t.max(initial=0))) + 1
            wanted = np.where((group < 0) | (t < 0), -1, group * width + t)
            place = place_among(cells.group * width + cells.t, wanted)
            if (place < 0).any():
                raise InputError(
                    f"original: has records that this result does not know; {OTHER_DATA}"
                )
            # the same cells with other counts are other data
            if not np.array_equal(count(place, counted.n, len(cells.t)), cells.d):
                raise InputError(NOT_THESE)
            blocks.append(_labels_of(number, counts, place))
        return blocks

    # ---- diversity -------------------------------------------------------------------

    def diversity(self, up_to: int, n: int) -> pd.DataFrame:
        """Records whose combination has fewer than l target values; see `Disclosure.diversity`.

        A combination is l-diverse if its records have at least l distinct target values, counted on
        all records as for certainty. Certainty, as the paper defines it, means not being 2-diverse.
        """
        rows = []
        for number, (counts, _) in enumerate(self.sets, start=1):
            cells, d = counts.cells, counts.d
            values_d, values_s = cells.by_q(cells.d > 0), cells.by_q(cells.s > 0)
            for least in range(2, up_to + 1):
                few_d = (values_d < least)[cells.group]
                few_s = ((values_s > 0) & (values_s < least))[cells.group]
                own = few_s & (cells.s > 0)
                flags = (few_d, few_s, own, own & few_d)
                percents = [Share(int(d @ few), n).percent for few in flags]
                rows.append((number, least, *percents))
        return pd.DataFrame(rows, columns=["synthesis", "l", "Dorig", "DiS", "DiSCO", "DiSDiO"])


def flags_of_cells(counts: Counts) -> dict[str, Flags]:
    """For each cell, (c,), whether its original records count for a measure."""
    cells, kept = counts.cells, counts.d > 0
    identity = cells.d > 0
    if counts.no_identity is not None:
        identity = identity & ~counts.no_identity[0]
    return {
        "UiO": counts.one_d[cells.group] & identity,
        "repU": (counts.one_d & counts.one_s)[cells.group] & identity,
        "iS": (cells.s_q > 0)[cells.group] & kept,
        "DiS": counts.some_sure[cells.group] & kept,
        "DiSCO": counts.sure_s & kept,
        "DiSDiO": counts.sure_s & counts.sure_d & kept,
    }


def _labels_of(number: int, counts: Counts, place: Integers) -> dict[str, Values]:
    cells = counts.cells
    columns: dict[str, Values] = {"synthesis": np.full(len(place), number)}
    for name, flags in flags_of_cells(counts).items():
        columns[name] = flags[place]
    group = cells.group[place]
    columns["orig_key"], columns["syn_key"] = cells.d_q[group], cells.s_q[group]
    columns["orig_cell"], columns["syn_cell"] = cells.d[place], cells.s[place]
    return columns


def levels_of_rows(column: Column, n: Integers | None, old: Factor) -> Integers:
    """The code, as it was first read, of each row of a column; -1 for a level not known. Levels
    must have as many records as before, also where classes, or R, do not tell them apart.
    """
    new = factorise(column, n)
    old_code = np.full(len(old.levels) + 1, -1)
    known = np.flatnonzero(old.place >= 0)
    old_code[old.place[known]] = known
    if new.kind != old.kind:
        to = np.full(len(new.levels), -1)
    elif old.is_text:
        place = {text: i for i, text in enumerate(old.levels)}
        to = np.array([place.get(text, -1) for text in new.levels], dtype=np.int64)
    else:
        to = place_among(np.asarray(old.levels), np.asarray(new.levels))
    missing = len(old.levels)
    records, there = new.records(), np.append(to, missing)
    known_level = there >= 0
    found = count(there[known_level], records[known_level], missing + 1)
    counted = "often" in old.rows.__dict__
    if counted and not np.array_equal(found, old.records()):
        raise InputError(NOT_THESE)
    codes = np.where(to < 0, -1, old_code[to]) if len(to) else to
    return np.append(codes, old_code[-1])[new.place][new.rows.codes]


def code_of(codes_as_read: Integers, side: Side) -> Integers:
    """Codes of a variable for rows in the codes as they were first read."""
    return np.where(codes_as_read < 0, -1, side.place[codes_as_read])


def flags_by_original_cell(result: Disclosure, measure: str) -> tuple[Flags, Integers]:
    """For each synthesis and each cell of the original, (m, c), whether its records count for the
    measure; and how many records the cell holds, (c,). The cells are the same in every synthesis.
    """
    assert result._cells is not None, "a result that was just made"
    flags = []
    for counts, _ in result._cells.sets:
        of_original = counts.cells.d > 0
        flags.append(flags_of_cells(counts)[measure][of_original])
    return np.array(flags), counts.cells.d[of_original]
