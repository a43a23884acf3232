"""Counting: from codes of several variables to a sparse list of occupied cells.

Every record gets one whole number (mixed radix over its keys, then the target). Counting is dense
while the number of possible cells is no larger than the data, and by sorting otherwise, so memory
grows with the data and never with levels times combinations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from .arrays import Integers, distinct_values
from .dense import (
    ADDS_QUICKLY,
    LARGEST_SHORT_COUNT,
    LONG_COUNTS,
    SHORT_CODES,
    SHORT_COUNTS,
    JoinedCodes,
    cell_blocks,
    count_blocks,
    joined,
    on_top,
)
from .levels import Variable

# half of what 64 bits hold, so that a code and a shift can be added without a check
LARGEST_CODE = 2**62
EXACT_IN_DOUBLES = 2**53


@dataclass(frozen=True, slots=True)
class Radix:
    """How combined codes are taken apart again.

    ``sizes[i]`` is the number of codes of variable i; ``packed[i]`` holds the distinct codes that
    were renumbered before variable i was added (None where there was no need), because the product
    of sizes would have passed 64 bits. ``occurring`` does the same after the last.
    """

    sizes: tuple[int, ...]
    packed: tuple[Integers | None, ...]
    size: int
    occurring: Integers | None = None

    def components(self, codes: Integers) -> Integers:
        """Codes of the single variables, shape (len(codes), number of variables)."""
        shape = (len(codes), len(self.sizes))
        parts = np.empty(shape, dtype=np.int64, order="F")  # read variable by variable
        rest = np.asarray(codes) if self.occurring is None else self.occurring[codes]
        for i, size in reversed(list(enumerate(self.sizes))):
            higher = rest // size
            np.subtract(rest, higher * size, out=parts[:, i])
            packed = self.packed[i]
            rest = higher if packed is None else packed[higher]
        return parts

    def component(self, codes: Integers, i: int) -> Integers:
        """Codes of variable i alone, shape (len(codes),)."""
        if any(packed is not None for packed in self.packed):
            return self.components(codes)[:, i]
        rest = codes if self.occurring is None else self.occurring[codes]
        with_higher = rest // prod(self.sizes[i + 1 :])
        if i == 0:
            return with_higher
        higher = with_higher // self.sizes[i]
        higher *= self.sizes[i]
        return np.subtract(with_higher, higher, out=higher)

    def margins(self, codes: Integers, n: np.ndarray) -> list[Integers] | None:
        """The sums of n over the codes of each variable alone; None where a table of all
        combinations would be much larger than the data.
        """
        size = prod(self.sizes)
        if any(packed is not None for packed in self.packed) or size > room_for(len(codes)):
            return None
        table = np.zeros(size, dtype=n.dtype)
        table[codes if self.occurring is None else self.occurring[codes]] = n
        return [margin.astype(np.int64) for margin in _margins(table, self.sizes)]

    def together(self, components: Sequence[np.ndarray]) -> np.ndarray:
        """The reverse: combined codes from those of the single variables. A combination that no
        table had gets the code -1.
        """
        known = np.ones(len(components[0]), dtype=bool)
        codes = np.zeros(len(components[0]), dtype=np.int64)
        for size, packed, component in zip(self.sizes, self.packed, components):
            if packed is not None:
                codes, is_there = _place_among(packed, codes)
                known &= is_there
            codes = codes * size + component
        if self.occurring is not None:
            codes, is_there = _place_among(self.occurring, codes)
            known &= is_there
        return np.where(known, codes, -1)


def _margins(table: np.ndarray, sizes: Sequence[int]) -> list[np.ndarray]:
    """The margins of a flat table: those of its first half of variables, summed over the second,
    and the reverse.
    """
    if len(sizes) == 1:
        return [table]
    half = len(sizes) // 2
    first, second = sizes[:half], sizes[half:]
    square = table.reshape(prod(first), prod(second))
    return [*_margins(square.sum(axis=1), first), *_margins(square.sum(axis=0), second)]


def _place_among(distinct: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The place of each code among sorted codes, and whether it is one of them."""
    places = np.searchsorted(distinct, codes)
    if not len(distinct):
        return places, np.zeros(len(codes), dtype=bool)
    places[places == len(distinct)] = 0
    return places, distinct[places] == codes


def joint_codes(variables: Sequence[Variable]) -> tuple[list[Integers], Radix]:
    """One code per record for each table, from all variables together.

    Examples
    --------
    >>> import numpy as np
    >>> from .columns import Column
    >>> from .coding import encode
    >>> a = encode("a", [Column("integer", np.array([0, 1, 1]))])
    >>> b = encode("b", [Column("integer", np.array([2, 0, 1]))])
    >>> (codes,), radix = joint_codes([a, b])
    >>> codes.tolist(), radix.components(codes).tolist()
    ([2, 3, 4], [[0, 2], [1, 0], [1, 1]])
    """
    codes, radix = codes_in_time(variables)
    return list(codes), radix


def codes_in_time(variables: Sequence[Variable]) -> tuple[Sequence[Integers], Radix]:
    """The same, made when they are asked for, if that is possible."""
    sizes = tuple(variable.size for variable in variables)
    in_blocks = joined(variables)
    if in_blocks is not None:
        return in_blocks, Radix(sizes, (None,) * len(sizes), prod(sizes))
    first, *others = variables
    codes = [np.array(c, dtype=np.int64) for c in first.codes]  # a copy: it is worked on in place
    size, shift = first.size, first.shift  # codes run from shift to shift + size - 1
    packed: list[Integers | None] = [None]
    # shifts are carried along and subtracted once at the end: each subtraction is a pass over the
    # records
    for variable in others:
        distinct = None
        if size * variable.size > LARGEST_CODE:
            codes, distinct = _renumber(_from_zero(codes, shift), size)
            size, shift = len(distinct), 0
        elif not _shifts_fit(size, shift, variable):
            codes, shift = _from_zero(codes, shift), 0
        packed.append(distinct)
        shift = _put_on_top(codes, size, shift, variable)
        size *= variable.size
    if shift:
        for code in codes:
            code -= shift
    return codes, Radix(sizes, tuple(packed), size)


def _put_on_top(codes: list[Integers], size: int, shift: int, variable: Variable) -> int:
    """Make the codes, in place, those of combinations with another variable; their shift."""
    shifted = _shifts_fit(size, shift, variable)
    for table, code in enumerate(codes):
        code *= variable.size
        code += variable.codes[table] if shifted else variable.own_codes(table)
    return shift * variable.size + (variable.shift if shifted else 0)


def _from_zero(codes: list[Integers], shift: int) -> list[Integers]:
    return [code - shift for code in codes]


def _shifts_fit(size: int, shift: int, variable: Variable) -> bool:
    """Whether combined codes that keep their shifts stay far from the ends of 64 bits. Beyond,
    NumPy turns whole numbers into real ones, and different codes into equal ones.
    """
    furthest = abs(shift * variable.size) + abs(variable.shift) + size * variable.size
    return furthest <= LARGEST_CODE


def compact_if_sparse(codes: Sequence[Integers], radix: Radix) -> tuple[Sequence[Integers], Radix]:
    """Codes of only the combinations that occur, if most do not and all are few enough for a lookup
    table.
    """
    records = _rows_of(codes)
    if records < radix.size <= room_for(records):
        return compact(codes, radix)
    return codes, radix


def _rows_of(codes: Sequence[Integers]) -> int:
    """How many rows all tables have."""
    if isinstance(codes, JoinedCodes):
        return sum(map(codes.rows, range(len(codes))))  # without making them
    return sum(map(len, codes))


def compact(codes: Sequence[Integers], radix: Radix) -> tuple[list[Integers], Radix]:
    """The same records with only occurring combinations numbered, which leaves space for another
    variable.
    """
    renumbered, distinct = _renumber(codes, radix.size)
    occurring = distinct if radix.occurring is None else radix.occurring[distinct]
    return renumbered, replace(radix, size=len(distinct), occurring=occurring)


def room_for(records: int) -> int:
    """How many possible cells may be counted densely: some for each record, so memory grows with
    the data.
    """
    return max(2**16, 4 * records, min(16 * records, 2**20))


def _renumber(codes: Sequence[Integers], size: int) -> tuple[list[Integers], Integers]:
    """The same records numbered by the distinct codes, of `size` possible ones, that occur in any
    table.
    """
    # a table of flags takes a fraction of the time of sorting, where there is room for one
    if size > room_for(sum(map(len, codes))):
        distinct = distinct_values(np.concatenate(codes))
        return [np.searchsorted(distinct, of_table) for of_table in codes], distinct
    number = np.zeros(size, dtype=np.int64)
    for of_table in codes:
        number[of_table] = 1
    distinct = np.flatnonzero(number)
    number[distinct] = np.arange(len(distinct))
    return [number[of_table] for of_table in codes], distinct


def places_among(occurring: Integers, codes: Integers, room: int) -> Integers:
    """The place of each code among the sorted ones that occur, which have them all; looked up in a
    table where one fits into `room`.

    >>> places_among(np.array([2, 5]), np.array([5, 2, 5]), room=10).tolist()
    [1, 0, 1]
    """
    size = int(occurring[-1]) + 1 if len(occurring) else 0
    if size > room:
        return np.searchsorted(occurring, codes)
    place = np.zeros(size, dtype=np.int64)
    place[occurring] = np.arange(len(occurring))
    return place[codes]


def number_of_distinct(codes: Integers, size: int) -> int:
    """How many different codes there are, of those from 0 to size - 1."""
    if size > room_for(len(codes)):
        return len(distinct_values(codes))
    return int(np.count_nonzero(np.bincount(codes)))


@dataclass(frozen=True, slots=True)
class Counts:
    """Occupied cells of one table: codes (sorted, distinct) and how many records each holds, shape
    (c,).
    """

    cells: Integers
    n: Integers


def tabulate(
    combinations: Sequence[Integers],
    size: int,
    target: Variable,
    n: Sequence[Integers | None],
) -> Iterator[tuple[Integers, Integers, Integers]]:
    """Records of the first table beside those of each other one: cells that either has, and the
    counts of both, as `pair_up` gives them.

    A cell is one of `size` combinations, given by their codes, with a level of one more variable.
    `n` says how many records each row stands for.
    """
    tables = _Tables(combinations, target, n, cells=size * target.size)
    last = len(combinations) - 1
    for table in range(1, last + 1):
        yield tables.beside_first(table, keep=table < last)


@dataclass(slots=True)
class _Tables:
    """What `tabulate` counts.

    Attributes
    ----------
    cells : how many cells are possible.
    first : the counts of the first table, which serve all others.
    counted_in : the numbers that dense counts are made of.
    """

    combinations: Sequence[Integers]
    target: Variable
    n: Sequence[Integers | None]
    cells: int
    first: Integers | Counts | None = None
    counted_in: np.dtype = SHORT_COUNTS

    def beside_first(self, table: int, keep: bool) -> tuple[Integers, Integers, Integers]:
        """The first table and another one; `keep` the counts of the first for the next."""
        paired = self._paired(table)
        if not (self._complete(0, paired[1]) and self._complete(table, paired[2])):
            self.first, self.counted_in = None, LONG_COUNTS
            paired = self._paired(table)
        if not keep:
            self.first = None
        return paired

    def _paired(self, table: int) -> tuple[Integers, Integers, Integers]:
        if self.first is None:
            self.first = self._counts(0)
        return pair_up(self.first, self._counts(table))

    def _complete(self, table: int, counts: Integers) -> bool:
        """Whether every record is counted: a count that is too large for a short number starts
        again at 0.
        """
        records = len(self.target.codes[table])
        fits = records <= LARGEST_SHORT_COUNT or self.n[table] is not None
        return fits or int(counts.sum()) == records

    def _counts(self, table: int) -> Integers | Counts:
        room, n = room_for(_rows_of(self.combinations)), self.n[table]
        if ADDS_QUICKLY and self.cells <= room and n is None:
            blocks = cell_blocks(self.combinations, self.target, table)
            return count_blocks(blocks, self.cells, self.counted_in)
        codes = cell_codes(self.combinations[table], self.target, table)
        return count_codes(codes, self.cells, room, n)


def cell_codes(combinations: Integers, target: Variable, table: int) -> Integers:
    """One code per row: that of the combination times the number of targets, plus the target's."""
    codes = np.empty(len(combinations), dtype=np.int64)
    begin = 0
    for block in on_top(combinations, target, table):
        codes[begin : begin + len(block)] = block
        begin += len(block)
    return codes


def count_codes(
    codes: np.ndarray, size: int, room: int, n: np.ndarray | None = None
) -> np.ndarray | Counts:
    """Records by cell: a dense array where `size` possible cells fit into `room`, a sparse list
    otherwise. `n` says how many records each code stands for, one unless it is given.
    """
    if size <= room:
        return totals(codes, n, size)
    if n is not None:
        return relabel(Counts(codes, n), codes)
    # short numbers take less than half the time
    fitting = np.int32 if size <= SHORT_CODES else np.int64
    ordered = np.sort(codes.astype(fitting))
    starts = _starts(ordered)
    return Counts(ordered[starts].astype(np.int64), np.diff(np.append(starts, len(ordered))))


def totals(codes: np.ndarray, n: np.ndarray | None, size: int) -> np.ndarray:
    """The sum of n (of ones where it is None) over each code from 0 to size - 1, or to the largest
    that occurs; exact for any whole numbers of 64 bits, and for what `addable` makes of them.

    Examples
    --------
    >>> import numpy as np
    >>> totals(np.array([0, 2, 2]), np.array([1, 2**60, 3]), 3).tolist()
    [1, 0, 1152921504606846979]
    """
    if n is None:
        return np.bincount(codes, minlength=size)
    # bincount adds weights up as doubles, which is exact while the total is
    in_doubles = np.bincount(codes, weights=n, minlength=size)
    if n.dtype == np.float64 or in_doubles.sum() < EXACT_IN_DOUBLES:
        return in_doubles.astype(np.int64)
    length = max(size, int(codes.max(initial=-1)) + 1)  # as bincount has it
    sums = np.zeros(length, dtype=np.int64)
    np.add.at(sums, codes, n)
    return sums


def addable(n: np.ndarray) -> np.ndarray:
    """Numbers that are added up several times, as doubles where `totals` can use these: where no
    sum of some of them loses a digit.
    """
    return n.astype(np.float64) if n.sum() < EXACT_IN_DOUBLES else n


def _starts(ordered: np.ndarray) -> np.ndarray:
    """Where each distinct value of a sorted array begins."""
    if not len(ordered):
        return np.zeros(0, dtype=np.int64)
    return np.append(0, np.flatnonzero(ordered[1:] != ordered[:-1]) + 1)


def sparse(counts: np.ndarray | Counts) -> Counts:
    """Counts as a list of occupied cells."""
    if isinstance(counts, Counts):
        return counts
    cells = np.flatnonzero(counts)
    return Counts(cells, counts[cells])


def pair_up(
    first: Integers | Counts, second: Integers | Counts
) -> tuple[Integers, Integers, Integers]:
    """Cells occupied in either table, with the counts of both: (cells, n_first, n_second)."""
    # two dense tables need no search: the place of a cell is its code
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        cells = np.flatnonzero(np.logical_or(first, second))
        return cells, _taken(first, cells), _taken(second, cells)
    a, b = sparse(first), sparse(second)
    cells = distinct_values(np.concatenate([a.cells, b.cells]))
    return cells, _counts_at(a, cells), _counts_at(b, cells)


def _taken(counts: Integers, cells: Integers) -> Integers:
    # all are in range, so NumPy need not check
    return counts.take(cells, mode="clip").astype(np.int64, copy=False)


def _counts_at(counts: Counts, cells: Integers) -> Integers:
    n = np.zeros(len(cells), dtype=np.int64)
    n[np.searchsorted(cells, counts.cells)] = counts.n
    return n


def relabel(counts: Integers | Counts, new_cells: Integers) -> Counts:
    """The same counts under other cell codes (one new code for each occupied cell, in the order of
    `sparse`).
    """
    order = np.argsort(new_cells, kind="stable")
    n = sparse(counts).n[order]
    ordered = new_cells[order]
    starts = _starts(ordered)
    if not len(starts):
        return Counts(ordered, n)
    return Counts(ordered[starts], np.add.reduceat(n, starts))
