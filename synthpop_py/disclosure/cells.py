"""The sparse list of cells (key combination, target level, original count, synthetic count), and what is certain about them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

VECTORS = ("original", "synthetic", "Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DiSDiO")


@dataclass(frozen=True, slots=True)
class Cells:
    """Occupied cells, sorted by key combination and target. Arrays have shape (c,), or (g,) with one entry for each combination.

    Attributes
    ----------
    key, target : (c,) codes of the cell as the original names it.
    key_syn, target_syn : (c,) codes as the synthetic table names the same place (the same arrays, unless R's D1 is reproduced).
    n_orig, n_syn : (c,) records.
    starts, ends : (g,) the first and the last cell of each key combination; `group`, (c,), says to which combination a cell belongs.
    named_in_syn : (g,) bool, whether the combination is a level of the synthetic table before exclusions; None where that is the same
        as having synthetic records.
    """

    key: np.ndarray
    target: np.ndarray
    key_syn: np.ndarray
    target_syn: np.ndarray
    n_orig: np.ndarray
    n_syn: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    group: np.ndarray
    named_in_syn: np.ndarray | None = None

    def by_key(self, counts: np.ndarray) -> np.ndarray:
        """Sums over each key combination, (g,), of whole numbers: differences of running sums take half the time of `reduceat`."""
        running = np.cumsum(counts)
        sums = running[self.ends]
        sums[1:] -= running[self.ends[:-1]]
        return sums

    def by_target(self, counts: np.ndarray) -> np.ndarray:
        """Sums over each target code."""
        return np.bincount(self.target, weights=counts)


def list_cells(codes: np.ndarray, n_orig: np.ndarray, n_syn: np.ndarray, targets: int) -> Cells:
    """Cells from combined codes ``key * targets + target`` (sorted) and their counts.

    Examples
    --------
    >>> import numpy as np
    >>> cells = list_cells(np.array([0, 1, 5]), np.array([2, 1, 0]), np.array([1, 0, 3]), targets=2)
    >>> cells.key.tolist(), cells.target.tolist(), cells.starts.tolist()
    ([0, 0, 2], [0, 1, 1], [0, 2])
    """
    key = codes // targets
    target = codes - key * targets
    first = np.ones(len(codes), dtype=bool)
    np.not_equal(key[1:], key[:-1], out=first[1:])
    starts = np.flatnonzero(first)
    ends = np.empty_like(starts)
    if len(starts):
        ends[:-1], ends[-1] = starts[1:] - 1, len(codes) - 1
    return Cells(key, target, key, target, n_orig, n_syn, starts, ends, np.cumsum(first) - 1)


@dataclass(frozen=True, slots=True)
class Sums:
    """Counts d, s of cells, (c,), and their sums over each key combination q, (g,): d.q, s.q and the sums of d², s² and sd over t.

    Attributes
    ----------
    in_orig, in_syn : (g,) bool, combinations that the original, or the synthetic data, have: d.q > 0, s.q > 0.
    certain_orig, certain_syn : (g,) bool, combinations all of whose records share one target (some pd = 1, some ps = 1).
    """

    d: np.ndarray
    s: np.ndarray
    d_q: np.ndarray
    s_q: np.ndarray
    dd_q: np.ndarray
    ss_q: np.ndarray
    sd_q: np.ndarray
    in_orig: np.ndarray
    in_syn: np.ndarray
    certain_orig: np.ndarray
    certain_syn: np.ndarray


def sum_up(cells: Cells, d: np.ndarray, s: np.ndarray) -> Sums:
    """Sums of given counts, which may have been filtered. A square of sums equals the sum of squares where there is one term only."""
    d_q, s_q, dd_q, ss_q, sd_q = (cells.by_key(x) for x in (d, s, d * d, s * s, s * d))
    in_orig, in_syn = d_q > 0, s_q > 0
    return Sums(d, s, d_q, s_q, dd_q, ss_q, sd_q, in_orig, in_syn, (dd_q == d_q * d_q) & in_orig, (ss_q == s_q * s_q) & in_syn)


def correct_by_key(cells: Cells, everybody: Sums, d: np.ndarray) -> np.ndarray:
    """Of given original counts, those of whom the synthetic data are certain and right (DiSCO), by key combination, (g,).

    Where the synthetic data are certain, one target has all of s.q, so the sum of s d over t is s.q times the count there.
    """
    sd_q = everybody.sd_q if d is everybody.d else cells.by_key(everybody.s * d)
    return np.where(everybody.certain_syn, sd_q // np.maximum(everybody.s_q, 1), 0)


def eight_totals(cells: Cells, everybody: Sums, d: np.ndarray, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How many of the records d, s fall under each of R's eight counts, and DiSCO by key combination.

    What is certain is decided on everybody; d and s may be what exclusions left, or what they took. In the paper's notation:

    ==========  =====================================================
    original    d
    synthetic   s
    Dorig       d where pd = 1
    Dsyn        s where ps = 1
    iS          d where s.q > 0
    DiS         d in combinations with some ps = 1
    DiSCO       d where ps = 1
    DiSDiO      d where ps = 1 and pd = 1
    ==========  =====================================================
    """
    d_q = everybody.d_q if d is everybody.d else cells.by_key(d)
    s_q = everybody.s_q if s is everybody.s else cells.by_key(s)
    certain_orig, certain_syn = everybody.certain_orig, everybody.certain_syn
    correct = correct_by_key(cells, everybody, d)
    totals = [d_q.sum(), s_q.sum(), d_q @ certain_orig, s_q @ certain_syn, d_q @ everybody.in_syn, d_q @ certain_syn, correct.sum(), correct @ certain_orig]
    return np.array(totals, dtype=np.int64), correct


def cell_vectors(cells: Cells, everybody: Sums, d: np.ndarray) -> dict[str, np.ndarray]:
    """The counts of original records behind iS, DiS, DiSCO and DiSDiO, cell by cell, (c,)."""
    g = cells.group
    disco = d * (everybody.certain_syn[g] & (everybody.s > 0))
    return {"iS": d * everybody.in_syn[g], "DiS": d * everybody.certain_syn[g], "DiSCO": disco, "DiSDiO": disco * everybody.certain_orig[g]}
