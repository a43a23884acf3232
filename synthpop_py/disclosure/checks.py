"""Levels and pairs that contribute so much to disclosure that they may be common knowledge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..core.arrays import Flags, Floats, Integers
from ..core.crosstab import totals
from ..core.levels import Variable
from ..r.collation import Collation, order
from ..r.reading import Reading
from .cells import Cells
from .certainty import Certainty, KeySide
from .exclusions import Kept
from .keys import Keys
from .options import Plan


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
    """A target level and a key level that nearly always go together; `row` is R's row name."""

    row: int
    target_key_levs: str
    npairs: int
    key: str
    key_target_total: int
    key_total: int
    PctTargetKeyLevel: float


class Disclosed(NamedTuple):
    """The cells behind DiSCO: where they are in the list of cells, and how many original records
    each holds.
    """

    where: Integers
    n: Integers


def check(
    certainty: Certainty, kept: Kept, target: Variable, plan: Plan, compat: Reading
) -> tuple[LevelCheck | None, tuple[PairCheck, ...]]:
    """The target level, and the pairs of target and key level, that are flagged."""
    cells = certainty.cells
    disclosed = disclosed_cells(certainty, kept)
    level = check_level(
        disclosed, cells, kept.remaining.d, target, thresholds=plan.thresh_1way, compat=compat
    )
    pairs = check_pairs(
        disclosed,
        cells,
        certainty.side,
        target,
        thresholds=plan.thresh_2way,
        collation=plan.collation,
        compat=compat,
    )
    return level, tuple(pairs)


def disclosed_cells(certainty: Certainty, kept: Kept) -> Disclosed:
    """Cells of which the synthetic data are certain and correct, after exclusions."""
    where = np.flatnonzero(certainty.known_cells & (kept.remaining.d > 0))
    return Disclosed(where, kept.remaining.d[where])


def check_level(
    disclosed: Disclosed,
    cells: Cells,
    original: Integers,
    target: Variable,
    *,
    thresholds: tuple[float, float],
    compat: Reading,
) -> LevelCheck | None:
    """Flag the target level behind most DiSCO records: more than thresholds[0] of them, and more
    than thresholds[1] per cent. Of tied levels the first in R's table is looked at.
    """
    total = int(disclosed.n.sum())
    if total == 0 or thresholds[0] >= total:
        return None
    by_level = totals(cells.target[disclosed.where], disclosed.n, target.size)
    place = np.argmax(by_level[cells.target_rows])  # the first of those that are tied
    code = int(cells.target_rows[place])
    with_level = int(by_level[code])
    above = _above(with_level, total, thresholds[1], compat)
    if with_level <= thresholds[0] or not above:
        return None
    kept = int(original.sum())
    kept_with_level = int(original[cells.target == code].sum())
    return LevelCheck(
        Level=target.text(code),
        All=kept,
        PctLevelAll=kept_with_level / kept * 100,
        totalDisclosive=total,
        nLevelDis=with_level,
        PctLevelDis=with_level / total * 100,
    )


def _above(count: int, total: int, per_cent: float, compat: Reading) -> bool:
    """Whether a share passes a threshold: in whole numbers, while R compares a rounded quotient
    (D46).
    """
    above = count * 100 > per_cent * total
    as_r = count / total * 100 > per_cent
    return as_r if compat.follow_r("D46", as_r != above) else above


class Pairs(NamedTuple):
    """Pairs (level of one key, target code) behind large DiSCO cells: disclosed records, and
    original ones with the pair and with the level, (p,).
    """

    level: Integers
    code: Integers
    npairs: Integers
    both: Integers
    total: Integers

    def percent(self) -> Floats:
        return self.both.astype(np.float64) * 100 / np.maximum(self.total, 1)


def check_pairs(
    disclosed: Disclosed,
    cells: Cells,
    side: KeySide,
    target: Variable,
    *,
    thresholds: tuple[float, float],
    collation: Collation,
    compat: Reading,
) -> list[PairCheck]:
    """Flag pairs behind large DiSCO cells: cells of more than thresholds[0] records, and the key
    level has that target in more than thresholds[1] per cent of *all* original records, whatever
    was excluded.

    R numbers all pairs of all keys before it flags some, so a key without a flagged pair still
    counts; its pairs need no texts.
    """
    is_large = disclosed.n > thresholds[0]
    large = Disclosed(disclosed.where[is_large], disclosed.n[is_large])
    if not len(large.where):
        return []
    of_interest = np.zeros(target.size, dtype=bool)
    of_interest[cells.target[large.where]] = True
    target_splits = _splits(target.texts(np.flatnonzero(of_interest)))
    flagged: list[PairCheck] = []
    rows = 0
    for i, pairs in enumerate(_pairs_by_key(large, cells, side, target, of_interest)):
        # texts are made only where a pair may be flagged, or may be taken for another one
        may_split = side.keys.parts is not None or target_splits or side.keys.splits[i]
        if may_split or (pairs.percent() > thresholds[1]).any():
            texts = _pair_texts(pairs, target, side, i)
            pairs = _of_first_pieces(texts, pairs, target, side.keys, i, compat=compat)
            name = side.keys.variables[i].name
            described = _described(texts, pairs, name, order(texts, collation), rows + 1)
            flagged += [pair for pair in described if pair.PctTargetKeyLevel > thresholds[1]]
        rows += len(pairs.level)
    return sorted(flagged, key=lambda pair: -pair.npairs)


def _pairs_by_key(
    large: Disclosed, cells: Cells, side: KeySide, target: Variable, of_interest: Flags
) -> Iterator[Pairs]:
    """The pairs of each key in turn; `of_interest`: which codes of the target large cells have."""
    large_group, large_target = cells.group[large.where], cells.target[large.where]
    # all original cells with one of these targets, whatever was excluded
    near = np.flatnonzero(of_interest[cells.target] & (cells.n_orig > 0))
    near_group, near_target, near_n = cells.group[near], cells.target[near], cells.n_orig[near]
    for i, margin in enumerate(side.margins):
        size = len(margin.n_orig) * target.size
        large_pairs = margin.level_of[large_group] * target.size + large_target
        pairs, npairs = _summed(large_pairs, large.n, size)
        level = pairs // target.size
        code = pairs - level * target.size
        # where R's texts stand for other records than the codes do, they are counted by text
        if side.keys.parts is None and side.keys.variables[i].gaps_with_text is None:
            near_pairs = margin.level_of[near_group] * target.size + near_target
            total = margin.n_orig[level]
            both = _records_at(pairs, near_pairs, near_n, size)
        else:
            texts = margin.name_levels(level)
            total, both = side.keys.original_totals(i, texts, [[c] for c in code], target)
        yield Pairs(level=level, code=code, npairs=npairs, both=both, total=total)


def _summed(codes: Integers, n: Integers, size: int) -> tuple[Integers, Integers]:
    """Distinct codes below `size`, ascending, and the sum of n, which are above 0, over each."""
    if _fits(size, codes):
        table = totals(codes, n, int(codes.max(initial=-1)) + 1)
        distinct = np.flatnonzero(table)
        return distinct, table[distinct]
    distinct, place = np.unique(codes, return_inverse=True)
    return distinct, totals(place.reshape(-1), n, len(distinct))


def _records_at(wanted: Integers, codes: Integers, n: Integers, size: int) -> Integers:
    """Sums of n over the codes that are wanted (sorted, distinct): by table where that fits, else
    by search.
    """
    if _fits(size, codes):
        return totals(codes, n, size)[wanted]
    place = np.minimum(np.searchsorted(wanted, codes), len(wanted) - 1)
    is_wanted = wanted[place] == codes
    return totals(place[is_wanted], n[is_wanted], len(wanted))


def _fits(size: int, codes: Integers) -> bool:
    """Whether a table of that size is no larger than the data, or small."""
    return size <= 4 * len(codes) + 2**16


def _splits(texts: Sequence[str]) -> bool:
    """Whether R would take some text apart."""
    return any("|" in text for text in texts)


def _pair_texts(pairs: Pairs, target: Variable, side: KeySide, i: int) -> list[str]:
    """What R calls each pair of key i."""
    key_texts = side.margins[i].name_levels(pairs.level)
    target_texts = target.texts(pairs.code)
    return [f"{of_target}|{of_key}" for of_target, of_key in zip(target_texts, key_texts)]


def _of_first_pieces(
    texts: Sequence[str], pairs: Pairs, target: Variable, keys: Keys, i: int, *, compat: Reading
) -> Pairs:
    """R takes the text of a pair apart at every '|' and counts the first two pieces, which may be
    another pair (D11). Where they are none, R has no number, and the pair keeps its own.
    """
    pieces = [text.split("|") for text in texts]
    odd = [j for j, parts in enumerate(pieces) if len(parts) > 2]
    if not odd or not compat.follow_r("D11"):
        return pairs
    target_codes = [target.find(pieces[j][0]) for j in odd]
    key_texts = [pieces[j][1] for j in odd]
    r_total, r_both = keys.original_totals(i, key_texts, target_codes, target)
    total, both = pairs.total.copy(), pairs.both.copy()
    for at, j in enumerate(odd):
        if r_total[at] > 0 and target_codes[at]:
            total[j], both[j] = r_total[at], r_both[at]
    return pairs._replace(total=total, both=both)


def _described(
    texts: Sequence[str], pairs: Pairs, name: str, in_order: Integers, first_row: int
) -> Iterator[PairCheck]:
    """The pairs of one key in the order of their texts, numbered as R does."""
    percent = pairs.percent()
    for row, j in enumerate(in_order.tolist(), start=first_row):
        yield PairCheck(
            row=row,
            target_key_levs=texts[j],
            npairs=int(pairs.npairs[j]),
            key=name,
            key_target_total=int(pairs.both[j]),
            key_total=int(pairs.total[j]),
            PctTargetKeyLevel=float(percent[j]),
        )
