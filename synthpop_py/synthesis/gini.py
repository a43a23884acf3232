"""The best split of a node by one predictor where classes are predicted: the lowest Gini index, as
rpart searches for it.

Candidates are compared in rpart's order with strict inequality, so the first best one stays. Their
index is found roughly for all, in few passes, and to the last bit for those that may be the best.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..core.arrays import Floats, Integers, Values
from .splits import LEFT, RIGHT, Split, directions_of, left_to_right_sum, places_to_cut

__all__ = ["class_split", "class_weights"]

NEAR = 1e-9  # candidates nearer to the best than this share are compared exactly
FEW_MEMBERS = 6  # up to so many levels all subsets are counted by one matrix product
NONE = np.empty(0, dtype=np.int64)


def class_weights(counts: Integers) -> Floats:
    """What a record of each class weighs in Gini's index, from the class counts of the root.

    Each weight is 1 up to rounding, and the rounding decides between near-equal splits.
    """
    frequencies = counts / counts.sum()
    shares = []
    whole = 0.0
    for frequency in frequencies.tolist():
        share = 0.0
        for _ in range(len(counts) - 1):
            share += frequency
            whole += frequency
        shares.append(share)
    if not whole:  # a single class
        return np.ones(len(counts))
    weights: Floats = np.array(shares) / (whole * frequencies)
    return weights


@dataclass(frozen=True, slots=True, eq=False)
class _Node:
    """The records of a node by class.

    Attributes
    ----------
    weights : of the classes.
    size : all records.
    minbucket : the fewest that a side may have.
    to_beat : the improvement that another predictor offers.
    """

    counts: Integers
    weights: Floats
    size: int
    minbucket: int
    to_beat: float

    def impurity(self, total: float) -> float:
        """Gini's index of the node; `total` is its weight, added up in the predictor's order."""
        return left_to_right_sum(_impurities(self.weights * self.counts, total))

    def is_beaten(self, lowest: float) -> bool:
        """Whether the lowest rough index is certainly not low enough for the best split."""
        improvement = -lowest - float(self.counts @ self.counts) / self.size
        return improvement < self.to_beat - NEAR * self.size


@dataclass(frozen=True, slots=True, eq=False)
class _Candidates:
    """Ways to divide a node, in rpart's order.

    Attributes
    ----------
    left : whole numbers, shape (c, classes): records on the left by class.
    left_weights, right_weights : float64, shape (c,): running sums, rounded as rpart's are.
    total : weight of all records, added up in the predictor's order.
    """

    left: Values
    left_weights: Floats
    right_weights: Floats
    total: float


@dataclass(frozen=True, slots=True)
class _Best:
    """The best candidate: its place, its improvement, and the side its left part takes."""

    place: int
    improvement: float
    side: int


def class_split(
    predictor: int,
    x: Values,
    y: Integers,
    *,
    levels: int,
    counts: Integers,
    weights: Floats,
    minbucket: int,
    to_beat: float = -np.inf,
) -> Split | None:
    """The split with the lowest Gini index; `x` and `y` in the predictor's order, `counts` the
    node's records by class, `levels` 0 for a number. None if there is none, or if its improvement
    is certainly less than `to_beat`.
    """
    node = _Node(
        counts=counts,
        weights=weights,
        size=len(y),
        minbucket=minbucket,
        to_beat=to_beat,
    )
    if not levels:
        return _class_number(predictor, x, y, node)
    if len(counts) == 2:
        return _class_factor_two(predictor, x, y, levels, node)
    return _class_factor(predictor, x, y, levels, node)


def _class_number(predictor: int, x: Floats, y: Integers, node: _Node) -> Split | None:
    places = places_to_cut(x, node.minbucket)
    if not len(places):
        return None
    classes = len(node.counts)
    # records by class between one candidate and the next
    between = np.searchsorted(places, np.arange(len(y)))
    cells = np.bincount(between * classes + y, minlength=(len(places) + 1) * classes)
    left = np.cumsum(cells.reshape(-1, classes)[: len(places)], axis=0)
    near = _near_the_lowest(_rough_gini(left, node), node)
    if not len(near):
        return None
    steps = node.weights[y]
    sums = np.add.accumulate(steps)
    total = float(sums[-1])
    candidates = _Candidates(
        left=left[near],
        left_weights=sums[places[near]],
        right_weights=_running_rest(total, steps)[places[near]],
        total=total,
    )
    best = _exactly_lowest(candidates, node)
    if best is None:
        return None
    place = places[near[best.place]]
    return Split(
        predictor=predictor,
        improvement=best.improvement,
        cut=float((x[place] + x[place + 1]) / 2),
        below=best.side,
    )


def _class_factor_two(
    predictor: int, codes: Integers, y: Integers, levels: int, node: _Node
) -> Split | None:
    """Levels in the order of their share of the first class; what comes first goes to one side."""
    by_level = _by_level(codes, y, levels, node)
    level_weights = _weights_of_levels(codes, node.weights[y], levels)
    present = np.flatnonzero(by_level.sum(axis=1))
    rates = by_level[present, 0] / level_weights[present]
    order = present[np.argsort(rates, kind="stable")][:-1]
    if not len(order):
        return None
    left = np.cumsum(by_level[order], axis=0)
    allowed = _large_enough(left.sum(axis=1), node)
    total = left_to_right_sum(node.weights[y])
    candidates = _Candidates(
        left=left[allowed],
        left_weights=np.add.accumulate(level_weights[order])[allowed],
        right_weights=_running_rest(total, level_weights[order])[allowed],
        total=total,
    )
    best = _exactly_lowest(candidates, node)
    if best is None:
        return None
    moved = order[: allowed[best.place] + 1]
    directions = directions_of(levels, present, moved, best.side)
    return Split(predictor, best.improvement, directions=directions)


def _class_factor(
    predictor: int, codes: Integers, y: Integers, levels: int, node: _Node
) -> Split | None:
    """All subsets in the order of the Gray code: each step moves one level to the other side."""
    by_level = _by_level(codes, y, levels, node)
    present = np.flatnonzero(by_level.sum(axis=1))
    movable = present[present < levels - 1]  # the factor's last level never moves
    if len(present) < 2:
        return None
    members = by_level[movable]
    near = _near_the_lowest(_rough_gini_of_subsets(members, node), node)
    if not len(near):
        return None
    chosen = _members_at(near + 1, len(movable))
    weights = node.weights[y]
    total = left_to_right_sum(weights)
    steps = _weights_of_levels(codes, weights, levels)[movable]
    candidates = _Candidates(
        left=chosen @ members,
        left_weights=_weights_on_the_way(0.0, steps, near),
        right_weights=_weights_on_the_way(total, -steps, near),
        total=total,
    )
    best = _exactly_lowest(candidates, node)
    if best is None:
        return None
    moved = movable[chosen[best.place] > 0]
    directions = directions_of(levels, present, moved, best.side)
    return Split(predictor, best.improvement, directions=directions)


def _by_level(codes: Integers, y: Integers, levels: int, node: _Node) -> Floats:
    """Records by level and class."""
    classes = len(node.counts)
    cells = np.bincount(codes * classes + y, minlength=levels * classes)
    return cells.reshape(levels, classes).astype(np.float64)


def _weights_of_levels(codes: Integers, weights: Floats, levels: int) -> Floats:
    """The weight of the records of each level, added up in their order."""
    return np.asarray(np.bincount(codes, weights=weights, minlength=levels), dtype=np.float64)


def _running_rest(total: float, steps: Floats) -> Floats:
    """What is left of the total after each step; not the same as total minus the running sum."""
    return np.subtract.accumulate(np.concatenate(([total], steps)))[1:]


def _large_enough(left_sizes: Values, node: _Node) -> Integers:
    allowed = (left_sizes >= node.minbucket) & (node.size - left_sizes >= node.minbucket)
    return np.flatnonzero(allowed)


# ---- Gini's index: roughly for all candidates, exactly for the best ----------------------


def _near_the_lowest(rough: Floats, node: _Node) -> Integers:
    """Places of the candidates that may be the best one, of this predictor and of all."""
    lowest = float(rough.min()) if len(rough) else math.inf
    if not math.isfinite(lowest) or node.is_beaten(lowest):
        return NONE
    return np.flatnonzero(rough <= lowest + NEAR * node.size)


def _rough_gini(left: Values, node: _Node) -> Floats:
    """The index as if all weights were exactly 1, in few passes."""
    left_sizes = left.sum(axis=1)
    left_squares = np.einsum("ij,ij->i", left, left)
    right = node.counts - left
    right_squares = np.einsum("ij,ij->i", right, right)
    rough: Floats = -left_squares / left_sizes - right_squares / (node.size - left_sizes)
    return rough


def _rough_gini_of_subsets(members: Floats, node: _Node) -> Floats:
    """The same for all subsets of levels in the order of the Gray code, infinite where a side is
    too small.

    Sizes and sums of squares are built up level by level, so the work does not depend on the number
    of classes.
    """
    if len(members) <= FEW_MEMBERS:
        left = _members_at(np.arange(1, 1 << len(members)), len(members)) @ members
        left_sizes = left.sum(axis=1)
        left_squares = np.einsum("ij,ij->i", left, left)
        cross = left @ node.counts
    else:
        left_sizes = _sums_over_subsets(members.sum(axis=1))[1:]
        left_squares = _squares_over_subsets(members @ members.T)[1:]
        cross = _sums_over_subsets(members @ node.counts)[1:]
    right_sizes = node.size - left_sizes
    right_squares = node.counts @ node.counts - 2 * cross + left_squares
    small = (left_sizes < node.minbucket) | (right_sizes < node.minbucket)
    with np.errstate(divide="ignore", invalid="ignore"):
        rough: Floats = -left_squares / left_sizes - right_squares / right_sizes
    rough[small] = np.inf
    return rough


def _sums_over_subsets(amounts: Floats) -> Floats:
    """The sum of the members of every subset, from the empty one on, in the order of the Gray
    code: the second half is the first one backwards, with one more member.
    """
    sums = np.zeros(1 << len(amounts))
    for place, amount in enumerate(amounts.tolist()):
        half = 1 << place
        np.add(sums[half - 1 :: -1] if half > 1 else sums[:1], amount, out=sums[half : 2 * half])
    return sums


def _squares_over_subsets(products: Floats) -> Floats:
    """The sum of squares over classes of every subset, from the inner products of its members."""
    squares = np.zeros(1 << len(products))
    for place in range(len(products)):
        half = 1 << place
        with_new = squares[:half] + 2 * _sums_over_subsets(products[place, :place])
        squares[half : 2 * half] = with_new[::-1] + products[place, place]
    return squares


def _members_at(steps: Integers, members: int) -> Floats:
    """Members of the subset after each step of the Gray code: 0 or 1, as floats, so sums over
    members are a matrix product (exact for counts).
    """
    codes = steps ^ (steps >> 1)
    return ((codes[:, None] >> np.arange(members)) & 1).astype(np.float64)


@lru_cache(maxsize=32)
def _gray_steps(members: int) -> tuple[Integers, Floats]:
    """For the steps 1, 2, …: which member moves, and +1 if it joins or -1 if it leaves."""
    steps = np.arange(1, 1 << members)
    moving = np.log2(steps & -steps).astype(np.int64)
    codes = steps ^ (steps >> 1)
    joins = (codes >> moving) & 1
    return moving, 2.0 * joins - 1.0


def _weights_on_the_way(start: float, steps: Floats, places: Integers) -> Floats:
    """Running weights at some places of the Gray code. Their rounding depends on the whole path, so
    the path is followed to the last place.
    """
    moving, signs = _gray_steps(len(steps))
    end = int(places[-1]) + 1
    way = np.empty(end + 1)
    way[0] = start
    np.multiply(steps[moving[:end]], signs[:end], out=way[1:])
    return np.add.accumulate(way)[1:][places]


def _exactly_lowest(candidates: _Candidates, node: _Node) -> _Best | None:
    """The first candidate with the lowest index to the last bit; None if none is below the node's
    own.
    """
    if not len(candidates.left):
        return None
    left_weights = candidates.left_weights[:, None]
    right_weights = candidates.right_weights[:, None]
    left = node.weights * candidates.left
    right = node.weights * (node.counts - candidates.left)
    # for class after class first the left side, then the right
    terms = np.empty((len(left), 2 * left.shape[1]))
    terms[:, 0::2] = _impurities(left, left_weights)
    terms[:, 1::2] = _impurities(right, right_weights)
    exact = np.add.accumulate(terms, axis=1)[:, -1]
    place = int(np.argmin(exact))
    start = node.impurity(candidates.total)
    if not exact[place] < start:
        return None
    left_mean = _mean_class(left[place], candidates.left_weights[place])
    right_mean = _mean_class(right[place], candidates.right_weights[place])
    # equal means exchange the sides, as larger ones do
    side = LEFT if left_mean < right_mean else RIGHT
    return _Best(place=place, improvement=float(start - exact[place]), side=side)


def _impurities(amounts: Floats, weight: Floats | float) -> Floats:
    shares = amounts / weight
    return weight * (shares * (1 - shares))


def _mean_class(amounts: Floats, weight: float) -> float:
    shares = amounts / weight
    return left_to_right_sum(shares * np.arange(len(shares)))
