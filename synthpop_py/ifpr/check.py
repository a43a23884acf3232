"""Does every block meet the goal? What `IFPRRelease.verify` returns."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import numpy as np
import pandas as pd

from ..tables import html_table, table_text
from .profile import highest_count, profile
from .release import IFPRRelease

ROUNDING = 1e-9  # relative; theta from xi meets xi up to the last digits
MOST_SHOWN = 10
UNPERTURBED = "not perturbed"


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class IFPRCheck:
    """The risk of every block, size T and released count a against the goal. True as a condition when all meet it.

    Attributes
    ----------
    xi : the goal. blocks : how many were looked at.
    table : DataFrame
        Columns: block, cells, T, a, risk (chance of a correct match, higher is riskier), meets. All a with 1 / a above xi: for larger ones the risk is at most
        1 / a, so they meet it.
        Cells that were not perturbed are one row for each of their sizes with 1 / T above xi, or their smallest: there a = T and the risk is 1 / T.
    """

    xi: float
    blocks: int
    table: pd.DataFrame

    def __bool__(self) -> bool:
        return self.ok

    @property
    def ok(self) -> bool:
        return bool(self.table["meets"].all())

    @property
    def violations(self) -> pd.DataFrame:
        """The rows of `table` that pass the goal, highest risk first."""
        return self.table[~self.table["meets"]].sort_values("risk", ascending=False, kind="stable")

    def tidy(self) -> pd.DataFrame:
        return self.table.copy()

    @property
    def summary(self) -> str:
        """One sentence."""
        worst = self.table["risk"].max()
        found = f"highest risk {worst:.4f}" if len(self.table) else "no cell is at risk"
        if self.ok:
            return f"Every block ({self.blocks}) meets xi = {self.xi:.4g} for all T and a; {found} (chance of a correct match; lower is safer)"
        bad = self.violations["block"].nunique()
        return f"{bad} of {self.blocks} blocks (or cells not perturbed) pass xi = {self.xi:.4g}; {found} (chance of a correct match; lower is safer)"

    def _shown(self) -> pd.DataFrame:
        return self.violations.drop(columns="meets").head(MOST_SHOWN).set_index("block")

    def __repr__(self) -> str:
        if self.ok:
            return self.summary
        more = len(self.violations) - MOST_SHOWN
        return f"{self.summary}:\n{table_text(self._shown(), 4)}" + (f"\nand {more} more in .violations" if more > 0 else "")

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.summary)}</p>" if self.ok else html_table(self._shown(), 4, self.summary)


def check_release(release: IFPRRelease, xi: float) -> IFPRCheck:
    flows, goal = release._exchange.flows, release._goal
    last = max(highest_count(xi), 1)
    risk = profile(flows, last).risk[..., 1:]
    block, size, a = np.nonzero(~np.isnan(risk))
    labels = np.array(release._labels(), dtype=object)
    named = labels[block] if len(labels) else pd.Series(dtype=object)
    rows = pd.DataFrame({"block": named, "cells": flows.cells.sum(axis=1)[block], "T": flows.sizes[size], "a": a + 1, "risk": risk[block, size, a]})
    left = np.setdiff1d(np.flatnonzero(release._cells_of_size), goal.sizes)
    left = left[(left * xi < 1) | (left == left.min(initial=0))] if len(left) else left
    alone = pd.DataFrame({"block": pd.Series([UNPERTURBED] * len(left), dtype=object), "cells": release._cells_of_size[left], "T": left, "a": left, "risk": 1 / left})
    table = pd.concat([part for part in (rows, alone) if len(part)] or [rows], ignore_index=True)
    return IFPRCheck(xi, len(flows.cells), table.assign(meets=table["risk"] <= xi * (1 + ROUNDING)))
