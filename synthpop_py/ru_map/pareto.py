"""Points worth choosing: no other is at least as good in every respect and better in one."""

from __future__ import annotations

import numpy as np

from ..core.arrays import Flags, Floats


def dominance(goodness: Floats) -> Flags:
    """Who dominates whom.

    Parameters
    ----------
    goodness : shape (points, respects); higher is better. A point with a NaN neither dominates nor
        is dominated.

    Returns
    -------
    bool, shape (points, points)
        Entry (i, j): i is at least as good as j in every respect, and better in one.

    Examples
    --------
    >>> dominance(np.array([[2, 2], [1, 2], [3, 0]])).tolist()
    [[False, True, False], [False, False, False], [False, False, False]]
    """
    first, second = goodness[:, None, :], goodness[None, :, :]
    at_least_as_good: Flags = np.all(first >= second, axis=2)
    better_in_one: Flags = np.any(first > second, axis=2)
    return at_least_as_good & better_in_one


def front(goodness: Floats) -> Flags:
    """Points that no other dominates, shape (points,); those with a NaN are not among them.

    >>> front(np.array([[2.0, 2.0], [1.0, 2.0], [3.0, 0.0], [np.nan, 9.0]])).tolist()
    [True, False, True, False]
    """
    dominated: Flags = np.any(dominance(goodness), axis=0)
    incomplete: Flags = np.any(np.isnan(goodness), axis=1)
    return ~dominated & ~incomplete
