"""Matches without a list of pairs: intervals as boxes that lie over points.

The targets that a record matches are those between two ranks on each axis: the first is the
position of the targets, each further numeric key has one of its own. A box adds its amount at its
lowest corner and takes it away, or gives it back, at the others: 2 corners on a line, 4 in a plane.
What lies over a point is the sum of all corners that are nowhere above it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from ..core.arrays import Integers


def covered(lo: Integers, hi: Integers, size: int, amounts: Integers | None = None) -> Integers:
    """How many of the ranges lo to hi - 1 cover each of `size` positions, or the sum of their
    amounts.
    """
    # one place more than there are positions, for ranges that go to the end
    if amounts is None:
        change = np.bincount(lo, minlength=size + 1)
        change -= np.bincount(hi, minlength=size + 1)
    else:
        # in integers, which avoids rounding
        change = np.zeros(size + 1, dtype=np.int64)
        np.add.at(change, lo, amounts)
        np.subtract.at(change, hi, amounts)
    return np.cumsum(change)[:-1]


def expanded(lo: Integers, hi: Integers) -> tuple[Integers, Integers]:
    """All positions of ranges one after the other, and the range each belongs to."""
    length = hi - lo
    if (length == 1).all():
        return lo, np.arange(lo.size)
    owner = np.repeat(np.arange(lo.size), length)
    before = np.cumsum(length) - length
    shift = np.repeat(before - lo, length)
    return np.arange(owner.size) - shift, owner


class Boxes:
    """Boxes in whole numbers, from lo to hi - 1 on every axis (`sides`, int64 each).

    `record` says whose box it is, ascending; `row`, which range it was made from.
    """

    def __init__(
        self, record: Integers, row: Integers, sides: Sequence[tuple[Integers, Integers]]
    ) -> None:
        self.record, self.row, self.sides = record, row, sides

    def within(self, other: Boxes) -> Boxes:
        """What boxes of the same record have in common."""
        start = np.searchsorted(other.record, self.record, side="left")
        stop = np.searchsorted(other.record, self.record, side="right")
        theirs, ours = expanded(start, stop)
        some = np.ones(ours.size, dtype=bool)
        sides = []
        for (lo, hi), (other_lo, other_hi) in zip(self.sides, other.sides):
            lo = np.maximum(lo[ours], other_lo[theirs])
            hi = np.minimum(hi[ours], other_hi[theirs])
            some &= lo < hi
            sides.append((lo, hi))
        ours = ours[some]
        sides = [(lo[some], hi[some]) for lo, hi in sides]
        return Boxes(self.record[ours], self.row[ours], sides)

    def over(self, points: Sequence[Integers], amounts: Integers | None = None) -> Integers:
        """How many boxes hold each point (its places by axis), or the sum of the amounts of their
        ranges.
        """
        of_box = None if amounts is None else amounts[self.row]
        if len(points) == 1:
            (lo, hi), (place,) = self.sides[0], points
            size = 1 + max(hi.max(initial=0), place.max(initial=0))
            of_position = covered(lo, hi, int(size), of_box)
            return np.asarray(of_position[place])
        weight = np.ones(self.row.size, np.int64) if of_box is None else of_box
        corners, signed = [], []
        for upper in product((0, 1), repeat=len(points)):
            sign = (-1) ** sum(upper)
            corners.append([side[up] for side, up in zip(self.sides, upper)])
            signed.append(sign * weight)
        axes = np.concatenate(corners, axis=1)
        order = np.argsort(axes[0], kind="stable")
        axes, signs = axes[:, order], np.concatenate(signed)[order]
        hi = np.searchsorted(axes[0], points[0], side="right")
        limits = [place + 1 for place in points[1:]]
        return sums_below(list(axes[1:]), signs, np.zeros_like(hi), hi, limits)


def sums_below(
    axes: Sequence[Integers],
    amounts: Integers,
    lo: Integers,
    hi: Integers,
    limits: Sequence[Integers],
) -> Integers:
    """The sum of the amounts lo to hi - 1 whose places are below the limit on every axis, for every
    question (lo, hi and the limits).

    By halves, bit by bit from the highest: what is in the lower half is below every limit in the
    upper one, and the rest is asked again within its half, where each question is a range too.

    Examples
    --------
    >>> places, amounts = np.array([5, 2, 7, 0]), np.array([1, 10, 100, 1000])
    >>> sums_below([places], amounts, np.array([0]), np.array([3]), [np.array([6])]).tolist()
    [11]
    """
    if not axes:
        total = np.append(0, np.cumsum(amounts))
        return np.asarray(total[hi] - total[lo])
    *others, last = axes
    *rest, limit = limits
    found = np.zeros(lo.size, dtype=np.int64)
    highest = max(last.max(initial=0), limit.max(initial=0))
    for bit in reversed(range(int(highest).bit_length())):
        low = (last >> bit & 1) == 0
        order = np.concatenate([np.flatnonzero(low), np.flatnonzero(~low)])
        others = [axis[order] for axis in others]
        last, amounts = last[order], amounts[order]
        before = np.append(0, np.cumsum(low))
        lower = before[-1]
        lo_low, hi_low = before[lo], before[hi]
        up = (limit >> bit & 1) == 1
        inner = [axis[:lower] for axis in others]
        of_rest = [of_axis[up] for of_axis in rest]
        found[up] += sums_below(inner, amounts[:lower], lo_low[up], hi_low[up], of_rest)
        lo = np.where(up, lower + lo - lo_low, lo_low)
        hi = np.where(up, lower + hi - hi_low, hi_low)
    return found
