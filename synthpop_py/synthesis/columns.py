"""Columns of `syn()` before the first draw: how trees see them, by which method and from which
others each is made. The order of the rules is R's.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..core.arrays import Flags, Floats, Integers, Values
from ..core.columns import Column as Given
from ..errors import InputError, SlowWarning, warn
from ..r.collation import order as collation_order
from ..r.text import double_text
from ..tables.reading import read_column
from .smoothing import Smoothing

Method = Literal["cart", "sample", "constant", "collinear", ""]
Labels = Sequence[str | None]

HAS_VALUE = "has a value"
LEAST_VARIANCE = 1000 * 2.22e-16  # R's tolerance: a number that varies less is a constant
ALIKE = 0.99999  # columns correlated at least so much are one
NOT_FOR_TREES = ("date", "time", "duration")
LARGEST = 1e150  # numbers whose squares can still be added up
MOST_EXACT = 2.0**53  # below it real numbers tell whole ones apart

TOO_MANY_LEVELS = 26  # from here on the search over subsets of levels needs gigabytes
MANY_LEVELS = 23  # and from here on several seconds for each tree
CURE = "put it last in visit_sequence, set its column of predictor_matrix to 0, or merge levels"


@dataclass(slots=True, eq=False)
class Column:
    """A column, or one of the two parts in which R makes a number with special values: "NA", which
    special value a row has or that it has none, and "0", the number where it has none.

    values : numbers, or codes from 0 on where there are `labels`.
    labels : texts of the levels; a last one, None, stands for missing values.
    ordered, logical : an ordered factor; truth values without gaps, which predict as 0 and 1.
    rows : the rows from which it is made: those with a number for the part "0", otherwise all.

    Those that follow belong to whole columns:

    method : "" where the column is not synthesised.
    predictors : for a column to be synthesised, the names of those that predict it.
    series, kind : what the user gave, and what R would call its type.
    visited : whether it is in the visit sequence, which a method "" does not rule out.
    distinct : numbers behind the levels of a number with so few values that it is a factor.
    named : special values that the user named in `cont_na` or `semicont`.
    special : those that occur, ascending, missing as a last NaN; empty unless it is made in parts.
    partner : for a collinear column the one that determines it.
    parts : "0" and "NA", or the column itself.
    """

    name: Hashable
    part: str = ""
    values: Values = field(default_factory=lambda: np.empty(0))
    labels: tuple[str | None, ...] = ()
    ordered: bool = False
    logical: bool = False
    method: Method = ""
    predictors: list[Hashable] | None = None
    rows: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    series: Any = None
    kind: str = ""
    visited: bool = False
    distinct: Floats | None = None
    named: tuple[float, ...] = ()
    smoothing: Smoothing | None = None
    special: tuple[float, ...] = ()
    partner: Column | None = None
    parts: tuple[Column, ...] = ()

    @property
    def label(self) -> str:
        """What R calls it."""
        return f"{self.name}.{self.part}" if self.part else str(self.name)

    @property
    def is_nominal(self) -> bool:
        """A factor whose levels have no order for a tree."""
        return bool(self.labels) and not self.ordered and not self.logical

    @property
    def named_special(self) -> list[float]:
        """The special values except missing."""
        return [value for value in self.special if not np.isnan(value)]

    @property
    def has_one_value(self) -> bool:
        """Whether all records are alike; missing is a value."""
        return len(np.unique(self.values)) <= 1  # of missing numbers one is kept

    @property
    def is_as_observed(self) -> bool:
        """Whether original values are given back. A single value tells nothing."""
        return not self.method or (self.method == "constant" and not self.has_one_value)

    @property
    def is_number(self) -> bool:
        dtype = self.series.dtype
        is_bool = pd.api.types.is_bool_dtype(dtype)
        return pd.api.types.is_numeric_dtype(dtype) and not is_bool


Columns = dict[Hashable, Column]


def met_by_trees(columns: Columns) -> set[Hashable]:
    """The names of columns that a tree meets, as its outcome or as a predictor."""
    met: set[Hashable] = set()
    for column in columns.values():
        if column.predictors:
            met |= {column.name, *column.predictors}
    return met


def read_values(columns: Columns, minnumlevels: int) -> None:
    """Every column as trees see it."""
    met = met_by_trees(columns)
    for column in columns.values():
        name = column.name
        takes_part = name in met or column.predictors is not None
        given = read_column(column.series, f"data: column {name!r}")
        column.kind, column.rows = given.kind, np.arange(len(given))
        if given.kind in NOT_FOR_TREES:
            if takes_part:
                raise InputError(
                    f"data: column {name!r} holds dates or times, which a tree cannot predict;"
                    " convert it to a number, such as days since a fixed date"
                )
            column.values = np.zeros(len(given))
        elif given.kind == "logical":
            column.logical = given.missing is None
            _set_levels(column, given.values, given.missing, ("FALSE", "TRUE"))
        elif given.is_number:
            numbers = given.values.astype(np.float64)
            if given.missing is not None:
                numbers = np.where(given.missing, np.nan, numbers)
            if takes_part:
                _check_numbers(given, numbers, name)
            # a number with few values becomes a factor only where a tree meets it
            _set_numbers(column, numbers, minnumlevels if name in met else 0)
        else:
            _set_texts(column, given)


def _set_levels(column: Column, codes: Values, missing: Flags | None, labels: Labels) -> None:
    """A factor whose missing values are a last level."""
    if missing is not None and missing.any():
        codes = np.where(missing, len(labels), codes)
        labels = [*labels, None]
    column.values, column.labels = codes.astype(np.int64), tuple(labels)


def _set_texts(column: Column, given: Given) -> None:
    labels, codes = list(given.labels), given.values.astype(np.int64)
    if given.kind == "character" and labels:
        if given.missing is not None:
            codes = np.where(given.missing, 0, codes)  # may be anything there
        order = collation_order(labels, "icu")
        codes = np.argsort(order)[codes]
        labels = [labels[place] for place in order]
    _set_levels(column, codes, given.missing, labels)
    column.ordered = bool(getattr(column.series.dtype, "ordered", False))


def _set_numbers(column: Column, numbers: Floats, few: int) -> None:
    """A number, or a factor where it has at most `few` values; without any it is one, too."""
    column.values = numbers
    exact = np.unique(numbers[~np.isnan(numbers)])
    # R distinguishes levels by texts of 15 digits, which several numbers may share
    labels: list[str] = []
    level_of = []
    for value in exact.tolist():
        text = double_text(value)
        if text not in labels:
            labels.append(text)
        level_of.append(len(labels) - 1)
        if len(labels) > few:
            return
    codes = np.array([*level_of, 0])[np.searchsorted(exact, numbers)]  # the last for missing
    _set_levels(column, codes, np.isnan(numbers), labels)
    column.distinct = np.array([float(text) for text in labels])


def _check_numbers(given: Given, numbers: Floats, name: Hashable) -> None:
    """Refuse numbers that trees cannot add up or tell apart."""
    most = MOST_EXACT if given.values.dtype.kind in "iu" else LARGEST
    if (np.abs(numbers) >= most).any():
        raise InputError(
            f"data: column {name!r} has infinite values, values beyond {LARGEST:g}, whose squares"
            " overflow, or whole numbers beyond 2^53, which doubles cannot tell apart; divide it"
            " by a power of ten, make it text, or drop it"
        )


def settle_methods(
    columns: Columns, visits: list[Hashable], *, collinear: bool, maxfaclevels: int
) -> list[str]:
    """Find what is constant, collinear or in parts; the answer says where R would do something
    else. `collinear` says whether to look for columns that another one determines.
    """
    constants = {name for name, column in columns.items() if _is_constant(column)}
    for name in constants.intersection(visits):
        columns[name].method = "constant"
    _leave_out(columns, constants)
    for column in columns.values():
        if column.predictors == [] and column.method in ("cart", "collinear"):
            column.method = "sample"
    notes = _find_collinear(columns, visits) if collinear else []
    _find_special(columns)
    met = met_by_trees(columns)
    for name, column in columns.items():
        levels = len(column.labels) if name in met else 0
        if column.method not in ("sample", "constant") and levels > maxfaclevels:
            raise InputError(
                f"data: column {name!r} has {levels} levels, more than maxfaclevels ="
                f" {maxfaclevels}; drop the column, group its levels, convert it to a number,"
                " give it the method 'sample', or raise maxfaclevels"
            )
        # the method "constant" returns a column as observed, which is safe only for a single value
        if column.method == "constant" and not column.has_one_value:
            why = "it has hardly more than one value, as in R"
            if name not in constants:
                why = "that is its method"
            warn(
                f"data: column {name!r} counts as constant, because {why}, and is returned as"
                " observed; to have it synthesised, give it the method 'cart', multiply it by a"
                " power of ten, or make it text or a category",
                UserWarning,
                short=f"{name!r} is returned as observed",
            )
    return notes


def _is_constant(column: Column) -> bool:
    if column.kind in NOT_FOR_TREES:
        return False
    if column.labels:
        return column.has_one_value
    present = column.values[~np.isnan(column.values)]
    # a column that is not synthesised may have infinite and very large values
    with np.errstate(invalid="ignore", over="ignore"):
        return len(present) < 2 or bool(np.var(present, ddof=1) < LEAST_VARIANCE)


def _leave_out(columns: Columns, names: Iterable[Hashable]) -> None:
    """These columns predict nothing and are not predicted."""
    for column in columns.values():
        if column.predictors is not None:
            kept = [other for other in column.predictors if other not in names]
            column.predictors = [] if column.name in names else kept


def _find_collinear(columns: Columns, visits: list[Hashable]) -> list[str]:
    """Columns that another one, visited earlier, determines: the later one with the earlier."""
    notes = []
    met = met_by_trees(columns)
    visited = [columns[name] for name in visits if name in met]
    numbers = {at: column.values.astype(float) for at, column in enumerate(visited)}
    with np.errstate(invalid="ignore", divide="ignore"):
        alike = pd.DataFrame(numbers).corr().abs().to_numpy() >= ALIKE
    for later, column in enumerate(visited):
        candidates = [visited[at] for at in np.flatnonzero(alike[later, :later])]
        earlier = next((other for other in candidates if other.partner is None), None)
        if earlier is None:
            continue
        if not column.labels and _occurring_special(column):
            notes.append(_on_missing_codes(column))
        else:
            column.partner, column.method = earlier, "collinear"
    _leave_out(columns, {column.name for column in visited if column.partner is not None})
    return notes


def settle_declared(columns: Columns, seen: list[Column]) -> list[str]:
    """Columns that the user declared collinear, each with its first predictor, as in R; with
    special values they are predicted by a tree. The answer says where R would do something else.
    """
    notes = []
    for column in columns.values():
        if column.method == "constant" and column.special and column.predictors is not None:
            notes.append(
                f"{column.name!r} is declared constant and has special values: R predicts these"
            )
        if column.method != "collinear" or column.partner is not None:
            continue
        if column.special:
            notes.append(_on_missing_codes(column))
            column.method = "cart"
        elif column.predictors:
            first = next(one.name for one in seen if one.name in column.predictors)
            column.partner = columns[first]
        else:
            notes.append(f"{column.name!r} is collinear with what is collinear: it is sampled")
            column.method = "sample"
    return notes


def _on_missing_codes(column: Column) -> str:
    return f"{column.name!r} is collinear and has special values, which R predicts by a regression"


def _find_special(columns: Columns) -> None:
    """The special values of each number that a tree uses: those named, and missing values."""
    met = met_by_trees(columns)
    met |= {column.partner.name for column in columns.values() if column.partner is not None}
    for column in columns.values():
        if column.name in met and not column.labels:
            column.special = _occurring_special(column)


def _occurring_special(column: Column) -> tuple[float, ...]:
    values = column.values
    special = [value for value in sorted(set(column.named)) if (values == value).any()]
    return (*special, np.nan) if np.isnan(values).any() else tuple(special)


def divide_in_parts(columns: Columns) -> list[Column]:
    """All that trees meet, in the order in which predictors enter a tree: columns, and after them
    the two parts of each number with special values.
    """
    whole: list[Column] = []
    parts: list[Column] = []
    for column in columns.values():
        if column.special:
            column.parts = _parts_of(column)
            parts += column.parts
        else:
            column.parts = (column,)
            whole.append(column)
    return whole + parts


def _parts_of(column: Column) -> tuple[Column, Column]:
    """The codes of "NA" are the places of the special values, then of "has a value", then of
    missing.
    """
    values, named = column.values, column.named_special
    is_missing = np.isnan(values)
    codes = np.full(len(values), len(named), dtype=np.int64)
    for place, value in enumerate(named):
        codes[values == value] = place
    has_value = (codes == len(named)) & ~is_missing
    labels = [double_text(value) for value in named]
    if has_value.any():
        labels.append(HAS_VALUE)
    kinds = Column(column.name, "NA", rows=column.rows)
    _set_levels(kinds, codes, is_missing, labels)
    rest = Column(
        column.name, "0", np.where(has_value, values, 0.0), rows=np.flatnonzero(has_value)
    )
    return rest, kinds


def check_subsets(steps: list[tuple[Column, list[Column]]]) -> None:
    """Where three or more classes are predicted, a tree tries every subset of the levels of a
    factor: warn where that takes long, refuse where it would never finish. `steps` has what trees
    predict, and from what.
    """
    for outcome, predictors in steps:
        if not outcome.labels or len(np.unique(outcome.values)) < 3:
            continue
        for column in predictors:
            levels = len(np.unique(column.values)) if column.is_nominal else 0
            told = (
                f"{column.label!r} has {levels} levels and predicts three or more classes (of"
                f" {outcome.label}), so a node tries 2^{levels - 1} subsets; {CURE}"
            )
            if levels >= TOO_MANY_LEVELS:
                raise InputError(f"visit_sequence: {told}")
            if levels >= MANY_LEVELS:
                warn(told, SlowWarning, short=told.partition(" has")[0])
