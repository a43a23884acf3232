"""How results and warnings name the defects of R that took effect."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ..errors import RDefectWarning, warn
from .both import DefectFinding
from .defects import BY_ID, number

WHERE_MORE_IS = "Details: .defects; the correct result: .corrected, or compat='corrected'."


def findings_of(touched: Collection[str]) -> tuple[DefectFinding, ...]:
    """The defects of a call, in the order of the registry."""
    return tuple(DefectFinding(defect, ()) for defect in sorted(touched, key=number))


def reasons(defects: Iterable[str]) -> str:
    """Each defect with what it is about."""
    return "; ".join(f"{defect}, {BY_ID[defect].summary}" for defect in defects)


def warn_of_defects(touched: Collection[str], figure: str) -> None:
    """One short warning; nothing where no defect misleads. `figure` has what R reports and what is
    correct, without a level of the original: warnings end up in logs.
    """
    if not any(BY_ID[defect].misleads for defect in touched):
        return
    telling = [one for one in sorted(touched, key=number) if BY_ID[one].severity != "D"]
    said = f"R's figures are not correct here ({figure}). {reasons(telling)}. {WHERE_MORE_IS}"
    warn(said, RDefectWarning)
