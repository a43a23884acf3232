"""The uncertainty of a figure of the map: intervals from several data sets, or from resampled
records.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..core.arrays import Floats


@dataclass(frozen=True, slots=True)
class Interval:
    """Ends of an interval and how they were found; NaN where there is none."""

    low: float
    high: float
    method: str


NO_INTERVAL = "none"


def none(reason: str) -> Interval:
    return Interval(math.nan, math.nan, f"{NO_INTERVAL}: {reason}")


def exact(value: float) -> Interval:
    return Interval(value, value, "exact: theory, no sampling error")


def from_sets(values: Sequence[float], level: float) -> Interval:
    """mean ± t(m - 1) sd / sqrt(m): how far the mean over m data sets, all released, would move if
    the release were made again from the same original.

    >>> interval = from_sets([1.0, 2.0, 3.0], 0.95)
    >>> round(interval.low, 3), round(interval.high, 3)  # 2 ± 4.303 * 1 / sqrt(3)
    (-0.484, 4.484)
    """
    m = len(values)
    method = f"t interval of the mean over {m} data sets released together"
    return _around_mean(values, level, 1 / m, method)


def from_runs(values: Sequence[float], level: float) -> Interval:
    """mean ± t(m - 1) sd sqrt(1 + 1 / m): where one more run would be, the one that will be
    released.

    >>> interval = from_runs([1.0, 2.0, 3.0], 0.95)
    >>> round(interval.low, 3), round(interval.high, 3)  # 2 ± 4.303 * sqrt(4 / 3)
    (-2.968, 6.968)
    """
    m = len(values)
    return _around_mean(values, level, 1 + 1 / m, f"prediction of one more run, from {m} runs")


def _around_mean(values: Sequence[float], level: float, spreads: float, method: str) -> Interval:
    """An interval around the mean; `spreads` is its variance over that of a single figure."""
    x = np.asarray(values, dtype=np.float64)
    half = _t_quantile(len(x), level) * x.std(ddof=1) * math.sqrt(spreads)
    return _around(float(x.mean()), half, method)


def _around(value: float, half: float, method: str) -> Interval:
    return Interval(float(value - half), float(value + half), method)


def _t_quantile(m: int, level: float) -> float:
    """How many standard errors an interval from m figures reaches each way."""
    import scipy

    return float(scipy.special.stdtrit(m - 1, (1 + level) / 2))


def from_share(numerator: float, denominator: float, level: float) -> Interval:
    """Clopper and Pearson's interval of a share, in %: shares of 0 and of 100 % have one too. For a
    sum of numbers from 0 to 1, such as chances of a match, it is wider than need be.

    Nobody among 10: 1 - 0.025^(1/10) = 30.8 %.

    >>> interval = from_share(0, 10, 0.95)
    >>> interval.low, round(interval.high, 1)
    (0.0, 30.8)
    """
    import scipy

    tail = (1 - level) / 2
    rest = denominator - numerator
    low, high = 0.0, 1.0
    if numerator > 0:
        low = float(scipy.special.betaincinv(numerator, rest + 1, tail))
    if rest > 0:
        high = float(scipy.special.betaincinv(numerator + 1, rest, 1 - tail))
    return Interval(100 * low, 100 * high, "Clopper-Pearson interval of a share of records")


def from_leaving_out(value: float, without_one: Sequence[float], level: float) -> Interval:
    """Jackknife over m data sets, for a figure that is made from all of them together: value ± t(m
    - 1) sqrt((m - 1) / m sum (v_-i - mean)²).

    For a plain mean it is `from_sets`: the mean of 1, 2, 3 without one is 2.5, 2 or 1.5.

    >>> interval = from_leaving_out(2.0, [2.5, 2.0, 1.5], 0.95)
    >>> round(interval.low, 3), round(interval.high, 3)
    (-0.484, 4.484)
    """
    x = np.asarray(without_one, dtype=np.float64)
    m = len(x)
    squares = ((x - x.mean()) ** 2).sum()
    half = _t_quantile(m, level) * math.sqrt((m - 1) / m * squares)
    return _around(value, half, f"jackknife over {m} data sets released together")


def from_resamples(value: float, resamples: Floats, level: float) -> Interval:
    """value ± z sd of the figure in resampled data.

    The spread of the resamples is used, not their quantiles: a distance between two data sets is
    larger in resamples, because resampling adds noise. For the same reason the interval of a
    distance is too wide, most of all for small distances.
    """
    import scipy

    x = np.asarray(resamples, dtype=np.float64)
    x = x[np.isfinite(x)]
    if len(x) < 2:
        return none("the figure could not be computed in resampled data")
    half = scipy.special.ndtri((1 + level) / 2) * x.std(ddof=1)
    return _around(value, half, f"bootstrap, {len(x)} resamples of records")


def within(interval: Interval, low: float, high: float) -> Interval:
    """The interval cut off at the limits of the measure."""
    return Interval(
        low=min(max(interval.low, low), high),
        high=min(max(interval.high, low), high),
        method=interval.method,
    )
