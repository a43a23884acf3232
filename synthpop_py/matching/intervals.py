"""How near a number must be to the target's to count as a match: an interval for each variable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..arguments import check_number, check_whole, is_number
from ..core.arrays import Floats, Integers
from ..errors import InputError

__all__ = ["Boundary", "Fixed", "Interval", "QuantileSD", "Relative"]

Boundary = Literal["closed", "open"]

# A distance that differs from the radius by no more than this share of the numbers involved is on
# the boundary: 0.8 - 0.5 is 0.3 for a reader, not for a double.
ROUNDING = 1e-12
NEGLIGIBLE = 1e-6  # of a radius
LAST_DIGITS = 4  # units of the last binary place by which a value on an end may miss it
TINY = float(np.finfo(np.float64).tiny)


class _OneSection:
    """A rule that is the same all over the range of the values."""

    __slots__ = ()

    def sections(self, targets: Floats, original: Floats) -> Integers:
        return np.zeros(len(targets), dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Fixed(_OneSection):
    """Within `radius` of the target's value, in the units of the variable: |z - t| <= radius.

    Examples
    --------
    >>> Fixed(2).radii(np.array([30.0, 60.0]), np.array([30.0, 60.0])).tolist()
    [2.0, 2.0]
    """

    radius: float

    def __post_init__(self) -> None:
        radius = check_number("intervals, radius", self.radius, 0)
        object.__setattr__(self, "radius", radius)

    def radii(self, targets: Floats, original: Floats) -> Floats:
        return np.full(len(targets), self.radius)

    def __str__(self) -> str:
        return f"± {self.radius:g}"


@dataclass(frozen=True, slots=True)
class Relative(_OneSection):
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
    """Drechsler and Reiter's rule: within the standard deviation of the target's quantile group of
    the original values.

    Cut points are quantiles of R's type 7, groups are closed on the right, equal cut points are
    one. The standard deviation divides by n - 1; a group of one record, of one value, or (for a
    target who is not in the file) of none has 0 and needs an exact match. The authors cut the cube
    root of the size: an increasing function does not change the groups.

    Examples
    --------
    Two groups of 1, 2, 3, 10, 20, 30: the cut point is 6.5, the standard deviations are 1 and 10.

    >>> sizes = np.array([1.0, 2, 3, 10, 20, 30])
    >>> QuantileSD(2).radii(np.array([2.0, 30.0]), sizes).tolist()
    [1.0, 10.0]
    """

    groups: int = 20

    def __post_init__(self) -> None:
        groups = check_whole("intervals, groups", self.groups, 1)
        object.__setattr__(self, "groups", groups)

    def sections(self, targets: Floats, original: Floats) -> Integers:
        """The group of each target."""
        return np.searchsorted(self._cuts(original), targets, side="left")

    def radii(self, targets: Floats, original: Floats) -> Floats:
        cuts = self._cuts(original)
        groups = len(cuts) + 1
        group = np.searchsorted(cuts, original, side="left")
        size = np.bincount(group, minlength=groups)
        mean = np.bincount(group, original, groups) / np.maximum(size, 1)
        squares = np.bincount(group, (original - mean[group]) ** 2, groups)
        deviation = np.sqrt(squares / np.maximum(size - 1, 1))
        return deviation[np.searchsorted(cuts, targets, side="left")]

    def _cuts(self, original: Floats) -> Floats:
        """The quantiles between the groups, ascending, each once."""
        if not len(original):
            return np.zeros(0)
        ordered = np.sort(original)
        last = len(ordered) - 1
        below, rest = np.divmod(last * np.arange(1, self.groups), self.groups)
        lower = ordered[below]
        upper = ordered[np.minimum(below + 1, last)]
        cuts = lower + (upper - lower) * (rest / self.groups)
        # a target of the intruder's own may lie on a cut but for rounding; an original value never
        # lies between the one below and the one above
        forgiving = cuts + LAST_DIGITS * np.spacing(np.abs(cuts))
        between = (rest > 0) & (upper > lower)
        return np.unique(
            np.where(between, np.minimum(forgiving, np.nextafter(upper, lower)), lower)
        )

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
        radius = check_number(f"intervals[{name!r}]", interval, 0)
        return Fixed(radius)
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
    slack = forgiven(np.abs(targets), radii)
    if boundary == "closed":
        reach = radii + slack
        return targets - reach, targets + reach
    reach = radii - slack
    # for large numbers doubles are too coarse for the slack: the ends themselves still stay out
    above_lower_end = np.nextafter(targets - radii, np.inf)
    below_upper_end = np.nextafter(targets + radii, -np.inf)
    lowest = np.maximum(targets - reach, above_lower_end)
    highest = np.minimum(targets + reach, below_upper_end)
    return lowest, highest


def forgiven(sizes: Floats, radii: Floats | float) -> Floats:
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
