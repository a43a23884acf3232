"""Intervals as boxes: the targets that a record matches are those between two ranks on each axis.

The first axis is the position of the targets, in which cells and one numeric key are; each other
numeric key has an axis of its own, on which its targets are ranked by value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import Flags, Floats, Integers
from .keys import MatchKeys
from .reach import Entries, Filter
from .stabbing import Boxes, rounds
from .targets import TargetKeys, new_values

__all__ = ["Space", "space_of"]

# the cost of boxes, in pairs that could be checked in the same time (measured)
ROUND = 4  # a box in one round of halving
LOOK_UP = 1  # a record in one section of an axis


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """A numeric key, its targets in the order of their values.

    Attributes
    ----------
    rank : int64, shape (number of target keys,): 0 for the lowest value; targets with the same
        value have the same.
    lower, upper : float64, shape (ranks,): values that match lie between, both included.
    begins : int64: where a section begins, in which both ends rise; the last is the number of
        ranks.
    gaps : bool, shape (sections,): the section of the targets without a value.
    """

    name: int
    rank: Integers
    lower: Floats
    upper: Floats
    begins: Integers
    gaps: Flags

    @property
    def size(self) -> int:
        return len(self.lower)

    def spans(self, values: Floats, missing: Flags) -> tuple[Integers, Integers, Integers]:
        """Ranks lo to hi - 1 that match a value: the position of the value, lo, hi. A value has as
        many spans as sections hold it.
        """
        parts = []
        for begin, end, gap in zip(self.begins[:-1], self.begins[1:], self.gaps):
            # the first target whose interval has not ended, the first whose has not begun
            lo = np.searchsorted(self.upper[begin:end], values, side="left")
            hi = np.searchsorted(self.lower[begin:end], values, side="right")
            held = np.flatnonzero((lo < hi) & (missing == gap))
            parts.append((held, lo[held] + begin, hi[held] + begin))
        position, lo, hi = (np.concatenate(part) for part in zip(*parts))
        return position, lo, hi


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """Where the boxes of some entries are: the axis of positions, then `axes`.

    Attributes
    ----------
    points : int64, shape (1 + number of axes, G): where the targets are.
    """

    entries: Entries
    axes: tuple[Axis, ...]
    points: Integers

    @property
    def size(self) -> tuple[int, ...]:
        return (self.entries.targets, *(axis.size for axis in self.axes))

    @property
    def cost(self) -> int:
        """What counting the boxes of all sets costs, in pairs."""
        sections = sum(len(axis.gaps) for axis in self.axes)
        of_entry = ROUND * rounds(self.size) + LOOK_UP * sections
        return len(self.entries.record) * of_entry

    def boxes(self, number: int) -> Boxes:
        """The boxes of one set, in the order of their records."""
        entries = self.entries
        here = np.flatnonzero(entries.set == number)
        boxes = Boxes(
            record=entries.record[here],
            lo=entries.lo[here][None, :],
            hi=entries.hi[here][None, :],
            size=self.size[:1],
        )
        for axis in self.axes:
            boxes = _with_axis(boxes, axis, entries.filters[number], int(entries.table[number]))
        return boxes.in_order()


def space_of(entries: Entries) -> Space | None:
    """The axes of the numeric keys that are still to be checked; None where a distance is, whose
    targets are no box.
    """
    checks = [check for check in entries.filters if check is not None]
    if not checks or any(check.joint for check in checks):
        return None
    names = sorted({name for check in checks for name in check.names})
    axes = [_axis(name, checks[0].keys, checks[0].targets) for name in names]
    ranks = [axis.rank[entries.target] for axis in axes]
    points = np.stack([np.arange(entries.targets), *ranks])
    return Space(entries=entries, axes=tuple(axes), points=points)


def _axis(name: int, keys: MatchKeys, targets: TargetKeys) -> Axis:
    """The targets ranked by one numeric key; those without a value come last."""
    values = keys.numeric[name].values[0][targets.example]
    missing = _missing(keys, name, 0)[targets.example]
    order = np.lexsort((values, missing))
    new = new_values(missing[order], values[order])
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.cumsum(new) - 1
    example = order[new]
    lower = targets.lower[name][example]
    upper = targets.upper[name][example]
    gap = missing[example]
    begins = np.flatnonzero(_falls(lower) | _falls(upper) | new_values(gap))
    return Axis(
        name=name,
        rank=rank,
        lower=lower,
        upper=upper,
        begins=np.append(begins, len(example)),
        gaps=gap[begins],
    )


def _falls(ends: Floats) -> Flags:
    """Where an end is below the one before it, so that another section must begin."""
    falls = np.zeros(len(ends), dtype=bool)
    falls[1:] = ends[1:] < ends[:-1]
    return falls


def _missing(keys: MatchKeys, name: int, table: int) -> Flags:
    """Which records of a table have no value of a numeric key."""
    key = keys.numeric[name]
    if key.missing is None:
        return np.zeros(len(key.values[table]), dtype=bool)
    return key.missing[table]


def _with_axis(boxes: Boxes, axis: Axis, check: Filter | None, table: int) -> Boxes:
    """The boxes, each as often as it has spans on one more axis; on an axis that does not matter
    for their set they go from end to end.
    """
    if check is None or axis.name not in check.names:
        position = np.arange(len(boxes))
        lo = np.zeros(len(boxes), dtype=np.int64)
        hi = np.full(len(boxes), axis.size)
    else:
        values = check.keys.numeric[axis.name].values[table][boxes.record]
        missing = _missing(check.keys, axis.name, table)[boxes.record]
        position, lo, hi = axis.spans(values, missing)
    return Boxes(
        record=boxes.record[position],
        lo=np.vstack([boxes.lo[:, position], lo]),
        hi=np.vstack([boxes.hi[:, position], hi]),
        size=(*boxes.size, axis.size),
    )
