"""The order in which rpart puts the rows of a numeric predictor.

Its quicksort is not stable, and the order it leaves among equal values decides the last bits of the
running sums in the search for a split. So the steps are followed, not only the result.
"""

from __future__ import annotations

import numpy as np

from ..core.arrays import Floats, Integers

__all__ = ["rpart_order"]

SHORT = 11  # parts whose ends are nearer than this are sorted by insertion


def rpart_order(values: Floats) -> Integers:
    """Rows in ascending order of `values`, equal ones in the order rpart leaves them in.

    Examples
    --------
    >>> rpart_order(np.array([3.0, 1.0, 2.0])).tolist()
    [1, 2, 0]
    """
    x = values.tolist()
    rows = list(range(len(x)))
    parts = [(0, len(x) - 1)]
    while parts:
        start, stop = parts.pop()
        if stop - start < SHORT:
            _insert(x, rows, start, stop)
            continue
        below, above = _divide(x, rows, start, stop)
        parts.append((start, below))
        parts.append((above, stop))
    return np.array(rows, dtype=np.int64)


def _insert(x: list[float], rows: list[int], start: int, stop: int) -> None:
    for i in range(start + 1, stop + 1):
        value = x[i]
        row = rows[i]
        j = i - 1
        while j >= start and x[j] > value:
            x[j + 1] = x[j]
            rows[j + 1] = rows[j]
            j -= 1
        x[j + 1] = value
        rows[j + 1] = row


def _divide(x: list[float], rows: list[int], start: int, stop: int) -> tuple[int, int]:
    """Small values to the front, large ones to the end; returns the last of the small and the
    first of the large ones. What lies between equals the pivot.
    """
    pivot = sorted((x[start], x[(start + stop) // 2], x[stop]))[1]
    i, j = start, stop
    while i < j:
        while x[i] < pivot:
            i += 1
        while x[j] > pivot:
            j -= 1
        if i < j:
            if x[i] > x[j]:
                x[i], x[j] = x[j], x[i]
                rows[i], rows[j] = rows[j], rows[i]
            i += 1
            j -= 1
    while x[i] >= pivot and i > start:
        i -= 1
    while x[j] <= pivot and j < stop:
        j += 1
    return i, j
