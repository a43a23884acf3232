"""What is wrong in R's figures: one wording for every result that has such figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from ..errors import RDefectWarning, warn
from ..r.both import Change, DefectFinding
from ..r.defects import BY_ID
from ..show import Cell, Count, Note, Section, fill, text

# the people behind R's figure of a change, and behind the correct one
Behind: TypeAlias = Callable[[Change], tuple[tuple[Count, ...], tuple[Count, ...]]]

FLAGGED = {"check_1way": "level", "check_2way": "pair"}
NO_LEVELS = ("some", "none")  # texts that give a number, not the levels
MOST_FIGURES = 6
MOST_DECIMALS = 12
KEY_MEASURES = ("repU", "DiSCO", "attrib_syn", "ident_syn")
WHERE_MORE_IS = "Details: .defects; the correct result: .corrected, or compat='corrected'."
WHERE_IT_IS = "The correct result is in .corrected; compat='corrected' returns it directly."
THE_SAME = "The same with R's defects corrected"


def warning_section(notes: Iterable[Note]) -> Section:
    return fill.section(fill.note("WARNING", strong=True), *notes)


def notes_text(notes: Iterable[Note]) -> str:
    """Notes as the text of a warning."""
    lines = []
    for note in notes:
        lines += text.note_lines(note)
    return "\n".join(lines)


def warn_of(notes: Iterable[Note]) -> None:
    """Warn at the user's line about what is wrong in R's figures."""
    warn(notes_text(notes), RDefectWarning)


def misleading(findings: Iterable[DefectFinding]) -> list[DefectFinding]:
    """The findings that need a warning."""
    return [finding for finding in findings if BY_ID[finding.id].misleads]


def warn_in_short(
    findings: Sequence[DefectFinding],
    *,
    several: bool = False,
    decimals: int = 2,
    first: Sequence[Change] = (),
) -> None:
    """One short warning with the figure that matters most, from `first` if it has any; nothing
    where no defect misleads. It ends up in logs, so it names no level of the original.
    """
    if not misleading(findings):
        return
    # conventions alone give no warning, but may have moved the headline figure
    telling = [finding for finding in findings if BY_ID[finding.id].severity != "D"]
    changes = list(first)
    for finding in telling:
        changes += finding.changes
    foremost = min(changes, key=_weight)
    note = change_note(without_levels(foremost), several=several, behind=None, decimals=decimals)
    figure = notes_text([note]).strip()
    moved = len({change[:2] for change in changes})
    others = f"; {moved - 1} more" if moved > 1 else ""
    reasons = dict.fromkeys(f"{finding.id}, {finding.summary}" for finding in telling)
    warn(
        f"R's figures are not correct here ({figure}{others}). {'; '.join(reasons)}."
        f" {WHERE_MORE_IS}",
        RDefectWarning,
    )


def concerning(
    findings: Iterable[DefectFinding], is_shown: Callable[[str], bool]
) -> tuple[DefectFinding, ...]:
    """The defects that moved a figure shown here, with those figures; and defects without a figure,
    because the call is invalid under the corrected reading.
    """
    shown = []
    for finding in findings:
        changes = []
        for change in finding.changes:
            if is_shown(change[1]) or change[2:] == (None, None):
                changes.append(change)
        if changes:
            shown.append(replace(finding, changes=tuple(changes)))
    return tuple(shown)


def where_it_is() -> Note:
    return fill.note(WHERE_IT_IS, indent=2)


def finding_notes(
    findings: Sequence[DefectFinding],
    *,
    several: bool,
    behind: Behind | None = None,
    decimals: int = 2,
    in_message: bool = False,
) -> Iterator[Note]:
    """Each defect with the figures it moved, the most important ones first.

    Parameters
    ----------
    in_message : for a warning, which ends up in logs: without levels of the original.
    several : there are several syntheses, so a figure needs the number of its synthesis.
    behind : the people behind a change; None where no figure is about people.
    decimals : the fewest decimals to show.
    """
    for finding in findings:
        yield fill.note(
            f"{finding.id}, {finding.summary}: R {finding.r_does}; correct: {finding.correct}.",
            indent=2,
        )
        changes = sorted(finding.changes, key=_rank)
        for change in changes[:MOST_FIGURES]:
            if in_message:
                change = without_levels(change)
            yield change_note(change, several=several, behind=behind, decimals=decimals)
        more = len(changes) - MOST_FIGURES
        if more > 0:
            yield fill.note(f"and {more} more figures; see .defects", indent=4)


def without_levels(change: Change) -> Change:
    """The change without levels of the original, which may belong to one person.

    >>> without_levels((1, "check_1way bishop  NDiSCO", 3.0, 4.0))
    (1, 'check_1way, NDiSCO of a flagged level', 3.0, 4.0)
    >>> without_levels((0, "check1", "bishop", "baker"))
    (0, 'check1: R has other levels than the correct ones', None, None)
    """
    synthesis, measure, r, correct = change
    for table, flagged in FLAGGED.items():
        if measure.startswith(f"{table} ") and not measure.endswith(" rows"):
            field = measure.rsplit(" ", 1)[1]
            measure = f"{table}, {field} of a flagged {flagged}"
    texts = [figure for figure in (r, correct) if isinstance(figure, str)]
    if any(text not in NO_LEVELS for text in texts):
        return synthesis, f"{measure}: R has other levels than the correct ones", None, None
    return synthesis, measure, r, correct


def change_note(
    change: Change,
    *,
    several: bool,
    behind: Behind | None,
    indent: int = 4,
    decimals: int = 2,
) -> Note:
    """One figure that moved."""
    synthesis, measure, r, correct = change
    where = f" (synthesis {synthesis})" if synthesis and several else ""
    if r is None and correct is None:
        return fill.note(f"{measure}{where}", indent=indent)
    people = ((), ()) if behind is None else behind(change)
    texts = figure_texts(r, correct, decimals)
    cells = [Cell(texts[0], people[0]), Cell(texts[1], people[1])]
    return fill.note(f"{measure}{where}: R ", cells[0], ", correct ", cells[1], indent=indent)


def _weight(change: Change) -> tuple[int, float]:
    """By importance, and of equally important figures the one that moved most."""
    *_, r, correct = change
    if isinstance(r, str) or isinstance(correct, str) or r is None or correct is None:
        return _rank(change), 0.0
    return _rank(change), -abs(r - correct)


def _rank(change: Change) -> int:
    """The measures people decide on first, then the others; rows of tables last."""
    measure = change[1].partition(" of ")[0]
    if measure in KEY_MEASURES:
        return 0
    return 2 if measure.startswith(("Nexclusions", "check")) else 1


def figure_texts(r: Any, correct: Any, decimals: int = 2) -> tuple[str, str]:
    """Both figures with enough decimals to tell them apart, at least two; a flagged level is shown
    as it is.
    """
    if isinstance(r, (int, float)) and isinstance(correct, (int, float)):
        while decimals < MOST_DECIMALS and round(r, decimals) == round(correct, decimals):
            decimals += 1
    return _figure_text(r, decimals), _figure_text(correct, decimals)


def _figure_text(figure: Any, decimals: int) -> str:
    if figure is None:
        return "none"
    if isinstance(figure, (str, int)):
        return str(figure)  # a level, or a number of something
    return f"{figure:.{decimals}f}"


def two_figures(r: Any, correct: Any) -> str:
    """Both figures in one text, as plots show them."""
    texts = figure_texts(r, correct)
    return f"R {texts[0]}, correct {texts[1]}"
