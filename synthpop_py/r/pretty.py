"""Round numbers that cover a range: R's ``pretty`` with its default settings, and ``seq``."""

from __future__ import annotations

import math
import sys

import numpy as np

from ..core.arrays import Floats

__all__ = ["even_steps", "round_numbers"]

BIAS, BIAS_TO_5 = 1.5, 2.75  # R's high.u.bias and u5.bias: how far larger units are preferred
SHRINK = 0.75  # R's shrink.sml, for ranges too short for doubles
TOLERANCE = 1e-10  # of a unit by which the range may pass a round number
NEAR_ZERO = 1e-14  # of a step; a break that is closer to zero is zero


def round_numbers(low: float, high: float, n: int) -> Floats:
    """About n steps of 1, 2 or 5 times a power of ten that cover the range; NaN where doubles
    cannot divide it.

    >>> round_numbers(0.3, 9.1, 4).tolist()
    [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
    """
    unit = _round_unit(low, high, n)
    first, last = _units_around(low, high, unit)
    steps = last - first
    # R's min.n
    fewest = n // 3
    if steps < fewest:
        first, last = _widened(first, last, fewest - steps, low, high)
        steps = fewest
    start = min(low, first * unit)
    end = max(high, last * unit)
    if steps == 0 or not math.isfinite(end - start):
        return np.array([math.nan])
    breaks = even_steps(start, end, steps)
    step = end / steps - start / steps
    # 0.3 - 3 * 0.1 is no zero in doubles, but a label should say 0
    breaks[np.abs(breaks) < NEAR_ZERO * step] = 0
    return breaks


def even_steps(low: float, high: float, n: int) -> Floats:
    """n + 1 equidistant numbers, the ends exactly as given.

    >>> even_steps(0, 1, 4).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    # a range beyond the largest double is divided at a quarter of its size
    scale = 1 if math.isfinite(high - low) else 4
    start, end = low / scale, high / scale
    step = (end - start) / n
    inner = start + np.arange(1, n) * step
    return np.concatenate([[start], inner, [end]]) * scale


def _units_around(low: float, high: float, unit: float) -> tuple[int, int]:
    """The last multiple of the unit that is not above the range, the first not below it."""
    slack = TOLERANCE * unit
    first = math.floor(low / unit + TOLERANCE)
    last = math.ceil(high / unit - TOLERANCE)
    while first * unit > low + slack:
        first -= 1
    while last * unit < high - slack:
        last += 1
    return first, last


def _round_unit(low: float, high: float, n: int) -> float:
    """Step of 1, 2, 5 or 10 times a power of ten that is closest to an n-th of the range, with R's
    bias to larger ones.
    """
    cell = _cell(low, high, n)
    power = 10.0 ** math.floor(math.log10(cell))
    unit = power
    for multiple, bias in ((2, BIAS), (5, BIAS_TO_5), (10, BIAS)):
        larger = multiple * power
        if not larger - cell < bias * (cell - unit):
            break
        unit = larger
    return unit


def _cell(low: float, high: float, n: int) -> float:
    """An n-th of the range, or of R's substitute for a range that doubles hardly resolve."""
    size = max(abs(low), abs(high))
    range_ = high - low
    # R's test for a range of a few rounding errors
    relative_limit = (1 + 1 / (1 + BIAS)) * max(1, n) * sys.float_info.epsilon * 3
    if range_ < size * relative_limit:
        damped = 9 + size / 10 if size > 10 else size
        cell = damped * SHRINK / max(1, n // 3)
    else:
        cell = range_ / n
    # what R 4.2 allows, so that neither the unit nor its multiples leave the doubles
    smallest = 2.0**-20 * sys.float_info.min
    largest = sys.float_info.max / 1.25
    return min(max(cell, smallest), largest)


def _widened(first: int, last: int, by: int, low: float, high: float) -> tuple[int, int]:
    """Add steps on both sides, but never beyond a zero that bounds the values."""
    if low == 0 and first == 0 and high != 0:
        return first, last + by
    if high == 0 and last == 0 and low != 0:
        return first - by, last
    half, rest = divmod(by, 2)
    if first >= 0:
        return first - half - rest, last + half
    return first - half, last + half + rest
