"""The data of the papers, and R's recorded answers, read once."""

from __future__ import annotations

from functools import cache
from typing import Any

import pandas as pd

from r_reference.records import load_records
from synthpop_py import SynDS, datasets


@cache
def original(name: str) -> pd.DataFrame:
    return datasets.load(name)


@cache
def synthesis(name: str) -> SynDS:
    return datasets.load_synthesis(name)


@cache
def _records() -> dict[str, Any]:
    return load_records()


def recorded(case: str) -> Any:
    """What R answered to a call."""
    return _records()[f"{case} [icu]"]["result"]


def recorded_value(case: str, measure: str) -> float:
    """A measure of attribute risk, of the first synthesis."""
    table = recorded(case)["attrib"]
    return float(table["values"][table["columns"].index(measure)][0])
