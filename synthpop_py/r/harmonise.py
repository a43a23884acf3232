"""What R does to the columns of plain data frames before it compares them (`synorig.compare`).

Our coding matches values of any types, so correct answers need none of this.
`disclosure()` needs it to know what R would have done, `synorig_compare()` to give R's result.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import partial
from typing import Literal

import numpy as np

from ..core.arrays import Integers, Values, distinct_values
from ..core.columns import Column
from ..core.levels import time_texts
from .collation import Collation, order
from .text import double_text, double_texts, integer_text

Step = Literal[
    "number to factor",
    "text to factor",
    "integer to double",
    "classes differ",
    "NA level",
    "missing only in syn",
    "levels combined",
]
Side = Literal["syn", "orig", "both"]
Change = Callable[[Column], Column]

EPOCH = date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class Harmonised:
    """Columns as R uses them from here on, and each step with the side it changed."""

    original: Column
    synthetic: Column
    steps: tuple[tuple[Step, Side], ...]

    @property
    def changed(self) -> bool:
        """Whether anything had to be adjusted; classes that differ are only noted, not adjusted."""
        return any(step != "classes differ" for step, _ in self.steps)

    def did(self, step: Step) -> bool:
        return any(done == step for done, _ in self.steps)


@dataclass(slots=True)
class Adjusting:
    """Two columns while they are adjusted."""

    original: Column
    synthetic: Column
    steps: list[tuple[Step, Side]] = field(default_factory=list)

    def note(self, step: Step, side: Side) -> None:
        self.steps.append((step, side))

    def change_original(self, change: Change) -> None:
        self.original = change(self.original)


def harmonise(
    original: Column, synthetic: Column, collation: Collation, *, all_factors: bool = False
) -> Harmonised:
    """Numbers to factors, texts to factors, integers to doubles, and one set of levels for both.

    Where values are missing in the synthetic data only, R turns the original into a factor,
    whatever its type. That stops `disclosure()` in R (D5), so it is done only when `all_factors`
    asks for it.
    """
    both = Adjusting(original, synthetic)
    to_factor = partial(as_factor, collation=collation)
    _to_factors(both, to_factor)
    _to_one_class(both)
    missing_only_in_syn = both.synthetic.has_missing and not both.original.has_missing
    if missing_only_in_syn:
        both.note("missing only in syn", "orig")
        if all_factors:
            both.change_original(to_factor)
    if both.synthetic.kind == both.original.kind == "factor":
        _to_one_set_of_levels(both, missing_only_in_syn)
    return Harmonised(
        original=both.original,
        synthetic=both.synthetic,
        steps=tuple(both.steps),
    )


def _to_factors(both: Adjusting, to_factor: Change) -> None:
    """Texts become factors, and so do numbers beside a factor."""
    if both.synthetic.is_number and both.original.kind == "factor":
        both.synthetic = to_factor(both.synthetic)
        both.note("number to factor", "syn")
    if both.synthetic.kind == "factor" and both.original.is_number:
        both.change_original(to_factor)
        both.note("number to factor", "orig")
    if both.synthetic.kind == "character":
        both.synthetic = to_factor(both.synthetic)
        both.note("text to factor", "syn")
    if both.original.kind == "character":
        both.change_original(to_factor)
        both.note("text to factor", "orig")


def _to_one_class(both: Adjusting) -> None:
    """Integers beside doubles become doubles; other differences are only noted."""
    kinds = {both.synthetic.kind, both.original.kind}
    if kinds == {"integer", "double"}:
        both.note("integer to double", "syn" if both.synthetic.kind == "integer" else "orig")
        both.synthetic = _as_double(both.synthetic)
        both.change_original(_as_double)
    elif len(kinds) > 1:
        both.note("classes differ", "both")


def _to_one_set_of_levels(both: Adjusting, na_level: bool) -> None:
    """Factors get the levels of both, and one for missing values where only one side has some."""
    original, synthetic = both.original, both.synthetic
    if original.has_missing and not synthetic.has_missing:
        na_level = True
        both.note("NA level", "syn")
    levels_differ = synthetic.labels != original.labels
    if levels_differ:
        both.note("levels combined", "both")
    if na_level or levels_differ:
        labels = tuple(dict.fromkeys(synthetic.labels + original.labels))
        with_levels = partial(_with_levels, labels=labels, na_level=na_level)
        both.synthetic = with_levels(synthetic)
        both.change_original(with_levels)


def as_factor(column: Column, collation: Collation) -> Column:
    """R's `factor(x)`: texts in the order of the collation, everything else ascending and named by
    its text.
    """
    if column.kind == "factor":
        return column
    if column.kind == "character":
        return _text_factor(column, collation)
    distinct = distinct_values(column.present())
    texts = _texts(column, distinct)
    labels = tuple(dict.fromkeys(texts))
    code_of = {label: code for code, label in enumerate(labels)}
    level_codes = np.array([code_of[text] for text in texts], dtype=np.int64)
    place = np.searchsorted(distinct, column.values)
    place = np.minimum(place, max(len(distinct) - 1, 0))  # gaps may lie beyond
    return Column("factor", _codes_at(level_codes, place), column.missing, labels)


def _codes_at(level_codes: Integers, place: Integers) -> Integers:
    """The code of the level at each place; 0 if there are no levels, when all values are
    missing.
    """
    if not len(level_codes):
        return np.zeros(len(place), np.int64)
    return level_codes[np.clip(place, 0, None)]


def _texts(column: Column, distinct: Values) -> list[str]:
    if column.kind == "double":
        return double_texts(distinct)
    if column.kind == "logical":
        return ["TRUE" if v else "FALSE" for v in distinct]
    if column.kind == "date":
        return [(EPOCH + timedelta(days=int(v))).isoformat() for v in distinct]
    if column.kind == "time":
        return time_texts(distinct)
    if column.kind == "duration":
        return [double_text(v / 1e9) for v in distinct.tolist()]
    return [integer_text(int(v)) for v in distinct]


def _text_factor(column: Column, collation: Collation) -> Column:
    ranks = order(column.labels, collation)
    rank_of = np.empty(len(ranks), dtype=np.int64)
    rank_of[ranks] = np.arange(len(ranks))
    labels = tuple(column.labels[i] for i in ranks)
    return Column("factor", _codes_at(rank_of, column.values), column.missing, labels)


def _as_double(column: Column) -> Column:
    if column.kind == "double":
        return column
    return replace(column, kind="double", values=column.values.astype(np.float64))


def _with_levels(column: Column, labels: tuple[str, ...], na_level: bool) -> Column:
    code_of = {label: code for code, label in enumerate(labels)}
    level_codes = np.array([code_of[label] for label in column.labels], dtype=np.int64)
    return Column(
        kind="factor",
        values=_codes_at(level_codes, column.values),
        missing=column.missing,
        labels=labels,
        na_level=na_level,
    )
