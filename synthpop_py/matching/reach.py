"""Which targets are within reach of each released record, as ranges; and what must still be checked
for each pair.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..core.arrays import Flags, Floats, Integers, Values
from .keys import MatchKeys
from .targets import Joint, Ranges, TargetKeys, one_after_another

__all__ = [
    "Entries",
    "Filter",
    "blocks",
    "covered",
    "entries_of",
    "expanded",
    "pairs",
    "side_by_side",
]

BLOCK = 4_000_000  # pairs, or rows of work, held at once


@dataclass(frozen=True, slots=True, eq=False)
class Filter:
    """What remains to be checked of a pair of record and target that is within reach by cell and
    sweep key.

    Attributes
    ----------
    names : positions of the numeric keys whose interval is still to be checked.
    joint : the distance is to be checked too.
    """

    keys: MatchKeys
    targets: TargetKeys
    names: tuple[int, ...]
    joint: bool

    def holds(self, record: Integers, table: Integers, target: Integers) -> Flags:
        """Which of the pairs match; `table` counts from 1."""
        good = np.ones(len(record), dtype=bool)
        for name in self.names:
            value = _of_tables(self.keys.numeric[name].values, record, table)
            lower = self.targets.lower[name][target]
            upper = self.targets.upper[name][target]
            good &= (value >= lower) & (value <= upper)
        if self.joint and self.targets.joint is not None:
            good &= self._within_distance(self.targets.joint, record, table, target)
        return good

    def _within_distance(
        self, joint: Joint, record: Integers, table: Integers, target: Integers
    ) -> Flags:
        squares = np.zeros(len(record))
        for axis in range(joint.targets.shape[1]):
            columns = [whitened[:, axis] for whitened in joint.tables]
            squares += (_of_tables(columns, record, table) - joint.targets[target, axis]) ** 2
        within: Flags = squares <= joint.reach[target]
        return within


def _of_tables(columns: Sequence[Floats], record: Integers, table: Integers) -> Floats:
    """The value of each record of each table; one column per table."""
    tables = np.flatnonzero(np.bincount(table)).tolist()
    if len(tables) == 1:
        return columns[tables[0]][record]
    values = np.empty(len(record), dtype=columns[0].dtype)
    for number in tables:
        here = table == number
        values[here] = columns[number][record[here]]
    return values


@dataclass(frozen=True, slots=True)
class Entries:
    """Records of all sets with the targets within their reach.

    Attributes
    ----------
    record, set, lo, hi : int64, shape (E,): in set number `set` (from 0) the record reaches the
        targets lo to hi - 1.
    table : shape (number of sets,): the table of each set. filters : what is to be checked further
        in each set, None for nothing.
    target : shape (G,): which target key each position stands for; all of them, unless the list was
        cut. points : every range holds one target.
    most_pairs : how many pairs of record and target may be checked one by one.
    """

    record: Integers
    set: Integers
    lo: Integers
    hi: Integers
    table: Integers
    filters: tuple[Filter | None, ...]
    target: Integers
    points: bool
    most_pairs: int

    @property
    def targets(self) -> int:
        return len(self.target)

    @property
    def sets(self) -> int:
        return len(self.table)

    @property
    def direct(self) -> bool:
        """The ranges are the matches."""
        return not any(self.filters)

    def _of(self, kept: Values) -> Entries:
        """Some of the entries."""
        return replace(
            self,
            record=self.record[kept],
            set=self.set[kept],
            lo=self.lo[kept],
            hi=self.hi[kept],
        )

    def first(self, sets: int) -> Entries:
        """Of the first sets only."""
        entries = self._of(self.set < sets)
        return replace(entries, table=self.table[:sets], filters=self.filters[:sets])

    def among(self, wanted: Flags) -> Entries:
        """Cut to the wanted targets (bool, shape (G,)), which are numbered anew."""
        wanted_before = np.append(0, np.cumsum(wanted))
        lo = wanted_before[self.lo]
        hi = wanted_before[self.hi]
        # a range that holds no wanted target closes: its ends get the same number
        renumbered = replace(self, lo=lo, hi=hi, target=self.target[wanted])
        return renumbered._of(hi > lo)

    def within(self, start: int, stop: int) -> Entries:
        """Cut to the targets from start to stop - 1; they keep their numbers."""
        if start == 0 and stop == self.targets:
            return self
        entries = self._of((self.lo < stop) & (self.hi > start))
        lo = np.maximum(entries.lo, start)
        hi = np.minimum(entries.hi, stop)
        return replace(entries, lo=lo, hi=hi)

    def reached(self) -> Integers:
        """How many ranges cover each target, shape (G,)."""
        return covered(self.lo, self.hi, self.targets)


def covered(lo: Integers, hi: Integers, targets: int) -> Integers:
    """How many of the ranges lo to hi - 1 cover each target."""
    begin = np.bincount(lo, minlength=targets + 1)
    end = np.bincount(hi, minlength=targets + 1)
    return np.cumsum(begin - end)[:-1]


def entries_of(
    parts: Sequence[Ranges],
    table: Sequence[int],
    check: Filter | None,
    *,
    targets: int,
    points: bool,
    most_pairs: int,
) -> Entries:
    """Ranges of several sets, each to be checked alike, as one list."""
    lengths = [len(part.record) for part in parts]
    number = np.repeat(np.arange(len(parts)), lengths)
    ranges = one_after_another(parts)
    return Entries(
        record=ranges.record,
        set=number,
        lo=ranges.lo,
        hi=ranges.hi,
        table=np.asarray(table),
        filters=(check,) * len(parts),
        target=np.arange(targets),
        points=points,
        most_pairs=most_pairs,
    )


def side_by_side(first: Entries, second: Entries) -> Entries:
    """Two lists for the same targets as one; the sets of the second are numbered after those of the
    first.
    """
    return Entries(
        record=np.concatenate([first.record, second.record]),
        set=np.concatenate([first.set, second.set + first.sets]),
        lo=np.concatenate([first.lo, second.lo]),
        hi=np.concatenate([first.hi, second.hi]),
        table=np.concatenate([first.table, second.table]),
        filters=first.filters + second.filters,
        target=first.target,
        points=first.points and second.points,
        most_pairs=first.most_pairs,
    )


def blocks(work: Integers, most: int = BLOCK) -> Iterator[tuple[int, int]]:
    """Stretches of targets whose work adds up to about `most`; one target is never split."""
    total = np.cumsum(work)
    start = 0
    while start < len(work):
        before = total[start - 1] if start else 0
        reached = np.searchsorted(total, before + most, side="right")
        # a target with more work than that makes a block of its own
        stop = max(start + 1, int(reached))
        yield start, stop
        start = stop


def pairs(entries: Entries) -> tuple[Integers, Integers, Integers]:
    """Every match as (target, record, set)."""
    if entries.points:
        return entries.lo, entries.record, entries.set
    target, entry = expanded(entries.lo, entries.hi)
    record = entries.record[entry]
    number = entries.set[entry]
    if entries.direct:
        return target, record, number
    # sets with the same filter are checked together
    good = np.ones(len(target), dtype=bool)
    for check, sets in _sets_by_filter(entries).items():
        here = np.flatnonzero(np.isin(number, sets))
        table = entries.table[number[here]]
        target_key = entries.target[target[here]]
        good[here] = check.holds(record[here], table, target_key)
    return target[good], record[good], number[good]


def _sets_by_filter(entries: Entries) -> dict[Filter, list[int]]:
    """The sets whose pairs each filter has to check."""
    sets: dict[Filter, list[int]] = {}
    for number, check in enumerate(entries.filters):
        if check is not None:
            sets.setdefault(check, []).append(number)
    return sets


def expanded(lo: Integers, hi: Integers) -> tuple[Integers, Integers]:
    """All positions of ranges one after the other, and the range each belongs to."""
    length = hi - lo
    owner = np.repeat(np.arange(len(lo)), length)
    before = np.cumsum(length) - length
    position = np.arange(len(owner)) - np.repeat(before - lo, length)
    return position, owner
