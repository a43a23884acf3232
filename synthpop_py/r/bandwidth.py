"""The bandwidth of a kernel density that R's ``bw.SJ`` chooses (Sheather and Jones 1991, "solve the
equation"). R finds the root of the equation only roughly, to a tenth of the lower bound, so the
steps of its search are part of the result.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

import numpy as np

from ..core.arrays import Floats

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
    """R's ``bw.SJ(values)``."""
    n = len(values)
    if n < 2:
        raise NoBandwidth
    ordered = np.sort(values)
    quartile_range = _quantile(ordered, 0.75) - _quantile(ordered, 0.25)
    scale = min(standard_deviation(values), quartile_range / 1.349)
    if scale <= 0:
        raise NoBandwidth
    pairs = _Pairs(values)
    third = -pairs.derivative(6, 1.23 * scale * n ** (-1 / 9))
    if not math.isfinite(third) or third <= 0:
        raise NoBandwidth
    ratio = pairs.derivative(4, 1.24 * scale * n ** (-1 / 7)) / third
    if not math.isfinite(ratio) or ratio < 0:
        raise NoBandwidth
    alpha = 1.357 * ratio ** (1 / 7)
    constant = 1 / (2 * math.sqrt(math.pi) * n)

    def excess(h: float) -> float:
        fifth = constant / pairs.derivative(4, alpha * h ** (5 / 7))
        return (math.pow(fifth, 1 / 5) if fifth >= 0 else math.nan) - h

    high = 1.144 * scale * n ** (-1 / 5)
    low = 0.1 * high
    for attempt in range(MOST_TRIES):  # outwards, by turns, until the sign changes between them
        product = excess(low) * excess(high)
        if product <= 0:
            return root_between(excess, low, high, tolerance=0.1 * low)
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
        self.width = float(np.ptp(values)) * WIDER / BINS
        places = np.trunc(values / self.width).astype(np.int64)
        self.counts = np.zeros(BINS)
        if self.n <= BINNED_FROM:
            for number in range(1, self.n):
                apart = np.abs(places[:number] - places[number])
                self.counts += np.bincount(apart, minlength=BINS)[:BINS]
            return
        bins = places - places.min()
        times = np.bincount(bins[bins < BINS], minlength=BINS)
        for number in np.flatnonzero(times).tolist():
            weight = float(times[number])
            self.counts[0] += weight * (weight - 1.0)
            self.counts[1 : number + 1] += weight * times[:number][::-1]
        self.counts[0] *= 0.5

    def derivative(self, order: int, h: float) -> float:
        """The estimate of the fourth or the sixth derivative."""
        scaled = np.arange(BINS) * self.width / h
        squares = scaled * scaled  # of distances in units of h
        near = squares < FARTHEST
        total = 0.0
        for x, times in zip(squares[near].tolist(), self.counts[near].tolist(), strict=True):
            polynomial = x * x - 6 * x + 3
            if order == 6:
                polynomial = x * x * x - 15 * x * x + 45 * x - 15
            total += math.exp(-x / 2) * polynomial * times
        total = 2 * total + self.n * (3 if order == 4 else -15)
        pairs = self.n * (self.n - 1.0)
        return total / (pairs * math.pow(h, order + 1.0)) * ONE_BY_ROOT_2_PI


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
    for _ in range(MOST_STEPS + 1):
        if at_b == 0.0:
            return b
        before = b - a
        if abs(at_c) < abs(at_b):  # b is the best so far
            a, b, c = b, c, b
            at_a, at_b, at_c = at_b, at_c, at_b
        least = 2 * EPSILON * abs(b) + tolerance / 2
        width = c - b
        step = width / 2
        if abs(step) <= least or at_b == 0.0:
            return b
        if abs(before) >= least and abs(at_a) > abs(at_b):
            if a == c:  # two points: a straight line
                ratio = at_b / at_a
                p, q = width * ratio, 1.0 - ratio
            else:
                q, r, s = at_a / at_c, at_b / at_c, at_b / at_a
                p = s * (width * q * (q - r) - (b - a) * (r - 1.0))
                q = (q - 1.0) * (r - 1.0) * (s - 1.0)
            p, q = (p, -q) if p > 0 else (-p, q)
            inside = 0.75 * width * q - abs(least * q) / 2
            if p < inside and p < abs(before * q / 2):
                step = p / q
        if abs(step) < least:
            step = least if step > 0 else -least
        a, at_a = b, at_b
        b += step
        at_b = function(b)
        if (at_b > 0 and at_c > 0) or (at_b < 0 and at_c < 0):
            c, at_c = a, at_a
    return b
