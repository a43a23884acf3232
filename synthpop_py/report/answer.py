"""The answer in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..disclosure.show import nearly_sure
from ..show import Block, Cell, Note, Section, fill
from ..show.document import Words
from .evidence import Evidence
from .figures import Labels, Target

HEADING = "The answer"
MOST_TARGETS = 5
PRECISION = " of these (precision, TCAP_DiS)."
BOTH_HIDDEN = (
    " For how many they would be certain, and how often correct (precision, TCAP_DiS), is hidden"
    " here."
)


def section(evidence: Evidence, worst_first: Sequence[Target], labels: Labels) -> Section:
    return Section(tuple(_notes(worst_first, labels, evidence.first.m)), heading=HEADING)


def headline(worst_first: Sequence[Target], labels: Labels) -> tuple[Note, ...]:
    """The worst target, and who can be found, for the top of the page."""
    worst = worst_first[0]
    return (
        fill.note(*disclosed(worst, labels)),
        *_what_nearly_means(worst),
        fill.note(*replicated(worst, labels)),
    )


def _what_nearly_means(target: Target) -> Iterator[Note]:
    if target.result.certainty < 1:
        yield nearly_sure(target.result.certainty)


def _notes(worst_first: Sequence[Target], labels: Labels, m: int) -> Iterator[Note]:
    first = worst_first[0]
    if m > 1:
        yield fill.note(f"All figures are means of {m} syntheses; their range is below.")
    yield fill.note(*replicated(first, labels))
    yield fill.note("What can be learnt about a person who is found is the second question:")
    yield from _what_nearly_means(first)
    for target in worst_first[:MOST_TARGETS]:
        yield fill.note(*disclosed(target, labels), *_sure(target), indent=1)
    rest = len(worst_first) - MOST_TARGETS
    if rest > 0:
        others = "other target is" if rest == 1 else f"other {rest} targets are"
        yield fill.note(f"The {others} less at risk; the table has them all.")
    yield fill.note(
        "The report gives no verdict: how much risk is acceptable depends on who gets the data"
        " and on what a disclosure would do to a person."
    )


def replicated(target: Target, labels: Labels) -> Words:
    keys = labels.all(target.keys)
    return (
        "Of ",
        target.everybody,
        " people, ",
        *target.people_words("UiO"),
        f" are the only ones with their combination of {keys}; for ",
        *target.people_words("repU"),
        " the synthetic data also hold exactly one such record, so somebody who knows this "
        "much may believe they have found the person (repU).",
    )


def disclosed(target: Target, labels: Labels) -> Words:
    """Such as "Of 5,000 people, 477 (9.5 %) have a depression score that the synthetic data reveal
    correctly to somebody who knows sex, age and region (DiSCO)."
    """
    return (
        "Of ",
        target.everybody,
        " people, ",
        *target.people_words("DiSCO"),
        f" have {labels.one_value(target.name)} that the synthetic data reveal correctly to"
        f" somebody who knows {labels.all(target.keys)} (DiSCO).",
    )


def _sure(target: Target) -> Words:
    """How often an intruder who is certain, or nearly so, would be correct."""
    certain = "certain" if target.result.certainty == 1 else "nearly sure"
    return (
        f" They would be {certain} of the value of ",
        target.number_words("DiS"),
        " people, and correct for ",
        target.percent_words("TCAP_DiS"),
        PRECISION,
    )


def without_empty_sentences(section: Section) -> Section:
    """The section after the rule on small cells: a sentence of which both figures are hidden says
    so in plain words.
    """
    return replace(section, blocks=tuple(map(_said, section.blocks)))


def _said(block: Block) -> Block:
    if not isinstance(block, Note) or block.words[-1] != PRECISION:
        return block
    *before, _, people, _, share, _ = block.words
    if any(isinstance(cell, Cell) and not cell.hidden for cell in (people, share)):
        return block
    return replace(block, words=(*before, BOTH_HIDDEN))
