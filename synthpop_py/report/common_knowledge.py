"""What may be common knowledge: R's 1-way and 2-way checks, in words."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from ..disclosure.checks import PairCheck
from ..disclosure.people import People
from ..show import Cell, Note, Section, fill
from .figures import Labels, Target, number_text, percent_text

HEADING = "What may be common knowledge"
MOST_PAIRS = 3
MOST_TARGETS = 6


def section(worst_first: Sequence[Target], labels: Labels) -> Section:
    flagged = [t for t in worst_first if t.result.check1 is not None or t.result.check2 is not None]
    return Section(tuple(_notes(flagged, labels)), heading=HEADING)


def _notes(flagged: Sequence[Target], labels: Labels) -> Iterator[Note]:
    yield fill.note(
        "Two checks ask whether a figure above is common knowledge: one value of the target "
        "may be behind nearly all that is disclosed (1-way), or a value of the target may "
        "nearly always go with one value of a key (2-way), as being single goes with being "
        "sixteen. Such people count as disclosed although nothing new is revealed about "
        "them."
    )
    if not flagged:
        yield fill.note("Neither check found anything: no level and no pair stands out.")
    for target in flagged[:MOST_TARGETS]:
        yield from _level(target, labels)
        yield from _pairs(target, labels)
    rest = [labels.of(target.name) for target in flagged[MOST_TARGETS:]]
    if rest:
        yield fill.note(f"Also flagged: {', '.join(rest)}.")


def _level(target: Target, labels: Labels) -> Iterator[Note]:
    """The first synthesis in which a level stands out."""
    for people in target.people:
        level = people.figures.level
        if level is None:
            continue
        share = people.behind_level("PctLevelDis")
        part = people.behind_level("nLevelDis")
        shown = _level_name(level.Level, target.name, target)
        yield fill.note(
            f"For {labels.of(target.name)}{_of_synthesis(people, target)}: of ",
            Cell(number_text(level.totalDisclosive), people.behind_level("totalDisclosive")),
            " people disclosed ",
            Cell(number_text(level.nLevelDis), part),
            " (",
            Cell(percent_text(level.PctLevelDis), share),
            ") have the value ",
            target.level(shown, level.nLevelDis),
            ", and so have ",
            Cell(percent_text(level.PctLevelAll), people.behind_level("PctLevelAll")),
            f" of {_whom(people)}. Anyone who guesses it is mostly correct without any data.",
            indent=1,
        )
        return


def _of_synthesis(people: People, target: Target) -> str:
    """Of several syntheses the one that these figures are of, which are no means."""
    return f" (synthesis {people.synthesis})" if target.result.m > 1 else ""


def _whom(people: People) -> str:
    return "those who were not left out" if people.left_out().n else "all people"


def _pairs(target: Target, labels: Labels) -> Iterator[Note]:
    for people in target.people:
        pairs = list(enumerate(people.figures.pairs))
        if not pairs:
            continue
        foremost = sorted(pairs, key=lambda pair: -pair[1].npairs)
        for row, pair in foremost[:MOST_PAIRS]:
            yield _pair(target, people, row, pair, labels)
        rest = len(pairs) - MOST_PAIRS
        if rest > 0:
            noun = "pair" if rest == 1 else "pairs"
            yield fill.note(
                f"For {labels.of(target.name)}: {rest} more {noun} of this kind.", indent=1
            )
        return


def _pair(target: Target, people: People, row: int, pair: PairCheck, labels: Labels) -> Note:
    share = people.behind_pair(row, "PctTargetKeyLevel")
    return fill.note(
        "For ",
        Cell(percent_text(pair.PctTargetKeyLevel), share),
        " of the ",
        Cell(number_text(pair.key_total), people.behind_pair(row, "key_total")),
        f" people whose {labels.of(pair.key)} is ",
        target.level(_level_name(pair.key_level, pair.key, target), pair.key_target_total),
        f", {labels.of(target.name)} is ",
        target.level(_level_name(pair.target_level, target.name, target), pair.key_target_total),
        f". Of those disclosed in groups of more than {people.large_group:g} with the same keys"
        f"{_of_synthesis(people, target)}, ",
        Cell(number_text(pair.npairs), people.behind_pair(row, "npairs")),
        " have both.",
        indent=1,
    )


def _level_name(level: str, column: Hashable, target: Target) -> str:
    """A level by its name; of a class not even that, since it may end at one person's value."""
    grouped = {str(name) for name in target.result.groupings}
    return "in one of its classes" if str(column) in grouped else level
