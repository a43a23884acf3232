"""The smallest theta that meets a disclosure control goal; and the goal of a release."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from ..arguments import check_choice, check_whole
from ..core.arrays import Floats, Integers
from ..errors import InputError, warning_once
from .flows import check_block, check_theta, check_xi, movement, theta_of
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
    released count a: a number, or one for each size T; sizes that are not named need no change.

    Parameters
    ----------
    xi : the goal, above 0 and below 1: the highest acceptable chance of a correct match.
    block : cells by size, as in ``{1: 10, 2: 5}``, for the exact answer in that block; None for the
        limit of large blocks. There the answer is safe for a = 1 in every block; in very small ones
        other counts can be worse (two units alone in their cells), so `ifpr` checks them all.
    scheme : "common", one theta for all cells (that of the slides), or "size", one for each size T
        with T xi < 1. None for "common" from xi = 1/3 on, and "size" below, where only that works.

    Examples
    --------
    >>> round(ifpr_theta(0.395), 4), round(ifpr_theta(0.395, block={1: 3, 2: 2}), 4)
    (0.799, 0.7461)
    >>> {T: round(theta, 4) for T, theta in ifpr_theta(0.25).items()}
    {1: 0.7913, 2: 1.2361, 3: 1.3028}
    """
    goal = check_xi(xi)
    usual = "common" if goal >= COMMON_LIMIT else "size"
    common = check_choice("scheme", scheme or usual, SCHEMES) == "common"
    if block is not None:
        cells = check_block(block)
        sizes, numbers = np.array([list(cells), list(cells.values())])
        if common:
            together = list(range(len(sizes)))
            return _smallest(goal, sizes, numbers, np.zeros(len(sizes)), together, 1.0)
        return _thetas_by_size(goal, sizes, numbers)
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
    root = math.sqrt(c * c + 4 * T * xi * c)
    return 2 * T * c / (c + root)


def _thetas_by_size(xi: float, sizes: Integers, cells: Integers) -> dict[int, float]:
    """Each size's smallest theta given those of the others, until nothing changes any more."""
    risky = sizes * xi < 1 - 1e-12
    sizes, cells = sizes[risky], cells[risky]
    if not len(sizes):
        return {}
    theta = np.array([limit_theta(xi, T) for T in sizes.tolist()])
    for _ in range(ROUNDS):
        before = theta.copy()
        for i, T in enumerate(sizes.tolist()):
            theta[i] = _smallest(xi, sizes, cells, theta, [i], T)
        if np.abs(theta - before).max() < SETTLED:
            break
    worst = _worst(xi, sizes, cells, theta[None, :])
    if worst.max() > xi * (1 + 1e-9):
        raise _hopeless(xi, sizes, cells)
    return dict(zip(sizes.tolist(), theta.tolist()))


def _smallest(
    xi: float, sizes: Integers, cells: Integers, theta: Floats, which: list[int], end: float
) -> float:
    """The smallest theta in [0, end) of the sizes `which` for which their risk is at most xi, found
    on ever finer grids; `theta` has those of the others.
    """
    low, high = 0.0, end
    last = end * (1 - 1e-9)
    for _ in range(GRIDS):
        tried = np.append(np.linspace(low, high, GRID, endpoint=False), last)
        thetas = np.tile(theta, (len(tried), 1))
        thetas[:, which] = tried[:, None]
        worst = _worst(xi, sizes, cells, thetas)[:, which].max(axis=1)
        good = np.flatnonzero(worst <= xi)
        if not len(good):
            raise _hopeless(xi, sizes, cells)
        first = good[0]
        if first == 0:
            return float(tried[0])
        low, high = tried[first - 1 : first + 1].tolist()
        last = high
    return high


def _worst(xi: float, sizes: Integers, cells: Integers, thetas: Floats) -> Floats:
    """The highest risk of each size for each row of thetas; 1 where flows cannot be balanced."""
    every_row = np.tile(cells, (len(thetas), 1))
    leave, arrival, possible = movement(thetas, sizes, every_row)
    worst = worst_risk(sizes, every_row, leave, arrival, xi)
    return np.where(possible[:, None], worst, 1.0)


def _hopeless(xi: float, sizes: Integers, cells: Integers) -> InputError:
    units = int(sizes @ cells)
    why = "its cells are too few to hide in"
    if 1 / units > xi:
        why = (
            f"when all its {units} units end in one cell the chance of a correct match is"
            f" 1/{units} whatever theta is"
        )
    block = dict(zip(sizes.tolist(), cells.tolist()))
    return InputError(
        f"block: no theta below 1 meets xi = {xi:g} in {block!r}: {why}; merge the block"
        " with another, or raise xi"
    )


def read_goal(xi: Any, theta: Any, max_count: Any, scheme: Any) -> tuple[float, Floats]:
    """xi, where theta is given the one that it attains in large blocks; and theta of the sizes 1,
    2, ... up to the largest that takes part.
    """
    if (xi is None) == (theta is None):
        raise InputError(
            "xi, theta: give exactly one: xi, the highest acceptable chance of a correct match, or"
            " theta, how strongly to randomise"
        )
    largest = None if max_count is None else check_whole("max_count", max_count, 1)
    if xi is not None:
        goal = check_xi(xi)
        return goal, _thetas_of_goal(goal, largest, ifpr_theta(goal, scheme=scheme))
    if scheme is not None:
        raise InputError("scheme: says how theta follows from xi, but theta is given; leave it out")
    checked = check_theta(theta)
    usual = max(checked, default=1) if isinstance(checked, dict) else USUAL_COUNT
    sizes = np.arange(1, (largest or usual) + 1)
    thetas = theta_of(checked, sizes)
    return max(highest_in_the_limit(thetas, sizes), 1 / (len(sizes) + 1)), thetas


def _thetas_of_goal(xi: float, largest: int | None, theta: float | dict[int, float]) -> Floats:
    needed = highest_count(xi)
    if largest is not None and largest < needed:
        left = largest + 1
        raise InputError(
            f"max_count: {largest} leaves cells of {left} units as they are, where the chance of a"
            f" correct match is 1/{left}, above xi = {xi:g}; give max_count of at least {needed},"
            " or leave it out"
        )
    if not isinstance(theta, dict):
        return np.full(largest or max(USUAL_COUNT, needed), theta)
    thetas = np.zeros(largest or needed)  # larger sizes need no change
    thetas[:needed] = list(theta.values())
    return thetas
