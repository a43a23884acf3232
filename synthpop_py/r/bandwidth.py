"""The bandwidth of a kernel density that R's ``bw.SJ`` chooses (Sheather and Jones 1991, "solve the
equation").

R finds the root of the equation only roughly, to a tenth of the lower bound, so the steps of its
search are part of the result.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

import numpy as np

from ..core.arrays import Floats, Integers

__all__ = ["NoBandwidth", "bandwidth", "standard_deviation"]

BINS = 1000
BINNED_FROM = 500  # more values are put into bins before pairs are counted
WIDER = 1.01  # the bins reach a little beyond the range
FARTHEST = 1000.0  # squared distances from here on add nothing
MOST_TRIES = 99
MOST_STEPS = 1000
EPSILON = sys.float_info.epsilon
# wider than doubles, as the numbers in which R adds up
EXTENDED = np.finfo(np.longdouble).nmant > 52
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
    ordered = np.sort(values)
    quartile_range = _quantile(ordered, 0.75) - _quantile(ordered, 0.25)
    scale = min(standard_deviation(values), quartile_range / 1.349)
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
        fifth = constant / second
        return (math.pow(fifth, 1 / 5) if fifth >= 0 else math.nan) - h

    high = 1.144 * scale * n ** (-1 / 5)
    low, high = _around_root(excess, 0.1 * high, high)
    return root_between(excess, low, high, tolerance=0.1 * low)


def _around_root(
    function: Callable[[float], float], low: float, high: float
) -> tuple[float, float]:
    """Bounds moved outwards, by turns, until the function changes its sign between them."""
    for attempt in range(MOST_TRIES):
        product = function(low) * function(high)
        if product <= 0:
            return low, high
        if math.isnan(product):
            break
        if attempt % 2:
            low /= 1.2
        else:
            high *= 1.2
    raise NoBandwidth


def standard_deviation(values: Floats) -> float:
    """R's ``sd``, whose sums are in extended precision; only the mean is a double."""
    total = np.add.accumulate  # from first to last; NumPy's own sum would round otherwise
    wide = values.astype(np.longdouble)
    rough = total(wide)[-1] / len(wide)
    mean = float(rough + total(wide - rough)[-1] / len(wide))
    apart = wide - mean
    return math.sqrt(float(total(apart * apart)[-1] / (len(wide) - 1)))


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
        self.width = float(values.max() - values.min()) * WIDER / BINS
        places = np.trunc(values / self.width).astype(np.int64)
        if self.n > BINNED_FROM:
            bins = places - places.min()
            self.counts = _distances_of_bins(np.bincount(bins[bins < BINS], minlength=BINS))
        else:
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


def _distances(places: Integers) -> Floats:
    counts = np.zeros(BINS)
    for number in range(1, len(places)):
        apart = np.abs(places[:number] - places[number])
        counts += np.bincount(apart, minlength=BINS)[:BINS]
    return counts


def _distances_of_bins(counts: Integers) -> Floats:
    apart = np.zeros(BINS)
    for number in np.flatnonzero(counts).tolist():
        weight = float(counts[number])
        apart[0] += weight * (weight - 1.0)
        apart[1 : number + 1] += weight * counts[:number][::-1]
    apart[0] *= 0.5
    return apart


# ---- Brent's search for a root (1973), with the steps that R's uniroot() makes -------------------


def root_between(
    function: Callable[[float], float], low: float, high: float, tolerance: float
) -> float:
    """Where the function is zero, known to about `tolerance`; its signs at the two ends differ.

    >>> round(root_between(lambda x: x * x - 2, 0.0, 2.0, 1e-10), 9)
    1.414213562
    """
    a, b = low, high
    at_a, at_b = function(a), function(b)
    c, at_c = a, at_a  # the end opposite to b
    if at_a == 0.0:
        return a
    if at_b == 0.0:
        return b
    for _ in range(MOST_STEPS + 1):
        before = b - a
        if abs(at_c) < abs(at_b):  # b is the best so far
            a, b, c = b, c, b
            at_a, at_b, at_c = at_b, at_c, at_b
        least = 2 * EPSILON * abs(b) + tolerance / 2
        half = (c - b) / 2
        if abs(half) <= least or at_b == 0.0:
            return b
        step = half
        if abs(before) >= least and abs(at_a) > abs(at_b):
            p, q = _interpolated(a, b, c, at_a, at_b, at_c)
            if p < 0.75 * (c - b) * q - abs(least * q) / 2 and p < abs(before * q / 2):
                step = p / q
        if abs(step) < least:
            step = least if step > 0 else -least
        a, at_a = b, at_b
        b += step
        at_b = function(b)
        if (at_b > 0 and at_c > 0) or (at_b < 0 and at_c < 0):
            c, at_c = a, at_a
    return b


def _interpolated(
    a: float, b: float, c: float, at_a: float, at_b: float, at_c: float
) -> tuple[float, float]:
    """A step from b by a straight line or a parabola, as a ratio; p is not negative."""
    width = c - b
    if a == c:  # two points: a straight line
        ratio = at_b / at_a
        p, q = width * ratio, 1.0 - ratio
    else:
        q, r, s = at_a / at_c, at_b / at_c, at_b / at_a
        p = s * (width * q * (q - r) - (b - a) * (r - 1.0))
        q = (q - 1.0) * (r - 1.0) * (s - 1.0)
    return (p, -q) if p > 0 else (-p, q)
