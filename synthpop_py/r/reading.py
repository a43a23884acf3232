"""How a call is read: as a version of R reads it, or correctly.

The pipeline computes correct numbers. Where R's differ, the step that causes it calls
``reading.follow_r("D1", where=condition)``: it follows R only if R is reproduced *and* the defect
matters for this input. This is recorded, so a result can say which defects affected it. No formula
refers to R.

The modes that `compat` may have follow from the layouts: a version that has one can be asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TypeAlias

from .defects import DEFECTS, Function
from .layouts import LAYOUTS, Layout, in_order

Mode: TypeAlias = str

CORRECTED: Mode = "corrected"
NEWEST = in_order(LAYOUTS)[-1]


def _versions_by_mode() -> dict[Mode, str]:
    """The values of `compat`, with the version of synthpop whose tables a result then has."""
    versions = {"r": NEWEST}
    for version in reversed(in_order(LAYOUTS)):
        versions[f"r-{version}"] = version
    return versions | {CORRECTED: NEWEST}


VERSIONS: dict[Mode, str] = _versions_by_mode()
MODES: tuple[Mode, ...] = tuple(VERSIONS)


@cache
def reproduced(mode: Mode, function: Function = "disclosure") -> frozenset[str]:
    """The defects of a function that a mode reproduces.

    Examples
    --------
    >>> sorted(reproduced("r", "numtocat_syn"))
    ['D15', 'D22', 'D39', 'D49', 'D50']
    >>> reproduced("corrected")
    frozenset()
    """
    if mode == CORRECTED:
        return frozenset()
    version = VERSIONS[mode]
    return frozenset(d.id for d in DEFECTS if d.is_reproduced(function, version))


@dataclass(slots=True)
class Reading:
    """Which defects to reproduce, and which of them mattered so far.

    Attributes
    ----------
    active : ids of the defects to reproduce.
    mode : what was asked for; it decides the version of R.
    touched : the active ones that mattered for this input.
    """

    active: frozenset[str]
    mode: Mode = CORRECTED
    touched: set[str] = field(default_factory=set)

    @property
    def version(self) -> str:
        return VERSIONS[self.mode]

    @property
    def layout(self) -> Layout:
        """The tables of the version that is read."""
        return LAYOUTS[self.version]

    def reproduces(self, defect: str) -> bool:
        """Whether this reading has the defect; nothing is recorded."""
        return defect in self.active

    def follow_r(self, defect: str, where: bool = True) -> bool:
        """Follow R where the defect is reproduced and matters here, and record that.

        Returns True if R is followed.
        """
        taken = where and self.reproduces(defect)
        if taken:
            self.touched.add(defect)
        return taken

    def without(self, defect: str) -> Reading:
        """The same reading with one defect corrected, for a separate run."""
        return Reading(self.active - {defect}, self.mode)


def correctly() -> Reading:
    """A reading without any defect."""
    return Reading(frozenset())
