"""Figures with their intervals: of several data sets, of shares, of resamples."""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np

from ..core.arrays import Floats
from ..measures import Share
from ..tables.frames import not_collected
from ..tables.opening import is_in_memory
from .measures import COUNTED, TOGETHER, Comparison, Measure, NoFigure, Role, Rows, is_ours
from .releases import Release

NO_INTERVAL = "none"  # how the method of an interval begins where there is none; the reason follows
ONE_SET = "one data set, no bootstrap"
NOT_RESAMPLED = (
    "one data set whose rows are not the original's: resampling it with the original would "
    "exaggerate the uncertainty; give several syntheses"
)
Interval: TypeAlias = tuple[float, float, str]  # its ends, NaN where there is none; how it was made

# One measure of one release: the figure and the ends of its interval (NaN where there is none), how
# the interval was made, data sets; of a share, the means of numerator and denominator (NaN for
# anything else); why there is no figure.
MapFigure = namedtuple(
    "MapFigure", "candidate measure role value low high method m numerator denominator reason"
)


def no_figure(name: str, role: Role, measure: Measure) -> MapFigure:
    """A figure still without a value."""
    nothing = (math.nan,) * 3
    return MapFigure(name, measure.label, role, *nothing, "", 0, math.nan, math.nan, "")


def figure_of(
    data: Comparison, release: Release, role: Role, measure: Measure, draws: Iterator[Rows] | None
) -> MapFigure:
    """A measure of a release, with its interval cut off at the limits of the measure; `draws` are
    rows of resamples.
    """
    figure = no_figure(release.name, role, measure)._replace(m=release.m)
    every = list(range(release.m))
    ours = is_ours(measure)
    theory = ours and measure.label == "IR"
    together = ours and measure.label in TOGETHER and release.together
    groups = [every] if together or theory else [[one] for one in every]
    try:
        if not (ours and measure.label in COUNTED):
            _check_collected(release)
        found = [data.value(measure, release, which) for which in groups]
        values = list(map(_number, found))
        if not np.isfinite(values).all():
            raise NoFigure("the measure gave no finite number")
        without_one = []
        if together and release.m > 1:
            for left_out in every:
                others = [one for one in every if one != left_out]
                without_one.append(_number(data.value(measure, release, others)))
    except NoFigure as reason:
        return figure._replace(method=f"{NO_INTERVAL}: {reason}", reason=str(reason))
    value = float(np.mean(values))
    numerator = denominator = math.nan
    if isinstance(found[0], Share):
        numerator, denominator = map(float, np.mean(found, axis=0))
    interval = _none(ONE_SET)
    if theory:
        interval = value, value, "exact: theory, no sampling error"
    elif without_one:
        interval = from_leaving_out(value, without_one, data.level)
    elif len(values) > 1:
        interval = from_sets(values, data.level, together=release.together)
    elif draws is not None and math.isfinite(denominator):
        # also where it is 0 or 100 %, and without resampling
        interval = from_share(numerator, denominator, data.level)
    elif draws is not None and ours and not release.aligned:
        interval = _none(NOT_RESAMPLED)
    elif draws is not None:
        resamples = [_number(data.value(measure, release, [0], rows)) for rows in draws]
        interval = from_resamples(value, np.array(resamples), data.level)
    low, high, method = interval
    return figure._replace(
        value=value,
        low=min(max(low, measure.low), measure.high),
        high=min(max(high, measure.low), measure.high),
        method=method,
        numerator=numerator,
        denominator=denominator,
    )


def _check_collected(release: Release) -> None:
    for one, place in zip(release.sets, release.places):
        if not is_in_memory(one):
            raise NoFigure(f"it needs single records ({not_collected(one, place)})")


def _number(found: Share | float) -> float:
    return found.percent if isinstance(found, Share) else found


def _none(reason: str) -> Interval:
    return math.nan, math.nan, f"{NO_INTERVAL}: {reason}"


def from_sets(values: Sequence[float], level: float, *, together: bool) -> Interval:
    """Of figures of m data sets. Released together: mean ± t(m - 1) sd sqrt(1 / m), how far the
    mean would move if the release were made again from the same original. Otherwise, of runs: mean
    ± t(m - 1) sd sqrt(1 + 1 / m), where one more run would be, the one that will be released.

    >>> low, high, _ = from_sets([1.0, 2.0, 3.0], 0.95, together=True)
    >>> round(low, 3), round(high, 3)  # 2 ± 4.303 * 1 / sqrt(3)
    (-0.484, 4.484)
    """
    m, mean = len(values), float(np.mean(values))
    spread = float(np.std(values, ddof=1))
    if together:
        method = f"t interval of the mean over {m} data sets released together"
        return _around(mean, spread * math.sqrt(1 / m), m, level, method)
    method = f"prediction of one more run, from {m} runs"
    return _around(mean, spread * math.sqrt(1 + 1 / m), m, level, method)


def from_leaving_out(value: float, without_one: Sequence[float], level: float) -> Interval:
    """Jackknife over m data sets, for a figure that is made from all of them together: value ± t(m
    - 1) sqrt((m - 1) / m sum (v_-i - mean)²).
    """
    m = len(without_one)
    error = math.sqrt((m - 1) * np.var(without_one))
    return _around(value, error, m, level, f"jackknife over {m} data sets released together")


def _around(value: float, error: float, m: int, level: float, method: str) -> Interval:
    """The t interval of a figure with a standard error from m figures."""
    import scipy

    t = float(scipy.special.stdtrit(m - 1, (1 + level) / 2))
    half = t * error
    return value - half, value + half, method


def from_share(numerator: float, denominator: float, level: float) -> Interval:
    """Clopper and Pearson's interval of a share, in %: shares of 0 and of 100 % have one too. For a
    sum of numbers from 0 to 1, such as chances of a match, it is wider than need be.

    Nobody among 10: 1 - 0.025^(1/10) = 30.8 %.

    >>> low, high, _ = from_share(0, 10, 0.95)
    >>> low, round(high, 1)
    (0.0, 30.8)
    """
    from scipy.special import betaincinv

    tail, rest = (1 - level) / 2, denominator - numerator
    low, high = 0.0, 1.0
    if numerator > 0:
        low = float(betaincinv(numerator, rest + 1, tail))
    if rest > 0:
        high = float(betaincinv(numerator + 1, rest, 1 - tail))
    return 100 * low, 100 * high, "Clopper-Pearson interval of a share of records"


def from_resamples(value: float, resamples: Floats, level: float) -> Interval:
    """value ± z sd of the figure in resampled data.

    The spread of the resamples is used, not their quantiles: a distance between two data sets is
    larger in resamples, because resampling adds noise. For the same reason the interval of a
    distance is too wide, most of all for small distances.
    """
    import scipy

    x = resamples[np.isfinite(resamples)]
    if len(x) < 2:
        return _none("the figure could not be computed in resampled data")
    z = scipy.special.ndtri((1 + level) / 2)
    half = float(z * x.std(ddof=1))
    return value - half, value + half, f"bootstrap, {len(x)} resamples of records"
