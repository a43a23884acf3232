"""Identification risk under IFPR: what an intruder gains who finds a number of released records
with the target's keys.

A target B shares its combination of keys (its cell) with T units in all. After the randomisation S
records are in that cell. The intruder picks one of them.

    IR_T(a) = P(correct match | S = a) = P(B stayed | S = a) / a

Zhang, Nayak and You (2017), *Measuring identification risk in microdata release and its control by
post-randomization*.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..core.arrays import Floats, Integers
from ..errors import InputError
from ..names import named_arguments
from .limit import highest_risk_in_the_limit, overall_in_the_limit, risk_in_the_limit
from .one_block import highest_risk_in_block, risk_in_block, variance_in_block
from .options import check_block, check_theta, theta_of, whole_array

LIMIT_SIZES = (1, 2)  # what the slides perturb


@named_arguments()
def ifpr_risk(
    theta: float | Mapping[int, float] | Any, T: Any, a: Any, block: Mapping[int, int] | None = None
) -> Any:
    """Identification risk IR_T(a) = P(correct match | S = a) for a target in a cell of T units, `a`
    released records in that cell.

    A unit of a T-cell leaves with probability theta / T for one of the other cells of its block,
    chosen at random. In a large block the number of units that come in is Poisson with mean theta;
    in a given block it is a sum of binomials, and the answer is exact for that block.

    Parameters
    ----------
    theta : number from 0 to 1, an array of them, or one for each size of cells, 0 to T, as in ``{1:
        0.79, 2: 1.24, 3: 1.3}``. With different values the other cells are destinations in such
        proportions that every cell keeps its expected count. Cells of a block whose size is not
        named take no part: all their T units stay, with 1 / T.
    T : units in the target's cell before; one number or an array.
    a : released records in that cell, from 1 on; one number or an array. None for the overall
        P(correct match | T), where an empty cell is no match.
    block : cells by size, as in ``{1: 10, 2: 5}``, the target's own included; None for the limit of
        large blocks.

    Returns
    -------
    float, or an array of the common shape of `theta`, `T` and `a`
        A probability, 0 to 1; higher is riskier; never above 1 / a. NaN where S = a cannot happen.

    Examples
    --------
    Three people, each alone in a cell, leave with probability 1/2, so one given person comes to the
    target's cell with 1/4. One record is found there when the target stayed and nobody came, 1/2 ·
    3/4 · 3/4 = 9/32, or when the target left and one of two came, 1/2 · 2 · 1/4 · 3/4 = 6/32:
    correct in 9 of 15 cases.

    >>> round(ifpr_risk(0.5, T=1, a=1, block={1: 3}), 6)
    0.6
    >>> ifpr_risk(0.8, T=[1, 2], a=1).round(5).tolist()
    [0.2381, 0.39474]
    >>> round(ifpr_risk(0.8, T=2, a=None), 5)
    0.30545
    """
    sizes = whole_array("T", T)
    thetas = _check_thetas(theta)
    if a is None:
        return _overall(thetas, sizes, block)
    counts = whole_array("a", a)
    shapes = (_shape_of(thetas), sizes.shape, counts.shape)
    shape = _common_shape("theta, T, a", shapes)
    sizes = np.broadcast_to(sizes, shape)
    counts = np.broadcast_to(counts, shape)
    if block is None:
        by_theta = _by_question(thetas, sizes)
        return _number_or_array(risk_in_the_limit(by_theta, sizes, counts))
    cells = check_block(block)
    risk = _each(lambda theta, T, a: risk_in_block(theta, T, a, cells), thetas, sizes, counts)
    return _number_or_array(risk)


def _overall(thetas: Any, sizes: Integers, block: Mapping[int, int] | None) -> Any:
    """P(correct match | T), whatever is found."""
    shape = _common_shape("theta, T, a", (_shape_of(thetas), sizes.shape, ()))
    sizes = np.broadcast_to(sizes, shape)
    if block is None:
        by_theta = _by_question(thetas, sizes)
        return _number_or_array(overall_in_the_limit(by_theta, sizes))
    cells = check_block(block)
    risk = _each(lambda theta, T, _: risk_in_block(theta, T, None, cells), thetas, sizes)
    return _number_or_array(risk)


@named_arguments()
def ifpr_xi(theta: float | Mapping[int, float], block: Mapping[int, int] | None = None) -> float:
    """The goal a theta attains: the highest IR_T(a) over all sizes T and all released counts a.

    Parameters
    ----------
    theta : number from 0 to 1 or one for each size, see `ifpr_risk`.
    block : cells by size; None for the limit of large blocks, there over T = 1 and 2, or the sizes
        that `theta` names.

    Returns
    -------
    float
        A probability; higher is riskier. Cells of the block whose size `theta` does not name are
        not perturbed and have 1 / T.

    Examples
    --------
    >>> round(ifpr_xi(0.8), 3), round(ifpr_xi(2 / 3), 3)
    (0.395, 0.429)

    In the smallest of blocks both units may end in one cell, and then the intruder has an even
    chance whatever theta below 1 is. (With theta = 1 they always change places: no record under the
    target's own keys is the target's, but everybody knows where it is. `ifpr` does not do that.)

    >>> round(ifpr_xi(0.8, block={1: 2}), 3)
    0.5
    """
    checked = check_theta(theta, empty=block is not None)
    if block is not None:
        cells = check_block(block)
        return max(highest_risk_in_block(checked, T, cells) for T in cells)
    named_sizes = sorted(checked) if isinstance(checked, dict) else LIMIT_SIZES
    sizes = np.array(named_sizes)
    return highest_risk_in_the_limit(theta_of(checked, sizes), sizes)


@named_arguments()
def ifpr_variance(
    theta: float | Mapping[int, float] | Any, T: Any, block: Mapping[int, int] | None = None
) -> Any:
    """Variance of the released count of a cell with T units, given the data; its expectation is T.

    Those who stay are binomial, those who come Poisson in a large block: theta (1 - theta / T) +
    theta.

    Parameters
    ----------
    theta, T, block : see `ifpr_risk`.

    Returns
    -------
    float, or an array of the common shape of `theta` and `T`
        In squared units; 0 for cells that take no part.

    Examples
    --------
    A unit alone leaves with 0.8; each of the four others comes with 0.2: 0.8 · 0.2 + 4 · 0.2 · 0.8.

    >>> round(ifpr_variance(0.8, T=1, block={1: 5}), 6)
    0.8
    >>> round(ifpr_variance(0.8, T=1), 6)
    0.96
    """
    sizes = whole_array("T", T)
    thetas = _check_thetas(theta)
    shape = _common_shape("theta, T", (_shape_of(thetas), sizes.shape))
    sizes = np.broadcast_to(sizes, shape)
    if block is None:
        by_theta = _by_question(thetas, sizes)
        of_those_who_stay = by_theta * (1 - by_theta / sizes)
        return _number_or_array(of_those_who_stay + by_theta)
    cells = check_block(block)
    variance = _each(lambda theta, T, _: variance_in_block(theta, T, cells), thetas, sizes)
    return _number_or_array(variance)


def _check_thetas(theta: Any) -> Any:
    """A mapping by size, a number, or an array of numbers."""
    if isinstance(theta, np.ndarray) and theta.ndim == 0:
        theta = theta.item()
    if isinstance(theta, Mapping) or np.ndim(theta) == 0:
        checked = check_theta(theta)
        return checked if isinstance(checked, dict) else np.float64(checked)
    numbers = [check_theta(number) for number in np.ravel(theta).tolist()]
    return np.array(numbers).reshape(np.shape(theta))


def _shape_of(thetas: Any) -> tuple[int, ...]:
    """A mapping is one theta, whatever the sizes it names."""
    return () if isinstance(thetas, dict) else np.shape(thetas)


def _common_shape(arguments: str, shapes: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        *first, last = map(str, shapes)
        raise InputError(
            f"{arguments}: arrays of the shapes {', '.join(first)} and {last} do not fit together"
        ) from None


def _by_question(thetas: Any, sizes: Integers) -> Floats:
    """The theta of each question, shape as `sizes`."""
    if isinstance(thetas, dict):
        return theta_of(thetas, sizes)
    return np.broadcast_to(thetas, sizes.shape)


def _each(
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


def _number_or_array(values: Floats) -> Any:
    return float(values) if np.shape(values) == () else values
