"""Inference from partially synthetic data: combining rules for one- and two-stage releases, and the
overlap of confidence intervals.

Reiter (2003) for one stage, Reiter and Drechsler (2010) for two, Karr et al. (2006) for the
overlap; the notation is that of Drechsler and Reiter (2009).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import special

from ..arguments import check_choice, check_number
from ..core.arrays import Floats
from ..errors import InputError
from ..names import named_arguments
from ..show import Document, Shown, fill
from ..spellings import r_names_too

__all__ = ["Combined", "IntervalOverlap", "ci_overlap", "combine", "combine_two_stage"]

DIGITS = 4


# ---- combining rules -----------------------------------------------------------------


@named_arguments()
def combine(q: Any, v: Any, *, level: float = 0.95) -> Combined:
    """Combine estimates from m partially synthetic data sets (one stage).

    With point estimates q_1..q_m and their variance estimates v_1..v_m, as if each set were the
    genuine data::

        estimate = mean(q)      b = sum (q_i - estimate)^2 / (m - 1)      vbar = mean(v)
        T = vbar + b / m        df = (m - 1) (1 + m vbar / b)^2

    and the interval is estimate ± t(df) sqrt(T). The rule differs from that for missing data, where
    b has the factor 1 + 1/m.

    Parameters
    ----------
    q, v : m numbers, or an array or DataFrame with one row for each synthetic set and one column
        for each estimand. Columns of two DataFrames belong together by name, whatever their order.
        Variances, not standard errors.
    level : probability that the confidence interval stands for.

    Returns
    -------
    Combined
        Numbers where one estimand was given, arrays where several were.

    Notes
    -----
    b = 0 (all sets agree) gives infinite degrees of freedom and the normal interval, vbar = 0 gives
    m - 1 degrees of freedom. One set alone says nothing about the variance between sets: m = 1 is
    an error, not b = 0.

    Examples
    --------
    >>> result = combine([1, 1.2, 0.9], [0.04, 0.05, 0.045])
    >>> round(result.T, 6), round(result.df, 4)  # 19/360 and 9025/98
    (0.052778, 92.0918)
    >>> round(result.low, 5), round(result.high, 5)
    (0.57707, 1.4896)
    """
    estimates, variances, names = _read(q, v, dimensions=1)
    return _combined(
        estimates[:, None], variances[:, None], names, _level(level), scalar=np.ndim(q) == 1
    )


@named_arguments()
def combine_two_stage(q: Any, v: Any, *, level: float = 0.95) -> Combined:
    """Combine estimates from a two-stage release: m nests of r synthetic sets each.

    The rule is that of `combine`, with the mean of each nest in the place of the estimate of each
    set::

        estimate = mean of all q_ij   b = variance of the m nest means   vbar = mean of all v_ij
        T = vbar + b / m              df = (m - 1) (1 + m vbar / b)^2

    How the sets of one nest differ among themselves does not enter. With r = 1 the result is that
    of `combine`.

    Parameters
    ----------
    q, v : arrays of shape (m, r), or (m, r, k) for k estimands. Variances, not standard errors.
    level : probability that the confidence interval stands for.

    Examples
    --------
    Nest means 1 and 2, so b = 1/2 and T = 1 + 1/4:

    >>> result = combine_two_stage([[0.5, 1.5], [2, 2]], [[1, 1], [1, 1]])
    >>> result.estimate, result.between, result.T, result.df
    (1.5, 0.5, 1.25, 25.0)
    """
    estimates, variances, names = _read(q, v, dimensions=2)
    return _combined(estimates, variances, names, _level(level), scalar=np.ndim(q) == 2)


def _level(level: Any) -> float:
    return check_number("level", level, 0, 1, open_low=True, open_high=True)


def _read(q: Any, v: Any, dimensions: int) -> tuple[Floats, Floats, tuple[Hashable, ...]]:
    """Estimates and variances as arrays (sets..., estimands), with the names of the estimands."""
    if dimensions == 1 and isinstance(q, pd.DataFrame) and isinstance(v, pd.DataFrame):
        v = v.iloc[:, _places("v", list(v.columns), "q", list(q.columns))]
    estimates, variances = _numbers("q", q), _numbers("v", v)
    if estimates.shape != variances.shape:
        raise InputError(
            f"v: has the shape {variances.shape}, q has {estimates.shape}; give one variance for"
            " each estimate"
        )
    if estimates.ndim not in (dimensions, dimensions + 1):
        sets = (
            "(m,), or (m, k) for k estimands"
            if dimensions == 1
            else "(m, r) for m nests of r sets, or (m, r, k) for k estimands"
        )
        raise InputError(f"q: has the shape {estimates.shape}; give {sets}")
    if estimates.size == 0:
        raise InputError(
            f"q: is empty, its shape is {estimates.shape}; give at least one estimate from each set"
        )
    if estimates.shape[0] < 2:
        what = "synthetic set" if dimensions == 1 else "nest"
        raise InputError(
            f"q: comes from one {what}, and the variance between {what}s cannot be estimated from"
            " one; give at least two"
        )
    if (variances < 0).any():
        raise InputError(f"v: holds the negative value {variances.min():g}; give variances")
    if estimates.ndim == dimensions:
        estimates, variances = estimates[..., None], variances[..., None]
    count = estimates.shape[-1]
    named = [frame for frame in (q, v) if isinstance(frame, pd.DataFrame) and dimensions == 1]
    return estimates, variances, tuple(named[0].columns) if named else tuple(range(1, count + 1))


def _places(argument: str, names: list[Hashable], other: str, wanted: list[Hashable]) -> list[int]:
    """Where each wanted estimand is among the names of an argument."""
    if names == wanted:
        return list(range(len(names)))
    for one, two, in_one, in_two in (
        (names, wanted, argument, other),
        (wanted, names, other, argument),
    ):
        extra = [name for name in one if name not in two]
        if extra:
            raise InputError(
                f"{argument}: {in_one} has the estimand {extra[0]!r}, {in_two} has not; give both"
                " the same names"
            )
    if len(set(names)) < len(names) or len(names) != len(wanted):
        raise InputError(
            f"{argument}: an estimand is named more than once; give each a name of its own"
        )
    return [names.index(name) for name in wanted]


def _numbers(argument: str, values: Any) -> Floats:
    try:
        numbers = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{argument}: cannot be read as numbers in rows of equal length") from None
    if not np.isfinite(numbers).all():
        raise InputError(
            f"{argument}: holds {int((~np.isfinite(numbers)).sum())} values that are missing or"
            " infinite; every set needs an estimate and its variance"
        )
    return numbers


def _combined(
    estimates: Floats,
    variances: Floats,
    names: tuple[Hashable, ...],
    level: float,
    scalar: bool,
) -> Combined:
    """The rules on arrays of shape (nests, sets of a nest, estimands)."""
    m, r = estimates.shape[:2]
    nests = estimates.mean(axis=1)
    estimate = nests.mean(axis=0)
    # equal estimates have no variance, which a mean that is rounded would hide
    between = np.where(
        (nests == nests[0]).all(axis=0), 0.0, ((nests - estimate) ** 2).sum(axis=0) / (m - 1)
    )
    within = variances.mean(axis=(0, 1))
    total = within + between / m
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        df = np.where(between > 0, (m - 1) * (1 + m * within / between) ** 2, np.inf)
    half = np.where(
        np.isinf(df),
        special.ndtri((1 + level) / 2),
        special.stdtrit(np.where(np.isinf(df), 1, df), (1 + level) / 2),
    ) * np.sqrt(total)
    figures = {
        "estimate": estimate,
        "T": total,
        "df": df,
        "low": estimate - half,
        "high": estimate + half,
        "between": between,
        "within": within,
    }
    shown: dict[str, Any] = (
        {name: float(figure[0]) for name, figure in figures.items()} if scalar else dict(figures)
    )
    return Combined(**shown, m=m, r=r, level=level, names=names)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Combined(Shown):
    """What several partially synthetic data sets say together. Numbers for one estimand, arrays of
    equal length for several.

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
        columns = {
            name: np.atleast_1d(getattr(self, name))
            for name in ("estimate", "T", "df", "low", "high", "between", "within")
        }
        return pd.DataFrame(
            {
                "estimand": pd.Series(list(self.names), dtype=object),
                **columns,
                "m": self.m,
                "r": self.r,
                "level": self.level,
            }
        )

    def _head(self) -> str:
        sets = (
            f"{self.m} synthetic sets"
            if self.r == 1
            else f"{self.m} nests of {self.r} synthetic sets"
        )
        return (
            f"Combined from {sets}; T is the variance of the estimate, low and high end the"
            f" {100 * self.level:g} % interval"
        )

    def _table(self) -> pd.DataFrame:
        return self.tidy().set_index("estimand")[["estimate", "T", "df", "low", "high"]]

    def _document(self) -> Document:
        table = fill.table_of(self._table(), "Combined estimates", digits=DIGITS, titled=False)
        number = len(self.names)
        return Document(
            title="Combined estimates",
            sections=(fill.section(fill.note(self._head()), table),),
            headline=(fill.note(f"{number} estimand{'s' * (number > 1)}. {self._head()}."),),
        )

    def _content(self) -> dict[str, Any]:
        return {
            "estimands": self.tidy().drop(columns=["m", "r", "level"]),
            "m": self.m,
            "r": self.r,
        }

    def _arguments(self) -> dict[str, Any]:
        return {"level": self.level}


# ---- overlap of intervals ------------------------------------------------------------


@r_names_too()
def ci_overlap(
    synthetic: Any, original: Any, *, disjoint: Literal["zero", "negative"] = "zero"
) -> IntervalOverlap:
    """How far confidence intervals from synthetic data agree with those from the original data.

    With w the length of the intersection of (L_o, U_o) and (L_s, U_s)::

        I = ( w / (U_o - L_o) + w / (U_s - L_s) ) / 2

    1 is the same interval, 0 are intervals without a common part. An interval that holds the other
    one is less than 1: width counts.

    Parameters
    ----------
    synthetic, original : (low, high), or one such row for each estimand; a `Combined` can be given
        as it is. Estimands that have names in both (a `Combined` of DataFrames, or a DataFrame of
        intervals whose rows are named) belong together by name, and come in the order of
        `original`. By name also ``object=``, ``data=``.
    disjoint : "zero" counts intervals that do not meet as 0, as Drechsler and Reiter say;
        "negative" lets the formula run on below 0, the further they are apart.

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
    first, second = _intervals("original", original), _intervals("synthetic", synthetic)
    names, others = _names(original), _names(synthetic)
    if names is not None and others is not None:
        second = second[_places("synthetic", others, "original", names)]
    if first.shape != second.shape:
        raise InputError(
            f"synthetic: has {len(second)} intervals, original has {len(first)}; give the same"
            " estimands in the same order"
        )
    lengths = np.stack([first[:, 1] - first[:, 0], second[:, 1] - second[:, 0]])
    common = np.minimum(first[:, 1], second[:, 1]) - np.maximum(first[:, 0], second[:, 0])
    if disjoint == "zero":
        common = np.maximum(common, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where((lengths > 0).all(axis=0), (common / lengths).mean(axis=0), np.nan)
    return IntervalOverlap(each)


def _names(value: Any) -> list[Hashable] | None:
    """Names of estimands; None where they only have numbers."""
    if isinstance(value, Combined):
        return None if value.names == tuple(range(1, len(value.names) + 1)) else list(value.names)
    return (
        list(value.index)
        if isinstance(value, pd.DataFrame) and not isinstance(value.index, pd.RangeIndex)
        else None
    )


def _intervals(argument: str, value: Any) -> Floats:
    ends = _numbers(argument, value.interval if isinstance(value, Combined) else value)
    ends = ends[None] if ends.ndim == 1 else ends
    if ends.ndim != 2 or ends.shape[1] != 2 or not len(ends):
        raise InputError(
            f"{argument}: has the shape {np.shape(ends)}; give (low, high), or one such row for"
            " each estimand"
        )
    turned = np.flatnonzero(ends[:, 0] > ends[:, 1])
    if len(turned):
        low, high = ends[turned[0]]
        raise InputError(
            f"{argument}: interval {turned[0] + 1} ends at {high:g}, below its begin {low:g}; give"
            " (low, high)"
        )
    return ends


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
        known = self.each[~np.isnan(self.each)]
        return float(known.mean()) if len(known) else float("nan")

    @property
    def undefined(self) -> int:
        """Number of estimands without an overlap, because an interval has length 0."""
        return int(np.isnan(self.each).sum())

    def __float__(self) -> float:
        return self.mean

    def _document(self) -> Document:
        without = (
            f", {self.undefined} more undefined (an interval of length 0)" if self.undefined else ""
        )
        known = self.each[~np.isnan(self.each)]
        spread = f", from {known.min():.3f} to {known.max():.3f}" if len(known) > 1 else ""
        told = fill.note(
            f"Overlap of confidence intervals (1: the same, 0: disjoint): mean {self.mean:.3f} over"
            f" {len(known)} estimands{spread}{without}"
        )
        return Document(
            title="Overlap of confidence intervals",
            sections=(fill.section(told),),
            headline=(told,),
        )

    def _content(self) -> dict[str, Any]:
        return {"mean": self.mean, "undefined": self.undefined, "each": self.each}
