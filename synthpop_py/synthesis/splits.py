"""The best split of a node by one predictor, as rpart searches for it.

Candidates are compared in rpart's order with strict inequality, so the first best one stays. All
sums run from left to right, because the last bit can decide between two candidates.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..core.arrays import Flags, Floats, Integers, Values

LEFT, ABSENT, RIGHT = -1, 0, 1
NEAR = 1e-9  # candidates nearer to the best than this share are compared exactly
FEW_MEMBERS = 6  # up to so many levels all subsets are counted by one matrix product
NONE = np.empty(0, dtype=np.int64)

# Improvement, sides, cut. The sides of a factor are those of its levels (0 for levels that the node
# lacks) and the cut is NaN; those of a number are the sides of values below and above the cut.
Offer = tuple[float, Integers, float]


def anova_number(x: Floats, deviations: Floats, minbucket: int) -> Offer | None:
    """The improvement is in squares; in proportion to the node's risk it is rpart's."""
    places = places_to_cut(x, minbucket)
    if not len(places):
        return None
    running = np.add.accumulate(deviations)[places]
    sizes = places + 1
    squares = running * running
    right_sizes = len(x) - sizes
    gains = squares / sizes + squares / right_sizes
    best = int(np.argmax(gains))
    if not gains[best] > 0:
        return None
    below = LEFT if running[best] < 0 else RIGHT
    return _cut(x, places[best], float(gains[best]), below)


def anova_factor(codes: Integers, deviations: Floats, levels: int, minbucket: int) -> Offer | None:
    sizes = np.bincount(codes, minlength=levels)
    sums = _by_code(codes, deviations, levels)
    present = np.flatnonzero(sizes)
    means = sums[present] / sizes[present]
    order = present[np.argsort(means, kind="stable")][:-1]
    if not len(order):
        return None
    left_sums = np.add.accumulate(sums[order])
    right_sums = _running_rest(0.0, sums[order])
    left_sizes = np.cumsum(sizes[order])
    right_sizes = len(codes) - left_sizes
    left_gains = left_sums * left_sums / left_sizes
    right_gains = right_sums * right_sums / right_sizes
    gains = left_gains + right_gains
    smaller = np.minimum(left_sizes, right_sizes)
    gains[smaller < minbucket] = -1.0
    best = int(np.argmax(gains))
    if not gains[best] > 0:
        return None
    left_mean = left_sums[best] / left_sizes[best]
    right_mean = right_sums[best] / right_sizes[best]
    side = RIGHT if left_mean > right_mean else LEFT
    sides = _sides(levels, present, order[: best + 1], side)
    return float(gains[best]), sides, np.nan


def places_to_cut(x: Floats, minbucket: int) -> Integers:
    """Places after which a numeric predictor can be cut."""
    first, last = minbucket - 1, len(x) - minbucket
    following = x[first + 1 : last + 1]
    changes = x[first:last] != following
    return np.flatnonzero(changes) + first


def _cut(x: Floats, place: int, improvement: float, below: int) -> Offer:
    cut = (x[place] + x[place + 1]) / 2
    return improvement, np.array([below, -below], dtype=np.int8), float(cut)


def _sides(levels: int, present: Integers, moved: Integers, side: int) -> Integers:
    """`side` for the levels that were moved, the other one for the rest of those present."""
    sides = np.zeros(levels, dtype=np.int8)
    sides[present] = -side
    sides[moved] = side
    return sides


def left_to_right_sum(values: Floats) -> float:
    """The sum in the order of the values; NumPy's own adds pairs."""
    return float(np.add.accumulate(values)[-1]) if len(values) else 0.0


def _by_code(codes: Integers, amounts: Floats, levels: int) -> Floats:
    """The amounts of each level, added up in their order."""
    return np.asarray(np.bincount(codes, weights=amounts, minlength=levels), dtype=np.float64)


def _running_rest(total: float, steps: Floats) -> Floats:
    """What is left of the total after each step; not the same as total minus the running sum."""
    return np.subtract.accumulate(np.append(total, steps))[1:]


def class_weights(counts: Integers) -> Floats:
    """What a record of each class weighs in Gini's index, from the class counts of the root.

    Each weight is 1 up to rounding, and the rounding decides between near-equal splits.
    """
    if len(counts) == 1:
        return np.ones(1)
    frequencies = counts / counts.sum()
    terms = np.tile(frequencies, (len(counts) - 1, 1))
    shares = np.add.accumulate(terms)[-1]
    whole = left_to_right_sum(terms.T.ravel())
    weights: Floats = shares / (whole * frequencies)
    return weights


class Gini:
    """The index of a node's splits: found roughly for all candidates, in few passes, and to the
    last bit for those that may be the best.

    counts, weights : shape (classes,), of the node's records.
    to_beat : the improvement that another predictor offers.
    """

    def __init__(self, counts: Integers, weights: Floats, minbucket: int, to_beat: float) -> None:
        self.counts, self.weights = counts, weights
        self.minbucket, self.to_beat = minbucket, to_beat
        self.size = int(counts.sum())

    def number(self, x: Floats, y: Integers) -> Offer | None:
        """The best cut of a number."""
        places = places_to_cut(x, self.minbucket)
        if not len(places):
            return None
        classes = len(self.counts)
        # records by class between one candidate and the next
        between = np.searchsorted(places, np.arange(len(y)))
        size = (len(places) + 1) * classes
        cells = np.bincount(between * classes + y, minlength=size).reshape(-1, classes)
        left = np.cumsum(cells[:-1], axis=0)
        near = self._near_the_lowest(*self._sums(left))
        if not len(near):
            return None
        steps = self.weights[y]
        sums = np.add.accumulate(steps)
        total = float(sums[-1])
        rest = _running_rest(total, steps)
        at = places[near]
        best = self._lowest(left[near], sums[at], rest[at], total)
        if best is None:
            return None
        place, improvement, side = best
        return _cut(x, at[place], improvement, side)

    def factor(self, codes: Integers, y: Integers, levels: int) -> Offer | None:
        """The best division of the levels of a factor."""
        classes = len(self.counts)
        cells = np.bincount(codes * classes + y, minlength=levels * classes)
        by_level = cells.reshape(levels, classes).astype(np.float64)
        present = np.flatnonzero(by_level.sum(axis=1))
        if len(present) < 2:
            return None
        search = self._prefixes if classes == 2 else self._subsets
        return search(codes, y, by_level, present)

    def _prefixes(
        self, codes: Integers, y: Integers, by_level: Floats, present: Integers
    ) -> Offer | None:
        """Of two classes: levels in the order of their share of the first class; what comes first
        goes to one side.
        """
        of_levels, total = self._weights_of(codes, y, len(by_level))
        rates = by_level[present, 0] / of_levels[present]
        order = present[np.argsort(rates, kind="stable")][:-1]
        left = np.cumsum(by_level[order], axis=0)
        sizes = left.sum(axis=1)
        smaller = np.minimum(sizes, self.size - sizes)
        allowed = np.flatnonzero(smaller >= self.minbucket)
        sums = np.add.accumulate(of_levels[order])
        rest = _running_rest(total, of_levels[order])
        best = self._lowest(left[allowed], sums[allowed], rest[allowed], total)
        if best is None:
            return None
        place, improvement, side = best
        moved = order[: allowed[place] + 1]
        return improvement, _sides(len(by_level), present, moved, side), np.nan

    def _subsets(
        self, codes: Integers, y: Integers, by_level: Floats, present: Integers
    ) -> Offer | None:
        """Of more classes: all subsets in the order of the Gray code, in which each step moves one
        level to the other side. The factor's last level never moves.
        """
        movable = present[present < len(by_level) - 1]
        members = by_level[movable]
        if len(movable) <= FEW_MEMBERS:
            steps = np.arange(1, 1 << len(movable))
            left = _members_at(steps, len(movable)) @ members
            near = self._near_the_lowest(*self._sums(left))
        else:
            sizes = _sums_over_subsets(members.sum(axis=1))[1:]
            squares = _squares_over_subsets(members @ members.T)[1:]
            cross = _sums_over_subsets(members @ self.counts)[1:]
            near = self._near_the_lowest(sizes, squares, cross)
        if not len(near):
            return None
        chosen = _members_at(near + 1, len(movable))
        of_levels, total = self._weights_of(codes, y, len(by_level))
        sums = _weights_on_the_way(0.0, of_levels[movable], near)
        rest = _weights_on_the_way(total, -of_levels[movable], near)
        best = self._lowest(chosen @ members, sums, rest, total)
        if best is None:
            return None
        place, improvement, side = best
        moved = movable[chosen[place] > 0]
        return improvement, _sides(len(by_level), present, moved, side), np.nan

    def _weights_of(self, codes: Integers, y: Integers, levels: int) -> tuple[Floats, float]:
        """The weights of all levels, and of all records."""
        weights = self.weights[y]
        return _by_code(codes, weights, levels), left_to_right_sum(weights)

    def _sums(self, left: Values) -> tuple[Values, Values, Values]:
        """What `_near_the_lowest` needs of candidates with these records on the left, by class."""
        return left.sum(axis=1), np.einsum("ij,ij->i", left, left), left @ self.counts

    def _near_the_lowest(self, sizes: Values, squares: Values, cross: Values) -> Integers:
        """Places of the candidates that may be the best one, as if all weights were exactly 1.

        sizes, squares, cross : for each candidate the records on the left, the sum of their squared
            counts by class, and that of the counts times those of the node.
        """
        right_sizes = self.size - sizes
        right_squares = self.counts @ self.counts - 2 * cross + squares
        with np.errstate(divide="ignore", invalid="ignore"):
            rough = -squares / sizes - right_squares / right_sizes
        smaller = np.minimum(sizes, right_sizes)
        rough[smaller < self.minbucket] = np.inf
        lowest = rough.min(initial=np.inf)
        start = self.counts @ self.counts / self.size
        margin = NEAR * self.size
        if lowest == np.inf or -lowest - start < self.to_beat - margin:
            return NONE
        return np.flatnonzero(rough <= lowest + margin)

    def _lowest(
        self, left: Values, left_weights: Floats, right_weights: Floats, total: float
    ) -> tuple[int, float, int] | None:
        """The first candidate with the lowest index to the last bit: its place, its improvement,
        and the side of its left part. None if none is below the node's own.

        left : shape (c, classes), records on the left by class.
        left_weights, right_weights : shape (c,), running sums, rounded as rpart's are.
        total : weight of all records, added up in the predictor's order.
        """
        if not len(left):
            return None
        left_amounts = self.weights * left
        right_amounts = self.weights * (self.counts - left)
        # for class after class first the left side, then the right
        terms = np.empty((len(left), 2 * len(self.counts)))
        terms[:, 0::2] = _impurities(left_amounts, left_weights[:, None])
        terms[:, 1::2] = _impurities(right_amounts, right_weights[:, None])
        exact = np.add.accumulate(terms, axis=1)[:, -1]
        place = int(np.argmin(exact))
        start = left_to_right_sum(_impurities(self.weights * self.counts, total))
        if not exact[place] < start:
            return None
        left_mean = _mean_class(left_amounts[place], left_weights[place])
        right_mean = _mean_class(right_amounts[place], right_weights[place])
        # equal means exchange the sides, as larger ones do
        side = LEFT if left_mean < right_mean else RIGHT
        return place, float(start - exact[place]), side


def _impurities(amounts: Floats, weight: Floats | float) -> Floats:
    shares = amounts / weight
    return weight * (shares * (1 - shares))


def _mean_class(amounts: Floats, weight: float) -> float:
    shares = amounts / weight
    return left_to_right_sum(shares * np.arange(len(shares)))


def _members_at(steps: Integers, members: int) -> Floats:
    """Members of the subset after each step of the Gray code: 0 or 1, as floats, so sums over
    members are a matrix product (exact for counts).
    """
    gray = steps ^ (steps >> 1)
    bits = gray[:, None] >> np.arange(members)
    return (bits & 1).astype(np.float64)


def _sums_over_subsets(amounts: Floats) -> Floats:
    """The sum of the members of every subset, from the empty one on, in the order of the Gray
    code: the second half is the first one backwards, with one more member.
    """
    sums = np.zeros(1 << len(amounts))
    for place, amount in enumerate(amounts.tolist()):
        half = 1 << place
        backwards = sums[:half][::-1]
        sums[half : 2 * half] = backwards + amount
    return sums


def _squares_over_subsets(products: Floats) -> Floats:
    """The sum of squares over classes of every subset, from the inner products of its members."""
    squares = np.zeros(1 << len(products))
    for place in range(len(products)):
        half = 1 << place
        crossed = _sums_over_subsets(products[place, :place])
        with_new = squares[:half] + 2 * crossed + products[place, place]
        squares[half : 2 * half] = with_new[::-1]
    return squares


@lru_cache(maxsize=32)
def _gray_steps(members: int) -> tuple[Integers, Floats]:
    """For the steps 1, 2, …: which member moves, and +1 if it joins or -1 if it leaves."""
    steps = np.arange(1, 1 << members)
    moving = np.log2(steps & -steps).astype(np.int64)
    joins = ((steps ^ (steps >> 1)) >> moving) & 1
    return moving, 2.0 * joins - 1.0


def _weights_on_the_way(start: float, steps: Floats, places: Integers) -> Floats:
    """Running weights at some places of the Gray code. Their rounding depends on the whole path, so
    the path is followed to the last place.
    """
    moving, signs = _gray_steps(len(steps))
    end = int(places[-1]) + 1
    way = steps[moving[:end]] * signs[:end]
    return np.add.accumulate(np.append(start, way))[1:][places]


def number_surrogate(x: Floats, left: Flags) -> Offer | None:
    """The cut that agrees best with where rows went (`left`), in the order of the predictor; its
    improvement is the share of rows that agree.
    """
    cuts = places_to_cut(x, 2)  # at least two rows on each side
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
    below = LEFT if same_way[best] > crossed[best] else RIGHT
    share = agreements[best] / len(x)
    return _cut(x, cuts[best], float(share), below)


def factor_surrogate(codes: Integers, left: Flags, levels: int) -> Offer | None:
    """Every level goes where most of its rows went; on a tie to the larger child, else right."""
    to_left = np.bincount(codes[left], minlength=levels)
    to_right = np.bincount(codes[~left], minlength=levels)
    tie = LEFT if to_left.sum() > to_right.sum() else RIGHT
    sides = np.full(levels, tie, dtype=np.int8)
    sides[to_left > to_right] = LEFT
    sides[to_left < to_right] = RIGHT
    sides[to_left + to_right == 0] = ABSENT
    agreement = int(np.maximum(to_left, to_right).sum())
    # rpart means to ask for two rows sent each way, but its counters hold agreement
    if agreement < 2 or len(codes) - agreement < 2:
        return None
    return agreement / len(codes), sides, np.nan
