"""R's recorded calls of `syn()`: what went in, the trees, what came out (fixtures/syn)."""

from __future__ import annotations

import json
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from r_reference.case_maker.files import SYN_CASES, read_all
from synthpop_py import DataWarning, SynDS, syn
from tests.parity.case_frames import pandas_frame
from tests.parity.companion_side import frame_record
from tests.parity.port_side import Spec, arguments_of

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "syn"

CASES = read_all(SYN_CASES)


def name_of(case: Spec) -> str:
    """The recording of a case."""
    return case["data"]["syn_input"]


# the arguments of each recorded call
CALLS = {name_of(case): arguments_of(case) for case in CASES["recorded"]}


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


# ---- cases -------------------------------------------------------------------------------


def data_of(case: Spec) -> pd.DataFrame:
    if "syn_input" in case["data"]:
        return frame(recorded(name_of(case))["input"])
    return pandas_frame(case["data"])


def run_syn(case: Spec) -> SynDS:
    """What the package answers to a case. It must warn of columns that it does not synthesise, and
    of what R would do otherwise.
    """
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("ignore", DataWarning)
        warnings.simplefilter("always", DataWarning)
        warnings.filterwarnings("ignore", message="data: column .* counts as constant")
        made = syn(data_of(case), **arguments_of(case), reproducible=True, print_flag=False)
    unchanged = [name for one in made.syn[:1] for name in one if not made.method.get(name)]
    assert len(given) == bool(unchanged or departures(made))
    assert all(repr(name) in str(given[0].message) for name in unchanged)
    return made


def departures(made: SynDS) -> list[str]:
    """The notes on R; the other one names columns that are unchanged, as in R."""
    return [note for note in made.notes if not note.startswith("original values, record by")]


def as_record(made: SynDS) -> Spec:
    """A synthesis in the shape of a record."""
    matrix = made.predictor_matrix
    return {
        "m": made.m,
        "method": made.method,
        "visit_sequence": made.visit_sequence,
        "predictor_matrix": {
            "index": list(matrix.index),
            "columns": list(matrix.columns),
            "values": [matrix[name].tolist() for name in matrix.columns],
        },
        "syn": [frame_record(one) for one in made.syn],
    }
