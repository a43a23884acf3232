"""Who goes where inside a block, so that every cell is expected to keep its count.

A unit of a cell with T units leaves with probability theta_T / T, so a cell of size T is expected
to send theta_T units away. It must be expected to receive as many. That holds when the flow between
two cells c and d is H x_c x_d, where the shares x of all cells of the block sum to 1 and H x_T (1 -
x_T) = theta_T. With one theta for all sizes the shares are equal and the destination is uniform
over the other cells: the rule of the slides.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

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
    possible : bool, shape (b,). Whether the block can exchange units so that counts are kept: two
        cells at least, none of which sends more than all others take.
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
    def arrival(self) -> Floats:
        """Probability that a unit of a cell of size j comes to one given cell of size i, not its
        own; shape (b, r, r), [block, i, j].
        """
        x = self.share
        return np.minimum(
            x[:, :, None] * x[:, None, :] * self.total[:, None, None] / self.sizes, 1.0
        )

    @property
    def others(self) -> Integers:
        """Units of size j outside one given cell of size i, shape (b, r, r), [block, i, j];
        negative where there is no cell of size i.
        """
        return (self.cells[:, None, :] - np.eye(len(self.sizes), dtype=np.int64)) * self.sizes

    @property
    def swaps(self) -> Flags:
        """Two cells whose units all leave for sure: they change places, which hides nobody; bool,
        shape (b,).
        """
        surely = np.where(self.cells > 0, self.leave, 1.0) >= 1
        swaps: Flags = (self.cells.sum(axis=1) == 2) & np.all(surely, axis=1)
        return swaps

    @property
    def elsewhere(self) -> Flags:
        """Whether a unit of the block is likelier to be in one given other cell than in its own;
        bool, shape (b,). Single units and one theta: theta > (k - 1) / k.
        """
        reachable = (self.others > 0) & (self.cells > 0)[:, :, None]
        arrival = np.where(
            reachable & self.possible[:, None, None], np.nan_to_num(self.arrival), 0.0
        ).max(axis=1, initial=0.0)
        likelier: Flags = np.any(arrival > 1 - self.leave + ROUNDING, axis=1)
        return likelier


def exchange_flows(theta: Floats, sizes: Integers, cells: Integers) -> Flows:
    """As `balance`, for a release: two cells that would surely change places keep their units,
    because anybody could undo that.

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
    sizes, cells = np.asarray(sizes, dtype=np.int64), np.asarray(cells, dtype=np.int64)
    theta = np.broadcast_to(np.asarray(theta, dtype=float), cells.shape)
    moving = (theta > 0) & (cells > 0)
    still: Flags = ~np.any(moving, axis=1)  # nobody moves: any shares will do
    active = np.where(moving | still[:, None], cells, 0)
    heights = np.where(moving, theta, 0.0)
    highest = heights.max(axis=1, initial=0.0)
    equal = (np.where(moving, theta, highest[:, None]) == highest[:, None]).all(axis=1)
    even, even_total, even_possible = _equal(highest, active.sum(axis=1))
    share, total, possible = np.where(active > 0, even[:, None], 0.0), even_total, even_possible
    if not equal.all():
        other = _unequal(heights[~equal], active[~equal])
        for into, solved in zip((share, total, possible), other):
            into[~equal] = solved
    share[~possible] = np.nan
    return Flows(sizes, cells, theta / sizes, share, total, possible)


def _equal(theta: Floats, k: Integers) -> tuple[Floats, Floats, Flags]:
    """One intensity in the whole block: k equal shares."""
    possible = k >= 2
    safe = np.where(possible, k, 2)
    return (
        1.0 / safe,
        np.where(possible, theta * safe.astype(float) ** 2 / (safe - 1), np.nan),
        possible,
    )


def _unequal(theta: Floats, cells: Integers) -> tuple[Floats, Floats, Flags]:
    """Solve sum of x = 1 for u = 1 / H, where x (1 - x) = theta u: the smaller root for every cell,
    but a single cell that outweighs the others takes the larger one.
    """
    rows, top = np.arange(len(cells)), theta.argmax(axis=1)
    highest = theta[rows, top]
    possible = (cells * theta).sum(axis=1) - 2 * highest > SLACK * highest
    last = 0.25 / highest
    one_large = (cells * _smaller_root(theta * last[:, None])).sum(
        axis=1
    ) < 1  # then the highest is a single cell: two would have 1/2 each
    rest = cells.copy()
    rest[rows, top] -= 1

    def excess(u: Floats) -> Floats:
        roots = _smaller_root(theta * u[:, None])
        outer = (cells * roots).sum(axis=1) - 1
        inner = roots[rows, top] - (rest * roots).sum(
            axis=1
        )  # minus (sum of x - 1) with the larger root on top, free of cancellation
        over: Floats = np.where(one_large, inner, outer)
        return over

    low, high = np.zeros(len(cells)), last
    for _ in range(STEPS):
        middle = (low + high) / 2
        above = excess(middle) >= 0
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    share = _smaller_root(theta * high[:, None])
    share[rows, top] = np.where(one_large, 1 - share[rows, top], share[rows, top])
    return share, np.where(possible, 1 / high, np.nan), possible


def _smaller_root(t: Floats) -> Floats:
    """x with x (1 - x) = t and x <= 1/2."""
    root: Floats = 2 * t / (1 + np.sqrt(np.maximum(1 - 4 * t, 0.0)))
    return root
