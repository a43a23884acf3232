"""Brent's search for a minimum (1973), with the steps that R's ``smooth.spline`` makes.

R stops early, so its steps are part of its result: none may be left out or made in another order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

GOLDEN = 0.381966011250105151795
TOLERANCE, EPSILON = 1e-4, 2e-8


@dataclass(frozen=True, slots=True)
class Point:
    """A position and the value of the function there."""

    at: float
    value: float


@dataclass(slots=True)
class Search:
    """The state of a search.

    Attributes
    ----------
    low, high : the minimum is between them.
    best, second, third : the points with the lowest values so far.
    step, before : the last step, and the one before it.

    Examples
    --------
    >>> search = Search(0.0, 3.0, Point(1.2, 0.04))
    >>> while not search.is_over():
    ...     at = search.propose()
    ...     search.learn(Point(at, (at - 1) ** 2))
    >>> round(search.best.at, 4)
    1.0
    """

    low: float
    high: float
    best: Point
    second: Point = field(init=False)
    third: Point = field(init=False)
    step: float = 0.0
    before: float = 0.0

    def __post_init__(self) -> None:
        self.second = self.third = self.best

    @staticmethod
    def start(low: float, high: float) -> float:
        """Where a search between two ends begins."""
        return low + GOLDEN * (high - low)

    @property
    def middle(self) -> float:
        return (self.low + self.high) * 0.5

    @property
    def shortest(self) -> float:
        """The shortest step worth making."""
        return EPSILON * abs(self.best.at) + TOLERANCE / 3.0

    def is_over(self) -> bool:
        """Whether the minimum is known as closely as asked."""
        from_middle = abs(self.best.at - self.middle)
        half_range = (self.high - self.low) * 0.5
        return from_middle <= 2.0 * self.shortest - half_range

    def propose(self) -> float:
        """The position to try next: where a parabola through the three points has its minimum, or a
        golden section of the longer side where that cannot be trusted.
        """
        best, shortest = self.best.at, self.shortest
        parabola = self._to_vertex()
        if parabola is None:
            far_end = self.low if best >= self.middle else self.high
            self.before = far_end - best
            self.step = GOLDEN * self.before
        else:
            self.step = parabola
            if self._is_close_to_an_end(best + parabola):
                self.step = math.copysign(shortest, self.middle - best)
        # the function is never asked twice at what is almost the same position
        if abs(self.step) >= shortest:
            return best + self.step
        return best + math.copysign(shortest, self.step)

    def _is_close_to_an_end(self, position: float) -> bool:
        margin = 2.0 * self.shortest
        return position - self.low < margin or self.high - position < margin

    def _to_vertex(self) -> float | None:
        """The step to the vertex of the parabola, p / q; None where it is not to be trusted."""
        # R's parabola needs three finite values; the first criterion can be infinite
        values = (self.best.value, self.second.value, self.third.value)
        if not abs(self.before) > self.shortest or not all(map(math.isfinite, values)):
            return None
        from_second = self.best.at - self.second.at
        from_third = self.best.at - self.third.at
        r = from_second * (self.best.value - self.third.value)
        q = from_third * (self.best.value - self.second.value)
        p = from_third * q - from_second * r
        q = (q - r) * 2.0
        if q > 0.0:
            p = -p
        q = abs(q)
        last, self.before = self.before, self.step
        # shorter than half the step before the last, and inside the range
        is_short = abs(p) < abs(0.5 * q * last)
        is_inside = q * (self.low - self.best.at) < p < q * (self.high - self.best.at)
        if is_short and q != 0.0 and is_inside:
            return p / q
        return None

    def learn(self, new: Point) -> None:
        """Take in a point that was tried."""
        best = self.best
        if new.value <= best.value:
            if new.at >= best.at:
                self.low = best.at
            else:
                self.high = best.at
            self.best, self.second, self.third = new, best, self.second
            return
        if new.at < best.at:
            self.low = new.at
        else:
            self.high = new.at
        if new.value <= self.second.value or self.second.at == best.at:
            self.second, self.third = new, self.second
        elif new.value <= self.third.value or self.third.at in (best.at, self.second.at):
            self.third = new
