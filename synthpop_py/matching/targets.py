"""The distinct keys of the targets, in an order in which the targets that a record matches are neighbours.

Targets are sorted by cell, then (where there is a numeric key) by the section in which both ends of the interval rise, then by value. So the targets one
record matches in one released set form a range of positions, found by bisection: memory and time grow with the records, not with records times targets.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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
    whitening : matrix, shape (k, k). targets : whitened values, shape (G, k). reach : largest squared distance that matches, shape (G,).
    """

    keys: tuple[int, ...]
    whitening: np.ndarray
    targets: np.ndarray
    reach: np.ndarray


@dataclass(frozen=True, slots=True)
class Ranges:
    """Which targets are within reach of which records: record `record[e]` reaches targets lo[e] to hi[e] - 1. All int64, shape (E,)."""

    record: np.ndarray
    lo: np.ndarray
    hi: np.ndarray


@dataclass(frozen=True, slots=True)
class TargetKeys:
    """G distinct target keys.

    Attributes
    ----------
    of_record : shape (n,): the target key of each original record.
    example : shape (G,): an original record that has it.
    cells : shape (C,): the occupied full cells, ascending. start : shape (C + 1,): where each cell begins.
    section : shape (G,), sections : their number.
    lower, upper : shape (number of numeric keys, G): values that match lie between, both included.
    sweep : the numeric key that orders the targets of a section; None when all keys are exact.
    joint : None without a joint distance. size : as in `Cells`.
    """

    of_record: np.ndarray
    example: np.ndarray
    cells: np.ndarray
    start: np.ndarray
    section: np.ndarray
    sections: int
    lower: np.ndarray
    upper: np.ndarray
    sweep: int | None
    joint: Joint | None
    size: int

    def __len__(self) -> int:
        return len(self.example)

    def ranges(self, cells: np.ndarray, values: np.ndarray | None) -> Ranges:
        """Targets that records with these cells (and values of the sweep key) reach."""
        at = _positions(self.cells, cells, self.size)
        record = np.flatnonzero(at >= 0)
        at = at[record]
        start, stop = self.start[at], self.start[at + 1]
        if values is None:
            return Ranges(record, start, stop)
        parts = [self._in_section(s, record, start, stop, values[record]) for s in range(self.sections)]
        return Ranges(*(np.concatenate(column) for column in zip(*parts))) if len(parts) > 1 else Ranges(*parts[0])

    def _in_section(self, section: int, record: np.ndarray, start: np.ndarray, stop: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        lower, upper = self.lower[self.sweep], self.upper[self.sweep]
        if self.sections > 1:
            here = self.section == section
            near = np.flatnonzero((value >= lower[here].min()) & (value <= upper[here].max())) if here.any() else np.zeros(0, dtype=np.int64)
            record, value = record[near], value[near]
            start, stop = start[near], stop[near]
            wanted = np.full(len(near), section)
            start, stop = _bisect(self.section, start, stop, wanted, after=False), _bisect(self.section, start, stop, wanted, after=True)
        lo = _bisect(upper, start, stop, value, after=False)
        hi = _bisect(lower, start, stop, value, after=True)
        kept = hi > lo
        return record[kept], lo[kept], hi[kept]


def target_keys(keys: Keys, cells: Cells) -> TargetKeys:
    """Sort the original records by their keys and number the distinct ones."""
    numeric = keys.numeric
    joint_at = tuple(i for i, key in enumerate(numeric) if key.interval is None)
    whitening, half_widths = _joint_scale(keys, joint_at)
    radii, sections = np.zeros((len(numeric), keys.n)), np.zeros((len(numeric), keys.n), dtype=np.int64)
    for i, key in enumerate(numeric):
        if key.interval is None:
            radii[i] = half_widths[joint_at.index(i)]
        else:
            radii[i] = key.interval.radii(key.values[0], key.present())
            sections[i] = key.interval.sections(key.values[0], key.present())
    own = np.array([key.values[0] for key in numeric]).reshape(len(numeric), keys.n)
    ends = [bounds(v, r, "closed" if k.interval is None else keys.boundary) for k, v, r in zip(numeric, own, radii)]
    lower, upper = (np.array([e[side] for e in ends]).reshape(len(numeric), keys.n) for side in (0, 1))
    for i, key in enumerate(numeric):
        if key.missing is not None:  # what is missing is compared by its cell alone
            lower[i, key.missing[0]], upper[i, key.missing[0]] = -np.inf, np.inf
    sweep = _most_selective(keys, lower, upper)
    order, first = _distinct(cells.full[0], sections[sweep] if sweep is not None else None, own, sweep)
    of_record = np.empty(keys.n, dtype=np.int64)
    of_record[order] = np.cumsum(first) - 1
    example = order[first]
    occupied = cells.full[0][example]
    begins = np.flatnonzero(np.append(True, occupied[1:] != occupied[:-1]))
    joint = None
    if joint_at:
        whitened = own[list(joint_at)][:, example].T @ whitening.T
        joint = Joint(joint_at, whitening, whitened, squared_reach(whitened, keys.distance.radius, keys.boundary))
    section = sections[sweep][example] if sweep is not None else np.zeros(len(example), dtype=np.int64)
    return TargetKeys(
        of_record, example, occupied[begins], np.append(begins, len(example)), section, int(section.max(initial=0)) + 1,
        np.ascontiguousarray(lower[:, example]), np.ascontiguousarray(upper[:, example]), sweep, joint, cells.size,
    )  # fmt: skip


def whole_cells(of_target: np.ndarray, cells: np.ndarray, size: int) -> Ranges:
    """Records against all targets of their cell, whatever the numbers; `of_target` is the cell of each target, ascending."""
    begins = np.flatnonzero(np.append(True, of_target[1:] != of_target[:-1])) if len(of_target) else np.zeros(0, dtype=np.int64)
    at = _positions(of_target[begins], cells, size)
    record = np.flatnonzero(at >= 0)
    ends = np.append(begins, len(of_target))
    return Ranges(record, ends[at[record]], ends[at[record] + 1])


def _joint_scale(keys: Keys, joint_at: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The whitening matrix, and how far from the target each variable alone can be within the radius."""
    if not joint_at:
        return np.zeros((0, 0)), np.zeros(0)
    gaps = [keys.numeric[i].missing for i in joint_at]
    values = np.column_stack([keys.numeric[i].values[0] if gap is None else np.where(gap[0], np.nan, keys.numeric[i].values[0]) for i, gap in zip(joint_at, gaps)])
    whitening = keys.distance.whitening(values)
    # the farthest point of the ball along a coordinate: radius times the length of that row of the inverse
    reach = keys.distance.radius * np.sqrt((np.linalg.inv(whitening) ** 2).sum(axis=1))
    return whitening, reach * (1 + 1e6 * ROUNDING) + TINY


def _most_selective(keys: Keys, lower: np.ndarray, upper: np.ndarray) -> int | None:
    """The numeric key whose intervals hold fewest records, judged by some of the targets."""
    if len(keys.numeric) < 2 or not keys.n:
        return 0 if keys.numeric else None
    some = np.arange(0, keys.n, -(-keys.n // SAMPLE))
    held = []
    for key, low, high in zip(keys.numeric, lower, upper):
        ordered = np.sort(key.values[min(1, keys.sets)])
        held.append((np.searchsorted(ordered, high[some], "right") - np.searchsorted(ordered, low[some], "left")).sum())
    return int(np.argmin(held))


def _distinct(cells: np.ndarray, section: np.ndarray | None, values: np.ndarray, sweep: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Records in the order of their keys, and where a new key begins."""
    if sweep is None:
        order = np.argsort(cells, kind="stable")
        columns = [cells]
    else:
        rest = [values[i] for i in range(len(values)) if i != sweep]
        columns = [*rest, values[sweep], section, cells]
        order = np.lexsort(columns)
    first = np.zeros(len(cells), dtype=bool)
    first[:1] = True
    for column in columns:
        first[1:] |= column[order][1:] != column[order][:-1]
    return order, first


def _positions(occupied: np.ndarray, cells: np.ndarray, size: int) -> np.ndarray:
    """Where each cell is among the occupied ones (ascending); -1 where it is not."""
    if size <= ROOM * (len(cells) + len(occupied)):
        table = np.full(size, -1, dtype=np.int64)
        table[occupied] = np.arange(len(occupied))
        return table[cells]
    if not len(occupied):
        return np.full(len(cells), -1, dtype=np.int64)
    at = np.minimum(np.searchsorted(occupied, cells), len(occupied) - 1)
    return np.where(occupied[at] == cells, at, -1)


def _bisect(ascending: np.ndarray, start: np.ndarray, stop: np.ndarray, wanted: np.ndarray, *, after: bool) -> np.ndarray:
    """In each slice start..stop of an array that ascends there: the first position whose value is not below `wanted` (above it, with `after`)."""
    lo, hi = start.copy(), stop.copy()
    last = max(len(ascending) - 1, 0)
    for _ in range(int((stop - start).max(initial=0)).bit_length()):
        middle = (lo + hi) >> 1
        value = ascending[np.minimum(middle, last)]
        forward = (value <= wanted if after else value < wanted) & (lo < hi)
        lo = np.where(forward, middle + 1, lo)
        hi = np.where(forward, hi, middle)
    return lo
