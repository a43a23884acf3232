"""The measures of the package on the map, each a function of a release; measures of users; and from
names to measures.
"""

from __future__ import annotations

import inspect
import math
import numbers
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..arguments import check_groups, check_style, per_key
from ..core.arrays import Floats, Integers
from ..core.coding import encode
from ..core.columns import Column
from ..disclosure import disclosure
from ..errors import DataWarning, InputError, warn
from ..estimation.evaluation import read_estimands
from ..estimation.overlap import overlap_table
from ..grouping import class_of, group, of_column
from ..matching import identification_risk
from ..measures import Share
from ..records import flags_by_original_cell
from ..results import Disclosure
from ..tables.comparable import about as rounded
from ..tables.comparable import check_comparable, nothing_in_common
from ..tables.frames import not_collected
from ..tables.opening import check_frame, is_in_memory, open_table
from ..tables.protocol import Counted, HeldTable
from ..tables.reading import read_column
from ..utility.propensity import Design, propensity_design, score
from ..utility.tables import cell_counts, table_list, total_variation
from ..utility.variables import ORIGINAL, Coded, special_numbers
from .measures import About, MapMeasure, Measure, NoFigure, Plan, Role, Rows, about
from .releases import Release

ORDERS = {"tvd": (1, 2), "tvd1": (1,), "tvd2": (2,)}
OF_DISCLOSURE = ("repU", "DiSCO", "repU_any", "DiSCO_any")
COUNTED = (*OF_DISCLOSURE, *ORDERS)  # measures that need only counts, wherever the records are


# ---- from names to measures ----------------------------------------------------------


def measures_of(risk: Any, utility: Any, plan: Plan) -> list[tuple[Role, MapMeasure]]:
    """All measures asked for, with their roles, the risks first."""
    if risk is None:
        risk = ["repU"] if plan.target is None else ["DiSCO", "repU"]
    asked: dict[Role, Any] = {"risk": risk, "utility": utility}
    measures: list[tuple[Role, MapMeasure]] = []
    labels: list[str] = []
    for role, given in asked.items():
        several = list(given) if isinstance(given, (list, tuple)) else [given]
        if not several:
            raise InputError(
                f"{role}: is empty; choices: {', '.join(MAKERS[role])}, or a Measure of your own"
            )
        for one in several:
            measures.append((role, _measure(role, one, plan)))
            labels.append(measures[-1][1].about.label)
    for label in labels:
        if labels.count(label) > 1:
            raise InputError(
                f"risk, utility: {label!r} is given more than once; give each measure once, "
                "and your own measures different labels"
            )
    return measures


def _measure(role: Role, asked: Any, plan: Plan) -> MapMeasure:
    own, named = isinstance(asked, Measure), isinstance(asked, str)
    if not own and callable(asked):
        raise InputError(
            f"{role}: a bare function says neither its unit nor its direction; give Measure('its"
            " name', function, unit='...', better='lower')"
        )
    if not own and not (named and asked in MAKERS[role]):
        other: Role = "utility" if role == "risk" else "risk"
        hint = f" ({asked!r} measures {other})" if named and asked in MAKERS[other] else ""
        raise InputError(
            f"{role}: {asked!r} is unknown{hint}; choices: {', '.join(map(repr, MAKERS[role]))}, or"
            " a Measure of your own"
        )
    if (own or asked not in COUNTED) and not is_in_memory(plan.original):
        counted = ", ".join(name for name in MAKERS[role] if name in COUNTED)
        reason = not_collected(plan.original, "original")
        label = asked.label if own else asked
        raise InputError(f"{role}: {label!r} needs single records. {reason}, or use {counted}")
    if own:
        return _own(asked, plan.original)
    if role == "risk" and not plan.keys:
        raise InputError(
            f"keys: is not given, but {asked} is about what an intruder knows; choices:"
            f" {', '.join(map(str, plan.original.columns))}"
        )
    return MAKERS[role][asked](asked, plan)


def _own(measure: Measure, original: pd.DataFrame) -> MapMeasure:
    described = About(measure.label, measure.unit, measure.better, measure.low, measure.high)

    def of(release: Release, which: Sequence[int], rows: Rows | None) -> float:
        (number,) = which
        frame, people = release.sets[number], original
        if rows is not None:
            people, frame = people.iloc[rows[0]], frame.iloc[rows[1]]
        value = measure.function(frame, people)
        if isinstance(value, (numbers.Real, np.number)) and not isinstance(value, bool):
            return float(value)
        shown = value if isinstance(value, (str, bool)) else repr(type(value).__name__)
        raise InputError(
            f"{measure.label}: gave {shown} for {release.places[number]}; a measure must give one"
            " number"
        )

    return MapMeasure(described, of, not_finite="the measure gave no finite number", any_rows=True)


# ---- risks ---------------------------------------------------------------------------


def _of_disclosure(label: str, plan: Plan) -> MapMeasure:
    """repU or DiSCO by the published definitions; with "_any", of files that are released together
    the union.
    """
    name = label.removesuffix("_any")
    if name == "DiSCO" and plan.target is None:
        raise InputError(
            f"target: is not given, but {label} is about a target that may be learnt; name a "
            "column that is not a key"
        )

    @cache
    def flags(release: Release) -> Any:
        return flags_by_original_cell(_result(plan, release), name)

    def of(release: Release, which: Sequence[int], rows: Rows | None) -> Share:
        if name == "repU":
            times, _ = plan.repeats[0][release]
            if times > 1:
                raise NoFigure(
                    f"every record occurs {times} times in it, so nobody can be unique, but "
                    "that protects nobody (look at DiSCO)"
                )
        share = _result(plan, release).shares[which[0]][name]
        if len(which) == 1:
            return share
        of_files, records = flags(release)
        return Share(float(records[of_files[list(which)].any(axis=0)].sum()), share.denominator)

    files: Literal["mean", "together"] = "mean" if label == name else "together"
    return MapMeasure(about(label), of, files, counts_only=True)


def _result(plan: Plan, release: Release) -> Disclosure:
    """`disclosure()` once for each release, whatever the measures. Without a target, for repU
    alone, only the keys are looked at, beside a column that is the same everywhere.
    """
    if release in plan.results:
        return plan.results[release]
    _check_keys_have_values(plan, release)
    options, target = dict(plan.disclosure_options), plan.target
    columns = list(plan.keys) if target is None else [*plan.keys, target]
    places = ["data", *release.places]
    # as tables: each column is read once, to check its values and for disclosure()
    tables = [
        open_table(table, place).count_by(columns)
        for table, place in zip((plan.original, *release.sets), places)
    ]
    tables = _in_classes_of_original(plan, tables, [ORIGINAL, *release.places], options)
    if target is None:
        target = f"target{'_' * sum(len(str(key)) for key in plan.keys)}"  # longer than any key
        for at, rows in enumerate(tables):
            zeros = Column("integer", np.zeros(rows.rows, dtype=np.int64))
            tables[at] = replace(rows, columns={**rows.columns, target: zeros})
    original, *sets = tables
    # all are checked before any is compared: columns of two kinds are a mistake, not a reason
    pairs = []
    for name in [target, *plan.keys]:
        for rows, place in zip(sets, release.places):
            pair = name, original.columns[name], rows.columns[name], place
            check_comparable(*pair)
            pairs.append((*pair, (original.n, rows.n)))
    for pair_and_counts in pairs:
        _check_some_match(*pair_and_counts)
    data, *held = [HeldTable(rows, place) for rows, place in zip(tables, places)]
    keys = list(plan.keys)
    plan.results[release] = disclosure(
        held, data, keys, target, compat="corrected", print_flag=False, **options
    )
    return plan.results[release]


def _check_keys_have_values(plan: Plan, release: Release) -> None:
    """No figure if a key is missing in every record: nobody would match, but an intruder would not
    use that key.
    """
    for name in plan.keys:
        have = []
        for table in (plan.original, *release.sets):
            if isinstance(table, pd.DataFrame):
                have.append(table[name].notna().any())
            else:
                have.append(table.count_by([name]).columns[name].has_values)
        if have[0] and not all(have):
            raise NoFigure(
                f"its key {name!r} is missing in every record, and an intruder would not use "
                "it (leave it out of the keys)"
            )


def _check_some_match(*pair: Any) -> None:
    """No figure if hardly any value is in common: that would look like safety."""
    strangers = nothing_in_common(*pair)
    if strangers is not None:
        raise NoFigure(f"nothing, or hardly anything, can match ({strangers[0]})")


def _in_classes_of_original(
    plan: Plan, tables: Sequence[Counted], places: Sequence[str], options: dict[str, Any]
) -> list[Counted]:
    """Numeric keys, or a numeric target, in the classes that the options ask for, which are taken
    out of these: every release is judged by the classes of the original, and values beyond those
    belong to the first or last one. `disclosure()` makes classes from all tables, as R does: a
    release could lower its risk by records that shift them.
    """
    of_keys = options.pop("ngroups_keys", None)
    numbers = per_key("ngroups_keys", of_keys, plan.keys, check_groups)
    groups = dict(zip(plan.keys, numbers))
    groups[plan.target] = check_groups("ngroups_target", options.pop("ngroups_target", None))
    cont_na = special_numbers(options.pop("cont_na", None), list(plan.original.columns))
    special = {**plan.special, **cont_na}
    # disclosure() passes arguments that are not its own to the function that makes classes
    arguments = inspect.signature(disclosure).parameters
    passed_on = [name for name in options if name not in arguments]
    style = check_style({name: options.pop(name) for name in passed_on})
    made = list(tables)
    for name, original in tables[0].columns.items():
        if not groups[name] or not original.is_number:
            continue
        columns = [rows.columns[name] for rows in tables]
        for column, place in zip(columns, places):
            if not column.is_number and column.has_values:
                raise InputError(
                    f"{place}, column {name!r}: is not numeric, but it is in the original data; "
                    "it cannot be put into the same classes"
                )
        classed = _classed(name, columns, tables[0].n, groups[name], special.get(name, ()), style)
        for at, column in enumerate(classed):
            made[at] = replace(made[at], columns={**made[at].columns, name: column})
    return made


def _classed(
    name: Hashable,
    columns: Sequence[Column],
    n: Integers | None,
    classes: int,
    apart: Sequence[float],
    style: Mapping[str, Any],
) -> list[Column]:
    """A numeric column of several tables in classes of the first, whose rows stand for `n` records;
    each of the values `apart` is a class.

    >>> ages = [Column("integer", np.array(values)) for values in ([1, 2, 3, 4], [2, 99])]
    >>> first, second = _classed("age", ages, None, 2, (), {})
    >>> first.labels, second.values.tolist()
    (('[1,2.5)', '[2.5,4]'), [0, 1])
    """
    values = columns[0].present().astype(np.float64)
    everybody = len(columns[0]) if n is None else int(n.sum())
    if n is not None and columns[0].missing is not None:
        n = n[~columns[0].missing]
    try:
        made = group(
            values, classes, special=apart, median_split=True, often=n, exact=True, **style
        )
    except InputError as error:
        raise of_column(error, name) from error
    low, high = made.breaks[0], made.breaks[-1]
    outside = ((values < low) | (values > high)) & ~np.isin(values, list(apart))
    records = int(outside.sum() if n is None else n[outside].sum())
    if made.style == "fixed" and records:
        whole = rounded(everybody, everybody)
        told = f"{rounded(records, everybody)} of {whole} original records"
        warn(
            f"fixedBreaks: {told} have a value of column {name!r} outside the breaks and "
            "go to the first or last class; give breaks that cover them, for instance -inf "
            "first and inf last",
            DataWarning,
            short=f"{told} in column {name!r}",
        )
    factors = []
    for column in columns:
        numbers = column.values.astype(np.float64)
        if not column.is_number:  # nothing but missing values
            numbers = np.full(len(column), np.nan)
        codes = class_of(numbers, made, apart)
        beyond = (codes < 0) & ~np.isnan(numbers)
        codes[beyond] = class_of(np.clip(numbers[beyond], low, high), made, ())
        missing = np.isnan(numbers) if column.missing is None else column.missing
        codes[missing] = -1
        gaps = missing if missing.any() else None
        factors.append(Column("factor", codes, gaps, tuple(made.labels)))
    return factors


# ---- other risks ---------------------------------------------------------------------


def _match_rate(label: str, plan: Plan) -> MapMeasure:
    """Expected match rate of Reiter and Mitra. Data sets that are released together are matched
    together. Keys that no data set changes are taken as known, the others as synthesised.
    """
    original, options = plan.original, plan.matching_options

    @cache
    def known_keys(release: Release) -> list[Hashable]:
        if not release.aligned:
            raise NoFigure(
                "its rows are not known to be those of the original, row by row (see aligned)"
            )
        _check_keys_have_values(plan, release)
        for name in plan.keys:
            if not _may_be_near(name, original, options):
                known = read_column(original[name], f"{ORIGINAL}, column {name!r}")
                for frame, place in zip(release.sets, release.places):
                    column = read_column(frame[name], f"{place}, column {name!r}")
                    _check_some_match(name, known, column, place)
        # from all sets, even if some are left out: the intruder knows the same keys each time
        return [
            name
            for name in plan.keys
            if all(frame[name].equals(original[name]) for frame in release.sets)
        ]

    def of(release: Release, which: Sequence[int], rows: Rows | None) -> Share:
        known = known_keys(release)
        changed = [name for name in plan.keys if name not in known]
        sets = [release.sets[number] for number in which]
        risk = identification_risk(sets, original, known=known, synthesised=changed, **options)
        return Share(risk.expected, risk.n)

    return MapMeasure(about(label), of, "together")


def _may_be_near(name: Hashable, original: pd.DataFrame, options: Mapping[str, Any]) -> bool:
    """Whether the intruder also accepts values near the target's."""
    if name in (options.get("intervals") or {}):
        return True
    distance = options.get("distance")
    if distance is None:
        return False
    columns = getattr(distance, "columns", None)
    if columns is not None:
        return name in columns
    return bool(pd.api.types.is_numeric_dtype(original[name].dtype))


def _carried_risk(label: str, plan: Plan) -> MapMeasure:
    """The identification risk that an IFPR release carries: a chance computed from its design, not
    estimated from its data. It is about one file, an intruder who knows the keys that were
    exchanged, and the data that the release was made from.
    """

    def of(release: Release, which: Sequence[int], rows: Rows | None) -> float:
        carriers = [release.carriers[number] for number in which]
        if not all(callable(getattr(carrier, "risk_table", None)) for carrier in carriers):
            raise NoFigure("only a release made by ifpr() carries this risk")
        if release.together and release.m > 1:
            raise NoFigure(
                f"an intruder can compare {release.m} files released together, and a value "
                "that is the same in several is mostly true; the theory is about one file "
                "(give Runs if only one will be released)"
            )
        for carrier in carriers:
            if set(carrier.keys) != set(plan.keys):
                raise NoFigure(
                    f"it was made for the keys {', '.join(map(str, carrier.keys))}; the theory says"
                    f" nothing about an intruder who knows {', '.join(map(str, plan.keys))}"
                )
            source = check_frame(carrier.original, "original")
            if not all(_same_values(source[name], plan.original[name]) for name in plan.keys):
                raise NoFigure(
                    "it was made from other data: its original and the original of the map "
                    "differ in the keys"
                )
        # the last row is about all blocks
        return max(float(carrier.risk_table()["worst"].iloc[-1]) for carrier in carriers)

    unchanged = "no cell was small enough to be changed, so the design promises nothing"
    return MapMeasure(about(label), of, "theory", not_finite=unchanged)


def _same_values(first: pd.Series, second: pd.Series) -> bool:
    """Whether two columns have the same value in every row, whatever their types; missing is a
    value.

    >>> _same_values(pd.Series([1, 2]), pd.Series([1.0, 2.0]))
    True
    """
    if len(first) != len(second):
        return False
    variable = encode("", [read_column(column, "a key") for column in (first, second)])
    return bool(np.array_equal(variable.codes[0], variable.codes[1]))


# ---- utilities -----------------------------------------------------------------------


def _check_complete(plan: Plan, release: Release) -> None:
    """No figure for a release that lacks a variable: a missing column would look perfect."""
    lacking = release.lacks(plan.variables)
    if lacking:
        raise NoFigure(
            f"it lacks {', '.join(map(str, lacking))}, which other releases have (give variables"
            " that all have)"
        )


def _tables(label: str, plan: Plan) -> MapMeasure:
    """Mean total variation distance of all tables of some orders."""
    tables = table_list(len(plan.variables), ORDERS[label])

    def of(release: Release, which: Sequence[int], rows: Rows | None) -> float:
        _check_complete(plan, release)
        coded, n, first = plan.coded
        at = 0, first[release] + which[0]
        weights = [n[table] for table in at]
        if rows is not None:
            lengths = [len(coded[0].codes[table]) for table in at]
            weights = [np.bincount(drawn, minlength=m) for drawn, m in zip(rows, lengths)]
        distances = []
        for variables in tables:
            pair = [Coded(coded[i].size, [coded[i].codes[t] for t in at]) for i in variables]
            distances.append(total_variation(*cell_counts(pair, weights)))
        return float(np.mean(distances))

    return MapMeasure(about(label, len(tables)), of, counts_only=True)


def _propensity(label: str, plan: Plan) -> MapMeasure:
    """Standardised pMSE, of main effects (S_pMSE) or with products of two variables (S_pMSE2)."""

    @lru_cache(maxsize=1)  # a design is as long as the data; resamples share one
    def design(release: Release, number: int) -> Design:
        _check_complete(plan, release)
        return propensity_design(
            plan.variables,
            {ORIGINAL: plan.original, release.places[number]: release.sets[number]},
            plan.special,
            interactions=label == "S_pMSE2",
        )

    def of(release: Release, which: Sequence[int], rows: Rows | None) -> float:
        return score(design(release, which[0]), rows).S_pMSE

    nothing = "no variable varies, so there is nothing to tell apart"
    return MapMeasure(about(label), of, not_finite=nothing)


def _overlap(label: str, plan: Plan) -> MapMeasure:
    """Mean overlap of confidence intervals. Data sets that are released together are combined
    first.
    """
    if plan.estimands is None:
        raise InputError(
            "estimands: is not given, but ci_overlap is about what users estimate; give for"
            " instance [Means('age'), Proportions('sex')] of synthpop_py.estimation"
        )
    estimands = read_estimands(plan.estimands, plan.original)

    @cache
    def estimates(release: Release) -> Floats:
        sets = [estimands.of(one, place) for one, place in zip(release.sets, release.places)]
        lacking = estimands.lacking(np.array(sets))
        if lacking:
            raise NoFigure(f"{lacking[0]!r} cannot be estimated from every data set of it")
        return np.array(sets)

    def of(release: Release, which: Sequence[int], rows: Rows | None) -> float:
        if rows is None:
            original, sets = estimands.original, estimates(release)[list(which)]
        else:
            (frame,), (place,) = release.sets, release.places
            original = estimands.of(plan.original.iloc[rows[0]], "resampled original data")
            sets = estimands.of(frame.iloc[rows[1]], f"resampled {place}")[None]
            # without one of them the mean would be over other estimands
            if estimands.lacking(np.array([original, *sets])):
                return math.nan
        table = overlap_table(estimands.labels, original, sets[:, None], plan.level)
        return float(table["overlap"].mean())

    described = about(label, 100 * plan.level, estimands.usable().sum())
    no_length = "every estimand has an interval of length 0, in the original or in the release"
    return MapMeasure(described, of, "together", not_finite=no_length)


MAKERS: dict[Role, dict[str, Callable[[str, Plan], MapMeasure]]] = {
    "risk": {
        **dict.fromkeys(OF_DISCLOSURE, _of_disclosure),
        "expected_match_rate": _match_rate,
        "IR": _carried_risk,
    },
    "utility": {
        **dict.fromkeys(ORDERS, _tables),
        "S_pMSE": _propensity,
        "S_pMSE2": _propensity,
        "ci_overlap": _overlap,
    },
}
