"""The rule on small cells, written once.

Counts of people from 1 to `min_cell` - 1 are hidden, and every figure that reveals them. For a
statement about a group ("91 of 92 have this value"), those for whom it is not true count as well,
from 0 to `min_cell` - 1. If the printed sums would reveal a hidden count, more is hidden.

Figures on synthetic records alone are not about people: anyone with the release can count them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..arguments import check_whole
from .audit import hide_more
from .document import Cell, Count, Document, Note, Relation, Section, cells_of, with_cells
from .text import HIDDEN

MIN_CELL = 10


def check_min_cell(value: object) -> int:
    """How many people a shown count needs; 0 (or 1) shows all."""
    return check_whole("min_cell", value, 0)


def is_small(count: Count, min_cell: int) -> bool:
    """Whether a count must be hidden because it is small."""
    if count.complement:
        return 0 <= count.n < min_cell
    return 0 < count.n < min_cell


def hidden_names(
    cells: Iterable[Cell], relations: Sequence[Relation], min_cell: int
) -> frozenset[str]:
    """Names of all counts that may not be shown: small ones, and those that would reveal a small
    one.
    """
    if min_cell <= 1:
        return frozenset()
    counts: dict[str, Count] = {}
    for cell in cells:
        for count in cell.people:
            counts.setdefault(count.name, count)
    small = frozenset(name for name, count in counts.items() if is_small(count, min_cell))
    if not small:
        return small
    return hide_more(counts, small, relations, min_cell)


def concealed(cell: Cell, hidden: frozenset[str]) -> Cell:
    """The cell without its value, if a count that it reveals is hidden."""
    for count in cell.people:
        if count.name in hidden:
            return Cell(value=None, hidden=True)
    return cell


def apply(document: Document, min_cell: int) -> Document:
    """The document after the rule, with a note on what is hidden."""
    hidden = hidden_names(cells_of(document), document.relations, min_cell)
    if not hidden:
        return document
    shown = with_cells(document, lambda cell: concealed(cell, hidden))
    explanation = Section(blocks=(Note((what_is_hidden(min_cell),)),))
    return replace(shown, sections=(*shown.sections, explanation))


def what_is_hidden(min_cell: int) -> str:
    return (
        f"{HIDDEN}: counts of people from 1 to {min_cell - 1}, and figures that would reveal "
        f"them (min_cell={min_cell})."
    )
