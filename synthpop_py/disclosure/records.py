"""Single records: the cell of each one found again from the levels that a result keeps.

A result holds neither the data nor anything as long as the data. It knows the levels of every
variable and the cells that occur, so whoever has the original can ask about its records.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.arrays import Flags, Integers, Values
from ..core.columns import Column
from ..core.crosstab import Radix, totals
from ..core.levels import UNKNOWN, Coder
from ..errors import InputError
from ..tables.opening import open_table
from .cells import cell_vectors
from .encoding import Encoded, Renaming
from .options import Plan

if TYPE_CHECKING:
    from .result import Disclosure
    from .run import Outcome, SetOutcome

OTHER_DATA = (
    "give the very data that disclosure() was called with: these are others, or have been changed"
)


@dataclass(frozen=True, slots=True)
class Recoder:
    """Codes for the cells of original records.

    Attributes
    ----------
    target, keys : names of the columns.
    code_target, code_keys : what gives codes to their values.
    targets : number of target codes.
    radix, renamed : how codes of keys become one.
    prepared : what R did to columns before it compared them.
    """

    target: Hashable
    keys: tuple[Hashable, ...]
    code_target: Coder
    code_keys: tuple[Coder, ...]
    targets: int
    radix: Radix
    renamed: tuple[Renaming, ...]
    prepared: dict[Hashable, Callable[[Column], Column]]

    def cells(self, columns: dict[Hashable, Column]) -> Integers:
        """The cell of each row; -1 where a value, or a combination of keys, was not there."""
        target = self.code_target(self._prepared(self.target, columns))
        coders = zip(self.keys, self.code_keys)
        parts = [code(self._prepared(name, columns)) for name, code in coders]
        keys = self.radix.together(parts)
        for renaming in self.renamed:
            keys = renaming.apply(keys)
        known = (target != UNKNOWN) & (keys != UNKNOWN)
        for part in parts:
            known &= part != UNKNOWN
        return np.where(known, keys * self.targets + target, UNKNOWN)

    def _prepared(self, name: Hashable, columns: dict[Hashable, Column]) -> Column:
        prepare = self.prepared.get(name)
        return columns[name] if prepare is None else prepare(columns[name])


def make_recoder(
    plan: Plan, encoded: Encoded, prepared: dict[Hashable, Callable[[Column], Column]]
) -> Recoder:
    keys = encoded.keys
    return Recoder(
        target=plan.target,
        keys=plan.keys,
        code_target=encoded.target.recode,
        code_keys=tuple(variable.recode for variable in keys.variables),
        targets=encoded.target.size,
        radix=keys.radix,
        renamed=keys.renamed,
        prepared=prepared,
    )


def record_table(outcome: Outcome, original: Any) -> pd.DataFrame:
    """One row per original record and synthesis."""
    table = open_table(original, "original")
    recoder = outcome.recoder
    names = (recoder.target, *recoder.keys)
    absent = [name for name in names if name not in table.columns]
    if absent:
        raise InputError(f"original: has no column {absent[0]!r}; {OTHER_DATA}")
    counted = table.count_by(names)
    own = recoder.cells(counted.columns)
    parts = [
        _records_of(number, one, own, counted.n, recoder.targets)
        for number, one in enumerate(outcome.sets, start=1)
    ]
    return pd.concat(parts, ignore_index=True)


def _records_of(
    number: int, one: SetOutcome, own: Integers, n: Integers | None, targets: int
) -> pd.DataFrame:
    cells = one.cells
    place = _place_of(own, cells.key * targets + cells.target)
    if not np.array_equal(totals(place, n, len(cells.key)), cells.n_orig):
        raise InputError(f"original: its records are not those of this result; {OTHER_DATA}")
    everybody = one.everybody
    columns: dict[str, Values] = {
        "synthesis": np.full(len(own), number),
        "record": np.arange(len(own)),
    }
    for name, flags in cell_flags(one).items():
        columns[name] = flags[place]
    columns |= {
        "orig_key": everybody.d_q[cells.group][place],
        "syn_key": everybody.s_q[cells.group][place],
        "orig_cell": cells.n_orig[place],
        "syn_cell": cells.n_syn[place],
    }
    return pd.DataFrame(columns)


def cell_flags(one: SetOutcome) -> dict[str, Flags]:
    """For each cell, (c,), whether its original records count for a measure."""
    cells, who = one.cells, one.counted
    unique = (who.d_q == 1)[cells.group] & (who.d > 0)
    flags = {"UiO": unique, "repU": unique & (who.s_q == 1)[cells.group]}
    for name, vector in cell_vectors(cells, one.everybody, one.kept.d).items():
        flags[name] = vector > 0
    return flags


def flags_by_original_cell(result: Disclosure, measure: str) -> tuple[Flags, Integers]:
    """For each synthesis and each cell of the original, (m, c), whether its records count for the
    measure; and how many records the cell holds, (c,). The cells are the same in every synthesis.
    """
    assert result._outcome is not None, "a result that was just made"
    sets = result._outcome.sets
    flags = [cell_flags(one)[measure][one.cells.n_orig > 0] for one in sets]
    first = sets[0].cells.n_orig
    return np.array(flags), first[first > 0]


def _place_of(own: Integers, codes: Integers) -> Integers:
    """The place of each record's cell among those of the result."""
    place = np.searchsorted(codes, own)
    place[place == len(codes)] = 0
    if len(own) and not (len(codes) and (codes[place] == own).all()):
        raise InputError(f"original: has records that this result does not know; {OTHER_DATA}")
    return place
