"""How far confidence intervals from synthetic data overlap with those from the original data (Karr
et al. 2006).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..arguments import check_choice
from ..core.arrays import Floats
from ..errors import InputError, warning_once
from ..show.printing import Sections
from ..show.views import Shown
from ..tables.opening import plain_if_frame
from .combining import Combined, numbers_of, positions_by_name

__all__ = ["IntervalOverlap", "ci_overlap"]


@warning_once
def ci_overlap(
    synthetic: Any, original: Any, *, disjoint: Literal["zero", "negative"] = "zero"
) -> IntervalOverlap:
    """How far confidence intervals from synthetic data agree with those from the original data.

    With w the length of the intersection of (L_o, U_o) and (L_s, U_s)::

        I = ( w / (U_o - L_o) + w / (U_s - L_s) ) / 2

    1 means the same interval, 0 no common part. If one interval contains the other, the figure is
    below 1: width matters.

    Parameters
    ----------
    synthetic, original : (low, high), or one such row for each estimand; a `Combined` can be given
        as it is. Estimands that have names in both (a `Combined` of DataFrames, or a DataFrame of
        intervals whose rows are named) belong together by name, and come in the order of
        `original`.
    disjoint : "zero" counts disjoint intervals as 0, as Drechsler and Reiter do; "negative" lets
        the formula fall below 0, further as the distance grows.

    Returns
    -------
    IntervalOverlap
        `each` and their `mean`. An interval of length 0 has no overlap (NaN), and `mean` leaves it
        out; `undefined` counts them.

    Examples
    --------
    >>> ci_overlap((-1, 3), (0, 2)).mean
    0.75
    >>> ci_overlap([(1, 2), (2, 3)], [(0, 4), (0, 1)]).each.tolist()
    [0.625, 0.0]
    """
    check_choice("disjoint", disjoint, ("zero", "negative"))
    originals, synthetics = _matched_intervals(original, synthetic)
    lengths = np.stack([_lengths(originals), _lengths(synthetics)])
    begins = np.maximum(originals[:, 0], synthetics[:, 0])
    ends = np.minimum(originals[:, 1], synthetics[:, 1])
    common = ends - begins
    if disjoint == "zero":
        # disjoint intervals have a negative intersection, which grows with their distance
        common = np.maximum(common, 0.0)
    # an interval of length 0 divides by zero, and is left undefined below
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = common / lengths
        each = np.where((lengths > 0).all(axis=0), shares.mean(axis=0), np.nan)
    return IntervalOverlap(each)


def _matched_intervals(original: Any, synthetic: Any) -> tuple[Floats, Floats]:
    """Both intervals of each estimand, in the order of the original's, shapes (k, 2)."""
    original = plain_if_frame(original, "original")
    synthetic = plain_if_frame(synthetic, "synthetic")
    originals, synthetics = _intervals("original", original), _intervals("synthetic", synthetic)
    names, other_names = _names(original), _names(synthetic)
    if names is not None and other_names is not None:
        synthetics = synthetics[positions_by_name("synthetic", other_names, "original", names)]
    if originals.shape != synthetics.shape:
        raise InputError(
            f"synthetic: has {len(synthetics)} intervals, original has {len(originals)}; give the"
            " same estimands in the same order"
        )
    return originals, synthetics


def _lengths(intervals: Floats) -> Floats:
    return intervals[:, 1] - intervals[:, 0]


def _names(value: Any) -> list[Hashable] | None:
    """Names of estimands; None where they only have numbers."""
    if isinstance(value, Combined):
        numbers = tuple(range(1, len(value.names) + 1))
        return None if value.names == numbers else list(value.names)
    if not isinstance(value, pd.DataFrame) or isinstance(value.index, pd.RangeIndex):
        return None
    return list(value.index)


def _intervals(argument: str, value: Any) -> Floats:
    if isinstance(value, Combined):
        value = value.interval
    intervals = numbers_of(argument, value)
    if intervals.ndim == 1:
        intervals = intervals[None]
    if intervals.ndim != 2 or intervals.shape[1] != 2 or not len(intervals):
        raise InputError(
            f"{argument}: has the shape {intervals.shape}; give (low, high), or one such row for"
            " each estimand"
        )
    turned = np.flatnonzero(intervals[:, 0] > intervals[:, 1])
    if len(turned):
        first = turned[0]
        low, high = intervals[first]
        raise InputError(
            f"{argument}: interval {first + 1} ends at {high:g}, below its start {low:g}; "
            "give (low, high)"
        )
    return intervals


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class IntervalOverlap(Shown):
    """Overlap of confidence intervals, one figure for each estimand: 1 is the same interval, 0 no
    common part.

    Attributes
    ----------
    each : array, NaN where an interval has length 0.
    """

    each: Floats

    @property
    def _known(self) -> Floats:
        return self.each[~np.isnan(self.each)]

    @property
    def mean(self) -> float:
        """Average over the estimands that have an overlap; NaN when none has."""
        if not len(self._known):
            return float("nan")
        return float(self._known.mean())

    @property
    def undefined(self) -> int:
        """Number of estimands without an overlap, because an interval has length 0."""
        return int(np.isnan(self.each).sum())

    def __float__(self) -> float:
        return self.mean

    def _title(self) -> str:
        return "Overlap of confidence intervals"

    def _headline(self, to: int = 1) -> list[str]:
        known = self._known
        without = ""
        if self.undefined:
            without = f", {self.undefined} more undefined (an interval of length 0)"
        spread = ""
        if len(known) > 1:
            spread = f", from {known.min():.3f} to {known.max():.3f}"
        return [
            f"Overlap of confidence intervals (1: the same, 0: disjoint): mean {self.mean:.3f} over"
            f" {len(known)} estimands{spread}{without}"
        ]

    def _sections(self) -> Sections:
        return [self._headline()]

    def _content(self) -> dict[str, Any]:
        return {"mean": self.mean, "undefined": self.undefined, "each": self.each}
