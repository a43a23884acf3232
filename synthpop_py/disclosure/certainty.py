"""What is certain: which key combinations lead to only one target, in the original, in a synthesis,
and whether the two agree. This is decided on all records, before exclusions. If less than certainty
is asked for (`nearly`), it is decided cell by cell.

Notation of the paper: d, s are counts of a cell (key combination q, target t); d.q, s.q sums over
t; pd = d/d.q, ps = s/s.q.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from ..core.arrays import Flags, Floats, Integers, Values
from ..core.crosstab import totals
from ..core.levels import Namer
from .cells import Cells
from .keys import AskedKeys, Keys
from .nearly import CERTAIN, SureCells, sure_cells

LARGEST_SUM = 2.0**62
SMALL_TOTAL = 2.0**26  # products of two totals below this are exact, as doubles too


@dataclass(frozen=True, slots=True)
class Combinations:
    """Records by key combination, (g,), in the original and in one synthesis. No target is
    involved, so one serves all targets.

    Attributes
    ----------
    d_q, s_q : original and synthetic records.
    in_orig, in_syn : whether there are any.
    unique_orig, unique_syn : whether there is exactly one.
    per_orig, per_syn : the divisor for shares within the combination: d.q or s.q, or 1 where there
        are no records, which makes 0/0 0.
    orig, syn : original and synthetic records in all.
    orig_found : original records whose combination is in the synthetic data.
    syn_found : synthetic records whose combination is in the original.
    uniques_orig, uniques_syn, uniques_both : combinations with exactly one original record, one
        synthetic record, one of each.
    """

    d_q: Integers
    s_q: Integers
    in_orig: Flags
    in_syn: Flags
    unique_orig: Flags
    unique_syn: Flags
    per_orig: Floats
    per_syn: Floats
    orig: int
    syn: int
    orig_found: int
    syn_found: int
    uniques_orig: int
    uniques_syn: int
    uniques_both: int


@dataclass(frozen=True, slots=True)
class KeyMargin:
    """One key by itself: a function for the texts of its levels, the level of each combination,
    (g,), and the original records with each level.
    """

    name_levels: Namer
    level_of: Integers
    n_orig: Integers


@dataclass(frozen=True)  # no slots: margins are made on first use
class KeySide:
    """The key combinations of the original and one synthesis. No target is involved, so what the
    first target computes serves all.
    """

    keys: Keys
    codes: Integers
    records: Combinations

    @cached_property
    def margins(self) -> tuple[KeyMargin, ...]:
        d_q = self.records.d_q
        if self.keys.parts is not None:
            namers, levels = self.keys.glued_levels(self.codes)
            sums = None
        else:
            namers = tuple(variable.texts for variable in self.keys.variables)
            levels = list(self.keys.radix.components(self.codes, short=True).T)
            sums = self.keys.radix.margins(self.codes, d_q)
        if sums is None:
            sums = [totals(level_of, d_q, 0) for level_of in levels]
        return tuple(map(KeyMargin, namers, levels, sums))


Sides = dict[tuple[AskedKeys, int], KeySide]  # by keys and number of the synthesis


def key_side(cells: Cells, keys: Keys) -> KeySide:
    """The key combinations of the original and one synthesis."""
    records = _records_by_key(cells, cells.n_orig, cells.n_syn)
    return KeySide(keys, cells.combinations, records)


def shared_side(cells: Cells, keys: Keys, asked: AskedKeys, table: int, known: Sides) -> KeySide:
    """The same, computed with the first target, unless R's D1 changes the keys for this one."""
    # with a single key, D1 pairs other combinations for every target, so nothing is kept
    if cells.combinations_syn is not cells.combinations:
        return key_side(cells, keys)
    if (asked, table) not in known:
        known[asked, table] = key_side(cells, keys)
    return known[asked, table]


def _records_by_key(cells: Cells, d: Integers, s: Integers) -> Combinations:
    d_q, s_q = sum_by_key(cells, d), sum_by_key(cells, s)
    in_orig, in_syn = d_q > 0, s_q > 0
    unique_orig, unique_syn = d_q == 1, s_q == 1
    return Combinations(
        d_q=d_q,
        s_q=s_q,
        in_orig=in_orig,
        in_syn=in_syn,
        unique_orig=unique_orig,
        unique_syn=unique_syn,
        per_orig=np.maximum(d_q, 1).astype(np.float64),
        per_syn=np.maximum(s_q, 1).astype(np.float64),
        orig=int(d_q.sum()),
        syn=int(s_q.sum()),
        orig_found=int(d_q @ in_syn),
        syn_found=int(s_q @ in_orig),
        uniques_orig=int(np.count_nonzero(unique_orig)),
        uniques_syn=int(np.count_nonzero(unique_syn)),
        uniques_both=int(np.count_nonzero(unique_orig & unique_syn)),
    )


def sum_by_key(cells: Cells, counts: Integers | Flags) -> Integers:
    """Sums of whole numbers over each key combination, (g,). Differences of running sums take half
    the time of `reduceat`.
    """
    return _ends_apart(cells, np.cumsum(counts))


def _ends_apart(cells: Cells, running: Integers) -> Integers:
    """Sums over each key combination from running ones."""
    # all ends are in range, so NumPy need not check
    up_to = running.take(cells.ends, mode="clip")
    sums = np.empty_like(up_to)
    sums[:1] = up_to[:1]
    np.subtract(up_to[1:], up_to[:-1], out=sums[1:])
    return sums


def _sum_products(cells: Cells, a: Integers, b: Integers, largest: float) -> Values:
    """Sums of a b over each key combination, (g,); `largest` is a bound for their total. Integers
    where they fit into 64 bits, so small counts are not rounded.
    """
    # running sums go over all combinations, so the bound is on their total
    if largest < LARGEST_SUM:
        products = a * b
        return _ends_apart(cells, np.cumsum(products, out=products))
    if not len(cells.starts):
        return np.zeros(0)
    return np.add.reduceat(a.astype(np.float64) * b, cells.starts)


@dataclass(frozen=True, slots=True)
class Sums:
    """Counts d, s of cells, (c,), and what follows from them for each key combination q, (g,).

    Attributes
    ----------
    of : d.q and s.q, the sums over t.
    dd_q, ss_q, sd_q : sums of d², s² and sd over t.
    expected : sum of ps d over t: the expected number of correct guesses. Where the synthetic data
        are certain, the records with that target.
    certain_orig, certain_syn : all original (synthetic) records of the combination share one
        target (some pd = 1, some ps = 1): exactly one cell is occupied.
    correct : of the original records, those whose target the synthetic data are certain of.
    totals : (8,) R's eight counts of these records, in the order of `VECTORS`.
    sure : if less than certainty is asked for, the cells that reach it; "certain" above then means
        nearly sure. None otherwise, because combinations are enough.
    """

    d: Integers
    s: Integers
    of: Combinations
    dd_q: Values
    ss_q: Values
    sd_q: Values
    expected: Floats
    certain_orig: Flags
    certain_syn: Flags
    correct: Integers
    totals: Integers
    sure: SureCells | None = None


@dataclass(frozen=True, slots=True)
class Certainty:
    """The cells of the original and one synthesis, with what is certain about them before
    exclusions.

    Attributes
    ----------
    known_cells : bool, (c,), the cells that the synthetic data are certain of.
    """

    cells: Cells
    side: KeySide
    before_exclusions: Sums
    known_cells: Flags


def find_certainty(cells: Cells, side: KeySide, least: Fraction = CERTAIN) -> Certainty:
    """What is certain, from all records; `least` is the share of records that must agree."""
    sums = classify(cells, cells.n_orig, cells.n_syn, side.records, least=least)
    return Certainty(cells, side, sums, known_cells(cells, sums))


def known_cells(cells: Cells, before: Sums) -> Flags:
    """The cells that the synthetic data are certain of (ps = 1), (c,): all their records of a
    combination are in one cell, and this is it. A combination has at most one.
    """
    if before.sure is not None:
        return before.sure.syn
    return before.certain_syn[cells.group] & (before.s > 0)


def classify(
    cells: Cells,
    d: Integers,
    s: Integers,
    known: Combinations | None = None,
    *,
    least: Fraction = CERTAIN,
) -> Sums:
    """Which combinations are certain, from given counts, which may be filtered; `known` holds
    records by combination that another target has already computed.
    """
    of = known or _records_by_key(cells, d, s)
    nd, ns = float(of.orig), float(of.syn)
    dd_q = _sum_products(cells, d, d, nd * nd)
    ss_q = _sum_products(cells, s, s, ns * ns)
    sd_q = _sum_products(cells, s, d, ns * nd)
    expected = sd_q / of.per_syn
    sure = None
    if least < CERTAIN:
        sure = sure_cells(cells, (d, s), (of.d_q, of.s_q), least)
        certain_orig = sum_by_key(cells, sure.orig) > 0
        certain_syn = sum_by_key(cells, sure.syn) > 0
        correct = sum_by_key(cells, d * sure.syn)
    elif max(nd, ns) < SMALL_TOTAL:
        # A sum of squares equals the square of the sum only if a single term is not 0. Where the
        # synthetic data are certain, sd is s.q times the count there, so the quotient is exact.
        # The sums are needed anyway.
        certain_orig = (dd_q == of.d_q * of.d_q) & of.in_orig
        certain_syn = (ss_q == of.s_q * of.s_q) & of.in_syn
        correct = (expected * certain_syn).astype(np.int64)
    else:
        certain_orig = sum_by_key(cells, d > 0) == 1
        certain_syn = sum_by_key(cells, s > 0) == 1
        correct = sum_by_key(cells, d * (s > 0)) * certain_syn
    # already known: counting again takes as long as the rest
    everybody = (of.orig, of.syn, of.orig_found)
    if sure is not None:
        counts = _counts_by_cell(d, s, sure, everybody, in_certain=int(of.d_q @ certain_syn))
    else:
        counts = _eight_counts(
            d_q=of.d_q,
            s_q=of.s_q,
            everybody=everybody,
            certain_orig=certain_orig,
            certain_syn=certain_syn,
            correct=correct,
        )
    return Sums(
        d=d,
        s=s,
        of=of,
        dd_q=dd_q,
        ss_q=ss_q,
        sd_q=sd_q,
        expected=expected,
        certain_orig=certain_orig,
        certain_syn=certain_syn,
        correct=correct,
        totals=counts,
        sure=sure,
    )


def _eight_counts(
    *,
    d_q: Integers,
    s_q: Integers,
    everybody: tuple[int, int, int],
    certain_orig: Flags,
    certain_syn: Flags,
    correct: Integers,
) -> Integers:
    """R's eight counts, (8,), in the order of `VECTORS`:

    ==========  =====================================================
    original    d
    synthetic   s
    Dorig       d where pd = 1
    Dsyn        s where ps = 1
    iS          d where s.q > 0
    DiS         d in combinations with some ps = 1
    DiSCO       d where ps = 1
    DiSDiO      d where ps = 1 and pd = 1
    ==========  =====================================================

    `everybody` has the three that need no certainty: original, synthetic, iS.
    """
    original, synthetic, found = everybody
    counts = [
        original,
        synthetic,
        d_q @ certain_orig,
        s_q @ certain_syn,
        found,
        d_q @ certain_syn,
        correct.sum(),
        correct @ certain_orig,
    ]
    return np.array(counts, dtype=np.int64)


def _counts_by_cell(
    d: Integers,
    s: Integers,
    sure: SureCells,
    everybody: tuple[int, int, int],
    *,
    in_certain: int,
) -> Integers:
    """The same if less than certainty is asked for: d and s of single cells count, because other
    cells of the combination do not reach the share. `in_certain` is DiS, which does not depend on a
    cell.
    """
    original, synthetic, found = everybody
    counts = [
        original,
        synthetic,
        d @ sure.orig,
        s @ sure.syn,
        found,
        in_certain,
        d @ sure.syn,
        d @ (sure.orig & sure.syn),
    ]
    return np.array(counts, dtype=np.int64)


def eight_totals(cells: Cells, before: Sums, d: Integers, s: Integers) -> Integers:
    """How many of the excluded records d, s fall under each of R's eight counts, (8,). What is
    certain was decided on all records, `before` exclusions.
    """
    d_q, s_q = sum_by_key(cells, d), sum_by_key(cells, s)
    everybody = (int(d_q.sum()), int(s_q.sum()), int(d_q @ before.of.in_syn))
    if before.sure is not None:
        in_certain = int(d_q @ before.certain_syn)
        return _counts_by_cell(d, s, before.sure, everybody, in_certain=in_certain)
    return _eight_counts(
        d_q=d_q,
        s_q=s_q,
        everybody=everybody,
        certain_orig=before.certain_orig,
        certain_syn=before.certain_syn,
        correct=correct_by_key(cells, before, d),
    )


def correct_by_key(cells: Cells, before: Sums, d: Integers) -> Integers:
    """Of given original counts, those for which the synthetic data are certain and correct (DiSCO),
    by key combination, (g,).
    """
    if before.sure is not None:
        return sum_by_key(cells, d * before.sure.syn)
    with_that_target = sum_by_key(cells, d * (before.s > 0))
    correct: Integers = with_that_target * before.certain_syn
    return correct


def cell_vectors(cells: Cells, before: Sums, d: Integers) -> dict[str, Integers]:
    """The counts of original records behind iS, DiS, DiSCO and DiSDiO, cell by cell, (c,)."""
    disco = d * known_cells(cells, before)
    sure_orig = before.certain_orig[cells.group] if before.sure is None else before.sure.orig
    return {
        "iS": d * before.of.in_syn[cells.group],
        "DiS": d * before.certain_syn[cells.group],
        "DiSCO": disco,
        "DiSDiO": disco * sure_orig,
    }
