"""The risk in the limit of large blocks, where arrivals in a cell are Poisson with mean theta."""

from __future__ import annotations

import numpy as np

from ..core.arrays import Floats, Integers, Values
from .chances import Events, half_width, mean_reciprocal_poisson
from .totals import chance_of_total

TERMS_AT_ONCE = 2_000_000
LEAST = 0.5  # of a number of units whose reciprocal is a variance


def risk_in_the_limit(theta: Values, T: Values, a: Values) -> Floats:
    """IR_T(a) with Poisson(theta) arrivals.

    P(S = a) is a sum over j, the units of T that stay, of terms proportional to C(T, j) a (a - 1)
    ... (a - j + 1) ((T - theta) / theta^2)^j; B is one of the j with j / T. Terms rise to one peak
    and fall, so only those around it are added up, relative to the first of them: nothing is lost
    for large T or a, nor for tiny theta.
    """
    doubles = [np.asarray(values, dtype=float) for values in (theta, T, a)]
    theta, T, a = np.broadcast_arrays(*doubles)
    all_stay = np.where(a == T, 1 / T, np.nan)
    risk = np.where(theta == 0, all_stay, 0.0)
    moving = (theta > 0) & (theta < T)
    if moving.any():
        counts = a[moving]
        stayed = _stayed_in_the_limit(theta[moving], T[moving], counts)
        risk[moving] = stayed / counts
    return risk


def found_in_the_limit(theta: float, T: int, a: int) -> float:
    """P(S = a): binomial of those who stay, Poisson(theta) of those who come."""
    leave = theta / T
    stayers = Events(
        counts=np.array([T]),
        chances=np.array([1 - leave]),
        complements=np.array([leave]),
    )
    return chance_of_total(stayers, a, arrivals=theta)


def highest_risk_in_the_limit(theta: Floats, sizes: Integers) -> float:
    """The highest IR_T(a) over these sizes, `theta` of each, and all a."""
    # in the limit the risk falls with a; without movement only a = T occurs
    one_found = risk_in_the_limit(theta, sizes, np.ones(len(sizes)))
    by_size = np.where(theta > 0, one_found, 1 / sizes)
    return float(by_size.max())


def overall_in_the_limit(theta: Values, T: Values) -> Floats:
    """P(correct match | T) = P(B stayed) E[1 / S], by the generating functions of stayers and
    arrivals.
    """
    theta = np.asarray(theta, dtype=float)
    T = np.asarray(T, dtype=float)
    stay = 1 - theta / T
    return stay * mean_reciprocal_poisson(T - 1, stay, theta)


def _stayed_in_the_limit(theta: Floats, T: Floats, a: Floats) -> Floats:
    """P(B stayed | S = a), shape (q,), for 0 < theta < T; some questions at a time."""
    peak = _peak(theta, T, a)
    reach = half_width(_spread(peak, T, a))
    first = np.maximum(np.floor(peak - reach), 0)
    last = np.minimum(np.ceil(peak + reach), np.minimum(T, a))
    width = int((last - first).max()) + 1
    window = np.arange(width)
    at_once = max(1, TERMS_AT_ONCE // width)
    shares = []
    for start in range(0, len(theta), at_once):
        part = slice(start, start + at_once)
        j = first[part, None] + window
        shares.append(_share_that_stays(theta[part], T[part], a[part], j))
    return np.concatenate(shares)


def _peak(theta: Floats, T: Floats, a: Floats) -> Floats:
    """Where terms are largest, up to one: the j with (T - j) (a - j) (T - theta) / theta^2 = j.

    With rest = theta^2 / (T - theta) it is the smaller root of j^2 - (T + a + rest) j + T a = 0.
    """
    rest = theta * theta / (T - theta)
    discriminant = (T - a) ** 2 + 2 * (T + a) * rest + rest * rest
    return 2 * T * a / (T + a + rest + np.sqrt(discriminant))


def _spread(peak: Floats, T: Floats, a: Floats) -> Floats:
    """About the standard deviation of j: 1 / sqrt(1 / (T - j) + 1 / (a - j) + 1 / j) at the
    peak.
    """
    leaving = np.maximum(T - peak, LEAST)
    arriving = np.maximum(a - peak, LEAST)
    staying = np.maximum(peak, LEAST)
    return 1 / np.sqrt(1 / leaving + 1 / arriving + 1 / staying)


def _share_that_stays(theta: Floats, T: Floats, a: Floats, j: Floats) -> Floats:
    """E[j / T | S = a] over consecutive j, shape (q, width).

    A term is the one before it times (T - j) (a - j) / (j + 1) * (T - theta) / theta^2.
    """
    leaving = np.maximum(T[:, None] - j, 0.0)
    arriving = np.maximum(a[:, None] - j, 0.0)
    ratio = np.log(T - theta) - 2 * np.log(theta)
    with np.errstate(divide="ignore"):
        steps = np.log(leaving) + np.log(arriving) - np.log1p(j) + ratio[:, None]
    first_log = np.zeros((len(j), 1))
    further_logs = np.cumsum(steps[:, :-1], axis=1)
    logs = np.concatenate((first_log, further_logs), axis=1)
    terms = np.exp(logs - logs.max(axis=1, keepdims=True))
    stayed: Floats = (terms * j).sum(axis=1) / terms.sum(axis=1) / T
    return stayed
