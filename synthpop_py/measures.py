"""What is counted of two tables, and the registry of measures.

Notation of Raab, Nowok and Dibben, "Practical privacy metrics for synthetic data": d, s are the
records of target level t and key combination q in the original and the synthetic data; d.q, s.q
sums over t; d.t sums over q; Nd, Ns records; pd = d/d.q, ps = s/s.q. All measures are percentages.

A new measure is one entry in `MEASURES`: it then appears in `tidy()`, in `shares` and in every
dictionary. Where R shows it is written in `synthpop_py.r.reading`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np

from .cells import Cells
from .core.arrays import Flags, Integers, Values
from .exclusions import REASONS, Why

VECTORS = ("original", "synthetic", "Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DiSDiO")
SAFE = 2**62


@dataclass(frozen=True)
class Counts:
    """The cells of two tables with what exclusions left, and what is certain about them.

    Attributes
    ----------
    cells : all of them. why : the reasons for which some are left out; None if none is.
    n : records of the original (Nd) and of the synthetic data (Ns).
    d_t : original records by code of the target, before exclusions.
    no_identity : the original's and the synthetic cells that identity measures leave out.
    named : combinations that count as found for UiOiS; None for those with synthetic records.
    least : the share of a combination's records that must have one target for it to be certain.
    """

    cells: Cells
    why: Why | None
    n: tuple[int, int]
    d_t: Integers
    no_identity: tuple[Flags, Flags] | None
    named: Flags | None
    least: Fraction

    # ---- decided on all records, before exclusions

    @cached_property
    def sure_d(self) -> Flags:
        """(c,) pd = 1: all original records of the combination are in this cell."""
        return sure(self.cells, self.cells.d, self.cells.d_q, self.least)

    @cached_property
    def sure_s(self) -> Flags:
        """(c,) ps = 1."""
        return sure(self.cells, self.cells.s, self.cells.s_q, self.least)

    @cached_property
    def some_sure(self) -> Flags:
        """(g,) some ps = 1."""
        return self.cells.by_q(self.sure_s) > 0

    # ---- what exclusions left

    @cached_property
    def d(self) -> Integers:
        return self.cells.d if self.why is None else self.cells.d * (self.why.d == 0)

    @cached_property
    def s(self) -> Integers:
        return self.cells.s if self.why is None else self.cells.s * (self.why.s == 0)

    @cached_property
    def d_q(self) -> Integers:
        return self.cells.d_q if self.why is None else self.cells.by_q(self.d)

    @cached_property
    def s_q(self) -> Integers:
        return self.cells.s_q if self.why is None else self.cells.by_q(self.s)

    @cached_property
    def disco(self) -> Integers:
        """(c,) records of which the synthetic data are certain, and rightly."""
        return self.d * self.sure_s

    @cached_property
    def one_d(self) -> Flags:
        """(g,) held by one original record, of those that identity measures are about."""
        if self.no_identity is None:
            return _ones(self.cells.d_q)
        return _ones(self.cells.by_q(self.cells.d * ~self.no_identity[0]))

    @cached_property
    def one_s(self) -> Flags:
        if self.no_identity is None:
            return _ones(self.cells.s_q)
        return _ones(self.cells.by_q(self.cells.s * ~self.no_identity[1]))

    @cached_property
    def dcap(self) -> float:
        """The expected number of correct guesses: sum of ps d."""
        return _sum_of_shares(self.cells, self.s, self.d, self.s_q)

    @cached_property
    def Nb(self) -> int:
        """Synthetic records whose combination the original has."""
        return int(self.s_q[self.d_q > 0].sum())

    @cached_property
    def correct_after(self) -> int:
        """DiSCO with certainty decided again on what exclusions left."""
        if self.why is None:
            return self.totals["DiSCO"]
        return int((self.d * certain_after(self)).sum())

    @cached_property
    def base(self) -> float:
        """Nd times the sum of squares of d.t / Nd."""
        if self.d_t.max(initial=0) == self.n[0]:
            return float(self.n[0])  # a single level: exactly 1, however large the square
        return float(np.square(self.d_t, dtype=np.float64).sum()) / self.n[0]

    @cached_property
    def totals(self) -> dict[str, int]:
        """What exclusions left of R's eight counts."""
        return {name: int(row[-1]) for name, row in zip(VECTORS, self.ledger)}

    @cached_property
    def ledger(self) -> Integers:
        """(8, 6) records of each count that each reason removed, and what remained."""
        rows = np.zeros((len(VECTORS), len(REASONS) + 1), dtype=np.int64)
        if self.why is None:
            rows[:, -1] = self._totals()
            return rows
        for row, (name, n) in zip(rows, self._eight().items()):
            reason = self.why.s if name in ("synthetic", "Dsyn") else self.why.d
            sums = [n[reason == number].sum() for number in range(len(REASONS) + 1)]
            row[:] = [*sums[1:], sums[0]]
        return rows

    def _totals(self) -> list[int]:
        """R's eight counts where nobody is left out; most need combinations only."""
        cells = self.cells
        return [
            cells.d_q.sum(),
            cells.s_q.sum(),
            (cells.d * self.sure_d).sum(),
            (cells.s * self.sure_s).sum(),
            cells.d_q[cells.s_q > 0].sum(),
            cells.d_q[self.some_sure].sum(),
            self.disco.sum(),
            (self.disco * self.sure_d).sum(),
        ]

    def _eight(self) -> dict[str, Integers]:
        """R's eight counts, cell by cell, before exclusions."""
        d, s, group = self.cells.d, self.cells.s, self.cells.group
        return {
            "original": d,
            "synthetic": s,
            "Dorig": d * self.sure_d,
            "Dsyn": s * self.sure_s,
            "iS": d * (self.cells.s_q > 0)[group],
            "DiS": d * self.some_sure[group],
            "DiSCO": d * self.sure_s,
            "DiSDiO": d * (self.sure_s & self.sure_d),
        }

    @property
    def of_identity(self) -> tuple[int, int]:
        """Original and synthetic records that identity measures are about."""
        both = zip((self.cells.d, self.cells.s), self.no_identity or (None, None))
        d, s = (int(n.sum() if out is None else n[~out].sum()) for n, out in both)
        return d, s

    @property
    def nothing_excluded(self) -> bool:
        return self.why is None or not self.ledger[:, :-1].any()

    # ---- figures that are no shares

    @property
    def max_denom(self) -> float:
        """The largest DiSCO cell, in original records."""
        return float(self.disco.max(initial=0))

    @property
    def mean_denom(self) -> float:
        cells = int(np.count_nonzero(self.disco))
        return self.totals["DiSCO"] / cells if cells else math.nan


def _ones(n: Integers) -> Flags:
    flags: Flags = n == 1
    return flags


def sure(cells: Cells, n: Integers, n_q: Integers, least: Fraction) -> Flags:
    """The cells that hold all records of their combination, or at least this share of them.
    Compared in whole numbers: a rounded quotient may fall on the other side.
    """
    of_all = n_q[cells.group]
    if least == 1:
        flags: Flags = (n == of_all) & (n > 0)
        return flags
    if int(n_q.max(initial=0)) * least.denominator >= SAFE:
        n, of_all = n.astype(object), of_all.astype(object)  # whole numbers of any size
    reached = n * least.denominator >= of_all * least.numerator
    return reached.astype(bool) & (n > 0)


def _sum_of_shares(cells: Cells, n: Integers, m: Integers, n_q: Integers) -> float:
    """The sum of m n / n.q."""
    if not len(cells.starts):
        return 0.0
    if float(n.sum()) * float(m.max()) < SAFE:
        products: Values = cells.by_q(n * m)
    else:
        products = np.add.reduceat(np.multiply(n, m, dtype=np.float64), cells.starts)
    return float((products / np.maximum(n_q, 1)).sum())


class Share(NamedTuple):
    """A measure as numerator and denominator.

    >>> Share(1, 4).percent, Share(1, 4) == (1, 4)
    (25.0, True)
    """

    numerator: float
    denominator: float

    @property
    def percent(self) -> float:
        """100 numerator / denominator; 0/0 is NaN, as in R."""
        if self.denominator == 0:
            return math.nan if self.numerator == 0 else math.inf
        return float(self.numerator) / float(self.denominator) * 100

    @classmethod
    def none(cls) -> Self:
        return cls(math.nan, math.nan)


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure.

    Attributes
    ----------
    formula : in the paper's notation. meaning : in words.
    numerator, denominator : functions of `Counts`.
    of : what the percentage is of. direction : what a higher figure means.
    people : whether the numerator counts people, and not synthetic records.
    about : the records it is about, where some are left out.
    """

    name: str
    formula: str
    meaning: str
    numerator: Callable[[Counts], float]
    denominator: Callable[[Counts], float]
    of: str = "original records"
    direction: str = "higher is riskier"
    people: bool = True
    about: str = "what exclusions leave"

    @property
    def unit(self) -> str:
        return f"% of {self.of}"


def _nd(k: Counts) -> int:
    return k.n[0]


def _ns(k: Counts) -> int:
    return k.n[1]


def _total(name: str) -> Callable[[Counts], int]:
    return lambda k: k.totals[name]


def _number(flags: Flags) -> int:
    return int(np.count_nonzero(flags))


def _unique_and_found(k: Counts) -> int:
    found = k.cells.s_q > 0 if k.named is None else k.named
    return _number(k.one_d & found)


def certain_after(k: Counts) -> Flags:
    """The cells that the synthetic data are certain of, decided again on what exclusions left."""
    return k.sure_s if k.why is None else sure(k.cells, k.s, k.s_q, k.least)


def _above_base(measure: Callable[[Counts], float]) -> Callable[[Counts], float]:
    """X - baseCAPd; NaN with exclusions, because baseCAPd ignores them."""
    return lambda k: measure(k) - k.base / k.n[0] if k.nothing_excluded else math.nan


def _room_above_base(k: Counts) -> float:
    """1 - baseCAPd; NaN with a single target level, when nothing is left to learn."""
    return (1 - k.base / k.n[0]) or math.nan


def _found_and_correct(k: Counts) -> float:
    return k.totals["DiSCO"] / k.totals["iS"] if k.totals["iS"] else math.nan


SYNTHETIC = "synthetic records"
IDENTITY = "all who have the keys"
OPEN = "what guessing leaves open"

MEASURES = (
    # identity: combinations held by exactly one record. Two original records (a, b), synthetic
    # (b, b): UiO = 100, UiS = 0, UiOiS = 50, repU = 0
    Measure(
        "UiO", "#{q: d.q = 1} / Nd", "unique in the original", lambda k: _number(k.one_d), _nd,
        about=IDENTITY,
    ),
    Measure(
        "UiS", "#{q: s.q = 1} / Ns", "unique in the synthetic data", lambda k: _number(k.one_s),
        _ns, of=SYNTHETIC, people=False, about=IDENTITY,
    ),
    Measure(
        "UiOiS", "#{q: d.q = 1, s.q > 0} / Nd",
        "unique in the original, and the combination is in the synthetic data",
        _unique_and_found, _nd, about=IDENTITY,
    ),
    Measure(
        "repU", "#{q: d.q = s.q = 1} / Nd", "unique in both",
        lambda k: _number(k.one_d & k.one_s), _nd, about=IDENTITY,
    ),
    # attribute: what the keys reveal about the target
    Measure(
        "Dorig", "sum of d where pd = 1 / Nd", "the original itself is certain of the target",
        _total("Dorig"), _nd,
    ),
    Measure(
        "Dsyn", "sum of s where ps = 1 / Ns", "the synthetic data are certain of the target",
        _total("Dsyn"), _ns, of=SYNTHETIC, people=False,
    ),
    Measure(
        "iS", "sum of d where s.q > 0 / Nd", "keys are in the synthetic data", _total("iS"), _nd
    ),
    Measure(
        "DiS", "sum of d.q with some ps = 1 / Nd",
        "keys found, and the synthetic data are certain of some target", _total("DiS"), _nd,
    ),
    Measure(
        "DiSCO", "sum of d where ps = 1 / Nd", "certain and correct", _total("DiSCO"), _nd
    ),
    Measure(
        "DiSDiO", "sum of d where ps = 1 and pd = 1 / Nd",
        "certain and correct, and certain in the original too", _total("DiSDiO"), _nd,
    ),
    # correct attribution probabilities
    Measure(
        "baseCAPd", "sum over t of (d.t / Nd)^2",
        "a guess from the target's own distribution; exclusions do not matter",
        lambda k: k.base, _nd, about="everybody",
    ),
    Measure(
        "CAPd", "sum of pd d / Nd", "a guess from the original",
        lambda k: _sum_of_shares(k.cells, k.d, k.d, k.d_q), _nd,
    ),
    Measure(
        "CAPs", "sum of ps s / Ns", "a guess within the synthetic data",
        lambda k: _sum_of_shares(k.cells, k.s, k.s, k.s_q), _ns, of=SYNTHETIC, people=False,
    ),
    Measure(
        "DCAPd", "sum of ps d / Nd", "a guess from the synthetic data", lambda k: k.dcap, _nd
    ),
    Measure(
        "DCAPb", "sum of ps d / Nb",
        "the same over synthetic records whose keys the original has",
        lambda k: k.dcap, lambda k: k.Nb, of=SYNTHETIC,
    ),
    Measure(
        "DCAPs", "sum of ps d / Ns", "the same over all synthetic records",
        lambda k: k.dcap, _ns, of=SYNTHETIC,
    ),
    Measure(
        "TCAPb", "sum of d where ps = 1 / Nb",
        "certain and correct, decided on what exclusions leave, over synthetic records whose keys"
        " the original has",
        lambda k: k.correct_after, lambda k: k.Nb, of=SYNTHETIC,
    ),
    Measure(
        "TCAPs", "sum of d where ps = 1 / Ns", "the same over all synthetic records",
        lambda k: k.correct_after, _ns, of=SYNTHETIC,
    ),
    Measure(
        "TCAP_DiS", "DiSCO / DiS",
        "certain and correct over certain (Little et al. 2025; R's TCAP since 1.9-3)",
        _total("DiSCO"), _total("DiS"), of="records with one answer",
    ),
    Measure(
        "TCAP_iS", "DiSCO / iS", "certain and correct over found (R's TCAP up to 1.9-2)",
        _total("DiSCO"), _total("iS"), of="records found",
    ),
    # scaled: 0 is a guess from the target's own distribution, 100 is always correct; they can be
    # negative, and are NaN with exclusions or a single target level
    Measure(
        "DCAPd_scaled", "(DCAPd - baseCAPd) / (1 - baseCAPd)",
        "how far DCAPd goes from guessing to certainty",
        _above_base(lambda k: k.dcap / k.n[0]), _room_above_base, of=OPEN,
    ),
    Measure(
        "TCAP_iS_scaled", "(TCAP_iS - baseCAPd) / (1 - baseCAPd)",
        "how far TCAP_iS goes from guessing to certainty",
        _above_base(_found_and_correct), _room_above_base, of=OPEN,
    ),
)  # fmt: skip
BY_NAME = {measure.name: measure for measure in MEASURES}


def shares_of(counts: Counts) -> dict[str, Share]:
    """Every measure by name."""
    return {m.name: Share(m.numerator(counts), m.denominator(counts)) for m in MEASURES}
