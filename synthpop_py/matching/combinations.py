"""Leaders of targets with several intervals and several sets: counted for one combination of sets
after the other, without a list of pairs.

The records that match a target in each set of a combination are boxes again: what their boxes in
these sets have in common. A record with the highest sum of worth matches in some combination S, and
no record matches in S and in another set too, or its sum would be higher. So the leaders are among
the combinations that occur, and if no larger one occurs, the count of S is exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import Flags, Floats, Integers
from ..progress import Progress
from .boxes import Space
from .leader_rows import NEAR, Leaders
from .reach import expanded
from .stabbing import Boxes, intersection, over_points

__all__ = ["cost_of_combinations", "leaders_by_combination", "matching_everywhere"]

MOST_SETS = 16  # 65,535 combinations


def matching_everywhere(space: Space) -> Integers:
    """How many records match each target in every set, shape (G,)."""
    common = space.boxes(0)
    for number in range(1, space.entries.sets):
        common = intersection(common, space.boxes(number))
    return over_points(common, space.points)


def cost_of_combinations(space: Space) -> int | None:
    """What it costs at most, in pairs; None where there are too many sets."""
    sets = space.entries.sets
    if sets > MOST_SETS:
        return None
    combinations: int = 2**sets - 1
    # of the entries of one set, for each combination
    return combinations * space.cost // sets


def leaders_by_combination(space: Space, worth: Floats) -> Leaders:
    """Records at or near the highest sum of `worth` (float64, shape (G, sets))."""
    combinations = 2**space.entries.sets - 1
    every_target = np.arange(space.entries.targets)
    with Progress(combinations, show=True) as progress:
        search = _Search.over(space, worth, progress)
        search.extend(_Combination.none(every_target), first=0, done=0)
    return search.leaders()


@dataclass(frozen=True, slots=True, eq=False)
class _Combination:
    """Some sets, the bits of `mask`: what the boxes of each record have in common there, the
    targets that may be led from here, and the worth of these sets for them.
    """

    mask: int
    boxes: Boxes | None
    target: Integers
    value: Floats

    @classmethod
    def none(cls, target: Integers) -> _Combination:
        return cls(mask=0, boxes=None, target=target, value=np.zeros(len(target)))

    def common_with(self, boxes: Boxes) -> Boxes:
        """What its boxes have in common with those of another set."""
        return boxes if self.boxes is None else intersection(self.boxes, boxes)


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    """The search through the combinations; `best` (shape (G,)) and `found` grow as it goes on.

    Attributes
    ----------
    left : float64, shape (G, sets + 1): the worth of this set and all after it.
    found : rows (target, mask, count, value) of combinations that were near the best so far.
    """

    space: Space
    boxes: list[Boxes]
    worth: Floats
    left: Floats
    best: Floats
    found: list[tuple[Integers, Integers, Integers, Floats]]
    progress: Progress

    @classmethod
    def over(cls, space: Space, worth: Floats, progress: Progress) -> _Search:
        targets, sets = worth.shape
        left = np.zeros((targets, sets + 1))
        left[:, :-1] = np.cumsum(worth[:, ::-1], axis=1)[:, ::-1]
        return cls(
            space=space,
            boxes=[space.boxes(number) for number in range(sets)],
            worth=worth,
            left=left,
            best=np.zeros(targets),
            found=[],
            progress=progress,
        )

    def extend(self, so_far: _Combination, first: int, done: int) -> None:
        """Try the combination with each further set, then with sets added to that; returns how many
        combinations are done.
        """
        sets = len(self.boxes)
        for number in range(first, sets):
            self.progress.reach(done, "combinations of sets")
            larger = self._with_set(so_far, number)
            if len(larger.target):
                self.extend(larger, number + 1, done + 1)
            # this one, and all that add later sets to it
            done += 2 ** (sets - number - 1)

    def _with_set(self, so_far: _Combination, number: int) -> _Combination:
        """With one more set, and only the targets that somebody matches in all of these."""
        worth = self.worth[so_far.target, number]
        # the sets after this one cannot add enough for the others
        possible = so_far.value + self.left[so_far.target, number]
        hopeful = (worth > 0) & (possible >= self.best[so_far.target] * (1 - NEAR))
        boxes = so_far.common_with(self.boxes[number])
        target = so_far.target[hopeful]
        value = (so_far.value + worth)[hopeful]
        count = over_points(boxes, self.space.points[:, target])
        held = count > 0
        mask = so_far.mask | 1 << number
        self._note(target[held], mask, count[held], value[held])
        return _Combination(mask=mask, boxes=boxes, target=target[held], value=value[held])

    def _note(self, target: Integers, mask: int, count: Integers, value: Floats) -> None:
        near = value >= self.best[target] * (1 - NEAR)
        target, value = target[near], value[near]
        self.best[target] = np.maximum(self.best[target], value)
        self.found.append((target, np.full(len(target), mask), count[near], value))

    def leaders(self) -> Leaders:
        """The combinations near the best of all that no larger one contains."""
        columns = [np.concatenate(column) for column in zip(*self.found)]
        target, mask, count, value = columns
        near = np.flatnonzero(value >= self.best[target] * (1 - NEAR))
        order = near[np.argsort(target[near], kind="stable")]
        target, mask, count = target[order], mask[order], count[order]
        largest = ~_contained(target, mask)
        sets = np.arange(len(self.boxes))
        bits = mask[largest, None] >> sets & 1 == 1
        return Leaders(target[largest], bits, count[largest])


def _contained(target: Integers, mask: Integers) -> Flags:
    """Rows whose sets are among those of another row of the same target; targets ascend."""
    start = np.searchsorted(target, target, side="left")
    stop = np.searchsorted(target, target, side="right")
    other, row = expanded(start, stop)
    within = (mask[row] & mask[other] == mask[row]) & (mask[row] != mask[other])
    contained = np.zeros(len(target), dtype=bool)
    contained[row[within]] = True
    return contained
