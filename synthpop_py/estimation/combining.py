"""What several synthetic sets say together: combining rules for one- and two-stage releases (Reiter
2003; Reiter and Drechsler 2010; the notation is that of Drechsler and Reiter 2009), and how far
confidence intervals from a release overlap with those of the original data (Karr et al. 2006).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..arguments import check_choice, check_number
from ..core.arrays import Floats
from ..errors import InputError, warning_once
from ..show.printing import Sections, Table
from ..show.views import Shown
from ..tables.opening import plain_if_frame

DIGITS = 4
FIGURES = ("estimate", "T", "df", "low", "high", "between", "within")


@warning_once
def combine(q: Any, v: Any, *, level: float = 0.95) -> Combined:
    """Combine estimates from m partially synthetic data sets (one stage).

    With point estimates q_1..q_m and their variance estimates v_1..v_m, as if each set were the
    genuine data::

        estimate = mean(q)      b = sum (q_i - estimate)^2 / (m - 1)      vbar = mean(v)
        T = vbar + b / m        df = (m - 1) (1 + m vbar / b)^2

    and the interval is estimate ± t(df) sqrt(T). The rule differs from that for missing data, where
    b has the factor 1 + 1/m. With b = 0 (all sets agree) the interval is normal.

    Parameters
    ----------
    q, v : m numbers, or an array or DataFrame with one row for each of two synthetic sets or more,
        and one column for each estimand. Columns of two DataFrames belong together by name.
        Variances, not standard errors.
    level : confidence level of the interval.

    Examples
    --------
    >>> result = combine([1, 1.2, 0.9], [0.04, 0.05, 0.045])
    >>> round(result.T, 6), round(result.df, 4)  # 19/360 and 9025/98
    (0.052778, 92.0918)
    >>> round(result.low, 5), round(result.high, 5)
    (0.57707, 1.4896)
    """
    return _combined(q, v, 1, level)


@warning_once
def combine_two_stage(q: Any, v: Any, *, level: float = 0.95) -> Combined:
    """Combine estimates from a two-stage release: m nests of r synthetic sets each.

    The rule is that of `combine` with the mean of each nest in place of the estimate of each set,
    and vbar the mean of all variances. Differences between the sets of one nest do not matter.

    Parameters
    ----------
    q, v : arrays of shape (m, r), or (m, r, k) for k estimands. Variances, not standard errors.
    level : confidence level of the interval.

    Examples
    --------
    Nest means 1 and 2, so b = 1/2 and T = 1 + 1/4:

    >>> result = combine_two_stage([[0.5, 1.5], [2, 2]], [[1, 1], [1, 1]])
    >>> result.estimate, result.between, result.T, result.df
    (1.5, 0.5, 1.25, 25.0)
    """
    return _combined(q, v, 2, level)


def check_level(level: Any) -> float:
    return check_number("level", level, 0, 1, open_low=True, open_high=True)


def _combined(q: Any, v: Any, dimensions: int, level: Any) -> Combined:
    """The rules, for all estimands at once; estimates in one dimension (sets of one stage) or two
    (nests and their sets).
    """
    q, v = plain_if_frame(q, "q"), plain_if_frame(v, "v")
    framed = [one for one in (q, v) if dimensions == 1 and isinstance(one, pd.DataFrame)]
    if len(framed) == 2:
        # two tools may list the estimands in different orders; the names say what belongs together
        v = v.iloc[:, _places("v", list(v.columns), "q", list(q.columns))]
    points, variances = _numbers_of("q", q), _numbers_of("v", v)
    _check_shapes(points, variances, dimensions)
    level = check_level(level)
    m = len(points)
    r = 1 if dimensions == 1 else points.shape[1]
    is_one_number = points.ndim == dimensions
    points, variances = points.reshape(m, r, -1), variances.reshape(m, r, -1)
    nests = points.mean(axis=1)
    estimate = nests.mean(axis=0)
    # equal estimates have no variance, which a mean that is rounded would hide
    squares = ((nests - estimate) ** 2).sum(axis=0)
    between = np.where((nests == nests[0]).all(axis=0), 0.0, squares / (m - 1))
    within = variances.mean(axis=(0, 1))
    # the original is complete, so b comes only from drawing m sets; with missing data, where values
    # are unknown, it counts once more
    total = within + between / m
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        df = np.where(between > 0, (m - 1) * (1 + m * within / between) ** 2, np.inf)
    half = _quantile(df, level) * np.sqrt(total)
    values: Any = (estimate, total, df, estimate - half, estimate + half, between, within)
    if is_one_number:
        values = [float(value[0]) for value in values]
    names = tuple(framed[0].columns) if framed else tuple(range(1, len(estimate) + 1))
    return Combined(**dict(zip(FIGURES, values)), m=m, r=r, level=level, names=names)


def _quantile(df: Floats, level: float) -> Floats:
    """Of the t distribution, at the upper end of a central interval; of the normal where the
    degrees of freedom are infinite.
    """
    import scipy

    probability = (1 + level) / 2
    of_t: Floats = scipy.special.stdtrit(np.where(np.isinf(df), 1, df), probability)
    return np.where(np.isinf(df), scipy.special.ndtri(probability), of_t)


def _check_shapes(points: Floats, variances: Floats, dimensions: int) -> None:
    if points.shape != variances.shape:
        raise InputError(
            f"v: has the shape {variances.shape}, q has {points.shape}; give one variance for"
            " each estimate"
        )
    if points.ndim not in (dimensions, dimensions + 1) or points.size == 0:
        sets = "(m,), or (m, k) for k estimands"
        if dimensions == 2:
            sets = "(m, r) for m nests of r sets, or (m, r, k) for k estimands"
        raise InputError(f"q: has the shape {points.shape}; give {sets}")
    if points.shape[0] < 2:
        what = "synthetic set" if dimensions == 1 else "nest"
        raise InputError(
            f"q: comes from one {what}, and the variance between {what}s cannot be estimated from"
            " one; give at least two"
        )
    if (variances < 0).any():
        raise InputError(f"v: holds the negative value {variances.min():g}; give variances")


def _places(argument: str, names: list[Hashable], other: str, wanted: list[Hashable]) -> list[int]:
    """Where each wanted estimand is among the names of an argument."""
    if names == wanted:
        return list(range(len(names)))
    if len(set(names)) < len(names) or sorted(names, key=str) != sorted(wanted, key=str):
        raise InputError(
            f"{argument}: its estimands are {', '.join(map(str, names))}, those of {other} are"
            f" {', '.join(map(str, wanted))}; give both the same names, each once"
        )
    return [names.index(name) for name in wanted]


def _numbers_of(argument: str, values: Any) -> Floats:
    """The value of an argument as an array of finite numbers."""
    try:
        numbers = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{argument}: cannot be read as numbers in rows of equal length") from None
    unusable = int((~np.isfinite(numbers)).sum())
    if unusable:
        raise InputError(
            f"{argument}: holds {unusable} values that are missing or infinite; every"
            " set needs an estimate and its variance"
        )
    return numbers


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Combined(Shown):
    """The combined estimate from several partially synthetic data sets. Numbers for one estimand,
    arrays of equal length for several.

    Attributes
    ----------
    estimate : mean over all sets.
    T : variance of the estimate, within + between / m.
    df : degrees of freedom of the t distribution; infinite where between is 0.
    low, high : ends of the confidence interval.
    between : variance of the m estimates, or of the m nest means (b).
    within : mean of the variances (vbar).
    m : sets, or nests in a two-stage release.
    r : sets of each nest, 1 in one stage.
    level : of the confidence interval.
    names : of the estimands, the columns of `q` or `v` where one was a DataFrame, otherwise 1, 2,
        ...
    """

    estimate: Any
    T: Any
    df: Any
    low: Any
    high: Any
    between: Any
    within: Any
    m: int
    r: int
    level: float
    names: tuple[Hashable, ...]

    @property
    def interval(self) -> Floats:
        """Ends of the confidence interval, shape (2,) for one estimand and (k, 2) for several: what
        `ci_overlap` takes.
        """
        return np.stack([self.low, self.high], axis=-1)

    def tidy(self) -> pd.DataFrame:
        """One row for each estimand: estimand, estimate, T, df, low, high, between, within, m, r,
        level.
        """
        columns: dict[str, Any] = {"estimand": pd.Series(list(self.names), dtype=object)}
        for name in FIGURES:
            columns[name] = np.atleast_1d(getattr(self, name))
        return pd.DataFrame({**columns, "m": self.m, "r": self.r, "level": self.level})

    def _head(self) -> str:
        sets = f"{self.m} nests of {self.r} synthetic sets"
        if self.r == 1:
            sets = f"{self.m} synthetic sets"
        return (
            f"Combined from {sets}; T is the variance of the estimate, low and high end the"
            f" {100 * self.level:g} % interval"
        )

    def _title(self) -> str:
        return "Combined estimates"

    def _headline(self, to: int = 1) -> list[str]:
        number = len(self.names)
        return [f"{number} {'estimand' if number == 1 else 'estimands'}. {self._head()}."]

    def _sections(self) -> Sections:
        frame = self.tidy().set_index("estimand")[["estimate", "T", "df", "low", "high"]]
        return [[self._head(), Table(frame, self._title(), digits=DIGITS, titled=False)]]

    def _content(self) -> dict[str, Any]:
        estimands = self.tidy().drop(columns=["m", "r", "level"])
        return {"estimands": estimands, "m": self.m, "r": self.r}

    def _arguments(self) -> dict[str, Any]:
        return {"level": self.level}


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
        as it is. Estimands that have names in both (a `Combined`, or a DataFrame of intervals whose
        rows are named) belong together by name.
    disjoint : "zero" counts disjoint intervals as 0, as Drechsler and Reiter do; "negative" lets
        the formula fall below 0, further as the distance grows.

    Examples
    --------
    >>> ci_overlap((-1, 3), (0, 2)).mean
    0.75
    >>> ci_overlap([(1, 2), (2, 3)], [(0, 4), (0, 1)]).each.tolist()
    [0.625, 0.0]
    """
    check_choice("disjoint", disjoint, ("zero", "negative"))
    originals, names = _intervals("original", original)
    synthetics, other_names = _intervals("synthetic", synthetic)
    if names is not None and other_names is not None:
        synthetics = synthetics[_places("synthetic", other_names, "original", names)]
    if originals.shape != synthetics.shape:
        raise InputError(
            f"synthetic: has {len(synthetics)} intervals, original has {len(originals)}; give the"
            " same estimands in the same order"
        )
    lengths = np.stack([intervals[:, 1] - intervals[:, 0] for intervals in (originals, synthetics)])
    begins = np.maximum(originals[:, 0], synthetics[:, 0])
    common = np.minimum(originals[:, 1], synthetics[:, 1]) - begins
    if disjoint == "zero":
        # disjoint intervals have a negative intersection, which grows with their distance
        common = np.maximum(common, 0.0)
    # an interval of length 0 divides by zero, and is left undefined below
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = common / lengths
        each = np.where((lengths > 0).all(axis=0), shares.mean(axis=0), np.nan)
    return IntervalOverlap(each)


def _intervals(argument: str, value: Any) -> tuple[Floats, list[Hashable] | None]:
    """Intervals, shape (k, 2), and the names of their estimands; None where they only have
    numbers.
    """
    value = plain_if_frame(value, argument)
    names: list[Hashable] | None = None
    if isinstance(value, Combined):
        if value.names != tuple(range(1, len(value.names) + 1)):
            names = list(value.names)
        value = value.interval
    elif isinstance(value, pd.DataFrame) and not isinstance(value.index, pd.RangeIndex):
        names = list(value.index)
    intervals = np.atleast_2d(_numbers_of(argument, value))
    if intervals.ndim != 2 or intervals.shape[1] != 2:
        raise InputError(
            f"{argument}: has the shape {intervals.shape}; give (low, high), or one such row for"
            " each estimand"
        )
    turned = np.flatnonzero(intervals[:, 0] > intervals[:, 1])
    if len(turned):
        low, high = intervals[turned[0]]
        raise InputError(
            f"{argument}: interval {turned[0] + 1} ends at {high:g}, below its start {low:g}; "
            "give (low, high)"
        )
    return intervals, names


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
    def mean(self) -> float:
        """Average over the estimands that have an overlap; NaN when none has."""
        return float(pd.Series(self.each).mean())

    @property
    def undefined(self) -> int:
        """Number of estimands without an overlap, because an interval has length 0."""
        return int(np.isnan(self.each).sum())

    def __float__(self) -> float:
        return self.mean

    def _title(self) -> str:
        return "Overlap of confidence intervals"

    def _headline(self, to: int = 1) -> list[str]:
        known = len(self.each) - self.undefined
        said = f"mean {self.mean:.3f} over {known} estimands"
        if known > 1:
            said += f", from {np.nanmin(self.each):.3f} to {np.nanmax(self.each):.3f}"
        if self.undefined:
            said += f", {self.undefined} more undefined (an interval of length 0)"
        return [f"Overlap of confidence intervals (1: the same, 0: disjoint): {said}"]

    def _sections(self) -> Sections:
        return [self._headline()]

    def _content(self) -> dict[str, Any]:
        return {"mean": self.mean, "undefined": self.undefined, "each": self.each}
