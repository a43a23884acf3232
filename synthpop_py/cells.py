"""Two tables as one table of cells: key combination q, target t, records d of the original and s of
the synthetic data.

Notation of Raab, Nowok and Dibben, "Practical privacy metrics for synthetic data": sums over t are
d.q and s.q, sums over q are d.t; Nd, Ns records; pd = d/d.q, ps = s/s.q.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from .core.arrays import Flags, Integers, Values
from .levels import ROWS, Side, Variable, count

LARGEST = 2**61  # code of a cell; one bit is left to tell two tables apart
SMALL_TABLE = 2**18  # codes that are always counted in a table
ROOM = 4  # a table of all codes may be this many times as long as the rows


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
    before : the combinations of all keys but the last, where no number holds all together.
    """

    keys: tuple[Variable, ...]
    codes: tuple[Integers, ...]
    n: tuple[Integers | None, ...]
    size: int
    seen: Integers | None = None
    before: Combinations | None = None

    def parts(self, codes: Integers) -> list[Integers]:
        """The code of each key in given combinations."""
        left = codes if self.seen is None else self.seen[codes]
        if self.before is not None:
            earlier, last = np.divmod(left, self.keys[-1].size)
            return [*self.before.parts(earlier), last]
        if math.prod(key.size for key in self.keys) < 2**31:
            left = left.astype(np.int32)  # divided in a fraction of the time
        found = []
        for key in reversed(self.keys):
            before = left // key.size
            found.append(left - before * key.size)
            left = before
        return found[::-1]

    def code_of(self, parts: Sequence[Integers]) -> Integers:
        """The combination of given codes of keys; -1 where no record has it, or a code is -1."""
        keys = self.keys
        codes = np.zeros(len(parts[0]), dtype=np.int64)
        unknown = np.zeros(len(codes), dtype=bool)
        if self.before is not None:
            codes = self.before.code_of(parts[:-1])
            unknown = codes < 0
            keys, parts = keys[-1:], parts[-1:]
        for key, part in zip(keys, parts):
            codes = codes * key.size + part
            unknown |= part < 0
            unknown |= part >= key.size
        codes[unknown] = -1
        return codes if self.seen is None else place_among(self.seen, codes)

    @property
    def are_weighted(self) -> bool:
        """Whether rows stand for several records."""
        return any(weights is not None for weights in self.n)

    def without_rows(self) -> Combinations:
        """What codes mean, without those of the records."""
        return Combinations(self.keys, (), (), self.size, self.seen, self.before)

    def pair(self, number: int) -> Combinations:
        """The original and one synthesis."""
        if len(self.codes) == 2:
            return self
        return replace(
            self,
            keys=tuple(key.pair(number) for key in self.keys),
            codes=(self.codes[0], self.codes[number]),
            n=(self.n[0], self.n[number]),
        )


def combine(keys: Sequence[Variable], n: Sequence[Integers | None]) -> Combinations:
    """One code for each combination of keys, in every table. More combinations than rows, or than
    64 bits hold, are numbered as they occur.
    """
    size = math.prod(key.size for key in keys)
    lengths = [len(side.factor.rows.codes) for side in keys[0].sides]
    ends = np.cumsum(lengths)
    rows = int(ends[-1])
    before = None
    if size > LARGEST:
        before = combine(keys[:-1], n)
        together = np.concatenate(before.codes).astype(np.int64)
        _add_keys(np.split(together, ends[:-1]), keys[-1:])
        before = before.without_rows()
    else:
        together = np.zeros(rows, dtype=np.int32 if size < 2**31 else np.int64)
        codes = np.split(together, ends[:-1])
        _add_keys(codes, keys)
        if len(keys) == 1 or size <= max(ROOM * rows, SMALL_TABLE):
            return Combinations(tuple(keys), tuple(codes), tuple(n), size)
    seen, places = np.unique(together, return_inverse=True)
    of_tables = np.split(places.reshape(-1), ends[:-1])
    return Combinations(tuple(keys), tuple(of_tables), tuple(n), len(seen), seen, before)


def _add_keys(codes: Sequence[Integers], keys: Sequence[Variable]) -> None:
    """Add the codes of keys to those of tables, in place: some rows of all keys before the next
    rows, while they are in the fastest memory.
    """
    for table, of_table in enumerate(codes):
        for start in range(0, len(of_table), ROWS):
            rows = slice(start, start + ROWS)
            of_rows = of_table[rows]
            for key in keys:
                of_rows *= key.size
                add_codes(of_rows, key.sides[table], rows)


def add_codes(to: Integers, side: Side, rows: slice) -> None:
    """Add the code of a variable to each row."""
    codes = side.factor.rows.codes[rows]
    if side.place is side.factor.place and side.factor.in_order:  # as they were read
        to += codes
    else:
        to += side.place.astype(to.dtype)[codes]


def place_among(ascending: Integers, codes: Integers) -> Integers:
    """Where each code is; -1 where it is not."""
    if not len(ascending):
        return np.full(len(codes), -1)
    place = np.searchsorted(ascending, codes)
    place[place == len(ascending)] = 0
    return np.where(ascending[place] == codes, place, -1)


def occurring(codes: Sequence[Values]) -> tuple[Values, list[Integers]]:
    """The distinct codes of all tables, ascending, and the place of each row among them."""
    seen, places = np.unique(np.concatenate(codes), return_inverse=True)
    ends = np.cumsum([len(of_table) for of_table in codes])
    return seen, np.split(places.reshape(-1), ends[:-1])


@dataclass(eq=False)
class Cells:
    """Occupied cells, those of one combination together. c cells, g combinations.

    Attributes
    ----------
    t : (c,) code of the target.
    d, s : (c,) original and synthetic records.
    q : (g,) code of the combination. starts : (g,) where its cells begin.
    combinations : what the codes of combinations are made of.
    group : (c,) number of the cell's combination.
    d_q, s_q : (g,) records of the combination.
    """

    t: Integers
    d: Integers
    s: Integers
    q: Integers
    starts: Integers
    combinations: Combinations

    def __post_init__(self) -> None:
        first = np.zeros(len(self.t), dtype=np.int64)
        first[self.starts[1:]] = 1
        self.group: Integers = np.cumsum(first, out=first)
        self.ends = np.append(self.starts[1:], len(self.t))[: len(self.starts)] - 1
        self.d_q, self.s_q = self.by_q(self.d), self.by_q(self.s)

    @cached_property
    def keys(self) -> list[Integers]:
        """(g,) for each key its codes."""
        return self.combinations.parts(self.q)

    def by_q(self, n: Integers | Flags) -> Integers:
        """(g,) sums over the cells of a combination: differences of running sums, which take a
        sixth of the time of `reduceat`.
        """
        kind: type = np.int64 if n.dtype == np.int64 else np.int32
        sums: Integers = np.cumsum(n, dtype=kind).take(self.ends)
        sums[1:] -= sums[:-1].copy()
        return sums


def count_cells(combinations: Combinations, target: Variable) -> Cells:
    """The cells that either of two tables has. Memory grows with rows and occupied cells."""
    size = combinations.size * target.size
    if size <= ROOM * sum(map(len, combinations.codes)):
        cell, d, s = _by_table(combinations, target)
    elif combinations.are_weighted:
        cell, d, s = _by_number(combinations, target)
    else:
        cell, d, s = _by_sorting(combinations, target, np.int32 if size < 2**30 else np.int64)
    if size < 2**31:
        cell = cell.astype(np.int32)  # divided in half the time
    of_cell = cell // target.size
    starts = _starts(of_cell)
    q = of_cell[starts].astype(np.int64)
    of_cell *= target.size
    cell -= of_cell
    return Cells(cell, d, s, q, starts, combinations.without_rows())


def _by_table(combinations: Combinations, target: Variable) -> tuple[Integers, Integers, Integers]:
    """The cells, and how many records of each table they hold, from tables of all that can be."""
    if combinations.are_weighted:
        return _occupied(combinations, target, np.int64, np.int64)
    cell, d, s = _occupied(combinations, target, np.uint16, np.int32)
    if d.sum() + s.sum() < sum(map(len, combinations.codes)):
        # more records than 16 bits hold, which small tables seldom need: they take half the time
        return _occupied(combinations, target, np.int32, np.int32)
    return cell, d, s


def _occupied(
    combinations: Combinations, target: Variable, counted_as: type, kind: type
) -> tuple[Integers, Integers, Integers]:
    in_d, in_s = (_in_table(combinations, target, table, counted_as) for table in (0, 1))
    cell = np.logical_or(in_d, in_s).nonzero()[0]
    both: Integers = np.empty(
        (2, len(cell)), dtype=kind
    )  # one array, which the system gives in large pages
    both[:] = in_d.take(cell), in_s.take(cell)
    return cell, *both


def _in_table(combinations: Combinations, target: Variable, table: int, kind: type) -> Integers:
    """Records of every possible cell."""
    codes, n = combinations.codes[table], combinations.n[table]
    records: Integers = np.zeros(combinations.size * target.size, dtype=kind)
    for start in range(0, len(codes), ROWS):
        rows = slice(start, start + ROWS)
        cells = _cell_codes(codes[rows], target, table, np.int64, rows)
        np.add.at(records, cells, kind(1) if n is None else n[rows])
    return records


def _cell_codes(
    codes: Integers, target: Variable, table: int, kind: type, rows: slice = slice(None)
) -> Integers:
    cells: Integers = np.multiply(codes, target.size, dtype=kind)
    add_codes(cells, target.sides[table], rows)
    return cells


def _by_number(combinations: Combinations, target: Variable) -> tuple[Integers, Integers, Integers]:
    """The same by numbering the cells that occur."""
    codes = [_cell_codes(rows, target, i, np.int64) for i, rows in enumerate(combinations.codes)]
    cell, places = occurring(codes)
    d, s = (count(rows, n, len(cell)) for rows, n in zip(places, combinations.n))
    return cell, d, s


def _by_sorting(
    combinations: Combinations, target: Variable, kind: type[np.signedinteger[Any]]
) -> tuple[Integers, Integers, Integers]:
    """The same where each row is one record, in a third of the time: the last bit of what is sorted
    says which table a row is of.
    """
    d, s = (_cell_codes(rows, target, i, kind) for i, rows in enumerate(combinations.codes))
    rows = np.concatenate([2 * d, 2 * s + 1])
    rows.sort()
    cells = rows // 2
    starts = _starts(cells)
    ends = np.append(starts[1:], len(rows))
    both = ends - starts
    rows &= 1
    up_to_end = np.cumsum(rows, dtype=np.int32)[ends - 1]
    in_s = np.diff(up_to_end, prepend=np.int32(0))
    return cells[starts], (both - in_s).astype(np.int32), in_s


def _starts(ascending: Integers) -> Integers:
    """Where each of the distinct values begins."""
    begins = np.ones(len(ascending), dtype=bool)
    np.not_equal(ascending[1:], ascending[:-1], out=begins[1:])
    return begins.nonzero()[0]
