"""Tables as CSV that a spreadsheet shows but does not run.

A spreadsheet reads a text that begins with ``=`` as a formula, even if it is the name of a level in
someone's data. Such texts get an apostrophe, which tells spreadsheets that text follows. This is
for tables to look at. Data to be read back are written elsewhere, unchanged: `write_synds` writes
R's files, where nothing is run.
"""

from __future__ import annotations

import csv
import io
from typing import Any

import pandas as pd

from .plain import plain_scalar

__all__ = ["csv_cell", "csv_text"]

SIGNS = ("=", "+", "-", "@")
FULL_WIDTH = str.maketrans("\uff1d\uff0b\uff0d\uff20", "".join(SIGNS))
SKIPPED = " \u00a0\ufeff"  # blanks before a sign, which some spreadsheets ignore
BREAKS = ("\t", "\r", "\n")


def csv_cell(value: Any) -> Any:
    """The value as a cell; texts that could be run begin with an apostrophe, numbers never do, and
    missing values are empty.

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
