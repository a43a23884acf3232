"""Round numbers that cover a range: R's ``pretty`` with its default settings, and ``seq``."""

from __future__ import annotations

import math
import sys

import numpy as np

from ..core.arrays import Floats

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
    margin = TOLERANCE * unit
    first = math.floor(low / unit + TOLERANCE)
    last = math.ceil(high / unit - TOLERANCE)
    while first * unit > low + margin:
        first -= 1
    while last * unit < high - margin:
        last += 1
    lacking = n // 3 - (last - first)  # R's min.n
    if lacking > 0:
        # on both sides, but never beyond a zero that bounds the values
        below = lacking // 2
        if first >= 0:
            below = lacking - below
        if low == first == 0 and high != 0:
            below = 0
        elif high == last == 0 and low != 0:
            below = lacking
        first -= below
        last += lacking - below
    start, end = min(low, first * unit), max(high, last * unit)
    steps = last - first
    if steps == 0 or not math.isfinite(end - start):
        return np.array([math.nan])
    breaks = even_steps(start, end, steps)
    step = end / steps - start / steps
    # 0.3 - 3 * 0.1 is no zero in doubles, but a label should say 0
    is_zero = np.abs(breaks) < NEAR_ZERO * step
    breaks[is_zero] = 0
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


def _round_unit(low: float, high: float, n: int) -> float:
    """Step of 1, 2, 5 or 10 times a power of ten that is closest to an n-th of the range, with R's
    bias to larger ones.
    """
    size = max(abs(low), abs(high))
    cell = (high - low) / n
    # R's test for a range of a few rounding errors, which doubles hardly resolve
    hardly = (1 + 1 / (1 + BIAS)) * n * sys.float_info.epsilon * 3
    if high - low < size * hardly:
        damped = 9 + size / 10 if size > 10 else size
        cell = damped * SHRINK / max(1, n // 3)
    # what R 4.2 allows, so that neither the unit nor its multiples leave the doubles
    least, most = 2.0**-20 * sys.float_info.min, sys.float_info.max / 1.25
    cell = min(max(cell, least), most)
    exponent = math.floor(math.log10(cell))
    power = unit = 10.0**exponent
    for multiple, bias in ((2, BIAS), (5, BIAS_TO_5), (10, BIAS)):
        larger = multiple * power
        if larger - cell >= bias * (cell - unit):
            break
        unit = larger
    return unit
