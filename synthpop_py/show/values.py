"""Results as plain Python values that JSON can hold, and as CSV that a spreadsheet does not run."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

HANDED_ON = "_options"  # how an argument ends that holds arguments of another function
SECRET = ("seed", "password", "token", "credential", "path", "file", "generator", "rng")

SIGNS = ("=", "+", "-", "@")
FULL_WIDTH = str.maketrans("\uff1d\uff0b\uff0d\uff20", "".join(SIGNS))
SKIPPED = " \u00a0\ufeff"  # blanks before a sign, which some spreadsheets ignore
BREAKS = ("\t", "\r", "\n")


def plain(value: Any) -> Any:
    """A value that JSON can hold: NaN and the infinities as texts, a data frame by index, columns
    and values (one list for each column).
    """
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple, np.ndarray, pd.Index)):
        return [plain(part) for part in value]
    if isinstance(value, pd.DataFrame):
        return {
            "index": plain(value.index),
            "columns": [plain(column_name(name)) for name in value.columns],
            "values": [plain(value.iloc[:, at].tolist()) for at in range(len(value.columns))],
        }
    return plain_scalar(value)


def plain_scalar(value: Any) -> Any:
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    number = value.item() if isinstance(value, np.generic) else value
    if isinstance(number, float) and not math.isfinite(number):
        if math.isnan(number):
            return "NaN"
        return "Inf" if number > 0 else "-Inf"
    return number if isinstance(number, (str, bool, int, float)) else str(number)


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


# ---- CSV to look at ------------------------------------------------------------------


def csv_cell(value: Any) -> Any:
    """The value as a cell. A spreadsheet reads a text that begins with ``=`` as a formula, even if
    it is the name of a level in someone's data: such texts begin with an apostrophe, numbers never
    do, and missing values are empty. Data to be read back are written elsewhere, unchanged.

    Examples
    --------
    >>> csv_cell('=HYPERLINK("http://x")'), csv_cell("-8"), csv_cell(-8), csv_cell("Oslo")
    ('\\'=HYPERLINK("http://x")', "'-8", -8, 'Oslo')
    """
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return ""
    value = plain_scalar(value)
    if not isinstance(value, str):
        return value
    first = value.lstrip(SKIPPED)[:1].translate(FULL_WIDTH)
    runs = first in SIGNS or value.startswith(BREAKS)
    return f"'{value}" if runs else value


def csv_text(frame: pd.DataFrame) -> str:
    """A data frame as CSV without its index, header and cells safe to open in a spreadsheet.

    Examples
    --------
    >>> print(csv_text(pd.DataFrame({"level": ["=1+1", "a,b"], "n": [3, -1]})), end="")
    level,n
    '=1+1,3
    "a,b",-1
    """
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow([csv_cell(name) for name in frame.columns])
    for row in frame.itertuples(index=False, name=None):
        writer.writerow([csv_cell(value) for value in row])
    return written.getvalue()
