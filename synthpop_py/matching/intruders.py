"""The three intruders: who averages match probabilities over the released sets, who treats the most
frequent values as the true ones, and who draws plausible values from the synthesis models.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import random_generator
from ..core.arrays import Floats, Integers
from ..errors import DataWarning, warn
from ..tables.frames import owned
from .attack import Matches, Outcomes, find_matches, odds_of, probability_attack
from .keys import Key, Keys, about, known_alike, read_keys
from .matches import announce, find_targets, itself_matches, pairs
from .targets import Belief, Request


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """`frames` are the released sets, nest after nest; `nests` says how many each nest has (1 each
    for a release in one stage).
    """

    original: pd.DataFrame
    frames: tuple[pd.DataFrame, ...]
    nests: tuple[int, ...]
    two_stage: bool

    def shares(self, steps: int) -> Integers:
        """Whole-number weights of the sets of the first nests: every nest counts the same, and
        within it every set.
        """
        sizes = self.nests[:steps]
        common = math.lcm(*sizes)
        return np.repeat([common // size for size in sizes], sizes)


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What an intruder saw: enough to ask about one target again without another attack.

    Attributes
    ----------
    matches : of all targets; None where these are attacked in several parts.
    shares : the weight of each table, int64.
    """

    keys: Keys
    matches: Matches | None
    belief: Belief
    shares: Integers

    def attack(self) -> Outcomes:
        """The outcome for every target; those of whom the same is known together, one group after
        the other, which needs memory for one of them only.
        """
        if self.matches is not None:
            return probability_attack(self.matches, self.belief, self.shares)
        groups = known_alike(self.keys)
        announce(
            len(groups) * self.keys.n * self.keys.sets,
            f"a record and one of {len(groups):,} groups of targets known in different ways",
            "use fewer different sets and ends (rounded ends, say), or coarsen the key instead",
        )
        parts = []
        for targets in groups:
            belief = self.belief.about(targets)
            matches = find_matches(about(self.keys, targets), belief.units)
            parts.append(probability_attack(matches, belief, self.shares))
        order = np.argsort(np.concatenate(groups))
        columns: list[Any] = []
        for of_parts in zip(*parts):
            columns.append(None if of_parts[0] is None else np.concatenate(of_parts)[order])
        return Outcomes(*columns)

    def probabilities(self, target: int) -> Floats:
        """Pr(J = i) of one target for i = 1..n."""
        alone, first = np.array([target]), np.zeros(1, dtype=np.int64)
        belief = self.belief.about(alone)
        matches = find_matches(about(self.keys, alone), belief.units).first(len(self.shares))
        matches, odds, known = odds_of(matches, belief, self.shares)
        found = np.zeros(self.keys.n)
        worth = odds.scale * odds.worth()[0]
        for _, record, number in pairs(matches.targets, matches.reaches, first):
            np.add.at(found, record, worth[number])
        if known is not None and odds.base[0]:
            for _, record, _ in pairs(known.targets, known.reaches, first):
                found[record] += odds.base[0] / odds.agreeing[0]
        return found / odds.whole


@dataclass(frozen=True, slots=True, eq=False)
class Intruder:
    """Who attacks, for each number of released sets, or nests in a release in two stages.

    Attributes
    ----------
    release : kept for questions that come later.
    matches : of those who average, once for all numbers of sets.
    ties : of those who take the most frequent values: by synthesised key a number in [0, 1) for
        each record, drawn once, so the path of risk breaks ties in the same way throughout.
    seed : of those who know the models: every question is answered with the same draws.
    """

    release: Release
    request: Request
    keys: Keys
    matches: Matches | None = None
    ties: Mapping[Hashable, Floats] | None = None
    seed: int | None = None

    @property
    def fewest_steps(self) -> int:
        """How many sets or nests this intruder needs."""
        parameters = self.request.model.get("parameters")
        if self.seed is not None and isinstance(parameters, str) and parameters == "simulated":
            return int(np.searchsorted(np.cumsum(self.release.nests), 2)) + 1
        return 1

    def look(self, steps: int) -> Seen:
        """What they see when the first sets or nests are released."""
        belief, keys, shares = self.request.belief, self.keys, self.release.shares(steps)
        if self.seed is not None:
            from .models import draw_keys

            frames = self.release.frames[: len(shares)]
            drawn = draw_keys(frames, rng=random_generator(self.seed), **self.request.model)
            keys = read_keys(self.release.original, drawn, self.request, drawn=True)
            shares = np.ones(len(drawn), dtype=np.int64)
        elif self.ties is not None:
            keys = with_most_frequent(keys, self.ties, shares)
            shares = np.ones(1, dtype=np.int64)
        else:
            return Seen(keys, self.matches, belief, shares)
        return Seen(keys, _if_all_known(keys, belief), belief, shares)


def _if_all_known(keys: Keys, belief: Belief) -> Matches | None:
    """The matches of all targets, where every key is a value."""
    stated = any(key.stated is not None for key in keys.all)
    return None if stated else find_matches(keys, belief.units)


def intruder_of(release: Release, request: Request, rng: np.random.Generator) -> Intruder:
    """The intruder the user asked about."""
    # for the model attack too: the released keys are checked like any others
    keys = read_keys(release.original, release.frames, request)
    if request.targets is not None:
        _warn_of_contradictions(keys)
    by_model = request.attack == "model"
    # copies, for an intruder who is asked again later, when the user may have changed the frames
    frames = tuple(map(owned, release.frames)) if by_model else ()
    kept = replace(release, original=owned(release.original), frames=frames)
    intruder = Intruder(kept, request, keys)
    if by_model:
        from .models import check_predictors

        check_predictors(request.model["models"], release.original, release.frames)
        return replace(intruder, seed=int(rng.integers(2**63)))
    if request.attack == "mode":
        numbers = rng.random((len(request.synthesised), keys.n))
        return replace(intruder, ties=dict(zip(request.synthesised, numbers)))
    return replace(intruder, matches=_if_all_known(keys, request.belief))


def _warn_of_contradictions(keys: Keys) -> None:
    """Warn of targets who do not match the original record that they are declared to be."""
    # closed whatever was asked for: a value on the boundary is no sign of a mistake
    keys = replace(keys.without_sets(), boundary="closed")
    wrong = keys.records >= 0
    for group in known_alike(keys):
        wrong[group] &= ~itself_matches(find_targets(about(keys, group)), -1)
    if wrong.any():
        warn(
            f"target_records: {wrong.sum()} of {len(wrong)} targets, first in row"
            f" {np.argmax(wrong) + 1}, have keys that differ from those of their original record;"
            " they can hardly be found, and a low risk would say nothing: check the row labels, or"
            " the types of the columns",
            DataWarning,
            short=f"target_records: {wrong.sum()} contradict the original",
        )


def with_most_frequent(keys: Keys, ties: Mapping[Hashable, Floats], shares: Integers) -> Keys:
    """The same keys with one set in place of the first ``len(shares)``: for each record and
    synthesised key the value of most weight, ties by a number per record.
    """
    change = {}
    for key in keys.all:
        if not key.known:
            pick = _most_frequent(key, ties[key.name], shares)
            released = np.array(key.tables[1 : len(shares) + 1])
            change[key.name] = released[pick, np.arange(len(pick))]
    return keys.in_one_set(change)


def _most_frequent(key: Key, ties: Floats, shares: Integers) -> Integers:
    """For each record a set that has its most frequent value; values that tie are numbered in the
    order in which the sets bring them.
    """
    sets = key.tables[1 : len(shares) + 1]
    weight = np.zeros((len(sets), len(ties)), dtype=np.int64)
    new = np.ones((len(sets), len(ties)), dtype=bool)
    for a in range(len(sets)):
        weight[a] += shares[a]
        for b in range(a):
            same = sets[a] == sets[b]
            weight[a] += shares[b] * same
            weight[b] += shares[a] * same
            new[a] &= ~same
    # each value once, in the set that brings it first
    tied = new & (weight == weight.max(axis=0))
    number = np.cumsum(tied, axis=0, dtype=np.int32)
    wanted = np.floor(ties * number[-1]).astype(np.int32)
    pick: Integers = np.argmax(tied & (number == wanted + 1), axis=0)
    return pick
