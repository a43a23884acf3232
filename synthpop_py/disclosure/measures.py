"""The registry of measures: one entry each, with formula, unit, numerator and denominator.

Notation of Raab, Nowok and Dibben, "Practical privacy metrics for synthetic data": d, s counts of
target level t and key combination q in original and synthetic data; d.q, s.q sums over t; d.t sums
over q; Nd, Ns records; pd = d/d.q, ps = s/s.q. All measures are percentages, higher is riskier.

A new measure is one entry in `MEASURES`: it then appears in `tidy()`, in `shares` and in every
dictionary. Where R shows it is written in `synthpop_py.r.layouts`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from ..core.arrays import Flags, Integers, Values
from .cells import Combinations, Sums
from .exclusions import Kept

Of = Literal["original records", "synthetic records", "records found", "records with one answer"]


class Share(NamedTuple):
    """A measure in per cent: 100 numerator / denominator. 0/0 is NaN, as in R."""

    numerator: float
    denominator: float

    @property
    def percent(self) -> float:
        if self.denominator == 0:
            return math.nan if self.numerator == 0 else math.inf
        return float(self.numerator) / float(self.denominator) * 100


@dataclass(frozen=True)  # no slots: what is made when first asked for needs a place
class Tally:
    """Everything that measures are made of, for one synthesis.

    Attributes
    ----------
    Nd, Ns : records of the original and of the synthesis.
    d_t : original records by target level, exclusions left aside.
    kept : totals after exclusions (the original's and R's eight counts).
    counted : records by key combination, of those whom identity measures are about.
    named_in_syn : for each combination, whether the synthetic data have it.
    remaining : sums over key combinations after exclusions, behind the CAP measures.
    """

    Nd: int
    Ns: int
    d_t: Values
    kept: Kept
    counted: Combinations
    named_in_syn: Flags
    remaining: Sums

    def total(self, vector: str) -> int:
        return self.kept.total(vector)

    def combinations(self, flags: Flags) -> int:
        return int(np.count_nonzero(flags))

    @cached_property
    def capd(self) -> float:
        """Sum of pd d; over t it is (sum of d^2) / d.q, so that only combinations are divided."""
        return float((self.remaining.dd_q / self.remaining.of.per_orig).sum())

    @cached_property
    def caps(self) -> float:
        """Sum of ps s."""
        return float((self.remaining.ss_q / self.remaining.of.per_syn).sum())

    @cached_property
    def dcap(self) -> float:
        """Sum of ps d: correct guesses to be expected."""
        return float(self.remaining.expected.sum())

    @cached_property
    def certain_correct(self) -> int:
        """Sum of d where ps = 1, what is certain decided after exclusions."""
        return int(self.remaining.correct.sum())

    @cached_property
    def syn_found(self) -> int:
        """Nb: synthetic records whose combination is in the original."""
        return self.remaining.of.totals[3]

    @cached_property
    def base(self) -> float:
        """Sum over t of (d.t / Nd)^2; 0 without records."""
        return float((self.d_t**2).sum()) / self.Nd if self.Nd else 0.0

    @property
    def nothing_excluded(self) -> bool:
        return not self.kept.ledger[:, :-1].any()


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure. `formula` is in the paper's notation, `of` says what the percentage is of."""

    name: str
    formula: str
    meaning: str
    of: Of
    numerator: Callable[[Tally], float]
    denominator: Callable[[Tally], float]

    def share(self, tally: Tally) -> Share:
        return Share(self.numerator(tally), self.denominator(tally))


def _nd(tally: Tally) -> int:
    return tally.Nd


def _ns(tally: Tally) -> int:
    return tally.Ns


def _above_base(share: Callable[[Tally], float]) -> Callable[[Tally], float]:
    """X - baseCAPd; none with exclusions, because baseCAPd leaves them aside."""

    def numerator(tally: Tally) -> float:
        if not tally.nothing_excluded or not tally.Nd:
            return math.nan
        return share(tally) - tally.base / tally.Nd

    return numerator


def _room_above_base(tally: Tally) -> float:
    """1 - baseCAPd; none with a single target level, of which nothing is left to be learnt."""
    room = 1 - tally.base / tally.Nd if tally.Nd else 0.0
    return room or math.nan


def _found_and_correct(tally: Tally) -> float:
    found = tally.total("iS")
    return tally.total("DiSCO") / found if found else math.nan


MEASURES: tuple[Measure, ...] = (
    # ---- identity: key combinations held by exactly one record. Two original records (a, b),
    # synthetic (b, b): UiO = 100, UiS = 0, UiOiS = 50, repU = 0
    Measure(
        "UiO",
        "#{q: d.q = 1} / Nd",
        "unique in the original",
        "original records",
        lambda t: t.combinations(t.counted.unique_orig),
        _nd,
    ),
    Measure(
        "UiS",
        "#{q: s.q = 1} / Ns",
        "unique in the synthetic data",
        "synthetic records",
        lambda t: t.combinations(t.counted.unique_syn),
        _ns,
    ),
    Measure(
        "UiOiS",
        "#{q: d.q = 1, s.q > 0} / Nd",
        "unique in the original, and the combination is in the synthetic data",
        "original records",
        lambda t: t.combinations(t.counted.unique_orig & t.named_in_syn),
        _nd,
    ),
    Measure(
        "repU",
        "#{q: d.q = 1, s.q = 1} / Nd",
        "unique in both (replicated uniques)",
        "original records",
        lambda t: t.combinations(t.counted.unique_orig & t.counted.unique_syn),
        _nd,
    ),
    # ---- attribute: records whose target can be learnt with certainty
    Measure(
        "Dorig",
        "sum of d where pd = 1 / Nd",
        "the original itself is certain of the target",
        "original records",
        lambda t: t.total("Dorig"),
        _nd,
    ),
    Measure(
        "Dsyn",
        "sum of s where ps = 1 / Ns",
        "the synthetic data are certain of the target",
        "synthetic records",
        lambda t: t.total("Dsyn"),
        _ns,
    ),
    Measure(
        "iS",
        "sum of d where s.q > 0 / Nd",
        "keys are in the synthetic data",
        "original records",
        lambda t: t.total("iS"),
        _nd,
    ),
    Measure(
        "DiS",
        "sum of d.q with some ps = 1 / Nd",
        "keys found, and the synthetic data are certain of some target",
        "original records",
        lambda t: t.total("DiS"),
        _nd,
    ),
    Measure(
        "DiSCO",
        "sum of d where ps = 1 / Nd",
        "certain and correct",
        "original records",
        lambda t: t.total("DiSCO"),
        _nd,
    ),
    Measure(
        "DiSDiO",
        "sum of d where ps = 1 and pd = 1 / Nd",
        "certain and correct, and certain in the original too",
        "original records",
        lambda t: t.total("DiSDiO"),
        _nd,
    ),
    # ---- correct attribution probabilities
    Measure(
        "baseCAPd",
        "sum over t of (d.t / Nd)^2",
        "a guess from the target's own distribution; exclusions do not enter",
        "original records",
        lambda t: t.base,
        _nd,
    ),
    Measure(
        "CAPd",
        "sum of pd d / Nd",
        "a guess from the original",
        "original records",
        lambda t: t.capd,
        _nd,
    ),
    Measure(
        "CAPs",
        "sum of ps s / Ns",
        "a guess within the synthetic data",
        "synthetic records",
        lambda t: t.caps,
        _ns,
    ),
    Measure(
        "DCAPd",
        "sum of ps d / Nd",
        "a guess from the synthetic data",
        "original records",
        lambda t: t.dcap,
        _nd,
    ),
    Measure(
        "DCAPb",
        "sum of ps d / Nb",
        "the same over synthetic records whose keys the original has",
        "synthetic records",
        lambda t: t.dcap,
        lambda t: t.syn_found,
    ),
    Measure(
        "DCAPs",
        "sum of ps d / Ns",
        "the same over all synthetic records",
        "synthetic records",
        lambda t: t.dcap,
        _ns,
    ),
    Measure(
        "TCAPb",
        "sum of d where ps = 1 / Nb",
        "certain and correct over synthetic records whose keys the original has",
        "synthetic records",
        lambda t: t.certain_correct,
        lambda t: t.syn_found,
    ),
    Measure(
        "TCAPs",
        "sum of d where ps = 1 / Ns",
        "certain and correct over all synthetic records",
        "synthetic records",
        lambda t: t.certain_correct,
        _ns,
    ),
    Measure(
        "TCAP_DiS",
        "DiSCO / DiS",
        "certain and correct over certain (Little et al. 2025; R's TCAP since 1.9-3)",
        "records with one answer",
        lambda t: t.total("DiSCO"),
        lambda t: t.total("DiS"),
    ),
    Measure(
        "TCAP_iS",
        "DiSCO / iS",
        "certain and correct over found (R's TCAP up to 1.9-2)",
        "records found",
        lambda t: t.total("DiSCO"),
        lambda t: t.total("iS"),
    ),
    # ---- scaled: 0 is a guess from the target's own distribution, 100 is always correct; they can
    # be negative, and are NaN with exclusions or a single target level
    Measure(
        "DCAPd_scaled",
        "(DCAPd - baseCAPd) / (1 - baseCAPd)",
        "how far DCAPd goes from guessing to certainty",
        "original records",
        _above_base(lambda t: t.dcap / t.Nd),
        _room_above_base,
    ),
    Measure(
        "TCAP_iS_scaled",
        "(TCAP_iS - baseCAPd) / (1 - baseCAPd)",
        "how far TCAP_iS goes from guessing to certainty",
        "records found",
        _above_base(_found_and_correct),
        _room_above_base,
    ),
)


def all_shares(tally: Tally) -> dict[str, Share]:
    """Every measure by name."""
    return {measure.name: measure.share(tally) for measure in MEASURES}


def denominators(correct: Integers) -> tuple[float, float]:
    """Largest and mean number of original records in the cells behind DiSCO (the mean is over
    cells; NaN when there are none).
    """
    filled = np.count_nonzero(correct)
    return (float(correct.max()), float(correct.sum() / filled)) if filled else (0.0, math.nan)
