"""From match probabilities to what an intruder declares: c, I, K, F of Reiter and Mitra, decided
exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..core.arrays import Flags, Floats, Integers
from .belief import Belief
from .exact import highest, sign_against
from .leader_rows import NEAR, Leaders

__all__ = ["Contest", "Odds", "TargetOutcomes", "declare", "outcomes_of", "together"]


@dataclass(frozen=True, slots=True)
class Odds:
    """Probabilities as whole numbers.

    The probability of record i for target t is ``(scale * x + base_numerator[t] /
    base_denominator[t]) / whole``, where x is the sum of ``numerator[s] / denominator[t, s]`` over
    the sets s in which i matches t.

    Attributes
    ----------
    numerator : int64, shape (sets,): the weight of each set.
    whole : their total over the released sets.
    denominator : int64, shape (G, sets): n_t or N_t times `scale`; 0 where the set gives no
        probability.
    base_numerator, base_denominator : int64, shape (G,): what every record that agrees on the known
        keys has besides, and how many records these are; 0 for nothing.
    """

    numerator: Integers
    whole: int
    denominator: Integers
    scale: int
    base_numerator: Integers
    base_denominator: Integers

    def worth(self) -> Floats:
        """numerator / denominator as floats, 0 where there is none."""
        fractions = self.numerator / np.maximum(self.denominator, 1)
        return np.where(self.denominator > 0, fractions, 0.0)


@dataclass(frozen=True, slots=True)
class TargetOutcomes:
    """The outcome for every target, one value each.

    Attributes
    ----------
    highest : the highest probability of any record.
    exceeds : it exceeds the threshold, decided exactly.
    c : records at the highest probability; 0 when no record is named.
    inside : the true record is one of them (I).
    fallbacks : sets in which no record matched and weaker agreement was used.
    in_file : probability of being in the file; None where that is known.
    """

    highest: Floats
    exceeds: Flags
    c: Integers
    inside: Flags
    fallbacks: Integers
    in_file: Floats | None

    @property
    def K(self) -> Flags:
        correct: Flags = (self.c == 1) & self.inside
        return correct

    @property
    def F(self) -> Flags:
        wrong: Flags = (self.c == 1) & ~self.inside
        return wrong


def together(parts: Sequence[TargetOutcomes], order: Integers) -> TargetOutcomes:
    """Outcomes of parts of the targets, one after the other, and then in an order of their own."""
    in_file = None
    if parts[0].in_file is not None:
        in_file = np.concatenate([part.in_file for part in parts])[order]
    return TargetOutcomes(
        highest=np.concatenate([part.highest for part in parts])[order],
        exceeds=np.concatenate([part.exceeds for part in parts])[order],
        c=np.concatenate([part.c for part in parts])[order],
        inside=np.concatenate([part.inside for part in parts])[order],
        fallbacks=np.concatenate([part.fallbacks for part in parts])[order],
        in_file=in_file,
    )


@dataclass(frozen=True, slots=True)
class Contest:
    """What decides which record the intruder names.

    Attributes
    ----------
    of_record : one per target: its key.
    itself : bool, shape (targets, sets): the sets in which the record of a target matches it.
    has_base : bool, one per target: its record agrees on the known keys.
    """

    leaders: Leaders
    odds: Odds
    of_record: Integers
    itself: Flags
    has_base: Flags

    def row_of_target(self) -> Integers:
        """A row of the leaders for each target key, shape (G,); -1 where nobody leads."""
        row = np.full(len(self.odds.denominator), -1, dtype=np.int64)
        row[self.leaders.target] = np.arange(len(self.leaders.target))
        return row


@dataclass(frozen=True, slots=True)
class Declared:
    """By target key: c, and the sets in which the leaders match (bool, shape (G, sets)). By record:
    I.
    """

    c: Integers
    bits: Flags
    inside: Flags


def declare(contest: Contest) -> Declared:
    """Count the leaders of every target and find out whether the true record is one of them."""
    leaders, odds = contest.leaders, contest.odds
    targets, sets = odds.denominator.shape
    several = np.bincount(leaders.target, minlength=targets) > 1
    best = np.ones(len(leaders.target), dtype=bool)
    inside = _inside_if_decided(contest)
    if several.any():
        _decide_exactly(contest, several, best, inside)
    best_target = leaders.target[best]
    c = np.zeros(targets, dtype=np.int64)
    np.add.at(c, best_target, leaders.count[best])
    bits = np.zeros((targets, sets), dtype=bool)
    bits[best_target] = leaders.bits[best]
    # where nobody matches in any set, all that have the base are at the top
    agreeing = odds.base_denominator
    only_base = (c == 0) & (odds.base_numerator > 0) & (agreeing > 0)
    c[only_base] = agreeing[only_base]
    inside |= only_base[contest.of_record] & contest.has_base
    return Declared(c, bits, inside)


def _inside_if_decided(contest: Contest) -> Flags:
    """Where all leaders match in the same sets they are at the top, and the true record is one of
    them if it matches in these sets.
    """
    row = contest.row_of_target()[contest.of_record]
    record = np.flatnonzero(row >= 0)
    gives_probability = contest.odds.denominator[contest.of_record[record]] > 0
    true_bits = contest.itself[record] & gives_probability
    inside = np.zeros(len(contest.itself), dtype=bool)
    inside[record] = (contest.leaders.bits[row[record]] == true_bits).all(axis=1)
    return inside


def _decide_exactly(contest: Contest, several: Flags, best: Flags, inside: Flags) -> None:
    """Where leaders match in different sets: fill in who is at the top (`best`, `inside`)."""
    leaders, odds, of_record = contest.leaders, contest.odds, contest.of_record
    rows = np.flatnonzero(several[leaders.target])
    # true records that are clearly below the leaders are not compared
    inside[several[of_record]] = False
    record = _near_records(contest, several)
    target = np.concatenate([leaders.target[rows], of_record[record]])
    group = (np.cumsum(several) - 1)[target]
    at_top = highest(
        group=group,
        bits=np.concatenate([leaders.bits[rows], contest.itself[record]]),
        candidate=np.arange(len(group)) < len(rows),
        numerator=odds.numerator,
        denominator=odds.denominator[several],
    )
    best[rows] = at_top[: len(rows)]
    inside[record] = at_top[len(rows) :]


def _near_records(contest: Contest, several: Flags) -> Integers:
    """True records of targets with several kinds of leaders that are not clearly below them."""
    leaders, of_record = contest.leaders, contest.of_record
    worth = contest.odds.worth()
    top = np.einsum("rs,rs->r", leaders.bits, worth[leaders.target])
    record = np.flatnonzero(several[of_record])
    target = of_record[record]
    value = np.einsum("rs,rs->r", contest.itself[record], worth[target])
    # wider than what made the leaders: whoever is left out here cannot be at the top
    near: Flags = value >= top[contest.row_of_target()[target]] * (1 - NEAR) ** 4
    return record[near]


def outcomes_of(
    declared: Declared,
    contest: Contest,
    belief: Belief,
    fallbacks: Integers,
    matches: Integers | None = None,
) -> TargetOutcomes:
    """Probabilities and measures of each record. `matches` are n_t, shape (G, sets), where
    membership is not known; None where it is.
    """
    odds, of_record = contest.odds, contest.of_record
    c = declared.c
    inside = declared.inside
    in_file = None
    if matches is not None:
        in_file = _probability_in_file(odds, matches)[of_record]
        if belief.abstain:
            held_back = _rather_outside(declared, odds, matches)
            c = np.where(held_back, 0, c)
            inside = inside & ~held_back[of_record]
    return TargetOutcomes(
        highest=_highest_probability(declared, odds)[of_record],
        exceeds=_exceeds(declared, odds, belief.threshold)[of_record],
        c=c[of_record],
        inside=inside,
        fallbacks=fallbacks[of_record],
        in_file=in_file,
    )


def _highest_probability(declared: Declared, odds: Odds) -> Floats:
    """The probability of the leaders of each target key."""
    matching = np.where(declared.bits, odds.worth(), 0.0).sum(axis=1)
    base = _base_numerator(odds) / np.maximum(odds.base_denominator, 1)
    probability: Floats = (odds.scale * matching + base) / odds.whole
    return probability


def _base_numerator(odds: Odds) -> Integers:
    return np.where(odds.base_denominator > 0, odds.base_numerator, 0)


def _exceeds(declared: Declared, odds: Odds, threshold: Fraction) -> Flags:
    """Whether the highest probability of each target key exceeds the threshold."""
    numerator = np.where(declared.bits, odds.numerator, 0)
    # with a scale there is no base, so one of the two is trivial
    limit = threshold * odds.whole / odds.scale
    sign = sign_against(
        np.column_stack([numerator, _base_numerator(odds)]),
        np.column_stack([odds.denominator, odds.base_denominator]),
        limit.numerator,
        limit.denominator,
    )
    exceeds: Flags = sign > 0
    return exceeds


def _probability_in_file(odds: Odds, matches: Integers) -> Floats:
    """How probable it is that each target key is in the file: n_t / N_t, averaged."""
    probability: Floats = odds.scale * (matches * odds.worth()).sum(axis=1) / odds.whole
    return probability


def _rather_outside(declared: Declared, odds: Odds, matches: Integers) -> Flags:
    """Target keys that are at least as likely to be outside the file as to be any one record."""
    numerator = np.where(declared.bits, odds.numerator, 0)
    limit = Fraction(odds.whole, odds.scale)
    sign = sign_against(
        odds.numerator * matches + numerator,
        odds.denominator,
        limit.numerator,
        limit.denominator,
    )
    outside: Flags = sign <= 0
    return outside
