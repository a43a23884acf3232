"""Counting: from codes of several variables to a sparse list of occupied cells.

Every record gets one whole number (mixed radix over its keys, then the target). Counting is dense
while the number of possible cells is no larger than the data, and by sorting otherwise, so memory
grows with the data and never with levels times combinations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .arrays import Integers
from .levels import Variable

LARGEST_CODE = 2**62


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
        out = np.empty(
            (len(codes), len(self.sizes)), dtype=np.int64, order="F"
        )  # read variable by variable
        rest = np.asarray(codes) if self.occurring is None else self.occurring[codes]
        for i in range(len(self.sizes) - 1, -1, -1):
            whole = rest // self.sizes[i]
            np.subtract(rest, whole * self.sizes[i], out=out[:, i])
            rest = whole
            packed = self.packed[i]
            if packed is not None:
                rest = packed[rest]
        return out


def combine(variables: Sequence[Variable]) -> tuple[list[Integers], Radix]:
    """One code per record for each table, from all variables together.

    Examples
    --------
    >>> import numpy as np
    >>> from .columns import Column
    >>> from .levels import encode
    >>> a = encode("a", [Column("integer", np.array([0, 1, 1]))])
    >>> b = encode("b", [Column("integer", np.array([2, 0, 1]))])
    >>> (codes,), radix = combine([a, b])
    >>> codes.tolist(), radix.components(codes).tolist()
    ([2, 3, 4], [[0, 2], [1, 0], [1, 1]])
    """
    first, *others = variables
    codes = [np.array(c, dtype=np.int64) for c in first.codes]  # a copy: it is worked on in place
    total, shift = first.size, first.shift  # codes run from shift to shift + total - 1
    packed: list[Integers | None] = [None]
    for variable in others:
        distinct = None
        if total * variable.size > LARGEST_CODE:
            codes, distinct = _renumber([c - shift for c in codes], total)
            total, shift = len(distinct), 0
        elif not _fit_64_bits(shift * variable.size, variable.shift, total * variable.size):
            codes, shift = [c - shift for c in codes], 0
        packed.append(distinct)
        together = _fit_64_bits(shift * variable.size, variable.shift, total * variable.size)
        for t, code in enumerate(codes):
            code *= variable.size
            code += variable.codes[t] if together else variable.own_codes(t)
        total, shift = (
            total * variable.size,
            shift * variable.size + (variable.shift if together else 0),
        )
    if shift:
        for code in codes:
            code -= shift
    return codes, Radix(tuple(v.size for v in variables), tuple(packed), total)


def _fit_64_bits(*parts: int) -> bool:
    """Whether the sum of parts, whatever their signs, stays far from the ends of 64 bits. Beyond,
    NumPy turns whole numbers into real ones, and different codes into equal ones.
    """
    return sum(abs(part) for part in parts) <= LARGEST_CODE


def compact(codes: list[Integers], radix: Radix) -> tuple[list[Integers], Radix]:
    """The same records with combinations numbered by those that occur, so that another variable can
    be put on top.
    """
    renumbered, distinct = _renumber(codes, radix.size)
    occurring = distinct if radix.occurring is None else radix.occurring[distinct]
    return renumbered, replace(radix, size=len(distinct), occurring=occurring)


def room_for(records: int) -> int:
    """How many possible cells may be counted densely: some for each record, so that memory grows
    with the data.
    """
    return max(2**16, 4 * records, min(16 * records, 2**20))


def _renumber(codes: list[Integers], size: int) -> tuple[list[Integers], Integers]:
    """The same records numbered by the distinct codes, of `size` possible ones, that occur in any
    table.
    """
    if size <= room_for(sum(map(len, codes))):
        number = np.zeros(size, dtype=np.int64)
        for c in codes:
            number[c] = 1
        distinct = np.flatnonzero(number)
        number[distinct] = np.arange(len(distinct))
        return [number[c] for c in codes], distinct
    distinct = np.unique(np.concatenate(codes))
    return [np.searchsorted(distinct, c) for c in codes], distinct


@dataclass(frozen=True, slots=True)
class Counts:
    """Occupied cells of one table: codes (sorted, distinct) and how many records each holds, shape
    (c,).
    """

    cells: Integers
    n: Integers


def count(codes: Integers, size: int, room: int) -> Integers | Counts:
    """Records by cell: a dense array where `size` possible cells fit into `room`, a sparse list
    otherwise.
    """
    if size <= room:
        return np.bincount(codes, minlength=size)
    ordered = np.sort(codes)
    if not len(ordered):
        return Counts(ordered, np.zeros(0, dtype=np.int64))
    starts = np.append(0, np.flatnonzero(ordered[1:] != ordered[:-1]) + 1)
    return Counts(ordered[starts], np.diff(np.append(starts, len(ordered))))


def sparse(counts: Integers | Counts) -> Counts:
    """Counts as a list of occupied cells."""
    if isinstance(counts, Counts):
        return counts
    cells = np.flatnonzero(counts)
    return Counts(cells, counts[cells])


def pair_up(
    first: Integers | Counts, second: Integers | Counts
) -> tuple[Integers, Integers, Integers]:
    """Cells occupied in either table, with the counts of both: (cells, n_first, n_second)."""
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        cells = np.flatnonzero(np.logical_or(first, second))
        return cells, first[cells], second[cells]
    a, b = sparse(first), sparse(second)
    cells = np.union1d(a.cells, b.cells)
    return cells, _counts_at(a, cells), _counts_at(b, cells)


def _counts_at(counts: Counts, cells: Integers) -> Integers:
    out = np.zeros(len(cells), dtype=np.int64)
    out[np.searchsorted(cells, counts.cells)] = counts.n
    return out


def relabel(counts: Integers | Counts, new_cells: Integers) -> Counts:
    """The same counts under other cell codes (one new code for each occupied cell, in the order of
    `sparse`).
    """
    order = np.argsort(new_cells, kind="stable")
    n = sparse(counts).n[order]
    ordered = new_cells[order]
    if not len(ordered):
        return Counts(ordered, n)
    starts = np.append(0, np.flatnonzero(ordered[1:] != ordered[:-1]) + 1)
    return Counts(ordered[starts], np.add.reduceat(n, starts))
