"""What `syn()` does before it draws: columns in a form that trees can use, methods, predictors, and
the steps in which columns are synthesised. The order of the rules is R's.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..core.arrays import Flags, Floats, Integers, Values
from ..core.columns import Column
from ..errors import InputError
from ..r.collation import order as collation_order
from ..r.text import double_text
from ..tables.reading import read_column

__all__ = ["Coded", "Original", "Plan", "Step", "make_plan"]

Part = Literal["", "0", "NA"]  # a column itself, its values, or the factor of its special values
Place = tuple[Hashable, Part]
Method = Literal["cart", "sample", "constant", "collinear", ""]

LEAST_VARIANCE = 1000 * 2.22e-16
ALIKE = 0.99999  # columns correlated more than this are one


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

    def as_numbers(self) -> Floats:
        """Values, or codes: what R's ``data.matrix`` shows."""
        return self.values.astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Original:
    """A column of the user's data, and how its synthetic values become a column again.

    Attributes
    ----------
    special : the values that stand apart from the numbers, missing values as NaN; empty where the
        column is synthesised as it is.
    from_number : a number with so few values that it is synthesised as a factor.
    """

    series: pd.Series
    column: Column
    coded: Coded
    special: tuple[float, ...] = ()
    from_number: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One column, or part of one, to be synthesised.

    Attributes
    ----------
    rows : the rows that are modelled, or None for all; `records_of` names the column whose special
        values decide which records get a value.
    """

    place: Place
    method: Method
    predictors: tuple[Place, ...] = ()
    rows: Integers | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Everything that is known before the first draw."""

    originals: dict[Hashable, Original]
    coded: dict[Place, Coded]
    steps: list[Step]
    methods: dict[Hashable, Method]
    visits: list[Hashable]
    partners: dict[Hashable, Hashable]
    notes: list[str] = field(default_factory=list)


def make_plan(
    data: pd.DataFrame,
    *,
    methods: dict[Hashable, Method],
    visits: list[Hashable],
    predicts: dict[Hashable, list[Hashable]],
    cont_na: dict[Hashable, tuple[float, ...]],
    semicont: dict[Hashable, tuple[float, ...]],
    minnumlevels: int,
    maxfaclevels: int,
) -> Plan:
    """Columns, methods and steps for a call of `syn()`. `predicts` has for each visited column those
    that predict it, in the order of the data.
    """
    notes: list[str] = []
    taking_part = _taking_part(data, visits, predicts)
    originals = {}
    for name in data.columns:
        original = _read(data[name], name, minnumlevels)
        originals[name] = _with_special(
            original, cont_na.get(name), semicont.get(name), takes_part=name in taking_part
        )
    methods = dict(methods)
    constants = [name for name in data.columns if _is_constant(originals[name])]
    for name in constants:
        if name in taking_part and methods[name] != "":
            methods[name] = "constant"
    partners = _collinear(originals, methods, visits, constants, notes)
    for name in partners:
        methods[name] = "collinear"
    left_out = {*constants, *partners}
    kept = {
        name: [other for other in predicts.get(name, []) if other not in left_out]
        for name in visits
    }
    for name in visits:
        if methods[name] == "cart" and not kept[name]:
            methods[name] = "sample"
    _check_levels(originals, methods, taking_part, maxfaclevels)
    coded = _coded_places(originals)
    steps = _steps(originals, coded, methods, visits, kept)
    return Plan(
        originals=originals,
        coded=coded,
        steps=steps,
        methods=methods,
        visits=visits,
        partners=partners,
        notes=notes,
    )


def _taking_part(
    data: pd.DataFrame, visits: list[Hashable], predicts: dict[Hashable, list[Hashable]]
) -> set[Hashable]:
    used = set(visits)
    for predictors in predicts.values():
        used.update(predictors)
    return used


# ---- columns -----------------------------------------------------------------------------


def _read(series: pd.Series, name: Hashable, minnumlevels: int) -> Original:
    column = read_column(series, f"data: column {name!r}")
    if column.kind in ("date", "time", "duration"):
        raise InputError(
            f"data: column {name!r} holds dates or times, which R's syn() cannot synthesise; make a"
            " number of it, for instance days since its earliest date, and turn it back afterwards"
        )
    if column.is_number:
        numbers = column.values.astype(np.float64)
        if np.isinf(numbers).any():
            raise InputError(
                f"data: column {name!r} has infinite values; replace them by a number or by missing"
            )
        return _read_number(series, column, numbers, minnumlevels)
    coded = _coded_logical(column) if column.kind == "logical" else _coded_text(series, column)
    return Original(series=series, column=column, coded=coded)


def _read_number(
    series: pd.Series, column: Column, numbers: Floats, minnumlevels: int
) -> Original:
    if column.missing is not None:
        numbers = np.where(column.missing, np.nan, numbers)
    distinct = np.unique(numbers[~np.isnan(numbers)])
    if len(distinct) > minnumlevels:
        return Original(series=series, column=column, coded=Coded(numbers))
    codes = np.searchsorted(distinct, numbers)
    labels = [double_text(value) for value in distinct.tolist()]
    coded = _with_level_for_missing(codes, column.missing, labels, ordered=False)
    return Original(series=series, column=column, coded=coded, from_number=True)


def _coded_logical(column: Column) -> Coded:
    if column.missing is None:
        return Coded(column.values.astype(np.int64), labels=("FALSE", "TRUE"), logical=True)
    present = np.unique(column.values[~column.missing]).astype(np.int64)
    codes = np.searchsorted(present, column.values)
    labels = [("FALSE", "TRUE")[value] for value in present.tolist()]
    return _with_level_for_missing(codes, column.missing, labels, ordered=False)


def _coded_text(series: pd.Series, column: Column) -> Coded:
    labels = list(column.labels)
    codes = column.values.astype(np.int64)
    ordered = bool(getattr(series.dtype, "ordered", False))
    if column.kind == "character":
        order = collation_order(labels, "icu")
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        labels = [labels[place] for place in order]
        filled = codes if column.missing is None else np.where(column.missing, 0, codes)
        codes = rank[filled] if len(rank) else filled
    return _with_level_for_missing(codes, column.missing, labels, ordered=ordered)


def _with_level_for_missing(
    codes: Integers, missing: Flags | None, labels: Sequence[str], *, ordered: bool
) -> Coded:
    """A factor whose missing values are a last level."""
    if missing is None or not missing.any():
        return Coded(codes.astype(np.int64), tuple(labels), ordered=ordered)
    codes = np.where(missing, len(labels), codes).astype(np.int64)
    return Coded(codes, (*labels, None), ordered=ordered)


def _with_special(
    original: Original,
    cont_na: tuple[float, ...] | None,
    semicont: tuple[float, ...] | None,
    *,
    takes_part: bool,
) -> Original:
    """Which values of a number stand apart: those named, and missing values."""
    if original.coded.is_factor or not takes_part:
        return original
    named = sorted({*(cont_na or ()), *(semicont or ())})
    values = original.coded.values
    special = tuple(value for value in named if (values == value).any())
    if np.isnan(values).any():
        special = (*special, np.nan)
    return Original(
        series=original.series,
        column=original.column,
        coded=original.coded,
        special=special,
    )


def _is_constant(original: Original) -> bool:
    coded = original.coded
    if coded.is_factor:
        return len(np.unique(coded.values)) <= 1
    present = coded.values[~np.isnan(coded.values)]
    if len(present) != len(coded.values) and len(present):
        return len(present) > 1 and bool(np.var(present, ddof=1) < LEAST_VARIANCE)
    return len(present) < 2 or bool(np.var(present, ddof=1) < LEAST_VARIANCE)


def _collinear(
    originals: dict[Hashable, Original],
    methods: dict[Hashable, Method],
    visits: list[Hashable],
    constants: list[Hashable],
    notes: list[str],
) -> dict[Hashable, Hashable]:
    """Columns that another one, visited earlier, determines: the later one with the earlier."""
    candidates = [name for name in visits if name not in constants and methods[name] != ""]
    if len(candidates) < 2:
        return {}
    numbers = pd.DataFrame({place: originals[name].coded.as_numbers() for place, name in enumerate(candidates)})
    for place, name in enumerate(candidates):
        labels = originals[name].coded.labels
        if labels and labels[-1] is None:
            gaps = originals[name].coded.values == len(labels) - 1
            del gaps  # R's factors have their missing values as a level here
    with np.errstate(invalid="ignore", divide="ignore"):
        alike = numbers.corr().abs().to_numpy() >= ALIKE
    partners: dict[Hashable, Hashable] = {}
    for later in range(len(candidates)):
        for earlier in range(later):
            if alike[later, earlier] and candidates[earlier] not in partners:
                name = candidates[later]
                if originals[name].special:
                    notes.append(
                        f"{name!r} is collinear with {candidates[earlier]!r} and has special"
                        " values: R uses a regression for these, here they come from a tree"
                    )
                else:
                    partners[name] = candidates[earlier]
                break
    return partners


def _check_levels(
    originals: dict[Hashable, Original],
    methods: dict[Hashable, Method],
    taking_part: set[Hashable],
    maxfaclevels: int,
) -> None:
    for name, original in originals.items():
        levels = len(original.coded.labels)
        exempt = methods.get(name) in ("sample", "constant") or name not in taking_part
        if levels > maxfaclevels and not exempt:
            raise InputError(
                f"data: column {name!r} has {levels} levels, more than maxfaclevels ="
                f" {maxfaclevels}; merge levels, leave the column out of visit_sequence, give it"
                " the method 'sample', or raise maxfaclevels"
            )


# ---- numbers with special values -----------------------------------------------------------


def _coded_places(originals: dict[Hashable, Original]) -> dict[Place, Coded]:
    """Every column, and after them the two parts of each number with special values."""
    coded: dict[Place, Coded] = {}
    for name, original in originals.items():
        if not original.special:
            coded[name, ""] = original.coded
    for name, original in originals.items():
        if original.special:
            values = original.coded.values
            kinds = special_codes(values, original.special)
            has_value = kinds == len(_named(original.special))
            coded[name, "0"] = Coded(np.where(has_value, values, 0.0))
            coded[name, "NA"] = Coded(kinds, _special_labels(original.special))
    return coded


def _named(special: tuple[float, ...]) -> list[float]:
    """The special values but for missing, in ascending order."""
    return [value for value in special if not np.isnan(value)]


def special_codes(values: Floats, special: tuple[float, ...]) -> Integers:
    """The place of each value among the special ones, then "has a value", then missing."""
    named = _named(special)
    codes = np.full(len(values), len(named), dtype=np.int64)
    for place, value in enumerate(named):
        codes[values == value] = place
    codes[np.isnan(values)] = len(named) + 1
    return codes


def _special_labels(special: tuple[float, ...]) -> tuple[str | None, ...]:
    labels: list[str | None] = [double_text(value) for value in _named(special)]
    labels.append("has a value")
    if len(_named(special)) < len(special):
        labels.append(None)
    return tuple(labels)


# ---- steps -------------------------------------------------------------------------------


def _steps(
    originals: dict[Hashable, Original],
    coded: dict[Place, Coded],
    methods: dict[Hashable, Method],
    visits: list[Hashable],
    predicts: dict[Hashable, list[Hashable]],
) -> list[Step]:
    steps: list[Step] = []
    for name in visits:
        method = methods[name]
        predictors = _predictor_places(coded, predicts[name])
        special = originals[name].special
        if method not in ("cart", "sample") or not special:
            steps.append(Step((name, ""), method, predictors))
            continue
        kinds = coded[name, "NA"].values
        rows = np.flatnonzero(kinds == len(_named(special)))
        steps.append(Step((name, "NA"), method, predictors))
        steps.append(Step((name, "0"), method, predictors, rows=rows))
    return steps


def _predictor_places(
    coded: dict[Place, Coded], names: Sequence[Hashable]
) -> tuple[Place, ...]:
    """Predictors in the order of the data, parts of numbers after all others."""
    return tuple(place for place in coded if place[0] in names)


def described(value: Any) -> str:
    return repr(value)
