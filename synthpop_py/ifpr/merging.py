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
    """Joins neighbours until no block is unsafe, or an unsafe one has nobody left to join.

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
        joined = _one_round(cells @ sizes, bad, shared[ends[:-1] - 1])
        if not joined.any():
            return np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0)), bad
        starts = np.append(0, np.flatnonzero(~joined) + 1)
        cells = np.add.reduceat(cells, starts, axis=0)
        ends = ends[np.append(starts[1:] - 1, len(ends) - 1)]
        bad = unsafe(cells)


def _one_round(units: Integers, bad: Flags, shared: Integers) -> Flags:
    """Which neighbours are joined now, shape (runs - 1,): the smallest bad run first; one whose
    neighbour has just been joined waits, because that may be enough for both.
    """
    joined = np.zeros(len(shared), dtype=bool)
    touched = np.zeros(len(units), dtype=bool)
    places = np.flatnonzero(bad)
    for run in places[np.argsort(units[places], kind="stable")].tolist():
        if touched[run]:
            continue
        edges = [
            (edge, other)
            for edge, other in ((run - 1, run - 1), (run, run + 1))
            if 0 <= edge < len(shared) and shared[edge] >= 0
        ]
        choices = [(-int(shared[edge]), int(units[other]), edge, other) for edge, other in edges]
        if choices and not touched[min(choices)[-1]]:
            *_, edge, other = min(choices)
            joined[edge] = touched[run] = touched[other] = True
    return joined
