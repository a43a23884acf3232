"""Classification and regression trees, grown as R's rpart grows them for `syn()`.

Candidates for a split are compared in rpart's order with strict inequality, so the first best one
stays. The last bit can decide between two of them: sums run from left to right, and rows that are
equal in a predictor have the order in which rpart's quicksort leaves them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..core.arrays import Flags, Floats, Integers, Values
from .splits import (
    ABSENT,
    LEFT,
    NONE,
    RIGHT,
    Members,
    Split,
    anova_factor,
    anova_number,
    class_factor,
    class_factor_two,
    class_number,
    class_weights,
    factor_surrogate,
    left_to_right_sum,
    number_surrogate,
)

__all__ = ["Branch", "Node", "Outcome", "Predictor", "Split", "Tree", "TreeRules", "grow"]

DEEPEST = 2**30 - 1  # the largest number of a node that may be split: 30 levels
WORTH_MENTIONING = 1e-10
SURROGATES = 5
SHORT = 11  # parts whose ends are nearer than this are sorted by insertion


@dataclass(frozen=True, slots=True, eq=False)
class Predictor:
    """One column that predicts.

    Attributes
    ----------
    values : numbers, or codes from 0 on for a factor; ordered factors are numbers (codes from 1).
    levels : how many levels a factor has, 0 for numbers.
    ordered : an ordered factor, whose records are compared with the cut in another way.
    rows : the rows in rpart's order; data order for a factor.
    """

    name: str
    values: Values
    levels: int = 0
    ordered: bool = False
    rows: Integers = field(default_factory=lambda: NONE)

    @classmethod
    def of(cls, name: str, values: Values, levels: int = 0, ordered: bool = False) -> Predictor:
        rows = np.arange(len(values)) if levels else rpart_order(values)
        return cls(name, values, levels, ordered, rows)


class Outcome(NamedTuple):
    """The column that is predicted: numbers, or places among the `levels` that occur."""

    values: Values
    levels: Integers | None = None


class TreeRules(NamedTuple):
    """When to stop; `cp` is the least gain in relation to the root's risk."""

    minbucket: int = 5
    cp: float = 1e-8


@dataclass(slots=True, eq=False)
class Node:
    """A node of the tree: `number` is 1 for the root, 2i and 2i + 1 for the children of i.

    Attributes
    ----------
    rows : int64, the node's rows in data order.
    risk : sum of squares, or records misclassified.
    counts : int64, shape (classes,); empty where numbers are predicted.
    """

    number: int
    rows: Integers
    risk: float
    counts: Integers
    complexity: float = 0.0
    branch: Branch | None = None

    def with_descendants(self) -> list[Node]:
        """This node and all below it."""
        if self.branch is None:
            return [self]
        left, right = self.branch.left, self.branch.right
        return [self, *left.with_descendants(), *right.with_descendants()]


@dataclass(slots=True, eq=False)
class Branch:
    """The branches of a split node. Only records need surrogates, so these are found when the first
    record needs one.
    """

    split: Split
    left: Node
    right: Node
    surrogates: list[Split] | None = None


class Tree(NamedTuple):
    """A tree with what it was grown from."""

    root: Node
    predictors: list[Predictor]
    outcome: Outcome

    def nodes(self) -> list[Node]:
        """All nodes, parents before their children, left before right."""
        return self.root.with_descendants()

    def nodes_of(self, records: list[Values]) -> Integers:
        """The number of the node where each record ends; `records` has one array per predictor."""
        ends = np.zeros(len(records[0]), dtype=np.int64)
        waiting = [(self.root, np.arange(len(ends)))]
        while waiting:
            node, members = waiting.pop()
            if node.branch is None:
                ends[members] = node.number
                continue
            sides = self._sides(node.branch, records, members)
            ends[members[sides == ABSENT]] = node.number
            for child, side in ((node.branch.left, LEFT), (node.branch.right, RIGHT)):
                there = members[sides == side]
                if len(there):
                    waiting.append((child, there))
        return ends

    def _sides(self, branch: Branch, records: list[Values], members: Integers) -> Integers:
        """Where records go from a node: by its split, else by a surrogate, else to the larger
        child; 0 for records that stay.
        """
        sides = self._by_split(branch.split, records, members)
        if not (sides == ABSENT).any():
            return sides
        if branch.surrogates is None:
            branch.surrogates = surrogates(self.predictors, branch)
        for split in branch.surrogates:
            undecided = np.flatnonzero(sides == ABSENT)
            sides[undecided] = self._by_split(split, records, members[undecided])
        sides[sides == ABSENT] = np.sign(len(branch.right.rows) - len(branch.left.rows))
        return sides

    def _by_split(self, split: Split, records: list[Values], members: Integers) -> Integers:
        values = records[split.predictor][members]
        if split.directions is not None:
            return split.directions[values]
        # a level between two present ones makes the cut a whole number: it belongs below
        ordered = self.predictors[split.predictor].ordered
        below = values <= np.floor(split.cut) if ordered else values < split.cut
        return np.where(below, split.below, -split.below).astype(np.int8)


# ---- growing -----------------------------------------------------------------------------


def grow(predictors: list[Predictor], outcome: Outcome, rules: TreeRules) -> Tree:
    """The tree that rpart grows (method "anova" for numbers, "class" for classes)."""
    return Tree(_Grower(predictors, outcome, rules).root(), predictors, outcome)


class _Below(NamedTuple):
    """Splits below a node, and the risk that remains after them."""

    splits: int
    risk: float


class _Grower:
    """Grows one tree; what changes on the way is the largest improvement seen."""

    def __init__(self, predictors: list[Predictor], outcome: Outcome, rules: TreeRules) -> None:
        self.predictors = predictors
        self.y = outcome.values
        self.classes = 0 if outcome.levels is None else len(outcome.levels)
        self.rules = rules
        self.largest_improvement = 0.0
        self.goes_left: Flags = np.zeros(len(self.y), dtype=bool)
        if self.classes:
            self.weights = class_weights(np.bincount(self.y, minlength=self.classes))

    def root(self) -> Node:
        rows = np.arange(len(self.y))
        root = self._node(1, rows, rows)
        self.alpha = self.rules.cp * root.risk
        root.complexity = root.risk
        self._partition(root, [predictor.rows for predictor in self.predictors])
        return root

    def _node(self, number: int, rows: Integers, in_order: Integers) -> Node:
        """A node with its risk; sums run over `in_order`, the first predictor's order."""
        if self.classes:
            counts = np.bincount(self.y[rows], minlength=self.classes)
            return Node(number, rows, float(len(rows) - counts.max()), counts)
        y = self.y[in_order]
        deviations = y - left_to_right_sum(y) / max(len(y), 1)
        return Node(number, rows, left_to_right_sum(deviations * deviations), NONE)

    def _partition(self, node: Node, orders: list[Integers]) -> _Below:
        """Split the node as far as it pays; returns the splits below it and their risk together.
        `node.complexity` is the limit that its parent passed down.
        """
        limit = node.complexity
        at_stake = node.risk if node.number == 1 else min(node.risk, limit)
        split = None
        large_enough = len(node.rows) >= 3 * self.rules.minbucket
        if large_enough and at_stake > self.alpha and node.number <= DEEPEST:
            split = self._best_split(node, orders)
        if split is None:
            return self._leaf(node)
        left, right, left_orders, right_orders = self._children(node, split, orders)

        left.complexity = at_stake - self.alpha
        below_left = self._partition(left, left_orders)
        gain = max((node.risk - below_left.risk) / (below_left.splits + 1), node.risk - left.risk)
        right.complexity = min(gain, limit) - self.alpha
        below_right = self._partition(right, right_orders)

        below = _together(node, left, right, below_left, below_right)
        node.complexity = (node.risk - below.risk) / below.splits
        if node.complexity <= self.alpha:
            return self._leaf(node)
        node.branch = Branch(split, left, right)
        return below

    def _leaf(self, node: Node) -> _Below:
        node.complexity = self.alpha
        return _Below(0, node.risk)

    def _best_split(self, node: Node, orders: list[Integers]) -> Split | None:
        best: Split | None = None
        for place, order in enumerate(orders):
            to_beat = -np.inf if best is None else best.improvement
            offer = self._offer(place, node, order, to_beat)
            if offer is None:
                continue
            self.largest_improvement = max(self.largest_improvement, offer.improvement)
            is_large = offer.improvement > WORTH_MENTIONING * self.largest_improvement
            if is_large and offer.improvement > to_beat:
                best = offer
        return best

    def _offer(self, place: int, node: Node, order: Integers, to_beat: float) -> Split | None:
        predictor = self.predictors[place]
        x, y = predictor.values[order], self.y[order]
        levels, minbucket = predictor.levels, self.rules.minbucket
        if not levels and x[0] == x[-1]:
            return None
        if self.classes:
            members = Members(node.counts, self.weights, len(y), minbucket, to_beat)
            if not levels:
                return class_number(place, x, y, members)
            search = class_factor_two if self.classes == 2 else class_factor
            return search(place, x, y, levels, members)
        deviations = y - left_to_right_sum(y) / len(y)
        if levels:
            return anova_factor(place, x, deviations, levels, node.risk, minbucket)
        return anova_number(place, x, deviations, node.risk, minbucket)

    def _children(
        self, node: Node, split: Split, orders: list[Integers]
    ) -> tuple[Node, Node, list[Integers], list[Integers]]:
        """Both children, each with its rows by predictor, in the same order as before."""
        values = self.predictors[split.predictor].values[node.rows]
        if split.directions is None:
            goes_left = (values < split.cut) == (split.below == LEFT)
        else:
            goes_left = split.directions[values] == LEFT
        self.goes_left[node.rows] = goes_left
        rows = (node.rows[goes_left], node.rows[~goes_left])
        both: tuple[list[Integers], list[Integers]] = ([], [])
        for predictor, order in zip(self.predictors, orders, strict=True):
            to_left = None if predictor.levels else self.goes_left[order]
            both[0].append(rows[0] if to_left is None else order[to_left])
            both[1].append(rows[1] if to_left is None else order[~to_left])
        left, right = (
            self._node(2 * node.number + side, rows[side], both[side][0]) for side in (0, 1)
        )
        return left, right, *both


def _together(
    node: Node, left: Node, right: Node, below_left: _Below, below_right: _Below
) -> _Below:
    """What both children come to, this split included. A child counts as a leaf where its own
    splits gain less than this one does; this changes the figures only, the child stays split.
    """
    first, second = (right, below_right), (left, below_left)
    if right.complexity > left.complexity:  # the child with the smaller complexity comes first
        first, second = second, first
    (child, below), (other_child, other) = first, second
    if _gain_per_split(node, below, other) > child.complexity:
        below = _Below(0, child.risk)
        if _gain_per_split(node, below, other) > other_child.complexity:
            other = _Below(0, other_child.risk)
    return _Below(below.splits + other.splits + 1, below.risk + other.risk)


def _gain_per_split(node: Node, one: _Below, other: _Below) -> float:
    return (node.risk - (one.risk + other.risk)) / (one.splits + other.splits + 1)


# ---- surrogates: splits that agree with another predictor's ---------------------------------


def surrogates(predictors: list[Predictor], branch: Branch) -> list[Split]:
    """Up to five splits by other predictors that agree best with a node's own."""
    went_left, in_node = np.zeros((2, len(predictors[0].values)), dtype=bool)
    went_left[branch.left.rows] = True
    in_node[branch.left.rows] = in_node[branch.right.rows] = True
    sizes = (len(branch.left.rows), len(branch.right.rows))
    majority = max(sizes) / sum(sizes)
    offers = []
    for place, predictor in enumerate(predictors):
        if place == branch.split.predictor:
            continue
        order = predictor.rows[in_node[predictor.rows]]
        x, left = predictor.values[order], went_left[order]
        if predictor.levels:
            offer = factor_surrogate(place, x, left, predictor.levels)
        else:
            offer = number_surrogate(place, x, left)
        # better than sending all records to the larger child
        if offer and (offer.improvement - majority) / (1 - majority) > WORTH_MENTIONING:
            offers.append(offer)
    offers.sort(key=lambda offer: -offer.improvement)  # stable: equal ones in order of columns
    return offers[:SURROGATES]


# ---- the order of rows -------------------------------------------------------------------------


def rpart_order(values: Floats) -> Integers:
    """Rows in ascending order of `values`, equal ones in the order rpart leaves them in. Its
    quicksort is not stable, so its steps are followed, not only the result.

    Examples
    --------
    >>> rpart_order(np.array([3.0, 1.0, 2.0])).tolist()
    [1, 2, 0]
    """
    x = values.tolist()
    rows = list(range(len(x)))
    parts = [(0, len(x) - 1)]
    while parts:
        start, stop = parts.pop()
        if stop - start < SHORT:
            _insert(x, rows, start, stop)
            continue
        below, above = _divide(x, rows, start, stop)
        parts += [(start, below), (above, stop)]
    return np.array(rows, dtype=np.int64)


def _insert(x: list[float], rows: list[int], start: int, stop: int) -> None:
    for i in range(start + 1, stop + 1):
        value, row = x[i], rows[i]
        j = i - 1
        while j >= start and x[j] > value:
            x[j + 1], rows[j + 1] = x[j], rows[j]
            j -= 1
        x[j + 1], rows[j + 1] = value, row


def _divide(x: list[float], rows: list[int], start: int, stop: int) -> tuple[int, int]:
    """Small values to the front, large ones to the end; returns the last of the small and the
    first of the large ones. What lies between equals the pivot.
    """
    pivot = sorted((x[start], x[(start + stop) // 2], x[stop]))[1]
    i, j = start, stop
    while i < j:
        while x[i] < pivot:
            i += 1
        while x[j] > pivot:
            j -= 1
        if i < j:
            if x[i] > x[j]:
                x[i], x[j] = x[j], x[i]
                rows[i], rows[j] = rows[j], rows[i]
            i += 1
            j -= 1
    while x[i] >= pivot and i > start:
        i -= 1
    while x[j] <= pivot and j < stop:
        j += 1
    return i, j
