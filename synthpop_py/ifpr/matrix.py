"""The post-randomisation matrix: the chance that a unit of one cell is released in another.

Rows are cells before, columns cells after. Each row sums to 1. Units are exchanged within blocks
only, so the matrix of a release is block diagonal. With n the units of the cells before, n P = n:
every cell keeps its expected count. Units move independently of each other, so the counts released
have the covariances diag(n) - P' diag(n) P.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..core.arrays import Floats, Integers
from ..errors import InputError, warning_once
from .flows import Flows
from .one_block import flows_in_block
from .options import Theta, check_block, check_theta
from .randomise import Randomisation

if TYPE_CHECKING:
    import scipy

MOST_ENTRIES = 25_000_000  # of 8 bytes each, and 4 more for its place where it is sparse


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
    takes_part = np.isin(size, _perturbed(checked, cells))
    if takes_part.any():
        flows = flows_in_block(checked, cells)
        size_at = np.searchsorted(flows.sizes, size[takes_part])
        matrix[np.ix_(takes_part, takes_part)] = _dense(flows, size_at)
    return matrix


def _perturbed(theta: Theta, cells: dict[int, int]) -> list[int]:
    """Sizes that occur and are perturbed."""
    return [size for size in cells if not isinstance(theta, dict) or size in theta]


def _dense(flows: Flows, size_at: Integers) -> Floats:
    """Of one block; `size_at` is the place of the size of each of its cells."""
    to_from = flows.arrival[0]
    matrix: Floats = to_from.T[np.ix_(size_at, size_at)]
    np.fill_diagonal(matrix, 1 - flows.leave[0, size_at])
    return matrix


def sparse_matrix(randomisation: Randomisation, cells: Integers) -> scipy.sparse.csr_array:
    """Of these cells of a release, whole blocks of them, ascending."""
    import scipy

    flows = randomisation.flows
    block, size_at = randomisation.block[cells], randomisation.size_at[cells]
    leave = flows.leave_if_possible[block, size_at]
    in_block = flows.cells.sum(axis=1)[block]
    # a cell whose units stay has one entry, on the diagonal
    entries = np.where(leave > 0, in_block, 1)
    _check_room(int(entries.sum()), "block", _way_out(block))
    row = np.repeat(np.arange(len(cells)), entries)
    ends = np.cumsum(entries)
    first_column = np.where(leave > 0, np.searchsorted(block, block), np.arange(len(cells)))
    nth = np.arange(len(row)) - (ends - entries)[row]
    column = first_column[row] + nth
    arrival = flows.arrival[block[row], size_at[column], size_at[row]]
    chance = np.where(column == row, 1 - leave[row], arrival)
    shape = (len(cells), len(cells))
    matrix = scipy.sparse.csr_array((chance, column, np.append(0, ends)), shape=shape)
    matrix.eliminate_zeros()
    return matrix


def _way_out(block: Integers) -> str:
    if len(np.unique(block)) > 1:
        return "name one block, as in .design"
    return "cells of one size are alike, and .cells has their chance to leave"


def _check_room(entries: int, what: str, way_out: str) -> None:
    if entries > MOST_ENTRIES:
        raise InputError(
            f"{what}: the matrix would have {entries:,} entries; the limit is "
            f"{MOST_ENTRIES:,}; {way_out}"
        )
