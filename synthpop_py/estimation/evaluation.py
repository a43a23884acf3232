"""Quantities that a user of data would estimate: ready-made ones (means, shares, regression
coefficients), and any function of a data frame that gives point estimates and their variances,
`(q, v)`: two numbers, two sequences, or two Series with the same index.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from ..arguments import check_choice, column_named, listed
from ..core.arrays import Flags, Floats, Integers
from ..errors import InputError, SynthpopError
from .design import (
    Coding,
    design_matrix,
    design_names,
    determined,
    fit_linear,
    fit_multinomial,
    information,
    is_numeric,
    make_coding,
)

__all__ = ["Estimands", "Means", "Proportions", "Regression", "read_estimands"]

Function = Callable[[pd.DataFrame], Any]
Answer = tuple[pd.Series, pd.Series]
NO_VALUE = "too few records, or values that cannot be averaged"


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

    def __call__(self, frame: pd.DataFrame) -> Answer:
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

    def __call__(self, frame: pd.DataFrame) -> Answer:
        counts = self._counts(frame)
        records = counts.sum(axis=1)
        known = tuple(counts.columns) if self._occurring is None else self._occurring
        wanted = known if self.levels is None else self.levels
        if not len(wanted):
            return pd.Series(dtype=float), pd.Series(dtype=float)
        if self.levels is None and not any(level in counts.columns for level in known):
            # shares of 0 would look like estimates, but the set has none of these values
            records = records * np.nan
        shares, variances = [], []
        for level in wanted:
            share = (counts[level] if level in counts.columns else 0 * records) / records
            shares.append(_named(share, self, f"={level}"))
            variances.append(_named(share * (1 - share) / records, self, f"={level}"))
        return pd.concat(shares), pd.concat(variances)

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
        values = len(coding.levels.get(response, ()))
        if self.family == "linear" and response in coding.levels:
            raise InputError(f"response: {response!r} is not numeric; use family='logit'")
        if self.family == "logit" and values != 2:
            raise InputError(f"response: {response!r} has {values} values; 'logit' needs two")
        object.__setattr__(prepared, "_coding", coding)
        return prepared

    def __call__(self, frame: pd.DataFrame) -> Answer:
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

    coefficients, _ = fit_multinomial(design, codes.astype(np.int64), 2, 0.0)
    known, _ = determined(design)
    variances = np.diag(scipy.linalg.pinvh(information(design, coefficients, 0.0)))
    return np.where(known, coefficients[0], np.nan), np.where(known, variances, np.nan)


# ---- estimands evaluated: users' functions are checked, their answers become arrays ------------


class Estimands(NamedTuple):
    """A user's estimands, and their values in the original data.

    Attributes
    ----------
    functions : by name; the name is None for the only one, a number in a list, a text in a mapping.
    labels : one for each estimand, k in all: a function may give several.
    original : float64, shape (k, 2): estimates and their variances; NaN where there is none, as in
        a group of one record.
    """

    functions: Mapping[Any, Function]
    labels: tuple[str, ...]
    original: Floats

    def of(self, frame: pd.DataFrame, place: str) -> Floats:
        """Their values in another frame, shape (k, 2), in the same order; NaN where it has none,
        such as the mean of a group that it lacks.
        """
        # a set may lack a group, or have one that the original does not
        estimates = _together([_answer(n, f, frame, place) for n, f in self.functions.items()])
        in_order: Floats = estimates.reindex(list(self.labels)).to_numpy()
        return in_order

    def usable(self) -> Flags:
        """Which estimands have a value in the original data, shape (k,)."""
        usable: Flags = np.all(np.isfinite(self.original), axis=1)
        return usable

    def lacking(self, sets: Floats) -> list[str]:
        """Labels of estimands that the original has and some set, of shape (..., k, 2), does
        not.
        """
        has_value = np.isfinite(sets).all(axis=-1)
        everywhere = has_value.reshape(-1, len(self.labels)).all(axis=0)
        return [self.labels[i] for i in np.flatnonzero(self.usable() & ~everywhere)]


def read_estimands(estimands: Any, original: pd.DataFrame) -> Estimands:
    """One function, several, or a mapping of names and functions, prepared with the original data
    where they can be (levels of a regression).
    """
    functions = _functions(estimands)
    for name, function in functions.items():
        # levels come from the original, so coefficients mean the same in every set
        if hasattr(function, "prepare"):
            functions[name] = function.prepare(original)
    answers = [_answer(n, f, original, "the original data") for n, f in functions.items()]
    for answer, (name, function) in zip(answers, functions.items()):
        if not len(answer):
            raise InputError(
                f"estimands: {_title(name, function)} gives no estimate for the original data;"
                f" {NO_VALUE}"
            )
        if not np.isfinite(answer).all(axis=1).any():
            q, v = answer.iloc[0]
            raise InputError(
                f"estimands: {answer.index[0]!r} gives no finite estimate, or no finite variance,"
                f" for the original data; {NO_VALUE}",
                details={"estimate": float(q), "variance": float(v)},
            )
    estimates = _together(answers)
    return Estimands(functions, tuple(estimates.index), estimates.to_numpy())


def _together(answers: list[pd.DataFrame]) -> pd.DataFrame:
    estimates = pd.concat(answers)
    twice = estimates.index[estimates.index.duplicated()]
    if len(twice):
        raise InputError(f"estimands: {twice[0]!r} is estimated twice; give names with a mapping")
    return estimates


def _functions(estimands: Any) -> dict[Any, Function]:
    """The functions by name, each checked to be one."""
    functions: dict[Any, Function]
    if isinstance(estimands, Mapping):
        functions = {str(name): f for name, f in estimands.items()}
    elif callable(estimands):
        functions = {None: estimands}
    else:
        functions = dict(enumerate(listed(estimands)))
    wrong = [f for f in functions.values() if not callable(f)]
    if wrong or not functions:
        unusable = wrong[0] if wrong else estimands
        short = not wrong or isinstance(unusable, (str, int, float))
        what = repr(unusable) if short else type(unusable).__name__
        raise InputError(
            f"estimands: {what} cannot be used; give functions of a frame that return (q, v),"
            " estimates and their variances, such as Means('age'), Proportions('sex') or"
            " Regression('income', ['age']); a list or a mapping of them for several"
        )
    return functions


def _answer(name: Any, function: Function, frame: pd.DataFrame, place: str) -> pd.DataFrame:
    """What one function estimates from a frame: columns q and v, one row per estimand."""
    title = _title(name, function)
    try:
        answer = function(frame)
    except SynthpopError as error:
        details = getattr(error, "details", None)
        raise InputError(f"{error} ({title}, for {place})", details=details) from None
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        raise InputError(
            f"estimands: {title} gave a {type(answer).__name__} for {place}; (q, v), estimates and"
            " their variances, are needed"
        )
    estimates, variances = answer
    try:
        q, v = (np.atleast_1d(np.asarray(part, dtype=float)) for part in answer)
    except (TypeError, ValueError):
        raise InputError(
            f"estimands: {title} gave something other than numbers for {place}; (q, v), estimates"
            " and their variances, are needed"
        ) from None
    if q.shape != v.shape or q.ndim != 1:
        raise InputError(
            f"estimands: {title} gave estimates of shape {np.shape(estimates)} and variances of"
            f" shape {np.shape(variances)} for {place}; one variance for each estimate is needed"
        )
    both_named = isinstance(estimates, pd.Series) and isinstance(variances, pd.Series)
    if both_named and not estimates.index.equals(variances.index):
        raise InputError(
            f"estimands: {title} gave estimates and variances with different labels for {place};"
            " two Series with the same index are needed"
        )
    if (v < 0).any():
        raise InputError(f"estimands: {title} gave the negative variance {v.min():g} for {place}")
    labels = [title] if len(q) == 1 else [f"{title} {i}" for i in range(1, len(q) + 1)]
    if isinstance(estimates, pd.Series):
        prefix = f"{name}: " if isinstance(name, str) else ""
        labels = [f"{prefix}{label}" for label in estimates.index]
    return pd.DataFrame({"q": q, "v": v}, index=pd.Index(labels, dtype=object))


def _title(name: Any, function: Any) -> str:
    """How a function is called in messages and labels: its name, or what it is and its number."""
    if isinstance(name, str):
        return name
    title: str = getattr(function, "__name__", type(function).__name__)
    return title if name is None else f"{title} {name + 1}"
