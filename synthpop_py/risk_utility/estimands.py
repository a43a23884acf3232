"""What users will estimate, and whether the release leads them to the same confidence intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import Any, Callable, Hashable, Sequence

import numpy as np
import pandas as pd
from scipy import stats

from ..arguments import check_number, listed, synthetic_sets
from ..errors import InputError, SynthpopError
from ..frames import check_frame, unknown_name
from ..estimation.combining import ci_overlap, combine
from ..synds import SynDS
from ..tables import html_table, table_text

DIGITS = 4
UNIT = "overlap of confidence intervals, from 0 (disjoint) to 1 (the same interval); higher is more useful"


@dataclass(frozen=True, slots=True)
class Estimand:
    """Something to be estimated from a data set.

    Attributes
    ----------
    label : what it is called.
    estimate : a function of a DataFrame that gives an estimate and its variance (not the standard error).

    Examples
    --------
    >>> total = Estimand("total income", lambda d: (d["income"].sum(), len(d) * d["income"].var()))
    >>> total.estimate(pd.DataFrame({"income": [1.0, 2.0, 3.0]}))
    (6.0, 3.0)
    """

    label: str
    estimate: Callable[[pd.DataFrame], tuple[float, float]]


def mean_of(column: Hashable, *, exclude: Any = ()) -> Estimand:
    """The mean of a numeric column; missing values and those in `exclude`, such as -8, are left out. Variance: s² / n.

    >>> mean_of("x").estimate(pd.DataFrame({"x": [1.0, 2.0, 3.0, None]}))
    (2.0, 0.3333333333333333)
    """

    def estimate(data: pd.DataFrame) -> tuple[float, float]:
        x = _amounts(data, column, exclude)
        x = x[~np.isnan(x)]
        return _mean(x)

    return Estimand(f"mean of {column}", estimate)


def share_of(column: Hashable, level: Any) -> Estimand:
    """The share of records with a level, among those whose value is known. Variance: p (1 - p) / n.

    >>> share_of("sex", "f").estimate(pd.DataFrame({"sex": ["f", "f", "f", "m"]}))
    (0.75, 0.046875)
    """

    def estimate(data: pd.DataFrame) -> tuple[float, float]:
        values = _column(data, column).dropna()
        n = len(values)
        p = float((values == level).sum()) / n if n else math.nan
        return p, p * (1 - p) / n if n else math.nan

    return Estimand(f"share of {column} = {level}", estimate)


def mean_difference(column: Hashable, by: Hashable, first: Any, second: Any, *, exclude: Any = ()) -> Estimand:
    """The mean of a numeric column where `by` is `first`, minus the mean where it is `second`. Variance: s1² / n1 + s2² / n2.

    >>> data = pd.DataFrame({"x": [1.0, 3.0, 5.0, 9.0], "sex": ["f", "f", "m", "m"]})
    >>> mean_difference("x", "sex", "m", "f").estimate(data)
    (5.0, 5.0)
    """

    def estimate(data: pd.DataFrame) -> tuple[float, float]:
        x, groups = _amounts(data, column, exclude), _column(data, by)
        parts = [_mean(x[(groups == level).fillna(False).to_numpy(dtype=bool) & ~np.isnan(x)]) for level in (first, second)]
        return parts[0][0] - parts[1][0], parts[0][1] + parts[1][1]

    return Estimand(f"mean of {column}, {by} {first} - {second}", estimate)


def slope_of(outcome: Hashable, regressor: Hashable, controls: Any = (), *, exclude: Any = ()) -> Estimand:
    """The coefficient of a numeric column in a least squares regression; controls may be numeric or categories. Variance: the usual one, s² (X'X)⁻¹.

    Records with a missing value in any of these columns are left out, and those whose outcome or regressor is in `exclude`.

    >>> data = pd.DataFrame({"y": [1.0, 2.0, 3.0, 5.0], "x": [0.0, 1.0, 2.0, 3.0]})
    >>> [round(v, 4) for v in slope_of("y", "x").estimate(data)]
    [1.3, 0.03]
    """
    others = listed(controls)

    def estimate(data: pd.DataFrame) -> tuple[float, float]:
        y, x = _amounts(data, outcome, exclude), _amounts(data, regressor, exclude)
        blocks = [np.ones((len(data), 1)), x[:, None], *(_control(data, name) for name in others)]
        X = np.concatenate(blocks, axis=1)
        known = ~(np.isnan(X).any(axis=1) | np.isnan(y))
        return _least_squares(X[known], y[known])

    with_controls = f" given {', '.join(map(str, others))}" if others else ""
    return Estimand(f"slope of {outcome} on {regressor}{with_controls}", estimate)


def _column(data: pd.DataFrame, name: Hashable) -> pd.Series:
    if name not in data.columns:
        raise unknown_name("estimands", name, list(data.columns), "the data")
    return data[name]


def _amounts(data: pd.DataFrame, name: Hashable, exclude: Any) -> np.ndarray:
    column = _column(data, name)
    if not pd.api.types.is_numeric_dtype(column.dtype) or pd.api.types.is_bool_dtype(column.dtype):
        raise InputError(f"estimands: {name!r} is of type {column.dtype}, not numeric; share_of() takes categories")
    x = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.where(np.isin(x, listed(exclude)), np.nan, x) if len(listed(exclude)) else x


def _mean(x: np.ndarray) -> tuple[float, float]:
    return (float(x.mean()), float(x.var(ddof=1) / len(x))) if len(x) > 1 else (math.nan, math.nan)


def _control(data: pd.DataFrame, name: Hashable) -> np.ndarray:
    """A control as columns: itself, or one for each level but the first."""
    column = _column(data, name)
    if pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(column.dtype):
        return _amounts(data, name, ())[:, None]
    codes, levels = pd.factorize(column, sort=False)
    marks = (codes[:, None] == np.arange(1, len(levels))).astype(np.float64)
    return np.where((codes < 0)[:, None], np.nan, marks) if (codes < 0).any() else marks


def _least_squares(X: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    if len(y) <= X.shape[1]:
        return math.nan, math.nan
    beta, *_ = np.linalg.lstsq(X, y, rcond=None)
    spread = ((y - X @ beta) ** 2).sum() / (len(y) - np.linalg.matrix_rank(X))
    return float(beta[1]), float(spread * np.linalg.pinv(X.T @ X)[1, 1])


# ---- overlap --------------------------------------------------------------------------------------------------------------


def estimand_overlap(object: SynDS | pd.DataFrame | Sequence[pd.DataFrame], data: pd.DataFrame, estimands: Any, *, level: float = 0.95) -> EstimandOverlap:
    """How far confidence intervals from a release agree with those from the original, for estimands of your choice.

    Several data sets are combined by the rules for partially synthetic data (`combine`: variance vbar + b / m, t interval). One data set is analysed as if it were
    the genuine data. Intervals of the original, and of a single data set, are estimate ± z sqrt(variance).

    Parameters
    ----------
    object : SynDS, DataFrame or list of DataFrame
        The release.
    data : DataFrame
        The original data.
    estimands : one `Estimand` or several: `mean_of`, `share_of`, `mean_difference`, `slope_of`, or your own.
    level : of the confidence intervals.

    Returns
    -------
    EstimandOverlap

    Examples
    --------
    The original's mean is 2 with variance 1/3; the release has the same spread around 3. Intervals of length 2 * 1.96 / sqrt(3) = 2.263 that are 1 apart share 1.263.

    >>> people, fake = pd.DataFrame({"x": [1.0, 2.0, 3.0]}), pd.DataFrame({"x": [2.0, 3.0, 4.0]})
    >>> round(estimand_overlap(fake, people, mean_of("x")).mean, 3)
    0.558
    """
    sets = synthetic_sets("object", object)
    check_frame(data, "data")
    wanted = check_estimands(estimands)
    level = check_number("level", level, 0, 1, open_low=True, open_high=True)
    first = np.array([estimated(e, data, "the original data") for e in wanted])
    several = np.array([[estimated(e, frame, f"data set {i} of the release") for e in wanted] for i, frame in enumerate(sets, start=1)])
    return overlap_of(tuple(e.label for e in wanted), first, several, level)


def check_estimands(estimands: Any) -> list[Estimand]:
    wanted = [estimands] if isinstance(estimands, Estimand) else list(estimands) if isinstance(estimands, (list, tuple)) else []
    wrong = [e for e in wanted if not isinstance(e, Estimand)]
    if not wanted or wrong:
        what = type(wrong[0]).__name__ if wrong else f"{estimands!r}"
        raise InputError(f"estimands: {what} cannot be used; give one Estimand or a list of them, for instance [mean_of('age'), share_of('sex', 'FEMALE')]")
    labels = [e.label for e in wanted]
    twice = [label for i, label in enumerate(labels) if label in labels[:i]]
    if twice:
        raise InputError(f"estimands: {twice[0]!r} is given more than once; give each its own label")
    return wanted


def estimated(estimand: Estimand, data: pd.DataFrame, place: str) -> tuple[float, float]:
    """Estimate and variance, checked: a function of a user can return anything."""
    try:
        estimate, variance = (float(v) for v in estimand.estimate(data))
    except SynthpopError as error:
        raise InputError(f"{error} ({estimand.label}, in {place})") from None
    except (TypeError, ValueError):
        raise InputError(f"estimands: {estimand.label!r} does not give two numbers, the estimate and its variance, for {place}") from None
    if not (math.isfinite(estimate) and math.isfinite(variance) and variance >= 0):
        raise InputError(f"estimands: {estimand.label!r} gives the estimate {estimate:g} with variance {variance:g} for {place}; too few records, or values that cannot be averaged")
    return estimate, variance


def overlap_of(labels: tuple[str, ...], original: np.ndarray, sets: np.ndarray, level: float) -> EstimandOverlap:
    """Overlaps from estimates and variances: of the original, shape (estimands, 2), of the data sets, shape (m, estimands, 2)."""
    z = stats.norm.ppf((1 + level) / 2)
    ends = _interval(original, z)
    if len(sets) == 1:
        estimate, released = sets[0, :, 0], _interval(sets[0], z)
    else:
        combined = combine(sets[:, :, 0], sets[:, :, 1], level=level)
        estimate, released = combined.estimate, combined.interval
    columns = {"original": original[:, 0], "release": estimate, "original_low": ends[:, 0], "original_high": ends[:, 1], "release_low": released[:, 0], "release_high": released[:, 1]}
    return EstimandOverlap(pd.DataFrame(columns | {"overlap": ci_overlap(ends, released).each}, index=pd.Index(labels, name="estimand")), level, len(sets))


def _interval(estimates: np.ndarray, z: float) -> np.ndarray:
    half = z * np.sqrt(estimates[:, 1])
    return np.stack([estimates[:, 0] - half, estimates[:, 0] + half], axis=1)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class EstimandOverlap:
    """Overlap of confidence intervals of a release with the original's: from 0 (disjoint) to 1 (the same); higher is more useful.

    Attributes
    ----------
    table : DataFrame
        One row an estimand. Columns: original and release (estimates), the ends of their intervals, overlap (NaN where an interval has no length).
    level : of the intervals.
    m : data sets of the release.
    """

    table: pd.DataFrame
    level: float
    m: int

    @property
    def mean(self) -> float:
        """Mean over the estimands that have an overlap; NaN where none has."""
        return float(self.table["overlap"].mean())

    def tidy(self) -> pd.DataFrame:
        """One row an estimand: estimand, the columns of `table`, level, m, unit, direction."""
        return self.table.reset_index().assign(level=self.level, m=self.m, unit="overlap (0 to 1)", direction="higher is more useful")

    def __repr__(self) -> str:
        return f"{self._head()}\n{UNIT}\n\n{table_text(self.table, DIGITS)}\n\nmean overlap {self.mean:.3f}"

    def _repr_html_(self) -> str:
        return f"<div><p>{escape(self._head())}</p>{html_table(self.table, DIGITS, UNIT)}<p>mean overlap {self.mean:.3f}</p></div>"

    def _head(self) -> str:
        made = "1 data set, analysed as genuine data" if self.m == 1 else f"{self.m} data sets, combined as partially synthetic data"
        return f"{len(self.table)} estimand{'s' * (len(self.table) > 1)}, {100 * self.level:g} % confidence intervals; {made}"
