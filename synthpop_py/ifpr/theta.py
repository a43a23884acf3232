"""The smallest theta that meets a disclosure control goal."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np

from ..arguments import check_choice
from ..core.arrays import Floats, Integers
from ..errors import InputError
from ..names import named_arguments
from .flows import Flows, balance
from .profile import highest_count, worst_risk
from .scheme import check_block, check_xi

Scheme = Literal["common", "size"]
SCHEMES = ("common", "size")
GRID, GRIDS = (
    256,
    7,
)  # places tried in one go, and how often they are narrowed down: 256^7 is beyond the last digit
ROUNDS = 100
SETTLED = 1e-12


@named_arguments()
def ifpr_theta(
    xi: float, block: Mapping[int, int] | None = None, *, scheme: Scheme | None = None
) -> float | dict[int, float]:
    """The smallest theta for which IR_T(a) <= xi, whatever the size T of the target's cell and the
    released count a.

    Parameters
    ----------
    xi : the goal, above 0 and below 1: the highest chance of a correct match that is accepted.
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

    In a small block somewhat less will do:

    >>> round(ifpr_theta(0.395, block={1: 3, 2: 2}), 4)
    0.7461
    """
    goal = check_xi(xi)
    kind: Scheme = (
        check_choice("scheme", scheme, SCHEMES)
        if scheme is not None
        else "common"
        if goal >= 1 / 3
        else "size"
    )
    if block is not None:
        return _in_block(goal, check_block(block), kind)
    needed = {T: limit_theta(goal, T) for T in range(1, highest_count(goal) + 1)}
    if kind == "size":
        return needed
    if goal < 1 / 3:
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
    return 2 * T * c / (c + math.sqrt(c * c + 4 * T * xi * c)) if c > 0 else 0.0


# ---- a given block -------------------------------------------------------------------


def _in_block(xi: float, block: dict[int, int], kind: Scheme) -> float | dict[int, float]:
    sizes = np.array(sorted(block))
    cells = np.array([[block[t] for t in sorted(block)]])
    return _common(xi, sizes, cells) if kind == "common" else _by_size(xi, sizes, cells)


def _common(xi: float, sizes: Integers, cells: Integers) -> float:
    found = _first_good(
        lambda tried: worst_risk(
            balance(
                np.repeat(tried[:, None], len(sizes), axis=1),
                sizes,
                np.repeat(cells, len(tried), axis=0),
            ),
            xi,
        ).max(axis=1),
        xi,
        1.0,
    )
    if found is None:
        raise _hopeless(xi, sizes, cells)
    return found


def _first_good(worst: Callable[[Floats], Floats], xi: float, end: float) -> float | None:
    """The smallest argument in [0, end) for which `worst` is at most xi, narrowed down on ever
    finer grids; None when no place of the first grid is good.
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


def _by_size(xi: float, sizes: Integers, cells: Integers) -> dict[int, float]:
    """Each size's smallest theta given those of the others, over and over until nothing moves; from
    the answer for large blocks on.
    """
    needed = sizes * xi < 1 - 1e-12
    sizes, cells = sizes[needed], cells[:, needed]
    if not len(sizes):
        return {}
    if cells.sum() < 2:
        raise _hopeless(xi, sizes, cells)
    theta = np.array([limit_theta(xi, int(t)) for t in sizes])
    for _ in range(ROUNDS):
        before = theta.copy()
        for i in range(len(sizes)):
            theta[i] = _one_size(xi, sizes, cells, theta, i)
        if np.abs(theta - before).max() < SETTLED:
            break
    if not (worst_risk(_checked(xi, theta, sizes, cells), xi) <= xi * (1 + 1e-9)).all():
        raise _hopeless(xi, sizes, cells)
    return dict(zip(sizes.tolist(), theta.tolist()))


def _one_size(xi: float, sizes: Integers, cells: Integers, theta: Floats, i: int) -> float:
    def worst(values: Floats) -> Floats:
        tried = np.repeat(theta[None, :], len(values), axis=0)
        tried[:, i] = values
        flows = balance(tried, sizes, np.repeat(cells, len(values), axis=0))
        return np.where(flows.possible, worst_risk(flows, xi)[:, i], 1.0)

    found = _first_good(worst, xi, float(sizes[i]))
    if found is None:
        raise _hopeless(xi, sizes, cells)
    return found


def _checked(xi: float, theta: Floats, sizes: Integers, cells: Integers) -> Flows:
    flows = balance(theta, sizes, cells)
    if not flows.possible[0]:
        raise _hopeless(xi, sizes, cells)
    return flows


def _hopeless(xi: float, sizes: Integers, cells: Integers) -> InputError:
    units = int((sizes * cells).sum())
    block = dict(zip(sizes.tolist(), cells[0].tolist()))
    why = (
        f"when all its {units} units end in one cell the chance of a correct match is 1/{units}"
        " whatever theta is"
        if 1 / units > xi
        else "its cells are too few to hide in"
    )
    return InputError(
        f"block: no theta below 1 meets xi = {xi:g} in {block!r}: {why}; merge the block with"
        " another, or raise xi"
    )
