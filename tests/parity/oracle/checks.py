"""Levels and pairs that contribute so much to DiSCO that they may be common knowledge."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from .levels import Variable
from .measures import percent
from .tables import Table, by_target


def check_1way(kept: dict[str, Table], target: Variable, thresholds) -> dict | None:
    """The level with most DiSCO records, if above both thresholds; None otherwise.

    ``Level`` is the set of levels tied at the top (R names the first of them, which depends on
    collation), and ``PctLevelAll_by_level`` has an entry for each; ``PctLevelAll`` is that of the
    first in code point order.
    """
    counts = by_target(kept["DiSCO"])
    total = sum(counts.values())
    top = max(counts.values(), default=0)
    if total == 0 or not (
        top > thresholds[0] and Fraction(100 * top, total) > Fraction(thresholds[1])
    ):
        return None
    original = by_target(kept["original"])
    All = sum(original.values())
    shares = {target.label(t): percent(original[t], All) for t, n in counts.items() if n == top}
    return {
        "Level": set(shares),
        "All": All,
        "PctLevelAll": shares[min(shares)],
        "PctLevelAll_by_level": shares,
        "totalDisclosive": total,
        "nLevelDis": top,
        "PctLevelDis": percent(top, total),
    }


def check_2way(disco: Table, target: Variable, keys: list[Variable], thresholds) -> list[dict]:
    """Pairs (target level, key level) in large DiSCO cells where most original records with that
    key level have that target.
    """
    large = {cell: n for cell, n in disco.items() if n > thresholds[0]}
    found = [row for i, key in enumerate(keys) for row in _pairs_of_key(large, i, target, key)]
    return [
        row
        for row in found
        if Fraction(100 * row["key_target_total"], row["key_total"]) > Fraction(thresholds[1])
    ]


def _pairs_of_key(large: Table, i: int, target: Variable, key: Variable) -> list[dict]:
    """All pairs with key i. Totals are over every original record, whatever was excluded."""
    npairs: Counter = Counter()
    for (t, q), n in large.items():
        npairs[t, q[i]] += n
    both = Counter(zip(target.original, key.original))
    alone = Counter(key.original)
    return [
        {
            "target_lev": target.label(t),
            "key_lev": key.label(k),
            "key": key.name,
            "npairs": n,
            "key_target_total": both[t, k],
            "key_total": alone[k],
            "PctTargetKeyLevel": percent(both[t, k], alone[k]),
        }
        for (t, k), n in npairs.items()
    ]
