"""A synthesis made by `syn()` as R shows it: first records, methods, order and predictors; and a
summary of its columns.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from .r.text import format_column
from .show.printing import Block, Sections, Table

FIRST_ROWS = 6
MOST_LEVELS = 6  # of which a summary says how many records have them


def made(
    sets: Sequence[pd.DataFrame], meta: Mapping[str, Any], names: Sequence[Hashable]
) -> Sections:
    """First records with the named columns, methods, order and predictors."""
    positions = {name: place for place, name in enumerate(meta["method"], start=1)}
    visits = {name: positions[name] for name in meta["visit_sequence"]}
    predictors = "Predictors (predictor_matrix; 1 where the column predicts the row)"
    sections: list[list[Block]] = [first_rows(sets, names)] if sets else []
    sections.append([_methods(meta)])
    sections.append([_named_values(visits, "Order of synthesis (visit_sequence)")])
    sections.append([Table(meta["predictor_matrix"], predictors)])
    if meta["notes"]:
        sections.append(["Notes (notes):", *(f"  {text}" for text in meta["notes"])])
    return sections


def first_rows(sets: Sequence[pd.DataFrame], names: Sequence[Hashable]) -> list[Block]:
    of_set = "" if len(sets) == 1 else " of the first set"
    records = sets[0].head(FIRST_ROWS)
    columns = {name: _texts(records[name]) for name in names}
    frame = pd.DataFrame(columns, index=range(1, len(records) + 1), dtype=object)
    return [Table(frame, f"First records{of_set} (syn)")] if columns else []


def _texts(column: pd.Series) -> list[str]:
    """Values as in R's print of a data frame."""
    values = column.astype(object).where(column.notna(), None).tolist()
    if is_bool_dtype(column.dtype):
        return ["NA" if value is None else str(value).upper() for value in values]
    if is_numeric_dtype(column.dtype):
        return format_column(values)
    return ["<NA>" if value is None else str(value) for value in values]


def _methods(meta: Mapping[str, Any]) -> Table:
    quoted = {name: f'"{method}"' for name, method in meta["method"].items()}
    return _named_values(quoted, "Methods (method)")


def _named_values(values: Mapping[Hashable, Any], caption: str) -> Table:
    """R's named vector: names above values, all equally wide."""
    frame = pd.DataFrame([list(values.values())], columns=list(values), dtype=object)
    return Table(frame, caption, labelled=False, even=True)


def summary(sets: Sequence[pd.DataFrame], meta: Mapping[str, Any]) -> Sections:
    """Methods; numeric columns in a few figures, others with their largest levels: means over the
    sets.
    """
    sections: list[list[Block]] = [[_methods(meta)]]
    if not sets:
        return sections
    told = "" if len(sets) == 1 else f", means over {len(sets)} sets"
    kinds = sets[0].dtypes.items()
    numbers = [name for name, kind in kinds if is_numeric_dtype(kind) and not is_bool_dtype(kind)]
    if numbers:
        with np.errstate(invalid="ignore"):  # between infinite values the quantile is NaN
            figures = [frame[numbers].astype(float).describe().T for frame in sets]
        sections.append([Table(sum(figures) / len(sets), f"Columns of numbers{told}")])
    others = {}
    for name in sets[0].columns.drop(numbers):
        texts = [frame[name].astype(object).where(frame[name].notna(), "NA") for frame in sets]
        counts = [column.value_counts() for column in texts]
        means = pd.concat(counts, axis=1).fillna(0).mean(axis=1)
        others[name] = _largest(means.sort_values(ascending=False, kind="stable"))
    if others:
        frame = pd.DataFrame({"records": others})
        sections.append([Table(frame, f"Other columns{told}", prose=("records",))])
    return sections


def _largest(means: pd.Series) -> str:
    named = [f"{level} {n:g}" for level, n in means.head(MOST_LEVELS).items()]
    others = means.iloc[MOST_LEVELS:]
    if len(others):
        named.append(f"{len(others)} other levels {others.sum():g}")
    return ", ".join(named)
