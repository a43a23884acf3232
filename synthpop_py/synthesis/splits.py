"""The best split of a node by one predictor, as rpart searches for it: by sums of squares (anova)
or by Gini's index (class).

Candidates are compared in rpart's order with strict inequality, so the first best one stays. All
sums run from left to right, because the last bit can decide between two candidates.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..core.arrays import Flags, Floats, Integers

__all__ = ["ClassWeights", "Split", "anova_split", "class_split", "left_to_right_sum"]

LEFT, ABSENT, RIGHT = -1, 0, 1
NEAR = 1e-9  # candidates nearer to the best than this share are compared exactly


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


# ---- numbers to be predicted -----------------------------------------------------------


def anova_split(
    predictor: int, x: Floats, y: Floats, *, levels: int, risk: float, minbucket: int
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
    places = _where_x_changes(x, minbucket)
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


def _where_x_changes(x: Floats, minbucket: int) -> Integers:
    """Places after which a numeric predictor can be cut."""
    changes = np.flatnonzero(x[minbucket - 1 : len(x) - minbucket] != x[minbucket : len(x) - minbucket + 1])
    return changes + (minbucket - 1)


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
    directions = _directions(levels, present, order[: best + 1], side)
    return Split(predictor, float(gains[best] / risk), directions=directions)


def _directions(levels: int, present: Integers, moved: Integers, side: int) -> Integers:
    """`side` for the levels that were moved, the other one for the rest of those present."""
    directions = np.zeros(levels, dtype=np.int8)
    directions[present] = -side
    directions[moved] = side
    return directions


# ---- classes to be predicted -----------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class ClassWeights:
    """What a record of each class weighs in Gini's index and in the risk of a node.

    Both are 1 up to rounding, and the rounding decides between near-equal splits.

    Attributes
    ----------
    gini : float64, shape (classes,): a_i of rpart's altered priors.
    risk : float64, shape (classes,): prior over frequency.
    """

    gini: Floats
    risk: Floats

    @classmethod
    def of(cls, counts: Integers) -> ClassWeights:
        """The weights from the class counts of the root."""
        total = int(counts.sum())
        priors = counts / total
        altered = []
        whole = 0.0
        for prior in priors.tolist():
            share = 0.0
            for _ in range(len(counts) - 1):
                share += prior
                whole += prior
            altered.append(share)
        frequencies = counts / total
        gini = np.array(altered) / (whole * frequencies) if whole else np.ones(len(counts))
        return cls(gini=gini, risk=priors / frequencies)


def class_split(
    predictor: int,
    x: Floats,
    y: Integers,
    *,
    levels: int,
    counts: Integers,
    weights: ClassWeights,
    minbucket: int,
) -> Split | None:
    """The split with the lowest Gini index; `x` and `y` in the predictor's order, `counts` the
    node's records by class, `levels` 0 for a number.
    """
    gini = weights.gini
    node = _Node(counts, gini, left_to_right_sum(gini[y]), minbucket)
    if not levels:
        return _class_number(predictor, x, y, node)
    if len(counts) == 2:
        return _class_factor_two(predictor, x, y, levels, node)
    return _class_factor(predictor, x, y, levels, node)


@dataclass(frozen=True, slots=True, eq=False)
class _Node:
    counts: Integers
    gini: Floats
    weight: float
    minbucket: int

    @property
    def impurity(self) -> float:
        total = 0.0
        for weight, count in zip(self.gini.tolist(), self.counts.tolist(), strict=True):
            share = weight * count / self.weight
            total += self.weight * (share * (1 - share))
        return total


@dataclass(frozen=True, slots=True, eq=False)
class _Candidates:
    """Ways to divide a node, in rpart's order.

    Attributes
    ----------
    left : whole numbers, shape (c, classes): records on the left by class.
    left_weights, right_weights : float64, shape (c,): running sums, rounded as rpart's are.
    """

    left: Integers
    left_weights: Floats
    right_weights: Floats

    def only(self, chosen: Flags | Integers) -> _Candidates:
        return _Candidates(
            self.left[chosen], self.left_weights[chosen], self.right_weights[chosen]
        )


def _class_number(predictor: int, x: Floats, y: Integers, node: _Node) -> Split | None:
    places = _where_x_changes(x, node.minbucket)
    if not len(places):
        return None
    classes = len(node.counts)
    steps = node.gini[y]
    left_weights = np.add.accumulate(steps)[places]
    right_weights = np.subtract.accumulate(np.concatenate(([node.weight], steps)))[1:][places]
    # records by class between one candidate and the next
    between = np.searchsorted(places, np.arange(len(y)))
    cells = np.bincount(between * classes + y, minlength=(len(places) + 1) * classes)
    left = np.cumsum(cells.reshape(-1, classes)[: len(places)], axis=0)
    candidates = _Candidates(left, left_weights, right_weights)
    best, improvement = _lowest_gini(candidates, node)
    if best < 0:
        return None
    place = places[best]
    return Split(
        predictor=predictor,
        improvement=improvement,
        cut=float((x[place] + x[place + 1]) / 2),
        below=_side_of_left(candidates, best, node),
    )


def _class_factor_two(
    predictor: int, codes: Integers, y: Integers, levels: int, node: _Node
) -> Split | None:
    by_level, level_weights = _by_level(codes, y, levels, node)
    sizes = by_level.sum(axis=1)
    present = np.flatnonzero(sizes)
    rates = by_level[present, 0] / level_weights[present]
    order = present[np.argsort(rates, kind="stable")][:-1]
    if not len(order):
        return None
    candidates = _Candidates(
        np.cumsum(by_level[order], axis=0),
        np.add.accumulate(level_weights[order]),
        np.subtract.accumulate(np.concatenate(([node.weight], level_weights[order])))[1:],
    )
    best, improvement = _lowest_gini_of_factor(candidates, node)
    if best < 0:
        return None
    side = _side_of_left(candidates, best, node)
    directions = _directions(levels, present, order[: best + 1], side)
    return Split(predictor, improvement, directions=directions)


def _class_factor(
    predictor: int, codes: Integers, y: Integers, levels: int, node: _Node
) -> Split | None:
    """All subsets in the order of the Gray code: each step moves one level to the other side."""
    by_level, level_weights = _by_level(codes, y, levels, node)
    present = np.flatnonzero(by_level.sum(axis=1))
    movable = present[present < levels - 1]  # the factor's last level never moves
    if not len(movable) or len(present) < 2:
        return None
    moves, to_left, members = _gray_code(len(movable))
    steps = level_weights[movable][moves] * to_left
    candidates = _Candidates(
        members @ by_level[movable],
        np.add.accumulate(steps),
        np.subtract.accumulate(np.concatenate(([node.weight], steps)))[1:],
    )
    best, improvement = _lowest_gini_of_factor(candidates, node)
    if best < 0:
        return None
    side = _side_of_left(candidates, best, node)
    moved = movable[members[best] > 0]
    return Split(predictor, improvement, directions=_directions(levels, present, moved, side))


def _by_level(
    codes: Integers, y: Integers, levels: int, node: _Node
) -> tuple[Floats, Floats]:
    """Records by level and class, and the weight of each level."""
    classes = len(node.counts)
    cells = np.bincount(codes * classes + y, minlength=levels * classes)
    level_weights = np.bincount(codes, weights=node.gini[y], minlength=levels)
    return cells.reshape(levels, classes).astype(np.float64), level_weights


@lru_cache(maxsize=32)
def _gray_code(bits: int) -> tuple[Integers, Floats, Floats]:
    """For the steps 1, 2, … 2^bits - 1: which member moves, +1 if it joins or -1 if it leaves, and
    who belongs to the subset then (0 or 1; real numbers, so that sums over members are a matrix
    product, exact for counts).
    """
    steps = np.arange(1, 1 << bits)
    codes = steps ^ (steps >> 1)
    members = ((codes[:, None] >> np.arange(bits)) & 1).astype(np.float64)
    moves = np.log2(steps & -steps).astype(np.int64)
    to_left = 2 * members[np.arange(len(steps)), moves] - 1
    return moves, to_left, members


def _lowest_gini_of_factor(candidates: _Candidates, node: _Node) -> tuple[int, float]:
    left_sizes = candidates.left.sum(axis=1)
    right_sizes = node.counts.sum() - left_sizes
    allowed = np.flatnonzero((left_sizes >= node.minbucket) & (right_sizes >= node.minbucket))
    best, improvement = _lowest_gini(candidates.only(allowed), node)
    return (int(allowed[best]) if best >= 0 else -1), improvement


def _lowest_gini(candidates: _Candidates, node: _Node) -> tuple[int, float]:
    """The first candidate with the lowest Gini index, and how far below the node's own it is; -1 if
    none is below.
    """
    if not len(candidates.left):
        return -1, 0.0
    rough = _rough_gini(candidates, node)
    near = np.flatnonzero(rough <= rough.min() + NEAR * node.weight)
    exact = _gini(candidates.only(near), node)
    best = int(np.argmin(exact))
    start = node.impurity
    if not exact[best] < start:
        return -1, 0.0
    return int(near[best]), float(start - exact[best])


def _rough_gini(candidates: _Candidates, node: _Node) -> Floats:
    """The index in few passes, right to about 13 digits."""
    left = candidates.left * node.gini
    right = node.counts * node.gini - left
    left_part = np.einsum("ij,ij->i", left, left) / candidates.left_weights
    right_part = np.einsum("ij,ij->i", right, right) / candidates.right_weights
    return candidates.left_weights + candidates.right_weights - left_part - right_part


def _gini(candidates: _Candidates, node: _Node) -> Floats:
    """The index to the last bit: for class after class first the left side, then the right."""
    left_weights = candidates.left_weights
    right_weights = candidates.right_weights
    total = np.zeros(len(left_weights))
    for place, weight in enumerate(node.gini.tolist()):
        left = candidates.left[:, place]
        share = weight * left / left_weights
        total += left_weights * (share * (1 - share))
        share = weight * (node.counts[place] - left) / right_weights
        total += right_weights * (share * (1 - share))
    return total


def _side_of_left(candidates: _Candidates, best: int, node: _Node) -> int:
    """The side with the smaller mean class number is left; equal means exchange the sides."""
    left_mean = right_mean = 0.0
    left_weight = candidates.left_weights[best]
    right_weight = candidates.right_weights[best]
    for place, weight in enumerate(node.gini.tolist()):
        left = candidates.left[best, place]
        left_mean += weight * left / left_weight * place
        right_mean += weight * (node.counts[place] - left) / right_weight * place
    return LEFT if left_mean < right_mean else RIGHT
