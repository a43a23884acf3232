"""From the names of measures to the objects that compute them."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..arguments import check_groups, check_style, per_key
from ..disclosure import disclosure
from ..errors import InputError
from ..estimation.evaluation import read_estimands
from ..tables.frames import not_collected
from ..tables.opening import is_in_memory
from ..utility.table_distances import check_orders
from ..utility.variables import special_numbers
from .carried_risk import CarriedRisk
from .disclosure_measures import DisclosureMeasure, DisclosureRuns
from .key_classes import ClassesAsked
from .match_measure import MatchMeasure
from .measures import Evaluator, Measure, OwnMeasure, RecordMeasure, Role
from .request import MapRequest
from .utility_measures import ORDERS, CodedTables, OverlapMeasure, PropensityMeasure, TableDistance

NAMES: dict[Role, tuple[str, ...]] = {
    "risk": ("repU", "DiSCO", "repU_any", "DiSCO_any", "expected_match_rate", "IR"),
    "utility": ("tvd", "tvd1", "tvd2", "S_pMSE", "S_pMSE2", "ci_overlap"),
}
# measures that need only counts, wherever the records are
COUNTED = ("repU", "DiSCO", "repU_any", "DiSCO_any", "tvd", "tvd1", "tvd2")
OTHER_ROLE: dict[Role, Role] = {"risk": "utility", "utility": "risk"}


def usual_risks(request: MapRequest) -> list[str]:
    """The default risks of a map."""
    return ["repU"] if request.target is None else ["DiSCO", "repU"]


def evaluators_of(risk: Any, utility: Any, request: MapRequest) -> list[tuple[Role, Evaluator]]:
    """All measures asked for, with their roles, the risks first."""
    shared = SharedWork(request)
    asked: dict[Role, Any] = {"risk": risk, "utility": utility}
    evaluators: list[tuple[Role, Evaluator]] = []
    for role, measures in asked.items():
        for measure in _several(role, measures):
            evaluators.append((role, _evaluator(role, measure, shared)))
    _check_labels([evaluator.about.label for _, evaluator in evaluators])
    return evaluators


@dataclass(frozen=True)
class SharedWork:
    """What several measures of a map share, made on first use."""

    request: MapRequest

    @cached_property
    def disclosure_runs(self) -> DisclosureRuns:
        """disclosure() with its arguments for classes taken out: the map makes the classes itself,
        from the original alone.
        """
        request = self.request
        options = dict(request.disclosure_options)
        return DisclosureRuns(
            original=request.original,
            keys=request.keys,
            target=request.target,
            classes=_classes_asked(options, request),
            options=options,
        )

    @cached_property
    def tables(self) -> CodedTables:
        request = self.request
        return CodedTables(
            original=request.original,
            candidates=tuple(c for c in request.candidates if not c.lacks(request.variables)),
            variables=request.variables,
            classes=request.classes,
            special=request.special,
        )


def _classes_asked(options: dict[str, Any], request: MapRequest) -> ClassesAsked:
    """What the options say about classes; they are taken out of the options."""
    of_keys = options.pop("ngroups_keys", None)
    numbers = per_key("ngroups_keys", of_keys, request.keys, check_groups)
    groups = dict(zip(request.keys, numbers))
    of_target = check_groups("ngroups_target", options.pop("ngroups_target", None))
    if request.target is not None:
        groups[request.target] = of_target
    special = special_numbers(options.pop("cont_na", None), list(request.original.columns))
    # disclosure() passes arguments that are not its own to the function that makes classes
    arguments = inspect.signature(disclosure).parameters
    style = {name: options.pop(name) for name in list(options) if name not in arguments}
    return ClassesAsked(groups, request.special | special, check_style(style))


def _several(role: Role, measures: Any) -> list[Any]:
    """The measures asked for, one or several, as a list."""
    if not isinstance(measures, (list, tuple)):
        return [measures]
    if not measures:
        raise InputError(
            f"{role}: is empty; choices: {', '.join(NAMES[role])}, or a Measure of your own"
        )
    return list(measures)


def _evaluator(role: Role, measure: Any, shared: SharedWork) -> Evaluator:
    own = isinstance(measure, Measure)
    if not own and (not isinstance(measure, str) or measure not in NAMES[role]):
        raise _unknown_measure(role, measure)
    if measure in COUNTED:
        return _risk(measure, shared) if role == "risk" else _utility(measure, shared)
    label = measure.label if own else measure
    original = shared.request.original
    _check_collected(role, label, original)
    if own:
        return RecordMeasure(OwnMeasure(measure, original))
    evaluator = _risk(measure, shared) if role == "risk" else _utility(measure, shared)
    return RecordMeasure(evaluator)


def _check_collected(role: Role, label: str, original: Any) -> None:
    """Raise an error if a measure needs single records and the original's are in an engine."""
    if is_in_memory(original):
        return
    counted = ", ".join(name for name in NAMES[role] if name in COUNTED)
    reason = not_collected(original, "original")
    raise InputError(f"{role}: {label!r} needs single records. {reason}, or use {counted}")


def _unknown_measure(role: Role, measure: Any) -> InputError:
    if callable(measure):
        return InputError(
            f"{role}: a bare function says neither its unit nor its direction; give Measure('its"
            " name', function, unit='...', better='lower')"
        )
    other = OTHER_ROLE[role]
    hint = f" ({measure!r} measures {other})" if measure in NAMES[other] else ""
    return InputError(
        f"{role}: {measure!r} is unknown{hint}; choices: {', '.join(map(repr, NAMES[role]))}, or a"
        " Measure of your own"
    )


def _risk(name: str, shared: SharedWork) -> Evaluator:
    request = shared.request
    if not request.keys:
        raise InputError(
            f"keys: is not given, but {name} is about what an intruder knows; choices:"
            f" {', '.join(map(str, request.original.columns))}"
        )
    if name == "IR":
        return CarriedRisk(request.original, request.keys)
    if name == "expected_match_rate":
        return MatchMeasure(request.original, request.keys, request.matching_options)
    if name.startswith("DiSCO") and request.target is None:
        raise InputError(
            f"target: is not given, but {name} is about a target that may be learnt; name a "
            "column that is not a key"
        )
    return DisclosureMeasure(name, shared.disclosure_runs, request.repetition)


def _utility(name: str, shared: SharedWork) -> Evaluator:
    request = shared.request
    if name in ORDERS:
        # "tvd" takes what tables there are: of one variable it is the one-way table
        needed = 1 if name == "tvd" else ORDERS[name]
        check_orders(needed, len(request.variables))
        return TableDistance(name, shared.tables)
    if name == "ci_overlap":
        return _overlap(request)
    return PropensityMeasure(
        name=name,
        original=request.original,
        variables=request.variables,
        special=request.special,
        most_parameters=request.most_parameters,
    )


def _overlap(request: MapRequest) -> OverlapMeasure:
    if request.estimands is None:
        raise InputError(
            "estimands: is not given, but ci_overlap is about what users estimate; give for"
            " instance [Means('age'), Proportions('sex')] of synthpop_py.estimation"
        )
    estimands = read_estimands(request.estimands, request.original)
    return OverlapMeasure(estimands, request.original, request.level)


def _check_labels(labels: Sequence[str]) -> None:
    for number, label in enumerate(labels):
        if label in labels[:number]:
            raise InputError(
                f"risk, utility: {label!r} is given more than once; give each measure once, "
                "and your own measures different labels"
            )
