"""The registry of measures, and the counts that they are made of.

Each measure is numerator over denominator, times 100, of what `Counts` has: which cells are
certain, and what exclusions leave; `cells` explains the notation of formulas. A new measure is one
entry in `MEASURES`: it then appears in `tidy()`, in `shares` and in every dictionary. Where R shows
it is written in `synthpop_py.r.reading`.
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
from .core.arrays import Flags, Floats, Integers
from .exclusions import REASONS, Why

SAFE = 2**62
VECTORS = ("original", "synthetic", "Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DiSDiO")


@dataclass(frozen=True, eq=False)
class Counts:
    """The cells of two tables with what exclusions left, and what is certain about them.

    Attributes
    ----------
    cells : all of them. why : the reasons for which some are left out; None if none is.
    Nd, Ns : records of the original and of the synthetic data.
    d_t : original records by code of the target, before exclusions.
    no_identity : the original's and the synthetic cells that identity measures leave out.
    named : combinations that count as found for UiOiS; None for those with synthetic records.
    least : the share of a combination's records that must have one target for it to be certain.
    """

    cells: Cells
    why: Why | None
    Nd: int
    Ns: int
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

    @cached_property
    def one_d(self) -> Flags:
        """(g,) held by one original record, of those that identity measures are about."""
        return np.equal(self._of_identity(0, self.cells.d, self.cells.d_q), 1)

    @cached_property
    def one_s(self) -> Flags:
        return np.equal(self._of_identity(1, self.cells.s, self.cells.s_q), 1)

    def _of_identity(self, table: int, n: Integers, n_q: Integers) -> Integers:
        return n_q if self.no_identity is None else self.cells.by_q(n * ~self.no_identity[table])

    @cached_property
    def found(self) -> Flags:
        """(g,) the synthetic data have the combination."""
        return self.cells.s_q > 0 if self.named is None else self.named

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
    def DCAP(self) -> float:
        """The expected number of correct guesses from the synthetic data: sum of ps d."""
        return self.guessed(self.s, self.d, self.s_q)

    def guessed(self, n: Integers, m: Integers, n_q: Integers) -> float:
        """The sum of m n / n.q."""
        share: Floats = n / np.maximum(n_q, 1).take(self.cells.group)
        share *= m
        return float(share.sum())

    @cached_property
    def disco(self) -> Integers:
        """(c,) records of which the synthetic data are certain, and rightly."""
        return self.d * self.sure_s

    @cached_property
    def tcap(self) -> int:
        """The same where ps = 1 is decided again on what exclusions left."""
        if self.why is None:
            return self.left["DiSCO"]
        return int(self.d @ sure(self.cells, self.s, self.s_q, self.least))

    @cached_property
    def Nb(self) -> int:
        """Synthetic records whose combination the original has."""
        return int(self.s_q @ (self.d_q > 0))

    @cached_property
    def base(self) -> float:
        """Nd times the sum of squares of d.t / Nd."""
        if self.d_t.max(initial=0) == self.Nd:
            return float(self.Nd)  # a single level: exactly 1, however large the square
        return float(np.square(self.d_t, dtype=np.float64).sum()) / self.Nd

    @cached_property
    def ledger(self) -> Integers:
        """(8, 6) records of each of R's eight counts that each reason removed, and what remained.
        In words: all; all synthetic; certain in the original; certain in the synthetic data; keys
        found; keys found and certain; and rightly; and certain in the original too.
        """
        d, s, group = self.cells.d, self.cells.s, self.cells.group
        found, some = self.cells.s_q > 0, self.some_sure
        rows = np.zeros((len(VECTORS), len(REASONS) + 1), dtype=np.int64)
        if self.why is None:  # whoever shares keys is in or out together
            iS, DiS = (self.cells.d_q @ these for these in (found, some))
            certain = d @ self.sure_d, s @ self.sure_s
            correct = self.disco.sum(), self.disco @ self.sure_d
            rows[:, -1] = [self.Nd, self.Ns, *certain, iS, DiS, *correct]
            return rows
        Dorig, Dsyn, DiSCO = d * self.sure_d, s * self.sure_s, d * self.sure_s
        iS, DiS, DiSDiO = d * found[group], d * some[group], DiSCO * self.sure_d
        for row, name, n in zip(rows, VECTORS, (d, s, Dorig, Dsyn, iS, DiS, DiSCO, DiSDiO)):
            reason = self.why.s if name in ("synthetic", "Dsyn") else self.why.d
            row[:] = [n[reason == number].sum() for number in (*range(1, len(row)), 0)]
        return rows

    @cached_property
    def left(self) -> dict[str, int]:
        """What exclusions left of R's eight counts."""
        return dict(zip(VECTORS, self.ledger[:, -1].tolist()))

    def above_base(self, part: float, whole: float) -> float:
        """part / whole - baseCAPd; NaN with exclusions, because baseCAPd ignores them."""
        excluded = self.why is not None and self.ledger[:, :-1].any()
        return math.nan if excluded or not whole else part / whole - self.base / self.Nd

    @property
    def room_above_base(self) -> float:
        """1 - baseCAPd; NaN with a single target level, when nothing is left to learn."""
        return (1 - self.base / self.Nd) or math.nan

    @property
    def of_identity(self) -> tuple[int, int]:
        """Original and synthetic records that identity measures are about."""
        if self.no_identity is None:
            return self.Nd, self.Ns
        d, s = (n @ ~out for n, out in zip((self.cells.d, self.cells.s), self.no_identity))
        return int(d), int(s)

    # ---- figures that are no shares

    @property
    def max_denom(self) -> float:
        """The largest DiSCO cell, in original records."""
        return float(self.disco.max(initial=0))

    @property
    def mean_denom(self) -> float:
        cells = number(self.disco > 0)
        return self.left["DiSCO"] / cells if cells else math.nan


def number(flags: Flags) -> int:
    return int(np.count_nonzero(flags))


def sure(cells: Cells, n: Integers, n_q: Integers, least: Fraction) -> Flags:
    """The cells that hold all records of their combination, or at least this share of them (the
    argument `certainty`). Compared in whole numbers: a rounded quotient may fall on the other side.
    """
    of_all = n_q.take(cells.group)
    if least == 1:
        return np.equal(n, of_all) & (n > 0)
    is_large = int(n_q.max(initial=0)) * least.denominator >= SAFE
    kind = object if is_large else np.int64  # whole numbers of any size
    reached = n.astype(kind) * least.denominator >= of_all.astype(kind) * least.numerator
    return reached.astype(bool) & (n > 0)


# ---- the measures --------------------------------------------------------------------


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
    denominator: Callable[[Counts], float] = lambda k: k.Nd
    of: str = "original records"
    direction: str = "higher is riskier"
    people: bool = True
    about: str = "what exclusions leave"

    @property
    def unit(self) -> str:
        return f"% of {self.of}"


SYNTHETIC = "synthetic records"
IDENTITY = "all who have the keys"
OPEN = "what guessing leaves open"

MEASURES = (
    # identity: combinations held by exactly one record. Two original records (a, b), synthetic
    # (b, b): UiO = 100, UiS = 0, UiOiS = 50, repU = 0
    Measure(
        "UiO", "#{q: d.q = 1} / Nd", "unique in the original",
        lambda k: number(k.one_d), about=IDENTITY,
    ),
    Measure(
        "UiS", "#{q: s.q = 1} / Ns", "unique in the synthetic data",
        lambda k: number(k.one_s), lambda k: k.Ns,
        of=SYNTHETIC, people=False, about=IDENTITY,
    ),
    Measure(
        "UiOiS", "#{q: d.q = 1, s.q > 0} / Nd",
        "unique in the original, and the combination is in the synthetic data",
        lambda k: number(k.one_d & k.found), about=IDENTITY,
    ),
    Measure(
        "repU", "#{q: d.q = s.q = 1} / Nd", "unique in both",
        lambda k: number(k.one_d & k.one_s), about=IDENTITY,
    ),
    # attribute: what the keys reveal about the target
    Measure(
        "Dorig", "sum of d where pd = 1 / Nd", "the original itself is certain of the target",
        lambda k: k.left["Dorig"],
    ),
    Measure(
        "Dsyn", "sum of s where ps = 1 / Ns", "the synthetic data are certain of the target",
        lambda k: k.left["Dsyn"], lambda k: k.Ns, of=SYNTHETIC, people=False,
    ),
    Measure(
        "iS", "sum of d where s.q > 0 / Nd", "keys are in the synthetic data",
        lambda k: k.left["iS"],
    ),
    Measure(
        "DiS", "sum of d.q with some ps = 1 / Nd",
        "keys found, and the synthetic data are certain of some target",
        lambda k: k.left["DiS"],
    ),
    Measure(
        "DiSCO", "sum of d where ps = 1 / Nd", "certain and correct", lambda k: k.left["DiSCO"]
    ),
    Measure(
        "DiSDiO", "sum of d where ps = 1 and pd = 1 / Nd",
        "certain and correct, and certain in the original too", lambda k: k.left["DiSDiO"],
    ),
    # correct attribution probabilities
    Measure(
        "baseCAPd", "sum over t of (d.t / Nd)^2",
        "a guess from the target's own distribution; exclusions do not matter",
        lambda k: k.base, about="everybody",
    ),
    Measure(
        "CAPd", "sum of pd d / Nd", "a guess from the original",
        lambda k: k.guessed(k.d, k.d, k.d_q),
    ),
    Measure(
        "CAPs", "sum of ps s / Ns", "a guess within the synthetic data",
        lambda k: k.guessed(k.s, k.s, k.s_q), lambda k: k.Ns, of=SYNTHETIC, people=False,
    ),
    Measure("DCAPd", "sum of ps d / Nd", "a guess from the synthetic data", lambda k: k.DCAP),
    Measure(
        "DCAPb", "sum of ps d / Nb",
        "the same over synthetic records whose keys the original has",
        lambda k: k.DCAP, lambda k: k.Nb, of=SYNTHETIC,
    ),
    Measure(
        "DCAPs", "sum of ps d / Ns", "the same over all synthetic records",
        lambda k: k.DCAP, lambda k: k.Ns, of=SYNTHETIC,
    ),
    Measure(
        "TCAPb", "sum of d where ps = 1 / Nb",
        "certain and correct, decided on what exclusions leave, over synthetic records whose keys"
        " the original has",
        lambda k: k.tcap, lambda k: k.Nb, of=SYNTHETIC,
    ),
    Measure(
        "TCAPs", "sum of d where ps = 1 / Ns", "the same over all synthetic records",
        lambda k: k.tcap, lambda k: k.Ns, of=SYNTHETIC,
    ),
    Measure(
        "TCAP_DiS", "DiSCO / DiS",
        "certain and correct over certain (Little et al. 2025; R's TCAP since 1.9-3)",
        lambda k: k.left["DiSCO"], lambda k: k.left["DiS"], of="records with one answer",
    ),
    Measure(
        "TCAP_iS", "DiSCO / iS", "certain and correct over found (R's TCAP up to 1.9-2)",
        lambda k: k.left["DiSCO"], lambda k: k.left["iS"], of="records found",
    ),
    # scaled: 0 is a guess from the target's own distribution, 100 is always correct; they can be
    # negative, and are NaN with exclusions or a single target level
    Measure(
        "DCAPd_scaled", "(DCAPd - baseCAPd) / (1 - baseCAPd)",
        "how far DCAPd goes from guessing to certainty",
        lambda k: k.above_base(k.DCAP, k.Nd), lambda k: k.room_above_base, of=OPEN,
    ),
    Measure(
        "TCAP_iS_scaled", "(TCAP_iS - baseCAPd) / (1 - baseCAPd)",
        "how far TCAP_iS goes from guessing to certainty",
        lambda k: k.above_base(k.left["DiSCO"], k.left["iS"]),
        lambda k: k.room_above_base, of=OPEN,
    ),
)  # fmt: skip
BY_NAME = {measure.name: measure for measure in MEASURES}


def shares_of(counts: Counts) -> dict[str, Share]:
    """Every measure by name."""
    return {m.name: Share(m.numerator(counts), m.denominator(counts)) for m in MEASURES}
