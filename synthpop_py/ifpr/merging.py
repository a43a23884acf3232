"""Blocks that are too small to be safe, joined to a neighbour.

Blocks stand in the order of their variables, kept columns first. A block that misses the goal joins
the block before or after it: the one with which it shares more leading variables, then the one with
fewer units, then the one before. So the variable given last gives way first, and kept columns are
never crossed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..core.arrays import Flags, Integers

Judge = Callable[[Integers], Flags]


def merge_small(
    cells: Integers, sizes: Integers, shared: Integers, unsafe: Judge
) -> tuple[Integers, Flags]:
    """Joins neighbours until no block is unsafe, or an unsafe block has no neighbour left to join.

    Parameters
    ----------
    cells : shape (b, r), cells by size. sizes : shape (r,). shared : shape (b - 1,), see
        `Partition`. unsafe : cells by size -> bool for each block.

    Returns
    -------
    run : int64, shape (b,), the new number of each block; blocks with the same number are one.
    still : bool, shape (new blocks,), unsafe and alone.

    Examples
    --------
    Three blocks of single cells; those of fewer than two cells are unsafe. The first two share a
    leading variable.

    >>> cells, shared = np.array([[1], [5], [3]]), np.array([1, 0])
    >>> run, still = merge_small(cells, np.array([1]), shared, lambda cells: cells.sum(axis=1) < 2)
    >>> run.tolist(), still.tolist()
    ([0, 0, 1], [False, False])
    """
    ends = np.arange(1, len(cells) + 1)  # of runs of blocks that were joined
    bad = unsafe(cells)
    while True:
        shared_at_ends = shared[ends[:-1] - 1]
        joined = _one_round(cells @ sizes, bad, shared_at_ends)
        if not joined.any():
            lengths = np.diff(ends, prepend=0)
            return np.repeat(np.arange(len(ends)), lengths), bad
        starts = np.append(0, np.flatnonzero(~joined) + 1)
        last_of_each = np.append(starts[1:] - 1, len(ends) - 1)
        ends = ends[last_of_each]
        cells = np.add.reduceat(cells, starts, axis=0)
        bad = unsafe(cells)


def _one_round(units: Integers, bad: Flags, shared: Integers) -> Flags:
    """Which neighbours are joined now, shape (runs - 1,): the smallest bad run first; one whose
    neighbour has just been joined waits, because that may be enough for both.
    """
    joined = np.zeros(len(shared), dtype=bool)
    touched = np.zeros(len(units), dtype=bool)
    bad_runs = np.flatnonzero(bad)
    smallest_first = np.argsort(units[bad_runs], kind="stable")
    for run in bad_runs[smallest_first].tolist():
        neighbour = None if touched[run] else _nearest(run, units, shared)
        if neighbour is None or touched[neighbour]:
            continue
        joined[min(run, neighbour)] = True
        touched[[run, neighbour]] = True
    return joined


def _nearest(run: int, units: Integers, shared: Integers) -> int | None:
    """The neighbour to be joined; None where kept columns are on both sides."""
    neighbours = []
    for edge, neighbour in ((run - 1, run - 1), (run, run + 1)):
        if not 0 <= edge < len(shared) or shared[edge] < 0:
            continue
        alike, size = int(shared[edge]), int(units[neighbour])
        neighbours.append((-alike, size, neighbour))
    if not neighbours:
        return None
    *_, nearest = min(neighbours)
    return nearest
