"""Risk of all blocks and all sizes of cells at once: the exact formulas of `risk`, for counts that
are not large.
"""

from __future__ import annotations

import numpy as np

from ..core.arrays import Flags, Floats, Integers
from .flows import Flows
from .risk import overall_chance

ROUNDING, LAST_DIGITS = 1e-9, 4e-15  # relative, and of numbers near 1


def profile(flows: Flows, last: int) -> tuple[Floats, Floats]:
    """P(S = a), and P(S = a and correct match), of a target in a cell of the i-th size in block b;
    shape (b, r, last + 2): a from 0 to `last`, and at the end over all a however large. NaN where a
    block has no such cell. In a block that cannot exchange units all stay.

    >>> from .flows import balance
    >>> block = balance(np.array([0.8, 0.8]), np.array([1, 2]), np.array([[3, 2]]))
    >>> found, matched = profile(block, 2)
    >>> ratio(matched, found)[0].round(5).tolist()  # IR(0), which is none, IR(1), IR(2), overall
    [[0.0, 0.2093, 0.19844, 0.13529], [0.0, 0.37762, 0.3351, 0.3007]]
    """
    kinds, kind_of_block = _distinct_blocks(flows)
    found, matched = _by_count(kinds, last)
    overall = overall_chance(kinds.sizes - 1, kinds.leave, kinds.others, kinds.arrival)
    found = np.append(found, np.ones((*overall.shape, 1)), axis=-1)
    matched = np.append(matched, overall[..., None], axis=-1)
    absent = kinds.cells == 0
    found[absent] = matched[absent] = np.nan
    return found[kind_of_block], matched[kind_of_block]


def expected_units(flows: Flows, last: int) -> tuple[Floats, Floats]:
    """Units that are expected to find a records, and to be matched among those; as in `profile`,
    with one block more for all of them together.
    """
    weights = flows.units[..., None].astype(float)
    finders, matched = (chances * weights for chances in profile(flows, last))
    of_all = np.nansum((finders, matched), axis=1)[:, None]
    return np.append(finders, of_all[0], axis=0), np.append(matched, of_all[1], axis=0)


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """NaN where nothing is expected."""
    quotient: Floats = np.full(numerator.shape, np.nan)
    return np.divide(numerator, denominator, out=quotient, where=denominator > 0)


def worst_risk(flows: Flows, xi: float) -> Floats:
    """The highest IR(a) over the counts that could pass xi, shape (b, r); 0 where there is none or
    no such cell.
    """
    kinds, kind_of_block = _distinct_blocks(flows)
    found, matched = _by_count(kinds, highest_count(xi))
    usable = (found > 0) & (kinds.cells > 0)[..., None]
    risk = np.divide(matched, found, out=np.zeros_like(found), where=usable)
    highest: Floats = risk[..., 1:].max(axis=-1)
    return highest[kind_of_block]


def highest_count(xi: float) -> int:
    """The largest a with 1 / a above xi: IR(a) <= 1 / a, so larger counts meet the goal by
    themselves.
    """
    a = int(1 / xi)
    meets_exactly = a * xi >= 1 - 1e-12
    return a - 1 if a > 1 and meets_exactly else a


def passes(risk: Floats, xi: float) -> Flags:
    """Whether a risk is above the goal. A theta made for xi meets it only up to rounding, near 0
    and near 1 as well.
    """
    rounding = max(ROUNDING * min(xi, 1 - xi), LAST_DIGITS)
    tolerance = min(rounding, (1 - xi) / 2)
    return risk > xi + tolerance


def _distinct_blocks(flows: Flows) -> tuple[Flows, Integers]:
    """Blocks with the same cells and thetas once, and for each block its place among them."""
    alike = np.column_stack((flows.cells.astype(float), flows.theta))
    _, first, kind_of_block = np.unique(alike, axis=0, return_index=True, return_inverse=True)
    return flows.at(first), kind_of_block.reshape(-1)  # numpy 2.0 gave it a second axis


def _by_count(flows: Flows, last: int) -> tuple[Floats, Floats]:
    """P(S = a) and P(S = a and correct match), a from 0 to `last`."""
    stay, others, arrival = 1 - flows.leave, flows.others, flows.arrival
    arrived = _binomial_start(others[:, :, 0], arrival[:, :, 0], last)
    for j in range(1, len(flows.sizes)):
        of_size = _binomial_start(others[:, :, j], arrival[:, :, j], last)
        arrived = _convolve_start(arrived, of_size)
    found = _convolve_start(arrived, _binomial_start(flows.sizes, stay, last))
    # at x: B stayed and x others are there
    companions = _binomial_start(flows.sizes - 1, stay, last)
    with_target = stay[..., None] * _convolve_start(arrived, companions)
    matched = np.zeros_like(found)
    matched[..., 1:] = with_target[..., :-1] / np.arange(1, last + 1)
    return found, matched


def _binomial_start(n: Integers, p: Floats, last: int) -> Floats:
    """Binomial probabilities of 0 to `last`, shape (..., last + 1), for means that are not large; n
    and p broadcast.
    """
    n, p = np.broadcast_arrays(n.astype(float)[..., None], p[..., None])
    sure = p == 1
    q = np.where(sure, 0.5, p)  # any number below 1: certain events are filled in at the end
    x = np.arange(last, dtype=float)
    with np.errstate(divide="ignore"):
        log_odds = np.log(q) - np.log1p(-q)
        steps = np.log(np.maximum(n - x, 0.0)) - np.log(x + 1) + log_odds
    logs = np.concatenate((n * np.log1p(-q), steps), axis=-1)
    certain = (np.arange(last + 1) == n).astype(float)
    chances: Floats = np.where(sure, certain, np.exp(np.cumsum(logs, axis=-1)))
    return chances


def _convolve_start(first: Floats, second: Floats) -> Floats:
    """Probabilities of 0, 1, ... of a sum, as many as each part has; along the last axis."""
    of_sum: Floats = np.zeros(np.broadcast_shapes(first.shape, second.shape))
    for x in range(of_sum.shape[-1]):
        of_sum[..., x] = (first[..., : x + 1] * second[..., x::-1]).sum(axis=-1)
    return of_sum
