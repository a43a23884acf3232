"""`ru_map()`: any releases of one data set on one map of risk and utility."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Any, Hashable, Mapping

import numpy as np
import pandas as pd

from ..arguments import check_number, check_whole, chosen_columns, column_named, random_generator
from ..disclosure.api import disclosure
from ..errors import InputError
from ..estimation.evaluation import read_estimands
from ..frames import check_frame, unknown_name
from ..matching import identification_risk
from . import intervals
from .candidates import Candidate, read_candidates
from .carried_risk import CarriedRisk
from .classes import read_variable, special_numbers
from .disclosure_measures import DisclosureMeasure, DisclosureRuns
from .intervals import Interval
from .match_measure import MatchMeasure
from .measures import Evaluator, Measure, OwnMeasure, Reading, Role
from .propensity import MOST_PARAMETERS
from .results import Figure, RUMap
from .utility import CLASSES, check_orders, compared_columns
from .utility_measures import ORDERS, CodedTables, OverlapMeasure, PropensityMeasure, TableDistance

RISKS = ("repU", "DiSCO", "expected_match_rate", "IR")
UTILITIES = ("tvd", "tvd1", "tvd2", "S_pMSE", "S_pMSE2", "ci_overlap")
SET_BY_MAP = ("object", "data", "original", "synthetic", "keys", "known", "synthesised", "target", "compat", "print_flag")


def ru_map(
    original: pd.DataFrame,
    candidates: Mapping[str, Any],
    *,
    keys: Any = None,
    target: Any = None,
    risk: Any = "repU",
    utility: Any = "tvd",
    variables: Any = None,
    estimands: Any = None,
    classes: int = CLASSES,
    cont_na: Mapping[Any, Any] | None = None,
    aligned: Any = None,
    bootstrap: int = 0,
    level: float = 0.95,
    seed: Any = None,
    disclosure_options: Mapping[str, Any] | None = None,
    matching_options: Mapping[str, Any] | None = None,
    most_parameters: int = MOST_PARAMETERS,
) -> RUMap:
    """Risk and utility of several releases of the same data, each figure with its unit, direction and interval.

    There is no overall score: what a percentage point of risk is worth is for you to say. What the map can tell is which releases need not be considered, because another one is
    both safer and more useful (`RUMap.front`, `RUMap.dominated`).

    Parameters
    ----------
    original : DataFrame
        The original data. Never changed.
    candidates : dictionary of names and releases. A release is a DataFrame, a SynDS, an object whose ``.data`` is a DataFrame (such as what `ifpr` returns), a list
        of these that are released together (m syntheses), or `Runs` of a mask, one of which would be released.
    keys : names or positions (from 1) of the columns an intruder may know; needed by all risk measures of the package.
    target : name or position of the column to be learnt; needed by "DiSCO".
    risk : one measure or several:

        - "repU": replicated uniques, % of original records that are unique both in the original and in the release, by the keys;
        - "DiSCO": % of original records whose target the release gives away, and rightly. Both are those of ``disclosure(compat="corrected")``;
        - "expected_match_rate": % of original records that an intruder who knows the keys is expected to match rightly (`identification_risk`). Only for candidates whose rows are those of the
          original (see `aligned`); keys that the release leaves unchanged are taken as known, the others as synthesised;
        - "IR": highest chance of a right match by the design of an IFPR release. Only for what `ifpr` returns, made from `original` for these `keys`, and for one file: a list of releases, which
          an intruder can compare, has none; of `Runs` the worst is taken;
        - a `Measure` of your own.
    utility : one measure or several:

        - "tvd": mean total variation distance of all one- and two-way tables (`table_utility`); "tvd1", "tvd2": of one-way, or two-way, tables only;
        - "S_pMSE": standardised propensity score mean squared error of a main effects model (`propensity_utility`); "S_pMSE2": with all products of two variables;
        - "ci_overlap": mean overlap of confidence intervals of `estimands` (`estimand_overlap`);
        - a `Measure` of your own.
    variables : columns that utility is measured on; all that the original and every candidate have unless given.
    estimands : what users will estimate, for "ci_overlap": one or several functions of a frame that return estimates and variances ``(q, v)``, such as `Means`,
        `Proportions` and `Regression`; a mapping gives them names. A release from which one of them cannot be estimated has no figure, and the map says so.
    classes : numbers are put into about so many classes for tables, see `table_utility`.
    cont_na : special values of numeric columns, as in ``{"income": -8}``, kept apart in tables and propensity models. Unless given, what any SynDS among the candidates brings
        is used for all.
    aligned : which candidates have the rows of the original, in the same order: names, True for all, False for none. Unless given, those with the index of the original and at
        least one column, of more than one value, that is the same in every row.
    bootstrap : resamples of records for candidates of one data set, which have no intervals otherwise; 200 is a good number. Rows of aligned candidates are resampled together with the
        original's.
    level : of the intervals, and of the confidence intervals of "ci_overlap".
    seed : whole number or numpy.random.Generator, for the bootstrap.
    disclosure_options, matching_options : further arguments of `disclosure`, such as ``{"ngroups_keys": [0, 8]}``, and of `identification_risk`, such as ``{"intervals": {"age": 2}}``.
    most_parameters : refuse larger propensity models.

    Returns
    -------
    RUMap

    Notes
    -----
    Intervals. m data sets: mean ± t(m - 1) sd / sqrt(m), how far the figure would move if the release were made again, the original being what it is; for "ci_overlap" and
    "expected_match_rate", which are made from all sets together, the jackknife over the sets. One data set with `bootstrap`: value ± z sd over resamples of records. They are cut off where a measure ends.

    Examples
    --------
    Six people, f in B and m in A are alone. Released as they are, and with everybody's town drawn anew:

    >>> people = pd.DataFrame({"sex": list("fffmmm"), "town": list("AABABB"), "job": list("xyzxyz")})
    >>> anew = people.assign(town=list("AAABBB"))
    >>> result = ru_map(people, {"as it is": people, "anew": anew}, keys=["sex", "town"])
    >>> result.table.round(2)
               repU   tvd
    as it is  33.33  0.00
    anew       0.00  0.11
    >>> result.front()
    ['as it is', 'anew']
    """
    request = _checked(original, candidates, keys, target, variables, estimands, classes, cont_na, aligned, level, disclosure_options, matching_options, most_parameters)
    evaluators: list[tuple[Role, Evaluator]] = [("risk", e) for e in _evaluators("risk", risk, request)]
    evaluators += [("utility", e) for e in _evaluators("utility", utility, request)]
    _check_labels(evaluators)
    runs, generator = check_whole("bootstrap", bootstrap), random_generator(seed)
    figures = [_figure(role, e, c, request.level, runs, generator) for c in request.candidates for role, e in evaluators]
    left_out = tuple(name for name in original.columns if name not in request.variables) if variables is None else ()
    about = tuple((role, e.about) for role, e in evaluators)
    return RUMap(tuple(figures), about, request.keys, request.target, request.variables, left_out, len(original), request.level)


# ---- arguments ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that measures are made of, checked. `shared` keeps what several measures use."""

    original: pd.DataFrame
    candidates: tuple[Candidate, ...]
    keys: tuple[Hashable, ...]
    target: Hashable | None
    variables: tuple[Hashable, ...]
    special: dict[Hashable, tuple[float, ...]]
    estimands: Any
    classes: int
    level: float
    disclosure_options: Mapping[str, Any]
    matching_options: Mapping[str, Any]
    most_parameters: int
    shared: dict[str, Any] = field(default_factory=dict)


def _checked(
    original: Any, candidates: Any, keys: Any, target: Any, variables: Any, estimands: Any, classes: Any, cont_na: Any, aligned: Any, level: Any, disclosing: Any, matching: Any,
    most_parameters: Any,
) -> Request:  # fmt: skip
    check_frame(original, "original")
    if not len(original):
        raise InputError("original: has no rows; there is nobody to protect")
    columns = list(original.columns)
    names = tuple(chosen_columns("keys", keys, columns, "the original data")) if keys is not None else ()
    goal = None if target is None else column_named("target", target, columns)
    if goal is not None and goal in names:
        raise InputError(f"target: {goal!r} is also one of the keys; a target cannot be a key")
    needed = [("keys", name) for name in names] + ([("target", goal)] if goal is not None else [])
    read = read_candidates(candidates, original, needed, aligned)
    frames, places = [frame for c in read for frame in c.sets], [place for c in read for place in c.places()]
    for _, name in needed:
        read_variable(name, [original, *frames], ["the original data", *places])
    compared = tuple(compared_columns("variables", variables, original, frames, places))
    brought = {name: values for c in read for name, values in c.cont_na.items() if name in columns} if cont_na is None else cont_na
    special = {name: values for name, values in special_numbers(brought, columns).items() if name in compared}
    level = check_number("level", level, 0, 1, open_low=True, open_high=True)
    options = _options("disclosure_options", disclosing, disclosure, SET_BY_MAP), _options("matching_options", matching, identification_risk, SET_BY_MAP)
    return Request(original, read, names, goal, compared, special, estimands, check_whole("classes", classes, 2), level, *options, check_whole("most_parameters", most_parameters, 1))


def _options(argument: str, options: Any, function: Any, taken: tuple[str, ...]) -> dict[str, Any]:
    """Arguments passed on to a function: those it has, apart from the ones that the map itself gives."""
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise InputError(f"{argument}: {options!r} is not a mapping; give arguments of {function.__name__}() by name")
    choices = [name for name in inspect.signature(function).parameters if name not in taken]
    for name in options:
        if name in taken:
            raise InputError(f"{argument}: {name!r} is set by the map itself; choices: {', '.join(choices)}")
        if name not in choices and "grouping_style" not in choices:
            raise unknown_name(argument, name, choices, f"the arguments of {function.__name__}()")
    return dict(options)


def _evaluators(role: Role, given: Any, request: Request) -> list[Evaluator]:
    wanted = list(given) if isinstance(given, (list, tuple)) else [given]
    if not wanted:
        raise InputError(f"{role}: no measure given; choices: {', '.join(RISKS if role == 'risk' else UTILITIES)}, or a Measure of your own")
    return [_evaluator(role, measure, request) for measure in wanted]


def _evaluator(role: Role, measure: Any, request: Request) -> Evaluator:
    if isinstance(measure, Measure):
        return OwnMeasure(measure, request.original)
    names, make = (RISKS, _risk) if role == "risk" else (UTILITIES, _utility)
    if isinstance(measure, str) and measure in names:
        return make(measure, request)
    if callable(measure):
        raise InputError(f"{role}: a bare function says neither its unit nor its direction; give Measure('its name', function, unit='...', better='lower')")
    other = UTILITIES if role == "risk" else RISKS
    hint = f" ({measure!r} measures {'utility' if role == 'risk' else 'risk'})" if measure in other else ""
    raise InputError(f"{role}: {measure!r} is unknown{hint}; choices: {', '.join(map(repr, names))}, or a Measure of your own")


def _risk(name: str, request: Request) -> Evaluator:
    if not request.keys:
        raise InputError(f"keys: none given, but {name} is about what an intruder knows; choices: {', '.join(map(str, request.original.columns))}")
    if name == "IR":
        return CarriedRisk(request.original, request.keys)
    if name == "expected_match_rate":
        return MatchMeasure(request.original, request.keys, request.matching_options)
    target = request.target
    if name == "DiSCO" and target is None:
        raise InputError("target: none given, but DiSCO is about a target that may be learnt; name a column that is no key")
    if "disclosure" not in request.shared:
        special = {c: v for c, v in request.special.items() if c in (*request.keys, target)}
        grouped = any(option.startswith("ngroups") for option in request.disclosure_options)
        options = ({"cont_na": special} if grouped and special else {}) | dict(request.disclosure_options)
        request.shared["disclosure"] = DisclosureRuns(request.original, request.keys, target, options)
    return DisclosureMeasure(name, request.shared["disclosure"])


def _utility(name: str, request: Request) -> Evaluator:
    if name in ORDERS:
        check_orders(ORDERS[name] if name != "tvd" else 1, len(request.variables))
        if "tables" not in request.shared:
            request.shared["tables"] = CodedTables(request.original, request.candidates, request.variables, request.classes, request.special)
        return TableDistance(name, request.shared["tables"])
    if name == "ci_overlap":
        if request.estimands is None:
            raise InputError("estimands: none given, but ci_overlap is about what users estimate; give for instance [Means('age'), Proportions('sex')] of synthpop_py.estimation")
        return OverlapMeasure(read_estimands(request.estimands, request.original), request.original, request.level)
    return PropensityMeasure(name, request.original, request.variables, request.special, request.most_parameters)


def _check_labels(evaluators: list[tuple[Role, Evaluator]]) -> None:
    labels = [e.about.label for _, e in evaluators]
    twice = [label for i, label in enumerate(labels) if label in labels[:i]]
    if twice:
        raise InputError(f"risk, utility: {twice[0]!r} is given more than once; give each measure once, and your own measures labels of their own")


# ---- figures --------------------------------------------------------------------------------------------------------------


def _figure(role: Role, evaluator: Evaluator, candidate: Candidate, level: float, runs: int, generator: np.random.Generator) -> Figure:
    reading = evaluator.read(candidate)
    interval = _interval(evaluator, candidate, reading, level, runs, generator)
    interval = intervals.within(interval, evaluator.about.low, evaluator.about.high)
    return Figure(
        candidate.name, evaluator.about.label, role, reading.value, interval.low, interval.high, interval.method, candidate.m, reading.numerator, reading.denominator, reading.reason
    )  # fmt: skip


def _interval(evaluator: Evaluator, candidate: Candidate, reading: Reading, level: float, runs: int, generator: np.random.Generator) -> Interval:
    if reading.reason:
        return intervals.none(reading.reason)
    if reading.exact:
        return intervals.exact(reading.value)
    if reading.without_one:
        return intervals.from_leaving_out(reading.value, reading.without_one, level)
    if len(reading.by_set) > 1:
        return intervals.from_sets(reading.by_set, level)
    if runs > 1:
        return intervals.from_resamples(reading.value, evaluator.resample(candidate, runs, generator), level)
    return intervals.none("one data set, no bootstrap")
