"""How likely a number of records is: P(S = a) of independent yes/no events and Poisson arrivals,
for a few events and for millions, in the middle and far out in the tails.

All odds are multiplied by one number, exp(s), so that the total asked for becomes the expected one;
a window around the mean then holds everything that matters. The effect on the chance is known and
undone:

    P(S = a) = P_s(S = a) exp(-s a) E[exp(s S)]
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..core.arrays import Floats
from .chances import Events, binomial_window, half_width

HALF = 0.5
EDGE = 1e-9  # beyond an interval that holds the answer, against rounding

Window = tuple[int, Floats]  # a number, and the chances of it and the following ones


def chance_of_total(events: Events, total: int, arrivals: float = 0.0) -> float:
    """P(`total` events happen); `arrivals` is the mean of further ones that are Poisson.

    Examples
    --------
    One event of 1/2 and two of 1/4. None happens with 1/2 · 3/4 · 3/4, one with 1/2 · 3/4 · 3/4 +
    1/2 · 2 · 1/4 · 3/4.

    >>> halves = Events(np.array([1, 2]), np.array([0.5, 0.25]), np.array([0.5, 0.75]))
    >>> [round(chance_of_total(halves, a), 9) for a in range(5)]
    [0.28125, 0.46875, 0.21875, 0.03125, 0.0]
    """
    rest = total - events.sure
    uncertain = _Uncertain.among(events, arrivals)
    if rest < 0 or rest > uncertain.most:
        return 0.0
    if rest == 0:
        return math.exp(uncertain.log_of_none)
    if rest == uncertain.most:
        return math.exp(uncertain.log_of_all)
    return uncertain.chance_of(rest)


@dataclass(frozen=True, slots=True)
class _Uncertain:
    """Groups of events that are neither sure nor impossible, and Poisson arrivals.

    Attributes
    ----------
    numbers : shape (g,), events in each group. chances, complements : shape (g,), see `Events`.
    arrivals : mean of the Poisson number.
    """

    numbers: Floats
    chances: Floats
    complements: Floats
    arrivals: float

    @classmethod
    def among(cls, events: Events, arrivals: float) -> _Uncertain:
        open_to_chance = (events.chances > 0) & (events.complements > 0) & (events.counts > 0)
        return cls(
            numbers=events.counts[open_to_chance].astype(float),
            chances=events.chances[open_to_chance],
            complements=events.complements[open_to_chance],
            arrivals=arrivals,
        )

    @property
    def most(self) -> float:
        """The highest total that can happen."""
        return math.inf if self.arrivals > 0 else float(self.numbers.sum())

    @property
    def log_of_none(self) -> float:
        of_events = (self.numbers * _precise_log(self.complements, self.chances)).sum()
        return float(of_events) - self.arrivals

    @property
    def log_of_all(self) -> float:
        return float((self.numbers * _precise_log(self.chances, self.complements)).sum())

    def chance_of(self, total: int) -> float:
        """P(total), for one above 0 and below `most`."""
        shift = self._shift_to(total)
        shifted = self._log_odds + shift
        windows = [
            binomial_window(int(number), log_odds)
            for number, log_odds in zip(self.numbers.tolist(), shifted.tolist())
        ]
        if self.arrivals > 0:
            windows.append(_poisson_window(self.arrivals * math.exp(shift)))
        log_factor = self._log_mean_of(shift) - shift * total
        return _chance_of_sum(windows, total) * math.exp(log_factor)

    @property
    def _log_odds(self) -> Floats:
        odds: Floats = np.log(self.chances) - np.log(self.complements)
        return odds

    def _shift_to(self, total: int) -> float:
        """s with which `total` is the expected number."""
        import scipy

        log_odds = self._log_odds

        def excess(shift: float) -> float:
            of_events = float((self.numbers * scipy.special.expit(log_odds + shift)).sum())
            of_arrivals = self.arrivals * math.exp(shift) if self.arrivals > 0 else 0.0
            return of_events + of_arrivals - total

        low, high = self._around_shift(total)
        return float(scipy.optimize.brentq(excess, low - EDGE, high + EDGE, xtol=1e-13))

    def _around_shift(self, total: int) -> tuple[float, float]:
        """Shifts with which fewer and more than `total` are expected."""
        import scipy

        log_odds = self._log_odds
        number = self.numbers.sum()
        if not self.arrivals:
            log_odds_of_mean = float(scipy.special.logit(total / number))
            return log_odds_of_mean - log_odds.max(), log_odds_of_mean - log_odds.min()
        enough_arrive = math.log(total) - math.log(self.arrivals)
        # half of them expected from the events at most, half from arrivals
        low = enough_arrive + math.log(HALF)
        if total < 2 * number:
            low = min(low, float(scipy.special.logit(HALF * total / number)) - log_odds.max())
        return low, enough_arrive

    def _log_mean_of(self, shift: float) -> float:
        """log E[exp(s S)], without loss where a chance is near 0 or near 1."""
        rare = np.log1p(np.minimum(self.chances, HALF) * np.expm1(shift))
        likely = shift + np.log1p(np.minimum(self.complements, HALF) * np.expm1(-shift))
        of_events = (self.numbers * np.where(self.chances <= HALF, rare, likely)).sum()
        return float(of_events + self.arrivals * np.expm1(shift))


def _precise_log(chances: Floats, complements: Floats) -> Floats:
    """log(chance), from the complement where the chance is near 1."""
    logs: Floats = np.where(complements < HALF, np.log1p(-complements), np.log(chances))
    return logs


def _chance_of_sum(windows: list[Window], total: int) -> float:
    """P(sum of independent numbers = total), of those inside their windows."""
    first, mass = 0, np.ones(1)
    *others, (last_start, last_mass) = windows
    for start, of_number in others:
        first += start
        mass = np.convolve(mass, of_number)
    # one value of the last convolution is enough
    needed = total - last_start - first - np.arange(len(last_mass))
    inside = (needed >= 0) & (needed < len(mass))
    return float(last_mass[inside] @ mass[needed[inside]])


def _poisson_window(mean: float) -> Window:
    """Where a window around the mean begins, and the Poisson probabilities in it: from the ratios
    of neighbours, then scaled to sum to one.
    """
    reach = half_width(math.sqrt(mean))
    first = max(0, math.floor(mean - reach))
    last = math.ceil(mean + reach)
    top = min(max(round(mean), first), last) - first
    x = np.arange(first, last, dtype=float)
    ratio = mean / (x + 1)
    up = np.cumprod(ratio[top:])
    down = np.cumprod(1 / ratio[:top][::-1])
    mass = np.concatenate((down[::-1], [1.0], up))
    return first, mass / mass.sum()
