"""Match probabilities averaged over the released sets, and which records an intruder names: c and I
of Reiter and Mitra, decided exactly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import Flags, Floats, Integers, Values
from ..errors import InputError
from .boxes import Boxes
from .keys import LARGEST_CODE, joined
from .matches import Source, Targets, boxes_pay, pairs
from .targets import ROOM

NEAR = 1e-9  # sums of a few hundred fractions are rounded by less than 1e-13 of their size
MOST_SETS = 16  # 65,535 combinations

# number of the target (shape (R,)), sources in which records match (R, sources), how many records
Rows = tuple[Integers, Flags, Integers]


class Sight:
    """What an intruder sees of targets of whom the same keys are known, in the first sets.

    The probability of record i for the distinct target t is ``(scale * x + base[t] / agreeing[t]) /
    whole``, where x is the sum of ``numerator[s] / denominator[t, s]`` over the sources s in which
    i matches t.

    Attributes
    ----------
    sources : the released sets; for a fallback to categories, these once more with fewer keys.
    counts : int64, shape (G, sets): records that match each target in each set (n_t).
    numerator : int64, shape (sources,): the weight of each set. whole : their total.
    denominator : int64, shape (G, sources): n_t, or N_t times `scale`; 0 for no probability.
    base, agreeing : int64, shape (G,): the weight of the sets in which only the known keys are
        left, and how many records agree on these. known : who does.
    """

    def __init__(
        self, targets: Targets, asked: SimpleNamespace, shares: Integers, units: Integers | None
    ) -> None:
        keys, tables = targets.keys, range(1, shares.size + 1)
        self.targets, self.asked = targets, asked
        self.sources: list[Source] = [(targets, table) for table in tables]
        self.counts = np.column_stack([targets.counts(table) for table in tables])
        self.numerator, self.whole, self.scale = shares, int(shares.sum()), asked.scale
        self.base = self.agreeing = np.zeros(targets.size, dtype=np.int64)
        self.known: Targets | None = None
        self.denominator = self.counts
        left = self.counts == 0
        if asked.source is not None:
            # N_t is never below n_t
            of_sets = np.maximum(self._units(units), self.counts * self.scale)
            self.denominator = np.where(left, 0, of_sets)
        if asked.fallback == "categories" and left.any() and any(key.loose for key in keys.all):
            fewer = keys.only([key for key in keys.all if not key.loose])
            weaker = Targets(fewer, like=targets)
            self.sources += [(weaker, table) for table in tables]
            self.numerator = np.tile(shares, 2)
            in_categories = np.column_stack([weaker.counts(table) for table in tables])
            self.denominator = np.hstack([self.counts, np.where(left, in_categories, 0)])
            left &= in_categories == 0
        if asked.fallback is not None and left.any():
            # known keys are the same in all sets
            self.known = Targets(keys.only([key for key in keys.all if key.known]), like=targets)
            self.agreeing = self.known.counts(1)
            self.base = np.where(self.agreeing > 0, left @ shares, 0)
        fractions = self.numerator / np.maximum(self.denominator, 1)
        self.worth = np.where(self.denominator > 0, fractions, 0.0)

    def _units(self, units: Integers | None) -> Integers:
        """Units of the population that match each target in each set (N_t) times `scale`."""
        targets, asked = self.targets, self.asked
        if asked.source == "model":
            return self._units_by_model()
        if asked.source == "weights":
            sums = [targets.count(table, asked.amounts) for _, table in self.sources]
            return np.column_stack(sums)
        if units is not None:
            of_target = units[targets.example]
        else:
            of_target = targets.count(len(targets.keys.rows) - 2, asked.amounts)
        # an open interval of width 0 holds not even the target itself
        everybody = np.arange(targets.of_target.size)
        in_reach = targets.itself(0, everybody)[targets.example]
        absent = targets.example[(of_target == 0) & in_reach]
        if absent.size:
            place = "the original data" if asked.given is None else "the targets"
            raise InputError(
                f"{asked.source}: says that nobody has the keys of row {absent[0] + 1} of {place},"
                f" or of {absent.size - 1} others; targets belong to the population, so it must"
                " count every combination that occurs: check the codes of the levels, or add what"
                " is missing"
            )
        return np.broadcast_to(of_target[:, None], self.counts.shape)

    def _units_by_model(self) -> Integers:
        """n_t + mu_t (1 - f) / f times `scale`, rounded to a whole number, halves up, by a Poisson
        model with main effects of the keys.
        """
        keys, share, counts = self.targets.keys, self.asked.model.share, self.counts
        n = keys.n
        # in integers of any length: the product of several counts exceeds 64 bits
        product: Any = np.full(counts.shape, n, dtype=object)
        # those of a joint distance are one key
        together = keys.together
        each = [[key] for key in keys.all if key not in together]
        if together:
            each.append(together)
        for alone in each:
            on_key = Targets(keys.only(alone), like=self.targets)
            agreeing = [on_key.count(table) for _, table in self.sources]
            product *= np.column_stack(agreeing).astype(object)
        # mu = product / n^keys; without keys everybody agrees, and mu = n
        numerator = product * (1 - share).numerator * self.scale
        denominator = n ** len(each) * share.numerator
        outside = (2 * numerator + denominator) // (2 * denominator)
        units = outside + counts.astype(object) * self.scale
        if units.max() >= ROOM:
            raise InputError(
                f"units: {self.asked.model} expects more units than can be counted in 64 bits; give"
                " a larger fraction"
            )
        whole: Integers = units.astype(np.int64)
        return whole

    def outcomes(self) -> pd.DataFrame:
        """One row per target: highest, perceived, c, I, fallback, and in_file where that is not
        known.
        """
        targets, asked, worth = self.targets, self.asked, self.worth
        of_target, records = targets.of_target, targets.keys.records
        number, bits, many = self._leaders()
        # the true records are candidates too, of nobody beside those counted
        own = np.column_stack([one.itself(table, records) for one, table in self.sources])
        own &= self.denominator[of_target] > 0
        named, inside = number.size, np.flatnonzero(own.any(axis=1))
        number = np.concatenate([number, of_target[inside]])
        bits = np.concatenate([bits, own[inside]])
        best = self._at_the_top(number, bits)
        counted = many * best[:named]
        c = np.zeros(targets.size, dtype=np.int64)
        np.add.at(c, number[:named], counted)
        is_inside = np.zeros(of_target.size, dtype=bool)
        is_inside[inside] = best[named:]
        top = np.zeros(worth.shape, dtype=bool)
        top[number[best]] = bits[best]
        # where nobody matches in any set, all that agree on the known keys are at the top
        only_base = (c == 0) & (self.base > 0)
        c[only_base] = self.agreeing[only_base]
        if self.known is not None:
            is_inside |= only_base[of_target] & self.known.itself(1, records)
        base = self.base / np.maximum(self.agreeing, 1)
        highest = (self.scale * (worth * top).sum(axis=1) + base) / self.whole
        # with a scale there is no base, so one of the two is trivial
        numerator = np.where(top, self.numerator, 0)
        exceeds = above(
            np.column_stack([numerator, self.base]),
            np.column_stack([self.denominator, self.agreeing]),
            asked.threshold * self.whole / self.scale,
        )
        if asked.abstain:
            # at least as likely to be outside the file as to be any one record
            in_all = self.numerator * self.counts + numerator
            likelier = above(in_all, self.denominator, Fraction(self.whole, self.scale))
            c[~likelier] = 0
            is_inside &= likelier[of_target]
        falls_back = asked.fallback is not None
        fallbacks = (self.counts == 0).sum(axis=1) * falls_back
        found = {"highest": highest, "perceived": exceeds, "c": c, "I": c, "fallback": fallbacks}
        if asked.source is not None:
            inside = (self.counts * worth).sum(axis=1)
            found["in_file"] = inside * self.scale / self.whole
        columns = {name: values[of_target] for name, values in found.items()}
        columns["I"] = is_inside
        return pd.DataFrame(columns)

    def _leaders(self) -> Rows:
        """All that could be the likeliest. Those who match in every set need no categories."""
        sets, wanted = self.counts.shape[1], np.arange(self.targets.size)
        if len(self.sources) == sets:
            return leaders(self.sources, wanted, self.worth)
        always = (self.counts > 0).all(axis=1)
        number, bits, many = leaders(self.sources[:sets], wanted[always], self.worth[:, :sets])
        bits = np.hstack([bits, np.zeros_like(bits)])
        others = leaders(self.sources, wanted[~always], self.worth)
        return _joined_rows([(number, bits, many), others])

    def _at_the_top(self, number: Integers, bits: Flags) -> Flags:
        """Which rows have the highest sum of all rows of their target. Floats decide where they
        can: rows that are too close for them, and match in different sets, are compared exactly.
        """
        value = np.einsum("rs,rs->r", bits, self.worth[number])
        top = np.zeros(self.targets.size)
        np.maximum.at(top, number, value)
        limit = top[number] * (1 - NEAR)
        best: Flags = (value > 0) & (value >= limit)
        rows = np.flatnonzero(best)
        of_row = number[rows]
        first = np.zeros(top.size, dtype=np.int64)
        first[of_row] = rows
        same = bits[rows] == bits[first[of_row]]
        mixed = np.zeros(top.size, dtype=bool)
        mixed[of_row[~same.all(axis=1)]] = True
        rows = rows[mixed[of_row]]
        if rows.size:
            of_row = number[rows]
            numerator = np.where(bits[rows], self.numerator, 0)
            sums, place = exact_sums(numerator, self.denominator[of_row])
            order = {one: rank for rank, one in enumerate(sorted(set(sums)))}
            rank = np.array([order[one] for one in sums])[place]
            highest = np.zeros(top.size, dtype=np.int64)
            np.maximum.at(highest, of_row, rank)
            best[rows] = rank == highest[of_row]
        return best

    def probabilities(self) -> Floats:
        """Pr(J = i) of the first distinct target for i = 1..n."""
        first = np.zeros(1, dtype=np.int64)
        found = np.zeros(self.targets.keys.n)
        worth = self.scale * self.worth[0]
        for _, record, source in pairs(self.sources, first):
            np.add.at(found, record, worth[source])
        if self.known is not None and self.base[0]:
            for _, record, _ in pairs([(self.known, 1)], first):
                found[record] += self.base[0] / self.agreeing[0]
        return found / self.whole


def leaders(sources: Sequence[Source], wanted: Integers, worth: Floats) -> Rows:
    """Records that could have the highest sum of `worth` (shape (G, sources)) over the sources in
    which they match one of the wanted targets; those that match in the same sources together.
    """
    wanted = wanted[(worth[wanted] > 0).any(axis=1)]
    if len(sources) == 1:
        targets, table = sources[0]
        return wanted, np.ones((wanted.size, 1), dtype=bool), targets.counts(table)[wanted]
    nothing = np.zeros(0, dtype=np.int64)
    parts = [(nothing, np.zeros((0, len(sources)), dtype=bool), nothing)]
    if boxes_pay(sources, wanted):
        wanted = _by_combination(sources, wanted, worth, parts)
    _in_pairs(sources, wanted, worth, parts)
    return _joined_rows(parts)


def _joined_rows(parts: Sequence[Rows]) -> Rows:
    number, bits, records = (np.concatenate(part) for part in zip(*parts))
    return number, bits, records


def _by_combination(
    sources: Sequence[Source], wanted: Integers, worth: Floats, parts: list[Rows]
) -> Integers:
    """Records that match a target in each source of a combination are boxes again: what their boxes
    in these sources have in common. The largest combinations come first; a target whose leaders
    match in all sources needs no other. Returns the targets that are left for the pairs.
    """
    (targets, _), many = sources[0], len(sources)
    boxes = [targets.boxes(table) for _, table in sources]
    kept: dict[int, Boxes] = {}
    points, best = targets.points(), np.zeros(targets.size)
    masks = [2**many - 1]
    for mask in masks:
        members = (mask >> np.arange(many) & 1) == 1
        value = worth[:, members].sum(axis=1)
        possible = (worth[:, members] > 0).all(axis=1)
        possible &= value >= best * (1 - NEAR)
        tried = wanted[possible[wanted]]
        if tried.size:
            common, so_far = boxes[0], 0
            for at in np.flatnonzero(members).tolist():
                before, so_far = common, so_far | 1 << at
                if so_far not in kept:
                    kept[so_far] = boxes[at] if so_far == 1 << at else before.within(boxes[at])
                common = kept[so_far]
            records = common.over([place[tried] for place in points])
            held = records > 0
            found = tried[held]
            best[found] = np.maximum(best[found], value[found])
            bits = np.tile(members, (found.size, 1))
            parts.append((found, bits, records[held]))
        if len(masks) == 1:
            wanted = wanted[best[wanted] == 0]
            if many > MOST_SETS or not boxes_pay(sources, wanted, 2**many):
                return wanted
            masks += sorted(range(1, mask), key=int.bit_count, reverse=True)
    return wanted[:0]


def _in_pairs(
    sources: Sequence[Source], wanted: Integers, worth: Floats, parts: list[Rows]
) -> None:
    for place, record, source in pairs(sources, wanted):
        if not place.size:
            continue
        # the sources in which one record matches one target become neighbours
        code = place * (int(record.max()) + 1) + record
        order = np.argsort(code)
        source, number = source[order], wanted[place[order]]
        first = _changes(code[order])
        row, rows = np.cumsum(first) - 1, np.flatnonzero(first)
        value = np.add.reduceat(worth[number, source], rows)
        number = number[rows]
        begins = _changes(number)
        top = np.maximum.reduceat(value, np.flatnonzero(begins))
        of_target = np.cumsum(begins) - 1
        # those that are not clearly below the highest of their target
        near = value >= top[of_target] * (1 - NEAR)
        number, kept = number[near], near[row]
        new_row = np.cumsum(near) - 1
        bits = np.zeros((number.size, len(sources)), dtype=bool)
        bits[new_row[row[kept]], source[kept]] = True
        bits &= worth[number] > 0
        # those of one target that match in the same sources become one row
        packed = np.packbits(bits, axis=1)
        order = np.lexsort((*packed.T, number))
        rows = np.flatnonzero(_changes(number[order], *packed[order].T))
        records = np.diff(rows, append=order.size)
        one = order[rows]
        parts.append((number[one], bits[one], records))


def _changes(*columns: Values) -> Flags:
    """Where a row of sorted columns differs from the one before it; the first always does."""
    new = np.zeros(len(columns[0]), dtype=bool)
    new[:1] = True
    for column in columns:
        new[1:] |= column[1:] != column[:-1]
    return new


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
    # in order of the denominators many rows are the same
    order = np.argsort(denominator, axis=1, kind="stable")
    below = np.take_along_axis(denominator, order, axis=1)
    above = np.take_along_axis(numerator, order, axis=1)
    columns = []
    for column in (*below.T, *(above * (below > 0)).T):
        if (column != column[0]).any():
            codes, levels = pd.factorize(column)
            columns.append(([codes], levels.size))
    (rows,), _ = joined(columns, [len(below)], LARGEST_CODE)
    place, levels = pd.factorize(rows)
    example = np.empty(levels.size, dtype=np.int64)
    example[place] = np.arange(place.size)
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
    fractions = numerator / np.maximum(denominator, 1) * (denominator > 0)
    value, about = fractions.sum(axis=1), float(limit)
    found: Flags = value > about
    slack = NEAR * np.maximum(value, about)
    close = np.flatnonzero(np.abs(value - about) <= slack)
    if close.size:
        sums, place = exact_sums(numerator[close], denominator[close])
        exceeds = np.array([one > limit for one in sums])
        found[close] = exceeds[place]
    return found
