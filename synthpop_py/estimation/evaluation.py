"""Quantities that a user of data would estimate: ready-made ones (means, shares, regression
coefficients), and any function of a data frame that gives point estimates and their variances,
`(q, v)`: two numbers, two sequences, or two Series with the same index.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..arguments import check_choice, column_named, listed
from ..core.arrays import Flags, Floats
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

__all__ = ["Estimands", "Means", "Proportions", "Regression"]

Function = Callable[[pd.DataFrame], Any]
Answer = tuple[pd.Series, pd.Series]
NO_VALUE = "too few records, or values that cannot be averaged"


class Means(SimpleNamespace):
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

    def __init__(self, column: Hashable, by: Hashable | None = None, exclude: Any = ()) -> None:
        super().__init__(column=column, by=by, exclude=listed(exclude))

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
        names = _names(f"mean {self.column}", self.by, means.index)
        return pd.Series(means.to_numpy(), names), pd.Series(variances.to_numpy(), names)


class Proportions(SimpleNamespace):
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

    def __init__(self, column: Hashable, by: Hashable | None = None, levels: Any = None) -> None:
        wanted = None if levels is None else listed(levels)
        super().__init__(column=column, by=by, levels=wanted)
        if wanted == []:
            raise InputError(
                "levels: is empty; name values whose shares are wanted, or give None for all that"
                " occur"
            )

    def __call__(self, frame: pd.DataFrame) -> Answer:
        return self._shares(None, frame)

    def prepare(self, original: pd.DataFrame) -> Function:
        """The same with the values that occur in these data."""
        return partial(self._shares, list(self._counts(original).columns))

    def _shares(self, occurring: Sequence[Any] | None, frame: pd.DataFrame) -> Answer:
        counts = self._counts(frame)
        records = counts.sum(axis=1).to_numpy(dtype=float)
        known = list(counts.columns) if occurring is None else list(occurring)
        if self.levels is None and not any(level in counts.columns for level in known):
            # shares of 0 would look like estimates, but the set has none of these values
            records = records * np.nan
        names: list[str] = []
        shares, variances = [np.zeros(0)], [np.zeros(0)]
        for level in known if self.levels is None else self.levels:
            n = counts[level].to_numpy() if level in counts.columns else 0
            share = n / records
            names += _names(f"share {self.column}={level}", self.by, counts.index)
            shares.append(share)
            variances.append(share * (1 - share) / records)
        return pd.Series(np.concatenate(shares), names), pd.Series(np.concatenate(variances), names)

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


def _names(what: str, by: Hashable | None, groups: pd.Index) -> list[str]:
    """The names of what is estimated, one for each group."""
    if by is None:
        return [what] * len(groups)
    return [f"{what}, {by}={group}" for group in groups]


class Regression(SimpleNamespace):
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

    def __init__(
        self,
        response: Hashable,
        predictors: Any,
        family: Literal["linear", "logit"] = "linear",
        exclude: Any = (),
    ) -> None:
        check_choice("family", family, ("linear", "logit"))
        asked = {"response": response, "predictors": listed(predictors), "family": family}
        super().__init__(**asked, exclude=listed(exclude))

    def __call__(self, frame: pd.DataFrame) -> Answer:
        return self.prepare(frame)(frame)  # type: ignore[no-any-return]

    def prepare(self, original: pd.DataFrame) -> Function:
        """The same with the levels of these data."""
        response, *predictors = (
            column_named("estimands", name, list(original.columns), "the original data")
            for name in (self.response, *self.predictors)
        )
        named = Regression(response, predictors, self.family, self.exclude)
        categorical = [response] if self.family == "logit" else []
        coding = make_coding([named._usable(original)], [*predictors, response], categorical)
        values = len(coding.levels.get(response, ()))
        if self.family == "linear" and values:
            raise InputError(f"response: {response!r} is not numeric; use family='logit'")
        if self.family == "logit" and values != 2:
            raise InputError(f"response: {response!r} has {values} values; 'logit' needs two")
        return partial(named._coefficients, coding)

    def _coefficients(self, coding: Coding, frame: pd.DataFrame) -> Answer:
        for name in (self.response, *self.predictors):
            _column("estimands", name, frame)
        data = coding.read(self._usable(frame), "the data of a regression")
        design, response = design_matrix(data, self.predictors), data[self.response]
        q = v = np.full(design.shape[1], np.nan)
        if len(design):
            known, rank = determined(design)
            if self.family == "linear":
                q, v = _linear(design, response.to_numpy(dtype=float), rank)
            else:
                q, v = _logit(design, response.cat.codes.to_numpy(dtype=np.int64))
            q, v = np.where(known, q, np.nan), np.where(known, v, np.nan)
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


def _linear(design: Floats, response: Floats, rank: int) -> tuple[Floats, Floats]:
    """Coefficients and their variances; NaN where nothing is left to estimate the variance."""
    fit = fit_linear(design, response, 0.0)
    left = len(design) - rank
    if left < 1:
        return fit.coefficients * np.nan, fit.coefficients * np.nan
    # the fit counts columns, of which some may be open; degrees of freedom go by the rank
    spread = fit.variance * (fit.df / left)
    return fit.coefficients, spread * np.diag(fit.inverse)


def _logit(design: Floats, codes: Any) -> tuple[Floats, Floats]:
    """The same for a response with two levels."""
    import scipy

    coefficients, _ = fit_multinomial(design, codes, 2, 0.0)
    inverse = scipy.linalg.pinvh(information(design, coefficients, 0.0))
    return coefficients[0], np.diag(inverse)


class Estimands:
    """A user's estimands, one function, several, or a mapping of names and functions, and their
    values in the original data.

    Attributes
    ----------
    functions : by name; the name is None for the only one, a number in a list, a text in a mapping.
    labels : one for each estimand, k in all: a function may give several.
    original : float64, shape (k, 2): estimates and their variances; NaN where there is none, as in
        a group of one record.
    """

    def __init__(self, estimands: Any, original: pd.DataFrame) -> None:
        self.functions: dict[Any, Function] = dict(enumerate(listed(estimands)))
        if isinstance(estimands, Mapping):
            self.functions = {str(name): function for name, function in estimands.items()}
        elif callable(estimands):
            self.functions = {None: estimands}
        _check_functions(self.functions, estimands)
        for name, function in self.functions.items():
            # levels come from the original, so coefficients mean the same in every set
            if hasattr(function, "prepare"):
                self.functions[name] = function.prepare(original)
        answers = self._answers(original, "the original data")
        for answer, (name, function) in zip(answers, self.functions.items()):
            has_value = np.isfinite(answer).all(axis=1)
            if has_value.any():
                continue
            label = repr(answer.index[0]) if len(answer) else _title(name, function)
            raise InputError(
                f"estimands: {label} gives no finite estimate, or no finite variance, for the"
                f" original data; {NO_VALUE}",
                details={"estimates": answer["q"].tolist(), "variances": answer["v"].tolist()},
            )
        estimates = _together(answers)
        self.labels = tuple(estimates.index)
        self.original: Floats = estimates.to_numpy()

    def of(self, frame: pd.DataFrame, place: str) -> Floats:
        """Their values in another frame, shape (k, 2), in the same order; NaN where it has none,
        such as the mean of a group that it lacks.
        """
        # a set may lack a group, or have one that the original does not
        estimates = _together(self._answers(frame, place))
        in_order: Floats = estimates.reindex(list(self.labels)).to_numpy()
        return in_order

    def _answers(self, frame: pd.DataFrame, place: str) -> list[pd.DataFrame]:
        return [_answer(name, one, frame, place) for name, one in self.functions.items()]

    def usable(self) -> Flags:
        """Which estimands have a value in the original data, shape (k,)."""
        usable: Any = np.isfinite(self.original).all(axis=1)
        return usable  # type: ignore[no-any-return]

    def lacking(self, sets: Floats) -> list[str]:
        """Labels of estimands that the original has and some set, of shape (..., k, 2), does
        not.
        """
        has_value = np.isfinite(sets).all(axis=-1)
        everywhere = has_value.reshape(-1, len(self.labels)).all(axis=0)
        return [self.labels[i] for i in np.flatnonzero(self.usable() & ~everywhere)]


def _check_functions(functions: Mapping[Any, Any], estimands: Any) -> None:
    wrong = [one for one in functions.values() if not callable(one)]
    if functions and not wrong:
        return
    what = repr(estimands)
    if wrong:
        what = repr(wrong[0]) if isinstance(wrong[0], str) else type(wrong[0]).__name__
    raise InputError(
        f"estimands: {what} cannot be used; give functions of a frame that return (q, v),"
        " estimates and their variances, such as Means('age'), Proportions('sex') or"
        " Regression('income', ['age']); a list or a mapping of them for several"
    )


def _together(answers: list[pd.DataFrame]) -> pd.DataFrame:
    estimates = pd.concat(answers)
    twice = estimates.index[estimates.index.duplicated()]
    if len(twice):
        raise InputError(f"estimands: {twice[0]!r} is estimated twice; give names with a mapping")
    return estimates


def _answer(name: Any, function: Function, frame: pd.DataFrame, place: str) -> pd.DataFrame:
    """What one function estimates from a frame: columns q and v, one row per estimand."""
    title = _title(name, function)
    try:
        answer = function(frame)
    except SynthpopError as error:
        details = getattr(error, "details", None)
        raise InputError(f"{error} ({title}, for {place})", details=details) from None
    try:
        estimates, variances = answer
        q, v = (np.atleast_1d(np.asarray(part, dtype=float)) for part in answer)
    except (TypeError, ValueError):
        q, v = np.zeros(0), np.zeros(1)
    if q.shape != v.shape or q.ndim != 1:
        raise InputError(
            f"estimands: {title} gave a {type(answer).__name__} for {place} that cannot be used;"
            " (q, v) is needed, estimates and one variance for each, in numbers"
        )
    labels = [title] if len(q) == 1 else [f"{title} {i}" for i in range(1, len(q) + 1)]
    if isinstance(estimates, pd.Series):
        if isinstance(variances, pd.Series) and not estimates.index.equals(variances.index):
            raise InputError(
                f"estimands: {title} gave estimates and variances with different labels for"
                f" {place}; two Series with the same index are needed"
            )
        prefix = f"{name}: " if isinstance(name, str) else ""
        labels = [f"{prefix}{label}" for label in estimates.index]
    if (v < 0).any():
        raise InputError(f"estimands: {title} gave the negative variance {v.min():g} for {place}")
    return pd.DataFrame({"q": q, "v": v}, index=pd.Index(labels, dtype=object))


def _title(name: Any, function: Any) -> str:
    """How a function is called in messages and labels: its name, or what it is and its number."""
    if isinstance(name, str):
        return name
    # a method of a ready-made estimand, prepared with the original data
    owner = getattr(getattr(function, "func", None), "__self__", function)
    title: str = getattr(owner, "__name__", type(owner).__name__)
    return title if name is None else f"{title} {name + 1}"
