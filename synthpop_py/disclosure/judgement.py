"""R's result with the right one beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..errors import InputError
from ..r.reading import VERSIONS, Mode, Reading, reproduced
from .findings import changes_between, findings
from .options import Request
from .result import DefectFinding, Disclosure, build
from .run import Outcome, run
from .source import Source


def disclose(
    source: Source, request: Request, call: str, begin: Callable[[int], None] | None = None
) -> Disclosure:
    """The result under the mode asked for and, where a defect of R moved a figure, which one, and
    the right result. `begin` is told the number of each synthesis.
    """
    source.warn_of_strangers(
        {
            request.target: request.groups_target,
            **dict(zip(request.asked_keys, request.groups_keys)),
        }
    )
    outcome = run_as(source, request, reproduced(request.mode), begin)
    result = _built(outcome, request, call, request.mode)
    seen = outcome.compat.touched
    return _with_right_figures(result, source, request, seen) if seen else result


def run_as(
    source: Source,
    request: Request,
    active: frozenset[str],
    begin: Callable[[int], None] | None = None,
) -> Outcome:
    """One run that reproduces the `active` defects of R."""
    return run(request, source, Reading(active, VERSIONS[request.mode]), begin)


def _built(outcome: Outcome, request: Request, call: str, mode: Mode) -> Disclosure:
    return build(outcome, mode=mode, digits=request.digits, to_print=request.to_print, call=call)


def _with_right_figures(
    result: Disclosure, source: Source, request: Request, seen: set[str]
) -> Disclosure:
    """Nothing is run twice unless a defect mattered."""

    def again(active: frozenset[str]) -> Disclosure:
        return _built(
            run_as(source, request, active),
            request,
            result.call,
            request.mode if active else "corrected",
        )

    try:
        right = again(frozenset())
    except (
        InputError
    ) as error:  # an argument that fits only because R gave another one to the wrong key
        found = tuple(
            DefectFinding(
                d, ((0, f"under the corrected reading this call is invalid: {error}", None, None),)
            )
            for d in sorted(seen)
        )
        return replace(result, defects=found)
    # cells in R's reading may not be what the data hold
    result = replace(result, _correct_rows=right._counted_rows())
    moved = changes_between(result, right)
    if not moved:
        return result
    found = findings(
        seen,
        moved,
        lambda defect: changes_between(again(reproduced(request.mode) - {defect}), result),
    )
    return replace(result, defects=found, corrected=right)
