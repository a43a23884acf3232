"""The smallest theta that meets a disclosure control goal; and the goal of a release: which sizes
of cells are perturbed, how strongly, and the acceptable risk.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ..arguments import check_choice, check_whole
from ..core.arrays import Flags, Floats, Integers
from ..errors import InputError, warning_once
from .flows import balance, check_block, check_theta, check_xi, theta_of
from .risk import highest_count, highest_in_the_limit, worst_risk

Scheme = Literal["common", "size"]
SCHEMES = ("common", "size")
# values tried in one go, and how often they are narrowed down: 256^7 is beyond the last digit
GRID, GRIDS = 256, 7
COMMON_LIMIT = 1 / 3  # theta is at most 1, and then two units that share a cell still have 1/3
ROUNDS = 100
SETTLED = 1e-12
USUAL_COUNT = 2  # the slides perturb cells of one and two units


@warning_once
def ifpr_theta(
    xi: float, block: Mapping[int, int] | None = None, *, scheme: Scheme | None = None
) -> float | dict[int, float]:
    """The smallest theta for which IR_T(a) <= xi, whatever the size T of the target's cell and the
    released count a.

    Parameters
    ----------
    xi : the goal, above 0 and below 1: the highest acceptable chance of a correct match.
    block : cells by size, as in ``{1: 10, 2: 5}``, for the exact answer in that block; None for the
        limit of large blocks. There the answer is safe for a = 1 in every block; in very small ones
        other counts can be worse (two units alone in their cells), so `ifpr` checks them all.
    scheme : "common", one theta for all cells (that of the slides; works from xi = 1/3 on), or
        "size", one for each size T with T xi < 1. None for "common" where xi is at least 1/3 and
        "size" below.

    Returns
    -------
    float for "common", dict of float by T for "size"
        Cells of sizes that are not named need no change: 1 / T is not above xi.

    Examples
    --------
    >>> round(ifpr_theta(0.395), 4)
    0.799
    >>> {T: round(theta, 4) for T, theta in ifpr_theta(0.25).items()}
    {1: 0.7913, 2: 1.2361, 3: 1.3028}

    A small block needs somewhat less:

    >>> round(ifpr_theta(0.395, block={1: 3, 2: 2}), 4)
    0.7461
    """
    goal = check_xi(xi)
    if scheme is None:
        scheme = "common" if goal >= COMMON_LIMIT else "size"
    common = check_choice("scheme", scheme, SCHEMES) == "common"
    if block is not None:
        cells = check_block(block)
        if not common:
            return _thetas_by_size(goal, cells)
        every_size = list(range(len(cells)))
        return _smallest(goal, cells, np.zeros(len(cells)), every_size, 1.0)
    needed = {T: limit_theta(goal, T) for T in range(1, highest_count(goal) + 1)}
    if not common:
        return needed
    if goal < COMMON_LIMIT:
        raise InputError(
            f"scheme: one theta for all cells cannot reach xi = {goal:g}: theta is at most 1, and"
            " then two units that share a cell still have 1/3; use scheme='size' or give xi of at"
            " least 1/3"
        )
    return min(max(needed.values()), 1.0)


def limit_theta(xi: float, T: int) -> float:
    """theta for which IR_T(1) = xi in the limit of large blocks; 0 where 1 / T is not above xi.

    IR_T(1) = (T - theta) / (T (T - theta) + theta^2), solved for theta: with c = 1 - T xi, theta =
    2 T c / (c + sqrt(c^2 + 4 T xi c)).
    """
    c = 1 - T * xi
    if c <= 0:
        return 0.0
    return 2 * T * c / (c + math.sqrt(c * c + 4 * T * xi * c))


# ---- in a given block ----------------------------------------------------------------


def _thetas_by_size(xi: float, block: dict[int, int]) -> dict[int, float]:
    """Each size's smallest theta given those of the others, repeated until nothing changes,
    starting from the answer for large blocks.
    """
    risky = {T: cells for T, cells in block.items() if T * xi < 1 - 1e-12}
    if not risky:
        return {}
    if sum(risky.values()) < 2:
        raise _hopeless(xi, risky)
    theta = np.array([limit_theta(xi, T) for T in risky])
    for _ in range(ROUNDS):
        before = theta.copy()
        for i, T in enumerate(risky):
            theta[i] = _smallest(xi, risky, theta, [i], float(T))
        if np.abs(theta - before).max() < SETTLED:
            break
    every_size = list(range(len(risky)))
    worst = _worst_risk(theta[None, :], risky, xi, every_size)
    if worst[0] > xi * (1 + 1e-9):
        raise _hopeless(xi, risky)
    return dict(zip(risky, theta.tolist()))


def _smallest(
    xi: float, block: dict[int, int], theta: Floats, which: list[int], end: float
) -> float:
    """The smallest theta in [0, end) of the sizes `which` for which their risk is at most xi, the
    others having those in `theta`: found on ever finer grids; an error if none on a grid is enough.
    """
    low, high = 0.0, end
    last = end * (1 - 1e-9)
    for _ in range(GRIDS):
        tried = np.append(np.linspace(low, high, GRID, endpoint=False), last)
        thetas = np.repeat(theta[None, :], len(tried), axis=0)
        thetas[:, which] = tried[:, None]
        good = np.flatnonzero(_worst_risk(thetas, block, xi, which) <= xi)
        if not len(good):
            raise _hopeless(xi, block)
        first = int(good[0])
        if first == 0:
            return float(tried[0])
        low, high = float(tried[first - 1]), float(tried[first])
        last = high
    return high


def _worst_risk(thetas: Floats, block: dict[int, int], xi: float, which: list[int]) -> Floats:
    """The highest risk over the sizes `which` for each row of thetas; 1 where flows cannot be
    balanced.
    """
    cells = np.repeat([list(block.values())], len(thetas), axis=0)
    flows = balance(thetas, np.array(list(block)), cells)
    worst = worst_risk(flows, xi)[:, which].max(axis=1)
    return np.where(flows.possible, worst, 1.0)


def _hopeless(xi: float, block: dict[int, int]) -> InputError:
    units = sum(T * cells for T, cells in block.items())
    why = "its cells are too few to hide in"
    if 1 / units > xi:
        why = (
            f"when all its {units} units end in one cell the chance of a correct match is"
            f" 1/{units} whatever theta is"
        )
    return InputError(
        f"block: no theta below 1 meets xi = {xi:g} in {block!r}: {why}; merge the block"
        " with another, or raise xi"
    )


# ---- the goal of a release -----------------------------------------------------------


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
        mask[0] |= not mask.any()
        return replace(self, sizes=self.sizes[mask], theta=self.theta[mask], needs=self.needs[mask])

    def thetas(self, cells: Integers) -> Floats:
        """theta of each size in blocks with so many cells of each, both of shape (b, r).

        Sizes that need no change take the highest theta of the smaller cells of their block, so
        flows can be balanced. Without smaller cells their units stay.
        """
        perturbed = (cells > 0) & self.needs
        highest = np.where(perturbed, self.theta, 0.0).max(axis=1, initial=0.0)
        return np.where(self.needs, self.theta, highest[:, None])


def read_goal(xi: Any, theta: Any, max_count: Any, scheme: Any) -> Goal:
    """The goal that the arguments of a call describe."""
    if (xi is None) == (theta is None):
        raise InputError(
            "xi, theta: give exactly one: xi, the highest acceptable chance of a correct "
            "match, or theta, how strongly to randomise"
        )
    largest = None if max_count is None else check_whole("max_count", max_count, 1)
    if xi is not None:
        return _goal_of_xi(check_xi(xi), largest, scheme)
    if scheme is not None:
        name = check_choice("scheme", scheme, SCHEMES)
        raise InputError(
            f"scheme: {name!r} says how theta follows from xi, but theta is given; leave scheme out"
        )
    # the xi that this theta attains in large blocks
    checked = check_theta(theta)
    if largest is None:
        largest = max(checked) if isinstance(checked, dict) else USUAL_COUNT
    sizes = np.arange(1, largest + 1)
    by_size = theta_of(checked, sizes.tolist())
    attained = max(highest_in_the_limit(by_size, sizes), 1 / (largest + 1))
    return Goal(attained, False, sizes, by_size, largest, needs=np.full(largest, True))


def _goal_of_xi(xi: float, largest: int | None, scheme: Any) -> Goal:
    """The thetas that xi needs in large blocks."""
    needed = highest_count(xi)
    theta = ifpr_theta(xi, scheme=scheme)
    if largest is None:
        largest = needed if isinstance(theta, dict) else max(USUAL_COUNT, needed)
    if largest < needed:
        left = largest + 1
        raise InputError(
            f"max_count: {largest} leaves cells of {left} units as they are, where the chance of a"
            f" correct match is 1/{left}, above xi = {xi:g}; give max_count of at least {needed},"
            " or leave it out"
        )
    sizes = np.arange(1, largest + 1)
    needs = (sizes <= needed) | (not isinstance(theta, dict))
    by_size = np.zeros(largest)
    by_size[needs] = theta_of(theta, sizes[needs].tolist())
    return Goal(xi, True, sizes, by_size, largest, needs)
