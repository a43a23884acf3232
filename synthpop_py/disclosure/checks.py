"""Levels and pairs that contribute so much to disclosure that they may be common knowledge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

import numpy as np

from ..core.collation import order
from ..core.levels import Variable
from .cells import Cells
from .encoding import Keys
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
    stacked = [pair for i in range(len(names)) for pair in _pairs_of_key(cells, disco, large, target, keys, i, names[i], collation)]
    numbered = [PairCheck(row, *pair) for row, pair in enumerate(stacked, start=1)]
    return sorted((p for p in numbered if p.PctTargetKeyLevel > thresholds[1]), key=lambda p: -p.npairs)


def _pairs_of_key(cells: Cells, disco: np.ndarray, large: np.ndarray, target: Variable, keys: Keys, i: int, name: str, collation: str) -> list[tuple]:
    """The pairs of one key in the order of the collation: (text, npairs, key, key_target_total, key_total, per cent)."""
    levels, where = _key_levels(cells, keys, i)
    pair = where[large] * target.size + cells.target[large]
    distinct, place = np.unique(pair, return_inverse=True)
    npairs = np.bincount(place, weights=disco[large]).astype(np.int64)
    key_of, target_of = distinct // target.size, distinct % target.size
    key_total = np.bincount(where, weights=cells.n_orig, minlength=len(levels)).astype(np.int64)[key_of]
    both = _joint_totals(cells, where, target.size, distinct)
    texts = [f"{t}|{levels[k]}" for t, k in zip(target.texts(target_of), key_of)]
    sequence = order(texts, collation)
    percent = both * 100 / np.where(key_total > 0, key_total, 1)
    return [(texts[j], int(npairs[j]), name, int(both[j]), int(key_total[j]), float(percent[j])) for j in sequence]


def _key_levels(cells: Cells, keys: Keys, i: int) -> tuple[list[str], np.ndarray]:
    """Texts of the levels of key i, and for each cell which of them it has."""
    if keys.parts is None:
        codes = keys.component(cells.key, i)
        present, where = np.unique(codes, return_inverse=True)
        return keys.variables[i].texts(present), where
    texts = keys.component_texts(cells.key, i)
    levels = list(dict.fromkeys(texts))
    place = {t: n for n, t in enumerate(levels)}
    return levels, np.array([place[t] for t in texts], dtype=np.int64)


def _joint_totals(cells: Cells, where: np.ndarray, targets: int, wanted: np.ndarray) -> np.ndarray:
    """Original records of each wanted (key level, target) pair."""
    joint = where * targets + cells.target
    place = np.minimum(np.searchsorted(wanted, joint), len(wanted) - 1)
    hit = wanted[place] == joint
    return np.bincount(place[hit], weights=cells.n_orig[hit], minlength=len(wanted)).astype(np.int64)
