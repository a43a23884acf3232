"""Every figure of ``risk``, R's and the correct one, with the people it is about."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

from ..disclosure.measures import BY_NAME
from ..disclosure.people import People, people_of
from ..disclosure.result import Disclosure
from ..show import Cell, Relation
from ..summary.result import MultiDisclosure

__all__ = ["Figure", "Readings", "figures_of"]


@dataclass(frozen=True, slots=True)
class Readings:
    """The same question answered by the published definitions, and as R answers it.

    Attributes
    ----------
    correct : by the definitions.
    as_r : R's; None where R's reading of the call is refused.
    shown : the one that was asked for.
    """

    correct: MultiDisclosure
    as_r: MultiDisclosure | None
    shown: MultiDisclosure

    def relations(self) -> tuple[Relation, ...]:
        """The relations between the counts of both."""
        relations = self.correct._relations()
        return relations if self.as_r is None else (*relations, *self.as_r._relations())


@dataclass(frozen=True, slots=True)
class Figure:
    """A measure of one target and synthesis.

    Attributes
    ----------
    value, numerator, denominator : of the reading that was asked for.
    corrected, r : the value in either reading.
    differs : whether the two differ.
    """

    target: Hashable
    synthesis: int
    measure: str
    value: Cell
    numerator: Cell
    denominator: Cell
    corrected: Cell
    r: Cell
    differs: bool

    @property
    def about(self) -> dict[str, str]:
        measure = BY_NAME[self.measure]
        return {"unit": f"% of {measure.of}", "direction": measure.direction}

    def cells(self) -> dict[str, Cell]:
        names = ("value", "numerator", "denominator", "corrected", "r")
        return {name: getattr(self, name) for name in names}


def figures_of(readings: Readings) -> list[Figure]:
    """All of them, by target, synthesis and measure."""
    figures: list[Figure] = []
    for target in readings.shown.output_list:
        shown = people_of(readings.shown[target])
        for number, people in enumerate(shown, start=1):
            correct = _set_of(readings.correct, target, number)
            as_r = _set_of(readings.as_r, target, number)
            figures += _of_set(target, people, correct, as_r)
    return figures


def _set_of(result: MultiDisclosure | None, target: Hashable, number: int) -> People | None:
    """The people of a synthesis; R looks at fewer syntheses than there are in some calls."""
    if result is None:
        return None
    single: Disclosure = result[target]
    sets = people_of(single)
    return sets[number - 1] if number <= len(sets) else None


def _of_set(
    target: Hashable, people: People, correct: People | None, as_r: People | None
) -> Iterator[Figure]:
    for measure, share in people.figures.shares.items():
        corrected, r = _value(correct, measure), _value(as_r, measure)
        yield Figure(
            target=target,
            synthesis=people.synthesis,
            measure=measure,
            value=Cell(share.percent, people.shares[measure]),
            numerator=Cell(share.numerator, people.behind_numerator(measure)),
            denominator=Cell(share.denominator, people.behind_denominator(measure)),
            corrected=corrected,
            r=r,
            differs=_differ(corrected.value, r.value),
        )


def _value(people: People | None, measure: str) -> Cell:
    if people is None or measure not in people.figures.shares:
        return Cell(None)
    return Cell(people.figures.shares[measure].percent, people.shares[measure])


def _differ(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return False
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) != math.isnan(other)
    return not math.isclose(one, other, rel_tol=1e-12)
