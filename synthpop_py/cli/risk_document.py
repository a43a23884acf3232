"""What ``risk`` shows on a terminal: who is at risk, target by target, and R's figures where they
differ.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..disclosure.people import everybody, people_of
from ..disclosure.show import leaves_somebody_out, left_out_words, nearly_sure
from ..r.defects import BY_ID
from ..show import Block, Cell, Column, Document, Note, Section, Table, fill
from ..show.small_cells import what_is_hidden
from ..summary.result import MultiDisclosure, TargetRow
from ..summary.show import behind, every_finding
from .risk_baseline import baseline_section
from .risk_figures import Figure, Readings
from .wording import in_options

__all__ = ["document", "hidden_note"]

MOST_DIFFERENCES = 12
SHOWN = ("DiSCO", "Dorig", "iS", "DiS", "TCAP_DiS")
IDENTITY = {
    "UiO": "unique on these keys in the original",
    "repU": "unique on them in the original and in",
}
MEANINGS = (
    "DiSCO: people whose target value the synthetic data reveal correctly to somebody who "
    "knows the keys, in % of original records",
    "Dorig: the same from the original data",
    "iS: people whose keys occur in the synthetic data; DiS: those for whom the synthetic "
    "data are certain; TCAP_DiS: those for whom they are certain and correct, in % of DiS",
)


def document(readings: Readings, figures: Sequence[Figure]) -> Document:
    """Everything except what the rule on small cells hides."""
    shown = readings.shown
    sections = [
        Section(tuple(_head(shown))),
        Section(tuple(_identity(figures))),
        fill.section(_targets(shown, figures), *_meanings(shown)),
    ]
    baseline = baseline_section(readings.correct)
    if baseline is not None:
        sections.append(baseline)
    remarks = [
        *_left_out(shown),
        *_common_knowledge(shown),
        *map(fill.note, map(in_options, shown.notes)),
    ]
    if remarks:
        sections.append(Section(tuple(remarks)))
    differing = [figure for figure in figures if figure.differs]
    if differing:
        sections.append(Section(tuple(_differences(readings, differing))))
    return Document(title="Disclosure risk", sections=tuple(sections))


def _head(result: MultiDisclosure) -> Iterator[Note]:
    by = "by the published definitions" if result.compat == "corrected" else "as R computes them"
    sets = "1 synthesis" if result.m == 1 else f"{result.m} syntheses"
    yield fill.note(
        "Disclosure risk of ",
        Cell(result.Norig, (everybody(result.Norig),)),
        f" people in {sets}, {by}; higher is riskier",
    )
    yield fill.note(f"An intruder may know: {', '.join(map(str, result.keys))}")


# ---- who can be told apart -----------------------------------------------------------


def _identity(figures: Sequence[Figure]) -> Iterator[Note]:
    first = figures[0].target
    for measure, says in IDENTITY.items():
        found = [one for one in figures if (one.target, one.measure) == (first, measure)]
        if measure == "UiO":
            found = found[:1]  # the same in every synthesis
        for figure in found:
            where = f" synthesis {figure.synthesis}" if len(found) > 1 else " the synthetic data"
            where = " data" if measure == "UiO" else where
            number = replace(figure.numerator, value=_whole(figure.numerator.value))
            percent = replace(figure.value, value=f"{figure.value.value:.2f} %")
            yield fill.note(number, " people (", percent, f") are {says}{where} ({measure})")


def _whole(value: float) -> float:
    return int(value) if math.isfinite(value) and float(value).is_integer() else value


# ---- targets -------------------------------------------------------------------------


def _targets(result: MultiDisclosure, figures: Sequence[Figure]) -> Table:
    rows = list(reversed(result.ordered_rows))
    columns = _of_one(rows, figures) if result.m == 1 else _of_several(result, rows, figures)
    unit = "in % of original records" if result.m > 1 else "in %"
    return Table(
        caption=fill.words(f"Attribute risk, riskiest first, {unit}"),
        columns=tuple(columns),
        labels=tuple(str(row.target) for row in rows),
    )


def _meanings(result: MultiDisclosure) -> list[Note]:
    """Of the columns that the table has."""
    meanings = [fill.note(text) for text in (MEANINGS if result.m == 1 else MEANINGS[:2])]
    certainty = next(iter(result.output_list.values())).certainty
    return [*meanings, nearly_sure(certainty)] if certainty < 1 else meanings


def _of_one(rows: Sequence[TargetRow], figures: Sequence[Figure]) -> Iterator[Column]:
    by_place = {(figure.target, figure.measure): figure for figure in figures}
    people = [by_place[row.target, "DiSCO"].numerator for row in rows]
    whole = [replace(cell, value=_whole(cell.value)) for cell in people]
    yield Column("people", tuple(whole))
    for measure in SHOWN:
        cells = [by_place[row.target, measure].value for row in rows]
        yield Column(measure, tuple(cells), digits=2)


def _of_several(
    result: MultiDisclosure, rows: Sequence[TargetRow], figures: Sequence[Figure]
) -> Iterator[Column]:
    """Means, and how far the syntheses lie apart."""
    means = [Cell(row.attrib_syn, behind(result, row, "attrib_syn")) for row in rows]
    yield Column("DiSCO, mean", tuple(means), digits=2)
    for word, choose in (("lowest", min), ("highest", max)):
        cells = []
        for row in rows:
            values = [one.value for one in figures if _is_disco_of(one, row)]
            cells.append(choose(values, key=lambda cell: cell.value))
        yield Column(word, tuple(cells), digits=2)
    original = [Cell(row.attrib_orig, behind(result, row, "attrib_orig")) for row in rows]
    yield Column("Dorig", tuple(original), digits=2)


def _is_disco_of(figure: Figure, row: TargetRow) -> bool:
    return figure.target == row.target and figure.measure == "DiSCO"


# ---- remarks -------------------------------------------------------------------------


def _left_out(result: MultiDisclosure) -> Iterator[Note]:
    for target, single in result.output_list.items():
        people = people_of(single)
        if leaves_somebody_out(people):
            yield fill.note(f"Left out for {target}: ", *left_out_words(people))


def _common_knowledge(result: MultiDisclosure) -> Iterator[Note]:
    flagged = []
    for row in result.rows:
        if row.check1 is not None or row.check2 is not None:
            flagged.append(str(row.target))
    if flagged:
        yield fill.note(
            f"Part of the risk of {', '.join(flagged)} may be common knowledge: one level is behind"
            " most of it (R's 1-way check), or a level nearly always goes with one level of a key"
            " (2-way check)."
        )


def _differences(readings: Readings, differing: Sequence[Figure]) -> Iterator[Block]:
    """R's figures beside the correct ones, those that people look at first."""
    yield fill.note("R's synthpop gives other figures (R, and by the published definitions):")
    ordered = sorted(differing, key=lambda one: one.measure not in ("DiSCO", "repU"))
    first = ordered[:MOST_DIFFERENCES]
    labels = [f"{one.measure} of {one.target}, synthesis {one.synthesis}" for one in first]
    yield Table(
        caption=fill.words("R's figures and the correct ones"),
        columns=(
            Column("R", tuple(one.r for one in first), digits=2),
            Column("correct", tuple(one.corrected for one in first), digits=2),
        ),
        labels=tuple(labels),
        titled=False,
    )
    if len(ordered) > len(first):
        yield fill.note(f"and {len(ordered) - len(first)} more, see --csv or --json")
    yield from _reasons(readings)


def _reasons(readings: Readings) -> Iterator[Note]:
    if readings.as_r is None:
        return
    for name in dict.fromkeys(finding.id for finding in every_finding(readings.as_r)):
        yield fill.note(f"{name}: {BY_ID[name].summary}", indent=2)


def hidden_note(min_cell: int) -> Section:
    return fill.section(fill.note(what_is_hidden(min_cell)))
