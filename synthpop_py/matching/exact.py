"""Sums of fractions compared exactly: 1/6 and 1/10 + 1/15 are the same number, three times 1/5
divided by three does not exceed 1/5.

Floats decide where they can. Sums that are too close are compared as whole numbers over a common
denominator: 64-bit where it fits, Python's own where it does not.
"""

from __future__ import annotations

import numpy as np

from ..core.arrays import Flags, Integers, Values
from .leader_rows import NEAR

__all__ = ["highest", "sign_against"]

FITS = 62.0  # bits of a whole number that is still safe to add up


def highest(
    group: Integers,
    bits: Flags,
    candidate: Flags,
    numerator: Integers,
    denominator: Integers,
) -> Flags:
    """Rows whose sum of fractions equals the highest sum among the candidates of their group.

    Parameters
    ----------
    group : shape (R,): rows belong to groups 0 to U - 1, in any order.
    bits : bool, shape (R, sets): which fractions a row adds up.
    candidate : bool, shape (R,): rows that set the height; each group has one at least.
    numerator : int64, shape (sets,). denominator : int64, shape (U, sets), 0 where there is no
        fraction.

    Examples
    --------
    1/10 + 1/15 against 1/6, which are different numbers as floats.

    >>> bits = np.array([[True, True, False], [False, False, True]])
    >>> group, candidate = np.array([0, 0]), np.array([True, True])
    >>> highest(group, bits, candidate, np.array([1, 1, 1]), np.array([[10, 15, 6]])).tolist()
    [True, True]
    """
    out = np.zeros(len(group), dtype=bool)
    # the common denominator is at most the product of all
    bits_of_common = np.log2(np.maximum(denominator, 1)).sum(axis=1)
    size = bits_of_common + np.log2(float(numerator.sum()))
    for kind, groups in ((np.int64, size < FITS), (object, size >= FITS)):
        rows = np.flatnonzero(groups[group])
        if not len(rows):
            continue
        units, _ = _over_common(numerator, denominator[groups], kind)
        number = (np.cumsum(groups) - 1)[group[rows]]
        total = np.where(bits[rows], units[number], 0).sum(axis=1)
        height = _highest_by_group(total, number, candidate[rows], int(groups.sum()))
        out[rows] = total == height[number]
    return out


def _over_common(numerator: Values, denominator: Integers, kind: type) -> tuple[Values, Values]:
    """Numerators of fractions over the common denominator of their row, and the latter."""
    filled: Values = np.maximum(denominator, 1).astype(kind)
    common = np.lcm.reduce(filled, axis=1)
    factor = common[:, None] // filled
    units = np.where(denominator > 0, numerator * factor, 0)
    return units, common


def _highest_by_group(total: Values, group: Integers, candidate: Flags, groups: int) -> Values:
    """The highest total among the candidates of each group."""
    rows = np.flatnonzero(candidate)
    rows = rows[np.argsort(group[rows], kind="stable")]
    begins = np.searchsorted(group[rows], np.arange(groups))
    return np.maximum.reduceat(total[rows], begins)


def sign_against(numerator: Integers, denominator: Integers, top: int, bottom: int) -> Integers:
    """The sign of each row's sum of fractions minus top / bottom: -1, 0 or 1.

    Parameters
    ----------
    numerator, denominator : int64, shape (R, k); a denominator of 0 means that there is no
        fraction.

    Examples
    --------
    >>> sign_against(np.array([[1, 1, 1], [1, 1, 2]]), np.full((2, 3), 15), 1, 5).tolist()
    [0, 1]
    """
    fractions = np.where(denominator > 0, numerator / np.maximum(denominator, 1), 0.0)
    value = fractions.sum(axis=1)
    limit = top / bottom
    gap = value - limit
    out: Integers = np.sign(gap).astype(np.int8)
    near = np.flatnonzero(np.abs(gap) <= NEAR * np.maximum(value, limit))
    if len(near):
        units, common = _over_common(numerator[near].astype(object), denominator[near], object)
        difference = units.sum(axis=1) * bottom - top * common
        above = np.array(difference > 0, dtype=np.int8)
        below = np.array(difference < 0, dtype=np.int8)
        out[near] = above - below
    return out
