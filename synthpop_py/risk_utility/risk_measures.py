"""Risk measures of this package, read off any release that can have them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any, Hashable, Mapping, Sequence

import numpy as np
import pandas as pd

from ..disclosure.api import disclosure
from ..disclosure.results import Disclosure
from ..errors import NothingInCommonWarning
from ..matching import IdentificationRisk, identification_risk
from .candidates import Candidate
from .measures import About, Reading, mean_reading, no_reading

RECORDS = "% of original records"

DISCLOSURE_ABOUT = {
    "repU": About("repU", f"{RECORDS} that are unique in the original and in the release (replicated uniques)", "lower", 0.0, 100.0),
    "DiSCO": About("DiSCO", f"{RECORDS} whose target the release gives away, and rightly", "lower", 0.0, 100.0),
}


@dataclass(frozen=True, slots=True)
class DisclosureRuns:
    """`disclosure()` by the published definitions, once for each candidate, whatever measures are wanted of it.

    Without a target, for repU alone, only the keys are looked at, beside a column that is the same everywhere.
    """

    original: pd.DataFrame
    keys: Sequence[Hashable]
    target: Hashable | None
    options: Mapping[str, Any]
    done: dict[str, Disclosure | str] = field(default_factory=dict)

    def of(self, candidate: Candidate) -> Disclosure | str:
        """The result, or why there is none."""
        if candidate.name not in self.done:
            self.done[candidate.name] = self._run(candidate)
        return self.done[candidate.name]

    def _run(self, candidate: Candidate) -> Disclosure | str:
        sets, original, target = list(candidate.sets), self.original, self.target
        if target is None:
            target = "target" + "_" * sum(len(str(name)) for name in self.keys)  # longer than any key
            sets, original = [frame[list(self.keys)].assign(**{target: 0}) for frame in sets], original[list(self.keys)].assign(**{target: 0})
        with warnings.catch_warnings():
            warnings.simplefilter("error", NothingInCommonWarning)
            try:
                return disclosure(sets, original, list(self.keys), target, compat="corrected", print_flag=False, **self.options)
            except NothingInCommonWarning as warning:
                return f"nothing, or hardly anything, can match ({str(warning).split(';')[0]})"


@dataclass(frozen=True, slots=True)
class DisclosureMeasure:
    """repU or DiSCO. The figure is a share of original records, so resampling records is drawing from a binomial distribution: who is unique, or disclosed, stays as it is."""

    name: str
    runs: DisclosureRuns

    @property
    def about(self) -> About:
        return DISCLOSURE_ABOUT[self.name]

    def read(self, candidate: Candidate) -> Reading:
        found = self.runs.of(candidate)
        if isinstance(found, str):
            return no_reading(found)
        shares = [share[self.name] for share in found.shares]
        return mean_reading([s.percent for s in shares], float(np.mean([s.numerator for s in shares])), float(np.mean([s.denominator for s in shares])))

    def resample(self, candidate: Candidate, runs: int, generator: np.random.Generator) -> np.ndarray:
        share = self.runs.of(candidate).shares[0][self.name]
        n = int(share.denominator)
        return generator.binomial(n, share.numerator / n, size=runs) / n * 100


@dataclass(frozen=True, slots=True)
class MatchMeasure:
    """Expected match rate of Reiter and Mitra. Data sets that are released together are matched together, so the figure is one for all of them. Keys that no data set changes are taken as known, the
    others as synthesised."""

    original: pd.DataFrame
    keys: Sequence[Hashable]
    options: Mapping[str, Any]

    @property
    def about(self) -> About:
        return About("expected_match_rate", f"{RECORDS} that an intruder who knows the keys is expected to match rightly (Reiter and Mitra)", "lower", 0.0, 100.0)

    def read(self, candidate: Candidate) -> Reading:
        if not candidate.aligned:
            return no_reading("its rows are not known to be those of the original, row by row (see aligned)")
        if not candidate.together:
            each = [self._match(candidate, [frame]) for frame in candidate.sets]
            return mean_reading([_rate(found) for found in each], float(np.mean([found.expected for found in each])), float(each[0].n))
        found = self._match(candidate, candidate.sets)
        without = [candidate.sets[:i] + candidate.sets[i + 1 :] for i in range(candidate.m)] if candidate.m > 1 else []
        return Reading(_rate(found), without_one=tuple(_rate(self._match(candidate, sets)) for sets in without), numerator=found.expected, denominator=float(found.n))

    def resample(self, candidate: Candidate, runs: int, generator: np.random.Generator) -> np.ndarray:
        records = self._match(candidate, candidate.sets).records()
        each = (records["I"] / records["c"].clip(lower=1)).to_numpy()
        return np.array([each[generator.integers(len(each), size=len(each))].mean() * 100 for _ in range(runs)])

    def _match(self, candidate: Candidate, sets: Sequence[pd.DataFrame]) -> IdentificationRisk:
        known = [name for name in self.keys if all(frame[name].equals(self.original[name]) for frame in candidate.sets)]
        changed = [name for name in self.keys if name not in known]
        return identification_risk(self.original, list(sets), known=known, synthesised=changed, **self.options)


def _rate(found: IdentificationRisk) -> float:
    return found.expected / found.n * 100


@dataclass(frozen=True, slots=True)
class CarriedRisk:
    """The identification risk that an IFPR release carries: a chance computed from its design, not estimated from its data."""

    @property
    def about(self) -> About:
        return About("IR", "highest chance that a match is right, given what the release shows (by the design of IFPR), 0 to 1", "lower", 0.0, 1.0)

    def read(self, candidate: Candidate) -> Reading:
        if not all(callable(getattr(carrier, "risk_table", None)) for carrier in candidate.carriers):
            return no_reading("only a release made by ifpr() carries this risk")
        return Reading(float(np.mean([carrier.risk_table()["worst"].iloc[-1] for carrier in candidate.carriers])), exact=True)

    def resample(self, candidate: Candidate, runs: int, generator: np.random.Generator) -> np.ndarray:
        raise NotImplementedError("a theoretical figure is not resampled")
