"""Penalised multinomial regression. Arrays in, arrays out.

With K levels, the first one the reference, row i has probabilities proportional to exp(x_i'
beta_k), beta_0 = 0. The fit minimises the negative log-likelihood plus ridge / 2 times the sum of
squared coefficients: ridge is the precision of a normal prior around 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Integers
from .linear import FLAT

CHUNK = 4_000_000  # numbers held at once while the information matrix is summed over records
# a direction about which the data say less than this share is one of dependent columns
ROUNDING = 1e-13
MOST_STEPS = 100
MOST_SEARCHES = 40
ENOUGH = 1e-4  # share of the promised decrease with which a step is long enough (Armijo's rule)
SOLVED = 1e-12  # Newton decrement at which the next full step ends at the rounding limit


@dataclass(frozen=True, slots=True)
class MultinomialFit:
    """Coefficients: float64, shape (K - 1, p). `loglik` is without the penalty."""

    coefficients: Floats
    loglik: float
    steps: int
    converged: bool


def probabilities(design: Floats, coefficients: Floats) -> Floats:
    """Shape (n, K), rows sum to 1; the reference level first."""
    scores = _scores(design, coefficients)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    return scores


def _scores(design: Floats, coefficients: Floats) -> Floats:
    """x_i' beta_k, shape (n, K), less the largest of each row."""
    scores = np.empty((len(design), len(coefficients) + 1))
    scores[:, 0] = 0
    np.matmul(design, coefficients.T, out=scores[:, 1:])
    # exp() of a large score would overflow
    scores -= scores.max(axis=1, keepdims=True)
    return scores


def fit_multinomial(design: Floats, codes: Integers, levels: int, ridge: float) -> MultinomialFit:
    """Newton's method; each step is solved by conjugate gradients, preconditioned with the
    information at constant probabilities.

    Nothing of the size of the information matrix, which has ((K - 1) p)^2 entries, is needed.
    Column 0 of the design is the intercept.

    Examples
    --------
    One record in four has the second level: the intercept is its log-odds.

    >>> fit = fit_multinomial(np.ones((4, 1)), np.array([0, 0, 0, 1]), 2, 0.0)
    >>> bool(np.isclose(fit.coefficients[0, 0], np.log(1 / 3))), fit.converged
    (True, True)
    """
    width = design.shape[1]
    if levels < 2:
        return MultinomialFit(np.zeros((0, width)), loglik=0.0, steps=0, converged=True)
    # half a record more for each level, so none starts at the log of 0
    counts = np.bincount(codes, minlength=levels) + 0.5
    start = np.zeros((levels - 1, width))
    start[:, 0] = np.log(counts[1:] / counts[0])
    precondition = _Preconditioner(design, counts / counts.sum(), ridge)
    descent = _Descent(design, codes, ridge, precondition)
    current = descent.at(start)
    converged, steps = False, 0
    while steps < MOST_STEPS and not converged:
        steps += 1
        step = descent.newton_step(current)
        decrement = -(step * current.evaluation.gradient).sum()
        if decrement > 0:
            current = descent.along(step, decrement, current)
            converged = bool(decrement < SOLVED)
        else:
            converged = True
    penalty = ridge / 2 * float((current.coefficients**2).sum())
    return MultinomialFit(
        coefficients=current.coefficients,
        loglik=penalty - current.evaluation.value,
        steps=steps,
        converged=converged,
    )


class _Evaluation(NamedTuple):
    """The penalised negative log-likelihood, its gradient, and the fitted probabilities without the
    reference level.
    """

    value: float
    gradient: Floats
    fitted: Floats


def _evaluate(design: Floats, codes: Integers, coefficients: Floats, ridge: float) -> _Evaluation:
    scores = _scores(design, coefficients)
    observed = scores[np.arange(len(codes)), codes].sum()
    np.exp(scores, out=scores)
    totals = scores.sum(axis=1, keepdims=True)
    penalty = ridge / 2 * (coefficients**2).sum()
    value = float(np.log(totals).sum() - observed + penalty)
    fitted = scores[:, 1:] / totals
    excess = fitted.copy()
    known = np.flatnonzero(codes > 0)
    excess[known, codes[known] - 1] -= 1
    gradient = excess.T @ design + ridge * coefficients
    return _Evaluation(value, gradient, fitted)


class _Point(NamedTuple):
    """Coefficients, and what is minimised there."""

    coefficients: Floats
    evaluation: _Evaluation


@dataclass(frozen=True, slots=True, eq=False)
class _Descent:
    """The way to the minimum for given data."""

    design: Floats
    codes: Integers
    ridge: float
    precondition: _Preconditioner

    def at(self, coefficients: Floats) -> _Point:
        evaluation = _evaluate(self.design, self.codes, coefficients, self.ridge)
        return _Point(coefficients, evaluation)

    def along(self, step: Floats, decrement: float, start: _Point) -> _Point:
        """The end of the longest of the steps 1, 1/2, 1/4, ... that decreases enough."""
        value = start.evaluation.value
        # close to the minimum, values differ by nothing but rounding
        rounding = 1e-13 * (1 + abs(value))
        length = 1.0
        for _ in range(MOST_SEARCHES):
            trial = self.at(start.coefficients + length * step)
            if trial.evaluation.value <= value - ENOUGH * length * decrement + rounding:
                break
            length /= 2
        return trial

    def newton_step(self, point: _Point) -> Floats:
        """Solves information @ step = -gradient by conjugate gradients, the more exactly the closer
        the minimum is.
        """
        gradient = point.evaluation.gradient
        rest = -gradient
        solved = self.precondition(rest)
        product = (rest * solved).sum()
        size = np.sqrt(max(product, 0.0))
        # far from the minimum a rough step is as good as an exact one
        goal = min(0.1, size) ** 2 * product
        step = np.zeros_like(gradient)
        direction = solved
        for _ in range(10 * gradient.size):
            if product <= goal or product == 0:
                break
            along = self._information_times(point.evaluation.fitted, direction)
            curvature = (direction * along).sum()
            if curvature <= 0:  # flat in this direction: rank deficiency without ridge
                break
            rate = product / curvature
            step = step + rate * direction
            rest = rest - rate * along
            solved = self.precondition(rest)
            previous = product
            product = (rest * solved).sum()
            direction = solved + product / previous * direction
        return step

    def _information_times(self, fitted: Floats, matrix: Floats) -> Floats:
        weighted = self.design @ matrix.T
        weighted -= (fitted * weighted).sum(axis=1, keepdims=True)
        weighted *= fitted
        return weighted.T @ self.design + self.ridge * matrix


class _Preconditioner:
    """The inverse of the information if every record had the same probabilities: (diag(s) - s s') x
    X'X + ridge, inverted through two small eigenproblems.
    """

    def __init__(self, design: Floats, shares: Floats, ridge: float) -> None:
        import scipy

        rest = shares[1:]
        weight, self.left = scipy.linalg.eigh(np.diag(rest) - np.outer(rest, rest))
        moment, self.right = scipy.linalg.eigh(design.T @ design)
        strength = np.outer(np.maximum(weight, 0), np.maximum(moment, 0)) + ridge
        most = max(strength.max(), 1e-300)
        inverse = 1 / np.maximum(strength, FLAT * most)
        # a direction that is only rounding would send a step anywhere: no step goes that way, and
        # no prediction depends on it
        self.scale = np.where(strength > ROUNDING * most, inverse, 0.0)

    def __call__(self, matrix: Floats) -> Floats:
        turned = self.scale * (self.left.T @ matrix @ self.right)
        solved: Floats = self.left @ turned @ self.right.T
        return solved


def information(design: Floats, coefficients: Floats, ridge: float) -> Floats:
    """Second derivatives of what is minimised, shape (q, q) with q = (K - 1) p, coefficients level
    by level. Sums over records in pieces.
    """
    count, width = coefficients.shape
    total = np.zeros((count * width, count * width), order="F")
    for rows in _pieces(len(design), count * width):
        total = _add_information(total, design[rows], coefficients)
    # only the lower triangle was summed
    upper = np.triu_indices(len(total), 1)
    total[upper] = total.T[upper]
    total[np.diag_indices_from(total)] += ridge
    return total


def _add_information(total: Floats, x: Floats, coefficients: Floats) -> Floats:
    """The lower triangle of `total` with that of these records added, in its own memory."""
    import scipy

    count, width = coefficients.shape
    fitted = probabilities(x, coefficients)[:, 1:]
    spread = (fitted[:, :, None] * x[:, None, :]).reshape(len(x), -1)
    total = scipy.linalg.blas.dsyrk(-1.0, spread.T, beta=1.0, c=total, lower=1, overwrite_c=1)
    for level in range(count):
        block = slice(level * width, (level + 1) * width)
        weighted = fitted[:, level, None] * x
        total[block, block] += x.T @ weighted
    return total


def _pieces(records: int, width: int) -> Iterator[slice]:
    size = max(1, CHUNK // max(width, 1))
    return (slice(start, start + size) for start in range(0, records, size))
