"""Run as R, run correctly, report what differs: one mechanism for every function with R's figures.

A function describes its call as a `Computation`: how a result is made under a reading, and which
figures differ between two results. `run_both` makes the result asked for. Only if a defect mattered
does it also make the correct one, and find out which defect moved which figure.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

import pandas as pd

from ..errors import InputError
from .defects import BY_ID, Function, number
from .reading import Mode, Reading, correctly, reproduced

Result = TypeVar("Result")
# synthesis (from 1; 0 for all of them), name, R's figure, the correct one
Change: TypeAlias = tuple[int, str, "float | str | None", "float | str | None"]
Changes: TypeAlias = tuple[Change, ...]
Figure: TypeAlias = tuple[int, str]  # synthesis and name, by which a change is known

REFUSED = "under the corrected reading this call is invalid"


@dataclass(frozen=True, slots=True)
class DefectFinding:
    """A defect of R that changed numbers of this call.

    Attributes
    ----------
    id : its entry in the ledger, see `synthpop_py.r_defects`.
    summary, r_does, correct : what it is about.
    changes : one row for each figure it moved: synthesis, measure, R's figure, the correct one.
    """

    id: str
    changes: Changes

    @property
    def summary(self) -> str:
        return BY_ID[self.id].summary

    @property
    def r_does(self) -> str:
        return BY_ID[self.id].r_does

    @property
    def correct(self) -> str:
        return BY_ID[self.id].correct

    def frame(self) -> pd.DataFrame:
        return pd.DataFrame(self.changes, columns=["synthesis", "measure", "r", "correct"])


Findings: TypeAlias = tuple[DefectFinding, ...]


class Computation(ABC, Generic[Result]):
    """A call that can be computed under any reading."""

    @abstractmethod
    def result(self, reading: Reading) -> Result:
        """The result under a reading."""

    @abstractmethod
    def changes(self, r: Result, correct: Result) -> Changes:
        """The figures that differ between two results."""

    def first(self, reading: Reading) -> Result:
        """The result that was asked for: the run in which progress and notes are shown."""
        return self.result(reading)

    def correct(self, asked: Result, reading: Reading) -> Result:
        """The result without R's defects."""
        return self.result(correctly())

    def findings(self, moved: Changes, asked: Result, reading: Reading) -> Findings:
        """Each moved figure under the defects that move it: those without which R's figure would
        differ.
        """
        met = by_number(reading.touched)
        if len(met) == 1:
            return (DefectFinding(met[0], moved),)
        moved_by = {}
        for defect in met:
            changes = self.changes(self.result(reading.without(defect)), asked)
            moved_by[defect] = set(map(figure_of, changes))
        return attributed(moved, moved_by)


@dataclass(frozen=True, slots=True)
class Both(Generic[Result]):
    """A result and, where a defect of R mattered, the correct one beside it.

    Attributes
    ----------
    asked : the result under the mode that was asked for.
    corrected : None where no defect mattered, and where the corrected reading refuses the call.
    findings : the defects that moved a figure, each with the figures it moved; where the call is
        refused, those that mattered, each with the reason.
    """

    asked: Result
    corrected: Result | None = None
    findings: Findings = ()


def as_r(mode: Mode, function: Function = "disclosure") -> Reading:
    """The reading of R in this mode."""
    return Reading(reproduced(mode, function), mode)


def run_both(computation: Computation[Result], reading: Reading) -> Both[Result]:
    """The result under a reading, and what R's defects did to it. Nothing is run twice unless a
    defect mattered.
    """
    asked = computation.first(reading)
    # where no defect mattered, the correct result is the same
    if not reading.touched and not reading.touched_in_part:
        return Both(asked)
    try:
        correct = computation.correct(asked, reading)
    except InputError as error:
        # an argument that is valid only because R gave another one to the wrong key
        return Both(asked, findings=_refused(reading, error))
    moved = computation.changes(asked, correct)
    if not moved:
        return Both(asked, correct)
    return Both(asked, correct, computation.findings(moved, asked, reading))


def attributed(moved: Changes, moved_by: dict[str, set[Figure]]) -> Findings:
    """The moved figures by defect. A figure that no single defect moves is moved by several
    together: it is listed under all of them.
    """
    alone = set().union(*moved_by.values())
    findings = []
    for defect, figures in moved_by.items():
        own = [change for change in moved if figure_of(change) in figures]
        together = [change for change in moved if figure_of(change) not in alone]
        if own or together:
            findings.append(DefectFinding(defect, (*own, *together)))
    return tuple(findings)


def by_number(defects: Collection[str]) -> list[str]:
    """Ids in the order of the registry."""
    return sorted(defects, key=number)


def figure_of(change: Change) -> Figure:
    return change[:2]


def ids_of(findings: Sequence[DefectFinding]) -> tuple[str, ...]:
    return tuple(finding.id for finding in findings)


def _refused(reading: Reading, error: InputError) -> Findings:
    """The defects that mattered, each with the reason why the corrected reading has no result."""
    reason: Change = (0, f"{REFUSED}: {error}", None, None)
    return tuple(DefectFinding(defect, (reason,)) for defect in by_number(reading.touched))
