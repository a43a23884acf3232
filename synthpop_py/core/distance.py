"""Distances between two distributions over the same cells, from counts. Memory grows with the
occupied cells only.
"""

from __future__ import annotations

import numpy as np

from .arrays import Integers
from .crosstab import Counts, pair_up


def total_variation(p_counts: Integers | Counts, q_counts: Integers | Counts) -> float:
    """Total variation distance: the largest difference in probability that any event can have, sup
    |p(A) - q(A)|.

    It equals half the sum of absolute differences of the relative frequencies. 0: the same
    distribution, 1: no cell in common.

    Parameters
    ----------
    p_counts, q_counts : counts (or weights) by cell, each as a dense array, shape (cells,), the two
        aligned, or as `Counts`, the occupied cells only. The totals may differ; NaN when one of
        them is 0, because an empty table has no distribution.

    Examples
    --------
    Shares (2/4, 1/4, 1/4) and (1/4, 1/4, 2/4) differ by 1/4 in two cells.

    >>> total_variation(np.array([2, 1, 1]), np.array([1, 1, 2]))
    0.25
    >>> few = Counts(np.array([0, 7]), np.array([1, 1]))
    >>> far = Counts(np.array([7, 10**12]), np.array([5, 5]))
    >>> total_variation(few, far)
    0.5
    """
    _, p, q = pair_up(p_counts, q_counts)
    n_p, n_q = p.sum(), q.sum()
    if not (n_p > 0 and n_q > 0):
        return float("nan")
    if n_p == n_q:  # one division only: before it, sums of whole numbers are exact
        differences = np.abs(p - q)
        return float(differences.sum() / (2 * n_p))
    # sorted, because an engine gives cells in any order, and a sum in another order may differ
    gaps = np.sort(np.abs(p / n_p - q / n_q))
    distance = gaps.sum() / 2
    return float(min(distance, 1.0))  # rounding may exceed 1 in the last bit
