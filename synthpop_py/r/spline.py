"""Smoothing of equally spaced values by a cubic spline, as R's ``smooth.spline(y)`` does with its
default settings.

The spline is a combination of cubic B-splines that minimises  sum (y - f)^2 + lambda * integral
f''^2  over the positions 1 to n, scaled to [0, 1]. Up to 49 values have a knot at each position,
more have fewer. lambda = ratio * 256^(3 spar - 1), and spar in [-1.5, 1.5] minimises the
generalised cross-validation criterion (Craven and Wahba 1979; Green and Silverman 1994, section
3.2). The search stops when spar is known to about 1e-4, and another search for the same minimum
would give visibly different values. So the steps of the search (Brent 1973) and three habits of R
are part of the result; they are marked where they occur. The equations are solved in `banded`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Integers
from .banded import factor, inverse_bands, solve

FEWEST = 4
LOWEST, HIGHEST, MOST_STEPS = -1.5, 1.5, 500
GOLDEN = 0.381966011250105151795
TOLERANCE, EPSILON = 1e-4, 2e-8
THIRD = 0.333  # R takes 0.3330 for the integral of x^2 over [0, 1]
INSIDE = 1e-11  # R takes the leverage of the last position this far inside
UNUSABLE = 2e100  # the criterion where it is not finite, to make the search turn away

# Between these numbers of positions, R lets the logarithm of the number of knots grow evenly.
KNOTS_FROM, KNOTS_TO = 50, 3200
KNOT_RANGES = (
    # from n, to n, knots at the first, knots at the last
    (50, 200, 50, 100),
    (200, 800, 100, 140),
    (800, 3200, 140, 200),
)


class NotSmoothable(ArithmeticError):
    """The equations of the spline cannot be solved."""


def knot_count(n: int) -> int:
    """How many knots R gives to n positions: all below 50, then ever fewer of them, about 200 for
    thousands.

    >>> [knot_count(n) for n in (49, 125, 500, 10_000)]
    [49, 70, 118, 205]
    """
    if n < KNOTS_FROM:
        return n
    if n >= KNOTS_TO:
        return int(200 + (n - KNOTS_TO) ** 0.2)
    start, end, fewest, most = next(row for row in KNOT_RANGES if n < row[1])
    low, high = math.log2(fewest), math.log2(most)
    exponent = low + (high - low) * (n - start) / (end - start)
    return int(2**exponent)


def smooth(y: Floats) -> Floats:
    """The smoothed values at positions 1 to n, shape (n,), n at least `FEWEST`.

    Examples
    --------
    A straight line is as smooth as can be.

    >>> import numpy as np
    >>> smooth(np.array([1.0, 2.0, 3.0, 4.0, 5.0])).round(6).tolist()
    [1.0, 2.0, 3.0, 4.0, 5.0]
    """
    y = np.asarray(y, dtype=np.float64)
    largest = float(np.abs(y).max())
    # sums of squares would overflow, and the criterion say nothing
    if not math.isfinite(largest * largest * len(y)):
        raise NotSmoothable(
            f"the squares of values as large as {largest:.3g} are beyond what doubles hold"
        )
    problem = _pose(y)
    spar, fit = _search(problem)
    if fit is not None:
        return fit
    # R stops where spar was small, and where it was large takes the mean, with a warning
    if spar < 0.5:
        raise NotSmoothable("the values cannot be smoothed any further")
    return np.full(len(y), y.mean())


class _Point(NamedTuple):
    """A spar, and the criterion there."""

    at: float
    value: float


def _search(problem: _Problem) -> tuple[float, Floats | None]:
    """The best spar, and the fit of the last one tried, which is what R returns. None instead of a
    fit when R's equations break down.
    """
    low, high = LOWEST, HIGHEST  # the minimum is between them
    start = low + GOLDEN * (high - low)
    tried = _fit(problem, start)
    if tried is None:
        return start, None
    fit, criterion = tried
    best = second = third = _Point(start, criterion)  # the lowest so far
    step = before = 0.0  # the last step, and the one before it
    for _ in range(MOST_STEPS):
        middle = (low + high) * 0.5
        shortest = EPSILON * abs(best.at) + TOLERANCE / 3.0
        if abs(best.at - middle) <= 2.0 * shortest - (high - low) * 0.5:
            break
        parabola = None
        # R's parabola needs three finite values; the first criterion can be infinite
        finite = all(map(math.isfinite, (best.value, second.value, third.value)))
        if abs(before) > shortest and finite:
            parabola = _to_vertex(best, second, third, low, high, before)
            before = step
        if parabola is None:  # a golden section of the longer side
            before = (low if best.at >= middle else high) - best.at
            step = GOLDEN * before
        else:
            step = parabola
            vertex = best.at + parabola
            if vertex - low < 2.0 * shortest or high - vertex < 2.0 * shortest:
                step = math.copysign(shortest, middle - best.at)
        # the criterion is never asked twice for what is almost the same spar
        spar = best.at + (step if abs(step) >= shortest else math.copysign(shortest, step))
        tried = _fit(problem, spar)
        if tried is None:
            return best.at, None
        fit, criterion = tried
        new = _Point(spar, criterion if math.isfinite(criterion) else UNUSABLE)
        inner, outer = (best, new) if new.value <= best.value else (new, best)
        if outer.at >= inner.at:
            low = inner.at
        else:
            high = inner.at
        if new.value <= best.value:
            best, second, third = new, best, second
        elif new.value <= second.value or second.at == best.at:
            second, third = new, second
        elif new.value <= third.value or third.at in (best.at, second.at):
            third = new
    return best.at, fit


def _to_vertex(
    best: _Point, second: _Point, third: _Point, low: float, high: float, last: float
) -> float | None:
    """The step to the vertex of the parabola through three points, p / q; None where it is not to
    be trusted: not shorter than half the step before the last, or leading outside.
    """
    from_second, from_third = best.at - second.at, best.at - third.at
    r = from_second * (best.value - third.value)
    q = from_third * (best.value - second.value)
    p = from_third * q - from_second * r
    q = (q - r) * 2.0
    if q > 0.0:
        p = -p
    q = abs(q)
    is_inside = q * (low - best.at) < p < q * (high - best.at)
    return p / q if abs(p) < abs(0.5 * q * last) and q != 0.0 and is_inside else None


@dataclass(frozen=True, slots=True)
class _Problem:
    """All that does not depend on lambda. p is the number of B-splines; bands hold the diagonal and
    three above it.

    Attributes
    ----------
    y : the values, shape (n,). x : their positions, scaled to [0, 1], shape (n,).
    knots : shape (p + 4,).
    left : of each position the last knot that is not above it, shape (n,).
    first, basis : of each position the number of its first B-spline and the values of four, shapes
        (n,) and (n, 4).
    lever_basis : the same values where R takes leverages.
    xty : shape (p,). gram, penalty : X'X and the integrals of products of second derivatives, shape
        (4, p), [d, j] is the entry (j, j + d).
    """

    y: Floats
    x: Floats
    knots: Floats
    left: Integers
    first: Integers
    basis: Floats
    lever_basis: Floats
    xty: Floats
    gram: Floats
    penalty: Floats

    @property
    def ratio(self) -> float:
        """Trace of X'X over that of the penalty, without two B-splines at the start and three at
        the end: R's indices 3:(nk - 3), which count from 1.
        """
        return _total(self.gram[0, 2:-3]) / _total(self.penalty[0, 2:-3])


def _pose(y: Floats) -> _Problem:
    n = len(y)
    x = np.arange(n, dtype=np.float64) / (n - 1)
    inner_knots = _chosen(x)
    knots = np.concatenate((np.repeat(x[0], 3), inner_knots, np.repeat(x[-1], 3)))
    p = len(inner_knots) + 2
    last_knots = np.searchsorted(knots, x, side="right") - 1
    left = np.clip(last_knots, 3, p - 1)
    first = left - 3
    basis = _cubic(knots, x, left)
    lever_basis = basis.copy()
    lever_basis[-1:] = _cubic(knots, x[-1:] - INSIDE, left[-1:])
    xty = np.zeros(p)
    np.add.at(xty, _consecutive(first, 4), y[:, None] * basis)
    return _Problem(
        y=y,
        x=x,
        knots=knots,
        left=left,
        first=first,
        basis=basis,
        lever_basis=lever_basis,
        xty=xty,
        gram=_gram(first, basis, p),
        penalty=_penalty(knots, p),
    )


def _chosen(x: Floats) -> Floats:
    """The positions that are knots, the first and the last among them."""
    n = len(x)
    count = knot_count(n)
    if count == n:
        return x
    spacing = (n - 1) / (count - 1)
    positions = 1.0 + np.arange(count) * spacing
    chosen = x[positions.astype(np.int64) - 1]
    chosen[-1] = x[-1]
    return chosen


def _gram(first: Integers, basis: Floats, p: int) -> Floats:
    """X'X in bands, shape (4, p)."""
    bands = np.zeros((4, p))
    for d in range(4):
        products = basis[:, : 4 - d] * basis[:, d:]
        np.add.at(bands[d], _consecutive(first, 4 - d), products)
    return bands


def _consecutive(first: Integers, count: int) -> Integers:
    """Numbers of B-splines in the order of positions, as R adds up; shape (len(first), count)."""
    return first[:, None] + np.arange(count)


def _total(values: Floats) -> float:
    """The sum from first to last; NumPy's own order would round otherwise."""
    return float(np.cumsum(values)[-1])


def _cubic(knots: Floats, x: Floats, left: Integers, degree: int = 3) -> Floats:
    """Values at x of the degree + 1 B-splines that are not zero between knots `left` and left + 1
    (de Boor's recurrence), shape (len(x), degree + 1).
    """
    values = np.zeros((len(x), degree + 1))
    values[:, 0] = 1.0
    above = [knots[left + j + 1] - x for j in range(degree)]
    below = [x - knots[left - j] for j in range(degree)]
    for j in range(degree):
        carried = np.zeros(len(x))
        for i in range(j + 1):
            width = above[i] + below[j - i]
            term = values[:, i] / width
            values[:, i] = carried + above[i] * term
            carried = below[j - i] * term
        values[:, j + 1] = carried
    return values


def _penalty(knots: Floats, p: int) -> Floats:
    """Integrals of products of second derivatives, which are straight between knots."""
    left = np.arange(3, p)
    start = _second_derivatives(knots, knots[left], left)
    end = _second_derivatives(knots, knots[left + 1], left)
    rise = end - start
    width = (knots[left + 1] - knots[left])[:, None]
    bands = np.zeros((4, p))
    for d in range(4):
        a, rise_a = start[:, : 4 - d], rise[:, : 4 - d]
        b, rise_b = start[:, d:], rise[:, d:]
        linear = (rise_a * b + rise_b * a) * 0.5
        quadratic = rise_a * rise_b * THIRD
        integrals = width * (a * b + linear + quadratic)
        np.add.at(bands[d], _consecutive(left - 3, 4 - d), integrals)
    return bands


def _second_derivatives(knots: Floats, x: Floats, left: Integers) -> Floats:
    """Second derivatives at x of the four cubic B-splines, shape (len(x), 4): two rounds of
    differences of linear ones.
    """
    linear = _cubic(knots, x, left, degree=1)
    slopes = np.zeros((len(x), 4))
    for i in range(4):  # the B-spline number left - 3 + i
        coefficients = np.zeros((len(x), 4))
        coefficients[:, i] = 1.0
        for degree in (3, 2):
            coefficients = _one_degree_less(coefficients, knots, left, degree)
        slopes[:, i] = coefficients[:, 2] * linear[:, 0] + coefficients[:, 3] * linear[:, 1]
    return slopes


def _one_degree_less(coefficients: Floats, knots: Floats, left: Integers, degree: int) -> Floats:
    """The derivative of a spline, as coefficients of B-splines of one degree less."""
    lower = np.zeros_like(coefficients)
    for j in range(4 - degree, 4):
        knot = left - 3 + j
        width = knots[knot + degree] - knots[knot]
        difference = coefficients[:, j] - coefficients[:, j - 1]
        lower[:, j] = difference * (degree / width)
    return lower


def _fit(problem: _Problem, spar: float) -> tuple[Floats, float] | None:
    """Fitted values and the criterion for one value of spar; None where the equations have no
    solution.
    """
    # 256^(3 spar - 1), in the form in which R computes it
    weight = problem.ratio * 16.0 ** (spar * 6.0 - 2.0)
    upper = factor(problem.gram + weight * problem.penalty)
    if upper is None:
        return None
    fitted = _values(problem, solve(upper, problem.xty))
    leverage = _leverage(problem, inverse_bands(upper))
    n = len(problem.y)
    residual = _total((problem.y - fitted) ** 2) / n
    spare = 1.0 - _total(leverage) / n
    # a curve through all values leaves nothing to estimate the error from
    if not spare:
        return fitted, math.inf
    return fitted, residual / (spare * spare)


def _leverage(problem: _Problem, inverse: Floats) -> Floats:
    """How far each value determines its own fit, x_i' (inverse) x_i, shape (n,)."""
    basis = problem.lever_basis
    total = np.zeros(len(problem.y))
    for i in range(4):
        column = basis[:, i]
        spline = problem.first + i
        total += inverse[0, spline] * column**2
        for d in range(1, 4 - i):
            total += 2.0 * inverse[d, spline] * column * basis[:, i + d]
    return total


def _values(problem: _Problem, coefficients: Floats) -> Floats:
    """The spline at all positions: de Boor's averaging of coefficients, shape (n,)."""
    x, knots, left = problem.x, problem.knots, problem.left
    parts = [coefficients[problem.first + i] for i in range(4)]
    below = [x - knots[left - i] for i in range(3)]
    above = [knots[left + 1 + i] - x for i in range(3)]
    for kept in (3, 2, 1):
        for i in range(kept):
            down, up = below[kept - 1 - i], above[i]
            parts[i] = (parts[i + 1] * down + parts[i] * up) / (down + up)
    return parts[0]
