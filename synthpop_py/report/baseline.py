"""Members beside non-members: how much of the risk comes from being in the data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..disclosure.baseline import COMPARED
from ..disclosure.baseline_show import SMALLEST_P, outside_of
from ..show import Block, Cell, Column, Count, Note, Relation, Section, Table, fill
from ..show.small_cells import is_small
from .evidence import Evidence
from .figures import Labels, Target, number_text, percent_text

HEADING = "Would it have happened to people who were not in the data?"
MOST_TARGETS = 6
MOST_SENTENCES = 3
FOREMOST = ("DiSCO", "TCAP_DiS")
DIGITS = 2
NO_CHANCE = 0.05
Row = Mapping[str, Any]


def section(
    evidence: Evidence, worst_first: Sequence[Target], labels: Labels, min_cell: int
) -> Section:
    rows = _rows(evidence, worst_first)
    if rows:
        return Section(tuple(_with_holdout(rows, worst_first, labels)), heading=HEADING)
    return Section(tuple(_without(worst_first, labels, min_cell)), heading=HEADING)


# ---- without a holdout ---------------------------------------------------------------


def _without(worst_first: Sequence[Target], labels: Labels, min_cell: int) -> Iterator[Note]:
    worst = _shown_target(worst_first, min_cell)
    yield fill.note(
        "Not known: no holdout was given. Part of what the synthetic data say about a person "
        "follows from what is true of similar people, and would be said even if the person "
        "had never been in the data. To know how much, keep some records of the same "
        "population away from the synthesis and give them here: report(..., holdout=those "
        "records)."
    )
    yield fill.note(
        "A weaker comparison is possible. Somebody who knows no keys and guesses from the"
        f" distribution of {labels.of(worst.name)} alone is correct for ",
        worst.percent_words("baseCAPd"),
        " of the people (baseCAPd), somebody who guesses from the synthetic records with the"
        " same keys for ",
        worst.percent_words("DCAPd"),
        " (DCAPd).",
    )


def _shown_target(worst_first: Sequence[Target], min_cell: int) -> Target:
    """The worst target whose levels are all large enough for baseCAPd to be shown."""
    for target in worst_first:
        if not any(is_small(count, min_cell) for count in target.behind("baseCAPd")):
            return target
    return worst_first[0]


# ---- with one ------------------------------------------------------------------------


def _rows(evidence: Evidence, worst_first: Sequence[Target]) -> list[Row]:
    """The rows of the frame, the worst target first."""
    if evidence.baseline is None:
        return []
    records: list[dict[Any, Any]] = evidence.baseline.to_dict("records")
    order = {str(target.name): rank for rank, target in enumerate(worst_first)}
    return sorted(records, key=lambda row: order[str(row["target"])])


def _with_holdout(
    rows: Sequence[Row], worst_first: Sequence[Target], labels: Labels
) -> Iterator[Block]:
    yield fill.note(
        "Members were in the original data; non-members are of the same population, and the "
        "synthesiser never saw them. What the synthetic data reveal about non-members is "
        "what anyone could have inferred; the difference comes from being in the data."
    )
    targets = {str(target.name): target for target in worst_first}
    yield from _sentences(rows, targets, labels)
    many = len(worst_first) > MOST_TARGETS
    shown = [row for row in rows if row["measure"] in FOREMOST] if many else rows
    yield _table(shown, targets)
    yield fill.note(
        "All members are counted, so only the non-members are a sample: the interval comes "
        "from them alone. Precision is TCAP_DiS (of those the synthetic data are certain "
        "about, the share that is correct), recall is DiSCO. UiO, UiOiS, repU, Dorig, DiSDiO "
        "and CAPd have no such comparison: they depend on how many records there are."
    )
    if worst_first[0].result.m > 1:
        yield fill.note(
            "Every record counts with its mean over the syntheses. So TCAP is here a ratio of"
            " means, and may differ a little from the mean of ratios in the tables of targets."
        )


def _sentences(
    rows: Sequence[Row], targets: Mapping[str, Target], labels: Labels
) -> Iterator[Note]:
    for row in [row for row in rows if row["measure"] == "DiSCO"][:MOST_SENTENCES]:
        target = targets[str(row["target"])]
        both = _people(row, target, "difference")
        yield fill.note(
            f"For {labels.of(target.name)}: of ",
            Cell(number_text(row["n_members"]), _people(row, target, "n_members")),
            " members ",
            Cell(percent_text(row["members"]), _people(row, target, "members")),
            " have a value that is revealed correctly, and of ",
            Cell(number_text(row["n_non_members"]), _people(row, target, "n_non_members")),
            " non-members ",
            Cell(percent_text(row["non_members"]), _people(row, target, "non_members")),
            ". Being in the data adds ",
            Cell(f"{row['difference']:.1f}", both),
            " percentage points (",
            Cell(f"{row['lower']:.1f} to {row['upper']:.1f}", both),
            f", {_level(row)} interval). ",
            Cell(_chance(float(row["p_value"])), both),
            indent=1,
        )


def _level(row: Row) -> str:
    return f"{100 * row['level']:.3g} %"


def _chance(p: float) -> str:
    if math.isnan(p):
        return ""
    shown = "below 0.001" if p < 0.001 else f"{p:.3f}"
    if p < NO_CHANCE:
        return f"That membership matters is more than chance (p {shown})."
    return f"It may be chance that membership matters at all (p {shown})."


def _p_text(p: float) -> str:
    if math.isnan(p):
        return ""
    return "below 0.0001" if p < SMALLEST_P else f"{p:.4f}"


def _table(rows: Sequence[Row], targets: Mapping[str, Target]) -> Table:
    def figures(name: str, column: str, digits: int = DIGITS) -> Column:
        cells = []
        for row in rows:
            people = _people(row, targets[str(row["target"])], column)
            cells.append(Cell(float(row[column]), people))
        return Column(name, tuple(cells), digits=digits)

    p_cells = []
    for row in rows:
        people = _people(row, targets[str(row["target"])], "p_value")
        p_cells.append(Cell(_p_text(float(row["p_value"])), people))
    chances = Column("p", tuple(p_cells))
    levels = ", ".join(sorted({_level(row) for row in rows}))
    return Table(
        caption=(f"Members and non-members; intervals of the difference at {levels}",),
        columns=(
            Column("target", tuple(Cell(str(row["target"])) for row in rows)),
            Column("measure", tuple(Cell(row["measure"]) for row in rows)),
            figures("members, %", "members"),
            figures("non-members, %", "non_members"),
            figures("difference, points", "difference"),
            figures("interval from", "lower"),
            figures("to", "upper"),
            chances,
            figures("people: members", "n_members", digits=0),
            figures("people: non-members", "n_non_members", digits=0),
        ),
    )


# ---- people --------------------------------------------------------------------------


def _people(row: Row, target: Target, column: str) -> tuple[Count, ...]:
    outside = outside_of(target.result)
    assert outside is not None, "there is a baseline"
    return outside.behind(COMPARED.index(row["measure"]), column)


def relations(worst_first: Sequence[Target]) -> Iterator[Relation]:
    """The relations between the counts of non-members."""
    for target in worst_first:
        outside = outside_of(target.result)
        if outside is not None:
            yield from outside.relations()
