"""The ledger of R's defects: as a data frame, and what a result says of those that it met."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..errors import RDefectWarning, warn
from .defects import BY_ID, DEFECTS, Defect, number


@dataclass(frozen=True, slots=True)
class DefectFinding:
    """A defect of R that took effect in a call; the result has both figures.

    Attributes
    ----------
    id : its entry in the ledger, see `synthpop_py.r_defects`.
    refused : why the call has no correct figures, where it has none.
    summary, r_does, correct : what it is about.
    """

    id: str
    refused: str = ""

    @property
    def entry(self) -> Defect:
        return BY_ID[self.id]

    @property
    def summary(self) -> str:
        return self.entry.summary

    @property
    def r_does(self) -> str:
        return self.entry.r_does

    @property
    def correct(self) -> str:
        return self.entry.correct

    def content(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "summary": self.summary,
            "r_does": self.r_does,
            "correct": self.correct,
        }


def findings(met: Iterable[str], error: str = "") -> tuple[DefectFinding, ...]:
    """The defects that took effect, in the order of the ledger; `error` says why the corrected
    reading refuses the call.
    """
    refused = f"under the corrected reading this call is invalid: {error}" if error else ""
    return tuple(DefectFinding(defect, refused) for defect in sorted(met, key=number))


def reasons(defects: Iterable[str]) -> str:
    """Each defect with what it is about."""
    return "; ".join(f"{defect}, {BY_ID[defect].summary}" for defect in defects)


def warn_of_defects(defects: Iterable[DefectFinding], figure: str) -> None:
    """One short warning; nothing where no defect misleads. `figure` has what R reports and what is
    correct, without a level of the original: warnings end up in logs.
    """
    entries = {one.id: one.entry for one in defects}
    if any(entry.misleads for entry in entries.values()):
        telling = [entry.id for entry in entries.values() if entry.severity != "D"]
        warn(
            f"R's figures are not correct here ({figure}). {reasons(telling)}. Details: .defects; the correct"
            " result: .corrected, or compat='corrected'.",
            RDefectWarning,
        )


def r_defects() -> pd.DataFrame:
    """Every known defect of R's disclosure functions.

    Columns: summary, what R does, what is correct, severity (A silently wrong numbers likely in
    real use; B narrower; C R crashes; D display), kind ("bug" or "convention"), port (how this
    package treats it), versions of synthpop that have it.

    Examples
    --------
    >>> r_defects().loc["D1", "summary"]
    'tables compared by position'
    """
    rows = [
        (d.id, d.summary, d.r_does, d.correct, d.severity, d.kind, d.port, ", ".join(d.versions))
        for d in DEFECTS
    ]
    columns = ["id", "summary", "r_does", "correct", "severity", "kind", "port", "versions"]
    return pd.DataFrame(rows, columns=columns).set_index("id")
