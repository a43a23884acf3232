"""Which records match which targets.

The distinct targets are sorted by all keys that must agree exactly, then by one number. So the
targets that one record reaches, as far as these say, are neighbours: a range of positions. Further
numbers and a distance are left to `boxes` or a tree, or are compared pair by pair where that is
less work.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence

import numpy as np
import pandas as pd

from ..core.arrays import Flags, Floats, Integers, Values, numbered_by_table
from ..errors import InputError, SlowWarning, warn
from ..progress import Progress
from .boxes import Boxes, covered, expanded
from .keys import LARGEST_CODE, Key, Keys, joined
from .near import ROUNDING, TINY, bounds, squared_reach

MOST_PAIRS = 10_000_000_000  # half an hour, at five to ten million per second
LONG = 50_000_000  # pairs that take some seconds
BLOCK = 4_000_000  # pairs held at once
SAMPLE = 512  # targets looked at to find out which number leaves fewest records
ROUND = 4  # pairs that could be checked while a box is halved once (measured)
SHARE_OF_PAIRS = 50  # of the records in a ball, the tree counts so many in the time of a pair
ROUNDED = 1e-13  # share of a squared distance; rounding between two programs is far less

# record[e] reaches the targets number[lo[e]:hi[e]]: record, lo, hi (shape (E,)), number
Reach = tuple[Integers, Integers, Integers, Integers]
Source = tuple["Targets", int]  # who is matched, and with which table


def ranked(values: Values) -> tuple[Values, Integers]:
    """The distinct values, ascending, and the place of each among them."""
    by_table = numbered_by_table(values)
    if by_table is not None:
        return by_table
    rank, distinct = pd.factorize(values, sort=True)
    return distinct, rank


class Axis:
    """A numeric key on which targets are ranked: `rank` of every target, one of `levels`.

    What matches lies between `lower` and `upper` of the rank, both included; missing values are
    infinite. Both ends rise from one of `begins` to the next.
    """

    def __init__(self, key: Key, keys: Keys, width: float) -> None:
        self.key = key
        values, self.rank = ranked(key.tables[0])
        self.levels = values.size
        known = np.where(np.isinf(values), 0, values)
        # the distance decides, its width only narrows the search: closed whatever was asked for
        self.lower, self.upper = bounds(known, np.full(known.size, width), "closed")
        if key.interval is not None:
            original = key.tables[-1]
            radii = key.interval.radii(known, original[np.isfinite(original)])
            self.lower, self.upper = bounds(known, radii, keys.boundary)
        falls = np.zeros(values.size, dtype=bool)
        falls[:1] = True
        for ends in (self.lower, self.upper):
            ends[np.isinf(values)] = np.inf
            # by more than rounding
            slack = ROUNDING / 10 * np.abs(known[:-1])
            falls[1:] |= ends[1:] < ends[:-1] - slack
        self.begins = np.append(np.flatnonzero(falls), values.size)

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

    def held(self) -> int:
        """How many records of the first set some of the targets match, added up."""
        some = self.rank[:: -(-self.rank.size // SAMPLE)]
        ordered = np.sort(self.key.tables[1])
        above = np.searchsorted(ordered, self.upper[some], "right")
        below = np.searchsorted(ordered, self.lower[some], "left")
        return int((above - below).sum())


class Targets:
    """The distinct targets, numbered as those they are `like`, who are known by more keys. Those
    with different `units` (int64, one per target) are different.

    Attributes
    ----------
    of_target : int64, one per target: which of them it is. example : int64, shape (G,): a target.
    cells : int64, by table: all that must agree exactly.
    sweep : the axis that orders the targets of a cell; None when all keys are exact.
    code : int64, shape (G,), ascending: cell and rank on that axis. number : whose code it is.
    """

    def __init__(
        self, keys: Keys, like: Targets | None = None, units: Integers | None = None
    ) -> None:
        self.keys, self.joint = keys, keys.together
        widths = self._whiten() if self.joint else {}
        numeric = [key for key in keys.all if not key.size]
        self.axes = [Axis(key, keys, widths.get(key.name, 0.0)) for key in numeric]
        self.sweep = self.axes[0] if self.axes else None
        if len(self.axes) > 1:
            self.sweep = min(self.axes, key=Axis.held)
        self.width = self.sweep.levels if self.sweep else 1
        exact = [(key.tables, key.size) for key in keys.all if key.size]
        for key in self.joint:
            # what is missing is missing in both
            exact.append(([np.isinf(values).astype(np.int64) for values in key.tables], 2))
        self.cells, size = joined(exact, keys.rows, LARGEST_CODE // self.width)
        code = self.cells[0] * self.width
        if self.sweep:
            code += self.sweep.rank
        # the order of the targets compares the sweep
        self.others = [a for a in self.axes if a is not self.sweep and a.key.interval]
        if like is None:
            self.of_target, self.example = self._distinct(code, units)
        else:
            self.of_target, self.example = like.of_target, like.example
        self.size = self.example.size
        code = code[self.example]
        self.number = np.argsort(code, kind="stable")
        self.code, self.below = code[self.number], None
        size *= self.width
        if size <= 16 * max(keys.rows) + 2**16:
            times = np.bincount(code, minlength=size)
            self.below = np.append(0, np.cumsum(times))
        self._reaches: dict[int, Reach] = {}
        self._counts: dict[int, Integers] = {}

    def _distinct(self, code: Integers, units: Integers | None) -> tuple[Integers, Integers]:
        _, number = ranked(code)
        further = [(axis.levels, axis.rank) for axis in self.axes if axis is not self.sweep]
        if units is not None:
            distinct, rank = ranked(units)
            further.append((distinct.size, rank))
        for levels, rank in further:
            _, number = ranked(number * levels + rank)
        example = np.zeros(int(number.max()) + 1, dtype=np.int64)
        last_first = np.arange(number.size)[::-1]
        example[number[last_first]] = last_first
        return number, example

    def _whiten(self) -> dict[Hashable, float]:
        """Turn the distance into a Euclidean one; how far each key alone can be within it."""
        distance = self.keys.distance
        assert distance is not None
        matrix = distance.whitening(np.column_stack([key.tables[-1] for key in self.joint]))
        self.white = []
        for of_table in zip(*(key.tables for key in self.joint)):
            values = np.column_stack(of_table)
            values[np.isinf(values)] = 0
            self.white.append(values @ matrix.T)
        self.squares = squared_reach(self.white[0], distance.radius, self.keys.boundary)
        # the farthest point of the ball along a coordinate: radius times the length of that row of
        # the inverse, and a little more, so that rounding shuts out nobody
        lengths = np.sqrt((np.linalg.inv(matrix) ** 2).sum(axis=1))
        reach = distance.radius * lengths * (1 + 1e6 * ROUNDING) + TINY
        return dict(zip((key.name for key in self.joint), reach.tolist()))

    def reach(self, table: int) -> Reach:
        """The records of a table with the targets that the order of these says they match."""
        if table not in self._reaches:
            cells = self.cells[table]
            if self.sweep is None:
                record, lo, hi = np.arange(cells.size), cells, cells + 1
            else:
                record, low, high = self.sweep.spans(self.sweep.key.tables[table])
                first = cells[record] * self.width
                lo, hi = first + low, first + high
            if self.below is None:
                lo, hi = np.searchsorted(self.code, lo), np.searchsorted(self.code, hi)
            else:
                lo, hi = self.below[lo], self.below[hi]
            some = np.flatnonzero(hi > lo)
            self._reaches[table] = record[some], lo[some], hi[some], self.number
        return self._reaches[table]

    @property
    def is_decided(self) -> bool:
        """Whether all within reach match."""
        return not self.others and not self.joint

    def near(self, table: int, record: Integers, target: Integers, axes: Sequence[Axis]) -> Flags:
        """Which pairs of a record and a target agree on these axes and are within the distance."""
        good = np.ones(record.size, dtype=bool)
        for axis in axes:
            value, rank = axis.key.tables[table][record], axis.rank[target]
            good &= value >= axis.lower[rank]
            good &= value <= axis.upper[rank]
        if self.joint:
            squares = np.zeros(record.size)
            for released, own in zip(self.white[table].T, self.white[0].T):
                squares += (released[record] - own[target]) ** 2
            good &= squares <= self.squares[target]
        return good

    def itself(self, table: int, records: Integers) -> Flags:
        """Which of all targets, distinct or not, match a record of a table (-1 for none)."""
        inside = np.flatnonzero(records >= 0)
        cells = self.cells[table][records[inside]]
        inside = inside[cells == self.cells[0][inside]]
        good = np.zeros(records.size, dtype=bool)
        axes = [axis for axis in self.axes if axis.key.interval]
        good[inside] = self.near(table, records[inside], inside, axes)
        return good

    def counts(self, table: int) -> Integers:
        """Records of a table that match each distinct target, counted once."""
        if table not in self._counts:
            self._counts[table] = self.count(table)
        return self._counts[table]

    def count(self, table: int, amounts: Integers | None = None) -> Integers:
        """The same, or the sum of the amounts of these records."""
        record, lo, hi, number = self.reach(table)
        of_range = None if amounts is None else amounts[record]
        wanted, found = np.arange(self.size), np.zeros(self.size, dtype=np.int64)
        if self.is_decided:
            found[number] = covered(lo, hi, self.size, of_range)
            return found
        if boxes_pay([(self, table)], wanted):
            return self.boxes(table).over(self.points(), of_range)
        # where an interval has shortened the ranges, the tree would count too many
        if len(self.axes) == len(self.joint) and amounts is None:
            found, wanted = self._in_balls(table)
        for place, matching, _ in pairs([(self, table)], wanted):
            each = 1 if amounts is None else amounts[matching]
            np.add.at(found, wanted[place], each)
        return found

    def _in_balls(self, table: int) -> tuple[Integers, Integers]:
        """Records within the distance of each target by a tree; and the targets for which rounding
        may have changed their number, because a little more and a little less does.
        """
        from scipy.spatial import cKDTree  # most calls have no distance, and it takes long to load

        record, lo, hi, _ = self.reach(table)
        announce(int((hi - lo).sum()) // SHARE_OF_PAIRS)
        squares = self.squares[self.example]
        # an open ball of radius 0 holds nobody
        asked = np.flatnonzero(squares >= 0)
        # one more coordinate: records of different cells are farther apart than any radius
        apart = 2 * np.sqrt(max(squares.max(), 0)) + 1
        cells = self.cells[0][self.example]
        distinct, rank = ranked(cells)
        record = np.unique(record)
        of_record = np.searchsorted(distinct, self.cells[table][record])
        tree = cKDTree(np.column_stack([self.white[table][record], of_record * apart]))
        centres = np.column_stack([self.white[0][self.example], rank * apart])[asked]
        inner = np.sqrt(squares[asked] * (1 - ROUNDED))
        outer = np.sqrt(squares[asked] * (1 + ROUNDED))
        fewer = tree.query_ball_point(centres, inner, return_length=True)
        sure = fewer == tree.query_ball_point(centres, outer, return_length=True)
        found = np.zeros(self.size, dtype=np.int64)
        found[asked] = fewer * sure
        return found, asked[~sure]

    def points(self) -> list[Integers]:
        """Where the distinct targets are: position, and rank of the other numbers."""
        position = np.empty(self.size, dtype=np.int64)
        position[self.number] = np.arange(self.size)
        return [position, *(axis.rank[self.example] for axis in self.others)]

    def boxes(self, table: int) -> Boxes:
        """The targets that each record of a table matches, on these axes."""
        record, lo, hi, _ = self.reach(table)
        row = np.arange(record.size)
        sides = [(lo, hi)]
        for axis in self.others:
            position, low, high = axis.spans(axis.key.tables[table][record[row]])
            row = row[position]
            sides = [(lo[position], hi[position]) for lo, hi in sides]
            sides.append((low, high))
        order = np.argsort(record[row], kind="stable")
        row = row[order]
        sides = [(lo[order], hi[order]) for lo, hi in sides]
        return Boxes(record[row], row, sides)


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


def boxes_pay(sources: Sequence[Source], wanted: Integers, combinations: int = 0) -> bool:
    """Whether boxes take less time than pairs for the wanted targets: those of each source counted
    once, or those of so many combinations.
    """
    first, _ = sources[0]
    # exact keys have one target for each record
    if not first.axes or any(one is not first or one.joint for one, _ in sources):
        return False
    chosen = np.zeros(first.size, dtype=bool)
    chosen[wanted] = True
    reached = records = 0
    for _, table in sources:
        _, lo, hi, _ = cut(first.reach(table), chosen[first.number])
        reached += int((hi - lo).sum())
        records += len(first.cells[table])
    halvings = math.prod(axis.levels.bit_length() for axis in first.others)
    sections = sum(axis.begins.size for axis in first.others)
    cost = records * (ROUND * halvings + sections)
    if combinations:
        cost = cost * combinations // len(sources)
    if cost < reached:
        announce(cost * bool(combinations))
    return cost < reached


def cut(reach: Reach, chosen: Flags) -> Reach:
    """What is left of a reach for the targets at the chosen positions."""
    if chosen.all():
        return reach
    record, lo, hi, number = reach
    before = np.append(0, np.cumsum(chosen))
    lo, hi = before[lo], before[hi]
    some = np.flatnonzero(hi > lo)
    return record[some], lo[some], hi[some], number[chosen]


def pairs(
    sources: Sequence[Source], wanted: Integers
) -> Iterator[tuple[Integers, Integers, Integers]]:
    """Every match of the wanted targets as (place among these, record, number of the source), some
    millions at a time.
    """
    reaches, work = [], np.zeros(wanted.size, dtype=np.int64)
    for targets, table in sources:
        record, lo, hi, number = targets.reach(table)
        place = np.full(targets.size, -1, dtype=np.int64)
        place[wanted] = np.arange(wanted.size)
        place = place[number]
        record, lo, hi, place = cut((record, lo, hi, place), place >= 0)
        reaches.append((record, lo, hi, place))
        work[place] += covered(lo, hi, place.size)
    total, start, done = int(work.sum()), 0, 0
    # exact keys have one target for each record
    if total > sum(len(reach[0]) for reach in reaches):
        announce(total)
    ends = np.cumsum(work)
    with Progress(total, show=True) as progress:
        while start < wanted.size:
            # a target with more work than that makes a block of its own
            fits = np.searchsorted(ends, done + BLOCK, side="right")
            stop = max(start + 1, int(fits))
            progress.reach(done, "pairs of a target and a record")
            parts = []
            for at, (reach, (targets, table)) in enumerate(zip(reaches, sources)):
                here = (reach[3] >= start) & (reach[3] < stop)
                record, lo, hi, place = cut(reach, here)
                position, row = expanded(lo, hi)
                place, record = place[position], record[row]
                if not targets.is_decided:
                    target = targets.example[wanted[place]]
                    good = targets.near(table, record, target, targets.others)
                    place, record = place[good], record[good]
                parts.append((place, record, np.full(place.size, at)))
            place, record, at_source = (np.concatenate(part) for part in zip(*parts))
            yield place, record, at_source
            start, done = stop, int(ends[stop - 1])
