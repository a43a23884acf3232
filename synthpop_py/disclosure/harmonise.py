"""What R does to plain data frames before it compares them (`synorig.compare`), as far as numbers depend on it.

Our coding matches values of any types, so nothing of this is needed for right answers. It is needed to know what R would have done.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Hashable

import numpy as np
import pandas as pd

from ..core.collation import order
from ..core.columns import Column
from ..core.rtext import double_texts, integer_text


@dataclass(frozen=True, slots=True)
class Harmonised:
    """Columns as R goes on with them; `changed` when anything had to be adjusted."""

    original: Column
    synthetic: Column
    changed: bool


def harmonise(original: Column, synthetic: Column, collation: str) -> Harmonised:
    """Numbers to factors, texts to factors, whole numbers to real ones, and one set of levels for both."""
    o, s, changed = original, synthetic, False
    if s.is_number and o.kind == "factor":
        s, changed = number_factor(s), True
    if s.kind == "factor" and o.is_number:
        o, changed = number_factor(o), True
    if s.kind == "character":
        s, changed = text_factor(s, collation), True
    if o.kind == "character":
        o, changed = text_factor(o, collation), True
    if {s.kind, o.kind} == {"integer", "double"}:
        s, o, changed = _as_double(s), _as_double(o), True
    explicit = False
    if s.has_missing and not o.has_missing:
        # R gives the original an explicit NA level here, and turns it into a factor if it was none
        changed = explicit = True
    if s.kind == o.kind == "factor":
        if o.has_missing and not s.has_missing:
            changed = explicit = True
        if explicit or s.labels != o.labels:
            labels = s.labels + tuple(x for x in o.labels if x not in s.labels)
            s, o, changed = _with_levels(s, labels, explicit), _with_levels(o, labels, explicit), True
    return Harmonised(o, s, changed)


def anything_changes(original: pd.DataFrame, synthetic: pd.DataFrame, read) -> bool:
    """Whether R would adjust some common column: then it goes on with the first synthesis alone (D28)."""
    common: list[Hashable] = [c for c in original.columns if c in synthetic.columns]
    return any(harmonise(read(original, c), read(synthetic, c), "C").changed for c in common)


def number_factor(column: Column) -> Column:
    """R's `factor(x)` of numbers: levels ascending, named by their text."""
    distinct = np.unique(column.present())
    texts = double_texts(distinct) if column.kind == "double" else [integer_text(int(v)) for v in distinct]
    labels = tuple(dict.fromkeys(texts))
    position = np.array([labels.index(t) for t in texts], dtype=np.int64)
    codes = position[np.minimum(np.searchsorted(distinct, column.values), max(len(distinct) - 1, 0))] if len(distinct) else np.zeros(len(column), np.int64)
    return Column("factor", codes, column.missing, labels)


def text_factor(column: Column, collation: str) -> Column:
    """R's `factor(x)` of texts: levels in the order of the collation."""
    ranks = order(column.labels, collation)
    place = np.empty(len(ranks), dtype=np.int64)
    place[ranks] = np.arange(len(ranks))
    codes = place[np.clip(column.values, 0, None)] if len(ranks) else np.zeros(len(column), np.int64)
    return Column("factor", codes, column.missing, tuple(column.labels[i] for i in ranks))


def _as_double(column: Column) -> Column:
    return column if column.kind == "double" else replace(column, kind="double", values=column.values.astype(np.float64))


def _with_levels(column: Column, labels: tuple[str, ...], na_level: bool) -> Column:
    place = np.array([labels.index(x) for x in column.labels], dtype=np.int64)
    codes = place[np.clip(column.values, 0, None)] if len(place) else np.zeros(len(column), np.int64)
    return Column("factor", codes, column.missing, labels, na_level)
