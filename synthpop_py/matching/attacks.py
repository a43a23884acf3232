"""What an intruder does with the released sets: average over them, or take the most frequent values
for the true ones.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

import numpy as np

from ..core.arrays import Flags, Floats, Integers, Values
from .counting import Entries, count, side_by_side
from .declare import Odds, Outcome, declare, outcome
from .keys import ExactKey, Keys, NumericKey
from .leaders import Leaders, leaders, together
from .problem import Problem, agreeing_on_category, agreeing_on_known, units_in_population

__all__ = ["Belief", "probability_attack", "tie_breakers", "with_most_frequent"]

Fallback = Literal["known", "categories"]


@dataclass(frozen=True, slots=True)
class Belief:
    """What the intruder thinks and how he decides.

    Attributes
    ----------
    threshold : the probability above which a match is perceived.
    fallback : what still has to agree where nothing matches: the known keys, or first the
        categories; None for no fallback.
    weights : int64, shape (n,), or None: survey weights of the records times `scale`. population :
        int64, or None: counts of the population's rows times `scale`.
    abstain : nothing is declared when the target is at least as likely outside the file as any
        record is the target.
    """

    threshold: Fraction
    fallback: Fallback | None
    weights: Integers | None
    population: Integers | None
    scale: int
    abstain: bool

    @property
    def in_file(self) -> bool:
        """The intruder knows that the target is in the file."""
        return self.weights is None and self.population is None


# ---- averages over the sets ----------------------------------------------------------


def probability_attack(problem: Problem, belief: Belief, shares: Integers) -> Outcome:
    """Match probabilities averaged over the first ``len(shares)`` sets, weighted (int64)."""
    sets = len(shares)
    entries = problem.entries if sets == problem.entries.sets else problem.entries.first(sets)
    counts, own = problem.counts[:, :sets], problem.own[:, :sets]
    return (
        _in_file(problem, belief, shares, entries, counts, own)
        if belief.in_file
        else _perhaps_elsewhere(problem, belief, shares, entries, counts, own)
    )


def _perhaps_elsewhere(
    problem: Problem,
    belief: Belief,
    shares: Integers,
    entries: Entries,
    counts: Integers,
    own: Flags,
) -> Outcome:
    """1 / N_t for the records that match, the rest for being outside."""
    if belief.weights is not None:
        units = count(entries, belief.weights)
    else:
        units = np.broadcast_to(
            units_in_population(problem, np.asarray(belief.population))[:, None], counts.shape
        )
    units = np.where(counts > 0, np.maximum(units, counts * belief.scale), 0)
    targets = len(counts)
    nothing = np.zeros(targets, dtype=np.int64)
    odds = Odds(shares, int(shares.sum()), units, belief.scale, nothing, nothing)
    of_record = problem.targets.of_record
    declared = declare(leaders(entries, counts, odds.worth()), odds, of_record, own, nothing)
    return outcome(declared, odds, of_record, belief.threshold, nothing, counts, belief.abstain)


def _in_file(
    problem: Problem,
    belief: Belief,
    shares: Integers,
    entries: Entries,
    counts: Integers,
    own: Flags,
) -> Outcome:
    """1 / n_t for the records that match; where none does, the same share for all that agree on
    less.
    """
    none_match = counts == 0
    by_category, left = None, none_match
    if belief.fallback == "categories" and any(not key.known for key in problem.keys.numeric):
        by_category = _by_category(problem, none_match)
        left = none_match & (by_category.counts == 0)
    agreeing = base = np.zeros(len(counts), dtype=np.int64)
    if belief.fallback is not None and left.any():
        agreeing = agreeing_on_known(problem)
        base = np.where(agreeing > 0, left @ shares, 0)
    of_record = problem.targets.of_record
    fallbacks = (
        none_match.sum(axis=1)
        if belief.fallback is not None
        else np.zeros(len(counts), dtype=np.int64)
    )
    if by_category is None:
        odds = Odds(shares, int(shares.sum()), counts, 1, base, agreeing)
        found = leaders(entries, counts, odds.worth())
    else:
        weaker = np.where(none_match, by_category.counts, 0)
        odds = Odds(
            np.tile(shares, 2),
            int(shares.sum()),
            np.concatenate([counts, weaker], axis=1),
            1,
            base,
            agreeing,
        )
        found = _leaders_with_categories(by_category, entries, counts, none_match.any(axis=1), odds)
        own = np.concatenate([own, by_category.own], axis=1)
    return outcome(
        declare(found, odds, of_record, own, agreeing),
        odds,
        of_record,
        belief.threshold,
        fallbacks,
        None,
        False,
    )


# ---- the categories alone, where no number is near -----------------------------------


@dataclass(frozen=True, slots=True)
class _ByCategory:
    """`entries` and their targets are only those that fall back in some set; `counts` is for all
    targets, shape (G, sets).
    """

    entries: Entries
    counts: Integers
    own: Flags


def _by_category(problem: Problem, none_match: Flags) -> _ByCategory:
    some: Flags = np.any(none_match, axis=1)
    weaker, own = agreeing_on_category(problem, some, none_match.shape[1])
    counted = np.zeros(none_match.shape, dtype=np.int64)
    counted[some] = count(weaker)
    return _ByCategory(weaker, counted, own)


def _leaders_with_categories(
    by_category: _ByCategory, entries: Entries, counts: Integers, some: Flags, odds: Odds
) -> Leaders:
    """Targets that match in every set by their matches alone; the others by matches and categories,
    which count as further sets.
    """
    worth, sets = odds.worth(), entries.sets
    plain = leaders(entries.among(~some), counts[~some], worth[~some, :sets])
    plain = Leaders(
        np.flatnonzero(~some)[plain.target], np.pad(plain.bits, ((0, 0), (0, sets))), plain.count
    )
    both = side_by_side(entries.among(some), by_category.entries)
    rest = leaders(
        both, np.concatenate([counts[some], by_category.counts[some]], axis=1), worth[some]
    )
    rest = Leaders(np.flatnonzero(some)[rest.target], rest.bits, rest.count)
    return _in_order(together([plain, rest], 2 * sets))


def _in_order(found: Leaders) -> Leaders:
    order = np.argsort(found.target, kind="stable")
    return Leaders(found.target[order], found.bits[order], found.count[order])


# ---- the most frequent value ---------------------------------------------------------


def tie_breakers(
    synthesised: Sequence[Hashable], n: int, rng: np.random.Generator
) -> dict[Hashable, Floats]:
    """A number in [0, 1) for every synthesised key and record: it chooses among values that are
    equally frequent.
    """
    return dict(zip(synthesised, rng.random((len(synthesised), n))))


def with_most_frequent(keys: Keys, draws: Mapping[Hashable, Floats], shares: Integers) -> Keys:
    """The same keys with one set in place of the first ``len(shares)``: for each record and
    variable the value of most weight, ties by the draws of the variable.
    """
    sets = slice(1, len(shares) + 1)

    def one_set(columns: tuple[Values, ...], new: Values) -> tuple[Values, ...]:
        return (columns[0], new, *columns[keys.sets + 1 :])

    def exact(key: ExactKey) -> ExactKey:
        codes = key.variable.codes
        new = (
            codes[0]
            if key.known
            else _taken(codes[sets], _most_frequent(codes[sets], draws[key.name], shares))
        )
        return replace(key, variable=replace(key.variable, codes=one_set(codes, new)))

    def numeric(key: NumericKey) -> NumericKey:
        if key.known:
            return replace(
                key,
                values=one_set(key.values, key.values[0]),
                missing=key.missing and one_set(key.missing, key.missing[0]),
            )
        values = (
            key.values
            if key.missing is None
            else [np.where(gap, np.nan, v) for v, gap in zip(key.values, key.missing)]
        )
        pick = _most_frequent(values[sets], draws[key.name], shares)
        return replace(
            key,
            values=one_set(key.values, _taken(key.values[sets], pick)),
            missing=key.missing and one_set(key.missing, _taken(key.missing[sets], pick)),
        )

    return replace(
        keys, exact=tuple(map(exact, keys.exact)), numeric=tuple(map(numeric, keys.numeric)), sets=1
    )


def _taken(columns: Sequence[Values], pick: Integers) -> Values:
    """For each record the value of the set picked."""
    return np.array(columns)[pick, np.arange(len(pick))]


def _most_frequent(values: Sequence[Values], draw: Floats, shares: Integers) -> Integers:
    """For each record a set that has its most frequent value; values that tie are numbered in the
    order in which the sets bring them.
    """
    sets = len(values)
    weight = np.zeros((sets, len(draw)), dtype=np.int64)
    new = np.ones((sets, len(draw)), dtype=bool)
    for a in range(sets):
        weight[a] += shares[a]
        for b in range(a):
            same = (values[a] == values[b]) | (values[a] != values[a]) & (values[b] != values[b])
            weight[a] += shares[b] * same
            weight[b] += shares[a] * same
            new[a] &= ~same
    tied = new & (weight == weight.max(axis=0))
    wanted = np.floor(draw * tied.sum(axis=0)).astype(np.int64)
    pick: Integers = np.argmax(tied & (np.cumsum(tied, axis=0) == wanted + 1), axis=0)
    return pick
