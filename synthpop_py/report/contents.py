"""All parts of a report in their order, as one document, with the rule on small cells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from ..show import Count, Document, Note, Relation, Section, fill
from ..show.audit import Range, exposed
from ..show.document import cells_of, with_cells
from ..show.small_cells import concealed, hidden_names, is_small
from . import (
    answer,
    as_r,
    asked,
    baseline,
    common_knowledge,
    definitions,
    keys,
    limits,
    reproducibility,
    syntheses,
    targets,
    utility,
)
from .evidence import Evidence
from .figures import Labels, Target
from .targets import Drawings


@dataclass(frozen=True, slots=True)
class Wanted:
    """How a report should look.

    Attributes
    ----------
    call : the arguments, as they were given.
    day : the date that is shown.
    """

    title: str
    labels: Labels
    min_cell: int
    call: Mapping[str, Any]
    day: date
    original_fingerprint: bool = False


@dataclass(frozen=True, slots=True)
class Audit:
    """What an attacker could work out from a page.

    Attributes
    ----------
    min_cell : the rule.
    counts : how many different counts of people are behind the page.
    small : how many of these are hidden because they are small.
    for_others : hidden because they would reveal a small one.
    exposed : hidden counts that could still have fewer than `min_cell` values, with their ranges.
        Empty if the audit passes.
    """

    min_cell: int
    counts: int
    small: int
    for_others: int
    exposed: Mapping[str, Range] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        return not self.exposed


@dataclass(frozen=True, slots=True)
class Contents:
    """A document as it may be shown, the names of what is hidden, and what draws its pictures."""

    document: Document
    hidden: frozenset[str]
    drawings: Drawings
    audit: Audit


def compose(evidence: Evidence, wanted: Wanted) -> Contents:
    """The report after the rule on small cells."""
    drawings: Drawings = {}
    worst_first = [Target.of(result, evidence.keys) for result in evidence.worst_first]
    full = Document(
        title=wanted.title,
        sections=tuple(_sections(evidence, worst_first, wanted, drawings)),
        relations=_relations(evidence, worst_first),
        headline=(*_cautions(evidence), *answer.headline(worst_first, wanted.labels)),
    )
    hidden = hidden_names(cells_of(full), full.relations, wanted.min_cell)
    shown = with_cells(full, lambda cell: concealed(cell, hidden))
    sections = map(answer.without_empty_sentences, shown.sections)
    shown = replace(shown, sections=tuple(sections))
    return Contents(shown, hidden, drawings, _audited(full, hidden, wanted.min_cell))


def _cautions(evidence: Evidence) -> Iterator[Note]:
    """What to know about the data before reading a figure, keys first."""
    texts: dict[str, None] = {}
    for result in evidence.results.values():
        texts |= dict.fromkeys(note for note in result.notes if note not in result._on_order)
    for text in texts:
        # what the argument of a function is called means nothing to a reader of the page
        where = re.sub(r"^object(?:, element (\d+))?, ", r"synthetic data \1, ", text)
        yield fill.note(f"Caution: {where.replace(' , ', ', ')}.", strong=True)


def _sections(
    evidence: Evidence, worst_first: list[Target], wanted: Wanted, drawings: Drawings
) -> Iterator[Section]:
    labels = wanted.labels
    in_order = [Target.of(result, evidence.keys) for result in evidence.results.values()]
    yield asked.section(evidence, in_order, labels)
    yield answer.section(evidence, worst_first, labels)
    yield targets.section(evidence, worst_first, labels, drawings)
    yield targets.funnels(worst_first, labels, drawings)
    yield baseline.section(evidence, worst_first, labels, wanted.min_cell)
    yield common_knowledge.section(worst_first, labels)
    yield keys.section(evidence, labels, drawings, wanted.min_cell)
    yield syntheses.section(worst_first, labels)
    yield utility.section(evidence, worst_first, labels)
    yield limits.section(wanted.min_cell)
    yield as_r.section(evidence, worst_first)
    yield definitions.section()
    yield reproducibility.section(
        evidence,
        call=wanted.call,
        day=wanted.day,
        original_fingerprint=wanted.original_fingerprint,
    )


def _relations(evidence: Evidence, worst_first: list[Target]) -> tuple[Relation, ...]:
    """The relations between the counts of all parts, each once."""
    relations: list[Relation] = []
    if evidence.summary is not None:
        relations += evidence.summary._relations()
    for target in worst_first:
        relations += target.relations()
    for result in evidence.as_r.values():
        relations += result._relations()
    relations += baseline.relations(worst_first)
    relations += keys.relations(evidence, worst_first)
    relations += utility.relations(evidence)
    return tuple(dict.fromkeys(relations))


def _audited(full: Document, hidden: frozenset[str], min_cell: int) -> Audit:
    counts: dict[str, Count] = {}
    for cell in cells_of(full):
        for count in cell.people:
            counts.setdefault(count.name, count)
    small = [name for name in hidden if is_small(counts[name], min_cell)]
    known = [relation for relation in full.relations if _is_met(relation, counts)]
    return Audit(
        min_cell=min_cell,
        counts=len(counts),
        small=len(small),
        for_others=len(hidden) - len(small),
        exposed=exposed(counts, hidden, known, min_cell) if hidden else {},
    )


def _is_met(relation: Relation, counts: Mapping[str, Count]) -> bool:
    """Whether a relation holds: R's defects can break one, and then nobody can work anything out
    from it.
    """
    if any(name not in counts for _, name in relation.terms):
        return True
    total = sum(factor * counts[name].n for factor, name in relation.terms)
    return relation.low - 1e-6 <= total <= relation.high + 1e-6
