"""The people a figure is about: all original records, and how many of them exclusions left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..disclosure.people import People, people_of
from ..exclusions import REASONS
from ..results import Disclosure
from ..show import Count
from .small_figures import HIDDEN, people_words

__all__ = [
    "base_counts",
    "base_words",
    "identity_base_counts",
    "identity_base_words",
    "remaining",
    "short_words",
]

STILL_OF_ALL = ", percentages are still of all"  # as R divides, of identity measures


def _leaving_somebody_out(result: Disclosure) -> People | None:
    """The first synthesis whose figures leave someone out: the original decides who."""
    for people in people_of(result):
        if people.left_out().n:
            return people
    return None


def remaining(result: Disclosure) -> Count | None:
    """The people the attribute measures are about; None if that is everyone."""
    people = _leaving_somebody_out(result)
    return None if people is None else people.removed("original", "remaining")


def base_counts(result: Disclosure) -> Iterator[Sequence[Count]]:
    """The counts that the words below reveal, for the rule on small cells."""
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
    """Such as "(4,870 left out)"; empty if nobody is left out."""
    people = _leaving_somebody_out(result)
    return "" if people is None else f"({_number(people, hidden)} left out)"


def _number(people: People, hidden: frozenset[str]) -> str:
    is_hidden = any(count.name in hidden for count in people.behind_left_out())
    return f"some ({HIDDEN})" if is_hidden else f"{people.left_out().n:,.0f}"


# ---- of identity measures ------------------------------------------------------------


def identity_base_counts(result: Disclosure) -> Iterator[Sequence[Count]]:
    """The counts that the words below reveal, for the rule on small cells."""
    number = _left_out_of_identity(result)
    if number:
        for count in _behind_identity(result, number):
            yield (count,)


def identity_base_words(result: Disclosure, hidden: frozenset[str], min_cell: int) -> str:
    """Such as "of 5,000 people; 683 left out, percentages are still of all". R's identity measures
    leave out everyone left out for any reason (D17), correct ones only records that lack a key.
    """
    everybody = f"of {people_words(result.Norig, min_cell)}"
    number = _left_out_of_identity(result)
    correct = number if result.corrected is None else _left_out_of_identity(result.corrected)
    if number != correct:
        in_r = _identity_number(result, number, hidden)
        in_correct = _identity_number(result, correct, hidden)
        number_words = f"{in_r} left out in R's figures, {in_correct} in the correct ones"
        return f"{everybody}; {number_words}{STILL_OF_ALL}"
    if number == 0:
        return everybody
    return f"{everybody}; {_identity_number(result, number, hidden)} left out{STILL_OF_ALL}"


def _left_out_of_identity(result: Disclosure) -> int | None:
    """How many people identity measures leave out; None if that is not known: a result read from a
    file counts people left out for several reasons under the first reason.
    """
    people = _leaving_somebody_out(result)
    if people is None:
        return 0
    counted = None if result._outcome is None else result._outcome.counted
    if counted is not None:
        return result.Norig - int(counted.sets[people.synthesis - 1].kept.counted.d.sum())
    about_keys = [reason.name for reason in REASONS if reason.about_keys]
    of_keys = sum(int(people.removed("original", name).n) for name in about_keys)
    everybody_left_out = int(people.left_out().n)
    in_r = result.compat != "corrected"
    if in_r or of_keys == everybody_left_out:
        return everybody_left_out
    return None


def _behind_identity(result: Disclosure, number: int) -> tuple[Count, Count]:
    people = people_of(result)[0]
    left_out = people.named("left out of identity", number)
    return left_out, people.named("spoken of by identity", result.Norig - number)


def _identity_number(result: Disclosure, number: int | None, hidden: frozenset[str]) -> str:
    if number is None:
        return "those who lack a key"
    if number == 0:
        return "nobody"
    is_hidden = any(count.name in hidden for count in _behind_identity(result, number))
    return f"some ({HIDDEN})" if is_hidden else f"{number:,}"
