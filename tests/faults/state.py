"""What no call may change: the state of Python and of the libraries, the disk, and its inputs."""

from __future__ import annotations

import decimal
import locale
import os
import pickle
import random
import sys
import tempfile
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from synthpop_py import SynDS

PANDAS_OPTIONS = (
    "display.max_rows",
    "display.max_columns",
    "display.width",
    "display.precision",
    "display.float_format",
    "display.max_colwidth",
)


def global_state() -> dict[str, Any]:
    """By name, each as something that can be compared."""
    state = {
        "random numbers of NumPy": pickle.dumps(np.random.get_state()),  # noqa: NPY002
        "random numbers of Python": pickle.dumps(random.getstate()),
        "errors of NumPy": np.geterr(),
        "options of NumPy": repr(np.get_printoptions()),
        "filters of warnings": list(warnings.filters),
        "options of pandas": {name: pd.get_option(name) for name in PANDAS_OPTIONS},
        "locale": locale.setlocale(locale.LC_ALL),
        "folder": os.getcwd(),
        "environment": dict(os.environ),
        "depth of calls": sys.getrecursionlimit(),
        "decimals": repr(decimal.getcontext()),
        "threads": threading.active_count(),
        "output": (sys.stdout, sys.stderr),
    }
    if "matplotlib" in sys.modules:
        state["settings of matplotlib"] = dict(sys.modules["matplotlib"].rcParams)
    return state


def files(folder: Path) -> dict[str, bytes]:
    """Whatever is in a folder, and in the one for temporary files."""
    held = {}
    for place in (folder, Path(tempfile.gettempdir())):
        for file in sorted(place.rglob("*")):
            held[str(file)] = file.read_bytes() if file.is_file() else b"a folder"
    return held


def spelled(value: Any) -> Any:
    """Something that is equal where values are equal, NaN and types included."""
    if isinstance(value, SynDS):
        return [spelled(value.syn), repr(value.cont_na), repr(value.meta)]
    if isinstance(value, (pd.DataFrame, pd.Series)):
        return pickle.dumps(value.copy())
    if hasattr(value, "to_json"):
        return value.to_json()
    if isinstance(value, np.ndarray):
        return (str(value.dtype), value.shape, repr(value.tolist()))
    if isinstance(value, dict):
        return {key: spelled(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [spelled(part) for part in value]
    return repr(value)
