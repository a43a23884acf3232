"""The distinct keys of the targets, in an order in which the targets that a record matches are
neighbours.

Targets are sorted by cell, then (where there is a numeric key) by the section in which both ends of
the interval rise, then by value. So the targets one record matches in one released set form a range
of positions, found by bisection: memory and time grow with the records, not with records times
targets.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import Flags, Floats, Integers, Values
from .distances import squared_reach
from .intervals import ROUNDING, TINY, bounds
from .keys import Cells, Keys

__all__ = ["Joint", "Ranges", "TargetKeys", "target_keys", "whole_cells"]

SAMPLE = 512  # targets looked at to find out which numeric key leaves fewest records
ROOM = 4  # a table from cells to positions may be so many times as long as the data


@dataclass(frozen=True, slots=True)
class Joint:
    """A distance over several numeric keys, turned into Euclidean distance.

    Attributes
    ----------
    keys : positions among the numeric keys.
    whitening : matrix, shape (k, k). targets : whitened values, shape (G, k). reach : largest
        squared distance that matches, shape (G,).
    """

    keys: tuple[int, ...]
    whitening: Floats
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


@dataclass(frozen=True, slots=True)
class TargetKeys:
    """G distinct target keys.

    Attributes
    ----------
    of_record : shape (n,): the target key of each original record.
    example : shape (G,): an original record that has it.
    cells : shape (C,): the occupied full cells, ascending. start : shape (C + 1,): where each cell
        begins.
    section : shape (G,), sections : their number.
    lower, upper : shape (number of numeric keys, G): values that match lie between, both included.
    sweep : the numeric key that orders the targets of a section; None when all keys are exact.
    joint : None without a joint distance. size : as in `Cells`.
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
        at = _positions(self.cells, cells, self.size)
        record = np.flatnonzero(at >= 0)
        at = at[record]
        start, stop = self.start[at], self.start[at + 1]
        if values is None:
            return Ranges(record, start, stop)
        parts = [
            self._in_section(s, record, start, stop, values[record]) for s in range(self.sections)
        ]
        return (
            Ranges(*(np.concatenate(column) for column in zip(*parts)))
            if len(parts) > 1
            else Ranges(*parts[0])
        )

    def _in_section(
        self,
        section: int,
        record: Integers,
        start: Integers,
        stop: Integers,
        value: Floats,
    ) -> tuple[Integers, Integers, Integers]:
        lower, upper = self.lower[self.sweep], self.upper[self.sweep]
        if self.sections > 1:
            here = self.section == section
            near = (
                np.flatnonzero((value >= lower[here].min()) & (value <= upper[here].max()))
                if here.any()
                else np.zeros(0, dtype=np.int64)
            )
            record, value = record[near], value[near]
            start, stop = start[near], stop[near]
            wanted = np.full(len(near), section)
            start, stop = (
                _bisect(self.section, start, stop, wanted, after=False),
                _bisect(self.section, start, stop, wanted, after=True),
            )
        lo = _bisect(upper, start, stop, value, after=False)
        hi = _bisect(lower, start, stop, value, after=True)
        kept = hi > lo
        return record[kept], lo[kept], hi[kept]


def target_keys(keys: Keys, cells: Cells) -> TargetKeys:
    """Sort the original records by their keys and number the distinct ones."""
    near = _nearness(keys)
    sweep = _most_selective(keys, near)
    section = np.zeros(keys.n, dtype=np.int64) if sweep is None else near.sections[sweep]
    order, first = _distinct(cells.full[0], section, near.values, sweep)
    of_record = np.empty(keys.n, dtype=np.int64)
    of_record[order] = np.cumsum(first) - 1
    example = order[first]
    occupied, section = cells.full[0][example], section[example]
    begins = np.flatnonzero(np.append(True, occupied[1:] != occupied[:-1]))
    return TargetKeys(
        of_record,
        example,
        occupied[begins],
        np.append(begins, len(example)),
        section,
        int(section.max(initial=0)) + 1,
        np.ascontiguousarray(near.lower[:, example]),
        np.ascontiguousarray(near.upper[:, example]),
        sweep,
        _joint(keys, near, example),
        cells.size,
    )


@dataclass(frozen=True, slots=True)
class _Nearness:
    """For each numeric key and original record (shape (number of numeric keys, n)): its value, the
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


def _nearness(keys: Keys) -> _Nearness:
    shape = (len(keys.numeric), keys.n)
    names = [key.name for key in keys.numeric]
    joint = (
        ()
        if keys.distance is None
        else tuple(names.index(name) for name in keys.distance.columns or ())
    )
    whitening, widths = _joint_scale(keys, joint)
    values, lower, upper, sections = (
        np.zeros(shape),
        np.zeros(shape),
        np.zeros(shape),
        np.zeros(shape, dtype=np.int64),
    )
    for i, key in enumerate(keys.numeric):
        values[i] = key.values[0]
        if key.interval is None:
            lower[i], upper[i] = bounds(
                values[i], np.full(keys.n, widths[joint.index(i)]), "closed"
            )
        else:
            lower[i], upper[i] = bounds(
                values[i], key.interval.radii(values[i], key.present()), keys.boundary
            )
            sections[i] = key.interval.sections(values[i], key.present())
        if key.missing is not None:  # what is missing is compared by its cell alone
            lower[i, key.missing[0]], upper[i, key.missing[0]] = -np.inf, np.inf
    return _Nearness(values, lower, upper, sections, joint, whitening)


def _joint(keys: Keys, near: _Nearness, example: Integers) -> Joint | None:
    if not near.joint or keys.distance is None:
        return None
    whitened = near.values[list(near.joint)][:, example].T @ near.whitening.T
    return Joint(
        near.joint,
        near.whitening,
        whitened,
        squared_reach(whitened, keys.distance.radius, keys.boundary),
    )


def whole_cells(of_target: Integers, cells: Integers, size: int) -> Ranges:
    """Records against all targets of their cell, whatever the numbers; `of_target` is the cell of
    each target, ascending.
    """
    begins = (
        np.flatnonzero(np.append(True, of_target[1:] != of_target[:-1]))
        if len(of_target)
        else np.zeros(0, dtype=np.int64)
    )
    at = _positions(of_target[begins], cells, size)
    record = np.flatnonzero(at >= 0)
    ends = np.append(begins, len(of_target))
    return Ranges(record, ends[at[record]], ends[at[record] + 1])


def _joint_scale(keys: Keys, joint: tuple[int, ...]) -> tuple[Floats, Floats]:
    """The whitening matrix, and how far from the target each variable alone can be within the
    radius.
    """
    if not joint or keys.distance is None:
        return np.zeros((0, 0)), np.zeros(0)
    columns = [keys.numeric[i] for i in joint]
    values = np.column_stack(
        [
            (
                key.values[0]
                if key.missing is None
                else np.where(key.missing[0], np.nan, key.values[0])
            )
            for key in columns
        ]
    )
    whitening = keys.distance.whitening(values)
    # the farthest point of the ball along a coordinate: radius times the length of that row of the
    # inverse
    reach = keys.distance.radius * np.sqrt((np.linalg.inv(whitening) ** 2).sum(axis=1))
    return whitening, reach * (1 + 1e6 * ROUNDING) + TINY


def _most_selective(keys: Keys, near: _Nearness) -> int | None:
    """The numeric key whose intervals hold fewest records, judged by some of the targets."""
    if len(keys.numeric) < 2:
        return 0 if keys.numeric else None
    some = np.arange(0, keys.n, -(-keys.n // SAMPLE))
    held = []
    for key, lower, upper in zip(keys.numeric, near.lower, near.upper):
        ordered = np.sort(key.values[min(1, keys.sets)])
        held.append(
            (
                np.searchsorted(ordered, upper[some], "right")
                - np.searchsorted(ordered, lower[some], "left")
            ).sum()
        )
    return int(np.argmin(held))


def _distinct(
    cells: Integers, section: Integers, values: Floats, sweep: int | None
) -> tuple[Integers, Flags]:
    """Records in the order of their keys, and where a new key begins."""
    if sweep is None:
        columns = [cells]
        order = np.argsort(cells, kind="stable")
    else:
        columns = [
            *(values[i] for i in range(len(values)) if i != sweep),
            values[sweep],
            section,
            cells,
        ]
        order = np.lexsort(columns)
    first = np.zeros(len(cells), dtype=bool)
    first[:1] = True
    for column in columns:
        ordered = column[order]
        first[1:] |= ordered[1:] != ordered[:-1]
    return order, first


def _positions(occupied: Integers, cells: Integers, size: int) -> Integers:
    """Where each cell is among the occupied ones (ascending); -1 where it is not."""
    if size <= ROOM * (len(cells) + len(occupied)):
        table = np.full(size, -1, dtype=np.int64)
        table[occupied] = np.arange(len(occupied))
        return table[cells]
    if not len(occupied):
        return np.full(len(cells), -1, dtype=np.int64)
    at = np.minimum(np.searchsorted(occupied, cells), len(occupied) - 1)
    return np.where(occupied[at] == cells, at, -1)


def _bisect(
    ascending: Values, start: Integers, stop: Integers, wanted: Values, *, after: bool
) -> Integers:
    """In each slice start..stop of an array that ascends there: the first position whose value is
    not below `wanted` (above it, with `after`).
    """
    lo, hi = start.copy(), stop.copy()
    last = max(len(ascending) - 1, 0)
    for _ in range(int((stop - start).max(initial=0)).bit_length()):
        middle = (lo + hi) >> 1
        value = ascending[np.minimum(middle, last)]
        forward = (value <= wanted if after else value < wanted) & (lo < hi)
        lo = np.where(forward, middle + 1, lo)
        hi = np.where(forward, hi, middle)
    return lo
