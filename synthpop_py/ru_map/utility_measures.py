"""Utility measures of this package, for any release."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import Floats, Integers
from ..estimation.evaluation import Estimands
from ..estimation.overlap import overlap_table
from ..tables.opening import open_table
from ..utility.design import PropensityDesign, propensity_design
from ..utility.propensity import score
from ..utility.table_distances import distance, table_list
from ..utility.variables import CodedVariable, Special, check_alike, code_columns
from .candidates import Candidate
from .measures import (
    NOT_RESAMPLED,
    About,
    Measurement,
    mean_if_finite,
    mean_over_sets,
    not_measured,
    resampled_rows,
)

ORDERS = {"tvd": (1, 2), "tvd1": (1,), "tvd2": (2,)}
NO_LENGTH = "every estimand has an interval of length 0, in the original or in the release"
BLIND_TABLES = "three variables together; differences inside a class of a number"
BLIND_PROPENSITY = {
    "S_pMSE": "all associations; small numbers of records, where differences are hard to see",
    "S_pMSE2": (
        "three variables together; small numbers of records, where differences are hard to see"
    ),
}
MODELS = {"S_pMSE": "main effects", "S_pMSE2": "main effects and products of two variables"}
WAYS = {"tvd": "one- and two-way", "tvd1": "one-way", "tvd2": "two-way"}


@dataclass(frozen=True)
class CodedTables:
    """Every variable coded once, over the original and all data sets of the candidates that have
    all variables. Table 0 is the original.
    """

    original: Any
    candidates: Sequence[Candidate]
    variables: Sequence[Hashable]
    classes: int
    special: Special

    @cached_property
    def coded(self) -> list[CodedVariable]:
        tables, places = [self.original], ["the original data"]
        for candidate in self.candidates:
            tables.extend(candidate.sets)
            places.extend(candidate.places())
        opened = [open_table(table, place) for table, place in zip(tables, places)]
        counted = [table.count_by(self.variables) for table in opened]
        n = tuple(rows.n for rows in counted)
        coded = []
        for name in self.variables:
            columns = [rows.columns[name] for rows in counted]
            check_alike(name, columns, places)
            coded.append(code_columns(name, columns, n, self.classes, self.special))
        return coded

    def tables_of(self, candidate: Candidate) -> range:
        """Numbers of its data sets among the tables."""
        before = self.candidates[: self.candidates.index(candidate)]
        first = 1 + sum(earlier.m for earlier in before)
        return range(first, first + candidate.m)


def lacks_columns(columns: Sequence[Hashable]) -> Measurement:
    return not_measured(
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
        number = len(self._variables_of_tables())
        return About(
            label=self.name,
            unit=f"mean total variation distance of {number} {WAYS[self.name]} tables, 0 to 1",
            better="lower",
            low=0.0,
            high=1.0,
            blind_to=BLIND_TABLES,
        )

    def read(self, candidate: Candidate) -> Measurement:
        lacking = candidate.lacks(self.tables.variables)
        if lacking:
            return lacks_columns(lacking)
        distances = [self._mean(table) for table in self.tables.tables_of(candidate)]
        return mean_over_sets(distances)

    def resample(
        self, candidate: Candidate, runs: int, generator: np.random.Generator
    ) -> Floats | str:
        if not candidate.aligned:
            return NOT_RESAMPLED
        table = self.tables.tables_of(candidate)[0]
        n_original = len(self.tables.original)
        distances = np.empty(runs)
        for run in range(runs):
            rows_original, rows = resampled_rows(candidate, n_original, generator)
            distances[run] = self._mean(table, rows_original, rows)
        return distances

    def _mean(
        self, table: int, rows_original: Integers | None = None, rows: Integers | None = None
    ) -> float:
        distances = []
        for which in self._variables_of_tables():
            variables = [self.tables.coded[i] for i in which]
            distances.append(distance(variables, table, rows_original, rows))
        return float(np.mean(distances))

    def _variables_of_tables(self) -> list[tuple[int, ...]]:
        return table_list(len(self.tables.variables), ORDERS[self.name])


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
        return About(
            label=self.name,
            unit=(
                f"propensity score mean squared error over its expectation ({MODELS[self.name]}; 1"
                " is as good as a correct synthesis)"
            ),
            better="lower",
            low=0.0,
            blind_to=BLIND_PROPENSITY[self.name],
        )

    def read(self, candidate: Candidate) -> Measurement:
        lacking = candidate.lacks(self.variables)
        if lacking:
            return lacks_columns(lacking)
        ratios = []
        for frame, place in candidate.named_sets():
            scored = score(self._design(frame, place))
            ratios.append(scored.S_pMSE)
        return mean_if_finite(ratios, "no variable varies, so there is nothing to tell apart")

    def resample(
        self, candidate: Candidate, runs: int, generator: np.random.Generator
    ) -> Floats | str:
        if not candidate.aligned:
            return NOT_RESAMPLED
        ((frame, place),) = candidate.named_sets()
        design = self._design(frame, place)
        rank = design.rank()
        ratios = np.empty(runs)
        for run in range(runs):
            rows_original, rows = resampled_rows(candidate, len(self.original), generator)
            ratios[run] = score(design, rows_original, rows, rank=rank).S_pMSE
        return ratios

    def _design(self, frame: pd.DataFrame, place: str) -> PropensityDesign:
        return propensity_design(
            self.variables,
            {"the original data": self.original, place: frame},
            self.special,
            interactions=self.name == "S_pMSE2",
            most_parameters=self.most_parameters,
        )


@dataclass(frozen=True, slots=True)
class OverlapMeasure:
    """Mean overlap of confidence intervals. Data sets that are released together are combined first
    and have one common figure.
    """

    estimands: Estimands
    original: pd.DataFrame
    level: float

    @property
    def about(self) -> About:
        number = self.estimands.usable().sum()
        return About(
            label="ci_overlap",
            unit=(
                f"mean overlap of {100 * self.level:g} % confidence intervals of {number}"
                " estimands, 0 to 1"
            ),
            better="higher",
            low=0.0,
            high=1.0,
            blind_to="whatever is not estimated",
        )

    def read(self, candidate: Candidate) -> Measurement:
        estimates = []
        for frame, place in candidate.named_sets():
            estimates.append(self.estimands.of(frame, place))
        sets = np.array(estimates)
        lacking = self.estimands.lacking(sets)
        if lacking:
            return not_measured(f"{lacking[0]!r} cannot be estimated from every data set of it")
        if candidate.together:
            return self._of_all_sets(sets)
        original = self.estimands.original
        overlaps = [self._mean(original, run[None]) for run in sets]
        return mean_if_finite(overlaps, NO_LENGTH)

    def _of_all_sets(self, sets: Floats) -> Measurement:
        original = self.estimands.original
        overlap = self._mean(original, sets)
        if np.isnan(overlap):
            return not_measured(NO_LENGTH)
        without_one = []
        if len(sets) > 1:
            for left_out in range(len(sets)):
                others = np.delete(sets, left_out, axis=0)
                without_one.append(self._mean(original, others))
        return Measurement(overlap, without_one=tuple(without_one))

    def resample(
        self, candidate: Candidate, runs: int, generator: np.random.Generator
    ) -> Floats | str:
        if not candidate.aligned:
            return NOT_RESAMPLED
        ((frame, place),) = candidate.named_sets()
        overlaps = np.full(runs, np.nan)
        for run in range(runs):
            rows_original, rows = resampled_rows(candidate, len(self.original), generator)
            people = self.original.iloc[rows_original]
            original = self.estimands.of(people, "resampled original data")
            release = self.estimands.of(frame.iloc[rows], f"resampled {place}")
            # without one of them the mean would be over other estimands
            if not self.estimands.lacking(np.array([original, release])):
                overlaps[run] = self._mean(original, release[None])
        return overlaps

    def _mean(self, original: Floats, sets: Floats) -> float:
        """Mean overlap of the intervals; `sets` has shape (sets, ...) of what estimands give."""
        table = overlap_table(self.estimands.labels, original, sets[:, None], self.level)
        return float(table["overlap"].mean())
