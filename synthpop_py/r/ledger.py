"""The ledger of R's defects (its text is `ledger.toml`): as a data frame, and what a result says of
those that it met.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from ..errors import RDefectWarning, warn
from .reading import LAYOUTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Defect:
    """One entry of the registry.

    Attributes
    ----------
    severity : A silently wrong numbers likely in real use; B silently wrong, narrower; C R crashes;
        D display or documentation.
    kind : "bug", or "convention" where a reading can be defended but differs from the published
        definition.
    port : how the port treats it: "switch" (R's number under compat="r", the correct one under
        "corrected"), "works" (both modes give the correct answer, because R gives none), "same" (no
        number differs), "other function" (a switch in a companion of `disclosure()`).
    since, until : the first and the last version of synthpop that has it; None: all that are known.
    """

    severity: Literal["A", "B", "C", "D"]
    kind: Literal["bug", "convention"] = "bug"
    port: Literal["switch", "works", "same", "other function"] = "switch"
    summary: str
    r_does: str
    correct: str
    since: str | None = None
    until: str | None = None

    @property
    def misleads(self) -> bool:
        """Whether it needs a warning: not if figures are only shown differently, nor for another
        convention. Results list those without a warning.
        """
        return self.severity != "D" and self.kind != "convention"

    def is_in(self, version: str) -> bool:
        """Whether a version of synthpop has it."""
        first, last = self.since or version, self.until or version
        return _place(first) <= _place(version) <= _place(last)


def _place(version: str) -> tuple[int, ...]:
    """By which versions are sorted: 1.10-0 comes after 1.9-3."""
    return tuple(map(int, version.replace("-", ".").split(".")))


def _read_ledger() -> dict[str, Defect]:
    text = Path(__file__).with_name("ledger.toml").read_text(encoding="utf-8")
    return {id: Defect(**fields) for id, fields in tomllib.loads(text).items()}


DEFECTS = _read_ledger()


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
        return DEFECTS[self.id]

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
    named = set(met)
    return tuple(DefectFinding(defect, refused) for defect in DEFECTS if defect in named)


def reasons(defects: Iterable[str]) -> str:
    """Each defect with what it is about."""
    return "; ".join(f"{defect}, {DEFECTS[defect].summary}" for defect in defects)


def warn_of_defects(defects: Iterable[DefectFinding], figure: str) -> None:
    """One short warning; nothing where no defect misleads. `figure` has what R reports and what is
    correct, without a level of the original: warnings end up in logs.
    """
    entries = {one.id: one.entry for one in defects}
    if any(entry.misleads for entry in entries.values()):
        telling = [id for id, entry in entries.items() if entry.severity != "D"]
        warn(
            f"R's figures are not correct here ({figure}). {reasons(telling)}. Details: .defects;"
            " the correct result: .corrected, or compat='corrected'.",
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
    columns = ["summary", "r_does", "correct", "severity", "kind", "port"]
    rows = {id: [getattr(d, name) for name in columns] for id, d in DEFECTS.items()}
    for id, row in rows.items():
        row.append(", ".join(v for v in reversed(LAYOUTS) if DEFECTS[id].is_in(v)))
    table = pd.DataFrame.from_dict(rows, orient="index", columns=[*columns, "versions"])
    return table.rename_axis("id")
