"""From match probabilities to what an intruder declares: c, I, K, F of Reiter and Mitra, decided
exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..core.arrays import Flags, Floats, Integers
from .exact import highest, sign_against
from .leaders import NEAR, Leaders

__all__ = ["Odds", "Outcome", "declare"]


@dataclass(frozen=True, slots=True)
class Odds:
    """Probabilities as whole numbers.

    The probability of record i for target t is ``(scale * x + base_numerator[t] /
    base_denominator[t]) / whole``, where x is the sum of ``numerator[s] / denominator[t, s]`` over
    the sets s in which i matches t.

    Attributes
    ----------
    numerator : int64, shape (sets,): the weight of each set. whole : their total over the released
        sets.
    denominator : int64, shape (G, sets): n_t or N_t times `scale`; 0 where the set gives no
        probability.
    base_numerator, base_denominator : int64, shape (G,): what every record that agrees on the known
        keys has besides; 0 for nothing.
    """

    numerator: Integers
    whole: int
    denominator: Integers
    scale: int
    base_numerator: Integers
    base_denominator: Integers

    def worth(self) -> Floats:
        """numerator / denominator as floats, 0 where there is none."""
        return np.where(self.denominator > 0, self.numerator / np.maximum(self.denominator, 1), 0.0)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What becomes of every target (shape (n,) each).

    Attributes
    ----------
    highest : the highest probability of any record. exceeds : it exceeds the threshold, decided
        exactly.
    c : records at the highest probability; 0 when nothing is declared. inside : the true record is
        one of them (I).
    fallbacks : sets in which no record matched and weaker agreement was used. in_file : probability
        of being in the file; None where that is known.
    """

    highest: Floats
    exceeds: Flags
    c: Integers
    inside: Flags
    fallbacks: Integers
    in_file: Floats | None

    @property
    def K(self) -> Flags:
        right: Flags = (self.c == 1) & self.inside
        return right

    @property
    def F(self) -> Flags:
        wrong: Flags = (self.c == 1) & ~self.inside
        return wrong


@dataclass(frozen=True, slots=True)
class Declared:
    """By target key: c, and the sets in which the leaders match (bool, shape (G, sets)). By record:
    I.
    """

    c: Integers
    bits: Flags
    inside: Flags


def declare(
    found: Leaders, odds: Odds, of_record: Integers, own: Flags, agreeing: Integers
) -> Declared:
    """Count the leaders of every target and find out whether the true record is one of them.

    Parameters
    ----------
    own : bool, shape (n, sets): the sets in which a record matches itself. agreeing : shape (G,):
        records that have the base; the true record is one of them.
    """
    targets, sets = odds.denominator.shape
    row = np.full(targets, -1, dtype=np.int64)
    row[found.target] = np.arange(len(found.target))
    several = np.bincount(found.target, minlength=targets) > 1
    best, inside = _decided(found, odds, of_record, own, row)
    if several.any():
        _decide_exactly(found, odds, of_record, own, row, several, best, inside)
    c = np.zeros(targets, dtype=np.int64)
    np.add.at(c, found.target[best], found.count[best])
    bits = np.zeros((targets, sets), dtype=bool)
    bits[found.target[best]] = found.bits[best]
    only_base = (c == 0) & (odds.base_numerator > 0) & (agreeing > 0)
    c[only_base] = agreeing[only_base]
    inside |= only_base[of_record]
    return Declared(c, bits, inside)


def _decided(
    found: Leaders, odds: Odds, of_record: Integers, own: Flags, row: Integers
) -> tuple[Flags, Flags]:
    """Where all leaders match in the same sets: they are at the top, and the true record is one of
    them if it matches in these sets.
    """
    at = row[of_record]
    record = np.flatnonzero(at >= 0)
    inside = np.zeros(len(own), dtype=bool)
    inside[record] = (
        found.bits[at[record]] == (own[record] & (odds.denominator[of_record[record]] > 0))
    ).all(axis=1)
    return np.ones(len(found.target), dtype=bool), inside


def _decide_exactly(
    found: Leaders,
    odds: Odds,
    of_record: Integers,
    own: Flags,
    row: Integers,
    several: Flags,
    best: Flags,
    inside: Flags,
) -> None:
    """Where leaders match in different sets: fill in who is at the top (`best`, `inside`)."""
    worth = odds.worth()
    rows = np.flatnonzero(several[found.target])
    top = np.einsum("rs,rs->r", found.bits, worth[found.target])
    record = np.flatnonzero(several[of_record])
    near = (
        np.einsum("rs,rs->r", own[record], worth[of_record[record]])
        >= top[row[of_record[record]]] * (1 - NEAR) ** 4
    )
    inside[record] = False
    record = record[near]
    group = (np.cumsum(several) - 1)[np.concatenate([found.target[rows], of_record[record]])]
    bits = np.concatenate([found.bits[rows], own[record]])
    at_top = highest(
        group, bits, np.arange(len(group)) < len(rows), odds.numerator, odds.denominator[several]
    )
    best[rows], inside[record] = at_top[: len(rows)], at_top[len(rows) :]


def outcome(
    declared: Declared,
    odds: Odds,
    of_record: Integers,
    threshold: Fraction,
    fallbacks: Integers,
    matches: Integers | None,
    abstain: bool,
) -> Outcome:
    """Probabilities and measures of each record. `matches` are n_t, shape (G, sets), where
    membership is not known; None where it is.
    """
    numerator = np.where(declared.bits, odds.numerator, 0)
    base = np.where(odds.base_denominator > 0, odds.base_numerator, 0)
    value = (
        odds.scale * np.where(declared.bits, odds.worth(), 0.0).sum(axis=1)
        + base / np.maximum(odds.base_denominator, 1)
    ) / odds.whole
    limit = threshold * odds.whole / odds.scale
    # with a scale there is no base, so that one of the two is plain
    exceeds = (
        sign_against(
            np.column_stack([numerator, base]),
            np.column_stack([odds.denominator, odds.base_denominator]),
            limit.numerator,
            limit.denominator,
        )
        > 0
    )
    c, inside, in_file = declared.c, declared.inside, None
    if matches is not None:
        in_file = odds.scale * (matches * odds.worth()).sum(axis=1) / odds.whole
        if abstain:
            limit = Fraction(odds.whole, odds.scale)
            held = (
                sign_against(
                    odds.numerator * matches + numerator,
                    odds.denominator,
                    limit.numerator,
                    limit.denominator,
                )
                <= 0
            )
            c, inside = np.where(held, 0, c), inside & ~held[of_record]
        in_file = in_file[of_record]
    return Outcome(
        value[of_record], exceeds[of_record], c[of_record], inside, fallbacks[of_record], in_file
    )
