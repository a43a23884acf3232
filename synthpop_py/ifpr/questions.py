"""Questions (theta, T, a), which may be arrays: checked, brought to one shape, each answered
once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..core.arrays import Floats, Integers
from ..errors import InputError
from .options import check_theta, theta_of


def check_thetas(theta: Any) -> Any:
    """A mapping by size, a number, or an array of numbers."""
    if isinstance(theta, np.ndarray) and theta.ndim == 0:
        theta = theta.item()
    if isinstance(theta, Mapping) or np.ndim(theta) == 0:
        checked = check_theta(theta)
        return checked if isinstance(checked, dict) else np.float64(checked)
    numbers = [check_theta(number) for number in np.ravel(theta).tolist()]
    return np.array(numbers).reshape(np.shape(theta))


def shape_of(thetas: Any) -> tuple[int, ...]:
    """A mapping is one theta, whatever the sizes it names."""
    return () if isinstance(thetas, dict) else np.shape(thetas)


def common_shape(arguments: str, shapes: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        *first, last = map(str, shapes)
        raise InputError(
            f"{arguments}: arrays of the shapes {', '.join(first)} and {last} do not fit together"
        ) from None


def by_question(thetas: Any, sizes: Integers) -> Floats:
    """The theta of each question, shape as `sizes`."""
    if isinstance(thetas, dict):
        return theta_of(thetas, sizes)
    return np.broadcast_to(thetas, sizes.shape)


def each(
    answer: Callable[[Any, int, int], float],
    thetas: Any,
    sizes: Integers,
    counts: Integers | None = None,
) -> Floats:
    """The answer to each question (theta, T, a), every distinct one asked once; a is 0 where
    `counts` is None.
    """
    if counts is None:
        counts = np.zeros(sizes.shape, dtype=np.int64)
    varying = None if isinstance(thetas, dict) else np.broadcast_to(thetas, sizes.shape)
    answers = np.empty(sizes.shape)
    known: dict[tuple[Any, ...], float] = {}
    for index in np.ndindex(sizes.shape):
        theta = None if varying is None else float(varying[index])
        question = (theta, int(sizes[index]), int(counts[index]))
        if question not in known:
            asked = thetas if varying is None else theta
            known[question] = answer(asked, *question[1:])
        answers[index] = known[question]
    return answers


def number_or_array(values: Floats) -> Any:
    return float(values) if np.shape(values) == () else values
