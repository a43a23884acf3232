"""Levels and pairs that contribute so much to disclosure that they may be common knowledge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..core.arrays import Flags, Integers
from ..core.crosstab import totals
from ..core.levels import Namer, Variable
from ..r.collation import Collation, order
from ..r.reading import Reading
from .cells import Cells, Combinations, Sums
from .encoding import Keys
from .exclusions import Kept


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


def disclosed_cells(cells: Cells, everybody: Sums, kept: Kept) -> Disclosed:
    """Cells of which the synthetic data are certain and right, after exclusions. A combination has
    at most one.
    """
    hit = np.flatnonzero((kept.correct > 0)[cells.group] & (everybody.s > 0))
    return Disclosed(hit, kept.d[hit])


def check_level(
    disclosed: Disclosed,
    cells: Cells,
    original: Integers,
    target: Variable,
    rows: Integers,
    thresholds: tuple[float, float],
    compat: Reading,
) -> LevelCheck | None:
    """Flag the target level behind most DiSCO records: more than thresholds[0] of them, and more
    than thresholds[1] per cent.

    `rows` are the target's codes in the order of R's table: of tied levels the first is looked at.
    """
    total = int(disclosed.n.sum())
    if total == 0 or thresholds[0] >= total:
        return None
    by_level = totals(cells.target[disclosed.where], disclosed.n, target.size)
    code = int(rows[np.argmax(by_level[rows])])
    count = int(by_level[code])
    percent = count / total * 100
    above = count * 100 > thresholds[1] * total
    if (percent > thresholds[1]) != above:
        above = not above if compat.follow_r("D46") else above
    if not (count > thresholds[0] and above):
        return None
    kept = int(original.sum())
    with_level = int(original[cells.target == code].sum())
    return LevelCheck(target.text(code), kept, with_level / kept * 100, total, count, percent)


class Pairs(NamedTuple):
    """Pairs (level of one key, target code) behind large DiSCO cells: disclosed records, and
    original ones with the pair and with the level, (p,).
    """

    level: Integers
    code: Integers
    npairs: Integers
    both: Integers
    total: Integers

    def percent(self) -> np.ndarray:
        return self.both.astype(np.float64) * 100 / np.maximum(self.total, 1)


class Margin(NamedTuple):
    """One key by itself: what gives the texts of its levels, the level of each combination, (g,),
    and the original records with each level.
    """

    name_levels: Namer
    level_of: Integers
    n_orig: Integers


@dataclass(frozen=True)  # no slots: margins are made when first asked for
class KeySide:
    """The key combinations of the original and one synthesis. No target enters, so what the first
    one finds out serves all of them.
    """

    keys: Keys
    codes: Integers
    records: Combinations

    @cached_property
    def margins(self) -> tuple[Margin, ...]:
        parts = self.keys.components(self.codes)
        levels = [
            self.keys.levels_of(parts, self.codes, i) for i in range(len(self.keys.variables))
        ]
        return tuple(
            Margin(name, level_of, totals(level_of, self.records.d_q, 0))
            for name, level_of in levels
        )


def check_pairs(
    disclosed: Disclosed,
    cells: Cells,
    side: KeySide,
    target: Variable,
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
    counts = disclosed.n > thresholds[0]
    large = Disclosed(disclosed.where[counts], disclosed.n[counts])
    if not len(large.where):
        return []
    keys = side.keys
    of_interest = np.zeros(target.size, dtype=bool)
    of_interest[cells.target[large.where]] = True
    splits = _splits(target.texts(np.flatnonzero(of_interest)))
    flagged: list[PairCheck] = []
    rows = 0
    for i, pairs in enumerate(_pairs_by_key(large, cells, side, target, of_interest)):
        if (
            keys.parts is not None
            or splits
            or keys.splits[i]
            or (pairs.percent() > thresholds[1]).any()
        ):
            texts = [
                f"{t}|{k}"
                for t, k in zip(target.texts(pairs.code), side.margins[i].name_levels(pairs.level))
            ]
            pairs = _of_first_pieces(texts, pairs, target, keys, i, compat)
            numbered = enumerate(
                _described(texts, pairs, keys.variables[i].name, collation), start=rows + 1
            )
            flagged += [PairCheck(row, *pair) for row, pair in numbered if pair[-1] > thresholds[1]]
        rows += len(pairs.level)
    return sorted(flagged, key=lambda p: -p.npairs)


def _pairs_by_key(
    large: Disclosed, cells: Cells, side: KeySide, target: Variable, of_interest: Flags
) -> Iterator[Pairs]:
    """The pairs of each key in turn; `of_interest`: which codes of the target large cells have."""
    large_group, large_target = cells.group[large.where], cells.target[large.where]
    near = np.flatnonzero(of_interest[cells.target] & (cells.n_orig > 0))
    near_group, near_target, near_n = (
        cells.group[near],
        cells.target[near],
        cells.n_orig[near],
    )
    for i, margin in enumerate(side.margins):
        size = len(margin.n_orig) * target.size
        pairs, npairs = _summed(
            margin.level_of[large_group] * target.size + large_target, large.n, size
        )
        level = pairs // target.size
        code = pairs - level * target.size
        if side.keys.parts is None and side.keys.variables[i].gaps_with_text is None:
            total = margin.n_orig[level]
            both = _records_at(
                pairs, margin.level_of[near_group] * target.size + near_target, near_n, size
            )
        else:
            total, both = side.keys.original_totals(
                i, margin.name_levels(level), [[c] for c in code], target
            )
        yield Pairs(level, code, npairs, both, total)


def _summed(codes: Integers, n: Integers, size: int) -> tuple[Integers, Integers]:
    """Distinct codes below `size`, ascending, and the sum of n, which are above 0, over each."""
    if _fits(size, codes):
        table = totals(codes, n, int(codes.max(initial=-1)) + 1)
        distinct = np.flatnonzero(table)
        return distinct, table[distinct]
    distinct, place = np.unique(codes, return_inverse=True)
    return distinct, totals(place.reshape(-1), n, len(distinct))


def _splits(texts: Sequence[str]) -> bool:
    """Whether R would take some text apart."""
    return any("|" in text for text in texts)


def _of_first_pieces(
    texts: Sequence[str], own: Pairs, target: Variable, keys: Keys, i: int, compat: Reading
) -> Pairs:
    """R takes the text of a pair apart at every '|' and counts the first two pieces, which may be
    another pair (D11). Where they are none, R has no number, and the pair keeps its own.
    """
    pairs = [text.split("|") for text in texts]
    odd = [j for j, pieces in enumerate(pairs) if len(pieces) > 2]
    if not odd or not compat.follow_r("D11"):
        return own
    r_total, r_both = keys.original_totals(
        i, [pairs[j][1] for j in odd], [target.find(pairs[j][0]) for j in odd], target
    )
    total, both = own.total.copy(), own.both.copy()
    for j, t, b in zip(odd, r_total, r_both):
        if t > 0 and target.find(pairs[j][0]):
            total[j], both[j] = t, b
    return own._replace(total=total, both=both)


def _records_at(wanted: Integers, codes: Integers, n: Integers, size: int) -> Integers:
    """Sums of n over the codes that are wanted (sorted, distinct): by table where that fits, else
    by search.
    """
    if _fits(size, codes):
        return totals(codes, n, size)[wanted]
    found = np.minimum(np.searchsorted(wanted, codes), len(wanted) - 1)
    hit = wanted[found] == codes
    return totals(found[hit], n[hit], len(wanted))


def _fits(size: int, codes: Integers) -> bool:
    """Whether a table of that size is no larger than the data, or small."""
    return size <= 4 * len(codes) + 2**16


def _described(
    texts: Sequence[str], pairs: Pairs, name: str, collation: Collation
) -> list[tuple[Any, ...]]:
    """The pairs of one key in the order of the collation: (text, npairs, key, key_target_total,
    key_total, per cent).
    """
    percent = pairs.percent()
    return [
        (
            texts[j],
            int(pairs.npairs[j]),
            name,
            int(pairs.both[j]),
            int(pairs.total[j]),
            float(percent[j]),
        )
        for j in order(texts, collation)
    ]
