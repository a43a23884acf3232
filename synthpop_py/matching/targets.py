"""The distinct keys of the targets, in an order in which the targets that a record matches are
neighbours.

Targets are sorted by cell, then (where there is a numeric key) by the section in which both ends of
the interval rise, then by value. So the targets one record matches in one released set form a range
of positions, found by bisection: memory and time grow with the records, not with records times
targets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..core.arrays import Flags, Floats, Integers, Values
from ..core.combinations import room_for
from .distances import squared_reach
from .intervals import ROUNDING, TINY, bounds
from .keys import KeyCells, MatchKeys

__all__ = ["Joint", "Ranges", "TargetKeys", "new_values", "target_keys", "whole_cells"]

SAMPLE = 512  # targets looked at to find out which numeric key leaves fewest records


@dataclass(frozen=True, slots=True)
class Joint:
    """A distance over several numeric keys, turned into Euclidean distance.

    Attributes
    ----------
    tables : whitened values of every table, shape (n_table, k) each.
    targets : those of the target keys, shape (G, k). reach : largest squared distance that
        matches, shape (G,).
    """

    tables: tuple[Floats, ...]
    targets: Floats
    reach: Floats


@dataclass(frozen=True, slots=True)
class Ranges:
    """Which targets are within reach of which records: record `record[e]` reaches targets lo[e] to
    hi[e] - 1. All int64, shape (E,).
    """

    record: Integers
    lo: Integers
    hi: Integers

    def of(self, chosen: Values) -> Ranges:
        """Some of them, by flags or positions."""
        return Ranges(self.record[chosen], self.lo[chosen], self.hi[chosen])


@dataclass(frozen=True, slots=True)
class TargetKeys:
    """G distinct target keys.

    Attributes
    ----------
    of_record : one per target (each an original record, unless the intruder has others): its key.
    example : shape (G,): a target that has it.
    cells : shape (C,): the occupied full cells, ascending. start : shape (C + 1,): where each cell
        begins.
    section : shape (G,), sections : their number.
    lower, upper : shape (number of numeric keys, G): values that match lie between, both included.
    sweep : the numeric key that orders the targets of a section; None when all keys are exact.
    joint : None without a joint distance. size : as in `KeyCells`.
    """

    of_record: Integers
    example: Integers
    cells: Integers
    start: Integers
    section: Integers
    sections: int
    lower: Floats
    upper: Floats
    sweep: int | None
    joint: Joint | None
    size: int

    def __len__(self) -> int:
        return len(self.example)

    def ranges(self, cells: Integers, values: Floats | None) -> Ranges:
        """Targets that records with these cells (and values of the sweep key) reach."""
        in_cell = _ranges_of_cells(self.cells, self.start, cells, self.size)
        if values is None:
            return in_cell
        value = values[in_cell.record]
        if self.sections == 1:
            return self._around(in_cell, value)
        parts = [self._in_section(section, in_cell, value) for section in range(self.sections)]
        return one_after_another(parts)

    def _in_section(self, section: int, in_cell: Ranges, value: Floats) -> Ranges:
        """Targets of one section whose interval holds the records' values."""
        near = self._near_section(section, value)
        within = in_cell.of(near)
        # the targets of a cell are in the order of their sections
        wanted = np.full(len(near), section)
        start = _bisect(self.section, within, wanted, after=False)
        stop = _bisect(self.section, within, wanted, after=True)
        return self._around(Ranges(within.record, start, stop), value[near])

    def _near_section(self, section: int, value: Floats) -> Integers:
        """Which values are between the ends of all intervals of a section."""
        # most records are far from most sections: without them there is little to bisect
        here = self.section == section
        if not here.any():
            return np.zeros(0, dtype=np.int64)
        lowest = self.lower[self.sweep][here].min()
        highest = self.upper[self.sweep][here].max()
        return np.flatnonzero((value >= lowest) & (value <= highest))

    def _around(self, within: Ranges, value: Floats) -> Ranges:
        """Of ranges in which both ends of the intervals rise, the part that holds the values."""
        # the first target whose interval has not ended, the first whose interval has not begun
        lo = _bisect(self.upper[self.sweep], within, value, after=False)
        hi = _bisect(self.lower[self.sweep], within, value, after=True)
        return Ranges(within.record, lo, hi).of(hi > lo)


def one_after_another(parts: Sequence[Ranges]) -> Ranges:
    """Several lists of ranges as one."""
    return Ranges(
        record=np.concatenate([part.record for part in parts]),
        lo=np.concatenate([part.lo for part in parts]),
        hi=np.concatenate([part.hi for part in parts]),
    )


def target_keys(keys: MatchKeys, cells: KeyCells) -> TargetKeys:
    """Sort the targets by their keys and number the distinct ones."""
    near = _nearness(keys)
    sweep = _most_selective(keys, near)
    section = np.zeros(keys.targets, dtype=np.int64) if sweep is None else near.sections[sweep]
    order, first = _distinct(cells.full[0], section, near.values, sweep)
    of_record = np.empty(keys.targets, dtype=np.int64)
    of_record[order] = np.cumsum(first) - 1
    example = order[first]
    occupied = cells.full[0][example]
    section = section[example]
    begins = np.flatnonzero(new_values(occupied))
    return TargetKeys(
        of_record=of_record,
        example=example,
        cells=occupied[begins],
        start=np.append(begins, len(example)),
        section=section,
        sections=int(section.max(initial=0)) + 1,
        lower=np.ascontiguousarray(near.lower[:, example]),
        upper=np.ascontiguousarray(near.upper[:, example]),
        sweep=sweep,
        joint=_joint(keys, near, example),
        size=cells.size,
    )


def new_values(*columns: Values) -> Flags:
    """Where a row of sorted columns differs from the one before it; the first always does."""
    new = np.zeros(len(columns[0]), dtype=bool)
    new[:1] = True
    for column in columns:
        new[1:] |= column[1:] != column[:-1]
    return new


@dataclass(frozen=True, slots=True)
class _Nearness:
    """For each numeric key and target (shape (number of numeric keys, targets)): its value, the
    values that match it, the section it is in.

    `joint` are the keys of the joint distance in the order of its columns, `whitening` its matrix;
    their intervals only narrow the search.
    """

    values: Floats
    lower: Floats
    upper: Floats
    sections: Integers
    joint: tuple[int, ...]
    whitening: Floats


def _nearness(keys: MatchKeys) -> _Nearness:
    joint = _joint_positions(keys)
    whitening, widths = _joint_scale(keys, joint)
    shape = (len(keys.numeric), keys.targets)
    values = np.zeros(shape)
    lower = np.zeros(shape)
    upper = np.zeros(shape)
    sections = np.zeros(shape, dtype=np.int64)
    for i, key in enumerate(keys.numeric):
        own = key.values[0]
        values[i] = own
        if key.interval is None:
            # closed whatever was asked for: the distance decides, this only narrows the search
            radii = np.full(keys.targets, widths[joint.index(i)])
            lower[i], upper[i] = bounds(own, radii, "closed")
        else:
            original = key.present(keys.truth)
            radii = key.interval.radii(own, original)
            lower[i], upper[i] = bounds(own, radii, keys.boundary)
            sections[i] = key.interval.sections(own, original)
        if key.missing is not None:
            # what is missing is compared by its cell alone
            lower[i, key.missing[0]] = -np.inf
            upper[i, key.missing[0]] = np.inf
    return _Nearness(
        values=values,
        lower=lower,
        upper=upper,
        sections=sections,
        joint=joint,
        whitening=whitening,
    )


def _joint_positions(keys: MatchKeys) -> tuple[int, ...]:
    """Where the columns of the joint distance are among the numeric keys."""
    if keys.distance is None:
        return ()
    names = [key.name for key in keys.numeric]
    return tuple(names.index(name) for name in keys.distance.columns or ())


def _joint_scale(keys: MatchKeys, joint: tuple[int, ...]) -> tuple[Floats, Floats]:
    """The whitening matrix, and how far from the target each variable alone can be within the
    radius.
    """
    if not joint or keys.distance is None:
        return np.zeros((0, 0)), np.zeros(0)
    columns = [keys.numeric[i].with_gaps()[keys.truth] for i in joint]
    whitening = keys.distance.whitening(np.column_stack(columns))
    # the farthest point of the ball along a coordinate: radius times the length of that row of the
    # inverse
    squares = np.linalg.inv(whitening) ** 2
    reach = keys.distance.radius * np.sqrt(squares.sum(axis=1))
    # a little more than that, so that rounding shuts out no record that the distance would admit
    return whitening, reach * (1 + 1e6 * ROUNDING) + TINY


def _joint(keys: MatchKeys, near: _Nearness, example: Integers) -> Joint | None:
    if not near.joint or keys.distance is None:
        return None
    columns = [keys.numeric[i].values for i in near.joint]
    # once for each table: a record is compared with many targets
    tables = tuple(np.column_stack(of_table) @ near.whitening.T for of_table in zip(*columns))
    targets = tables[0][example]
    reach = squared_reach(targets, keys.distance.radius, keys.boundary)
    return Joint(tables=tables, targets=targets, reach=reach)


def _most_selective(keys: MatchKeys, near: _Nearness) -> int | None:
    """The numeric key whose intervals hold fewest records, judged by some of the targets."""
    if not keys.numeric:
        return None
    if len(keys.numeric) == 1:
        return 0
    step = -(-keys.targets // SAMPLE)
    some = np.arange(0, keys.targets, step)
    held = []
    for key, lower, upper in zip(keys.numeric, near.lower, near.upper):
        ordered = np.sort(key.values[min(1, keys.sets)])
        up_to_upper = np.searchsorted(ordered, upper[some], "right")
        below_lower = np.searchsorted(ordered, lower[some], "left")
        held.append((up_to_upper - below_lower).sum())
    return int(np.argmin(held))


def _distinct(
    cells: Integers, section: Integers, values: Floats, sweep: int | None
) -> tuple[Integers, Flags]:
    """Records in the order of their keys, and where a new key begins."""
    if sweep is None:
        order = np.argsort(cells, kind="stable")
        return order, new_values(cells[order])
    # lexsort takes the most important column last
    others = [values[i] for i in range(len(values)) if i != sweep]
    columns = [*others, values[sweep], section, cells]
    order = np.lexsort(columns)
    first = np.zeros(len(cells), dtype=bool)
    for column in columns:
        # one ordered copy at a time: they are as long as the data
        first |= new_values(column[order])
    return order, first


def whole_cells(of_target: Integers, cells: Integers, size: int) -> Ranges:
    """Records against all targets of their cell, whatever the numbers; `of_target` is the cell of
    each target, ascending.
    """
    begins = np.flatnonzero(new_values(of_target))
    start = np.append(begins, len(of_target))
    return _ranges_of_cells(of_target[begins], start, cells, size)


def _ranges_of_cells(occupied: Integers, start: Integers, cells: Integers, size: int) -> Ranges:
    """The targets in each record's cell; those of the occupied cell number k are start[k] to
    start[k + 1] - 1.
    """
    position = _positions(occupied, cells, size)
    record = np.flatnonzero(position >= 0)
    position = position[record]
    return Ranges(record, start[position], start[position + 1])


def _positions(occupied: Integers, cells: Integers, size: int) -> Integers:
    """Where each cell is among the occupied ones (ascending); -1 where it is not."""
    if size <= room_for(len(cells) + len(occupied)):
        table = np.full(size, -1, dtype=np.int64)
        table[occupied] = np.arange(len(occupied))
        return table[cells]
    if not len(occupied):
        return np.full(len(cells), -1, dtype=np.int64)
    position = np.searchsorted(occupied, cells)
    position = np.minimum(position, len(occupied) - 1)
    return np.where(occupied[position] == cells, position, -1)


def _bisect(ascending: Values, within: Ranges, wanted: Values, *, after: bool) -> Integers:
    """In each range of an array that ascends there: the first position whose value is not below
    `wanted` (above it, with `after`).
    """
    lo = within.lo.copy()
    hi = within.hi.copy()
    longest = int((hi - lo).max(initial=0))
    last = max(len(ascending) - 1, 0)
    # all ranges at once; those that have closed stay as they are
    for _ in range(longest.bit_length()):
        middle = (lo + hi) >> 1
        value = ascending[np.minimum(middle, last)]
        passed = value <= wanted if after else value < wanted
        forward = passed & (lo < hi)
        lo = np.where(forward, middle + 1, lo)
        hi = np.where(forward, hi, middle)
    return lo
