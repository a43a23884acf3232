"""Synthetic numbers and codes as columns again, with the original's types and levels."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pandas as pd

from ..core.arrays import Flags, Floats, Integers
from ..r.text import double_text
from .draw import Records, constant_rows, matching_rows
from .prepare import Plan, Source

__all__ = ["synthetic_frame"]


def synthetic_frame(
    plan: Plan, records: Records, copied: Integers, names: list[Hashable]
) -> pd.DataFrame:
    """One synthetic data set with these columns; `copied` are the rows that fill columns that are
    not synthesised.
    """
    columns: dict[Hashable, pd.Series] = {}
    for name in names:
        column = _column(plan, records, copied, name)
        if plan.sources[name].distinct is not None:  # was a factor in between
            column = _through_text(column)
        columns[name] = column
    frame = pd.DataFrame(columns)
    frame.columns = pd.Index(names, tupleize_cols=False)
    return frame


def _column(plan: Plan, records: Records, copied: Integers, name: Hashable) -> pd.Series:
    source = plan.sources[name]
    method = plan.methods[name]
    if method == "constant":
        column = _observed(source, constant_rows(source.coded.values, len(copied)))
        if source.column.is_number and len(copied) > len(source.series):
            column = _through_text(column)
        return column
    if method == "collinear":
        return _observed(source, matching_rows(plan, records, plan.partners[name]))
    if not method:
        return _as_it_was(source, copied, name in plan.visited)
    if source.special:
        return _number_with_special(plan, records, name)
    values = records[name, ""]
    if source.distinct is not None:
        return _number_from_levels(source, values)
    if source.coded.is_factor:
        return _labels(source, values)
    if method == "sample" and name not in plan.smoothing:
        return pd.Series(values).astype(source.series.dtype)
    return pd.Series(
        values.astype(np.float64)
    )  # whole numbers from a tree, and smoothed ones, are R's doubles


def _through_text(column: pd.Series) -> pd.Series:
    """Numbers as R's texts of 15 digits give them back."""
    numbers = column.astype("Float64").to_numpy(float, na_value=np.nan).tolist()
    written = [value if np.isnan(value) else float(double_text(value)) for value in numbers]
    return pd.Series(written, dtype=float)


def _observed(source: Source, rows: Integers) -> pd.Series:
    return source.series.iloc[rows].reset_index(drop=True)


def _as_it_was(source: Source, rows: Integers, visited: bool) -> pd.Series:
    """A column that is not synthesised. Where it is visited, R writes its special values as texts
    of 15 digits, and reads them again.
    """
    column = _observed(source, rows)
    if visited:
        for special in source.named_special:
            written = float(double_text(special))
            if written != special:
                column = column.mask((column == special).fillna(False).astype(bool), written)
    return column


def _with_special(plan: Plan, records: Records, name: Hashable) -> tuple[Floats, Flags]:
    """Values with the special ones in their places, and what is missing."""
    kinds = records[name, "NA"]
    values = records[name, "0"].astype(np.float64)
    for place, special in enumerate(plan.sources[name].named_special):
        values[kinds == place] = float(double_text(special))
    labels = plan.coded[name, "NA"].labels
    missing = np.zeros(len(kinds), dtype=bool)
    if labels[-1] is None:
        missing = kinds == len(labels) - 1
    return values, missing


def _number_with_special(plan: Plan, records: Records, name: Hashable) -> pd.Series:
    source = plan.sources[name]
    values, missing = _with_special(plan, records, name)
    series = pd.Series(np.where(missing, np.nan, values))
    if source.column.kind == "integer" and missing.any():
        return series.astype("Int64").astype(source.series.dtype)
    return series.astype(source.series.dtype)


def _number_from_levels(source: Source, codes: Integers) -> pd.Series:
    assert source.distinct is not None
    numbers = np.append(source.distinct, np.nan)[codes]
    return pd.Series(numbers).astype(source.series.dtype)


def _labels(source: Source, codes: Integers) -> pd.Series:
    """Codes turned back into categories, texts or truth values."""
    dtype = source.series.dtype
    labels = source.coded.labels
    missing = np.zeros(len(codes), dtype=bool)
    if labels[-1] is None:
        missing = codes == len(labels) - 1
    if isinstance(dtype, pd.CategoricalDtype):
        return pd.Series(pd.Categorical.from_codes(np.where(missing, -1, codes), dtype=dtype))
    if source.column.kind == "logical":
        return _truth_values(source, codes, missing)
    texts = np.array(labels, dtype=object)[codes]
    return pd.Series(texts, dtype=object).astype(dtype)


def _truth_values(source: Source, codes: Integers, missing: Flags) -> pd.Series:
    is_true = np.array([label == "TRUE" for label in source.coded.labels])[codes]
    if not missing.any():
        return pd.Series(is_true).astype(source.series.dtype)
    series = pd.Series(is_true, dtype="boolean").mask(missing)
    return series.astype(source.series.dtype)
