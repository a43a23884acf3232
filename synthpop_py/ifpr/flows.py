"""Where units go inside a block, so that every cell keeps its expected count; and the draw.

A unit of a cell with T units leaves with probability theta_T / T, so a cell of size T is expected
to send theta_T units away. It must be expected to receive as many. That holds when the flow between
two cells c and d is H x_c x_d, where the shares x of all cells of the block sum to 1 and H x_T (1 -
x_T) = theta_T. With one theta for all sizes the shares are equal and the destination is uniform
over the other cells: the rule of the slides. Shapes: b blocks, cells of r sizes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import check_number, check_whole
from ..core.arrays import Flags, Floats, Integers, numbered
from ..errors import InputError, warning_once

if TYPE_CHECKING:
    import scipy

Theta = float | dict[int, float]  # one for all cells, or one for each size T

MOST_CELLS = 10**9  # products of counts must stay whole in 64 bits
MOST_ENTRIES = 25_000_000  # of a matrix, 8 bytes each
STEPS = 100  # halvings of an interval; doubles are exhausted before
SLACK = 1e-9  # a cell that sends nearly as much as all others together has no stable solution
ROUNDING = 1e-9  # in a chance


def check_xi(value: Any) -> float:
    """The disclosure control goal: above 0 and below 1."""
    return check_number("xi", value, 0, 1, open_low=True, open_high=True)


def check_theta(value: Any) -> Theta:
    """One theta for all cells, 0 to 1, or one for each size T, 0 to T, by ascending T."""
    if not isinstance(value, Mapping):
        return check_number("theta", value, 0, 1)
    given = {check_whole("theta, a size of cells", T, 1): theta for T, theta in value.items()}
    return {T: check_number(f"theta[{T}]", given[T], 0, T) for T in sorted(given)}


def theta_of(theta: Theta, sizes: Integers) -> Floats:
    """theta for each of these sizes."""
    if not isinstance(theta, dict):
        return np.full(len(sizes), theta)
    for T in sizes.tolist():
        if T not in theta:
            known = ", ".join(map(str, theta)) or "none"
            raise InputError(f"theta: has no entry for cells of {T} units; sizes given: {known}")
    return np.array([theta[T] for T in sizes.tolist()])


def check_block(value: Any) -> dict[int, int]:
    """Cells by ascending size, as in {1: 10, 2: 5}: ten cells with one unit, five with two."""
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
    if not 2 <= cells <= MOST_CELLS:
        raise InputError(
            f"block: {dict(value)!r} has {cells:,} cells; give 2 or more, so that units have"
            f" somewhere to go, and at most {MOST_CELLS:,}; block=None is the limit of large blocks"
        )
    return {T: block[T] for T in sorted(block) if block[T]}


def movement(theta: Floats, sizes: Integers, cells: Integers) -> tuple[Floats, Floats, Flags]:
    """The chance to leave, shape (b, r); the chance of a unit of size j to come to one given cell
    of size i, not its own, shape (b, r, r), [block, i, j]; and whether the block can exchange units
    and keep its counts: no cell sends more than all others receive. If not, all units stay.

    >>> leave, arrival, _ = movement(np.array([0.8, 0.8]), np.array([1, 2]), np.array([[3, 2]]))
    >>> leave.tolist(), arrival[0].round(6).tolist()
    ([[0.8, 0.4]], [[0.2, 0.1], [0.2, 0.1]])
    """
    moving = (theta > 0) & (cells > 0)
    theta = np.where(moving, theta, 0.0)
    active = np.where(moving, cells, 0)
    highest = theta.max(axis=1, initial=0.0)
    # one theta in the whole block: k equal shares, H = theta k^2 / (k - 1)
    k = active.sum(axis=1).astype(float)
    possible = k != 1
    share = moving / np.maximum(k, 1)[:, None]
    rest = np.maximum(k - 1, 1)
    total = highest * k**2 / rest
    varied = (moving & (theta < highest[:, None])).any(axis=1)
    if varied.any():
        solved = _unequal(theta[varied], active[varied])
        share[varied], total[varied], possible[varied] = solved
    can = possible[:, None]
    leave = np.where(can, theta / sizes, 0.0)
    to_all = share * total[:, None]
    flow = to_all[:, :, None] * share[:, None, :]
    arrival = np.where(can[:, None], np.minimum(flow / sizes, 1.0), 0.0)
    return leave, arrival, possible


def _unequal(theta: Floats, cells: Integers) -> tuple[Floats, Floats, Flags]:
    """`share`, H and `possible` where thetas differ: each share is the smaller root of x (1 - x) =
    theta u (a single cell that outweighs the others has the larger one), u = 1 / H.
    """
    top = np.arange(len(cells)), theta.argmax(axis=1)  # the size with the highest theta
    highest = theta[top]
    others = cells.copy()
    others[top] -= 1

    def roots(u: Floats) -> Floats:
        t = theta * u[:, None]
        apart = np.sqrt(np.maximum(1 - 4 * t, 0.0))
        smaller: Floats = 2 * t / (1 + apart)
        return smaller

    low, high = np.zeros(len(cells)), 0.25 / highest
    # then the highest is a single cell: two would have 1/2 each
    one_outweighs = (cells * roots(high)).sum(axis=1) < 1
    for _ in range(STEPS):
        u = (low + high) / 2
        x = roots(u)
        beyond_one = (cells * x).sum(axis=1) - 1
        # minus (sum of x - 1) with the larger root on top, free of cancellation
        beyond_others = x[top] - (others * x).sum(axis=1)
        enough = np.where(one_outweighs, beyond_others, beyond_one) >= 0
        low = np.where(enough, low, u)
        high = np.where(enough, u, high)
    share = roots(high)
    # what the others leave: the larger root where one outweighs them, and precise near 1/2, where
    # both roots are one and half of the digits would be lost
    left = 1 - (others * share).sum(axis=1)
    share[top] = np.where(cells[top] == 1, left, share[top])
    # no cell may send more than all others together, by some margin
    sent = (cells * theta).sum(axis=1)
    possible = sent - 2 * highest > SLACK * highest
    return share, 1 / high, possible


def other_units(sizes: Integers, cells: Integers) -> Integers:
    """Units of size j outside one given cell of size i, shape (b, r, r), [block, i, j]."""
    itself = np.eye(len(sizes), dtype=np.int64)
    others: Integers = np.maximum(cells[:, None, :] - itself, 0) * sizes
    return others


def exchange_flows(theta: Floats, sizes: Integers, cells: Integers) -> tuple[Floats, Floats, Flags]:
    """As `movement`, but two cells whose units would certainly trade places keep them, because
    anyone could undo that: the third array says which blocks those are.
    """
    may_stay = (cells > 0) & (theta < sizes)
    two = cells.sum(axis=1) == 2
    swaps: Flags = two & ~may_stay.any(axis=1)
    leave, arrival, _ = movement(np.where(swaps[:, None], 0.0, theta), sizes, cells)
    return leave, arrival, swaps


def movement_in(theta: Any, block: dict[int, int]) -> tuple[Floats, Floats]:
    """`leave` and `arrival` in a given block, for several thetas, shape (b,), or one by size; sizes
    that it does not name take no part.
    """
    if isinstance(theta, dict):
        thetas = np.array([[theta.get(T, 0.0) for T in block]])
    else:
        thetas = np.repeat(theta[:, None], len(block), axis=1)
    cells = np.broadcast_to(list(block.values()), thetas.shape)
    leave, arrival, possible = movement(thetas, np.array(list(block)), cells)
    if not possible.all():
        raise InputError(
            f"block: in {block!r} with these thetas one cell would send as many units as all others"
            " together, or more, so expected counts cannot be kept; merge the block with another,"
            " or give a theta for other sizes too"
        )
    return leave, arrival


@warning_once
def ifpr_matrix(theta: float | Mapping[int, float], block: Mapping[int, int]) -> Floats:
    """The post-randomisation matrix P of a block, smallest cells first: P[c, d] is the chance that
    a unit of cell c is released in cell d. The arguments are those of `ifpr_risk`.

    With n the units of each cell, the released counts have the expectations n P = n and the
    covariances diag(n) - P' diag(n) P. `IFPRRelease.matrix` is the matrix of a release.

    Two cells of one unit and one of two. A single unit leaves with 1/2, to either other cell with
    equal chance; each of the two leaves with 1/4.

    >>> ifpr_matrix(0.5, block={1: 2, 2: 1}).tolist()
    [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.125, 0.125, 0.75]]
    """
    checked, cells = check_theta(theta), check_block(block)
    _check_entries(
        sum(cells.values()) ** 2, "block", "give a smaller one: cells of a size are alike"
    )
    thetas = checked if isinstance(checked, dict) else np.array([checked])
    leave, arrival = movement_in(thetas, cells)
    size_at = np.repeat(np.arange(len(cells)), list(cells.values()))
    matrix: Floats = arrival[0].T[np.ix_(size_at, size_at)]
    np.fill_diagonal(matrix, 1 - leave[0, size_at])
    return matrix


def _check_entries(entries: int, what: str, way_out: str) -> None:
    if entries > MOST_ENTRIES:
        raise InputError(
            f"{what}: the matrix would have {entries:,} entries; the limit is {MOST_ENTRIES:,};"
            f" {way_out}"
        )


def cells_by_size(block: Integers, size_at: Integers, shape: tuple[int, int]) -> Integers:
    """Cells of each size in each block, shape (b, r)."""
    place = block * shape[1] + size_at
    counts = np.bincount(place, minlength=math.prod(shape))
    return counts.reshape(shape)


class Exchange:
    """Cells and units that take part. Cells are numbered by block and, within a block, by size.

    Attributes
    ----------
    sizes, theta : shape (r,). cells, leave : cells of each size in each block, and the chance of
        their units to leave, shape (b, r). arrival, swaps : see `exchange_flows`.
    block, size_at, first : int64, shape (c,), of each cell; a record with its keys.
    unit_row, unit_cell : int64, shape (u,), position of each unit in the data, and its cell.
    """

    def __init__(
        self,
        theta: Floats,
        sizes: Integers,
        cells: Integers,
        block: Integers,
        size_at: Integers,
        first: Integers,
        cell_of_record: Integers,
    ) -> None:
        self.theta, self.sizes, self.cells = theta, sizes, cells
        self.block, self.size_at, self.first = block, size_at, first
        self.unit_row = np.flatnonzero(cell_of_record >= 0)
        self.unit_cell = cell_of_record[self.unit_row]
        first_of_kind, kind = kinds_of(cells)
        leave, arrival, swaps = exchange_flows(theta, sizes, cells[first_of_kind])
        self.leave, self.arrival, self.swaps = leave[kind], arrival[kind], swaps[kind]
        self.units: Integers = cells * sizes
        # of each unit of a cell; where it is 0 nobody comes
        self.cell_leave: Floats = self.leave[block, size_at]

    @property
    def elsewhere(self) -> Flags:
        """Whether a unit of the block is likelier to be in one given other cell than in its own,
        shape (b,). Single units and one theta: theta > (k - 1) / k.
        """
        reachable = other_units(self.sizes, self.cells) > 0
        highest = np.where(reachable, self.arrival, 0.0).max(axis=1, initial=0.0)
        likelier: Flags = (highest > 1 - self.leave + ROUNDING).any(axis=1)
        return likelier

    def draw(self, cell: Integers, generator: np.random.Generator) -> Integers:
        """The released cell of units that are in `cell`, independently of each other."""
        drawn = generator.random(len(cell))
        leaving = np.flatnonzero(drawn < self.cell_leave[cell])
        left = cell[leaving]
        block, size_at = self.block[left], self.size_at[left]
        # a size first, then one of the cells of that size
        drawn = generator.random(len(leaving))
        limits = self._size_limits()[block, size_at]
        to_size = (drawn[:, None] >= limits).sum(axis=1)
        same_size = to_size == size_at
        nth = generator.integers(0, self.cells[block, to_size] - same_size)
        starts = np.cumsum(self.cells).reshape(self.cells.shape) - self.cells
        reached = starts[block, to_size] + nth
        reached += same_size & (reached >= left)  # the cell left is no destination
        released = cell.copy()
        released[leaving] = reached
        return released

    def _size_limits(self) -> Floats:
        """Cumulated chances of a leaver of size i to go to size j, [block, i, j]; 1 at the last."""
        other_cells = other_units(self.sizes, self.cells) // self.sizes
        weight = other_cells * self.arrival.swapaxes(1, 2)
        total = weight.sum(axis=2, keepdims=True)
        total = np.where(total > 0, total, 1.0)
        limits = np.cumsum(weight / total, axis=2)
        backwards = weight[:, :, ::-1].cumsum(axis=2) - weight[:, :, ::-1]
        further = backwards[:, :, ::-1]
        return np.where(further > 0, limits, 1.0)

    def level_variance(self, level: Integers, levels: int) -> Floats:
        """Variance of the released count of each level, given the data; `level` is that of each
        cell. It is the sum over units of w (1 - w), w the chance to end in the level.
        """
        # (block, level) pairs that occur, and in each of them cells by size
        pairs, pair = np.unique(self.block * levels + level, return_inverse=True)
        shape = len(pairs), len(self.sizes)
        inside = cells_by_size(pair.reshape(-1), self.size_at, shape)
        block = pairs // levels
        comes, own = np.zeros((2, *inside.shape))
        for i in range(len(self.sizes)):
            comes += inside[:, [i]] * self.arrival[block, i]
            own[:, i] = self.arrival[block, i, i]
        stays = 1 - self.leave[block] + comes - own
        outside = self.cells[block] - inside
        variance = inside * stays * (1 - stays)
        variance += outside * comes * (1 - comes)
        by_level = np.bincount(pairs % levels, weights=variance @ self.sizes, minlength=levels)
        return np.maximum(by_level, 0.0)

    def matrix(self, cells: Integers) -> scipy.sparse.csr_array:
        """The matrix of these cells, whole blocks of them, ascending."""
        import scipy

        n, block, leave = len(cells), self.block[cells], self.cell_leave[cells]
        # a cell whose units stay has one entry, on the diagonal
        entries = np.where(leave > 0, self.cells.sum(axis=1)[block], 1)
        ends = np.cumsum(entries)
        _check_entries(int(entries.sum()), "block", "name one block; .cells has chances to leave")
        row = np.repeat(np.arange(n), entries)
        begins = np.where(leave > 0, np.searchsorted(block, block), np.arange(n))
        column = (begins - ends + entries)[row] + np.arange(len(row))
        to_size, from_size = self.size_at[cells[column]], self.size_at[cells[row]]
        arrival = self.arrival[block[row], to_size, from_size]
        chance = np.where(column == row, 1 - leave[row], arrival)
        matrix = scipy.sparse.csr_array((chance, column, np.append(0, ends)), shape=(n, n))
        matrix.eliminate_zeros()
        return matrix


def kinds_of(rows: Integers) -> tuple[Integers, Integers]:
    """Where each distinct row first stands, and for each row which of them it is."""
    kind = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        levels = column.max(initial=0) + 1
        _, kind = numbered(kind * levels + column)
    _, first = np.unique(kind, return_index=True)
    return first, kind
