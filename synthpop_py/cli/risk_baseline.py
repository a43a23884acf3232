"""Members beside people who were not in the data, where ``--holdout`` names some."""

from __future__ import annotations

from ..show import Cell, Section
from ..summary.result import MultiDisclosure
from ..summary.show import baseline_of_several
from ..summary.show import baseline_section as section_of

__all__ = ["baseline_cells", "baseline_section"]

COLUMNS = ("non_members", "difference", "lower", "upper", "p_value")  # those beside a figure


def baseline_section(correct: MultiDisclosure) -> Section | None:
    """What a terminal shows of it; None without a holdout."""
    return None if correct.baseline is None else section_of(correct, correct.digits)


def baseline_cells(correct: MultiDisclosure) -> list[dict[str, Cell]]:
    """One row for each target and measure; none without a holdout."""
    content = baseline_of_several(correct)
    if content is None:
        return []
    by_column: dict[str, list[Cell]] = dict(zip(content["columns"], content["values"]))
    rows = []
    for at in range(len(content["index"])):
        rows.append({name: cells[at] for name, cells in by_column.items()})
    return rows
