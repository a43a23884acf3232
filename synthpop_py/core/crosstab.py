"""Counting: from codes of combinations to a sparse list of occupied cells.

Counting is dense while there is room for all possible cells, and by sorting otherwise, so memory
grows with the data and never with levels times combinations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..levels import count as count
from .arrays import Integers, distinct_values


@dataclass(frozen=True, slots=True)
class Counts:
    """Occupied cells of one table: codes (sorted, distinct) and how many records each holds, shape
    (c,).
    """

    cells: Integers
    n: Integers


def count_codes(
    codes: Integers, size: int, room: int, n: Integers | None = None
) -> Integers | Counts:
    """Records by cell: a dense array where `size` possible cells fit into `room`, a sparse list
    otherwise. `n` says how many records each code stands for, one unless it is given.
    """
    if size <= room:
        return count(codes, n, size)
    if n is None:
        return Counts(*np.unique(codes, return_counts=True))
    cells, place = np.unique(codes, return_inverse=True)
    return Counts(cells, count(place.reshape(-1), n, len(cells)))


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
    # two dense tables need no search: the place of a cell is its code
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        cells = np.flatnonzero(np.logical_or(first, second))
        return cells, first[cells], second[cells]
    a, b = sparse(first), sparse(second)
    cells = distinct_values(np.concatenate([a.cells, b.cells]))
    return cells, _counts_at(a, cells), _counts_at(b, cells)


def _counts_at(counts: Counts, cells: Integers) -> Integers:
    n = np.zeros(len(cells), dtype=np.int64)
    n[np.searchsorted(cells, counts.cells)] = counts.n
    return n
