"""The three intruders. Each can say what becomes of every target when only the first sets are
released; what he saw then tells how probable each record is for one target.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import random_generator
from ..core.arrays import Flags, Values
from .attacks import Belief, probability_attack, tie_breakers, with_most_frequent
from .counting import Filter
from .declare import Outcome
from .keys import Cells, Keys, read_keys
from .options import Request
from .problem import Problem, prepare
from .release import Release
from .targets import TargetKeys

__all__ = ["Intruder", "Seen", "intruder_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What an intruder looked at: enough to ask about one target again without another attack.

    Attributes
    ----------
    shares : the weight of each table, int64.
    """

    keys: Keys
    cells: Cells
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
    belief: Belief

    @property
    def fewest_steps(self) -> int:
        """How many sets or nests this intruder needs."""
        return 1

    @abstractmethod
    def view(self, steps: int) -> tuple[Problem, Values]:
        """Where the intruder looks for matches, and the share of each of these tables."""

    def attack(self, steps: int) -> tuple[Outcome, Seen]:
        """What becomes of every target, and what the intruder looked at."""
        problem, shares = self.view(steps)
        outcome = probability_attack(problem, self.belief, shares)
        return outcome, Seen(problem.keys, problem.cells, problem.targets, self.belief, shares)


def intruder_of(release: Release, request: Request, rng: np.random.Generator) -> Intruder:
    """The intruder the user asked about."""
    keys = _read(
        release, request
    )  # for the model attack too: the released keys are checked like any others
    if request.attack == "model":
        from .model_attack import check_predictors

        check_predictors(request.models, release.original, release.frames)
        return ModelAware(release, request.belief, request, int(rng.integers(2**63)))
    if request.attack == "mode":
        return MostFrequent(
            release, request.belief, keys, tie_breakers(request.synthesised, keys.n, rng)
        )
    return Averaging(release, request.belief, prepare(keys))


def _read(release: Release, request: Request, drawn: list[Any] | None = None) -> Keys:
    return read_keys(
        release.original,
        release.frames if drawn is None else drawn,
        request.known,
        request.synthesised,
        request.intervals,
        request.distance,
        request.boundary,
        request.population,
        drawn=drawn is not None,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Averaging(Intruder):
    """Averages match probabilities over the released sets."""

    release: Release
    belief: Belief
    problem: Problem

    def view(self, steps: int) -> tuple[Problem, Values]:
        return self.problem, self.release.shares(steps)


@dataclass(frozen=True, slots=True, eq=False)
class MostFrequent(Intruder):
    """Takes the most frequent values for the true ones, then looks for matches in that one file."""

    release: Release
    belief: Belief
    keys: Keys
    draws: dict[Any, Any]

    def view(self, steps: int) -> tuple[Problem, Values]:
        return prepare(
            with_most_frequent(self.keys, self.draws, self.release.shares(steps))
        ), np.ones(1, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class ModelAware(Intruder):
    """Knows the synthesis models: draws plausible original values from them and averages over the
    draws.
    """

    release: Release
    belief: Belief
    request: Request
    seed: int

    @property
    def fewest_steps(self) -> int:
        two_sets = int(np.searchsorted(np.cumsum(self.release.nests), 2)) + 1
        return (
            two_sets
            if isinstance(self.request.parameters, str) and self.request.parameters == "simulated"
            else 1
        )

    def view(self, steps: int) -> tuple[Problem, Values]:
        from .model_attack import draw_keys

        request, release = self.request, self.release
        used = list(release.frames[: sum(release.nests[:steps])])
        # the same seed each time: every question about the same sets gets the same draws
        drawn = draw_keys(
            used,
            request.models,
            request.parameters,
            request.draws,
            request.restrictions,
            random_generator(self.seed),
        )
        return prepare(_read(release, request, drawn)), np.ones(request.draws, dtype=np.int64)


# ---- one target against all records --------------------------------------------------


FALLBACK_STEPS: dict[str | None, tuple[str, ...]] = {
    None: (),
    "known": ("known",),
    "categories": ("categories", "known"),
}


def one_target(seen: Seen, record: int) -> Values:
    """Pr(J = i) for i = 1..n and, last, Pr(J = n + 1)."""
    out, belief = np.zeros(seen.keys.n + 1), seen.belief
    for table, share in enumerate(seen.shares / seen.shares.sum(), start=1):
        match = _agree(seen, record, table, "all")
        if belief.in_file:
            for step in FALLBACK_STEPS[belief.fallback]:
                match = match if match.any() else _agree(seen, record, table, step)
            out[:-1] += share * match / max(match.sum(), 1)
        elif not match.any():
            out[-1] += share
        else:
            units = max(_units(seen, record, match) / belief.scale, match.sum())
            out[:-1] += share * match / units
            out[-1] += share * (units - match.sum()) / units
    return out


def _units(seen: Seen, record: int, match: Values) -> float:
    """Weights of the records that match, or counts of the population's rows that do."""
    belief = seen.belief
    if belief.weights is not None:
        return float(belief.weights[match].sum())
    agree = _agree(seen, record, seen.keys.sets + 1, "all")
    return float(np.asarray(belief.population)[agree].sum())


def _agree(seen: Seen, record: int, table: int, step: str) -> Values:
    """Which records of a table agree with a target: on all keys, on known keys and categories, or
    on the known ones.
    """
    keys, cells, targets = seen.keys, seen.cells, seen.targets
    own = {
        "all": cells.full,
        "categories": cells.category,
        "known": (cells.known, *[cells.known] * keys.sets),
    }[step]
    names = tuple(
        i
        for i, key in enumerate(keys.numeric)
        if key.interval is not None and (key.known or step == "all")
    )
    rows = len(own[table])  # the population, last of the tables, has rows of its own
    check = Filter(keys, targets, names, targets.joint is not None and step == "all")
    near = check.holds(
        np.arange(rows), np.full(rows, table), np.full(rows, targets.of_record[record])
    )
    matches: Flags = (own[table] == own[0][record]) & near
    return matches
