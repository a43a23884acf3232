"""Utility measures of this package, read off any release."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from ..core.arrays import Floats, Integers
from ..estimation.evaluation import Estimands
from ..estimation.overlap import overlap_table
from ..utility.design import Design, make_design
from ..utility.propensity import score
from ..utility.tables import distance, table_list
from ..utility.variables import Coded, Special, code_variable
from .candidates import Candidate
from .measures import NOT_RESAMPLED, About, Reading, mean_reading, no_reading, resampled_rows

ORDERS = {"tvd": (1, 2), "tvd1": (1,), "tvd2": (2,)}
NO_LENGTH = "every estimand has an interval of length 0, in the original or in the release"
BLIND_TABLES = "three variables together; differences inside a class of a number"
BLIND_PROPENSITY = {
    "S_pMSE": "all associations; how few records there are: of few, little can be told apart",
    "S_pMSE2": (
        "three variables together; how few records there are: of few, little can be told apart"
    ),
}
WAYS = {"tvd": "one- and two-way", "tvd1": "one-way", "tvd2": "two-way"}


@dataclass(frozen=True, slots=True)
class CodedTables:
    """Every variable coded once, over the original and all data sets of the candidates that have
    all variables. Table 0 is the original.
    """

    original: pd.DataFrame
    candidates: Sequence[Candidate]
    variables: Sequence[Hashable]
    classes: int
    special: Special
    coded: list[Coded] = field(default_factory=list)

    def all(self) -> list[Coded]:
        if not self.coded:
            tables = [self.original, *(frame for c in self.candidates for frame in c.sets)]
            places = [
                "the original data",
                *(place for c in self.candidates for place in c.places()),
            ]
            self.coded.extend(
                code_variable(name, tables, places, self.classes, self.special)
                for name in self.variables
            )
        return self.coded

    def tables_of(self, candidate: Candidate) -> range:
        before = 1 + sum(other.m for other in self.candidates[: self.candidates.index(candidate)])
        return range(before, before + candidate.m)


def lacks_columns(columns: Sequence[Hashable]) -> Reading:
    return no_reading(
        f"it lacks {', '.join(map(str, columns))}, which other releases have (give variables that"
        " all have)"
    )


@dataclass(frozen=True, slots=True)
class TableDistance:
    """Mean total variation distance of all tables of some orders."""

    name: str
    tables: CodedTables

    @property
    def about(self) -> About:
        number = len(table_list(self.tables.variables, ORDERS[self.name]))
        return About(
            self.name,
            f"mean total variation distance of {number} {WAYS[self.name]} tables, 0 to 1",
            "lower",
            0.0,
            1.0,
            BLIND_TABLES,
        )

    def read(self, candidate: Candidate) -> Reading:
        lacking = candidate.lacks(self.tables.variables)
        return (
            lacks_columns(lacking)
            if lacking
            else mean_reading([self._mean(table) for table in self.tables.tables_of(candidate)])
        )

    def resample(
        self, candidate: Candidate, runs: int, generator: np.random.Generator
    ) -> Floats | str:
        if not candidate.aligned:
            return NOT_RESAMPLED
        table = self.tables.tables_of(candidate)[0]
        return np.array(
            [
                self._mean(table, *resampled_rows(candidate, len(self.tables.original), generator))
                for _ in range(runs)
            ]
        )

    def _mean(
        self, table: int, rows_original: Integers | None = None, rows: Integers | None = None
    ) -> float:
        coded = self.tables.all()
        return float(
            np.mean(
                [
                    distance(coded, which, table, rows_original, rows)
                    for which in table_list(coded, ORDERS[self.name])
                ]
            )
        )


@dataclass(frozen=True, slots=True)
class PropensityMeasure:
    """Standardised pMSE, of main effects (S_pMSE) or with products of two variables (S_pMSE2)."""

    name: str
    original: pd.DataFrame
    variables: Sequence[Hashable]
    special: Special
    most_parameters: int

    @property
    def about(self) -> About:
        model = (
            "main effects"
            if self.name == "S_pMSE"
            else "main effects and products of two variables"
        )
        return About(
            self.name,
            f"propensity score mean squared error over its expectation ({model}; 1 is as good as a"
            " right synthesis)",
            "lower",
            0.0,
            blind_to=BLIND_PROPENSITY[self.name],
        )

    def read(self, candidate: Candidate) -> Reading:
        lacking = candidate.lacks(self.variables)
        if lacking:
            return lacks_columns(lacking)
        values = [
            score(self._design(frame, place))[2]
            for frame, place in zip(candidate.sets, candidate.places())
        ]
        return (
            mean_reading(values)
            if np.isfinite(values).all()
            else no_reading("no variable varies, so there is nothing to tell apart")
        )

    def resample(
        self, candidate: Candidate, runs: int, generator: np.random.Generator
    ) -> Floats | str:
        if not candidate.aligned:
            return NOT_RESAMPLED
        design = self._design(candidate.sets[0], candidate.places()[0])
        rank = design.rank()
        return np.array(
            [
                score(design, *resampled_rows(candidate, len(self.original), generator), rank=rank)[
                    2
                ]
                for _ in range(runs)
            ]
        )

    def _design(self, frame: pd.DataFrame, place: str) -> Design:
        return make_design(
            self.variables,
            self.original,
            frame,
            ["the original data", place],
            self.special,
            self.name == "S_pMSE2",
            self.most_parameters,
        )


@dataclass(frozen=True, slots=True)
class OverlapMeasure:
    """Mean overlap of confidence intervals. Data sets that are released together are combined
    first, so the figure is one for all of them.
    """

    estimands: Estimands
    original: pd.DataFrame
    level: float

    @property
    def about(self) -> About:
        return About(
            "ci_overlap",
            f"mean overlap of {100 * self.level:g} % confidence intervals of"
            f" {self.estimands.usable().sum()} estimands, 0 to 1",
            "higher",
            0.0,
            1.0,
            "whatever is not estimated",
        )

    def read(self, candidate: Candidate) -> Reading:
        sets = np.array(
            [
                self.estimands.of(frame, place)
                for frame, place in zip(candidate.sets, candidate.places())
            ]
        )
        lacking = self.estimands.lacking(sets)
        if lacking:
            return no_reading(f"{lacking[0]!r} cannot be estimated from every data set of it")
        first = self.estimands.original
        if not candidate.together:
            values = [self._mean(first, own[None]) for own in sets]
            return mean_reading(values) if np.isfinite(values).all() else no_reading(NO_LENGTH)
        value = self._mean(first, sets)
        if np.isnan(value):
            return no_reading(NO_LENGTH)
        if candidate.m == 1:
            return Reading(value)
        return Reading(
            value,
            without_one=tuple(
                self._mean(first, np.delete(sets, i, axis=0)) for i in range(candidate.m)
            ),
        )

    def resample(
        self, candidate: Candidate, runs: int, generator: np.random.Generator
    ) -> Floats | str:
        if not candidate.aligned:
            return NOT_RESAMPLED
        values = []
        for _ in range(runs):
            original, release = resampled_rows(candidate, len(self.original), generator)
            first = self.estimands.of(self.original.iloc[original], "resampled original data")
            again = self.estimands.of(
                candidate.sets[0].iloc[release], f"resampled {candidate.places()[0]}"
            )
            complete = not self.estimands.lacking(
                np.array([first, again])
            )  # otherwise the mean would be of other estimands
            values.append(self._mean(first, again[None]) if complete else np.nan)
        return np.array(values)

    def _mean(self, first: Floats, sets: Floats) -> float:
        return float(
            overlap_table(self.estimands.labels, first, sets[:, None], self.level)["overlap"].mean()
        )
