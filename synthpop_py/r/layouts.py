"""R's tables, version by version: which columns each has, and which measure stands in them.

A new version of synthpop is one entry here and, where it brings defects or mends some, their
versions in the registry.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Layout:
    """Columns of R's tables, each with the measure that it shows.

    Attributes
    ----------
    ident, attrib, caps : percentages. In `attrib` max_denom and mean_denom follow.
    denoms : denominators; empty where the version has no such table.
    """

    ident: dict[str, str]
    attrib: dict[str, str]
    caps: dict[str, str]
    denoms: dict[str, str] = field(default_factory=dict)

    def shown_as(self, measure: str) -> str:
        """The column in which a measure is shown; its own name where there is none."""
        columns = {source: shown for shown, source in self.caps.items()}
        return columns.get(measure, measure)


def _same(*names: str) -> dict[str, str]:
    return {name: name for name in names}


IDENT = _same("UiO", "UiS", "UiOiS", "repU")

LAYOUTS: dict[str, Layout] = {
    "1.9-3": Layout(
        ident=IDENT,
        attrib=_same("Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DCAPd", "DiSDiO"),
        caps={
            **_same("baseCAPd", "CAPd", "CAPs", "DCAPb", "DCAPs", "TCAPb", "TCAPs"),
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
        attrib=_same("Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DiSDiO"),
        caps={**_same("baseCAPd", "CAPd", "CAPs"), "DCAP": "DCAPd", "TCAP": "TCAP_iS"},
    ),
}
