"""The sparse list of cells (key combination, target level, original count, synthetic count), and
what is certain about them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..core.arrays import Flags, Floats, Integers, Values

LARGEST_SUM = 2.0**62
SMALL_TOTAL = 2.0**26  # products of two totals below this are exact, as doubles too
VECTORS = ("original", "synthetic", "Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DiSDiO")


@dataclass(frozen=True)  # no slots: what is made when first asked for needs a place
class Cells:
    """Occupied cells, sorted by key combination and target. Arrays have shape (c,), or (g,) with
    one entry for each combination.

    Attributes
    ----------
    key, target : (c,) codes of the cell as the original names it.
    key_syn, target_syn : (c,) codes as the synthetic table names the same place (the same arrays,
        unless R's D1 is reproduced).
    n_orig, n_syn : (c,) records.
    starts, ends : (g,) the first and the last cell of each key combination; `group`, (c,), says to
        which combination a cell belongs.
    named_in_syn : (g,) bool, whether the combination is a level of the synthetic table before
        exclusions; None where that is the same as having synthetic records.
    """

    key: Integers
    target: Integers
    key_syn: Integers
    target_syn: Integers
    n_orig: Integers
    n_syn: Integers
    starts: Integers
    ends: Integers
    group: Integers
    named_in_syn: Flags | None = None

    def by_key(self, counts: Integers | Flags) -> Integers:
        """Sums over each key combination, (g,), of whole numbers: differences of running sums take
        half the time of `reduceat`.
        """
        running: Integers = np.cumsum(counts)
        sums = running[self.ends]
        sums[1:] -= running[self.ends[:-1]]
        return sums

    def products_by_key(self, a: Integers, b: Integers, largest: float) -> Values:
        """Sums of a b over each key combination, (g,); `largest` is a bound for their total. Whole
        numbers where they fit into 64 bits, so that small counts leave no rounding behind.
        """
        if largest < LARGEST_SUM:
            return self.by_key(a * b)
        if not len(self.starts):
            return np.zeros(0)
        return np.add.reduceat(a.astype(np.float64) * b, self.starts)

    @cached_property
    def d_t(self) -> Values:
        """Original records by target code, up to the last that occurs."""
        return np.bincount(self.target, weights=self.n_orig, minlength=1)

    @cached_property
    def s_t(self) -> Values:
        return np.bincount(self.target, weights=self.n_syn, minlength=1)


def list_cells(codes: Integers, n_orig: Integers, n_syn: Integers, targets: int) -> Cells:
    """Cells from combined codes ``key * targets + target`` (sorted) and their counts.

    Examples
    --------
    >>> import numpy as np
    >>> cells = list_cells(np.array([0, 1, 5]), np.array([2, 1, 0]), np.array([1, 0, 3]), targets=2)
    >>> cells.key.tolist(), cells.target.tolist(), cells.starts.tolist()
    ([0, 0, 2], [0, 1, 1], [0, 2])
    """
    key = codes // targets
    target = codes - key * targets
    first = np.ones(len(codes), dtype=bool)
    np.not_equal(key[1:], key[:-1], out=first[1:])
    starts = np.flatnonzero(first)
    ends = np.empty_like(starts)
    if len(starts):
        ends[:-1], ends[-1] = starts[1:] - 1, len(codes) - 1
    return Cells(key, target, key, target, n_orig, n_syn, starts, ends, np.cumsum(first) - 1)


@dataclass(frozen=True)
class Combinations:
    """Records by key combination, (g,), in the original and in one synthesis. No target enters, so
    one serves all of them.
    """

    d_q: Integers
    s_q: Integers

    @cached_property
    def in_orig(self) -> Flags:
        return self.d_q > 0

    @cached_property
    def in_syn(self) -> Flags:
        return self.s_q > 0

    @cached_property
    def unique_orig(self) -> Flags:
        alone: Flags = self.d_q == 1
        return alone

    @cached_property
    def unique_syn(self) -> Flags:
        alone: Flags = self.s_q == 1
        return alone

    @cached_property
    def per_orig(self) -> Floats:
        """What to divide by for shares within the combination: d.q, or 1 where there are no
        records, so that 0/0 is 0.
        """
        return np.maximum(self.d_q, 1).astype(np.float64)

    @cached_property
    def per_syn(self) -> Floats:
        return np.maximum(self.s_q, 1).astype(np.float64)

    @cached_property
    def totals(self) -> tuple[int, int, int, int]:
        """Original records, synthetic records, original ones whose combination is in the synthetic
        data, and the reverse.
        """
        return (
            int(self.d_q.sum()),
            int(self.s_q.sum()),
            int(self.d_q @ self.in_syn),
            int(self.s_q @ self.in_orig),
        )


@dataclass(frozen=True)
class Sums:
    """Counts d, s of cells, (c,), and what follows from them for each key combination q, (g,).

    Attributes
    ----------
    of : d.q and s.q, the sums over t.
    dd_q, ss_q, sd_q : sums of d², s² and sd over t.
    certain_orig, certain_syn : all original (synthetic) records of the combination share one
        target (some pd = 1, some ps = 1): exactly one cell is occupied.
    correct : of the original records, those whose target the synthetic data are certain of.
    """

    d: Integers
    s: Integers
    of: Combinations
    dd_q: Values
    ss_q: Values
    sd_q: Values
    certain_orig: Flags
    certain_syn: Flags
    correct: Integers

    @property
    def d_q(self) -> Integers:
        return self.of.d_q

    @property
    def s_q(self) -> Integers:
        return self.of.s_q

    @cached_property
    def expected(self) -> Floats:
        """Sum of ps d over t: right guesses to be expected. Where the synthetic data are certain,
        the records with that target.
        """
        return self.sd_q / self.of.per_syn


def sum_up(cells: Cells, d: Integers, s: Integers, known: Combinations | None = None) -> Sums:
    """Sums of given counts, which may have been filtered; `known` are sums by combination that
    another target has led to already.
    """
    of = known or Combinations(cells.by_key(d), cells.by_key(s))
    nd, ns = float(of.d_q.sum()), float(of.s_q.sum())
    dd_q = cells.products_by_key(d, d, nd * nd)
    ss_q = cells.products_by_key(s, s, ns * ns)
    sd_q = cells.products_by_key(s, d, ns * nd)
    if max(nd, ns) < SMALL_TOTAL:
        # A sum has the square of its terms' sum only where one term is not 0; where the synthetic
        # data are certain, sd is s.q times the count there. Exact, and the sums are needed anyway.
        certain_orig = (dd_q == of.d_q * of.d_q) & of.in_orig
        certain_syn = (ss_q == of.s_q * of.s_q) & of.in_syn
        correct = np.rint(sd_q / of.per_syn * certain_syn).astype(np.int64)
    else:
        certain_orig, certain_syn = cells.by_key(d > 0) == 1, cells.by_key(s > 0) == 1
        correct = cells.by_key(d * (s > 0)) * certain_syn
    return Sums(
        d=d,
        s=s,
        of=of,
        dd_q=dd_q,
        ss_q=ss_q,
        sd_q=sd_q,
        certain_orig=certain_orig,
        certain_syn=certain_syn,
        correct=correct,
    )


def correct_by_key(cells: Cells, everybody: Sums, d: Integers) -> Integers:
    """Of given original counts, those of whom the synthetic data are certain and right (DiSCO), by
    key combination, (g,).
    """
    if d is everybody.d:
        return everybody.correct
    found = cells.by_key(d * (everybody.s > 0))
    correct: Integers = found * everybody.certain_syn
    return correct


def eight_totals(
    cells: Cells, everybody: Sums, d: Integers, s: Integers
) -> tuple[Integers, Integers]:
    """How many of the records d, s fall under each of R's eight counts, and DiSCO by key
    combination.

    What is certain is decided on everybody; d and s may be what exclusions left, or what they took.
    In the paper's notation:

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
    """
    same = d is everybody.d and s is everybody.s
    own = everybody.of if same else Combinations(cells.by_key(d), cells.by_key(s))
    certain_orig, certain_syn = everybody.certain_orig, everybody.certain_syn
    correct = correct_by_key(cells, everybody, d)
    in_syn = own.totals[2] if same else own.d_q @ everybody.of.in_syn
    totals = [
        *own.totals[:2],
        own.d_q @ certain_orig,
        own.s_q @ certain_syn,
        in_syn,
        own.d_q @ certain_syn,
        correct.sum(),
        correct @ certain_orig,
    ]
    return np.array(totals, dtype=np.int64), correct


def cell_vectors(cells: Cells, everybody: Sums, d: Integers) -> dict[str, Integers]:
    """The counts of original records behind iS, DiS, DiSCO and DiSDiO, cell by cell, (c,)."""
    g = cells.group
    disco = d * (everybody.certain_syn[g] & (everybody.s > 0))
    return {
        "iS": d * everybody.of.in_syn[g],
        "DiS": d * everybody.certain_syn[g],
        "DiSCO": disco,
        "DiSDiO": disco * everybody.certain_orig[g],
    }
