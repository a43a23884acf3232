"""Utility beside risk: two kinds of figures, never one score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..show import Block, Cell, Column, Relation, Section, Table, fill
from ..utility import PropensityUtility, TableUtility
from ..utility.tables import ALL
from .evidence import Evidence
from .figures import Labels, Target

HEADING = "Utility beside risk"
DIGITS = 4
Row = tuple[str, Cell, str]


def section(evidence: Evidence, worst_first: Sequence[Target], labels: Labels) -> Section:
    return Section(tuple(_blocks(evidence, worst_first, labels)), heading=HEADING)


def _blocks(evidence: Evidence, worst_first: Sequence[Target], labels: Labels) -> Iterator[Block]:
    yield fill.note(
        "Data that are safe but useless help nobody; neither do useful data that disclose. "
        "The two tables stand side by side and are not combined: people decide how much risk "
        "is acceptable for how much utility, not a formula."
    )
    yield _table("Risk of this release; lower is safer", _of_risk(worst_first[0], labels), 2)
    rows: list[Row] = []
    if evidence.tables is not None:
        rows += _of_tables(evidence.tables)
    if evidence.propensity is not None:
        rows += _of_propensity(evidence.propensity)
    if rows:
        yield _table("Utility of this release; lower is more useful", rows, DIGITS)
    if evidence.tables is not None:
        yield from _most_different(evidence.tables)
    for part, what in (("tables", "distances of tables"), ("propensity", "propensity scores")):
        reason = evidence.reasons.get(part)
        if reason is not None and getattr(evidence, part) is None:
            yield fill.note(f"No {what}. {reason}")


def _table(caption: str, rows: Iterable[Row], digits: int) -> Table:
    names, cells, meanings = zip(*rows)
    return Table(
        caption=(caption,),
        columns=(
            Column("measure", tuple(map(Cell, names))),
            Column("figure", tuple(cells), digits=digits),
            Column("how to read it", tuple(map(Cell, meanings)), prose=True),
        ),
    )


def _of_risk(worst: Target, labels: Labels) -> Iterator[Row]:
    yield "repU", worst.percent("repU"), "% of people who may be found"
    yield (
        f"DiSCO of {labels.of(worst.name)} (the highest)",
        worst.percent("DiSCO"),
        "% of people whose value is revealed correctly",
    )


def _of_tables(tables: TableUtility) -> Iterator[Row]:
    for name, part in tables._orders().items():
        if name == ALL:
            continue
        chance = part["by_chance"].mean()
        yield (
            f"mean distance of {len(part)} {name} (TVD)",
            Cell(float(part["tvd"].mean()), (tables._mean_moved(name),)),
            "0: the same tables, 1: nothing in common; a fresh sample of the same people would"
            f" have about {chance:.{DIGITS}f}",
        )


def _of_propensity(propensity: PropensityUtility) -> Iterator[Row]:
    yield (
        "pMSE",
        Cell(propensity.pMSE),
        "how well a model tells synthetic from original records; 0: not at all",
    )
    yield (
        "S_pMSE",
        Cell(propensity.S_pMSE),
        "pMSE over what a correct synthesis would have; about 1 is as good as that",
    )


def _most_different(tables: TableUtility) -> Iterator[Block]:
    """The tables that differ most."""
    *_, last = tables._document().sections
    yield from last.blocks


def relations(evidence: Evidence) -> tuple[Relation, ...]:
    return () if evidence.tables is None else evidence.tables._relations()
