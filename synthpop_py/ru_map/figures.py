"""One figure of the map: a measure read off a release, with its interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import check_whole
from ..errors import InputError
from . import intervals
from .candidates import Candidate
from .intervals import Interval
from .measures import Evaluator, Measurement, Role
from .result import ONE_SET, MapFigure


@dataclass(frozen=True, slots=True)
class Resampling:
    """How often records are resampled, 0 for never, and where the draws come from."""

    runs: int
    generator: np.random.Generator


def check_resamples(bootstrap: Any) -> int:
    runs = check_whole("bootstrap", bootstrap)
    if runs == 1:
        raise InputError(
            "bootstrap: 1 resample has no spread; give 0 for none, or several, such as 200"
        )
    return runs


def figure_of(
    candidate: Candidate, role: Role, evaluator: Evaluator, level: float, resampling: Resampling
) -> MapFigure:
    """A measure of a candidate, with the interval of this level cut off at the limits of the
    measure.
    """
    about = evaluator.about
    measurement = evaluator.read(candidate)
    whole = _interval(measurement, candidate, evaluator, level, resampling)
    interval = intervals.within(whole, about.low, about.high)
    return MapFigure(
        candidate=candidate.name,
        measure=about.label,
        role=role,
        value=measurement.value,
        low=interval.low,
        high=interval.high,
        method=interval.method,
        m=candidate.m,
        numerator=measurement.numerator,
        denominator=measurement.denominator,
        reason=measurement.reason,
    )


def _interval(
    measurement: Measurement,
    candidate: Candidate,
    evaluator: Evaluator,
    level: float,
    resampling: Resampling,
) -> Interval:
    value = measurement.value
    if measurement.reason:
        return intervals.none(measurement.reason)
    if measurement.exact:
        return intervals.exact(value)
    if measurement.without_one:
        return intervals.from_leaving_out(value, measurement.without_one, level)
    if len(measurement.by_set) > 1 and candidate.together:
        return intervals.from_sets(measurement.by_set, level)
    if len(measurement.by_set) > 1:
        return intervals.from_runs(measurement.by_set, level)
    if not resampling.runs:
        return intervals.none(ONE_SET)
    # a share has an interval without resampling, also where it is 0 or 100 %
    if np.isfinite(measurement.numerator):
        return intervals.from_share(measurement.numerator, measurement.denominator, level)
    resamples = evaluator.resample(candidate, resampling.runs, resampling.generator)
    if isinstance(resamples, str):
        return intervals.none(resamples)
    return intervals.from_resamples(value, resamples, level)
