"""The randomisation repeated many times: empirical identification risk by T and S, beside theory.
What `IFPRRelease.audit` returns.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import random_generator
from ..core.arrays import Floats, Integers, Values
from ..rounding import figures
from ..show.printing import Sections, Table
from ..show.views import Drawn
from .profile import profile
from .randomise import Randomisation, new_cells
from .release import IFPRRelease
from .release_frames import with_all_counts

UNITS_AT_ONCE = 2_000_000
ALL_T, ALL_S = "all T", "all S"


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
        return self._frame(self._risk())

    @property
    def theory(self) -> pd.DataFrame:
        """What the formulas give for the same blocks, in the same shape."""
        return self._frame(self._theory)

    @property
    def se(self) -> pd.DataFrame:
        """Standard error of `table`, from the spread over runs; NaN for one run."""
        return self._frame(self._se())

    @property
    def sd_of_one_run(self) -> pd.DataFrame:
        """How much a figure varies from one release to the next; NaN for one run."""
        return self._frame(self._sd())

    def tidy(self) -> pd.DataFrame:
        """One row for each T and S ("all T", "all S" for margins).

        Columns: T, S, risk, matches and units (numerator and denominator, means over runs), theory,
        se, sd_of_one_run, z.
        """
        sizes, counts = self._columns(), self._rows()
        risk, se = self._risk(), self._se()
        with np.errstate(divide="ignore", invalid="ignore"):
            z = (risk - self._theory) / se
        figures = {
            "risk": risk,
            "matches": _with_margins(self.matches).mean(axis=0),
            "units": _with_margins(self.units).mean(axis=0),
            "theory": self._theory,
            "se": se,
            "sd_of_one_run": self._sd(),
            "z": z,
        }
        columns = {
            "T": np.repeat(np.array(sizes, dtype=object), len(counts)),
            "S": np.tile(np.array(counts, dtype=object), len(sizes)),
        }
        for name, figure in figures.items():
            columns[name] = figure.reshape(-1)
        return pd.DataFrame(columns)

    def _risk(self) -> Floats:
        """Shape (r + 1, max_s + 1): sizes and all of them, counts 1 to max_s and all."""
        units = _with_margins(self.units).sum(axis=0)
        matches = _with_margins(self.matches).sum(axis=0)
        return _ratio(matches, units)

    def _sd(self) -> Floats:
        """Of the ratio of one run, by linearisation."""
        if self.runs < 2:
            return np.full((len(self.sizes) + 1, self.max_s + 1), np.nan)
        units = _with_margins(self.units)
        residual = _with_margins(self.matches) - self._risk() * units
        residual = np.where(np.isnan(residual), 0.0, residual)
        variance = (residual**2).sum(axis=0) / (self.runs - 1)
        return _ratio(np.sqrt(variance), units.mean(axis=0))

    def _se(self) -> Floats:
        se: Floats = self._sd() / np.sqrt(self.runs)
        return se

    def _columns(self) -> list[str]:
        return [*(f"T={T}" for T in self.sizes), ALL_T]

    def _rows(self) -> list[str]:
        return [*(f"S={a}" for a in range(1, self.max_s + 1)), ALL_S]

    def _frame(self, values: Floats) -> pd.DataFrame:
        return pd.DataFrame(values.T, index=self._rows(), columns=self._columns())

    def _shown(self) -> pd.DataFrame:
        """Every column of `table` with theory beside it."""
        table, theory = self.table, self.theory
        pairs = {}
        for name in self._columns():
            pairs[name] = table[name]
            pairs[f"theory {name}"] = theory[name]
        return pd.DataFrame(pairs)

    def _runs_text(self) -> str:
        return "1 run" if self.runs == 1 else f"{self.runs} runs"

    def _head(self) -> str:
        head = (
            f"Chance of a correct match (higher is riskier), {self._runs_text()} beside theory; T"
            " units in the cell before, S after"
        )
        errors = self._se()
        if np.isfinite(errors).any():
            head += f"; standard errors up to {np.nanmax(errors):.4f}"
        return head

    def _title(self) -> str:
        return "Audit of an IFPR release"

    def _headline(self, to: int = 1) -> list[str]:
        overall = self.table.loc[ALL_S, ALL_T]
        theory = self.theory.loc[ALL_S, ALL_T]
        return [
            f"Chance of a correct match over all units: {overall:.4f} in {self._runs_text()},"
            f" {theory:.4f} by theory."
        ]

    def _sections(self) -> Sections:
        return self._rounded(1)

    def _rounded(self, to: int) -> Sections:
        return [[Table(figures(self._shown(), to), self._head(), digits=4)]]

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


def _with_margins(part: Floats) -> Floats:
    """Shape (runs, r + 1, max_s + 1): counts 1 to max_s and the sum over all, 0 included; a last
    row for all sizes.
    """
    all_counts: Floats = part.sum(axis=-1, keepdims=True)
    by_count = np.concatenate((part[..., 1:-1], all_counts), axis=-1)
    all_sizes: Floats = by_count.sum(axis=1, keepdims=True)
    return np.concatenate((by_count, all_sizes), axis=1)


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    ratio: Floats = np.full(numerator.shape, np.nan)
    return np.divide(numerator, denominator, out=ratio, where=denominator > 0)


def run_audit(release: IFPRRelease, runs: int, max_s: int, seed: Any) -> IFPRAudit:
    """The randomisation repeated `runs` times, as many at once as memory allows."""
    randomisation = release._randomisation
    generator = random_generator(seed)
    sizes = randomisation.flows.sizes.tolist()
    number_of_units = len(randomisation.unit_cell)
    units, matches = np.zeros((2, runs, len(sizes), max_s + 2))
    if number_of_units:
        at_once = max(1, UNITS_AT_ONCE // number_of_units)
        for start in range(0, runs, at_once):
            some = slice(start, min(start + at_once, runs))
            units[some], matches[some] = _some_runs(
                randomisation, some.stop - some.start, max_s, generator
            )
    return IFPRAudit(
        runs=runs,
        max_s=max_s,
        sizes=tuple(sizes),
        units=units,
        matches=matches,
        _theory=_theory(randomisation, max_s),
    )


def _some_runs(
    randomisation: Randomisation, runs: int, max_s: int, generator: np.random.Generator
) -> tuple[Integers, Floats]:
    """Units and expected matches by run, T and S, shape (runs, r, max_s + 2)."""
    cells, sizes = len(randomisation.block), len(randomisation.flows.sizes)
    cell = np.tile(randomisation.unit_cell, runs)
    run = np.repeat(np.arange(runs), len(randomisation.unit_cell))
    released = new_cells(randomisation, cell, generator)
    records_by_cell = np.bincount(run * cells + released, minlength=runs * cells)
    after = records_by_cell[run * cells + cell]
    chance = np.divide(released == cell, after, out=np.zeros(len(cell)), where=after > 0)
    run_and_size = run * sizes + randomisation.size_at[cell]
    group = run_and_size * (max_s + 2) + np.minimum(after, max_s + 1)
    shape = (runs, sizes, max_s + 2)
    groups = math.prod(shape)
    units = np.bincount(group, minlength=groups)
    matches: Values = np.bincount(group, weights=chance, minlength=groups)
    return units.reshape(shape), matches.reshape(shape)


def _theory(randomisation: Randomisation, max_s: int) -> Floats:
    """As `IFPRAudit._risk`, from the formulas; a size has the weight of its units in each block."""
    flows = randomisation.flows
    blocks = profile(flows, max_s)
    weight = flows.units[..., None].astype(float)
    finders = with_all_counts(blocks.found, np.ones(flows.cells.shape))
    correct = with_all_counts(blocks.matched, blocks.overall)
    units = np.nansum(finders * weight, axis=0)
    matches = np.nansum(correct * weight, axis=0)
    return _ratio(_with_total(matches), _with_total(units))


def _with_total(by_size: Floats) -> Floats:
    """A last row for all sizes."""
    total = by_size.sum(axis=0, keepdims=True)
    return np.concatenate((by_size, total))
