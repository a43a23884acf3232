"""Expected match rate of Reiter and Mitra as a measure of the map."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import Floats
from ..errors import NothingInCommonWarning
from ..matching import IdentificationRisk, identification_risk
from ..tables.comparable import warn_if_nothing_in_common
from ..tables.reading import read_column
from .candidates import Candidate
from .disclosure_measures import RECORDS, key_without_values, nothing_matches
from .measures import About, Reading, mean_reading, no_reading

BLIND = (
    "values that are near but not equal (unless matching_options has intervals); what is learnt"
    " about people without naming them"
)


@dataclass(frozen=True, slots=True)
class MatchMeasure:
    """Expected match rate of Reiter and Mitra. Data sets that are released together are matched
    together, so the figure is one for all of them. Keys that no data set changes are taken as
    known, the others as synthesised.
    """

    original: pd.DataFrame
    keys: Sequence[Hashable]
    options: Mapping[str, Any]

    @property
    def about(self) -> About:
        return About(
            "expected_match_rate",
            f"{RECORDS} that an intruder who knows the keys is expected to match correctly (Reiter"
            " and Mitra)",
            "lower",
            0.0,
            100.0,
            BLIND,
        )

    def read(self, candidate: Candidate) -> Reading:
        if not candidate.aligned:
            return no_reading(
                "its rows are not known to be those of the original, row by row (see aligned)"
            )
        strange = key_without_values(self.original, candidate, self.keys) or self._strange(
            candidate
        )
        if strange:
            return no_reading(strange)
        if not candidate.together:
            each = [self._match(candidate, [frame]) for frame in candidate.sets]
            return mean_reading(
                [_rate(found) for found in each],
                float(np.mean([found.expected for found in each])),
                float(each[0].n),
            )
        found = self._match(candidate, candidate.sets)
        without = (
            [candidate.sets[:i] + candidate.sets[i + 1 :] for i in range(candidate.m)]
            if candidate.m > 1
            else []
        )
        return Reading(
            _rate(found),
            without_one=tuple(_rate(self._match(candidate, sets)) for sets in without),
            numerator=found.expected,
            denominator=float(found.n),
        )

    def resample(
        self, candidate: Candidate, runs: int, generator: np.random.Generator
    ) -> Floats | str:
        return "a share is not resampled"

    def _match(self, candidate: Candidate, sets: Sequence[pd.DataFrame]) -> IdentificationRisk:
        known = [
            name
            for name in self.keys
            if all(frame[name].equals(self.original[name]) for frame in candidate.sets)
        ]
        changed = [name for name in self.keys if name not in known]
        return identification_risk(
            list(sets), self.original, known=known, synthesised=changed, **self.options
        )

    def _strange(self, candidate: Candidate) -> str:
        """Why no record can match, where a key that must agree exactly has hardly a value of the
        original.
        """
        exact = [name for name in self.keys if not self._may_be_near(name)]
        with warnings.catch_warnings():
            warnings.simplefilter("error", NothingInCommonWarning)
            try:
                for name in exact:
                    own = read_column(self.original[name], f"the original data, column {name!r}")
                    for frame, place in zip(candidate.sets, candidate.places()):
                        warn_if_nothing_in_common(
                            name, own, read_column(frame[name], f"{place}, column {name!r}"), place
                        )
            except NothingInCommonWarning as warning:
                return nothing_matches(warning)
        return ""

    def _may_be_near(self, name: Hashable) -> bool:
        """Whether the intruder takes values near the target's as well."""
        distance = self.options.get("distance")
        if distance is None:
            return name in (self.options.get("intervals") or {})
        together = getattr(distance, "columns", None)
        return name in (self.options.get("intervals") or {}) or (
            name in together
            if together is not None
            else pd.api.types.is_numeric_dtype(self.original[name].dtype)
        )


def _rate(found: IdentificationRisk) -> float:
    return found.expected / found.n * 100
