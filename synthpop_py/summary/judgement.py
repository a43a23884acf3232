"""R's summary with the correct one beside it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..disclosure.asked import asked_of_data
from ..disclosure.findings import changes_between, same_figure
from ..disclosure.result import Disclosure
from ..disclosure.source import Source
from ..r.both import (
    Change,
    Changes,
    Computation,
    DefectFinding,
    as_r,
    by_number,
    figure_of,
    run_both,
)
from ..r.defects import BY_ID, DEFECTS
from ..r.reading import CORRECTED, NEWEST, Mode, Reading, correctly
from ..show.plain import column_name
from .options import Settings
from .result import MultiDisclosure, TargetRow
from .run import Results, Targets, summarise

# these affect the results of single targets; the others affect the summary table
OF_THE_CALL = frozenset(defect.id for defect in DEFECTS if defect.of_the_call)
FIGURES = ("ident_syn", "ident_orig", "attrib_orig", "attrib_syn", "npairs")


@dataclass(frozen=True, slots=True)
class SummaryCall(Computation[MultiDisclosure]):
    """One call of `multi_disclosure()`: its data and checked arguments, and how it is shown."""

    source: Source
    settings: Settings
    plot: bool
    print_flag: bool

    def first(self, reading: Reading) -> MultiDisclosure:
        return self._of_every_target(reading, self.print_flag)

    def result(self, reading: Reading) -> MultiDisclosure:
        return self._of_every_target(reading, print_flag=False)

    def changes(self, r: MultiDisclosure, correct: MultiDisclosure) -> Changes:
        return tuple(rows_that_differ(r, correct))

    def correct(self, asked: MultiDisclosure, reading: Reading) -> MultiDisclosure:
        """The summary without R's defects. Results of targets that are already correct, or have the
        correct one beside them, are not made again.
        """
        known = correct_results(asked)
        # an earlier version has other tables, in which a moved figure may go unnoticed
        seen_whole = reading.version == NEWEST
        if known is None or not seen_whole or OF_THE_CALL & reading.touched:
            return self.result(correctly())
        return self._summarised(known, correctly())

    def findings(
        self, moved: Changes, asked: MultiDisclosure, reading: Reading
    ) -> tuple[DefectFinding, ...]:
        """The moved figures that each defect is about: the others were moved by defects of single
        targets, which their own results name.
        """
        findings = []
        for defect in by_number(reading.touched):
            subjects = figures_about(defect, asked)
            changes = [change for change in moved if change[1].partition(" of ")[0] in subjects]
            if changes:
                findings.append(DefectFinding(defect, tuple(changes)))
        return tuple(findings)

    def _of_every_target(self, reading: Reading, print_flag: bool) -> MultiDisclosure:
        targets = Targets(self.source, self.settings, reading)
        return self._summarised(targets.results(print_flag), reading)

    def _summarised(self, results: Results, reading: Reading) -> MultiDisclosure:
        result = summarise(self.settings, results, reading, self.plot)
        return replace(result, _asked=self._asked())

    def _asked(self) -> dict[str, Any]:
        """The arguments, as given, that are not attributes of the summary."""
        settings, common = self.settings, self.settings.common
        names = ("thresh_1way", "thresh_2way", "compare_synorig", "collation")
        return {
            "keys": [column_name(key) for key in settings.asked_keys],
            **asked_of_data(self.source.special, self.source.counts),
            "not_targetslev": settings.not_targetslev,
            "exclude_keys": settings.exclude_keys,
            "exclude_keylevs": settings.exclude_keylevs,
            "exclude_targetlevs": settings.exclude_targetlevs,
            "ngroups_targets": settings.ngroups_targets,
            "ngroups_keys": settings.ngroups_keys,
            **{name: common[name] for name in names},
            "certainty": float(common["certainty"]),
            "plot": self.plot,
        }


def with_correct_figures(summary: SummaryCall, mode: Mode) -> MultiDisclosure:
    """The summary under the mode asked for and, where a defect of R moved a figure, the correct one
    beside it.
    """
    reading = as_r(mode, "multi_disclosure")
    both = run_both(summary, reading)
    if both.corrected is None:
        return replace(both.asked, defects=_of_the_call_alone(both.findings))
    of_the_call = by_number(reading.touched & OF_THE_CALL)
    marked = _marked(both.asked, both.corrected, of_the_call)
    result = replace(both.asked, output_list=marked, defects=both.findings)
    return replace(result, corrected=both.corrected) if result.touched else result


def _of_the_call_alone(refused: Sequence[DefectFinding]) -> tuple[DefectFinding, ...]:
    """Why the corrected reading refuses the call: defects in passing arguments on, if any."""
    of_the_call = tuple(finding for finding in refused if finding.id in OF_THE_CALL)
    return of_the_call or tuple(refused)


def correct_results(summary: MultiDisclosure) -> Results | None:
    """The correct result of every target, if available for all of them."""
    results = {}
    for target, result in summary.output_list.items():
        correct = result.corrected if result.defects else replace(result, compat=CORRECTED)
        if correct is None:
            return None
        results[target] = correct
    return results


def _marked(result: MultiDisclosure, correct: MultiDisclosure, defects: Sequence[str]) -> Results:
    """The results of the targets, each with what the defects of the call moved in it."""
    if not defects:
        return result.output_list
    marked = {}
    for target, single in result.output_list.items():
        marked[target] = _marked_target(single, correct.output_list[target], defects)
    return marked


def _marked_target(single: Disclosure, correct: Disclosure, defects: Sequence[str]) -> Disclosure:
    """A result of one target with the figures that its own defects do not explain, under those of
    the call.
    """
    explained = set()
    for finding in single.defects:
        explained |= set(map(figure_of, finding.changes))
    changes = changes_between(single, correct)
    moved = tuple(change for change in changes if figure_of(change) not in explained)
    if not moved:
        return single
    of_the_call = [DefectFinding(defect, moved) for defect in defects]
    return replace(single, defects=(*single.defects, *of_the_call), corrected=correct)


def rows_that_differ(r: MultiDisclosure, correct: MultiDisclosure) -> Iterator[Change]:
    """Figures of the summary that differ, target by target."""
    others = {row.target: row for row in correct.rows}
    for row in r.rows:
        for name in FIGURES:
            theirs, ours = _figure(row, name), _figure(others[row.target], name)
            if not same_figure(theirs, ours):
                yield 0, f"{name} of {row.target}", theirs, ours


def _figure(row: TargetRow, name: str) -> float | None:
    value: float = getattr(row, name)
    return None if math.isnan(value) else value


def figures_about(defect: str, r: MultiDisclosure) -> tuple[str, ...]:
    """The figures of the summary that a defect can move."""
    moved = BY_ID[defect].moved_figures(by=(r.ident_meas, r.attrib_meas))
    return FIGURES if moved is None else moved
