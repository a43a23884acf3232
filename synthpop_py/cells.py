"""Two tables as one table of cells: key combination q, target t, records d of the original and s of
the synthetic data. Sums over t are d.q and s.q.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np

from .core.arrays import Flags, Integers, Values
from .core.crosstab import count
from .levels import Side, Variable

LARGEST = 2**61  # code of a cell; one bit is left to tell two tables apart
SMALL_TABLE = 2**19  # codes that are always counted in a table
ROOM = 16  # a table of all codes may be this many times as long as the rows


@dataclass(frozen=True, slots=True, eq=False)
class Combinations:
    """The key combination of every row.

    Attributes
    ----------
    keys : the keys, in the order of the data's columns.
    codes : one array for each table: first the original, then the syntheses.
    n : how many records each row stands for, by table; None where each is one.
    size : number of codes.
    seen : the combinations behind codes that were numbered by occurrence; None where the codes are
        the combinations themselves.
    """

    keys: tuple[Variable, ...]
    codes: tuple[Integers, ...]
    n: tuple[Integers | None, ...]
    size: int
    seen: Integers | None = None

    def parts(self, codes: Integers) -> list[Integers]:
        """The code of each key in given combinations."""
        left = codes if self.seen is None else self.seen[codes]
        found = []
        for key in reversed(self.keys):
            before = left // key.size
            found.append(left - before * key.size)
            left = before
        return found[::-1]

    def code_of(self, parts: Sequence[Integers]) -> Integers:
        """The combination of given codes of keys; -1 where no record has it, or a code is -1."""
        codes = np.zeros(len(parts[0]), dtype=np.int64)
        unknown = np.zeros(len(parts[0]), dtype=bool)
        for key, part in zip(self.keys, parts):
            codes = codes * key.size + part
            unknown |= part < 0
        codes[unknown] = -1
        return codes if self.seen is None else place_among(self.seen, codes)

    def without_rows(self) -> Combinations:
        """What codes mean, without those of the records: nothing in it is as long as the data."""
        keys = tuple(key.without_rows() for key in self.keys)
        return replace(self, keys=keys, codes=(), n=())

    def pair(self, number: int) -> Combinations:
        """The original and one synthesis."""
        if len(self.codes) == 2:
            return self
        two = (0, number)
        return replace(
            self,
            keys=tuple(key.pair(number) for key in self.keys),
            codes=tuple(self.codes[table] for table in two),
            n=tuple(self.n[table] for table in two),
        )


def combine(keys: Sequence[Variable], n: Sequence[Integers | None]) -> Combinations:
    """One code for each combination of keys, in every table. More combinations than rows, or than
    64 bits hold, are numbered as they occur.
    """
    size = prod(key.size for key in keys)
    lengths = [len(side.factor.rows.codes) for side in keys[0].sides]
    if size > LARGEST:
        return _numbered(keys, n)
    kind = np.int32 if size < 2**31 else np.int64
    codes: list[Integers] = [np.zeros(rows, dtype=kind) for rows in lengths]
    for key in keys:
        for of_table, side in zip(codes, key.sides):
            of_table *= key.size
            add_codes(of_table, side)
    if size > sum(lengths) and len(keys) > 1:
        seen, places = occurring(codes, size)
        return Combinations(tuple(keys), tuple(places), tuple(n), len(seen), seen)
    return Combinations(tuple(keys), tuple(codes), tuple(n), size)


def add_codes(to: Integers, side: Side) -> None:
    """Add the code of a variable to each row."""
    if side.place is side.factor.place and side.factor.in_order:  # as they were read
        to += side.factor.rows.codes
    else:
        to += side.place.astype(to.dtype)[side.factor.rows.codes]


def place_among(ascending: Integers, codes: Integers) -> Integers:
    """Where each code is; -1 where it is not."""
    if not len(ascending):
        return np.full(len(codes), -1)
    place = np.minimum(np.searchsorted(ascending, codes), len(ascending) - 1)
    return np.where(ascending[place] == codes, place, -1)


def occurring(codes: Sequence[Values], size: int | None = None) -> tuple[Values, list[Integers]]:
    """The distinct codes of all tables, ascending, and the place of each row among them; by a table
    of all codes below `size` where that is short.
    """
    if size is not None and size <= room(codes):
        there = np.zeros(size, dtype=bool)
        for of_table in codes:
            there[of_table] = True
        seen, place = np.flatnonzero(there), np.cumsum(there) - 1
        return seen, [place[of_table] for of_table in codes]
    seen, places = np.unique(np.concatenate(codes), return_inverse=True)
    ends = np.cumsum([len(of_table) for of_table in codes])
    return seen, np.split(places.reshape(-1), ends[:-1])


def room(codes: Sequence[Integers]) -> int:
    """How long a table of all codes may be."""
    return max(ROOM * sum(map(len, codes)), SMALL_TABLE)


def _numbered(keys: Sequence[Variable], n: Sequence[Integers | None]) -> Combinations:
    """Combinations of so many keys that no number holds all possible ones: key by key."""
    merged, rest = combine(keys[:-1], n), keys[-1]
    together = [codes.astype(np.int64) * rest.size for codes in merged.codes]
    for of_table, side in zip(together, rest.sides):
        add_codes(of_table, side)
    seen, places = occurring(together)
    return _Chained(tuple(keys), tuple(places), tuple(n), len(seen), seen, merged)


@dataclass(frozen=True, slots=True, eq=False)
class _Chained(Combinations):
    """Combinations of those before and one more key."""

    before: Combinations | None = None

    def parts(self, codes: Integers) -> list[Integers]:
        assert self.before is not None and self.seen is not None
        earlier, last = np.divmod(self.seen[codes], self.keys[-1].size)
        return [*self.before.parts(earlier), last]

    def code_of(self, parts: Sequence[Integers]) -> Integers:
        assert self.before is not None and self.seen is not None
        earlier = self.before.code_of(parts[:-1])
        codes = earlier * self.keys[-1].size + parts[-1]
        codes[(earlier < 0) | (parts[-1] < 0)] = -1
        return place_among(self.seen, codes)

    def without_rows(self) -> Combinations:
        assert self.before is not None
        keys = tuple(key.without_rows() for key in self.keys)
        return replace(self, keys=keys, codes=(), n=(), before=self.before.without_rows())


@dataclass(frozen=True)
class Cells:
    """Occupied cells, those of one combination together. c cells, g combinations.

    Attributes
    ----------
    t : (c,) code of the target.
    d, s : (c,) original and synthetic records.
    q : (g,) code of the combination. starts : (g,) where its cells begin.
    combinations : what the codes of combinations are made of.
    """

    t: Integers
    d: Integers
    s: Integers
    q: Integers
    starts: Integers
    combinations: Combinations

    @cached_property
    def group(self) -> Integers:
        """(c,) number of the cell's combination."""
        first = np.zeros(len(self.t), dtype=np.int64)
        first[self.starts[1:]] = 1
        return np.cumsum(first, out=first)

    @cached_property
    def keys(self) -> list[Integers]:
        """(g,) for each key its codes."""
        return self.combinations.parts(self.q)

    @cached_property
    def d_q(self) -> Integers:
        return self.by_q(self.d)

    @cached_property
    def s_q(self) -> Integers:
        return self.by_q(self.s)

    def by_q(self, n: Integers | Flags) -> Integers:
        """(g,) sums over the cells of a combination: differences of running sums, which take half
        the time of `reduceat`.
        """
        running = np.cumsum(n, dtype=np.int64)
        return np.diff(running[self.ends], prepend=0)

    @cached_property
    def ends(self) -> Integers:
        """(g,) the last cell of each combination."""
        return np.append(self.starts[1:], len(self.t)) - 1 if len(self.starts) else self.starts


def count_cells(combinations: Combinations, target: Variable) -> Cells:
    """The cells that either of two tables has. Memory grows with rows and occupied cells."""
    d, s = (
        _cell_codes(codes, target.size, side)
        for codes, side in zip(combinations.codes, target.sides)
    )
    size = combinations.size * target.size
    n_d, n_s = combinations.n
    if size <= room([d, s]):
        in_d, in_s = count(d, n_d, size), count(s, n_s, size)
        cell = np.flatnonzero((in_d | in_s).astype(bool))
        in_d, in_s = in_d[cell].astype(np.int64), in_s[cell].astype(np.int64)
    elif n_d is None and n_s is None:
        cell, in_d, in_s = _sorted_together(d, s)
    else:
        cell, (place_d, place_s) = occurring([d, s])
        in_d, in_s = count(place_d, n_d, len(cell)), count(place_s, n_s, len(cell))
    if size < 2**31:
        cell = cell.astype(np.int32)  # divided in half the time
    of_cell = cell // target.size
    starts = np.flatnonzero(np.diff(of_cell, prepend=of_cell.dtype.type(-1)))
    t, q = cell - of_cell * target.size, of_cell[starts].astype(np.int64)
    return Cells(t, in_d, in_s, q, starts, combinations.without_rows())


def _sorted_together(d: Integers, s: Integers) -> tuple[Integers, Integers, Integers]:
    """The cells of two tables of single records, and how many of each have them. The last bit of a
    number that is sorted says which table it is of.
    """
    both = np.sort(np.concatenate([d * 2, s * 2 + 1]))
    starts = np.flatnonzero(np.diff(both >> 1, prepend=-1))
    ends = np.append(starts[1:], len(both))
    synthetic = np.append(0, np.cumsum(both & 1))
    n_s = synthetic[ends] - synthetic[starts]
    return both[starts] >> 1, ends - starts - n_s, n_s


def _cell_codes(codes: Integers, targets: int, side: Side) -> Integers:
    cells = codes.astype(np.int64)
    cells *= targets
    add_codes(cells, side)
    return cells
