"""Members beside people who were not in the data, where ``--holdout`` names some."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..show import Cell, Section
from ..summary.result import MultiDisclosure

__all__ = ["baseline_cells", "baseline_section"]

COLUMNS = ("non_members", "difference", "lower", "upper", "p_value")  # those beside a figure


def baseline_section(correct: MultiDisclosure) -> Section | None:
    """What a terminal shows of it; None without a holdout."""
    if getattr(correct, "baseline", None) is None:
        return None
    section: Section = _room().baseline_section(correct, correct.digits)
    return section


def baseline_cells(correct: MultiDisclosure) -> list[dict[str, Cell]]:
    """One row for each target and measure; none without a holdout."""
    if getattr(correct, "baseline", None) is None:
        return []
    content = _room().baseline_of_several(correct)
    by_column: dict[str, list[Cell]] = dict(zip(content["columns"], content["values"]))
    rows = []
    for at in range(len(content["index"])):
        rows.append({name: cells[at] for name, cells in by_column.items()})
    return rows


def _room() -> Any:
    return import_module("synthpop_py.summary.show")
