"""Records within a distance of each target, counted by a tree of the records (SciPy's k-d tree)
instead of pair by pair.

The tree judges distances a little below and a little above what matches. Where both counts agree,
rounding in the tree cannot have changed them; the other targets are counted in pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..core.arrays import Flags, Floats, Integers
from .reach import Entries
from .targets import Joint

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

__all__ = ["SHARE_OF_PAIRS", "Balls", "balls_of", "count_in_balls"]

SHARE_OF_PAIRS = 50  # of the records in a ball, the tree counts so many in the time of a pair
ROUNDED = 1e-13  # share of a squared distance; rounding between two programs is far less


@dataclass(frozen=True, slots=True, eq=False)
class Balls:
    """A ball around each target; targets of cell number c are start[c] to start[c + 1] - 1."""

    joint: Joint
    start: Integers


def balls_of(entries: Entries) -> Balls | None:
    """The balls, where the distance is all that is left to be checked of every target."""
    check = entries.filters[0]
    if check is None or not check.joint:
        return None
    # nor has an interval shortened the ranges
    if any(key.interval is not None for key in check.keys.numeric):
        return None
    # a list that was cut has lost where its cells begin
    alike = all(other is check for other in entries.filters)
    if not alike or entries.targets != len(check.targets):
        return None
    joint = check.targets.joint
    return None if joint is None else Balls(joint=joint, start=check.targets.start)


def count_in_balls(entries: Entries, balls: Balls) -> tuple[Integers, Flags]:
    """Matches by target and set, int64, shape (G, sets), and the targets for which the tree is sure
    (bool, shape (G,)).
    """
    from scipy.spatial import cKDTree  # most calls have no distance, and it takes a while to load

    joint, start = balls.joint, balls.start
    counts = np.zeros((entries.targets, entries.sets), dtype=np.int64)
    sure = np.ones(entries.targets, dtype=bool)
    # an open ball of radius 0 holds nobody
    asked = np.flatnonzero(joint.reach >= 0)
    apart = 2 * np.sqrt(joint.reach.max(initial=0)) + 1
    target_cell = np.searchsorted(start, asked, side="right") - 1
    centres = _with_cell(joint.targets[asked], target_cell, apart)
    for number in range(entries.sets):
        here = entries.set == number
        cell = np.searchsorted(start, entries.lo[here], side="right") - 1
        values = joint.tables[entries.table[number]][entries.record[here]]
        tree = cKDTree(_with_cell(values, cell, apart))
        fewer = _within(tree, centres, joint.reach[asked] * (1 - ROUNDED))
        more = _within(tree, centres, joint.reach[asked] * (1 + ROUNDED))
        counts[asked, number] = fewer
        sure[asked] &= fewer == more
    return counts, sure


def _with_cell(values: Floats, cell: Integers, apart: float) -> Floats:
    """One more coordinate: records of different cells are farther apart than any radius."""
    return np.column_stack([values, cell * apart])


def _within(tree: cKDTree, centres: Floats, squared: Floats) -> Integers:
    radii = np.sqrt(squared)
    counts: Integers = tree.query_ball_point(centres, radii, return_length=True)
    return counts
