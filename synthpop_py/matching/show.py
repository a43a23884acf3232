"""What an `IdentificationRisk` says."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

import pandas as pd

from ..arguments import is_number, listed
from ..rounding import part, percent, shown
from ..show.printing import Sections, Table
from ..show.values import column_name, plain
from .belief import Belief
from .knowledge import is_missing
from .options import AttackRequest
from .result import COUNTS, IdentificationRisk

MOST_GROUPS = 20
COUNTED = ("perceived", "expected", "true", "false")
TITLE = "Targets, each original record in turn (higher is riskier, except false and false rate)"
OWN_TITLE = "Targets of the intruder (higher is riskier, except false and false rate)"
MEANINGS = {
    "expected": "correct guesses among the likeliest records, at random where several tie",
    "true": "the one likeliest record is the correct one",
    "false": "the one likeliest record is a wrong one",
    "true_rate": "true, in % of original records",
}


def sections(result: IdentificationRisk, digits: int, to: int = 1) -> Sections:
    """Head, measures, subgroups where asked for, and where to look further. Subgroups add up to all
    targets, which would undo rounding, so they are only in exact views.
    """
    said: list[list[str | Table]] = [list(_head(result, to)), [_measures(result, digits, to)]]
    if result._by is not None and to == 1:
        said.append([_groups(result, digits)])
    said.append([_note(result, to)])
    if result.notes:
        said.append(list(result.notes))
    return said


def headline(result: IdentificationRisk, digits: int, to: int) -> str:
    noun = "records" if result._request.targets is None else "targets"
    expected = f"{result.expected:.{digits}f}" if to == 1 else _part(result, "expected", to)
    return (
        f"An intruder is expected to find {expected} of {part(result.n, to=to)} {noun} correctly;"
        f" of {_part(result, 'true', to)} the one likeliest match is the correct one."
    )


def _head(result: IdentificationRisk, to: int) -> Iterator[str]:
    stages = _stages(result)
    noun = "records" if result._request.targets is None else "targets"
    number = part(result.n, to=to)
    yield f"Identification risk of {number} {noun} in {stages}; attack: {result.attack}"
    if result._request.targets is not None:
        yield from _own_targets(result, to)
    known = _names(result.known)
    synthesised = _names(result.synthesised)
    yield f"Keys released unchanged: {known}; synthesised: {synthesised}; {_membership(result)}"
    near = _near(result._request)
    if result._request.coarsen:
        yield f"Keys known only in groups: {_names(result._request.coarsen)}"
    if near:
        included = "included" if result._request.boundary == "closed" else "excluded"
        yield f"Numeric keys match when near: {near}; boundary {included}"


def _own_targets(result: IdentificationRisk, to: int) -> Iterator[str]:
    """How many of the intruder's targets are in the file, and what is known only in part."""
    inside = f"Targets of the intruder: {_part(result, 'targets_in_file', to)} in the file"
    # the others are the rest, which rounded for itself would say more
    yield inside if to > 1 else f"{inside}, {result.n - result.targets_in_file} not in it"
    statements = _request_statements(result)
    if statements:
        yield f"Known in part (sets of values, or between ends): {_names(statements)}"


def _request_statements(result: IdentificationRisk) -> list[Hashable]:
    targets = result._request.targets
    return [] if targets is None else list(targets.statements)


def _stages(result: IdentificationRisk) -> str:
    sets = _several(result.sets, "synthetic set")
    if result.r is None:
        return sets
    nests = _several(result.m, "nest")
    return f"{sets} in {nests}"


def _several(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _near(request: AttackRequest) -> str:
    """How near numeric keys must be; nothing where all keys must agree exactly."""
    near = [f"{name} {interval}" for name, interval in request.intervals.items()]
    if request.distance is not None:
        columns = _names(request.distance.columns or ())
        near.append(f"{columns}: {request.distance}")
    return "; ".join(near)


def _membership(result: IdentificationRisk) -> str:
    belief = result._request.belief
    if belief.in_file:
        # targets of the intruder's own may not be in it, whatever they believe
        known = "known" if result._request.targets is None else "taken"
        return f"targets {known} to be in the file"
    abstains = ", intruder abstains" if belief.abstain else ""
    return f"targets perhaps not in the file ({_source(belief)}){abstains}"


def _source(belief: Belief) -> str:
    """Where N_t comes from."""
    if belief.model is not None:
        return str(belief.model)
    if belief.units is not None:
        return "N_t given"
    return "survey weights" if belief.weights is not None else "population counts"


def _names(names: Iterable[Hashable]) -> str:
    return ", ".join(map(str, names)) or "none"


def _measures(result: IdentificationRisk, digits: int, to: int) -> Table:
    """The measures with what they count, as texts: counts then have no decimals."""
    if to == 1:
        values = {
            "perceived": str(result.perceived),
            "expected": f"{result.expected:.{digits}f}",
            "true": str(result.true),
            "false": str(result.false),
            "true_rate": _percent(result.true_rate, digits),
            "false_rate": _percent(result.false_rate, digits),
        }
    else:
        values = {name: _part(result, name, to) for name in COUNTED}
        everybody, true, false = _shown(result, to)
        values["true_rate"] = percent(true, everybody, to)
        unique = min(true + false, everybody)
        values["false_rate"] = percent(false, unique, to) or _percent(float("nan"), digits)
    number = str(part(result.n, to=to))
    frame = pd.DataFrame(
        {
            "value": list(values.values()),
            "of": ["" if name.endswith("rate") else number for name in values],
            "meaning": [_meaning(result, name, to) for name in values],
        },
        index=[name.replace("_", " ") for name in values],
    )
    title = TITLE if result._request.targets is None else OWN_TITLE
    return Table(frame, title, prose=("meaning",))


def _part(result: IdentificationRisk, measure: str, to: int) -> Any:
    return part(getattr(result, measure), result.n, to)


def _shown(result: IdentificationRisk, to: int) -> tuple[int, int, int]:
    """All targets, true and false unique matches. Unique matches are taken as their sum: rounded
    for themselves they would say more.
    """
    n = result.n
    return shown(n, n, to=to), shown(result.true, n, to=to), shown(result.false, n, to=to)


def _meaning(result: IdentificationRisk, measure: str, to: int) -> str:
    """What a measure counts, in words."""
    if measure == "perceived":
        return f"highest match probability above {result.threshold:g}"
    if measure == "false_rate":
        number = f"{result.unique_matches} " if to == 1 else ""
        return f"false, in % of the {number}unique matches"
    if measure == "true_rate" and result._request.targets is not None:
        return "true, in % of targets"
    return MEANINGS[measure]


def _percent(share: float, digits: int) -> str:
    return "not defined" if share != share else f"{100 * share:.{digits}f}"


def _groups(result: IdentificationRisk, digits: int) -> Table:
    frame = result.by(result._by)
    noun = "records" if result._request.targets is None else "targets"
    caption = f"By {_names(frame.index.names)} (counts of {noun}; rates are shares)"
    return Table(frame.head(MOST_GROUPS), caption, digits=digits)


def _note(result: IdentificationRisk, to: int) -> str:
    grows = ", .path() how risk grows with the released sets" if result.m > 1 else ""
    see = f"See .records() for every target, .by(...) for subgroups{grows}."
    fallbacks = result._outcomes.fallbacks
    if not (result._request.belief.in_file and fallbacks.any()):
        return see
    some = part(int((fallbacks > 0).sum()), result.n, to)
    return (
        f"Fallback (no record agreed on all keys) was used for {some} of"
        f" {part(result.n, to=to)} targets in some set. {see}"
    )


def content(result: IdentificationRisk) -> dict[str, Any]:
    """Measures and settings; a rate that is not defined is None."""
    figures: dict[str, Any] = {}
    for name in (*COUNTS, "true_rate", "false_rate", "n"):
        value = getattr(result, name)
        figures[name] = None if value != value else value
    if result._request.targets is not None:
        figures["targets_in_file"] = result.targets_in_file
    figures["notes"] = list(result.notes)
    return figures | _settings(result) | _own_settings(result)


def _own_settings(result: IdentificationRisk) -> dict[str, Any]:
    """Settings that appear only if they were given."""
    request = result._request
    settings: dict[str, Any] = {}
    if request.targets is not None:
        settings["known_in_part"] = [column_name(name) for name in request.targets.statements]
    if request.coarsen:
        settings["coarsen"] = {
            column_name(name): _groups_of(rule) for name, rule in request.coarsen.items()
        }
    if request.belief.units is not None or request.belief.model is not None:
        settings["units"] = _source(request.belief)
    return settings


def _groups_of(rule: Any) -> list[Any]:
    """The cut points, or the names of the groups: levels of a mapping are those of the data."""
    if not isinstance(rule, Mapping):
        return [plain(cut) if is_number(cut) else str(cut) for cut in listed(rule)]
    names = ["missing" if is_missing(group) else str(group) for group in rule.values()]
    return list(dict.fromkeys(names))


def _settings(result: IdentificationRisk) -> dict[str, Any]:
    request = result._request
    return {
        "m": result.m,
        "sets": result.sets,
        "attack": result.attack,
        "threshold": result.threshold,
        "r": None if result.r is None else list(result.r),
        "known": [column_name(name) for name in result.known],
        "synthesised": [column_name(name) for name in result.synthesised],
        "intervals": {str(name): str(interval) for name, interval in request.intervals.items()},
        "distance": None if request.distance is None else str(request.distance),
        "boundary": request.boundary,
        "fallback": request.belief.fallback,
        "in_file": request.belief.in_file,
        "abstain": request.belief.abstain,
    }
