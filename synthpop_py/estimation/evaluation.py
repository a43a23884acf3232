"""Estimands evaluated: users' functions are checked, and their results for a frame become arrays in
one order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import listed
from ..core.arrays import Flags, Floats
from ..errors import InputError, SynthpopError

__all__ = ["Estimands", "read_estimands"]

Function = Callable[[pd.DataFrame], Any]
NO_VALUE = "too few records, or values that cannot be averaged"


@dataclass(frozen=True, slots=True, eq=False)
class Estimands:
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
        answers = [_answer(name, f, frame, place) for name, f in self.functions.items()]
        estimates = pd.concat(answers)
        _check_labels(estimates.index)
        # a set may lack a group, or have one that the original does not
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
        lacking = np.flatnonzero(self.usable() & ~everywhere)
        return [self.labels[i] for i in lacking]


def read_estimands(estimands: Any, original: pd.DataFrame) -> Estimands:
    """One function, several, or a mapping of names and functions, prepared with the original data
    where they can be (levels of a regression).
    """
    functions = _functions(estimands)
    for name, function in functions.items():
        # levels come from the original, so coefficients mean the same in every set
        if hasattr(function, "prepare"):
            functions[name] = function.prepare(original)
    answers = {
        name: _answer(name, function, original, "the original data")
        for name, function in functions.items()
    }
    for name, answer in answers.items():
        _check_answer(answer, _title(name, functions[name]))
    estimates = pd.concat(list(answers.values()))
    _check_labels(estimates.index)
    return Estimands(functions, tuple(estimates.index), estimates.to_numpy())


def _check_answer(answer: pd.DataFrame, title: str) -> None:
    """Check that some estimate of a function has a value in the original data."""
    if not len(answer):
        raise InputError(f"estimands: {title} gives no estimate for the original data; {NO_VALUE}")
    has_value = np.isfinite(answer).all(axis=1)
    if not has_value.any():
        q, v = answer.iloc[0]
        raise InputError(
            f"estimands: {answer.index[0]!r} gives no finite estimate, or no finite variance, for"
            f" the original data; {NO_VALUE}",
            details={"estimate": float(q), "variance": float(v)},
        )


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
    if wrong:
        raise _cannot_be_used(_described(wrong[0]))
    if not functions:
        raise _cannot_be_used(repr(estimands))
    return functions


def _cannot_be_used(what: str) -> InputError:
    return InputError(
        f"estimands: {what} cannot be used; give functions of a frame that return (q, v), estimates"
        " and their variances, such as Means('age'), Proportions('sex') or Regression('income',"
        " ['age']); a list or a mapping of them for several"
    )


def _described(value: Any) -> str:
    """A short value itself, otherwise its type."""
    if isinstance(value, (str, int, float)):
        return repr(value)
    return type(value).__name__


def _check_labels(labels: pd.Index) -> None:
    twice = labels[labels.duplicated()]
    if len(twice):
        raise InputError(f"estimands: {twice[0]!r} is estimated twice; give names with a mapping")


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
        q, v = _one_dimensional(estimates), _one_dimensional(variances)
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
    if _labels_differ(estimates, variances):
        raise InputError(
            f"estimands: {title} gave estimates and variances with different labels for {place};"
            " two Series with the same index are needed"
        )
    if (v < 0).any():
        raise InputError(f"estimands: {title} gave the negative variance {v.min():g} for {place}")
    labels = _labels(name, title, estimates, len(q))
    return pd.DataFrame({"q": q, "v": v}, index=pd.Index(labels, dtype=object))


def _one_dimensional(values: Any) -> Floats:
    """Numbers as an array, a single one too."""
    return np.atleast_1d(np.asarray(values, dtype=float))


def _labels_differ(estimates: Any, variances: Any) -> bool:
    if not isinstance(estimates, pd.Series) or not isinstance(variances, pd.Series):
        return False
    return not estimates.index.equals(variances.index)


def _labels(name: Any, title: str, estimates: Any, count: int) -> list[str]:
    if isinstance(estimates, pd.Series):
        prefix = f"{name}: " if isinstance(name, str) else ""
        return [f"{prefix}{label}" for label in estimates.index]
    if count == 1:
        return [title]
    return [f"{title} {i}" for i in range(1, count + 1)]


def _title(name: Any, function: Any) -> str:
    """How a function is called in messages and labels: its name, or what it is and its number."""
    if isinstance(name, str):
        return name
    title: str = getattr(function, "__name__", type(function).__name__)
    if name is None:
        return title
    return f"{title} {name + 1}"
