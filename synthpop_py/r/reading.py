"""How a call is read: as a version of R reads it, or correctly.

The pipeline computes correct numbers. Where R's differ, the step at the edge that causes it gives
the order ``reading.follow_r("D1", where=condition)``: R's way is taken only where R is to be
reproduced *and* the defect matters for this input. What was taken is written down, so that a result
can say which defects touched it. No formula knows of R.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from .defects import DEFECTS, Function
from .layouts import LAYOUTS

Mode = Literal["r", "r-1.9-2", "corrected"]
MODES: tuple[Mode, ...] = ("r", "r-1.9-2", "corrected")
NEWEST = max(LAYOUTS)

VERSIONS: dict[str, str] = {"r": NEWEST, "r-1.9-2": "1.9-2", "corrected": NEWEST}


def reproduced(mode: Mode, function: Function = "disclosure") -> frozenset[str]:
    """The defects of a function that a mode reproduces."""
    if mode == "corrected":
        return frozenset()
    version = VERSIONS[mode]
    return frozenset(
        defect.id
        for defect in DEFECTS
        if function in defect.functions
        and defect.port in ("switch", "other function")
        and defect.is_in(version)
    )


@dataclass(slots=True)
class Reading:
    """Which defects to reproduce, and which of them mattered so far."""

    active: frozenset[str]
    version: str = NEWEST
    touched: set[str] = field(default_factory=set)

    def reproduces(self, defect: str) -> bool:
        """Whether this reading has the defect; nothing is written down."""
        return defect in self.active

    def follow_r(self, defect: str, where: bool = True) -> bool:
        """Go R's way where the defect is reproduced and matters here, and write that down.

        True says that R's way was taken.
        """
        taken = where and self.reproduces(defect)
        if taken:
            self.touched.add(defect)
        return taken


def correctly(version: str = NEWEST) -> Reading:
    """A reading without any defect."""
    return Reading(frozenset(), version)


def as_r(mode: Mode, function: Function = "disclosure") -> Reading:
    """The reading of R in this mode."""
    return Reading(reproduced(mode, function), VERSIONS[mode])
