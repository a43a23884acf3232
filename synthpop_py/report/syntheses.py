"""Several syntheses: mean and range."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..show import Block, Cell, Column, Section, Table, fill
from .figures import Labels, Target

HEADING = "Several syntheses: mean and range"
DIGITS = 2


def section(worst_first: Sequence[Target], labels: Labels) -> Section:
    return Section(tuple(_blocks(worst_first, labels)), heading=HEADING)


def _blocks(worst_first: Sequence[Target], labels: Labels) -> Iterator[Block]:
    m = worst_first[0].result.m
    if m == 1:
        yield fill.note(
            "There is one synthesis, so nothing can be said about how far the figures depend on"
            " the draw. Two or three syntheses from the same model would show it."
        )
        return
    yield fill.note(
        f"There are {m} syntheses. Anyone who gets all of them knows at least what the worst "
        "of them reveals; together they may reveal more than the figures here."
    )
    first = worst_first[0]
    rows = [("repU (identity)", first, "repU")]
    rows += [(f"DiSCO of {labels.of(target.name)}", target, "DiSCO") for target in worst_first]
    yield Table(
        caption=("Range over the syntheses, in % of all people",),
        columns=(
            Column("measure", tuple(Cell(name) for name, *_ in rows)),
            Column("mean", tuple(t.percent(measure) for _, t, measure in rows), digits=DIGITS),
            Column("lowest", tuple(t.lowest(measure) for _, t, measure in rows), digits=DIGITS),
            Column("highest", tuple(t.highest(measure) for _, t, measure in rows), digits=DIGITS),
        ),
    )
