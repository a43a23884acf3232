"""Numbers rounded to decimals as R 4 does it: to the nearer of the two decimal numbers around, as
doubles, and to the even one where both are equally near.
"""

from __future__ import annotations

import math

import numpy as np

from ..core.arrays import Floats

MOST_DIGITS = 15
LOG10_2 = 0.301029995663981195


def rounded(values: Floats, digits: int) -> Floats:
    """R's ``round(values, digits)``, for digits from 0 on.

    >>> rounded(np.array([0.15, 2.5, -1.005]), 1).tolist()
    [0.1, 2.5, -1.0]
    """
    if digits == 0:
        return np.rint(values)
    return np.array([_round(value, digits) for value in values.tolist()], dtype=np.float64)


def _round(x: float, digits: int) -> float:
    if x == 0 or not math.isfinite(x):
        return x
    size, power = abs(x), math.pow(10.0, digits)
    if digits + (math.frexp(size)[1] - 0.5) * LOG10_2 > MOST_DIGITS:
        return x  # a double has no more digits
    whole = math.floor(power * size)
    below, above = whole / power, math.ceil(power * size) / power
    is_below = size - below < above - size or (whole % 2 == 0 and size - below == above - size)
    return math.copysign(below if is_below else above, x)
