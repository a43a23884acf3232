"""Does every block meet the goal? What `IFPRRelease.verify` returns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import Values
from ..show.printing import Block, Sections, Table
from ..show.views import Shown
from .flows import Flows
from .profile import highest_count, passes, profile
from .release import IFPRRelease

MOST_SHOWN, MOST_NAMED = 10, 2
UNPERTURBED = "not perturbed"


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class IFPRCheck(Shown):
    """The risk of every block, size T and released count a against the goal. ``bool()`` is True
    when all meet it.

    Attributes
    ----------
    xi : the goal. blocks : how many were looked at.
    elsewhere : labels of blocks in which a unit is likelier to go to one given other cell than to
        stay, as with theta > (k - 1) / k in a block of k single units. The goal is about records
        with the target's own keys; here an intruder who looks under other keys may do better.
    swaps : labels of blocks of two cells whose units would all leave, and so trade places. That
        hides nobody, so they were left as they are.
    table : DataFrame
        Columns: block, cells, T, a, risk (chance of a correct match, higher is riskier), meets. All
        a with 1 / a above xi: for larger ones the risk is at most 1 / a, so they meet it. Cells
        that were not perturbed are one row for each of their sizes with 1 / T above xi, and for
        their smallest: there a = T and the risk is 1 / T.
    """

    xi: float
    blocks: int
    table: pd.DataFrame
    elsewhere: tuple[str, ...] = ()
    swaps: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.ok

    @property
    def ok(self) -> bool:
        return bool(self.table["meets"].all())

    @property
    def violations(self) -> pd.DataFrame:
        """The rows of `table` above the goal, highest risk first."""
        return self.table[~self.table["meets"]].sort_values("risk", ascending=False, kind="stable")

    def tidy(self) -> pd.DataFrame:
        return self.table.copy()

    @property
    def verdict(self) -> str:
        """One sentence: whether the goal is met, and the highest risk."""
        worst = self.table["risk"].max()
        highest = (
            f"highest risk {worst:.4f} (chance of a correct match among the records under the"
            " target's own keys; lower is safer)"
        )
        goal = f"xi = {self.xi:.4g}"
        if not self.ok:
            return f"{self._who_passes()} exceed {goal}; {highest}"
        blocks = f"Every block ({self.blocks:,})"
        if (self.table["block"] == UNPERTURBED).any():
            blocks += " and every cell left as it was"
        return f"{blocks} meets {goal} for all T and a; {highest}"

    def _who_passes(self) -> str:
        """The number of blocks. Cells left as they are belong to no block, and their number may be
        a small count of people, so it is not given.
        """
        bad = set(self.violations["block"])
        cells_too = UNPERTURBED in bad
        blocks = f"{len(bad - {UNPERTURBED}):,} of {self.blocks:,} blocks"
        return f"{blocks} and some cells left as they were" if cells_too else blocks

    @property
    def notes(self) -> tuple[str, ...]:
        """What the verdict does not say, one sentence each; empty if there is nothing to add."""
        said = []
        if self.elsewhere:
            where = (
                "a unit is likelier to be under one given other combination of keys than under"
                " its own"
            )
            said.append(
                f"In {_blocks(self.elsewhere)} {where}: an intruder who looks there may do "
                "better than xi; use larger blocks or a larger xi"
            )
        if self.swaps:
            why = (
                "two cells would certainly trade places, which anyone can undo, so they were "
                "left as they are"
            )
            said.append(f"In {_blocks(self.swaps)} {why}; use larger blocks or a theta below 1")
        return tuple(said)

    def _title(self) -> str:
        return "Does every block meet the goal?"

    def _headline(self, to: int = 1) -> list[str]:
        return [f"{self.verdict}."]

    def _sections(self) -> Sections:
        return [list(self._said())]

    def _rounded(self, to: int) -> Sections:
        """Without numbers of cells, which hold at least one person each."""
        return [list(self._said(hide="cells"))]

    def _said(self, hide: str = "") -> Iterator[Block]:
        if self.ok:
            yield self.verdict
        else:
            violations = self.violations
            listed = violations.drop(columns="meets").head(MOST_SHOWN).set_index("block")
            columns = [name for name in listed.columns if name != hide]
            yield Table(listed[columns], self.verdict, digits=4)
            more = len(violations) - MOST_SHOWN
            if more > 0:
                yield f"and {more:,} more in .violations"
        for remark in self.notes:
            yield f"Note: {remark}."

    def _content(self) -> dict[str, Any]:
        return {
            "xi": self.xi,
            "blocks": self.blocks,
            "ok": self.ok,
            "verdict": self.verdict,
            "notes": list(self.notes),
            "elsewhere": list(self.elsewhere),
            "swaps": list(self.swaps),
            "table": self.table,
        }

    def _arguments(self) -> dict[str, Any]:
        return {"xi": self.xi}


def _blocks(labels: tuple[str, ...]) -> str:
    """How many there are, and the first of them."""
    number = "1 block" if len(labels) == 1 else f"{len(labels):,} blocks"
    names = "; ".join(labels[:MOST_NAMED])
    if len(labels) > MOST_NAMED:
        names += f"; and {len(labels) - MOST_NAMED:,} more"
    return f"{number} ({names})"


def check_release(release: IFPRRelease, xi: float) -> IFPRCheck:
    """Every block against xi, which need not be the goal it was made for."""
    flows = release._randomisation.flows
    labels = release._labels()
    parts = [_perturbed(flows, labels, xi), _untouched(release, xi)]
    occupied = [part for part in parts if len(part)]
    table = pd.concat(occupied or parts[:1], ignore_index=True)
    risk = table["risk"].to_numpy()
    return IFPRCheck(
        xi=xi,
        blocks=len(flows.cells),
        table=table.assign(meets=~passes(risk, xi)),
        elsewhere=tuple(labels[flows.elsewhere]),
        swaps=tuple(labels[flows.swaps]),
    )


def _perturbed(flows: Flows, labels: Values, xi: float) -> pd.DataFrame:
    """IR_T(a) of every block, size and count that can occur and could pass xi."""
    risk = profile(flows, highest_count(xi)).risk[..., 1:]
    block, size_at, count_at = np.nonzero(~np.isnan(risk))
    cells = flows.cells.sum(axis=1)
    columns = {
        "block": labels[block],
        "cells": cells[block],
        "T": flows.sizes[size_at],
        "a": count_at + 1,
        "risk": risk[block, size_at, count_at],
    }
    return pd.DataFrame(columns)


def _untouched(release: IFPRRelease, xi: float) -> pd.DataFrame:
    """Cells that were left as they are, by size: the smallest, and all with 1 / T above xi."""
    sizes = release._untouched_sizes
    sizes = sizes[(sizes <= highest_count(xi)) | (sizes == sizes[:1])]
    columns = {
        "block": pd.Series([UNPERTURBED] * len(sizes), dtype=object),
        "cells": release._cells_of_size[sizes],
        "T": sizes,
        "a": sizes,
        "risk": 1 / sizes,
    }
    return pd.DataFrame(columns)
