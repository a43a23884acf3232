"""Frequencies of one key before and after, with their standard deviations from sampling and from
the randomisation.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pandas as pd

from ..core.arrays import Floats, Integers
from ..core.levels import Variable
from .flows import Flows
from .randomise import Randomisation


def sampling_sd(counts: Integers) -> Floats:
    """Standard deviation of each count in a multinomial sample with these frequencies: sqrt(n p (1
    - p)).

    Examples
    --------
    >>> sampling_sd(np.array([50, 50])).tolist()
    [5.0, 5.0]
    """
    n = counts.sum()
    p = counts / n
    sd: Floats = np.sqrt(n * p * (1 - p))
    return sd


def marginal_frame(
    name: Hashable, variable: Variable, randomisation: Randomisation
) -> pd.DataFrame:
    """One row per level that occurs, in the order of the codes."""
    codes = variable.own_codes(0)
    in_original = np.bincount(codes, minlength=variable.size)
    in_released = np.bincount(variable.own_codes(1), minlength=variable.size)
    present = np.flatnonzero(in_original + in_released)
    original, released = in_original[present], in_released[present]
    level_of_cell = np.searchsorted(present, codes[randomisation.first])
    variance = level_variance(randomisation, level_of_cell, len(present))
    n = original.sum()
    columns = {
        "variable": pd.Series([name] * len(present), dtype=object),
        "level": variable.texts(present),
        "original": original,
        "released": released,
        "original_share": original / n,
        "released_share": released / n,
        "original_minus_released": original - released,
        "sampling_sd": sampling_sd(original),
        "ifpr_sd": np.sqrt(variance),
    }
    return pd.DataFrame(columns)


def level_variance(randomisation: Randomisation, level: Integers, levels: int) -> Floats:
    """Variance of the released count of each level, given the data; `level` is that of each cell.

    Units move independently of each other, so it is the sum over units of w (1 - w), w the chance
    to end in the level.
    """
    flows = randomisation.flows
    # (block, level) pairs that occur, and in each of them cells by size
    pairs, pair_of_cell = np.unique(randomisation.block * levels + level, return_inverse=True)
    inside = _by_size(pair_of_cell.reshape(-1), randomisation, len(pairs))
    block = pairs // levels
    outside = flows.cells[block] - inside
    w_inside, w_outside = _chances_to_end_in(inside, flows, block)
    by_size = _variance(flows.sizes * inside, w_inside) + _variance(
        flows.sizes * outside, w_outside
    )
    by_level = np.bincount(pairs % levels, weights=by_size.sum(axis=1), minlength=levels)
    return np.maximum(by_level, 0.0)


def _by_size(pair: Integers, randomisation: Randomisation, pairs: int) -> Integers:
    """Cells of each pair and size, shape (pairs, r)."""
    sizes = len(randomisation.flows.sizes)
    counts = np.bincount(pair * sizes + randomisation.size_at, minlength=pairs * sizes)
    return counts.reshape(pairs, sizes)


def _chances_to_end_in(inside: Integers, flows: Flows, block: Integers) -> tuple[Floats, Floats]:
    """w of units of each size that are in the level before, and of those that are not: a leaver
    goes to a cell of share x with x / (1 - x of its own cell).
    """
    share = np.nan_to_num(flows.share)[block]
    leave = flows.leave_if_possible[block]
    share_of_level = (inside * share).sum(axis=1, keepdims=True)
    rest = np.where(share < 1, 1 - share, 1.0)
    w_inside = 1 - leave + leave * (share_of_level - share) / rest
    w_outside = leave * share_of_level / rest
    return w_inside, w_outside


def _variance(n: Integers, w: Floats) -> Floats:
    """Of n units that end in the level with chance w each."""
    return n * w * (1 - w)
