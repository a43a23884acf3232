"""What R does to the columns of plain data frames before it compares them (`synorig.compare`).

Our coding matches values of any types, so nothing of this is needed for right answers.
`disclosure()` needs it to know what R would have done, `synorig_compare()` to give R's result.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import partial
from typing import Literal

import numpy as np

from ..core.arrays import Values
from ..core.columns import Column
from ..core.naming import time_texts
from ..errors import InputError
from ..r.collation import Collation, order
from ..r.text import double_text, double_texts, integer_text
from ..tables.protocol import Table

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

EPOCH = date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class Harmonised:
    """Columns as R goes on with them, and each step to there with the side it changed."""

    original: Column
    synthetic: Column
    steps: tuple[tuple[Step, Side], ...]
    of_original: tuple[Callable[[Column], Column], ...] = ()

    def redo(self, column: Column) -> Column:
        """What was done to the original's column, done to one like it."""
        for change in self.of_original:
            column = change(column)
        return column

    @property
    def changed(self) -> bool:
        """Whether anything had to be adjusted; classes that differ are only noted, not adjusted."""
        return any(step != "classes differ" for step, _ in self.steps)

    def did(self, step: Step) -> bool:
        return any(done == step for done, _ in self.steps)


def harmonise(
    original: Column, synthetic: Column, collation: Collation, *, all_factors: bool = False
) -> Harmonised:
    """Numbers to factors, texts to factors, whole numbers to real ones, and one set of levels for
    both.

    Where values are missing in the synthetic data only, R turns the original into a factor whatever
    it was. That stops `disclosure()` in R (D5), so it is done only when `all_factors` asks for it.
    """
    o, s = original, synthetic
    steps: list[tuple[Step, Side]] = []
    changes: list[Callable[[Column], Column]] = []

    def change_original(change: Callable[[Column], Column]) -> Column:
        changes.append(change)
        return change(o)

    def to_factor(column: Column) -> Column:
        return as_factor(column, collation)

    if s.is_number and o.kind == "factor":
        s = to_factor(s)
        steps.append(("number to factor", "syn"))
    if s.kind == "factor" and o.is_number:
        o = change_original(to_factor)
        steps.append(("number to factor", "orig"))
    if s.kind == "character":
        s = to_factor(s)
        steps.append(("text to factor", "syn"))
    if o.kind == "character":
        o = change_original(to_factor)
        steps.append(("text to factor", "orig"))
    if {s.kind, o.kind} == {"integer", "double"}:
        steps.append(("integer to double", "syn" if s.kind == "integer" else "orig"))
        s, o = _as_double(s), change_original(_as_double)
    elif s.kind != o.kind:
        steps.append(("classes differ", "both"))
    explicit = False
    if s.has_missing and not o.has_missing:
        explicit = True
        steps.append(("missing only in syn", "orig"))
        if all_factors:
            o = change_original(to_factor)
    if s.kind == o.kind == "factor":
        if o.has_missing and not s.has_missing:
            explicit = True
            steps.append(("NA level", "syn"))
        if explicit or s.labels != o.labels:
            if s.labels != o.labels:
                steps.append(("levels combined", "both"))
            labels = tuple(dict.fromkeys(s.labels + o.labels))
            s = _with_levels(s, labels, explicit)
            o = change_original(partial(_with_levels, labels=labels, na_level=explicit))
    return Harmonised(o, s, tuple(steps), tuple(changes))


def anything_changes(original: Table, synthetic: Table) -> bool:
    """Whether R would adjust some common column: then it goes on with the first synthesis alone
    (D28).
    """
    common = [c for c in original.columns if c in synthetic.columns]
    return any(_changes(original, synthetic, name) for name in common)


def _changes(original: Table, synthetic: Table, name: Hashable) -> bool:
    try:
        both = [table.count_by([name]).columns[name] for table in (original, synthetic)]
    except InputError:  # a column that nobody asked about and that cannot be read is of no concern
        return False
    return harmonise(both[0], both[1], "C").changed


def as_factor(column: Column, collation: Collation) -> Column:
    """R's `factor(x)`: texts in the order of the collation, everything else ascending and named by
    its text.
    """
    if column.kind == "factor":
        return column
    if column.kind == "character":
        return _text_factor(column, collation)
    distinct = np.unique(column.present())
    texts = _texts(column, distinct)
    labels = tuple(dict.fromkeys(texts))
    place = {t: i for i, t in enumerate(labels)}
    position = np.array([place[t] for t in texts], dtype=np.int64)
    codes = (
        position[np.minimum(np.searchsorted(distinct, column.values), max(len(distinct) - 1, 0))]
        if len(distinct)
        else np.zeros(len(column), np.int64)
    )
    return Column("factor", codes, column.missing, labels)


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
    place = np.empty(len(ranks), dtype=np.int64)
    place[ranks] = np.arange(len(ranks))
    codes = (
        place[np.clip(column.values, 0, None)] if len(ranks) else np.zeros(len(column), np.int64)
    )
    return Column("factor", codes, column.missing, tuple(column.labels[i] for i in ranks))


def _as_double(column: Column) -> Column:
    return (
        column
        if column.kind == "double"
        else replace(column, kind="double", values=column.values.astype(np.float64))
    )


def _with_levels(column: Column, labels: tuple[str, ...], na_level: bool) -> Column:
    position = {x: i for i, x in enumerate(labels)}
    place = np.array([position[x] for x in column.labels], dtype=np.int64)
    codes = (
        place[np.clip(column.values, 0, None)] if len(place) else np.zeros(len(column), np.int64)
    )
    return Column("factor", codes, column.missing, labels, na_level)
