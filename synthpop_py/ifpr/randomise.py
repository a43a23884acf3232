"""The randomisation itself: who leaves, and for which cell. No loop over units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import Floats, Integers
from .flows import Flows


@dataclass(frozen=True, slots=True)
class Exchange:
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
    def units_by_block(self) -> Integers:
        """Shape (b, r)."""
        return self.flows.cells * self.flows.sizes


def new_cells(exchange: Exchange, cell: Integers, generator: np.random.Generator) -> Integers:
    """The released cell of units that are in `cell`, independently of each other."""
    flows = exchange.flows
    leave = np.where(flows.possible[:, None], flows.leave, 0.0)
    block, size_at = exchange.block[cell], exchange.size_at[cell]
    leaving = np.flatnonzero(generator.random(len(cell)) < leave[block, size_at])
    out = cell.copy()
    if not len(leaving):
        return out
    block, size_at, own = block[leaving], size_at[leaving], cell[leaving]
    limits = _limits(flows)[block, size_at]
    goal = (generator.random(len(leaving))[:, None] >= limits).sum(
        axis=1
    )  # place of the size of the destination
    same = goal == size_at
    place = generator.integers(0, flows.cells[block, goal] - same)
    start = exchange.start[block, goal]
    place += same & (start + place >= own)  # the cell left is no destination
    out[leaving] = start + place
    return out


def _limits(flows: Flows) -> Floats:
    """Cumulated chances that a leaver of size i goes to a cell of size j, shape (b, r, r), [block,
    i, j]; exactly 1 from the last possible size on.
    """
    weight = (flows.cells[:, None, :] - np.eye(len(flows.sizes))) * np.nan_to_num(flows.share)[
        :, None, :
    ]
    weight = np.maximum(weight, 0.0)
    total = weight.sum(axis=2, keepdims=True)
    limits = np.cumsum(weight / np.where(total > 0, total, 1.0), axis=2)
    last = len(flows.sizes) - 1 - (weight[:, :, ::-1] > 0).argmax(axis=2)
    limits[np.arange(len(flows.sizes)) >= last[..., None]] = 1.0
    return limits
