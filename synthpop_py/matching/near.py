"""How near a number must be to the target's to count as a match: an interval for each variable, or
a distance over several of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..arguments import check_number, check_whole, is_number, listed
from ..core.arrays import Floats, Integers, Values
from ..errors import InputError

Boundary = Literal["closed", "open"]

# A distance that differs from the radius by no more than this share of the numbers involved is on
# the boundary: 0.8 - 0.5 is 0.3 for a reader, not for a double.
ROUNDING = 1e-12
NEGLIGIBLE = 1e-6  # of a radius
LAST_DIGITS = 4  # units of the last binary place by which a value on an end may miss it
TINY = float(np.finfo(np.float64).tiny)
LEFT = 1e-12  # share of a variance that must remain unexplained by the other columns


@dataclass(frozen=True, slots=True)
class Fixed:
    """Within `radius` of the target's value, in the units of the variable: |z - t| <= radius.

    Examples
    --------
    >>> Fixed(2).radii(np.array([30.0, 60.0]), np.array([30.0, 60.0])).tolist()
    [2.0, 2.0]
    """

    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", check_number("intervals, radius", self.radius, 0))

    def radii(self, targets: Floats, original: Floats) -> Floats:
        return np.full(targets.size, self.radius)

    def __str__(self) -> str:
        return f"± {self.radius:g}"


@dataclass(frozen=True, slots=True)
class Relative:
    """Within a share of the target's value: |z - t| <= share * |t|. The share is below 1; a target
    of 0 matches only 0.

    Examples
    --------
    >>> Relative(0.1).radii(np.array([-50.0, 200.0]), np.array([-50.0, 200.0])).tolist()
    [5.0, 20.0]
    """

    share: float

    def __post_init__(self) -> None:
        share = check_number("intervals, share", self.share, 0, 1, open_high=True)
        object.__setattr__(self, "share", share)

    def radii(self, targets: Floats, original: Floats) -> Floats:
        return self.share * np.abs(targets)

    def __str__(self) -> str:
        return f"± {100 * self.share:g} % of the target's value"


@dataclass(frozen=True, slots=True)
class QuantileSD:
    """Drechsler and Reiter's rule: within the standard deviation (n - 1) of the target's quantile
    group of the original values.

    Cut points are quantiles of R's type 7, groups are closed on the right, equal cut points are
    one. A group of one value or none needs an exact match. The authors cut the cube root of the
    size: an increasing function does not change the groups.

    Examples
    --------
    Two groups of 1, 2, 3, 10, 20, 30: the cut point is 6.5, the standard deviations are 1 and 10.

    >>> sizes = np.array([1.0, 2, 3, 10, 20, 30])
    >>> QuantileSD(2).radii(np.array([2.0, 30.0]), sizes).tolist()
    [1.0, 10.0]
    """

    groups: int = 20

    def __post_init__(self) -> None:
        object.__setattr__(self, "groups", check_whole("intervals, groups", self.groups, 1))

    def radii(self, targets: Floats, original: Floats) -> Floats:
        group = self.sections(original, original)
        size = np.bincount(group, minlength=self.groups)
        mean = np.bincount(group, original, self.groups) / np.maximum(size, 1)
        squares = np.bincount(group, (original - mean[group]) ** 2, self.groups)
        deviation = np.sqrt(squares / np.maximum(size - 1, 1))
        return deviation[self.sections(targets, original)]

    def sections(self, targets: Floats, original: Floats) -> Integers:
        """The group of each target."""
        if not original.size:
            return np.zeros(targets.size, dtype=np.int64)
        ordered = np.sort(original)
        last = ordered.size - 1
        below, rest = np.divmod(last * np.arange(1, self.groups), self.groups)
        lower = ordered[below]
        upper = ordered[np.minimum(below + 1, last)]
        cuts = lower + (upper - lower) * (rest / self.groups)
        # a target of the intruder's own may lie on a cut but for rounding; an original value never
        # lies between the one below and the one above
        forgiving = cuts + LAST_DIGITS * np.spacing(np.abs(cuts))
        inner = np.minimum(forgiving, np.nextafter(upper, lower))
        between = (rest > 0) & (upper > lower)
        cuts = np.unique(np.where(between, inner, lower))
        return np.searchsorted(cuts, targets, side="left")

    def __str__(self) -> str:
        return f"± the standard deviation of its quantile group ({self.groups} groups)"


Interval = Fixed | Relative | QuantileSD


def interval_of(name: Any, interval: Any) -> Interval:
    """An interval as the user may write it: one of the classes, a number for a fixed radius, or
    "drechsler-reiter".
    """
    if isinstance(interval, (Fixed, Relative, QuantileSD)):
        return interval
    if is_number(interval):
        return Fixed(check_number(f"intervals[{name!r}]", interval, 0))
    if isinstance(interval, str) and interval == "drechsler-reiter":
        return QuantileSD()
    raise InputError(
        f"intervals[{name!r}]: {interval!r} cannot be used; choices: a radius of at least 0,"
        " Fixed(radius), Relative(share), QuantileSD(groups), 'drechsler-reiter'"
    )


def bounds(targets: Floats, radii: Floats, boundary: Boundary) -> tuple[Floats, Floats]:
    """Lowest and highest value that match, both included; an open interval stops just short of its
    ends.
    """
    slack = _forgiven(np.abs(targets), radii)
    if boundary == "closed":
        reach = radii + slack
        return targets - reach, targets + reach
    reach = radii - slack
    # for large numbers doubles are too coarse for the slack: the ends themselves still stay out
    lowest = np.maximum(targets - reach, np.nextafter(targets - radii, np.inf))
    highest = np.minimum(targets + reach, np.nextafter(targets + radii, -np.inf))
    return lowest, highest


def _forgiven(sizes: Floats, radii: Floats | float) -> Floats:
    """How far from an end a value may be because of rounding: relative to the numbers, but never
    enough to matter beside the radius, or between whole numbers, unless doubles of that size are no
    finer.
    """
    whole = (np.trunc(sizes) == sizes) & (np.trunc(radii) == radii)
    span = sizes + radii
    beside_radius = np.where(whole, NEGLIGIBLE, NEGLIGIBLE * radii)
    fineness = np.where(whole, 0.0, 4 * np.spacing(span))
    most = np.maximum(beside_radius, fineness)
    return np.minimum(ROUNDING * span, most) + TINY


@dataclass(frozen=True, slots=True)
class Euclidean:
    """Within `radius` of the target in the plane or space of `columns`, each in its own units:
    numeric synthesised keys; None for all of them that have no interval.

    Examples
    --------
    >>> Euclidean(5, ["age", "children"])
    Euclidean(radius=5.0, columns=('age', 'children'))
    """

    radius: float
    columns: Sequence[Hashable] | None = None

    def __post_init__(self) -> None:
        _check_distance(self)

    def whitening(self, original: Floats) -> Floats:
        return np.eye(original.shape[1])

    def __str__(self) -> str:
        return f"Euclidean distance of at most {self.radius:g}"


@dataclass(frozen=True, slots=True, eq=False)
class Mahalanobis:
    """Within `radius` of the target by Mahalanobis distance over `columns`, as for `Euclidean`:
    sqrt((z - t)' C^-1 (z - t)) <= radius. `covariance` is C, in the order of the columns; None for
    the covariance (n - 1) of the original records that have all of them.

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
        _check_distance(self)
        if self.covariance is not None:
            _lower_triangle(self.covariance, len(self.covariance))

    def whitening(self, original: Floats) -> Floats:
        """The matrix that turns Mahalanobis distances into Euclidean ones."""
        size = original.shape[1]
        covariance = self.covariance
        if covariance is None:
            complete = original[np.isfinite(original).all(axis=1)]
            few = len(complete) < 2
            covariance = np.zeros((size, size)) if few else np.cov(complete, rowvar=False)
        inverse: Values = np.linalg.inv(_lower_triangle(covariance, size))
        return inverse

    def __str__(self) -> str:
        return f"Mahalanobis distance of at most {self.radius:g}"


Distance = Euclidean | Mahalanobis


def _check_distance(distance: Distance) -> None:
    radius = check_number("distance, radius", distance.radius, 0)
    object.__setattr__(distance, "radius", radius)
    if distance.columns is not None:
        object.__setattr__(distance, "columns", tuple(listed(distance.columns)))


def _lower_triangle(covariance: Any, size: int) -> Floats:
    """The Cholesky factor. A variable that the others determine almost completely makes distances
    meaningless.
    """
    try:
        matrix = np.array(covariance, dtype=np.float64).reshape(size, size)
        factor: Values = np.linalg.cholesky(matrix)
    except (TypeError, ValueError, np.linalg.LinAlgError):
        matrix = factor = np.zeros((1, 1))
    unexplained = np.diag(factor) ** 2
    if not np.allclose(matrix, matrix.T) or not (unexplained > LEFT * np.diag(matrix)).all():
        raise InputError(
            f"distance: needs a symmetric, positive definite matrix of covariances, {size} by"
            f" {size}; leave out columns that are constant or follow from others, and give one"
            " where fewer than two original records have all columns"
        )
    return factor


def squared_reach(whitened: Floats, radius: float, boundary: Boundary) -> Floats:
    """The largest squared distance that matches, for each target (rows of `whitened`)."""
    slack = _forgiven(np.sqrt((whitened**2).sum(axis=1)), radius)
    if boundary == "closed":
        return (radius + slack) ** 2
    return np.where(radius > slack, (radius - slack) ** 2, -1.0)
