"""How many records match each target in each released set, without a list of pairs wherever ranges
or boxes are enough.
"""

from __future__ import annotations

import numpy as np

from ..core.arrays import Integers
from .ball_tree import SHARE_OF_PAIRS, Balls, balls_of, count_in_balls
from .boxes import Space, space_of
from .effort import announce, told_blocks
from .reach import Entries, pairs
from .stabbing import over_points

__all__ = ["count_matches"]


def count_matches(entries: Entries, amounts: Integers | None = None) -> Integers:
    """Matches by target and set, or the sum of their records' amounts (int64): int64, shape (G,
    sets).
    """
    if entries.direct:
        return _count_ranges(entries, amounts)
    space = space_of(entries)
    if space is not None and space.cost < entries.reached().sum():
        return _count_boxes(space, amounts)
    balls = balls_of(entries)
    if balls is not None and amounts is None:
        return _count_in_balls(entries, balls)
    return _count_pairs(entries, amounts)


def _count_in_balls(entries: Entries, balls: Balls) -> Integers:
    """By a tree; in pairs if a distance is practically on the boundary."""
    announce(int(entries.reached().sum()) // SHARE_OF_PAIRS, entries.most_pairs)
    counts, sure = count_in_balls(entries, balls)
    if not sure.all():
        counts[~sure] = _count_pairs(entries.among(~sure), None)
    return counts


def _count_boxes(space: Space, amounts: Integers | None) -> Integers:
    """Every record of a set is a box over the targets that it matches."""
    sets = space.entries.sets
    counts = np.empty((space.entries.targets, sets), dtype=np.int64)
    for number in range(sets):
        boxes = space.boxes(number)
        amount = None if amounts is None else amounts[boxes.record]
        counts[:, number] = over_points(boxes, space.points, amount)
    return counts


def _count_pairs(entries: Entries, amounts: Integers | None) -> Integers:
    """Every pair within reach is checked, some millions at a time."""
    counts = np.zeros((entries.targets, entries.sets), dtype=np.int64)
    for start, stop in told_blocks(entries.reached(), entries.most_pairs):
        target, record, number = pairs(entries.within(start, stop))
        cell = (target - start) * entries.sets + number
        amount = None if amounts is None else amounts[record]
        _add(counts[start:stop].reshape(-1), cell, amount)
    return counts


def _count_ranges(entries: Entries, amounts: Integers | None) -> Integers:
    """The same where the ranges are the matches: what each range adds where it begins, and takes
    away where it ends.
    """
    sets = entries.sets
    # one place more than there are targets, for ranges that go to the end
    change = np.zeros((entries.targets + 1) * sets, dtype=np.int64)
    amount = None if amounts is None else amounts[entries.record]
    _add(change, entries.lo * sets + entries.set, amount)
    by_set = change.reshape(-1, sets)
    if not entries.points:
        _add(change, entries.hi * sets + entries.set, amount, sign=-1)
        np.cumsum(by_set, axis=0, out=by_set)
    return by_set[:-1]


def _add(out: Integers, at: Integers, amount: Integers | None, sign: int = 1) -> None:
    """Add ones, or whole amounts, at places that may repeat; in integers, which avoids rounding."""
    if amount is None:
        out += sign * np.bincount(at, minlength=len(out))
    else:
        np.add.at(out, at, sign * amount)
