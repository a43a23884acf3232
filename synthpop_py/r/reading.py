"""How a call is read: as a version of R reads it, or correctly; and which columns R's tables have,
version by version.

A new version of synthpop is one entry in `LAYOUTS` (a mode of `compat` follows from it) and, if it
introduces or fixes defects, their versions in the registry.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Layout:
    """Columns of R's tables, each with the measure that it shows.

    Attributes
    ----------
    ident, attrib, caps : percentages. In `attrib` max_denom and mean_denom follow.
    denoms : denominators; empty where the version has no such table.
    uniques_out_of : the base of the percentages of synthetic uniques in `replicated_uniques`.
    """

    ident: dict[str, str]
    attrib: dict[str, str]
    caps: dict[str, str]
    denoms: dict[str, str] = field(default_factory=dict)
    uniques_out_of: Literal["original", "synthetic"] = "original"


def _same(names: Iterable[str]) -> dict[str, str]:
    return {name: name for name in names}


IDENT = _same(["UiO", "UiS", "UiOiS", "repU"])
# the newest first
LAYOUTS: dict[str, Layout] = {
    "1.9-3": Layout(
        ident=IDENT,
        attrib=_same(["Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DCAPd", "DiSDiO"]),
        caps={
            **_same(["baseCAPd", "CAPd", "CAPs", "DCAPb", "DCAPs", "TCAPb", "TCAPs"]),
            "TCAP": "TCAP_DiS",
        },
        # each under its own name; R swaps the names of the two in the middle (D43)
        denoms={
            "denom_DiSCO": "DiSCO",
            "denom_TCAPb": "TCAPb",
            "denom_TCAPs": "TCAPs",
            "denom_TCAP": "TCAP_DiS",
        },
    ),
    "1.9-2": Layout(
        ident=IDENT,
        attrib=_same(["Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DiSDiO"]),
        caps={**_same(["baseCAPd", "CAPd", "CAPs"]), "DCAP": "DCAPd", "TCAP": "TCAP_iS"},
        uniques_out_of="synthetic",
    ),
}

Mode: TypeAlias = str
CORRECTED: Mode = "corrected"
NEWEST = next(iter(LAYOUTS))
# the values of `compat`, with the version of synthpop whose tables a result then has
VERSIONS: dict[Mode, str] = {
    "r": NEWEST,
    **{f"r-{version}": version for version in LAYOUTS},
    CORRECTED: NEWEST,
}
MODES: tuple[Mode, ...] = tuple(VERSIONS)


class Met(set[str]):
    """The defects of R that changed something in a call."""

    def meets(self, defect: str, where: bool) -> bool:
        """Note a defect where R's answer to a step is not the correct one."""
        if where:
            self.add(defect)
        return where
