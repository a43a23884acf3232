"""`ifpr()`: inverse-frequency post-randomisation of the keys of a data set; and blocks that are too
small to be safe, which are joined to a neighbour, reported or kept.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..arguments import check_choice, chosen_columns
from ..core.arrays import Flags, Integers
from ..errors import DataWarning, InputError, warn, warning_once
from ..release_seed import release_generator
from ..tables.frames import AnyFrame, owned_values
from ..tables.opening import check_frame
from .blocks import Blocks, find_blocks, key_cells
from .flows import Exchange, exchange_flows, new_cells
from .release import IFPRRelease
from .risk import passes, worst_risk
from .theta import Goal, Scheme, read_goal

SmallBlocks = Literal["merge", "error", "keep"]
SMALL_BLOCKS = ("merge", "error", "keep")


@warning_once
def ifpr(
    original: AnyFrame,
    keys: Any,
    *,
    xi: float | None = None,
    theta: float | Mapping[int, float] | None = None,
    blocks: Any = None,
    max_count: int | None = None,
    scheme: Scheme | None = None,
    small_blocks: SmallBlocks = "merge",
    seed: int | np.random.Generator | None = None,
    reproducible: bool = False,
) -> IFPRRelease:
    """A copy of the data in which rare combinations of keys are exchanged at random. An intruder
    who picks among the records with a person's own keys is correct with probability at most xi.

    The keys are cross-classified. A unit in a cell of T <= `max_count` units leaves it with
    probability theta / T, for another such cell of its block chosen at random. It takes over all
    keys of that cell and keeps everything else. Every cell keeps its expected count, every block
    its total. Values are the same only if they are equal to the last digit; all missing values are
    the same.

    Parameters
    ----------
    original : DataFrame of pandas, polars or Arrow. It is not changed.
    keys : names or positions (from 1) of the columns an intruder may know. Missing is a separate
        level.
    xi : the goal, above 0 and below 1: an intruder who knows the keys of a person and picks one of
        the `a` records with these keys is correct with probability at most xi, for every `a`.
        (Nothing is promised about records with other keys; `IFPRRelease.verify` names the blocks
        where looking there pays.) `ifpr_theta` gives the theta that is used.
    theta : instead of xi: the expected number of units that leave a cell, 0 to 1, or one for each
        size T, 0 to T.
    blocks : what may not change, or only within groups; None if everything may change. The name of
        a column (a key, or a function of the keys) keeps it as it is. ``{key: {level: group}}``
        lets a key change within groups of levels, and a Series names the groups of its index;
        ``{key: [18, 25, 65]}`` within bands, each beginning at a cut point, a number or a date. A
        list may hold several of these; ``{key: "keep"}`` is the same as its name. Keys that are not
        mentioned may change to anything in the block.
    max_count : cells with more units are left as they are, and no unit moves to them. None for 2,
        or as many as xi needs: cells with more than `max_count` units must have 1 / T <= xi. Sizes
        beyond what `scheme` "size" needs take part only to give smaller cells more destinations,
        with the highest theta of the smaller cells of their block.
    scheme : with xi, "common" for one theta or "size" for one for each size of cells; None for
        "common" from xi = 1/3 on, and "size" below, where only that works.
    small_blocks : what to do with blocks that are too small to meet the goal (one cell; two units
        alone; others when xi is small, or when thetas by size cannot be balanced). "merge" joins
        each to a neighbour: blocks are ordered by their variables; the neighbour that shares more
        leading variables is taken, then the smaller one. The variable given last gives way first;
        columns kept as they are never do. "error" names them. "keep" leaves them, and
        `IFPRRelease.verify` reports them.
    seed : leave it out for a release; the operating system draws. Anyone who has the seed, a whole
        number or a numpy.random.Generator, can make the same data again and undo the release. A
        seed of fewer than 100 bits can be guessed and gives a warning; `secrets.randbits(128)`,
        kept secret, cannot be guessed.
    reproducible : True for teaching and tests, where nothing is released: a short seed then gives
        no warning.

    Returns
    -------
    IFPRRelease

    Examples
    --------
    Six people, each alone with sex and age. Sex is kept, age may change to any other in the block.

    >>> people = pd.DataFrame({"sex": list("fffmmm"), "age": [30, 31, 32] * 2, "income": range(6)})
    >>> release = ifpr(people, ["sex", "age"], theta=0.5, blocks="sex", seed=1, reproducible=True)
    >>> release.data[["sex", "income"]].equals(people[["sex", "income"]])
    True
    >>> release.design[["units", "cells", "share_perturbed"]].to_numpy().tolist()
    [[3.0, 3.0, 0.5], [3.0, 3.0, 0.5]]
    """
    frame = check_frame(original, "original")
    if not len(frame):
        raise InputError("original: has no rows, so there is nobody to protect")
    names = chosen_columns("keys", keys, list(frame.columns))
    if not names:
        choices = ", ".join(map(str, frame.columns))
        raise InputError(f"keys: none given; choices: {choices}")
    for name in names:
        if frame[name].isna().all():
            warn(
                f"keys: {name!r} is missing in every record, so it says nothing; leave it out",
                DataWarning,
                short=f"{name!r} is missing in every record",
            )
    check_choice("small_blocks", small_blocks, SMALL_BLOCKS)
    generator = release_generator(seed, reproducible)
    goal = read_goal(xi, theta, max_count, scheme)

    cells = key_cells(frame, names)
    rare = np.flatnonzero(cells.size <= goal.max_count)
    of_sizes = goal.at(cells.size)
    size_at = np.searchsorted(of_sizes.sizes, cells.size[rare])
    block, found = find_blocks(blocks, cells, rare)
    by_size = _by_size(block, size_at, found.number, len(of_sizes.sizes))
    larger = cells.size[cells.size > goal.max_count]
    found = _safe_blocks(found, by_size, of_sizes, small_blocks, larger)
    # cells are numbered by block and size
    block = found.run[block]
    order = np.lexsort((size_at, block))
    by_size = _by_size(block, size_at, found.number, len(of_sizes.sizes))
    number = np.full(len(cells.size), -1, dtype=np.int64)
    number[rare[order]] = np.arange(len(order))
    cell_of_record = number[cells.of_record]
    unit_row = np.flatnonzero(cell_of_record >= 0)
    exchange = Exchange(
        flows=exchange_flows(of_sizes.thetas(by_size), of_sizes.sizes, by_size),
        block=block[order],
        size_at=size_at[order],
        first=cells.first[rare[order]],
        unit_row=unit_row,
        unit_cell=cell_of_record[unit_row],
    )
    released = new_cells(exchange, exchange.unit_cell, generator)
    kept = [name for name, is_kept in zip(found.variables, found.kept) if is_kept]
    movable = [name for name in names if name not in kept]
    return IFPRRelease(
        keys=tuple(names),
        _data=_released_frame(frame, movable, exchange, released),
        _true_keys=frame[movable].copy(),
        _given=None if frame is original else owned_values(original),
        _goal=goal,
        _exchange=exchange,
        _released=released,
        _blocks=found,
        _cells_of_size=np.bincount(cells.size),
    )


def _by_size(block: Integers, size_at: Integers, blocks: int, sizes: int) -> Integers:
    """Cells of each size in each block, shape (b, r)."""
    counts = np.bincount(block * sizes + size_at, minlength=blocks * sizes)
    return counts.reshape(blocks, sizes)


def _released_frame(
    data: pd.DataFrame, movable: Sequence[Hashable], exchange: Exchange, released: Integers
) -> pd.DataFrame:
    """A copy with the keys that may change taken from a record of the new cell, which keeps types,
    categories and missing values.

    Where units could have arrived, units that stay take their keys from that record too: a value
    may be written in two ways (None and NaN, 0 and -0), and this must not show who stayed. Keys
    that are kept are not touched.
    """
    frame = data.copy()
    source = np.arange(len(data))
    exchanged = exchange.leave[exchange.unit_cell] > 0
    source[exchange.unit_row[exchanged]] = exchange.first[released[exchanged]]
    for name in movable:
        at = data.columns.get_loc(name)
        # as a Series: pandas would convert an array of objects again, turning dates into times
        taken = data.iloc[:, at].take(source)
        taken.index = frame.index
        frame.isetitem(at, taken)
    return frame


# ---- blocks that are too small -------------------------------------------------------


def _safe_blocks(
    blocks: Blocks, cells: Integers, goal: Goal, how: SmallBlocks, larger: Integers
) -> Blocks:
    """The blocks after small ones were joined to neighbours; an error names those that cannot meet
    the goal. `cells` are by block and size; `larger` are the sizes of those that take no part.
    """

    def unsafe(cells: Integers) -> Flags:
        # if units cannot be exchanged, all stay with a risk of 1 / T, which may be low enough
        flows = exchange_flows(goal.thetas(cells), goal.sizes, cells)
        missed: Flags = np.any(passes(worst_risk(flows, goal.xi), goal.xi), axis=1)
        return missed

    if how == "keep":
        return blocks
    if how == "merge":
        run, still_unsafe = merge_small(cells, goal.sizes, blocks.shared, unsafe)
        blocks = blocks.merged(run)
    else:
        still_unsafe = unsafe(cells)
    if not still_unsafe.any():
        return blocks
    cells = np.add.reduceat(cells, np.flatnonzero(np.diff(blocks.run, prepend=-1)), axis=0)
    names = blocks.names()[still_unsafe].tolist()
    said = dict(zip(names, [_described(of_block, goal) for of_block in cells[still_unsafe]]))
    number = "1 block" if len(names) == 1 else f"{len(names)} blocks"
    raise InputError(
        f"blocks: {number} cannot meet xi = {goal.xi:.4g} with the rare combinations of keys"
        f" in them ({'; '.join(dict.fromkeys(said.values()))}; .details lists the blocks);"
        f" {_repair(blocks, goal, how, larger)}",
        details={"blocks": said},
    )


def _described(cells: Integers, goal: Goal) -> str:
    """What a block holds; `cells` are by size."""
    number = cells.sum()
    if number == 2 and cells[0] == 2 and goal.sizes[0] == 1:
        return (
            "2 cells of one unit: 1/2 when both end in one; if both always leave, anyone can "
            "undo it"
        )
    return f"{number} cell{'' if number == 1 else 's'}"


def _repair(blocks: Blocks, goal: Goal, how: SmallBlocks, larger: Integers) -> str:
    if how == "error":
        return (
            "use coarser blocks, small_blocks='merge' to join them to neighbours, or"
            " small_blocks='keep' to leave them as they are"
        )
    kept = [str(name) for name, is_kept in zip(blocks.variables, blocks.kept) if is_kept]
    if kept:
        return (
            f"merging does not cross columns that are kept ({', '.join(kept)}); keep fewer of them,"
            " group them by a mapping or cut points instead, or give small_blocks='keep' to leave"
            " these as they are"
        )
    company = ""
    if len(larger):
        company = (
            f"raise max_count from {goal.max_count} to {larger.min()} or more to include larger"
            " cells, "
        )
    return (
        f"there are no other blocks; {company}use fewer keys, or give small_blocks='keep' to "
        "leave these as they are"
    )


def merge_small(
    cells: Integers, sizes: Integers, shared: Integers, unsafe: Callable[[Integers], Flags]
) -> tuple[Integers, Flags]:
    """Joins neighbours until no block is unsafe, or an unsafe block has no neighbour left to join.

    Blocks stand in the order of their variables, kept columns first. A block that misses the goal
    joins the block before or after it: the one with which it shares more leading variables, then
    the one with fewer units, then the one before. So the variable given last gives way first, and
    kept columns are never crossed.

    `cells` are by block and size, shape (b, r); `shared`, shape (b - 1,), see `Blocks`; `unsafe`
    judges blocks by their cells. Returns the new number of each block, shape (b,), where blocks
    with the same number are one, and whether each new block is unsafe and alone.

    >>> cells, shared = np.array([[1], [5], [3]]), np.array([1, 0])  # blocks of single cells
    >>> run, still = merge_small(cells, np.array([1]), shared, lambda cells: cells.sum(axis=1) < 2)
    >>> run.tolist(), still.tolist()
    ([0, 0, 1], [False, False])
    """
    ends = np.arange(1, len(cells) + 1)  # of runs of blocks that were joined
    while True:
        bad = unsafe(cells)
        joined = _joined_now(cells @ sizes, bad, shared[ends[:-1] - 1])
        if not joined.any():
            return np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0)), bad
        starts = np.append(0, np.flatnonzero(~joined) + 1)
        ends = ends[np.append(starts[1:] - 1, len(ends) - 1)]
        cells = np.add.reduceat(cells, starts, axis=0)


def _joined_now(units: Integers, bad: Flags, shared: Integers) -> Flags:
    """Which neighbours are joined now, shape (runs - 1,): the smallest bad run first; one whose
    neighbour has just been joined waits, because that may be enough for both.
    """
    joined = np.zeros(len(shared), dtype=bool)
    touched = np.zeros(len(units), dtype=bool)
    bad_runs = np.flatnonzero(bad)
    for run in bad_runs[np.argsort(units[bad_runs], kind="stable")].tolist():
        sides = [(run - 1, run - 1), (run, run + 1)]  # an edge, and the neighbour beyond it
        nearest = [
            (-shared[edge], units[neighbour], neighbour, edge)
            for edge, neighbour in sides
            if 0 <= edge < len(shared) and shared[edge] >= 0
        ]
        if touched[run] or not nearest:
            continue
        *_, neighbour, edge = min(nearest)
        if not touched[neighbour]:
            joined[edge] = True
            touched[[run, neighbour]] = True
    return joined
