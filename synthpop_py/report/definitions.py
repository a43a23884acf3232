"""Definitions in the notation of the paper, from the registry of measures."""

from __future__ import annotations

from ..disclosure.measures import MEASURES
from ..show import Cell, Column, Section, Table, fill

HEADING = "Appendix B: definitions"


def section() -> Section:
    notation = fill.note(
        "Notation of Raab, Nowok and Dibben, Practical privacy metrics for synthetic data: t is a"
        " level of the target, q a combination of the keys; d and s count records of the original"
        " and of the synthetic data with both; d.q and s.q are their sums over t, d.t over q; Nd"
        " and Ns are all records, Nb the synthetic ones whose keys the original has; pd = d / d.q,"
        " ps = s / s.q. All measures are percentages."
    )
    others = fill.note(
        "TVD, the total variation distance of two tables, is half the sum of the absolute"
        " differences of their shares. pMSE is the mean squared difference between 1/2 (or the"
        " synthetic share of all records) and the probability of being synthetic that a logistic"
        " model gives each record (Woo and others 2009; S_pMSE: Snoke and others 2018)."
    )
    return fill.section(notation, _table(), others, heading=HEADING)


def _table() -> Table:
    return Table(
        caption=("Every measure of attribute and identity disclosure",),
        columns=(
            Column("measure", tuple(Cell(measure.name) for measure in MEASURES)),
            Column("definition", tuple(Cell(measure.formula) for measure in MEASURES), prose=True),
            Column("meaning", tuple(Cell(measure.meaning) for measure in MEASURES), prose=True),
            Column("share of", tuple(Cell(measure.of) for measure in MEASURES), prose=True),
        ),
    )
