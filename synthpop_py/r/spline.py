"""Smoothing of equally spaced values by a cubic spline, as R's ``smooth.spline(y)`` does with its
default settings.

Cubic B-splines minimise  sum (y - f)^2 + lambda * integral f''^2  over the positions 1 to n, scaled
to [0, 1]. lambda = ratio * 256^(3 spar - 1), and spar minimises the generalised cross-validation
criterion (Craven and Wahba 1979; Green and Silverman 1994, section 3.2). The search stops when spar
is known to about 1e-4; another one would give visibly different values. So the steps of the search
(Brent 1973) and the order in which LINPACK adds up (`banded`) are part of the result.
"""

from __future__ import annotations

import math
from collections.abc import Callable

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
POSITIONS = (50, 200, 800, 3200)
LOG_KNOTS = tuple(map(math.log2, (50, 100, 140, 200)))

Point = tuple[float, float]  # a spar, and the criterion there
Fit = Callable[[float], tuple[Floats, float] | None]


class NotSmoothable(ArithmeticError):
    """The equations of the spline cannot be solved."""


def knot_count(n: int) -> int:
    """How many knots R gives to n positions.

    >>> [knot_count(n) for n in (49, 125, 500, 10_000)]
    [49, 70, 118, 205]
    """
    if n < POSITIONS[0]:
        return n
    if n >= POSITIONS[-1]:
        return int(200 + (n - POSITIONS[-1]) ** 0.2)
    at = max(place for place, start in enumerate(POSITIONS) if n >= start)
    start, end = POSITIONS[at : at + 2]
    low, high = LOG_KNOTS[at : at + 2]
    exponent = low + (high - low) * (n - start) / (end - start)
    return int(2**exponent)


def smooth(y: Floats) -> Floats:
    """The smoothed values at positions 1 to n, shape (n,), n at least `FEWEST`.

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
    spar, fitted = _search(_fit_for(y))
    if fitted is not None:
        return fitted
    # R stops where spar was small, and where it was large takes the mean, with a warning
    if spar < 0.5:
        raise NotSmoothable("the values cannot be smoothed any further")
    return np.full(len(y), y.mean())


def _fit_for(y: Floats) -> Fit:
    """The function that gives fitted values and the criterion for one value of spar; None where the
    equations have no solution.
    """
    n = len(y)
    x = np.arange(n, dtype=np.float64) / (n - 1)
    inner, few = x, knot_count(n)
    if few < n:
        positions = 1.0 + np.arange(few) * ((n - 1) / (few - 1))
        inner = x[positions.astype(np.int64) - 1]
        inner[-1] = x[-1]
    knots = np.concatenate((np.repeat(x[0], 3), inner, np.repeat(x[-1], 3)))
    count = len(inner) + 2  # of B-splines
    # of each position the last knot that is not above it, and the first of four B-splines
    left = np.clip(np.searchsorted(knots, x, side="right") - 1, 3, count - 1)
    first = left - 3
    basis = _cubic(knots, x, left)
    at_levers = basis.copy()
    at_levers[-1:] = _cubic(knots, x[-1:] - INSIDE, left[-1:])
    xty = np.zeros(count)
    np.add.at(xty, first[:, None] + np.arange(4), y[:, None] * basis)
    gram = _bands(count, first, lambda d: basis[:, : 4 - d] * basis[:, d:])
    penalty = _penalty(knots, count)
    # traces without two B-splines at the start and three at the end: R's indices 3:(nk - 3)
    ratio = _total(gram[0, 2:-3]) / _total(penalty[0, 2:-3])

    def fit(spar: float) -> tuple[Floats, float] | None:
        # 256^(3 spar - 1), in the form in which R computes it
        weight = ratio * 16.0 ** (spar * 6.0 - 2.0)
        upper = factor(gram + weight * penalty)
        if upper is None:
            return None
        fitted = _values(x, knots, left, solve(upper, xty))
        residual = _total((y - fitted) ** 2) / n
        leverage = _leverage(first, at_levers, inverse_bands(upper))
        spare = 1.0 - _total(leverage) / n
        # a curve through all values leaves nothing to estimate the error from
        return fitted, residual / (spare * spare) if spare else math.inf

    return fit


def _search(fit: Fit) -> tuple[float, Floats | None]:
    """The best spar, and the fit of the last one tried, which is what R returns. None instead of a
    fit when R's equations break down.
    """
    low, high = LOWEST, HIGHEST  # the minimum is between them
    start = low + GOLDEN * (high - low)
    tried = fit(start)
    if tried is None:
        return start, None
    best = second = third = (start, tried[1])  # the lowest so far
    step = before = 0.0  # the last step, and the one before it
    for _ in range(MOST_STEPS):
        at = best[0]
        middle = (low + high) * 0.5
        shortest = EPSILON * abs(at) + TOLERANCE / 3.0
        if abs(at - middle) <= 2.0 * shortest - (high - low) * 0.5:
            break
        vertex = None
        # R's parabola needs three finite values; the first criterion can be infinite
        finite = all(math.isfinite(value) for _, value in (best, second, third))
        if abs(before) > shortest and finite:
            vertex = _to_vertex(best, second, third, low, high, before)
            before = step
        if vertex is None:  # a golden section of the longer side
            before = (low if at >= middle else high) - at
            step = GOLDEN * before
        else:
            step = vertex
            from_low, from_high = at + vertex - low, high - (at + vertex)
            if min(from_low, from_high) < 2.0 * shortest:
                step = math.copysign(shortest, middle - at)
        # the criterion is never asked twice for what is almost the same spar
        spar = at + (step if abs(step) >= shortest else math.copysign(shortest, step))
        tried = fit(spar)
        if tried is None:
            return at, None
        new = (spar, tried[1] if math.isfinite(tried[1]) else UNUSABLE)
        is_better = new[1] <= best[1]
        inner, outer = (best, new) if is_better else (new, best)
        if outer[0] >= inner[0]:
            low = inner[0]
        else:
            high = inner[0]
        if is_better:
            best, second, third = new, best, second
        elif new[1] <= second[1] or second[0] == at:
            second, third = new, second
        elif new[1] <= third[1] or third[0] in (at, second[0]):
            third = new
    return best[0], tried[0]


def _to_vertex(
    best: Point, second: Point, third: Point, low: float, high: float, last: float
) -> float | None:
    """The step to the vertex of the parabola through three points, p / q; None where it is not to
    be trusted: not shorter than half the step before the last, or leading outside.
    """
    at, value = best
    from_second, from_third = at - second[0], at - third[0]
    r = from_second * (value - third[1])
    q = from_third * (value - second[1])
    p = from_third * q - from_second * r
    q = (q - r) * 2.0
    if q > 0.0:
        p = -p
    q = abs(q)
    is_inside = q * (low - at) < p < q * (high - at)
    return p / q if abs(p) < abs(0.5 * q * last) and q != 0.0 and is_inside else None


def _bands(count: int, first: Integers, products: Callable[[int], Floats]) -> Floats:
    """A symmetric matrix over B-splines in bands, shape (4, count), [d, j] is the entry (j, j + d),
    added up in the order of positions, as R does.
    """
    bands = np.zeros((4, count))
    for d in range(4):
        np.add.at(bands[d], first[:, None] + np.arange(4 - d), products(d))
    return bands


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


def _penalty(knots: Floats, count: int) -> Floats:
    """Integrals of products of second derivatives, which are straight between knots."""
    left = np.arange(3, count)
    start = _second_derivatives(knots, knots[left], left)
    end = _second_derivatives(knots, knots[left + 1], left)
    rise = end - start
    width = (knots[left + 1] - knots[left])[:, None]

    def integrals(d: int) -> Floats:
        a, rise_a = start[:, : 4 - d], rise[:, : 4 - d]
        b, rise_b = start[:, d:], rise[:, d:]
        linear = (rise_a * b + rise_b * a) * 0.5
        quadratic = rise_a * rise_b * THIRD
        return np.asarray(width * (a * b + linear + quadratic))

    return _bands(count, left - 3, integrals)


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


def _leverage(first: Integers, basis: Floats, inverse: Floats) -> Floats:
    """How far each value determines its own fit, x_i' (inverse) x_i, shape (n,)."""
    total = np.zeros(len(basis))
    for i in range(4):
        column = basis[:, i]
        spline = first + i
        total += inverse[0, spline] * column**2
        for d in range(1, 4 - i):
            total += 2.0 * inverse[d, spline] * column * basis[:, i + d]
    return total


def _values(x: Floats, knots: Floats, left: Integers, coefficients: Floats) -> Floats:
    """The spline at all positions: de Boor's averaging of coefficients, shape (n,)."""
    parts = [coefficients[left - 3 + i] for i in range(4)]
    below = [x - knots[left - i] for i in range(3)]
    above = [knots[left + 1 + i] - x for i in range(3)]
    for kept in (3, 2, 1):
        for i in range(kept):
            down, up = below[kept - 1 - i], above[i]
            parts[i] = (parts[i + 1] * down + parts[i] * up) / (down + up)
    return parts[0]
