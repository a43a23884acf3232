"""The best split of a node by one predictor where classes are predicted: the lowest Gini index, as
rpart searches for it.

Candidates are compared in rpart's order with strict inequality, so the first best one stays. Their
index is found roughly for all, in few passes, and to the last bit for those that may be the best.
"""

from __future__ import annotations

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
    total : weight of all records, added up in the predictor's order.
    """

    counts: Integers
    weights: Floats
    total: float
    minbucket: int

    @property
    def size(self) -> int:
        return int(self.counts.sum())

    @property
    def impurity(self) -> float:
        return left_to_right_sum(_impurities(self.weights * self.counts, self.total))


@dataclass(frozen=True, slots=True, eq=False)
class _Candidates:
    """Ways to divide a node, in rpart's order.

    Attributes
    ----------
    left : whole numbers, shape (c, classes): records on the left by class.
    left_weights, right_weights : float64, shape (c,): running sums, rounded as rpart's are.
    """

    left: Values
    left_weights: Floats
    right_weights: Floats


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
) -> Split | None:
    """The split with the lowest Gini index; `x` and `y` in the predictor's order, `counts` the
    node's records by class, `levels` 0 for a number.
    """
    total = left_to_right_sum(weights[y])
    node = _Node(counts=counts, weights=weights, total=total, minbucket=minbucket)
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
    steps = node.weights[y]
    # records by class between one candidate and the next
    between = np.searchsorted(places, np.arange(len(y)))
    cells = np.bincount(between * classes + y, minlength=(len(places) + 1) * classes)
    candidates = _Candidates(
        left=np.cumsum(cells.reshape(-1, classes)[: len(places)], axis=0),
        left_weights=np.add.accumulate(steps)[places],
        right_weights=_running_rest(node.total, steps)[places],
    )
    rough = _rough_gini(candidates.left, node)
    near = _near_the_lowest(rough, node)
    best = _exactly_lowest(_chosen(candidates, near), node)
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
    by_level, level_weights = _by_level(codes, y, levels, node)
    present = np.flatnonzero(by_level.sum(axis=1))
    rates = by_level[present, 0] / level_weights[present]
    order = present[np.argsort(rates, kind="stable")][:-1]
    if not len(order):
        return None
    candidates = _Candidates(
        left=np.cumsum(by_level[order], axis=0),
        left_weights=np.add.accumulate(level_weights[order]),
        right_weights=_running_rest(node.total, level_weights[order]),
    )
    allowed = _large_enough(candidates.left.sum(axis=1), node)
    best = _exactly_lowest(_chosen(candidates, allowed), node)
    if best is None:
        return None
    moved = order[: allowed[best.place] + 1]
    directions = directions_of(levels, present, moved, best.side)
    return Split(predictor, best.improvement, directions=directions)


def _class_factor(
    predictor: int, codes: Integers, y: Integers, levels: int, node: _Node
) -> Split | None:
    """All subsets in the order of the Gray code: each step moves one level to the other side."""
    by_level, level_weights = _by_level(codes, y, levels, node)
    present = np.flatnonzero(by_level.sum(axis=1))
    movable = present[present < levels - 1]  # the factor's last level never moves
    if len(present) < 2:
        return None
    members = by_level[movable]
    near = _near_the_lowest(_rough_gini_of_subsets(members, node), node)
    if not len(near):
        return None
    chosen = _members_at(near + 1, len(movable))
    steps = level_weights[movable]
    candidates = _Candidates(
        left=chosen @ members,
        left_weights=_weights_on_the_way(0.0, steps, near),
        right_weights=_weights_on_the_way(node.total, -steps, near),
    )
    best = _exactly_lowest(candidates, node)
    if best is None:
        return None
    moved = movable[chosen[best.place] > 0]
    directions = directions_of(levels, present, moved, best.side)
    return Split(predictor, best.improvement, directions=directions)


def _by_level(codes: Integers, y: Integers, levels: int, node: _Node) -> tuple[Floats, Floats]:
    """Records by level and class, and the weight of each level."""
    classes = len(node.counts)
    cells = np.bincount(codes * classes + y, minlength=levels * classes)
    by_level = cells.reshape(levels, classes).astype(np.float64)
    level_weights = np.bincount(codes, weights=node.weights[y], minlength=levels)
    return by_level, np.asarray(level_weights, dtype=np.float64)


def _running_rest(total: float, steps: Floats) -> Floats:
    """What is left of the total after each step; not the same as total minus the running sum."""
    return np.subtract.accumulate(np.concatenate(([total], steps)))[1:]


def _chosen(candidates: _Candidates, places: Integers) -> _Candidates:
    return _Candidates(
        left=candidates.left[places],
        left_weights=candidates.left_weights[places],
        right_weights=candidates.right_weights[places],
    )


def _large_enough(left_sizes: Values, node: _Node) -> Integers:
    allowed = (left_sizes >= node.minbucket) & (node.size - left_sizes >= node.minbucket)
    return np.flatnonzero(allowed)


# ---- Gini's index: roughly for all candidates, exactly for the best ----------------------


def _near_the_lowest(rough: Floats, node: _Node) -> Integers:
    """Places of the candidates that may be the best one."""
    lowest = rough.min() if len(rough) else np.inf
    return np.flatnonzero(rough <= lowest + NEAR * node.size) if np.isfinite(lowest) else NONE


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

    Sizes and sums of squares are built up level by level, so that the work does not depend on the
    number of classes.
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
    """Who belongs to the subset after each step of the Gray code: 0 or 1, as real numbers, so that
    sums over members are a matrix product (exact for counts).
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
    """Running weights at some places of the Gray code. Their rounding depends on the whole way, so
    the way is gone, as far as the last place.
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
    start = node.impurity
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
