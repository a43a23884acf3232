"""The numbers behind synthesis models: penalised multinomial and linear regression, and draws from
normal distributions. Arrays in, arrays out.

Multinomial regression with K levels, the first one the reference: row i has probabilities
proportional to exp(x_i' beta_k), beta_0 = 0. What is minimised is the negative log-likelihood plus
ridge / 2 times the sum of squared coefficients, so that ridge is the precision of a normal prior
around 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from ..core.arrays import Flags, Floats, Integers

CHUNK = 4_000_000  # numbers held at once while the information matrix is summed over records
ROUNDING = (
    1e-13  # a direction about which the data say less than this share is one of dependent columns
)
MOST_STEPS = 100
MOST_SEARCHES = 40
# a direction about which the data say less than this share of the best-known one is not determined
# by them
FLAT = 1e-10
OPEN = (
    1e-6  # share of a coefficient that the data must leave open for it to count as not determined
)
SOLVED = 1e-12  # Newton decrement at which the next full step ends at the rounding limit


# ---- multinomial regression ----------------------------------------------------------


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
    scores -= scores.max(axis=1, keepdims=True)
    return scores


def fit_multinomial(design: Floats, codes: Integers, levels: int, ridge: float) -> MultinomialFit:
    """Newton's method; each step is solved by conjugate gradients, preconditioned with the
    information at constant probabilities.

    Nothing of the size of the information matrix, which has ((K - 1) p)^2 entries, is needed.
    Column 0 of the design is the intercept.
    """
    if levels < 2:
        return MultinomialFit(np.zeros((0, design.shape[1])), 0.0, 0, True)
    counts = np.bincount(codes, minlength=levels) + 0.5
    current = np.zeros((levels - 1, design.shape[1]))
    current[:, 0] = np.log(counts[1:] / counts[0])
    precondition = _Preconditioner(design, counts / counts.sum(), ridge)
    value, gradient, fitted = _evaluate(design, codes, current, ridge)
    converged, steps = False, 0
    while steps < MOST_STEPS:
        steps += 1
        size = np.sqrt(max((gradient * precondition(gradient)).sum(), 0.0))
        step = _newton_step(design, fitted, gradient, ridge, precondition, min(0.1, size))
        decrement = -(step * gradient).sum()
        if not decrement > 0:
            converged = True
            break
        length = 1.0
        rounding = 1e-13 * (1 + abs(value))
        for _ in range(MOST_SEARCHES):
            trial = current + length * step
            new_value, new_gradient, new_fitted = _evaluate(design, codes, trial, ridge)
            if new_value <= value - 1e-4 * length * decrement + rounding:
                break
            length /= 2
        current, value, gradient, fitted = trial, new_value, new_gradient, new_fitted
        if decrement < SOLVED:
            converged = True
            break
    return MultinomialFit(current, ridge / 2 * float((current**2).sum()) - value, steps, converged)


def _evaluate(
    design: Floats, codes: Integers, coefficients: Floats, ridge: float
) -> tuple[float, Floats, Floats]:
    """The penalised negative log-likelihood, its gradient, and the fitted probabilities without the
    reference level.
    """
    scores = _scores(design, coefficients)
    observed = scores[np.arange(len(codes)), codes].sum()
    np.exp(scores, out=scores)
    totals = scores.sum(axis=1, keepdims=True)
    value = float(np.log(totals).sum() - observed + ridge / 2 * (coefficients**2).sum())
    fitted = scores[:, 1:] / totals
    excess = fitted.copy()
    known = np.flatnonzero(codes > 0)
    excess[known, codes[known] - 1] -= 1
    return value, excess.T @ design + ridge * coefficients, fitted


class _Preconditioner:
    """The inverse of the information if every record had the same probabilities: (diag(s) - s s') x
    X'X + ridge, inverted through two small eigenproblems.
    """

    def __init__(self, design: Floats, shares: Floats, ridge: float) -> None:
        rest = shares[1:]
        weight, self.left = linalg.eigh(np.diag(rest) - np.outer(rest, rest))
        moment, self.right = linalg.eigh(design.T @ design)
        strength = np.outer(np.maximum(weight, 0), np.maximum(moment, 0)) + ridge
        most = max(strength.max(), 1e-300)
        # a direction that is nothing but rounding would send a step anywhere: no step is made in
        # it, and no prediction depends on it
        self.scale = np.where(
            strength > ROUNDING * most, 1 / np.maximum(strength, FLAT * most), 0.0
        )

    def __call__(self, matrix: Floats) -> Floats:
        turned = self.scale * (self.left.T @ matrix @ self.right)
        solved: Floats = self.left @ turned @ self.right.T
        return solved


def _newton_step(
    design: Floats,
    fitted: Floats,
    gradient: Floats,
    ridge: float,
    precondition: _Preconditioner,
    tolerance: float,
) -> Floats:
    """Solves information @ step = -gradient by conjugate gradients, as far as `tolerance`."""
    step = np.zeros_like(gradient)
    rest = -gradient
    solved = precondition(rest)
    direction, product = solved, (rest * solved).sum()
    goal = tolerance**2 * product
    for _ in range(10 * gradient.size):
        if product <= goal or product == 0:
            break
        along = _information_times(design, fitted, direction, ridge)
        curvature = (direction * along).sum()
        if curvature <= 0:  # flat in this direction: rank deficiency without ridge
            break
        rate = product / curvature
        step = step + rate * direction
        rest = rest - rate * along
        solved = precondition(rest)
        product, previous = (rest * solved).sum(), product
        direction = solved + product / previous * direction
    return step


def _information_times(design: Floats, fitted: Floats, matrix: Floats, ridge: float) -> Floats:
    weighted = design @ matrix.T
    weighted -= (fitted * weighted).sum(axis=1, keepdims=True)
    weighted *= fitted
    return weighted.T @ design + ridge * matrix


def information(design: Floats, coefficients: Floats, ridge: float) -> Floats:
    """Second derivatives of what is minimised, shape (q, q) with q = (K - 1) p, coefficients level
    by level. Sums over records in pieces.
    """
    count, width = coefficients.shape
    total = np.zeros((count * width, count * width), order="F")
    for rows in _pieces(len(design), count * width):
        x = design[rows]
        fitted = probabilities(x, coefficients)[:, 1:]
        spread = (fitted[:, :, None] * x[:, None, :]).reshape(len(x), -1)
        total = linalg.blas.dsyrk(-1.0, spread.T, beta=1.0, c=total, lower=1, overwrite_c=1)
        for level in range(count):
            block = slice(level * width, (level + 1) * width)
            total[block, block] += x.T @ (fitted[:, level, None] * x)
    upper = np.triu_indices(len(total), 1)
    total[upper] = total.T[upper]
    total[np.diag_indices_from(total)] += ridge
    return total


def _pieces(records: int, width: int) -> Iterator[slice]:
    size = max(1, CHUNK // max(width, 1))
    return (slice(start, start + size) for start in range(0, records, size))


# ---- linear regression ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LinearFit:
    """coefficients (p,), the first one the intercept; inverse: covariance of the coefficients
    divided by the residual variance.
    """

    coefficients: Floats
    inverse: Floats
    variance: float
    df: int


def fit_linear(design: Floats, response: Floats, ridge: float) -> LinearFit:
    """Least squares with a ridge on all coefficients but the intercept, which is column 0."""
    records, width = design.shape
    centre = design[:, 1:].mean(axis=0)
    centred = design[:, 1:] - centre
    level = response.mean()
    moment = centred.T @ centred + ridge * np.eye(width - 1)
    slopes_inverse = _symmetric_inverse(moment)
    slopes = slopes_inverse @ (centred.T @ (response - level))
    coefficients = np.concatenate([[level - centre @ slopes], slopes])
    inverse = np.empty((width, width))
    inverse[1:, 1:] = slopes_inverse
    inverse[0, 1:] = inverse[1:, 0] = -slopes_inverse @ centre
    inverse[0, 0] = 1 / records + centre @ slopes_inverse @ centre
    residuals = response - level - centred @ slopes
    df = max(records - width, 1)
    return LinearFit(coefficients, inverse, max(float(residuals @ residuals) / df, 1e-300), df)


def determined(design: Floats) -> tuple[Flags, int]:
    """Which coefficients the design determines, bool of shape (p,), and its rank. Column 0 is the
    intercept.

    A level without records, or the same variable twice, leaves coefficients open. A coefficient is
    determined when no combination of coefficients that changes no prediction contains it.
    """
    centre = design[:, 1:].mean(axis=0)
    centred = design[:, 1:] - centre
    scale = np.sqrt((centred**2).sum(axis=0))
    scale[scale <= 1e-12 * np.abs(centre)] = 0
    scaled = np.divide(centred, scale, out=np.zeros_like(centred), where=scale > 0)
    moment = scaled.T @ scaled
    seen = _symmetric_inverse(moment) @ moment  # projects on what the data can see
    unseen = np.eye(len(moment)) - seen
    shift = centre / np.where(scale > 0, scale, 1)
    intercept = np.linalg.norm(unseen @ shift) <= OPEN * max(1.0, float(np.linalg.norm(shift)))
    return np.concatenate([[intercept], np.diag(unseen) <= OPEN]), 1 + round(float(np.trace(seen)))


def _symmetric_inverse(matrix: Floats) -> Floats:
    """The inverse; directions the data do not determine get 0."""
    if not len(matrix):
        return matrix
    values, vectors = linalg.eigh(matrix)
    good = values > FLAT * max(values[-1], 0)
    inverse: Floats = (vectors[:, good] / values[good]) @ vectors[:, good].T
    return inverse


# ---- draws from a normal distribution ------------------------------------------------


@dataclass(frozen=True, slots=True)
class Spread:
    """A normal distribution around 0 with the covariance A A', where A = back R, R the inverse
    transpose of `factor` or, if `direct`, `factor` itself.

    factor : lower triangular, shape (q, q).
    back : shape (p, p), applied to each group of p of the q coordinates; None for none.
    """

    factor: Floats
    direct: bool
    back: Floats | None = None

    def draw(self, rng: np.random.Generator) -> Floats:
        """One draw, shape (q,)."""
        noise = rng.standard_normal(len(self.factor))
        if self.direct:
            return self._mapped(self.factor @ noise)
        return self._mapped(
            linalg.solve_triangular(self.factor, noise, lower=True, trans="T", check_finite=False)
        )

    def covariance(self) -> Floats:
        if self.direct:
            plain = self.factor @ self.factor.T
        else:
            plain = linalg.cho_solve(
                (self.factor, True), np.eye(len(self.factor)), check_finite=False
            )
        if self.back is None:
            return plain
        groups = len(plain) // len(self.back)
        whole = np.kron(np.eye(groups), self.back)
        return whole @ plain @ whole.T

    def _mapped(self, values: Floats) -> Floats:
        return (
            values
            if self.back is None
            else (values.reshape(-1, len(self.back)) @ self.back.T).reshape(-1)
        )


def spread_of_precision(precision: Floats, back: Floats | None = None) -> Spread:
    """The normal distribution with this inverse covariance; directions without information do not
    vary.
    """
    try:
        return Spread(
            linalg.cholesky(precision, lower=True, check_finite=False), direct=False, back=back
        )
    except linalg.LinAlgError:
        covariance = _symmetric_inverse(precision)
        return Spread(root_of_covariance(covariance), direct=True, back=back)


def root_of_covariance(covariance: Floats) -> Floats:
    """A lower triangular root of a positive semidefinite matrix.

    Unlike a root from eigenvectors it does not depend on signs that differ from machine to machine,
    so neither do draws made with it.

    Raises
    ------
    LinAlgError
        Where the matrix has a clearly negative eigenvalue.
    """
    scale = np.sqrt(np.maximum(np.diag(covariance), 0))
    scale[scale == 0] = 1
    correlation = covariance / np.outer(scale, scale)
    for jitter in (0.0, 1e-14, 1e-12, 1e-10):
        try:
            root: Floats = linalg.cholesky(
                correlation + jitter * np.eye(len(correlation)), lower=True, check_finite=False
            )
            return scale[:, None] * root
        except linalg.LinAlgError:
            continue
    raise linalg.LinAlgError("the matrix is not positive semidefinite")
