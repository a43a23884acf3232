"""Smoothing of synthetic numbers in `syn()`, as R does it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from ..core.arrays import Floats, Integers
from ..r.bandwidth import bandwidth
from ..r.rounding import rounded
from ..r.spline import FEWEST, NotSmoothable, smooth
from ..r.text import double_text

Smoothing = Literal["density", "rmean", "spline"]

WINDOW = 5  # values that a running mean takes together
LARGE_SHARE = 0.7  # a value this frequent stays as it is
TOP_CODED = 10  # also the largest value, if it is this much more frequent than the next


class CannotSmooth(Exception):
    """R stops here: too few values, or all alike."""


def smoothed(
    how: Smoothing, values: Floats, observed: Floats, normals: Callable[[int], Floats]
) -> Floats:
    """Synthetic numbers smoothed by a kernel density, a running mean or a spline, rounded to the
    decimals of the observed ones; `normals` draws from the standard normal distribution.
    """
    if not len(values):
        raise CannotSmooth
    digits = max(map(_decimals, np.unique(observed).tolist()))
    if how == "density":
        return _by_density(values, observed, digits, normals)
    if how == "spline" and len(values) < FEWEST:
        raise CannotSmooth
    order = np.argsort(values, kind="stable")
    result = np.empty(len(values))
    try:
        way = smooth if how == "spline" else _running_mean
        result[order] = way(values[order])
    except NotSmoothable:
        raise CannotSmooth from None
    return rounded(result, digits)


def _decimals(value: float) -> int:
    """Decimals of a number as R writes it with 15 digits."""
    part = value - np.floor(value)
    if rounded(np.array([part]), 15)[0] % 1 == 0:
        return 0
    pieces = double_text(part).rstrip("0").split(".")
    if len(pieces) == 1:  # such as 1e-05, in which R looks for a point
        raise CannotSmooth
    return len(pieces[1])


def _running_mean(ordered: Floats) -> Floats:
    """The mean of each value and its neighbours, fewer of them at the ends."""
    reach = WINDOW // 2
    means = np.empty(len(ordered))
    for place in range(len(ordered)):
        first = max(0, place - reach)
        near = ordered[first : place + reach + 1].tolist()
        means[place] = sum(near) / len(near)
    return means


def _by_density(
    values: Floats, observed: Floats, digits: int, normals: Callable[[int], Floats]
) -> Floats:
    """Each value moved at random, by a normal distribution as wide as the kernel."""
    chosen, highest = _to_be_moved(values, observed)
    try:
        width = bandwidth(values[chosen])
    except ArithmeticError:  # `NoBandwidth`, or powers beyond what a number holds
        raise CannotSmooth from None
    moved = values[chosen] + width * normals(len(chosen))
    if highest is None:
        highest = float(observed.max()) + width
    result = values.copy()
    result[chosen] = rounded(np.clip(moved, observed.min(), highest), digits)
    return result


def _to_be_moved(values: Floats, observed: Floats) -> tuple[Integers, float | None]:
    """Which values are moved, and the highest they may reach where these look top-coded."""
    distinct, times = np.unique(values, return_counts=True)
    if len(distinct) < 2:
        raise CannotSmooth
    chosen = np.arange(len(values))
    frequent = int(np.argmax(times))
    if times[frequent] / len(values) > LARGE_SHARE:
        written = double_text(float(distinct[frequent]))
        chosen = np.flatnonzero(values != float(written))
    second, first = times[-2:].tolist()  # how often the largest two occur
    if TOP_CODED * second >= first - second:
        return chosen, None
    highest = float(observed.max())
    # R takes positions among all values for positions among the chosen ones
    at_top = np.flatnonzero(values == highest)
    if not len(at_top):
        raise CannotSmooth
    return np.delete(chosen, at_top[at_top < len(chosen)]), highest
