"""Expected match rate of Reiter and Mitra as a measure of the map."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import Floats
from ..matching import IdentificationRisk, identification_risk
from ..tables.comparable import NothingInCommon, nothing_in_common
from ..tables.reading import read_column
from .candidates import Candidate
from .disclosure_measures import RECORDS, key_without_values, nothing_matches
from .measures import About, Measurement, mean_over_sets, not_measured

BLIND = (
    "values that are near but not equal (unless matching_options has intervals); what is "
    "learnt about people without identifying them"
)


@dataclass(frozen=True, slots=True)
class MatchMeasure:
    """Expected match rate of Reiter and Mitra. Data sets that are released together are matched
    together and have one common figure. Keys that no data set changes are taken as known, the
    others as synthesised.
    """

    original: pd.DataFrame
    keys: Sequence[Hashable]
    options: Mapping[str, Any]

    @property
    def about(self) -> About:
        return About(
            label="expected_match_rate",
            unit=(
                f"{RECORDS} that an intruder who knows the keys is expected to match correctly"
                " (Reiter and Mitra)"
            ),
            better="lower",
            low=0.0,
            high=100.0,
            blind_to=BLIND,
        )

    def read(self, candidate: Candidate) -> Measurement:
        reason = self._why_not(candidate)
        if reason:
            return not_measured(reason)
        if candidate.together:
            return self._of_all_sets(candidate)
        return self._of_single_runs(candidate)

    def resample(
        self, candidate: Candidate, runs: int, generator: np.random.Generator
    ) -> Floats | str:
        return "a share is not resampled"

    def _why_not(self, candidate: Candidate) -> str:
        """Why no record can be matched; empty where some can."""
        if not candidate.aligned:
            return "its rows are not known to be those of the original, row by row (see aligned)"
        missing = key_without_values(self.original, candidate, self.keys)
        if missing:
            return missing
        strangers = self._strangers(candidate)
        return "" if strangers is None else nothing_matches(strangers)

    def _of_single_runs(self, candidate: Candidate) -> Measurement:
        risks = [self._match(candidate, [frame]) for frame in candidate.sets]
        expected = [risk.expected for risk in risks]
        return mean_over_sets(
            [_rate(risk) for risk in risks],
            numerator=float(np.mean(expected)),
            denominator=float(risks[0].n),
        )

    def _of_all_sets(self, candidate: Candidate) -> Measurement:
        risk = self._match(candidate, candidate.sets)
        without_one = []
        if candidate.m > 1:
            for i in range(candidate.m):
                others = candidate.sets[:i] + candidate.sets[i + 1 :]
                without_one.append(_rate(self._match(candidate, others)))
        return Measurement(
            value=_rate(risk),
            without_one=tuple(without_one),
            numerator=risk.expected,
            denominator=float(risk.n),
        )

    def _match(self, candidate: Candidate, sets: Sequence[pd.DataFrame]) -> IdentificationRisk:
        known: list[Hashable] = []
        changed: list[Hashable] = []
        for name in self.keys:
            column = self.original[name]
            # from all sets, even if some are left out: the intruder knows the same keys each time
            if all(frame[name].equals(column) for frame in candidate.sets):
                known.append(name)
            else:
                changed.append(name)
        return identification_risk(
            list(sets), self.original, known=known, synthesised=changed, **self.options
        )

    def _strangers(self, candidate: Candidate) -> NothingInCommon | None:
        """The first key that must agree exactly and has hardly a value of the original."""
        for name in self.keys:
            if self._may_be_near(name):
                continue
            known = read_column(self.original[name], f"the original data, column {name!r}")
            for frame, place in candidate.named_sets():
                column = read_column(frame[name], f"{place}, column {name!r}")
                strangers = nothing_in_common(name, known, column, place)
                if strangers is not None:
                    return strangers
        return None

    def _may_be_near(self, name: Hashable) -> bool:
        """Whether the intruder also accepts values near the target's."""
        if name in (self.options.get("intervals") or {}):
            return True
        distance = self.options.get("distance")
        if distance is None:
            return False
        columns = getattr(distance, "columns", None)
        if columns is not None:
            return name in columns
        return bool(pd.api.types.is_numeric_dtype(self.original[name].dtype))


def _rate(risk: IdentificationRisk) -> float:
    return risk.expected / risk.n * 100
