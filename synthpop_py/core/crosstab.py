"""Counting: from codes of combinations to a sparse list of occupied cells.

A cell is a combination with a level of one more variable, the target. Counting is dense while the
number of possible cells is no larger than the data, and by sorting otherwise, so memory grows with
the data and never with levels times combinations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from .arrays import Integers, distinct_values
from .combinations import BLOCK, SHORT_CODES, JoinedCodes, room_for, rows_of
from .levels import Variable

EXACT_IN_DOUBLES = 2**53
# before 1.25, adding at given places took NumPy longer than everything else together
ADDS_QUICKLY = np.lib.NumpyVersion(np.__version__) >= "1.25.0"
# short ones take a quarter of the memory, so most of a table stays in the processor's cache
SHORT_COUNTS, LONG_COUNTS = np.dtype(np.uint16), np.dtype(np.int64)
LARGEST_SHORT_COUNT = np.iinfo(SHORT_COUNTS).max


@dataclass(frozen=True, slots=True)
class Counts:
    """Occupied cells of one table: codes (sorted, distinct) and how many records each holds, shape
    (c,).
    """

    cells: Integers
    n: Integers


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
        never_short = self.n[table] is not None
        if never_short or records <= LARGEST_SHORT_COUNT:
            return True
        return int(counts.sum()) == records

    def _counts(self, table: int) -> Integers | Counts:
        room, n = room_for(rows_of(self.combinations)), self.n[table]
        # in the memory that is allowed for long counts there is room for more short ones
        more_room = room * LONG_COUNTS.itemsize // self.counted_in.itemsize
        if ADDS_QUICKLY and self.cells <= more_room and n is None:
            blocks = cell_blocks(self.combinations, self.target, table)
            return count_blocks(blocks, self.cells, self.counted_in)
        codes = cell_codes(self.combinations[table], self.target, table)
        return count_codes(codes, self.cells, room, n)


def cell_blocks(
    combinations: Sequence[Integers], target: Variable, table: int
) -> Iterator[Integers]:
    """The codes of cells, a block of rows at a time: that of the combination times the number of
    targets, plus the target's.
    """
    if isinstance(combinations, JoinedCodes):
        together = combinations.with_top(target)
        if together is not None:
            return together.blocks(table)
    return on_top(combinations[table], target, table)


def on_top(combinations: Integers, target: Variable, table: int) -> Iterator[Integers]:
    """The codes of cells, from those of the combinations of one table, with the target put on top
    as the lowest digit.
    """
    own = target.codes[table]
    codes = np.empty(min(BLOCK, len(combinations)), dtype=np.int64)
    for begin in range(0, len(combinations), BLOCK):
        block = slice(begin, begin + BLOCK)
        of_block = codes[: len(combinations) - begin]
        np.multiply(combinations[block], target.size, out=of_block)
        of_block += own[block]
        if target.shift:
            of_block -= target.shift
        yield of_block


def count_blocks(blocks: Iterator[Integers], size: int, counted_in: np.dtype) -> Integers:
    """How many records have each code below `size`; counts too large for their numbers start again
    at 0.

    >>> count_blocks(iter([np.array([0, 2]), np.array([2])]), 3, SHORT_COUNTS).tolist()
    [1, 0, 2]
    """
    counts = np.zeros(size, dtype=counted_in)
    one = counted_in.type(1)
    for codes in blocks:
        np.add.at(counts, codes, one)
    return counts


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
    that occurs; exact for any whole numbers of 64 bits.

    Examples
    --------
    >>> import numpy as np
    >>> totals(np.array([0, 2, 2]), np.array([1, 2**60, 3]), 3).tolist()
    [1, 0, 1152921504606846979]
    """
    if n is None:
        return np.bincount(codes, minlength=size)
    if not ADDS_QUICKLY:
        # bincount adds weights up as doubles, which is exact while the total is
        in_doubles = np.bincount(codes, weights=n, minlength=size)
        if in_doubles.sum() < EXACT_IN_DOUBLES:
            return in_doubles.astype(np.int64)
    # NumPy adds quickly only where the types are these
    places, numbers = codes.astype(np.intp, copy=False), n.astype(np.int64, copy=False)
    length = max(size, int(places.max(initial=-1)) + 1)  # as bincount has it
    sums = np.zeros(length, dtype=np.int64)
    np.add.at(sums, places, numbers)
    return sums


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
