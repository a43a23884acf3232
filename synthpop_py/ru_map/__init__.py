"""The risk-utility map: any releases, one risk, one utility, and what is dominated.

Here the call, its arguments, and what is said besides figures. Then: `releases` (what is on the
map), `measures` (what is measured), `intervals`, `result` (the map, what is dominated, what it
shows).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..arguments import (
    check_number,
    check_whole,
    chosen_columns,
    column_named,
    random_generator,
)
from ..errors import InputError, found_so_far, some, unknown_name, warning_once
from ..missing import MISSING
from ..tables.frames import AnyFrame
from ..tables.opening import (
    check_original,
    is_frame,
    is_in_memory,
    is_table,
    number_of_records,
    open_table,
    refuse_released,
)
from ..utility.tables import CLASSES
from ..utility.variables import (
    ORIGINAL,
    added,
    brought_numbers,
    compared_columns,
    lacking,
    read_variable,
    special_numbers,
)
from .intervals import MapFigure, figure_of, no_figure
from .measures import Comparison, Measure, Role, Rows, measures_of
from .releases import Release, Runs, read_releases
from .result import EXCLUSIONS, ReleaseFacts, RUMap

__all__ = [
    "Measure",
    "RUMap",
    "Runs",
    "ru_map",
]

SCALARS = (str, bool, int, float, np.generic)


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
    anchors: bool = False,
) -> RUMap:
    """Risk and utility of several releases of the same data, each figure with its unit, direction
    and interval.

    There is no overall score: you decide what a percentage point of risk is worth. The map shows
    which releases need not be considered, because another one is both safer and more useful
    (`RUMap.front`, `RUMap.dominated`).

    Parameters
    ----------
    synthetic : the candidates, a dictionary of names and releases. A release is a DataFrame of
        pandas, polars or Arrow, a table of an engine, a SynDS, an object whose ``.data`` is a
        DataFrame (such as what `ifpr` returns), a list of these that are released together (m
        syntheses), or `Runs` of a mask, one of which would be released.
    original : DataFrame of pandas, polars or Arrow, or table of an engine
        The original data. Where records stay in an engine, only "repU", "DiSCO", "repU_any",
        "DiSCO_any", "tvd", "tvd1" and "tvd2" have figures: they need only counts.
    keys : names or positions (from 1) of the columns an intruder may know; needed by all risk
        measures of the package.
    target : name or position of the column an intruder wants to learn; needed by "DiSCO".
    risk : one measure or several; by default "DiSCO" and "repU" with a target, and without one only
        "repU", which sees less:

        - "repU": replicated uniques, % of original records that are unique both in the original and
          in the release, by the keys;
        - "DiSCO": % of original records whose target value the release reveals correctly. Both are
          those of ``disclosure(compat="corrected")``, for several files the mean over them;
        - "repU_any", "DiSCO_any": the same in at least one of the files that are released together;
        - "expected_match_rate": % of original records that an intruder who knows the keys is
          expected to match correctly (`identification_risk`), where the rows are those of the
          original (see `aligned`). Keys that the release leaves unchanged are taken as known;
        - "IR": highest chance of a correct match by the design of an IFPR release. Only for what
          `ifpr` returns, made from `original` for these `keys`, and for one file, or `Runs`;
        - a `Measure` of your own.
    utility : one measure or several:

        - "tvd": mean total variation distance of all one- and two-way tables (`table_utility`);
          "tvd1", "tvd2": of one-way, or two-way, tables only;
        - "S_pMSE": standardised propensity score mean squared error of a main effects model
          (`propensity_utility`); "S_pMSE2": with all products of two variables;
        - "ci_overlap": mean overlap of confidence intervals of `estimands` (`estimand_overlap`);
        - a `Measure` of your own.
    variables : columns that utility is measured on; by default all columns of the original that any
        candidate has. A candidate that lacks one has no "tvd" and no "S_pMSE": a missing column
        would look perfect.
    estimands : what users will estimate, for "ci_overlap": functions as for `estimand_overlap`. A
        release from which one of them cannot be estimated has no figure.
    classes : approximate number of classes that numbers are put into for tables, see
        `table_utility`.
    cont_na : special values of numeric columns, as in ``{"income": -8}``, kept apart in tables,
        propensity models and classes. By default those of any SynDS on the map, for all releases.
        ``{}`` for none.
    aligned : which candidates have the rows of the original, in the same order: names, True for
        all, False for none. By default those with the index of the original and several columns (or
        one of many values) that are the same in every row although the file is not sorted by them;
        the map says which.
    bootstrap : number of resamples, such as 200, for candidates of one data set, which otherwise
        have no intervals. Shares of records get Clopper and Pearson's interval without resampling;
        utilities of candidates that are not aligned have none.
    level : of the intervals, and of the confidence intervals of "ci_overlap".
    seed : whole number or numpy.random.Generator, for the bootstrap.
    disclosure_options, matching_options : further arguments of `disclosure`, such as
        ``{"ngroups_keys": [0, 8]}`` (classes are made from the original alone; values beyond them
        belong to the first or last one), and of `identification_risk`, such as ``{"intervals":
        {"age": 2}}``.
    anchors : also measure the two ends of the map, which `RUMap.plot` then draws: the original
        released as it is, and no data at all (no risk, and the lowest utility that a measure can
        have, if its values have a limit).

    Notes
    -----
    Intervals. Several data sets released together: mean ± t(m - 1) sd / sqrt(m); for figures made
    from all sets together ("ci_overlap", "expected_match_rate", "repU_any", "DiSCO_any") the
    jackknife. `Runs`: mean ± t(m - 1) sd sqrt(1 + 1/m), where the one run that is released would
    be. One data set: see `bootstrap`; who is unique or revealed is taken as fixed, so with other
    people the figure can move half as much again.

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
    original = _read_original(original)
    columns = list(original.columns)
    known = tuple(chosen_columns("keys", keys, columns, ORIGINAL))
    learnt = None if target is None else column_named("target", target, columns)
    if learnt in known:
        raise InputError(f"target: {learnt!r} is also one of the keys; a target cannot be a key")
    releases = read_releases(synthetic, original, aligned)
    _check_needed(known, learnt, original, releases)
    compared, left_out = _compared(variables, columns, releases)
    special = special_numbers(cont_na, columns)
    brought = {} if cont_na is not None else _brought(releases, columns)
    for name, values in brought.items():
        special[name] = tuple(values)
    given = {
        "classes": check_whole("classes", classes, 2),
        "disclosure_options": dict(disclosure_options or {}),
        "matching_options": dict(matching_options or {}),
    }
    level = check_number("level", level, 0, 1, open_low=True, open_high=True)
    options = {"estimands": estimands, "level": level, **given}
    bootstrap = check_whole("bootstrap", bootstrap)
    if bootstrap == 1:
        raise InputError(
            "bootstrap: 1 resample has no spread; give 0 for none, or several, such as 200"
        )
    generator = random_generator(seed)
    whole = Release("original", original, original, said=is_in_memory(original))
    on_map = [*releases, whole] if anchors else releases
    columns_of: dict[str, Any] = {"keys": known, "target": learnt, "variables": compared}
    data = Comparison(original, on_map, special, options, **columns_of)
    measures = measures_of(risk, utility, data)
    figures, ends = [], []
    # release by release: another order would give other draws for the same seed
    for release in releases:
        for role, measure in measures:
            draws = _draws(release, original, bootstrap, generator) if bootstrap else None
            figures.append(figure_of(data, release, role, measure, draws))
    if anchors:
        ends = [figure_of(data, whole, role, measure, None) for role, measure in measures]
        ends += [_of_no_data(role, measure) for role, measure in measures]
    labels = {measure.label for _, measure in measures}
    Norig, is_resampled = number_of_records(original), bool(bootstrap)
    facts = []
    for release in releases:
        remarks = _remarks(release, Norig, labels, is_resampled)
        extra = added(columns, release.sets)
        # a user who names the variables knows what is left out
        if extra and variables is None:
            remarks.append(f"not compared, because the original lacks it: {some(extra)}")
        lacks = tuple(lacking(compared, release.sets))
        told = release.name, release.rows, release.together, lacks, tuple(remarks)
        facts.append(ReleaseFacts(*told))
    return RUMap(
        figures=tuple(figures),
        # a result does not keep users' functions, nor what these hold
        measures=tuple((role, replace(measure, function=float)) for role, measure in measures),
        releases=tuple(facts),
        keys=known,
        target=learnt,
        variables=compared,
        left_out=left_out,
        Norig=Norig,
        level=level,
        remarks=tuple(_remarks_on_all(data, left_out, brought)),
        anchors=tuple(ends),
        notes=found_so_far(),
        _asked={
            "cont_na": {str(name): list(values) for name, values in special.items()},
            "bootstrap": bootstrap,
            "anchors": bool(anchors),
            **{name: _told(option) for name, option in given.items()},
        },
    )


def _draws(
    release: Release, original: Any, runs: int, generator: np.random.Generator
) -> Iterator[Rows]:
    """Records drawn with replacement from original and release: the same ones where their rows are
    about the same people.
    """
    for _ in range(runs):
        rows = generator.integers(len(original), size=len(original))
        if release.aligned:
            yield rows, rows
        else:
            yield rows, generator.integers(release.rows[0], size=release.rows[0])


def _of_no_data(role: Role, measure: Measure) -> MapFigure:
    """The safest, or the least useful, value that a measure can have."""
    end = measure.low if (measure.better == "lower") == (role == "risk") else measure.high
    figure = no_figure("no data", role, measure)
    if math.isfinite(end):
        return figure._replace(value=end)
    return figure._replace(reason="its values have no limit, so there is no figure for no data")


def _read_original(given: Any) -> Any:
    """A pandas data frame, or a table where records are in an engine."""
    refuse_released(given, "original")
    if is_frame(given) and not is_in_memory(given):
        given = open_table(given, "original")
    original = given if is_table(given) else check_original(given, "original")
    if not number_of_records(original):
        raise InputError("original: has no rows, so there is nobody to protect")
    return original


def _check_needed(
    keys: Sequence[Hashable], target: Hashable | None, original: Any, releases: Sequence[Release]
) -> None:
    """Every data set must have the keys and the target, and in each the same kind of values."""
    needed = dict.fromkeys(keys, "keys")
    if target is not None:
        needed[target] = "target"
    tables, places = [original], [ORIGINAL]
    for release in releases:
        for one, place in zip(release.sets, release.places):
            for name in lacking(list(needed), [one]):
                raise unknown_name(needed[name], name, list(one.columns), place)
        tables += release.sets
        places += release.places
    for name in needed:
        read_variable(name, tables, places)


def _compared(
    asked: Any, columns: Sequence[Hashable], releases: Sequence[Release]
) -> tuple[tuple[Hashable, ...], tuple[Hashable, ...]]:
    """Columns that utility is measured on, and those of the original that no release has."""
    if asked is None:
        lacked = [set(lacking(columns, release.sets)) for release in releases]
        nobody_has = set.intersection(*lacked)
        if len(nobody_has) < len(columns):
            has = tuple(name for name in columns if name not in nobody_has)
            return has, tuple(name for name in columns if name in nobody_has)
    sets = [one for release in releases for one in release.sets]
    places = [place for release in releases for place in release.places]
    return tuple(compared_columns(asked, columns, sets, places)), ()


def _brought(
    releases: Sequence[Release], columns: list[Hashable]
) -> dict[Hashable, dict[float, list[str]]]:
    """The special values of all releases together, by column, with the names of the releases: they
    are codes of the original, so those of one release hold for all.
    """
    brought: dict[Hashable, dict[float, list[str]]] = {}
    for release in releases:
        for name, values in brought_numbers(release.cont_na, columns).items():
            for value in values:
                brought.setdefault(name, {}).setdefault(value, []).append(release.name)
    return brought


def _told(option: Any) -> Any:
    """An option as a dictionary may show it; data and objects only by their kind."""
    if option is None or option is MISSING or isinstance(option, SCALARS):
        return option
    if isinstance(option, Mapping):
        return {str(name): _told(value) for name, value in option.items()}
    if isinstance(option, (list, tuple)):
        return list(map(_told, option))
    return type(option).__name__


def _remarks(release: Release, records: int, labels: set[str], is_resampled: bool) -> list[str]:
    """How figures of a release were made, and what makes its uniques mean less."""
    remarks = []
    is_used = (is_resampled and release.m == 1) or "expected_match_rate" in labels
    if release.same and is_used:
        verb = "is" if len(release.same) == 1 else "are"
        remarks.append(
            f"rows taken as those of the original, because {some(release.same)} {verb} the same in"
            " every row (see aligned)"
        )
    most = max(release.rows)
    if most > records and labels & {"repU", "repU_any"}:
        remarks.append(
            f"has {most:,} records, the original {records:,}: among more records"
            " fewer are unique, which does not protect anyone, so read repU with care"
        )
    return remarks


def _remarks_on_all(
    data: Comparison,
    left_out: Sequence[Hashable],
    brought: Mapping[Hashable, Mapping[float, list[str]]],
) -> Iterator[str]:
    """What holds for every release: columns that none has, special values that some brought, and
    how many people repU and DiSCO leave out.
    """
    if left_out:
        them = "it" if len(left_out) == 1 else "them"
        yield f"No release has {some(left_out)}: utility says nothing about {them}."
    texts = []
    for name, values in brought.items():
        if name in (*data.variables, *data.keys, data.target):
            texts += [f"{name} {value:g} ({some(names)})" for value, names in values.items()]
    if texts:
        yield (
            f"Special values, kept apart in all releases: {', '.join(texts)}. Another cont_na"
            " replaces them."
        )
    for result in data.results.values():
        tidy = result.tidy()
        of_first = tidy[(tidy["synthesis"] == 1) & (tidy["measure"] == "DiSCO")]
        number = int(of_first["left_out"].iloc[0])
        if number:
            yield (
                f"{EXCLUSIONS} {number:,} of {result.Norig:,} people; repU and DiSCO are still"
                " in % of all of them."
            )
        return
