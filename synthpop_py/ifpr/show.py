"""An `IFPRRelease` as a document."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import Floats
from ..show import Cell, Count, Document, Note, Relation, Section, Table, fill
from ..show.audit import KEPT
from ..show.plain import column_name, frame_content
from .check import UNPERTURBED, IFPRCheck
from .flows import Flows
from .release import IFPRRelease

DIGITS = 4
MOST_SIZES = 6
NONE = float("nan")
EVERYBODY = KEPT
COLUMNS = ["cells", "units", "P(leave)", "IR(1)", "IR(2)", "overall", "worst IR"]
TITLE = "Risk by T, the number of units that shared their keys (0 to 1; higher is riskier)"
HOW_TO_READ = (
    "IR(a): chance of a correct match when a records are found, theory over all blocks; overall:"
    " whatever is found; worst: over blocks and a."
)


def document(release: IFPRRelease) -> Document:
    check = release.verify()
    head = fill.section(*_head(release))
    table = fill.section(_table(release, check))
    notes = Section(tuple(_notes(check)))
    return Document(
        title="IFPR release",
        sections=(head, table, notes),
        headline=(fill.note(f"{check.verdict}."),),
    )


def _head(release: IFPRRelease) -> Iterator[Note]:
    goal = release._goal
    everyone = Cell(f"{len(release._data):,}", (everybody(release),))
    keys = ", ".join(map(str, release.keys))
    yield fill.note("IFPR release of ", everyone, f" records; keys: {keys}")
    aim = "goal" if goal.asked else "attained in large blocks"
    yield fill.note(
        "Chance of a correct match among the records under the target's own keys at most xi ="
        f" {goal.xi:.4g} ({aim}; lower is safer); {_thetas(release)}"
    )
    sharing = _number_and_share(release, _sharing(release), " units (")
    changed = _number_and_share(release, _changed(release), " of them (")
    at_most = f" share their keys with at most {goal.max_count} in all; "
    yield fill.note(*sharing, at_most, *changed, " have other keys now")
    yield fill.note(_blocks(release))


def _number_and_share(release: IFPRRelease, people: Count, between: str) -> tuple[Any, ...]:
    percent = 100 * people.n / len(release._data)
    return (
        Cell(f"{int(people.n):,}", (people,)),
        between,
        Cell(f"{percent:.1f}", (people, everybody(release))),
        " % of records)",
    )


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


def _notes(check: IFPRCheck) -> Iterator[Note]:
    yield fill.note(f"{HOW_TO_READ} {check.verdict}.")
    for remark in check.notes:
        yield fill.note(f"Note: {remark}.")


def _table(release: IFPRRelease, check: IFPRCheck) -> Table:
    frame = risk_frame(release, check)
    return fill.table_of(frame, TITLE, digits=DIGITS, people=people_of(frame))


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


def everybody(release: IFPRRelease) -> Count:
    return fill.count("records", len(release._data), worth=EVERYBODY)


def _sharing(release: IFPRRelease) -> Count:
    return fill.count("units of all sizes", len(release._randomisation.unit_row))


def _changed(release: IFPRRelease) -> Count:
    return fill.count("changed", int(release.changed.sum()))


def people_of(frame: pd.DataFrame) -> fill.People:
    """Units of a size; cells of a size are units divided by the size."""

    def people(row: int, column: str) -> tuple[Count, ...]:
        if column not in ("cells", "units"):
            return ()
        units = float(frame["units"].iloc[row])
        return (fill.count(f"units, {frame.index[row]}", units),)

    return people


def relations(release: IFPRRelease) -> Iterator[Relation]:
    sizes = risk_frame(release, release.verify()).index
    units = [f"units, {size}" for size in sizes]
    perturbed = [f"units, {size}" for size in sizes if size.startswith("T =")]
    sharing = _sharing(release).name
    yield fill.total(everybody(release).name, units)
    yield fill.total(sharing, perturbed)
    yield fill.at_most(_changed(release).name, sharing)


def content(release: IFPRRelease) -> dict[str, Any]:
    check = release.verify()
    frame = risk_frame(release, check)
    risk = frame_content(frame, people_of(frame))
    return {
        "keys": list(map(column_name, release.keys)),
        "xi": release.xi,
        "theta": release.theta,
        "max_count": release.max_count,
        "blocks": _number_of_blocks(release),
        "units": _whole(_sharing(release)),
        "changed": _whole(_changed(release)),
        "risk": risk,
        "meets": check.ok,
        "verdict": check.verdict,
        "notes": list(check.notes),
    }


def _whole(people: Count) -> Cell:
    return Cell(int(people.n), (people,))
