"""Levels and pairs that contribute so much to disclosure that they may be common knowledge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np

from ..core.arrays import Flags, Floats, Integers, distinct_values
from ..core.crosstab import EXACT_IN_DOUBLES, totals
from ..core.levels import Namer, Variable
from ..r.collation import Collation, order
from ..r.reading import Reading
from .cells import Cells
from .certainty import Certainty, KeySide
from .exclusions import Kept
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
    target_level: str
    key_level: str
    npairs: int
    key: str
    key_target_total: int
    key_total: int
    PctTargetKeyLevel: float

    @property
    def target_key_levs(self) -> str:
        """What R calls the pair; not to be taken apart again, since a level may have a '|'."""
        return _pair_text(self.target_level, self.key_level)


def _pair_text(of_target: str, of_key: str) -> str:
    return f"{of_target}|{of_key}"


class Disclosed(NamedTuple):
    """The cells behind DiSCO: where they are in the list of cells, and how many original records
    each holds.
    """

    where: Integers
    n: Integers


def check(
    certainty: Certainty, kept: Kept, target: Variable, plan: Plan, compat: Reading
) -> tuple[LevelCheck | None, tuple[PairCheck, ...], int]:
    """The target level, and the pairs of target and key level, that are flagged; for how many pairs
    R shows a row of NA.
    """
    cells = certainty.cells
    disclosed = disclosed_cells(certainty, kept)
    level = check_level(
        disclosed, cells, kept.remaining.d, target, thresholds=plan.thresh_1way, compat=compat
    )
    pairs, na_rows = check_pairs(
        disclosed,
        cells,
        certainty.side,
        target,
        thresholds=plan.thresh_2way,
        collation=plan.collation,
        compat=compat,
    )
    return level, tuple(pairs), na_rows


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
    than thresholds[1] per cent. Of tied levels the first in R's table counts.
    """
    by_level = totals(cells.target[disclosed.where], disclosed.n, target.size)
    code = suspect_level(by_level, cells.target_rows, thresholds=thresholds, compat=compat)
    if code is None:
        return None  # the usual case: nothing else need be counted
    sums = LevelSums(by_level, totals(cells.target, original, target.size))
    return describe_level(sums, code, target)


@dataclass(frozen=True, slots=True)
class LevelSums:
    """Records by code of the target, shape (targets,): those behind DiSCO, and all original ones
    that exclusions left.
    """

    disclosed: Integers
    original: Integers

    def __add__(self, other: LevelSums) -> LevelSums:
        return LevelSums(self.disclosed + other.disclosed, self.original + other.original)


def level_sums(
    disclosed: Disclosed, cells: Cells, original: Integers, target: Variable
) -> LevelSums:
    return LevelSums(
        disclosed=totals(cells.target[disclosed.where], disclosed.n, target.size),
        original=totals(cells.target, original, target.size),
    )


def suspect_level(
    disclosed: Integers,
    target_rows: Integers,
    *,
    thresholds: tuple[float, float],
    compat: Reading,
) -> int | None:
    """The code of the level to be flagged, from all records behind DiSCO by code of the target;
    `target_rows` are codes in the order of R's table.
    """
    total = int(disclosed.sum())
    if total == 0 or thresholds[0] >= total:
        return None
    place = np.argmax(disclosed[target_rows])  # the first of those that are tied
    code = int(target_rows[place])
    with_level = int(disclosed[code])
    above = _above(with_level, total, thresholds[1], compat)
    return code if with_level > thresholds[0] and above else None


def describe_level(sums: LevelSums, code: int, target: Variable) -> LevelCheck:
    """The figures of the flagged level."""
    total, with_level = int(sums.disclosed.sum()), int(sums.disclosed[code])
    kept = int(sums.original.sum())
    return LevelCheck(
        Level=target.text(code),
        All=kept,
        PctLevelAll=int(sums.original[code]) / kept * 100,
        totalDisclosive=total,
        nLevelDis=with_level,
        PctLevelDis=with_level / total * 100,
    )


def _above(count: int, total: int, per_cent: float, compat: Reading) -> bool:
    """Whether a share exceeds a threshold, in integers; R compares a rounded quotient (D46)."""
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

    def above(self, per_cent: float) -> Flags:
        """Which pairs exceed a threshold; also where doubles do not hold the counts."""
        above: Flags = self.percent() > per_cent
        if self.total.max(initial=0) > EXACT_IN_DOUBLES // 100:
            for j, (both, total) in enumerate(zip(self.both.tolist(), self.total.tolist())):
                above[j] = both * 100 > Fraction(per_cent) * total
        return above


class KeyPairs(NamedTuple):
    """The pairs of one key, and what is needed to name them.

    Attributes
    ----------
    name_levels : texts of levels by number.
    may_split : R may split the text of a level.
    count_texts : original records whose key has each text, and those of them with one of the target
        codes, counted in the column itself.
    """

    pairs: Pairs
    key: str
    name_levels: Namer
    may_split: bool
    count_texts: Callable[[Sequence[str], Sequence[Sequence[int]]], tuple[Integers, Integers]]


def check_pairs(
    disclosed: Disclosed,
    cells: Cells,
    side: KeySide,
    target: Variable,
    *,
    thresholds: tuple[float, float],
    collation: Collation,
    compat: Reading,
) -> tuple[list[PairCheck], int]:
    """Flag pairs behind large DiSCO cells: cells of more than thresholds[0] records, and the key
    level has that target in more than thresholds[1] per cent of *all* original records, whatever
    was excluded.
    """
    large = large_cells(disclosed, thresholds)
    if not len(large.where):
        return [], 0
    by_key = _pairs_by_key(large, cells, side, target)
    return flag_pairs(by_key, target, per_cent=thresholds[1], collation=collation, compat=compat)


def large_cells(disclosed: Disclosed, thresholds: tuple[float, float]) -> Disclosed:
    """The cells behind DiSCO of more than thresholds[0] records."""
    is_large = disclosed.n > thresholds[0]
    return Disclosed(disclosed.where[is_large], disclosed.n[is_large])


def flag_pairs(
    by_key: Iterable[KeyPairs],
    target: Variable,
    *,
    per_cent: float,
    collation: Collation,
    compat: Reading,
) -> tuple[list[PairCheck], int]:
    """The pairs to be flagged, of all keys in turn, and for how many R shows a row of NA.

    R numbers all pairs of all keys before it flags some, so a key without a flagged pair still
    counts; its pairs need no texts.
    """
    flagged: list[PairCheck] = []
    target_splits: bool | None = None
    rows = na_rows = 0
    for of_key in by_key:
        pairs = of_key.pairs
        if target_splits is None:
            # the pairs of every key are of the same cells, and so of the same target levels
            target_splits = _splits(target.texts(distinct_values(pairs.code)))
        # texts are made only where a pair may be flagged, or mistaken for another
        may_split = of_key.may_split or target_splits
        if may_split or pairs.above(per_cent).any():
            levels = _pair_levels(pairs, target, of_key.name_levels)
            texts = [_pair_text(*both) for both in levels]
            if may_split:
                pairs, of_na = _of_first_pieces(texts, pairs, target, of_key, compat=compat)
                na_rows += of_na
            in_order = order(texts, collation)
            flagged += _above_limit(
                levels, pairs, of_key.key, in_order, first_row=rows + 1, per_cent=per_cent
            )
        rows += len(pairs.level)
    return sorted(flagged, key=lambda pair: -pair.npairs), na_rows


def _pairs_by_key(
    large: Disclosed, cells: Cells, side: KeySide, target: Variable
) -> Iterator[KeyPairs]:
    """The pairs of each key in turn."""
    large_group, large_target = cells.group[large.where], cells.target[large.where]
    of_interest = np.zeros(target.size, dtype=bool)
    of_interest[large_target] = True
    # all original cells with one of these targets, whatever was excluded
    near = np.flatnonzero(of_interest[cells.target] & (cells.n_orig > 0))
    near_group, near_target = cells.group[near], cells.target[near]
    near_n = cells.n_orig[near]
    keys = side.keys
    for i, margin in enumerate(side.margins):
        size = len(margin.n_orig) * target.size
        large_pairs = _pair_codes(margin.level_of[large_group], large_target, target.size)
        pairs, npairs = summed(large_pairs, large.n, size)
        level = pairs // target.size
        code = pairs - level * target.size
        count_texts = partial(keys.original_totals, i, target=target)
        # where R's texts stand for other records than the codes do, they are counted by text
        if keys.parts is None and keys.variables[i].gaps_with_text is None:
            near_pairs = _pair_codes(margin.level_of[near_group], near_target, target.size)
            total = margin.n_orig[level]
            both = records_at(pairs, near_pairs, near_n, size)
        else:
            texts = margin.name_levels(level)
            total, both = count_texts(texts, [[c] for c in code])
        yield KeyPairs(
            pairs=Pairs(level=level, code=code, npairs=npairs, both=both, total=total),
            key=keys.variables[i].name,
            name_levels=margin.name_levels,
            may_split=keys.parts is not None or keys.splits[i],
            count_texts=count_texts,
        )


def _pair_codes(level: Integers, target: Integers, targets: int) -> Integers:
    # levels may come in short numbers, which do not hold the product
    codes = level.astype(np.int64)
    codes *= targets
    codes += target
    return codes


def summed(codes: Integers, n: Integers, size: int) -> tuple[Integers, Integers]:
    """Distinct codes below `size`, ascending, and the sum of n, which are above 0, over each."""
    if _fits(size, codes):
        table = totals(codes, n, 0)
        distinct = np.flatnonzero(table)
        return distinct, table[distinct]
    distinct, place = np.unique(codes, return_inverse=True)
    return distinct, totals(place.reshape(-1), n, len(distinct))


def records_at(wanted: Integers, codes: Integers, n: Integers, size: int) -> Integers:
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
    """Whether R would split some text."""
    return any("|" in text for text in texts)


def _pair_levels(pairs: Pairs, target: Variable, name_levels: Namer) -> list[tuple[str, str]]:
    """The level of the target and that of the key, for each pair."""
    return list(zip(target.texts(pairs.code), name_levels(pairs.level)))


def _of_first_pieces(
    texts: Sequence[str], pairs: Pairs, target: Variable, of_key: KeyPairs, *, compat: Reading
) -> tuple[Pairs, int]:
    """R splits the text of a pair at every '|' and counts the first two pieces, which may be
    another pair (D11). If no such pair exists, R has no number, and the pair keeps its own. R stops
    there (a target of texts), or shows a row of NA if only the second piece is no level: how many.
    """
    pieces = [text.split("|") for text in texts]
    odd = [j for j, parts in enumerate(pieces) if len(parts) > 2]
    if not odd or not compat.follow_r("D11"):
        return pairs, 0
    target_codes = [target.find(pieces[j][0]) for j in odd]
    key_texts = [pieces[j][1] for j in odd]
    r_total, r_both = of_key.count_texts(key_texts, target_codes)
    total, both = pairs.total.copy(), pairs.both.copy()
    for at, j in enumerate(odd):
        if r_total[at] > 0 and target_codes[at]:
            total[j], both[j] = r_total[at], r_both[at]
    of_na = [n == 0 and bool(codes) for n, codes in zip(r_total, target_codes)]
    return pairs._replace(total=total, both=both), 0 if target.declared[0] is None else sum(of_na)


def _above_limit(
    levels: Sequence[tuple[str, str]],
    pairs: Pairs,
    name: str,
    in_order: Integers,
    *,
    first_row: int,
    per_cent: float,
) -> Iterator[PairCheck]:
    """The pairs of one key above the limit, in the order of their texts, numbered as R numbers all
    of them.
    """
    percent = pairs.percent()
    npairs, both, total = (numbers.tolist() for numbers in (pairs.npairs, pairs.both, pairs.total))
    for place in np.flatnonzero(pairs.above(per_cent)[in_order]).tolist():
        j = int(in_order[place])
        yield PairCheck(
            row=first_row + place,
            target_level=levels[j][0],
            key_level=levels[j][1],
            npairs=npairs[j],
            key=name,
            key_target_total=both[j],
            key_total=total[j],
            PctTargetKeyLevel=float(percent[j]),
        )
