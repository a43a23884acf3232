"""What was asked: data, keys, targets, exclusions with how many people they leave out, grouping."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from ..disclosure.exclusions import REASONS
from ..disclosure.people import People
from ..show import Cell, Note, Section, fill
from ..show.document import Words
from .evidence import Evidence
from .figures import Labels, Target, joined, number_text

HEADING = "What was asked"
MOST_NAMES = 20


def section(evidence: Evidence, targets: Sequence[Target], labels: Labels) -> Section:
    return Section(tuple(_notes(evidence, targets, labels)), heading=HEADING)


def _notes(evidence: Evidence, targets: Sequence[Target], labels: Labels) -> Iterator[Note]:
    first = evidence.first
    yield fill.note("Original data: ", targets[0].everybody, " people, one record each.", indent=1)
    yield fill.note(f"Synthetic data: {_syntheses(first.Nsyn)}.", indent=1)
    yield fill.note(*_keys(evidence, labels), indent=1)
    names = [f"{labels.of(target.name)}{_column(target.name, labels)}" for target in targets]
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    yield fill.note(
        f"Targets (what they would like to learn): {', '.join(names[:MOST_NAMES])}{more}.",
        indent=1,
    )
    yield from _special_values(targets, labels)
    yield from _exclusions(targets, labels)
    yield fill.note(_grouping(targets, labels), indent=1)
    yield fill.note(
        "Reading: the published definitions. Missing values count as a value like any other"
        " unless they are left out above.",
        indent=1,
    )


def _syntheses(records: Sequence[int]) -> str:
    if len(records) == 1:
        return f"1 synthesis of {number_text(records[0])} records"
    if len(set(records)) == 1:
        return f"{len(records)} syntheses of {number_text(records[0])} records each"
    sizes = joined([number_text(n) for n in records])
    return f"{len(records)} syntheses of {sizes} records"


def _column(name: Hashable, labels: Labels) -> str:
    """The column, where it goes by another name."""
    return f" ({name})" if labels.of(name) != str(name) else ""


def _keys(evidence: Evidence, labels: Labels) -> Words:
    keys = evidence.keys
    names = joined([f"{labels.of(key)}{_column(key, labels)}" for key in keys])
    said = f"Keys (what somebody may know about a person): {names}."
    if evidence.keys_searched and evidence.searched is not None:
        said += (
            " No keys were named. These are the riskiest of the "
            f"{number_text(len(evidence.searched.table))} sets of up to "
            f"{evidence.searched.max_keys} columns that were tried; the section on keys has "
            "more."
        )
    if evidence.identifiers:
        said += (
            " Not tried as keys, because they differ for everyone (an identifier, which no "
            f"release should have): {labels.all(evidence.identifiers)}."
        )
    return (said,)


def _special_values(targets: Sequence[Target], labels: Labels) -> Iterator[Note]:
    """Codes of numeric columns, such as -8: those given, and those that the synthesis brings."""
    codes: dict[str, Sequence[object]] = {}
    for target in targets:
        codes |= target.result._arguments()["cont_na"]
    parts = []
    for name, values in codes.items():
        parts.append(f"{', '.join(map(str, values))} in {labels.of(name)}")
    if parts:
        yield fill.note(
            f"Special values (cont_na), which count as levels, not as numbers: {'; '.join(parts)}.",
            indent=1,
        )


# ---- exclusions ----------------------------------------------------------------------


def _exclusions(targets: Sequence[Target], labels: Labels) -> Iterator[Note]:
    told = False
    for target in targets:
        people = _leaving_somebody_out(target)
        if people is None:
            continue
        if not told:
            yield fill.note(
                "Exclusions; percentages are still of all people:",
                indent=1,
            )
            told = True
        yield fill.note(f"For {labels.of(target.name)}: ", *_left_out(people, target), indent=1)
    if not told:
        yield fill.note("Exclusions: none.", indent=1)


def _leaving_somebody_out(target: Target) -> People | None:
    for people in target.people:
        if people.left_out().n:
            return people
    return None


def _left_out(people: People, target: Target) -> Words:
    """Such as "438 people (target missing: 438)"."""
    reasons: list[str | Cell] = []
    for reason in REASONS:
        removed = people.removed("original", reason.name)
        if removed.n:
            between = "; " if reasons else ""
            told = reason.told or reason.name
            reasons += [f"{between}{told}", *_level(target, people, reason.name), ": "]
            reasons.append(Cell(number_text(removed.n), (removed,)))
    whole = Cell(number_text(people.left_out().n), people.behind_left_out())
    return whole, " people (", *reasons, ")"


def _level(target: Target, people: People, reason: str) -> Words:
    """The level that was left out, unless only few people have it."""
    given = target.result._arguments().get("not_targetlev")
    levels = [given] if isinstance(given, str) else list(given or ())
    # of several levels, it is not known which of them few people have
    if reason != "excluded target" or len(levels) != 1:
        return ()
    return " ", target.level(str(levels[0]), people.removed("original", reason).n)


def _grouping(targets: Sequence[Target], labels: Labels) -> str:
    """Which variables are in classes. The ends are not shown: the last class ends at the largest
    value, which may be one person's.
    """
    classes: dict[Hashable, int] = {}
    grouped: set[str] = set()
    for target in targets:
        arguments = target.result._arguments()
        asked = arguments.get("ngroups_keys") or ()
        keys = arguments.get("keys") or ()
        groups = asked if isinstance(asked, (list, tuple)) else [asked] * len(keys)
        classes |= dict(zip(keys, groups))
        classes[target.name] = arguments.get("ngroups_target") or 0
        grouped |= {str(name) for name in target.result.groupings}
    parts = []
    for name, number in classes.items():
        if number and str(name) in grouped:
            parts.append(f"{labels.of(name)} (about {number})")
    if not parts:
        return "Grouping into classes: none; numbers count as they are."
    return f"Grouped into classes of about equal numbers of people: {joined(parts)}."
