"""`ifpr()`: inverse-frequency post-randomisation of the keys of a data set."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..arguments import check_choice, check_whole, chosen_columns, random_generator
from ..core.arrays import Flags, Integers
from ..errors import InputError
from ..spellings import plain_names_too
from ..tables.opening import check_frame
from .blocks import BlockVariable, Partition, block_variables, partition
from .cells import KeyCells, key_cells
from .flows import exchange_flows
from .merging import Judge, merge_small
from .naming import BlockNames, block_label
from .profile import highest_count, passes, worst_risk
from .randomise import Exchange, new_cells
from .release import IFPRRelease
from .risk import risk_in_the_limit
from .scheme import Goal, check_theta, check_xi, theta_of
from .theta import SCHEMES, Scheme, ifpr_theta

SmallBlocks = Literal["merge", "error", "keep"]
SMALL_BLOCKS = ("merge", "error", "keep")
USUAL_COUNT = 2
MOST_NAMED = 3


@plain_names_too()
def ifpr(
    data: pd.DataFrame,
    keys: Any,
    *,
    xi: float | None = None,
    theta: float | Mapping[int, float] | None = None,
    blocks: Any = None,
    max_count: int | None = None,
    scheme: Scheme | None = None,
    small_blocks: SmallBlocks = "merge",
    seed: int | np.random.Generator | None = None,
) -> IFPRRelease:
    """A copy of the data in which rare combinations of keys are exchanged at random, so that
    picking among the records under a person's own keys is right with xi at most.

    The keys are cross-classified. A unit in a cell of T <= `max_count` units leaves it with
    probability theta / T, for another such cell of its block chosen at random. It takes over all
    keys of that cell and keeps everything else. Every cell keeps its expected count, every block
    its total. Values are one only where they are equal to the last digit; all missing values are
    one.

    Parameters
    ----------
    data : DataFrame. It is not changed. By name also ``original=``.
    keys : names or positions (from 1) of the columns an intruder may know. A missing value is a
        level of its own.
    xi : the goal, above 0 and below 1: whoever knows the keys of a person and picks one of the `a`
        records found under these keys is right with probability xi at most, for every `a`. (Nothing
        is promised about records under other keys; `IFPRRelease.verify` names the blocks where
        looking there is worth it.) The smallest theta that does it is used (`ifpr_theta`), that of
        large blocks, which is on the safe side in smaller ones.
    theta : instead of xi: the expected number of units that leave a cell, 0 to 1, or one for each
        size T, 0 to T.
    blocks : what may not change, or only within groups; None if everything may. The name of a
        column (a key, or a function of the keys) keeps it as it is. ``{key: {level: group}}`` lets
        a key change within groups of levels, and a Series names the groups of its index; ``{key:
        [18, 25, 65]}`` within bands, each beginning at a cut point, a number or a date. A list may
        hold several of these; ``{key: "keep"}`` is the same as its name. Keys that are not
        mentioned may change to anything in the block.
    max_count : cells with more units are left as they are, and no one comes to them. None for 2, or
        as many as xi needs: cells with more than `max_count` units must have 1 / T <= xi. Sizes
        beyond what `scheme` "size" needs take part as company, with the highest theta of the
        smaller cells of their block.
    scheme : with xi, "common" for one theta or "size" for one for each size of cells; None for
        "common" from xi = 1/3 on, and "size" below, where only that works.
    small_blocks : what to do with blocks that are too small to meet the goal (one cell; two units
        alone; others when xi is small, or when thetas by size cannot be balanced). "merge" joins
        each to a neighbour: blocks are ordered by their variables; the neighbour that shares more
        leading variables is taken, then the smaller one. The variable given last gives way first;
        columns kept as they are never do. "error" names them. "keep" leaves them, and
        `IFPRRelease.verify` reports them.
    seed : whole number or numpy Generator; the same seed gives the same release.

    Returns
    -------
    IFPRRelease

    Examples
    --------
    Six people, each alone with sex and age. Sex is kept, age may change to any other in the block.

    >>> people = pd.DataFrame({"sex": list("fffmmm"), "age": [30, 31, 32] * 2, "income": range(6)})
    >>> release = ifpr(people, ["sex", "age"], theta=0.5, blocks="sex", seed=1)
    >>> release.data[["sex", "income"]].equals(people[["sex", "income"]])
    True
    >>> release.design[["units", "cells", "share_perturbed"]].to_numpy().tolist()
    [[3.0, 3.0, 0.5], [3.0, 3.0, 0.5]]
    """
    check_frame(data, "data")
    if not len(data):
        raise InputError("data: has no rows; there is nobody to protect")
    names = chosen_columns("keys", keys, list(data.columns))
    if not names:
        raise InputError(f"keys: none given; choices: {', '.join(map(str, data.columns))}")
    check_choice("small_blocks", small_blocks, SMALL_BLOCKS)
    generator = random_generator(seed)
    goal = _goal(xi, theta, max_count, scheme)

    cells = key_cells(data, names)
    here = goal.at(cells.size)
    rare = np.flatnonzero(cells.size <= goal.max_count)
    variables = block_variables(blocks, data, names, cells, rare)
    parts = partition(variables, len(rare))
    run = _safe_runs(parts, variables, cells.size, rare, here, small_blocks)
    exchange = _exchange(cells, rare, run[parts.of_cell], here)
    released = new_cells(exchange, exchange.unit_cell, generator)
    kept = {variable.name for variable in variables if variable.kept}
    frame = _released_frame(data, [name for name in names if name not in kept], exchange, released)
    return IFPRRelease(
        frame,
        data,
        tuple(names),
        goal,
        exchange,
        released,
        _names(variables, parts, run),
        np.bincount(cells.size),
    )


# ---- the goal ------------------------------------------------------------------------


def _goal(xi: Any, theta: Any, max_count: Any, scheme: Any) -> Goal:
    """Sizes of cells to be perturbed, their thetas, and the risk that is accepted."""
    if (xi is None) == (theta is None):
        raise InputError(
            "xi, theta: give exactly one of them: xi, the highest chance of a correct match that is"
            " accepted, or theta, how strongly to randomise"
        )
    largest = None if max_count is None else check_whole("max_count", max_count, 1)
    if xi is not None:
        return _goal_of_xi(check_xi(xi), largest, scheme)
    if scheme is not None:
        raise InputError(
            f"scheme: {check_choice('scheme', scheme, SCHEMES)!r} says how theta follows from xi,"
            " but theta is given; leave it out"
        )
    checked = check_theta(theta)
    if largest is None:
        largest = max(checked) if isinstance(checked, dict) else USUAL_COUNT
    sizes = np.arange(1, largest + 1)
    by_size = theta_of(checked, sizes)
    attained = np.where(by_size > 0, risk_in_the_limit(by_size, sizes, np.ones(largest)), 1 / sizes)
    return Goal(
        max(float(attained.max()), 1 / (largest + 1)),
        False,
        sizes,
        by_size,
        largest,
        np.full(largest, True),
    )


def _goal_of_xi(xi: float, largest: int | None, scheme: Any) -> Goal:
    needed, theta = highest_count(xi), ifpr_theta(xi, scheme=scheme)
    if largest is None:
        largest = needed if isinstance(theta, dict) else max(USUAL_COUNT, needed)
    if largest < needed:
        left = largest + 1
        raise InputError(
            f"max_count: {largest} leaves cells of {left} units as they are, where the chance of a"
            f" correct match is 1/{left}, above xi = {xi:g}; give max_count of at least {needed},"
            " or leave it out"
        )
    sizes = np.arange(1, largest + 1)
    needs = sizes <= needed if isinstance(theta, dict) else np.full(largest, True)
    by_size = np.zeros(largest)
    by_size[needs] = theta_of(theta, sizes[needs])
    return Goal(xi, True, sizes, by_size, largest, needs)


# ---- blocks --------------------------------------------------------------------------


def _safe_runs(
    parts: Partition,
    variables: Sequence[BlockVariable],
    size: Integers,
    rare: Integers,
    goal: Goal,
    small_blocks: SmallBlocks,
) -> Integers:
    """The number of each block after small ones were joined to others, shape (b,); `size` is that
    of all cells.
    """
    at = np.searchsorted(goal.sizes, size[rare])
    cells = _by_block(parts.of_cell, at, len(parts.groups), len(goal.sizes))
    unsafe = _judge(goal)
    run, still = np.arange(len(cells)), unsafe(cells)
    if small_blocks == "merge":
        run, still = merge_small(cells, goal.sizes, parts.shared, unsafe)
    if small_blocks != "keep" and still.any():
        joined = np.add.reduceat(cells, np.flatnonzero(np.diff(run, prepend=-1)), axis=0)
        larger = size[size > goal.max_count]
        raise _too_small(
            _names(variables, parts, run),
            np.flatnonzero(still),
            joined,
            goal,
            small_blocks,
            int(larger.min()) if len(larger) else None,
        )
    return run


def _names(variables: Sequence[BlockVariable], parts: Partition, run: Integers) -> BlockNames:
    return BlockNames(
        tuple(v.name for v in variables),
        tuple(v.labels for v in variables),
        tuple(v.kept for v in variables),
        parts.groups,
        run,
    )


def _by_block(block: Integers, at: Integers, blocks: int, columns: int) -> Integers:
    """Cells by block and place of their size."""
    return np.bincount(block * columns + at, minlength=blocks * columns).reshape(blocks, columns)


def _judge(goal: Goal) -> Judge:
    """Which blocks miss the goal."""

    def unsafe(cells: Integers) -> Flags:
        # where units cannot be exchanged all stay, with a risk of 1 / T, which may be low enough
        flows = exchange_flows(goal.thetas(cells), goal.sizes, cells)
        missed: Flags = np.any(passes(worst_risk(flows, goal.xi), goal.xi), axis=1)
        return missed

    return unsafe


def _too_small(
    names: BlockNames,
    which: Integers,
    cells: Integers,
    goal: Goal,
    small_blocks: SmallBlocks,
    larger: int | None,
) -> InputError:
    """`cells` by block and size; `larger` is the smallest size of cells that take no part."""
    shown = "; ".join(
        f"{block_label(names, i)} ({_described(cells[i], goal.sizes)})"
        for i in which[:MOST_NAMED].tolist()
    )
    more = f" and {len(which) - MOST_NAMED} more" if len(which) > MOST_NAMED else ""
    kept = [str(name) for name, hard in zip(names.variables, names.kept) if hard]
    if small_blocks == "error":
        repair = (
            "use coarser blocks, small_blocks='merge' to join them to neighbours, or"
            " small_blocks='keep' to leave them as they are"
        )
    elif kept:
        crossing = f"merging does not cross columns that are kept ({', '.join(kept)})"
        repair = (
            f"{crossing}; keep fewer of them, group them by a mapping or cut points instead, or"
            " give small_blocks='keep' to leave these as they are"
        )
    else:
        company = (
            f"raise max_count from {goal.max_count} to {larger} or more so that larger cells take"
            " part, "
            if larger
            else ""
        )
        repair = (
            f"they are all there is; {company}use fewer keys, or give small_blocks='keep' to leave"
            " these as they are"
        )
    number = "1 block" if len(which) == 1 else f"{len(which)} blocks"
    return InputError(
        f"blocks: {number} cannot meet xi = {goal.xi:.4g} with the rare combinations of keys in"
        f" them: {shown}{more}; {repair}"
    )


def _described(cells: Integers, sizes: Integers) -> str:
    if cells.sum() == 2 and cells[0] == 2 and sizes[0] == 1:
        return (
            "2 cells of one unit: 1/2 when both end in one, and where both always leave anybody can"
            " undo it"
        )
    return f"{cells.sum()} cell{'' if cells.sum() == 1 else 's'}"


# ---- the exchange --------------------------------------------------------------------


def _exchange(cells: KeyCells, rare: Integers, block: Integers, goal: Goal) -> Exchange:
    """Cells numbered by block and size, and the units in them."""
    at = np.searchsorted(goal.sizes, cells.size[rare])
    order = np.lexsort((at, block))
    blocks = int(block.max()) + 1 if len(block) else 0
    by_size = _by_block(block, at, blocks, len(goal.sizes))
    start = (
        np.concatenate(([0], np.cumsum(by_size.reshape(-1))))[:-1].reshape(by_size.shape)
        if blocks
        else by_size
    )
    number = np.full(len(cells.size), -1, dtype=np.int64)
    number[rare[order]] = np.arange(len(rare))
    unit_cell = number[cells.of_record]
    unit_row = np.flatnonzero(unit_cell >= 0)
    return Exchange(
        exchange_flows(goal.thetas(by_size), goal.sizes, by_size),
        block[order],
        at[order],
        start,
        cells.first[rare[order]],
        unit_row,
        unit_cell[unit_row],
    )


def _released_frame(
    data: pd.DataFrame, movable: Sequence[Hashable], exchange: Exchange, released: Integers
) -> pd.DataFrame:
    """A copy with the keys that may change taken from a record of the new cell, so that types,
    categories and missing values stay what they are.

    Units that stay have them from that record too, wherever somebody could have come: a value may
    be written in two ways (None and NaN, 0 and -0), and the way must not tell who stayed. Keys that
    are kept are not touched.
    """
    frame, flows = data.copy(), exchange.flows
    exchanged = (flows.possible[:, None] & (flows.leave > 0))[exchange.block, exchange.size_at][
        exchange.unit_cell
    ]
    source = np.arange(len(data))
    source[exchange.unit_row[exchanged]] = exchange.first[released[exchanged]]
    for name in movable:
        at = data.columns.get_loc(name)
        taken = data.iloc[:, at].take(source)
        taken.index = frame.index
        frame.isetitem(
            at,
            taken,
            # as a Series, because an array of objects would be read anew: dates among them would
            # become times
        )
    return frame
