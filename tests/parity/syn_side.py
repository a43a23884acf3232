"""R's recorded calls of `syn()`: what went in, the trees, what came out (fixtures/syn)."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "syn"

# the arguments of each recorded call
CALLS: dict[str, dict[str, Any]] = {
    "iris_3": {"seed": 3},
    "airquality_4": {"seed": 4},
    "airquality_m2_4": {"seed": 4, "m": 2},
    "esoph_7": {"seed": 7},
    "esoph_proper_7": {"seed": 7, "proper": True},
    "nine400_8": {"seed": 8, "cont_na": {"income": -8}},
    "nine400_k_8": {"seed": 8, "k": 150},
    "types200_10": {
        "seed": 10,
        "cont_na": {"nociga": -8},
        "visit_sequence": ["nociga", "trust", "smoke", "bmi", "edu", "marital"],
    },
}


@cache
def recorded(name: str) -> dict[str, Any]:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def frame(columns: dict[str, Any]) -> pd.DataFrame:
    """A recorded data frame with R's types."""
    return pd.DataFrame({name: _column(column) for name, column in columns.items()})


def _column(column: dict[str, Any]) -> Any:
    values, kind = column["values"], column["type"]
    if kind in ("factor", "ordered"):
        return pd.Categorical(values, column["levels"], ordered=kind == "ordered")
    if kind == "integer":
        return pd.Series(values, dtype="Int64" if None in values else "int64")
    dtypes = {"character": object, "logical": "boolean", "double": "float64"}
    filled = [np.nan if value is None else value for value in values]
    return pd.Series(values if kind != "double" else filled, dtype=dtypes[kind])
