"""R's figure where it differs from the correct one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ..disclosure.people import NOBODY
from ..disclosure.result import Disclosure
from ..r.both import DefectFinding
from ..r.reading import VERSIONS
from ..show import Block, Cell, Column, Section, Table, fill
from .evidence import Evidence
from .figures import Target

HEADING = "Appendix A: what R's synthpop would report"
DIGITS = 2
MOST_ROWS = 60
# other shares of the same people, which say no more
ONLY_OTHER_SHARES = ("DCAPb", "DCAPs", "TCAPb", "TCAPs", "DCAPd_scaled", "TCAP_iS_scaled")
SAME = 1e-9
FIRST_ALONE = "D28"  # R uses the first of several syntheses only
Row = tuple[str, str, Cell, Cell, str]


def section(evidence: Evidence, targets: Sequence[Target]) -> Section:
    return Section(tuple(_blocks(evidence, targets)), heading=HEADING)


def _blocks(evidence: Evidence, targets: Sequence[Target]) -> Iterator[Block]:
    if not evidence.as_r:
        yield fill.note(evidence.no_r)
        return
    version = VERSIONS[next(iter(evidence.as_r.values())).compat]
    rows = list(_rows(evidence, targets))
    if not rows:
        yield fill.note(
            f"R's disclosure() and multi.disclosure() (synthpop {version}) give the same measures"
            " for this call."
        )
        yield from _findings(evidence)
        return
    yield fill.note(
        f"R's disclosure() (synthpop {version}) gives other figures than its published definitions"
        " for this call. The figures of this report are the correct ones."
    )
    yield _table(rows[:MOST_ROWS])
    if len(rows) > MOST_ROWS:
        yield fill.note(f"and {len(rows) - MOST_ROWS} more figures.")
    yield from _findings(evidence)


def _rows(evidence: Evidence, targets: Sequence[Target]) -> Iterator[Row]:
    """Means over syntheses that differ, target by target."""
    for target in targets:
        as_r = evidence.as_r.get(target.name)
        if as_r is None:
            continue
        theirs = Target.of(as_r)
        for measure in target.people[0].shares:
            r, correct = theirs.percent(measure), target.percent(measure)
            told_elsewhere = measure in NOBODY or measure in ONLY_OTHER_SHARES
            if told_elsewhere or _same(r.value, correct.value):
                continue
            yield str(target.name), measure, r, correct, _ids(as_r, measure, target.result.m)


def _same(r: float, correct: float) -> bool:
    if math.isnan(r) or math.isnan(correct):
        return math.isnan(r) and math.isnan(correct)
    return math.isclose(r, correct, rel_tol=SAME, abs_tol=SAME)


def _ids(as_r: Disclosure, measure: str, m: int) -> str:
    """The defects behind it, as `tidy` has them; of one synthesis alone, where there are m, a mean
    differs whatever the measure.
    """
    tidy = as_r.tidy()
    named: dict[str, None] = {}
    for ids in tidy.loc[tidy["measure"] == measure, "defect"]:
        named |= dict.fromkeys(filter(None, ids.split(", ")))
    if as_r.m < m:
        named |= {FIRST_ALONE: None}
    return ", ".join(named)


def _table(rows: Sequence[Row]) -> Table:
    targets, measures, r, correct, defects = zip(*rows)
    return Table(
        caption=("Figures of R that differ, in %, means over syntheses",),
        columns=(
            Column("target", tuple(map(Cell, targets))),
            Column("measure", tuple(map(Cell, measures))),
            Column("correct", tuple(correct), digits=DIGITS),
            Column("R", tuple(r), digits=DIGITS),
            Column("defect", tuple(map(Cell, defects))),
        ),
    )


def _findings(evidence: Evidence) -> Iterator[Block]:
    """Each defect once, without its figures: these name levels."""
    found: dict[str, DefectFinding] = {}
    for result in evidence.as_r.values():
        for finding in result.defects:
            found.setdefault(finding.id, finding)
    for finding in found.values():
        yield fill.note(
            f"{finding.id}, {finding.summary}: R {finding.r_does}; correct: {finding.correct}.",
            indent=1,
        )
