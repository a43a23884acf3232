"""The measures: pure sums over the kept counts. Percentages of records; every one comes with its
numerator and denominator.

Notation of Raab, Nowok and Dibben, "Practical privacy metrics for synthetic data": d, s counts of
target level t and key combination q in original and synthetic data; d.q, s.q sums over t; Nd, Ns
records; pd = d/d.q, ps = s/s.q.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..core.arrays import Flags, Integers, Values
from .cells import Combinations, Sums
from .exclusions import Kept


class Share(NamedTuple):
    """A measure in per cent: 100 numerator / denominator. 0/0 is NaN, as in R."""

    numerator: float
    denominator: float

    @property
    def percent(self) -> float:
        if self.denominator == 0:
            return math.nan if self.numerator == 0 else math.inf
        return float(self.numerator) / float(self.denominator) * 100


def identity(kept: Combinations, named_in_syn: Flags, Nd: int, Ns: int) -> dict[str, Share]:
    """Key combinations held by exactly one record.

    UiO: unique in original. UiS: unique in synthetic. UiOiS: unique in original, and the
    combination is in the synthetic data. repU: unique in both (replicated uniques).

    Two original records (a, b), synthetic (b, b): UiO = 100, UiS = 0, UiOiS = 50, repU = 0.
    """
    unique_d, unique_s = kept.unique_orig, kept.unique_syn
    return {
        "UiO": Share(int(np.count_nonzero(unique_d)), Nd),
        "UiS": Share(int(np.count_nonzero(unique_s)), Ns),
        "UiOiS": Share(int(np.count_nonzero(unique_d & named_in_syn)), Nd),
        "repU": Share(int(np.count_nonzero(unique_d & unique_s)), Nd),
    }


def attribute(kept: Kept, Nd: int, Ns: int) -> dict[str, Share]:
    """Records whose target can be learnt with certainty.

    Dorig: from the original itself. Dsyn: synthetic records, from the synthetic data. iS: original
    records whose keys are in the synthetic data. DiS: of these, those for which it is certain of
    some target. DiSCO: certain and correct. DiSDiO: besides, certain in the original too.
    """
    return {
        name: Share(kept.total(name), Ns if name == "Dsyn" else Nd)
        for name in ("Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DiSDiO")
    }


def denominators(correct: Integers) -> tuple[float, float]:
    """Largest and mean number of original records in the cells behind DiSCO (the mean is over
    cells; NaN when there are none).
    """
    filled = np.count_nonzero(correct)
    return (float(correct.max()), float(correct.sum() / filled)) if filled else (0.0, math.nan)


def base_cap(d_t: Values, Nd: int) -> Share:
    """baseCAPd = sum over t of (d.t / Nd)^2: guessing from the target's own distribution.
    Exclusions do not enter.
    """
    return Share(float((d_t**2).sum()) / Nd if Nd else 0.0, Nd)


class Caps(NamedTuple):
    """Sums behind the correct attribution probabilities, from counts after exclusions."""

    capd: float  # sum of pd d
    caps: float  # sum of ps s
    correct: float  # sum of ps d
    syn_in_both: int  # Nb: synthetic records whose combination is in the original
    orig_in_both: int  # original records whose combination is in the synthetic data
    certain_correct: int  # sum of d where ps = 1
    certain: int  # sum of d.q where some ps = 1


def cap_sums(kept: Sums) -> Caps:
    """All sums at once: sum over t of pd d is (sum of d^2) / d.q, so only key combinations are
    divided, not cells. 0/0 is 0.
    """
    _, _, orig_in_both, syn_in_both = kept.of.totals
    return Caps(
        capd=float((kept.dd_q / kept.of.per_orig).sum()),
        caps=float((kept.ss_q / kept.of.per_syn).sum()),
        correct=float(kept.expected.sum()),
        syn_in_both=syn_in_both,
        orig_in_both=orig_in_both,
        certain_correct=int(kept.correct.sum()),
        certain=int(kept.d_q @ kept.certain_syn),
    )
