"""Chances of sums of independent yes/no events: exact for a few events and for millions, in the
middle and far out in the tails.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from ..core.arrays import Floats, Integers, Values

FAR = 600.0  # logs of odds beyond are as good as certain, and their exponentials would not fit
WIDE, ROOM = (
    10.0,
    40.0,
    # half width of a window: so many standard deviations and so many units more; what lies outside
    # is below 1e-20 of the centre
)
NODES = 200  # of the Gauss-Legendre rule on [0, 1]


def chance_in(
    counts: Integers, probabilities: Floats, complements: Floats, own: int, total: int
) -> float:
    """P(one given event of group `own` happened | `total` events happened); NaN when that many
    cannot happen.

    Group i has ``counts[i]`` independent events of probability ``probabilities[i]``; `complements`
    are those of their not happening, which a probability near 1 would lose. Given the total, the
    chance is the same when all odds are multiplied by one number. They are multiplied such that
    `total` is the expected number, so that nothing vanishes however unlikely the total was.

    Examples
    --------
    One event of 1/2 and two of 1/4; one event in all. The first alone has odds 1, each of the
    others 1/3: 1 / (1 + 2/3).

    >>> round(chance_in(np.array([1, 2]), np.array([0.5, 0.25]), np.array([0.5, 0.75]), 0, 1), 12)
    0.6
    """
    sure = int(counts[complements == 0].sum())
    possible = int(counts[probabilities > 0].sum())
    if not sure <= total <= possible:
        return math.nan
    if probabilities[own] == 0 or complements[own] == 0:
        return float(complements[own] == 0)
    if total in (sure, possible):
        return float(total == possible)
    open_groups = (probabilities > 0) & (complements > 0) & (counts > 0)
    number, odds = (
        counts[open_groups].astype(float),
        np.log(probabilities[open_groups]) - np.log(complements[open_groups]),
    )
    tilted = _tilted(number, odds, total - sure)
    at = int(np.flatnonzero(np.flatnonzero(open_groups) == own)[0])
    rest = _sum_of_binomials(np.where(np.arange(len(number)) == at, number - 1, number), tilted)
    with_it = float(expit(tilted[at])) * rest(total - sure - 1)
    return with_it / (with_it + float(expit(-tilted[at])) * rest(total - sure))


def _tilted(number: Floats, odds: Floats, total: int) -> Floats:
    """Logs of odds, all shifted by the same number so that `total` events are expected."""
    share = math.log(total) - math.log(number.sum() - total)
    low, high = share - odds.max(), share - odds.min()
    if high - low > 1e-12:
        shift = brentq(
            lambda t: float((number * expit(odds + t)).sum()) - total,
            low - 1e-9,
            high + 1e-9,
            xtol=1e-13,
        )
    else:
        shift = (low + high) / 2
    shifted: Floats = odds + shift
    return shifted


class _sum_of_binomials:
    """Probabilities of a sum of independent binomials, near its mean."""

    def __init__(self, number: Floats, odds: Floats) -> None:
        self.start, self.mass = 0, np.ones(1)
        for n, log_odds in zip(number.tolist(), odds.tolist()):
            first, mass = _binomial_window(int(n), log_odds)
            self.start, self.mass = self.start + first, np.convolve(self.mass, mass)

    def __call__(self, value: int) -> float:
        place = value - self.start
        return float(self.mass[place]) if 0 <= place < len(self.mass) else 0.0


def _binomial_window(n: int, log_odds: float) -> tuple[int, Floats]:
    """Binomial probabilities around the mean: from the ratios of neighbours, then scaled to sum to
    one.
    """
    p, log_odds = float(expit(log_odds)), min(max(log_odds, -FAR), FAR)
    mean, spread = n * p, math.sqrt(n * p * float(expit(-log_odds)))
    reach = WIDE * spread + ROOM
    first, last = max(0, math.floor(mean - reach)), min(n, math.ceil(mean + reach))
    top = min(max(round(mean), first), last)
    x = np.arange(first, last + 1, dtype=float)
    ratio = (n - x[:-1]) / (x[:-1] + 1) * math.exp(log_odds)
    up = np.cumprod(ratio[top - first :])
    down = np.cumprod(1 / ratio[: top - first][::-1])[::-1]
    mass = np.concatenate((down, [1.0], up))
    return first, mass / mass.sum()


@cache
def _rule() -> tuple[Floats, Floats]:
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return (1 - nodes) / 2, weights / 2


def mean_reciprocal(own: Integers, stay: Floats, counts: Integers, probabilities: Floats) -> Floats:
    """E[1 / (1 + A + X)], A binomial (own, stay), X a sum of independent binomials along the last
    axis of `counts` and `probabilities`.

    1 / (1 + s) is the integral of z^s over [0, 1], so the mean is the integral of the generating
    function of A + X.

    Examples
    --------
    A sum that is 0 or 1 with chance 1/2 each: (1 + 1/2) / 2.

    >>> float(mean_reciprocal(np.array(0), np.array(1.0), np.array([1]), np.array([0.5])).round(12))
    0.75
    """
    lacking, _ = _rule()
    return _integral(
        own, stay, (counts[..., None] * np.log1p(-probabilities[..., None] * lacking)).sum(axis=-2)
    )


def mean_reciprocal_poisson(own: Floats, stay: Floats, mean: Floats) -> Floats:
    """The same with X Poisson.

    Examples
    --------
    Without A it is (1 - exp(-mean)) / mean.

    >>> float(mean_reciprocal_poisson(np.array(0), np.array(1.0), np.array(1.0)).round(6))
    0.632121
    """
    lacking, _ = _rule()
    return _integral(own, stay, -mean[..., None] * lacking)


def _integral(own: Values, stay: Floats, log_arrivals: Floats) -> Floats:
    lacking, weights = _rule()  # 1 - z; no node is 0 or 1, so no logarithm of 0 occurs
    powers = np.exp(own[..., None] * np.log1p(-stay[..., None] * lacking) + log_arrivals)
    integral: Floats = (powers * weights).sum(axis=-1)
    return integral


def binomial_start(n: Integers, p: Floats, last: int) -> Floats:
    """Binomial probabilities of 0 to `last`, shape (..., last + 1), for means that are not large; n
    and p broadcast.
    """
    n, p = np.broadcast_arrays(np.maximum(n, 0).astype(float), p)
    sure = p == 1
    q = np.where(sure, 0.5, p)
    x = np.arange(last, dtype=float)
    with np.errstate(divide="ignore"):
        steps = (
            np.log(np.maximum(n[..., None] - x, 0.0))
            - np.log(x + 1)
            + (np.log(q) - np.log1p(-q))[..., None]
        )
    logs = np.concatenate(((n * np.log1p(-q))[..., None], steps), axis=-1)
    mass = np.exp(np.cumsum(logs, axis=-1))
    certain: Floats = (np.arange(last + 1) == n[..., None]).astype(float)
    chances: Floats = np.where(sure[..., None], certain, mass)
    return chances


def convolve_start(first: Floats, second: Floats) -> Floats:
    """Probabilities of 0, 1, ... of a sum, as many as each part has; along the last axis."""
    out: Floats = np.zeros(np.broadcast_shapes(first.shape, second.shape))
    for x in range(out.shape[-1]):
        out[..., x] = (first[..., : x + 1] * second[..., x::-1]).sum(axis=-1)
    return out
