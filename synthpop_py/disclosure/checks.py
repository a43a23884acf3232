"""Levels and pairs that contribute so much to disclosure that they may be common knowledge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Sequence

import numpy as np

from ..core.collation import order
from ..core.levels import Variable
from .cells import Cells, Sums
from .encoding import Keys
from .exclusions import Kept
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


class Disclosed(NamedTuple):
    """The cells behind DiSCO: where they are in the list of cells, and how many original records each holds."""

    where: np.ndarray
    n: np.ndarray


def disclosed_cells(cells: Cells, everybody: Sums, kept: Kept) -> Disclosed:
    """Cells of which the synthetic data are certain and right, after exclusions. A combination has at most one."""
    hit = np.flatnonzero((kept.correct > 0)[cells.group] & (everybody.s > 0))
    return Disclosed(hit, kept.d[hit])


def check_level(disclosed: Disclosed, cells: Cells, original: np.ndarray, target: Variable, rows: np.ndarray, thresholds: tuple[float, float], compat: Compat) -> LevelCheck | None:
    """Flag the target level behind most DiSCO records: more than thresholds[0] of them, and more than thresholds[1] per cent.

    `rows` are the target's codes in the order of R's table: of tied levels the first is looked at.
    """
    total = int(disclosed.n.sum())
    if total == 0 or thresholds[0] >= total:
        return None
    by_level = np.bincount(cells.target[disclosed.where], weights=disclosed.n, minlength=target.size)
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


def check_pairs(disclosed: Disclosed, cells: Cells, totals: np.ndarray, target: Variable, keys: Keys, names: Sequence[str], thresholds: tuple[float, float], collation: str, compat: Compat) -> list[PairCheck]:
    """Flag pairs behind large DiSCO cells: cells of more than thresholds[0] records, and the key level has that target in more than
    thresholds[1] per cent of *all* original records, whatever was excluded. `totals` are original records by combination, (g,)."""
    counts = disclosed.n > thresholds[0]
    large = Disclosed(disclosed.where[counts], disclosed.n[counts])
    if not len(large.where):
        return []
    combinations = cells.key[cells.starts]
    parts = keys.components(combinations)
    of_interest = np.zeros(target.size, dtype=bool)
    of_interest[cells.target[large.where]] = True
    near = np.flatnonzero(of_interest[cells.target] & (cells.n_orig > 0))
    near_group, near_target, near_n = cells.group[near], cells.target[near], cells.n_orig[near].astype(np.float64)
    stacked: list[tuple] = []
    for i, name in enumerate(names):
        name_levels, level_of = keys.levels_of(parts, combinations, i)
        key_total = np.bincount(level_of, weights=totals)
        pairs, place = np.unique(level_of[cells.group[large.where]] * target.size + cells.target[large.where], return_inverse=True)
        npairs = np.bincount(place, weights=large.n).astype(np.int64)
        level, code = pairs // target.size, pairs % target.size
        key_texts, target_texts = name_levels(level), target.texts(code)
        if keys.parts is None:
            total = key_total[level].astype(np.int64)
            both = _records_at(pairs, level_of[near_group] * target.size + near_target, near_n, len(key_total) * target.size)
        else:
            total, both = keys.original_totals(i, key_texts, [[c] for c in code], target)
        texts = [f"{t}|{k}" for t, k in zip(target_texts, key_texts)]
        total, both = _of_first_pieces(texts, total, both, target, keys, i, compat)
        stacked += _described(texts, npairs, both, total, name, collation)
    numbered = [PairCheck(row, *pair) for row, pair in enumerate(stacked, start=1)]
    return sorted((p for p in numbered if p.PctTargetKeyLevel > thresholds[1]), key=lambda p: -p.npairs)


def _of_first_pieces(texts: Sequence[str], total: np.ndarray, both: np.ndarray, target: Variable, keys: Keys, i: int, compat: Compat) -> tuple[np.ndarray, np.ndarray]:
    """R takes the text of a pair apart at every '|' and counts the first two pieces, which may be another pair (D11). Where they are none, R
    has no number, and the pair keeps its own."""
    pairs = [text.split("|") for text in texts]
    odd = [j for j, pieces in enumerate(pairs) if len(pieces) > 2]
    if not odd or not compat.shows("D11"):
        return total, both
    r_total, r_both = keys.original_totals(i, [pairs[j][1] for j in odd], [target.find(pairs[j][0]) for j in odd], target)
    total, both = total.copy(), both.copy()
    for j, t, b in zip(odd, r_total, r_both):
        if t > 0 and target.find(pairs[j][0]):
            total[j], both[j] = t, b
    return total, both


def _records_at(wanted: np.ndarray, codes: np.ndarray, n: np.ndarray, size: int) -> np.ndarray:
    """Sums of n over the codes that are wanted (sorted, distinct): by table where it is no longer than the data, else by search."""
    if size <= 4 * len(codes) + 2**16:
        return np.bincount(codes, weights=n, minlength=size)[wanted].astype(np.int64)
    found = np.minimum(np.searchsorted(wanted, codes), len(wanted) - 1)
    hit = wanted[found] == codes
    return np.bincount(found[hit], weights=n[hit], minlength=len(wanted)).astype(np.int64)


def _described(texts: Sequence[str], npairs: np.ndarray, both: np.ndarray, total: np.ndarray, name: str, collation: str) -> list[tuple]:
    """The pairs of one key in the order of the collation: (text, npairs, key, key_target_total, key_total, per cent)."""
    percent = both * 100 / np.maximum(total, 1)
    return [(texts[j], int(npairs[j]), name, int(both[j]), int(total[j]), float(percent[j])) for j in order(texts, collation)]
