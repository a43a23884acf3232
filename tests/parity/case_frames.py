"""Frames of cases, written out: references to data files replaced by the columns they stand for
(``r_reference/FORMATS.md``).
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from typing import Any

import pandas as pd

from synthpop_py import datasets

Spec = dict[str, Any]


def column_spec(name: str, column: pd.Series) -> Spec:
    """A pandas column as our loader makes it, as a column of a frame specification."""
    values = [
        None if missing else value.item() if hasattr(value, "item") else value
        for value, missing in zip(column.tolist(), column.isna())
    ]
    if isinstance(column.dtype, pd.CategoricalDtype):
        kind = "ordered" if column.dtype.ordered else "factor"
        return {
            "name": name,
            "type": kind,
            "levels": column.cat.categories.tolist(),
            "values": values,
        }
    if pd.api.types.is_bool_dtype(column.dtype):
        return {"name": name, "type": "logical", "values": values}
    if pd.api.types.is_integer_dtype(column.dtype):
        return {"name": name, "type": "integer", "values": values}
    if pd.api.types.is_float_dtype(column.dtype):
        return {"name": name, "type": "double", "values": [_json_number(v) for v in values]}
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return {
            "name": name,
            "type": "Date",
            "values": [None if v is None else v.strftime("%Y-%m-%d") for v in values],
        }
    return {"name": name, "type": "character", "values": values}


def _json_number(value: float | None) -> float | str | None:
    return value if value is None or math.isfinite(value) else "Inf" if value > 0 else "-Inf"


def frame_spec(frame: pd.DataFrame) -> Spec:
    return {"columns": [column_spec(name, frame[name]) for name in frame.columns]}


# Loaded once a session: the package never changes a caller's frame, and a test of its own says so.
loaded = lru_cache(maxsize=None)(datasets.load)
loaded_synthesis = lru_cache(maxsize=None)(datasets.load_synthesis)


@cache
def _dataset(name: str) -> Spec:
    return frame_spec(loaded(name))


@cache
def _synthesis(name: str) -> list[Spec]:
    return [frame_spec(frame) for frame in loaded_synthesis(name).syn]


def _special_values(name: str) -> dict[str, list]:
    return {column: list(values) for column, values in loaded_synthesis(name).cont_na.items()}


def written_out(frame: Spec) -> Spec:
    """The frame with its columns in it."""
    if "dataset" in frame:
        whole = _dataset(frame["dataset"])
    elif "synthesis" in frame:
        whole = _synthesis(frame["synthesis"])[frame.get("set", 1) - 1]
    else:
        return frame
    first, last = frame.get("rows", (1, None))
    wanted = frame.get("columns") or [c["name"] for c in whole["columns"]]
    by_name = {c["name"]: c for c in whole["columns"]}
    columns = [by_name[name] for name in wanted]
    if "rows" in frame:
        columns = [{**c, "values": c["values"][first - 1 : last]} for c in columns]
    return {"columns": columns}


def original_of(case: Spec) -> Spec:
    return written_out(case["data"])


def syntheses_of(case: Spec) -> list[Spec]:
    obj = case["object"]
    return (
        _synthesis(obj["synthesis"])
        if "synthesis" in obj
        else [written_out(f) for f in obj["frames"]]
    )


def special_values_of(case: Spec) -> dict[str, list]:
    """cont_na: what a synds object carries, or what the call gives for plain frames."""
    obj = case["object"]
    if obj["as"] == "synds":
        return _special_values(obj["synthesis"]) if "synthesis" in obj else obj.get("cont_na", {})
    return case["args"].get("cont.na", {}).get("named", {})


# ---- as pandas frames, for the package under test ------------------------------------


def pandas_column(spec: Spec) -> Any:
    kind, values = spec["type"], spec["values"]
    if kind in ("factor", "ordered"):
        return pd.Categorical(
            values,
            categories=[x for x in spec["levels"] if x is not None],
            ordered=kind == "ordered",
        )
    if kind == "character":
        return pd.Series(values, dtype=object)
    if kind == "double":
        return pd.Series([math.nan if v is None else float(v) for v in values], dtype="float64")
    if kind in ("integer", "logical"):
        plain, nullable = ("int64", "Int64") if kind == "integer" else ("bool", "boolean")
        return (
            pd.array(values, dtype=nullable) if None in values else pd.Series(values, dtype=plain)
        )
    if kind == "Date":
        return pd.Series(pd.to_datetime(values))
    return pd.Series(pd.to_datetime(values, unit="s"))


@cache
def _part(name: str, columns: tuple[str, ...] | None, rows: tuple[int, int] | None) -> pd.DataFrame:
    """Some columns and rows of a data file; the same frame each time, so that engines hold it
    once.
    """
    frame = loaded(name)
    if rows:
        frame = frame.iloc[rows[0] - 1 : rows[1]].reset_index(drop=True)
    return frame[list(columns)] if columns else frame


def pandas_frame(spec: Spec) -> pd.DataFrame:
    """A frame specification as the user of the package would hold it; data files come from the
    package's own loader.
    """
    if "dataset" in spec:
        columns, rows = spec.get("columns"), spec.get("rows")
        return _part(spec["dataset"], columns and tuple(columns), rows and tuple(rows))
    if "synthesis" in spec:
        return loaded_synthesis(spec["synthesis"]).syn[spec.get("set", 1) - 1]
    return pd.DataFrame({c["name"]: pandas_column(c) for c in spec["columns"]})
