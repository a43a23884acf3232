"""The registry of measures. Each is numerator over denominator, times 100, of what `cells.Counts`
has; the notation of formulas is explained there.

A new measure is one entry in `MEASURES`: it then appears in `tidy()`, in `shares` and in every
dictionary. Where R shows it is written in `synthpop_py.r.reading`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Self

from .cells import Counts


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
        lambda k: k.number(k.one_d), about=IDENTITY,
    ),
    Measure(
        "UiS", "#{q: s.q = 1} / Ns", "unique in the synthetic data",
        lambda k: k.number(k.one_s), lambda k: k.Ns,
        of=SYNTHETIC, people=False, about=IDENTITY,
    ),
    Measure(
        "UiOiS", "#{q: d.q = 1, s.q > 0} / Nd",
        "unique in the original, and the combination is in the synthetic data",
        lambda k: k.number(k.one_d & k.found), about=IDENTITY,
    ),
    Measure(
        "repU", "#{q: d.q = s.q = 1} / Nd", "unique in both",
        lambda k: k.number(k.one_d & k.one_s), about=IDENTITY,
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
        lambda k: int((k.d * k.sure_after).sum()), lambda k: k.Nb, of=SYNTHETIC,
    ),
    Measure(
        "TCAPs", "sum of d where ps = 1 / Ns", "the same over all synthetic records",
        lambda k: int((k.d * k.sure_after).sum()), lambda k: k.Ns, of=SYNTHETIC,
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
