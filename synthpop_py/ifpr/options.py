"""Arguments that describe a randomisation: theta, xi, sizes of cells and a block, checked once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arguments import check_number, check_whole, is_number
from ..core.arrays import Floats, Integers, Values
from ..errors import InputError

Theta = float | dict[int, float]  # one for all cells, or one for each size T

MOST_CELLS = 10**9  # products of counts must stay whole in 64 bits


def check_xi(value: Any) -> float:
    """The disclosure control goal: above 0 and below 1."""
    if is_number(value) and 1 <= value < math.inf:
        hint = _hint_for_xi(value)
        raise InputError(f"xi: {value!r} is not a number above 0 and below 1; {hint}")
    return check_number("xi", value, 0, 1, open_low=True, open_high=True)


def _hint_for_xi(value: float) -> str:
    if 1 < value < 100:
        return f"for {value:g} % write {value / 100:g}"
    return "with 1 there is no goal, so leave the data as they are"


def check_theta(value: Any, *, empty: bool = False) -> Theta:
    """One theta for all cells, 0 to 1, or one for each size T, 0 to T, as in
    {1: 0.79, 2: 1.24, 3: 1.3}; `empty`: an empty mapping is allowed, when no unit moves.
    """
    if not isinstance(value, Mapping):
        return _check_common_theta(value)
    if not value and not empty:
        raise InputError(
            "theta: the mapping is empty; give one theta for each size of cells, as in {1: 0.79, 2:"
            " 1.24}"
        )
    keys_by_size = {check_whole("theta, a size of cells", size, 1): size for size in value}
    by_size = {}
    for size, key in sorted(keys_by_size.items()):
        by_size[size] = check_number(f"theta[{size}]", value[key], 0, size)
    return by_size


def _check_common_theta(value: Any) -> float:
    if is_number(value) and value > 1:
        raise InputError(
            f"theta: {value!r} is above 1, and a unit alone in its cell leaves with probability"
            " theta; give a number from 0 to 1, or one for each size, as in {1: 0.79, 2:"
            " 1.24}"
        )
    return check_number("theta", value, 0, 1)


def theta_of(theta: Theta, sizes: Integers) -> Floats:
    """theta for each of these sizes, shape as `sizes`."""
    shape = np.shape(sizes)
    if not isinstance(theta, dict):
        return np.full(shape, theta)
    wanted = [int(size) for size in np.ravel(sizes)]
    unknown = sorted(set(wanted) - set(theta))
    if unknown:
        known = ", ".join(map(str, theta))
        raise InputError(
            f"theta: has no entry for cells of {unknown[0]} units; sizes given: {known}"
        )
    by_size = np.array([theta[size] for size in wanted])
    return by_size.reshape(shape)


def check_block(value: Any) -> dict[int, int]:
    """Cells by size, as in {1: 10, 2: 5}: ten cells with one unit, five with two; at least two
    cells in all.
    """
    if not isinstance(value, Mapping):
        raise InputError(
            f"block: {value!r} is not a mapping; give the number of cells by size, as in {{1: 10,"
            " 2: 5} for ten cells with one unit and five with two"
        )
    block = _occupied_sizes(value)
    cells = sum(block.values())
    if cells < 2:
        lack = "only one cell, so its units have" if block else "no cells, so there is"
        raise InputError(
            f"block: {dict(value)!r} has {lack} nowhere to go; merge it with another block"
        )
    if cells > MOST_CELLS:
        raise InputError(
            f"block: {cells:,} cells; blocks of up to {MOST_CELLS:,} cells can be computed; a "
            "larger one gives the same as an infinite one, so use block=None"
        )
    return block


def _occupied_sizes(block: Mapping[Any, Any]) -> dict[int, int]:
    """Checked cells by size, ascending, without sizes that have none."""
    cells_by_size = {}
    for size, number in block.items():
        T = check_whole("block, a size of cells", size, 1)
        cells_by_size[T] = check_whole(f"block[{size!r}], a number of cells", number)
    ascending = sorted(cells_by_size.items())
    return {T: cells for T, cells in ascending if cells}


def whole_array(argument: str, value: Any, least: int = 1) -> Integers:
    """One or many whole numbers of at least `least`."""
    numbers = np.asarray(value)
    if not _are_counts(numbers, least):
        raise InputError(
            f"{argument}: {value!r} cannot be used; give a whole number of {least} or more, "
            "or several"
        )
    return numbers.astype(np.int64)


def _are_counts(numbers: Values, least: int) -> bool:
    if numbers.dtype.kind not in "iuf" or numbers.size == 0:
        return False
    whole = np.isfinite(numbers) & (numbers == np.trunc(numbers))
    return bool(np.all(whole & (numbers >= least)))
