"""What a split is, and the best one of a node by one predictor where numbers are predicted, as
rpart searches for it. (Where classes are: `gini`.)

Candidates are compared in rpart's order with strict inequality, so the first best one stays. All
sums run from left to right, because the last bit can decide between two candidates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import Flags, Floats, Integers, Values

__all__ = [
    "ABSENT",
    "LEFT",
    "RIGHT",
    "Split",
    "anova_split",
    "directions_of",
    "factor_surrogate",
    "left_to_right_sum",
    "number_surrogate",
    "places_to_cut",
]

LEFT, ABSENT, RIGHT = -1, 0, 1


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """A split by one predictor.

    Attributes
    ----------
    predictor : its position.
    improvement : what rpart calls so.
    cut : where a numeric predictor is cut.
    below : the side of values below the cut.
    directions : int8, shape (levels,), for a factor: the side of each level, 0 for levels that the
        node lacks.
    """

    predictor: int
    improvement: float
    cut: float = np.nan
    below: int = ABSENT
    directions: Integers | None = None


def left_to_right_sum(values: Floats) -> float:
    """The sum in the order of the values; NumPy's own adds pairs."""
    return float(np.add.accumulate(values)[-1]) if len(values) else 0.0


def anova_split(
    predictor: int, x: Values, y: Floats, *, levels: int, risk: float, minbucket: int
) -> Split | None:
    """The split with the largest gain in sums of squares; `x` and `y` in the predictor's order,
    `levels` 0 for a number.
    """
    mean = left_to_right_sum(y) / len(y)
    if levels:
        return _anova_factor(predictor, x, y - mean, levels, risk, minbucket)
    return _anova_number(predictor, x, y - mean, risk, minbucket)


def _anova_number(
    predictor: int, x: Floats, deviations: Floats, risk: float, minbucket: int
) -> Split | None:
    places = places_to_cut(x, minbucket)
    if not len(places):
        return None
    running = np.add.accumulate(deviations)[places]
    sizes = places + 1
    squares = running * running
    gains = squares / sizes + squares / (len(x) - sizes)
    best = int(np.argmax(gains))
    if not gains[best] > 0:
        return None
    place = places[best]
    below = LEFT if running[best] < -running[best] else RIGHT
    return Split(
        predictor=predictor,
        improvement=float(gains[best] / risk),
        cut=float((x[place] + x[place + 1]) / 2),
        below=below,
    )


def places_to_cut(x: Floats, minbucket: int) -> Integers:
    """Places after which a numeric predictor can be cut."""
    first, last = minbucket - 1, len(x) - minbucket
    changes = np.flatnonzero(x[first:last] != x[first + 1 : last + 1])
    return changes + first


def _anova_factor(
    predictor: int, codes: Integers, deviations: Floats, levels: int, risk: float, minbucket: int
) -> Split | None:
    sizes = np.bincount(codes, minlength=levels)
    sums = np.bincount(codes, weights=deviations, minlength=levels)
    present = np.flatnonzero(sizes)
    means = sums[present] / sizes[present]
    order = present[np.argsort(means, kind="stable")][:-1]
    if not len(order):
        return None
    left_sums = np.add.accumulate(sums[order])
    right_sums = np.subtract.accumulate(np.concatenate(([0.0], sums[order])))[1:]
    left_sizes = np.cumsum(sizes[order])
    right_sizes = len(codes) - left_sizes
    gains = left_sums * left_sums / left_sizes + right_sums * right_sums / right_sizes
    gains[(left_sizes < minbucket) | (right_sizes < minbucket)] = -1.0
    best = int(np.argmax(gains))
    if not gains[best] > 0:
        return None
    prefix_mean = left_sums[best] / left_sizes[best]
    rest_mean = right_sums[best] / right_sizes[best]
    side = RIGHT if prefix_mean > rest_mean else LEFT
    directions = directions_of(levels, present, order[: best + 1], side)
    return Split(predictor, float(gains[best] / risk), directions=directions)


def directions_of(levels: int, present: Integers, moved: Integers, side: int) -> Integers:
    """`side` for the levels that were moved, the other one for the rest of those present."""
    directions = np.zeros(levels, dtype=np.int8)
    directions[present] = -side
    directions[moved] = side
    return directions


# ---- surrogates: splits that agree with another predictor's ---------------------------------


def number_surrogate(predictor: int, x: Floats, left: Flags) -> Split | None:
    """The cut that agrees best with where rows went (`left`), in the order of the predictor; its
    improvement is the share that agrees.
    """
    cuts = np.flatnonzero(x[1:-2] != x[2:-1]) + 1  # at least two rows on each side
    if not len(cuts):
        return None
    n_left = int(left.sum())
    n_right = len(left) - n_left
    left_below = np.cumsum(left)[cuts]
    right_below = cuts + 1 - left_below
    same_way = left_below + (n_right - right_below)
    crossed = right_below + (n_left - left_below)
    agreements = np.maximum(same_way, crossed)
    best = int(np.argmax(agreements))
    if not agreements[best] > max(n_left, n_right):
        return None
    return Split(
        predictor=predictor,
        improvement=float(agreements[best] / len(x)),
        cut=float((x[cuts[best]] + x[cuts[best] + 1]) / 2),
        below=LEFT if same_way[best] > crossed[best] else RIGHT,
    )


def factor_surrogate(predictor: int, codes: Integers, left: Flags, *, levels: int) -> Split | None:
    """Every level goes where most of its rows went; on a tie to the larger child, else right."""
    to_left = np.bincount(codes[left], minlength=levels)
    to_right = np.bincount(codes[~left], minlength=levels)
    tie = LEFT if to_left.sum() > to_right.sum() else RIGHT
    directions = np.full(levels, tie, dtype=np.int8)
    directions[to_left > to_right] = LEFT
    directions[to_left < to_right] = RIGHT
    directions[to_left + to_right == 0] = ABSENT
    agreement = int(np.maximum(to_left, to_right).sum())
    # rpart means to ask for two rows sent each way, but its counters hold agreement
    if agreement < 2 or len(codes) - agreement < 2:
        return None
    return Split(predictor, agreement / len(codes), directions=directions)
