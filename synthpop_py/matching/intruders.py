"""The three intruders. Each gives the outcome for every target when only the first sets are
released; from what they saw, the probability of each record for one target follows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import random_generator
from ..core.arrays import Flags, Integers, Values
from ..errors import DataWarning, warn
from .attacks import probability_attack, tie_breakers, with_most_frequent
from .belief import Belief
from .declare import TargetOutcomes, together
from .keys import MatchKeys, read_keys
from .loglinear import units_by_model
from .options import AttackRequest
from .parts import about, contradictions, one_problem, parts
from .problem import Problem, prepare
from .reach import Filter
from .release import ReleasedSets

__all__ = ["Intruder", "Seen", "intruder_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What an intruder saw: enough to ask about one target again without another attack.

    Attributes
    ----------
    problem : of all targets; None where targets are in several parts.
    shares : the weight of each table, int64.
    """

    keys: MatchKeys
    problem: Problem | None
    belief: Belief
    shares: Integers

    def attack(self) -> TargetOutcomes:
        """The outcome for every target."""
        if self.problem is not None:
            return probability_attack(self.problem, self.belief, self.shares)
        targets = []
        outcomes = []
        for part in parts(self.keys, self.belief.units):
            belief = self.belief.about(part.targets)
            targets.append(part.targets)
            outcomes.append(probability_attack(part.problem, belief, self.shares))
        return together(outcomes, np.argsort(np.concatenate(targets)))

    def probabilities(self, target: int) -> Values:
        """Pr(J = i) for i = 1..n and, last, Pr(J = n + 1)."""
        if self.problem is not None:
            return one_target(self.problem, self.belief, self.shares, target)
        alone = np.array([target])
        problem = prepare(about(self.keys, alone))
        return one_target(problem, self.belief.about(alone), self.shares, 0)


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
    def view(self, steps: int) -> Seen:
        """Where the intruder looks for matches, and the share of each of these tables."""

    def attack(self, steps: int) -> tuple[TargetOutcomes, Seen]:
        """The outcome for every target, and what the intruder saw."""
        seen = self.view(steps)
        return seen.attack(), seen

    def _seen(self, keys: MatchKeys, shares: Integers) -> Seen:
        problem = one_problem(keys, self.belief.units)
        return Seen(keys=keys, problem=problem, belief=self.belief, shares=shares)


def intruder_of(
    release: ReleasedSets, request: AttackRequest, rng: np.random.Generator
) -> Intruder:
    """The intruder the user asked about."""
    belief = request.belief
    # for the model attack too: the released keys are checked like any others
    keys = read_keys(release.original, release.frames, request)
    _warn_of_contradictions(keys)
    kept = release.kept(sets=request.attack == "model")
    if request.attack == "model":
        from .model_attack import check_predictors

        check_predictors(request.models, release.original, release.frames)
        # a seed, not the generator: every question is answered with the same draws
        seed = int(rng.integers(2**63))
        return ModelAware(release=kept, belief=belief, request=request, seed=seed)
    if request.attack == "mode":
        # drawn once: the path of risk over the sets breaks ties in the same way throughout
        draws = tie_breakers(request.synthesised, keys.n, rng)
        return MostFrequent(release=kept, belief=belief, keys=keys, draws=draws)
    problem = one_problem(keys, belief.units)
    return Averaging(release=kept, belief=belief, keys=keys, problem=problem)


def _warn_of_contradictions(keys: MatchKeys) -> None:
    """Warn of targets declared to be records with other keys: they are hardly ever found."""
    wrong = contradictions(keys)
    if len(wrong):
        warn(
            f"target_records: {len(wrong)} of {keys.targets} targets, first in row "
            f"{int(wrong[0]) + 1}, have keys that differ from those of their original record; "
            "they can hardly be found, and a low risk would say nothing: check the row "
            "labels, or the types of the columns",
            DataWarning,
            short=f"target_records: {len(wrong)} contradict the original",
        )


@dataclass(frozen=True, slots=True, eq=False)
class Averaging(Intruder):
    """Averages match probabilities over the released sets."""

    release: ReleasedSets
    belief: Belief
    keys: MatchKeys
    problem: Problem | None

    def view(self, steps: int) -> Seen:
        shares = self.release.shares(steps)
        return Seen(keys=self.keys, problem=self.problem, belief=self.belief, shares=shares)


@dataclass(frozen=True, slots=True, eq=False)
class MostFrequent(Intruder):
    """Treats the most frequent values as the true ones, then looks for matches in that one file."""

    release: ReleasedSets
    belief: Belief
    keys: MatchKeys
    draws: dict[Any, Any]

    def view(self, steps: int) -> Seen:
        shares = self.release.shares(steps)
        keys = with_most_frequent(self.keys, self.draws, shares)
        return self._seen(keys, np.ones(1, dtype=np.int64))


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

    def view(self, steps: int) -> Seen:
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
        return self._seen(keys, np.ones(request.draws, dtype=np.int64))


FALLBACK_STEPS: dict[str | None, tuple[str, ...]] = {
    None: (),
    "known": ("known",),
    "categories": ("categories", "known"),
}


def one_target(problem: Problem, belief: Belief, shares: Integers, target: int) -> Values:
    """Pr(J = i) for i = 1..n and, last, Pr(J = n + 1)."""
    probabilities = np.zeros(problem.keys.n + 1)
    by_model = None
    if belief.model is not None:
        units_of_keys = units_by_model(problem, belief.model, problem.counts, belief.scale)
        by_model = units_of_keys[problem.targets.of_record[target]]
    for table, share in enumerate(shares / shares.sum(), start=1):
        if belief.in_file:
            match = _match_or_fall_back(problem, belief, target, table)
            probabilities[:-1] += share * match / max(match.sum(), 1)
            continue
        match = _agree(problem, target, table, "all")
        if not match.any():
            probabilities[-1] += share
            continue
        if by_model is not None:
            given = float(by_model[table - 1])
        else:
            given = _units(problem, belief, target, match)
        units = max(given / belief.scale, match.sum())
        probabilities[:-1] += share * match / units
        probabilities[-1] += share * (units - match.sum()) / units
    return probabilities


def _match_or_fall_back(problem: Problem, belief: Belief, target: int, table: int) -> Flags:
    """The records of a set that match the target or, if none does, agree on fewer keys."""
    match = _agree(problem, target, table, "all")
    for step in FALLBACK_STEPS[belief.fallback]:
        if match.any():
            break
        match = _agree(problem, target, table, step)
    return match


def _units(problem: Problem, belief: Belief, target: int, match: Flags) -> float:
    """N_t of a target, times the scale: as given, weights of the records that match, or counts of
    the population's rows that do.
    """
    if belief.units is not None:
        return float(belief.units[target])
    if belief.weights is not None:
        return float(belief.weights[match].sum())
    population = problem.keys.sets + 1
    agree = _agree(problem, target, population, "all")
    return float(np.asarray(belief.population)[agree].sum())


def _agree(problem: Problem, target: int, table: int, step: str) -> Flags:
    """Which records of a table agree with a target: on all keys, on known keys and categories, or
    on the known ones.
    """
    cells = _cells_for(problem, step)
    rows = len(cells[table])  # the population has rows of its own
    key = np.full(rows, problem.targets.of_record[target])
    near = _check_for(problem, step).holds(np.arange(rows), np.full(rows, table), key)
    matches: Flags = (cells[table] == cells[0][target]) & near
    return matches


def _cells_for(problem: Problem, step: str) -> Sequence[Integers]:
    """What must agree exactly, one array per table."""
    cells = problem.cells
    if step == "all":
        return cells.full
    if step == "categories":
        return cells.category
    return [cells.known, *[cells.known_in_file] * problem.keys.sets]


def _check_for(problem: Problem, step: str) -> Filter:
    """What must be near."""
    names = []
    for i, key in enumerate(problem.keys.numeric):
        if key.interval is not None and (key.known or step == "all"):
            names.append(i)
    joint = problem.targets.joint is not None and step == "all"
    return Filter(problem.keys, problem.targets, tuple(names), joint)
