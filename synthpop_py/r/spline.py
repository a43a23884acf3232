"""Smoothing of equally spaced values by a cubic spline, as R's ``smooth.spline(y)`` does with its
default settings.

The spline is a combination of cubic B-splines that minimises  sum (y - f)^2 + lambda * integral
f''^2  over the positions 1 to n, scaled to [0, 1]. Up to 49 values have a knot at each position,
more have fewer. lambda = ratio * 256^(3 spar - 1), and spar in [-1.5, 1.5] minimises the
generalised cross-validation criterion (Craven and Wahba 1979; Green and Silverman 1994, section
3.2). The search stops when spar is known to about 1e-4, so that another search for the same minimum
would give visibly other values: the steps of the search (Brent's, 1973) and three habits of R are
therefore part of the result, and marked where they occur.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..core.arrays import Floats, Integers

FEWEST = 4
LOWEST, HIGHEST = -1.5, 1.5
SPAR_TOLERANCE, SPAR_EPSILON, MOST_STEPS = 1e-4, 2e-8, 500
GOLDEN = 0.381966011250105151795
THIRD = 0.333  # R takes 0.3330 for the integral of x^2 over [0, 1]
INSIDE = 1e-11  # R takes the leverage of the last position this far inside


class NotSmoothable(ArithmeticError):
    """The equations of the spline cannot be solved."""


def knot_count(n: int) -> int:
    """How many knots R gives to n positions: all below 50, then ever fewer of them, about 200 for
    thousands.
    """
    if n < 50:
        return n
    if n >= 3200:
        return int(200 + (n - 3200) ** 0.2)
    for start, end, low, high in ((50, 200, 50, 100), (200, 800, 100, 140), (800, 3200, 140, 200)):
        if n < end:
            a, b = math.log2(low), math.log2(high)
            return int(2 ** (a + (b - a) * (n - start) / (end - start)))
    raise AssertionError("unreachable")


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
    if not math.isfinite(largest * largest * len(y)):
        raise NotSmoothable(
            f"the squares of values as large as {largest:.3g} are beyond what doubles hold"
        )
    problem = _pose(y)
    spar, fit = _search(problem)
    if fit is not None:
        return fit
    if spar < 0.5:
        raise NotSmoothable("the values leave no room for smoothing")
    return np.full(len(y), y.mean())


# ---- the equations -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Problem:
    """All that does not depend on lambda. p is the number of B-splines; bands hold the diagonal and
    three above it.

    Attributes
    ----------
    y : shape (n,). knots : shape (p + 4,). left : of each position the last knot that is not above
        it, shape (n,). first, basis : of each position the number of its first B-spline and the
        values of four, shapes (n,) and (n, 4).
    lever_basis : the same values where R takes leverages.
    xty : shape (p,). gram, penalty : X'X and the integrals of products of second derivatives, shape
        (4, p), [d, j] is the entry (j, j + d).
    """

    y: Floats
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
        """Trace of X'X over that of the penalty, over all but two B-splines at the start and three
        at the end, as R counts them.
        """
        return _total(self.gram[0, 2:-3]) / _total(self.penalty[0, 2:-3])


def _pose(y: Floats) -> _Problem:
    n = len(y)
    x = np.arange(n, dtype=np.float64) / (n - 1)
    count = knot_count(n)
    chosen = (
        x[(1.0 + np.arange(count) * ((n - 1) / (count - 1))).astype(np.int64) - 1]
        if count < n
        else x.copy()
    )
    chosen[-1] = x[-1]
    knots = np.concatenate((np.repeat(x[0], 3), chosen, np.repeat(x[-1], 3)))
    p = count + 2
    left = np.clip(np.searchsorted(knots, x, side="right") - 1, 3, p - 1)
    basis = _cubic(knots, x, left)
    lever_basis = basis.copy()
    lever_basis[-1:] = _cubic(knots, x[-1:] - INSIDE, left[-1:])
    first = left - 3
    xty = np.zeros(p)
    np.add.at(xty, _places(first, 4), y[:, None] * basis)
    gram = np.zeros((4, p))
    for d in range(4):
        np.add.at(gram[d], _places(first, 4 - d), basis[:, : 4 - d] * basis[:, d:])
    return _Problem(y, knots, left, first, basis, lever_basis, xty, gram, _penalty(knots, p))


def _places(first: Integers, count: int) -> Integers:
    """Numbers of consecutive B-splines, shape (len(first), count); sums run over them in the order
    of the positions, as in R.
    """
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
            term = values[:, i] / (above[i] + below[j - i])
            values[:, i] = carried + above[i] * term
            carried = below[j - i] * term
        values[:, j + 1] = carried
    return values


def _second_derivatives(knots: Floats, x: Floats, left: Integers) -> Floats:
    """Second derivatives at x of the four cubic B-splines, shape (len(x), 4): two rounds of
    differences of linear ones.
    """
    linear = _cubic(knots, x, left, degree=1)
    slopes = np.zeros((len(x), 4))
    for i in range(
        4
    ):  # the B-spline number left - 3 + i, as coefficients of one degree less and again
        coefficients = np.zeros((len(x), 4))
        coefficients[:, i] = 1.0
        for degree in (3, 2):
            lower = np.zeros_like(coefficients)
            for j in range(4 - degree, 4):
                width = knots[left - 3 + j + degree] - knots[left - 3 + j]
                lower[:, j] = (coefficients[:, j] - coefficients[:, j - 1]) * (degree / width)
            coefficients = lower
        slopes[:, i] = coefficients[:, 2] * linear[:, 0] + coefficients[:, 3] * linear[:, 1]
    return slopes


def _penalty(knots: Floats, p: int) -> Floats:
    """Integrals of products of second derivatives, which are straight between knots."""
    left = np.arange(3, p)
    start = _second_derivatives(knots, knots[left], left)
    rise = _second_derivatives(knots, knots[left + 1], left) - start
    width = knots[left + 1] - knots[left]
    bands = np.zeros((4, p))
    for d in range(4):
        a, b, ra, rb = start[:, : 4 - d], start[:, d:], rise[:, : 4 - d], rise[:, d:]
        np.add.at(
            bands[d],
            _places(left - 3, 4 - d),
            width[:, None] * (a * b + (ra * b + rb * a) * 0.5 + ra * rb * THIRD),
        )
    return bands


# ---- one value of lambda -------------------------------------------------------------


def _factor(bands: Floats) -> list[list[float]] | None:
    """Upper Cholesky factor of a banded matrix: [d][j] is the entry (j - d, j). None when the
    matrix is not positive definite.
    """
    p = bands.shape[1]
    rows = bands.tolist()
    u = [[0.0] * p for _ in range(4)]
    for j in range(p):
        total = 0.0
        for d in range(min(3, j), 0, -1):
            i = j - d
            entry = rows[d][i]
            inner = 0.0
            for e in range(min(3, j), d, -1):
                inner += u[e - d][i] * u[e][j]
            entry = (entry - inner) / u[0][i]
            u[d][j] = entry
            total += entry * entry
        rest = rows[0][j] - total
        if not rest > 0.0:
            return None
        u[0][j] = math.sqrt(rest)
    return u


def _solve(u: list[list[float]], right: Floats) -> Floats:
    b = right.tolist()
    p = len(b)
    for j in range(p):
        inner = 0.0
        for d in range(min(3, j), 0, -1):
            inner += u[d][j] * b[j - d]
        b[j] = (b[j] - inner) / u[0][j]
    for j in range(p - 1, -1, -1):
        b[j] /= u[0][j]
        for d in range(min(3, j), 0, -1):
            b[j - d] -= b[j] * u[d][j]
    return np.array(b)


def _inverse_bands(u: list[list[float]]) -> Floats:
    """Diagonal of the inverse and the three above it (Hutchinson and de Hoog 1985), shape (4, p),
    [d, j] is the entry (j, j + d).
    """
    p = len(u[0])
    inverse = np.zeros((4, p + 3)).tolist()
    for j in range(p - 1, -1, -1):
        c0 = 1.0 / u[0][j]
        c = [0.0] + [u[d][j + d] * c0 if j + d < p else 0.0 for d in (1, 2, 3)]
        s = [inverse[d][j + 1] for d in range(3)]  # entries (j+1, j+1), (j+1, j+2), (j+1, j+3)
        t = [inverse[d][j + 2] for d in range(2)]
        v = inverse[0][j + 3]
        inverse[3][j] = 0.0 - (c[3] * v + c[2] * t[1] + c[1] * s[2])
        inverse[2][j] = 0.0 - (c[3] * t[1] + c[2] * t[0] + c[1] * s[1])
        inverse[1][j] = 0.0 - (c[3] * s[2] + c[2] * s[1] + c[1] * s[0])
        inverse[0][j] = (
            c0 * c0
            + c[3] * c[3] * v
            + 2 * c[3] * c[2] * t[1]
            + 2 * c[3] * c[1] * s[2]
            + c[2] * c[2] * t[0]
            + 2 * c[2] * c[1] * s[1]
            + c[1] * c[1] * s[0]
        )
    return np.array(inverse)[:, :p]


def _fit(problem: _Problem, spar: float) -> tuple[Floats, float] | None:
    """Fitted values and the criterion for one value of spar."""
    weight = problem.ratio * 16.0 ** (spar * 6.0 - 2.0)
    u = _factor(problem.gram + weight * problem.penalty)
    if u is None:
        return None
    coefficients = _solve(u, problem.xty)
    fitted = _values(problem, coefficients)
    first, lever = problem.first, problem.lever_basis
    inverse = _inverse_bands(u)
    leverage = sum(
        (
            inverse[d, first + i] * lever[:, i] ** 2
            if d == 0
            else 2.0 * inverse[d, first + i] * lever[:, i] * lever[:, i + d]
        )
        for i in range(4)
        for d in range(4 - i)
    )
    n = len(problem.y)
    residual = _total((problem.y - fitted) ** 2) / n
    spare = 1.0 - _total(leverage) / n
    return fitted, residual / (spare * spare) if spare else math.inf


def _values(problem: _Problem, coefficients: Floats) -> Floats:
    """The spline at all positions: de Boor's averaging of coefficients, shape (n,)."""
    x, knots, left = np.arange(len(problem.y)) / (len(problem.y) - 1), problem.knots, problem.left
    parts = [coefficients[problem.first + i] for i in range(4)]
    below = [x - knots[left - i] for i in range(3)]
    above = [knots[left + 1 + i] - x for i in range(3)]
    for kept in (3, 2, 1):
        parts = [
            (parts[i + 1] * below[kept - 1 - i] + parts[i] * above[i])
            / (below[kept - 1 - i] + above[i])
            for i in range(kept)
        ]
    return parts[0]


# ---- the search ----------------------------------------------------------------------


def _search(problem: _Problem) -> tuple[float, Floats | None]:
    """The best spar, and the fit of the last one tried, which is what R returns. None instead of a
    fit when R's equations break down.
    """
    low, high = LOWEST, HIGHEST
    best = second = third = low + GOLDEN * (high - low)
    step = before = 0.0
    tried = _fit(problem, best)
    if tried is None:
        return best, None
    fit, at_best = tried
    at_second = at_third = at_best
    for _ in range(MOST_STEPS):
        middle = (low + high) * 0.5
        shortest = SPAR_EPSILON * abs(best) + SPAR_TOLERANCE / 3.0
        if abs(best - middle) <= 2.0 * shortest - (high - low) * 0.5:
            break
        parabola = None
        if abs(before) > shortest and all(map(math.isfinite, (at_best, at_second, at_third))):
            r = (best - second) * (at_best - at_third)
            q = (best - third) * (at_best - at_second)
            p = (best - third) * q - (best - second) * r
            q = (q - r) * 2.0
            p, q = (-p if q > 0.0 else p), abs(q)
            last, before = before, step
            if (
                abs(p) < abs(0.5 * q * last)
                and q != 0.0
                and q * (low - best) < p < q * (high - best)
            ):
                parabola = p / q
        if parabola is None:
            before = low - best if best >= middle else high - best
            step = GOLDEN * before
        else:
            step = parabola
            if best + step - low < 2.0 * shortest or high - (best + step) < 2.0 * shortest:
                step = math.copysign(shortest, middle - best)
        new = best + (step if abs(step) >= shortest else math.copysign(shortest, step))
        tried = _fit(problem, new)
        if tried is None:
            return best, None
        fit, at_new = tried
        if not math.isfinite(at_new):
            at_new = 2e100
        if at_new <= at_best:
            low, high = (best, high) if new >= best else (low, best)
            third, at_third, second, at_second, best, at_best = (
                second,
                at_second,
                best,
                at_best,
                new,
                at_new,
            )
        else:
            low, high = (new, high) if new < best else (low, new)
            if at_new <= at_second or second == best:
                third, at_third, second, at_second = second, at_second, new, at_new
            elif at_new <= at_third or third in (best, second):
                third, at_third = new, at_new
    return best, fit
