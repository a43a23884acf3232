"""How much lies over each of many points: boxes with amounts, added up where the points are,
without a list of pairs of box and point.

A box adds its amount at its lowest corner and takes it away, or gives it back, at the others: 2
corners on a line, 4 in a plane. What lies over a point is the sum of all corners that are nowhere
above it. On one axis that is a running sum; every further axis is halved again and again, which
costs as many rounds as its number of ranks has bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from ..core.arrays import Flags, Integers, Values

__all__ = ["Boxes", "intersection", "over_points", "rounds"]


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """Boxes in whole numbers: from lo to hi - 1 on every axis.

    Attributes
    ----------
    record : int64, shape (B,): whose box it is.
    lo, hi : int64, shape (axes, B). size : the numbers on axis a run from 0 to size[a] - 1.
    """

    record: Integers
    lo: Integers
    hi: Integers
    size: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.record)

    def of(self, chosen: Values) -> Boxes:
        """Some of them, by flags or positions."""
        return Boxes(self.record[chosen], self.lo[:, chosen], self.hi[:, chosen], self.size)

    def in_order(self) -> Boxes:
        """In the order of their records."""
        return self.of(np.argsort(self.record, kind="stable"))


def intersection(first: Boxes, second: Boxes) -> Boxes:
    """What boxes of the same record have in common; both in the order of their records.

    Examples
    --------
    >>> one = Boxes(np.array([7]), np.array([[0]]), np.array([[4]]), (9,))
    >>> other = Boxes(np.array([7, 7]), np.array([[2, 6]]), np.array([[5, 8]]), (9,))
    >>> both = intersection(one, other)
    >>> both.lo.tolist(), both.hi.tolist()
    ([[2]], [[4]])
    """
    start = np.searchsorted(second.record, first.record, side="left")
    stop = np.searchsorted(second.record, first.record, side="right")
    partners = stop - start
    a = np.repeat(np.arange(len(first)), partners)
    before = np.cumsum(partners) - partners
    b = np.arange(len(a)) - np.repeat(before - start, partners)
    lo = np.maximum(first.lo[:, a], second.lo[:, b])
    hi = np.minimum(first.hi[:, a], second.hi[:, b])
    common = Boxes(first.record[a], lo, hi, first.size)
    some_left: Flags = np.all(lo < hi, axis=0)
    return common.of(some_left)


def over_points(boxes: Boxes, points: Integers, amounts: Integers | None = None) -> Integers:
    """How many boxes hold each point (int64, shape (axes, P)), or the sum of their amounts (int64,
    one for each box).

    Examples
    --------
    Two boxes of a plane, 0 to 1 by 0 to 1 and 1 to 2 by 1 to 2; the point (1, 1) is in both.

    >>> lo = np.array([[0, 1], [0, 1]])
    >>> boxes = Boxes(np.array([0, 1]), lo, lo + 2, (3, 3))
    >>> over_points(boxes, np.array([[1, 0, 2], [1, 2, 2]])).tolist()
    [2, 0, 1]
    """
    if amounts is None:
        amounts = np.ones(len(boxes), dtype=np.int64)
    # the axis of most ranks is summed, the others are halved
    axes = np.argsort(boxes.size, kind="stable")[::-1]
    corners, signed = _corners(boxes, axes, amounts)
    total = np.zeros(points.shape[1], dtype=np.int64)
    # sorted once, on the axis that is summed
    order = np.argsort(corners[0], kind="stable")
    number = np.argsort(points[axes[0]], kind="stable")
    everywhere = _Part(
        corners=[axis[order] for axis in corners],
        amounts=signed[order],
        corner_group=np.zeros(len(signed), dtype=np.int64),
        points=[points[axis][number] for axis in axes],
        point_group=np.zeros(len(total), dtype=np.int64),
        number=number,
    )
    everywhere.add_to(total, [boxes.size[axis] for axis in axes])
    return total


def rounds(size: Sequence[int]) -> int:
    """How often the running sum is made: the product of the bits of all axes but the largest."""
    smaller = sorted(size)[:-1]
    product_of_bits = 1
    for ranks in smaller:
        product_of_bits *= max(ranks.bit_length(), 1)
    return product_of_bits


def _corners(boxes: Boxes, axes: Values, amounts: Integers) -> tuple[list[Integers], Integers]:
    """All corners by axis, and the amount each adds; those beyond the last point of an axis are
    over none.
    """
    parts: list[list[Integers]] = [[] for _ in axes]
    signed = []
    for upper in product((False, True), repeat=len(axes)):
        ends = [boxes.hi[a] if up else boxes.lo[a] for a, up in zip(axes, upper)]
        inside = np.ones(len(boxes), dtype=bool)
        for end, axis in zip(ends, axes):
            inside &= end < boxes.size[axis]
        for part, end in zip(parts, ends):
            part.append(end[inside])
        signed.append((-1) ** sum(upper) * amounts[inside])
    return [np.concatenate(part) for part in parts], np.concatenate(signed)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Corners and points of which only those of the same group are compared; `number` says which
    point of all each one is.
    """

    corners: list[Integers]
    amounts: Integers
    corner_group: Integers
    points: list[Integers]
    point_group: Integers
    number: Integers

    def add_to(self, total: Integers, size: Sequence[int]) -> None:
        """Add to every point the corners of its group that are nowhere above it."""
        if not len(self.amounts) or not len(self.number):
            return
        if len(size) == 1:
            total[self.number] += self._running_sum(size[0])
            return
        # a point has every lower number in exactly one of these halves: in the lower one of the
        # pair whose upper one holds the point. One more than the point: as high counts as below.
        corner = self.corners[-1]
        point = self.points[-1] + 1
        for bit in range(size[-1].bit_length()):
            lower_half = corner >> bit & 1 == 0
            upper_half = point >> bit & 1 == 1
            pairs = (size[-1] >> bit + 1) + 1
            halves = self._halves(
                lower_half,
                self.corner_group * pairs + (corner >> bit + 1),
                upper_half,
                self.point_group * pairs + (point >> bit + 1),
            )
            halves.add_to(total, size[:-1])

    def _halves(
        self,
        corners: Flags,
        corner_group: Integers,
        points: Flags,
        point_group: Integers,
    ) -> _Part:
        """Some corners and points, on all axes but the last, in new groups."""
        return _Part(
            corners=[axis[corners] for axis in self.corners[:-1]],
            amounts=self.amounts[corners],
            corner_group=corner_group[corners],
            points=[axis[points] for axis in self.points[:-1]],
            point_group=point_group[points],
            number=self.number[points],
        )

    def _running_sum(self, size: int) -> Integers:
        """On one axis, on which corners and points ascend: the sum of the corners up to each
        point, within its group.
        """
        order = _by_group(self.corner_group)
        code = self.corner_group[order] * size + self.corners[0][order]
        so_far = np.append(0, np.cumsum(self.amounts[order]))
        # in ascending order too: neighbours are looked up near each other
        point_order = _by_group(self.point_group)
        begins = self.point_group[point_order] * size
        ends = begins + self.points[0][point_order]
        up_to_point = np.searchsorted(code, ends, side="right")
        up_to_group = np.searchsorted(code, begins, side="left")
        sums = np.empty(len(ends), dtype=np.int64)
        sums[point_order] = so_far[up_to_point] - so_far[up_to_group]
        return sums


def _by_group(group: Integers) -> Integers:
    """The order of the groups; within each, as before. Short numbers are sorted by their digits,
    in a fraction of the time.
    """
    if group.max(initial=0) < 2**16:
        group = group.astype(np.uint16)
    return np.argsort(group, kind="stable")
