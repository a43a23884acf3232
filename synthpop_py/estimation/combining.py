"""Inference from partially synthetic data: combining rules for one- and two-stage releases.

Reiter (2003) for one stage, Reiter and Drechsler (2010) for two; the notation is that of Drechsler
and Reiter (2009).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_number
from ..core.arrays import Floats
from ..errors import InputError, warning_once
from ..show.printing import Sections, Table
from ..show.views import Shown
from ..tables.opening import plain_if_frame

__all__ = ["Combined", "combine", "combine_two_stage", "numbers_of", "positions_by_name"]

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
    b has the factor 1 + 1/m.

    Parameters
    ----------
    q, v : m numbers, or an array or DataFrame with one row for each synthetic set and one column
        for each estimand. Columns of two DataFrames belong together by name, whatever their order.
        Variances, not standard errors.
    level : confidence level of the interval.

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
    return _combined(_read(q, v, dimensions=1), _level(level))


@warning_once
def combine_two_stage(q: Any, v: Any, *, level: float = 0.95) -> Combined:
    """Combine estimates from a two-stage release: m nests of r synthetic sets each.

    The rule is that of `combine`, with the mean of each nest in place of the estimate of each set::

        estimate = mean of all q_ij   b = variance of the m nest means   vbar = mean of all v_ij
        T = vbar + b / m              df = (m - 1) (1 + m vbar / b)^2

    Differences between the sets of one nest do not matter. With r = 1 the result is that
    of `combine`.

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
    return _combined(_read(q, v, dimensions=2), _level(level))


def _level(level: Any) -> float:
    return check_number("level", level, 0, 1, open_low=True, open_high=True)


@dataclass(frozen=True, slots=True, eq=False)
class _Estimates:
    """The estimates from the sets of a release.

    Attributes
    ----------
    points, variances : shape (m nests, r sets of a nest, k estimands).
    names : of the estimands.
    is_one_number : each set gave a number rather than an array.
    """

    points: Floats
    variances: Floats
    names: tuple[Hashable, ...]
    is_one_number: bool


def _read(q: Any, v: Any, dimensions: int) -> _Estimates:
    """Estimates in one dimension (sets of one stage) or two (nests and their sets)."""
    one_stage = dimensions == 1
    q, v = plain_if_frame(q, "q"), plain_if_frame(v, "v")
    if one_stage and isinstance(q, pd.DataFrame) and isinstance(v, pd.DataFrame):
        # two tools may list the estimands in different orders; the names say what belongs together
        v = v.iloc[:, positions_by_name("v", list(v.columns), "q", list(q.columns))]
    points, variances = numbers_of("q", q), numbers_of("v", v)
    _check_shapes(points, variances, one_stage)
    if (variances < 0).any():
        raise InputError(f"v: holds the negative value {variances.min():g}; give variances")
    is_one_number = points.ndim == dimensions
    if is_one_number:
        points, variances = points[..., None], variances[..., None]
    if one_stage:  # nests of one set each
        points, variances = points[:, None], variances[:, None]
    names = None
    if one_stage:
        names = _column_names(q) or _column_names(v)
    if names is None:
        names = tuple(range(1, points.shape[-1] + 1))
    return _Estimates(points, variances, names, is_one_number)


def _check_shapes(points: Floats, variances: Floats, one_stage: bool) -> None:
    if points.shape != variances.shape:
        raise InputError(
            f"v: has the shape {variances.shape}, q has {points.shape}; give one variance for"
            " each estimate"
        )
    dimensions = 1 if one_stage else 2
    if points.ndim not in (dimensions, dimensions + 1):
        sets = "(m, r) for m nests of r sets, or (m, r, k) for k estimands"
        if one_stage:
            sets = "(m,), or (m, k) for k estimands"
        raise InputError(f"q: has the shape {points.shape}; give {sets}")
    if points.size == 0:
        raise InputError(
            f"q: is empty, its shape is {points.shape}; give at least one estimate from each set"
        )
    if points.shape[0] < 2:
        what = "synthetic set" if one_stage else "nest"
        raise InputError(
            f"q: comes from one {what}, and the variance between {what}s cannot be estimated from"
            " one; give at least two"
        )


def _column_names(values: Any) -> tuple[Hashable, ...] | None:
    return tuple(values.columns) if isinstance(values, pd.DataFrame) else None


def positions_by_name(
    argument: str, names: list[Hashable], other: str, wanted: list[Hashable]
) -> list[int]:
    """Where each wanted estimand is among the names of an argument.

    >>> positions_by_name("v", ["a", "b"], "q", ["b", "a"])
    [1, 0]
    """
    if names == wanted:
        return list(range(len(names)))
    _check_known(argument, names, wanted, f"{argument} has", f"{other} does not")
    _check_known(argument, wanted, names, f"{other} has", f"{argument} does not")
    if len(set(names)) < len(names) or len(names) != len(wanted):
        raise InputError(
            f"{argument}: an estimand is named more than once; give each a different name"
        )
    return [names.index(name) for name in wanted]


def _check_known(
    argument: str, names: list[Hashable], others: list[Hashable], has: str, has_not: str
) -> None:
    extra = [name for name in names if name not in others]
    if extra:
        raise InputError(
            f"{argument}: {has} the estimand {extra[0]!r}, {has_not}; give both the same names"
        )


def numbers_of(argument: str, values: Any) -> Floats:
    """The value of an argument as an array of finite numbers.

    >>> numbers_of("q", [1, 2])
    array([1., 2.])
    """
    try:
        numbers = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{argument}: cannot be read as numbers in rows of equal length") from None
    unusable = ~np.isfinite(numbers)
    if unusable.any():
        raise InputError(
            f"{argument}: holds {int(unusable.sum())} values that are missing or infinite; every"
            " set needs an estimate and its variance"
        )
    return numbers


def _combined(estimates: _Estimates, level: float) -> Combined:
    """The rules, for all estimands at once."""
    m, r = estimates.points.shape[:2]
    nests = estimates.points.mean(axis=1)
    estimate = nests.mean(axis=0)
    between = _between(nests, estimate)
    within = estimates.variances.mean(axis=(0, 1))
    # the original is complete, so b comes only from drawing m sets; with missing data, where values
    # are unknown, it counts once more
    total = within + between / m
    df = _degrees_of_freedom(m, between, within)
    half = _quantile(df, level) * np.sqrt(total)
    figures: dict[str, Any] = {
        "estimate": estimate,
        "T": total,
        "df": df,
        "low": estimate - half,
        "high": estimate + half,
        "between": between,
        "within": within,
    }
    if estimates.is_one_number:
        figures = {name: float(figure[0]) for name, figure in figures.items()}
    return Combined(**figures, m=m, r=r, level=level, names=estimates.names)


def _between(nests: Floats, estimate: Floats) -> Floats:
    """b, the variance of the nest means, shape (k,)."""
    squares = ((nests - estimate) ** 2).sum(axis=0)
    # equal estimates have no variance, which a mean that is rounded would hide
    all_equal = (nests == nests[0]).all(axis=0)
    return np.where(all_equal, 0.0, squares / (len(nests) - 1))


def _degrees_of_freedom(m: int, between: Floats, within: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = m * within / between
        df = (m - 1) * (1 + ratio) ** 2
    return np.where(between > 0, df, np.inf)


def _quantile(df: Floats, level: float) -> Floats:
    """Of the t distribution, at the upper end of a central interval; of the normal where the
    degrees of freedom are infinite.
    """
    import scipy

    probability = (1 + level) / 2
    unlimited = np.isinf(df)
    of_t: Floats = scipy.special.stdtrit(np.where(unlimited, 1, df), probability)
    return np.where(unlimited, scipy.special.ndtri(probability), of_t)


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

    def _table(self) -> pd.DataFrame:
        by_estimand = self.tidy().set_index("estimand")
        return by_estimand[["estimate", "T", "df", "low", "high"]]

    def _title(self) -> str:
        return "Combined estimates"

    def _headline(self, to: int = 1) -> list[str]:
        number = len(self.names)
        noun = "estimand" if number == 1 else "estimands"
        return [f"{number} {noun}. {self._head()}."]

    def _sections(self) -> Sections:
        table = Table(self._table(), "Combined estimates", digits=DIGITS, titled=False)
        return [[self._head(), table]]

    def _content(self) -> dict[str, Any]:
        estimands = self.tidy().drop(columns=["m", "r", "level"])
        return {"estimands": estimands, "m": self.m, "r": self.r}

    def _arguments(self) -> dict[str, Any]:
        return {"level": self.level}
