"""Counts d and s of the paper's appendix 1, made with pandas alone: nothing of the package is in
them, so that a printed formula can be taken literally.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True, slots=True)
class Counts:
    """Both tables of one synthesis.

    combinations : one row per combination of keys q; d, s are the paper's d.q and s.q.
    cells : one row per q and target t; d, s are d_tq and s_tq; pd, ps their shares of q.
    """

    combinations: pd.DataFrame
    cells: pd.DataFrame

    @property
    def Nd(self) -> int:
        return int(self.combinations["d"].sum())

    @property
    def Ns(self) -> int:
        return int(self.combinations["s"].sum())


def counts(
    original: pd.DataFrame, synthetic: pd.DataFrame, keys: Sequence[str], target: str
) -> Counts:
    """Missing values count as a level, as in the paper's examples."""
    combinations = _both(original, synthetic, list(keys))
    cells = _both(original, synthetic, [*keys, target])
    sums = cells.groupby(list(keys), dropna=False, observed=True)[["d", "s"]].transform("sum")
    # 0 / 0, a combination that one side lacks, is a share of nobody
    cells["pd"] = (cells["d"] / sums["d"]).fillna(0)
    cells["ps"] = (cells["s"] / sums["s"]).fillna(0)
    return Counts(combinations, cells)


def _both(original: pd.DataFrame, synthetic: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    sides = {"d": original, "s": synthetic}
    parts = [frame[names].astype(object).assign(**{side: 1}) for side, frame in sides.items()]
    together = pd.concat(parts, ignore_index=True).fillna(dict.fromkeys(sides, 0))
    sums = together.groupby(names, dropna=False)[list(sides)].sum()
    return sums.astype(int).reset_index()
