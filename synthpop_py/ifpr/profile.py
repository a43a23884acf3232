"""Risk of all blocks and all sizes of cells at once: the exact formulas of `risk`, for counts that
are not large.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import Flags, Floats, Integers
from .chances import binomial_start, convolve_start, mean_reciprocal
from .flows import Flows

ROUNDING, LAST_DIGITS = 1e-9, 4e-15  # relative, and of numbers near 1


@dataclass(frozen=True, slots=True)
class Profile:
    """What happens to a target in a cell of the i-th size in block b. NaN where a block has no such
    cell.

    Attributes
    ----------
    found : P(S = a), shape (b, r, last + 1), a from 0.
    matched : P(S = a and correct match), the same shape; 0 at a = 0.
    overall : P(correct match), over all a however large, shape (b, r).
    """

    found: Floats
    matched: Floats
    overall: Floats

    @property
    def risk(self) -> Floats:
        """IR(a) = P(correct match | S = a), shape as `found`; NaN where S = a cannot happen and at
        a = 0.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            risk = self.matched / self.found
        risk[..., 0] = np.nan
        return risk


def profile(flows: Flows, last: int) -> Profile:
    """Chances for all blocks, counts 0 to `last`. In a block that cannot exchange units everybody
    stays.

    Examples
    --------
    >>> from .flows import balance
    >>> block = balance(np.array([0.8, 0.8]), np.array([1, 2]), np.array([[3, 2]]))
    >>> profile(block, 2).risk[0].round(5).tolist()
    [[nan, 0.2093, 0.19844], [nan, 0.37762, 0.3351]]
    """
    kinds, place = distinct_blocks(flows)
    found, matched = _by_count(kinds, last)
    stay, others, arrival = _events(kinds)
    overall = stay * mean_reciprocal(
        np.broadcast_to(kinds.sizes - 1, stay.shape), stay, others, arrival
    )
    absent = kinds.cells == 0
    found[absent], matched[absent], overall[absent] = np.nan, np.nan, np.nan
    return Profile(found[place], matched[place], overall[place])


def distinct_blocks(flows: Flows) -> tuple[Flows, Integers]:
    """Blocks with the same cells and thetas once, and for each block its place among them."""
    alike = np.column_stack((flows.cells.astype(float), flows.leave))
    _, first, place = np.unique(alike, axis=0, return_index=True, return_inverse=True)
    kinds = Flows(
        flows.sizes,
        flows.cells[first],
        flows.leave[first],
        flows.share[first],
        flows.total[first],
        flows.possible[first],
    )
    return kinds, place.reshape(-1)  # numpy 2.0 gave it a second axis


def _events(flows: Flows) -> tuple[Floats, Integers, Floats]:
    """Chance to stay, and numbers and chances of those who may come."""
    moving = flows.possible
    return (
        np.where(moving[:, None], 1 - flows.leave, 1.0),
        np.maximum(flows.others, 0),
        np.where(moving[:, None, None], flows.arrival, 0.0),
    )


def _by_count(flows: Flows, last: int) -> tuple[Floats, Floats]:
    """P(S = a) and P(S = a and correct match), a from 0 to `last`."""
    stay, others, arrival = _events(flows)
    arrived = binomial_start(others[:, :, 0], arrival[:, :, 0], last)
    for j in range(1, len(flows.sizes)):
        arrived = convolve_start(arrived, binomial_start(others[:, :, j], arrival[:, :, j], last))
    found = convolve_start(arrived, binomial_start(flows.sizes, stay, last))
    with_b = stay[..., None] * convolve_start(
        arrived, binomial_start(flows.sizes - 1, stay, last)
    )  # at x: B stayed and x others are there
    matched = np.zeros_like(found)
    matched[..., 1:] = with_b[..., :-1] / np.arange(1, last + 1)
    return found, matched


def highest_count(xi: float) -> int:
    """The largest a with 1 / a above xi: IR(a) <= 1 / a, so larger counts meet the goal by
    themselves.
    """
    a = int(1 / xi)
    return a - 1 if a > 1 and a * xi >= 1 - 1e-12 else a


def passes(risk: Floats, xi: float) -> Flags:
    """Whether a risk is above the goal. A theta made for xi meets it up to the last digits only,
    near 0 and near 1 as well.
    """
    return risk > xi + min(max(ROUNDING * min(xi, 1 - xi), LAST_DIGITS), (1 - xi) / 2)


def worst_risk(flows: Flows, xi: float) -> Floats:
    """The highest IR(a) over the counts that could pass xi, shape (b, r); 0 where there is none or
    no such cell.
    """
    kinds, place = distinct_blocks(flows)
    found, matched = _by_count(kinds, highest_count(xi))
    usable = (found > 0) & (kinds.cells > 0)[..., None]
    risk = np.divide(matched, found, out=np.zeros_like(found), where=usable)
    highest: Floats = risk[..., 1:].max(axis=-1)
    return highest[place]
