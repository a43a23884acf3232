"""The rule on small cells for figures: a percentage that may not be shown is not drawn, and the
picture says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..show.document import Cell, Count, Relation
from ..show.small_cells import check_min_cell, hidden_names

HIDDEN = "hidden"
NOTHING: frozenset[str] = frozenset()


def hidden_among(
    people: Iterable[Sequence[Count]], relations: Sequence[Relation], min_cell: object
) -> frozenset[str]:
    """Names of the counts behind the figures of a picture that may not be shown."""
    cells = [Cell(value=None, people=tuple(counts)) for counts in people]
    return hidden_names(cells, relations, check_min_cell(min_cell))


def is_hidden(counts: Iterable[Count], hidden: frozenset[str]) -> bool:
    return any(count.name in hidden for count in counts)


def are_few(people: Any, min_cell: object) -> Any:
    """Which numbers of people are small by themselves; NaN is not."""
    least = check_min_cell(min_cell)
    if least <= 1:
        least = 0  # all may be shown
    return (people > 0) & (people < least)


def people_words(n: int, min_cell: object) -> str:
    """How many people there are, such as "5,000 people"; a small number is not given."""
    return f"few people ({HIDDEN})" if are_few(n, min_cell) else f"{n:,} people"


def hidden_note(some: bool, min_cell: int) -> str:
    """What the subtitle says about figures that are not drawn."""
    if not some:
        return ""
    return (
        f"\nNot drawn ({HIDDEN}): figures of 1 to {min_cell - 1} people, and figures that would"
        f" reveal them (min_cell={min_cell})"
    )
