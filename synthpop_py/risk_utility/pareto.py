"""Which points are worth choosing: nothing else is at least as good in every respect and better in
one.
"""

from __future__ import annotations

import numpy as np


def dominance(goodness: np.ndarray) -> np.ndarray:
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
    return (first >= second).all(axis=2) & (first > second).any(axis=2)


def front(goodness: np.ndarray) -> np.ndarray:
    """Points that no other dominates, shape (points,); those with a NaN are not among them.

    >>> front(np.array([[2.0, 2.0], [1.0, 2.0], [3.0, 0.0], [np.nan, 9.0]])).tolist()
    [True, False, True, False]
    """
    return ~dominance(goodness).any(axis=0) & ~np.isnan(goodness).any(axis=1)
