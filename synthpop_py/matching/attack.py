"""Match probabilities averaged over the released sets, and which records an intruder names: c, I,
K, F of Reiter and Mitra, decided exactly.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.arrays import Flags, Floats, Integers, Values
from ..errors import InputError
from .boxes import count_matches, leaders
from .keys import Keys
from .matches import (
    NEAR,
    Leaders,
    Reach,
    Targets,
    check_of,
    find_targets,
    itself_matches,
    joined_leaders,
    near,
    reach_of,
)
from .population import ROOM, LogLinear
from .targets import Belief

FITS = 62.0  # bits of a whole number that is still safe to add up


class Outcomes(NamedTuple):
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


# ---- who matches ---------------------------------------------------------------------


class Matches(NamedTuple):
    """The matches of the distinct targets in the released sets.

    Attributes
    ----------
    counts : int64, shape (G, sets): records that match each target in each set (n_t).
    itself : bool, shape (targets, sets): whether the record of each target matches it.
    """

    targets: Targets
    reaches: list[Reach]
    counts: Integers
    itself: Flags

    def first(self, sets: int) -> Matches:
        return Matches(
            self.targets, self.reaches[:sets], self.counts[:, :sets], self.itself[:, :sets]
        )


def find_matches(keys: Keys, units: Integers | None = None) -> Matches:
    """Of targets of whom all keys are known."""
    return _matches(find_targets(keys, units), keys.sets)


def _matches(targets: Targets, sets: int, *, categories: bool = False) -> Matches:
    tables = range(1, sets + 1)
    reaches = [reach_of(targets, table, categories=categories) for table in tables]
    counts = np.column_stack([count_matches(targets, reach) for reach in reaches])
    own = [itself_matches(targets, table, categories=categories) for table in tables]
    return Matches(targets, reaches, counts, np.column_stack(own))


class Odds(NamedTuple):
    """Probabilities as whole numbers.

    The probability of record i for target t is ``(scale * x + base[t] / agreeing[t]) / whole``,
    where x is the sum of ``numerator[s] / denominator[t, s]`` over the sets s in which i matches t.

    Attributes
    ----------
    numerator : int64, shape (sets,): the weight of each set. whole : their total over the released
        sets.
    denominator : int64, shape (G, sets): n_t or N_t times `scale`; 0 where the set gives no
        probability.
    base, agreeing : int64, shape (G,): the weight of the sets in which only the known keys are
        left, and how many records agree on these.
    """

    numerator: Integers
    whole: int
    denominator: Integers
    scale: int
    base: Integers
    agreeing: Integers

    def worth(self) -> Floats:
        """numerator / denominator as floats, 0 where there is none."""
        fractions = self.numerator / np.maximum(self.denominator, 1)
        return np.where(self.denominator > 0, fractions, 0.0)


def odds_of(
    matches: Matches, belief: Belief, shares: Integers
) -> tuple[Matches, Odds, Matches | None]:
    """The matches that give probability, the odds, and who agrees on the known keys, where some
    target falls back on these. If no record matches, all records of the same categories share the
    probability (they count as further sets), and if there are none, all that agree on the known
    keys.
    """
    targets, counts = matches.targets, matches.counts
    nothing = np.zeros(len(counts), dtype=np.int64)
    odds = Odds(shares, int(shares.sum()), counts, 1, nothing, nothing)
    if not belief.in_file:
        # N_t is never below n_t
        units = np.maximum(_units(matches, belief), counts * belief.scale)
        units = np.where(counts > 0, units, 0)
        return matches, odds._replace(denominator=units, scale=belief.scale), None
    left = counts == 0
    if belief.fallback is None or not left.any():
        return matches, odds, None
    by_number = any(not key.known for key in targets.keys.numeric)
    if belief.fallback == "categories" and by_number:
        weaker = _matches(targets, len(shares), categories=True)
        counts = np.hstack([counts, np.where(left, weaker.counts, 0)])
        own = np.hstack([matches.itself, weaker.itself])
        left = left & (weaker.counts == 0)
        matches = Matches(targets, [*matches.reaches, *weaker.reaches], counts, own)
        odds = odds._replace(numerator=np.tile(shares, 2), denominator=counts)
        if not left.any():
            return matches, odds, None
    keys = targets.keys
    known = find_matches(keys.in_one_set().only(key for key in keys.all if key.known))
    agreeing = known.counts[:, 0][known.targets.of_target[targets.example]]
    base = np.where(agreeing > 0, left @ shares, 0)
    return matches, odds._replace(base=base, agreeing=agreeing), known


def _units(matches: Matches, belief: Belief) -> Integers:
    """Units of the population that match each target in each set (N_t) times `scale`: survey
    weights of the records that do, a model's mean, or, the same for all sets, numbers per target
    and census counts.
    """
    targets, keys = matches.targets, matches.targets.keys
    if belief.source == "weights":
        of_sets = [count_matches(targets, reach, belief.amounts) for reach in matches.reaches]
        return np.column_stack(of_sets)
    if belief.model is not None:
        return units_by_model(matches, belief.model, belief.scale)
    if belief.units is not None:
        units = belief.units[targets.example]
        in_original = count_matches(targets, reach_of(targets, -1))
        few = np.flatnonzero(units < belief.scale * in_original)
        if len(few):
            more = f" (and {len(few) - 1} more such)" if len(few) > 1 else ""
            raise InputError(
                f"units: N_t = {units[few[0]] / belief.scale:g} is given for a target whose keys"
                f" more records of the original data have{more}; N_t counts everyone in the"
                " population who agrees with the target, including those in the file"
            )
    else:
        units = count_matches(targets, reach_of(targets, keys.sets + 1), belief.amounts)
        # an open interval of width 0 holds not even the target itself, and then the population need
        # not either
        everybody = np.arange(len(targets))
        in_reach = near(targets, check_of(targets, 0), targets.example, everybody)
        absent = np.flatnonzero((units == 0) & in_reach)
        if len(absent):
            own = len(keys.records) != keys.n or (keys.records != np.arange(keys.n)).any()
            more = f" (and those of {len(absent) - 1} other targets)" if len(absent) > 1 else ""
            raise InputError(
                f"population: nobody in it has the keys of row {targets.example[absent[0]] + 1} of"
                f" {'the targets' if own else 'the original data'}{more}; targets belong to the"
                " population, so it must count every combination that occurs: check the codes of"
                " the levels, or add what is missing"
            )
    return np.broadcast_to(units[:, None], matches.counts.shape)


def units_by_model(matches: Matches, model: LogLinear, scale: int) -> Integers:
    """n_t + mu_t (1 - f) / f times `scale`, rounded to a whole number, halves up, by a Poisson
    model with main effects of the keys.
    """
    counts, keys, share = matches.counts, matches.targets.keys, model.share
    # in integers of any length: the product of several counts exceeds 64 bits
    product: npt.NDArray[np.object_] = np.full(counts.shape, keys.n, dtype=object)
    # those of a joint distance are one key
    joint = [key for key in keys.numeric if key.interval is None]
    each = [keys.only([key]) for key in keys.all if key not in joint]
    if joint:
        each.append(keys.only(joint, keys.distance))
    for alone in each:
        targets = find_targets(alone)
        of_target = targets.of_target[matches.targets.example]
        for at in range(counts.shape[1]):
            agreeing = count_matches(targets, reach_of(targets, at + 1))
            product[:, at] *= agreeing[of_target].astype(object)
    # mu = product / n^keys; without keys everybody agrees, and mu = n
    numerator = product * (share.denominator - share.numerator) * scale
    denominator = keys.n ** len(each) * share.numerator
    units = (2 * numerator + denominator) // (2 * denominator) + counts.astype(object) * scale
    if units.size and units.max() >= ROOM:
        raise InputError(
            f"units: LogLinear({model.fraction}) expects more units of the population than can be"
            " counted in 64 bits; give a larger fraction"
        )
    whole: Integers = units.astype(np.int64)
    return whole


# ---- who is named --------------------------------------------------------------------


def probability_attack(matches: Matches, belief: Belief, shares: Integers) -> Outcomes:
    """Match probabilities averaged over the first ``len(shares)`` sets, weighted (int64)."""
    sets = len(shares)
    alone = matches.first(sets)
    matches, odds, known = odds_of(alone, belief, shares)
    of_target = matches.targets.of_target
    leading = _leaders(matches, odds, sets)
    has_base = np.zeros(len(of_target), bool) if known is None else known.itself[:, 0]
    c, bits, inside = _declared(leading, odds, of_target, matches.itself, has_base)
    falls_back = belief.in_file and belief.fallback is not None
    fallbacks = (alone.counts == 0).sum(axis=1) * falls_back
    matching = np.where(bits, odds.worth(), 0.0).sum(axis=1)
    base = odds.base / np.maximum(odds.agreeing, 1)
    # with a scale there is no base, so one of the two is trivial
    numerator = np.where(bits, odds.numerator, 0)
    exceeds = _sign_against(
        np.column_stack([numerator, odds.base]),
        np.column_stack([odds.denominator, odds.agreeing]),
        belief.threshold * odds.whole / odds.scale,
    )
    in_file = None
    if not belief.in_file:
        in_file = odds.scale * (alone.counts * odds.worth()).sum(axis=1) / odds.whole
        if belief.abstain:
            # at least as likely to be outside the file as to be any one record
            limit = Fraction(odds.whole, odds.scale)
            rest = odds.numerator * alone.counts + numerator
            held_back = _sign_against(rest, odds.denominator, limit) <= 0
            c = np.where(held_back, 0, c)
            inside &= ~held_back[of_target]
        in_file = in_file[of_target]
    return Outcomes(
        highest=((odds.scale * matching + base) / odds.whole)[of_target],
        exceeds=(exceeds > 0)[of_target],
        c=c[of_target],
        inside=inside,
        fallbacks=fallbacks[of_target],
        in_file=in_file,
    )


def _leaders(matches: Matches, odds: Odds, sets: int) -> Leaders:
    """Targets that match in every set by their matches alone; the others by matches and categories,
    where these count as further sets.
    """
    targets, worth, both = matches.targets, odds.worth(), len(matches.reaches)
    if both == sets:
        everybody = np.arange(len(targets))
        return leaders(targets, matches.reaches, everybody, matches.counts, worth)
    always = (matches.counts[:, :sets] > 0).all(axis=1)
    parts = []
    for wanted, number in ((np.flatnonzero(always), sets), (np.flatnonzero(~always), both)):
        counts, value = matches.counts[wanted, :number], worth[wanted, :number]
        found = leaders(targets, matches.reaches[:number], wanted, counts, value)
        # in the further sets they have no bits
        bits = np.pad(found.bits, ((0, 0), (0, both - number)))
        parts.append(Leaders(wanted[found.target], bits, found.records))
    return joined_leaders(parts, both)


def _declared(
    leading: Leaders, odds: Odds, of_target: Integers, itself: Flags, has_base: Flags
) -> tuple[Integers, Flags, Flags]:
    """By distinct target: c, and the sets in which the leaders match (bool, shape (G, sets)). By
    target: whether the true record is one of them.
    """
    number, sets = odds.denominator.shape
    row = np.full(number, -1, dtype=np.int64)
    row[leading.target] = np.arange(len(leading.target))
    several = np.bincount(leading.target, minlength=number) > 1
    best = np.ones(len(leading.target), dtype=bool)
    # where all leaders match in the same sets they are at the top, and the true record is one of
    # them if it matches in these sets
    led = np.flatnonzero((row >= 0)[of_target] & ~several[of_target])
    own = itself[led] & (odds.denominator[of_target[led]] > 0)
    inside = np.zeros(len(of_target), dtype=bool)
    inside[led] = (leading.bits[row[of_target[led]]] == own).all(axis=1)
    if several.any():
        worth = odds.worth()
        rows = np.flatnonzero(several[leading.target])
        # true records that are clearly below the leaders are not compared; wider than what made
        # the leaders: whoever is left out here cannot be at the top
        top = np.einsum("rs,rs->r", leading.bits, worth[leading.target])
        record = np.flatnonzero(several[of_target])
        value = np.einsum("rs,rs->r", itself[record], worth[of_target[record]])
        record = record[value >= top[row[of_target[record]]] * (1 - NEAR) ** 4]
        target = np.concatenate([leading.target[rows], of_target[record]])
        at_top = _highest(
            group=(np.cumsum(several) - 1)[target],
            bits=np.concatenate([leading.bits[rows], itself[record]]),
            candidate=np.arange(len(target)) < len(rows),
            numerator=odds.numerator,
            denominator=odds.denominator[several],
        )
        best[rows], inside[record] = np.split(at_top, [len(rows)])
    c = np.zeros(number, dtype=np.int64)
    np.add.at(c, leading.target[best], leading.records[best])
    bits = np.zeros((number, sets), dtype=bool)
    bits[leading.target[best]] = leading.bits[best]
    # where nobody matches in any set, all that have the base are at the top
    only_base = (c == 0) & (odds.base > 0)
    c[only_base] = odds.agreeing[only_base]
    inside |= only_base[of_target] & has_base
    return c, bits, inside


# ---- sums of fractions, compared exactly ---------------------------------------------

# 1/6 and 1/10 + 1/15 are the same number, three times 1/5 divided by three does not exceed 1/5.
# Floats decide where they can. Sums that are too close are compared as whole numbers over a common
# denominator: 64-bit where it fits, Python's own where it does not.


def _over_common(numerator: Values, denominator: Integers, kind: type) -> tuple[Values, Values]:
    """Numerators of fractions over the common denominator of their row, and the latter; a
    denominator of 0 means that there is no fraction.
    """
    filled: Values = np.maximum(denominator, 1).astype(kind)
    common = np.lcm.reduce(filled, axis=1)
    return np.where(denominator > 0, numerator * (common[:, None] // filled), 0), common


def _highest(
    group: Integers, bits: Flags, candidate: Flags, numerator: Integers, denominator: Integers
) -> Flags:
    """Rows whose sum of fractions equals the highest sum among the candidates of their group.

    Parameters
    ----------
    group : shape (R,): rows belong to groups 0 to U - 1, in any order.
    bits : bool, shape (R, sets): which fractions a row adds up.
    candidate : bool, shape (R,): rows that set the height; each group has one at least.
    numerator : int64, shape (sets,). denominator : int64, shape (U, sets).

    Examples
    --------
    1/10 + 1/15 against 1/6, which are different numbers as floats.

    >>> bits = np.array([[True, True, False], [False, False, True]])
    >>> group, candidate = np.array([0, 0]), np.array([True, True])
    >>> _highest(group, bits, candidate, np.array([1, 1, 1]), np.array([[10, 15, 6]])).tolist()
    [True, True]
    """
    out = np.zeros(len(group), dtype=bool)
    # the common denominator is at most the product of all
    size = np.log2(np.maximum(denominator, 1)).sum(axis=1) + np.log2(float(numerator.sum()))
    for kind, groups in ((np.int64, size < FITS), (object, size >= FITS)):
        rows = np.flatnonzero(groups[group])
        if not len(rows):
            continue
        units, _ = _over_common(numerator, denominator[groups], kind)
        number = (np.cumsum(groups) - 1)[group[rows]]
        total = np.where(bits[rows], units[number], 0).sum(axis=1)
        order = np.flatnonzero(candidate[rows])
        order = order[np.argsort(number[order], kind="stable")]
        begins = np.searchsorted(number[order], np.arange(len(units)))
        out[rows] = total == np.maximum.reduceat(total[order], begins)[number]
    return out


def _sign_against(numerator: Integers, denominator: Integers, limit: Fraction) -> Integers:
    """The sign of each row's sum of fractions minus a limit: -1, 0 or 1.

    Examples
    --------
    >>> thirds = np.full((2, 3), 15)
    >>> _sign_against(np.array([[1, 1, 1], [1, 1, 2]]), thirds, Fraction(1, 5)).tolist()
    [0, 1]
    """
    fractions = np.where(denominator > 0, numerator / np.maximum(denominator, 1), 0.0)
    value = fractions.sum(axis=1)
    gap = value - float(limit)
    out: Integers = np.sign(gap).astype(np.int8)
    close = np.flatnonzero(np.abs(gap) <= NEAR * np.maximum(value, float(limit)))
    if len(close):
        units, common = _over_common(numerator[close].astype(object), denominator[close], object)
        difference = units.sum(axis=1) * limit.denominator - limit.numerator * common
        out[close] = (difference > 0).astype(np.int8) - (difference < 0).astype(np.int8)
    return out
