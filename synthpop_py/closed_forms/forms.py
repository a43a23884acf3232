"""Utility and risk of four ways to release data about a mean, in closed form (Duncan and
Keller-McNulty, "Mask or impute?").

A user wants the mean of a variable X (for swapping: the difference between two areas), a snooper
wants the X of one person. Utility is one over the mean squared error of the user, risk is one over
the mean squared error of the snooper, so both have the unit 1 / (unit of X)². X has a mean and a
variance, records are uncorrelated; nothing is assumed about the shape of its distribution.

Where the paper's formula is not correct, the correct one is the default and the printed one has
"as_printed" in its name.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from ..arguments import check_choice, check_number, check_whole
from ..errors import InputError
from ..show.printing import Sections
from ..show.views import Shown

Target = Literal["in_sample", "outside"]
OriginalSnooper = Literal["mean", "linked"]
NoiseSnooper = Literal["optimal", "mean", "linked", "as_printed"]
SyntheticSnooper = Literal["mean", "record", "record_as_printed"]
SwapSnooper = Literal["optimal", "mean", "linked"]

NOISE_SNOOPERS: tuple[NoiseSnooper, ...] = ("optimal", "mean", "linked", "as_printed")
SYNTHETIC_SNOOPERS: tuple[SyntheticSnooper, ...] = ("mean", "record", "record_as_printed")
SWAP_SNOOPERS: tuple[SwapSnooper, ...] = ("optimal", "mean", "linked")

UNIT = "1 / (unit of X)²"


@dataclass(frozen=True, slots=True, repr=False)
class RiskUtility(Shown):
    """One way to release data, as a point on the map.

    Attributes
    ----------
    user_mse, snooper_mse : mean squared errors, in (unit of X)².
    identity_risk : probability that a snooper who links a record by its keys has the correct
        person's values; NaN where no record is linked.
    utility : 1 / user_mse; higher is more useful.
    risk : 1 / snooper_mse; higher is riskier, infinite where the snooper makes no error.
    """

    user_mse: float
    snooper_mse: float
    identity_risk: float = math.nan

    @property
    def utility(self) -> float:
        return _inverse(self.user_mse)

    @property
    def risk(self) -> float:
        return _inverse(self.snooper_mse)

    def _title(self) -> str:
        return "Risk and utility of a release"

    def _headline(self, to: int = 1) -> list[str]:
        text = (
            f"RiskUtility: utility {self.utility:.4g} (higher is more useful), risk {self.risk:.4g}"
            f" (higher is riskier), in {UNIT}"
        )
        if not math.isnan(self.identity_risk):
            text += f", identity risk {self.identity_risk:.4g} (probability of a correct link)"
        return [text]

    def _sections(self) -> Sections:
        return [self._headline()]

    def _content(self) -> dict[str, Any]:
        return {
            "utility": self.utility,
            "risk": self.risk,
            "user_mse": self.user_mse,
            "snooper_mse": self.snooper_mse,
            "identity_risk": self.identity_risk,
            "unit": UNIT,
        }


def _inverse(mse: float) -> float:
    return math.inf if mse == 0 else 1 / mse


def check_variance(argument: str, value: float) -> float:
    """A variance: a finite number of at least 0."""
    return check_number(argument, value, 0)


def original_ru(
    n: int, variance: float, *, target: Target = "in_sample", snooper: OriginalSnooper = "mean"
) -> RiskUtility:
    """The original data, released as they are.

    The user's estimate is the mean of n values: U = n / sigma². The snooper guesses the target's
    value by that mean, or knows the target's record.

    Parameters
    ----------
    n : number of records.
    variance : sigma², the variance of X.
    target : "in_sample" if the target is known to be one of the n (the more careful case),
        "outside" if it is another member of the population.
    snooper : "mean", R = n / ((n - 1) sigma²) in the sample and n / ((n + 1) sigma²) outside; or
        "linked", R infinite.

    Examples
    --------
    >>> original_ru(4, 1.0)
    RiskUtility: utility 4 (higher is more useful), risk 1.333 (higher is riskier),
    in 1 / (unit of X)²
    >>> original_ru(4, 1.0, target="outside").risk
    0.8
    >>> original_ru(4, 1.0, snooper="linked").risk
    inf
    """
    n = check_whole("n", n, 1)
    variance = check_variance("variance", variance)
    inside = check_choice("target", target, ("in_sample", "outside")) == "in_sample"
    user_mse = variance / n
    if check_choice("snooper", snooper, ("mean", "linked")) == "linked":
        if not inside:
            raise InputError(
                "snooper: 'linked' needs a target in the sample, but target='outside'; a record"
                " that is not released cannot be linked, use snooper='mean'"
            )
        return RiskUtility(user_mse, 0.0, identity_risk=1.0)
    factor = n - 1 if inside else n + 1
    return RiskUtility(user_mse, variance * factor / n)


def noise_ru(
    n: int, variance: float, noise_variance: float, *, snooper: NoiseSnooper = "optimal"
) -> RiskUtility:
    """Every value masked by independent noise, Y = X + noise; the target is one of the n.

    The user's estimate is the mean of Y: U = n / (sigma² + lambda²).

    Parameters
    ----------
    n : number of records.
    variance, noise_variance : sigma² of X and lambda² of the noise.
    snooper : how the target's X is guessed.

        - "mean": by the mean of Y, mean squared error ((n - 1) sigma² + lambda²) / n;
        - "linked": by the target's own Y, lambda²;
        - "as_printed": by the better of these two, the only ones in the paper. The mean
          is the better one if lambda² > sigma²;
        - "optimal": by a Y_i + (1 - a) mean(Y) with a = sigma² / (sigma² + lambda²), lambda² (1 / n
          + (n - 1) a / n), never worse than either. A snooper who
          can link and knows both variances can do this, so the two printed risks are only lower
          bounds.

    Examples
    --------
    Noise as strong as the data: both printed ways leave an error of 1, the optimal one of 1 * (1/4
    + 3/4 * 1/2) = 0.625.

    >>> [noise_ru(4, 1.0, 1.0, snooper=s).snooper_mse for s in ("mean", "linked", "optimal")]
    [1.0, 1.0, 0.625]
    >>> noise_ru(4, 1.0, 1.0).utility
    2.0
    """
    n = check_whole("n", n, 1)
    variance = check_variance("variance", variance)
    noise = check_variance("noise_variance", noise_variance)
    snooper = check_choice("snooper", snooper, NOISE_SNOOPERS)
    total = variance + noise
    by_mean = ((n - 1) * variance + noise) / n
    a = variance / total if total > 0 else 0.0
    snooper_mse = {
        "mean": by_mean,
        "linked": noise,
        "as_printed": min(by_mean, noise),
        "optimal": noise * (1 + (n - 1) * a) / n,
    }
    return RiskUtility(total / n, snooper_mse[snooper])


def synthetic_ru(
    samples: int,
    records: int,
    variance: float,
    hyper_variance: float,
    *,
    snooper: SyntheticSnooper = "mean",
) -> RiskUtility:
    """Multiply-imputed synthetic data: m samples of k records, sample i drawn around its own mean
    mu_i.

    mu_i has mean mu and variance alpha² (the agency's posterior), the records of sample i have
    variance sigma² around mu_i. The user's estimate is the mean of all records: U = mk / (k alpha²
    + sigma²). The target's X has mean mu and variance sigma² and is in no synthetic record.

    Parameters
    ----------
    samples, records : m and k.
    variance, hyper_variance : sigma² and alpha².
    snooper : how the target's X is guessed.

        - "mean": by the mean of all records, mean squared error sigma² + alpha² / m + sigma² /
          (mk); so 1 / R = sigma² + 1 / U;
        - "record": by one synthetic record that looks like the target, 2 sigma² + alpha². Never
          better than "mean";
        - "record_as_printed": the same as printed in the paper, sigma² + alpha². That is the error
          of guessing by mu_i, which is not released. It is the reason for the threshold that
          `printed_threshold` gives.

    Examples
    --------
    >>> snoopers = ("mean", "record", "record_as_printed")
    >>> [synthetic_ru(2, 4, 1.0, 0.5, snooper=s).snooper_mse for s in snoopers]
    [1.375, 2.5, 1.5]
    >>> round(1 / synthetic_ru(2, 4, 1.0, 0.5).utility, 3)
    0.375
    """
    m = check_whole("samples", samples, 1)
    k = check_whole("records", records, 1)
    variance = check_variance("variance", variance)
    hyper = check_variance("hyper_variance", hyper_variance)
    snooper = check_choice("snooper", snooper, SYNTHETIC_SNOOPERS)
    user_mse = hyper / m + variance / (m * k)
    snooper_mse = {
        "mean": variance + user_mse,
        "record": 2 * variance + hyper,
        "record_as_printed": variance + hyper,
    }
    return RiskUtility(user_mse, snooper_mse[snooper])


def printed_threshold(samples: int, records: int, variance: float) -> float:
    """The alpha² above which, in the paper, a snooper does better with the mean than with a record:
    sigma² / (k (m - 1)).

    It follows from the printed error of a record. Computed consistently there is no threshold: the
    mean is always the better guess.

    Examples
    --------
    >>> printed_threshold(samples=3, records=5, variance=2.0)
    0.2
    """
    m = check_whole("samples", samples, 1)
    k = check_whole("records", records, 1)
    variance = check_variance("variance", variance)
    if m == 1:
        return math.inf
    return variance / (k * (m - 1))


def swapping_ru(
    rate: float,
    n1: int,
    n2: int,
    variance: float,
    delta: float,
    *,
    pairs: int = 1,
    snooper: SwapSnooper = "optimal",
) -> RiskUtility:
    """Swapping between two areas of n1 and n2 records: each candidate exchanges values with its
    partner in the other area with probability `rate`.

    X has the same variance in both areas and means that differ by delta. With c = 1/n1 + 1/n2 the
    user's error for the difference of the area means is c sigma² + c² delta² (K rate (1 - rate) +
    K² rate²), which for one pair, as in the paper, is c sigma² + c² rate delta². The snooper's
    target is a candidate of area 1.

    Parameters
    ----------
    rate : pi, from 0 to 1.
    n1, n2 : records in the two areas, the target's first.
    variance, delta : sigma² within areas; difference between the areas' means.
    pairs : K, candidates with a partner each, swapped independently of one another; at most the
        smaller area.
    snooper : how the target's X is guessed. With E(B²) for the square of the number of swaps among
        the other K - 1 candidates:

        - "linked": by the value at the target's place, which is the partner's with probability pi:
          pi (2 sigma² + delta²), as in the paper. A lower bound of the risk;
        - "mean": by the mean of area 1. For one pair pi (sigma² (1 + 1/n1) + delta²/n1²) + (1 - pi)
          sigma² (n1 - 1)/n1; it is less where many are swapped. Also a lower bound;
        - "optimal": by w Y + (1 - w) M, the linked value and the mean of the others of area 1, with
          the best w from 0 to 1. With a = pi (2 sigma² + delta²),
          b = sigma² (1 + 1/(n1 - 1)) + delta² E(B²)/(n1 - 1)² and c = pi (sigma² + (K - 1) pi
          delta²/(n1 - 1)) for the mean squares and the mean product of their errors, w is (b - c) /
          (a + b - 2 c) and the error (a b - c²) / (a + b - 2 c). Never worse than either of the
          two. A snooper who knows more, such as the shape of the distributions, can do better
          still.

    Examples
    --------
    The paper's example, 3 and 2 records: c = 5/6, so without swapping U = 6/5.

    >>> [round(swapping_ru(rate, 3, 2, 1.0, 1.0).utility, 4) for rate in (0.0, 0.5, 1.0)]
    [1.2, 0.8471, 0.6545]
    >>> swapping_ru(0.5, 3, 2, 1.0, 1.0, snooper="linked")
    RiskUtility: utility 0.8471 (higher is more useful), risk 0.6667 (higher is riskier),
    in 1 / (unit of X)², identity risk 0.5 (probability of a correct link)

    For a rate of 1/2: by the mean 1/2 (4/3 + 1/9) + 1/2 * 2/3 = 19/18; a = b = 3/2 and c = 1/2, so
    w is 1/2 and the error (9/4 - 1/4) / 2 = 1.

    >>> snoopers = ("linked", "mean", "optimal")
    >>> [round(swapping_ru(0.5, 3, 2, 1.0, 1.0, snooper=s).snooper_mse, 4) for s in snoopers]
    [1.5, 1.0556, 1.0]
    """
    rate = check_number("rate", rate, 0, 1)
    n1 = check_whole("n1", n1, 1)
    n2 = check_whole("n2", n2, 1)
    variance = check_variance("variance", variance)
    delta = check_number("delta", delta)
    pairs = check_whole("pairs", pairs, 1)
    snooper = check_choice("snooper", snooper, SWAP_SNOOPERS)
    smaller = min(n1, n2)
    if pairs > smaller:
        raise InputError(
            f"pairs: {pairs} pairs need as many records in each area, but the areas have {n1} "
            f"and {n2}; give at most {smaller}"
        )
    c = 1 / n1 + 1 / n2
    bias = c**2 * delta**2 * _mean_squared_swaps(pairs, rate)
    area = SwappedArea(n1=n1, variance=variance, delta=delta, pairs=pairs)
    return RiskUtility(
        user_mse=c * variance + bias,
        snooper_mse=area.snooper_mse(snooper, rate),
        identity_risk=1 - rate,
    )


def _mean_squared_swaps(pairs: int, rate: float) -> float:
    """E(B²) of a binomial number B of swaps: K pi (1 - pi) + (K pi)²."""
    return pairs * rate * (1 - rate) + (pairs * rate) ** 2


@dataclass(frozen=True, slots=True)
class SwappedArea:
    """The target's area; the target is one of its `pairs` candidates; n1 may be infinite. The
    other attributes are the arguments of `swapping_ru`, whose text has the formulas.
    """

    n1: float
    variance: float
    delta: float
    pairs: int

    def snooper_mse(self, snooper: SwapSnooper, rate: float) -> float:
        """Mean squared error of a guess of the target's X."""
        if snooper == "linked" or self.n1 == 1:
            return self._linked(rate)
        if snooper == "mean":
            return self._by_mean(rate)
        return self._optimal(rate)

    def _linked(self, rate: float) -> float:
        return rate * (2 * self.variance + self.delta**2)

    def _by_mean(self, rate: float) -> float:
        """The target's values were swapped with probability pi, those of the others B times."""
        n1, variance = self.n1, self.variance
        others = _mean_squared_swaps(self.pairs - 1, rate)
        with_target = others + 2 * (self.pairs - 1) * rate + 1  # E((B + 1)²)
        swapped = variance * (1 + 1 / n1) + self.delta**2 * with_target / n1**2
        stayed = variance * (n1 - 1) / n1 + self.delta**2 * others / n1**2
        return rate * swapped + (1 - rate) * stayed

    def _optimal(self, rate: float) -> float:
        """w² a + 2 w (1 - w) c + (1 - w)² b with the best w from 0 to 1."""
        a, b, c = self._linked(rate), self._by_others(rate), self._product(rate)
        apart = a + b - 2 * c
        w = 1.0
        if apart > 0:
            w = min(max((b - c) / apart, 0.0), 1.0)
        return w**2 * a + 2 * w * (1 - w) * c + (1 - w) ** 2 * b

    def _by_others(self, rate: float) -> float:
        """b, the mean squared error of the mean of the others of the area."""
        rest = self.n1 - 1
        bias = self.delta**2 * _mean_squared_swaps(self.pairs - 1, rate) / rest**2
        return self.variance * (1 + 1 / rest) + bias

    def _product(self, rate: float) -> float:
        """c, the mean product of the errors of the linked value and of that mean."""
        swapped_others = (self.pairs - 1) * rate * self.delta**2 / (self.n1 - 1)
        return rate * (self.variance + swapped_others)
