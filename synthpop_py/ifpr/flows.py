"""Where units go inside a block, so that every cell keeps its expected count.

A unit of a cell with T units leaves with probability theta_T / T, so a cell of size T is expected
to send theta_T units away. It must be expected to receive as many. That holds when the flow between
two cells c and d is H x_c x_d, where the shares x of all cells of the block sum to 1 and H x_T (1 -
x_T) = theta_T. With one theta for all sizes the shares are equal and the destination is uniform
over the other cells: the rule of the slides.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..core.arrays import Flags, Floats, Integers

STEPS = 100  # halvings of an interval; doubles are exhausted before
ROUNDING = 1e-9  # in a chance
SLACK = 1e-9  # a cell that sends nearly as much as all others together has no stable solution


@dataclass(frozen=True, slots=True)
class Flows:
    """Movement inside b blocks with cells of r sizes.

    Attributes
    ----------
    sizes : int64, shape (r,). T, the units a cell holds.
    cells : int64, shape (b, r). Cells of each size that take part.
    leave : shape (b, r). Probability that a unit of a cell of this size leaves: theta_T / T.
    share : shape (b, r). x_T, the weight of one cell as a destination; shares of all cells of a
        block sum to 1. NaN where `possible` is False.
    total : shape (b,). H.
    possible : bool, shape (b,). Whether the block can exchange units and keep its counts: it has at
        least two cells, and none sends more than all others receive.
    """

    sizes: Integers
    cells: Integers
    leave: Floats
    share: Floats
    total: Floats
    possible: Flags

    @property
    def theta(self) -> Floats:
        """Expected number of units that leave a cell of each size, shape (b, r)."""
        return self.leave * self.sizes

    @property
    def leave_if_possible(self) -> Floats:
        """As `leave`; 0 in blocks whose units all stay, because counts could not be kept."""
        return np.where(self.possible[:, None], self.leave, 0.0)

    @property
    def units(self) -> Integers:
        """Units in cells of each size, shape (b, r)."""
        return self.cells * self.sizes

    @property
    def arrival(self) -> Floats:
        """Probability that a unit of a cell of size j comes to one given cell of size i, not its
        own: H x_i x_j / T_j; shape (b, r, r), [block, i, j].
        """
        of_destination, of_origin = self.share[:, :, None], self.share[:, None, :]
        flow = of_destination * of_origin * self.total[:, None, None]
        return np.minimum(flow / self.sizes, 1.0)

    @property
    def others(self) -> Integers:
        """Units of size j outside one given cell of size i, shape (b, r, r), [block, i, j];
        negative where there is no cell of size i.
        """
        itself = np.eye(len(self.sizes), dtype=np.int64)
        return (self.cells[:, None, :] - itself) * self.sizes

    @property
    def swaps(self) -> Flags:
        """Two cells whose units are all certain to leave: they trade places, which hides nobody;
        bool, shape (b,).
        """
        leave = np.where(self.cells > 0, self.leave, 1.0)
        all_leave: Flags = np.all(leave >= 1, axis=1)
        two_cells: Flags = self.cells.sum(axis=1) == 2
        return two_cells & all_leave

    @property
    def elsewhere(self) -> Flags:
        """Whether a unit of the block is likelier to be in one given other cell than in its own;
        bool, shape (b,). Single units and one theta: theta > (k - 1) / k.
        """
        occupied = (self.cells > 0)[:, :, None]
        reachable = (self.others > 0) & occupied & self.possible[:, None, None]
        arrival = np.where(reachable, np.nan_to_num(self.arrival), 0.0)
        highest = arrival.max(axis=1, initial=0.0)
        likelier: Flags = np.any(highest > 1 - self.leave + ROUNDING, axis=1)
        return likelier


class Solved(NamedTuple):
    """share, shape (b,) or (b, r), total and possible, shape (b,), as in `Flows`."""

    share: Floats
    total: Floats
    possible: Flags


def exchange_flows(theta: Floats, sizes: Integers, cells: Integers) -> Flows:
    """As `balance`, for a release: two cells that would certainly trade places keep their units,
    because anyone could undo that.

    Examples
    --------
    >>> exchange_flows(np.array([1.0]), np.array([1]), np.array([[2], [3]])).possible.tolist()
    [False, True]
    """
    flows = balance(theta, sizes, cells)
    return replace(flows, possible=flows.possible & ~flows.swaps)


def balance(theta: Floats, sizes: Integers, cells: Integers) -> Flows:
    """Shares that keep every expected count, for all blocks at once.

    Parameters
    ----------
    theta : shape (r,), or (b, r) for each block its own, 0 <= theta_T <= T. sizes : shape (r,).
    cells : shape (b, r).

    Examples
    --------
    Three single cells and two of size two, one theta: each of the five has the same share.

    >>> flows = balance(np.array([0.8, 0.8]), np.array([1, 2]), np.array([[3, 2]]))
    >>> flows.share.tolist(), flows.arrival[0].round(6).tolist()
    ([[0.2, 0.2]], [[0.2, 0.1], [0.2, 0.1]])
    """
    sizes = np.asarray(sizes, dtype=np.int64)
    cells = np.asarray(cells, dtype=np.int64)
    theta = np.broadcast_to(np.asarray(theta, dtype=float), cells.shape)
    share, total, possible = _shares(theta, cells)
    share[~possible] = np.nan
    return Flows(
        sizes=sizes,
        cells=cells,
        leave=theta / sizes,
        share=share,
        total=total,
        possible=possible,
    )


def _shares(theta: Floats, cells: Integers) -> Solved:
    """Of all blocks: equal where a block has one theta, by search where it has several."""
    moving = (theta > 0) & (cells > 0)
    nobody_moves: Flags = ~np.any(moving, axis=1)  # then any shares will do
    active = np.where(moving | nobody_moves[:, None], cells, 0)
    heights = np.where(moving, theta, 0.0)
    highest = heights.max(axis=1, initial=0.0)
    lowest = np.where(moving, theta, highest[:, None]).min(axis=1, initial=np.inf)
    varied = lowest < highest
    even = _equal(highest, active.sum(axis=1))
    share = np.where(active > 0, even.share[:, None], 0.0)
    if varied.any():
        solved = _unequal(heights[varied], active[varied])
        share[varied] = solved.share
        even.total[varied] = solved.total
        even.possible[varied] = solved.possible
    return Solved(share, even.total, even.possible)


def _equal(theta: Floats, k: Integers) -> Solved:
    """One theta in the whole block: k equal shares, H = theta k^2 / (k - 1)."""
    possible = k >= 2
    safe = np.where(possible, k, 2)
    total = theta * safe.astype(float) ** 2 / (safe - 1)
    return Solved(1.0 / safe, np.where(possible, total, np.nan), possible)


def _unequal(theta: Floats, cells: Integers) -> Solved:
    """Solve sum of x = 1 for u = 1 / H, where x (1 - x) = theta u, by halving intervals."""
    blocks = _UnequalBlocks(theta, cells)
    low = np.zeros(len(cells))
    high = blocks.largest_u
    for _ in range(STEPS):
        middle = (low + high) / 2
        above = blocks.excess(middle) >= 0
        low = np.where(above, low, middle)
        high = np.where(above, middle, high)
    possible = blocks.possible
    return Solved(blocks.shares(high), np.where(possible, 1 / high, np.nan), possible)


class _UnequalBlocks:
    """Blocks whose cells have different thetas: x is the smaller root of x (1 - x) = theta u for
    every cell, but a single cell that outweighs the others takes the larger one.
    """

    def __init__(self, theta: Floats, cells: Integers) -> None:
        self.theta, self.cells = theta, cells
        self.top = np.arange(len(cells)), theta.argmax(axis=1)  # the size with the highest theta
        self.highest = theta[self.top]
        self.largest_u = 0.25 / self.highest
        at_largest: Floats = (cells * self._roots(self.largest_u)).sum(axis=1)
        # then the highest is a single cell: two would have 1/2 each
        self.one_outweighs = at_largest < 1
        self.others = cells.copy()
        self.others[self.top] -= 1

    @property
    def possible(self) -> Flags:
        """Whether no cell sends more than all others together, by some margin."""
        margin = (self.cells * self.theta).sum(axis=1) - 2 * self.highest
        enough: Flags = margin > SLACK * self.highest
        return enough

    def excess(self, u: Floats) -> Floats:
        """A number that rises with u and is 0 where the shares sum to 1."""
        roots = self._roots(u)
        beyond_one = (self.cells * roots).sum(axis=1) - 1
        # minus (sum of x - 1) with the larger root on top, free of cancellation
        of_top = roots[self.top] - (self.others * roots).sum(axis=1)
        excess: Floats = np.where(self.one_outweighs, of_top, beyond_one)
        return excess

    def shares(self, u: Floats) -> Floats:
        share = self._roots(u)
        # what the others leave: the larger root where one outweighs them, and precise near 1/2,
        # where both roots are one and half of the digits would be lost
        alone = self.cells[self.top] == 1
        left = 1 - (self.others * share).sum(axis=1)
        share[self.top] = np.where(alone, left, share[self.top])
        return share

    def _roots(self, u: Floats) -> Floats:
        return _smaller_root(self.theta * u[:, None])


def _smaller_root(t: Floats) -> Floats:
    """x with x (1 - x) = t and x <= 1/2."""
    discriminant = np.maximum(1 - 4 * t, 0.0)
    root: Floats = 2 * t / (1 + np.sqrt(discriminant))
    return root
