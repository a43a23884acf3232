"""The three intruders: who averages match probabilities over the released sets, who treats the most
frequent values as the true ones, and who draws plausible values from the synthesis models.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import random_generator
from ..core.arrays import Floats, Integers
from ..errors import DataWarning, warn
from ..tables.frames import owned
from .attack import Sight
from .keys import Key, Keys, read_keys
from .matches import Targets, announce
from .models import check_predictors, draw_keys


class Intruder:
    """Who attacks, for each number of released sets, or nests in a release in two stages.

    Parameters
    ----------
    asked : the checked arguments of the call by name, and what was made of them: `own` (the frame
        of the intruder's targets), `statements`, `records` (the row of each target), `fallback`,
        `source`, `amounts` and `scale` (of N_t).
    frames : the released sets, nest after nest. nests : how many each nest has.
    """

    def __init__(
        self,
        asked: Mapping[str, Any],
        original: pd.DataFrame,
        frames: Sequence[pd.DataFrame],
        nests: Sequence[int],
    ) -> None:
        self.asked, self.nests = asked, tuple(nests)
        # for the model attack too: the released keys are checked like any others
        self.keys = read_keys(asked, original, frames)
        if asked["own"] is not None:
            self._warn_of_contradictions()
        # a copy, for an intruder who is asked again later, when the user may have changed the frame
        self.original = owned(original)
        self.frames: list[pd.DataFrame] = []
        self.averages: Targets | None = None
        rng = random_generator(asked["seed"])
        if asked["attack"] == "model":
            check_predictors(asked["models"], original, frames)
            self.frames = [owned(frame) for frame in frames]
            # every question is answered with the same draws
            self.seed = int(rng.integers(2**63))
        elif asked["attack"] == "mode":
            # drawn once, so that the path of risk breaks ties in the same way throughout
            numbers = rng.random((len(asked["synthesised"]), self.keys.n))
            self.ties = dict(zip(asked["synthesised"], numbers))
        self.seen = self._look(len(nests))

    def _warn_of_contradictions(self) -> None:
        """Warn of targets who do not match the original record that they are declared to be."""
        keys = copy(self.keys)
        # closed whatever was asked for: a value on the boundary is no sign of a mistake
        keys.boundary = "closed"
        wrong = keys.records >= 0
        for group in keys.known_alike():
            wrong[group] &= ~Targets(keys.about(group)).itself(-1)
        if wrong.any():
            warn(
                f"target_records: {wrong.sum()} of {len(wrong)} targets, first in row"
                f" {np.argmax(wrong) + 1}, have keys that differ from those of their original"
                " record; they can hardly be found, and a low risk would say nothing: check the row"
                " labels, or the types of the columns",
                DataWarning,
                short=f"target_records: {wrong.sum()} contradict the original",
            )

    @property
    def fewest_steps(self) -> int:
        """How many sets or nests this intruder needs."""
        parameters = self.asked["parameters"]
        if self.frames and isinstance(parameters, str) and parameters == "simulated":
            return int(np.searchsorted(np.cumsum(self.nests), 2)) + 1
        return 1

    def _look(self, steps: int) -> tuple[Keys, Integers]:
        """The keys when the first sets or nests are released, and the whole-number weight of each
        set: every nest counts the same, and within it every set.
        """
        asked, sizes = self.asked, self.nests[:steps]
        common = math.lcm(*sizes)
        shares = np.repeat([common // size for size in sizes], sizes)
        one = np.ones(1, dtype=np.int64)
        if asked["attack"] == "model":
            drawn = draw_keys(
                self.frames[: len(shares)],
                asked["models"],
                asked["parameters"],
                asked["draws"],
                asked["restrictions"],
                random_generator(self.seed),
            )
            return read_keys(asked, self.original, drawn, drawn=True), one.repeat(len(drawn))
        if asked["attack"] == "mode":
            picks = {}
            for key in self.keys.all:
                if not key.known:
                    picks[key.name] = _most_frequent(key, self.ties[key.name], shares)
            return self.keys.in_one_set(picks), one
        return self.keys, shares

    def attack(self, steps: int | None = None) -> pd.DataFrame:
        """The outcome for every target, see `Sight.outcomes`; those of whom the same is known
        together, one group after the other, which needs memory for one of them only.
        """
        keys, shares = self.seen if steps is None else self._look(steps)
        groups = keys.known_alike()
        if len(groups) > 1:
            announce(
                len(groups) * keys.n * keys.sets,
                f"a record and one of {len(groups):,} groups of targets known in different ways",
                "use fewer different sets and ends (rounded ends, say), or coarsen the key instead",
            )
        parts = [self._sight(keys, group, shares).outcomes() for group in groups]
        if len(parts) == 1:
            return parts[0]
        return pd.concat(parts).set_axis(np.concatenate(groups)).sort_index()

    def _sight(self, keys: Keys, group: Integers, shares: Integers) -> Sight:
        units = self.asked["amounts"][group] if self.asked["source"] == "units" else None
        everybody = len(group) == len(self.keys.records) and keys is self.keys
        if everybody and self.averages is not None:
            # once for all numbers of sets
            return Sight(self.averages, self.asked, shares, units)
        targets = Targets(keys.about(group), units=units)
        if everybody:
            self.averages = targets
        return Sight(targets, self.asked, shares, units)

    def probabilities(self, target: int) -> Floats:
        """Pr(J = i) of one target for i = 1..n."""
        keys, shares = self.seen
        alone = np.array([target])
        units = self.asked["amounts"][alone] if self.asked["source"] == "units" else None
        return Sight(Targets(keys.about(alone)), self.asked, shares, units).probabilities()


def _most_frequent(key: Key, ties: Floats, shares: Integers) -> Integers:
    """For each record a set that has its most frequent value; values that tie are numbered in the
    order in which the sets bring them.
    """
    sets = key.tables[1 : len(shares) + 1]
    weight = np.zeros((len(sets), len(ties)), dtype=np.int64)
    new = np.ones((len(sets), len(ties)), dtype=bool)
    for a, one in enumerate(sets):
        weight[a] += shares[a]
        for b, earlier in enumerate(sets[:a]):
            same = one == earlier
            weight[a] += shares[b] * same
            weight[b] += shares[a] * same
            new[a] &= ~same
    # each value once, in the set that brings it first
    tied = new & (weight == weight.max(axis=0))
    number = np.cumsum(tied, axis=0, dtype=np.int32)
    wanted = np.floor(ties * number[-1]).astype(np.int32)
    pick: Integers = np.argmax(tied & (number == wanted + 1), axis=0)
    return pick
