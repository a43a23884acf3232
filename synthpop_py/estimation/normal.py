"""Draws from normal distributions that are known by their precision or their covariance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import Floats
from .linear import symmetric_inverse

# What is added to the diagonal of a correlation matrix until it has a root.
JITTERS = (0.0, 1e-14, 1e-12, 1e-10)


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
        import scipy

        noise = rng.standard_normal(len(self.factor))
        if self.direct:
            values = self.factor @ noise
        else:
            values = scipy.linalg.solve_triangular(
                self.factor, noise, lower=True, trans="T", check_finite=False
            )
        if self.back is None:
            return values
        groups = values.reshape(-1, len(self.back))
        return (groups @ self.back.T).reshape(-1)

    def covariance(self) -> Floats:
        """The covariance matrix, shape (q, q)."""
        import scipy

        if self.direct:
            plain = self.factor @ self.factor.T
        else:
            identity = np.eye(len(self.factor))
            plain = scipy.linalg.cho_solve((self.factor, True), identity, check_finite=False)
        if self.back is None:
            return plain
        groups = len(plain) // len(self.back)
        whole = np.kron(np.eye(groups), self.back)
        return whole @ plain @ whole.T


def spread_of_precision(precision: Floats, back: Floats | None = None) -> Spread:
    """The normal distribution with this inverse covariance; directions without information do not
    vary.

    >>> spread_of_precision(np.array([[4.0]])).covariance().tolist()
    [[0.25]]
    """
    import scipy

    try:
        factor = scipy.linalg.cholesky(precision, lower=True, check_finite=False)
    except scipy.linalg.LinAlgError:
        root = root_of_covariance(symmetric_inverse(precision))
        return Spread(root, direct=True, back=back)
    return Spread(factor, direct=False, back=back)


def root_of_covariance(covariance: Floats) -> Floats:
    """A lower triangular root of a positive semidefinite matrix.

    Unlike a root from eigenvectors it does not depend on signs that differ from machine to machine,
    so neither do draws made with it.

    Raises
    ------
    LinAlgError
        Where the matrix has a clearly negative eigenvalue.

    Examples
    --------
    >>> root_of_covariance(np.array([[4.0, 2.0], [2.0, 10.0]])).round(9).tolist()
    [[2.0, 0.0], [1.0, 3.0]]
    """
    import scipy

    variances = np.maximum(np.diag(covariance), 0)
    scale = np.sqrt(variances)
    scale[scale == 0] = 1
    correlation = covariance / np.outer(scale, scale)
    identity = np.eye(len(correlation))
    # as little as possible: it blurs the directions that do not vary
    for jitter in JITTERS:
        try:
            root: Floats = scipy.linalg.cholesky(
                correlation + jitter * identity, lower=True, check_finite=False
            )
        except scipy.linalg.LinAlgError:
            continue
        return scale[:, None] * root
    raise scipy.linalg.LinAlgError("the matrix is not positive semidefinite")
