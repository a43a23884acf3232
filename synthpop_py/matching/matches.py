"""Which records match which targets: how many in each released set, and which could be the
likeliest.

The distinct targets are sorted by all keys that must agree exactly, then by one number. So the
targets that one record matches in one set, as far as these say, are neighbours: a range of
positions. Ranges are counted as such; further numbers and a distance are left to `boxes`, or
checked pair by pair where that is less work.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..core.arrays import Flags, Floats, Integers, Values, numbered_by_table
from ..errors import InputError, SlowWarning, warn
from ..progress import Progress
from .keys import LARGEST_CODE, Keys, joined
from .near import ROUNDING, TINY, bounds, squared_reach

MOST_PAIRS = 10_000_000_000  # half an hour, at five to ten million per second
LONG = 50_000_000  # pairs that take some seconds
BLOCK = 4_000_000  # pairs, or rows of work, held at once
SAMPLE = 512  # targets looked at to find out which number leaves fewest records
NEAR = 1e-9  # sums of a few hundred fractions are rounded by less than 1e-13 of their size


# ---- the targets ---------------------------------------------------------------------


class Axis(NamedTuple):
    """A numeric key with its distinct values among the targets, in ascending order; the last is
    infinite where some target has none.

    Attributes
    ----------
    rank : int64, one per target: its value, as a position among them.
    lower, upper : float64, one per value: what matches lies between, both included.
    begins : where a section begins, in which both ends rise; the last is the number of values.
    """

    rank: Integers
    lower: Floats
    upper: Floats
    begins: Integers

    def spans(self, values: Floats) -> tuple[Integers, Integers, Integers]:
        """Ranks lo to hi - 1 that match a value: the position of the value, lo, hi. A value has as
        many spans as sections hold it.
        """
        parts = []
        # in ascending order: neighbours are looked up near each other
        order = np.argsort(values)
        ordered = values[order]
        for begin, end in zip(self.begins[:-1], self.begins[1:]):
            # most values are far from most sections
            low, high = self.lower[begin:end], self.upper[begin:end]
            start = np.searchsorted(ordered, low[0], side="left")
            stop = np.searchsorted(ordered, high[-1], side="right")
            here = ordered[start:stop]
            # the first target whose interval has not ended, the first whose has not begun
            lo = np.searchsorted(high, here, side="left") + begin
            hi = np.searchsorted(low, here, side="right") + begin
            held = lo < hi
            parts.append((order[start:stop][held], lo[held], hi[held]))
        position, lo, hi = (np.concatenate(part) for part in zip(*parts))
        return position, lo, hi


class Joint(NamedTuple):
    """A distance over several keys, turned into Euclidean distance: whitened values of every table
    and of the distinct targets, and the largest squared distance that matches each of these.
    """

    tables: list[Floats]
    targets: Floats
    reach: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Targets:
    """G distinct targets.

    Attributes
    ----------
    of_target : int64, one per target: which of them it is.
    example : int64, shape (G,): a target that it is.
    cells : int64, by table: all that must agree exactly. gaps : how many cells differ only in which
        numbers of the distance are missing; these are neighbours.
    axes : one per numeric key. ranks : on each, the rank of every distinct target.
    sweep : the axis that orders the targets of a cell; None when all keys are exact.
    code : int64, shape (G,), ascending: cell * width + rank on that axis.
    below : how many targets have a code below each; None where there are too many codes for that.
    """

    keys: Keys
    of_target: Integers
    example: Integers
    cells: list[Integers]
    gaps: int
    axes: list[Axis]
    ranks: list[Integers]
    sweep: int | None
    width: int
    code: Integers
    below: Integers | None
    joint: Joint | None

    def __len__(self) -> int:
        return len(self.example)

    def positions(self, codes: Integers) -> Integers:
        """How many of the targets have a lower code."""
        return np.searchsorted(self.code, codes) if self.below is None else self.below[codes]


def find_targets(keys: Keys, units: Integers | None = None) -> Targets:
    """The distinct targets; those with different `units` (one number per target) are different."""
    numeric = keys.numeric
    columns, whitening, widths = _together(keys)
    axes = [_axis(keys, i, widths.get(i)) for i in range(len(numeric))]
    sweep = _most_selective(keys, axes)
    width = 1 if sweep is None else max(len(axes[sweep].lower), 1)
    gaps = 2 ** len(columns)
    cells, size = joined(keys.exact, keys.rows, LARGEST_CODE // (gaps * width))
    for i in columns:
        # what is missing is missing in both
        cells = [2 * cell + np.isinf(of) for cell, of in zip(cells, numeric[i].tables)]
    code = cells[0] * width
    if sweep is not None:
        code += axes[sweep].rank
    _, of_target = _ranked(code)
    for i, axis in enumerate(axes):
        if i != sweep:
            _, of_target = _ranked(of_target * len(axis.lower) + axis.rank)
    if units is not None:
        distinct, number = _ranked(units)
        _, of_target = _ranked(of_target * len(distinct) + number)
    example = np.zeros(int(of_target.max()) + 1, dtype=np.int64)
    example[of_target[::-1]] = np.arange(len(of_target))[::-1]
    joint = None
    if columns:
        tables = []
        for of_table in zip(*(numeric[i].tables for i in columns)):
            values = np.column_stack(of_table)
            tables.append(np.where(np.isinf(values), 0, values) @ whitening.T)
        assert keys.distance is not None
        own = tables[0][example]
        joint = Joint(tables, own, squared_reach(own, keys.distance.radius, keys.boundary))
    code = code[example]
    size *= gaps * width
    below = None
    if size <= 16 * max(keys.rows) + 2**16:
        below = np.append(0, np.cumsum(np.bincount(code, minlength=size)))
    return Targets(
        keys=keys,
        of_target=of_target,
        example=example,
        cells=cells,
        gaps=gaps,
        axes=axes,
        ranks=[axis.rank[example] for axis in axes],
        sweep=sweep,
        width=width,
        code=code,
        below=below,
        joint=joint,
    )


def _ranked(values: Values) -> tuple[Values, Integers]:
    """The distinct values, ascending, and the place of each value among them."""
    if (by_table := numbered_by_table(values)) is not None:
        return by_table
    order = np.argsort(values)
    first = changes(values[order])
    rank = np.empty(len(values), dtype=np.int64)
    rank[order] = np.cumsum(first) - 1
    return values[order[first]], rank


def _together(keys: Keys) -> tuple[list[int], Floats, dict[int, float]]:
    """The numeric keys of the joint distance, its whitening matrix, and how far from the target
    each of them alone can be within the radius.
    """
    if keys.distance is None:
        return [], np.zeros((0, 0)), {}
    names = [key.name for key in keys.numeric]
    columns = [names.index(name) for name in keys.distance.columns or ()]
    whitening = keys.distance.whitening(
        np.column_stack([keys.numeric[i].tables[-1] for i in columns])
    )
    # the farthest point of the ball along a coordinate: radius times the length of that row of the
    # inverse
    reach = keys.distance.radius * np.sqrt((np.linalg.inv(whitening) ** 2).sum(axis=1))
    # a little more than that, so that rounding shuts out no record that the distance would admit
    reach = reach * (1 + 1e6 * ROUNDING) + TINY
    return columns, whitening, dict(zip(columns, reach.tolist()))


def _axis(keys: Keys, number: int, width: float | None) -> Axis:
    """A numeric key; `width` is how far it may be where the distance decides."""
    key = keys.numeric[number]
    levels, rank = _ranked(key.tables[0])
    known = np.where(np.isinf(levels), 0, levels)
    if key.interval is None:
        # closed whatever was asked for: the distance decides, this only narrows the search
        lower, upper = bounds(known, np.full(len(known), width), "closed")
    else:
        original = key.tables[-1]
        radii = key.interval.radii(known, original[np.isfinite(original)])
        lower, upper = bounds(known, radii, keys.boundary)
    lower[np.isinf(levels)] = upper[np.isinf(levels)] = np.inf
    falls = np.zeros(len(levels), dtype=bool)
    falls[:1] = True
    for ends in (lower, upper):
        # by more than rounding
        falls[1:] |= ends[1:] < ends[:-1] - ROUNDING / 10 * np.abs(known[:-1])
    return Axis(rank, lower, upper, np.append(np.flatnonzero(falls), len(levels)))


def _most_selective(keys: Keys, axes: Sequence[Axis]) -> int | None:
    """The numeric key whose intervals hold fewest records, judged by some of the targets."""
    if len(axes) < 2:
        return 0 if axes else None
    held = []
    for key, axis in zip(keys.numeric, axes):
        some = axis.rank[:: -(-len(axis.rank) // SAMPLE)]
        ordered = np.sort(key.tables[1])
        up_to_upper = np.searchsorted(ordered, axis.upper[some], "right")
        held.append((up_to_upper - np.searchsorted(ordered, axis.lower[some], "left")).sum())
    return int(np.argmin(held))


# ---- who is within reach -------------------------------------------------------------


class Check(NamedTuple):
    """What remains to be compared of a pair of record and target within reach: these numeric keys,
    and the distance.
    """

    table: int
    names: tuple[int, ...]
    joint: bool

    @property
    def is_needed(self) -> bool:
        return bool(self.names) or self.joint


class Reach(NamedTuple):
    """Records of one table with the targets within their reach: record[e] reaches the targets lo[e]
    to hi[e] - 1. All int64, shape (E,).
    """

    check: Check
    record: Integers
    lo: Integers
    hi: Integers

    def part(self, kept: Values) -> Reach:
        return Reach(self.check, self.record[kept], self.lo[kept], self.hi[kept])


def reach_of(targets: Targets, table: int, *, categories: bool = False) -> Reach:
    """The records of a table; with `categories` the synthesised numbers are left out."""
    cells, width = targets.cells[table], targets.width
    check = check_of(targets, table, categories=categories)
    record = np.arange(len(cells))
    if categories:
        lo = (cells - cells % targets.gaps) * width
        hi = lo + targets.gaps * width
    elif targets.sweep is None:
        lo, hi = cells, cells + 1
    else:
        values = targets.keys.numeric[targets.sweep].tables[table]
        record, low, high = targets.axes[targets.sweep].spans(values)
        lo = cells[record] * width + low
        hi = cells[record] * width + high
        # the order of the targets has compared this number
        check = check._replace(names=tuple(i for i in check.names if i != targets.sweep))
    lo, hi = targets.positions(lo), targets.positions(hi)
    kept = np.flatnonzero(hi > lo)
    return Reach(check, record[kept], lo[kept], hi[kept])


def check_of(targets: Targets, table: int, *, categories: bool = False) -> Check:
    """All that must be near."""
    names = []
    for i, key in enumerate(targets.keys.numeric):
        if key.interval is not None and (key.known or not categories):
            names.append(i)
    return Check(table, tuple(names), targets.joint is not None and not categories)


def near(targets: Targets, check: Check, record: Integers, target: Integers) -> Flags:
    """Which pairs of a record of a table and a distinct target stand the check."""
    good = np.ones(len(record), dtype=bool)
    for i in check.names:
        value = targets.keys.numeric[i].tables[check.table][record]
        rank = targets.ranks[i][target]
        good &= (value >= targets.axes[i].lower[rank]) & (value <= targets.axes[i].upper[rank])
    if check.joint and targets.joint is not None:
        released, own = targets.joint.tables[check.table], targets.joint.targets
        squares = np.zeros(len(record))
        for axis in range(own.shape[1]):
            squares += (released[record, axis] - own[target, axis]) ** 2
        good &= squares <= targets.joint.reach[target]
    return good


def itself_matches(targets: Targets, table: int, *, categories: bool = False) -> Flags:
    """Which of all targets, distinct or not, match their own record of a table."""
    keys, cells = targets.keys, targets.cells
    inside = np.flatnonzero(keys.records >= 0)
    gaps = targets.gaps if categories else 1
    same = cells[table][keys.records[inside]] // gaps == cells[0][inside] // gaps
    inside = inside[same]
    check = check_of(targets, table, categories=categories)
    good = np.zeros(keys.rows[0], dtype=bool)
    good[inside] = near(targets, check, keys.records[inside], targets.of_target[inside])
    return good


def among(reach: Reach, wanted: Integers, targets: int) -> Reach:
    """Cut to the wanted targets (ascending), which are numbered anew."""
    if len(wanted) == targets:
        return reach
    before = np.searchsorted(wanted, np.arange(targets + 1))
    cut = reach._replace(lo=before[reach.lo], hi=before[reach.hi])
    return cut.part(np.flatnonzero(cut.hi > cut.lo))


def sums_over(
    lo: Integers, hi: Integers, targets: int, amounts: Integers | None = None
) -> Integers:
    """How many of the ranges lo to hi - 1 cover each target, or the sum of their amounts."""
    # one place more than there are targets, for ranges that go to the end
    if amounts is None:
        ends = np.bincount(hi, minlength=targets + 1)
        return np.cumsum(np.bincount(lo, minlength=targets + 1) - ends)[:-1]
    # in integers, which avoids rounding
    change = np.zeros(targets + 1, dtype=np.int64)
    np.add.at(change, lo, amounts)
    np.subtract.at(change, hi, amounts)
    return np.cumsum(change)[:-1]


def expanded(lo: Integers, hi: Integers) -> tuple[Integers, Integers]:
    """All positions of ranges one after the other, and the range each belongs to."""
    length = hi - lo
    if (length == 1).all():
        return lo, np.arange(len(lo))
    owner = np.repeat(np.arange(len(lo)), length)
    before = np.cumsum(length) - length
    return np.arange(len(owner)) - np.repeat(before - lo, length), owner


# ---- pair by pair --------------------------------------------------------------------

Pairs = tuple[Integers, Integers, Integers]


def announce(
    work: int,
    what: str = "a target and a record",
    instead: str = "add a key that must agree exactly, narrow the intervals or the distance, or"
    " release fewer sets",
) -> None:
    """Refuse to compare more pairs than anybody waits for; warn of many."""
    if work > MOST_PAIRS:
        raise InputError(
            f"synthesised: {work:,} pairs of {what} would have to be compared one by one, more than"
            f" {MOST_PAIRS:,}; {instead}"
        )
    if work >= LONG:
        warn(
            f"identification_risk() compares {work:,} pairs of {what} one by one; this will take"
            f" long. To reduce their number, {instead}",
            SlowWarning,
        )


def blocks(work: Integers, most: int) -> Iterator[tuple[int, int]]:
    """Stretches of targets whose work adds up to about `most`; one target is never split."""
    total = np.cumsum(work)
    start = 0
    while start < len(work):
        before = total[start - 1] if start else 0
        # a target with more work than that makes a block of its own
        stop = max(start + 1, int(np.searchsorted(total, before + most, side="right")))
        yield start, stop
        start = stop


def pairs(targets: Targets, reaches: Sequence[Reach], wanted: Integers) -> Iterator[Pairs]:
    """Every match as (target, record, number of the reach), some millions at a time; a target is
    its number among the wanted ones, to which the reaches are cut.
    """
    work = np.zeros(len(wanted), dtype=np.int64)
    for reach in reaches:
        work += sums_over(reach.lo, reach.hi, len(wanted))
    total, done = int(work.sum()), 0
    # exact keys have one target for each record
    if total > sum(len(reach.record) for reach in reaches):
        announce(total)
    with Progress(total, show=True) as progress:
        for start, stop in blocks(work, BLOCK):
            progress.reach(done, "pairs of a target and a record")
            # nothing of it is held here while the caller works
            yield _pairs_within(targets, reaches, wanted, start, stop)
            done += int(work[start:stop].sum())


def _pairs_within(
    targets: Targets, reaches: Sequence[Reach], wanted: Integers, start: int, stop: int
) -> Pairs:
    parts = []
    for number, reach in enumerate(reaches):
        here = among(reach, np.arange(start, stop), len(wanted))
        position, row = expanded(here.lo, here.hi)
        target, record = position + start, here.record[row]
        if here.check.is_needed:
            good = near(targets, here.check, record, wanted[target])
            target, record = target[good], record[good]
        parts.append((target, record, np.full(len(target), number)))
    target, record, numbers = (np.concatenate(part) for part in zip(*parts))
    return target, record, numbers


# ---- who could be the likeliest ------------------------------------------------------


class Leaders(NamedTuple):
    """Records at the highest sum of `worth` over the sets in which they match, or so near to it
    that only exact arithmetic can decide; those that match in the same sets together.

    Attributes
    ----------
    target : int64, shape (R,), ascending.
    bits : bool, shape (R, sets): the sets in which these records match and that give probability.
    records : int64, shape (R,): how many.
    """

    target: Integers
    bits: Flags
    records: Integers


def joined_leaders(parts: Sequence[Leaders], sets: int) -> Leaders:
    """Leaders of different targets as one list."""
    nothing = np.zeros(0, dtype=np.int64)
    parts = [Leaders(nothing, np.zeros((0, sets), dtype=bool), nothing), *parts]
    target, bits, records = (np.concatenate(part) for part in zip(*parts))
    order = np.argsort(target, kind="stable")
    return Leaders(target[order], bits[order], records[order])


def leaders_in_pairs(
    targets: Targets, reaches: Sequence[Reach], wanted: Integers, worth: Floats
) -> Leaders:
    """The leaders of the wanted targets, from all pairs; `worth` has the shape (wanted, sets)."""
    parts = []
    for target, record, number in pairs(targets, reaches, wanted):
        if not len(target):
            continue
        # the sets in which one record matches one target become neighbours
        code = target * (int(record.max()) + 1) + record
        order = np.argsort(code)
        target, number = target[order], number[order]
        first = changes(code[order])
        rows = np.flatnonzero(first)
        value, of_row = np.add.reduceat(worth[target, number], rows), target[rows]
        begins = changes(of_row)
        top = np.maximum.reduceat(value, np.flatnonzero(begins))[np.cumsum(begins) - 1]
        # those that are not clearly below the highest of their target
        near = (value > 0) & (value >= top * (1 - NEAR))
        row = np.cumsum(first) - 1
        kept = near[row]
        bits = np.zeros((int(near.sum()), worth.shape[1]), dtype=bool)
        bits[(np.cumsum(near) - 1)[row[kept]], number[kept]] = True
        bits &= worth[of_row[near]] > 0
        parts.append(_counted_together(of_row[near], bits))
    return joined_leaders(parts, worth.shape[1])


def _counted_together(target: Integers, bits: Flags) -> Leaders:
    """Records of one target that match in the same sets as one row."""
    packed = np.packbits(bits, axis=1)
    order = np.lexsort((*packed.T, target))
    rows = np.flatnonzero(changes(target[order], *packed[order].T))
    records = np.diff(np.append(rows, len(order)))
    return Leaders(target[order[rows]], bits[order[rows]], records)


def changes(*columns: Values) -> Flags:
    """Where a row of sorted columns differs from the one before it; the first always does."""
    new = np.zeros(len(columns[0]), dtype=bool)
    new[:1] = True
    for column in columns:
        new[1:] |= column[1:] != column[:-1]
    return new
