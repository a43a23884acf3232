"""The randomisation itself: which units leave, and for which cell. No loop over units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import Flags, Floats, Integers
from .flows import Flows


@dataclass(frozen=True, slots=True)
class Randomisation:
    """Cells and units that take part. Cells are numbered by block and, within a block, by size.

    Attributes
    ----------
    flows : chances in each block. block : int64, shape (c,), of each cell. size_at : int64, shape
        (c,), place of its size in ``flows.sizes``.
    start : int64, shape (b, r), number of the first cell of each block and size. first : int64,
        shape (c,), position of a record with the keys of the cell.
    unit_row : int64, shape (u,), position of each unit in the data. unit_cell : int64, shape (u,),
        its cell.
    """

    flows: Flows
    block: Integers
    size_at: Integers
    start: Integers
    first: Integers
    unit_row: Integers
    unit_cell: Integers

    @property
    def may_be_exchanged(self) -> Flags:
        """Whether units of a cell may leave it, and others may arrive; bool, shape (c,)."""
        by_block = self.flows.leave_if_possible > 0
        return by_block[self.block, self.size_at]


def new_cells(
    randomisation: Randomisation, cell: Integers, generator: np.random.Generator
) -> Integers:
    """The released cell of units that are in `cell`, independently of each other."""
    leave = randomisation.flows.leave_if_possible
    block, size_at = randomisation.block[cell], randomisation.size_at[cell]
    leaving = np.flatnonzero(generator.random(len(cell)) < leave[block, size_at])
    released = cell.copy()
    if not len(leaving):
        return released
    # a size first, then one of the cells of that size
    block, size_at = block[leaving], size_at[leaving]
    goal_at = _sizes_of_destinations(randomisation.flows, block, size_at, generator)
    same_size = goal_at == size_at
    destinations = randomisation.flows.cells[block, goal_at] - same_size
    nth = generator.integers(0, destinations)
    start = randomisation.start[block, goal_at]
    nth += same_size & (start + nth >= cell[leaving])  # the cell left is no destination
    released[leaving] = start + nth
    return released


def _sizes_of_destinations(
    flows: Flows, block: Integers, size_at: Integers, generator: np.random.Generator
) -> Integers:
    """Place of the size of the cell to which each leaver goes; `size_at` is that of its own."""
    limits = _limits(flows)[block, size_at]
    drawn = generator.random(len(block))
    goal_at: Integers = (drawn[:, None] >= limits).sum(axis=1)
    return goal_at


def _limits(flows: Flows) -> Floats:
    """Cumulated chances that a leaver of size i goes to a cell of size j, shape (b, r, r), [block,
    i, j]; exactly 1 from the last possible size on.
    """
    sizes = len(flows.sizes)
    other_cells = flows.cells[:, None, :] - np.eye(sizes)
    share = np.nan_to_num(flows.share)[:, None, :]
    weight = np.maximum(other_cells * share, 0.0)
    total = weight.sum(axis=2, keepdims=True)
    limits = np.cumsum(weight / np.where(total > 0, total, 1.0), axis=2)
    trailing = (weight[:, :, ::-1] > 0).argmax(axis=2)
    last = sizes - 1 - trailing
    limits[np.arange(sizes) >= last[..., None]] = 1.0
    return limits
