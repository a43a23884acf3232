"""An `IFPRRelease` as text and HTML."""

from __future__ import annotations

from html import escape

import numpy as np
import pandas as pd

from ..tables import html_table, table_text
from .check import UNPERTURBED, IFPRCheck
from .release import IFPRRelease

DIGITS = 4
MOST_SIZES = 6
NONE = float("nan")


def risk_rows(release: IFPRRelease, check: IFPRCheck) -> pd.DataFrame:
    """One row for each size of cells that occurs and is perturbed, and one for all others: how
    many, how likely to leave, and the risk.
    """
    overall, flows = release.risk_table(max_a=2).iloc[-1], release._exchange.flows
    table = check.table
    worst = table[table["block"] != UNPERTURBED].groupby("T")["risk"].max()
    cells = flows.cells.sum(axis=0)
    leaving = (flows.cells * flows.leave * flows.possible[:, None]).sum(axis=0) / np.maximum(
        cells, 1
    )
    rows = {
        f"T = {T}": [
            cells[i],
            T * cells[i],
            leaving[i],
            *(overall[f"T={T} {what}"] for what in ("IR(1)", "IR(2)", "overall")),
            worst.get(T, NONE),
        ]
        for i, T in enumerate(flows.sizes.tolist())
        if cells[i]
    }
    rows |= _untouched(release)
    return pd.DataFrame.from_dict(
        rows,
        orient="index",
        columns=["cells", "units", "P(leave)", "IR(1)", "IR(2)", "overall", "worst IR"],
    )


def _untouched(release: IFPRRelease) -> dict[str, list[float]]:
    """Cells that were left as they are: all T of their units are found, so each is matched with 1 /
    T, one unit per cell.
    """
    left = np.flatnonzero(release._cells_of_size[release.max_count + 1 :]) + release.max_count + 1
    if not len(left):
        return {}
    cells, units = (
        int(release._cells_of_size[left].sum()),
        int((left * release._cells_of_size[left]).sum()),
    )
    return {f"T > {release.max_count}": [cells, units, 0.0, NONE, NONE, cells / units, 1 / left[0]]}


def head(release: IFPRRelease) -> list[str]:
    n, goal = len(release.data), release._goal
    units, changed = len(release._exchange.unit_row), int(release.changed.sum())
    shared = (
        f"{units:,} units ({100 * units / n:.1f} % of records) share their keys with at most"
        f" {goal.max_count} in all"
    )
    aim = "goal" if goal.asked else "attained in large blocks"
    return [
        f"IFPR release of {n:,} records; keys: {', '.join(map(str, release.keys))}",
        (
            "Chance of a correct match among the records under the target's own keys at most xi ="
            f" {goal.xi:.4g} ({aim}; lower is safer); {_thetas(release)}"
        ),
        f"{shared}; {changed:,} of them ({100 * changed / n:.1f} % of records) have other keys now",
        _blocks(release),
    ]


def _thetas(release: IFPRRelease) -> str:
    thetas = release.theta
    if len(set(thetas.values())) == 1:
        return f"theta = {thetas[1]:.4g}"
    shown = list(thetas.items())[:MOST_SIZES]
    return (
        "theta by size: "
        + ", ".join(f"{T}: {theta:.4g}" for T, theta in shown)
        + (", ..." if len(thetas) > MOST_SIZES else "")
    )


def _blocks(release: IFPRRelease) -> str:
    number = len(release._exchange.flows.cells)
    by = f" by {', '.join(map(str, release._names.variables))}" if release._names.variables else ""
    merged = int(release._names.joined.sum())
    return f"{number:,} block{'s' * (number != 1)}{by}" + (
        f"; {merged:,} of {len(release._names.run):,} were joined because some were too small, see"
        " .merged"
        if merged
        else ""
    )


def notes(check: IFPRCheck) -> list[str]:
    read = (
        "IR(a): chance of a correct match when a records are found, theory over all blocks;"
        " overall: whatever is found; worst: over blocks and a."
    )
    return [f"{read} {check.summary}.", *(f"Note: {note}." for note in check.notes)]


TITLE = "Risk by T, the number of units that shared their keys (0 to 1; higher is riskier)"


def release_text(release: IFPRRelease) -> str:
    check = release.verify()
    return "\n\n".join(
        [
            "\n".join(head(release)),
            f"{TITLE}:\n{table_text(risk_rows(release, check), DIGITS)}",
            "\n".join(notes(check)),
        ]
    )


def release_html(release: IFPRRelease) -> str:
    check = release.verify()
    above, below = (
        "".join(f"<p>{escape(line)}</p>" for line in lines)
        for lines in (head(release), notes(check))
    )
    return f"<div>{above}{html_table(risk_rows(release, check), DIGITS, TITLE)}{below}</div>"
