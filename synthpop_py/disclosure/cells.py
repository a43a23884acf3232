"""The sparse list of cells (key combination, target level, original count, synthetic count) and the eight counts R looks at."""

from __future__ import annotations

from dataclasses import dataclass, replace

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
    starts : (g,) where each key combination begins; `group`, (c,), says to which combination a cell belongs.
    named_in_syn : (g,) bool, whether the combination is a level of the synthetic table before exclusions.
    """

    key: np.ndarray
    target: np.ndarray
    key_syn: np.ndarray
    target_syn: np.ndarray
    n_orig: np.ndarray
    n_syn: np.ndarray
    starts: np.ndarray
    group: np.ndarray
    named_in_syn: np.ndarray

    def by_key(self, counts: np.ndarray) -> np.ndarray:
        """Sums over each key combination, (g,)."""
        return np.add.reduceat(counts, self.starts) if len(self.starts) else np.zeros(0, dtype=counts.dtype)

    def any_by_key(self, flags: np.ndarray) -> np.ndarray:
        """Whether any cell of each key combination is flagged, (g,)."""
        return np.logical_or.reduceat(flags, self.starts) if len(self.starts) else np.zeros(0, dtype=bool)

    def by_target(self, counts: np.ndarray) -> np.ndarray:
        """Sums over each target code."""
        return np.bincount(self.target, weights=counts)


@dataclass(frozen=True, slots=True)
class Margins:
    """Sums of some counts d, s over key combinations, and what is certain: all records with these keys share one target.

    d_q, s_q : (g,). certain_s : (c,) bool, ps = 1. some_certain : (g,) bool, the combination has such a cell.
    """

    d: np.ndarray
    s: np.ndarray
    d_q: np.ndarray
    s_q: np.ndarray
    certain_s: np.ndarray
    some_certain: np.ndarray


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
    sizes = np.diff(starts, append=len(codes))
    cells = Cells(key, target, key, target, n_orig, n_syn, starts, np.repeat(np.arange(len(starts)), sizes), np.zeros(0, dtype=bool))
    return replace(cells, named_in_syn=cells.by_key(n_syn) > 0)


def margins(cells: Cells, d: np.ndarray, s: np.ndarray) -> Margins:
    """Sums of given counts, which may have been filtered."""
    d_q, s_q = cells.by_key(d), cells.by_key(s)
    certain_s = (s == s_q[cells.group]) & (s > 0)
    return Margins(d, s, d_q, s_q, certain_s, cells.any_by_key(certain_s))


def classify(cells: Cells, all_records: Margins) -> dict[str, np.ndarray]:
    """The eight count vectors, each (c,), before any exclusion.

    In the paper's notation d, s are counts, pd = d / d.q, ps = s / s.q:

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
    d, s, certain_s = cells.n_orig, cells.n_syn, all_records.certain_s
    certain_d = d == all_records.d_q[cells.group]
    correct = d * certain_s
    return {
        "original": d,
        "synthetic": s,
        "Dorig": d * certain_d,
        "Dsyn": s * certain_s,
        "iS": d * (all_records.s_q > 0)[cells.group],
        "DiS": d * all_records.some_certain[cells.group],
        "DiSCO": correct,
        "DiSDiO": correct * certain_d,
    }
