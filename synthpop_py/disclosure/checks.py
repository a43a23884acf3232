"""Levels and pairs that contribute so much to disclosure that they may be common knowledge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

import numpy as np

from ..core.collation import order
from ..core.levels import Variable
from .cells import Cells
from .encoding import Keys, LazyTexts
from .rcompat import Compat


@dataclass(frozen=True, slots=True)
class LevelCheck:
    """One target level that makes up most of the disclosive records."""

    Level: str
    All: int
    PctLevelAll: float
    totalDisclosive: int
    nLevelDis: int
    PctLevelDis: float


@dataclass(frozen=True, slots=True)
class PairCheck:
    """A target level and a level of one key that nearly always go together; `row` is R's row name."""

    row: int
    target_key_levs: str
    npairs: int
    key: str
    key_target_total: int
    key_total: int
    PctTargetKeyLevel: float


def check_level(cells: Cells, disco: np.ndarray, original: np.ndarray, target: Variable, rows: np.ndarray, thresholds: tuple[float, float], compat: Compat) -> LevelCheck | None:
    """Flag the target level behind most DiSCO records: more than thresholds[0] of them, and more than thresholds[1] per cent.

    `rows` are the target's codes in the order of R's table: of tied levels the first is looked at.
    """
    total = int(disco.sum())
    if total == 0 or thresholds[0] >= total:
        return None
    by_level = np.bincount(cells.target, weights=disco, minlength=target.size)
    code = int(rows[np.argmax(by_level[rows])])
    count = int(by_level[code])
    percent = count / total * 100
    above = count * 100 > thresholds[1] * total
    if (percent > thresholds[1]) != above:
        above = not above if compat.shows("D46") else above
    if not (count > thresholds[0] and above):
        return None
    kept = int(original.sum())
    with_level = int(original[cells.target == code].sum())
    return LevelCheck(target.text(code), kept, with_level / kept * 100, total, count, percent)


def check_pairs(cells: Cells, disco: np.ndarray, target: Variable, keys: Keys, names: Sequence[str], thresholds: tuple[float, float], collation: str) -> list[PairCheck]:
    """Flag pairs behind large DiSCO cells: cells of more than thresholds[0] records, and the key level has that target in more than
    thresholds[1] per cent of *all* original records, whatever was excluded."""
    large = np.flatnonzero(disco > thresholds[0])
    if not len(large):
        return []
    combinations = cells.key[cells.starts]
    parts = keys.components(combinations)
    totals = cells.by_key(cells.n_orig)
    of_interest = np.zeros(target.size, dtype=bool)
    of_interest[cells.target[large]] = True
    near = np.flatnonzero(of_interest[cells.target] & (cells.n_orig > 0))
    stacked: list[tuple] = []
    for i, name in enumerate(names):
        levels, level_of = keys.levels_of(parts, combinations, i)
        key_total = np.bincount(level_of, weights=totals)
        pairs = _pairs_of_key(cells, disco, large, near, level_of[cells.group[large]], level_of[cells.group[near]], target.size)
        stacked += _described(pairs, target, levels, key_total, name, collation)
    numbered = [PairCheck(row, *pair) for row, pair in enumerate(stacked, start=1)]
    return sorted((p for p in numbered if p.PctTargetKeyLevel > thresholds[1]), key=lambda p: -p.npairs)


def _pairs_of_key(cells: Cells, disco: np.ndarray, large: np.ndarray, near: np.ndarray, level_large: np.ndarray, level_near: np.ndarray, targets: int) -> tuple[np.ndarray, ...]:
    """Pairs (key level, target) among the large cells: (level, target, records in large cells, original records)."""
    distinct, place = np.unique(level_large * targets + cells.target[large], return_inverse=True)
    npairs = np.bincount(place, weights=disco[large])
    joint = level_near * targets + cells.target[near]
    found = np.minimum(np.searchsorted(distinct, joint), len(distinct) - 1)
    hit = distinct[found] == joint
    both = np.bincount(found[hit], weights=cells.n_orig[near[hit]], minlength=len(distinct))
    return distinct // targets, distinct % targets, npairs.astype(np.int64), both.astype(np.int64)


def _described(pairs: tuple[np.ndarray, ...], target: Variable, levels: LazyTexts | list[str], key_total: np.ndarray, name: str, collation: str) -> list[tuple]:
    """The pairs of one key in the order of the collation: (text, npairs, key, key_target_total, key_total, per cent)."""
    level, code, npairs, both = pairs
    texts = [f"{t}|{levels[k]}" for t, k in zip(target.texts(code), level)]
    total = key_total[level].astype(np.int64)
    percent = both * 100 / np.maximum(total, 1)
    return [(texts[j], int(npairs[j]), name, int(both[j]), int(total[j]), float(percent[j])) for j in order(texts, collation)]
