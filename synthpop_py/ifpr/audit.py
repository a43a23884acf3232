"""The randomisation repeated many times: empirical identification risk by T and S, with theory
beside it. What `IFPRRelease.audit` returns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import random_generator
from ..core.arrays import Floats, Integers, Values
from ..show import Document, Shown, fill
from .profile import profile
from .randomise import Exchange, new_cells
from .release import IFPRRelease

UNITS_AT_ONCE = 2_000_000
ALL_T, ALL_S = "all T", "all S"


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class IFPRAudit(Shown):
    """Chance of a correct match by T (units in the target's cell before) and S (records there
    after), over repeated releases. 0 to 1; higher is riskier.

    Each unit is a target once in every run; whoever finds S records is right with 1 / S if the
    target is among them. Margins: "all T" counts every unit that found S records, so sizes have the
    weight of their units; "all S" counts every unit, those whose cell is empty or holds more than
    `max_s` included.

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
        return self._frame(self._sd() / np.sqrt(self.runs))

    @property
    def sd_of_one_run(self) -> pd.DataFrame:
        """How much a figure varies from one release to the next; NaN for one run."""
        return self._frame(self._sd())

    def tidy(self) -> pd.DataFrame:
        """One row for each T and S ("all T", "all S" for margins).

        Columns: T, S, risk, matches and units (numerator and denominator, means over runs), theory,
        se, sd_of_one_run, z.
        """
        units, matches = (_with_margins(part).mean(axis=0) for part in (self.units, self.matches))
        names = self._columns(), self._rows()
        flat = {
            "T": np.repeat(np.array(names[0], dtype=object), len(names[1])),
            "S": np.tile(np.array(names[1], dtype=object), len(names[0])),
        }
        risk, sd = self._risk(), self._sd()
        with np.errstate(divide="ignore", invalid="ignore"):
            z = (risk - self._theory) / (sd / np.sqrt(self.runs))
        flat |= {
            "risk": risk.reshape(-1),
            "matches": matches.reshape(-1),
            "units": units.reshape(-1),
            "theory": self._theory.reshape(-1),
        }
        return pd.DataFrame(
            flat
            | {
                "se": (sd / np.sqrt(self.runs)).reshape(-1),
                "sd_of_one_run": sd.reshape(-1),
                "z": z.reshape(-1),
            }
        )

    # ---- computing -------------------------------------------------------------------

    def _risk(self) -> Floats:
        """Shape (r + 1, max_s + 1): sizes and all of them, counts 1 to max_s and all."""
        units, matches = (_with_margins(part).sum(axis=0) for part in (self.units, self.matches))
        return _ratio(matches, units)

    def _sd(self) -> Floats:
        """Of the ratio of one run, by linearisation."""
        if self.runs < 2:
            return np.full((len(self.sizes) + 1, self.max_s + 1), np.nan)
        units, matches = _with_margins(self.units), _with_margins(self.matches)
        rest = matches - self._risk() * units
        return _ratio(
            np.sqrt((np.where(np.isnan(rest), 0.0, rest) ** 2).sum(axis=0) / (self.runs - 1)),
            units.mean(axis=0),
        )

    def _columns(self) -> list[str]:
        return [*(f"T={T}" for T in self.sizes), ALL_T]

    def _rows(self) -> list[str]:
        return [*(f"S={a}" for a in range(1, self.max_s + 1)), ALL_S]

    def _frame(self, values: Floats) -> pd.DataFrame:
        return pd.DataFrame(values.T, index=self._rows(), columns=self._columns())

    # ---- views -----------------------------------------------------------------------

    def _shown(self) -> pd.DataFrame:
        pairs = {}
        for name in self._columns():
            pairs[name], pairs[f"theory {name}"] = self.table[name], self.theory[name]
        return pd.DataFrame(pairs)

    def _head(self) -> str:
        worst = self.se.to_numpy()
        largest = (
            f"; standard errors up to {np.nanmax(worst):.4f}" if np.isfinite(worst).any() else ""
        )
        return (
            f"Chance of a correct match (higher is riskier), {self.runs}"
            f" run{'s' * (self.runs != 1)} beside theory; T units in the cell before, S"
            f" after{largest}"
        )

    def _document(self) -> Document:
        overall = float(self.table.loc[ALL_S, ALL_T])
        theory = float(self.theory.loc[ALL_S, ALL_T])
        headline = (
            f"Chance of a correct match over all units: {overall:.4f} in {self.runs}"
            f" run{'s' * (self.runs != 1)}, {theory:.4f} by theory."
        )
        return Document(
            title="Audit of an IFPR release",
            sections=(fill.section(fill.table_of(self._shown(), self._head(), digits=4)),),
            headline=(fill.note(headline),),
        )

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


# ---- running -------------------------------------------------------------------------


def run_audit(release: IFPRRelease, runs: int, max_s: int, seed: Any) -> IFPRAudit:
    exchange, generator = release._exchange, random_generator(seed)
    r, u = len(exchange.flows.sizes), len(exchange.unit_cell)
    units, matches = np.zeros((runs, r, max_s + 2)), np.zeros((runs, r, max_s + 2))
    at_once = max(1, min(runs, UNITS_AT_ONCE // max(u, 1)))
    for start in range(0, runs if u else 0, at_once):
        number = min(at_once, runs - start)
        units[start : start + number], matches[start : start + number] = _some_runs(
            exchange, number, max_s, generator
        )
    return IFPRAudit(
        runs, max_s, tuple(exchange.flows.sizes.tolist()), units, matches, _theory(exchange, max_s)
    )


def _some_runs(
    exchange: Exchange, runs: int, max_s: int, generator: np.random.Generator
) -> tuple[Integers, Floats]:
    """Units and expected matches by run, T and S, shape (runs, r, max_s + 2)."""
    c, r = len(exchange.block), len(exchange.flows.sizes)
    cell = np.tile(exchange.unit_cell, runs)
    run = np.repeat(np.arange(runs), len(exchange.unit_cell))
    released = new_cells(exchange, cell, generator)
    after = np.bincount(run * c + released, minlength=runs * c)[run * c + cell]
    place = (run * r + exchange.size_at[cell]) * (max_s + 2) + np.minimum(after, max_s + 1)
    right = np.divide(released == cell, after, out=np.zeros(len(cell)), where=after > 0)
    shape = (runs, r, max_s + 2)
    size = int(np.prod(shape))
    found = np.bincount(place, minlength=size)
    matched: Values = np.bincount(place, weights=right, minlength=size)
    return found.reshape(shape), matched.reshape(shape)


def _theory(exchange: Exchange, max_s: int) -> Floats:
    """As `IFPRAudit._risk`, from the formulas; a size has the weight of its units in each block."""
    found = profile(exchange.flows, max_s)
    weight = exchange.units_by_block[..., None].astype(float)
    ones = np.ones((*weight.shape[:2], 1))
    units = np.nansum(np.concatenate((found.found[..., 1:], ones), axis=-1) * weight, axis=0)
    matches = np.nansum(
        np.concatenate((found.matched[..., 1:], found.overall[..., None]), axis=-1) * weight, axis=0
    )
    return _ratio(
        *(np.concatenate((part, part.sum(axis=0, keepdims=True))) for part in (matches, units))
    )
