"""Which records match which targets.

The distinct targets are sorted by all keys that must agree exactly, then by one number. So the
targets that one record reaches, as far as these say, are neighbours: a range of positions. Further
numbers and a distance are left to `boxes` or a tree, or are compared pair by pair where that is
less work.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

from ..core.arrays import Flags, Floats, Integers, numbered
from ..errors import InputError, SlowWarning, warn
from ..progress import Progress
from .boxes import Boxes, covered, expanded, halvings
from .keys import LARGEST_CODE, Key, Keys, joined
from .near import ROUNDING, TINY, bounds, squared_reach

MOST_PAIRS = 10_000_000_000  # half an hour, at five to ten million per second
LONG = 50_000_000  # pairs that take some seconds
BLOCK = 4_000_000  # pairs, or rows of work, held at once
SAMPLE = 512  # targets looked at to find out which number leaves fewest records
ROUND = 4  # pairs that could be checked while a box is halved once (measured)
SHARE_OF_PAIRS = 50  # of the records in a ball, the tree counts so many in the time of a pair
ROUNDED = 1e-13  # share of a squared distance; rounding between two programs is far less

# record[e] reaches the targets number[lo[e]:hi[e]]: record, lo, hi (shape (E,)), number
Reach = tuple[Integers, Integers, Integers, Integers]
Source = tuple["Targets", int]  # who is matched, and with which table


class Axis:
    """A numeric key on which targets are ranked by their distinct values, ascending; the last is
    infinite where some target has none.

    Attributes
    ----------
    levels : how many ranks there are. rank : of every target.
    lower, upper : of each rank: what matches lies between, both included.
    begins : where a section begins, in which both ends rise; the last is `levels`.
    """

    def __init__(self, key: Key, keys: Keys, width: float) -> None:
        values, self.rank = numbered(key.tables[0])
        self.key, self.levels = key, len(values)
        known = np.where(np.isinf(values), 0, values)
        if key.interval is None:
            # closed whatever was asked for: the distance decides, this only narrows the search
            lower, upper = bounds(known, np.full(len(known), width), "closed")
        else:
            original = key.tables[-1]
            radii = key.interval.radii(known, original[np.isfinite(original)])
            lower, upper = bounds(known, radii, keys.boundary)
        lower[np.isinf(values)] = upper[np.isinf(values)] = np.inf
        self.lower, self.upper = lower, upper
        falls = np.zeros(len(values), dtype=bool)
        falls[:1] = True
        for ends in (lower, upper):
            # by more than rounding
            slack = ROUNDING / 10 * np.abs(known[:-1])
            falls[1:] |= ends[1:] < ends[:-1] - slack
        self.begins = np.append(np.flatnonzero(falls), len(values))

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

    def held(self, table: int) -> int:
        """How many records some of the targets match, added up."""
        some = self.rank[:: -(-len(self.rank) // SAMPLE)]
        ordered = np.sort(self.key.tables[table])
        above = np.searchsorted(ordered, self.upper[some], "right")
        below = np.searchsorted(ordered, self.lower[some], "left")
        return int((above - below).sum())


class Targets:
    """The distinct targets, numbered, with all that is needed to match them.

    Parameters
    ----------
    like : number them as these are, who are known by more keys.
    units : int64, one per target: those with different numbers are different.

    Attributes
    ----------
    of_target : int64, one per target: which of them it is.
    example : int64, shape (G,): a target that it is.
    cells : int64, by table: all that must agree exactly.
    sweep : the axis that orders the targets of a cell; None when all keys are exact.
    code : int64, shape (G,), ascending: cell and rank on that axis. number : whose code it is.
    """

    def __init__(
        self, keys: Keys, like: Targets | None = None, units: Integers | None = None
    ) -> None:
        self.keys = keys
        self.joint = keys.together
        widths = self._whiten() if self.joint else {}
        numeric = [key for key in keys.all if not key.size]
        self.axes = [Axis(key, keys, widths.get(key.name, 0.0)) for key in numeric]
        self.sweep = self.axes[0] if self.axes else None
        if len(self.axes) > 1:
            self.sweep = min(self.axes, key=lambda axis: axis.held(1))
        self.width = max(self.sweep.levels, 1) if self.sweep else 1
        exact = [(key.tables, key.size) for key in keys.all if key.size]
        for key in self.joint:
            # what is missing is missing in both
            exact.append(([np.isinf(values).astype(np.int64) for values in key.tables], 2))
        self.cells, size = joined(exact, keys.rows, LARGEST_CODE // self.width)
        code = self.cells[0] * self.width
        if self.sweep:
            code += self.sweep.rank
        if like is None:
            self.of_target, self.example = self._distinct(code, units)
        else:
            self.of_target, self.example = like.of_target, like.example
        code = code[self.example]
        self.number = np.argsort(code, kind="stable")
        self.code = code[self.number]
        self.below = None
        size *= self.width
        if size <= 16 * max(keys.rows) + 2**16:
            self.below = np.append(0, np.cumsum(np.bincount(code, minlength=size)))
        # the order of the targets compares the sweep
        self.others = [a for a in self.axes if a is not self.sweep and a.key.interval]
        self.reach = cache(self._reach)
        self.counts = cache(self.count)

    def __len__(self) -> int:
        return len(self.example)

    def _distinct(self, code: Integers, units: Integers | None) -> tuple[Integers, Integers]:
        _, number = numbered(code)
        for axis in self.axes:
            if axis is not self.sweep:
                _, number = numbered(number * axis.levels + axis.rank)
        if units is not None:
            distinct, place = numbered(units)
            _, number = numbered(number * len(distinct) + place)
        example = np.zeros(int(number.max()) + 1, dtype=np.int64)
        example[number[::-1]] = np.arange(len(number))[::-1]
        return number, example

    def _whiten(self) -> dict[object, float]:
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

    # ---- who is within reach ---------------------------------------------------------

    def _reach(self, table: int) -> Reach:
        """The records of a table with the targets that the order of these says they match."""
        cells = self.cells[table]
        if self.sweep is None:
            record, lo = np.arange(len(cells)), cells
            hi = lo + 1
        else:
            record, lo, hi = self.sweep.spans(self.sweep.key.tables[table])
            first = cells[record] * self.width
            lo, hi = first + lo, first + hi
        lo, hi = self._positions(lo), self._positions(hi)
        some = np.flatnonzero(hi > lo)
        return record[some], lo[some], hi[some], self.number

    def _positions(self, codes: Integers) -> Integers:
        """How many of the targets have a lower code."""
        return np.searchsorted(self.code, codes) if self.below is None else self.below[codes]

    @property
    def unchecked(self) -> bool:
        """Whether all within reach match."""
        return not self.others and not self.joint

    def near(self, table: int, record: Integers, number: Integers, *, all: bool = False) -> Flags:
        """Which pairs of a record and a distinct target agree on what their order does not compare;
        or on `all` numbers.
        """
        good = np.ones(len(record), dtype=bool)
        target = self.example[number]
        axes = [axis for axis in self.axes if axis.key.interval] if all else self.others
        for axis in axes:
            value, rank = axis.key.tables[table][record], axis.rank[target]
            good &= value >= axis.lower[rank]
            good &= value <= axis.upper[rank]
        if self.joint:
            squares = np.zeros(len(record))
            for released, own in zip(self.white[table].T, self.white[0].T):
                squares += (released[record] - own[target]) ** 2
            good &= squares <= self.squares[target]
        return good

    def itself(self, table: int) -> Flags:
        """Which of all targets, distinct or not, match their own record of a table."""
        records, cells = self.keys.records, self.cells
        inside = np.flatnonzero(records >= 0)
        inside = inside[cells[table][records[inside]] == cells[0][inside]]
        good = np.zeros(len(records), dtype=bool)
        good[inside] = self.near(table, records[inside], self.of_target[inside], all=True)
        return good

    # ---- how many match --------------------------------------------------------------

    def count(self, table: int, amounts: Integers | None = None) -> Integers:
        """Records of a table that match each distinct target, or the sum of their amounts."""
        record, lo, hi, number = self.reach(table)
        of_range = None if amounts is None else amounts[record]
        if self.unchecked:
            found = np.zeros(len(self), dtype=np.int64)
            found[number] = covered(lo, hi, len(self), of_range)
            return found
        if boxes_pay([(self, table)]):
            return self.boxes(table).over(self.points(), of_range)
        wanted, found = np.arange(len(self)), np.zeros(len(self), dtype=np.int64)
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
        cells, of_target = numbered(self.cells[0][self.example])
        record = np.unique(record)
        of_record = np.searchsorted(cells, self.cells[table][record])
        tree = cKDTree(np.column_stack([self.white[table][record], of_record * apart]))
        centres = np.column_stack([self.white[0][self.example], of_target * apart])[asked]
        fewer, more = (
            tree.query_ball_point(centres, np.sqrt(squares[asked] * factor), return_length=True)
            for factor in (1 - ROUNDED, 1 + ROUNDED)
        )
        found = np.zeros(len(self), dtype=np.int64)
        found[asked] = np.where(fewer == more, fewer, 0)
        return found, asked[fewer != more]

    # ---- as boxes --------------------------------------------------------------------

    @property
    def sizes(self) -> list[int]:
        """Of the axes of boxes: positions, then the ranks of the other numbers."""
        return [len(self), *(axis.levels for axis in self.others)]

    def points(self) -> list[Integers]:
        """Where the distinct targets are on these axes."""
        position = np.empty(len(self), dtype=np.int64)
        position[self.number] = np.arange(len(self))
        return [position, *(axis.rank[self.example] for axis in self.others)]

    def boxes(self, table: int) -> Boxes:
        """The targets that each record of a table matches."""
        record, lo, hi, _ = self.reach(table)
        row = np.arange(len(record))
        sides = [(lo, hi)]
        for axis in self.others:
            position, low, high = axis.spans(axis.key.tables[table][record[row]])
            row = row[position]
            sides = [(lo[position], hi[position]) for lo, hi in sides]
            sides.append((low, high))
        return Boxes(record[row], row, sides)


# ---- pair by pair --------------------------------------------------------------------


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


def box_cost(sources: Sequence[Source]) -> int:
    """What counting the boxes of each source once costs, in pairs."""
    targets, _ = sources[0]
    sections = sum(len(axis.begins) for axis in targets.others)
    records = sum(len(targets.cells[table]) for _, table in sources)
    return records * (ROUND * halvings(targets.sizes) + sections)


def boxes_pay(sources: Sequence[Source], wanted: Integers | None = None, times: int = 0) -> bool:
    """Whether boxes take less time than pairs, for the wanted targets; each source is counted once,
    or all together so many times.
    """
    first, _ = sources[0]
    if any(targets is not first or targets.joint for targets, _ in sources):
        return False
    chosen = np.ones(len(first), dtype=bool)
    if wanted is not None:
        chosen[:] = False
        chosen[wanted] = True
    reached = 0
    for _, table in sources:
        _, lo, hi, _ = cut(first.reach(table), chosen[first.number])
        reached += int((hi - lo).sum())
    cost = box_cost(sources)
    return (cost * times // len(sources) if times else cost) < reached


def cut(reach: Reach, chosen: Flags) -> Reach:
    """What is left of a reach for the targets at the chosen positions."""
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
    reaches, work = [], np.zeros(len(wanted), dtype=np.int64)
    for targets, table in sources:
        reach = targets.reach(table)
        place = np.full(len(targets), -1, dtype=np.int64)
        place[wanted] = np.arange(len(wanted))
        place = place[reach[3]]
        record, lo, hi, place = cut((*reach[:3], place), place >= 0)
        reaches.append((record, lo, hi, place))
        work[place] += covered(lo, hi, len(place))
    total, done = int(work.sum()), 0
    # exact keys have one target for each record
    if total > sum(len(reach[0]) for reach in reaches):
        announce(total)
    ends = np.cumsum(work)
    with Progress(total, show=True) as progress:
        start = 0
        while start < len(wanted):
            # a target with more work than that makes a block of its own
            stop = max(start + 1, int(np.searchsorted(ends, done + BLOCK, side="right")))
            progress.reach(done, "pairs of a target and a record")
            parts = []
            for at, (reach, (targets, table)) in enumerate(zip(reaches, sources)):
                here = (reach[3] >= start) & (reach[3] < stop)
                record, lo, hi, place = cut(reach, here)
                position, row = expanded(lo, hi)
                place, record = place[position], record[row]
                if not targets.unchecked:
                    good = targets.near(table, record, wanted[place])
                    place, record = place[good], record[good]
                parts.append((place, record, np.full(len(place), at)))
            place, record, at_source = (np.concatenate(part) for part in zip(*parts))
            yield place, record, at_source
            start, done = stop, int(ends[stop - 1])
