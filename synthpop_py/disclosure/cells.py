"""The sparse list of cells (key combination, target level, original count, synthetic count) and the eight counts R looks at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

VECTORS = ("original", "synthetic", "Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DiSDiO")


@dataclass(frozen=True, slots=True)
class Cells:
    """Occupied cells, sorted by key combination and target. All arrays have shape (c,) unless said otherwise.

    Attributes
    ----------
    key, target : codes of the cell as the original names it.
    key_syn, target_syn : codes as the synthetic table names the same place (the same arrays, unless R's D1 is reproduced).
    n_orig, n_syn : records.
    starts : shape (g,), where each key combination begins; `group` says for each cell to which combination it belongs.
    named_in_syn : bool, shape (g,), whether the combination is a level of the synthetic table before exclusions.
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
        """Sums over each key combination, shape (g,)."""
        return np.add.reduceat(counts, self.starts) if len(self.starts) else np.zeros(0, dtype=counts.dtype)


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
    group = np.cumsum(first) - 1
    in_syn = np.add.reduceat(n_syn, starts) > 0 if len(starts) else np.zeros(0, dtype=bool)
    return Cells(key, target, key, target, n_orig, n_syn, starts, group, in_syn)


def classify(cells: Cells) -> dict[str, np.ndarray]:
    """The eight count vectors, each of shape (c,), before any exclusion.

    "Certain" means that all records with these keys share one target: the cell holds as many records as its combination.
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
    d, s = cells.n_orig, cells.n_syn
    d_q, s_q = cells.by_key(d)[cells.group], cells.by_key(s)[cells.group]
    certain_d = (d == d_q) & (d > 0)
    certain_s = (s == s_q) & (s > 0)
    some_certain = np.logical_or.reduceat(certain_s, cells.starts)[cells.group] if len(cells.starts) else certain_s
    correct = np.where(certain_s, d, 0)
    return {
        "original": d,
        "synthetic": s,
        "Dorig": np.where(certain_d, d, 0),
        "Dsyn": np.where(certain_s, s, 0),
        "iS": np.where(s_q > 0, d, 0),
        "DiS": np.where(some_certain, d, 0),
        "DiSCO": correct,
        "DiSDiO": np.where(certain_d, correct, 0),
    }
