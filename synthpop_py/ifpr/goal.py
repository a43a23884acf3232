"""The goal of a randomisation: which sizes of cells are perturbed, how strongly, and the acceptable
risk.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arguments import check_choice, check_whole
from ..core.arrays import Flags, Floats, Integers
from ..errors import InputError
from .limit import highest_risk_in_the_limit
from .options import Theta, check_theta, check_xi, theta_of
from .profile import highest_count
from .theta import SCHEMES, ifpr_theta

USUAL_COUNT = 2  # the slides perturb cells of one and two units


@dataclass(frozen=True, slots=True)
class Goal:
    """What the randomisation must achieve.

    Attributes
    ----------
    xi : highest chance of a correct match that is accepted. asked : xi was given, not computed from
        theta.
    sizes : int64, shape (r,), ascending, sizes of cells that are perturbed. theta : shape (r,), 0
        where not `needs`. max_count : cells with more units are left alone.
    needs : bool, shape (r,). Other sizes meet xi as they are and take part only as destinations for
        smaller ones (see `thetas`).
    """

    xi: float
    asked: bool
    sizes: Integers
    theta: Floats
    max_count: int
    needs: Flags

    def at(self, occurring: Integers) -> Goal:
        """The same for sizes that occur; the smallest one where none does."""
        mask = np.isin(self.sizes, occurring)
        if not mask.any():
            mask[0] = True
        return replace(self, sizes=self.sizes[mask], theta=self.theta[mask], needs=self.needs[mask])

    def thetas(self, cells: Integers) -> Floats:
        """theta of each size in blocks with so many cells of each, both of shape (b, r).

        Sizes that need no change take the highest theta of the smaller cells of their block, so
        flows can be balanced. Without smaller cells their units stay.
        """
        theta = np.broadcast_to(self.theta, cells.shape).copy()
        perturbed = (cells > 0) & self.needs
        highest = np.where(perturbed, theta, 0.0).max(axis=1, initial=0.0)
        theta[:, ~self.needs] = highest[:, None]
        return theta


def read_goal(xi: Any, theta: Any, max_count: Any, scheme: Any) -> Goal:
    """The goal that the arguments of a call describe."""
    if (xi is None) == (theta is None):
        raise InputError(
            "xi, theta: give exactly one: xi, the highest acceptable chance of a correct "
            "match, or theta, how strongly to randomise"
        )
    largest = None
    if max_count is not None:
        largest = check_whole("max_count", max_count, 1)
    if xi is not None:
        return _goal_of_xi(check_xi(xi), largest, scheme)
    if scheme is not None:
        name = check_choice("scheme", scheme, SCHEMES)
        raise InputError(
            f"scheme: {name!r} says how theta follows from xi, but theta is given; leave scheme out"
        )
    return _goal_of_theta(check_theta(theta), largest)


def _goal_of_theta(theta: Theta, largest: int | None) -> Goal:
    """The xi that this theta attains in large blocks."""
    if largest is None:
        largest = max(theta) if isinstance(theta, dict) else USUAL_COUNT
    sizes = np.arange(1, largest + 1)
    by_size = theta_of(theta, sizes)
    attained = highest_risk_in_the_limit(by_size, sizes)
    of_larger_cells = 1 / (largest + 1)
    return Goal(
        xi=max(attained, of_larger_cells),
        asked=False,
        sizes=sizes,
        theta=by_size,
        max_count=largest,
        needs=np.full(largest, True),
    )


def _goal_of_xi(xi: float, largest: int | None, scheme: Any) -> Goal:
    """The thetas that xi needs in large blocks."""
    needed = highest_count(xi)
    theta = ifpr_theta(xi, scheme=scheme)
    differ_by_size = isinstance(theta, dict)
    if largest is None:
        largest = needed if differ_by_size else max(USUAL_COUNT, needed)
    if largest < needed:
        raise _leaves_risky_cells(xi, largest, needed)
    sizes = np.arange(1, largest + 1)
    needs = np.full(largest, True)
    if differ_by_size:
        needs = sizes <= needed
    by_size = np.zeros(largest)
    by_size[needs] = theta_of(theta, sizes[needs])
    return Goal(xi=xi, asked=True, sizes=sizes, theta=by_size, max_count=largest, needs=needs)


def _leaves_risky_cells(xi: float, largest: int, needed: int) -> InputError:
    left = largest + 1
    return InputError(
        f"max_count: {largest} leaves cells of {left} units as they are, where the chance of a"
        f" correct match is 1/{left}, above xi = {xi:g}; give max_count of at least {needed},"
        " or leave it out"
    )
