"""Classification and regression trees, grown as R's rpart grows them for `syn()`.

`grow` gives the tree, `Tree.nodes_of` says where records end; records may have levels that a node
has not seen, then surrogates decide.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..core.arrays import Flags, Integers, Values
from .gini import class_split, class_weights
from .row_order import rpart_order
from .splits import (
    ABSENT,
    LEFT,
    RIGHT,
    Split,
    anova_split,
    factor_surrogate,
    left_to_right_sum,
    number_surrogate,
)

__all__ = ["Branch", "Node", "Outcome", "Predictor", "Tree", "TreeRules", "grow", "surrogates"]

DEEPEST = 2**30 - 1  # the largest number of a node that may be split: 30 levels
WORTH_MENTIONING = 1e-10
SURROGATES = 5
NO_CLASSES = np.empty(0, dtype=np.int64)


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
    def of(cls, name: str, values: Values, levels: int = 0, ordered: bool = False) -> Predictor:
        rows = np.arange(len(values)) if levels else rpart_order(values)
        return cls(name=name, values=values, levels=levels, ordered=ordered, rows=rows)


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """The column that is predicted: numbers, or places among the `levels` that occur."""

    values: Values
    levels: Integers | None = None

    @property
    def classes(self) -> int:
        """How many classes there are; 0 for numbers."""
        return 0 if self.levels is None else len(self.levels)


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


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
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
        balance = len(branch.right.rows) - len(branch.left.rows)
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

    def __init__(self, predictors: list[Predictor], outcome: Outcome, rules: TreeRules) -> None:
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
            return Node(number=number, rows=rows, risk=risk, counts=NO_CLASSES)
        counts = np.bincount(self.y[rows], minlength=self.classes)
        risk = float(len(rows) - counts.max())
        return Node(number=number, rows=rows, risk=risk, counts=counts)

    def _partition(self, node: Node, orders: list[Integers]) -> Below:
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
        node.branch = Branch(split=split, left=left, right=right)
        return below

    def _may_be_split(self, node: Node, at_stake: float) -> bool:
        large_enough = len(node.rows) >= self.rules.minsplit
        return large_enough and at_stake > self.alpha and node.number <= DEEPEST

    def _leaf(self, node: Node) -> Below:
        node.complexity = self.alpha
        return Below(splits=0, risk=node.risk)

    def _best_split(self, node: Node, orders: list[Integers]) -> Split | None:
        best: Split | None = None
        for place in range(len(self.predictors)):
            to_beat = -np.inf if best is None else best.improvement
            offer = self._offer(place, node, orders[place], to_beat)
            if offer is None:
                continue
            self.largest_improvement = max(self.largest_improvement, offer.improvement)
            if not offer.improvement > WORTH_MENTIONING * self.largest_improvement:
                continue
            if best is None or offer.improvement > best.improvement:
                best = offer
        return best

    def _offer(self, place: int, node: Node, order: Integers, to_beat: float) -> Split | None:
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
            to_beat=to_beat,
        )

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
        left_rows = node.rows[goes_left]
        right_rows = node.rows[~goes_left]
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
        left = self._node(2 * node.number, left_rows, left_orders[0])
        right = self._node(2 * node.number + 1, right_rows, right_orders[0])
        return left, right, left_orders, right_orders


@dataclass(frozen=True, slots=True)
class Below:
    """Splits below a node, and the risk that remains after them."""

    splits: int
    risk: float


def _together(node: Node, left: Node, right: Node, below_left: Below, below_right: Below) -> Below:
    """What both children come to, this split included. A child counts as a leaf where its own
    splits gain less than this one does; this changes the figures only, the child stays split.
    """
    if right.complexity > left.complexity:  # the child with the smaller complexity comes first
        first, second = left, right
        below_first, below_second = below_left, below_right
    else:
        first, second = right, left
        below_first, below_second = below_right, below_left
    if _gain_per_split(node, below_first, below_second) > first.complexity:
        below_first = Below(splits=0, risk=first.risk)
        if _gain_per_split(node, below_first, below_second) > second.complexity:
            below_second = Below(splits=0, risk=second.risk)
    splits = below_first.splits + below_second.splits + 1
    return Below(splits=splits, risk=below_first.risk + below_second.risk)


def _gain_per_split(node: Node, one: Below, other: Below) -> float:
    return (node.risk - (one.risk + other.risk)) / (one.splits + other.splits + 1)


def surrogates(predictors: list[Predictor], branch: Branch) -> list[Split]:
    """Up to five splits by other predictors that agree best with a node's own."""
    n_left, n_right = len(branch.left.rows), len(branch.right.rows)
    went_left = np.zeros(len(predictors[0].values), dtype=bool)
    went_left[branch.left.rows] = True
    in_node = went_left.copy()
    in_node[branch.right.rows] = True
    offers = []
    for place, predictor in enumerate(predictors):
        if place == branch.split.predictor:
            continue
        order = predictor.rows[in_node[predictor.rows]]
        x, left = predictor.values[order], went_left[order]
        if predictor.levels:
            offer = factor_surrogate(place, x, left, levels=predictor.levels)
        else:
            offer = number_surrogate(place, x, left)
        if offer is not None and _is_worth_having(offer.improvement, n_left, n_right):
            offers.append(offer)
    offers.sort(key=lambda offer: -offer.improvement)  # stable: equal ones in order of columns
    return offers[:SURROGATES]


def _is_worth_having(agreement: float, n_left: int, n_right: int) -> bool:
    """Whether a surrogate agrees more often than sending all records to the larger child."""
    majority = max(n_left, n_right) / (n_left + n_right)
    return (agreement - majority) / (1 - majority) > WORTH_MENTIONING
