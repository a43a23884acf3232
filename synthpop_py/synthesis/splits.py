"""The best split of a node by one predictor, as rpart searches for it.

Candidates are compared in rpart's order with strict inequality, so the first best one stays. All
sums run from left to right, because the last bit can decide between two candidates.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..core.arrays import Flags, Floats, Integers, Values
from ..errors import InputError, SlowWarning, some, warn

LEFT, ABSENT, RIGHT = -1, 0, 1
NEAR = 1e-9  # candidates nearer to the best than this share are compared exactly
FEW_MEMBERS = 6  # up to so many levels all subsets are counted by one matrix product
NONE = np.empty(0, dtype=np.int64)
TOO_MANY_LEVELS = 26  # from here on the search over subsets of levels needs gigabytes
# what that search takes: measured with 20 to 25 levels and 3 to 10 classes (about the mean), and
# with SD2011 (nodes of a tree that hold next to all levels of a factor)
SECONDS_PER_SUBSET = 8e-8
BYTES_PER_SUBSET = 60
NODES_WITH_ALL_LEVELS = 10
LONG = 5.0  # seconds from which on it is announced
CURE = (
    "Put such a factor last in visit_sequence, set its column of predictor_matrix to 0, or merge"
    " its levels"
)


class Split(NamedTuple):
    """A split by one predictor.

    Attributes
    ----------
    predictor : its position.
    improvement : what rpart calls so; of a surrogate the share of rows that agree.
    cut, below : where a number is cut, and the side of values below.
    directions : int8, shape (levels,), for a factor: the side of each level, 0 for levels that the
        node lacks.
    """

    predictor: int
    improvement: float
    cut: float = np.nan
    below: int = ABSENT
    directions: Integers | None = None


# ---- where numbers are predicted: the largest gain in sums of squares --------------------------


def anova_number(
    predictor: int, x: Floats, deviations: Floats, risk: float, minbucket: int
) -> Split | None:
    places = _places_to_cut(x, minbucket)
    if not len(places):
        return None
    running = np.add.accumulate(deviations)[places]
    sizes = places + 1
    squares = running * running
    gains = squares / sizes + squares / (len(x) - sizes)
    best = int(np.argmax(gains))
    if not gains[best] > 0:
        return None
    below = LEFT if running[best] < -running[best] else RIGHT
    return Split(predictor, float(gains[best] / risk), _cut(x, places[best]), below)


def anova_factor(
    predictor: int, codes: Integers, deviations: Floats, levels: int, risk: float, minbucket: int
) -> Split | None:
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
    gains = left_sums * left_sums / left_sizes + right_sums * right_sums / right_sizes
    gains[(left_sizes < minbucket) | (right_sizes < minbucket)] = -1.0
    best = int(np.argmax(gains))
    if not gains[best] > 0:
        return None
    prefix_mean = left_sums[best] / left_sizes[best]
    side = RIGHT if prefix_mean > right_sums[best] / right_sizes[best] else LEFT
    directions = _directions(levels, present, order[: best + 1], side)
    return Split(predictor, float(gains[best] / risk), directions=directions)


def _places_to_cut(x: Floats, minbucket: int) -> Integers:
    """Places after which a numeric predictor can be cut."""
    first, last = minbucket - 1, len(x) - minbucket
    return np.flatnonzero(x[first:last] != x[first + 1 : last + 1]) + first


def _cut(x: Floats, place: int) -> float:
    return float((x[place] + x[place + 1]) / 2)


def _directions(levels: int, present: Integers, moved: Integers, side: int) -> Integers:
    """`side` for the levels that were moved, the other one for the rest of those present."""
    directions = np.zeros(levels, dtype=np.int8)
    directions[present] = -side
    directions[moved] = side
    return directions


def left_to_right_sum(values: Floats) -> float:
    """The sum in the order of the values; NumPy's own adds pairs."""
    return float(np.add.accumulate(values)[-1]) if len(values) else 0.0


def _by_code(codes: Integers, amounts: Floats, levels: int) -> Floats:
    """The amounts of each level, added up in their order."""
    return np.asarray(np.bincount(codes, weights=amounts, minlength=levels), dtype=np.float64)


def _running_rest(total: float, steps: Floats) -> Floats:
    """What is left of the total after each step; not the same as total minus the running sum."""
    return np.subtract.accumulate(np.concatenate(([total], steps)))[1:]


# ---- where classes are predicted: the lowest Gini index ----------------------------------------
# The index is found roughly for all candidates, in few passes, and to the last bit for those that
# may be the best.


class Members(NamedTuple):
    """The records of a node by class.

    Attributes
    ----------
    weights : of the classes.
    minbucket : the fewest records that a side may have.
    to_beat : the improvement that another predictor offers.
    """

    counts: Integers
    weights: Floats
    size: int
    minbucket: int
    to_beat: float


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


def class_number(predictor: int, x: Floats, y: Integers, node: Members) -> Split | None:
    places = _places_to_cut(x, node.minbucket)
    classes = len(node.counts)
    # records by class between one candidate and the next
    between = np.searchsorted(places, np.arange(len(y)))
    cells = np.bincount(between * classes + y, minlength=(len(places) + 1) * classes)
    left = np.cumsum(cells.reshape(-1, classes)[: len(places)], axis=0)
    near = _near_the_lowest(_rough_gini_of_rows(left, node), node)
    if not len(near):
        return None
    steps = node.weights[y]
    sums = np.add.accumulate(steps)
    rest = _running_rest(sums[-1], steps)
    at = places[near]
    best = _exactly_lowest(left[near], sums[at], rest[at], float(sums[-1]), node)
    if best is None:
        return None
    place, improvement, side = best
    return Split(predictor, improvement, _cut(x, at[place]), side)


def class_factor_two(
    predictor: int, codes: Integers, y: Integers, levels: int, node: Members
) -> Split | None:
    """Levels in the order of their share of the first class; what comes first goes to one side."""
    by_level = _by_level(codes, y, levels, node)
    level_weights = _by_code(codes, node.weights[y], levels)
    present = np.flatnonzero(by_level.sum(axis=1))
    rates = by_level[present, 0] / level_weights[present]
    order = present[np.argsort(rates, kind="stable")][:-1]
    left = np.cumsum(by_level[order], axis=0)
    sizes = left.sum(axis=1)
    allowed = np.flatnonzero((sizes >= node.minbucket) & (node.size - sizes >= node.minbucket))
    total = left_to_right_sum(node.weights[y])
    left_weights = np.add.accumulate(level_weights[order])[allowed]
    rest = _running_rest(total, level_weights[order])[allowed]
    best = _exactly_lowest(left[allowed], left_weights, rest, total, node)
    if best is None:
        return None
    place, improvement, side = best
    directions = _directions(levels, present, order[: allowed[place] + 1], side)
    return Split(predictor, improvement, directions=directions)


def class_factor(
    predictor: int, codes: Integers, y: Integers, levels: int, node: Members
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
    steps = _by_code(codes, weights, levels)[movable]
    left_weights = _weights_on_the_way(0.0, steps, near)
    right_weights = _weights_on_the_way(total, -steps, near)
    best = _exactly_lowest(chosen @ members, left_weights, right_weights, total, node)
    if best is None:
        return None
    place, improvement, side = best
    directions = _directions(levels, present, movable[chosen[place] > 0], side)
    return Split(predictor, improvement, directions=directions)


def _by_level(codes: Integers, y: Integers, levels: int, node: Members) -> Floats:
    """Records by level and class."""
    classes = len(node.counts)
    cells = np.bincount(codes * classes + y, minlength=levels * classes)
    return cells.reshape(levels, classes).astype(np.float64)


def _near_the_lowest(rough: Floats, node: Members) -> Integers:
    """Places of the candidates that may be the best one, of this predictor and of all."""
    lowest = float(rough.min()) if len(rough) else math.inf
    improvement = -lowest - float(node.counts @ node.counts) / node.size
    if not math.isfinite(lowest) or improvement < node.to_beat - NEAR * node.size:
        return NONE
    return np.flatnonzero(rough <= lowest + NEAR * node.size)


def _rough_gini(sizes: Values, squares: Values, cross: Values, node: Members) -> Floats:
    """The index as if all weights were exactly 1, infinite where a side is too small.

    Parameters
    ----------
    sizes, squares, cross : for each candidate the records on the left, the sum of their squared
        counts by class, and that of the counts times those of the node.
    """
    right_sizes = node.size - sizes
    right_squares = node.counts @ node.counts - 2 * cross + squares
    with np.errstate(divide="ignore", invalid="ignore"):
        rough: Floats = -squares / sizes - right_squares / right_sizes
    rough[(sizes < node.minbucket) | (right_sizes < node.minbucket)] = np.inf
    return rough


def _rough_gini_of_rows(left: Values, node: Members) -> Floats:
    squares = np.einsum("ij,ij->i", left, left)
    return _rough_gini(left.sum(axis=1), squares, left @ node.counts, node)


def _rough_gini_of_subsets(members: Floats, node: Members) -> Floats:
    """For all subsets of levels in the order of the Gray code. Sums are built up level by level, so
    the work does not depend on the number of classes.
    """
    if len(members) <= FEW_MEMBERS:
        chosen = _members_at(np.arange(1, 1 << len(members)), len(members))
        return _rough_gini_of_rows(chosen @ members, node)
    sizes = _sums_over_subsets(members.sum(axis=1))[1:]
    squares = _squares_over_subsets(members @ members.T)[1:]
    cross = _sums_over_subsets(members @ node.counts)[1:]
    return _rough_gini(sizes, squares, cross, node)


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
    joins = ((steps ^ (steps >> 1)) >> moving) & 1
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


def _exactly_lowest(
    left: Values, left_weights: Floats, right_weights: Floats, total: float, node: Members
) -> tuple[int, float, int] | None:
    """The first candidate with the lowest index to the last bit: its place, its improvement, and
    the side of its left part. None if none is below the node's own.

    Parameters
    ----------
    left : shape (c, classes), records on the left by class.
    left_weights, right_weights : shape (c,), running sums, rounded as rpart's are.
    total : weight of all records, added up in the predictor's order.
    """
    if not len(left):
        return None
    amounts = (node.weights * left, node.weights * (node.counts - left))
    # for class after class first the left side, then the right
    terms = np.empty((len(left), 2 * len(node.counts)))
    terms[:, 0::2] = _impurities(amounts[0], left_weights[:, None])
    terms[:, 1::2] = _impurities(amounts[1], right_weights[:, None])
    exact = np.add.accumulate(terms, axis=1)[:, -1]
    place = int(np.argmin(exact))
    start = left_to_right_sum(_impurities(node.weights * node.counts, total))
    if not exact[place] < start:
        return None
    left_mean = _mean_class(amounts[0][place], left_weights[place])
    right_mean = _mean_class(amounts[1][place], right_weights[place])
    # equal means exchange the sides, as larger ones do
    return place, float(start - exact[place]), LEFT if left_mean < right_mean else RIGHT


def _impurities(amounts: Floats, weight: Floats | float) -> Floats:
    shares = amounts / weight
    return weight * (shares * (1 - shares))


def _mean_class(amounts: Floats, weight: float) -> float:
    shares = amounts / weight
    return left_to_right_sum(shares * np.arange(len(shares)))


# ---- surrogates: splits that agree with another predictor's ---------------------------------


def number_surrogate(predictor: int, x: Floats, left: Flags) -> Split | None:
    """The cut that agrees best with where rows went (`left`), in the order of the predictor."""
    cuts = _places_to_cut(x, 2)  # at least two rows on each side
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
    return Split(predictor, float(agreements[best] / len(x)), _cut(x, cuts[best]), below)


def factor_surrogate(predictor: int, codes: Integers, left: Flags, levels: int) -> Split | None:
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


# ---- how long the search over subsets will take -------------------------------------------------


class SubsetSearch(NamedTuple):
    """A factor of which trees try every subset of levels: its codes, the outcomes of these trees,
    and how often each is grown.
    """

    name: str
    codes: Integers
    outcomes: list[str]
    times: int


def check_searches(searches: list[SubsetSearch]) -> None:
    """Warn of searches that take long, refuse those that would never finish."""
    refused = []
    for search in searches:
        levels = len(np.unique(search.codes))
        subsets = 2.0 ** (levels - 1)
        gigabytes = BYTES_PER_SUBSET * subsets / 1e9
        # as people write it: 0.27, 8.1, 260
        needed = np.format_float_positional(gigabytes, precision=2, fractional=False, trim="-")
        told = (
            f"{search.name!r} has {levels} levels and predicts three or more classes (of "
            f"{some(search.outcomes, most=3)}), so a node tries 2^{levels - 1} subsets, which needs"
            f" {needed} GB"
        )
        nodes = min(NODES_WITH_ALL_LEVELS, max(1, len(search.codes) // levels))
        trees = len(search.outcomes) * search.times
        seconds = trees * nodes * SECONDS_PER_SUBSET * subsets
        if levels >= TOO_MANY_LEVELS:
            refused.append(told)
        elif seconds >= LONG:
            about = f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
            warn(f"{told}; this can take about {about}. {CURE}", SlowWarning)
    if refused:
        raise InputError(f"visit_sequence: {'; '.join(refused)}. {CURE}")
