"""What the user sets aside, and the ledger of what was removed from each count and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

import numpy as np

from .cells import VECTORS, Cells

REASONS = ("excluded target", "missing target", "missing in  keys", "set to exclude", "over denom_lim")
COLUMNS = (*REASONS, "remaining")
KEY_REASON = "missing in  keys"


@dataclass(frozen=True, slots=True)
class Rule:
    """Cells to remove for one reason: bool arrays of shape (c,), by the original's and by the synthetic table's names."""

    reason: str
    original: np.ndarray
    synthetic: np.ndarray


@dataclass(frozen=True, slots=True)
class Kept:
    """Counts after exclusions, and the ledger: 8 vectors x 6 columns, whole numbers."""

    vectors: dict[str, np.ndarray]
    ledger: np.ndarray


def exclude(cells: Cells, vectors: dict[str, np.ndarray], rules: Sequence[Rule], denom_lim: float | None) -> Kept:
    """Remove cells from each vector; a removed count is booked under the first reason that applies.

    What is certain was decided before, on all records: vectors are filtered, not computed again.
    """
    ledger = np.zeros((len(VECTORS), len(COLUMNS)), dtype=np.int64)
    if not rules and denom_lim is None:
        ledger[:, -1] = [vectors[name].sum() for name in VECTORS]
        return Kept(vectors, ledger)
    kept = {}
    for row, name in enumerate(VECTORS):
        counts = vectors[name]
        for rule in rules:
            where = rule.synthetic if name in ("synthetic", "Dsyn") else rule.original
            ledger[row, REASONS.index(rule.reason)] += counts[where].sum()
            counts = np.where(where, 0, counts)
        if denom_lim is not None:
            large = counts > denom_lim
            ledger[row, REASONS.index("over denom_lim")] = counts[large].sum()
            counts = np.where(large, 0, counts)
        ledger[row, -1] = counts.sum()
        kept[name] = counts
    return Kept(kept, ledger)
