"""`ifpr()`: inverse-frequency post-randomisation of the keys of a data set."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_choice, chosen_columns
from ..core.arrays import Integers
from ..errors import DataWarning, InputError, warn, warning_once
from ..release_seed import release_generator
from ..tables.frames import AnyFrame, owned_values
from ..tables.opening import check_frame
from .blocks import BlockVariable, KeyedData, Partition, block_variables, partition
from .flows import exchange_flows
from .goal import read_goal
from .key_cells import KeyCells, key_cells
from .naming import BlockNames
from .randomise import Randomisation, new_cells
from .release import IFPRRelease
from .safe_blocks import SMALL_BLOCKS, RareCells, SmallBlocks, join_small_blocks
from .theta import Scheme


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
        where looking there pays.) The smallest theta that meets the goal in large blocks is used
        (`ifpr_theta`); it is on the safe side in smaller ones.
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
    rare = RareCells.of(cells.size, goal)
    variables = block_variables(blocks, KeyedData(frame, names, cells), rare.which)
    parts = partition(variables, len(rare.which))
    block_names = _safe_blocks(variables, parts, rare, small_blocks)
    randomisation = _randomisation(cells, rare, block_names.run[parts.of_cell])
    released = new_cells(randomisation, randomisation.unit_cell, generator)

    kept = {variable.name for variable in variables if variable.kept}
    movable = [name for name in names if name not in kept]
    return IFPRRelease(
        keys=tuple(names),
        _data=_released_frame(frame, movable, randomisation, released),
        _true_keys=frame[movable].copy(),
        _given=None if frame is original else owned_values(original),
        _goal=goal,
        _randomisation=randomisation,
        _released=released,
        _names=block_names,
        _cells_of_size=np.bincount(cells.size),
    )


def _safe_blocks(
    variables: Sequence[BlockVariable],
    parts: Partition,
    rare: RareCells,
    small_blocks: SmallBlocks,
) -> BlockNames:
    """The blocks with their names, after small ones were joined to others."""
    blocks = len(parts.groups)
    names = BlockNames(
        variables=tuple(variable.name for variable in variables),
        labels=tuple(variable.labels for variable in variables),
        kept=tuple(variable.kept for variable in variables),
        groups=parts.groups,
        run=np.arange(blocks),
    )
    cells_by_size = rare.by_block(parts.of_cell, blocks)
    return join_small_blocks(names, cells_by_size, parts.shared, rare, small_blocks)


def _randomisation(cells: KeyCells, rare: RareCells, block: Integers) -> Randomisation:
    """Cells numbered by block and size, and the units in them; `block` is that of each rare
    cell.
    """
    order = np.lexsort((rare.size_at, block))
    ordered = rare.which[order]
    blocks = int(block.max()) + 1 if len(block) else 0
    by_size = rare.by_block(block, blocks)
    number = np.full(len(cells.size), -1, dtype=np.int64)
    number[ordered] = np.arange(len(ordered))
    cell_of_record = number[cells.of_record]
    unit_row = np.flatnonzero(cell_of_record >= 0)
    return Randomisation(
        flows=exchange_flows(rare.goal.thetas(by_size), rare.goal.sizes, by_size),
        block=block[order],
        size_at=rare.size_at[order],
        start=_starts(by_size),
        first=cells.first[ordered],
        unit_row=unit_row,
        unit_cell=cell_of_record[unit_row],
    )


def _starts(cells: Integers) -> Integers:
    """The number of the first cell of each block and size, `cells` being how many there are."""
    ends = np.cumsum(cells)
    return ends.reshape(cells.shape) - cells


def _released_frame(
    data: pd.DataFrame,
    movable: Sequence[Hashable],
    randomisation: Randomisation,
    released: Integers,
) -> pd.DataFrame:
    """A copy with the keys that may change taken from a record of the new cell, which keeps types,
    categories and missing values.

    Where units could have arrived, units that stay take their keys from that record too: a value
    may be written in two ways (None and NaN, 0 and -0), and this must not show who stayed. Keys
    that are kept are not touched.
    """
    frame = data.copy()
    source = np.arange(len(data))
    exchanged = randomisation.may_be_exchanged[randomisation.unit_cell]
    rows = randomisation.unit_row[exchanged]
    source[rows] = randomisation.first[released[exchanged]]
    for name in movable:
        at = data.columns.get_loc(name)
        # as a Series: pandas would convert an array of objects again, turning dates into times
        taken = data.iloc[:, at].take(source)
        taken.index = frame.index
        frame.isetitem(at, taken)
    return frame
