"""Several numbers compared at once: within a radius of the target, by Euclidean or Mahalanobis
distance.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import check_number, listed
from ..core.arrays import Floats, Values
from ..errors import InputError
from .intervals import Boundary, forgiven

__all__ = ["Distance", "Euclidean", "Mahalanobis"]

LEFT = 1e-12  # share of a variance that must remain unexplained by the other columns


@dataclass(frozen=True, slots=True)
class Euclidean:
    """Within `radius` of the target in the plane or space of `columns`, each in its own units.

    Parameters
    ----------
    radius : at least 0.
    columns : numeric synthesised keys; None for all of them that have no interval.

    Examples
    --------
    >>> Euclidean(5, ["age", "children"])
    Euclidean(radius=5.0, columns=('age', 'children'))
    """

    radius: float
    columns: Sequence[Hashable] | None = None

    def __post_init__(self) -> None:
        radius = check_number("distance, radius", self.radius, 0)
        object.__setattr__(self, "radius", radius)
        object.__setattr__(self, "columns", _names(self.columns))

    def whitening(self, original: Floats) -> Floats:
        return np.eye(original.shape[1])

    def __str__(self) -> str:
        return f"Euclidean distance of at most {self.radius:g}"


@dataclass(frozen=True, slots=True, eq=False)
class Mahalanobis:
    """Within `radius` of the target by Mahalanobis distance: sqrt((z - t)' C^-1 (z - t)) <= radius.

    Parameters
    ----------
    radius : at least 0.
    columns : numeric synthesised keys; None for all of them that have no interval.
    covariance : C, in the order of `columns`; None for the covariance (n - 1) of the original
        records that have all of them.

    Examples
    --------
    With variances 4 and 9 a record that is 2 and 3 away is at distance sqrt(1 + 1).

    >>> near = Mahalanobis(1.5, ["age", "children"], [[4, 0], [0, 9]])
    >>> float(np.linalg.norm(near.whitening(np.zeros((0, 2))) @ [2, 3]).round(4))
    1.4142
    """

    radius: float
    columns: Sequence[Hashable] | None = None
    covariance: Any = None

    def __post_init__(self) -> None:
        radius = check_number("distance, radius", self.radius, 0)
        object.__setattr__(self, "radius", radius)
        object.__setattr__(self, "columns", _names(self.columns))
        if self.covariance is not None:
            object.__setattr__(self, "covariance", _checked_covariance(self.covariance))

    def whitening(self, original: Floats) -> Floats:
        """The matrix that turns Mahalanobis distances into Euclidean ones."""
        size = original.shape[1]
        covariance = self.covariance
        if covariance is None:
            covariance = _covariance_of(original)
        if covariance.shape != (size, size):
            raise InputError(
                f"distance: the covariance has the shape {covariance.shape}, the distance is over"
                f" {size} columns; give a {size} by {size} matrix"
            )
        factor = _lower_triangle(covariance)
        inverse: Values = np.linalg.inv(factor)
        return inverse

    def __str__(self) -> str:
        return f"Mahalanobis distance of at most {self.radius:g}"


Distance = Euclidean | Mahalanobis


def _names(columns: Any) -> tuple[Hashable, ...] | None:
    return None if columns is None else tuple(listed(columns))


def _covariance_of(original: Floats) -> Floats:
    """The covariance (n - 1) of the rows without gaps."""
    size = original.shape[1]
    with_gaps = np.isnan(original).any(axis=1)
    complete = original[~with_gaps]
    if len(complete) < 2:
        raise InputError(
            "distance: fewer than two original records have all of its columns, so there is"
            " no covariance; give one: Mahalanobis(radius, columns, covariance)"
        )
    covariance: Floats = np.cov(complete, rowvar=False, ddof=1)
    return covariance.reshape(size, size)


def _checked_covariance(covariance: Any) -> Floats:
    try:
        matrix = np.array(covariance, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"distance: the covariance {covariance!r} is not a matrix of numbers"
        ) from None
    if not _is_symmetric(matrix):
        raise InputError(
            "distance: the covariance must be a square symmetric matrix of finite numbers, not"
            f" {covariance!r}"
        )
    _lower_triangle(matrix)
    return matrix


def _is_symmetric(matrix: Floats) -> bool:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        return False
    return bool(np.isfinite(matrix).all()) and np.allclose(matrix, matrix.T)


def _lower_triangle(covariance: Floats) -> Floats:
    """The Cholesky factor. A variable that the others determine almost completely makes distances
    meaningless.
    """
    variances = np.diag(covariance)
    if (variances < 0).any():
        raise InputError(
            f"distance: the covariance has the negative variance {variances.min():g} on its"
            " diagonal; give variances and covariances, in the order of the columns"
        )
    try:
        factor: Values = np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        factor = np.zeros_like(covariance)
    unexplained = np.diag(factor) ** 2
    if (unexplained <= LEFT * variances).any():
        raise InputError(
            "distance: the covariance is not positive definite (a column is constant, or follows"
            " from the others); leave that column out"
        )
    return factor


def squared_reach(whitened: Floats, radius: float, boundary: Boundary) -> Floats:
    """The largest squared distance that matches, for each target (rows of `whitened`)."""
    sizes = np.sqrt((whitened**2).sum(axis=1))
    slack = forgiven(sizes, radius)
    if boundary == "closed":
        return (radius + slack) ** 2
    return np.where(radius > slack, (radius - slack) ** 2, -1.0)
