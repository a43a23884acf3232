"""Records by cell in a table that has a place for every possible cell, counted block by block, so
that codes stay in the processor's cache and are never kept for all records.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from .arrays import Integers
from .levels import Variable

SHORT_CODES = 2**31  # the number of different 32-bit integers
BLOCK = 2**16  # records that are worked on at a time
# before 1.25, adding at given places took NumPy longer than everything else together
ADDS_QUICKLY = np.lib.NumpyVersion(np.__version__) >= "1.25.0"
# short ones take a quarter of the memory, so most of a table stays in the processor's cache
SHORT_COUNTS, LONG_COUNTS = np.dtype(np.uint16), np.dtype(np.int64)
LARGEST_SHORT_COUNT = np.iinfo(SHORT_COUNTS).max


@dataclass(frozen=True, slots=True)
class JoinedCodes(Sequence[Integers]):
    """One code per record for each table, from all variables together, if numbers of 32 bits hold
    them on the way. Those of a table are made when they are asked for.
    """

    variables: tuple[Variable, ...]
    shift: int
    _made: dict[int, Integers] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.variables[0].codes)

    def __getitem__(self, table: int) -> Integers:  # type: ignore[override]
        if not 0 <= table < len(self):
            raise IndexError(table)
        if table not in self._made:
            codes = np.empty(self.rows(table), dtype=np.int64)
            begin = 0
            for block in self.blocks(table):
                codes[begin : begin + len(block)] = block
                begin += len(block)
            self._made[table] = codes
        return self._made[table]

    def rows(self, table: int) -> int:
        return len(self.variables[0].codes[table])

    def with_top(self, variable: Variable) -> JoinedCodes | None:
        """Those of the combinations with another variable; None if 32 bits do not hold them."""
        return joined([*self.variables, variable])

    def blocks(self, table: int) -> Iterator[Integers]:
        """The codes of a table, a block of records at a time; each overwrites the last."""
        rows = self.rows(table)
        first, *others = self.variables
        short = np.empty(min(BLOCK, rows), dtype=np.int32)
        long = np.empty(len(short), dtype=np.int64)
        for begin in range(0, rows, BLOCK):
            block = slice(begin, begin + BLOCK)
            codes = short[: rows - begin]
            codes[:] = first.codes[table][block]
            for variable in others:
                codes *= variable.size
                codes += variable.codes[table][block]
            yield np.subtract(codes, self.shift, out=long[: len(codes)])


def joined(variables: Sequence[Variable]) -> JoinedCodes | None:
    """The codes of several variables together, if numbers of 32 bits hold them on the way."""
    size, shift, furthest = 1, 0, 0
    for variable in variables:
        size *= variable.size
        shift = shift * variable.size + variable.shift
        # on the way a code is its final value apart from a shift, which may be longer
        furthest = max(furthest, size + abs(shift), abs(variable.shift) + variable.size)
    return JoinedCodes(tuple(variables), shift) if furthest < SHORT_CODES else None


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
    """The codes of cells, from those of the combinations of one table."""
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
