"""What `syn()` does before it draws: it prepares columns for trees, methods, predictors, and the
steps in which columns are synthesised. The order of the rules is R's.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from ..core.arrays import Flags, Floats, Integers, Values
from ..core.columns import Column
from ..errors import InputError, warn
from ..r.collation import order as collation_order
from ..r.text import double_text
from ..tables.reading import read_column
from .rpart import TreeRules
from .splits import SubsetSearch, check_searches

__all__ = ["ALIKE", "Call", "Coded", "Place", "Plan", "Source", "Step", "make_plan"]

Method = Literal["cart", "sample", "constant", "collinear", ""]
Smoothing = Literal["density", "rmean", "spline"]
Names = list[Hashable]
# a column itself, its values (part "0"), or the factor of its special values (part "NA")
Place = tuple[Hashable, str]

HAS_VALUE = "has a value"
LEAST_VARIANCE = 1000 * 2.22e-16  # R's tolerance: a number that varies less is a constant
ALIKE = 0.99999  # columns correlated at least so much are one
NOT_FOR_TREES = ("date", "time", "duration")
LARGEST = 1e150  # numbers whose squares can still be added up
MOST_EXACT = 2.0**53  # below it real numbers tell whole ones apart
MOST_SPELLINGS = 20  # numbers that may share a text of 15 digits before we stop looking
EXTENDED = np.finfo(np.longdouble).nmant > 52  # wider than doubles, as the numbers R adds up in


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """A checked call of `syn()`.

    Attributes
    ----------
    predictors : for each column to be synthesised, in the order of visits, the columns that predict
        it in the order of the data.
    sequence : the visits with those columns that have the method ""; they can still turn out to be
        constant or collinear.
    keeps_some : whether the user gave some column the method "".
    records : k, how many synthetic records to make.
    """

    methods: dict[Hashable, Method]
    sequence: Names
    predictors: dict[Hashable, Names]
    keeps_some: bool
    m: int
    records: int
    seed: int | None
    proper: bool
    cont_na: dict[Hashable, tuple[float, ...]]
    semicont: dict[Hashable, tuple[float, ...]]
    minnumlevels: int
    maxfaclevels: int
    smoothing: dict[Hashable, Smoothing]
    rules: TreeRules

    def named_special(self, name: Hashable) -> tuple[float, ...]:
        """The special values of a number that the user named."""
        return (*self.cont_na.get(name, ()), *self.semicont.get(name, ()))

    def takes_part(self, name: Hashable) -> bool:
        """Whether a column is synthesised or predicts another one."""
        return name in self.predictors or _is_modelled(name, self.predictors)


class Coded(NamedTuple):
    """A column as numbers.

    Attributes
    ----------
    values : numbers, or codes from 0 on where there are `labels`.
    labels : texts of the levels; a last one, ``None``, stands for missing values.
    ordered, logical : an ordered factor; truth values without gaps, which predict as 0 and 1.
    """

    values: Values
    labels: tuple[str | None, ...] = ()
    ordered: bool = False
    logical: bool = False

    @property
    def is_factor(self) -> bool:
        return bool(self.labels)

    @property
    def is_nominal(self) -> bool:
        """A factor whose levels have no order for a tree."""
        return self.is_factor and not self.ordered and not self.logical

    @property
    def place_of_value(self) -> int:
        """The code of "has a value"; -1 where no row has one."""
        return self.labels.index(HAS_VALUE) if HAS_VALUE in self.labels else -1


@dataclass(slots=True, eq=False)
class Source:
    """A column of the user's data.

    Attributes
    ----------
    special : the special values in ascending order, missing values last as NaN; empty if the column
        is synthesised as it is.
    distinct : the numbers behind the levels, for a number with so few values that it is synthesised
        as a factor.
    """

    series: pd.Series
    column: Column
    coded: Coded
    special: tuple[float, ...] = ()
    distinct: Floats | None = None

    @property
    def named_special(self) -> list[float]:
        """The special values except missing."""
        return [value for value in self.special if not np.isnan(value)]

    @property
    def has_one_value(self) -> bool:
        """Whether all records are alike; missing is a value."""
        return len(np.unique(self.coded.values)) <= 1  # of missing numbers one is kept


class Step(NamedTuple):
    """One column, or part of one, to be synthesised; `rows` are those that are modelled, None for
    all.
    """

    place: Place
    method: Method
    predictors: tuple[Place, ...] = ()
    rows: Integers | None = None


@dataclass(slots=True, eq=False)
class Plan:
    """Everything that is known before the first draw.

    Attributes
    ----------
    partners : for each collinear column the one that determines it.
    notes : where R would do something else.
    not_as_asked : those of the notes on what the user asked for and does not get.
    """

    call: Call
    sources: dict[Hashable, Source]
    methods: dict[Hashable, Method]
    predictors: dict[Hashable, Names]
    partners: dict[Hashable, Hashable] = field(default_factory=dict)
    coded: dict[Place, Coded] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    not_as_asked: list[str] = field(default_factory=list)


def place_name(place: Place) -> str:
    """What R calls a place: the column, or the column with ".0" or ".NA"."""
    name, part = place
    return f"{name}.{part}" if part else str(name)


def make_plan(data: pd.DataFrame, call: Call) -> Plan:
    """Columns, methods and steps for a call of `syn()`."""
    sources = {name: _read(data[name], name, call) for name in data.columns}
    plan = Plan(call, sources, dict(call.methods), dict(call.predictors))
    plan.notes += _notes_on_call(call, len(data))
    constants = {name for name, source in sources.items() if _is_constant(source)}
    plan.methods |= dict.fromkeys((name for name in call.sequence if name in constants), "constant")
    _leave_out(plan, constants)
    for name in call.predictors:
        if plan.methods[name] in ("cart", "collinear") and not plan.predictors[name]:
            plan.methods[name] = "sample"
    if call.m:
        _find_collinear(plan)
    _find_special(plan)
    _check_levels(plan)
    _warn_of_constants(plan, constants)
    _code_places(plan)
    _find_declared_partners(plan)
    plan.notes += [*plan.not_as_asked, *_notes_on_copies(plan), *_notes_on_smoothing(plan)]
    _add_steps(plan)
    if call.m:
        _check_subsets(plan)
    return plan


def _is_modelled(name: Hashable, predictors: dict[Hashable, Names]) -> bool:
    """Whether a tree meets a column, as its outcome or as a predictor."""
    return bool(predictors.get(name)) or any(name in others for others in predictors.values())


def _leave_out(plan: Plan, names: set[Hashable]) -> None:
    """These columns predict nothing and are not predicted."""
    for name, others in plan.predictors.items():
        kept = [other for other in others if other not in names]
        plan.predictors[name] = [] if name in names else kept


# ---- columns -----------------------------------------------------------------------------


def _read(series: pd.Series, name: Hashable, call: Call) -> Source:
    column = read_column(series, f"data: column {name!r}")
    takes_part = call.takes_part(name)
    if column.kind in NOT_FOR_TREES:
        if takes_part:
            raise InputError(
                f"data: column {name!r} holds dates or times, which a tree cannot predict; "
                "convert it to a number, for instance days since a fixed date, and back "
                "afterwards"
            )
        return Source(series, column, Coded(np.zeros(len(series))))
    if column.kind == "logical":
        return Source(series, column, _coded_logical(column))
    if not column.is_number:
        return Source(series, column, _coded_text(series, column))
    numbers = column.values.astype(np.float64)
    if column.missing is not None:
        numbers = np.where(column.missing, np.nan, numbers)
    if takes_part:
        _check_numbers(column, numbers, name)
    # a number with few values becomes a factor only where a tree meets it
    few = call.minnumlevels if _is_modelled(name, call.predictors) else 0
    exact = np.unique(numbers[~np.isnan(numbers)])
    if len(exact) > MOST_SPELLINGS * (few + 1):
        return Source(series, column, Coded(numbers))
    # R distinguishes levels by texts of 15 digits, which several numbers may share
    texts = [double_text(value) for value in exact.tolist()]
    labels = list(dict.fromkeys(texts))
    if len(labels) > few:
        return Source(series, column, Coded(numbers))
    level_of = np.array([labels.index(text) for text in texts] + [0])  # the last for missing
    codes = level_of[np.searchsorted(exact, numbers)]
    coded = _with_level_for_missing(codes, column.missing, labels)
    return Source(series, column, coded, distinct=np.array([float(text) for text in labels]))


def _check_numbers(column: Column, numbers: Floats, name: Hashable) -> None:
    """Refuse numbers whose squares trees cannot add up."""
    sizes = np.abs(numbers[~np.isnan(numbers)])
    if np.isinf(sizes).any():
        raise InputError(
            f"data: column {name!r} has infinite values; replace them by a number or by missing"
        )
    if (sizes > LARGEST).any():
        raise InputError(
            f"data: column {name!r} has values beyond {LARGEST:g}, whose squares overflow; "
            "divide it by a power of ten and multiply afterwards"
        )
    if column.values.dtype.kind in "iu" and (sizes >= MOST_EXACT).any():
        raise InputError(
            f"data: column {name!r} has whole numbers beyond 2^53, which doubles cannot tell "
            "apart; make it text, or drop it"
        )


def _coded_logical(column: Column) -> Coded:
    if column.missing is None:
        return Coded(column.values.astype(np.int64), ("FALSE", "TRUE"), logical=True)
    present = np.unique(column.values[~column.missing]).astype(np.int64)
    labels = [("FALSE", "TRUE")[value] for value in present.tolist()]
    return _with_level_for_missing(np.searchsorted(present, column.values), column.missing, labels)


def _coded_text(series: pd.Series, column: Column) -> Coded:
    labels = list(column.labels)
    codes = column.values.astype(np.int64)
    if column.kind == "character" and labels:
        order = collation_order(labels, "icu")
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        labels = [labels[place] for place in order]
        # what stands behind a missing value may be any number
        codes = rank[codes if column.missing is None else np.where(column.missing, 0, codes)]
    coded = _with_level_for_missing(codes, column.missing, labels)
    return coded._replace(ordered=bool(getattr(series.dtype, "ordered", False)))


def _with_level_for_missing(
    codes: Integers, missing: Flags | None, labels: Sequence[str | None]
) -> Coded:
    """A factor whose missing values are a last level."""
    if missing is not None and missing.any():
        codes = np.where(missing, len(labels), codes)
        labels = [*labels, None]
    return Coded(codes.astype(np.int64), tuple(labels))


def _is_constant(source: Source) -> bool:
    coded = source.coded
    if source.column.kind in NOT_FOR_TREES:
        return False
    if coded.is_factor:
        return source.has_one_value
    present = coded.values[~np.isnan(coded.values)]
    # a column that is not synthesised may have infinite and very large values
    with np.errstate(invalid="ignore", over="ignore"):
        return len(present) < 2 or bool(np.var(present, ddof=1) < LEAST_VARIANCE)


def _warn_of_constants(plan: Plan, constants: set[Hashable]) -> None:
    """Warn about the method "constant": it returns a column as observed, which is safe only for a
    single value.
    """
    for name, method in plan.methods.items():
        source = plan.sources[name]
        if method != "constant" or source.has_one_value:
            continue
        if name not in constants:
            warn(
                f"method: 'constant' returns {name!r} as observed, but it is not constant; "
                "give 'cart' or 'sample' to synthesise it, '' to leave it as it is",
                UserWarning,
                short=f"{name!r} is returned as observed",
            )
            continue
        cure = "make it text or a category to have its missing values synthesised"
        if not np.isnan(source.coded.values).any():
            cure = "multiply it by a power of ten to have it synthesised"
        warn(
            f"data: column {name!r} counts as constant, as in R, because it has hardly "
            f"more than one value, and is returned as observed; {cure}",
            UserWarning,
            short=f"{name!r} counts as constant",
        )


def _check_levels(plan: Plan) -> None:
    call = plan.call
    for name, source in plan.sources.items():
        levels = len(source.coded.labels)
        takes_levels = plan.methods[name] not in ("sample", "constant")
        if takes_levels and _is_modelled(name, call.predictors) and levels > call.maxfaclevels:
            raise InputError(
                f"data: column {name!r} has {levels} levels, more than maxfaclevels ="
                f" {call.maxfaclevels}; drop the column, group its levels, convert it to a number,"
                " give it the method 'sample', or raise maxfaclevels"
            )


# ---- columns that another one determines -----------------------------------------------------


def _find_collinear(plan: Plan) -> None:
    """Columns that another one, visited earlier, determines: the later one with the earlier."""
    names = [name for name in plan.call.sequence if _is_modelled(name, plan.predictors)]
    numbers = {at: plan.sources[name].coded.values.astype(float) for at, name in enumerate(names)}
    with np.errstate(invalid="ignore", divide="ignore"):
        alike = pd.DataFrame(numbers).corr().abs().to_numpy() >= ALIKE
    for later, name in enumerate(names):
        candidates = [names[at] for at in np.flatnonzero(alike[later, :later]).tolist()]
        earlier = next((other for other in candidates if other not in plan.partners), None)
        if earlier is None:
            continue
        if not plan.sources[name].coded.is_factor and _special_values(plan, name):
            plan.notes.append(_on_missing_codes(name, f"collinear with {earlier!r}"))
        else:
            plan.partners[name] = earlier
    plan.methods |= dict.fromkeys(plan.partners, "collinear")
    _leave_out(plan, set(plan.partners))


def _find_declared_partners(plan: Plan) -> None:
    """Columns that the user declared collinear, each with its first predictor, as in R. With
    special values they are predicted by a tree.
    """
    found = set(plan.partners)
    for name, others in plan.predictors.items():
        special = plan.sources[name].special
        if plan.methods[name] == "constant" and special:
            plan.not_as_asked.append(
                f"{name!r} is declared constant and has missing or special values: R predicts "
                "these by a regression or stops, here the column stays as observed"
            )
        if plan.methods[name] != "collinear" or name in found:
            continue
        if special:
            plan.not_as_asked.append(_on_missing_codes(name, "declared collinear"))
            plan.methods[name] = "cart"
        elif not others:
            plan.not_as_asked.append(
                f"{name!r} is declared collinear, and its predictor is collinear with it: "
                "here it is sampled"
            )
            plan.methods[name] = "sample"
        else:
            plan.partners[name] = next(place for place in plan.coded if place[0] in others)[0]


def _on_missing_codes(name: Hashable, what: str) -> str:
    return (
        f"{name!r} is {what} and has missing or special values: R predicts these by a regression,"
        " here a tree does"
    )


# ---- notes -------------------------------------------------------------------------------------


def _notes_on_call(call: Call, rows: int) -> list[str]:
    notes = []
    if call.takes_part("y"):
        notes.append(
            "R mistakes a column named 'y' for the response of every tree; here it is a column"
        )
    if call.keeps_some and call.records != rows:
        notes.append(
            "R (1.9-3) stops where a column has the method '' and k is not the number of records;"
            " here such a column is filled from rows drawn at random"
        )
    if not call.predictors:
        notes.append(
            "no column is synthesised: R still lists the predictors of each, and takes them for "
            "columns that only predict"
        )
    return notes


def _notes_on_copies(plan: Plan) -> list[str]:
    """Notes on columns whose partner has values that were not observed."""
    notes = []
    for name, partner in plan.partners.items():
        source = plan.sources[partner]
        longer = plan.call.records > len(source.series) and plan.methods[partner] == "constant"
        if partner in plan.call.smoothing:
            notes.append(
                f"{name!r} is collinear with {partner!r}, which is smoothed: R gives missing values"
                " where the smoothed one was not observed, here the next observed one decides"
            )
        elif longer and source.column.kind == "double":
            notes.append(
                f"{name!r} is collinear with {partner!r}, a constant that is made longer: R writes"
                " its numbers with 15 digits and gives missing values where they have more"
            )
    return notes


def _notes_on_smoothing(plan: Plan) -> list[str]:
    call, notes = plan.call, []
    if "density" in call.smoothing.values() and not EXTENDED:
        notes.append(
            "this machine has no numbers wider than doubles, in which R adds up where it can: last "
            "digits of numbers smoothed by a density may differ"
        )
    for name in call.smoothing:
        source = plan.sources[name]
        named_twice = name in call.cont_na and name in call.semicont
        drawn = plan.methods[name] in ("cart", "sample") and not source.special
        if drawn and named_twice and np.isnan(source.coded.values).any():
            notes.append(
                f"{name!r} is smoothed and has missing values, which neither cont_na nor semicont"
                " names: R stops, here they stay missing"
            )
    return notes


# ---- numbers with special values, and steps ----------------------------------------------------


def _find_special(plan: Plan) -> None:
    """The special values of each number that a tree uses: those named, and missing values."""
    call = plan.call
    for name, source in plan.sources.items():
        met = _is_modelled(name, plan.predictors) or name in plan.partners.values()
        if source.coded.is_factor or not met:
            continue
        source.special = _special_values(plan, name)
        if not source.special:
            continue
        if np.isnan(source.special[-1]) and name in call.cont_na and name in call.semicont:
            plan.notes.append(
                f"{name!r} has missing values and both cont_na and semicont: R drops these rows,"
                " here they are synthesised as missing"
            )
    # R calls the parts of a split number by names that may be taken
    for name, source in plan.sources.items():
        if not source.special:
            continue
        parts = [place_name((name, part)) for part in ("0", "NA")]
        for taken in (other for other in plan.sources if other in parts):
            plan.notes.append(f"R stops, because it calls a part of {name!r} {taken!r} as well")
        if " " in str(name):
            plan.notes.append(
                f"R stops at {name!r}, a number with missing values and a blank in its name"
            )


def _special_values(plan: Plan, name: Hashable) -> tuple[float, ...]:
    values = plan.sources[name].coded.values
    named = sorted(set(plan.call.named_special(name)))
    special = [value for value in named if (values == value).any()]
    return (*special, np.nan) if np.isnan(values).any() else tuple(special)


def _code_places(plan: Plan) -> None:
    """Every column, and after them the two parts of each number with special values. Predictors
    enter a tree in this order.
    """
    for name, source in plan.sources.items():
        if not source.special:
            plan.coded[name, ""] = source.coded
    for name, source in plan.sources.items():
        if source.special:
            kinds = _kinds_of(source)
            has_value = kinds.values == kinds.place_of_value
            plan.coded[name, "0"] = Coded(np.where(has_value, source.coded.values, 0.0))
            plan.coded[name, "NA"] = kinds


def _kinds_of(source: Source) -> Coded:
    """For each row which special value it has, in ascending order, then "has a value", then
    missing.
    """
    values = source.coded.values
    named = source.named_special
    codes = np.full(len(values), len(named), dtype=np.int64)
    for place, value in enumerate(named):
        codes[values == value] = place
    labels: list[str | None] = [double_text(value) for value in named]
    if ((codes == len(named)) & ~np.isnan(values)).any():
        labels.append(HAS_VALUE)
    return _with_level_for_missing(codes, np.isnan(values), labels)


def _add_steps(plan: Plan) -> None:
    for name, others in plan.predictors.items():
        method = plan.methods[name]
        places = tuple(place for place in plan.coded if place[0] in others)
        if not plan.sources[name].special:
            plan.steps.append(Step((name, ""), method, places))
            continue
        kinds = plan.coded[name, "NA"]
        rows = np.flatnonzero(kinds.values == kinds.place_of_value)
        plan.steps.append(Step((name, "NA"), method, places))
        plan.steps.append(Step((name, "0"), method, places, rows))


def _check_subsets(plan: Plan) -> None:
    """Where three or more classes are predicted, a tree tries every subset of the levels of a
    factor.
    """
    outcomes: dict[Place, list[str]] = {}
    for step in plan.steps:
        classes = plan.coded[step.place]
        if step.method == "cart" and classes.is_factor and len(np.unique(classes.values)) > 2:
            for place in step.predictors:
                if plan.coded[place].is_nominal:
                    outcomes.setdefault(place, []).append(place_name(step.place))
    sets = plan.call.m if plan.call.proper else 1
    searches = [
        SubsetSearch(place_name(place), plan.coded[place].values, predicted, sets)
        for place, predicted in outcomes.items()
    ]
    check_searches(searches)
