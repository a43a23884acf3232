"""The two ends of every map: the original released as it is, and no release at all."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from .candidates import read_candidates
from .evaluators import evaluators_of
from .figures import Resampling, figure_of
from .measures import About, Role
from .request import MapRequest
from .result import MapFigure

ORIGINAL, NO_DATA = "original", "no data"
NO_END = "its values have no limit, so there is no figure for no data"


def anchor_figures(
    risk: Any, utility: Any, request: MapRequest, resampling: Resampling
) -> Iterator[MapFigure]:
    """The measures of the original as if it were a release, then those of no data."""
    whole, *_ = read_candidates({ORIGINAL: request.original}, request.original, (), True)
    # separate evaluators: those of the map cache releases by name, and one may have this name
    alone = replace(request, candidates=(whole,))
    evaluators = evaluators_of(risk, utility, alone)
    once = replace(resampling, runs=0)
    for role, evaluator in evaluators:
        yield figure_of(whole, role, evaluator, request.level, once)
    for role, evaluator in evaluators:
        yield _of_no_data(role, evaluator.about)


def _of_no_data(role: Role, about: About) -> MapFigure:
    """The safest, or the least useful, value that a measure can have."""
    least = about.low if about.better == "lower" else about.high
    most = about.high if about.better == "lower" else about.low
    end = least if role == "risk" else most
    known = math.isfinite(end)
    return MapFigure(
        candidate=NO_DATA,
        measure=about.label,
        role=role,
        value=end if known else math.nan,
        low=math.nan,
        high=math.nan,
        method="",
        m=0,
        numerator=math.nan,
        denominator=math.nan,
        reason="" if known else NO_END,
    )
