"""Names for the arrays that functions take and give, by what they hold. Shapes are in the
docstrings.

>>> import numpy as np
>>> def codes_of(flags: Flags) -> Integers:
...     return np.flatnonzero(flags)
>>> codes_of(np.array([False, True, True])).tolist()
[1, 2]
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Integers: TypeAlias = npt.NDArray[np.signedinteger[Any]]  # codes and counts, of any width
Floats: TypeAlias = npt.NDArray[np.float64]
Flags: TypeAlias = npt.NDArray[np.bool_]
Values: TypeAlias = npt.NDArray[Any]  # of a column as it was read; numbers of either kind

LARGEST_EXACT = 2.0**53  # up to here a double holds every whole number
NARROW = 4  # range of whole numbers per value: a table over the range is about as long as the data


def distinct_values(values: Values) -> Values:
    """The distinct values, ascending; none of them may be NaN.

    By sorting, because `numpy.unique` looks whole numbers up in a hash table since version 2.3,
    which takes 4 times as long for 10,000 of them and 17 times for a million.

    >>> distinct_values(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    return distinct_sorted(np.sort(values, axis=None))


def distinct_sorted(ordered: Values) -> Values:
    """The same of values in ascending order."""
    begins = np.empty(len(ordered), dtype=bool)
    begins[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    return ordered[begins]


def numbered(values: Values) -> tuple[Values, Integers]:
    """The distinct values, ascending, and the place of each value among them; none may be NaN.

    >>> distinct, places = numbered(np.array([7, 5, 7]))
    >>> distinct.tolist(), places.tolist()
    ([5, 7], [1, 0, 1])
    """
    if (by_table := numbered_by_table(values)) is not None:
        return by_table
    distinct = distinct_values(values)
    return distinct, np.searchsorted(distinct, values)


def numbered_by_table(values: Values) -> tuple[Values, Integers] | None:
    """The same for whole numbers that are close together, which need not be sorted; None for
    others.
    """
    whole = _narrow_whole(values)
    if whole is None:
        return None
    low = whole.min()
    above = whole - low
    occurs = np.bincount(above) > 0
    places = np.cumsum(occurs) - 1
    distinct = np.flatnonzero(occurs) + low
    return distinct.astype(values.dtype), places[above]


def _narrow_whole(values: Values) -> Integers | None:
    """Numbers as 64-bit integers; None where they are not whole, or far apart."""
    if values.dtype.kind not in "iuf" or not len(values):
        return None
    low, high = float(values.min()), float(values.max())
    narrow = high - low < NARROW * len(values)
    if not (narrow and max(-low, high) < LARGEST_EXACT):
        return None
    whole = values.astype(np.int64)
    if values.dtype.kind == "f" and not (whole == values).all():
        return None
    return whole
