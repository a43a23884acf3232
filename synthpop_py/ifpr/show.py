"""What an `IFPRRelease` says."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import Floats
from ..rounding import figures, part, percent, shown
from ..show.printing import Sections, Table
from ..show.values import column_name
from .check import UNPERTURBED, IFPRCheck
from .flows import Flows
from .release import IFPRRelease

DIGITS = 4
MOST_SIZES = 6
NONE = float("nan")
COLUMNS = ["cells", "units", "P(leave)", "IR(1)", "IR(2)", "overall", "worst IR"]
TITLE = "Risk by T, the number of units that shared their keys (0 to 1; higher is riskier)"
HOW_TO_READ = (
    "IR(a): chance of a correct match when a records are found, theory over all blocks; overall:"
    " whatever is found; worst: over blocks and a."
)


def sections(release: IFPRRelease, to: int = 1) -> Sections:
    check = release.verify()
    return [list(_head(release, to)), [_table(release, check, to)], list(_notes(check))]


def _head(release: IFPRRelease, to: int) -> Iterator[str]:
    goal = release._goal
    records = len(release._data)
    keys = ", ".join(map(str, release.keys))
    yield f"IFPR release of {_number(records, records, to)} records; keys: {keys}"
    aim = "goal" if goal.asked else "attained in large blocks"
    yield (
        "Chance of a correct match among the records under the target's own keys at most xi ="
        f" {goal.xi:.4g} ({aim}; lower is safer); {_thetas(release)}"
    )
    sharing = _number_and_share(len(release._randomisation.unit_row), records, to)
    changed = _number_and_share(int(release.changed.sum()), records, to)
    yield (
        f"{sharing[0]} units ({sharing[1]} of records) share their keys with at most"
        f" {goal.max_count} in all; {changed[0]} of them ({changed[1]} of records) have other keys"
        " now"
    )
    yield _blocks(release)


def _number(n: int, records: int, to: int) -> str:
    return f"{n:,}" if to == 1 else part(n, None if n == records else records, to)


def _number_and_share(n: int, records: int, to: int) -> tuple[str, str]:
    if to == 1:
        return f"{n:,}", f"{100 * n / records:.1f} %"
    whole = shown(records, records, to=to)
    return part(n, records, to), percent(shown(n, records, to=to), whole, to)


def _thetas(release: IFPRRelease) -> str:
    thetas = release.theta
    if len(set(thetas.values())) == 1:
        return f"theta = {thetas[1]:.4g}"
    first = islice(thetas.items(), MOST_SIZES)
    shown = [f"{T}: {theta:.4g}" for T, theta in first]
    if len(thetas) > MOST_SIZES:
        shown.append("...")
    return f"theta by size: {', '.join(shown)}"


def _blocks(release: IFPRRelease) -> str:
    number = _number_of_blocks(release)
    text = "1 block" if number == 1 else f"{number:,} blocks"
    names = release._names
    if names.variables:
        text += f" by {', '.join(map(str, names.variables))}"
    merged = int(names.joined.sum())
    if merged:
        text += (
            f"; {merged:,} of {len(names.run):,} were merged because some were too small, see"
            " .merged"
        )
    return text


def _number_of_blocks(release: IFPRRelease) -> int:
    return len(release._randomisation.flows.cells)


def _notes(check: IFPRCheck) -> Iterator[str]:
    yield f"{HOW_TO_READ} {check.verdict}."
    for remark in check.notes:
        yield f"Note: {remark}."


def _table(release: IFPRRelease, check: IFPRCheck, to: int) -> Table:
    """Units of all sizes add up to all records, which would undo rounding: exact views only."""
    frame = risk_frame(release, check)
    if to > 1:
        frame = figures(frame.drop(columns=["cells", "units"]), to)
    return Table(frame, TITLE, digits=DIGITS)


def risk_frame(release: IFPRRelease, check: IFPRCheck) -> pd.DataFrame:
    """One row for each perturbed size of cells that occurs, and one for all others: their number,
    the chance to leave, and the risk.
    """
    overall = release.risk_table(max_a=2).iloc[-1]
    flows = release._randomisation.flows
    perturbed = check.table[check.table["block"] != UNPERTURBED]
    worst = perturbed.groupby("T")["risk"].max()
    cells = flows.cells.sum(axis=0)
    leaving = _mean_chance_to_leave(flows)
    rows: dict[str, list[float]] = {}
    for T, number, leave in zip(flows.sizes.tolist(), cells, leaving):
        if number:
            risks = [overall[f"T={T} {what}"] for what in ("IR(1)", "IR(2)", "overall")]
            rows[f"T = {T}"] = [number, T * number, leave, *risks, worst.get(T, NONE)]
    rows |= _untouched(release)
    return pd.DataFrame.from_dict(rows, orient="index", columns=COLUMNS)


def _mean_chance_to_leave(flows: Flows) -> Floats:
    """By size, over the cells of all blocks."""
    expected = (flows.cells * flows.leave * flows.possible[:, None]).sum(axis=0)
    cells = flows.cells.sum(axis=0)
    chance: Floats = expected / np.maximum(cells, 1)
    return chance


def _untouched(release: IFPRRelease) -> dict[str, list[float]]:
    """Cells that were left as they are: all T of their units are found, so each is matched with 1 /
    T, one unit per cell.
    """
    sizes = release._untouched_sizes
    if not len(sizes):
        return {}
    cells_of_size = release._cells_of_size[sizes]
    cells = int(cells_of_size.sum())
    units = int((sizes * cells_of_size).sum())
    row = [cells, units, 0.0, NONE, NONE, cells / units, 1 / sizes[0]]
    return {f"T > {release.max_count}": row}


def content(release: IFPRRelease) -> dict[str, Any]:
    check = release.verify()
    frame = risk_frame(release, check)
    return {
        "keys": list(map(column_name, release.keys)),
        "xi": release.xi,
        "theta": release.theta,
        "max_count": release.max_count,
        "blocks": _number_of_blocks(release),
        "units": len(release._randomisation.unit_row),
        "changed": int(release.changed.sum()),
        "risk": frame,
        "meets": check.ok,
        "verdict": check.verdict,
        "notes": list(check.notes),
    }
