"""Blocks in which every unit meets the goal: small ones are merged with others, reported or
kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..core.arrays import Flags, Integers
from ..errors import InputError
from .flows import exchange_flows
from .goal import Goal
from .merging import Judge, merge_small
from .naming import BlockNames, block_label
from .profile import passes, worst_risk

SmallBlocks = Literal["merge", "error", "keep"]
SMALL_BLOCKS = ("merge", "error", "keep")
MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class RareCells:
    """Cells that take part in the randomisation.

    Attributes
    ----------
    which : int64, shape (c,), their numbers among all cells of the keys.
    size_at : int64, shape (c,), places of their sizes in ``goal.sizes``.
    goal : for the sizes that occur. size_of_all : int64, those of all cells of the keys.
    """

    which: Integers
    size_at: Integers
    goal: Goal
    size_of_all: Integers

    @classmethod
    def of(cls, size: Integers, goal: Goal) -> RareCells:
        """`size` is that of all cells."""
        which = np.flatnonzero(size <= goal.max_count)
        of_occurring = goal.at(size)
        size_at = np.searchsorted(of_occurring.sizes, size[which])
        return cls(which=which, size_at=size_at, goal=of_occurring, size_of_all=size)

    @property
    def smallest_other(self) -> int | None:
        """The smallest size of cells that take no part, None if all do."""
        others = self.size_of_all[self.size_of_all > self.goal.max_count]
        return int(others.min()) if len(others) else None

    def by_block(self, block: Integers, blocks: int) -> Integers:
        """Cells of each size in each block, shape (b, r); `block` is that of each cell."""
        sizes = len(self.goal.sizes)
        counts = np.bincount(block * sizes + self.size_at, minlength=blocks * sizes)
        return counts.reshape(blocks, sizes)


def join_small_blocks(
    names: BlockNames, cells: Integers, shared: Integers, rare: RareCells, how: SmallBlocks
) -> BlockNames:
    """The blocks after small ones were joined to neighbours; an error names those that cannot meet
    the goal.

    Parameters
    ----------
    names : of the blocks before. cells : shape (b, r), cells by size in each.
    shared : see `Partition`. how : "merge" them, raise an "error", or "keep" them as they are.
    """
    if how == "keep":
        return names
    unsafe = judge(rare.goal)
    if how == "merge":
        run, still_unsafe = merge_small(cells, rare.goal.sizes, shared, unsafe)
    else:
        run, still_unsafe = names.run, unsafe(cells)
    joined = names.with_run(run)
    if still_unsafe.any():
        first_of_run = np.flatnonzero(np.diff(run, prepend=-1))
        joined_cells = np.add.reduceat(cells, first_of_run, axis=0)
        raise _too_small(joined, np.flatnonzero(still_unsafe), joined_cells, rare, how)
    return joined


def judge(goal: Goal) -> Judge:
    """Which blocks miss the goal."""

    def unsafe(cells: Integers) -> Flags:
        # if units cannot be exchanged, all stay with a risk of 1 / T, which may be low enough
        flows = exchange_flows(goal.thetas(cells), goal.sizes, cells)
        missed: Flags = np.any(passes(worst_risk(flows, goal.xi), goal.xi), axis=1)
        return missed

    return unsafe


def _too_small(
    names: BlockNames, unsafe: Integers, cells: Integers, rare: RareCells, how: SmallBlocks
) -> InputError:
    """`unsafe` are numbers of blocks, `cells` are by block and size."""
    blocks = {}
    for block in unsafe.tolist():
        blocks[block_label(names, block)] = _described(cells[block], rare.goal.sizes)
    number = "1 block" if len(unsafe) == 1 else f"{len(unsafe)} blocks"
    return InputError(
        f"blocks: {number} cannot meet xi = {rare.goal.xi:.4g} with the rare combinations of keys"
        f" in them ({'; '.join(dict.fromkeys(blocks.values()))}; .details lists the blocks);"
        f" {_repair(names, rare, how)}",
        details={"blocks": blocks},
    )


def _repair(names: BlockNames, rare: RareCells, how: SmallBlocks) -> str:
    if how == "error":
        return (
            "use coarser blocks, small_blocks='merge' to join them to neighbours, or"
            " small_blocks='keep' to leave them as they are"
        )
    kept = [str(name) for name, is_kept in zip(names.variables, names.kept) if is_kept]
    if kept:
        return (
            f"merging does not cross columns that are kept ({', '.join(kept)}); keep fewer of them,"
            " group them by a mapping or cut points instead, or give small_blocks='keep' to leave"
            " these as they are"
        )
    company = ""
    larger = rare.smallest_other
    if larger is not None:
        company = (
            f"raise max_count from {rare.goal.max_count} to {larger} or more to include "
            "larger cells, "
        )
    return (
        f"there are no other blocks; {company}use fewer keys, or give small_blocks='keep' to "
        "leave these as they are"
    )


def _described(cells: Integers, sizes: Integers) -> str:
    """What a block holds; `cells` are by size."""
    number = cells.sum()
    if number == 2 and cells[0] == 2 and sizes[0] == 1:
        return (
            "2 cells of one unit: 1/2 when both end in one; if both always leave, anyone can "
            "undo it"
        )
    return f"{number} cell{'' if number == 1 else 's'}"
