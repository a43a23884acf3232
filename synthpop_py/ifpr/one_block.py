"""The exact risk in one given block: the numbers of units that arrive and stay are sums of
binomials.
"""

from __future__ import annotations

import math

import numpy as np

from ..errors import InputError
from .chances import Events, chance_in, mean_reciprocal
from .flows import Flows, balance
from .options import Theta, theta_of
from .totals import chance_of_total


def risk_in_block(theta: Theta, T: int, a: int | None, block: dict[int, int]) -> float:
    """IR_T(a) = P(B stayed | S = a) / a; P(correct match | T) where a is None."""
    if T in block and not _takes_part(theta, T):
        return 1 / T if a in (None, T) else math.nan
    cell = _CellOfBlock.at(theta, T, block)
    if a is None:
        return cell.overall()
    return cell.stayed(a) / a


def found_in_block(theta: Theta, T: int, a: int, block: dict[int, int]) -> float:
    """P(S = a) of a cell with T units."""
    if T in block and not _takes_part(theta, T):
        return float(a == T)
    return chance_of_total(_CellOfBlock.at(theta, T, block).events(), a)


def variance_in_block(theta: Theta, T: int, block: dict[int, int]) -> float:
    """Variance of the released count of a cell with T units."""
    if T in block and not _takes_part(theta, T):
        return 0.0
    return _CellOfBlock.at(theta, T, block).variance()


def highest_risk_in_block(theta: Theta, T: int, block: dict[int, int]) -> float:
    """The highest IR_T(a) over all counts a."""
    if not _takes_part(theta, T):
        return 1 / T
    return _CellOfBlock.at(theta, T, block).highest_risk()


class _CellOfBlock:
    """One cell of T units, and what may bring records to it."""

    def __init__(self, flows: Flows, size_at: int) -> None:
        """`flows` are those of one block, `size_at` is the place of T among their sizes."""
        self.T = int(flows.sizes[size_at])
        self.leave = flows.leave[0, size_at]
        self.others = flows.others[0, size_at]
        self.arrival = flows.arrival[0, size_at]

    @classmethod
    def at(cls, theta: Theta, T: int, block: dict[int, int]) -> _CellOfBlock:
        if T not in block:
            sizes = ", ".join(map(str, block))
            raise InputError(f"T: the block has no cells of {T} units; sizes of its cells: {sizes}")
        flows = flows_in_block(theta, block)
        return cls(flows, flows.sizes.tolist().index(T))

    def events(self) -> Events:
        """Units of the other cells that may come, by size, and at last those that may stay."""
        return Events(
            counts=np.append(self.others, self.T),
            chances=np.append(self.arrival, 1 - self.leave),
            complements=np.append(1 - self.arrival, self.leave),
        )

    def stayed(self, a: int) -> float:
        """P(B stayed | S = a)."""
        events = self.events()
        last = len(events.counts) - 1
        return chance_in(events, last, a)

    def overall(self) -> float:
        """P(correct match | T) = P(B stayed) E[1 / S], S with B and the others who stay or come."""
        stay = 1 - self.leave
        companions = np.array(self.T - 1)
        reciprocal = mean_reciprocal(companions, np.array(stay), self.others, self.arrival)
        return float(stay * reciprocal)

    def variance(self) -> float:
        """T p (1 - p) of those who leave and the sum of n q (1 - q) of those who come."""
        p, q = self.leave, self.arrival
        of_those_who_come = (self.others * q * (1 - q)).sum()
        return float(self.T * p * (1 - p) + of_those_who_come)

    def highest_risk(self) -> float:
        """The highest IR over all counts a. P(B stayed | S = a) never falls with a, so between two
        counts the risk is at most that chance at the upper one over the lower one.
        """
        events = self.events()
        fewest = max(1, events.sure)
        most = events.possible
        if events.chances[-1] == 0 or fewest > most:
            return 0.0
        highest = max(self.stayed(fewest) / fewest, 1 / most)
        spans = [(fewest + 1, most)]
        while spans:
            low, high = spans.pop()
            if low > high or 1 / low <= highest:
                continue
            stayed = self.stayed(high)
            highest = max(highest, stayed / high)
            if stayed / low > highest and low < high:
                middle = (low + high) // 2
                spans += [(middle + 1, high - 1), (low, middle)]
        return highest


def flows_in_block(theta: Theta, block: dict[int, int]) -> Flows:
    """Movement between those cells of a block that take part."""
    perturbed = {size: cells for size, cells in block.items() if _takes_part(theta, size)}
    if sum(perturbed.values()) < 2:
        raise InputError(
            f"theta: names only one cell of {block!r}, so its units have nowhere to go; give a"
            " theta for other sizes too, or merge the block with another"
        )
    return _flows(theta, perturbed)


def _flows(theta: Theta, block: dict[int, int]) -> Flows:
    """Movement in a block all of whose cells take part."""
    sizes = np.array(sorted(block))
    cells = np.array([[block[size] for size in sorted(block)]])
    flows = balance(theta_of(theta, sizes), sizes, cells)
    if not flows.possible[0]:
        raise InputError(
            f"block: in {block!r} with theta {theta!r} one cell would send as many units as all"
            " others together, or more, so expected counts cannot be kept; merge the block with"
            " another"
        )
    return flows


def _takes_part(theta: Theta, T: int) -> bool:
    """Whether cells of T units are perturbed."""
    return not isinstance(theta, dict) or T in theta
