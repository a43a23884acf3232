"""Classification and regression trees, grown as R's rpart grows them for `syn()`.

`grow` gives the tree, `Tree.nodes_of` says where records end; records may have levels that a node
has not seen, then surrogates decide.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..core.arrays import Flags, Floats, Integers, Values
from .row_order import rpart_order
from .splits import (
    ABSENT,
    LEFT,
    RIGHT,
    Split,
    anova_split,
    class_split,
    class_weights,
    left_to_right_sum,
)

__all__ = ["Node", "Outcome", "Predictor", "Tree", "TreeRules", "grow"]

DEEPEST = 2**30 - 1  # the largest number of a node that may be split: 30 levels
WORTH_MENTIONING = 1e-10
SURROGATES = 5


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
    rows: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    @classmethod
    def of(
        cls, name: str, values: Values, levels: int = 0, ordered: bool = False
    ) -> Predictor:
        rows = np.arange(len(values)) if levels else rpart_order(values)
        return cls(name=name, values=values, levels=levels, ordered=ordered, rows=rows)


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """The column that is predicted: numbers, or codes of `classes` classes (0: numbers)."""

    values: Values
    classes: int = 0


@dataclass(frozen=True, slots=True)
class TreeRules:
    """When to stop; `cp` is the least gain in relation to the root's risk."""

    minbucket: int = 5
    cp: float = 1e-8

    @property
    def minsplit(self) -> int:
        return 3 * self.minbucket


@dataclass(slots=True, eq=False)
class Node:
    """A node of the tree: `number` is 1 for the root, 2i and 2i + 1 for the children of i.

    Attributes
    ----------
    rows : int64, the node's rows in data order.
    risk : sum of squares, or records misclassified.
    counts : int64, shape (classes,), of a classification.
    """

    number: int
    rows: Integers
    risk: float
    complexity: float
    counts: Integers | None = None
    split: Split | None = None
    left: Node | None = None
    right: Node | None = None
    surrogates: list[Split] | None = None

    def leaves_and_inner(self) -> list[Node]:
        """This node and all below it."""
        if self.left is None or self.right is None:
            return [self]
        return [self, *self.left.leaves_and_inner(), *self.right.leaves_and_inner()]


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A tree with what it was grown from."""

    root: Node
    predictors: list[Predictor]
    outcome: Outcome

    def nodes(self) -> list[Node]:
        """All nodes, parents before their children, left before right."""
        return self.root.leaves_and_inner()

    def nodes_of(self, records: list[Values]) -> Integers:
        """The number of the node where each record ends; `records` has one array per predictor."""
        ends = np.zeros(len(records[0]), dtype=np.int64)
        waiting = [(self.root, np.arange(len(ends)))]
        while waiting:
            node, members = waiting.pop()
            if node.split is None or node.left is None or node.right is None:
                ends[members] = node.number
                continue
            sides = self._sides(node, records, members)
            ends[members[sides == ABSENT]] = node.number
            for child, side in ((node.left, LEFT), (node.right, RIGHT)):
                there = members[sides == side]
                if len(there):
                    waiting.append((child, there))
        return ends

    def _sides(self, node: Node, records: list[Values], members: Integers) -> Integers:
        """Where records go from a node: by its split, else by a surrogate, else to the larger
        child; 0 for records that stay.
        """
        assert node.split is not None and node.left is not None and node.right is not None
        sides = self._by_split(node.split, records, members)
        if (sides == ABSENT).any():
            if node.surrogates is None:  # records alone need them, so they are found when needed
                node.surrogates = _surrogates(self.predictors, node)
            for split in node.surrogates:
                open_ones = np.flatnonzero(sides == ABSENT)
                sides[open_ones] = self._by_split(split, records, members[open_ones])
            balance = len(node.right.rows) - len(node.left.rows)
            sides[sides == ABSENT] = np.sign(balance)
        return sides

    def _by_split(self, split: Split, records: list[Values], members: Integers) -> Integers:
        predictor = self.predictors[split.predictor]
        values = records[split.predictor][members]
        if split.directions is not None:
            return split.directions[values]
        # a level between two present ones makes the cut a whole number: it belongs below
        below = values <= np.floor(split.cut) if predictor.ordered else values < split.cut
        return np.where(below, split.below, -split.below).astype(np.int8)


def grow(predictors: list[Predictor], outcome: Outcome, rules: TreeRules) -> Tree:
    """The tree that rpart grows (method "anova" for numbers, "class" for classes)."""
    grower = _Grower(predictors, outcome, rules)
    return Tree(root=grower.tree(), predictors=predictors, outcome=outcome)


class _Grower:
    """Grows one tree; what changes on the way is the largest improvement seen."""

    def __init__(
        self, predictors: list[Predictor], outcome: Outcome, rules: TreeRules
    ) -> None:
        self.predictors = predictors
        self.y = outcome.values
        self.classes = outcome.classes
        self.rules = rules
        self.largest_improvement = 0.0
        self.goes_left: Flags = np.zeros(len(self.y), dtype=bool)
        if self.classes:
            self.weights = class_weights(np.bincount(self.y, minlength=self.classes))

    def tree(self) -> Node:
        rows = np.arange(len(self.y))
        root = self._node(1, rows, rows)
        self.alpha = self.rules.cp * root.risk
        root.complexity = root.risk
        self._partition(root, [predictor.rows for predictor in self.predictors])
        return root

    def _node(self, number: int, rows: Integers, in_order: Integers) -> Node:
        """A node with its risk; sums run over `in_order`, the first predictor's order."""
        if not self.classes:
            y = self.y[in_order]
            deviations = y - left_to_right_sum(y) / max(len(y), 1)
            risk = left_to_right_sum(deviations * deviations)
            return Node(number=number, rows=rows, risk=risk, complexity=0.0)
        counts = np.bincount(self.y[rows], minlength=self.classes)
        risk = float(len(rows) - counts.max())
        return Node(number=number, rows=rows, risk=risk, complexity=0.0, counts=counts)

    def _partition(self, node: Node, orders: list[Integers]) -> tuple[int, float]:
        """Split the node as far as it pays; returns the splits below it and their risk together.
        `node.complexity` is the limit that its parent passed down.
        """
        limit = node.complexity
        at_stake = node.risk if node.number == 1 else min(node.risk, limit)
        split = None
        if self._may_be_split(node, at_stake):
            split = self._best_split(node, orders)
        if split is None:
            return self._leaf(node)
        node.split = split
        left_orders, right_orders = self._children(node, split, orders)

        node.left.complexity = at_stake - self.alpha
        left_splits, left_risk = self._partition(node.left, left_orders)
        gain = max((node.risk - left_risk) / (left_splits + 1), node.risk - node.left.risk)
        node.right.complexity = min(gain, limit) - self.alpha
        right_splits, right_risk = self._partition(node.right, right_orders)

        left, right = (left_splits, left_risk), (right_splits, right_risk)
        left, right = _collapsed(node, left, right)
        node.complexity = _gain_per_split(node, left, right)
        if node.complexity <= self.alpha:
            return self._leaf(node)
        return left[0] + right[0] + 1, left[1] + right[1]

    def _may_be_split(self, node: Node, at_stake: float) -> bool:
        large_enough = len(node.rows) >= self.rules.minsplit
        return large_enough and at_stake > self.alpha and node.number <= DEEPEST

    def _leaf(self, node: Node) -> tuple[int, float]:
        node.split = node.left = node.right = None
        node.complexity = self.alpha
        return 0, node.risk

    def _best_split(self, node: Node, orders: list[Integers]) -> Split | None:
        best: Split | None = None
        for place in range(len(self.predictors)):
            offer = self._offer(place, node, orders[place])
            if offer is None:
                continue
            self.largest_improvement = max(self.largest_improvement, offer.improvement)
            if not offer.improvement > WORTH_MENTIONING * self.largest_improvement:
                continue
            if best is None or offer.improvement > best.improvement:
                best = offer
        return best

    def _offer(self, place: int, node: Node, order: Integers) -> Split | None:
        predictor = self.predictors[place]
        x = predictor.values[order]
        if not predictor.levels and x[0] == x[-1]:
            return None
        y = self.y[order]
        if not self.classes:
            return anova_split(
                place,
                x,
                y,
                levels=predictor.levels,
                risk=node.risk,
                minbucket=self.rules.minbucket,
            )
        return class_split(
            place,
            x,
            y,
            levels=predictor.levels,
            counts=node.counts,
            weights=self.weights,
            minbucket=self.rules.minbucket,
        )

    def _children(
        self, node: Node, split: Split, orders: list[Integers]
    ) -> tuple[list[Integers], list[Integers]]:
        """Make both children; each side keeps the order of rows."""
        values = self.predictors[split.predictor].values[node.rows]
        if split.directions is None:
            left = (values < split.cut) == (split.below == LEFT)
        else:
            left = split.directions[values] == LEFT
        self.goes_left[node.rows] = left
        left_rows = node.rows[left]
        right_rows = node.rows[~left]
        left_orders: list[Integers] = []
        right_orders: list[Integers] = []
        for predictor, order in zip(self.predictors, orders, strict=True):
            if predictor.levels:
                left_orders.append(left_rows)
                right_orders.append(right_rows)
            else:
                to_left = self.goes_left[order]
                left_orders.append(order[to_left])
                right_orders.append(order[~to_left])
        node.left = self._node(2 * node.number, left_rows, left_orders[0])
        node.right = self._node(2 * node.number + 1, right_rows, right_orders[0])
        return left_orders, right_orders


Below = tuple[int, float]  # splits below a child, and the risk that remains


def _gain_per_split(node: Node, left: Below, right: Below) -> float:
    return (node.risk - (left[1] + right[1])) / (left[0] + right[0] + 1)


def _collapsed(node: Node, left: Below, right: Below) -> tuple[Below, Below]:
    """Count a child as a leaf where its own splits gain less than this one does. This changes the
    figures only; the children stay.
    """
    left_limit, right_limit = node.left.complexity, node.right.complexity
    left_leaf, right_leaf = (0, node.left.risk), (0, node.right.risk)
    if right_limit > left_limit:
        if _gain_per_split(node, left, right) > left_limit:
            left = left_leaf
            if _gain_per_split(node, left, right) > right_limit:
                right = right_leaf
    elif _gain_per_split(node, left, right) > right_limit:
        right = right_leaf
        if _gain_per_split(node, left, right) > left_limit:
            left = left_leaf
    return left, right


# ---- surrogates ------------------------------------------------------------------------


def _surrogates(predictors: list[Predictor], node: Node) -> list[Split]:
    """Up to five splits by other predictors that agree best with the node's own."""
    assert node.left is not None and node.right is not None and node.split is not None
    went_left = np.zeros(len(predictors[0].values), dtype=bool)
    went_left[node.left.rows] = True
    in_node = np.zeros(len(went_left), dtype=bool)
    in_node[node.rows] = True
    n_left, n_right = len(node.left.rows), len(node.right.rows)
    larger = max(n_left, n_right)
    offers = []
    for place, predictor in enumerate(predictors):
        if place == node.split.predictor:
            continue
        order = predictor.rows[in_node[predictor.rows]]
        x, left = predictor.values[order], went_left[order]
        if predictor.levels:
            offer = _factor_surrogate(place, x, left, predictor.levels, n_left > n_right)
        else:
            offer = _number_surrogate(place, x, left, larger)
        if offer is not None:
            agreement, split = offer
            majority = larger / (n_left + n_right)
            gain = (agreement / (n_left + n_right) - majority) / (1 - majority)
            if gain > WORTH_MENTIONING:
                offers.append((agreement, split))
    offers.sort(key=lambda offer: -offer[0])  # stable: equal ones stay in the order of columns
    return [split for _, split in offers[:SURROGATES]]


def _number_surrogate(
    place: int, x: Floats, left: Flags, larger: int
) -> tuple[int, Split] | None:
    cuts = np.flatnonzero(x[1:-2] != x[2:-1]) + 1  # at least two rows on each side
    if not len(cuts):
        return None
    left_below = np.cumsum(left)[cuts]
    right_below = cuts + 1 - left_below
    left_above = left.sum() - left_below
    right_above = (~left).sum() - right_below
    same = left_below + right_above
    crossed = right_below + left_above
    agreements = np.maximum(same, crossed)
    best = int(np.argmax(agreements))
    if not agreements[best] > larger:
        return None
    cut = float((x[cuts[best]] + x[cuts[best] + 1]) / 2)
    below = LEFT if same[best] > crossed[best] else RIGHT
    agreement = int(agreements[best])
    return agreement, Split(place, agreement / len(x), cut=cut, below=below)


def _factor_surrogate(
    place: int, codes: Integers, left: Flags, levels: int, left_is_larger: bool
) -> tuple[int, Split] | None:
    to_left = np.bincount(codes[left], minlength=levels)
    to_right = np.bincount(codes[~left], minlength=levels)
    tie = LEFT if left_is_larger else RIGHT
    directions = np.where(to_left > to_right, LEFT, np.where(to_left < to_right, RIGHT, tie))
    directions[to_left + to_right == 0] = ABSENT
    agreement = int(np.maximum(to_left, to_right).sum())
    # rpart means to ask for two rows sent each way, but its counters hold agreement
    if agreement < 2 or len(codes) - agreement < 2:
        return None
    return agreement, Split(place, agreement / len(codes), directions=directions.astype(np.int8))
