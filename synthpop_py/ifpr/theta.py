"""The smallest theta that meets a disclosure control goal."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..arguments import check_choice
from ..core.arrays import Flags, Floats, Integers
from ..errors import InputError, warning_once
from .flows import balance
from .options import check_block, check_xi
from .profile import highest_count, worst_risk

Scheme = Literal["common", "size"]
SCHEMES = ("common", "size")
# values tried in one go, and how often they are narrowed down: 256^7 is beyond the last digit
GRID, GRIDS = 256, 7
COMMON_LIMIT = 1 / 3  # theta is at most 1, and then two units that share a cell still have 1/3
ROUNDS = 100
SETTLED = 1e-12


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
    kind = _scheme_for(goal, scheme)
    if block is not None:
        return _theta_in_block(goal, check_block(block), kind)
    needed = {T: limit_theta(goal, T) for T in range(1, highest_count(goal) + 1)}
    if kind == "size":
        return needed
    if goal < COMMON_LIMIT:
        raise InputError(
            f"scheme: one theta for all cells cannot reach xi = {goal:g}: theta is at most 1, and"
            " then two units that share a cell still have 1/3; use scheme='size' or give xi of at"
            " least 1/3"
        )
    return min(max(needed.values()), 1.0)


def _scheme_for(xi: float, scheme: Scheme | None) -> Scheme:
    if scheme is None:
        return "common" if xi >= COMMON_LIMIT else "size"
    checked: Scheme = check_choice("scheme", scheme, SCHEMES)
    return checked


def limit_theta(xi: float, T: int) -> float:
    """theta for which IR_T(1) = xi in the limit of large blocks; 0 where 1 / T is not above xi.

    IR_T(1) = (T - theta) / (T (T - theta) + theta^2), solved for theta: with c = 1 - T xi, theta =
    2 T c / (c + sqrt(c^2 + 4 T xi c)).
    """
    c = 1 - T * xi
    if c <= 0:
        return 0.0
    discriminant = c * c + 4 * T * xi * c
    return 2 * T * c / (c + math.sqrt(discriminant))


def _theta_in_block(xi: float, block: dict[int, int], scheme: Scheme) -> float | dict[int, float]:
    sizes = np.array(sorted(block))
    cells = np.array([[block[size] for size in sorted(block)]])
    problem = _Problem(xi, sizes, cells)
    if scheme == "common":
        return problem.common_theta()
    return problem.for_risky_sizes().thetas_by_size()


@dataclass(frozen=True, slots=True)
class _Problem:
    """The goal, and one block: sizes, shape (r,), and the cells of each, shape (1, r)."""

    xi: float
    sizes: Integers
    cells: Integers

    def for_risky_sizes(self) -> _Problem:
        """The same for sizes with 1 / T above xi."""
        risky = self.sizes * self.xi < 1 - 1e-12
        return _Problem(self.xi, self.sizes[risky], self.cells[:, risky])

    def common_theta(self) -> float:
        """The smallest theta for all sizes that meets the goal."""

        def worst(tried: Floats) -> Floats:
            thetas = np.repeat(tried[:, None], len(self.sizes), axis=1)
            by_size, _ = self._worst_risks(thetas)
            highest: Floats = by_size.max(axis=1)
            return highest

        return self._smallest(worst, 1.0)

    def thetas_by_size(self) -> dict[int, float]:
        """Each size's smallest theta given those of the others, repeated until nothing changes,
        starting from the answer for large blocks.
        """
        if not len(self.sizes):
            return {}
        if self.cells.sum() < 2:
            raise self._hopeless()
        theta = np.array([limit_theta(self.xi, int(T)) for T in self.sizes])
        for _ in range(ROUNDS):
            before = theta.copy()
            for i in range(len(self.sizes)):
                theta[i] = self._theta_of_size(i, theta)
            if np.abs(theta - before).max() < SETTLED:
                break
        if not self._is_met_by(theta):
            raise self._hopeless()
        return dict(zip(self.sizes.tolist(), theta.tolist()))

    def _theta_of_size(self, i: int, theta: Floats) -> float:
        """The smallest theta of the i-th size, those of the others being as they are."""

        def worst(tried: Floats) -> Floats:
            thetas = np.repeat(theta[None, :], len(tried), axis=0)
            thetas[:, i] = tried
            by_size, possible = self._worst_risks(thetas)
            return np.where(possible, by_size[:, i], 1.0)

        return self._smallest(worst, float(self.sizes[i]))

    def _worst_risks(self, thetas: Floats) -> tuple[Floats, Flags]:
        """The highest risk by size for each row of thetas, and whether they can be balanced."""
        cells = np.repeat(self.cells, len(thetas), axis=0)
        flows = balance(thetas, self.sizes, cells)
        return worst_risk(flows, self.xi), flows.possible

    def _is_met_by(self, theta: Floats) -> bool:
        by_size, possible = self._worst_risks(theta[None, :])
        if not possible[0]:
            return False
        return bool((by_size <= self.xi * (1 + 1e-9)).all())

    def _smallest(self, worst: Callable[[Floats], Floats], end: float) -> float:
        smallest = _first_good(worst, self.xi, end)
        if smallest is None:
            raise self._hopeless()
        return smallest

    def _hopeless(self) -> InputError:
        units = int((self.sizes * self.cells).sum())
        block = dict(zip(self.sizes.tolist(), self.cells[0].tolist()))
        why = "its cells are too few to hide in"
        if 1 / units > self.xi:
            why = (
                f"when all its {units} units end in one cell the chance of a correct match is"
                f" 1/{units} whatever theta is"
            )
        return InputError(
            f"block: no theta below 1 meets xi = {self.xi:g} in {block!r}: {why}; merge the block"
            " with another, or raise xi"
        )


def _first_good(worst: Callable[[Floats], Floats], xi: float, end: float) -> float | None:
    """The smallest argument in [0, end) for which `worst` is at most xi, found on ever finer grids;
    None if no value of the first grid is good enough.
    """
    low, high = 0.0, end
    tried = np.append(np.linspace(low, high, GRID, endpoint=False), end * (1 - 1e-9))
    for _ in range(GRIDS):
        good = np.flatnonzero(worst(tried) <= xi)
        if not len(good):
            return None
        first = int(good[0])
        if first == 0:
            return float(tried[0])
        low, high = float(tried[first - 1]), float(tried[first])
        tried = np.append(np.linspace(low, high, GRID, endpoint=False), high)
    return high
