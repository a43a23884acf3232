"""Two tables as one table of cells: key combination q, target t, records d of the original and s of
the synthetic data; and what measures count in it: which cells are certain, what exclusions leave.

Notation of Raab, Nowok and Dibben, "Practical privacy metrics for synthetic data": sums over t are
d.q and s.q, sums over q are d.t; Nd, Ns records; pd = d/d.q, ps = s/s.q.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .core.arrays import Flags, Integers, Values
from .core.crosstab import ROWS, count
from .levels import Side, Variable

if TYPE_CHECKING:
    from .exclusions import Why

LARGEST = 2**61  # code of a cell; one bit is left to tell two tables apart
SMALL_TABLE = 2**18  # codes that are always counted in a table
ROOM = 4  # a table of all codes may be this many times as long as the rows
SAFE = 2**62
VECTORS = ("original", "synthetic", "Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DiSDiO")
REASONS = 5  # for which records may be left out


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
        found = []
        for key in reversed(self.keys):
            before = left // key.size
            found.append(left - before * key.size)
            left = before
        return found[::-1]

    def code_of(self, parts: Sequence[Integers]) -> Integers:
        """The combination of given codes of keys; -1 where no record has it, or a code is -1."""
        keys, unknown = self.keys, np.zeros(len(parts[0]), dtype=bool)
        codes = np.zeros(len(parts[0]), dtype=np.int64)
        if self.before is not None:
            codes = self.before.code_of(parts[:-1])
            unknown, keys, parts = codes < 0, keys[-1:], parts[-1:]
        for key, part in zip(keys, parts):
            codes = codes * key.size + part
            unknown |= (part < 0) | (part >= key.size)
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
    if size > LARGEST:
        return _numbered(keys, n)
    kind = np.int32 if size < 2**31 else np.int64
    codes: list[Integers] = []
    for table, first in enumerate(keys[0].sides):
        of_table = np.zeros(len(first.factor.rows.codes), dtype=kind)
        for start in range(0, len(of_table), ROWS):
            rows = slice(start, start + ROWS)
            of_rows = of_table[rows]
            for at, key in enumerate(keys):
                if at:
                    of_rows *= key.size
                add_codes(of_rows, key.sides[table], rows)
        codes.append(of_table)
    if size <= room(codes) or len(keys) == 1:
        return Combinations(tuple(keys), tuple(codes), tuple(n), size)
    seen, places = occurring(codes)
    return Combinations(tuple(keys), tuple(places), tuple(n), len(seen), seen)


def _numbered(keys: Sequence[Variable], n: Sequence[Integers | None]) -> Combinations:
    """Combinations of so many keys that no number holds all possible ones: key by key."""
    merged, rest = combine(keys[:-1], n), keys[-1]
    together = [codes.astype(np.int64) * rest.size for codes in merged.codes]
    for of_table, side in zip(together, rest.sides):
        add_codes(of_table, side)
    seen, places = occurring(together)
    before = merged.without_rows()
    return Combinations(tuple(keys), tuple(places), tuple(n), len(seen), seen, before)


def add_codes(to: Integers, side: Side, rows: slice = slice(None)) -> None:
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
    place = np.minimum(np.searchsorted(ascending, codes), len(ascending) - 1)
    return np.where(ascending[place] == codes, place, -1)


def occurring(codes: Sequence[Values]) -> tuple[Values, list[Integers]]:
    """The distinct codes of all tables, ascending, and the place of each row among them."""
    seen, places = np.unique(np.concatenate(codes), return_inverse=True)
    ends = np.cumsum([len(of_table) for of_table in codes])
    return seen, np.split(places.reshape(-1), ends[:-1])


def room(codes: Sequence[Integers]) -> int:
    """How long a table of all codes may be."""
    return max(ROOM * sum(map(len, codes)), SMALL_TABLE)


@dataclass(frozen=True, eq=False)
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

    @cached_property
    def ends(self) -> Integers:
        """(g,) the last cell of each combination."""
        return np.append(self.starts[1:], len(self.t)) - 1 if len(self.starts) else self.starts

    def by_q(self, n: Integers | Flags) -> Integers:
        """(g,) sums over the cells of a combination: differences of running sums, which take a
        sixth of the time of `reduceat`.
        """
        kind = np.int64 if n.dtype == np.int64 else np.int32
        sums = np.cumsum(n, dtype=kind).take(self.ends)
        sums[1:] -= sums[:-1].copy()
        return sums


def count_cells(combinations: Combinations, target: Variable) -> Cells:
    """The cells that either of two tables has. Memory grows with rows and occupied cells."""
    size = combinations.size * target.size
    if size <= ROOM * sum(map(len, combinations.codes)):
        in_d, in_s = (_in_table(combinations, target, table) for table in (0, 1))
        cell = np.logical_or(in_d, in_s).nonzero()[0]
        d, s = in_d[cell], in_s[cell]
    else:
        kind = np.int32 if size < 2**30 else np.int64  # short numbers are sorted in half the time
        both = zip(combinations.codes, target.sides)
        codes = [_cell_codes(codes, side, kind(target.size)) for codes, side in both]
        cell, d, s = _sorted_together(*codes, *combinations.n)
    kind = np.int64 if combinations.are_weighted else np.int32
    if size < 2**31:
        cell = cell.astype(np.int32)  # divided in half the time
    of_cell = cell // target.size
    starts = _starts(of_cell)
    t, q = cell - of_cell * target.size, of_cell[starts].astype(np.int64)
    return Cells(t, d.astype(kind), s.astype(kind), q, starts, combinations.without_rows())


def _in_table(combinations: Combinations, target: Variable, table: int) -> Integers:
    """Records of every possible cell."""
    codes, n = combinations.codes[table], combinations.n[table]
    kind, size = np.dtype(np.int64), combinations.size
    if n is None:  # short numbers, since no cell has more records than its combination
        kind = np.min_scalar_type(int(count(codes, None, size).max(initial=0)))
    records = np.zeros(size * target.size, dtype=kind)
    for start in range(0, len(codes), ROWS):
        rows = slice(start, start + ROWS)
        cells = _cell_codes(codes[rows], target.sides[table], np.int64(target.size), rows)
        np.add.at(records, cells, kind.type(1) if n is None else n[rows])
    return records


def _cell_codes(
    codes: Integers, side: Side, targets: np.integer[Any], rows: slice = slice(None)
) -> Integers:
    cells = codes * targets
    add_codes(cells, side, rows)
    return cells


def _sorted_together(
    d: Integers, s: Integers, n_d: Integers | None, n_s: Integers | None
) -> tuple[Integers, Integers, Integers]:
    """The cells of two tables, and how many records of each have them."""
    if n_d is not None or n_s is not None:
        cell, places = occurring([d, s])
        in_d, in_s = (count(rows, n, len(cell)) for rows, n in zip(places, (n_d, n_s)))
        return cell, in_d, in_s
    both = np.concatenate([d << 1, (s << 1) | 1])  # the last bit says which table a row is of
    both.sort()
    cells = both >> 1
    starts = _starts(cells)
    ends = np.append(starts[1:], len(both))
    both &= 1
    in_s = np.cumsum(both, out=both)[ends - 1]
    in_s[1:] -= in_s[:-1].copy()
    return cells[starts], ends - starts - in_s, in_s


def _starts(ascending: Integers) -> Integers:
    """Where each of the distinct values begins."""
    begins = np.ones(len(ascending), dtype=bool)
    np.not_equal(ascending[1:], ascending[:-1], out=begins[1:])
    return begins.nonzero()[0]


# ---- what measures count -------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Counts:
    """The cells of two tables with what exclusions left, and what is certain about them.

    Attributes
    ----------
    cells : all of them. why : the reasons for which some are left out; None if none is.
    Nd, Ns : records of the original and of the synthetic data.
    d_t : original records by code of the target, before exclusions.
    no_identity : the original's and the synthetic cells that identity measures leave out.
    named : combinations that count as found for UiOiS; None for those with synthetic records.
    least : the share of a combination's records that must have one target for it to be certain.
    """

    cells: Cells
    why: Why | None
    Nd: int
    Ns: int
    d_t: Integers
    no_identity: tuple[Flags, Flags] | None
    named: Flags | None
    least: Fraction

    # ---- decided on all records, before exclusions

    @cached_property
    def sure_d(self) -> Flags:
        """(c,) pd = 1: all original records of the combination are in this cell."""
        return sure(self.cells, self.cells.d, self.cells.d_q, self.least)

    @cached_property
    def sure_s(self) -> Flags:
        """(c,) ps = 1."""
        return sure(self.cells, self.cells.s, self.cells.s_q, self.least)

    @cached_property
    def some_sure(self) -> Flags:
        """(g,) some ps = 1."""
        return self.cells.by_q(self.sure_s) > 0

    # ---- what exclusions left

    @cached_property
    def d(self) -> Integers:
        return self.cells.d if self.why is None else self.cells.d * (self.why.d == 0)

    @cached_property
    def s(self) -> Integers:
        return self.cells.s if self.why is None else self.cells.s * (self.why.s == 0)

    @cached_property
    def d_q(self) -> Integers:
        return self.cells.d_q if self.why is None else self.cells.by_q(self.d)

    @cached_property
    def s_q(self) -> Integers:
        return self.cells.s_q if self.why is None else self.cells.by_q(self.s)

    @cached_property
    def disco(self) -> Integers:
        """(c,) records of which the synthetic data are certain, and rightly."""
        return self.d * self.sure_s

    @cached_property
    def sure_after(self) -> Flags:
        """(c,) ps = 1 decided again on what exclusions left."""
        return self.sure_s if self.why is None else sure(self.cells, self.s, self.s_q, self.least)

    @cached_property
    def one_d(self) -> Flags:
        """(g,) held by one original record, of those that identity measures are about."""
        return self._ones(0, self.cells.d, self.cells.d_q)

    @cached_property
    def one_s(self) -> Flags:
        return self._ones(1, self.cells.s, self.cells.s_q)

    def _ones(self, table: int, n: Integers, n_q: Integers) -> Flags:
        if self.no_identity is not None:
            n_q = self.cells.by_q(n * ~self.no_identity[table])
        return np.equal(n_q, 1)

    @cached_property
    def found(self) -> Flags:
        """(g,) the synthetic data have the combination."""
        return self.cells.s_q > 0 if self.named is None else self.named

    @cached_property
    def DCAP(self) -> float:
        """The expected number of correct guesses from the synthetic data: sum of ps d."""
        return self.guessed(self.s, self.d, self.s_q)

    def guessed(self, n: Integers, m: Integers, n_q: Integers) -> float:
        """The sum of m n / n.q."""
        if not len(n):
            return 0.0
        if max(self.Nd, self.Ns) ** 2 < SAFE:
            products: Values = self.cells.by_q(np.multiply(n, m, dtype=np.int64))
        else:
            products = np.add.reduceat(np.multiply(n, m, dtype=np.float64), self.cells.starts)
        return float((products / np.maximum(n_q, 1)).sum())

    @cached_property
    def Nb(self) -> int:
        """Synthetic records whose combination the original has."""
        return int(self.s_q[self.d_q > 0].sum())

    @cached_property
    def base(self) -> float:
        """Nd times the sum of squares of d.t / Nd."""
        if self.d_t.max(initial=0) == self.Nd:
            return float(self.Nd)  # a single level: exactly 1, however large the square
        return float(np.square(self.d_t, dtype=np.float64).sum()) / self.Nd

    @cached_property
    def ledger(self) -> Integers:
        """(8, 6) records of each of R's eight counts that each reason removed, and what remained.
        In words: all; all synthetic; certain in the original; certain in the synthetic data; keys
        found; keys found and certain; and rightly; and certain in the original too.
        """
        d, s, group = self.cells.d, self.cells.s, self.cells.group
        found, some = self.cells.s_q > 0, self.some_sure
        rows = np.zeros((len(VECTORS), REASONS + 1), dtype=np.int64)
        if self.why is None:  # whoever shares keys is in or out together
            iS, DiS = (self.cells.d_q[these].sum() for these in (found, some))
            certain = d @ self.sure_d, s @ self.sure_s
            correct = self.disco.sum(), self.disco @ self.sure_d
            rows[:, -1] = [self.Nd, self.Ns, *certain, iS, DiS, *correct]
            return rows
        Dorig, Dsyn, DiSCO = d * self.sure_d, s * self.sure_s, d * self.sure_s
        iS, DiS, DiSDiO = d * found[group], d * some[group], DiSCO * self.sure_d
        for row, name, n in zip(rows, VECTORS, (d, s, Dorig, Dsyn, iS, DiS, DiSCO, DiSDiO)):
            reason = self.why.s if name in ("synthetic", "Dsyn") else self.why.d
            row[:] = [n[reason == number].sum() for number in (*range(1, REASONS + 1), 0)]
        return rows

    @cached_property
    def left(self) -> dict[str, int]:
        """What exclusions left of R's eight counts."""
        return dict(zip(VECTORS, self.ledger[:, -1].tolist()))

    @staticmethod
    def number(flags: Flags) -> int:
        return int(np.count_nonzero(flags))

    def above_base(self, part: float, whole: float) -> float:
        """part / whole - baseCAPd; NaN with exclusions, because baseCAPd ignores them."""
        excluded = self.why is not None and self.ledger[:, :-1].any()
        return math.nan if excluded or not whole else part / whole - self.base / self.Nd

    @property
    def room_above_base(self) -> float:
        """1 - baseCAPd; NaN with a single target level, when nothing is left to learn."""
        return (1 - self.base / self.Nd) or math.nan

    @property
    def of_identity(self) -> tuple[int, int]:
        """Original and synthetic records that identity measures are about."""
        if self.no_identity is None:
            return self.Nd, self.Ns
        d, s = (n[~out].sum() for n, out in zip((self.cells.d, self.cells.s), self.no_identity))
        return int(d), int(s)

    # ---- figures that are no shares

    @property
    def max_denom(self) -> float:
        """The largest DiSCO cell, in original records."""
        return float(self.disco.max(initial=0))

    @property
    def mean_denom(self) -> float:
        cells = int(np.count_nonzero(self.disco))
        return self.left["DiSCO"] / cells if cells else math.nan


def sure(cells: Cells, n: Integers, n_q: Integers, least: Fraction) -> Flags:
    """The cells that hold all records of their combination, or at least this share of them.
    Compared in whole numbers: a rounded quotient may fall on the other side.
    """
    of_all = n_q.take(cells.group)
    if least == 1:
        return np.equal(n, of_all) & (n > 0)
    if int(n_q.max(initial=0)) * least.denominator >= SAFE:
        n, of_all = n.astype(object), of_all.astype(object)  # whole numbers of any size
    else:
        n, of_all = n.astype(np.int64), of_all.astype(np.int64)
    reached = n * least.denominator >= of_all * least.numerator
    return reached.astype(bool) & (n > 0)
