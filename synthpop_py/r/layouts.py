"""R's tables, version by version: which columns each has, and which measure stands in them.

A new version of synthpop is one entry here and, if it introduces or fixes defects, their versions
in the registry.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple


class Place(NamedTuple):
    """A table of R's, and a column in it."""

    table: str
    column: str


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

    @property
    def columns(self) -> dict[str, str]:
        """All columns with percentages, whatever their table, each with its measure."""
        return self.ident | self.attrib | self.caps

    def place_of(self, measure: str) -> Place | None:
        """The table and the column in which a measure is shown, if it is."""
        tables = {"ident": self.ident, "attrib": self.attrib, "allCAPs": self.caps}
        for table, columns in tables.items():
            for column, source in columns.items():
                if source == measure:
                    return Place(table, column)
        return None


def version_key(version: str) -> tuple[int, ...]:
    """Versions in the order in which they came out.

    >>> max("1.9-3", "1.10-0", key=version_key)
    '1.10-0'
    """
    return tuple(int(part) for part in version.replace("-", ".").split("."))


def in_order(versions: Iterable[str]) -> list[str]:
    """Versions, the earliest first."""
    return sorted(versions, key=version_key)


def _same(names: Iterable[str]) -> dict[str, str]:
    return {name: name for name in names}


IDENT = _same(["UiO", "UiS", "UiOiS", "repU"])

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
