"""An `IFPRRelease` as text and HTML."""

from __future__ import annotations

from html import escape

import pandas as pd

from ..tables import html_table, table_text
from .check import UNPERTURBED
from .release import IFPRRelease

DIGITS = 4
MOST_SIZES = 6


def risk_rows(release: IFPRRelease) -> pd.DataFrame:
    """One row for each size of cells that occurs: how many, how likely to leave, and the risk."""
    overall = release.risk_table(max_a=2).iloc[-1]
    table = release.verify().table
    worst = table[table["block"] != UNPERTURBED].groupby("T")["risk"].max()
    rows = {
        f"T = {T}": [cells, T * cells, release.theta[T] / T, overall[f"T={T} IR(1)"], overall[f"T={T} IR(2)"], overall[f"T={T} overall"], worst.get(T, float("nan"))]
        for T, cells in _occurring(release).items()
    }
    return pd.DataFrame.from_dict(rows, orient="index", columns=["cells", "units", "P(leave)", "IR(1)", "IR(2)", "overall", "worst IR of a block"])


def _occurring(release: IFPRRelease) -> dict[int, int]:
    """Cells by size, of sizes that occur."""
    return {T: cells for T, cells in zip(release.theta, release._exchange.flows.cells.sum(axis=0).tolist()) if cells}


def head(release: IFPRRelease) -> list[str]:
    n, goal = len(release.data), release._goal
    units, changed = len(release._exchange.unit_row), int(release.changed.sum())
    shared = f"{units:,} units ({100 * units / n:.1f} % of records) share their keys with at most {goal.sizes.max()} in all"
    aim = "goal" if goal.asked else "attained in large blocks"
    return [
        f"IFPR release of {n:,} records; keys: {', '.join(map(str, release.keys))}",
        f"Chance of a correct match at most xi = {goal.xi:.4g} ({aim}; lower is safer); {_thetas(release)}",
        f"{shared}; {changed:,} of them ({100 * changed / n:.1f} % of records) have other keys now",
        _blocks(release),
    ]


def _thetas(release: IFPRRelease) -> str:
    if len(set(release.theta.values())) == 1:
        return f"theta = {release._goal.theta[0]:.4g}"
    shown = list(release.theta.items())[:MOST_SIZES]
    return "theta by size: " + ", ".join(f"{T}: {theta:.4g}" for T, theta in shown) + (", ..." if len(release.theta) > MOST_SIZES else "")


def _blocks(release: IFPRRelease) -> str:
    number = len(release._exchange.flows.cells)
    by = f" by {', '.join(map(str, release._names.variables))}" if release._names.variables else ""
    merged = len(release.merged)
    return f"{number:,} block{'s' * (number != 1)}{by}" + (f"; {merged} of {len(release._names.run)} were joined because some were too small, see .merged" if merged else "")


def notes(release: IFPRRelease) -> str:
    return f"IR(a): chance of a correct match when a records are found, theory over all blocks; overall: whatever is found. {release.verify().summary}."


TITLE = "Risk by T, the number of units that shared their keys (0 to 1; higher is riskier)"


def release_text(release: IFPRRelease) -> str:
    parts = ["\n".join(head(release))]
    if len(release._exchange.unit_row):
        parts.append(f"{TITLE}:\n{table_text(risk_rows(release), DIGITS)}")
    return "\n\n".join([*parts, notes(release)])


def release_html(release: IFPRRelease) -> str:
    lines = "".join(f"<p>{escape(line)}</p>" for line in head(release))
    rows = html_table(risk_rows(release), DIGITS, TITLE) if len(release._exchange.unit_row) else ""
    return f"<div>{lines}{rows}<p>{escape(notes(release))}</p></div>"
