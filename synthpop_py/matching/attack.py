"""Match probabilities averaged over the released sets, and which records an intruder names: c and I
of Reiter and Mitra, decided exactly.
"""

from __future__ import annotations

import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import Flags, Floats, Integers
from ..errors import InputError
from .keys import LARGEST_CODE, joined
from .leaders import NEAR, leaders
from .matches import Source, Targets, pairs
from .population import ROOM, LogLinear


class Sight:
    """What an intruder sees of targets of whom the same keys are known, in the first sets.

    The probability of record i for the distinct target t is ``(scale * x + base[t] / agreeing[t]) /
    whole``, where x is the sum of ``numerator[s] / denominator[t, s]`` over the sources s in which
    i matches t.

    Attributes
    ----------
    sources : the released sets; where a fallback to categories is used, these once more, with fewer
        keys.
    counts : int64, shape (G, sets): records that match each target in each set (n_t).
    numerator : int64, shape (sources,): the weight of each set. whole : their total.
    denominator : int64, shape (G, sources): n_t, or N_t times `scale`; 0 where the source gives no
        probability.
    base, agreeing : int64, shape (G,): the weight of the sets in which only the known keys are
        left, and how many records agree on these. known : who does.
    """

    def __init__(
        self, targets: Targets, asked: SimpleNamespace, shares: Integers, units: Integers | None
    ) -> None:
        keys, sets = targets.keys, len(shares)
        self.targets, self.asked, self.sets = targets, asked, sets
        self.sources: list[Source] = [(targets, table) for table in range(1, sets + 1)]
        self.counts = np.column_stack([targets.counts(table) for _, table in self.sources])
        self.numerator, self.whole, self.scale = shares, int(shares.sum()), asked.scale
        self.base = self.agreeing = np.zeros(len(targets), dtype=np.int64)
        self.known: Targets | None = None
        self.denominator = self.counts
        if asked.source is not None:
            # N_t is never below n_t
            of_sets = np.maximum(self._units(units), self.counts * self.scale)
            self.denominator = np.where(self.counts > 0, of_sets, 0)
            return
        left = self.counts == 0
        if asked.fallback is None or not left.any():
            return
        if asked.fallback == "categories" and any(key.loose for key in keys.all):
            fewer = keys.only([key for key in keys.all if not key.loose])
            weaker = Targets(fewer, like=targets)
            self.sources += [(weaker, table) for _, table in self.sources]
            in_categories = np.column_stack([weaker.counts(at) for at in range(1, sets + 1)])
            self.numerator = np.tile(shares, 2)
            self.denominator = np.hstack([self.counts, np.where(left, in_categories, 0)])
            left &= in_categories == 0
        if left.any():
            # known keys are the same in all sets
            self.known = Targets(keys.only([key for key in keys.all if key.known]), like=targets)
            self.agreeing = self.known.counts(1)
            self.base = np.where(self.agreeing > 0, left @ shares, 0)

    def worth(self) -> Floats:
        """numerator / denominator as floats, 0 where there is none."""
        fractions = self.numerator / np.maximum(self.denominator, 1)
        return np.where(self.denominator > 0, fractions, 0.0)

    def _units(self, units: Integers | None) -> Integers:
        """Units of the population that match each target in each set (N_t) times `scale`."""
        targets, asked = self.targets, self.asked
        tables = range(1, self.sets + 1)
        if asked.source == "weights":
            return np.column_stack([targets.count(table, asked.amounts) for table in tables])
        if asked.source == "model":
            return units_by_model(targets, self.counts, asked.model, self.scale)
        if units is not None:
            of_target = units[targets.example]
            few = np.flatnonzero(of_target < self.scale * targets.counts(-1))
            if len(few):
                raise InputError(
                    f"units: N_t = {of_target[few[0]] / self.scale:g} is given for a target whose"
                    f" keys more records of the original data have, as are {len(few)} such numbers"
                    " in all; N_t counts everyone in the population who agrees with the target,"
                    " including those in the file"
                )
        else:
            of_target = targets.count(len(targets.keys.rows) - 2, asked.amounts)
            # an open interval of width 0 holds not even the target itself, and then the population
            # need not either
            example = targets.example
            in_reach = targets.itself(0, np.arange(len(targets.of_target)))[example]
            absent = np.flatnonzero((of_target == 0) & in_reach)
            if len(absent):
                place = "the original data" if asked.given is None else "the targets"
                raise InputError(
                    f"population: nobody in it has the keys of row {example[absent[0]] + 1} of"
                    f" {place}, one of {len(absent)} such targets; targets belong to the"
                    " population, so it must count every combination that occurs: check the codes"
                    " of the levels, or add what is missing"
                )
        return np.broadcast_to(of_target[:, None], self.counts.shape)

    # ---- who is named ----------------------------------------------------------------

    def outcomes(self) -> pd.DataFrame:
        """One row per target: highest, perceived, c, I, fallback, and in_file where that is not
        known.
        """
        targets, asked, worth = self.targets, self.asked, self.worth()
        of_target, sets = targets.of_target, self.sets
        has_weaker = len(self.sources) > sets
        always = (self.counts > 0).all(axis=1) | (not has_weaker)
        # those who match in every set need no categories
        parts = [leaders(self.sources[:sets], np.flatnonzero(always), worth[:, :sets])]
        if has_weaker:
            nothing = np.zeros((len(parts[0][0]), sets), dtype=bool)
            parts[0] = (parts[0][0], np.hstack([parts[0][1], nothing]), parts[0][2])
            parts.append(leaders(self.sources, np.flatnonzero(~always), worth))
        number, bits, records = (np.concatenate(part) for part in zip(*parts))
        # the true records are candidates too, of nobody beside those counted
        own = np.column_stack(
            [one.itself(table, targets.keys.records) for one, table in self.sources]
        )
        own &= self.denominator[of_target] > 0
        named = len(number)
        inside = np.flatnonzero(own.any(axis=1))
        number = np.concatenate([number, of_target[inside]])
        bits = np.concatenate([bits, own[inside]])
        best = self._at_the_top(number, bits, worth)
        c = np.zeros(len(targets), dtype=np.int64)
        np.add.at(c, number[:named], records * best[:named])
        top = np.zeros(self.denominator.shape, dtype=bool)
        top[number[best]] = bits[best]
        is_inside = np.zeros(len(of_target), dtype=bool)
        is_inside[inside] = best[named:]
        # where nobody matches in any set, all that agree on the known keys are at the top
        only_base = (c == 0) & (self.base > 0)
        c[only_base] = self.agreeing[only_base]
        if self.known is not None:
            is_inside |= only_base[of_target] & self.known.itself(1, self.targets.keys.records)
        numerator = np.where(top, self.numerator, 0)
        base = self.base / np.maximum(self.agreeing, 1)
        highest = (self.scale * (worth * top).sum(axis=1) + base) / self.whole
        # with a scale there is no base, so one of the two is trivial
        exceeds = above(
            np.column_stack([numerator, self.base]),
            np.column_stack([self.denominator, self.agreeing]),
            asked.threshold * self.whole / self.scale,
        )
        columns: dict[str, Any] = {"highest": highest[of_target], "perceived": exceeds[of_target]}
        falls_back = asked.fallback is not None
        fallbacks = (self.counts == 0).sum(axis=1) * falls_back
        in_file = None
        if asked.source is not None:
            in_file = self.scale * (self.counts * worth).sum(axis=1) / self.whole
            if asked.abstain:
                # at least as likely to be outside the file as to be any one record
                outside = Fraction(self.whole, self.scale)
                likelier = above(
                    self.numerator * self.counts + numerator, self.denominator, outside
                )
                c[~likelier] = 0
                is_inside &= likelier[of_target]
        columns |= {"c": c[of_target], "I": is_inside, "fallback": fallbacks[of_target]}
        if in_file is not None:
            columns["in_file"] = in_file[of_target]
        return pd.DataFrame(columns)

    def _at_the_top(self, number: Integers, bits: Flags, worth: Floats) -> Flags:
        """Which rows have the highest sum of all rows of their target. Floats decide where they
        can: rows that are too close for them, and match in different sets, are compared exactly.
        """
        value = np.einsum("rs,rs->r", bits, worth[number])
        top = np.zeros(len(self.targets))
        np.maximum.at(top, number, value)
        best: Flags = (value > 0) & (value >= top[number] * (1 - NEAR))
        rows = np.flatnonzero(best)
        first = np.zeros(len(top), dtype=np.int64)
        first[number[rows]] = rows
        mixed = np.zeros(len(top), dtype=bool)
        mixed[number[rows][(bits[rows] != bits[first[number[rows]]]).any(axis=1)]] = True
        rows = rows[mixed[number[rows]]]
        if len(rows):
            numerator = np.where(bits[rows], self.numerator, 0)
            sums, place = exact_sums(numerator, self.denominator[number[rows]])
            order = {one: rank for rank, one in enumerate(sorted(set(sums)))}
            rank = np.array([order[one] for one in sums])[place]
            highest = np.zeros(len(top), dtype=np.int64)
            np.maximum.at(highest, number[rows], rank)
            best[rows] = rank == highest[number[rows]]
        return best

    def probabilities(self) -> Floats:
        """Pr(J = i) of the first distinct target for i = 1..n."""
        first = np.zeros(1, dtype=np.int64)
        found = np.zeros(self.targets.keys.rows[-1])
        worth = self.scale * self.worth()[0]
        for _, record, source in pairs(self.sources, first):
            np.add.at(found, record, worth[source])
        if self.known is not None and self.base[0]:
            for _, record, _ in pairs([(self.known, 1)], first):
                found[record] += self.base[0] / self.agreeing[0]
        return found / self.whole


def units_by_model(targets: Targets, counts: Integers, model: LogLinear, scale: int) -> Integers:
    """n_t + mu_t (1 - f) / f times `scale`, rounded to a whole number, halves up, by a Poisson
    model with main effects of the keys.
    """
    keys, share = targets.keys, model.share
    # in integers of any length: the product of several counts exceeds 64 bits
    product: Any = np.full(counts.shape, keys.rows[-1], dtype=object)
    # those of a joint distance are one key
    each = [[key] for key in keys.all if key not in keys.together]
    if keys.together:
        each.append(keys.together)
    for alone in each:
        on_key = Targets(keys.only(alone), like=targets)
        for at in range(counts.shape[1]):
            product[:, at] *= on_key.count(at + 1).astype(object)
    # mu = product / n^keys; without keys everybody agrees, and mu = n
    numerator = product * (share.denominator - share.numerator) * scale
    denominator = keys.rows[-1] ** len(each) * share.numerator
    units = (2 * numerator + denominator) // (2 * denominator) + counts.astype(object) * scale
    if units.size and units.max() >= ROOM:
        raise InputError(
            f"units: LogLinear({model.fraction}) expects more units of the population than can be"
            " counted in 64 bits; give a larger fraction"
        )
    whole: Integers = units.astype(np.int64)
    return whole


# ---- sums of fractions, compared exactly ---------------------------------------------

# 1/6 and 1/10 + 1/15 are the same number, three times 1/5 divided by three does not exceed 1/5.


def exact_sums(numerator: Integers, denominator: Integers) -> tuple[list[Fraction], Integers]:
    """The distinct sums of rows of fractions, and the place of each row's among them; a denominator
    of 0 means that there is no fraction.

    Examples
    --------
    >>> sums, place = exact_sums(np.array([[1, 1], [1, 0]]), np.array([[10, 15], [6, 1]]))
    >>> [str(sums[at]) for at in place]
    ['1/6', '1/6']
    """
    denominator = np.where(numerator > 0, denominator, 0)
    numerator = np.where(denominator > 0, numerator, 0)
    # in order of the denominators many rows are the same
    order = np.argsort(denominator, axis=1, kind="stable")
    below = np.take_along_axis(denominator, order, axis=1)
    above = np.take_along_axis(numerator, order, axis=1)
    columns = []
    for column in (*below.T, *above.T):
        codes, levels = pd.factorize(column)
        columns.append(([codes], len(levels)))
    (rows,), _ = joined(columns, [len(below)], LARGEST_CODE)
    place, levels = pd.factorize(rows)
    example = np.empty(len(levels), dtype=np.int64)
    example[place] = np.arange(len(place))
    sums = []
    for row in example.tolist():
        parts = [(a, b) for a, b in zip(above[row].tolist(), below[row].tolist()) if b]
        common = math.lcm(*(b for _, b in parts))
        sums.append(Fraction(sum(a * (common // b) for a, b in parts), common))
    return sums, place


def above(numerator: Integers, denominator: Integers, limit: Fraction) -> Flags:
    """Which sums of rows of fractions are above a limit, exactly.

    Examples
    --------
    >>> above(np.array([[1, 1, 1], [1, 1, 2]]), np.full((2, 3), 15), Fraction(1, 5)).tolist()
    [False, True]
    """
    fractions = np.where(denominator > 0, numerator / np.maximum(denominator, 1), 0.0)
    value = fractions.sum(axis=1)
    found: Flags = value > float(limit)
    gap = np.abs(value - float(limit))
    close = np.flatnonzero(gap <= NEAR * np.maximum(value, float(limit)))
    if len(close):
        sums, place = exact_sums(numerator[close], denominator[close])
        found[close] = np.array([one > limit for one in sums])[place]
    return found
