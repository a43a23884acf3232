"""Ready-made quantities that a user of data would estimate: means, shares, regression coefficients,
each with its variance.

An estimand is any function of a data frame that gives point estimates and their variances, `(q,
v)`: two numbers, two sequences, or two Series with the same index.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..arguments import check_choice, column_named, listed
from ..core.arrays import Floats, Integers
from ..errors import InputError
from .design import Coding, design_matrix, design_names, is_numeric, make_coding
from .linear import determined, fit_linear
from .multinomial import fit_multinomial, information

__all__ = ["Means", "Proportions", "Regression"]


@dataclass(frozen=True, slots=True)
class Means:
    """The mean of a numeric column, or of each group of records; variance s² / n. Missing values
    are left out.

    Parameters
    ----------
    column : numeric column.
    by : column whose values make the groups; None for the mean of all.
    exclude : values that are not amounts, such as -8 for "refused": also left out.

    Examples
    --------
    >>> q, v = Means("x", exclude=-8)(pd.DataFrame({"x": [1.0, 3.0, -8.0]}))
    >>> float(q.iloc[0]), float(v.iloc[0])
    (2.0, 1.0)
    """

    column: Hashable
    by: Hashable | None = None
    exclude: Any = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "exclude", tuple(listed(self.exclude)))

    def __call__(self, frame: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
        values = _column("column", self.column, frame)
        if not pd.api.types.is_numeric_dtype(values.dtype):
            raise InputError(
                f"column: {self.column!r} is not numeric; use Proportions for its values"
            )
        amounts = values.astype(float)
        # missing, not dropped: a group without amounts stays a group, with no mean
        included = amounts.where(~amounts.isin(self.exclude))
        grouped = included.groupby(_groups(frame, self.by), observed=True)
        # in the order of the categories, which not every version of pandas keeps
        means = grouped.mean().sort_index()
        variances = (grouped.var() / grouped.count()).sort_index()
        return _named(means, self), _named(variances, self)


@dataclass(frozen=True, slots=True)
class Proportions:
    """The share of each value of a column, or of each value within each group of records; variance
    p (1 - p) / n. Missing values are left out.

    Parameters
    ----------
    column : column whose values are counted.
    by : column whose values make the groups; None for shares of all.
    levels : values whose shares are wanted; None for all that occur in the original data. The share
        of a value that does not occur in a set is 0, with variance 0. A set that has none of the
        original's values has no shares.

    Examples
    --------
    >>> q, v = Proportions("x")(pd.DataFrame({"x": ["a", "b", "b", "b"]}))
    >>> q.to_dict()
    {'share x=a': 0.25, 'share x=b': 0.75}
    """

    column: Hashable
    by: Hashable | None = None
    levels: Any = None
    _occurring: tuple[Any, ...] | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.levels is None:
            return
        object.__setattr__(self, "levels", tuple(listed(self.levels)))
        if not self.levels:
            raise InputError(
                "levels: is empty; name values whose shares are wanted, or give None for all that"
                " occur"
            )

    def prepare(self, original: pd.DataFrame) -> Proportions:
        """The same with the values that occur in these data."""
        prepared = Proportions(self.column, self.by, self.levels)
        object.__setattr__(prepared, "_occurring", tuple(self._counts(original).columns))
        return prepared

    def __call__(self, frame: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
        counts = self._counts(frame)
        records = counts.sum(axis=1)
        if self._has_nothing_to_compare(counts):
            # shares of 0 would look like estimates, but the set has none of these values
            records = records * np.nan
        wanted = self._wanted(counts)
        if not wanted:
            return pd.Series(dtype=float), pd.Series(dtype=float)
        shares, variances = [], []
        for level in wanted:
            number = counts[level] if level in counts.columns else 0 * records
            share = number / records
            variance = share * (1 - share) / records
            shares.append(_named(share, self, f"={level}"))
            variances.append(_named(variance, self, f"={level}"))
        return pd.concat(shares), pd.concat(variances)

    def _wanted(self, counts: pd.DataFrame) -> tuple[Any, ...]:
        """The values whose shares are estimated."""
        if self.levels is not None:
            levels: tuple[Any, ...] = self.levels
            return levels
        if self._occurring is not None:
            return self._occurring
        return tuple(counts.columns)

    def _has_nothing_to_compare(self, counts: pd.DataFrame) -> bool:
        """Whether a set has none of the values of the original data."""
        if self.levels is not None or not self._occurring:
            return False
        return not any(level in counts.columns for level in self._occurring)

    def _counts(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Records by group and value."""
        return pd.crosstab(_groups(frame, self.by), _column("column", self.column, frame))


def _column(argument: str, name: Hashable, frame: pd.DataFrame) -> pd.Series:
    known = column_named(argument, name, list(frame.columns), "the data")
    return frame[known]


def _groups(frame: pd.DataFrame, by: Hashable | None) -> pd.Series:
    if by is None:
        return pd.Series("", index=frame.index, name="all")
    return _column("by", by, frame)


def _named(values: pd.Series, estimand: Means | Proportions, level: str = "") -> pd.Series:
    """The values under the names of what is estimated, one for each group."""
    word = "mean" if isinstance(estimand, Means) else "share"
    what = f"{word} {estimand.column}{level}"
    names = [what] * len(values)
    if estimand.by is not None:
        names = [f"{what}, {estimand.by}={group}" for group in values.index]
    return pd.Series(values.to_numpy(dtype=float), index=names)


@dataclass(frozen=True, slots=True)
class Regression:
    """Coefficients of a linear or logistic regression with main effects, and their variances.
    Differences of means are also coefficients: those of a categorical predictor.

    Records without a response, or with a missing number among the predictors, are left out. In a
    category, missing is a level. Coefficients that the data do not determine, such as that of a
    level without records, are NaN.

    Parameters
    ----------
    response : numeric column for "linear"; column with two values for "logit", the second of which
        (in order) is modelled.
    predictors : numbers as they are, others as indicators for each level except the first. Levels
        are those of the original data, so coefficients mean the same in every set.
    family : "linear" or "logit".
    exclude : values of the response or of numeric predictors that are not amounts, such as -8 for
        "refused": records with them are left out.

    Examples
    --------
    >>> q, v = Regression("y", ["x"])(pd.DataFrame({"x": [0, 0, 1, 1], "y": [1.0, 3, 3, 5]}))
    >>> q.round(9).to_dict()
    {'y ~ intercept': 2.0, 'y ~ x': 2.0}
    """

    response: Hashable
    predictors: Any
    family: Literal["linear", "logit"] = "linear"
    exclude: Any = ()
    _coding: Coding | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "predictors", tuple(listed(self.predictors)))
        object.__setattr__(self, "exclude", tuple(listed(self.exclude)))
        check_choice("family", self.family, ("linear", "logit"))

    def prepare(self, original: pd.DataFrame) -> Regression:
        """The same with the levels of these data."""
        response, *predictors = (
            column_named("estimands", name, list(original.columns), "the original data")
            for name in (self.response, *self.predictors)
        )
        prepared = Regression(response, predictors, self.family, self.exclude)
        categorical = [response] if self.family == "logit" else []
        coding = make_coding([prepared._usable(original)], [*predictors, response], categorical)
        _check_response(response, coding, self.family)
        object.__setattr__(prepared, "_coding", coding)
        return prepared

    def __call__(self, frame: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
        if self._coding is None:
            return self.prepare(frame)(frame)
        for name in (self.response, *self.predictors):
            _column("estimands", name, frame)
        data = self._coding.read(self._usable(frame), "the data of a regression")
        design = design_matrix(data, self.predictors)
        response = data[self.response]
        if not len(design):
            q = v = np.full(design.shape[1], np.nan)
        elif self.family == "linear":
            q, v = _linear(design, response.to_numpy(dtype=float))
        else:
            q, v = _logit(design, response.cat.codes.to_numpy())
        names = [f"{self.response} ~ {name}" for name in design_names(data, self.predictors)]
        return pd.Series(q, index=names), pd.Series(v, index=names)

    def _usable(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Records with a response and with all numbers, none of them excluded."""
        usable = np.ones(len(frame), dtype=bool)
        for name in (self.response, *self.predictors):
            column = frame[name]
            if name == self.response or is_numeric(column):
                unusable = column.isna() | column.isin(self.exclude)
                usable &= ~unusable.to_numpy(dtype=bool)
        return frame[usable]


def _check_response(response: Hashable, coding: Coding, family: str) -> None:
    if family == "linear":
        if response in coding.levels:
            raise InputError(f"response: {response!r} is not numeric; use family='logit'")
        return
    values = len(coding.levels[response])
    if values != 2:
        raise InputError(f"response: {response!r} has {values} values; 'logit' needs two")


def _linear(design: Floats, response: Floats) -> tuple[Floats, Floats]:
    """Coefficients and their variances, NaN where the data do not determine them."""
    fit = fit_linear(design, response, 0.0)
    known, rank = determined(design)
    if len(design) <= rank:
        known[:] = False  # nothing is left to estimate the variance
    # the fit counts columns, of which some may be open; degrees of freedom go by the rank
    spread = fit.variance * (fit.df / max(len(design) - rank, 1))
    variances = spread * np.diag(fit.inverse)
    return np.where(known, fit.coefficients, np.nan), np.where(known, variances, np.nan)


def _logit(design: Floats, codes: Integers) -> tuple[Floats, Floats]:
    """As `_linear`, for a response with two levels."""
    import scipy

    fit = fit_multinomial(design, codes.astype(np.int64), 2, 0.0)
    known, _ = determined(design)
    covariance = scipy.linalg.pinvh(information(design, fit.coefficients, 0.0))
    variances = np.diag(covariance)
    return np.where(known, fit.coefficients[0], np.nan), np.where(known, variances, np.nan)
