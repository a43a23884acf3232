"""Numbers rounded to decimals as R 4 does it."""

from __future__ import annotations

import math

import numpy as np

from ..core.arrays import Floats

MOST_DIGITS = 15
LOG10_2 = 0.301029995663981195


def rounded(values: Floats, digits: int) -> Floats:
    """R's ``round(values, digits)``, for digits from 0 on: to the nearer of the two decimal numbers
    around, as doubles, and to the even one where both are equally near.

    >>> rounded(np.array([0.15, 2.5, -1.005]), 1).tolist()
    [0.1, 2.5, -1.0]
    """
    if digits == 0:
        return np.rint(values)
    sizes = np.abs(values)
    power = math.pow(10.0, digits)
    with np.errstate(invalid="ignore", over="ignore"):
        whole = np.floor(power * sizes)
        below, above = whole / power, np.ceil(power * sizes) / power
        down, up = sizes - below, above - sizes
        goes_down = (down < up) | ((down == up) & (whole % 2 == 0))
    nearest = np.copysign(np.where(goes_down, below, above), values)
    # a double has no more digits
    has_digits = digits + (np.frexp(sizes)[1] - 0.5) * LOG10_2 <= MOST_DIGITS
    stays = (sizes == 0) | ~np.isfinite(sizes) | ~has_digits
    return np.where(stays, values, nearest)
