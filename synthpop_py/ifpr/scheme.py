"""Arguments that describe a randomisation: theta, xi, cell sizes and blocks, checked once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arguments import check_number, check_whole, is_number
from ..core.arrays import Flags, Floats, Integers
from ..errors import InputError

MOST_CELLS = 10**9  # products of counts must stay whole in 64 bits


@dataclass(frozen=True, slots=True)
class Goal:
    """What the randomisation is to achieve.

    Attributes
    ----------
    xi : highest chance of a correct match that is accepted. asked : xi was given, not computed from
        theta.
    sizes : int64, shape (r,), ascending, sizes of cells that are perturbed. theta : shape (r,), 0
        where not `needs`. max_count : cells with more units are left alone.
    needs : bool, shape (r,). Other sizes meet xi as they are and take part to keep smaller ones
        company (see `thetas`).
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
        that flows can be balanced. Without smaller cells they rest.
        """
        theta = np.broadcast_to(self.theta, cells.shape).copy()
        highest = np.where((cells > 0) & self.needs, theta, 0.0).max(axis=1, initial=0.0)
        theta[:, ~self.needs] = highest[:, None]
        return theta


def check_xi(value: Any) -> float:
    """The disclosure control goal: above 0 and below 1."""
    if is_number(value) and value >= 1 and math.isfinite(value):
        hint = (
            f"; for {value:g} % write {value / 100:g}"
            if value < 100 and value > 1
            else "; with 1 nothing is asked for, so leave the data as they are"
        )
        raise InputError(f"xi: {value!r} is not a number above 0 and below 1{hint}")
    return check_number("xi", value, 0, 1, open_low=True, open_high=True)


def check_theta(value: Any, *, empty: bool = False) -> float | dict[int, float]:
    """One theta for all cells, 0 to 1, or one for each size T, 0 to T, as in {1: 0.79, 2: 1.24, 3:
    1.3}; `empty`: none at all will do, nobody moves.
    """
    if not isinstance(value, Mapping):
        if is_number(value) and value > 1:
            raise InputError(
                f"theta: {value!r} is above 1, and a unit alone in its cell leaves with probability"
                " theta; give a number from 0 to 1, or one for each size, as in {1: 0.79, 2:"
                " 1.24}"
            )
        return check_number("theta", value, 0, 1)
    if not value and not empty:
        raise InputError(
            "theta: the mapping is empty; give one theta for each size of cells, as in {1: 0.79, 2:"
            " 1.24}"
        )
    checked = {check_whole("theta, a size of cells", size, 1): size for size in value}
    return {
        size: check_number(f"theta[{size}]", value[given], 0, size)
        for size, given in sorted(checked.items())
    }


def theta_of(theta: float | dict[int, float], sizes: Integers) -> Floats:
    """theta for each of these sizes, shape as `sizes`."""
    if not isinstance(theta, dict):
        return np.full(np.shape(sizes), theta)
    unknown = sorted({int(t) for t in np.ravel(sizes)} - set(theta))
    if unknown:
        raise InputError(
            f"theta: has no entry for cells of {unknown[0]} units; sizes given:"
            f" {', '.join(map(str, theta))}"
        )
    return np.array([theta[int(t)] for t in np.ravel(sizes)]).reshape(np.shape(sizes))


def check_block(value: Any) -> dict[int, int]:
    """Cells by size, as in {1: 10, 2: 5}: ten cells with one unit, five with two; at least two
    cells in all.
    """
    if not isinstance(value, Mapping):
        raise InputError(
            f"block: {value!r} is not a mapping; give the number of cells by size, as in {{1: 10,"
            " 2: 5} for ten cells with one unit and five with two"
        )
    block = {
        check_whole("block, a size of cells", size, 1): check_whole(
            f"block[{size!r}], a number of cells", number
        )
        for size, number in value.items()
    }
    block = {size: number for size, number in sorted(block.items()) if number}
    if sum(block.values()) < 2:
        raise InputError(
            f"block: {dict(value)!r} has"
            f" {'one cell only, so its units have' if block else 'no cells, so there is'} nowhere"
            " to go; merge it with another block"
        )
    if sum(block.values()) > MOST_CELLS:
        raise InputError(
            f"block: {sum(block.values()):,} cells; blocks of up to {MOST_CELLS:,} cells can be"
            " computed; a larger one is as good as infinite, so give block=None"
        )
    return block


def whole_array(argument: str, value: Any) -> Integers:
    """Whole numbers from 1 on, one or many."""
    given = np.asarray(value)
    if (
        given.dtype.kind not in "iuf"
        or given.size == 0
        or not (np.isfinite(given) & (given == np.trunc(given)) & (given >= 1)).all()
    ):
        raise InputError(
            f"{argument}: {value!r} cannot be used; give a whole number from 1 on, or several"
        )
    return given.astype(np.int64)
