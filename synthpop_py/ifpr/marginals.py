"""Frequencies of one key before and after, with what sampling and what the randomisation make of
them.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pandas as pd

from ..core.arrays import Floats, Integers
from ..core.levels import Variable
from .randomise import Exchange


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


def marginal_frame(name: Hashable, variable: Variable, exchange: Exchange) -> pd.DataFrame:
    """One row per level that occurs, in the order of the codes."""
    codes = [variable.own_codes(table) for table in (0, 1)]
    counts = np.array([np.bincount(c, minlength=variable.size) for c in codes])
    present = np.flatnonzero(counts.any(axis=0))
    original, released = counts[:, present]
    level = np.searchsorted(present, codes[0][exchange.first])
    columns = {
        "variable": pd.Series([name] * len(present), dtype=object),
        "level": variable.texts(present),
        "original": original,
        "released": released,
    }
    n = original.sum()
    columns |= {
        "original_share": original / n,
        "released_share": released / n,
        "original_minus_released": original - released,
    }
    return pd.DataFrame(
        columns
        | {
            "sampling_sd": sampling_sd(original),
            "ifpr_sd": np.sqrt(level_variance(exchange, level, len(present))),
        }
    )


def level_variance(exchange: Exchange, level: Integers, levels: int) -> Floats:
    """Variance of the released count of each level, given the data; `level` is that of each cell.

    Units move independently of each other, so it is the sum over units of w (1 - w), w the chance
    to end in the level.
    """
    flows = exchange.flows
    r = len(flows.sizes)
    # (block, level) pairs that occur, and in each of them cells by size
    pair, place = np.unique(exchange.block * levels + level, return_inverse=True)
    inside = np.bincount(place.reshape(-1) * r + exchange.size_at, minlength=len(pair) * r).reshape(
        len(pair), r
    )
    block = pair // levels
    share, leave = (
        np.nan_to_num(flows.share)[block],
        np.where(flows.possible[block][:, None], flows.leave[block], 0.0),
    )
    held = (inside * share).sum(axis=1, keepdims=True)
    rest = np.where(share < 1, 1 - share, 1.0)
    in_level = 1 - leave + leave * (held - share) / rest
    outside = leave * held / rest
    number = flows.sizes * inside, flows.sizes * (flows.cells[block] - inside)
    variance = (number[0] * in_level * (1 - in_level) + number[1] * outside * (1 - outside)).sum(
        axis=1
    )
    return np.maximum(np.bincount(pair % levels, weights=variance, minlength=levels), 0.0)
