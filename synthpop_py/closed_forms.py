"""Risk and utility of four ways to release data about a mean, in closed form (Duncan and
Keller-McNulty, "Mask or impute?"); their curves, and the most useful release under a ceiling.

A user wants the mean of a variable X (for swapping: the difference between two areas), a snooper
wants the X of one person. Utility is one over the mean squared error of the user, risk is one over
the mean squared error of the snooper, so both have the unit 1 / (unit of X)². X has a mean and a
variance, sigma²; records are uncorrelated; nothing is assumed about the shape of its distribution.

Where the paper's formula is not correct, the correct one is the default and the printed one has
"as_printed" in its name.
"""

from __future__ import annotations

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
COUNTS = ("n", "n1", "n2", "pairs", "records", "samples")
MOST_ROWS = 10
ROUNDING = 1e-12  # a quotient that is a whole number up to its last bits counts as that number


@dataclass(frozen=True, slots=True, repr=False)
class RiskUtility(Shown):
    """One way to release data, as a point on the map.

    Attributes
    ----------
    user_mse, snooper_mse : mean squared errors, in (unit of X)².
    identity_risk : probability that a snooper who links a record by its keys has the correct
        person's values; NaN where no record is linked.
    """

    user_mse: float
    snooper_mse: float
    identity_risk: float = math.nan

    @property
    def utility(self) -> float:
        """1 / user_mse; higher is more useful."""
        return _inverse(self.user_mse)

    @property
    def risk(self) -> float:
        """1 / snooper_mse; higher is riskier, infinite where the snooper makes no error."""
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
        return {name: getattr(self, name) for name in QUANTITIES} | {"unit": UNIT}


def _inverse(mse: float) -> float:
    return math.inf if mse == 0 else 1 / mse


def _checked(**given: Any) -> list[Any]:
    """Counts of at least 1, and other numbers of at least 0."""
    checked = []
    for name, value in given.items():
        whole = name in COUNTS
        checked.append(check_whole(name, value, 1) if whole else check_number(name, value, 0))
    return checked


def original_ru(
    n: int, variance: float, *, target: Target = "in_sample", snooper: OriginalSnooper = "mean"
) -> RiskUtility:
    """The original data, n records with the variance sigma², released as they are: U = n / sigma².

    The snooper guesses the target's value by the mean of the n values: R = n / ((n - 1) sigma²) if
    the target is "in_sample", and n / ((n + 1) sigma²) if it is "outside". One who has "linked" the
    target's record makes no error.

    >>> original_ru(4, 1.0)
    RiskUtility: utility 4 (higher is more useful), risk 1.333 (higher is riskier),
    in 1 / (unit of X)²
    """
    n, variance = _checked(n=n, variance=variance)
    inside = check_choice("target", target, ("in_sample", "outside")) == "in_sample"
    user_mse = variance / n
    if check_choice("snooper", snooper, ("mean", "linked")) == "mean":
        factor = n - 1 if inside else n + 1
        return RiskUtility(user_mse, variance * factor / n)
    if not inside:
        raise InputError("snooper: 'linked' needs a target in the sample; use snooper='mean'")
    return RiskUtility(user_mse, 0.0, identity_risk=1.0)


def noise_ru(
    n: int, variance: float, noise_variance: float, *, snooper: NoiseSnooper = "optimal"
) -> RiskUtility:
    """Each of n values X, of variance sigma², masked by independent noise of variance lambda²: U =
    n / (sigma² + lambda²).

    `snooper` guesses the X of a target, one of the n, by the "mean" of the masked values Y, mean
    squared error ((n - 1) sigma² + lambda²) / n; by the target's own Y, "linked", lambda²; by the
    better of these two, "as_printed"; or, "optimal", by a Y_i + (1 - a) mean(Y) with a = sigma² /
    (sigma² + lambda²), lambda² (1 / n + (n - 1) a / n): never worse, so the printed risks are only
    lower bounds.

    >>> [noise_ru(4, 1.0, 1.0, snooper=s).snooper_mse for s in ("mean", "linked", "optimal")]
    [1.0, 1.0, 0.625]
    """
    n, variance, noise = _checked(n=n, variance=variance, noise_variance=noise_variance)
    total = variance + noise
    by_mean = ((n - 1) * variance + noise) / n
    a = variance / total if total > 0 else 0.0
    errors = {
        "optimal": noise * (1 + (n - 1) * a) / n,
        "mean": by_mean,
        "linked": noise,
        "as_printed": min(by_mean, noise),
    }
    guess = check_choice("snooper", snooper, tuple(errors))
    return RiskUtility(total / n, errors[guess])


def synthetic_ru(
    samples: int,
    records: int,
    variance: float,
    hyper_variance: float,
    *,
    snooper: SyntheticSnooper = "mean",
) -> RiskUtility:
    """Multiply-imputed synthetic data: m samples of k records, sample i drawn around its own mean
    mu_i: U = mk / (k alpha² + sigma²). Here `variance` sigma² is that of the target's X, and of
    records around mu_i, and `hyper_variance` alpha² that of mu_i (the agency's posterior).

    `snooper` guesses the target's X, which is in no synthetic record, by the "mean" of all records,
    mean squared error sigma² + 1 / U, or by one "record" that looks like the target, 2 sigma² +
    alpha². The paper has sigma² + alpha², "record_as_printed": the error of guessing by mu_i, which
    is not released.

    >>> snoopers = ("mean", "record", "record_as_printed")
    >>> [synthetic_ru(2, 4, 1.0, 0.5, snooper=s).snooper_mse for s in snoopers]
    [1.375, 2.5, 1.5]
    """
    m, k = _checked(samples=samples, records=records)
    variance, hyper = _checked(variance=variance, hyper_variance=hyper_variance)
    user_mse = hyper / m + variance / (m * k)
    errors = {
        "mean": variance + user_mse,
        "record": 2 * variance + hyper,
        "record_as_printed": variance + hyper,
    }
    guess = check_choice("snooper", snooper, tuple(errors))
    return RiskUtility(user_mse, errors[guess])


def printed_threshold(samples: int, records: int, variance: float) -> float:
    """The alpha² above which, in the paper, a snooper does better with the mean than with a record:
    sigma² / (k (m - 1)). It follows from the printed error; in truth the mean is always better.

    >>> printed_threshold(samples=3, records=5, variance=2.0)
    0.2
    """
    m, k, variance = _checked(samples=samples, records=records, variance=variance)
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
    """Swapping between two areas of n1 and n2 records, with the variance sigma² and means that
    differ by delta: each of K candidates (`pairs`) exchanges values with its partner in the other
    area with probability pi (`rate`), independently.

    With c = 1/n1 + 1/n2 the user's error for the difference of the area means is c sigma² + c²
    delta² (K pi (1 - pi) + K² pi²), for one pair, as in the paper, c sigma² + c² pi delta².

    `snooper` guesses the X of a candidate of area 1 by the "linked" value at its place, mean
    squared error pi (2 sigma² + delta²), as in the paper; by the "mean" of the area, for one pair
    pi (sigma² (1 + 1/n1) + delta²/n1²) + (1 - pi) sigma² (n1 - 1)/n1; or, "optimal", by the best
    weighted mean of the linked value and the mean of the others: (a b - c²) / (a + b - 2 c), with
    their mean squared errors a = pi (2 sigma² + delta²) and b = sigma² (1 + 1/(n1 - 1)) + delta²
    E(B²)/(n1 - 1)², and the mean product c = pi (sigma² + (K - 1) pi delta²/(n1 - 1)), B the number
    of swaps among the other candidates. The first two risks are lower bounds.

    The paper's example, 3 and 2 records, for a rate of 1/2: by the mean 1/2 (4/3 + 1/9) + 1/2 * 2/3
    = 19/18; a = b = 3/2 and c = 1/2, so the optimal error is (9/4 - 1/4) / 2 = 1.

    >>> snoopers = ("linked", "mean", "optimal")
    >>> [round(swapping_ru(0.5, 3, 2, 1.0, 1.0, snooper=s).snooper_mse, 4) for s in snoopers]
    [1.5, 1.0556, 1.0]
    """
    rate = check_number("rate", rate, 0, 1)
    n1, n2, pairs, variance = _checked(n1=n1, n2=n2, pairs=pairs, variance=variance)
    delta = check_number("delta", delta)
    _check_pairs(pairs, min(n1, n2))
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
    check_choice("snooper", snooper, SWAP_SNOOPERS)
    a = rate * (2 * variance + delta**2)
    if snooper == "linked" or n1 == 1:
        return a
    others = _mean_squared_swaps(pairs - 1, rate)
    expected = (pairs - 1) * rate  # E(B)
    if snooper == "mean":
        # the target's values were swapped with probability pi, those of the others B times
        bias = (delta / n1) ** 2
        with_target = others + 2 * expected + 1  # E((B + 1)²)
        swapped = variance + variance / n1 + bias * with_target
        stayed = variance - variance / n1 + bias * others
        return rate * swapped + (1 - rate) * stayed
    rest = n1 - 1
    b = variance + variance / rest + (delta / rest) ** 2 * others
    c = rate * (variance + expected * delta**2 / rest)
    apart = a + b - 2 * c
    best = (b - c) / apart if apart > 0 else 1.0
    w = min(max(best, 0.0), 1.0)
    v = 1 - w
    return w**2 * a + 2 * w * v * c + v**2 * b


def _mean_squared_swaps(pairs: int, rate: float) -> float:
    """E(B²) of a binomial number B of swaps: K pi (1 - pi) + (K pi)²."""
    expected = pairs * rate
    return expected * (1 - rate) + expected**2


def _check_pairs(pairs: int, smaller: float) -> None:
    if pairs > smaller:
        raise InputError(
            f"pairs: {pairs} pairs need as many records in each area; give at most {smaller}"
        )


# the parameter that usually varies, and the usual snooper
FORMS: dict[str, tuple[Callable[..., RiskUtility], str, str]] = {
    "noise": (noise_ru, "noise_variance", "optimal"),
    "synthetic": (synthetic_ru, "samples", "mean"),
    "swapping": (swapping_ru, "rate", "optimal"),
}


def ru_curve(
    form: Form, values: Iterable[float], *, over: str | None = None, **fixed: Any
) -> RUCurve:
    """Utility and risk of a closed form for several values of one parameter.

    `form` is "noise" (`noise_ru`), "synthetic" (`synthetic_ru`) or "swapping" (`swapping_ru`);
    `over` the parameter, by default "noise_variance", "samples" or "rate"; `fixed` the other
    arguments of the closed form.

    >>> fixed = dict(n1=3, n2=2, variance=1.0, delta=1.0, snooper="linked")
    >>> ru_curve("swapping", [0, 0.5, 1], **fixed)
    Risk and utility of swapping for 3 values of rate; n1=3, n2=2, variance=1.0, delta=1.0,
    snooper='linked'
    utility: 1 / mean squared error of the user, higher is more useful; risk: 1 / mean squared
    error of the snooper, higher is riskier; both in 1 / (unit of X)²
    rate utility   risk identity_risk
     0.0  1.2000    Inf           1.0
     0.5  0.8471 0.6667           0.5
     1.0  0.6545 0.3333           0.0
    """
    function, usual, snooper = FORMS[check_choice("form", form, tuple(FORMS))]
    over = over or usual
    if over != "snooper":  # a risk means nothing without its snooper
        fixed.setdefault("snooper", snooper)
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
        parts = []
        for quantity, mse, more in (
            ("utility", "user_mse", "more useful"),
            ("risk", "snooper_mse", "riskier"),
        ):
            columns = {
                "form": self.form,
                "parameter": self.over,
                "at": self.table[self.over],
                "quantity": quantity,
                "value": self.table[quantity],
                "mse": self.table[mse],
                "unit": UNIT,
                "direction": f"higher is {more}",
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
        columns = [self.over, "utility", "risk", "identity_risk"]
        shown = self.table[columns].dropna(axis=1, how="all").head(MOST_ROWS)
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


# In every scenario less masking is more useful and riskier, so the optimum is where the risk equals
# the ceiling.


def optimal_noise(
    ceiling: float, n: int, variance: float, *, snooper: NoiseSnooper = "optimal"
) -> float:
    """The smallest noise variance lambda² for which the risk of `noise_ru`, which has the other
    arguments, is at most `ceiling`, above 0; 0 where no noise is needed.

    An error of at least 0.625 is wanted; the optimal snooper needs more noise than that.

    >>> optimal_noise(1 / 0.625, 4, 1.0, snooper="linked"), optimal_noise(1 / 0.625, 4, 1.0)
    (0.625, 1.0)
    """
    error = 1 / check_number("ceiling", ceiling, 0, open_low=True)
    n, variance = _checked(n=n, variance=variance)
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
    """The largest number m of synthetic samples for which the risk of `synthetic_ru`, which has the
    other arguments, is at most `ceiling`, above 0, for a snooper who uses the mean; infinity if any
    number of samples is safe.

    The error is 1 + 0.5/m + 0.25/m. At least 1.25 is wanted, so m = 3.

    >>> optimal_samples(1 / 1.25, 4, 1.0, 0.5)
    3.0
    """
    error = 1 / check_number("ceiling", ceiling, 0, open_low=True)
    k, variance, hyper = _checked(records=records, variance=variance, hyper_variance=hyper_variance)
    beyond = error - variance
    if beyond <= variance * ROUNDING:
        return math.inf
    of_one_sample = hyper + variance / k
    exact = of_one_sample / beyond
    most = float(math.floor(exact * (1 + ROUNDING)))
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
    """The smallest swapping rate for which the risk of `swapping_ru`, which has the other
    arguments, is at most `ceiling`, above 0.

    Without n1 the area is large, and its mean is known: the most careful case for the "optimal"
    snooper; "mean" needs n1. `identity_ceiling` is the highest tolerable probability of a correct
    link, from 0 to 1.

    The error of the snooper who links is rate * (2 + 1); it must be at least 1.5. The error of one
    who also knows the area's mean is r (3 - r) / (1 + r), at most sigma² = 1, so for 0.9 the rate r
    must be 0.6.

    >>> optimal_swap_rate(1 / 1.5, variance=1.0, delta=1.0, snooper="linked")
    0.5
    >>> round(optimal_swap_rate(1 / 0.9, variance=1.0, delta=1.0), 4)
    0.6
    """
    import scipy

    ceiling = check_number("ceiling", ceiling, 0, open_low=True)
    pairs, variance = _checked(pairs=pairs, variance=variance)
    delta = check_number("delta", delta)
    size = math.inf if n1 is None else check_whole("n1", n1, 1)
    _check_pairs(pairs, size)
    if n1 is None and snooper == "mean":
        raise InputError("n1: is not given, but the error of snooper='mean' depends on it")
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
    needed = 1.0
    if beyond(0.0) >= 0:
        needed = 0.0
    elif at_most > 0:
        needed = float(scipy.optimize.brentq(beyond, 0.0, 1.0, xtol=1e-15, rtol=1e-15))
    return max(needed, against_links)
