"""What this report hides, and what can still be seen in it."""

from __future__ import annotations

from collections.abc import Iterator

from ..show import Note, Section, fill

HEADING = "What is hidden here, and what remains"


def section(min_cell: int) -> Section:
    return Section(tuple(_notes(min_cell)), heading=HEADING)


def _notes(min_cell: int) -> Iterator[Note]:
    if min_cell <= 1:
        yield fill.note(
            f"Nothing is hidden (min_cell={min_cell}): this page has counts of single people "
            "and must stay confidential.",
            strong=True,
        )
        return
    last = min_cell - 1
    yield fill.note(
        "A report on risk is itself about people, so it follows a rule on small counts. Counts of"
        f" people from 1 to {last} are hidden, and every percentage, mean, range and picture that"
        " reveals one. So are names of levels that few people have. For a statement about a group"
        f' ("91 of 92"), those for whom it is not true count as well, from 0 to {last}. If printed'
        " sums would reveal a hidden count, more is hidden: an audit reads the page as an attacker"
        f" would, and leaves every hidden count at least {min_cell} possible values."
    )
    yield fill.note("What the rule does not take away:")
    yield fill.note(
        "Precision. If an intruder who is certain is correct in most cases, they know how "
        "far they may trust the synthetic data.",
        indent=1,
    )
    yield fill.note(
        "Group disclosure. The page says if nearly everyone with some value of a key has the "
        "same value of the target, by name if the group is large enough. This is also true "
        "of people who were never in the data.",
        indent=1,
    )
    yield fill.note(
        "Two reports compared. With other keys, other exclusions, another holdout or another"
        " min_cell a second page about the same data may show by subtraction what each hides."
        " Publish one.",
        indent=1,
    )
    yield fill.note(
        "The rule itself. Anyone who knows it knows that some hidden counts lie between 1 "
        f"and {last}; the page does not say which of them do, and which were hidden to "
        "protect others.",
        indent=1,
    )
    yield fill.note(
        "Names of columns; distances between tables, which change only if many records do; "
        "and figures on synthetic records alone, which anyone with the release can count.",
        indent=1,
    )
