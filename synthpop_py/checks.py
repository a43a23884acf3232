"""Levels and pairs that contribute so much to disclosure that they may be common knowledge."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from .cells import place_among
from .core.arrays import Flags, Integers
from .core.numerals import EXACT_DOUBLE
from .levels import Variable, count
from .measures import Counts

PairTotals = Callable[[int, list[tuple[str, str]]], tuple[Integers, Integers]]


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
        return pair_text(self.target_level, self.key_level)


LEVEL_FIELDS = ("Level", "All", "PctLevelAll", "totalDisclosive", "nLevelDis", "PctLevelDis")
PAIR_FIELDS = (
    "target_key_levs", "npairs", "key", "key_target_total", "key_total", "PctTargetKeyLevel",
)  # fmt: skip


def pair_text(of_target: str, of_key: str) -> str:
    return f"{of_target}|{of_key}"


def above(part: int, total: int, per_cent: float) -> bool:
    """Whether a share exceeds a threshold."""
    return part * 100 > per_cent * total


def check_level(
    counts: Counts,
    target: Variable,
    thresholds: tuple[float, float],
    is_above: Callable[[int, int, float], bool],
    first: Callable[[Integers, Variable], int],
) -> LevelCheck | None:
    """`check_1way`: the target level behind most DiSCO records, if it has more than thresholds[0]
    of them and more than thresholds[1] per cent; `first` decides between tied levels.
    """
    t = counts.cells.t
    where = (counts.disco > 0).nonzero()[0]
    disclosed = count(t[where], counts.disco[where], target.size)
    total, most = int(disclosed.sum()), int(disclosed.max())
    if most <= thresholds[0] or not total or not is_above(most, total, thresholds[1]):
        return None
    code = first(np.flatnonzero(disclosed == most), target)
    of_level = count(t, counts.d, target.size)
    kept, own = int(of_level.sum()), int(of_level[code])
    return LevelCheck(
        Level=target.sides[0].texts([code])[0],
        All=kept,
        PctLevelAll=own / kept * 100,
        totalDisclosive=total,
        nLevelDis=most,
        PctLevelDis=most / total * 100,
    )


def check_pairs(
    counts: Counts,
    target: Variable,
    keys: Sequence[Variable],
    names: Sequence[Hashable],
    thresholds: tuple[float, float],
    order: Callable[[list[str]], Integers],
    pair_totals: PairTotals | None = None,
) -> list[PairCheck]:
    """`check_2way`: pairs behind DiSCO cells of more than thresholds[0] records, if the key level
    has that target in more than thresholds[1] per cent of *all* original records, whatever was
    excluded.

    Rows of all keys are numbered before some are flagged, as R does.
    """
    cells, T = counts.cells, target.size
    large = np.flatnonzero(counts.disco > thresholds[0])
    if not len(large):
        return []
    of_interest = np.zeros(T, dtype=bool)
    of_interest[cells.t[large]] = True
    near = np.flatnonzero(of_interest[cells.t] & (cells.d > 0))
    n_near, n_large = cells.d.take(near), counts.disco[large]
    group_near, t_near = cells.group.take(near), cells.t.take(near)
    group_large, t_large = cells.group.take(large), cells.t.take(large)
    flagged: list[PairCheck] = []
    row = 0
    for i, (name, key, of_key) in enumerate(zip(names, keys, cells.keys)):
        # a pair of levels in one number
        wide = of_key.astype(np.int64) * T
        pairs, place = np.unique(wide.take(group_large) + t_large, return_inverse=True)
        levels, codes = np.divmod(pairs, T)
        total = count(of_key, cells.d_q, key.size)[levels]
        both = sums_at(pairs, wide.take(group_near) + t_near, n_near, key.size * T)
        suspect = above_all(both, total, thresholds[1])
        if pair_totals is None and not suspect.any():
            row += len(pairs)  # nobody will see their texts
            continue
        named = list(zip(target.sides[0].texts(codes), key.sides[0].texts(levels)))
        if pair_totals is not None:
            both, total = pair_totals(i, named)
            suspect = above_all(both, total, thresholds[1])
        npairs = count(place.reshape(-1), n_large, len(pairs))
        for j in order([pair_text(*pair) for pair in named]).tolist():
            row += 1
            if not suspect[j]:
                continue
            n, of_all = int(both[j]), int(total[j])
            share = n / of_all * 100
            flagged.append(
                PairCheck(
                    row=row,
                    target_level=named[j][0],
                    key_level=named[j][1],
                    npairs=int(npairs[j]),
                    key=str(name),
                    key_target_total=n,
                    key_total=of_all,
                    PctTargetKeyLevel=share,
                )
            )
    return sorted(flagged, key=lambda pair: -pair.npairs)


def sums_at(wanted: Integers, codes: Integers, n: Integers, size: int) -> Integers:
    """Sums of n over the codes that are wanted (ascending): by table where that fits, else by
    search.
    """
    if size <= 4 * len(codes) + 2**16:
        return count(codes, n, size)[wanted]
    place = place_among(wanted, codes)
    return count(place[place >= 0], n[place >= 0], len(wanted))


def above_all(both: Integers, total: Integers, per_cent: float) -> Flags:
    """Which pairs exceed a threshold; exactly also where doubles do not hold the counts."""
    if int(total.max(initial=0)) * 100 < EXACT_DOUBLE:
        flags: Flags = both * 100.0 > per_cent * total
        return flags
    pairs = zip(both.tolist(), total.tolist())
    return np.array([above(part, whole, per_cent) for part, whole in pairs], dtype=bool)
