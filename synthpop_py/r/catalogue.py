"""The defect ledger as a data frame."""

from __future__ import annotations

import pandas as pd

from ..names import named_arguments
from .defects import DEFECTS


@named_arguments()
def r_defects() -> pd.DataFrame:
    """Every known defect of R's disclosure functions.

    Columns: summary, what R does, what is correct, severity (A silently wrong numbers likely in
    real use; B narrower; C R crashes; D display), kind ("bug" or "convention"), port (how this
    package treats it), versions of synthpop that have it.

    Examples
    --------
    >>> r_defects().loc["D1", "summary"]
    'tables compared by position'
    """
    rows = [
        (d.id, d.summary, d.r_does, d.correct, d.severity, d.kind, d.port, ", ".join(d.versions))
        for d in DEFECTS
    ]
    return pd.DataFrame(
        rows, columns=["id", "summary", "r_does", "correct", "severity", "kind", "port", "versions"]
    ).set_index("id")
