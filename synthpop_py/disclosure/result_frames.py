"""The tables of a result, made from its figures when somebody asks for them: R's columns, one row
per synthesis.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..r.layouts import LAYOUTS
from .cells import VECTORS
from .exclusions import COLUMNS
from .run import SetFigures

LEVEL_FIELDS = ("Level", "All", "PctLevelAll", "totalDisclosive", "nLevelDis", "PctLevelDis")
PAIR_FIELDS = (
    "target_key_levs",
    "npairs",
    "key",
    "key_target_total",
    "key_total",
    "PctTargetKeyLevel",
)


def set_figures(s: SetFigures, version: str) -> dict[str, dict[str, float]]:
    """The figures of one synthesis by table and column, as a version of R's package lays them
    out.
    """
    layout = LAYOUTS[version]

    def percents(columns: dict[str, str]) -> dict[str, float]:
        return {shown: s.shares[measure].percent for shown, measure in columns.items()}

    cells = {"max_denom": s.max_denom, "mean_denom": s.mean_denom}
    tables = {
        "ident": percents(layout.ident),
        "attrib": percents(layout.attrib) | cells,
        "allCAPs": percents(layout.caps),
    }
    if layout.denoms:
        tables["attrib_denoms"] = {
            shown: float(s.shares[measure].denominator) for shown, measure in layout.denoms.items()
        }
    return tables


def figure_frame(sets: Sequence[SetFigures], name: str, version: str) -> pd.DataFrame | None:
    """One of R's tables: one row per synthesis, numbered from 1. None where the version has no such
    table.
    """
    rows = [tables[name] for tables in (set_figures(s, version) for s in sets) if name in tables]
    if not rows:
        return None
    return pd.DataFrame(
        np.array([list(row.values()) for row in rows], dtype=np.float64),
        columns=list(rows[0]),
        index=pd.RangeIndex(1, len(rows) + 1),
    )


def level_frame(s: SetFigures) -> pd.DataFrame | None:
    if s.level is None:
        return None
    # R cannot name a row with an empty text and falls back to the row's number
    return pd.DataFrame(
        {f: [getattr(s.level, f)] for f in LEVEL_FIELDS}, index=[s.level.Level or "1"]
    )


def pair_frame(s: SetFigures) -> pd.DataFrame | None:
    if not s.pairs:
        return None
    return pd.DataFrame(
        {f: [getattr(p, f) for p in s.pairs] for f in PAIR_FIELDS}, index=[p.row for p in s.pairs]
    )


def ledger_frame(s: SetFigures) -> pd.DataFrame:
    return pd.DataFrame(s.ledger, index=list(VECTORS), columns=list(COLUMNS))
