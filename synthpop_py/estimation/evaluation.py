"""Estimands evaluated: functions of users checked, and what they say about a frame as arrays in one
order.
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
    """Estimands of a user, and what the original data say about them.

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
        """What another frame says, shape (k, 2), in the same order; NaN for what it does not say,
        such as the mean of a group that it lacks.
        """
        found = pd.concat(
            [_answer(name, function, frame, place) for name, function in self.functions.items()]
        )
        _check_labels(found.index)
        answers: Floats = found.reindex(list(self.labels)).to_numpy()
        return answers

    def usable(self) -> Flags:
        """Which estimands have a value in the original data, shape (k,)."""
        usable: Flags = np.all(np.isfinite(self.original), axis=1)
        return usable

    def lacking(self, sets: Floats) -> list[str]:
        """Labels of estimands that the original has and some set, of shape (..., k, 2), has not."""
        there = np.isfinite(sets).all(axis=-1).reshape(-1, len(self.labels)).all(axis=0)
        return [label for label, lacks in zip(self.labels, self.usable() & ~there) if lacks]


def read_estimands(estimands: Any, original: pd.DataFrame) -> Estimands:
    """One function, several, or a mapping of names and functions, prepared with the original data
    where they can be (levels of a regression).
    """
    functions = {
        name: f.prepare(original) if hasattr(f, "prepare") else f
        for name, f in _functions(estimands).items()
    }
    answers = [
        _answer(name, function, original, "the original data")
        for name, function in functions.items()
    ]
    for (name, function), answer in zip(functions.items(), answers):
        if not len(answer):
            raise InputError(
                f"estimands: {_title(name, function)} gives no estimate for the original data;"
                f" {NO_VALUE}"
            )
        if not np.isfinite(answer).all(axis=1).any():
            q, v = answer.iloc[0]
            raise InputError(
                f"estimands: {answer.index[0]!r} gives the estimate {q:g} with variance {v:g} for"
                f" the original data; {NO_VALUE}"
            )
    found = pd.concat(answers)
    _check_labels(found.index)
    return Estimands(functions, tuple(found.index), found.to_numpy())


def _functions(estimands: Any) -> dict[Any, Function]:
    functions: dict[Any, Function]
    if isinstance(estimands, Mapping):
        functions = {str(name): f for name, f in estimands.items()}
    else:
        functions = {None: estimands} if callable(estimands) else dict(enumerate(listed(estimands)))
    wrong = [f for f in functions.values() if not callable(f)]
    if wrong or not functions:
        what = (
            repr(wrong[0])
            if wrong and isinstance(wrong[0], (str, int, float))
            else type(wrong[0]).__name__
            if wrong
            else repr(estimands)
        )
        needed = (
            "functions of a frame that return (q, v), estimates and their variances, such as"
            " Means('age'), Proportions('sex') or Regression('income', ['age'])"
        )
        raise InputError(
            f"estimands: {what} cannot be used; give {needed}; a list or a mapping of them for"
            " several"
        )
    return functions


def _check_labels(labels: pd.Index) -> None:
    if not labels.is_unique:
        raise InputError(
            f"estimands: {labels[labels.duplicated()][0]!r} is estimated twice; give names with a"
            " mapping"
        )


def _answer(name: Any, function: Function, frame: pd.DataFrame, place: str) -> pd.DataFrame:
    """What one function estimates from a frame: columns q and v, one row per estimand."""
    title = _title(name, function)
    try:
        answer = function(frame)
    except SynthpopError as error:
        raise InputError(f"{error} ({title}, for {place})") from None
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        raise InputError(
            f"estimands: {title} gave a {type(answer).__name__} for {place}; (q, v), estimates and"
            " their variances, are needed"
        )
    first, second = answer
    try:
        q, v = (np.atleast_1d(np.asarray(values, dtype=float)) for values in (first, second))
    except (TypeError, ValueError):
        raise InputError(
            f"estimands: {title} gave something else than numbers for {place}; (q, v), estimates"
            " and their variances, are needed"
        ) from None
    if q.shape != v.shape or q.ndim != 1:
        shapes = f"estimates of shape {np.shape(first)} and variances of shape {np.shape(second)}"
        raise InputError(
            f"estimands: {title} gave {shapes} for {place}; one variance for each estimate is"
            " needed"
        )
    if (
        isinstance(first, pd.Series)
        and isinstance(second, pd.Series)
        and not first.index.equals(second.index)
    ):
        raise InputError(
            f"estimands: {title} gave estimates and variances with different labels for {place};"
            " two Series with the same index are needed"
        )
    if (v < 0).any():
        raise InputError(f"estimands: {title} gave the negative variance {v.min():g} for {place}")
    return pd.DataFrame(
        {"q": q, "v": v}, index=pd.Index(_labels(name, title, first, len(q)), dtype=object)
    )


def _labels(name: Any, title: str, estimates: Any, count: int) -> list[str]:
    if isinstance(estimates, pd.Series):
        return [
            f"{name}: {label}" if isinstance(name, str) else str(label) for label in estimates.index
        ]
    return [title] if count == 1 else [f"{title} {i}" for i in range(1, count + 1)]


def _title(name: Any, function: Any) -> str:
    return (
        name
        if isinstance(name, str)
        else getattr(function, "__name__", type(function).__name__)
        + ("" if name is None else f" {name + 1}")
    )
