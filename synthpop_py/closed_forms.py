"""Risk and utility of four ways to release data about a mean, in closed form (Duncan and
Keller-McNulty, "Mask or impute?"); their curves, and the most useful release under a ceiling.

A user wants the mean of a variable X (for swapping: the difference between two areas), a snooper
wants the X of one person. Utility is one over the mean squared error of the user, risk is one over
the mean squared error of the snooper, so both have the unit 1 / (unit of X)². X has a mean and a
variance, records are uncorrelated; nothing is assumed about the shape of its distribution.

Where the paper's formula is not correct, the correct one is the default and the printed one has
"as_printed" in its name.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from .arguments import check_choice, check_number, check_whole
from .errors import InputError
from .show.printing import Sections, Table
from .show.views import Drawn, Shown

__all__ = [
    "RUCurve",
    "RiskUtility",
    "noise_ru",
    "optimal_noise",
    "optimal_samples",
    "optimal_swap_rate",
    "original_ru",
    "printed_threshold",
    "ru_curve",
    "swapping_ru",
    "synthetic_ru",
]

Target = Literal["in_sample", "outside"]
OriginalSnooper = Literal["mean", "linked"]
NoiseSnooper = Literal["optimal", "mean", "linked", "as_printed"]
SyntheticSnooper = Literal["mean", "record", "record_as_printed"]
SwapSnooper = Literal["optimal", "mean", "linked"]
Form = Literal["noise", "synthetic", "swapping"]

SWAP_SNOOPERS: tuple[SwapSnooper, ...] = ("optimal", "mean", "linked")
UNIT = "1 / (unit of X)²"
HOW_TO_READ = (
    "utility: 1 / mean squared error of the user, higher is more useful; risk: 1 /"
    f" mean squared error of the snooper, higher is riskier; both in {UNIT}"
)
QUANTITIES = ["utility", "risk", "user_mse", "snooper_mse", "identity_risk"]
MOST_ROWS = 10
ROUNDING = 1e-12  # a quotient that is a whole number up to its last bits counts as that number


# ---- points --------------------------------------------------------------------------


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
    variance = check_number("variance", variance, 0)
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
    variance = check_number("variance", variance, 0)
    noise = check_number("noise_variance", noise_variance, 0)
    total = variance + noise
    by_mean = ((n - 1) * variance + noise) / n
    a = variance / total if total > 0 else 0.0
    errors = {
        "optimal": noise * (1 + (n - 1) * a) / n,
        "mean": by_mean,
        "linked": noise,
        "as_printed": min(by_mean, noise),
    }
    return RiskUtility(total / n, errors[check_choice("snooper", snooper, tuple(errors))])


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
    variance = check_number("variance", variance, 0)
    hyper = check_number("hyper_variance", hyper_variance, 0)
    user_mse = hyper / m + variance / (m * k)
    errors = {
        "mean": variance + user_mse,
        "record": 2 * variance + hyper,
        "record_as_printed": variance + hyper,
    }
    return RiskUtility(user_mse, errors[check_choice("snooper", snooper, tuple(errors))])


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
    variance = check_number("variance", variance, 0)
    return variance / (k * (m - 1)) if m > 1 else math.inf


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
    variance = check_number("variance", variance, 0)
    delta = check_number("delta", delta)
    pairs = check_whole("pairs", pairs, 1)
    snooper = check_choice("snooper", snooper, SWAP_SNOOPERS)
    _check_pairs(pairs, min(n1, n2), f"the areas have {n1} and {n2}")
    c = 1 / n1 + 1 / n2
    bias = c**2 * delta**2 * _mean_squared_swaps(pairs, rate)
    error = swapping_error(snooper, rate, n1, variance, delta, pairs)
    return RiskUtility(c * variance + bias, error, identity_risk=1 - rate)


def swapping_error(
    snooper: SwapSnooper, rate: float, n1: float, variance: float, delta: float, pairs: int
) -> float:
    """Mean squared error of a guess of the target's X, one of the `pairs` candidates of an area of
    n1 records, which may be infinite. `swapping_ru` has the formulas.
    """
    a = rate * (2 * variance + delta**2)
    if snooper == "linked" or n1 == 1:
        return a
    others = _mean_squared_swaps(pairs - 1, rate)
    if snooper == "mean":
        # the target's values were swapped with probability pi, those of the others B times
        with_target = others + 2 * (pairs - 1) * rate + 1  # E((B + 1)²)
        swapped = variance * (1 + 1 / n1) + delta**2 * with_target / n1**2
        stayed = variance * (n1 - 1) / n1 + delta**2 * others / n1**2
        return rate * swapped + (1 - rate) * stayed
    rest = n1 - 1
    b = variance * (1 + 1 / rest) + delta**2 * others / rest**2
    c = rate * (variance + (pairs - 1) * rate * delta**2 / rest)
    apart = a + b - 2 * c
    w = min(max((b - c) / apart, 0.0), 1.0) if apart > 0 else 1.0
    return w**2 * a + 2 * w * (1 - w) * c + (1 - w) ** 2 * b


def _mean_squared_swaps(pairs: int, rate: float) -> float:
    """E(B²) of a binomial number B of swaps: K pi (1 - pi) + (K pi)²."""
    return pairs * rate * (1 - rate) + (pairs * rate) ** 2


def _check_pairs(pairs: int, smaller: float, areas: str) -> None:
    if pairs > smaller:
        raise InputError(
            f"pairs: {pairs} pairs need as many records in each area, but {areas}; give at most"
            f" {smaller}"
        )


# ---- curves --------------------------------------------------------------------------


FORMS: dict[str, tuple[Callable[..., RiskUtility], str]] = {
    "noise": (noise_ru, "noise_variance"),
    "synthetic": (synthetic_ru, "samples"),
    "swapping": (swapping_ru, "rate"),
}


def ru_curve(
    form: Form, values: Iterable[float], *, over: str | None = None, **fixed: Any
) -> RUCurve:
    """Utility and risk of a closed form for several values of one parameter.

    Parameters
    ----------
    form : "noise" (`noise_ru`), "synthetic" (`synthetic_ru`) or "swapping" (`swapping_ru`).
    values : values of the parameter, in the order to draw them.
    over : the parameter; by default "noise_variance", "samples" or "rate".
    **fixed : the other arguments of the closed form; its `snooper` is "optimal", or for synthetic
        data "mean", unless given.

    Examples
    --------
    >>> fixed = dict(n1=3, n2=2, variance=1.0, delta=1.0, snooper="linked")
    >>> curve = ru_curve("swapping", [0, 0.5, 1], **fixed)
    >>> curve
    Risk and utility of swapping for 3 values of rate; n1=3, n2=2, variance=1.0, delta=1.0,
    snooper='linked'
    utility: 1 / mean squared error of the user, higher is more useful; risk: 1 / mean squared
    error of the snooper, higher is riskier; both in 1 / (unit of X)²
    rate utility   risk identity_risk
     0.0  1.2000    Inf           1.0
     0.5  0.8471 0.6667           0.5
     1.0  0.6545 0.3333           0.0
    >>> float(curve.under(0.5)["rate"])
    1.0
    """
    function, usual = FORMS[check_choice("form", form, tuple(FORMS))]
    parameters = inspect.signature(function).parameters
    over = usual if over is None else check_choice("over", over, list(parameters))
    choices = [name for name in parameters if name != over]
    for name in fixed:
        if name not in choices:
            fault = f"is not an argument of {form!r}"
            if name == over:
                fault = "is the parameter that varies, so its values go in `values`"
            raise InputError(f"{name}: {fault}; choices: {', '.join(choices)}")
    required = [name for name in choices if parameters[name].default is inspect.Parameter.empty]
    needed = [name for name in required if name not in fixed]
    if needed:
        raise InputError(f"{needed[0]}: is missing; the form {form!r} needs {', '.join(needed)}")
    if over != "snooper":  # a risk means nothing without its snooper
        fixed.setdefault("snooper", parameters["snooper"].default)
    rows = []
    for value in values:
        point = function(**{over: value}, **fixed)
        rows.append([value, *(getattr(point, name) for name in QUANTITIES)])
    if not rows:
        raise InputError("values: none given; give at least one value of the parameter")
    table = pd.DataFrame(rows, columns=[over, *QUANTITIES])
    return RUCurve(table=table, form=form, over=over, fixed=dict(fixed))


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RUCurve(Drawn):
    """A curve of the risk-utility map.

    Attributes
    ----------
    table : DataFrame
        One row per value: the parameter, utility, risk, user_mse, snooper_mse, identity_risk (NaN
        where no record can be linked).
    form, over : the closed form, and the parameter that varies.
    fixed : the other arguments.
    """

    table: pd.DataFrame
    form: str
    over: str
    fixed: dict[str, Any]

    def under(self, ceiling: float) -> pd.Series:
        """The most useful row whose risk is at most `ceiling`. The exact optimum is given by
        `optimal_noise`, `optimal_samples` and `optimal_swap_rate`.
        """
        ceiling = check_number("ceiling", ceiling, 0)
        safe = self.table[self.table["risk"] <= ceiling]
        if safe.empty:
            raise InputError(
                f"ceiling: {ceiling!r} is below every risk of the curve; the lowest is"
                f" {self.table['risk'].min():.6g}"
            )
        return safe.loc[safe["utility"].idxmax()]

    def tidy(self) -> pd.DataFrame:
        """One row for each value and quantity. Columns: form, parameter, at, quantity ("utility" or
        "risk"), value, mse (its inverse), unit, direction.
        """
        quantities = (
            ("utility", "user_mse", "higher is more useful"),
            ("risk", "snooper_mse", "higher is riskier"),
        )
        parts = []
        for quantity, mse, direction in quantities:
            columns = {
                "form": self.form,
                "parameter": self.over,
                "at": self.table[self.over],
                "quantity": quantity,
                "value": self.table[quantity],
                "mse": self.table[mse],
                "unit": UNIT,
                "direction": direction,
            }
            parts.append(pd.DataFrame(columns))
        return pd.concat(parts, ignore_index=True)

    def plot(self, ceiling: float | None = None, ax: Any = None) -> Any:
        """Draw risk against utility, with the parameter along the curve; the area above a ceiling
        is shaded. Returns matplotlib axes.
        """
        from .plots.risk_utility import plot_curve

        return plot_curve(self, ceiling, ax)

    def _title(self) -> str:
        return f"Risk and utility by {self.over}"

    def _sections(self) -> Sections:
        fixed = ", ".join(f"{name}={value!r}" for name, value in self.fixed.items())
        what = f"Risk and utility of {self.form} for {len(self.table)} values of {self.over}"
        columns = [self.over, "utility", "risk"]
        if self.table["identity_risk"].notna().any():
            columns.append("identity_risk")
        shown = self.table[columns].head(MOST_ROWS)
        caption = f"risk and utility by {self.over}"
        table = Table(shown, caption, digits=4, titled=False, labelled=False)
        more = len(self.table) - MOST_ROWS
        rest = [f"and {more} more in .table"] if more > 0 else []
        return [[f"{what}; {fixed}", HOW_TO_READ, table, *rest]]

    def _headline(self, to: int = 1) -> list[str]:
        best = self.table.loc[self.table["utility"].idxmax()]
        tried = f"{len(self.table)} values of {self.over}"
        if self.over == "snooper":  # the snooper's choice does not affect the user
            lowest, highest = self.table["risk"].min(), self.table["risk"].max()
            utility = f"utility {best['utility']:.4g}"
            return [f"{tried}, all with {utility}; risk {lowest:.4g} to {highest:.4g}."]
        return [
            f"Of {tried} {best[self.over]:g} is the most useful: utility"
            f" {best['utility']:.4g}, risk {best['risk']:.4g}."
        ]

    def _content(self) -> dict[str, Any]:
        return {"form": self.form, "over": self.over, "unit": UNIT, "table": self.table}

    def _arguments(self) -> dict[str, Any]:
        return {"form": self.form, "over": self.over, **self.fixed}


# ---- the most useful release under a ceiling -----------------------------------------

# In every scenario less masking is more useful and riskier, so the optimum is where the risk equals
# the ceiling.


def optimal_noise(
    ceiling: float, n: int, variance: float, *, snooper: NoiseSnooper = "optimal"
) -> float:
    """The smallest noise variance lambda² for which the risk of `noise_ru` is at most `ceiling`.

    Parameters
    ----------
    ceiling : highest tolerable risk, 1 / (mean squared error of the snooper); above 0.
    n, variance, snooper : as in `noise_ru`.

    Returns
    -------
    float
        0 where no noise is needed. Every ceiling can be met.

    Examples
    --------
    An error of at least 0.625 is wanted. A snooper who links needs noise of that variance, the
    optimal one needs more: 1, as in `noise_ru`'s example.

    >>> optimal_noise(1 / 0.625, 4, 1.0, snooper="linked"), optimal_noise(1 / 0.625, 4, 1.0)
    (0.625, 1.0)
    """
    error = 1 / check_number("ceiling", ceiling, 0, open_low=True)
    n = check_whole("n", n, 1)
    variance = check_number("variance", variance, 0)
    by_mean = max(n * error - (n - 1) * variance, 0.0)
    # lambda² solves x² + n (sigma² - error) x - n error sigma² = 0; the root is written without a
    # difference of near numbers
    half = n * (variance - error) / 2
    product = n * error * variance
    root = math.sqrt(half**2 + product)
    needed = {
        "optimal": product / (half + root) if half > 0 else root - half,
        "mean": by_mean,
        "linked": error,
        "as_printed": max(error, by_mean),
    }
    return needed[check_choice("snooper", snooper, tuple(needed))]


def optimal_samples(ceiling: float, records: int, variance: float, hyper_variance: float) -> float:
    """The largest number m of synthetic samples for which the risk of `synthetic_ru` (a snooper who
    uses the mean) is at most `ceiling`.

    Parameters
    ----------
    ceiling : highest tolerable risk, 1 / (mean squared error of the snooper); above 0.
    records, variance, hyper_variance : as in `synthetic_ru`.

    Returns
    -------
    float
        A whole number, or infinity if any number of samples is safe, because sigma² alone protects
        enough.

    Examples
    --------
    The error is 1 + 0.5/m + 0.25/m. At least 1.25 is wanted, so m = 3.

    >>> optimal_samples(1 / 1.25, 4, 1.0, 0.5)
    3.0
    >>> optimal_samples(1.0, 4, 1.0, 0.5)
    inf
    """
    error = 1 / check_number("ceiling", ceiling, 0, open_low=True)
    k = check_whole("records", records, 1)
    variance = check_number("variance", variance, 0)
    hyper = check_number("hyper_variance", hyper_variance, 0)
    beyond = error - variance
    if beyond <= variance * ROUNDING:
        return math.inf
    of_one_sample = hyper + variance / k
    most = float(math.floor(of_one_sample / beyond * (1 + ROUNDING)))
    if most < 1:
        lowest = synthetic_ru(1, k, variance, hyper).risk
        raise InputError(
            f"ceiling: {ceiling!r} cannot be met; with one sample of {k} records the risk is"
            f" {lowest:.6g}, so give at least that, or fewer records"
        )
    return most


def optimal_swap_rate(
    ceiling: float,
    variance: float,
    delta: float,
    *,
    snooper: SwapSnooper = "optimal",
    n1: int | None = None,
    pairs: int = 1,
    identity_ceiling: float | None = None,
) -> float:
    """The smallest swapping rate for which the risk of `swapping_ru` is at most `ceiling`.

    Parameters
    ----------
    ceiling : highest tolerable risk, 1 / (mean squared error of the snooper); above 0.
    variance, delta, pairs : as in `swapping_ru`.
    snooper : as in `swapping_ru`. The default weighs the linked value and the mean of the area;
        "linked" is the paper's snooper, for whom a lower rate is enough.
    n1 : records in the target's area. The default is a large area, whose mean is known: the most
        careful case for the "optimal" snooper. "linked" does not need it, "mean" does.
    identity_ceiling : highest tolerable probability of a correct link, from 0 to 1; None for no
        such limit.

    Examples
    --------
    The error of the snooper who links is rate * (2 + 1); it must be at least 1.5. The error of one
    who also knows the area's mean is r (3 - r) / (1 + r), at most sigma² = 1: 1.5 is impossible,
    and for 0.9 the rate r must be 0.6.

    >>> optimal_swap_rate(1 / 1.5, variance=1.0, delta=1.0, snooper="linked")
    0.5
    >>> optimal_swap_rate(1 / 1.5, variance=1.0, delta=1.0, snooper="linked", identity_ceiling=0.25)
    0.75
    >>> rate = optimal_swap_rate(1 / 0.9, variance=1.0, delta=1.0)
    >>> round(rate, 4), round(rate * (3 - rate) / (1 + rate), 4)
    (0.6, 0.9)
    """
    import scipy

    ceiling = check_number("ceiling", ceiling, 0, open_low=True)
    variance = check_number("variance", variance, 0)
    delta = check_number("delta", delta)
    pairs = check_whole("pairs", pairs, 1)
    snooper = check_choice("snooper", snooper, SWAP_SNOOPERS)
    size = math.inf
    if n1 is not None:
        size = check_whole("n1", n1, 1)
        _check_pairs(pairs, size, f"n1 is {size}")
    elif snooper == "mean":
        raise InputError(
            "n1: is not given, but the error of snooper='mean' depends on the size of the area;"
            " give the records of the target's area"
        )
    against_links = 0.0
    if identity_ceiling is not None:
        against_links = 1 - check_number("identity_ceiling", identity_ceiling, 0, 1)

    def beyond(rate: float) -> float:
        return swapping_error(snooper, rate, size, variance, delta, pairs) * ceiling - 1

    at_most = beyond(1.0)
    if at_most < -ROUNDING:
        lowest = _inverse((at_most + 1) / ceiling)
        raise InputError(
            f"ceiling: {ceiling!r} cannot be met; even with every candidate swapped the risk is"
            f" {lowest:.6g} (snooper {snooper!r}); give at least that, or mask in another way"
        )
    if beyond(0.0) >= 0:
        needed = 0.0
    elif at_most <= 0:
        needed = 1.0
    elif snooper == "linked":
        needed = 1 / (at_most + 1)
    else:
        needed = float(scipy.optimize.brentq(beyond, 0.0, 1.0, xtol=1e-15, rtol=1e-15))
    return max(min(needed, 1.0), against_links)
