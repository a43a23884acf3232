"""The sparse list of cells: key combination, target level, original count, synthetic count."""

from __future__ import annotations

from dataclasses import dataclass

from ..core.arrays import Flags, Integers

VECTORS = ("original", "synthetic", "Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DiSDiO")


@dataclass(frozen=True, slots=True)
class Cells:
    """Occupied cells, sorted by key combination and target. Arrays have shape (c,), or (g,) with
    one entry for each combination.

    Attributes
    ----------
    combinations : (g,) codes of the keys as the original names them; `key`, (c,), has those of the
        cells.
    target : (c,) the target's codes as the original names them.
    combinations_syn, target_syn : codes as the synthetic table names them (the same arrays, unless
        R's D1 is reproduced); `key_syn`, (c,), has those of the cells.
    n_orig, n_syn : (c,) records.
    starts, ends : (g,) the first and the last cell of each key combination; `group`, (c,), says to
        which combination a cell belongs.
    target_rows : the target's codes in the order of R's table.
    named_in_syn : (g,) bool, whether the combination is a level of the synthetic table before
        exclusions; None where that is the same as having synthetic records.
    """

    combinations: Integers
    target: Integers
    combinations_syn: Integers
    target_syn: Integers
    n_orig: Integers
    n_syn: Integers
    starts: Integers
    ends: Integers
    group: Integers
    target_rows: Integers
    named_in_syn: Flags | None = None

    @property
    def key(self) -> Integers:
        return self.combinations[self.group]

    @property
    def key_syn(self) -> Integers:
        return self.combinations_syn[self.group]
