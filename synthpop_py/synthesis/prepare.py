"""What `syn()` does before it draws: it prepares columns for trees, methods, predictors, and the
steps in which columns are synthesised. The order of the rules is R's.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from ..core.arrays import Flags, Floats, Integers, Values
from ..core.columns import Column
from ..errors import InputError, warn
from ..r.collation import order as collation_order
from ..r.text import double_text
from ..tables.reading import read_column
from .call import Call, Method, is_modelled
from .smoothing import EXTENDED, Smoothing

__all__ = [
    "ALIKE",
    "Coded",
    "Place",
    "Plan",
    "Source",
    "Step",
    "as_observed",
    "make_plan",
    "place_name",
    "place_of_value",
]

# a column itself, its values (part "0"), or the factor of its special values (part "NA")
Place = tuple[Hashable, str]

HAS_VALUE = "has a value"
LEAST_VARIANCE = 1000 * 2.22e-16  # R's tolerance: a number that varies less is a constant
ALIKE = 0.99999  # columns correlated at least so much are one
NOT_FOR_TREES = ("date", "time", "duration")
LARGEST = 1e150  # numbers whose squares can still be added up
MOST_EXACT = 2.0**53  # below it real numbers tell whole ones apart
MOST_SPELLINGS = 20  # numbers that may share a text of 15 digits before we stop looking


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
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

    def as_numbers(self) -> Floats:
        """Values, or codes: what R's ``data.matrix`` shows."""
        return self.values.astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
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


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One column, or part of one, to be synthesised; `rows` are those that are modelled, None for
    all.
    """

    place: Place
    method: Method
    predictors: tuple[Place, ...] = ()
    rows: Integers | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Everything that is known before the first draw.

    Attributes
    ----------
    partners : for each collinear column the one that determines it.
    smoothing : how the values of a number are smoothed; those in `not_smoothed` stay.
    notes : where R would do something else.
    not_as_asked : those of the notes on what the user asked for and does not get.
    """

    sources: dict[Hashable, Source]
    coded: dict[Place, Coded]
    steps: list[Step]
    methods: dict[Hashable, Method]
    visits: list[Hashable]
    visited: frozenset[Hashable]
    partners: dict[Hashable, Hashable]
    predictors: dict[Hashable, list[Hashable]]
    smoothing: dict[Hashable, Smoothing]
    not_smoothed: dict[Hashable, tuple[float, ...]]
    notes: list[str] = field(default_factory=list)
    not_as_asked: list[str] = field(default_factory=list)


def place_name(place: Place) -> str:
    """What R calls a place: the column, or the column with ".0" or ".NA"."""
    name, part = place
    return f"{name}.{part}" if part else str(name)


def make_plan(data: pd.DataFrame, call: Call) -> Plan:
    """Columns, methods and steps for a call of `syn()`."""
    notes = [*_notes_on_names(call), *_notes_on_size(call, len(data))]
    sources = _read_columns(data, call)
    methods = dict(call.methods)
    constants = {name for name, source in sources.items() if _is_constant(source)}
    for name in call.sequence:
        if name in constants:
            methods[name] = "constant"
    predictors = _without(call.predictors, constants)
    for name in call.visits:
        if methods[name] in ("cart", "collinear") and not predictors[name]:
            methods[name] = "sample"
    partners = _collinear_columns(sources, predictors, call, notes) if call.m else {}
    for name in partners:
        methods[name] = "collinear"
    predictors = _without(predictors, set(partners))
    sources = _with_special(sources, predictors, partners, call, notes)
    notes += _notes_on_parts(sources)
    _check_levels(sources, methods, call)
    _warn_of_constants(methods, constants, sources)
    coded = _coded_places(sources)
    not_as_asked: list[str] = []
    partners |= _named_partners(sources, coded, methods, predictors, partners, not_as_asked)
    notes += not_as_asked
    notes += _notes_on_smoothing(sources, methods, partners, call)
    steps = _steps(sources, coded, methods, predictors)
    return Plan(
        sources=sources,
        coded=coded,
        steps=steps,
        methods=methods,
        visits=call.visits,
        visited=frozenset(call.sequence),
        partners=partners,
        predictors=predictors,
        smoothing=call.smoothing,
        not_smoothed={name: call.named_special(name) for name in call.smoothing},
        notes=notes,
        not_as_asked=not_as_asked,
    )


def _without(
    predictors: dict[Hashable, list[Hashable]], left_out: set[Hashable]
) -> dict[Hashable, list[Hashable]]:
    """The predictors without some columns, which then have no predictors themselves."""
    kept: dict[Hashable, list[Hashable]] = {}
    for name, others in predictors.items():
        kept[name] = []
        if name not in left_out:
            kept[name] = [other for other in others if other not in left_out]
    return kept


# ---- columns -----------------------------------------------------------------------------


def _read_columns(data: pd.DataFrame, call: Call) -> dict[Hashable, Source]:
    sources = {}
    for name in data.columns:
        # a number with few values becomes a factor only where a tree meets it
        few = call.minnumlevels if is_modelled(name, call.predictors) else 0
        sources[name] = _read(data[name], name, few, call.takes_part(name))
    return sources


def _read(series: pd.Series, name: Hashable, minnumlevels: int, takes_part: bool) -> Source:
    column = read_column(series, f"data: column {name!r}")
    if column.kind in NOT_FOR_TREES:
        if takes_part:
            raise InputError(
                f"data: column {name!r} holds dates or times, which a tree cannot predict; "
                "convert it to a number, for instance days since a fixed date, and back "
                "afterwards"
            )
        return Source(series, column, Coded(np.zeros(len(series))))
    if column.is_number:
        return _read_number(series, name, column, minnumlevels, takes_part)
    coded = _coded_logical(column) if column.kind == "logical" else _coded_text(series, column)
    return Source(series=series, column=column, coded=coded)


def _read_number(
    series: pd.Series, name: Hashable, column: Column, minnumlevels: int, takes_part: bool
) -> Source:
    numbers = column.values.astype(np.float64)
    if column.missing is not None:
        numbers = np.where(column.missing, np.nan, numbers)
    if takes_part:
        _check_numbers(column, numbers, name)
    exact = np.unique(numbers[~np.isnan(numbers)])
    if len(exact) > MOST_SPELLINGS * (minnumlevels + 1):
        return Source(series=series, column=column, coded=Coded(numbers))
    # R distinguishes levels by texts of 15 digits, which several numbers may share
    texts = [double_text(value) for value in exact.tolist()]
    labels = list(dict.fromkeys(texts))
    if len(labels) > minnumlevels:
        return Source(series=series, column=column, coded=Coded(numbers))
    level_of = np.array([labels.index(text) for text in texts] + [0])  # the last for missing
    codes = level_of[np.searchsorted(exact, numbers)]
    coded = _with_level_for_missing(codes, column.missing, labels)
    distinct = np.array([float(text) for text in labels])
    return Source(series=series, column=column, coded=coded, distinct=distinct)


def _check_numbers(column: Column, numbers: Floats, name: Hashable) -> None:
    """Refuse numbers whose squares trees cannot add up."""
    if np.isinf(numbers).any():
        raise InputError(
            f"data: column {name!r} has infinite values; replace them by a number or by missing"
        )
    present = ~np.isnan(numbers)
    if (np.abs(numbers[present]) > LARGEST).any():
        raise InputError(
            f"data: column {name!r} has values beyond {LARGEST:g}, whose squares overflow; "
            "divide it by a power of ten and multiply afterwards"
        )
    exact = column.values[present]
    is_whole = exact.dtype.kind in "iu"
    if is_whole and (np.abs(numbers[present]) >= MOST_EXACT).any():
        raise InputError(
            f"data: column {name!r} has whole numbers beyond 2^53, which doubles cannot tell "
            "apart; make it text, or drop it"
        )


def _coded_logical(column: Column) -> Coded:
    if column.missing is None:
        codes = column.values.astype(np.int64)
        return Coded(codes, labels=("FALSE", "TRUE"), logical=True)
    present = np.unique(column.values[~column.missing]).astype(np.int64)
    codes = np.searchsorted(present, column.values)
    labels = [("FALSE", "TRUE")[value] for value in present.tolist()]
    return _with_level_for_missing(codes, column.missing, labels)


def _coded_text(series: pd.Series, column: Column) -> Coded:
    labels = list(column.labels)
    codes = column.values.astype(np.int64)
    ordered = bool(getattr(series.dtype, "ordered", False))
    if column.kind == "character" and labels:
        order = collation_order(labels, "icu")
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        labels = [labels[place] for place in order]
        # what stands behind a missing value may be any number
        filled = codes if column.missing is None else np.where(column.missing, 0, codes)
        codes = rank[filled]
    return _with_level_for_missing(codes, column.missing, labels, ordered=ordered)


def _with_level_for_missing(
    codes: Integers, missing: Flags | None, labels: Sequence[str], ordered: bool = False
) -> Coded:
    """A factor whose missing values are a last level."""
    if missing is None or not missing.any():
        return Coded(codes.astype(np.int64), tuple(labels), ordered=ordered)
    codes = np.where(missing, len(labels), codes)
    return Coded(codes.astype(np.int64), (*labels, None), ordered=ordered)


def _with_special(
    sources: dict[Hashable, Source],
    predictors: dict[Hashable, list[Hashable]],
    partners: dict[Hashable, Hashable],
    call: Call,
    notes: list[str],
) -> dict[Hashable, Source]:
    """The columns, with the special values of each number that a tree uses: those named, and
    missing values.
    """
    completed = dict(sources)
    for name, source in sources.items():
        met = is_modelled(name, predictors) or name in partners.values()
        if source.coded.is_factor or not met:
            continue
        special = _special_values(source, name, call)
        completed[name] = replace(source, special=special)
        if special and np.isnan(special[-1]) and name in call.cont_na and name in call.semicont:
            notes.append(
                f"{name!r} has missing values and both cont_na and semicont: R drops these rows,"
                " here they are synthesised as missing"
            )
    return completed


def _special_values(source: Source, name: Hashable, call: Call) -> tuple[float, ...]:
    values = source.coded.values
    named = sorted(set(call.named_special(name)))
    special = [value for value in named if (values == value).any()]
    if np.isnan(values).any():
        special.append(np.nan)
    return tuple(special)


def _is_constant(source: Source) -> bool:
    coded = source.coded
    if source.column.kind in NOT_FOR_TREES:
        return False
    if coded.is_factor:
        return len(np.unique(coded.values)) <= 1
    present = coded.values[~np.isnan(coded.values)]
    # a column that is not synthesised may have infinite and very large values
    with np.errstate(invalid="ignore", over="ignore"):
        return len(present) < 2 or bool(np.var(present, ddof=1) < LEAST_VARIANCE)


def _collinear_columns(
    sources: dict[Hashable, Source],
    predictors: dict[Hashable, list[Hashable]],
    call: Call,
    notes: list[str],
) -> dict[Hashable, Hashable]:
    """Columns that another one, visited earlier, determines: the later one with the earlier."""
    names = [name for name in call.sequence if is_modelled(name, predictors)]
    numbers = {place: sources[name].coded.as_numbers() for place, name in enumerate(names)}
    with np.errstate(invalid="ignore", divide="ignore"):
        alike = pd.DataFrame(numbers).corr().abs().to_numpy() >= ALIKE
    partners: dict[Hashable, Hashable] = {}
    for later, name in enumerate(names):
        earlier = _first_alike(alike[later, :later], names, partners)
        if earlier is None:
            continue
        coded = sources[name].coded
        if not coded.is_factor and _special_values(sources[name], name, call):
            notes.append(_on_missing_codes(name, f"collinear with {earlier!r}"))
        else:
            partners[name] = earlier
    return partners


def _named_partners(
    sources: dict[Hashable, Source],
    coded: dict[Place, Coded],
    methods: dict[Hashable, Method],
    predictors: dict[Hashable, list[Hashable]],
    found: dict[Hashable, Hashable],
    notes: list[str],
) -> dict[Hashable, Hashable]:
    """Columns that the user declared collinear, each with its first predictor, as in R. With
    special values they are predicted by a tree (`methods` is changed).
    """
    partners: dict[Hashable, Hashable] = {}
    for name, others in predictors.items():
        special = sources[name].special
        if methods[name] == "constant" and special:
            notes.append(
                f"{name!r} is declared constant and has missing or special values: R predicts "
                "these by a regression or stops, here the column stays as observed"
            )
        if methods[name] != "collinear" or name in found:
            continue
        if special:
            notes.append(_on_missing_codes(name, "declared collinear"))
            methods[name] = "cart"
        elif not others:
            notes.append(
                f"{name!r} is declared collinear, and its predictor is collinear with it: "
                "here it is sampled"
            )
            methods[name] = "sample"
        else:
            partners[name] = next(place for place in coded if place[0] in others)[0]
    return partners


def _on_missing_codes(name: Hashable, what: str) -> str:
    return (
        f"{name!r} is {what} and has missing or special values: R predicts these by a regression,"
        " here a tree does"
    )


def _has_one_value(source: Source) -> bool:
    """Whether all records are alike; missing is a value."""
    values = source.coded.values
    return len(np.unique(values)) <= 1  # of missing numbers one is kept


def as_observed(plan: Plan, names: list[Hashable]) -> list[Hashable]:
    """Those of the columns whose original values are given back. A single value tells nothing."""
    kept = []
    for name in names:
        varies = plan.methods[name] == "constant" and not _has_one_value(plan.sources[name])
        if varies or not plan.methods[name]:
            kept.append(name)
    return kept


def _warn_of_constants(
    methods: dict[Hashable, Method], constants: set[Hashable], sources: dict[Hashable, Source]
) -> None:
    """Warn about the method "constant": it returns a column as observed, which is safe only for a
    single value.
    """
    for name, method in methods.items():
        if method != "constant" or _has_one_value(sources[name]):
            continue
        if name in constants:
            cure = "make it text or a category to have its missing values synthesised"
            if not np.isnan(sources[name].coded.values).any():
                cure = "multiply it by a power of ten to have it synthesised"
            warn(
                f"data: column {name!r} counts as constant, as in R, because it has hardly "
                f"more than one value, and is returned as observed; {cure}",
                UserWarning,
                short=f"{name!r} counts as constant",
            )
        else:
            warn(
                f"method: 'constant' returns {name!r} as observed, but it is not constant; "
                "give 'cart' or 'sample' to synthesise it, '' to leave it as it is",
                UserWarning,
                short=f"{name!r} is returned as observed",
            )


def _first_alike(
    alike: Flags, names: list[Hashable], partners: dict[Hashable, Hashable]
) -> Hashable | None:
    for place in np.flatnonzero(alike).tolist():
        if names[place] not in partners:
            return names[place]
    return None


def _check_levels(
    sources: dict[Hashable, Source], methods: dict[Hashable, Method], call: Call
) -> None:
    for name, source in sources.items():
        levels = len(source.coded.labels)
        if methods[name] in ("sample", "constant") or not is_modelled(name, call.predictors):
            continue
        if levels > call.maxfaclevels:
            raise InputError(
                f"data: column {name!r} has {levels} levels, more than maxfaclevels ="
                f" {call.maxfaclevels}; drop the column, group its levels, convert it to a number,"
                " give it the method 'sample', or raise maxfaclevels"
            )


def _notes_on_names(call: Call) -> list[str]:
    """A note on a column that R mistakes for the response in its own formula."""
    if not call.takes_part("y"):
        return []
    return ["R mistakes a column named 'y' for the response of every tree; here it is a column"]


def _notes_on_size(call: Call, rows: int) -> list[str]:
    notes = []
    if call.keeps_some and call.records != rows:
        notes.append(
            "R (1.9-3) stops where a column has the method '' and k is not the number of records;"
            " here such a column is filled from rows drawn at random"
        )
    if not call.visits:
        notes.append(
            "no column is synthesised: R still lists the predictors of each, and takes them for "
            "columns that only predict"
        )
    return notes


def _notes_on_parts(sources: dict[Hashable, Source]) -> list[str]:
    """Notes on names that R cannot handle when it splits a number."""
    notes = []
    for name, source in sources.items():
        parts = [place_name((name, part)) for part in ("0", "NA")]
        for taken in (other for other in sources if other in parts):
            if source.special:
                notes.append(f"R stops, because it calls a part of {name!r} {taken!r} as well")
        if source.special and " " in str(name):
            notes.append(
                f"R stops at {name!r}, a number with missing values and a blank in its name"
            )
    return notes


def _notes_on_smoothing(
    sources: dict[Hashable, Source],
    methods: dict[Hashable, Method],
    partners: dict[Hashable, Hashable],
    call: Call,
) -> list[str]:
    notes = []
    if "density" in call.smoothing.values() and not EXTENDED:
        notes.append(
            "this machine has no numbers wider than doubles, in which R adds up where it can: last "
            "digits of numbers smoothed by a density may differ"
        )
    for name, partner in partners.items():
        if partner in call.smoothing:
            notes.append(
                f"{name!r} is collinear with {partner!r}, which is smoothed: R gives missing values"
                " where the smoothed one was not observed, here the next observed one decides"
            )
    for name in call.smoothing:
        source = sources[name]
        named_twice = name in call.cont_na and name in call.semicont
        drawn = methods[name] in ("cart", "sample")
        if drawn and named_twice and not source.special and np.isnan(source.coded.values).any():
            notes.append(
                f"{name!r} is smoothed and has missing values, which neither cont_na nor semicont"
                " names: R stops, here they stay missing"
            )
    return notes


# ---- numbers with special values -----------------------------------------------------------


def _coded_places(sources: dict[Hashable, Source]) -> dict[Place, Coded]:
    """Every column, and after them the two parts of each number with special values. Predictors
    enter a tree in this order.
    """
    coded: dict[Place, Coded] = {}
    for name, source in sources.items():
        if not source.special:
            coded[name, ""] = source.coded
    for name, source in sources.items():
        if source.special:
            kinds = _kinds_of(source)
            has_value = kinds.values == place_of_value(kinds)
            coded[name, "0"] = Coded(np.where(has_value, source.coded.values, 0.0))
            coded[name, "NA"] = kinds
    return coded


def _kinds_of(source: Source) -> Coded:
    """For each row which special value it has, in ascending order, then "has a value", then
    missing.
    """
    values = source.coded.values
    named = source.named_special
    codes = np.full(len(values), len(named), dtype=np.int64)
    for place, value in enumerate(named):
        codes[values == value] = place
    labels = [double_text(value) for value in named]
    if ((codes == len(named)) & ~np.isnan(values)).any():
        labels.append(HAS_VALUE)
    return _with_level_for_missing(codes, np.isnan(values), labels)


def place_of_value(kinds: Coded) -> int:
    """The code of "has a value"; -1 where no row has one."""
    return kinds.labels.index(HAS_VALUE) if HAS_VALUE in kinds.labels else -1


# ---- steps -------------------------------------------------------------------------------


def _steps(
    sources: dict[Hashable, Source],
    coded: dict[Place, Coded],
    methods: dict[Hashable, Method],
    predictors: dict[Hashable, list[Hashable]],
) -> list[Step]:
    steps: list[Step] = []
    for name, others in predictors.items():
        method = methods[name]
        places = tuple(place for place in coded if place[0] in others)
        if not sources[name].special:
            steps.append(Step((name, ""), method, places))
            continue
        kinds = coded[name, "NA"]
        rows = np.flatnonzero(kinds.values == place_of_value(kinds))
        steps.append(Step((name, "NA"), method, places))
        steps.append(Step((name, "0"), method, places, rows=rows))
    return steps
