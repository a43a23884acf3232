"""Results as plain Python values that JSON can hold."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

HANDED_ON = "_options"  # how an argument ends that holds arguments of another function
SECRET = ("seed", "password", "token", "credential", "path", "file", "generator", "rng")


def plain(value: Any) -> Any:
    """A value that JSON can hold: NaN and the infinities as texts, a data frame by index, columns
    and values (one list for each column).
    """
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, pd.DataFrame):
        columns = [value.iloc[:, at].tolist() for at in range(value.shape[1])]
        names = [column_name(name) for name in value.columns]
        return {"index": plain(value.index), "columns": plain(names), "values": plain(columns)}
    if isinstance(value, (list, tuple, np.ndarray, pd.Index)):
        return [plain(part) for part in value]
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value).title().replace("Nan", "NaN")
    return value if isinstance(value, (str, bool, int, float)) else str(value)


def column_name(name: Any) -> Any:
    """A column name that JSON can hold; others as text."""
    return name if isinstance(name, (str, int, float)) else str(name)


def arguments_content(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of a call, and those that it passes on, without secrets."""
    kept = {}
    for name, value in arguments.items():
        if any(secret in name.lower() for secret in SECRET):
            continue
        # other mappings are by names of columns, and one may be called "path"
        kept[name] = arguments_content(value) if name.endswith(HANDED_ON) else value
    return kept
