"""Classification and regression trees, grown as R's rpart grows them for `syn()`.

Candidates for a split are compared in rpart's order with strict inequality, so the first best one
stays. The last bit can decide between two of them: sums run from left to right, and rows that are
equal in a predictor have the order in which rpart's quicksort leaves them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.arrays import Flags, Floats, Integers, Values
from . import splits
from .splits import ABSENT, LEFT, NONE, RIGHT, Gini, Offer, left_to_right_sum

__all__ = ["Node", "Predictor", "Split", "Tree"]

DEEPEST = 2**30 - 1  # the largest number of a node that may be split: 30 levels
WORTH_MENTIONING = 1e-10
SURROGATES = 5
SHORT = 11  # parts whose ends are nearer than this are sorted by insertion


class Predictor:
    """One column that predicts.

    values : numbers, or codes from 0 on for a factor; ordered factors are numbers (codes from 1).
    levels : how many levels a factor has, 0 for numbers.
    ordered : an ordered factor, whose records are compared with the cut in another way.
    rows : the rows in rpart's order; data order for a factor.
    """

    def __init__(self, name: str, values: Values, levels: int = 0, ordered: bool = False) -> None:
        self.name, self.values, self.levels, self.ordered = name, values, levels, ordered
        self.rows = np.arange(len(values)) if levels else rpart_order(values)


class Split(NamedTuple):
    """A split by one predictor.

    predictor : its position.
    improvement : what rpart calls so; of a surrogate the share of rows that agree.
    sides : int8, for a factor the side of each level, 0 for levels that the node lacks; for a
        number the sides of values below and above the cut.
    cut : where a number is cut, NaN for a factor.
    """

    predictor: int
    improvement: float
    sides: Integers
    cut: float

    def sides_of(self, values: Values, ordered: bool) -> Integers:
        """The side of each value of the predictor."""
        if np.isnan(self.cut):
            return self.sides[values]
        # a level between two present ones makes the cut a whole number: it belongs below
        below = values <= np.floor(self.cut) if ordered else values < self.cut
        sides: Integers = np.where(below, self.sides[0], self.sides[1])
        return sides


class Node:
    """A node of the tree: `number` is 1 for the root, 2i and 2i + 1 for the children of i.

    rows : int64, the node's rows in data order.
    risk : sum of squares, or records misclassified.
    counts : int64, shape (classes,); empty where numbers are predicted.
    children : none, or the left and the right one.
    surrogates : None until a record needs them.
    """

    def __init__(self, number: int, rows: Integers, risk: float, counts: Integers) -> None:
        self.number, self.rows, self.risk, self.counts = number, rows, risk, counts
        self.complexity = 0.0
        self.split: Split | None = None
        self.children: tuple[Node, ...] = ()
        self.surrogates: list[Split] | None = None

    def with_descendants(self) -> list[Node]:
        """This node and all below it: parents before their children, left before right."""
        nodes = [self]
        for child in self.children:
            nodes += child.with_descendants()
        return nodes


class Tree:
    """A tree as rpart grows it: "class" where there are classes, otherwise "anova".

    Parameters
    ----------
    y : what is predicted: numbers, or places among `levels`, all of which occur.
    minbucket, cp : the smallest leaf, and the least gain in relation to the root's risk.
    """

    def __init__(
        self,
        predictors: list[Predictor],
        y: Values,
        levels: Integers = NONE,
        *,
        minbucket: int = 5,
        cp: float = 1e-8,
    ) -> None:
        self.predictors, self.y, self.levels = predictors, y, levels
        self.minbucket, self.classes = minbucket, len(levels)
        self._largest_improvement = 0.0
        self._goes_left: Flags = np.zeros(len(y), dtype=bool)
        if self.classes:
            self._weights = splits.class_weights(np.bincount(y))
        rows = np.arange(len(y))
        self.root = self._node(1, rows, rows)
        self.root.complexity = self.root.risk
        self._alpha = cp * self.root.risk
        self._grow(self.root, [predictor.rows for predictor in predictors])

    def nodes(self) -> list[Node]:
        return self.root.with_descendants()

    def _node(self, number: int, rows: Integers, in_order: Integers) -> Node:
        """A node with its risk; sums run over `in_order`, the first predictor's order."""
        if self.classes:
            counts = np.bincount(self.y[rows], minlength=self.classes)
            return Node(number, rows, float(len(rows) - counts.max()), counts)
        y = self.y[in_order]
        deviations = y - left_to_right_sum(y) / max(len(y), 1)
        return Node(number, rows, left_to_right_sum(deviations * deviations), NONE)

    def _grow(self, node: Node, orders: list[Integers]) -> tuple[int, float]:
        """Split the node as far as it pays; returns the splits below it and their risk together.
        `node.complexity` is the limit that its parent passed down.
        """
        limit = node.complexity
        at_stake = node.risk if node.number == 1 else min(node.risk, limit)
        node.complexity = self._alpha
        split = None
        large_enough = len(node.rows) >= 3 * self.minbucket
        if large_enough and at_stake > self._alpha and node.number <= DEEPEST:
            split = self._best_split(node, orders)
        if split is None:
            return 0, node.risk
        (left, right), (left_orders, right_orders) = self._divided(node, split, orders)

        left.complexity = at_stake - self._alpha
        left_splits, left_risk = self._grow(left, left_orders)
        gain = max((node.risk - left_risk) / (left_splits + 1), node.risk - left.risk)
        right.complexity = min(gain, limit) - self._alpha
        right_splits, right_risk = self._grow(right, right_orders)

        # A child counts as a leaf where its own splits gain less than this one does, the child with
        # the smaller complexity first. This changes the figures only, the child stays split.
        splits, risk = left_splits + right_splits + 1, left_risk + right_risk
        first, first_splits, second, second_risk = right, right_splits, left, left_risk
        if right.complexity > left.complexity:
            first, first_splits, second, second_risk = left, left_splits, right, right_risk
        if (node.risk - risk) / splits > first.complexity:
            splits, risk = splits - first_splits, first.risk + second_risk
            if (node.risk - risk) / splits > second.complexity:
                splits, risk = 1, first.risk + second.risk
        complexity = (node.risk - risk) / splits
        if complexity <= self._alpha:
            return 0, node.risk
        node.complexity, node.split, node.children = complexity, split, (left, right)
        return splits, risk

    def _best_split(self, node: Node, orders: list[Integers]) -> Split | None:
        best: Split | None = None
        for place, order in enumerate(orders):
            to_beat = -np.inf if best is None else best.improvement
            offer = self._offer(self.predictors[place], node, order, to_beat)
            if offer is None:
                continue
            improvement = offer[0]
            self._largest_improvement = max(self._largest_improvement, improvement)
            is_large = improvement > WORTH_MENTIONING * self._largest_improvement
            if is_large and improvement > to_beat:
                best = Split(place, *offer)
        return best

    def _offer(
        self, predictor: Predictor, node: Node, order: Integers, to_beat: float
    ) -> Offer | None:
        """The best split by one predictor."""
        x, y, levels = predictor.values[order], self.y[order], predictor.levels
        if not levels and x[0] == x[-1]:
            return None
        if self.classes:
            gini = Gini(node.counts, self._weights, self.minbucket, to_beat)
            return gini.factor(x, y, levels) if levels else gini.number(x, y)
        deviations = y - left_to_right_sum(y) / len(y)
        if levels:
            offer = splits.anova_factor(x, deviations, levels, self.minbucket)
        else:
            offer = splits.anova_number(x, deviations, self.minbucket)
        if offer is None:
            return None
        gain, sides, cut = offer
        return gain / node.risk, sides, cut

    def _divided(
        self, node: Node, split: Split, orders: list[Integers]
    ) -> tuple[tuple[Node, Node], tuple[list[Integers], list[Integers]]]:
        """Both children, and for each its rows by predictor, in the same order as before."""
        predictor = self.predictors[split.predictor]
        sides = split.sides_of(predictor.values[node.rows], predictor.ordered)
        goes_left = sides == LEFT
        self._goes_left[node.rows] = goes_left
        left_rows, right_rows = node.rows[goes_left], node.rows[~goes_left]
        left_orders, right_orders = [], []
        for predictor, order in zip(self.predictors, orders, strict=True):
            to_left = self._goes_left[order]
            left_orders.append(left_rows if predictor.levels else order[to_left])
            right_orders.append(right_rows if predictor.levels else order[~to_left])
        number = 2 * node.number
        left = self._node(number, left_rows, left_orders[0])
        right = self._node(number + 1, right_rows, right_orders[0])
        return (left, right), (left_orders, right_orders)

    def ends_of(self, records: list[Values]) -> Integers:
        """The number of the node where each record ends; `records` has one array per predictor."""
        ends = np.zeros(len(records[0]), dtype=np.int64)
        waiting = [(self.root, np.arange(len(ends)))]
        while waiting:
            node, members = waiting.pop()
            if node.split is None:
                ends[members] = node.number
                continue
            sides = self._sides(node, node.split, records, members)
            ends[members[sides == ABSENT]] = node.number
            for child, side in zip(node.children, (LEFT, RIGHT), strict=True):
                there = members[sides == side]
                if len(there):
                    waiting.append((child, there))
        return ends

    def _sides(
        self, node: Node, split: Split, records: list[Values], members: Integers
    ) -> Integers:
        """Where records go from a node: by its split, else by a surrogate, else to the larger
        child; 0 for records that stay.
        """
        values = records[split.predictor][members]
        sides = split.sides_of(values, self.predictors[split.predictor].ordered)
        if not (sides == ABSENT).any():
            return sides
        for other in self.surrogates(node):
            undecided = np.flatnonzero(sides == ABSENT)
            values = records[other.predictor][members[undecided]]
            sides[undecided] = other.sides_of(values, self.predictors[other.predictor].ordered)
        left, right = node.children
        sides[sides == ABSENT] = np.sign(len(right.rows) - len(left.rows))
        return sides

    def surrogates(self, node: Node) -> list[Split]:
        """Up to five splits by other predictors that agree best with the node's own. Only records
        need them, so they are found when the first record does.
        """
        if node.split is None or node.surrogates is not None:
            return node.surrogates or []
        left, right = node.children
        went_left, in_node = np.zeros((2, len(self.y)), dtype=bool)
        went_left[left.rows] = True
        in_node[node.rows] = True
        majority = max(len(left.rows), len(right.rows)) / len(node.rows)
        found = []
        for place, predictor in enumerate(self.predictors):
            if place == node.split.predictor:
                continue
            order = predictor.rows[in_node[predictor.rows]]
            x, is_left = predictor.values[order], went_left[order]
            if predictor.levels:
                offer = splits.factor_surrogate(x, is_left, predictor.levels)
            else:
                offer = splits.number_surrogate(x, is_left)
            # better than sending all records to the larger child
            if offer and (offer[0] - majority) / (1 - majority) > WORTH_MENTIONING:
                found.append(Split(place, *offer))
        found.sort(key=lambda split: -split.improvement)  # stable: equal ones in column order
        node.surrogates = found[:SURROGATES]
        return node.surrogates


def rpart_order(values: Floats) -> Integers:
    """Rows in ascending order of `values`, equal ones in the order rpart leaves them in. Its
    quicksort is not stable, so its steps are followed, not only the result.

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
    middle = (start + stop) // 2
    _, pivot, _ = sorted((x[start], x[middle], x[stop]))
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
