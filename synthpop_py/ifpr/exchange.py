"""Who is exchanged with whom in a release: the draw, its matrix, and what it leads one to expect."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..core.arrays import Flags, Floats, Integers
from .flows import check_entries, movement, other_units
from .risk import by_count, overall
from .theta import thetas_in

if TYPE_CHECKING:
    import scipy

ROUNDING = 1e-9  # in a chance


def exchange_flows(theta: Floats, sizes: Integers, cells: Integers) -> tuple[Floats, Floats, Flags]:
    """As `movement`, but two cells whose units would certainly trade places keep them, because
    anyone could undo that: the third array says which blocks those are.

    >>> leave, _, swaps = exchange_flows(np.array([1.0]), np.array([1]), np.array([[2], [3]]))
    >>> leave.tolist(), swaps.tolist()
    ([[0.0], [1.0]], [True, False])
    """
    thetas = thetas_in(cells, theta)
    may_stay = (cells > 0) & (thetas < sizes)
    swaps = (cells.sum(axis=1) == 2) & ~may_stay.any(axis=1)
    leave, arrival, _ = movement(np.where(swaps[:, None], 0.0, thetas), sizes, cells)
    return leave, arrival, swaps


def cells_by_size(block: Integers, size_at: Integers, blocks: int, sizes: int) -> Integers:
    """Cells of each size in each block, shape (b, r)."""
    counts = np.bincount(block * sizes + size_at, minlength=blocks * sizes)
    return counts.reshape(blocks, sizes)


class Exchange:
    """Cells and units that take part. Cells are numbered by block and, within a block, by size.

    Attributes
    ----------
    sizes : int64, shape (r,). cells : int64, cells of each size in each block, shape (b, r).
    theta, leave : units expected to leave a cell of each size, and the chance of each, shape (b,
        r). arrival : see `movement`. swaps : bool, shape (b,), see `exchange_flows`.
    block, size_at : int64, shape (c,), of each cell. first : position of a record with its keys.
    unit_row, unit_cell : int64, shape (u,), position of each unit in the data, and its cell.
    """

    def __init__(
        self,
        theta: Floats,
        sizes: Integers,
        block: Integers,
        size_at: Integers,
        first: Integers,
        cell_of_record: Integers,
    ) -> None:
        self.sizes, self.block, self.size_at, self.first = sizes, block, size_at, first
        self.unit_row = np.flatnonzero(cell_of_record >= 0)
        self.unit_cell = cell_of_record[self.unit_row]
        blocks = int(block.max(initial=-1)) + 1
        self.cells = cells_by_size(block, size_at, blocks, len(sizes))
        self.theta = thetas_in(self.cells, theta)
        kinds, kind = distinct_rows(self.cells)
        leave, arrival, swaps = exchange_flows(theta, sizes, kinds)
        self.leave, self.arrival, self.swaps = leave[kind], arrival[kind], swaps[kind]

    @property
    def units(self) -> Integers:
        """Units in cells of each size, shape (b, r)."""
        return self.cells * self.sizes

    @property
    def cell_leave(self) -> Floats:
        """The chance of each unit of a cell to leave it, shape (c,). Where it is 0 nobody comes."""
        chance: Floats = self.leave[self.block, self.size_at]
        return chance

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
        leaving = np.flatnonzero(generator.random(len(cell)) < self.cell_leave[cell])
        left = cell[leaving]
        block, size_at = self.block[left], self.size_at[left]
        # a size first, then one of the cells of that size
        drawn = generator.random(len(leaving))
        to_size = (drawn[:, None] >= self.size_limits()[block, size_at]).sum(axis=1)
        same_size = to_size == size_at
        nth = generator.integers(0, self.cells[block, to_size] - same_size)
        starts = np.cumsum(self.cells).reshape(self.cells.shape) - self.cells
        reached = starts[block, to_size] + nth
        reached += same_size & (reached >= left)  # the cell left is no destination
        released = cell.copy()
        released[leaving] = reached
        return released

    def size_limits(self) -> Floats:
        """Cumulated chances that a leaver of size i goes to a cell of size j, shape (b, r, r),
        [block, i, j]; exactly 1 from the last possible size on.
        """
        sizes = len(self.sizes)
        other_cells = other_units(self.sizes, self.cells) // self.sizes
        weight = other_cells * self.arrival.swapaxes(1, 2)
        total = weight.sum(axis=2, keepdims=True)
        limits = np.cumsum(weight / np.where(total > 0, total, 1.0), axis=2)
        last = sizes - 1 - (weight[:, :, ::-1] > 0).argmax(axis=2)
        limits[np.arange(sizes) >= last[..., None]] = 1.0
        return limits

    def level_variance(self, level: Integers, levels: int) -> Floats:
        """Variance of the released count of each level, given the data; `level` is that of each
        cell. Units move independently of each other, so it is the sum over units of w (1 - w), w
        the chance to end in the level.
        """
        # (block, level) pairs that occur, and in each of them cells by size
        pairs, pair = np.unique(self.block * levels + level, return_inverse=True)
        inside = cells_by_size(pair.reshape(-1), self.size_at, len(pairs), len(self.sizes))
        block = pairs // levels
        comes = np.zeros(inside.shape)
        own = np.zeros(inside.shape)
        for i in range(len(self.sizes)):
            comes += inside[:, [i]] * self.arrival[block, i]
            own[:, i] = self.arrival[block, i, i]
        stays = 1 - self.leave[block] + comes - own
        variance = self.sizes * inside * stays * (1 - stays)
        variance += self.sizes * (self.cells[block] - inside) * comes * (1 - comes)
        by_level = np.bincount(pairs % levels, weights=variance.sum(axis=1), minlength=levels)
        return np.maximum(by_level, 0.0)

    def matrix(self, cells: Integers) -> scipy.sparse.csr_array:
        """The matrix of these cells, whole blocks of them, ascending."""
        import scipy

        block, size_at = self.block[cells], self.size_at[cells]
        leave = self.cell_leave[cells]
        # a cell whose units stay has one entry, on the diagonal
        entries = np.where(leave > 0, self.cells.sum(axis=1)[block], 1)
        way_out = "name one block, as in .design; .cells has the chance to leave of each cell"
        check_entries(int(entries.sum()), "block", way_out)
        row = np.repeat(np.arange(len(cells)), entries)
        ends = np.cumsum(entries)
        nth = np.arange(len(row)) - (ends - entries)[row]
        begins = np.where(leave > 0, np.searchsorted(block, block), np.arange(len(cells)))
        column = begins[row] + nth
        arrival = self.arrival[block[row], size_at[column], size_at[row]]
        chance = np.where(column == row, 1 - leave[row], arrival)
        shape = (len(cells), len(cells))
        matrix = scipy.sparse.csr_array((chance, column, np.append(0, ends)), shape=shape)
        matrix.eliminate_zeros()
        return matrix

    def profile(self, last: int) -> tuple[Floats, Floats]:
        """P(S = a), and P(S = a and correct match), of a target in a cell of the i-th size in block
        b; shape (b, r, last + 2): a from 0 to `last`, and at the end over all a however large. NaN
        where a block has no such cell.
        """
        cells, first, kind = np.unique(self.cells, axis=0, return_index=True, return_inverse=True)
        leave, arrival = self.leave[first], self.arrival[first]
        others = other_units(self.sizes, cells)
        found, matched = by_count(self.sizes, leave, others, arrival, last)
        chance = overall(self.sizes, leave, others, arrival)[..., None]
        found = np.append(found, np.ones_like(chance), axis=-1)
        matched = np.append(matched, chance, axis=-1)
        absent = cells == 0
        found[absent] = matched[absent] = np.nan
        return found[kind], matched[kind]

    def expected_units(self, last: int) -> tuple[Floats, Floats]:
        """Units that are expected to find a records, and to be matched among those; as in
        `profile`, with one block more for all of them together.
        """
        weights = self.units[..., None].astype(float)
        finders, matched = (chances * weights for chances in self.profile(last))
        all_finders = np.nansum(finders, axis=0, keepdims=True)
        all_matched = np.nansum(matched, axis=0, keepdims=True)
        return np.append(finders, all_finders, axis=0), np.append(matched, all_matched, axis=0)


def distinct_rows(rows: Integers) -> tuple[Integers, Integers]:
    """The distinct rows, and the place of each row among them."""
    distinct, place = np.unique(rows, axis=0, return_inverse=True)
    return distinct, place.reshape(-1)  # numpy 2.0 gave it a second axis
