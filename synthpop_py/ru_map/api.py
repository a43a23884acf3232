"""`ru_map()`: any releases of one data set on one map of risk and utility."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..arguments import random_generator
from ..errors import found_so_far, warning_once
from ..tables.frames import AnyFrame
from ..tables.opening import number_of_records
from ..utility.propensity import MOST_PARAMETERS
from ..utility.tables import CLASSES
from .anchors import anchor_figures
from .evaluators import evaluators_of, usual_risks
from .figures import Resampling, check_resamples, figure_of
from .remarks import facts_of_releases, remarks_on_all, remarks_on_exclusions
from .request import checked_request
from .result import RUMap


@warning_once
def ru_map(
    synthetic: Mapping[str, Any],
    original: AnyFrame,
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
    anchors: bool = False,
) -> RUMap:
    """Risk and utility of several releases of the same data, each figure with its unit, direction
    and interval.

    There is no overall score: you decide what a percentage point of risk is worth. The map shows
    which releases need not be considered, because another one is both safer and more useful
    (`RUMap.front`, `RUMap.dominated`).

    Parameters
    ----------
    synthetic : the candidates, a dictionary of names and releases, which may be of several kinds. A
        release is a DataFrame of pandas, polars or Arrow, a table of an engine, a SynDS, an object
        whose ``.data`` is a DataFrame (such as what `ifpr` returns), a list of these that are
        released together (m syntheses), or `Runs` of a mask, one of which would be released.
    original : DataFrame of pandas, polars or Arrow, or table of an engine
        The original data. Never changed. Where records stay in an engine, "repU", "DiSCO",
        "repU_any", "DiSCO_any", "tvd", "tvd1" and "tvd2" count them there; the other measures look
        at single records and have no figure.
    keys : names or positions (from 1) of the columns an intruder may know; needed by all risk
        measures of the package.
    target : name or position of the column an intruder wants to learn; needed by "DiSCO".
    risk : one measure or several; by default "DiSCO" and "repU" with a target, and without one only
        "repU", which sees less:

        - "repU": replicated uniques, % of original records that are unique both in the original and
          in the release, by the keys;
        - "DiSCO": % of original records whose target value the release reveals correctly. Both are
          those of ``disclosure(compat="corrected")``, for several files the mean over them;
        - "repU_any", "DiSCO_any": the same in at least one of the files that are released together.
          For `Runs` and for one file this is the same figure;
        - "expected_match_rate": % of original records that an intruder who knows the keys is
          expected to match correctly (`identification_risk`). Only for candidates whose rows are
          those of the
          original (see `aligned`); keys that the release leaves unchanged are taken as known, the
          others as synthesised;
        - "IR": highest chance of a correct match by the design of an IFPR release. Only for what
          `ifpr` returns, made from `original` for these `keys`, and for one file: a list of
          releases, which an intruder can compare, has none; for `Runs` the worst is used;
        - a `Measure` of your own.
    utility : one measure or several:

        - "tvd": mean total variation distance of all one- and two-way tables (`table_utility`);
          "tvd1", "tvd2": of one-way, or two-way, tables only;
        - "S_pMSE": standardised propensity score mean squared error of a main effects model
          (`propensity_utility`); "S_pMSE2": with all products of two variables;
        - "ci_overlap": mean overlap of confidence intervals of `estimands` (`estimand_overlap`);
        - a `Measure` of your own.
    variables : columns that utility is measured on. By default all columns of the original that any
        candidate has: a candidate that lacks one of them has no "tvd" and no "S_pMSE", because a
        missing column would look perfect. To compare it anyway, give only columns that all
        candidates have.
    estimands : what users will estimate, for "ci_overlap": one or several functions of a frame that
        return estimates and variances ``(q, v)``, such as `Means`, `Proportions` and `Regression`;
        a mapping gives them names. A release from which one of them cannot be estimated has no
        figure, and the map says so.
    classes : approximate number of classes that numbers are put into for tables, see
        `table_utility`.
    cont_na : special values of numeric columns, as in ``{"income": -8}``, kept apart in tables,
        propensity models and classes. By default those of any SynDS on the map, all of them for all
        releases, so every figure uses the same classes; the map says which they are and which
        release has them. ``{}`` for none.
    aligned : which candidates have the rows of the original, in the same order: names, True for
        all, False for none. By default those with the index of the original and several columns (or
        one of many values) that are the same in every row although the file is not sorted by them;
        the map says which.
    bootstrap : number of resamples, for candidates of one data set, which otherwise have no
        intervals; 200 is a good number. Shares of records get Clopper and Pearson's interval, which
        needs no resampling. Utilities of aligned candidates, and your own measures, are computed in
        resamples of records. Utilities of other candidates have no interval.
    level : of the intervals, and of the confidence intervals of "ci_overlap".
    seed : whole number or numpy.random.Generator, for the bootstrap.
    disclosure_options, matching_options : further arguments of `disclosure`, such as
        ``{"ngroups_keys": [0, 8]}`` (classes are made from the original alone, and values beyond it
        belong to the first or last one, so all releases have the same classes), and of
        `identification_risk`, such as ``{"intervals": {"age": 2}}``.
    most_parameters : refuse larger propensity models.
    anchors : also measure the two ends of the map, which `RUMap.plot` then draws: the original
        released as it is, and no data at all (no risk, and the lowest utility that a measure can
        have, if its values have a limit).

    Returns
    -------
    RUMap

    Notes
    -----
    Intervals. Several data sets released together: mean ± t(m - 1) sd / sqrt(m), how far the mean
    would move if the release were made again from the same original; for figures that are made from
    all sets together ("ci_overlap", "expected_match_rate", "repU_any", "DiSCO_any") the jackknife
    over the sets. `Runs`: mean ± t(m - 1) sd sqrt(1 + 1/m), where the one run that is released
    would be. One data set: see `bootstrap`. Who is unique or revealed is taken as fixed, so with
    other people the figure can move half as much again. Intervals are cut off at the limits of a
    measure.

    Examples
    --------
    Six people; f in B and m in A are unique. Released as they are, and with everyone's town drawn
    again:

    >>> import pandas as pd
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
        synthetic=synthetic,
        original=original,
        keys=keys,
        target=target,
        variables=variables,
        estimands=estimands,
        classes=classes,
        cont_na=cont_na,
        aligned=aligned,
        level=level,
        disclosure_options=disclosure_options,
        matching_options=matching_options,
        most_parameters=most_parameters,
    )
    resampling = Resampling(check_resamples(bootstrap), random_generator(seed))
    if risk is None:
        risk = usual_risks(request)
    evaluators = evaluators_of(risk, utility, request)
    # candidate by candidate: another order would give other draws for the same seed
    figures = []
    for candidate in request.candidates:
        for role, evaluator in evaluators:
            figures.append(figure_of(candidate, role, evaluator, request.level, resampling))
    ends = anchor_figures(risk, utility, request, resampling) if anchors else ()
    measures = tuple((role, evaluator.about) for role, evaluator in evaluators)
    return RUMap(
        figures=tuple(figures),
        measures=measures,
        releases=facts_of_releases(request, measures, resampling.runs),
        keys=request.keys,
        target=request.target,
        variables=request.variables,
        left_out=request.left_out,
        Norig=number_of_records(request.original),
        level=request.level,
        remarks=(*remarks_on_all(request), *remarks_on_exclusions(evaluators)),
        anchors=tuple(ends),
        notes=found_so_far(),
        _asked=request.asked() | {"bootstrap": resampling.runs, "anchors": bool(anchors)},
    )
