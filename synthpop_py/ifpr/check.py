"""Does every block meet the goal (`IFPRRelease.verify`)? And the randomisation repeated many times,
beside theory (`IFPRRelease.audit`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import random_generator
from ..core.arrays import Floats, Integers, Values
from ..rounding import figures
from ..show.printing import Block, Sections, Table
from ..show.views import Drawn, Shown
from .flows import Exchange, new_cells
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
        highest = (
            f"highest risk {self.table['risk'].max():.4f} (chance of a correct match among the"
            " records under the target's own keys; lower is safer)"
        )
        goal = f"xi = {self.xi:.4g}"
        if self.ok:
            blocks = f"Every block ({self.blocks:,})"
            if (self.table["block"] == UNPERTURBED).any():
                blocks += " and every cell left as it was"
            return f"{blocks} meets {goal} for all T and a; {highest}"
        # cells left as they are belong to no block, and their number may be a small count of people
        bad = set(self.violations["block"])
        blocks = f"{len(bad - {UNPERTURBED}):,} of {self.blocks:,} blocks"
        if UNPERTURBED in bad:
            blocks += " and some cells left as they were"
        return f"{blocks} exceed {goal}; {highest}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What the verdict does not say, one sentence each; empty if there is nothing to add."""
        said = []
        if self.elsewhere:
            said.append(
                f"In {_first_of(self.elsewhere)} a unit is likelier to be under one given other"
                " combination of keys than under its own: an intruder who looks there may do "
                "better than xi; use larger blocks or a larger xi"
            )
        if self.swaps:
            said.append(
                f"In {_first_of(self.swaps)} two cells would certainly trade places, which anyone"
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
        return [list(self._said(to))]

    def _said(self, to: int) -> Iterator[Block]:
        if self.ok:
            yield self.verdict
        else:
            violations = self.violations.drop(columns="meets").set_index("block")
            if to > 1:  # every cell holds at least one person
                violations = violations.drop(columns="cells")
            yield Table(violations.head(MOST_SHOWN), self.verdict, digits=4)
            if len(violations) > MOST_SHOWN:
                yield f"and {len(violations) - MOST_SHOWN:,} more in .violations"
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


def _first_of(labels: tuple[str, ...]) -> str:
    """How many there are, and the first of them."""
    number = "1 block" if len(labels) == 1 else f"{len(labels):,} blocks"
    names = "; ".join(labels[:MOST_NAMED])
    if len(labels) > MOST_NAMED:
        names += f"; and {len(labels) - MOST_NAMED:,} more"
    return f"{number} ({names})"


def check_release(release: IFPRRelease, xi: float) -> IFPRCheck:
    """Every block against xi, which need not be the goal it was made for."""
    flows, labels = release._exchange.flows, release._blocks.names()
    # of every block, size and count that can occur and could pass xi
    found, matched = profile(flows, highest_count(xi))
    risk = ratio(matched, found)[..., 1:-1]
    block, size_at, count_at = np.nonzero(~np.isnan(risk))
    perturbed = {
        "block": labels[block],
        "cells": flows.cells.sum(axis=1)[block],
        "T": flows.sizes[size_at],
        "a": count_at + 1,
        "risk": risk[block, size_at, count_at],
    }
    # cells left as they are: the smallest, and all with 1 / T above xi
    sizes = release._untouched_sizes
    sizes = sizes[(sizes <= highest_count(xi)) | (sizes == sizes[:1])]
    untouched = {
        "block": np.full(len(sizes), UNPERTURBED, dtype=object),
        "cells": release._cells_of_size[sizes],
        "T": sizes,
        "a": sizes,
        "risk": 1 / sizes,
    }
    columns = {name: np.append(perturbed[name], untouched[name]) for name in perturbed}
    table = pd.DataFrame(columns).astype({"block": object})
    return IFPRCheck(
        xi=xi,
        blocks=len(flows.cells),
        table=table.assign(meets=~passes(columns["risk"], xi)),
        elsewhere=tuple(labels[flows.elsewhere]),
        swaps=tuple(labels[flows.swaps]),
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
    runs : number of releases. max_s : counts S that are shown one by one.
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
        return self._frame(self._figures()["risk"])

    @property
    def theory(self) -> pd.DataFrame:
        """What the formulas give for the same blocks, in the same shape."""
        return self._frame(self._theory)

    @property
    def se(self) -> pd.DataFrame:
        """Standard error of `table`, from the spread over runs; NaN for one run."""
        return self._frame(self._figures()["se"])

    @property
    def sd_of_one_run(self) -> pd.DataFrame:
        """How much a figure varies from one release to the next; NaN for one run."""
        return self._frame(self._figures()["sd_of_one_run"])

    def tidy(self) -> pd.DataFrame:
        """One row for each T and S ("all T", "all S" for margins).

        Columns: T, S, risk, matches and units (numerator and denominator, means over runs), theory,
        se, sd_of_one_run, z.
        """
        sizes, counts = self._names()
        columns = {
            "T": np.repeat(np.array(sizes, dtype=object), len(counts)),
            "S": np.tile(np.array(counts, dtype=object), len(sizes)),
        }
        for name, values in self._figures().items():
            columns[name] = values.reshape(-1)
        return pd.DataFrame(columns)

    def _names(self) -> tuple[list[str], list[str]]:
        counts = [f"S={a}" for a in range(1, self.max_s + 1)]
        return [*(f"T={T}" for T in self.sizes), ALL_T], [*counts, ALL_S]

    def _frame(self, values: Floats) -> pd.DataFrame:
        sizes, counts = self._names()
        return pd.DataFrame(values.T, index=counts, columns=sizes)

    def _figures(self) -> dict[str, Floats]:
        """Each of shape (r + 1, max_s + 1): sizes and all of them, counts 1 to max_s and all."""
        matches, units = _with_margins(self.matches), _with_margins(self.units)
        risk = ratio(matches.sum(axis=0), units.sum(axis=0))
        sd = np.full(risk.shape, np.nan)
        if self.runs > 1:  # of the ratio of one run, by linearisation
            residual = np.nan_to_num(matches - risk * units)
            variance = (residual**2).sum(axis=0) / (self.runs - 1)
            sd = ratio(np.sqrt(variance), units.mean(axis=0))
        se = sd / np.sqrt(self.runs)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = (risk - self._theory) / se
        return {
            "risk": risk,
            "matches": matches.mean(axis=0),
            "units": units.mean(axis=0),
            "theory": self._theory,
            "se": se,
            "sd_of_one_run": sd,
            "z": z,
        }

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
        table, theory, errors = self.table, self.theory, self.se.to_numpy()
        if np.isfinite(errors).any():
            head += f"; standard errors up to {np.nanmax(errors):.4f}"
        pairs = {}
        for name in table.columns:
            pairs[name] = table[name]
            pairs[f"theory {name}"] = theory[name]
        return [[Table(figures(pd.DataFrame(pairs), to), head, digits=4)]]

    def _content(self) -> dict[str, Any]:
        return {
            "runs": self.runs,
            "max_s": self.max_s,
            "risk": self.table,
            "theory": self.theory,
            "se": self.se,
            "sd_of_one_run": self.sd_of_one_run,
        }

    def _arguments(self) -> dict[str, Any]:
        return {"runs": self.runs, "max_s": self.max_s}

    def plot(self, ax: Any = None) -> Any:
        """Audited risk with two standard errors of one run, theory beside it. Returns matplotlib
        axes.
        """
        from ..plots.ifpr import plot_ifpr_audit

        return plot_ifpr_audit(self, ax)


def _with_margins(values: Floats) -> Floats:
    """Shape (runs, r + 1, max_s + 1): counts 1 to max_s and the sum over all, 0 included; a last
    row for all sizes.
    """
    all_counts: Floats = values.sum(axis=-1, keepdims=True)
    return _with_margin(np.append(values[..., 1:-1], all_counts, axis=-1))


def _with_margin(by_size: Floats) -> Floats:
    """A last row for all sizes."""
    return np.append(by_size, by_size.sum(axis=-2, keepdims=True), axis=-2)


def run_audit(exchange: Exchange, runs: int, max_s: int, seed: Any) -> IFPRAudit:
    """The randomisation repeated `runs` times, as many at once as memory allows."""
    generator = random_generator(seed)
    sizes, units_each = exchange.flows.sizes, len(exchange.unit_cell)
    units, matches = np.zeros((2, runs, len(sizes), max_s + 2))
    at_once = max(1, UNITS_AT_ONCE // max(units_each, 1))
    for start in range(0, runs, at_once):
        some = slice(start, min(start + at_once, runs))
        units[some], matches[some] = _some_runs(exchange, some.stop - start, max_s, generator)
    # theory of all blocks together, where a size has the weight of its units
    finders, matched = (_with_margin(x[-1, :, 1:]) for x in expected_units(exchange.flows, max_s))
    theory = ratio(matched, finders)
    return IFPRAudit(runs, max_s, tuple(sizes.tolist()), units, matches, theory)


def _some_runs(
    exchange: Exchange, runs: int, max_s: int, generator: np.random.Generator
) -> tuple[Integers, Floats]:
    """Units and expected matches by run, T and S, shape (runs, r, max_s + 2)."""
    cells, sizes = len(exchange.block), len(exchange.flows.sizes)
    cell = np.tile(exchange.unit_cell, runs)
    run = np.repeat(np.arange(runs), len(exchange.unit_cell))
    released = new_cells(exchange, cell, generator)
    records_by_cell = np.bincount(run * cells + released, minlength=runs * cells)
    after = records_by_cell[run * cells + cell]
    chance = np.divide(released == cell, after, out=np.zeros(len(cell)), where=after > 0)
    run_and_size = run * sizes + exchange.size_at[cell]
    group = run_and_size * (max_s + 2) + np.minimum(after, max_s + 1)
    shape = (runs, sizes, max_s + 2)
    units = np.bincount(group, minlength=math.prod(shape))
    matches: Values = np.bincount(group, weights=chance, minlength=math.prod(shape))
    return units.reshape(shape), matches.reshape(shape)
