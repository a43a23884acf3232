"""The three intruders. Each can say what becomes of every target when only the first sets are
released; what they saw then tells how probable each record is for one target.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import random_generator
from ..core.arrays import Flags, Integers, Values
from .attacks import probability_attack, tie_breakers, with_most_frequent
from .belief import Belief
from .declare import TargetOutcomes
from .keys import KeyCells, MatchKeys, read_keys
from .options import AttackRequest
from .problem import Problem, prepare
from .reach import Filter
from .release import ReleasedSets
from .targets import TargetKeys

__all__ = ["Intruder", "Seen", "intruder_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What an intruder looked at: enough to ask about one target again without another attack.

    Attributes
    ----------
    shares : the weight of each table, int64.
    """

    keys: MatchKeys
    cells: KeyCells
    targets: TargetKeys
    belief: Belief
    shares: Values

    def probabilities(self, record: int) -> Values:
        """Pr(J = i) for i = 1..n and, last, Pr(J = n + 1)."""
        return one_target(self, record)


class Intruder(ABC):
    """What every intruder can do; `steps` counts released sets, or nests in a release in two
    stages.
    """

    __slots__ = ()
    release: ReleasedSets
    belief: Belief

    @property
    def fewest_steps(self) -> int:
        """How many sets or nests this intruder needs."""
        return 1

    @abstractmethod
    def view(self, steps: int) -> tuple[Problem, Values]:
        """Where the intruder looks for matches, and the share of each of these tables."""

    def attack(self, steps: int) -> tuple[TargetOutcomes, Seen]:
        """What becomes of every target, and what the intruder looked at."""
        problem, shares = self.view(steps)
        outcomes = probability_attack(problem, self.belief, shares)
        seen = Seen(
            keys=problem.keys,
            cells=problem.cells,
            targets=problem.targets,
            belief=self.belief,
            shares=shares,
        )
        return outcomes, seen


def intruder_of(
    release: ReleasedSets, request: AttackRequest, rng: np.random.Generator
) -> Intruder:
    """The intruder the user asked about."""
    belief = request.belief
    # for the model attack too: the released keys are checked like any others
    keys = read_keys(release.original, release.frames, request)
    kept = release.kept(sets=request.attack == "model")
    if request.attack == "model":
        from .model_attack import check_predictors

        check_predictors(request.models, release.original, release.frames)
        # a seed, not the generator: every question can be answered with the same draws again
        seed = int(rng.integers(2**63))
        return ModelAware(release=kept, belief=belief, request=request, seed=seed)
    if request.attack == "mode":
        # drawn once: the path of risk over the sets breaks ties in the same way throughout
        draws = tie_breakers(request.synthesised, keys.n, rng)
        return MostFrequent(release=kept, belief=belief, keys=keys, draws=draws)
    return Averaging(kept, belief, prepare(keys))


@dataclass(frozen=True, slots=True, eq=False)
class Averaging(Intruder):
    """Averages match probabilities over the released sets."""

    release: ReleasedSets
    belief: Belief
    problem: Problem

    def view(self, steps: int) -> tuple[Problem, Values]:
        return self.problem, self.release.shares(steps)


@dataclass(frozen=True, slots=True, eq=False)
class MostFrequent(Intruder):
    """Takes the most frequent values for the true ones, then looks for matches in that one file."""

    release: ReleasedSets
    belief: Belief
    keys: MatchKeys
    draws: dict[Any, Any]

    def view(self, steps: int) -> tuple[Problem, Values]:
        shares = self.release.shares(steps)
        keys = with_most_frequent(self.keys, self.draws, shares)
        return prepare(keys), np.ones(1, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class ModelAware(Intruder):
    """Knows the synthesis models: draws plausible original values from them and averages over the
    draws.
    """

    release: ReleasedSets
    belief: Belief
    request: AttackRequest
    seed: int

    @property
    def fewest_steps(self) -> int:
        parameters = self.request.parameters
        if isinstance(parameters, str) and parameters == "simulated":
            sets_so_far = np.cumsum(self.release.nests)
            return int(np.searchsorted(sets_so_far, 2)) + 1
        return 1

    def view(self, steps: int) -> tuple[Problem, Values]:
        from .model_attack import draw_keys

        request, release = self.request, self.release
        sets = sum(release.nests[:steps])
        drawn = draw_keys(
            list(release.frames[:sets]),
            models=request.models,
            parameters=request.parameters,
            draws=request.draws,
            restrictions=request.restrictions,
            rng=random_generator(self.seed),
        )
        keys = read_keys(release.original, drawn, request, drawn=True)
        return prepare(keys), np.ones(request.draws, dtype=np.int64)


FALLBACK_STEPS: dict[str | None, tuple[str, ...]] = {
    None: (),
    "known": ("known",),
    "categories": ("categories", "known"),
}


def one_target(seen: Seen, record: int) -> Values:
    """Pr(J = i) for i = 1..n and, last, Pr(J = n + 1)."""
    probabilities = np.zeros(seen.keys.n + 1)
    shares = seen.shares / seen.shares.sum()
    for table, share in enumerate(shares, start=1):
        if seen.belief.in_file:
            match = _match_or_fall_back(seen, record, table)
            probabilities[:-1] += share * match / max(match.sum(), 1)
            continue
        match = _agree(seen, record, table, "all")
        if not match.any():
            probabilities[-1] += share
            continue
        units = max(_units(seen, record, match) / seen.belief.scale, match.sum())
        probabilities[:-1] += share * match / units
        probabilities[-1] += share * (units - match.sum()) / units
    return probabilities


def _match_or_fall_back(seen: Seen, record: int, table: int) -> Flags:
    """The records of a set that match the target or, where none does, agree on less."""
    match = _agree(seen, record, table, "all")
    for step in FALLBACK_STEPS[seen.belief.fallback]:
        if match.any():
            break
        match = _agree(seen, record, table, step)
    return match


def _units(seen: Seen, record: int, match: Values) -> float:
    """Weights of the records that match, or counts of the population's rows that do."""
    belief = seen.belief
    if belief.weights is not None:
        return float(belief.weights[match].sum())
    population = seen.keys.sets + 1
    agree = _agree(seen, record, population, "all")
    return float(np.asarray(belief.population)[agree].sum())


def _agree(seen: Seen, record: int, table: int, step: str) -> Flags:
    """Which records of a table agree with a target: on all keys, on known keys and categories, or
    on the known ones.
    """
    cells = _cells_for(seen, step)
    rows = len(cells[table])  # the population, last of the tables, has rows of its own
    target = np.full(rows, seen.targets.of_record[record])
    near = _check_for(seen, step).holds(np.arange(rows), np.full(rows, table), target)
    matches: Flags = (cells[table] == cells[0][record]) & near
    return matches


def _cells_for(seen: Seen, step: str) -> Sequence[Integers]:
    """What must agree exactly, one array per table."""
    cells = seen.cells
    if step == "all":
        return cells.full
    if step == "categories":
        return cells.category
    return [cells.known] * (1 + seen.keys.sets)


def _check_for(seen: Seen, step: str) -> Filter:
    """What must be near."""
    names = []
    for i, key in enumerate(seen.keys.numeric):
        if key.interval is not None and (key.known or step == "all"):
            names.append(i)
    joint = seen.targets.joint is not None and step == "all"
    return Filter(seen.keys, seen.targets, tuple(names), joint)
