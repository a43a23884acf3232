"""Combinations of keys that occur in the data: who is in which, and how many share it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Hashable, Sequence

import numpy as np
import pandas as pd

from ..core.crosstab import combine
from ..core.levels import Variable, encode
from ..frames import read_column

ROOM = 4  # possible combinations are counted densely up to so many times the records


@dataclass(frozen=True, slots=True)
class KeyCells:
    """Occupied cells of the keys.

    Attributes
    ----------
    variables : the coded keys. of_record : int64, shape (n,), the cell of each record.
    size : int64, shape (c,), records in each cell. first : int64, shape (c,), position of its first record.
    """

    variables: tuple[Variable, ...]
    of_record: np.ndarray
    size: np.ndarray
    first: np.ndarray


def key_cells(data: pd.DataFrame, keys: Sequence[Hashable]) -> KeyCells:
    """Cross-classify the keys; a missing value is a level of its own."""
    variables = tuple(encode(str(name), [read_column(data[name], f"keys: {name!r}")]) for name in keys)
    (codes,), radix = combine(variables)
    if radix.size <= ROOM * len(codes):
        counts = np.bincount(codes, minlength=radix.size)
        occupied = np.flatnonzero(counts)
        number = np.zeros(radix.size, dtype=np.int64)
        number[occupied] = np.arange(len(occupied))
        of_record, size = number[codes], counts[occupied]
    else:
        distinct, of_record, size = np.unique(codes, return_inverse=True, return_counts=True)
        of_record = of_record.reshape(-1)
    return KeyCells(variables, of_record, size, first_of(of_record, len(size)))


def first_of(codes: np.ndarray, size: int) -> np.ndarray:
    """Position of the first record of each code, shape (size,); -1 for codes that do not occur."""
    first = np.full(size, -1, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # the last one written is the first in the data
    return first
