"""The three intruders: who averages match probabilities over the released sets, who treats the most
frequent values as the true ones, and who draws plausible values from the synthesis models.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd

from ..arguments import random_generator
from ..core.arrays import Floats, Integers
from ..errors import DataWarning, warn
from ..tables.frames import owned
from .attack import Sight
from .keys import Key, Keys, read_keys
from .matches import Targets, announce
from .models import check_models, draw_keys


class Intruder:
    """Who attacks, for each number of released sets, or nests in a release in two stages: `asked`
    holds the arguments of the call, checked.
    """

    def __init__(self, asked: SimpleNamespace) -> None:
        self.asked = asked
        self.nests = tuple(len(nest) for nest in asked.nests)
        frames = [frame for nest in asked.nests for frame in nest]
        # for the model attack too: the released keys are checked like any others
        self.keys = read_keys(asked, frames)
        if asked.given is not None:
            self._warn_of_contradictions()
        rng = random_generator(asked.seed)
        if asked.attack == "model":
            check_models(asked, frames)
            # every question is answered with the same draws
            self.seed = int(rng.integers(2**63))
        elif asked.attack == "mode":
            # drawn once, so that the path of risk breaks ties in the same way throughout
            self.ties = rng.random((len(asked.synthesised), self.keys.n))
        # copies, for questions that come later, when the user may have changed the frames
        asked.nests = [list(map(owned, nest)) for nest in asked.nests * (asked.attack == "model")]
        asked.original = owned(asked.original)
        if asked.given is None:
            asked.values = asked.original
        self.everybody: Targets | None = None
        self.seen = self._look(len(self.nests))

    def _warn_of_contradictions(self) -> None:
        """Warn of targets who do not match the original record that they are declared to be."""
        keys = self.keys.in_one_set({})
        # closed whatever was asked for: a value on the boundary is no sign of a mistake
        keys.boundary = "closed"
        wrong = keys.records >= 0
        for group in keys.known_alike():
            part = keys.about(group)
            wrong[group] &= ~Targets(part).itself(-1, part.records)
        if wrong.any():
            warn(
                f"target_records: {wrong.sum()} of {wrong.size} targets, first in row"
                f" {np.argmax(wrong) + 1}, have keys that differ from those of their original"
                " record; they can hardly be found, and a low risk would say nothing: check the row"
                " labels, or the types of the columns",
                DataWarning,
                short=f"target_records: {wrong.sum()} contradict the original",
            )

    @property
    def fewest_steps(self) -> int:
        """How many sets or nests this intruder needs."""
        asked = self.asked
        by_models = asked.attack == "model"
        if by_models and isinstance(asked.parameters, str) and asked.parameters == "simulated":
            return int(np.searchsorted(np.cumsum(self.nests), 2)) + 1
        return 1

    def _look(self, steps: int) -> tuple[Keys, Integers]:
        """The keys when the first sets or nests are released, and the whole-number weight of each
        set: every nest counts the same, and within it every set.
        """
        asked, sizes = self.asked, self.nests[:steps]
        common = math.lcm(*sizes)
        shares = np.repeat([common // size for size in sizes], sizes)
        if asked.attack == "model":
            sets = [frame for nest in asked.nests[:steps] for frame in nest]
            drawn = draw_keys(sets, asked, random_generator(self.seed))
            return read_keys(asked, drawn, drawn=True), np.ones(len(drawn), dtype=np.int64)
        if asked.attack == "mode":
            picks = {}
            for name, ties in zip(asked.synthesised, self.ties):
                key = next(key for key in self.keys.all if key.name == name)
                picks[name] = _most_frequent(key, ties, shares)
            return self.keys.in_one_set(picks), np.ones(1, dtype=np.int64)
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
        parts = [self._sight(keys, shares, group).outcomes() for group in groups]
        if len(parts) == 1:
            return parts[0]
        return pd.concat(parts).set_axis(np.concatenate(groups)).sort_index()

    def _sight(self, keys: Keys, shares: Integers, group: Integers) -> Sight:
        asked = self.asked
        units = asked.amounts[group] if asked.source == "units" else None
        if keys is not self.keys or group.size < keys.records.size:
            return Sight(Targets(keys.about(group), units=units), asked, shares, units)
        if self.everybody is None:
            # once for all numbers of sets
            self.everybody = Targets(keys.about(group), units=units)
        return Sight(self.everybody, asked, shares, units)

    def probabilities(self, target: int) -> Floats:
        """Pr(J = i) of one target for i = 1..n."""
        return self._sight(*self.seen, np.array([target])).probabilities()


def _most_frequent(key: Key, ties: Floats, shares: Integers) -> Integers:
    """For each record a set that has its most frequent value; values that tie are numbered in the
    order in which the sets bring them.
    """
    sets = np.array(key.tables[1 : shares.size + 1])
    weight = np.zeros(sets.shape, dtype=np.int64)
    new = np.ones(sets.shape, dtype=bool)
    for at, one in enumerate(sets):
        weight[at] += shares[at]
        for before in range(at):
            same = one == sets[before]
            weight[at] += shares[before] * same
            weight[before] += shares[at] * same
            # each value once, in the set that brings it first
            new[at] &= ~same
    tied = new & (weight == weight.max(axis=0))
    number = np.cumsum(tied, axis=0)
    wanted = np.floor(ties * number[-1]) + 1
    pick: Integers = np.argmax(tied & (number == wanted), axis=0)
    return pick
