"""Whom a figure speaks of: all original records, and how many of them exclusions left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..disclosure.people import People, people_of
from ..disclosure.result import Disclosure
from ..show import Count
from .small_figures import HIDDEN, people_words

__all__ = ["base_counts", "base_words", "remaining", "short_words"]


def _leaving_somebody_out(result: Disclosure) -> People | None:
    """The first synthesis whose figures do not speak of everybody: the original decides."""
    for people in people_of(result):
        if people.left_out().n:
            return people
    return None


def remaining(result: Disclosure) -> Count | None:
    """Those whom the attribute measures speak of; None where it is everybody."""
    people = _leaving_somebody_out(result)
    return None if people is None else people.removed("original", "remaining")


def base_counts(result: Disclosure) -> Iterator[Sequence[Count]]:
    """What the words below give away, for the rule on small cells."""
    people = _leaving_somebody_out(result)
    if people is not None:
        for count in people.behind_left_out():
            yield (count,)


def base_words(result: Disclosure, hidden: frozenset[str], min_cell: int) -> str:
    """Such as "of 5,000 people; 4,870 left out"."""
    everybody = f"of {people_words(result.Norig, min_cell)}"
    people = _leaving_somebody_out(result)
    if people is None:
        return everybody
    return f"{everybody}; {_number(people, hidden)} left out"


def short_words(result: Disclosure, hidden: frozenset[str]) -> str:
    """Such as "(4,870 left out)"; nothing where it is nobody."""
    people = _leaving_somebody_out(result)
    return "" if people is None else f"({_number(people, hidden)} left out)"


def _number(people: People, hidden: frozenset[str]) -> str:
    is_hidden = any(count.name in hidden for count in people.behind_left_out())
    return f"some ({HIDDEN})" if is_hidden else f"{people.left_out().n:,.0f}"
