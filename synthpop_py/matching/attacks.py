"""What an intruder does with the released sets: average over them, or treat the most frequent
values as the true ones.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..core.arrays import Flags, Floats, Integers, Values
from ..errors import InputError
from .belief import Belief
from .counting import count_matches
from .declare import Contest, Odds, TargetOutcomes, declare, outcomes_of
from .keys import ExactKey, MatchKeys, NumericKey, same_values
from .leader_rows import Leaders, all_leaders
from .leaders import leaders
from .loglinear import units_by_model
from .problem import (
    KnownAgreement,
    Problem,
    agreeing_on_category,
    agreeing_on_known,
    in_original,
    units_in_population,
)
from .reach import Entries, side_by_side

__all__ = ["probability_attack", "tie_breakers", "with_most_frequent"]


@dataclass(frozen=True, slots=True, eq=False)
class _Matches:
    """The matches of a problem in its first sets; `shares` are their weights (int64). The others
    are as in `Problem`.
    """

    problem: Problem
    shares: Integers
    entries: Entries
    counts: Integers
    itself: Flags

    @property
    def of_record(self) -> Integers:
        """The key of each target."""
        return self.problem.targets.of_record


def probability_attack(problem: Problem, belief: Belief, shares: Integers) -> TargetOutcomes:
    """Match probabilities averaged over the first ``len(shares)`` sets, weighted (int64)."""
    matches = _in_first_sets(problem, shares)
    if belief.in_file:
        return _in_file(matches, belief)
    return _perhaps_elsewhere(matches, belief)


def _in_first_sets(problem: Problem, shares: Integers) -> _Matches:
    sets = len(shares)
    entries = problem.entries
    if sets < entries.sets:
        entries = entries.first(sets)
    return _Matches(
        problem=problem,
        shares=shares,
        entries=entries,
        counts=problem.counts[:, :sets],
        itself=problem.itself[:, :sets],
    )


def _perhaps_elsewhere(matches: _Matches, belief: Belief) -> TargetOutcomes:
    """1 / N_t for the records that match, and the rest for being outside the file."""
    counts = matches.counts
    # N_t is never below n_t
    at_least = counts * belief.scale
    units = np.maximum(_units(matches, belief), at_least)
    nothing = np.zeros(len(counts), dtype=np.int64)
    odds = Odds(
        numerator=matches.shares,
        whole=int(matches.shares.sum()),
        denominator=np.where(counts > 0, units, 0),
        scale=belief.scale,
        base_numerator=nothing,
        base_denominator=nothing,
    )
    contest = _contest(matches, odds)
    return outcomes_of(declare(contest), contest, belief, fallbacks=nothing, matches=counts)


def _units(matches: _Matches, belief: Belief) -> Integers:
    """Units of the population that match each target in each set (N_t) times `scale`: survey
    weights of the records that do, a model's mean, or, the same for all sets, numbers per target
    and census counts.
    """
    if belief.weights is not None:
        return count_matches(matches.entries, belief.weights)
    if belief.model is not None:
        return units_by_model(matches.problem, belief.model, matches.counts, belief.scale)
    if belief.units is not None:
        of_key = _units_of_keys(matches.problem, belief.units, belief.scale)
    else:
        of_key = units_in_population(matches.problem, np.asarray(belief.population))
    return np.broadcast_to(of_key[:, None], matches.counts.shape)


def _units_of_keys(problem: Problem, units: Integers, scale: int) -> Integers:
    """N_t of each target key; targets with the same key have the same here."""
    of_key = units[problem.targets.example]
    too_few = np.flatnonzero(of_key < scale * in_original(problem))
    if len(too_few):
        low = of_key[too_few[0]] / scale
        more = f" (and {len(too_few) - 1} more such)" if len(too_few) > 1 else ""
        raise InputError(
            f"units: N_t = {low:g} is given for a target whose keys more records of the "
            f"original data have{more}; N_t counts everyone in the population who agrees with "
            "the target, including those in the file"
        )
    return of_key


def _contest(matches: _Matches, odds: Odds, has_base: Flags | None = None) -> Contest:
    leading = leaders(matches.entries, matches.counts, odds.worth())
    return Contest(
        leaders=leading,
        odds=odds,
        of_record=matches.of_record,
        itself=matches.itself,
        has_base=np.zeros(len(matches.of_record), bool) if has_base is None else has_base,
    )


def _in_file(matches: _Matches, belief: Belief) -> TargetOutcomes:
    """1 / n_t for the records that match; where none does, the same share for all that agree on
    less.
    """
    none_match = matches.counts == 0
    fallbacks = np.zeros(len(none_match), dtype=np.int64)
    if belief.fallback is not None:
        fallbacks = none_match.sum(axis=1)
    if belief.fallback == "categories" and _has_synthesised_numbers(matches.problem.keys):
        contest = _contest_with_categories(matches, none_match)
    else:
        contest = _contest_with_known(matches, none_match, belief)
    return outcomes_of(declare(contest), contest, belief, fallbacks)


def _has_synthesised_numbers(keys: MatchKeys) -> bool:
    return any(not key.known for key in keys.numeric)


def _contest_with_known(matches: _Matches, none_match: Flags, belief: Belief) -> Contest:
    """If no record matches, all that agree on the known keys share the probability, if there is a
    fallback.
    """
    base = np.zeros(len(none_match), dtype=np.int64)
    known = KnownAgreement(base, np.zeros(len(matches.of_record), dtype=bool))
    if belief.fallback is not None:
        base, known = _base(matches, none_match)
    odds = Odds(
        numerator=matches.shares,
        whole=int(matches.shares.sum()),
        denominator=matches.counts,
        scale=1,
        base_numerator=base,
        base_denominator=known.counts,
    )
    return _contest(matches, odds, known.itself)


def _base(matches: _Matches, left: Flags) -> tuple[Integers, KnownAgreement]:
    """For each target the weight of the sets in which only the known keys are left, and the records
    that agree on these.
    """
    if not left.any():
        nothing = np.zeros(len(left), dtype=np.int64)
        return nothing, KnownAgreement(nothing, np.zeros(len(matches.of_record), dtype=bool))
    known = agreeing_on_known(matches.problem)
    base = np.where(known.counts > 0, left @ matches.shares, 0)
    return base, known


@dataclass(frozen=True, slots=True)
class _ByCategory:
    """`entries` and their targets are only those that fall back in some set; `counts` is for all
    targets, shape (G, sets).
    """

    entries: Entries
    counts: Integers
    itself: Flags


def _by_category(problem: Problem, none_match: Flags) -> _ByCategory:
    falls_back: Flags = np.any(none_match, axis=1)
    entries, itself = agreeing_on_category(problem, falls_back, none_match.shape[1])
    counts = np.zeros(none_match.shape, dtype=np.int64)
    counts[falls_back] = count_matches(entries)
    return _ByCategory(entries, counts, itself)


def _contest_with_categories(matches: _Matches, none_match: Flags) -> Contest:
    """If no record matches, all records of the same categories share the probability, otherwise all
    that agree on the known keys. The categories count as further sets.
    """
    by_category = _by_category(matches.problem, none_match)
    base, known = _base(matches, none_match & (by_category.counts == 0))
    # in a set with matches the categories give nothing
    weaker = np.where(none_match, by_category.counts, 0)
    odds = Odds(
        numerator=np.tile(matches.shares, 2),
        whole=int(matches.shares.sum()),
        denominator=np.concatenate([matches.counts, weaker], axis=1),
        scale=1,
        base_numerator=base,
        base_denominator=known.counts,
    )
    falls_back: Flags = np.any(none_match, axis=1)
    return Contest(
        leaders=_leaders_with_categories(matches, by_category, falls_back, odds.worth()),
        odds=odds,
        of_record=matches.of_record,
        itself=np.concatenate([matches.itself, by_category.itself], axis=1),
        has_base=known.itself,
    )


def _leaders_with_categories(
    matches: _Matches, by_category: _ByCategory, falls_back: Flags, worth: Floats
) -> Leaders:
    """Targets that match in every set by their matches alone; the others by matches and categories,
    which count as further sets.
    """
    entries, counts, sets = matches.entries, matches.counts, matches.entries.sets
    always = ~falls_back
    alone = leaders(entries.among(always), counts[always], worth[always, :sets])
    # in the further sets they have no bits
    alone = Leaders(
        target=np.flatnonzero(always)[alone.target],
        bits=np.pad(alone.bits, ((0, 0), (0, sets))),
        count=alone.count,
    )
    both_entries = side_by_side(entries.among(falls_back), by_category.entries)
    both_counts = np.concatenate([counts[falls_back], by_category.counts[falls_back]], axis=1)
    both = leaders(both_entries, both_counts, worth[falls_back])
    both = both.renumbered(np.flatnonzero(falls_back))
    return all_leaders([alone, both], 2 * sets).in_order()


def tie_breakers(
    synthesised: Sequence[Hashable], n: int, rng: np.random.Generator
) -> dict[Hashable, Floats]:
    """A number in [0, 1) for every synthesised key and record: it chooses among values that are
    equally frequent.
    """
    numbers = rng.random((len(synthesised), n))
    return dict(zip(synthesised, numbers))


def with_most_frequent(
    keys: MatchKeys, draws: Mapping[Hashable, Floats], shares: Integers
) -> MatchKeys:
    """The same keys with one set in place of the first ``len(shares)``: for each record and
    variable the value of most weight, ties by the draws of the variable.
    """
    mode = _Mode(draws, shares, keys.sets)
    return replace(
        keys,
        exact=tuple(mode.of_exact(key) for key in keys.exact),
        numeric=tuple(mode.of_numeric(key) for key in keys.numeric),
        rows=(*keys.rows[:2], *keys.rows[keys.sets + 1 :]),
        sets=1,
        truth=max(keys.truth - keys.sets + 1, 0),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Mode:
    """One set with the most frequent values of the first ``len(shares)`` of `sets` sets."""

    draws: Mapping[Hashable, Floats]
    shares: Integers
    sets: int

    def of_exact(self, key: ExactKey) -> ExactKey:
        codes = key.variable.codes
        if key.known:
            merged = self._one_set(codes, codes[1])
        else:
            pick = self._pick(key.name, codes)
            merged = self._one_set(codes, self._taken(codes, pick))
        return replace(key, variable=replace(key.variable, codes=merged))

    def of_numeric(self, key: NumericKey) -> NumericKey:
        values, missing = key.values, key.missing
        if key.known:
            merged = self._one_set(values, values[1])
            gaps = missing and self._one_set(missing, missing[1])
        else:
            pick = self._pick(key.name, key.with_gaps())
            merged = self._one_set(values, self._taken(values, pick))
            gaps = missing and self._one_set(missing, self._taken(missing, pick))
        return replace(key, values=merged, missing=gaps)

    def _one_set(self, columns: Sequence[Values], merged: Values) -> tuple[Values, ...]:
        """The column of the targets, that of the one set, and those of the other tables."""
        others = columns[self.sets + 1 :]
        return (columns[0], merged, *others)

    def _used(self, columns: Sequence[Values]) -> Sequence[Values]:
        return columns[1 : len(self.shares) + 1]

    def _pick(self, name: Hashable, columns: Sequence[Values]) -> Integers:
        return _most_frequent(self._used(columns), self.draws[name], self.shares)

    def _taken(self, columns: Sequence[Values], pick: Integers) -> Values:
        """For each record the value of the set picked."""
        released = np.array(self._used(columns))
        return released[pick, np.arange(len(pick))]


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
            same = same_values(values[a], values[b])
            weight[a] += shares[b] * same
            weight[b] += shares[a] * same
            new[a] &= ~same
    # each value once, in the set that brings it first
    tied = new & (weight == weight.max(axis=0))
    wanted = np.floor(draw * tied.sum(axis=0)).astype(np.int64)
    is_wanted = np.cumsum(tied, axis=0) == wanted + 1
    pick: Integers = np.argmax(tied & is_wanted, axis=0)
    return pick
