"""An `IFPRRelease` as a document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from ..show import Cell, Count, Document, Note, Relation, Section, Table, fill
from ..show.audit import KEPT
from ..show.plain import column_name, frame_content
from .check import UNPERTURBED, IFPRCheck
from .release import IFPRRelease

DIGITS = 4
MOST_SIZES = 6
NONE = float("nan")
EVERYBODY = KEPT
TITLE = "Risk by T, the number of units that shared their keys (0 to 1; higher is riskier)"
HOW_TO_READ = (
    "IR(a): chance of a correct match when a records are found, theory over all blocks; overall:"
    " whatever is found; worst: over blocks and a."
)


def document(release: IFPRRelease) -> Document:
    check = release.verify()
    return Document(
        title="IFPR release",
        sections=(
            fill.section(*_head(release)),
            fill.section(_table(release, check)),
            Section(tuple(_notes(check))),
        ),
        headline=(fill.note(f"{check.verdict}."),),
    )


# ---- sentences -----------------------------------------------------------------------


def _head(release: IFPRRelease) -> Iterator[Note]:
    goal = release._goal
    everyone = Cell(f"{len(release.data):,}", (everybody(release),))
    keys = ", ".join(map(str, release.keys))
    yield fill.note("IFPR release of ", everyone, f" records; keys: {keys}")
    aim = "goal" if goal.asked else "attained in large blocks"
    yield fill.note(
        "Chance of a correct match among the records under the target's own keys at most xi ="
        f" {goal.xi:.4g} ({aim}; lower is safer); {_thetas(release)}"
    )
    sharing, changed = _sharing(release), _changed(release)
    yield fill.note(
        *_number_and_share(release, sharing, " units ("),
        f" share their keys with at most {goal.max_count} in all; ",
        *_number_and_share(release, changed, " of them ("),
        " have other keys now",
    )
    yield fill.note(_blocks(release))


def _number_and_share(release: IFPRRelease, people: Count, between: str) -> tuple[Any, ...]:
    percent = 100 * people.n / len(release.data)
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
    shown = [f"{T}: {theta:.4g}" for T, theta in list(thetas.items())[:MOST_SIZES]]
    more = ", ..." if len(thetas) > MOST_SIZES else ""
    return f"theta by size: {', '.join(shown)}{more}"


def _blocks(release: IFPRRelease) -> str:
    number = len(release._exchange.flows.cells)
    by = f" by {', '.join(map(str, release._names.variables))}" if release._names.variables else ""
    merged = int(release._names.joined.sum())
    joined = (
        f"; {merged:,} of {len(release._names.run):,} were joined because some were too small, see"
        " .merged"
        if merged
        else ""
    )
    return f"{number:,} block{'s' * (number != 1)}{by}{joined}"


def _notes(check: IFPRCheck) -> Iterator[Note]:
    yield fill.note(f"{HOW_TO_READ} {check.verdict}.")
    for remark in check.notes:
        yield fill.note(f"Note: {remark}.")


# ---- the table -----------------------------------------------------------------------


def _table(release: IFPRRelease, check: IFPRCheck) -> Table:
    frame = risk_frame(release, check)
    return fill.table_of(frame, TITLE, digits=DIGITS, people=people_of(frame))


def risk_frame(release: IFPRRelease, check: IFPRCheck) -> pd.DataFrame:
    """One row for each size of cells that occurs and is perturbed, and one for all others: how
    many, how likely to leave, and the risk.
    """
    overall, flows = release.risk_table(max_a=2).iloc[-1], release._exchange.flows
    table = check.table
    worst = table[table["block"] != UNPERTURBED].groupby("T")["risk"].max()
    cells = flows.cells.sum(axis=0)
    expected = (flows.cells * flows.leave * flows.possible[:, None]).sum(axis=0)
    leaving = expected / np.maximum(cells, 1)
    rows: dict[str, list[float]] = {}
    for i, T in enumerate(flows.sizes.tolist()):
        if cells[i]:
            risks = [overall[f"T={T} {what}"] for what in ("IR(1)", "IR(2)", "overall")]
            rows[f"T = {T}"] = [
                cells[i],
                T * cells[i],
                leaving[i],
                *risks,
                worst.get(T, NONE),
            ]
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
    cells = int(release._cells_of_size[left].sum())
    units = int((left * release._cells_of_size[left]).sum())
    return {f"T > {release.max_count}": [cells, units, 0.0, NONE, NONE, cells / units, 1 / left[0]]}


# ---- people --------------------------------------------------------------------------


def everybody(release: IFPRRelease) -> Count:
    return fill.count("records", len(release.data), worth=EVERYBODY)


def _sharing(release: IFPRRelease) -> Count:
    return fill.count("units of all sizes", len(release._exchange.unit_row))


def _changed(release: IFPRRelease) -> Count:
    return fill.count("changed", int(release.changed.sum()))


def people_of(frame: pd.DataFrame) -> fill.People:
    """Units of a size; cells of a size are units divided by the size."""

    def people(row: int, column: str) -> tuple[Count, ...]:
        if column not in ("cells", "units"):
            return ()
        return (fill.count(f"units, {frame.index[row]}", float(frame["units"].iloc[row])),)

    return people


def relations(release: IFPRRelease) -> Iterator[Relation]:
    names = list(risk_frame(release, release.verify()).index)
    units = [f"units, {name}" for name in names]
    perturbed = [f"units, {name}" for name in names if name.startswith("T =")]
    yield fill.total(everybody(release).name, units)
    yield fill.total(_sharing(release).name, perturbed)
    yield fill.at_most(_changed(release).name, _sharing(release).name)


# ---- plain values --------------------------------------------------------------------


def content(release: IFPRRelease) -> dict[str, Any]:
    check = release.verify()
    frame = risk_frame(release, check)
    return {
        "keys": [column_name(key) for key in release.keys],
        "xi": release.xi,
        "theta": release.theta,
        "max_count": release.max_count,
        "blocks": len(release._exchange.flows.cells),
        "units": Cell(int(_sharing(release).n), (_sharing(release),)),
        "changed": Cell(int(_changed(release).n), (_changed(release),)),
        "risk": frame_content(frame, people_of(frame)),
        "meets": check.ok,
        "verdict": check.verdict,
        "notes": list(check.notes),
    }
