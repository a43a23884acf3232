"""The measures of a map: the dictionary of those that the package has, the functions that compute
them from a release, and measures of users.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from ..arguments import PASSED_ON, check_choice, check_groups, check_style, listed, per_key
from ..core.arrays import Floats, Integers
from ..core.columns import Column
from ..disclosure import disclosure
from ..errors import DataWarning, InputError, warn
from ..estimation.evaluation import Estimands
from ..estimation.overlap import overlap_table
from ..grouping import class_of, group, of_column
from ..matching import identification_risk
from ..measures import Share
from ..records import flags_by_original_cell
from ..results import Disclosure
from ..tables.comparable import about, nothing_in_common
from ..tables.frames import not_collected
from ..tables.opening import check_frame, is_in_memory, open_table
from ..tables.protocol import Counted, HeldTable
from ..tables.reading import read_column
from ..utility.propensity import propensity_design, rank, score
from ..utility.tables import cell_counts, table_list, total_variation
from ..utility.variables import ORIGINAL, Special, coded_variables, lacking, special_numbers
from .releases import Release

Role = Literal["risk", "utility"]
Better = Literal["lower", "higher"]
Rows: TypeAlias = tuple[Integers, Integers]  # drawn from the original, and from a release

ORDERS = {"tvd": (1, 2), "tvd1": (1,), "tvd2": (2,)}
# measures that need only counts, wherever the records are
COUNTED = ("repU", "DiSCO", "repU_any", "DiSCO_any", *ORDERS)
# one figure of all data sets that are released together; other figures are means over the sets
TOGETHER = ("repU_any", "DiSCO_any", "expected_match_rate", "ci_overlap")


class NoFigure(Exception):
    """Why a release has no figure."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of your own for `ru_map`.

    Attributes
    ----------
    label : what it is called in tables and pictures.
    function : of a release (one DataFrame of pandas) and the original (another), in this order;
        gives a number. For several data sets the mean is taken.
    unit : of the number, such as "% of original records".
    better : "lower" or "higher": which numbers mean less risk or more utility.
    low, high : ends of its range, where intervals are cut off.
    blind_to : what it does not see.

    Examples
    --------
    >>> def difference(release, original):
    ...     return float(abs(release["age"].mean() - original["age"].mean()))
    >>> gap = Measure("age gap", difference, unit="years", better="lower", low=0)
    >>> gap.function(pd.DataFrame({"age": [30, 50]}), pd.DataFrame({"age": [30, 40]}))
    5.0
    """

    label: str
    function: Callable[..., Any] = field(repr=False)
    unit: str
    better: Better
    low: float = -math.inf
    high: float = math.inf
    blind_to: str = ""

    def __post_init__(self) -> None:
        for argument in ("label", "unit"):
            text = getattr(self, argument)
            if not isinstance(text, str) or not text.strip():
                raise InputError(f"{argument}: {text!r} is not a text, which every measure needs")
        check_choice("better", self.better, ("lower", "higher"))

    def direction(self, role: Role) -> str:
        """In words, as in "higher is riskier"."""
        if role == "utility":
            return f"{self.better} is more useful"
        return f"{'higher' if self.better == 'lower' else 'lower'} is riskier"


class Comparison:
    """The original and the releases, and what several measures share. Each measure is a method that
    takes its label, a release, the numbers of the data sets to look at, and the rows drawn of
    original and release where records are resampled. It returns a number, or a share.
    """

    def __init__(
        self,
        original: Any,
        releases: Sequence[Release],
        special: Special,
        options: Mapping[str, Any],
        *,
        keys: tuple[Hashable, ...],
        target: Hashable | None,
        variables: tuple[Hashable, ...],
    ) -> None:
        self.original, self.releases = original, releases
        self.keys, self.target, self.variables = keys, target, variables
        self.special, self.options = special, options
        self.level = options["level"]
        given = dict(options["disclosure_options"])
        groups = per_key("ngroups_keys", given.pop("ngroups_keys", None), keys, check_groups)
        self.groups: dict[Any, int] = dict(zip(keys, groups))
        self.groups[target] = check_groups("ngroups_target", given.pop("ngroups_target", None))
        apart = special_numbers(given.pop("cont_na", None), list(original.columns))
        self.apart: Special = {**special, **apart}
        self.style = check_style({name: given.pop(name) for name in PASSED_ON if name in given})
        self.disclosure_options = given
        self.results: dict[Release, Disclosure] = {}
        self.kept: dict[Any, Any] = {}
        self.latest_design: Any = (None,)

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """What was made before for this key, or is made now."""
        if key not in self.kept:
            self.kept[key] = make()
        return self.kept[key]

    def disclosed(self, label: str, release: Release, which: list[int], rows: Any) -> Share:
        """repU or DiSCO by the published definitions; with "_any", of files that are released
        together the union.
        """
        name = label.removesuffix("_any")
        result = self.result(release)
        share = result.shares[which[0]][name]
        if len(which) == 1:
            return share
        flags, n = self.once((release, name), lambda: flags_by_original_cell(result, name))
        in_any = flags[which].any(axis=0)
        return Share(float(n[in_any].sum()), share.denominator)

    def result(self, release: Release) -> Disclosure:
        """`disclosure()` once for each release, whatever the measures. Without a target, for repU
        alone, only the keys are looked at, beside a column that is the same everywhere.
        """
        if release in self.results:
            return self.results[release]
        target = self.target
        columns = list(self.keys) if target is None else [*self.keys, target]
        places = ["data", *release.places]
        # as tables: each column is read once, to check its values and for disclosure()
        opened = map(open_table, [self.original, *release.sets], places)
        tables = [table.count_by(columns) for table in opened]
        for name in columns:
            if self.groups[name] and tables[0].columns[name].is_number:
                tables = self._in_classes(name, tables)
        if target is None:
            target = "_" + "".join(map(str, self.keys))  # longer than any key
            for at, counted in enumerate(tables):
                same = Column("integer", np.zeros(counted.rows, dtype=np.int64))
                tables[at] = _with(counted, target, same)
        own, *others = tables
        for name in [target, *self.keys]:
            for counted, place in zip(others, release.places):
                both = own.columns[name], counted.columns[name]
                _check_some_match(nothing_in_common(name, *both, place, (own.n, counted.n)))
        data, *sets = map(HeldTable, tables, places)
        result = disclosure(
            sets,
            data,
            list(self.keys),
            target,
            compat="corrected",
            print_flag=False,
            **self.disclosure_options,
        )
        self.results[release] = result
        return result

    def _in_classes(self, name: Hashable, tables: Sequence[Counted]) -> list[Counted]:
        """A numeric column in classes of the original; values beyond these belong to the first or
        last one. `disclosure()` makes classes from all tables, as R does: a release could lower its
        risk by records that shift them.
        """
        original, n = tables[0].columns[name], tables[0].n
        apart = self.apart.get(name, ())
        if n is not None and original.missing is not None:
            n = n[~original.missing]
        values = original.present().astype(np.float64)
        options = {"special": apart, "often": n, "median_split": True, "exact": True, **self.style}
        try:
            made = group(values, self.groups[name], **options)
        except InputError as error:
            raise of_column(error, name) from error
        low, high = made.breaks[0], made.breaks[-1]
        outside = ((values < low) | (values > high)) & ~np.isin(values, list(apart))
        if made.style == "fixed" and outside.any():
            everybody = tables[0].records
            records = int(outside.sum() if n is None else n[outside].sum())
            told = f"{about(records, everybody)} of {about(everybody, everybody)} original records"
            warn(
                f"fixedBreaks: {told} have a value of column {name!r} outside the breaks and go to"
                " the first or last class; give breaks that cover them, such as -inf and inf",
                DataWarning,
                short=f"{told} in column {name!r}",
            )
        classed = []
        for counted in tables:
            column = counted.columns[name]
            numbers = column.values.astype(np.float64)
            inside = np.clip(numbers, low, high)
            codes = class_of(numbers, made, apart)
            codes = np.where(codes < 0, class_of(inside, made, ()), codes)
            factor = Column("factor", codes, column.missing, tuple(made.labels))
            classed.append(_with(counted, name, factor))
        return classed

    def matched(self, label: str, release: Release, which: list[int], rows: Any) -> Share:
        """Expected match rate of Reiter and Mitra. Data sets that are released together are matched
        together. Keys that no data set changes are taken as known, the others as synthesised.
        """
        if not release.aligned:
            raise NoFigure(
                "its rows are not known to be those of the original, row by row (see aligned)"
            )
        # of all sets, even if some are left out: the intruder knows the same keys each time
        known = self.once((release, label), lambda: self._known_keys(release))
        risk = identification_risk(
            [release.sets[number] for number in which],
            self.original,
            known=known,
            synthesised=[name for name in self.keys if name not in known],
            **self.options["matching_options"],
        )
        return Share(risk.expected, risk.n)

    def _known_keys(self, release: Release) -> list[Hashable]:
        known = []
        for name in self.keys:
            own = read_column(self.original[name], f"{ORIGINAL}, column {name!r}")
            for frame, place in zip(release.sets, release.places):
                column = read_column(frame[name], f"{place}, column {name!r}")
                if not (column.has_values and self._is_near(name)):
                    _check_some_match(nothing_in_common(name, own, column, place))
            if all(frame[name].equals(self.original[name]) for frame in release.sets):
                known.append(name)
        return known

    def _is_near(self, name: Hashable) -> bool:
        """Whether the intruder also accepts values near the target's."""
        options = self.options["matching_options"]
        if name in (options.get("intervals") or {}):
            return True
        distance = options.get("distance")
        columns = getattr(distance, "columns", None)
        if distance is None or columns is not None:
            return name in (columns or ())
        return bool(pd.api.types.is_numeric_dtype(self.original[name].dtype))

    def designed(self, label: str, release: Release, which: list[int], rows: Any) -> float:
        """The identification risk that an IFPR release carries: a chance computed from its design,
        not estimated from its data. It is about one file, an intruder who knows the keys that were
        exchanged, and the data that the release was made from.
        """
        if not all(callable(getattr(one, "risk_table", None)) for one in release.carriers):
            raise NoFigure("only a release made by ifpr() carries this risk")
        if release.together and release.m > 1:
            raise NoFigure(
                "the theory is about one file, and an intruder can compare files released together"
                " (give Runs if only one will be released)"
            )
        keys, risks = list(self.keys), []
        for carrier in release.carriers:
            if set(carrier.keys) != set(keys):
                raise NoFigure(
                    f"it was made for the keys {', '.join(map(str, carrier.keys))}; the theory says"
                    f" nothing about an intruder who knows {', '.join(map(str, keys))}"
                )
            source = check_frame(carrier.original, "original")
            values = [one[keys].astype(object) for one in (source, self.original)]
            made, own = (frame.reset_index(drop=True) for frame in values)
            if not made.equals(own):
                raise NoFigure(
                    "it was made from other data: its original and the original of the map "
                    "differ in the keys"
                )
            # the last row is about all blocks
            risks.append(float(carrier.risk_table()["worst"].iloc[-1]))
        if not np.isfinite(risks).all():
            raise NoFigure("no cell was small enough to be changed, so the design promises nothing")
        return max(risks)

    def check_complete(self, release: Release) -> None:
        """No figure for a release that lacks a variable: a missing column would look perfect."""
        names = lacking(self.variables, release.sets)
        if names:
            raise NoFigure(
                f"it lacks {', '.join(map(str, names))}, which other releases have (give variables"
                " that all have)"
            )

    def tables(self, label: str, release: Release, which: list[int], rows: Any) -> float:
        """Mean total variation distance of all tables of some orders."""
        self.check_complete(release)
        coded, n, first = self._coded
        of_both = [0, first[release] + which[0]]
        weights = [n[table] for table in of_both]
        pair = [(size, [codes[table] for table in of_both]) for size, codes in coded]
        if rows is not None:
            lengths = map(len, pair[0][1])
            weights = [np.bincount(drawn, minlength=m) for drawn, m in zip(rows, lengths)]
        distances = []
        for variables in table_list(len(pair), ORDERS[label]):
            counts = cell_counts([pair[i] for i in variables], weights)
            distances.append(total_variation(*counts))
        return float(np.mean(distances))

    @cached_property
    def _coded(self) -> tuple[Any, list[Any], dict[Release, int]]:
        """Every variable coded over the original (table 0) and the sets of all releases that have
        all variables; how many records rows stand for; the first table of each release.
        """
        tables, places, first = [self.original], [ORIGINAL], {}
        for release in self.releases:
            if not lacking(self.variables, release.sets):
                first[release] = len(tables)
                tables += release.sets
                places += release.places
        counted = [table.count_by(self.variables) for table in map(open_table, tables, places)]
        classes = self.options["classes"]
        coded = coded_variables(self.variables, counted, places, classes, self.special)
        return coded, [rows.n for rows in counted], first

    def propensity(self, label: str, release: Release, which: list[int], rows: Any) -> float:
        """Standardised pMSE, of main effects or with products of two variables."""
        self.check_complete(release)
        key, (number,) = (label, release, *which), which
        # only the last one is kept: it is as long as the data, and resamples follow one another
        if self.latest_design[0] != key:
            both = {ORIGINAL: self.original, release.places[number]: release.sets[number]}
            products = label == "S_pMSE2"
            design = propensity_design(self.variables, both, self.special, interactions=products)
            self.latest_design = key, design, rank(design[0])
        _, design, columns = self.latest_design
        return score(design, columns, rows)[2]

    def overlap(self, label: str, release: Release, which: list[int], rows: Any) -> float:
        """Mean overlap of confidence intervals. Data sets that are released together are combined
        first.
        """
        estimands = self.estimands
        if rows is None:
            original = estimands.original
            sets = self.once((release, label), lambda: self._estimates(release))[which]
        else:
            (frame,), (place,) = release.sets, release.places
            original = estimands.of(self.original.iloc[rows[0]], "resampled original data")
            sets = estimands.of(frame.iloc[rows[1]], f"resampled {place}")[None]
            # without one of them the mean would be over other estimands
            if estimands.lacking(np.array([original, *sets])):
                return math.nan
        table = overlap_table(estimands.labels, original, sets[:, None], self.level)
        return float(table["overlap"].mean())

    @cached_property
    def estimands(self) -> Estimands:
        return Estimands(self.options["estimands"], self.original)

    def _estimates(self, release: Release) -> Floats:
        estimates = np.array(list(map(self.estimands.of, release.sets, release.places)))
        names = self.estimands.lacking(estimates)
        if names:
            raise NoFigure(f"{names[0]!r} cannot be estimated from every data set of it")
        return estimates

    def value(
        self, measure: Measure, release: Release, which: list[int], rows: Rows | None = None
    ) -> Share | float:
        """The figure of some data sets, or of resampled records of one."""
        if is_ours(measure):
            found: Share | float = measure.function(self, measure.label, release, which, rows)
            return found
        frame, people = release.sets[which[0]], self.original
        if rows is not None:
            people, frame = people.iloc[rows[0]], frame.iloc[rows[1]]
        return float(measure.function(frame, people))


def _with(counted: Counted, name: Hashable, column: Column) -> Counted:
    return replace(counted, columns={**counted.columns, name: column})


def _check_some_match(strangers: Any) -> None:
    """No figure if hardly any value is in common: that would look like safety."""
    if strangers is not None:
        raise NoFigure(f"nothing, or hardly anything, can match ({strangers[0]})")


SHARE = "% of original records"
UNION = "in at least one of the files that are released together"
RATIO = "propensity score mean squared error over its expectation"
DISTANCE = "mean total variation distance of"
NEAR = "values that are near but not equal (unless grouped)"
REPEATED = f"what is said about a person; records that the release repeats; {NEAR}"
UNSURE = (
    "a target that is nearly certain, such as nine of ten records alike (unless certainty is below"
    f" 1); {NEAR}"
)
COMPARED = "files compared with one another (of several files: the mean)"
INSIDE = "three variables together; differences inside a class of a number"
FEW = "small numbers of records, where differences are hard to see"
PER_CENT: tuple[Better, float, float] = ("lower", 0.0, 100.0)
FROM_0_TO_1: tuple[Better, float, float] = ("lower", 0.0, 1.0)
# what each figure is, and what it does not see; numbers are filled in where there is a {}
RISKS = [
    Measure(
        "repU",
        Comparison.disclosed,
        f"{SHARE} that are unique in the original and in the release (replicated uniques)",
        *PER_CENT,
        f"{REPEATED}; {COMPARED}",
    ),
    Measure(
        "DiSCO",
        Comparison.disclosed,
        f"{SHARE} whose target value the release reveals correctly",
        *PER_CENT,
        f"{UNSURE}; {COMPARED}",
    ),
    Measure(
        "repU_any",
        Comparison.disclosed,
        f"{SHARE} that are unique in the original and {UNION}",
        *PER_CENT,
        REPEATED,
    ),
    Measure(
        "DiSCO_any",
        Comparison.disclosed,
        f"{SHARE} whose target value is revealed correctly {UNION}",
        *PER_CENT,
        f"{UNSURE}; which of the files is correct",
    ),
    Measure(
        "expected_match_rate",
        Comparison.matched,
        f"{SHARE} that an intruder who knows the keys is expected to match correctly (Reiter and"
        " Mitra)",
        *PER_CENT,
        "values that are near but not equal (unless matching_options has intervals); what is learnt"
        " about people without identifying them",
    ),
    Measure(
        "IR",
        Comparison.designed,
        "highest chance that a match is correct, given what the release shows (by the design of"
        " IFPR), 0 to 1",
        *FROM_0_TO_1,
        "cells that are not exchanged because they are large; what the other columns tell about a"
        " person",
    ),
]
DISTANCES = {"tvd": "one- and two-way", "tvd1": "one-way", "tvd2": "two-way"}
SCORES = {"S_pMSE": "main effects", "S_pMSE2": "main effects and products of two variables"}
UNSEEN = {"S_pMSE": "all associations", "S_pMSE2": "three variables together"}
UTILITIES = [
    *(
        Measure(
            label, Comparison.tables, f"{DISTANCE} {{}} {ways} tables, 0 to 1", *FROM_0_TO_1, INSIDE
        )
        for label, ways in DISTANCES.items()
    ),
    *(
        Measure(
            label,
            Comparison.propensity,
            f"{RATIO} ({model}; 1 is as good as a correct synthesis)",
            better="lower",
            low=0.0,
            blind_to=f"{UNSEEN[label]}; {FEW}",
        )
        for label, model in SCORES.items()
    ),
    Measure(
        "ci_overlap",
        Comparison.overlap,
        "mean overlap of {:g} % confidence intervals of {} estimands, 0 to 1",
        better="higher",
        low=0.0,
        high=1.0,
        blind_to="whatever is not estimated",
    ),
]
MEASURES: dict[Role, dict[str, Measure]] = {
    "risk": {one.label: one for one in RISKS},
    "utility": {one.label: one for one in UTILITIES},
}


def is_ours(measure: Measure) -> bool:
    """Whether it is one of the package, which may have the same label as one of a user."""
    return getattr(measure.function, "__module__", "") == __name__


def measures_of(risk: Any, utility: Any, data: Comparison) -> list[tuple[Role, Measure]]:
    """All measures asked for, with their roles, the risks first."""
    if risk is None:
        risk = ["repU"] if data.target is None else ["DiSCO", "repU"]
    asked: dict[Role, Any] = {"risk": risk, "utility": utility}
    measures: list[tuple[Role, Measure]] = []
    for role, given in asked.items():
        for one in listed(given) or [given]:
            measures.append((role, _measure(role, one, data)))
    labels = [measure.label for _, measure in measures]
    for label in labels:
        if labels.count(label) > 1:
            raise InputError(
                f"risk, utility: {label!r} is given more than once; give each measure once, "
                "and your own measures different labels"
            )
    return measures


def _measure(role: Role, asked: Any, data: Comparison) -> Measure:
    choices = MEASURES[role]
    if isinstance(asked, Measure):
        measure = asked
    elif isinstance(asked, str) and asked in choices:
        measure = choices[asked]
    else:
        raise InputError(
            f"{role}: {asked!r} is unknown; choices: {', '.join(map(repr, choices))}, or a Measure"
            " of your own, which says its unit and which numbers are better"
        )
    label = measure.label
    if not is_in_memory(data.original) and not (is_ours(measure) and label in COUNTED):
        counted = ", ".join(name for name in choices if name in COUNTED)
        reason = not_collected(data.original, "original")
        raise InputError(f"{role}: {label!r} needs single records. {reason}, or use {counted}")
    if not is_ours(measure):
        return measure
    if role == "risk" and not data.keys:
        raise InputError(
            f"keys: is not given, but {label} is about what an intruder knows; choices:"
            f" {', '.join(map(str, data.original.columns))}"
        )
    if label.startswith("DiSCO") and data.target is None:
        raise InputError(
            f"target: is not given, but {label} is about a target that may be learnt; name a "
            "column that is not a key"
        )
    if label in ORDERS:
        number = len(table_list(len(data.variables), ORDERS[label]))
        return replace(measure, unit=measure.unit.format(number))
    if label == "ci_overlap":
        usable = int(data.estimands.usable().sum())
        return replace(measure, unit=measure.unit.format(100 * data.level, usable))
    return measure
