"""The tables of a result, made from its figures on demand: R's columns, one row per synthesis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Tables:
    """All of R's tables of one result.

    Attributes
    ----------
    check_1way, check_2way, ledgers : one per synthesis; None where nothing is flagged.
    measures : "ident", "attrib", "allCAPs" and, where the version has it, "attrib_denoms".
    """

    check_1way: list[pd.DataFrame | None]
    check_2way: list[pd.DataFrame | None]
    ledgers: list[pd.DataFrame]
    measures: dict[str, pd.DataFrame]


def tables_of(sets: Sequence[SetFigures], version: str) -> Tables:
    return Tables(
        check_1way=[level_frame(s) for s in sets],
        check_2way=[pair_frame(s) for s in sets],
        ledgers=[ledger_frame(s) for s in sets],
        measures=measure_frames(sets, version),
    )


def measure_frames(
    sets: Sequence[SetFigures], version: str, only: str | None = None
) -> dict[str, pd.DataFrame]:
    """R's tables of measures by name, or the only one asked for: one row per synthesis, numbered
    from 1.
    """
    by_set = [set_figures(s, version) for s in sets]
    numbers = pd.RangeIndex(1, len(sets) + 1)
    frames = {}
    for name, first in by_set[0].items():
        if only in (None, name):
            rows = [list(tables[name].values()) for tables in by_set]
            values = np.array(rows, dtype=np.float64)
            frames[name] = pd.DataFrame(values, columns=list(first), index=numbers)
    return frames


def set_figures(s: SetFigures, version: str) -> dict[str, dict[str, float]]:
    """The figures of one synthesis by table and column, as a version of R's package lays them
    out.
    """
    layout = LAYOUTS[version]
    denominators = _denominators(s, layout.denoms)
    attrib = _percentages(s, layout.attrib)
    attrib["max_denom"] = s.max_denom
    attrib["mean_denom"] = s.mean_denom
    tables = {
        "ident": _percentages(s, layout.ident),
        "attrib": attrib,
        "allCAPs": _percentages(s, layout.caps),
    }
    if denominators:
        tables["attrib_denoms"] = denominators
    return tables


def _percentages(s: SetFigures, columns: Mapping[str, str]) -> dict[str, float]:
    return {shown: s.shares[measure].percent for shown, measure in columns.items()}


def _denominators(s: SetFigures, columns: Mapping[str, str]) -> dict[str, float]:
    return {shown: float(s.shares[measure].denominator) for shown, measure in columns.items()}


def level_frame(s: SetFigures) -> pd.DataFrame | None:
    """The flagged level of the target."""
    if s.level is None:
        return None
    row = {name: [getattr(s.level, name)] for name in LEVEL_FIELDS}
    # R cannot name a row with an empty text and falls back to the row's number
    label = s.level.Level or "1"
    return pd.DataFrame(row, index=[label])


def pair_frame(s: SetFigures) -> pd.DataFrame | None:
    """The flagged pairs of target and key."""
    if not s.pairs:
        return None
    columns = {}
    for name in PAIR_FIELDS:
        columns[name] = [getattr(pair, name) for pair in s.pairs]
    row_numbers = [pair.row for pair in s.pairs]
    return pd.DataFrame(columns, index=row_numbers)


def ledger_frame(s: SetFigures) -> pd.DataFrame:
    return pd.DataFrame(s.ledger, index=list(VECTORS), columns=list(COLUMNS))
