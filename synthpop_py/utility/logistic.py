"""Logistic regression by Newton's method (iteratively reweighted least squares), on distinct
records with weights.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy import linalg
from scipy.special import expit

from ..core.arrays import Floats
from ..errors import SynthpopError
from .design import Design

Chunks = list[tuple[slice, Floats]]  # rows of the design, and their matrix

# penalty of a squared coefficient, for each record: moves pMSE by about 1e-9 of itself, and keeps a
# level that only one data set has from running away
RIDGE = 1e-12
MOST_STEPS = 200
CONVERGED = 1e-11  # relative change of the penalised deviance


def fitted_probabilities(design: Design, n_original: Floats, n_release: Floats) -> Floats:
    """Probability that a distinct record comes from the release, shape (u,), when it occurs so
    often in either data set.
    """
    total = n_original + n_release
    beta = np.zeros(design.width)
    share = n_release.sum() / total.sum()
    beta[0] = np.log(share / (1 - share))
    held = (
        [(rows, design.matrix(rows)) for rows in design.chunks()]
        if len(design.chunks()) == 1
        else None
    )
    penalty = np.full(design.width, RIDGE * total.sum())
    penalty[0] = 0.0
    deviance = _deviance(design, beta, total, n_release, penalty, held)
    for _ in range(MOST_STEPS):
        step = _newton_step(design, beta, total, n_release, penalty, held)
        size = 1.0
        while (
            after := _deviance(design, beta + size * step, total, n_release, penalty, held)
        ) > deviance * (1 + 1e-12) and size > 1e-6:
            size /= 2
        beta = beta + size * step
        done = abs(deviance - after) <= CONVERGED * (abs(after) + 0.1)
        deviance = after
        if done:
            return np.concatenate([expit(X @ beta) for _, X in _chunks(design, held)])
    raise SynthpopError(
        f"the propensity model did not converge in {MOST_STEPS} steps; leave out variables that"
        " separate original and release completely"
    )


def _chunks(design: Design, held: Chunks | None) -> Iterable[tuple[slice, Floats]]:
    return held if held is not None else ((rows, design.matrix(rows)) for rows in design.chunks())


def _newton_step(
    design: Design,
    beta: Floats,
    total: Floats,
    n_release: Floats,
    penalty: Floats,
    held: Chunks | None,
) -> Floats:
    information, score = np.diag(penalty), -penalty * beta
    for rows, X in _chunks(design, held):
        p = expit(X @ beta)
        information = information + X.T @ (X * (total[rows] * p * (1 - p))[:, None])
        score = score + X.T @ (n_release[rows] - total[rows] * p)
    step: Floats = linalg.cho_solve(linalg.cho_factor(information), score)
    return step


def _deviance(
    design: Design,
    beta: Floats,
    total: Floats,
    n_release: Floats,
    penalty: Floats,
    held: Chunks | None,
) -> float:
    """Minus twice the log likelihood, with the penalty."""
    value = float(penalty @ beta**2)
    for rows, X in _chunks(design, held):
        eta = X @ beta
        value += 2 * float((total[rows] * np.logaddexp(0, eta) - n_release[rows] * eta).sum())
    return value
