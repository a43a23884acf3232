"""Linear regression, and what a design determines. Arrays in, arrays out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import Flags, Floats

# a direction about which the data say less than this share of the best-known one is not determined
# by them
FLAT = 1e-10
# share of a coefficient that the data must leave open for it to count as not determined
OPEN = 1e-6


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
    """Least squares with a ridge on all coefficients but the intercept, which is column 0.

    >>> design = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> fit_linear(design, np.array([1.0, 3.0, 5.0]), 0.0).coefficients.round(9).tolist()
    [1.0, 2.0]
    """
    records, width = design.shape
    # around the means the intercept drops out, so the ridge does not shrink it
    centre = design[:, 1:].mean(axis=0)
    centred = design[:, 1:] - centre
    level = response.mean()
    moment = centred.T @ centred + ridge * np.eye(width - 1)
    slopes_inverse = symmetric_inverse(moment)
    slopes = slopes_inverse @ (centred.T @ (response - level))
    residuals = response - level - centred @ slopes
    df = max(records - width, 1)
    variance = float(residuals @ residuals) / df
    return LinearFit(
        coefficients=np.concatenate([[level - centre @ slopes], slopes]),
        inverse=_with_intercept(slopes_inverse, centre, records),
        variance=max(variance, 1e-300),
        df=df,
    )


def _with_intercept(slopes_inverse: Floats, centre: Floats, records: int) -> Floats:
    """The inverse for slopes with a row and a column for the intercept in front."""
    width = len(centre) + 1
    inverse = np.empty((width, width))
    inverse[1:, 1:] = slopes_inverse
    inverse[0, 1:] = inverse[1:, 0] = -slopes_inverse @ centre
    inverse[0, 0] = 1 / records + centre @ slopes_inverse @ centre
    return inverse


def determined(design: Floats) -> tuple[Flags, int]:
    """Which coefficients the design determines, bool of shape (p,), and its rank. Column 0 is the
    intercept.

    A level without records, or the same variable twice, leaves coefficients open. A coefficient is
    determined when no combination of coefficients that changes no prediction contains it.

    >>> flags, rank = determined(np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 1.0], [1.0, 2.0, 2.0]]))
    >>> flags.tolist(), rank
    ([True, False, False], 2)
    """
    centre = design[:, 1:].mean(axis=0)
    centred = design[:, 1:] - centre
    scale = np.sqrt((centred**2).sum(axis=0))
    # a column that varies by rounding alone is constant
    scale[scale <= 1e-12 * np.abs(centre)] = 0
    varies = scale > 0
    scaled = np.divide(centred, scale, out=np.zeros_like(centred), where=varies)
    moment = scaled.T @ scaled
    seen = symmetric_inverse(moment) @ moment  # projects on what the data can see
    unseen = np.eye(len(moment)) - seen
    shift = centre / np.where(varies, scale, 1)
    most = OPEN * max(1.0, float(np.linalg.norm(shift)))
    intercept = np.linalg.norm(unseen @ shift) <= most
    rank = 1 + round(float(np.trace(seen)))
    return np.concatenate([[intercept], np.diag(unseen) <= OPEN]), rank


def symmetric_inverse(matrix: Floats) -> Floats:
    """The inverse; directions the data do not determine get 0."""
    import scipy

    if not len(matrix):
        return matrix
    values, vectors = scipy.linalg.eigh(matrix)
    good = values > FLAT * max(values[-1], 0)
    inverse: Floats = (vectors[:, good] / values[good]) @ vectors[:, good].T
    return inverse
