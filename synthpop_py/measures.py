"""The measures, and the counts that they are made of.

A measure is a function of this file: numerator and denominator, of what `Counts` has; `cells`
explains the notation of formulas. A new measure is one more function: it then appears in `tidy()`,
in `shares` and in every dictionary. Where R shows it is written in `synthpop_py.r.reading`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np

from .cells import Cells
from .core.arrays import Flags, Floats, Integers
from .exclusions import REASONS, Why

SAFE = 2**62
VECTORS = ("original", "synthetic", "Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DiSDiO")
OF_SYNTHETIC = ("synthetic", "Dsyn")  # the others are counts of original records
SYNTHETIC = "synthetic records"
EVERYBODY = "everybody"
IDENTITY = "all who have the keys"
KEPT = "what exclusions leave"


class Counts:
    """The cells of two tables with what exclusions left, and what is certain about them.

    Parameters
    ----------
    cells : all of them. why : the reasons for which some are left out; None if none is.
    Nd, Ns : records of the original and of the synthetic data.
    d_t : original records by code of the target, before exclusions.
    no_identity : the original's and the synthetic cells that identity measures leave out.
    named : combinations that count as found for UiOiS; None for those with synthetic records.
    least : the share of a combination's records that must have one target for it to be certain.

    Attributes
    ----------
    sure_d, sure_s : (c,) pd = 1, ps = 1. some_sure : (g,) some ps = 1. Decided on all records.
    d, s : (c,) records that exclusions left. d_q, s_q : (g,) those of a combination.
    disco : (c,) records of which the synthetic data are certain, and rightly.
    one_d, one_s : (g,) held by one record, of those that identity measures are about; `found` : the
        synthetic data have the combination. of_identity : original and synthetic records of these.
    ledger : (8, 6) records of each of R's eight counts that each reason removed, and what remained.
    left : what remained of each, by name.
    """

    def __init__(
        self,
        cells: Cells,
        why: Why | None,
        Nd: int,
        Ns: int,
        d_t: Integers,
        no_identity: tuple[Flags, Flags] | None,
        named: Flags | None,
        least: Fraction,
    ) -> None:
        self.cells, self.why, self.no_identity = cells, why, no_identity
        self.Nd, self.Ns, self.d_t, self.least = Nd, Ns, d_t, least
        self.sure_d = sure(cells, cells.d, cells.d_q, least)
        self.sure_s = sure(cells, cells.s, cells.s_q, least)
        self.some_sure: Flags = cells.by_q(self.sure_s) > 0
        self.d, self.s, self.d_q, self.s_q = cells.d, cells.s, cells.d_q, cells.s_q
        if why is not None:
            self.d = cells.d * (why.d == 0)
            self.s = cells.s * (why.s == 0)
            self.d_q = cells.by_q(self.d)
            self.s_q = cells.by_q(self.s)
        self.disco: Integers = self.d * self.sure_s
        self._take_identity(named)
        self.ledger = self._unfiltered() if why is None else self._filtered(why)
        self.left: dict[str, int] = dict(zip(VECTORS, self.ledger[:, -1].tolist()))
        # what several measures share
        self.guesses = self.guessed(self.s, self.d, self.s_q)
        self.decided_again = self.left["DiSCO"]
        if why is not None:
            self.decided_again = int(self.d @ sure(cells, self.s, self.s_q, least))

    def _take_identity(self, named: Flags | None) -> None:
        cells = self.cells
        d_q, s_q = cells.d_q, cells.s_q
        self.of_identity = self.Nd, self.Ns
        if self.no_identity is not None:
            out_d, out_s = self.no_identity
            d, s = cells.d * ~out_d, cells.s * ~out_s
            d_q, s_q = cells.by_q(d), cells.by_q(s)
            self.of_identity = int(d.sum()), int(s.sum())
        self.one_d: Flags = np.equal(d_q, 1)
        self.one_s: Flags = np.equal(s_q, 1)
        self.found = cells.s_q > 0 if named is None else named

    def _unfiltered(self) -> Integers:
        """The ledger without exclusions: whoever shares keys is in or out together."""
        cells = self.cells
        rows = np.zeros((len(VECTORS), len(REASONS) + 1), dtype=np.int64)
        rows[:, -1] = [
            self.Nd,
            self.Ns,
            cells.d @ self.sure_d,
            cells.s @ self.sure_s,
            cells.d_q @ (cells.s_q > 0),
            cells.d_q @ self.some_sure,
            self.disco.sum(),
            self.disco @ self.sure_d,
        ]
        return rows

    def _filtered(self, why: Why) -> Integers:
        d, s, group = self.cells.d, self.cells.s, self.cells.group
        DiSCO = d * self.sure_s
        counts = {
            "original": d,
            "synthetic": s,
            "Dorig": d * self.sure_d,
            "Dsyn": s * self.sure_s,
            "iS": d * (self.cells.s_q > 0)[group],
            "DiS": d * self.some_sure[group],
            "DiSCO": DiSCO,
            "DiSDiO": DiSCO * self.sure_d,
        }
        rows = np.zeros((len(VECTORS), len(REASONS) + 1), dtype=np.int64)
        for row, (name, n) in zip(rows, counts.items()):
            reason = why.s if name in OF_SYNTHETIC else why.d
            for number in range(len(row)):
                row[number - 1] = n[reason == number].sum()  # the last: no reason
        return rows

    def guessed(self, n: Integers, m: Integers, n_q: Integers) -> float:
        """The sum of m n / n.q: correct guesses about records m by the distribution of n."""
        share: Floats = n / np.maximum(n_q, 1).take(self.cells.group)
        share *= m
        return float(share.sum())

    @property
    def with_keys_of_original(self) -> int:
        """Nb: synthetic records whose combination the original has."""
        return int(self.s_q @ (self.d_q > 0))

    @property
    def base(self) -> float:
        """Nd times the sum of squares of d.t / Nd."""
        if self.d_t.max(initial=0) == self.Nd:
            return float(self.Nd)  # a single level: exactly 1, however large the square
        return float(np.square(self.d_t, dtype=np.float64).sum()) / self.Nd

    def above_base(self, part: float, whole: float) -> tuple[float, float]:
        """part / whole - baseCAPd, out of 1 - baseCAPd. NaN with exclusions, because baseCAPd
        ignores them, and with a single target level, when nothing is left to learn.
        """
        base = self.base / self.Nd
        room = (1 - base) or math.nan
        if not whole or (self.why is not None and self.ledger[:, :-1].any()):
            return math.nan, room
        return part / whole - base, room

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
    part = n.astype(kind) * least.denominator
    reached = part >= of_all.astype(kind) * least.numerator
    return reached.astype(bool) & (n > 0)


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


NO_SHARE = Share(math.nan, math.nan)
Quotient: TypeAlias = Callable[[Counts], tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure.

    Attributes
    ----------
    formula : in the paper's notation. meaning : in words.
    quotient : numerator and denominator, a function of `Counts`.
    unit : what the percentage is of. direction : what a higher figure means.
    people : whether the numerator counts people, and not synthetic records.
    about : the records it is about, where some are left out.
    """

    name: str
    formula: str
    meaning: str
    quotient: Quotient
    unit: str
    about: str
    people: bool
    direction: str = "higher is riskier"


MEASURES: list[Measure] = []


def measure(
    formula: str, of: str = "original records", about: str = KEPT, people: bool = True
) -> Callable[[Quotient], Quotient]:
    """Register a measure under the name of its function; the first line of its text says what it
    means.
    """

    def register(quotient: Quotient) -> Quotient:
        name, meaning = quotient.__name__, (quotient.__doc__ or "").strip()
        MEASURES.append(Measure(name, formula, meaning, quotient, f"% of {of}", about, people))
        return quotient

    return register


# Identity: combinations held by exactly one record. Two original records (a, b), synthetic (b, b):
# UiO = 100, UiS = 0, UiOiS = 50, repU = 0.


@measure("#{q: d.q = 1} / Nd", about=IDENTITY)
def UiO(k: Counts) -> tuple[float, float]:
    """unique in the original"""
    return number(k.one_d), k.Nd


@measure("#{q: s.q = 1} / Ns", of=SYNTHETIC, about=IDENTITY, people=False)
def UiS(k: Counts) -> tuple[float, float]:
    """unique in the synthetic data"""
    return number(k.one_s), k.Ns


@measure("#{q: d.q = 1, s.q > 0} / Nd", about=IDENTITY)
def UiOiS(k: Counts) -> tuple[float, float]:
    """unique in the original, and the combination is in the synthetic data"""
    return number(k.one_d & k.found), k.Nd


@measure("#{q: d.q = s.q = 1} / Nd", about=IDENTITY)
def repU(k: Counts) -> tuple[float, float]:
    """unique in both"""
    return number(k.one_d & k.one_s), k.Nd


# Attribute: what the keys reveal about the target.


@measure("sum of d where pd = 1 / Nd")
def Dorig(k: Counts) -> tuple[float, float]:
    """the original itself is certain of the target"""
    return k.left["Dorig"], k.Nd


@measure("sum of s where ps = 1 / Ns", of=SYNTHETIC, people=False)
def Dsyn(k: Counts) -> tuple[float, float]:
    """the synthetic data are certain of the target"""
    return k.left["Dsyn"], k.Ns


@measure("sum of d where s.q > 0 / Nd")
def iS(k: Counts) -> tuple[float, float]:
    """keys are in the synthetic data"""
    return k.left["iS"], k.Nd


@measure("sum of d.q with some ps = 1 / Nd")
def DiS(k: Counts) -> tuple[float, float]:
    """keys found, and the synthetic data are certain of some target"""
    return k.left["DiS"], k.Nd


@measure("sum of d where ps = 1 / Nd")
def DiSCO(k: Counts) -> tuple[float, float]:
    """certain and correct"""
    return k.left["DiSCO"], k.Nd


@measure("sum of d where ps = 1 and pd = 1 / Nd")
def DiSDiO(k: Counts) -> tuple[float, float]:
    """certain and correct, and certain in the original too"""
    return k.left["DiSDiO"], k.Nd


# Correct attribution probabilities.


@measure("sum over t of (d.t / Nd)^2", about=EVERYBODY)
def baseCAPd(k: Counts) -> tuple[float, float]:
    """a guess from the target's own distribution; exclusions do not matter"""
    return k.base, k.Nd


@measure("sum of pd d / Nd")
def CAPd(k: Counts) -> tuple[float, float]:
    """a guess from the original"""
    return k.guessed(k.d, k.d, k.d_q), k.Nd


@measure("sum of ps s / Ns", of=SYNTHETIC, people=False)
def CAPs(k: Counts) -> tuple[float, float]:
    """a guess within the synthetic data"""
    return k.guessed(k.s, k.s, k.s_q), k.Ns


@measure("sum of ps d / Nd")
def DCAPd(k: Counts) -> tuple[float, float]:
    """a guess from the synthetic data"""
    return k.guesses, k.Nd


@measure("sum of ps d / Nb", of=SYNTHETIC)
def DCAPb(k: Counts) -> tuple[float, float]:
    """the same over synthetic records whose keys the original has"""
    return k.guesses, k.with_keys_of_original


@measure("sum of ps d / Ns", of=SYNTHETIC)
def DCAPs(k: Counts) -> tuple[float, float]:
    """the same over all synthetic records"""
    return k.guesses, k.Ns


@measure("sum of d where ps = 1 / Nb", of=SYNTHETIC)
def TCAPb(k: Counts) -> tuple[float, float]:
    """certain and correct, decided after exclusions, over those whose keys the original has"""
    return k.decided_again, k.with_keys_of_original


@measure("sum of d where ps = 1 / Ns", of=SYNTHETIC)
def TCAPs(k: Counts) -> tuple[float, float]:
    """the same over all synthetic records"""
    return k.decided_again, k.Ns


@measure("DiSCO / DiS", of="records with one answer")
def TCAP_DiS(k: Counts) -> tuple[float, float]:
    """certain and correct over certain (Little et al. 2025; R's TCAP since 1.9-3)"""
    return k.left["DiSCO"], k.left["DiS"]


@measure("DiSCO / iS", of="records found")
def TCAP_iS(k: Counts) -> tuple[float, float]:
    """certain and correct over found (R's TCAP up to 1.9-2)"""
    return k.left["DiSCO"], k.left["iS"]


# Scaled: 0 is a guess from the target's own distribution, 100 is always correct.


@measure("(DCAPd - baseCAPd) / (1 - baseCAPd)", of="what guessing leaves open")
def DCAPd_scaled(k: Counts) -> tuple[float, float]:
    """how far DCAPd goes from guessing to certainty"""
    return k.above_base(k.guesses, k.Nd)


@measure("(TCAP_iS - baseCAPd) / (1 - baseCAPd)", of="what guessing leaves open")
def TCAP_iS_scaled(k: Counts) -> tuple[float, float]:
    """how far TCAP_iS goes from guessing to certainty"""
    return k.above_base(k.left["DiSCO"], k.left["iS"])


BY_NAME = {one.name: one for one in MEASURES}


def shares_of(counts: Counts) -> dict[str, Share]:
    """Every measure by name."""
    return {one.name: Share(*one.quotient(counts)) for one in MEASURES}
