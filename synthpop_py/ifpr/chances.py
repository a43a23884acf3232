"""Chances of sums of independent yes/no events: exact for a few events and for millions, in the
middle and far out in the tails.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ..core.arrays import Floats, Integers, Values

FAR = 600.0  # beyond this, log odds are as good as certain, and their exponentials would overflow
WIDE, ROOM = 10.0, 40.0  # what lies outside such a window is below 1e-20 of the centre
NODES = 200  # of the Gauss-Legendre rule on [0, 1]


def half_width(spread: Any) -> Any:
    """Of a window around a mean: some standard deviations, and some units more."""
    return WIDE * spread + ROOM


@dataclass(frozen=True, slots=True)
class Events:
    """Groups of independent events.

    Attributes
    ----------
    counts : int64, shape (g,), events in each group. chances : shape (g,), that one of them
        happens. complements : shape (g,), that it does not, which a chance near 1 would lose.
    """

    counts: Integers
    chances: Floats
    complements: Floats

    @property
    def sure(self) -> int:
        """Events that are certain to happen."""
        return int(self.counts[self.complements == 0].sum())

    @property
    def possible(self) -> int:
        """Events that may happen."""
        return int(self.counts[self.chances > 0].sum())


def chance_in(events: Events, group: int, total: int) -> float:
    """P(one given event of a group happened | `total` events happened); NaN when that many cannot
    happen.

    Given the total, the chance is the same when all odds are multiplied by one number. They are
    multiplied so that `total` is the expected number; then nothing underflows, however unlikely the
    total is.

    Examples
    --------
    One event of 1/2 and two of 1/4; one event in all. The first alone has odds 1, each of the
    others 1/3: 1 / (1 + 2/3).

    >>> halves = Events(np.array([1, 2]), np.array([0.5, 0.25]), np.array([0.5, 0.75]))
    >>> round(chance_in(halves, 0, 1), 12)
    0.6
    """
    if not events.sure <= total <= events.possible:
        return math.nan
    if events.chances[group] == 0:
        return 0.0
    if events.complements[group] == 0:
        return 1.0
    if total in (events.sure, events.possible):
        return float(total == events.possible)
    return _chance_among_uncertain(events, group, total - events.sure)


def _chance_among_uncertain(events: Events, group: int, total: int) -> float:
    """The same, `total` being that of the events that are neither sure nor impossible."""
    import scipy

    open_to_chance = (events.chances > 0) & (events.complements > 0) & (events.counts > 0)
    groups = np.flatnonzero(open_to_chance)
    numbers = events.counts[groups].astype(float)
    odds = np.log(events.chances[groups]) - np.log(events.complements[groups])
    tilted = _tilted(numbers, odds, total)
    at = int(np.flatnonzero(groups == group)[0])
    numbers[at] -= 1
    others = _BinomialSum(numbers, tilted)
    happened = float(scipy.special.expit(tilted[at])) * others.chance_of(total - 1)
    not_happened = float(scipy.special.expit(-tilted[at])) * others.chance_of(total)
    return happened / (happened + not_happened)


def _tilted(numbers: Floats, odds: Floats, total: int) -> Floats:
    """Logs of odds, all shifted by the same number so that `total` events are expected."""
    import scipy

    log_odds_of_mean = math.log(total) - math.log(numbers.sum() - total)
    low = log_odds_of_mean - odds.max()
    high = log_odds_of_mean - odds.min()

    def excess(shift: float) -> float:
        return float((numbers * scipy.special.expit(odds + shift)).sum()) - total

    shift = (low + high) / 2
    if high - low > 1e-12:
        shift = scipy.optimize.brentq(excess, low - 1e-9, high + 1e-9, xtol=1e-13)
    shifted: Floats = odds + shift
    return shifted


class _BinomialSum:
    """Probabilities of a sum of independent binomials, near its mean."""

    def __init__(self, numbers: Floats, odds: Floats) -> None:
        self.start = 0
        self.mass = np.ones(1)
        for n, log_odds in zip(numbers.tolist(), odds.tolist()):
            first, mass = binomial_window(int(n), log_odds)
            self.start += first
            self.mass = np.convolve(self.mass, mass)

    def chance_of(self, value: int) -> float:
        at = value - self.start
        if not 0 <= at < len(self.mass):
            return 0.0
        return float(self.mass[at])


def binomial_window(n: int, log_odds: float) -> tuple[int, Floats]:
    """Where a window around the mean begins, and the binomial probabilities in it: from the ratios
    of neighbours, then scaled to sum to one.
    """
    import scipy

    p = float(scipy.special.expit(log_odds))
    log_odds = min(max(log_odds, -FAR), FAR)
    mean = n * p
    spread = math.sqrt(n * p * float(scipy.special.expit(-log_odds)))
    reach = half_width(spread)
    first = max(0, math.floor(mean - reach))
    last = min(n, math.ceil(mean + reach))
    top = min(max(round(mean), first), last) - first
    x = np.arange(first, last, dtype=float)
    ratio = (n - x) / (x + 1) * math.exp(log_odds)
    up = np.cumprod(ratio[top:])
    down = np.cumprod(1 / ratio[:top][::-1])
    mass = np.concatenate((down[::-1], [1.0], up))
    return first, mass / mass.sum()


@cache
def _rule() -> tuple[Floats, Floats]:
    """1 - z and the weights of a rule for integrals over z in [0, 1]. No node is 0 or 1, so no
    logarithm of 0 occurs.
    """
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return (1 - nodes) / 2, weights / 2


def mean_reciprocal(
    companions: Integers, stay: Floats, counts: Integers, probabilities: Floats
) -> Floats:
    """E[1 / (1 + A + X)], A binomial (companions, stay), X a sum of independent binomials along the
    last axis of `counts` and `probabilities`.

    1 / (1 + s) is the integral of z^s over [0, 1], so the mean is the integral of the generating
    function of A + X.

    Examples
    --------
    A sum that is 0 or 1 with chance 1/2 each: (1 + 1/2) / 2.

    >>> float(mean_reciprocal(np.array(0), np.array(1.0), np.array([1]), np.array([0.5])).round(12))
    0.75
    """
    lacking, _ = _rule()
    logs = np.log1p(-probabilities[..., None] * lacking)
    log_arrivals = (counts[..., None] * logs).sum(axis=-2)
    return _integral(companions, stay, log_arrivals)


def mean_reciprocal_poisson(companions: Floats, stay: Floats, mean: Floats) -> Floats:
    """The same with X Poisson.

    Examples
    --------
    Without A it is (1 - exp(-mean)) / mean.

    >>> float(mean_reciprocal_poisson(np.array(0), np.array(1.0), np.array(1.0)).round(6))
    0.632121
    """
    lacking, _ = _rule()
    log_arrivals = -mean[..., None] * lacking
    return _integral(companions, stay, log_arrivals)


def _integral(companions: Values, stay: Floats, log_arrivals: Floats) -> Floats:
    """Of the generating function (1 - stay (1 - z))^companions exp(log_arrivals) over [0, 1]."""
    lacking, weights = _rule()
    log_stayers = companions[..., None] * np.log1p(-stay[..., None] * lacking)
    powers = np.exp(log_stayers + log_arrivals)
    integral: Floats = (powers * weights).sum(axis=-1)
    return integral


def binomial_start(n: Integers, p: Floats, last: int) -> Floats:
    """Binomial probabilities of 0 to `last`, shape (..., last + 1), for means that are not large; n
    and p broadcast.
    """
    n, p = np.broadcast_arrays(np.maximum(n, 0).astype(float), p)
    n_each = n[..., None]
    sure = p == 1
    q = np.where(sure, 0.5, p)  # any number below 1: certain events are filled in at the end
    log_complement = np.log1p(-q)
    x = np.arange(last, dtype=float)
    with np.errstate(divide="ignore"):
        log_odds = np.log(q) - log_complement
        steps = np.log(np.maximum(n_each - x, 0.0)) - np.log(x + 1) + log_odds[..., None]
    of_none = (n * log_complement)[..., None]
    logs = np.concatenate((of_none, steps), axis=-1)
    mass = np.exp(np.cumsum(logs, axis=-1))
    certain = np.arange(last + 1) == n_each
    chances: Floats = np.where(sure[..., None], certain.astype(float), mass)
    return chances


def convolve_start(first: Floats, second: Floats) -> Floats:
    """Probabilities of 0, 1, ... of a sum, as many as each part has; along the last axis."""
    shape = np.broadcast_shapes(first.shape, second.shape)
    of_sum: Floats = np.zeros(shape)
    for x in range(shape[-1]):
        ways = first[..., : x + 1] * second[..., x::-1]
        of_sum[..., x] = ways.sum(axis=-1)
    return of_sum
