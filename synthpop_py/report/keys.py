"""Which keys are dangerous, if it is not known what others know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..disclosure.people import count_name
from ..key_search.result import KeyRisk, measures_of
from ..key_search.show import (
    everybody,
    mean_of,
    riskiest_sets,
    single_of,
    what_keys_add,
)
from ..plots.key_risk import keys_that_add_most
from ..show import Block, Cell, Figure, Note, Relation, Section, fill
from .evidence import Evidence
from .figures import Labels, Target, joined, number_text
from .targets import Drawings

HEADING = "Which keys are dangerous"
MOST_KEYS_DRAWN = 12
MOST_SETS = 5
DIGITS = 2
SHARE_DISCLOSED = 0.05


def section(evidence: Evidence, labels: Labels, drawings: Drawings, min_cell: int) -> Section:
    if evidence.searched is None:
        reason = evidence.reasons.get("keys", "")
        return fill.section(
            fill.note(f"No sets of keys were searched. {reason}".rstrip()), heading=HEADING
        )
    blocks = _blocks(evidence.searched, labels, drawings, min_cell)
    return Section(tuple(blocks), heading=HEADING)


def _blocks(
    searched: KeyRisk, labels: Labels, drawings: Drawings, min_cell: int
) -> Iterator[Block]:
    limit = ""
    if searched.max_keys < len(searched.candidates):
        limit = f", up to {searched.max_keys} at a time"
    yield fill.note(
        "Nobody knows for sure what others know. So every set of these columns was tried as keys"
        f"{limit} ({number_text(len(searched.table))} sets):"
        f" {', '.join(labels.of(name) for name in searched.candidates)}."
    )
    yield from _smallest(searched, labels, min_cell)
    yield from _identifiers(searched, labels)
    yield what_keys_add(searched, DIGITS, called=labels.of)
    # the sentence on further sets refers to Python, which a reader of a page does not have
    yield from (block for block in riskiest_sets(searched, DIGITS) if not isinstance(block, Note))
    if searched.max_keys > 1 and len(searched.candidates) > 1:
        yield _heatmap(searched, drawings)


def _smallest(searched: KeyRisk, labels: Labels, min_cell: int) -> Iterator[Note]:
    """The smallest sets that reach a share; said only where that share is not a few people."""
    questions = [("UiO", searched.share, "make", "unique")]
    for target, measure in zip(searched.targets, measures_of(searched.targets)[2:]):
        questions.append((measure, SHARE_DISCLOSED, "reveal", labels.of(target)))
    for measure, share, verb, what in questions:
        if share * searched.Norig < min_cell:
            continue
        sets = searched.smallest(share, measure)["keys"].tolist()
        people = f"at least {100 * share:g} % of the people"
        action = f"{verb} {people} {what}" if verb == "make" else f"{verb} {what} of {people}"
        kind = measure.partition(" ")[0]
        yield fill.note(f"Smallest sets that {action} ({kind}): {_sets(sets, labels)}.", indent=1)


def _sets(sets: Sequence[Sequence[object]], labels: Labels) -> str:
    if not sets:
        return "none of those tried"
    shown = "; ".join(labels.all(list(keys)) for keys in sets[:MOST_SETS])
    rest = len(sets) - MOST_SETS
    return f"{shown}; and {rest} more" if rest > 0 else shown


def _identifiers(searched: KeyRisk, labels: Labels) -> Iterator[Note]:
    alone = [name for name in searched.candidates if searched.of([name])["UiO"] == 100]
    if alone:
        yield fill.note(
            f"Different for everyone: {joined([labels.of(name) for name in alone])}. Such a column"
            " is an identifier, and as a key it says nothing about others.",
            strong=True,
        )


def _heatmap(searched: KeyRisk, drawings: Drawings) -> Figure:
    from ..plots.key_risk import plot_pairs

    drawn = set(keys_that_add_most(searched, MOST_KEYS_DRAWN))
    shows = []
    for row, keys in enumerate(searched._counts.subsets):
        if len(keys) <= 2 and set(keys) <= drawn:
            shows.append(Cell(None, (mean_of(searched, row, 0), everybody(searched))))
    drawings["pairs"] = lambda **look: plot_pairs(searched, most=MOST_KEYS_DRAWN, **look)
    rest = len(searched.candidates) - len(drawn)
    of = f" The {len(drawn)} columns that add most are drawn." if rest else ""
    return Figure(
        caption=(
            "Every pair of keys, and each key alone on the diagonal: how many people are unique on"
            f" it in the original (UiO, %). The darker, the more dangerous.{of}",
        ),
        drawn_by="pairs",
        shows=tuple(shows),
    )


def relations(evidence: Evidence, targets: Sequence[Target]) -> Iterator[Relation]:
    """The search and the report have the same counts for the keys of the report."""
    searched = evidence.searched
    if searched is None:
        return
    yield from searched._relations()
    names = set(evidence.first.keys)
    rows = [row for row, keys in enumerate(searched.table["keys"]) if set(keys) == names]
    by_name = {target.name: target for target in targets}
    for row in rows:
        for position, measure in enumerate(measures_of(searched.targets)):
            kind, _, _ = measure.partition(" ")
            target = targets[0] if position < 2 else by_name.get(searched.targets[position - 2])
            if target is not None and len(target.people) == searched.m:
                yield from _same(searched, row, position, kind, target)


def _same(
    searched: KeyRisk, row: int, position: int, kind: str, target: Target
) -> Iterator[Relation]:
    for j, people in enumerate(target.people):
        n = people.figures.shares[kind].numerator
        here = single_of(searched, row, position, j)
        if here.n == n:
            there = count_name(kind, target.name, people.synthesis, n)
            yield fill.total(here.name, [there])
