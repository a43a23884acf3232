"""A measure of the map: a number with a name, a unit and a direction, and how it is computed from a
release and from resampled records.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
import pandas as pd

from ..arguments import check_choice
from ..core.arrays import Floats, Integers
from ..errors import InputError
from ..tables.frames import not_collected
from ..tables.opening import is_in_memory
from .candidates import Candidate

Better = Literal["lower", "higher"]
Role = Literal["risk", "utility"]

WORDS = {"risk": "riskier", "utility": "more useful"}
OTHER_WAY = {"lower": "higher", "higher": "lower"}


@dataclass(frozen=True, slots=True)
class About:
    """Name, unit and direction of a measure, the range of its values, what it does not see, and a
    further remark.
    """

    label: str
    unit: str
    better: Better
    low: float = -math.inf
    high: float = math.inf
    blind_to: str = ""
    aside: str = ""

    @property
    def meaning(self) -> str:
        """The unit with the further remark."""
        return f"{self.unit} ({self.aside})" if self.aside else self.unit

    def direction(self, role: Role) -> str:
        """In words, as in "higher is riskier"."""
        more = OTHER_WAY[self.better] if role == "risk" else self.better
        return f"{more} is {WORDS[role]}"


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of your own for `ru_map`.

    Attributes
    ----------
    label : what it is called in tables and pictures.
    function : of a release (one DataFrame of pandas) and the original (another), in this order;
        gives a number. For several data sets the mean is taken.
    unit : of the number, such as "% of original records".
    better : "lower" or "higher": which numbers mean less risk or more utility.
    low, high : ends of its range, where intervals are cut off.

    Examples
    --------
    >>> def difference(release, original):
    ...     return float(abs(release["age"].mean() - original["age"].mean()))
    >>> gap = Measure("age gap", difference, unit="years", better="lower", low=0)
    >>> gap.function(pd.DataFrame({"age": [30, 50]}), pd.DataFrame({"age": [30, 40]}))
    5.0
    """

    label: str
    function: Callable[[pd.DataFrame, pd.DataFrame], float] = field(repr=False)
    unit: str
    better: Better
    low: float = -math.inf
    high: float = math.inf

    def __post_init__(self) -> None:
        _check_text("label", self.label, "a name")
        _check_text("unit", self.unit, "its unit")
        if not callable(self.function):
            raise InputError(
                f"function: {type(self.function).__name__} cannot be called; give a function of a"
                " release and the original"
            )
        check_choice("better", self.better, ("lower", "higher"))


def _check_text(argument: str, text: Any, lacking: str) -> None:
    if not isinstance(text, str) or not text.strip():
        raise InputError(
            f"{argument}: {text!r} is not a text; a number without {lacking} means nothing"
        )


@dataclass(frozen=True, slots=True)
class Measurement:
    """A measure of one release, before its interval.

    Attributes
    ----------
    value : NaN where there is none; `reason` then says why.
    by_set : one figure for each data set, where `value` is their mean; empty where it is made from
        all of them together.
    without_one : the figure without each data set, where `value` is made from all of them together.
    numerator, denominator : of a share of original records, means over the data sets; NaN for
        anything else.
    exact : whether the figure is theoretical, without sampling error.
    """

    value: float
    by_set: tuple[float, ...] = ()
    without_one: tuple[float, ...] = ()
    numerator: float = math.nan
    denominator: float = math.nan
    reason: str = ""
    exact: bool = False


def not_measured(reason: str) -> Measurement:
    return Measurement(math.nan, reason=reason)


def mean_over_sets(
    values: Sequence[float], numerator: float = math.nan, denominator: float = math.nan
) -> Measurement:
    return Measurement(
        value=float(np.mean(values)),
        by_set=tuple(values),
        numerator=numerator,
        denominator=denominator,
    )


def mean_if_finite(values: Sequence[float], otherwise: str) -> Measurement:
    """The mean over the data sets; the reason `otherwise` where one of them has no figure."""
    if not np.isfinite(values).all():
        return not_measured(otherwise)
    return mean_over_sets(values)


class Evaluator(Protocol):
    """One measure, ready to be read off any candidate."""

    @property
    def about(self) -> About: ...

    def read(self, candidate: Candidate) -> Measurement: ...

    def resample(
        self, candidate: Candidate, runs: int, generator: np.random.Generator
    ) -> Floats | str:
        """The figure of a candidate of one data set, in `runs` resamples of records, or why that
        would mean nothing. Shares are not resampled.
        """
        ...


NOT_RESAMPLED = (
    "one data set whose rows are not the original's: resampling it with the original would "
    "exaggerate the uncertainty; give several syntheses"
)


def resampled_rows(
    candidate: Candidate, n_original: int, generator: np.random.Generator
) -> tuple[Integers, Integers]:
    """Records drawn with replacement: the same ones where the rows of the release are those of the
    original.
    """
    rows = generator.integers(n_original, size=n_original)
    if candidate.aligned:
        return rows, rows
    n_release = len(candidate.sets[0])
    return rows, generator.integers(n_release, size=n_release)


@dataclass(frozen=True, slots=True)
class RecordMeasure:
    """A measure that looks at single records; no figure for releases whose records are in an
    engine.
    """

    of_records: Evaluator

    @property
    def about(self) -> About:
        return self.of_records.about

    def read(self, candidate: Candidate) -> Measurement:
        for data_set, place in candidate.named_sets():
            if not is_in_memory(data_set):
                return not_measured(f"it needs single records ({not_collected(data_set, place)})")
        return self.of_records.read(candidate)

    def resample(
        self, candidate: Candidate, runs: int, generator: np.random.Generator
    ) -> Floats | str:
        return self.of_records.resample(candidate, runs, generator)


@dataclass(frozen=True, slots=True)
class OwnMeasure:
    """A measure of the user's."""

    measure: Measure
    original: pd.DataFrame

    @property
    def about(self) -> About:
        return About(
            label=self.measure.label,
            unit=self.measure.unit,
            better=self.measure.better,
            low=self.measure.low,
            high=self.measure.high,
        )

    def read(self, candidate: Candidate) -> Measurement:
        values = []
        for frame, place in candidate.named_sets():
            values.append(self._number(frame, self.original, place))
        return mean_if_finite(values, "the measure gave no finite number")

    def resample(self, candidate: Candidate, runs: int, generator: np.random.Generator) -> Floats:
        ((frame, place),) = candidate.named_sets()
        values = np.empty(runs)
        for run in range(runs):
            rows_original, rows = resampled_rows(candidate, len(self.original), generator)
            original = self.original.iloc[rows_original]
            values[run] = self._number(frame.iloc[rows], original, place)
        return values

    def _number(self, frame: pd.DataFrame, original: pd.DataFrame, place: str) -> float:
        value = self.measure.function(frame, original)
        if isinstance(value, (numbers.Real, np.number)) and not isinstance(value, bool):
            return float(value)
        shown = value if isinstance(value, (str, bool)) else repr(type(value).__name__)
        raise InputError(
            f"{self.measure.label}: gave {shown} for {place}; a measure must give one number"
        )
