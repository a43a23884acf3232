"""The bandwidth of a kernel density that R's ``bw.SJ`` chooses (Sheather and Jones 1991, "solve the
equation").

R finds the root of the equation only roughly, to a tenth of the lower bound, so the steps of its
search are part of the result.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.arrays import Floats
from .root import root_between

__all__ = ["NoBandwidth", "bandwidth", "standard_deviation"]

BINS = 1000
BINNED_FROM = 500  # more values are put into bins before pairs are counted
WIDER = 1.01  # the bins reach a little beyond the range
FARTHEST = 1000.0  # squared distances from here on add nothing
MOST_TRIES = 99
ONE_BY_ROOT_2_PI = 0.398942280401432677939946059934


class NoBandwidth(ArithmeticError):
    """R stops: too few values, or values too far apart."""


def bandwidth(values: Floats) -> float:
    """R's ``bw.SJ(values)``.

    >>> bandwidth(np.arange(1.0, 11.0)) > 0
    True
    """
    n = len(values)
    if n < 2:
        raise NoBandwidth
    scale = min(standard_deviation(values), _quartile_range(values) / 1.349)
    if scale <= 0:
        raise NoBandwidth
    pairs = _Pairs(values)
    third = -pairs.sixth_derivative(1.23 * scale * n ** (-1 / 9))
    if not math.isfinite(third) or third <= 0:
        raise NoBandwidth
    fourth = pairs.fourth_derivative(1.24 * scale * n ** (-1 / 7))
    ratio = fourth / third
    if not math.isfinite(ratio) or ratio < 0:
        raise NoBandwidth
    alpha = 1.357 * ratio ** (1 / 7)
    constant = 1 / (2 * math.sqrt(math.pi) * n)

    def excess(h: float) -> float:
        second = pairs.fourth_derivative(alpha * h ** (5 / 7))
        return _fifth_root(constant / second) - h

    high = 1.144 * scale * n ** (-1 / 5)
    low, high = _around_root(excess, 0.1 * high, high)
    return root_between(excess, low, high, tolerance=0.1 * low)


def _fifth_root(x: float) -> float:
    return math.pow(x, 1 / 5) if x >= 0 else math.nan


def _around_root(
    function: Callable[[float], float], low: float, high: float
) -> tuple[float, float]:
    """Bounds moved outwards, by turns, until the function changes its sign between them."""
    for attempt in range(1, MOST_TRIES + 2):
        product = function(low) * function(high)
        if math.isnan(product) or attempt > MOST_TRIES:
            raise NoBandwidth
        if product <= 0:
            break
        if attempt % 2:
            high *= 1.2
        else:
            low /= 1.2
    return low, high


def standard_deviation(values: Floats) -> float:
    """R's ``sd``, whose sums are in extended precision; only the mean is a double."""
    wide = values.astype(np.longdouble)
    rough = _total(wide) / len(wide)
    mean = float(rough + _total(wide - rough) / len(wide))
    apart = wide - mean
    return math.sqrt(float(_total(apart * apart) / (len(wide) - 1)))


def _total(values: Any) -> Any:
    """The sum from first to last; NumPy's own order would round otherwise."""
    return np.add.accumulate(values)[-1]


def _quartile_range(values: Floats) -> float:
    ordered = np.sort(values)
    return _quantile(ordered, 0.75) - _quantile(ordered, 0.25)


def _quantile(ordered: Floats, share: float) -> float:
    """R's ``quantile``, with its own order of operations."""
    position = (len(ordered) - 1) * share
    below = math.floor(position)
    part = position - below
    low = float(ordered[below])
    if part == 0 or ordered[below + 1] == low:
        return low
    return (1 - part) * low + part * float(ordered[below + 1])


class _Pairs:
    """Numbers of pairs of values by their distance, in bins."""

    def __init__(self, values: Floats) -> None:
        self.n = len(values)
        if self.n > BINNED_FROM:
            self.width = float(values.max() - values.min()) * WIDER / BINS
            places = np.trunc(np.abs(values) / self.width) * np.sign(values)
            bins = (places - places.min()).astype(np.int64)
            counts = np.bincount(bins[bins < BINS], minlength=BINS).astype(np.float64)
            self.counts = _distances_of_bins(counts)
        else:
            self.width = float(values.max() - values.min()) * WIDER / BINS
            places = np.trunc(values / self.width).astype(np.int64)
            self.counts = _distances(places)

    def fourth_derivative(self, h: float) -> float:
        total = 0.0
        for squared, times in self._within(h):
            total += math.exp(-squared / 2) * (squared * squared - 6 * squared + 3) * times
        total = 2 * total + self.n * 3
        return total / (self.n * (self.n - 1.0) * math.pow(h, 5.0)) * ONE_BY_ROOT_2_PI

    def sixth_derivative(self, h: float) -> float:
        total = 0.0
        for squared, times in self._within(h):
            cubic = squared * squared * squared - 15 * squared * squared + 45 * squared - 15
            total += math.exp(-squared / 2) * cubic * times
        total = 2 * total - 15 * self.n
        return total / (self.n * (self.n - 1.0) * math.pow(h, 7.0)) * ONE_BY_ROOT_2_PI

    def _within(self, h: float) -> list[tuple[float, float]]:
        """Squared distances in units of h, and how many pairs have them."""
        scaled = np.arange(BINS) * self.width / h
        squared = scaled * scaled
        near = squared < FARTHEST
        return list(zip(squared[near].tolist(), self.counts[near].tolist(), strict=True))


def _distances(places: np.ndarray) -> Floats:
    counts = np.zeros(BINS)
    for number in range(1, len(places)):
        apart = np.abs(places[:number] - places[number])
        counts += np.bincount(apart, minlength=BINS)[:BINS]
    return counts


def _distances_of_bins(counts: Floats) -> Floats:
    apart = np.zeros(BINS)
    for number in np.flatnonzero(counts).tolist():
        weight = counts[number]
        apart[0] += weight * (weight - 1.0)
        apart[1 : number + 1] += weight * counts[:number][::-1]
    apart[0] *= 0.5
    return apart
