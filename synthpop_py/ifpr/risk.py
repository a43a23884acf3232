"""Identification risk under IFPR: what an intruder learns from the number of released records with
the target's keys.

A target B shares its combination of keys (its cell) with T units in all. After the randomisation S
records are in that cell. The intruder picks one of them.

    IR_T(a) = P(correct match | S = a) = P(B stayed | S = a) / a

Zhang, Nayak and You (2017), *Measuring identification risk in microdata release and its control by
post-randomization*.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.arrays import Integers
from ..errors import warning_once
from .limit import highest_risk_in_the_limit, overall_in_the_limit, risk_in_the_limit
from .one_block import highest_risk_in_block, risk_in_block, variance_in_block
from .options import check_block, check_theta, theta_of, whole_array
from .questions import by_question, check_thetas, common_shape, each, number_or_array, shape_of

LIMIT_SIZES = (1, 2)  # what the slides perturb


@warning_once
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
    theta : number from 0 to 1, an array of them, or one for each size of cells, 0 to T, as in
        ``{1: 0.79, 2: 1.24, 3: 1.3}``. With different values the other cells are destinations in
        such proportions that every cell keeps its expected count. Cells of a size that is not named
        take no part: all their T units stay, and the risk is 1 / T.
    T : units in the target's cell before; one number or an array.
    a : released records in that cell, 1 or more; one number or an array. None for the overall
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
    thetas = check_thetas(theta)
    if a is None:
        return _overall(thetas, sizes, block)
    counts = whole_array("a", a)
    shapes = (shape_of(thetas), sizes.shape, counts.shape)
    shape = common_shape("theta, T, a", shapes)
    sizes = np.broadcast_to(sizes, shape)
    counts = np.broadcast_to(counts, shape)
    if block is None:
        by_theta = by_question(thetas, sizes)
        return number_or_array(risk_in_the_limit(by_theta, sizes, counts))
    cells = check_block(block)
    risk = each(lambda theta, T, a: risk_in_block(theta, T, a, cells), thetas, sizes, counts)
    return number_or_array(risk)


def _overall(thetas: Any, sizes: Integers, block: Mapping[int, int] | None) -> Any:
    """P(correct match | T), whatever is found."""
    shape = common_shape("theta, T, a", (shape_of(thetas), sizes.shape, ()))
    sizes = np.broadcast_to(sizes, shape)
    if block is None:
        by_theta = by_question(thetas, sizes)
        return number_or_array(overall_in_the_limit(by_theta, sizes))
    cells = check_block(block)
    risk = each(lambda theta, T, _: risk_in_block(theta, T, None, cells), thetas, sizes)
    return number_or_array(risk)


@warning_once
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

    In the smallest block both units may end in one cell, and then the intruder has an even chance,
    whatever theta below 1 is. (With theta = 1 they always trade places: no record with the target's
    own keys is the target's, but everyone knows where it is. `ifpr` does not do that.)

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


@warning_once
def ifpr_variance(
    theta: float | Mapping[int, float] | Any, T: Any, block: Mapping[int, int] | None = None
) -> Any:
    """Variance of the released count of a cell with T units, given the data; its expectation is T.

    In a large block, the units that stay are binomial and those that arrive Poisson: theta (1 -
    theta / T) + theta.

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
    thetas = check_thetas(theta)
    shape = common_shape("theta, T", (shape_of(thetas), sizes.shape))
    sizes = np.broadcast_to(sizes, shape)
    if block is None:
        by_theta = by_question(thetas, sizes)
        of_those_who_stay = by_theta * (1 - by_theta / sizes)
        return number_or_array(of_those_who_stay + by_theta)
    cells = check_block(block)
    variance = each(lambda theta, T, _: variance_in_block(theta, T, cells), thetas, sizes)
    return number_or_array(variance)
