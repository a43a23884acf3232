"""How a call is read: as a version of R reads it, or correctly.

Figures are computed correctly. Where R's differ, the step that causes it notes the defect, so that
a result can say which defects affected it. No formula refers to R.

The modes that `compat` may have follow from the layouts: a version that has one can be asked for.
"""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

from .defects import DEFECTS, Function
from .layouts import LAYOUTS, in_order

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


class Met(set[str]):
    """The defects of R that changed something in a call."""

    def meets(self, defect: str, where: bool) -> bool:
        """Note a defect where R's answer to a step is not the correct one."""
        if where:
            self.add(defect)
        return where
