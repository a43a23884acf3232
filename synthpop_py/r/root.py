"""Brent's search for a root (1973), with the steps that R's ``uniroot`` makes."""

from __future__ import annotations

import sys
from collections.abc import Callable

__all__ = ["root_between"]

EPSILON = sys.float_info.epsilon
MOST_STEPS = 1000


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
            step = _interpolated(a, b, c, at_a, at_b, at_c, before, half, least)
        if abs(step) < least:
            step = least if step > 0 else -least
        a, at_a = b, at_b
        b += step
        at_b = function(b)
        if (at_b > 0 and at_c > 0) or (at_b < 0 and at_c < 0):
            c, at_c = a, at_a
    return b


def _interpolated(
    a: float,
    b: float,
    c: float,
    at_a: float,
    at_b: float,
    at_c: float,
    before: float,
    half: float,
    least: float,
) -> float:
    """A step by a straight line or a parabola; half the interval where that would lead too far."""
    width = c - b
    if a == c:  # two points: a straight line
        ratio = at_b / at_a
        p = width * ratio
        q = 1.0 - ratio
    else:
        q = at_a / at_c
        r = at_b / at_c
        s = at_b / at_a
        p = s * (width * q * (q - r) - (b - a) * (r - 1.0))
        q = (q - 1.0) * (r - 1.0) * (s - 1.0)
    if p > 0:
        q = -q
    else:
        p = -p
    if p < 0.75 * width * q - abs(least * q) / 2 and p < abs(before * q / 2):
        return p / q
    return half
