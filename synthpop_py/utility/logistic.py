"""Logistic regression by Newton's method (iteratively reweighted least squares), on distinct
records with weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..core.arrays import Floats
from ..errors import SynthpopError
from .design import PropensityDesign

# penalty of a squared coefficient, for each record: moves pMSE by about 1e-9 of itself, and keeps
# the coefficient of a level that only one data set has finite
RIDGE = 1e-12
MOST_STEPS = 200
SMALLEST_STEP = 1e-6  # of Newton's, below which it is not halved again
NO_WORSE = 1e-12  # relative rise of the penalised deviance that is taken for rounding
CONVERGED = 1e-11  # relative change of the penalised deviance


def fitted_probabilities(design: PropensityDesign, n_original: Floats, n_release: Floats) -> Floats:
    """Probability that a distinct record comes from the release, shape (u,), given how often it
    occurs in each data set.
    """
    model = _Model(design, n_original + n_release, n_release)
    beta = model.start()
    deviance = model.deviance(beta)
    for _ in range(MOST_STEPS):
        before = deviance
        beta, deviance = _after_step(model, beta, before)
        if abs(before - deviance) <= CONVERGED * (abs(deviance) + 0.1):
            return model.probabilities(beta)
    raise SynthpopError(
        f"the propensity model did not converge in {MOST_STEPS} steps; leave out variables that"
        " separate original and release completely"
    )


def _after_step(model: _Model, beta: Floats, deviance: float) -> tuple[Floats, float]:
    """Coefficients and deviance after a step of Newton's method, halved until the deviance does not
    rise.
    """
    step = model.newton_step(beta)
    size = 1.0
    after = model.deviance(beta + step)
    while after > deviance * (1 + NO_WORSE) and size > SMALLEST_STEP:
        size /= 2
        after = model.deviance(beta + size * step)
    return beta + size * step, after


@dataclass(frozen=True)
class _Model:
    """A logistic regression on distinct records.

    Attributes
    ----------
    total, n_release : how often each record occurs in both data sets, and in the release, shape
        (u,).
    """

    design: PropensityDesign
    total: Floats
    n_release: Floats

    @cached_property
    def penalty(self) -> Floats:
        """Of each squared coefficient; the constant has none."""
        penalty = np.full(self.design.width, RIDGE * self.total.sum())
        penalty[0] = 0.0
        return penalty

    def start(self) -> Floats:
        """Coefficients of the model without variables."""
        beta = np.zeros(self.design.width)
        share = self.n_release.sum() / self.total.sum()
        beta[0] = np.log(share / (1 - share))
        return beta

    @cached_property
    def _only_chunk(self) -> Floats | None:
        """The design matrix where it is small enough to be kept; None where it is not."""
        chunks = self.design.chunks()
        return self.design.matrix(chunks[0]) if len(chunks) == 1 else None

    def _chunks(self) -> Iterator[tuple[slice, Floats]]:
        """Rows of the design, and their matrix."""
        for rows in self.design.chunks():
            if self._only_chunk is not None:
                yield rows, self._only_chunk
            else:
                yield rows, self.design.matrix(rows)

    def newton_step(self, beta: Floats) -> Floats:
        import scipy

        information = np.diag(self.penalty)
        score = -self.penalty * beta
        for rows, X in self._chunks():
            p = scipy.special.expit(X @ beta)
            expected = self.total[rows] * p
            variances = expected * (1 - p)
            information = information + X.T @ (X * variances[:, None])
            score = score + X.T @ (self.n_release[rows] - expected)
        factor = scipy.linalg.cho_factor(information)
        step: Floats = scipy.linalg.cho_solve(factor, score)
        return step

    def deviance(self, beta: Floats) -> float:
        """Minus twice the log likelihood, with the penalty."""
        value = float(self.penalty @ beta**2)
        for rows, X in self._chunks():
            eta = X @ beta
            minus_log = self.total[rows] * np.logaddexp(0, eta) - self.n_release[rows] * eta
            value += 2 * float(minus_log.sum())
        return value

    def probabilities(self, beta: Floats) -> Floats:
        import scipy

        return np.concatenate([scipy.special.expit(X @ beta) for _, X in self._chunks()])
