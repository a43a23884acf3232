"""Risk of all blocks and all sizes of cells at once: the exact formulas of `risk`, for counts that
are not large.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

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
    """Chances for all blocks, counts 0 to `last`. In a block that cannot exchange units all stay.

    Examples
    --------
    >>> from .flows import balance
    >>> block = balance(np.array([0.8, 0.8]), np.array([1, 2]), np.array([[3, 2]]))
    >>> profile(block, 2).risk[0].round(5).tolist()
    [[nan, 0.2093, 0.19844], [nan, 0.37762, 0.3351]]
    """
    kinds, kind_of_block = distinct_blocks(flows)
    found, matched = _by_count(kinds, last)
    overall = _overall(kinds)
    absent = kinds.cells == 0
    for chances in (found, matched, overall):
        chances[absent] = np.nan
    return Profile(found[kind_of_block], matched[kind_of_block], overall[kind_of_block])


def distinct_blocks(flows: Flows) -> tuple[Flows, Integers]:
    """Blocks with the same cells and thetas once, and for each block its place among them."""
    alike = np.column_stack((flows.cells.astype(float), flows.leave))
    _, first, kind_of_block = np.unique(alike, axis=0, return_index=True, return_inverse=True)
    kinds = Flows(
        sizes=flows.sizes,
        cells=flows.cells[first],
        leave=flows.leave[first],
        share=flows.share[first],
        total=flows.total[first],
        possible=flows.possible[first],
    )
    return kinds, kind_of_block.reshape(-1)  # numpy 2.0 gave it a second axis


class _Movement(NamedTuple):
    """What brings records to a cell: its units stay with the chance `stay`, shape (b, r), and
    `others`, shape (b, r, r), come with the chance `arrival`, by their size along the last axis.
    """

    stay: Floats
    others: Integers
    arrival: Floats


def _movement(flows: Flows) -> _Movement:
    moving = flows.possible[:, None]
    stay = np.where(moving, 1 - flows.leave, 1.0)
    others = np.maximum(flows.others, 0)
    arrival = np.where(moving[..., None], flows.arrival, 0.0)
    return _Movement(stay, others, arrival)


def _overall(flows: Flows) -> Floats:
    """P(correct match) = P(B stayed) E[1 / S], S with B and the others who stay or come."""
    stay, others, arrival = _movement(flows)
    companions = np.broadcast_to(flows.sizes - 1, stay.shape)
    return stay * mean_reciprocal(companions, stay, others, arrival)


def _by_count(flows: Flows, last: int) -> tuple[Floats, Floats]:
    """P(S = a) and P(S = a and correct match), a from 0 to `last`."""
    stay, others, arrival = _movement(flows)
    arrived = binomial_start(others[:, :, 0], arrival[:, :, 0], last)
    for j in range(1, len(flows.sizes)):
        arrived_of_size = binomial_start(others[:, :, j], arrival[:, :, j], last)
        arrived = convolve_start(arrived, arrived_of_size)
    stayed = binomial_start(flows.sizes, stay, last)
    found = convolve_start(arrived, stayed)
    companions = binomial_start(flows.sizes - 1, stay, last)
    # at x: B stayed and x others are there
    with_target = stay[..., None] * convolve_start(arrived, companions)
    matched = np.zeros_like(found)
    matched[..., 1:] = with_target[..., :-1] / np.arange(1, last + 1)
    return found, matched


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


def worst_risk(flows: Flows, xi: float) -> Floats:
    """The highest IR(a) over the counts that could pass xi, shape (b, r); 0 where there is none or
    no such cell.
    """
    kinds, kind_of_block = distinct_blocks(flows)
    found, matched = _by_count(kinds, highest_count(xi))
    occupied = (kinds.cells > 0)[..., None]
    usable = (found > 0) & occupied
    risk = np.divide(matched, found, out=np.zeros_like(found), where=usable)
    highest: Floats = risk[..., 1:].max(axis=-1)
    return highest[kind_of_block]
