"""Where units go inside a block, so that every cell keeps its expected count; and the arguments
that describe it: xi, theta, a block.

A unit of a cell with T units leaves with probability theta_T / T, so a cell of size T is expected
to send theta_T units away. It must be expected to receive as many. That holds when the flow between
two cells c and d is H x_c x_d, where the shares x of all cells of the block sum to 1 and H x_T (1 -
x_T) = theta_T. With one theta for all sizes the shares are equal and the destination is uniform
over the other cells: the rule of the slides.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import check_number, check_whole, is_number
from ..core.arrays import Flags, Floats, Integers
from ..errors import InputError

Theta = float | dict[int, float]  # one for all cells, or one for each size T

MOST_CELLS = 10**9  # products of counts must stay whole in 64 bits
STEPS = 100  # halvings of an interval; doubles are exhausted before
ROUNDING = 1e-9  # in a chance
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
