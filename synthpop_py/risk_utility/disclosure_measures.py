"""repU and DiSCO as measures of the map."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any, Hashable, Mapping, Sequence

import numpy as np
import pandas as pd

from ..disclosure.api import disclosure
from ..disclosure.results import Disclosure
from ..errors import NothingInCommonWarning
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
                return nothing_matches(warning)


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


def nothing_matches(warning: NothingInCommonWarning) -> str:
    """The reason for no figure: one that means "nothing could be compared" would look like safety."""
    return f"nothing, or hardly anything, can match ({str(warning).split(';')[0]})"
