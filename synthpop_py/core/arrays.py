"""Names for the arrays that functions take and give, by what they hold; their distinct values."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

Integers: TypeAlias = npt.NDArray[np.signedinteger[Any]]  # codes and counts, of any width
Floats: TypeAlias = npt.NDArray[np.float64]
Flags: TypeAlias = npt.NDArray[np.bool_]
Values: TypeAlias = npt.NDArray[Any]  # of a column as it was read; numbers of either kind

LARGEST_EXACT = 2.0**53  # up to here a double holds every whole number
NARROW = 4  # range of whole numbers per value: a table over the range is about as long as the data


def distinct_sorted(ordered: Values) -> Values:
    """The distinct ones of values in ascending order."""
    begins = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    return ordered[begins]


def numbered(values: Values) -> tuple[Values, Integers]:
    """The distinct values, ascending, and the place of each value among them; none may be NaN."""
    by_table = numbered_by_table(values)
    if by_table is not None:
        return by_table
    places, distinct = pd.factorize(values, sort=True)
    return distinct, places


def numbered_by_table(values: Values) -> tuple[Values, Integers] | None:
    """The same for whole numbers that are close together, in less time; None for others."""
    if values.dtype.kind not in "iuf" or not len(values):
        return None
    low, high = float(values.min()), float(values.max())
    is_narrow = high - low < NARROW * len(values)
    if not is_narrow or max(-low, high) >= LARGEST_EXACT:
        return None
    whole = values.astype(np.int64)
    if values.dtype.kind == "f" and not (whole == values).all():
        return None
    above = whole - int(low)
    occurs = np.bincount(above) > 0
    distinct = np.flatnonzero(occurs) + int(low)
    places = np.cumsum(occurs) - 1
    return distinct.astype(values.dtype), places[above]
