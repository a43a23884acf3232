"""The exchange itself: which units leave, and for which cell; and its matrix, the chance that a
unit of one cell is released in another.

Rows of the matrix are cells before, columns cells after. Each row sums to 1. Units are exchanged
within blocks only, so the matrix of a release is block diagonal. With n the units of the cells
before, n P = n: every cell keeps its expected count. Units move independently of each other, so the
counts released have the covariances diag(n) - P' diag(n) P.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..core.arrays import Floats, Integers
from ..errors import InputError, warning_once
from .flows import Flows, check_block, check_theta, flows_in_block, takes_part

if TYPE_CHECKING:
    import scipy

MOST_ENTRIES = 25_000_000  # of 8 bytes each, and 4 more for its place where it is sparse


@dataclass(frozen=True, slots=True)
class Exchange:
    """Cells and units that take part. Cells are numbered by block and, within a block, by size.

    Attributes
    ----------
    flows : chances in each block. block : int64, shape (c,), of each cell. size_at : int64, shape
        (c,), place of its size in ``flows.sizes``.
    first : int64, shape (c,), position of a record with the keys of the cell. unit_row : int64,
        shape (u,), position of each unit in the data. unit_cell : int64, shape (u,), its cell.
    """

    flows: Flows
    block: Integers
    size_at: Integers
    first: Integers
    unit_row: Integers
    unit_cell: Integers

    @property
    def leave(self) -> Floats:
        """The chance of each unit of a cell to leave it, shape (c,). Where it is 0 nobody comes."""
        chance: Floats = self.flows.leave[self.block, self.size_at]
        return chance


def new_cells(exchange: Exchange, cell: Integers, generator: np.random.Generator) -> Integers:
    """The released cell of units that are in `cell`, independently of each other."""
    flows = exchange.flows
    leaving = np.flatnonzero(generator.random(len(cell)) < exchange.leave[cell])
    released = cell.copy()
    left = cell[leaving]
    block, size_at = exchange.block[left], exchange.size_at[left]
    # a size first, then one of the cells of that size
    drawn = generator.random(len(leaving))
    goal_at = (drawn[:, None] >= size_limits(flows)[block, size_at]).sum(axis=1)
    same_size = goal_at == size_at
    nth = generator.integers(0, flows.cells[block, goal_at] - same_size)
    start = (np.cumsum(flows.cells).reshape(flows.cells.shape) - flows.cells)[block, goal_at]
    nth += same_size & (start + nth >= left)  # the cell left is no destination
    released[leaving] = start + nth
    return released


def size_limits(flows: Flows) -> Floats:
    """Cumulated chances that a leaver of size i goes to a cell of size j, shape (b, r, r), [block,
    i, j]; exactly 1 from the last possible size on.
    """
    sizes = len(flows.sizes)
    weight = flows.others / flows.sizes * flows.share[:, None, :]
    total = weight.sum(axis=2, keepdims=True)
    limits = np.cumsum(weight / np.where(total > 0, total, 1.0), axis=2)
    last = sizes - 1 - (weight[:, :, ::-1] > 0).argmax(axis=2)
    limits[np.arange(sizes) >= last[..., None]] = 1.0
    return limits


@warning_once
def ifpr_matrix(theta: float | Mapping[int, float], block: Mapping[int, int]) -> Floats:
    """The post-randomisation matrix P of a block: P[c, d] is the chance that a unit of cell c is
    released in cell d.

    Parameters
    ----------
    theta : number from 0 to 1 or one for each size of cells, see `ifpr_risk`.
    block : cells by size, as in ``{1: 10, 2: 5}``.

    Returns
    -------
    array, shape (k, k)
        The k cells of the block, smallest size first. Rows sum to 1; with the units
        of each cell n, n P = n. Cells whose size `theta` does not name have 1 on the diagonal.

    See Also
    --------
    IFPRRelease.matrix : that of a release, scipy.sparse.

    Examples
    --------
    Two cells of one unit and one of two. A single unit leaves with 1/2, to either other cell with
    equal chance; each of the two leaves with 1/4.

    >>> P = ifpr_matrix(0.5, block={1: 2, 2: 1})
    >>> P.tolist()
    [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.125, 0.125, 0.75]]
    >>> (np.array([1, 1, 2]) @ P).tolist()
    [1.0, 1.0, 2.0]

    Variances and covariances of the counts released:

    >>> n = np.array([1, 1, 2])
    >>> (np.diag(n) - P.T @ np.diag(n) @ P).tolist()[0]
    [0.65625, -0.28125, -0.375]
    """
    checked = check_theta(theta)
    cells = check_block(block)
    way_out = "cells of one size are alike, so give a smaller block"
    _check_room(sum(cells.values()) ** 2, f"block: {cells!r}", way_out)
    size = np.repeat(list(cells), list(cells.values()))
    matrix = np.eye(len(size))
    perturbed = np.isin(size, [T for T in cells if takes_part(checked, T)])
    if perturbed.any():
        flows = flows_in_block(checked, cells)
        size_at = np.searchsorted(flows.sizes, size[perturbed])
        among = flows.arrival[0].T[np.ix_(size_at, size_at)]
        np.fill_diagonal(among, 1 - flows.leave[0, size_at])
        matrix[np.ix_(perturbed, perturbed)] = among
    return matrix


def sparse_matrix(exchange: Exchange, cells: Integers) -> scipy.sparse.csr_array:
    """Of these cells of a release, whole blocks of them, ascending."""
    import scipy

    flows = exchange.flows
    block, size_at = exchange.block[cells], exchange.size_at[cells]
    leave = exchange.leave[cells]
    # a cell whose units stay has one entry, on the diagonal
    entries = np.where(leave > 0, flows.cells.sum(axis=1)[block], 1)
    way_out = "cells of one size are alike, and .cells has their chance to leave"
    if len(np.unique(block)) > 1:
        way_out = "name one block, as in .design"
    _check_room(int(entries.sum()), "block", way_out)
    row = np.repeat(np.arange(len(cells)), entries)
    ends = np.cumsum(entries)
    first_column = np.where(leave > 0, np.searchsorted(block, block), np.arange(len(cells)))
    column = first_column[row] + np.arange(len(row)) - (ends - entries)[row]
    arrival = flows.arrival[block[row], size_at[column], size_at[row]]
    chance = np.where(column == row, 1 - leave[row], arrival)
    shape = (len(cells), len(cells))
    matrix = scipy.sparse.csr_array((chance, column, np.append(0, ends)), shape=shape)
    matrix.eliminate_zeros()
    return matrix


def _check_room(entries: int, what: str, way_out: str) -> None:
    if entries > MOST_ENTRIES:
        raise InputError(
            f"{what}: the matrix would have {entries:,} entries; the limit is "
            f"{MOST_ENTRIES:,}; {way_out}"
        )
