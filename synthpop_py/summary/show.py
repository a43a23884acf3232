"""A summary over targets as a document: R's tables, our sentences, and both figures wherever R's is
wrong.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd

from ..disclosure.baseline import COMPARED, LEVEL
from ..disclosure.baseline_show import (
    Outside,
    Row,
    about_baselines,
    difference_note,
    outside_of,
    table_of_rows,
)
from ..disclosure.defect_text import (
    THE_SAME,
    change_note,
    concerning,
    finding_notes,
    misleading,
    warning_section,
    where_it_is,
    without_levels,
)
from ..disclosure.people import everybody, mean_count, people_of
from ..disclosure.show import defect_notes as defect_notes_of_target
from ..disclosure.show import leaves_somebody_out, left_out_words, nearly_sure
from ..r.both import Change, DefectFinding, by_number
from ..r.defects import BY_ID
from ..r.layouts import IDENT, LAYOUTS
from ..r.reading import CORRECTED, VERSIONS, reproduced
from ..show import Block, Cell, Count, Document, Note, Relation, Section, Table, fill, text
from ..show.document import Words
from ..show.plain import frame_content
from .result import ORIGINAL_MEASURE, TO_PRINT, MultiDisclosure, TargetRow

MOST_TARGETS = 3  # whose defects are spelt out
MOST_FIGURES = 6
MOST_DECIMALS = 12
EVERY_TARGET = "every target"
FIGURES = ("ident_orig", "ident_syn", "attrib_orig", "attrib_syn")


def document(result: MultiDisclosure, to_print: Sequence[str], digits: int) -> Document:
    """The summary, or the parts of it that are asked for."""
    wanted = [name for name in TO_PRINT if name in to_print]
    return Document(
        title="Disclosure risk of several targets",
        sections=tuple(_sections(result, wanted, digits)),
        headline=tuple(headline(result)),
    )


def _sections(result: MultiDisclosure, wanted: Sequence[str], digits: int) -> Iterator[Section]:
    if "ident" in wanted:
        yield Section(tuple(identity_blocks(result, digits)))
    if "attrib" in wanted:
        yield fill.section(attribute_table(result, digits))
        certainty = next(iter(result.output_list.values())).certainty
        if certainty < 1:
            yield fill.section(nearly_sure(certainty))
        if result._compared():
            yield baseline_section(result, digits)
        yield from _remarks(result)
    if result.corrected is not None:
        yield from _corrected(result, result.corrected, wanted, digits)
    defects = defect_notes(result, wanted)
    if defects:
        misleads = bool(misleading(every_finding(result)))
        yield warning_section(defects) if misleads else fill.section(*defects)


def _left_out(result: MultiDisclosure) -> list[Note]:
    """The people whom the figures of a target leave out, and why."""
    notes = []
    for target, single in result.output_list.items():
        people = people_of(single)
        if leaves_somebody_out(people):
            notes.append(fill.note(f"{target}: ", *left_out_words(people), indent=2))
    return notes


def _left_out_head(result: MultiDisclosure) -> Note:
    number = Cell(result.Norig, (everybody(result.Norig),))
    return fill.note("Left out (percentages are still of all ", number, "):")


def _remarks(result: MultiDisclosure) -> Iterator[Section]:
    left_out = _left_out(result)
    if left_out:
        yield fill.section(_left_out_head(result), *left_out)
    flagged = []
    for row in result.rows:
        if row.check1 is not None or row.check2 is not None:
            flagged.append(str(row.target))
    if flagged:
        whose = "its" if len(flagged) == 1 else "their"
        yield fill.section(
            fill.note(
                f"Check {', '.join(flagged)}: part of {whose} risk may be common knowledge."
                " .output_list[target].print(['check_1way', 'check_2way']) shows it."
            )
        )
    if result.notes:
        yield fill.notes_section(result.notes)


def _corrected(
    result: MultiDisclosure, correct: MultiDisclosure, wanted: Sequence[str], digits: int
) -> Iterator[Section]:
    """The correct tables that differ in more than Npairs under D30; the note on D30 has those
    numbers.
    """
    blocks: list[Block] = []
    if "ident" in wanted:
        identity = list(identity_blocks(correct, digits))
        if _lines(identity) != _lines(identity_blocks(result, digits)):
            blocks += identity
    if "attrib" in wanted:
        table, as_r = attribute_table(correct, digits), attribute_table(result, digits)
        if _lines([_without_pairs(table)]) != _lines([_without_pairs(as_r)]):
            blocks.append(replace(table, titled=False))
    if blocks:
        yield fill.section(fill.note(f"{THE_SAME}:"), *blocks)


def _lines(blocks: Iterable[Block]) -> list[str]:
    lines = []
    for block in blocks:
        lines += text.block_lines(block)
    return lines


def _without_pairs(table: Table) -> Table:
    columns = [column for column in table.columns if column.name != "Npairs"]
    return replace(table, columns=tuple(columns))


# ---- identity and attribute ----------------------------------------------------------


def measure_of(result: MultiDisclosure, figure: str) -> str:
    """The share that a figure of the summary is the mean of."""
    measure = {
        "ident_orig": "UiO",
        "ident_syn": result.ident_meas,
        "attrib_orig": ORIGINAL_MEASURE[result.attrib_meas],
        "attrib_syn": result.attrib_meas,
    }[figure]
    return {"UiSiO": "UiOiS", "DCAP": "DCAPd"}.get(measure, measure)


def mean_behind(result: MultiDisclosure, row: TargetRow, figure: str) -> Count:
    records = getattr(row, figure) * result.Norig / 100
    if math.isfinite(records) and math.isclose(records, round(records), rel_tol=1e-9):
        records = round(records)  # a percentage and back may lose the last bit
    return mean_count(measure_of(result, figure), row.target, records, result.m)


def behind(result: MultiDisclosure, row: TargetRow, figure: str) -> tuple[Count, ...]:
    """The people behind a figure of a target."""
    mean = mean_behind(result, row, figure)
    return (mean, everybody(result.Norig)) if math.isfinite(mean.n) else ()


def relations(result: MultiDisclosure) -> Iterator[Relation]:
    """The relations between the means and the results of the single syntheses."""
    if result.m == 1:
        return
    for row in result.rows:
        by_synthesis = people_of(result.output_list[row.target])
        for figure in FIGURES:
            mean = mean_behind(result, row, figure)
            if not math.isfinite(mean.n):
                continue
            measure = measure_of(result, figure)
            terms = [(float(result.m), mean.name)]
            for people in by_synthesis:
                terms.append((-1.0, people.of(measure).name))
            yield Relation(tuple(terms))


def identity_blocks(result: MultiDisclosure, digits: int) -> Iterator[Note]:
    first = result.rows[0]
    over = f", averaged over {result.m} syntheses" if result.m > 1 else ""
    yield fill.note(
        f"Identity risk from keys {', '.join(map(str, result.keys))}, in % of ",
        Cell(result.Norig, (everybody(result.Norig),)),
        f" original records{over} (higher is riskier):",
    )
    of_original = _percentage(result, first, "ident_orig", digits)
    of_synthetic = _percentage(result, first, "ident_syn", digits)
    yield fill.note("original  (UiO)  ", of_original, indent=2)
    yield fill.note(f"synthetic ({result.ident_meas}) ", of_synthetic, indent=2)
    behind_identity = people_of(result.output_list[first.target])[0].behind_identity()
    left_out, _ = behind_identity
    if left_out.n:
        reason = ", because a key is missing" if result.compat == CORRECTED else ""
        number = Cell(int(left_out.n), behind_identity)
        yield fill.note(f"left out{reason}: ", number, indent=2)
    if _identity_differs(result.rows):
        yield fill.note(
            f"for target {first.target}; other targets have other figures, see .ident_orig and"
            " .ident_syn",
            indent=2,
        )


def _identity_differs(rows: Sequence[TargetRow]) -> bool:
    """Whether targets have different figures, apart from rounding."""
    originals = {_shown(row.ident_orig, MOST_DECIMALS) for row in rows}
    synthetics = {_shown(row.ident_syn, MOST_DECIMALS) for row in rows}
    return len(originals) > 1 or len(synthetics) > 1


def _percentage(result: MultiDisclosure, row: TargetRow, figure: str, digits: int) -> Cell:
    percent = _shown(getattr(row, figure), digits)
    return Cell(percent, behind(result, row, figure))


def _shown(value: float, digits: int) -> str:
    return "not available" if math.isnan(value) else f"{value:.{digits}f}"


def attribute_table(result: MultiDisclosure, digits: int) -> Table:
    ordered = result.ordered_rows
    order, missing = "least risky first", ""
    if all(math.isnan(row.attrib_syn) for row in ordered):
        order, missing = "in the order asked for", _why_missing(result, "attrib_syn")
    caption = (
        f"Attribute risk of each target, in % of original records, {order} (attrib.orig:"
        f" {ORIGINAL_MEASURE[result.attrib_meas]}, attrib.syn: {result.attrib_meas}{missing})"
    )
    figures = {"attrib.orig": "attrib_orig", "attrib.syn": "attrib_syn"}

    def people(row: int, column: str) -> tuple[Count, ...]:
        return behind(result, ordered[row], figures[column]) if column in figures else ()

    labelled = result.attrib_table.drop(columns="left_out").set_axis(result.r_labels())
    return fill.table_of(labelled, caption, digits=digits, people=people)


# ---- members beside non-members ------------------------------------------------------

SHOWN_OF_BASELINES = ("DiSCO", "TCAP_DiS")


def baseline_section(result: MultiDisclosure, digits: int) -> Section:
    """Recall and precision of every target, least risky first."""
    frame, outside = _baselines(result)
    positions = [row.target for row in result.ordered_rows]
    rows, labels = [], []
    for position in sorted(range(len(frame)), key=lambda i: positions.index(frame["target"][i])):
        target, measure = frame["target"][position], frame["measure"][position]
        if measure in SHOWN_OF_BASELINES:
            number, p_value = COMPARED.index(measure), float(frame["p_value"][position])
            rows.append(Row(outside[target], number, float(frame["level"][position]), p_value))
            labels.append(f"{target} {measure}")
    first = next(iter(outside.values()))
    adjusted = "" if len(outside) == 1 else f", adjusted for {len(outside)} targets"
    caption = (
        "Members of the original beside ",
        Cell(first.baseline.records, (first.everybody,)),
        f" non-members, in % of N and n people, and the difference with its {100 * LEVEL:g} %"
        f" interval{adjusted}",
    )
    table = table_of_rows(rows, caption, tuple(labels), digits)
    where = fill.note("Other measures: .baseline, or .output_list[target].")
    return fill.section(table, *about_baselines(result.m), where)


def _baselines(result: MultiDisclosure) -> tuple[pd.DataFrame, dict[Hashable, Outside]]:
    """All figures, and the people behind those of each target."""
    frame = result.baseline
    assert frame is not None, "there is a holdout"
    outside = {}
    correct = result if result.corrected is None else result.corrected
    for target, single in correct.output_list.items():
        of_target = outside_of(single)
        assert of_target is not None, "there is a holdout"
        outside[target] = of_target
    return frame, outside


def baseline_of_several(result: MultiDisclosure) -> dict[str, Any] | None:
    """As plain values; None without a holdout."""
    if not result._compared():
        return None
    frame, outside = _baselines(result)
    targets = frame["target"].tolist()

    def people(row: int, column: str) -> tuple[Count, ...]:
        return outside[targets[row]].behind(row % len(COMPARED), column)

    return frame_content(frame.assign(target=list(map(str, targets))), people)


def baseline_sentence(result: MultiDisclosure) -> Note:
    """What membership adds for the target whose members are at most risk, adjusted for the number
    of targets.
    """
    frame, outside = _baselines(result)
    riskiest = frame[frame["measure"] == "DiSCO"].sort_values("members", kind="stable").iloc[-1]
    target = riskiest["target"]
    level, p_value = float(riskiest["level"]), float(riskiest["p_value"])
    row = Row(outside[target], COMPARED.index("DiSCO"), level, p_value)
    return difference_note(row, result.digits, f"DiSCO for {target}")


def headline(result: MultiDisclosure) -> Iterator[Note]:
    yield fill.note(
        f"Identity risk ({result.ident_meas}) is ",
        *_both(result, result.rows[0], "ident_syn"),
        ".",
    )
    yield _attribute_headline(result)
    if result._compared():
        yield baseline_sentence(result)
    left_out = _left_out(result)
    if left_out:
        yield _left_out_head(result)
        yield from left_out


def _attribute_headline(result: MultiDisclosure) -> Note:
    """The target at most risk: by R's figure or, where R gives none, by the correct one."""
    measure = f"Attribute risk ({result.attrib_meas})"
    for ranked in (result, result.corrected):
        known = [] if ranked is None else ranked.ordered_rows
        known = [row for row in known if not math.isnan(row.attrib_syn)]
        if known:
            riskiest = _row_of(result, known[-1].target)
            figure = _both(result, riskiest, "attrib_syn")
            return fill.note(f"{measure} is highest for {riskiest.target}: ", *figure, ".")
    missing = _why_missing(result, "attrib_syn")
    return fill.note(f"{measure} has no figure for any target{missing}.")


def _row_of(result: MultiDisclosure, target: Hashable) -> TargetRow:
    return next(row for row in result.rows if row.target == target)


def _both(result: MultiDisclosure, row: TargetRow, figure: str) -> Words:
    """A figure of a target, with the correct one beside it where R's is wrong, or instead of it
    where R gives none.
    """
    shown = _percentage(result, row, figure, result.digits)
    records = " % of the original records"
    correct = shown
    if result.corrected is not None:
        correct_row = _row_of(result.corrected, row.target)
        correct = _percentage(result.corrected, correct_row, figure, result.digits)
    if correct.value == shown.value:
        return (shown,) if math.isnan(getattr(row, figure)) else (shown, records)
    if math.isnan(getattr(row, figure)):
        return correct, f"{records}{_why_missing(result, figure)}"
    return shown, " (R; correct: ", correct, ")", records


def _why_missing(result: MultiDisclosure, figure: str) -> str:
    """Why R gives no figure, where it should; nothing in other modes."""
    measures = (result.ident_meas, result.attrib_meas)
    reasons = []
    for defect in by_number(reproduced(result.compat, "multi_disclosure")):
        if figure in (BY_ID[defect].moved_figures(by=measures) or ()):
            reasons.append(f"{defect}, {BY_ID[defect].summary}")
    return f"; R gives none: {'; '.join(reasons)}" if reasons else ""


# ---- what is wrong in R's figures ----------------------------------------------------


def every_finding(result: MultiDisclosure) -> list[DefectFinding]:
    """The defects of the summary, then those of its targets, whose figures then say of which."""
    findings = list(result.defects)
    for target, single in result.output_list.items():
        for finding in single.defects:
            changes: list[Change] = []
            for synthesis, measure, r, correct in map(without_levels, finding.changes):
                changes.append((synthesis, f"{measure} of {target}", r, correct))
            findings.append(DefectFinding(finding.id, tuple(changes)))
    return findings


def findings_to_warn_of(result: MultiDisclosure) -> list[DefectFinding]:
    """Every defect once; a change that is the same for all targets is given once."""
    changes: dict[str, list[Change]] = {}
    for finding in every_finding(result):
        changes.setdefault(finding.id, []).extend(finding.changes)
    findings = []
    for defect, moved in changes.items():
        findings.append(DefectFinding(defect, tuple(told_once(moved, len(result.rows)))))
    return findings


def told_once(changes: Iterable[Change], targets: int) -> Iterator[Change]:
    """Figures that moved by the same amount for all of several targets, given once for "every
    target": identity risk does not depend on the target.

    Examples
    --------
    >>> alike = [(0, "ident_syn of ls", 14.86, 14.17), (0, "ident_syn of sex", 14.86, 14.17)]
    >>> list(told_once(alike, targets=2))
    [(0, 'ident_syn of every target', 14.86, 14.17)]
    """
    together: dict[tuple[int, str, str], list[Change]] = {}
    for change in changes:
        synthesis, name, *figures = change
        figure = name.partition(" of ")[0]
        # as text, because NaN is not equal to itself
        together.setdefault((synthesis, figure, repr(figures)), []).append(change)
    for (synthesis, figure, _), alike in together.items():
        if len(alike) == targets > 1:
            *_, r, correct = alike[0]
            yield synthesis, f"{figure} of {EVERY_TARGET}", r, correct
        else:
            yield from alike


def misleading_changes(result: MultiDisclosure) -> list[Change]:
    """Figures of the summary that were moved by defects of targets that a user is warned of."""
    moved = set()
    for finding in misleading(every_finding(result)):
        moved |= {change[1] for change in finding.changes}
    changes = []
    for change in moved_otherwise(result):
        figure, _, target = change[1].partition(" of ")
        if {f"{measure_of(result, figure)} of {target}", f"m of {target}"} & moved:
            changes.append(change)
    return list(told_once(changes, len(result.rows)))


def defect_notes(result: MultiDisclosure, to_print: Sequence[str] = TO_PRINT) -> list[Note]:
    """What is wrong in R's figures for this call, the summary's own defects first; only where it
    touches what is printed.
    """
    is_shown = partial(_is_shown, result, to_print)
    moved = [change for change in moved_otherwise(result) if is_shown(change[1])]
    of_summary = [
        replace(finding, changes=tuple(told_once(finding.changes, len(result.rows))))
        for finding in concerning(result.defects, is_shown)
    ]

    def people(change: Change) -> tuple[tuple[Count, ...], tuple[Count, ...]]:
        return behind_change(result, change)

    notes = []
    if of_summary or moved:
        notes.append(
            fill.note(
                f"R's figures (synthpop {VERSIONS[result.compat]}) in this summary are not those"
                " of the published definitions:"
            )
        )
    for change in list(told_once(moved, len(result.rows)))[:MOST_FIGURES]:
        notes.append(change_note(change, several=False, behind=people, indent=2))
    notes += finding_notes(of_summary, several=False, behind=people)
    notes += _notes_of_targets(result, to_print)
    if notes and result.corrected is not None:
        notes.append(where_it_is())
    return notes


def _notes_of_targets(result: MultiDisclosure, to_print: Sequence[str]) -> Iterator[Note]:
    wrong = []
    for single in result.output_list.values():
        shown = concerning(single.defects, partial(_is_shown, result, to_print))
        if shown:
            wrong.append(replace(single, defects=shown))
    for single in wrong[:MOST_TARGETS]:
        yield from defect_notes_of_target(single, pointer=False)
    rest = wrong[MOST_TARGETS:]
    if rest:
        names = ", ".join(str(single.target) for single in rest)
        yield fill.note(
            f"and {len(rest)} more targets ({names}); see .output_list[target].defects", indent=2
        )


def moved_otherwise(result: MultiDisclosure) -> Iterator[Change]:
    """Figures of the summary that differ from the correct ones because of defects of single
    targets.
    """
    if result.corrected is None:
        return
    told = {change[1] for finding in result.defects for change in finding.changes}
    other = {row.target: row for row in result.corrected.rows}
    for row in result.rows:
        for figure in FIGURES:
            name = f"{figure} of {row.target}"
            r, correct = getattr(row, figure), getattr(other[row.target], figure)
            same = math.isclose(r, correct, rel_tol=1e-12) or (
                math.isnan(r) and math.isnan(correct)
            )
            if not same and name not in told:
                yield 0, name, r, correct


def behind_change(
    result: MultiDisclosure, change: Change
) -> tuple[tuple[Count, ...], tuple[Count, ...]]:
    """The people behind R's figure of the summary and the correct one."""
    figure, _, target = change[1].partition(" of ")
    if figure not in FIGURES:
        return (), ()
    people = []
    for which in (result, result.corrected or result):
        rows = [row for row in which.rows if str(row.target) == target]
        if not rows and target == EVERY_TARGET:
            rows = list(which.rows)
        counts: list[Count] = []
        for row in rows:
            counts += behind(which, row, figure)
        people.append(tuple(counts))
    return people[0], people[1]


def _is_shown(result: MultiDisclosure, to_print: Sequence[str], figure: str) -> bool:
    """Whether a figure, by its name, belongs to these parts of the printed summary. The whole
    summary reports all figures of its targets, a part only its own.
    """
    if figure == "m" or set(to_print) == set(TO_PRINT):
        return True
    if figure.startswith("ident_") or figure in (*IDENT, "baseCAPd"):
        return "ident" in to_print
    measure = LAYOUTS[VERSIONS[result.compat]].columns.get(figure, figure)
    of_table = [measure_of(result, name) for name in ("attrib_orig", "attrib_syn")]
    in_table = measure in of_table or figure.startswith(("attrib_", "check", "npairs"))
    return in_table and "attrib" in to_print
