"""The registry of measures: one entry each, with formula, unit, direction, numerator, denominator,
and the people it counts.

Notation of Raab, Nowok and Dibben, "Practical privacy metrics for synthetic data": d, s counts of
target level t and key combination q in original and synthetic data; d.q, s.q sums over t; d.t sums
over q; Nd, Ns records; pd = d/d.q, ps = s/s.q. All measures are percentages.

A new measure is one entry in `MEASURES`: it then appears in `tidy()`, in `shares` and in every
dictionary, and small cells of it are hidden. Where R shows it is written in `synthpop_py.r.layouts`
and read by `Measure.shown_by_r`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Literal, NamedTuple, Self

import numpy as np

from ..core.arrays import Flags, Integers
from ..r.layouts import LAYOUTS, Place
from .cells import VECTORS
from .certainty import Certainty
from .encoding import Encoded
from .exclusions import Kept

Of = Literal[
    "original records",
    "synthetic records",
    "records found",
    "records with one answer",
    "what guessing leaves open",
]
Direction = Literal["higher is riskier", "higher is safer"]
Counted = Literal["people", "synthetic records"]
LeavesOut = Literal["all excluded", "left out of identity", "nobody"]


class _Fraction(NamedTuple):
    numerator: float
    denominator: float


class Share(_Fraction):
    """The value of a measure: the pair (numerator, denominator) and, computed once,
    `percent`, 100 numerator / denominator. 0/0 is NaN, as in R.

    >>> share = Share(1, 4)
    >>> share.percent, share == (1, 4)
    (25.0, True)
    """

    percent: float

    def __new__(cls, numerator: float, denominator: float) -> Self:
        share = tuple.__new__(cls, (numerator, denominator))
        if denominator == 0:
            share.percent = math.nan if numerator == 0 else math.inf
        else:
            share.percent = float(numerator) / float(denominator) * 100
        return share


@dataclass(frozen=True, slots=True)
class Tally:
    """Everything that measures are made of, for one synthesis.

    Attributes
    ----------
    Nd, Ns : records of the original and of the synthesis.
    totals : what exclusions left of R's eight counts, by name.
    nothing_excluded : no record was left out.
    unique_orig, unique_syn : key combinations held by exactly one original (synthetic) record, of
        those that identity measures are about.
    unique_named, unique_both : of the first, those that the synthetic data have, and that exactly
        one synthetic record has.
    of_identity, of_identity_syn : original (synthetic) records that identity measures are about.
    base : Nd times the sum over t of (d.t / Nd)^2, ignoring exclusions; 0 without records.
    capd, caps : sums of pd d and of ps s.
    dcap : sum of ps d, the expected number of correct guesses.
    certain, certain_correct : sums of d.q with some ps = 1, and of d where ps = 1; here certainty
        is decided after exclusions.
    orig_found, syn_found : after exclusions, original records whose combination is in the synthetic
        data; Nb, synthetic records whose combination is in the original.
    """

    Nd: int
    Ns: int
    totals: dict[str, int]
    nothing_excluded: bool
    unique_orig: int
    unique_syn: int
    unique_named: int
    unique_both: int
    of_identity: int
    of_identity_syn: int
    base: float
    capd: float
    caps: float
    dcap: float
    certain: int
    certain_correct: int
    orig_found: int
    syn_found: int

    def __add__(self, other: Tally) -> Tally:
        """The tally of two parts of one synthesis: everything adds up, except what is about the
        whole.
        """
        totals = {name: n + other.totals[name] for name, n in self.totals.items()}
        both = self.nothing_excluded and other.nothing_excluded
        sums = {name: getattr(self, name) + getattr(other, name) for name in ADDED_UP}
        return replace(self, totals=totals, nothing_excluded=both, **sums)


OF_THE_WHOLE = ("Nd", "Ns", "base")
ADDED_UP = tuple(
    field.name
    for field in fields(Tally)
    if field.name not in (*OF_THE_WHOLE, "totals", "nothing_excluded")
)


def take_stock(encoded: Encoded, table: int, certainty: Certainty, kept: Kept) -> Tally:
    """The tally of one synthesis, the table of this number."""
    counted, remaining = kept.counted.of, kept.remaining
    # UiOiS depends on the names of levels, which exclusions do not change
    named_in_syn = certainty.cells.named_in_syn
    if named_in_syn is None:
        named_in_syn = certainty.before_exclusions.of.in_syn
    records = encoded.n[0]
    squares = float(np.square(encoded.d_t, dtype=np.float64).sum())
    base = squares / records if records else 0.0
    if encoded.d_t.max(initial=0) == records:
        base = float(records)  # a single level: exactly 1, however large the square
    return Tally(
        Nd=records,
        Ns=encoded.n[table],
        totals=kept.totals,
        nothing_excluded=not kept.ledger[:, :-1].any(),
        unique_orig=counted.uniques_orig,
        unique_syn=counted.uniques_syn,
        unique_named=_how_many(counted.unique_orig & named_in_syn),
        unique_both=counted.uniques_both,
        of_identity=counted.orig,
        of_identity_syn=counted.syn,
        base=base,
        # over t, the sum of pd d is (sum of d^2) / d.q, so only combinations are divided
        capd=float((remaining.dd_q / remaining.of.per_orig).sum()),
        caps=float((remaining.ss_q / remaining.of.per_syn).sum()),
        dcap=float(remaining.expected.sum()),
        certain=int(remaining.totals[VECTORS.index("DiS")]),
        certain_correct=int(remaining.totals[VECTORS.index("DiSCO")]),
        orig_found=remaining.of.orig_found,
        syn_found=remaining.of.syn_found,
    )


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure.

    Attributes
    ----------
    formula : in the paper's notation.
    of : what the percentage is of.
    direction : what a higher figure means.
    counted : the people the numerator counts; none for synthetic records.
    same_people_as : the measure that counts the same people, where another one does.
    leaves_out : the people it is not about, where there are exclusions.
    """

    name: str
    formula: str
    meaning: str
    of: Of
    numerator: Callable[[Tally], float]
    denominator: Callable[[Tally], float]
    direction: Direction = "higher is riskier"
    counted: Counted = "people"
    same_people_as: str | None = None
    leaves_out: LeavesOut = "all excluded"

    @property
    def unit(self) -> str:
        return f"% of {self.of}"

    @property
    def shown_by_r(self) -> dict[str, Place]:
        """Table and column by version of synthpop; none where R does not show it."""
        places = {}
        for version, layout in LAYOUTS.items():
            place = layout.place_of(self.name)
            if place is not None:
                places[version] = place
        return places


def _how_many(flags: Flags) -> int:
    return int(np.count_nonzero(flags))


def _nd(tally: Tally) -> int:
    return tally.Nd


def _ns(tally: Tally) -> int:
    return tally.Ns


def _above_base(share: Callable[[Tally], float]) -> Callable[[Tally], float]:
    """X - baseCAPd; NaN with exclusions, because baseCAPd ignores them."""

    def numerator(tally: Tally) -> float:
        if not tally.nothing_excluded or not tally.Nd:
            return math.nan
        return share(tally) - tally.base / tally.Nd

    return numerator


def _room_above_base(tally: Tally) -> float:
    """1 - baseCAPd; NaN with a single target level, when nothing is left to learn."""
    if not tally.Nd:
        return math.nan
    room = 1 - tally.base / tally.Nd
    return room or math.nan


def _found_and_correct(tally: Tally) -> float:
    found = tally.totals["iS"]
    return tally.totals["DiSCO"] / found if found else math.nan


MEASURES: tuple[Measure, ...] = (
    # identity: key combinations held by exactly one record. Two original records (a, b),
    # synthetic (b, b): UiO = 100, UiS = 0, UiOiS = 50, repU = 0
    Measure(
        name="UiO",
        formula="#{q: d.q = 1} / Nd",
        meaning="unique in the original",
        of="original records",
        numerator=lambda t: t.unique_orig,
        denominator=_nd,
        leaves_out="left out of identity",
    ),
    Measure(
        name="UiS",
        formula="#{q: s.q = 1} / Ns",
        meaning="unique in the synthetic data",
        of="synthetic records",
        numerator=lambda t: t.unique_syn,
        denominator=_ns,
        counted="synthetic records",
        leaves_out="left out of identity",
    ),
    Measure(
        name="UiOiS",
        formula="#{q: d.q = 1, s.q > 0} / Nd",
        meaning="unique in the original, and the combination is in the synthetic data",
        of="original records",
        numerator=lambda t: t.unique_named,
        denominator=_nd,
        leaves_out="left out of identity",
    ),
    Measure(
        name="repU",
        formula="#{q: d.q = 1, s.q = 1} / Nd",
        meaning="unique in both (replicated uniques)",
        of="original records",
        numerator=lambda t: t.unique_both,
        denominator=_nd,
        leaves_out="left out of identity",
    ),
    # attribute: records whose target can be learnt with certainty
    Measure(
        name="Dorig",
        formula="sum of d where pd = 1 / Nd",
        meaning="the original itself is certain of the target",
        of="original records",
        numerator=lambda t: t.totals["Dorig"],
        denominator=_nd,
    ),
    Measure(
        name="Dsyn",
        formula="sum of s where ps = 1 / Ns",
        meaning="the synthetic data are certain of the target",
        of="synthetic records",
        numerator=lambda t: t.totals["Dsyn"],
        denominator=_ns,
        counted="synthetic records",
    ),
    Measure(
        name="iS",
        formula="sum of d where s.q > 0 / Nd",
        meaning="keys are in the synthetic data",
        of="original records",
        numerator=lambda t: t.totals["iS"],
        denominator=_nd,
    ),
    Measure(
        name="DiS",
        formula="sum of d.q with some ps = 1 / Nd",
        meaning="keys found, and the synthetic data are certain of some target",
        of="original records",
        numerator=lambda t: t.totals["DiS"],
        denominator=_nd,
    ),
    Measure(
        name="DiSCO",
        formula="sum of d where ps = 1 / Nd",
        meaning="certain and correct",
        of="original records",
        numerator=lambda t: t.totals["DiSCO"],
        denominator=_nd,
    ),
    Measure(
        name="DiSDiO",
        formula="sum of d where ps = 1 and pd = 1 / Nd",
        meaning="certain and correct, and certain in the original too",
        of="original records",
        numerator=lambda t: t.totals["DiSDiO"],
        denominator=_nd,
    ),
    # correct attribution probabilities
    Measure(
        name="baseCAPd",
        formula="sum over t of (d.t / Nd)^2",
        meaning="a guess from the target's own distribution; exclusions do not matter",
        of="original records",
        numerator=lambda t: t.base,
        denominator=_nd,
        leaves_out="nobody",
    ),
    Measure(
        name="CAPd",
        formula="sum of pd d / Nd",
        meaning="a guess from the original",
        of="original records",
        numerator=lambda t: t.capd,
        denominator=_nd,
    ),
    Measure(
        name="CAPs",
        formula="sum of ps s / Ns",
        meaning="a guess within the synthetic data",
        of="synthetic records",
        numerator=lambda t: t.caps,
        denominator=_ns,
        counted="synthetic records",
    ),
    Measure(
        name="DCAPd",
        formula="sum of ps d / Nd",
        meaning="a guess from the synthetic data",
        of="original records",
        numerator=lambda t: t.dcap,
        denominator=_nd,
    ),
    Measure(
        name="DCAPb",
        formula="sum of ps d / Nb",
        meaning="the same over synthetic records whose keys the original has",
        of="synthetic records",
        numerator=lambda t: t.dcap,
        denominator=lambda t: t.syn_found,
        same_people_as="DCAPd",
    ),
    Measure(
        name="DCAPs",
        formula="sum of ps d / Ns",
        meaning="the same over all synthetic records",
        of="synthetic records",
        numerator=lambda t: t.dcap,
        denominator=_ns,
        same_people_as="DCAPd",
    ),
    Measure(
        name="TCAPb",
        formula="sum of d where ps = 1 / Nb",
        meaning=(
            "certain and correct, decided on what exclusions leave, over synthetic records whose"
            " keys the original has"
        ),
        of="synthetic records",
        numerator=lambda t: t.certain_correct,
        denominator=lambda t: t.syn_found,
    ),
    Measure(
        name="TCAPs",
        formula="sum of d where ps = 1 / Ns",
        meaning="the same over all synthetic records",
        of="synthetic records",
        numerator=lambda t: t.certain_correct,
        denominator=_ns,
        same_people_as="TCAPb",
    ),
    Measure(
        name="TCAP_DiS",
        formula="DiSCO / DiS",
        meaning="certain and correct over certain (Little et al. 2025; R's TCAP since 1.9-3)",
        of="records with one answer",
        numerator=lambda t: t.totals["DiSCO"],
        denominator=lambda t: t.totals["DiS"],
        same_people_as="DiSCO",
    ),
    Measure(
        name="TCAP_iS",
        formula="DiSCO / iS",
        meaning="certain and correct over found (R's TCAP up to 1.9-2)",
        of="records found",
        numerator=lambda t: t.totals["DiSCO"],
        denominator=lambda t: t.totals["iS"],
        same_people_as="DiSCO",
    ),
    # scaled: 0 is a guess from the target's own distribution, 100 is always correct; they can
    # be negative, and are NaN with exclusions or a single target level
    Measure(
        name="DCAPd_scaled",
        formula="(DCAPd - baseCAPd) / (1 - baseCAPd)",
        meaning="how far DCAPd goes from guessing to certainty",
        of="what guessing leaves open",
        numerator=_above_base(lambda t: t.dcap / t.Nd),
        denominator=_room_above_base,
    ),
    Measure(
        name="TCAP_iS_scaled",
        formula="(TCAP_iS - baseCAPd) / (1 - baseCAPd)",
        meaning="how far TCAP_iS goes from guessing to certainty",
        of="what guessing leaves open",
        numerator=_above_base(_found_and_correct),
        denominator=_room_above_base,
    ),
)


BY_NAME: dict[str, Measure] = {measure.name: measure for measure in MEASURES}
FRACTIONS = tuple((one.name, one.numerator, one.denominator) for one in MEASURES)


def all_shares(tally: Tally) -> dict[str, Share]:
    """Every measure by name."""
    shares = {}
    for name, numerator, denominator in FRACTIONS:
        shares[name] = Share(numerator(tally), denominator(tally))
    return shares


@dataclass(frozen=True, slots=True)
class Denominators:
    """The cells behind DiSCO: their number, their original records, and the largest number in one
    cell.
    """

    cells: int
    records: int
    largest: int

    def __add__(self, other: Denominators) -> Denominators:
        return Denominators(
            cells=self.cells + other.cells,
            records=self.records + other.records,
            largest=max(self.largest, other.largest),
        )

    @property
    def mean(self) -> float:
        """The mean over cells; NaN when there are none."""
        return self.records / self.cells if self.cells else math.nan


def denominators(correct: Integers) -> Denominators:
    """The cells behind DiSCO, from its records by key combination, (g,): one cell each."""
    return Denominators(
        cells=_how_many(correct > 0),
        records=int(correct.sum()),
        largest=int(correct.max(initial=0)),
    )
