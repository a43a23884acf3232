"""What `result.records(original)` gave back, whatever library has it, in a form that can be
compared.
"""

from __future__ import annotations

import warnings
from typing import Any

import pandas as pd

from synthpop_py import Disclosure, RDefectWarning, disclosure

MEASURES = ("UiO", "repU", "iS", "DiS", "DiSCO", "DiSDiO")
COUNTS = ("orig_key", "syn_key", "orig_cell", "syn_cell")
ADDED = ("synthesis", *MEASURES, *COUNTS)


def disclosed(synthetic: Any, original: Any, keys: list[str], target: str, **options) -> Disclosure:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RDefectWarning)
        return disclosure(synthetic, original, keys, target, print_flag=False, **options)


def arrow_of(native: Any) -> Any:
    """Collected, in Arrow."""
    if hasattr(native, "collect_schema"):  # polars
        return native.lazy().collect().to_arrow()
    for method in ("to_arrow_table", "toArrow", "to_pyarrow"):
        if hasattr(native, method):
            return getattr(native, method)()
    return native


def rows_of(native: Any) -> list[tuple[Any, ...]]:
    """The rows, sorted; what is missing is None."""
    if isinstance(native, pd.DataFrame):
        rows = native.astype(object).to_numpy().tolist()
    else:
        table = arrow_of(native)
        rows = [tuple(row[name] for name in table.column_names) for row in table.to_pylist()]
    return sorted((tuple(map(_plain, row)) for row in rows), key=repr)


def columns_of(native: Any) -> list[str]:
    return list(arrow_of(native).column_names)


def _plain(value: Any) -> Any:
    return None if pd.isna(value) else value


def expected_rows(original: pd.DataFrame, result: Disclosure) -> list[tuple[Any, ...]]:
    """The pandas frame with the columns of `records` beside those of its own."""
    records = result.records(original)
    own = original.iloc[records.record].reset_index(drop=True)
    if "n" in records:
        records = records.drop(columns="n") if "n" in own else records
        if "n" in records:  # of a frequency table the number comes first
            own = own.assign(n=records.pop("n"))
    return rows_of(pd.concat([own, records.drop(columns="record")], axis=1))


def labels_by_id(native: Any) -> dict[Any, tuple[Any, ...]]:
    """What was added, by the column `id` of a table with one synthesis."""
    labels = {}
    for row in arrow_of(native).to_pylist():
        assert row["id"] not in labels, "a record occurs twice"
        labels[row["id"]] = tuple(row[name] for name in ADDED)
    return labels


def pandas_labels_by_id(original: pd.DataFrame, result: Disclosure) -> dict[Any, tuple[Any, ...]]:
    records = result.records(original)
    ids = original["id"].iloc[records.record]
    rows = records[list(ADDED)].astype(object).to_numpy().tolist()
    return dict(zip(ids.tolist(), map(tuple, rows)))
