"""Where units go inside a block, so that every cell keeps its expected count.

A unit of a cell with T units leaves with probability theta_T / T, so a cell of size T is expected
to send theta_T units away. It must be expected to receive as many. That holds when the flow between
two cells c and d is H x_c x_d, where the shares x of all cells of the block sum to 1 and H x_T (1 -
x_T) = theta_T. With one theta for all sizes the shares are equal and the destination is uniform
over the other cells: the rule of the slides.

Shapes: b blocks, cells of r sizes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arguments import check_number, check_whole
from ..core.arrays import Flags, Floats, Integers
from ..errors import InputError, warning_once

Theta = float | dict[int, float]  # one for all cells, or one for each size T

MOST_CELLS = 10**9  # products of counts must stay whole in 64 bits
MOST_ENTRIES = 25_000_000  # of a matrix, 8 bytes each
STEPS = 100  # halvings of an interval; doubles are exhausted before
SLACK = 1e-9  # a cell that sends nearly as much as all others together has no stable solution


# ---- arguments -----------------------------------------------------------------------


def check_xi(value: Any) -> float:
    """The disclosure control goal: above 0 and below 1."""
    return check_number("xi", value, 0, 1, open_low=True, open_high=True)


def check_theta(value: Any) -> Theta:
    """One theta for all cells, 0 to 1, or one for each size T, 0 to T, by ascending T."""
    if not isinstance(value, Mapping):
        return check_number("theta", value, 0, 1)
    sizes = {check_whole("theta, a size of cells", size, 1): size for size in value}
    return {T: check_number(f"theta[{T}]", value[sizes[T]], 0, T) for T in sorted(sizes)}


def theta_of(theta: Theta, sizes: Integers) -> Floats:
    """theta for each of these sizes."""
    if not isinstance(theta, dict):
        return np.full(sizes.shape, theta)
    lacking = set(sizes.ravel().tolist()) - set(theta)
    if lacking:
        known = ", ".join(map(str, theta)) or "none"
        raise InputError(
            f"theta: has no entry for cells of {min(lacking)} units; sizes given: {known}"
        )
    by_size = [theta[T] for T in sizes.ravel().tolist()]
    return np.array(by_size, dtype=float).reshape(sizes.shape)


def check_block(value: Any) -> dict[int, int]:
    """Cells by ascending size, as in {1: 10, 2: 5}: ten cells with one unit, five with two."""
    if not isinstance(value, Mapping):
        raise InputError(
            f"block: {value!r} is not a mapping; give the number of cells by size, as in {{1: 10,"
            " 2: 5} for ten cells with one unit and five with two"
        )
    block = {}
    for size, number in value.items():
        T = check_whole("block, a size of cells", size, 1)
        block[T] = check_whole(f"block[{size!r}], a number of cells", number)
    cells = sum(block.values())
    if not 2 <= cells <= MOST_CELLS:
        raise InputError(
            f"block: {dict(value)!r} has {cells:,} cells; give 2 or more, so that units have"
            f" somewhere to go, and at most {MOST_CELLS:,}; block=None is the limit of large blocks"
        )
    return {T: block[T] for T in sorted(block) if block[T]}


# ---- movement ------------------------------------------------------------------------


def movement(theta: Floats, sizes: Integers, cells: Integers) -> tuple[Floats, Floats, Flags]:
    """How units move in blocks with `cells` of each size, theta and cells of shape (b, r).

    Returns the chance to leave, shape (b, r); the chance of a unit of size j to come to one given
    cell of size i, not its own, shape (b, r, r), [block, i, j]; and whether the block can exchange
    units and keep its counts, shape (b,): no cell sends more than all others receive. If it cannot,
    all units stay.

    >>> leave, arrival, possible = movement(np.array([[0.8, 0.8]]), np.array([1, 2]), np.array([[3, 2]]))
    >>> leave.tolist(), arrival[0].round(6).tolist()
    ([[0.8, 0.4]], [[0.2, 0.1], [0.2, 0.1]])
    """
    moving = (theta > 0) & (cells > 0)
    theta = np.where(moving, theta, 0.0)
    active = np.where(moving, cells, 0)
    highest = theta.max(axis=1, initial=0.0)
    # one theta in the whole block: k equal shares, H = theta k^2 / (k - 1)
    k = active.sum(axis=1).astype(float)
    possible = k != 1
    share = moving / np.maximum(k, 1)[:, None]
    total = highest * k**2 / np.maximum(k - 1, 1)
    varied = (moving & (theta < highest[:, None])).any(axis=1)
    if varied.any():
        share[varied], total[varied], possible[varied] = _unequal(theta[varied], active[varied])
    can = possible[:, None]
    leave = np.where(can, theta / sizes, 0.0)
    flow = share[:, :, None] * share[:, None, :] * total[:, None, None]
    arrival = np.where(can[:, None], np.minimum(flow / sizes, 1.0), 0.0)
    return leave, arrival, possible


def _unequal(theta: Floats, cells: Integers) -> tuple[Floats, Floats, Flags]:
    """`share`, H and `possible` of blocks whose cells have different thetas. Each share is the
    smaller root of x (1 - x) = theta u, but a single cell that outweighs the others has the larger
    one. u = 1 / H, with which shares sum to 1, is found by halving intervals.
    """
    top = np.arange(len(cells)), theta.argmax(axis=1)  # the size with the highest theta
    highest = theta[top]
    others = cells.copy()
    others[top] -= 1

    def roots(u: Floats) -> Floats:
        t = theta * u[:, None]
        below = np.sqrt(np.maximum(1 - 4 * t, 0.0))
        smaller: Floats = 2 * t / (1 + below)
        return smaller

    low, high = np.zeros(len(cells)), 0.25 / highest
    # then the highest is a single cell: two would have 1/2 each
    one_outweighs = (cells * roots(high)).sum(axis=1) < 1
    for _ in range(STEPS):
        u = (low + high) / 2
        x = roots(u)
        beyond_one = (cells * x).sum(axis=1) - 1
        # minus (sum of x - 1) with the larger root on top, free of cancellation
        beyond_others = x[top] - (others * x).sum(axis=1)
        enough = np.where(one_outweighs, beyond_others, beyond_one) >= 0
        low = np.where(enough, low, u)
        high = np.where(enough, u, high)
    share = roots(high)
    # what the others leave: the larger root where one outweighs them, and precise near 1/2, where
    # both roots are one and half of the digits would be lost
    left = 1 - (others * share).sum(axis=1)
    share[top] = np.where(cells[top] == 1, left, share[top])
    # no cell may send more than all others together, by some margin
    possible = (cells * theta).sum(axis=1) - 2 * highest > SLACK * highest
    return share, 1 / high, possible


def other_units(sizes: Integers, cells: Integers) -> Integers:
    """Units of size j outside one given cell of size i, shape (b, r, r), [block, i, j]."""
    itself = np.eye(len(sizes), dtype=np.int64)
    others: Integers = np.maximum(cells[:, None, :] - itself, 0) * sizes
    return others


def trading(theta: Floats, sizes: Integers, cells: Integers) -> Flags:
    """Blocks of two cells whose units are all certain to leave, shape (b,): they would trade
    places, which hides nobody.
    """
    may_stay = (cells > 0) & (theta < sizes)
    return (cells.sum(axis=1) == 2) & ~may_stay.any(axis=1)


def movement_in(theta: Floats | dict[int, float], block: dict[int, int]) -> tuple[Floats, Floats]:
    """`leave` and `arrival` in a given block, for several thetas, shape (b,), or one by size; sizes
    that it does not name take no part.
    """
    if isinstance(theta, dict):
        thetas = np.array([[theta.get(T, 0.0) for T in block]])
    else:
        thetas = np.repeat(theta[:, None], len(block), axis=1)
    cells = np.broadcast_to(list(block.values()), thetas.shape)
    leave, arrival, possible = movement(thetas, np.array(list(block)), cells)
    if not possible.all():
        raise InputError(
            f"block: in {block!r} with these thetas one cell would send as many units as all others"
            " together, or more, so expected counts cannot be kept; merge the block with another,"
            " or give a theta for other sizes too"
        )
    return leave, arrival


# ---- the matrix ----------------------------------------------------------------------


@warning_once
def ifpr_matrix(theta: float | Mapping[int, float], block: Mapping[int, int]) -> Floats:
    """The post-randomisation matrix P of a block: P[c, d] is the chance that a unit of cell c is
    released in cell d. `IFPRRelease.matrix` is that of a release.

    Parameters
    ----------
    theta, block : see `ifpr_risk`.

    Returns
    -------
    array, shape (k, k)
        The k cells of the block, smallest size first. Rows sum to 1. With n the units of each cell,
        the released counts have the expectations n P = n and the covariances diag(n) - P' diag(n)
        P.

    Examples
    --------
    Two cells of one unit and one of two. A single unit leaves with 1/2, to either other cell with
    equal chance; each of the two leaves with 1/4.

    >>> P = ifpr_matrix(0.5, block={1: 2, 2: 1})
    >>> P.tolist()
    [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.125, 0.125, 0.75]]
    >>> (np.array([1, 1, 2]) @ P).tolist()
    [1.0, 1.0, 2.0]
    """
    checked = check_theta(theta)
    cells = check_block(block)
    k = sum(cells.values())
    check_entries(k**2, f"block: {cells!r}", "cells of one size are alike, so give a smaller block")
    thetas = checked if isinstance(checked, dict) else np.array([checked])
    leave, arrival = movement_in(thetas, cells)
    at = np.repeat(np.arange(len(cells)), list(cells.values()))
    matrix: Floats = arrival[0].T[np.ix_(at, at)]
    np.fill_diagonal(matrix, 1 - leave[0, at])
    return matrix


def check_entries(entries: int, what: str, way_out: str) -> None:
    if entries > MOST_ENTRIES:
        raise InputError(
            f"{what}: the matrix would have {entries:,} entries; the limit is {MOST_ENTRIES:,};"
            f" {way_out}"
        )
