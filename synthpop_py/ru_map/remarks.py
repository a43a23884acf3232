"""Remarks on the releases of a map, besides their figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..errors import some
from ..results import Disclosure
from .candidates import Candidate
from .disclosure_measures import DisclosureMeasure
from .measures import About, Role
from .request import MapRequest
from .result import ReleaseFacts

EXCLUSIONS = "disclosure_options leave out"  # how the remark on them begins


def facts_of_releases(
    request: MapRequest, measures: Sequence[tuple[Role, About]], runs: int
) -> tuple[ReleaseFacts, ...]:
    """Rows, lacking columns and remarks of each release; `runs` is the number of resamples."""
    labels = {about.label for _, about in measures}
    columns = list(request.original.columns)
    releases = []
    for candidate in request.candidates:
        remarks = []
        resampled = runs > 0 and candidate.m == 1
        if candidate.same and (resampled or "expected_match_rate" in labels):
            remarks.append(_taken_as_aligned(candidate))
        if "repU" in labels or "repU_any" in labels:
            remarks += request.repetition.remarks(candidate)
        # a user who names the variables knows what is left out
        added = [] if request.chosen else candidate.adds(columns)
        if added:
            remarks.append(f"not compared, because the original lacks it: {some(added)}")
        facts = ReleaseFacts(
            candidate=candidate.name,
            rows=candidate.records(),
            together=candidate.together,
            lacks=tuple(candidate.lacks(request.variables)),
            remarks=tuple(remarks),
        )
        releases.append(facts)
    return tuple(releases)


def _taken_as_aligned(candidate: Candidate) -> str:
    verb = "is" if len(candidate.same) == 1 else "are"
    return (
        f"rows taken as those of the original, because {some(candidate.same)} {verb} the same in"
        " every row (see aligned)"
    )


def remarks_on_all(request: MapRequest) -> tuple[str, ...]:
    """What holds for every release: columns that none has, special values that some brought."""
    remarks = []
    if request.left_out:
        them = "it" if len(request.left_out) == 1 else "them"
        remarks.append(
            f"No release has {some(request.left_out)}: utility says nothing about {them}."
        )
    brought = _special_values_in_use(request)
    if brought:
        remarks.append(
            f"Special values, kept apart in all releases: {', '.join(brought)}. Another cont_na"
            " replaces them."
        )
    return tuple(remarks)


def remarks_on_exclusions(evaluators: Iterable[tuple[Role, Any]]) -> tuple[str, ...]:
    """How many people repU and DiSCO leave out, if options of disclosure() exclude some."""
    for _, evaluator in evaluators:
        if isinstance(evaluator, DisclosureMeasure):
            for result in evaluator.runs.by_candidate.values():
                if isinstance(result, Disclosure):
                    return _left_out(result)
    return ()


def _left_out(result: Disclosure) -> tuple[str, ...]:
    tidy = result.tidy()
    first = tidy[(tidy["synthesis"] == 1) & (tidy["measure"] == "DiSCO")].iloc[0]
    number = int(first["left_out"])
    if not number:
        return ()
    return (
        f"{EXCLUSIONS} {number:,} of {result.Norig:,} people; repU and DiSCO are still"
        " in % of all of them.",
    )


def _special_values_in_use(request: MapRequest) -> list[str]:
    """Each special value that a release has for a column in use, with the name of the release."""
    used = (*request.variables, *request.keys, request.target)
    texts = []
    for name, values in request.brought.items():
        if name not in used:
            continue
        for value, releases in values.items():
            texts.append(f"{name} {value:g} ({some(releases)})")
    return texts
