"""How many records an intruder finds: P(S = a) for a cell of T units, a = 0, 1, ..."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.arrays import Floats, Integers
from ..errors import warning_once
from .limit import found_in_the_limit
from .one_block import found_in_block
from .options import check_block, theta_of, whole_array
from .questions import check_thetas, common_shape, each, number_or_array, shape_of


@warning_once
def ifpr_found(
    theta: float | Mapping[int, float] | Any, T: Any, a: Any, block: Mapping[int, int] | None = None
) -> Any:
    """P(S = a): the chance that `a` released records are in a cell that had T units before, 0
    included.

    S is the number of units that stay plus the number that arrive. Each of the T units stays with
    probability 1 - theta / T. In a large block arrivals are Poisson with mean theta; in a given
    block they are sums of binomials, and the answer is exact for that block.

    Parameters
    ----------
    theta, T, block : see `ifpr_risk`.
    a : released records in the cell, 0 or more; one number or an array.

    Returns
    -------
    float, or an array of the common shape of `theta`, `T` and `a`
        A probability, 0 to 1; 0 where S = a cannot happen. Over all a they sum to 1, and a P(S = a)
        sums to T: every cell keeps its expected count.

    See Also
    --------
    ifpr_risk : the chance of a correct match given S = a. P(S = a) times it, summed over a from 1
        on, is the overall chance.

    Examples
    --------
    Three people, each alone in a cell, leave with probability 1/2. A cell is empty when its own
    unit left and neither of the others came: 1/2 · 3/4 · 3/4 = 9/32. One record is there in 15 of
    32 cases.

    >>> (32 * ifpr_found(0.5, T=1, a=[0, 1, 2, 3], block={1: 3})).round(9).tolist()
    [9.0, 15.0, 7.0, 1.0]

    In a large block a cell of one unit is empty with theta exp(-theta):

    >>> round(ifpr_found(0.5, T=1, a=0), 6), round(0.5 * np.exp(-0.5).item(), 6)
    (0.303265, 0.303265)
    """
    sizes = whole_array("T", T)
    counts = whole_array("a", a, least=0)
    thetas = check_thetas(theta)
    shapes = (shape_of(thetas), sizes.shape, counts.shape)
    shape = common_shape("theta, T, a", shapes)
    sizes = np.broadcast_to(sizes, shape)
    counts = np.broadcast_to(counts, shape)
    return number_or_array(_found(thetas, sizes, counts, block))


def _found(
    thetas: Any, sizes: Integers, counts: Integers, block: Mapping[int, int] | None
) -> Floats:
    if block is None:
        return each(_found_in_the_limit, thetas, sizes, counts)
    cells = check_block(block)
    return each(lambda theta, T, a: found_in_block(theta, T, a, cells), thetas, sizes, counts)


def _found_in_the_limit(theta: Any, T: int, a: int) -> float:
    theta_of_size = float(theta_of(theta, np.array(T)))
    return found_in_the_limit(theta_of_size, T, a)
