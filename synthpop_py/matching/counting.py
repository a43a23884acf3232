"""How many records match each target in each released set, without a list of pairs wherever a range
will do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..core.arrays import Flags, Floats, Integers
from .keys import Keys
from .targets import Ranges, TargetKeys

__all__ = [
    "Entries",
    "Filter",
    "blocks",
    "count",
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
    names : positions of the numeric keys whose interval is still to be checked. joint : the
        distance is to be checked too.
    """

    keys: Keys
    targets: TargetKeys
    names: tuple[int, ...]
    joint: bool

    def holds(self, record: Integers, table: Integers, target: Integers) -> Flags:
        """Which of the pairs match; `table` counts from 1."""
        good = np.ones(len(record), dtype=bool)
        for name in self.names:
            value = gather(self.keys.numeric[name].values, table, record)
            good &= (value >= self.targets.lower[name][target]) & (
                value <= self.targets.upper[name][target]
            )
        joint = self.targets.joint
        if self.joint and joint is not None:
            values = np.column_stack(
                [gather(self.keys.numeric[name].values, table, record) for name in joint.keys]
            )
            good &= ((values @ joint.whitening.T - joint.targets[target]) ** 2).sum(
                axis=1
            ) <= joint.reach[target]
        return good


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
    """

    record: Integers
    set: Integers
    lo: Integers
    hi: Integers
    table: Integers
    filters: tuple[Filter | None, ...]
    target: Integers
    points: bool

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

    def first(self, sets: int) -> Entries:
        """Of the first sets only."""
        kept = self.set < sets
        return Entries(
            self.record[kept],
            self.set[kept],
            self.lo[kept],
            self.hi[kept],
            self.table[:sets],
            self.filters[:sets],
            self.target,
            self.points,
        )

    def among(self, wanted: Flags) -> Entries:
        """Cut to the wanted targets (bool, shape (G,)), which are numbered anew."""
        place = np.append(0, np.cumsum(wanted))
        lo, hi = place[self.lo], place[self.hi]
        kept = hi > lo
        return Entries(
            self.record[kept],
            self.set[kept],
            lo[kept],
            hi[kept],
            self.table,
            self.filters,
            self.target[wanted],
            self.points,
        )

    def within(self, start: int, stop: int) -> Entries:
        """Cut to the targets from start to stop - 1; they keep their numbers."""
        if start == 0 and stop == self.targets:
            return self
        kept = (self.lo < stop) & (self.hi > start)
        return Entries(
            self.record[kept],
            self.set[kept],
            np.maximum(self.lo[kept], start),
            np.minimum(self.hi[kept], stop),
            self.table,
            self.filters,
            self.target,
            self.points,
        )

    def reached(self) -> Integers:
        """How many ranges cover each target, shape (G,)."""
        return np.cumsum(
            np.bincount(self.lo, minlength=self.targets + 1)
            - np.bincount(self.hi, minlength=self.targets + 1)
        )[:-1]


def entries_of(
    parts: Sequence[Ranges],
    table: Sequence[int],
    filters: Sequence[Filter | None],
    targets: int,
    points: bool,
) -> Entries:
    """Ranges of several sets as one list."""
    number = np.repeat(np.arange(len(parts)), [len(p.record) for p in parts])
    columns = [np.concatenate([getattr(p, name) for p in parts]) for name in ("record", "lo", "hi")]
    return Entries(
        columns[0],
        number,
        columns[1],
        columns[2],
        np.asarray(table),
        tuple(filters),
        np.arange(targets),
        points,
    )


def side_by_side(first: Entries, second: Entries) -> Entries:
    """Two lists for the same targets as one; the sets of the second are numbered after those of the
    first.
    """
    record, lo, hi = (
        np.concatenate([getattr(first, name), getattr(second, name)])
        for name in ("record", "lo", "hi")
    )
    number = np.concatenate([first.set, second.set + first.sets])
    return Entries(
        record,
        number,
        lo,
        hi,
        np.concatenate([first.table, second.table]),
        first.filters + second.filters,
        first.target,
        first.points and second.points,
    )


def blocks(work: Integers, most: int = BLOCK) -> Iterator[tuple[int, int]]:
    """Stretches of targets whose work adds up to about `most`; one target is never split."""
    total = np.cumsum(work)
    start = 0
    while start < len(work):
        before = total[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(total, before + most, side="right")))
        yield start, stop
        start = stop


def pairs(entries: Entries) -> tuple[Integers, Integers, Integers]:
    """Every match as (target, record, set)."""
    if entries.points:
        return entries.lo, entries.record, entries.set
    target, at = expanded(entries.lo, entries.hi)
    record, number = entries.record[at], entries.set[at]
    if entries.direct:
        return target, record, number
    good = np.ones(len(target), dtype=bool)
    for which in {f: None for f in entries.filters if f is not None}:
        here = np.flatnonzero(
            np.isin(number, [s for s, f in enumerate(entries.filters) if f is which])
        )
        good[here] = which.holds(
            record[here], entries.table[number[here]], entries.target[target[here]]
        )
    return target[good], record[good], number[good]


def expanded(lo: Integers, hi: Integers) -> tuple[Integers, Integers]:
    """All positions of ranges one after the other, and the range each belongs to."""
    length = hi - lo
    at = np.repeat(np.arange(len(lo)), length)
    return np.arange(len(at)) - np.repeat(np.cumsum(length) - length - lo, length), at


def count(entries: Entries, amounts: Integers | None = None) -> Integers:
    """Matches by target and set, or the sum of their records' amounts (int64): int64, shape (G,
    sets).
    """
    if not entries.direct:
        out = np.zeros((entries.targets, entries.sets), dtype=np.int64)
        for start, stop in blocks(entries.reached()):
            target, record, number = pairs(entries.within(start, stop))
            _add(
                out[start:stop].reshape(-1),
                (target - start) * entries.sets + number,
                None if amounts is None else amounts[record],
            )
        return out
    change = np.zeros((entries.targets + 1) * entries.sets, dtype=np.int64)
    amount = None if amounts is None else amounts[entries.record]
    _add(change, entries.lo * entries.sets + entries.set, amount)
    if not entries.points:
        _add(change, entries.hi * entries.sets + entries.set, amount, -1)
        np.cumsum(change.reshape(-1, entries.sets), axis=0, out=change.reshape(-1, entries.sets))
    return change.reshape(-1, entries.sets)[:-1]


def _add(out: Integers, at: Integers, amount: Integers | None, sign: int = 1) -> None:
    """Add ones, or whole amounts, at places that may repeat; in integers, so that no sum is
    rounded.
    """
    if amount is None:
        out += sign * np.bincount(at, minlength=len(out))
    else:
        np.add.at(out, at, sign * amount)


def gather(columns: Sequence[Floats], table: Integers, record: Integers) -> Floats:
    """columns[table[e]][record[e]] for each e."""
    out = np.empty(len(record), dtype=columns[0].dtype)
    for number in np.unique(table):
        here = table == number
        out[here] = columns[number][record[here]]
    return out
