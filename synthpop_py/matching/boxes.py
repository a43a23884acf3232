"""Matches without a list of pairs: intervals as boxes that lie over points, a distance by SciPy's
tree of the records; and the choice between these and pairs.

The targets that a record matches are those between two ranks on each axis: the first is the
position of the targets, each further numeric key has one of its own. A box adds its amount at its
lowest corner and takes it away, or gives it back, at the others: 2 corners on a line, 4 in a plane.
What lies over a point is the sum of all corners that are nowhere above it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from ..core.arrays import Flags, Floats, Integers, Values
from ..progress import Progress
from .matches import (
    NEAR,
    Joint,
    Leaders,
    Reach,
    Targets,
    among,
    announce,
    expanded,
    joined_leaders,
    leaders_in_pairs,
    pairs,
    sums_over,
)

# the cost of boxes, in pairs that could be checked in the same time (measured)
ROUND = 4  # a box in one round of halving
MOST_SETS = 16  # 65,535 combinations
SHARE_OF_PAIRS = 50  # of the records in a ball, the tree counts so many in the time of a pair
ROUNDED = 1e-13  # share of a squared distance; rounding between two programs is far less


# ---- counts --------------------------------------------------------------------------


def count_matches(targets: Targets, reach: Reach, amounts: Integers | None = None) -> Integers:
    """Records of a reach that match each target, or the sum of their amounts: int64, shape (G,)."""
    check = reach.check
    if not check.is_needed:
        of_range = None if amounts is None else amounts[reach.record]
        return sums_over(reach.lo, reach.hi, len(targets), of_range)
    if _boxes_pay(targets, [reach]):
        boxes = _boxes(targets, reach, check.names)
        of_box = None if amounts is None else amounts[boxes.record]
        return _over_points(boxes, _points(targets, check.names), of_box)
    unsure = np.arange(len(targets))
    counts = np.zeros(len(targets), dtype=np.int64)
    # where an interval has shortened the ranges, the tree would count too many
    alone = all(key.interval is None for key in targets.keys.numeric)
    if alone and targets.joint is not None and check.joint and amounts is None:
        announce(_reached([reach]) // SHARE_OF_PAIRS)
        counts, sure = _count_in_balls(targets, targets.joint, reach)
        unsure = np.flatnonzero(~sure)
    if len(unsure):
        cut = among(reach, unsure, len(targets))
        for target, record, _ in pairs(targets, [cut], unsure):
            if amounts is None:
                counts[unsure] += np.bincount(target, minlength=len(unsure))
            else:
                np.add.at(counts, unsure[target], amounts[record])
    return counts


def _count_in_balls(targets: Targets, joint: Joint, reach: Reach) -> tuple[Integers, Flags]:
    """Records within the distance of each target, and where rounding in the tree cannot have
    changed their number: a little below and a little above what matches it counts the same.
    """
    from scipy.spatial import cKDTree  # most calls have no distance, and it takes a while to load

    counts = np.zeros(len(targets), dtype=np.int64)
    # an open ball of radius 0 holds nobody
    asked = np.flatnonzero(joint.reach >= 0)
    # one more coordinate: records of different cells are farther apart than any radius
    apart = 2 * np.sqrt(max(joint.reach.max(initial=0), 0)) + 1
    cells = np.unique(targets.cells[0][targets.example], return_inverse=True)
    of_target = cells[1].reshape(-1)
    record, first = np.unique(reach.record, return_index=True)
    of_record = of_target[reach.lo[first]]
    values = joint.tables[reach.check.table][record]
    tree = cKDTree(np.column_stack([values, of_record * apart]))
    centres = np.column_stack([joint.targets, of_target * apart])[asked]
    fewer, more = (
        tree.query_ball_point(centres, np.sqrt(joint.reach[asked] * factor), return_length=True)
        for factor in (1 - ROUNDED, 1 + ROUNDED)
    )
    counts[asked] = fewer
    sure = np.ones(len(targets), dtype=bool)
    sure[asked] = fewer == more
    return np.where(sure, counts, 0), sure


# ---- leaders -------------------------------------------------------------------------


def leaders(
    targets: Targets,
    reaches: Sequence[Reach],
    wanted: Integers,
    counts: Integers,
    worth: Floats,
) -> Leaders:
    """Records at or near the highest sum of `worth` over the sets in which they match.

    Parameters
    ----------
    wanted : which of the targets (ascending); leaders are numbered among these.
    counts : int64, the matches; worth : float64; both of shape (wanted, sets).
    """
    if len(reaches) == 1:
        # all that match lead
        target = np.flatnonzero((counts[:, 0] > 0) & (worth[:, 0] > 0))
        return Leaders(target, np.ones((len(target), 1), dtype=bool), counts[target, 0])
    cut = [among(reach, wanted, len(targets)) for reach in reaches]
    if not _boxes_pay(targets, cut):
        return leaders_in_pairs(targets, cut, wanted, worth)
    # a record that matches in every set leads
    names = _names(reaches)
    common = _boxes(targets, reaches[0], names)
    for reach in reaches[1:]:
        common = _intersection(common, _boxes(targets, reach, names))
    points = _points(targets, names)[:, wanted]
    everywhere = np.where((worth > 0).all(axis=1), _over_points(common, points), 0)
    led = np.flatnonzero(everywhere)
    decided = Leaders(led, np.ones((len(led), len(cut)), dtype=bool), everywhere[led])
    left = np.flatnonzero(everywhere == 0)
    cut = [among(reach, left, len(wanted)) for reach in cut]
    if _boxes_pay(targets, cut, 2 ** len(cut)) and len(cut) <= MOST_SETS:
        others = _leaders_by_combination(targets, reaches, wanted[left], worth[left])
    else:
        others = leaders_in_pairs(targets, cut, wanted[left], worth[left])
    return joined_leaders([decided, others._replace(target=left[others.target])], len(cut))


def _leaders_by_combination(
    targets: Targets, reaches: Sequence[Reach], wanted: Integers, worth: Floats
) -> Leaders:
    """Sets are combined one after the other: the records that match a target in each set of a
    combination are boxes again, what their boxes in these sets have in common.

    A record with the highest sum of worth matches in some combination S, and no record matches in S
    and in another set too, or its sum would be higher. So the leaders are among the combinations
    that occur, and if no larger one occurs, the count of S is exact.
    """
    sets = len(reaches)
    combinations = 2**sets - 1
    names = _names(reaches)
    boxes = [_boxes(targets, reach, names) for reach in reaches]
    cost = ROUND * _rounds(boxes[0].size) * max(len(of_set.record) for of_set in boxes)
    announce(combinations * cost)
    points = _points(targets, names)[:, wanted]
    # the worth of this set and all after it
    left = np.cumsum(worth[:, ::-1], axis=1)[:, ::-1]
    best = np.zeros(len(wanted))
    found: list[tuple[Integers, Integers, Integers, Floats]] = []  # target, mask, count, sum

    def extend(
        mask: int, so_far: Boxes | None, target: Integers, value: Floats, first: int, done: int
    ) -> None:
        """Try the combination `mask` with each further set, then with sets added to that; `target`
        are those that somebody matches in all its sets.
        """
        for number in range(first, sets):
            progress.reach(done, "combinations of sets")
            # for the others the sets after this one cannot add enough
            possible = value + left[target, number] >= best[target] * (1 - NEAR)
            some = np.flatnonzero(possible & (worth[target, number] > 0))
            common = boxes[number] if so_far is None else _intersection(so_far, boxes[number])
            count = _over_points(common, points[:, target[some]])
            some, count = some[count > 0], count[count > 0]
            larger, sums = target[some], value[some] + worth[target[some], number]
            near = sums >= best[larger] * (1 - NEAR)
            best[larger] = np.maximum(best[larger], sums)
            ours = mask | 1 << number
            masks = np.full(int(near.sum()), ours)
            found.append((larger[near], masks, count[near], sums[near]))
            if len(larger):
                extend(ours, common, larger, sums, number + 1, done + 1)
            # this one, and all that add later sets to it
            done += 2 ** (sets - number - 1)

    with Progress(combinations, show=True) as progress:
        extend(0, None, np.arange(len(wanted)), np.zeros(len(wanted)), 0, 0)
    target, mask, count, value = (np.concatenate(column) for column in zip(*found))
    near = value >= best[target] * (1 - NEAR)
    return _largest(target[near], mask[near], count[near], sets)


def _largest(target: Integers, mask: Integers, count: Integers, sets: int) -> Leaders:
    """The combinations of each target that are not part of a larger one."""
    order = np.argsort(target, kind="stable")
    target, mask, count = target[order], mask[order], count[order]
    start = np.searchsorted(target, target, side="left")
    stop = np.searchsorted(target, target, side="right")
    other, row = expanded(start, stop)
    within = (mask[row] & mask[other] == mask[row]) & (mask[row] != mask[other])
    largest = np.bincount(row[within], minlength=len(target)) == 0
    bits = mask[largest, None] >> np.arange(sets) & 1 == 1
    return Leaders(target[largest], bits, count[largest])


# ---- boxes over points ---------------------------------------------------------------


class Boxes(NamedTuple):
    """Boxes in whole numbers, from lo to hi - 1 on every axis (int64, shape (axes, B)), in the
    order of the records whose they are; numbers on an axis are below its size.
    """

    record: Integers
    lo: Integers
    hi: Integers
    size: tuple[int, ...]

    def part(self, chosen: Values) -> Boxes:
        return Boxes(self.record[chosen], self.lo[:, chosen], self.hi[:, chosen], self.size)


def _names(reaches: Sequence[Reach]) -> tuple[int, ...]:
    """The numeric keys that have an axis, beside the positions."""
    return tuple(sorted({name for reach in reaches for name in reach.check.names}))


def _sizes(targets: Targets, names: Sequence[int]) -> tuple[int, ...]:
    return (len(targets), *(len(targets.axes[name].lower) for name in names))


def _points(targets: Targets, names: Sequence[int]) -> Integers:
    """Where the targets are, shape (1 + axes, G)."""
    return np.stack([np.arange(len(targets)), *(targets.ranks[name] for name in names)])


def _rounds(size: Sequence[int]) -> int:
    """How often a running sum is made: the product of the bits of all axes but the largest."""
    rounds = 1
    for ranks in sorted(size)[:-1]:
        rounds *= max(ranks.bit_length(), 1)
    return rounds


def _reached(reaches: Sequence[Reach]) -> int:
    """How many pairs are within reach."""
    return sum(int((reach.hi - reach.lo).sum()) for reach in reaches)


def _boxes_pay(targets: Targets, reaches: Sequence[Reach], times: int = 1) -> bool:
    """Whether boxes take less time than pairs, if those of a set are counted so many times."""
    if any(reach.check.joint for reach in reaches):
        return False
    names = _names(reaches)
    sections = sum(len(targets.axes[name].begins) for name in names)
    cost = ROUND * _rounds(_sizes(targets, names)) + sections
    # the reaches may be cut to the wanted targets, the boxes are not
    boxes = sum(len(targets.cells[reach.check.table]) for reach in reaches)
    if times > 1:
        boxes //= len(reaches)
    return boxes * cost * times < _reached(reaches)


def _boxes(targets: Targets, reach: Reach, names: Sequence[int]) -> Boxes:
    """The boxes of one set; on an axis that does not matter for it they go from end to end."""
    order = np.argsort(reach.record, kind="stable")
    record, lo, hi = reach.record[order], reach.lo[order][None], reach.hi[order][None]
    for name in names:
        axis = targets.axes[name]
        position = np.arange(len(record))
        low, high = np.zeros(len(record), dtype=np.int64), np.full(len(record), len(axis.lower))
        if name in reach.check.names:
            values = targets.keys.numeric[name].tables[reach.check.table]
            position, low, high = axis.spans(values[record])
            order = np.argsort(position, kind="stable")
            position, low, high = position[order], low[order], high[order]
        record = record[position]
        lo, hi = np.vstack([lo[:, position], low]), np.vstack([hi[:, position], high])
    return Boxes(record, lo, hi, _sizes(targets, names))


def _intersection(first: Boxes, second: Boxes) -> Boxes:
    """What boxes of the same record have in common."""
    start = np.searchsorted(second.record, first.record, side="left")
    stop = np.searchsorted(second.record, first.record, side="right")
    b, a = expanded(start, stop)
    lo = np.maximum(first.lo[:, a], second.lo[:, b])
    hi = np.minimum(first.hi[:, a], second.hi[:, b])
    common = Boxes(first.record[a], lo, hi, first.size)
    some_left: Flags = np.all(lo < hi, axis=0)
    return common.part(some_left)


def _over_points(boxes: Boxes, points: Integers, amounts: Integers | None = None) -> Integers:
    """How many boxes hold each point (int64, shape (axes, P)), or the sum of their amounts."""
    if len(points) == 1:
        over = sums_over(boxes.lo[0], boxes.hi[0], boxes.size[0], amounts)
        return np.asarray(over[points[0]])
    if amounts is None:
        amounts = np.ones(len(boxes.record), dtype=np.int64)
    # the axis of most ranks is summed, the others are halved
    axes = np.argsort(boxes.size, kind="stable")[::-1].tolist()
    corners: list[Integers] = []
    signed = []
    for upper in product((False, True), repeat=len(axes)):
        ends: Integers = np.stack(
            [boxes.hi[a] if up else boxes.lo[a] for a, up in zip(axes, upper)]
        )
        # beyond the last point there is nobody
        inside = (ends < np.array([boxes.size[a] for a in axes])[:, None]).all(axis=0)
        corners.append(ends[:, inside])
        signed.append((-1) ** sum(upper) * amounts[inside])
    corner, amount = np.concatenate(corners, axis=1), np.concatenate(signed)
    # sorted once, on the axis that is summed
    order = np.argsort(corner[0], kind="stable")
    number = np.argsort(points[axes[0]], kind="stable")
    total = np.zeros(points.shape[1], dtype=np.int64)
    _add(
        total,
        [boxes.size[a] for a in axes],
        ([axis[order] for axis in corner], amount[order], np.zeros(len(order), dtype=np.int64)),
        ([points[axis][number] for axis in axes], number, np.zeros(len(number), dtype=np.int64)),
    )
    return total


def _add(
    total: Integers,
    size: Sequence[int],
    corners: tuple[list[Integers], Integers, Integers],
    points: tuple[list[Integers], Integers, Integers],
) -> None:
    """Add to the total of every point the amounts of the corners that are nowhere above it.

    Corners have places (axis by axis), amounts and groups; points have places, numbers and groups.
    Only those of one group are compared. Both ascend on the first axis.
    """
    corner, amount, corner_group = corners
    point, number, point_group = points
    if not len(amount) or not len(number):
        return
    if len(size) == 1:
        order = _by_group(corner_group)
        code = corner_group[order] * size[0] + corner[0][order]
        so_far = np.append(0, np.cumsum(amount[order]))
        # in ascending order too: neighbours are looked up near each other
        order = _by_group(point_group)
        begins = point_group[order] * size[0]
        up_to_point = np.searchsorted(code, begins + point[0][order], side="right")
        up_to_group = np.searchsorted(code, begins, side="left")
        total[number[order]] += so_far[up_to_point] - so_far[up_to_group]
        return
    # a point has every lower number in exactly one of these halves: in the lower one of the pair
    # whose upper one holds the point. One more than the point: as high counts as below.
    last, above = corner[-1], point[-1] + 1
    for bit in range(size[-1].bit_length()):
        low, high = last >> bit & 1 == 0, above >> bit & 1 == 1
        groups = (size[-1] >> bit + 1) + 1
        of_corner = corner_group[low] * groups + (last[low] >> bit + 1)
        of_point = point_group[high] * groups + (above[high] >> bit + 1)
        _add(
            total,
            size[:-1],
            ([axis[low] for axis in corner[:-1]], amount[low], of_corner),
            ([axis[high] for axis in point[:-1]], number[high], of_point),
        )


def _by_group(group: Integers) -> Integers:
    """The order of the groups; within each, as before. Short numbers are sorted by their digits,
    in a fraction of the time.
    """
    if group.max(initial=0) < 2**16:
        group = group.astype(np.uint16)
    return np.argsort(group, kind="stable")
