"""Where units go inside a block, so that every cell keeps its expected count; the draw; and the
matrix, the chance that a unit of one cell is released in another.

A unit of a cell with T units leaves with probability theta_T / T, so a cell of size T is expected
to send theta_T units away. It must be expected to receive as many. That holds when the flow between
two cells c and d is H x_c x_d, where the shares x of all cells of the block sum to 1 and H x_T (1 -
x_T) = theta_T. With one theta for all sizes the shares are equal and the destination is uniform
over the other cells: the rule of the slides.

Rows of the matrix are cells before, columns cells after. Each row sums to 1. Units are exchanged
within blocks only, so the matrix of a release is block diagonal. Units move independently of each
other, so with n the units of the cells before, and P the matrix, the counts released have the
expectations n P = n and the covariances diag(n) - P' diag(n) P.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import check_number, check_whole, is_number
from ..core.arrays import Flags, Floats, Integers
from ..errors import InputError, warning_once

if TYPE_CHECKING:
    import scipy

Theta = float | dict[int, float]  # one for all cells, or one for each size T

MOST_CELLS = 10**9  # products of counts must stay whole in 64 bits
STEPS = 100  # halvings of an interval; doubles are exhausted before
ROUNDING = 1e-9  # in a chance
MOST_ENTRIES = 25_000_000  # of 8 bytes each, and 4 more for its place where it is sparse
SLACK = 1e-9  # a cell that sends nearly as much as all others together has no stable solution


# ---- arguments -----------------------------------------------------------------------


def check_xi(value: Any) -> float:
    """The disclosure control goal: above 0 and below 1."""
    if is_number(value) and 1 <= value < math.inf:
        hint = "with 1 there is no goal, so leave the data as they are"
        if 1 < value < 100:
            hint = f"for {value:g} % write {value / 100:g}"
        raise InputError(f"xi: {value!r} is not a number above 0 and below 1; {hint}")
    return check_number("xi", value, 0, 1, open_low=True, open_high=True)


def check_theta(value: Any, *, empty: bool = False) -> Theta:
    """One theta for all cells, 0 to 1, or one for each size T, 0 to T, by ascending T; `empty`: an
    empty mapping is allowed, when no unit moves.
    """
    if isinstance(value, Mapping):
        if not value and not empty:
            raise InputError(
                "theta: the mapping is empty; give one theta for each size of cells, as in {1:"
                " 0.79, 2: 1.24}"
            )
        keys = {check_whole("theta, a size of cells", size, 1): size for size in value}
        return {T: check_number(f"theta[{T}]", value[keys[T]], 0, T) for T in sorted(keys)}
    if is_number(value) and value > 1:
        raise InputError(
            f"theta: {value!r} is above 1, and a unit alone in its cell leaves with probability"
            " theta; give a number from 0 to 1, or one for each size, as in {1: 0.79, 2:"
            " 1.24}"
        )
    return check_number("theta", value, 0, 1)


def theta_of(theta: Theta, sizes: Any) -> Floats:
    """theta for each of these sizes, shape (r,)."""
    if not isinstance(theta, dict):
        return np.full(len(sizes), theta)
    for size in sizes:
        if size not in theta:
            known = ", ".join(map(str, theta))
            raise InputError(f"theta: has no entry for cells of {size} units; sizes given: {known}")
    return np.array([theta[size] for size in sizes])


def check_block(value: Any) -> dict[int, int]:
    """Cells by ascending size, as in {1: 10, 2: 5}: ten cells with one unit, five with two; at
    least two cells in all.
    """
    if not isinstance(value, Mapping):
        raise InputError(
            f"block: {value!r} is not a mapping; give the number of cells by size, as in {{1: 10,"
            " 2: 5} for ten cells with one unit and five with two"
        )
    block = {}
    for size, number in value.items():
        T = check_whole("block, a size of cells", size, 1)
        block[T] = check_whole(f"block[{size!r}], a number of cells", number)
    cells = sum(block.values())
    if cells < 2:
        lack = "only one cell, so its units have" if cells else "no cells, so there is"
        raise InputError(
            f"block: {dict(value)!r} has {lack} nowhere to go; merge it with another block"
        )
    if cells > MOST_CELLS:
        raise InputError(
            f"block: {cells:,} cells; blocks of up to {MOST_CELLS:,} cells can be computed; a "
            "larger one gives the same as an infinite one, so use block=None"
        )
    return {T: block[T] for T in sorted(block) if block[T]}


def takes_part(theta: Theta, T: int) -> bool:
    """Whether cells of T units are perturbed."""
    return not isinstance(theta, dict) or T in theta


# ---- shares --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Flows:
    """Movement inside b blocks with cells of r sizes.

    Attributes
    ----------
    sizes : int64, shape (r,). T, the units a cell holds.
    cells : int64, shape (b, r). Cells of each size that take part.
    theta : shape (b, r). Units expected to leave a cell of each size, if the block can exchange.
    share : shape (b, r). x_T, the weight of one cell as a destination; those of all cells of a
        block sum to 1.
    total : shape (b,). H.
    possible : bool, shape (b,). Whether the block can exchange units and keep its counts: it has at
        least two cells, and none sends more than all others receive. If not, all units stay.
    """

    sizes: Integers
    cells: Integers
    theta: Floats
    share: Floats
    total: Floats
    possible: Flags

    @property
    def leave(self) -> Floats:
        """Probability that a unit of a cell of each size leaves, shape (b, r)."""
        return np.where(self.possible[:, None], self.theta / self.sizes, 0.0)

    @property
    def units(self) -> Integers:
        """Units in cells of each size, shape (b, r)."""
        return self.cells * self.sizes

    @property
    def arrival(self) -> Floats:
        """Probability that a unit of a cell of size j comes to one given cell of size i, not its
        own: H x_i x_j / T_j; shape (b, r, r), [block, i, j].
        """
        flow = self.share[:, :, None] * self.share[:, None, :] * self.total[:, None, None]
        return np.where(self.possible[:, None, None], np.minimum(flow / self.sizes, 1.0), 0.0)

    @property
    def others(self) -> Integers:
        """Units of size j outside one given cell of size i, shape (b, r, r), [block, i, j]; 0 where
        there is no cell of size i.
        """
        itself = np.eye(len(self.sizes), dtype=np.int64)
        other_cells: Integers = np.maximum(self.cells[:, None, :] - itself, 0)
        return other_cells * self.sizes

    @property
    def swaps(self) -> Flags:
        """Two cells whose units are all certain to leave: they would trade places, which hides
        nobody; bool, shape (b,).
        """
        none_stays = (self.cells == 0) | (self.theta >= self.sizes)
        two_cells: Flags = self.cells.sum(axis=1) == 2
        swaps: Flags = two_cells & np.all(none_stays, axis=1)
        return swaps

    @property
    def elsewhere(self) -> Flags:
        """Whether a unit of the block is likelier to be in one given other cell than in its own;
        bool, shape (b,). Single units and one theta: theta > (k - 1) / k.
        """
        reachable = (self.others > 0) & (self.cells > 0)[:, :, None]
        highest = np.where(reachable, self.arrival, 0.0).max(axis=1, initial=0.0)
        likelier: Flags = (highest > 1 - self.leave + ROUNDING).any(axis=1)
        return likelier

    def at(self, blocks: Integers) -> Flows:
        """Some of the blocks."""
        return Flows(
            sizes=self.sizes,
            cells=self.cells[blocks],
            theta=self.theta[blocks],
            share=self.share[blocks],
            total=self.total[blocks],
            possible=self.possible[blocks],
        )


def balance(theta: Floats, sizes: Integers, cells: Integers) -> Flows:
    """Shares that keep every expected count, for all blocks at once; `theta` is of shape (r,), or
    (b, r) for each block its own.

    Three single cells and two of size two, one theta: each of the five has the same share.

    >>> flows = balance(np.array([0.8, 0.8]), np.array([1, 2]), np.array([[3, 2]]))
    >>> flows.share.tolist(), flows.arrival[0].round(6).tolist()
    ([[0.2, 0.2]], [[0.2, 0.1], [0.2, 0.1]])
    """
    theta = np.broadcast_to(theta, cells.shape)
    moving = (theta > 0) & (cells > 0)
    nobody_moves: Flags = ~np.any(moving, axis=1)  # then any shares will do
    active = np.where(moving | nobody_moves[:, None], cells, 0)
    # one theta in the whole block: k equal shares, H = theta k^2 / (k - 1)
    k = active.sum(axis=1)
    possible = k >= 2
    k = np.maximum(k, 2)
    heights = np.where(moving, theta, 0.0)
    highest = heights.max(axis=1, initial=0.0)
    share = np.where(active > 0, 1.0 / k[:, None], 0.0)
    total = highest * k.astype(float) ** 2 / (k - 1)
    varied = (moving & (theta < highest[:, None])).any(axis=1)
    if varied.any():
        solved = _unequal(heights[varied], active[varied])
        share[varied], total[varied], possible[varied] = solved
    return Flows(sizes, cells, theta, share, total, possible)


def exchange_flows(theta: Floats, sizes: Integers, cells: Integers) -> Flows:
    """As `balance`, for a release: two cells that would certainly trade places keep their units,
    because anyone could undo that.

    >>> exchange_flows(np.array([1.0]), np.array([1]), np.array([[2], [3]])).possible.tolist()
    [False, True]
    """
    flows = balance(theta, sizes, cells)
    flows.possible[flows.swaps] = False
    return flows


def _unequal(theta: Floats, cells: Integers) -> tuple[Floats, Floats, Flags]:
    """`share`, `total` and `possible` of blocks whose cells have different thetas. Each share is
    the smaller root of x (1 - x) = theta u, but a single cell that outweighs the others has the
    larger one. u = 1 / H, with which shares sum to 1, is found by halving intervals.
    """
    top = np.arange(len(cells)), theta.argmax(axis=1)  # the size with the highest theta
    highest = theta[top]
    others = cells.copy()
    others[top] -= 1

    def roots(u: Floats) -> Floats:
        t = theta * u[:, None]
        smaller: Floats = 2 * t / (1 + np.sqrt(np.maximum(1 - 4 * t, 0.0)))
        return smaller

    low, high = np.zeros(len(cells)), 0.25 / highest
    # then the highest is a single cell: two would have 1/2 each
    one_outweighs = (cells * roots(high)).sum(axis=1) < 1
    for _ in range(STEPS):
        u = (low + high) / 2
        x = roots(u)
        # the second is minus (sum of x - 1) with the larger root on top, free of cancellation
        beyond_one = (cells * x).sum(axis=1) - 1
        excess = np.where(one_outweighs, x[top] - (others * x).sum(axis=1), beyond_one)
        low, high = np.where(excess >= 0, low, u), np.where(excess >= 0, u, high)
    share = roots(high)
    # what the others leave: the larger root where one outweighs them, and precise near 1/2, where
    # both roots are one and half of the digits would be lost
    left = 1 - (others * share).sum(axis=1)
    share[top] = np.where(cells[top] == 1, left, share[top])
    # no cell may send more than all others together, by some margin
    possible = (cells * theta).sum(axis=1) - 2 * highest > SLACK * highest
    return share, 1 / high, possible


def flows_in_block(theta: Theta, block: dict[int, int]) -> Flows:
    """Movement between those cells of a given block that take part."""
    perturbed = {T: cells for T, cells in block.items() if takes_part(theta, T)}
    if sum(perturbed.values()) < 2:
        raise InputError(
            f"theta: names only one cell of {block!r}, so its units have nowhere to go; give a"
            " theta for other sizes too, or merge the block with another"
        )
    sizes, cells = np.array(list(perturbed)), np.array([list(perturbed.values())])
    flows = balance(theta_of(theta, perturbed), sizes, cells)
    if not flows.possible[0]:
        raise InputError(
            f"block: in {perturbed!r} with theta {theta!r} one cell would send as many units as all"
            " others together, or more, so expected counts cannot be kept; merge the block with"
            " another"
        )
    return flows


# ---- the draw ------------------------------------------------------------------------


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


def level_variance(exchange: Exchange, level: Integers, levels: int) -> Floats:
    """Variance of the released count of each level, given the data; `level` is that of each cell.

    Units move independently of each other, so it is the sum over units of w (1 - w), w the chance
    to end in the level: a leaver goes to a cell of share x with x / (1 - x of its own cell).
    """
    flows = exchange.flows
    # (block, level) pairs that occur, and in each of them cells by size
    pairs, pair = np.unique(exchange.block * levels + level, return_inverse=True)
    sizes = len(flows.sizes)
    inside = np.bincount(pair.reshape(-1) * sizes + exchange.size_at, minlength=len(pairs) * sizes)
    inside = inside.reshape(len(pairs), sizes)
    block = pairs // levels
    share, leave = flows.share[block], flows.leave[block]
    rest = np.where(share < 1, 1 - share, 1.0)
    of_level = (inside * share).sum(axis=1, keepdims=True)
    stays_in = 1 - leave + leave * (of_level - share) / rest
    comes_in = leave * of_level / rest
    units, others = flows.sizes * inside, flows.sizes * (flows.cells[block] - inside)
    variance = units * stays_in * (1 - stays_in) + others * comes_in * (1 - comes_in)
    by_level = np.bincount(pairs % levels, weights=variance.sum(axis=1), minlength=levels)
    return np.maximum(by_level, 0.0)


# ---- the matrix ----------------------------------------------------------------------


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
