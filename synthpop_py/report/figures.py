"""One target of a report: its measures, means over the syntheses, as cells that know the people
behind them.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from ..disclosure.people import People, people_of
from ..disclosure.result import Disclosure
from ..show import Cell, Count, Relation
from ..show.document import Words

NBSP = "\u00a0"
NONE = "no figure"
FEW = 20  # people, below which a mean has a decimal


def number_text(n: float) -> str:
    """Such as "5,000"; a mean over syntheses is "about 709"."""
    if math.isnan(n):
        return NONE
    if float(n).is_integer():
        return f"{n:,.0f}"
    return f"about {n:,.0f}" if n >= FEW else f"{n:,.1f}"


def percent_text(percent: float) -> str:
    """Such as "9.5 %"; small ones with two significant digits."""
    if math.isnan(percent):
        return NONE
    small = 0 < abs(percent) < 1
    return f"{percent:.2g}{NBSP}%" if small else f"{percent:.1f}{NBSP}%"


def joined(names: Sequence[object]) -> str:
    """Such as "sex, age and region"."""
    *first, last = map(str, names)
    return f"{', '.join(first)} and {last}" if first else last


@dataclass(frozen=True, slots=True)
class Labels:
    """The names of columns in sentences, if given."""

    given: Mapping[Hashable, str] = field(default_factory=dict)

    def of(self, name: Hashable) -> str:
        return str(self.given.get(name, name))

    def all(self, names: Sequence[Hashable]) -> str:
        return joined([self.of(name) for name in names])

    def one_value(self, name: Hashable) -> str:
        """Such as "a depression score", or "a value of depress"."""
        if name not in self.given:
            return f"a value of {name}"
        label = self.of(name)
        article = "an" if label[:1].lower() in "aeiou" else "a"
        return f"{article} {label}"


@dataclass(frozen=True, slots=True)
class Target:
    """The figures of one target. `people` are those behind each synthesis, `keys` in the order in
    which they were named.
    """

    result: Disclosure
    people: tuple[People, ...]
    keys: tuple[Hashable, ...]

    @classmethod
    def of(cls, result: Disclosure, keys: Sequence[Hashable] | None = None) -> Target:
        named = result.keys if keys is None else tuple(keys)
        return cls(result=result, people=people_of(result), keys=named)

    @property
    def name(self) -> Hashable:
        name: Hashable = self.result.target
        return name

    def level(self, name: str, n: float) -> Cell:
        """The name of a level, which is not shown where few people have it."""
        return Cell(name, (Count(name=f"level {name} of {self.name}, {n!r}", n=float(n)),))

    @property
    def everybody(self) -> Cell:
        counted = self.people[0].everybody
        return Cell(number_text(counted.n), (counted,))

    # ---- means -----------------------------------------------------------------------

    def behind(self, measure: str) -> tuple[Count, ...]:
        """The people behind a measure, in every synthesis: anyone who knows a mean and all its
        parts but one can work out the last one.
        """
        counts: dict[str, Count] = {}
        for people in self.people:
            for count in people.shares[measure]:
                counts.setdefault(count.name, count)
        return tuple(counts.values())

    def values(self, measure: str) -> list[float]:
        return [people.figures.shares[measure].percent for people in self.people]

    def percent(self, measure: str) -> Cell:
        """In per cent, as a number."""
        return Cell(_mean(self.values(measure)), self.behind(measure))

    def percent_words(self, measure: str) -> Cell:
        return Cell(percent_text(_mean(self.values(measure))), self.behind(measure))

    def numerator(self, measure: str) -> float:
        return _mean([people.figures.shares[measure].numerator for people in self.people])

    def number(self, measure: str) -> Cell:
        """The people whom a measure counts, as a number."""
        n = self.numerator(measure)
        whole = int(n) if n.is_integer() else round(n, 1)
        return Cell(whole, self.behind(measure))

    def number_words(self, measure: str) -> Cell:
        return Cell(number_text(self.numerator(measure)), self.behind(measure))

    def people_words(self, measure: str) -> Words:
        """Such as "477 (9.5 %)"."""
        return self.number_words(measure), " (", self.percent_words(measure), ")"

    # ---- range over the syntheses ----------------------------------------------------

    def lowest(self, measure: str) -> Cell:
        return self._extreme(measure, highest=False)

    def highest(self, measure: str) -> Cell:
        return self._extreme(measure, highest=True)

    def _extreme(self, measure: str, *, highest: bool) -> Cell:
        values = self.values(measure)
        known = [value for value in values if not math.isnan(value)]
        if not known:
            return Cell(math.nan)
        extreme = max(known) if highest else min(known)
        people = self.people[values.index(extreme)]
        return Cell(extreme, people.shares[measure])

    def relations(self) -> tuple[Relation, ...]:
        return self.result._relations()


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
