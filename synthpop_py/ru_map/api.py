"""`ru_map()`: any releases of one data set on one map of risk and utility."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_groups, check_whole, per_key, random_generator
from ..disclosure.api import disclosure
from ..disclosure.options import check_style
from ..errors import InputError
from ..estimation.evaluation import read_estimands
from ..names import some
from ..ru_map import intervals
from ..spellings import r_names_too
from ..utility.propensity import MOST_PARAMETERS
from ..utility.tables import CLASSES, check_orders
from ..utility.variables import special_numbers
from .candidates import Candidate
from .carried_risk import CarriedRisk
from .disclosure_measures import DisclosureMeasure, DisclosureRuns
from .intervals import Interval
from .match_measure import MatchMeasure
from .measures import Evaluator, Measure, OwnMeasure, Reading, Role
from .request import Request, checked_request
from .result import ONE_SET, Figure, Release, RUMap
from .utility_measures import ORDERS, CodedTables, OverlapMeasure, PropensityMeasure, TableDistance

RISKS = ("repU", "DiSCO", "repU_any", "DiSCO_any", "expected_match_rate", "IR")
UTILITIES = ("tvd", "tvd1", "tvd2", "S_pMSE", "S_pMSE2", "ci_overlap")


@r_names_too()
def ru_map(
    synthetic: Mapping[str, Any],
    original: pd.DataFrame,
    *,
    keys: Any = None,
    target: Any = None,
    risk: Any = None,
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
    """Risk and utility of several releases of the same data, each figure with its unit, direction
    and interval.

    There is no overall score: what a percentage point of risk is worth is for you to say. What the
    map can tell is which releases need not be considered, because another one is both safer and
    more useful (`RUMap.front`, `RUMap.dominated`).

    Parameters
    ----------
    synthetic : the candidates, a dictionary of names and releases. A release is a DataFrame, a
        SynDS, an object whose ``.data`` is a DataFrame (such as what `ifpr` returns), a list of
        these that are released together (m syntheses), or `Runs` of a mask, one of which would be
        released. By name also ``object=``.
    original : DataFrame
        The original data. Never changed. By name also ``data=``.
    keys : names or positions (from 1) of the columns an intruder may know; needed by all risk
        measures of the package.
    target : name or position of the column to be learnt; needed by "DiSCO".
    risk : one measure or several; unless given "DiSCO" and "repU" where there is a target, and
        "repU" alone, which sees less, where there is none:

        - "repU": replicated uniques, % of original records that are unique both in the original and
          in the release, by the keys;
        - "DiSCO": % of original records whose target value the release reveals correctly. Both are
          those of ``disclosure(compat="corrected")``, for several files the mean over them;
        - "repU_any", "DiSCO_any": the same in at least one of the files that are released together,
          so of `Runs` and of one file no other figure;
        - "expected_match_rate": % of original records that an intruder who knows the keys is
          expected to match correctly (`identification_risk`). Only for candidates whose rows are
          those of the
          original (see `aligned`); keys that the release leaves unchanged are taken as known, the
          others as synthesised;
        - "IR": highest chance of a right match by the design of an IFPR release. Only for what
          `ifpr` returns, made from `original` for these `keys`, and for one file: a list of
          releases, which
          an intruder can compare, has none; of `Runs` the worst is taken;
        - a `Measure` of your own.
    utility : one measure or several:

        - "tvd": mean total variation distance of all one- and two-way tables (`table_utility`);
          "tvd1", "tvd2": of one-way, or two-way, tables only;
        - "S_pMSE": standardised propensity score mean squared error of a main effects model
          (`propensity_utility`); "S_pMSE2": with all products of two variables;
        - "ci_overlap": mean overlap of confidence intervals of `estimands` (`estimand_overlap`);
        - a `Measure` of your own.
    variables : columns that utility is measured on. Unless given, all of the original that any
        candidate has: a candidate that lacks one of them has no "tvd" and no "S_pMSE", because what
        is left out would look like perfect. Give those that all have to compare it all the same.
    estimands : what users will estimate, for "ci_overlap": one or several functions of a frame that
        return estimates and variances ``(q, v)``, such as `Means`, `Proportions` and `Regression`;
        a mapping gives them names. A release from which one of them cannot be estimated has no
        figure, and the map says so.
    classes : approximate number of classes that numbers are put into for tables, see
        `table_utility`.
    cont_na : special values of numeric columns, as in ``{"income": -8}``, kept apart in tables,
        propensity models and classes. Unless given, those that any SynDS on the map brings, all of
        them for all releases, so that every figure is about the same classes; the map says which
        they are and who brought them. ``{}`` for none.
    aligned : which candidates have the rows of the original, in the same order: names, True for
        all, False for none. Unless given, those with the index of the original and several columns
        (or one of many values) that are the same in every row although the file is not sorted by
        them; the map says which.
    bootstrap : for candidates of one data set, which have no intervals otherwise: shares of records
        get Clopper and Pearson's interval, which needs no resampling; utilities of aligned
        candidates, and measures of your own, are computed in so many resamples of records, 200 is a
        good number. Utilities of other candidates stay without.
    level : of the intervals, and of the confidence intervals of "ci_overlap".
    seed : whole number or numpy.random.Generator, for the bootstrap.
    disclosure_options, matching_options : further arguments of `disclosure`, such as
        ``{"ngroups_keys": [0, 8]}`` (classes are made from the original alone, values beyond it
        belong to the first or last one, so that all releases meet the same classes), and of
        `identification_risk`, such as ``{"intervals": {"age": 2}}``.
    most_parameters : refuse larger propensity models.

    Returns
    -------
    RUMap

    Notes
    -----
    Intervals. Several data sets released together: mean ± t(m - 1) sd / sqrt(m), how far the mean
    would move if the release were made again, the original being what it is; for figures that are
    made from all sets together ("ci_overlap", "expected_match_rate", "repU_any", "DiSCO_any") the
    jackknife over the sets. `Runs`: mean ± t(m - 1) sd sqrt(1 + 1/m), where the one run that is
    released would be. One data set: see `bootstrap`; who is unique or revealed is taken as it is,
    so with other people the figure can move half as much again. They are cut off where a measure
    ends.

    Examples
    --------
    Six people, f in B and m in A are alone. Released as they are, and with everybody's town drawn
    anew:

    >>> people = pd.DataFrame({"sex": list("fffmmm"), "town": list("AABABB")})
    >>> people = people.assign(job=list("xyzxyz"))
    >>> anew = people.assign(town=list("AAABBB"))
    >>> result = ru_map({"as it is": people, "anew": anew}, people, keys=["sex", "town"])
    >>> result.table.round(2)
               repU   tvd
    as it is  33.33  0.00
    anew       0.00  0.11
    >>> result.front()
    ['as it is', 'anew']
    """
    request = checked_request(
        synthetic,
        original,
        keys,
        target,
        variables,
        estimands,
        classes,
        cont_na,
        aligned,
        level,
        disclosure_options,
        matching_options,
        most_parameters,
    )
    runs, generator = _resamples(bootstrap), random_generator(seed)
    wanted = (
        (["DiSCO", "repU"] if request.target is not None else ["repU"]) if risk is None else risk
    )
    evaluators: list[tuple[Role, Evaluator]] = [
        ("risk", e) for e in _evaluators("risk", wanted, request)
    ]
    evaluators += [("utility", e) for e in _evaluators("utility", utility, request)]
    _check_labels(evaluators)
    figures = [
        _figure(role, e, c, request.level, runs, generator)
        for c in request.candidates
        for role, e in evaluators
    ]
    about = tuple((role, e.about) for role, e in evaluators)
    return RUMap(
        tuple(figures),
        about,
        _releases(request, [a.label for _, a in about], runs),
        request.keys,
        request.target,
        request.variables,
        request.left_out,
        len(original),
        request.level,
        _remarks(request),
    )


def _resamples(bootstrap: Any) -> int:
    runs = check_whole("bootstrap", bootstrap)
    if runs == 1:
        raise InputError(
            "bootstrap: 1 resample has no spread; give 0 for none, or several, such as 200"
        )
    return runs


# ---- measures ------------------------------------------------------------------------


def _evaluators(role: Role, given: Any, request: Request) -> list[Evaluator]:
    wanted = list(given) if isinstance(given, (list, tuple)) else [given]
    if not wanted:
        raise InputError(
            f"{role}: no measure given; choices:"
            f" {', '.join(RISKS if role == 'risk' else UTILITIES)}, or a Measure of your own"
        )
    return [_evaluator(role, measure, request) for measure in wanted]


def _evaluator(role: Role, measure: Any, request: Request) -> Evaluator:
    if isinstance(measure, Measure):
        return OwnMeasure(measure, request.original)
    names, make = (RISKS, _risk) if role == "risk" else (UTILITIES, _utility)
    if isinstance(measure, str) and measure in names:
        return make(measure, request)
    if callable(measure):
        raise InputError(
            f"{role}: a bare function says neither its unit nor its direction; give Measure('its"
            " name', function, unit='...', better='lower')"
        )
    other = UTILITIES if role == "risk" else RISKS
    hint = (
        f" ({measure!r} measures {'utility' if role == 'risk' else 'risk'})"
        if measure in other
        else ""
    )
    raise InputError(
        f"{role}: {measure!r} is unknown{hint}; choices: {', '.join(map(repr, names))}, or a"
        " Measure of your own"
    )


def _risk(name: str, request: Request) -> Evaluator:
    if not request.keys:
        raise InputError(
            f"keys: none given, but {name} is about what an intruder knows; choices:"
            f" {', '.join(map(str, request.original.columns))}"
        )
    if name == "IR":
        return CarriedRisk(request.original, request.keys)
    if name == "expected_match_rate":
        return MatchMeasure(request.original, request.keys, request.matching_options)
    target = request.target
    if name.startswith("DiSCO") and target is None:
        raise InputError(
            f"target: none given, but {name} is about a target that may be learnt; name a column"
            " that is no key"
        )
    if "disclosure" not in request.shared:
        request.shared["disclosure"] = _disclosure_runs(request)
    return DisclosureMeasure(name, request.shared["disclosure"], request.repetition())


def _disclosure_runs(request: Request) -> DisclosureRuns:
    """disclosure() with its arguments for classes taken out: the map makes the classes itself, from
    the original alone.
    """
    options, target = dict(request.disclosure_options), request.target
    numbers = per_key("ngroups_keys", options.pop("ngroups_keys", None), request.keys, check_groups)
    own = check_groups("ngroups_target", options.pop("ngroups_target", None))
    groups = dict(zip(request.keys, numbers)) | ({} if target is None else {target: own})
    special = request.special | special_numbers(
        options.pop("cont_na", None), list(request.original.columns)
    )
    known = inspect.signature(disclosure).parameters
    style = check_style({name: options.pop(name) for name in list(options) if name not in known})
    return DisclosureRuns(request.original, request.keys, target, groups, special, style, options)


def _utility(name: str, request: Request) -> Evaluator:
    if name in ORDERS:
        check_orders(ORDERS[name] if name != "tvd" else 1, len(request.variables))
        if "tables" not in request.shared:
            complete = tuple(c for c in request.candidates if not c.lacks(request.variables))
            request.shared["tables"] = CodedTables(
                request.original, complete, request.variables, request.classes, request.special
            )
        return TableDistance(name, request.shared["tables"])
    if name == "ci_overlap":
        if request.estimands is None:
            raise InputError(
                "estimands: none given, but ci_overlap is about what users estimate; give for"
                " instance [Means('age'), Proportions('sex')] of synthpop_py.estimation"
            )
        return OverlapMeasure(
            read_estimands(request.estimands, request.original), request.original, request.level
        )
    return PropensityMeasure(
        name, request.original, request.variables, request.special, request.most_parameters
    )


def _check_labels(evaluators: list[tuple[Role, Evaluator]]) -> None:
    labels = [e.about.label for _, e in evaluators]
    twice = [label for i, label in enumerate(labels) if label in labels[:i]]
    if twice:
        raise InputError(
            f"risk, utility: {twice[0]!r} is given more than once; give each measure once, and your"
            " own measures labels of their own"
        )


# ---- figures and remarks -------------------------------------------------------------


def _figure(
    role: Role,
    evaluator: Evaluator,
    candidate: Candidate,
    level: float,
    runs: int,
    generator: np.random.Generator,
) -> Figure:
    reading = evaluator.read(candidate)
    interval = _interval(evaluator, candidate, reading, level, runs, generator)
    interval = intervals.within(interval, evaluator.about.low, evaluator.about.high)
    return Figure(
        candidate.name,
        evaluator.about.label,
        role,
        reading.value,
        interval.low,
        interval.high,
        interval.method,
        candidate.m,
        reading.numerator,
        reading.denominator,
        reading.reason,
    )


def _interval(
    evaluator: Evaluator,
    candidate: Candidate,
    reading: Reading,
    level: float,
    runs: int,
    generator: np.random.Generator,
) -> Interval:
    if reading.reason:
        return intervals.none(reading.reason)
    if reading.exact:
        return intervals.exact(reading.value)
    if reading.without_one:
        return intervals.from_leaving_out(reading.value, reading.without_one, level)
    if len(reading.by_set) > 1:
        return (intervals.from_sets if candidate.together else intervals.from_runs)(
            reading.by_set, level
        )
    if not runs:
        return intervals.none(ONE_SET)
    if np.isfinite(reading.numerator):
        return intervals.from_share(reading.numerator, reading.denominator, level)
    drawn = evaluator.resample(candidate, runs, generator)
    return (
        intervals.none(drawn)
        if isinstance(drawn, str)
        else intervals.from_resamples(reading.value, drawn, level)
    )


def _releases(request: Request, labels: list[str], runs: int) -> tuple[Release, ...]:
    """What there is to say about each release besides its figures."""
    made = []
    for c in request.candidates:
        remarks = []
        if c.same and ((runs and c.m == 1) or "expected_match_rate" in labels):
            remarks.append(
                f"rows taken as those of the original, because {some(c.same)}"
                f" {'is' if len(c.same) == 1 else 'are'} the same in every row (see aligned)"
            )
        if any(label in labels for label in ("repU", "repU_any")):
            remarks += request.repetition().remarks(c)
        made.append(
            Release(
                c.name,
                tuple(len(frame) for frame in c.sets),
                c.together,
                tuple(c.lacks(request.variables)),
                tuple(remarks),
            )
        )
    return tuple(made)


def _remarks(request: Request) -> tuple[str, ...]:
    """What there is to say about all of them."""
    remarks = []
    if request.left_out:
        remarks.append(
            f"No release has {some(request.left_out)}: utility says nothing about"
            f" {'it' if len(request.left_out) == 1 else 'them'}."
        )
    used = (*request.variables, *request.keys, request.target)
    brought = [
        f"{name} {value:g} ({some(releases)})"
        for name, values in request.brought.items()
        if name in used
        for value, releases in values.items()
    ]
    if brought:
        remarks.append(
            f"Special values, kept apart in all releases: {', '.join(brought)}. Another cont_na"
            " replaces them."
        )
    return tuple(remarks)
