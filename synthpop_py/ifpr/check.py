"""Does every block meet the goal (`IFPRRelease.verify`)? And the randomisation repeated many times,
beside theory (`IFPRRelease.audit`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import random_generator
from ..core.arrays import Floats
from ..rounding import figures
from ..show.printing import Sections, Table
from ..show.views import Drawn, Shown
from .flows import Exchange
from .release import UNPERTURBED, IFPRRelease
from .risk import expected_units, highest_count, passes, profile, ratio

MOST_SHOWN, MOST_NAMED = 10, 2
UNITS_AT_ONCE = 2_000_000
ALL_T, ALL_S = "all T", "all S"


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class IFPRCheck(Shown):
    """The risk of every block, size T and released count a against the goal. ``bool()`` is True
    when all meet it.

    Attributes
    ----------
    xi : the goal. blocks : how many were looked at.
    elsewhere : labels of blocks in which a unit is likelier to go to one given other cell than to
        stay, as with theta > (k - 1) / k in a block of k single units: an intruder who looks under
        other keys may do better.
    swaps : labels of blocks of two cells whose units would trade places, which hides nobody, so
        they were left as they are.
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
        bad = set(self.violations["block"])
        looked_at = set(self.table["block"]) if self.ok else bad
        # cells left as they are belong to no block, and their number may be a small count of people
        left = UNPERTURBED in looked_at
        if self.ok:
            who = f"Every block ({self.blocks:,})" + " and every cell left as it was" * left
            said = f"{who} meets xi = {self.xi:.4g} for all T and a"
        else:
            who = f"{len(bad) - left:,} of {self.blocks:,} blocks"
            said = f"{who}{' and some cells left as they were' * left} exceed xi = {self.xi:.4g}"
        return (
            f"{said}; highest risk {self.table['risk'].max():.4f} (chance of a correct match among"
            " the records under the target's own keys; lower is safer)"
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What the verdict does not say, one sentence each; empty if there is nothing to add."""
        said = []
        if self.elsewhere:
            said.append(
                f"In {_blocks(self.elsewhere)} a unit is likelier to be under one given other"
                " combination of keys than under its own: an intruder who looks there may do "
                "better than xi; use larger blocks or a larger xi"
            )
        if self.swaps:
            said.append(
                f"In {_blocks(self.swaps)} two cells would certainly trade places, which anyone"
                " can undo, so they were left as they are; use larger blocks or a theta below 1"
            )
        return tuple(said)

    def _title(self) -> str:
        return "Does every block meet the goal?"

    def _headline(self, to: int = 1) -> list[str]:
        return [f"{self.verdict}."]

    def _sections(self) -> Sections:
        return self._rounded(1)

    def _rounded(self, to: int) -> Sections:
        notes = [f"Note: {note}." for note in self.notes]
        if self.ok:
            return [[self.verdict, *notes]]
        bad = self.violations.drop(columns="meets").set_index("block")
        if to > 1:  # every cell holds at least one person
            bad = bad.drop(columns="cells")
        table = Table(bad.head(MOST_SHOWN), self.verdict, digits=4)
        more = len(bad) - MOST_SHOWN
        rest = [f"and {more:,} more in .violations"] if more > 0 else []
        return [[table, *rest, *notes]]

    def _content(self) -> dict[str, Any]:
        names = ("xi", "blocks", "ok", "verdict", "notes", "elsewhere", "swaps", "table")
        return {name: getattr(self, name) for name in names}

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
    exchange, labels = release._exchange, release._labels()
    # every block, size and count that can occur and could pass xi
    found, matched = profile(exchange, highest_count(xi))
    risk = ratio(matched, found)[..., 1:-1]
    block, size_at, count_at = np.nonzero(~np.isnan(risk))
    perturbed = {
        "block": labels[block],
        "cells": exchange.cells.sum(axis=1)[block],
        "T": exchange.sizes[size_at],
        "a": count_at + 1,
        "risk": risk[block, size_at, count_at],
    }
    # cells left as they are: the smallest, and all with 1 / T above xi
    sizes = release._untouched()
    shown = sizes <= highest_count(xi)
    shown[:1] = True
    sizes = sizes[shown]
    number = release._cells_of_size[sizes]
    left = {"block": UNPERTURBED, "cells": number, "T": sizes, "a": sizes, "risk": 1 / sizes}
    table = pd.concat([pd.DataFrame(perturbed), pd.DataFrame(left)], ignore_index=True)
    return IFPRCheck(
        xi=xi,
        blocks=len(labels),
        table=table.assign(meets=~passes(table["risk"].to_numpy(), xi)),
        elsewhere=tuple(labels[exchange.elsewhere]),
        swaps=tuple(labels[exchange.swaps]),
    )


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class IFPRAudit(Drawn):
    """Chance of a correct match by T (units in the target's cell before) and S (records there
    after), over repeated releases. 0 to 1; higher is riskier.

    Each unit is a target once in every run; an intruder who finds S records is correct with 1 / S
    if the target is among them. Margins: "all T" counts every unit that found S records, so sizes
    have the weight of their units; "all S" counts every unit, those whose cell is empty or holds
    more than `max_s` included.

    Attributes
    ----------
    runs : number of releases. max_s : counts S that are shown one by one. sizes : T.
    units : shape (runs, r, max_s + 2), units by T and S (0, 1, ..., more). matches : the same
        shape, expected correct matches among them.
    """

    runs: int
    max_s: int
    sizes: tuple[int, ...]
    units: Floats
    matches: Floats
    _theory: Floats

    @property
    def table(self) -> pd.DataFrame:
        """Audited risk: one row for each S and "all S", one column for each T and "all T"."""
        return self._grid("risk")

    @property
    def theory(self) -> pd.DataFrame:
        """What the formulas give for the same blocks, in the same shape."""
        return self._grid("theory")

    @property
    def se(self) -> pd.DataFrame:
        """Standard error of `table`, from the spread over runs; NaN for one run."""
        return self._grid("se")

    @property
    def sd_of_one_run(self) -> pd.DataFrame:
        """How much a figure varies from one release to the next; NaN for one run."""
        return self._grid("sd_of_one_run")

    def tidy(self) -> pd.DataFrame:
        """One row for each T and S ("all T", "all S" for margins).

        Columns: T, S, risk, matches and units (numerator and denominator, means over runs), theory,
        se, sd_of_one_run, z.
        """
        # sizes and all of them, counts 1 to max_s and all
        matches, units = _with_margins(self.matches), _with_margins(self.units)
        risk = ratio(matches.sum(axis=0), units.sum(axis=0))
        sd = np.full(risk.shape, np.nan)
        if self.runs > 1:  # of the ratio of one run, by linearisation
            residual = np.nan_to_num(matches - risk * units)
            variance = (residual**2).sum(axis=0) / (self.runs - 1)
            sd = ratio(np.sqrt(variance), units.mean(axis=0))
        counts = [f"S={a}" for a in range(1, self.max_s + 1)]
        names = [[*(f"T={T}" for T in self.sizes), ALL_T], [*counts, ALL_S]]
        columns = {
            "risk": risk,
            "matches": matches.mean(axis=0),
            "units": units.mean(axis=0),
            "theory": self._theory,
            "se": sd / np.sqrt(self.runs),
            "sd_of_one_run": sd,
        }
        index = pd.MultiIndex.from_product(names, names=["T", "S"])
        frame = pd.DataFrame({name: x.reshape(-1) for name, x in columns.items()}, index)
        z = (frame["risk"] - frame["theory"]) / frame["se"]
        return frame.assign(z=z).reset_index()

    def _grid(self, column: str) -> pd.DataFrame:
        tidy = self.tidy()
        grid = tidy.pivot(index="S", columns="T", values=column)
        return (
            grid.loc[tidy["S"].unique(), tidy["T"].unique()]
            .rename_axis(None)
            .rename_axis(None, axis=1)
        )

    def _runs_text(self) -> str:
        return "1 run" if self.runs == 1 else f"{self.runs} runs"

    def _title(self) -> str:
        return "Audit of an IFPR release"

    def _headline(self, to: int = 1) -> list[str]:
        return [
            f"Chance of a correct match over all units: {self.table.iloc[-1, -1]:.4f} in"
            f" {self._runs_text()}, {self._theory[-1, -1]:.4f} by theory."
        ]

    def _sections(self) -> Sections:
        return self._rounded(1)

    def _rounded(self, to: int) -> Sections:
        head = (
            f"Chance of a correct match (higher is riskier), {self._runs_text()} beside theory; T"
            " units in the cell before, S after"
        )
        table, theory, highest = self.table, self.theory, self.se.max(axis=None)
        if np.isfinite(highest):
            head += f"; standard errors up to {highest:.4f}"
        pairs = {}
        for name in table.columns:
            pairs[name] = table[name]
            pairs[f"theory {name}"] = theory[name]
        return [[Table(figures(pd.DataFrame(pairs), to), head, digits=4)]]

    def _content(self) -> dict[str, Any]:
        content: dict[str, Any] = {"runs": self.runs, "max_s": self.max_s, "risk": self.table}
        for name in ("theory", "se", "sd_of_one_run"):
            content[name] = self._grid(name)
        return content

    def _arguments(self) -> dict[str, Any]:
        return {"runs": self.runs, "max_s": self.max_s}

    def plot(self, ax: Any = None) -> Any:
        """Audited risk with two standard errors of one run, theory beside it. Returns matplotlib
        axes.
        """
        from ..plots.ifpr import plot_ifpr_audit

        return plot_ifpr_audit(self, ax)


def _with_margins(values: Floats) -> Floats:
    """By T and S: counts 1 to max_s and the sum over all, 0 included; a last row for all sizes."""
    all_counts: Floats = values.sum(axis=-1, keepdims=True)
    counts = np.append(values[..., 1:-1], all_counts, axis=-1)
    return np.append(counts, counts.sum(axis=-2, keepdims=True), axis=-2)


def run_audit(exchange: Exchange, runs: int, max_s: int, seed: Any) -> IFPRAudit:
    """The randomisation repeated `runs` times, as many at once as memory allows."""
    generator = random_generator(seed)
    cells, here = len(exchange.block), exchange.unit_cell
    shape = (runs, len(exchange.sizes), max_s + 2)
    units, matches = np.zeros((2, *shape))
    at_once = max(1, UNITS_AT_ONCE // max(len(here), 1))
    for start in range(0, runs, at_once):
        some_runs = range(start, min(start + at_once, runs))
        run = np.repeat(some_runs, len(here))
        cell = np.tile(here, len(some_runs))
        released = exchange.draw(cell, generator)
        offset = (run - start) * cells
        records = np.bincount(offset + released, minlength=len(some_runs) * cells)
        after = records[offset + cell]
        chance = np.divide(released == cell, after, out=np.zeros(len(cell)), where=after > 0)
        place = run, exchange.size_at[cell], np.minimum(after, max_s + 1)
        group = np.ravel_multi_index(place, shape)
        units += np.bincount(group, minlength=units.size).reshape(shape)
        matches += np.bincount(group, weights=chance, minlength=units.size).reshape(shape)
    # theory of all blocks together, where a size has the weight of its units; a count beyond
    # max_s is among all of them
    finders, matched = (
        np.append(x[-1], x[-1].sum(axis=0, keepdims=True), axis=0)
        for x in expected_units(exchange, max_s)
    )
    theory = ratio(matched[:, 1:], finders[:, 1:])
    return IFPRAudit(runs, max_s, tuple(exchange.sizes.tolist()), units, matches, theory)
