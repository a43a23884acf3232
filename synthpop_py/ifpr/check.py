"""Does every block meet the goal? What `IFPRRelease.verify` returns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..show import Block, Count, Document, Section, Shown, fill
from ..show.plain import frame_content
from .profile import highest_count, passes, profile
from .release import IFPRRelease

MOST_SHOWN, MOST_NAMED = 10, 2
UNPERTURBED = "not perturbed"


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class IFPRCheck(Shown):
    """The risk of every block, size T and released count a against the goal. True as a condition
    when all meet it.

    Attributes
    ----------
    xi : the goal. blocks : how many were looked at.
    elsewhere : labels of blocks in which a unit is likelier to go to one given other cell than to
        stay, as with theta > (k - 1) / k in a block of k single units. The goal is about records
        under the target's own keys; here whoever looks under other keys may do better.
    swaps : labels of blocks of two cells whose units would all leave, and so change places. That
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
        """The rows of `table` that pass the goal, highest risk first."""
        return self.table[~self.table["meets"]].sort_values("risk", ascending=False, kind="stable")

    def tidy(self) -> pd.DataFrame:
        return self.table.copy()

    @property
    def verdict(self) -> str:
        """One sentence: whether the goal is met, and the highest risk."""
        worst = self.table["risk"].max()
        found = (
            f"highest risk {worst:.4f} (chance of a correct match among the records under the"
            " target's own keys; lower is safer)"
        )
        if self.ok:
            untouched = (
                " and every cell left as it was"
                if (self.table["block"] == UNPERTURBED).any()
                else ""
            )
            return (
                f"Every block ({self.blocks:,}){untouched} meets xi = {self.xi:.4g} for all T and"
                f" a; {found}"
            )
        bad = self.violations["block"].nunique()
        return (
            f"{bad:,} of {self.blocks:,} blocks (or cells not perturbed) pass xi = {self.xi:.4g};"
            f" {found}"
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What the verdict does not say: one sentence each, none if there is nothing to add."""
        said = []
        if self.elsewhere:
            where = (
                "a unit is likelier to be under one given other combination of keys than under"
                " its own"
            )
            said.append(
                f"In {_blocks(self.elsewhere)} {where}: whoever looks there may do better than xi;"
                " use larger blocks or a larger xi"
            )
        if self.swaps:
            why = (
                "two cells would surely change places, which anybody can undo, so they were left as"
                " they are"
            )
            said.append(f"In {_blocks(self.swaps)} {why}; use larger blocks or a theta below 1")
        return tuple(said)

    def _document(self) -> Document:
        return Document(
            title="Does every block meet the goal?",
            sections=(Section(tuple(self._said())),),
            headline=(fill.note(f"{self.verdict}."),),
        )

    def _said(self) -> Iterator[Block]:
        if self.ok:
            yield fill.note(self.verdict)
        else:
            shown = self.violations.drop(columns="meets").head(MOST_SHOWN).set_index("block")
            people = _cells_as_people(list(shown.index), shown["cells"].tolist())
            yield fill.table_of(shown, self.verdict, digits=4, people=people)
            more = len(self.violations) - MOST_SHOWN
            if more > 0:
                yield fill.note(f"and {more:,} more in .violations")
        for remark in self.notes:
            yield fill.note(f"Note: {remark}.")

    def _content(self) -> dict[str, Any]:
        people = _cells_as_people(self.table["block"].tolist(), self.table["cells"].tolist())
        return {
            "xi": self.xi,
            "blocks": self.blocks,
            "ok": self.ok,
            "verdict": self.verdict,
            "notes": list(self.notes),
            "elsewhere": list(self.elsewhere),
            "swaps": list(self.swaps),
            "table": frame_content(self.table, people),
        }

    def _arguments(self) -> dict[str, Any]:
        return {"xi": self.xi}


def _cells_as_people(blocks: Sequence[str], cells: Sequence[int]) -> fill.People:
    """A cell holds one person at least, so few cells may be few people."""

    def people(row: int, column: str) -> tuple[Count, ...]:
        if column != "cells":
            return ()
        return (fill.count(f"cells of {blocks[row]}, {cells[row]}", cells[row]),)

    return people


def _blocks(labels: tuple[str, ...]) -> str:
    more = f"; and {len(labels) - MOST_NAMED:,} more" if len(labels) > MOST_NAMED else ""
    return (
        f"{len(labels):,} block{'s' * (len(labels) != 1)} ({'; '.join(labels[:MOST_NAMED])}{more})"
    )


def check_release(release: IFPRRelease, xi: float) -> IFPRCheck:
    flows, goal = release._exchange.flows, release._goal
    risk = profile(flows, highest_count(xi)).risk[..., 1:]
    block, size, a = np.nonzero(~np.isnan(risk))
    labels = release._labels()
    rows = pd.DataFrame(
        {
            "block": labels[block],
            "cells": flows.cells.sum(axis=1)[block],
            "T": flows.sizes[size],
            "a": a + 1,
            "risk": risk[block, size, a],
        }
    )
    left = np.setdiff1d(np.flatnonzero(release._cells_of_size), goal.sizes)
    left = left[(left <= highest_count(xi)) | (left == left[:1])]
    alone = pd.DataFrame(
        {
            "block": pd.Series([UNPERTURBED] * len(left), dtype=object),
            "cells": release._cells_of_size[left],
            "T": left,
            "a": left,
            "risk": 1 / left,
        }
    )
    table = pd.concat([part for part in (rows, alone) if len(part)] or [rows], ignore_index=True)
    table = table.assign(meets=~passes(table["risk"].to_numpy(), xi))
    return IFPRCheck(
        xi, len(flows.cells), table, tuple(labels[flows.elsewhere]), tuple(labels[flows.swaps])
    )
