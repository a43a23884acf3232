"""What the user sets aside, and the ledger of what was removed from each count and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..core.arrays import Flags, Integers
from .cells import VECTORS, Cells, Sums, eight_totals

REASONS = (
    "excluded target",
    "missing target",
    "missing in  keys",
    "set to exclude",
    "over denom_lim",
)
COLUMNS = (*REASONS, "remaining")
KEY_REASON = "missing in  keys"


@dataclass(frozen=True, slots=True)
class Rule:
    """Cells to remove for one reason: bool arrays of shape (c,), by the original's and by the
    synthetic table's names.
    """

    reason: str
    original: Flags
    synthetic: Flags


@dataclass(frozen=True, slots=True)
class Kept:
    """Counts after exclusions: cell by cell, (c,), DiSCO by key combination, (g,), and the ledger:
    8 counts x 6 columns.
    """

    d: Integers
    s: Integers
    correct: Integers
    ledger: Integers

    def total(self, vector: str) -> int:
        return int(self.ledger[VECTORS.index(vector), -1])


def exclude(cells: Cells, everybody: Sums, rules: Sequence[Rule], denom_lim: float | None) -> Kept:
    """Remove cells; a removed count is booked under the first reason that applies.

    What is certain was decided before, on all records: counts are filtered, not decided again. The
    denominator limit looks at the cell's own count, which for the six counts of original records is
    d or nothing, and for the two of synthetic records s or nothing.
    """
    ledger = np.zeros((len(VECTORS), len(COLUMNS)), dtype=np.int64)
    d, s = everybody.d, everybody.s
    if denom_lim is not None:
        rules = [*rules, Rule("over denom_lim", d > denom_lim, s > denom_lim)]
    for rule in rules:
        gone, _ = eight_totals(cells, everybody, d * rule.original, s * rule.synthetic)
        ledger[:, REASONS.index(rule.reason)] += gone
        d, s = d * ~rule.original, s * ~rule.synthetic
    ledger[:, -1], correct = eight_totals(cells, everybody, d, s)
    return Kept(d, s, correct, ledger)
