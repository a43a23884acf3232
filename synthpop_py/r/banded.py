"""Symmetric positive definite matrices with a diagonal and three bands beside it, as they come from
cubic splines.

Entries are added in the order of LINPACK's dpbfa and dpbsl, on which R's ``smooth.spline`` rests:
the last bits matter, because they steer its search.
"""

from __future__ import annotations

import math

import numpy as np

from ..core.arrays import Floats

Bands = list[list[float]]  # plain numbers: loops over single entries are slow in NumPy's arrays

BESIDE = 3  # bands beside the diagonal


def factor(bands: Floats) -> Bands | None:
    """Upper Cholesky factor of a banded matrix: [d][j] is the entry (j - d, j). None when the
    matrix is not positive definite.

    Parameters
    ----------
    bands : shape (4, p), [d, j] is the entry (j, j + d).

    Examples
    --------
    >>> factor(np.array([[4.0, 10.0], [2.0, 0.0], [0.0, 0.0], [0.0, 0.0]]))[:2]
    [[2.0, 3.0], [0.0, 1.0]]
    """
    p = bands.shape[1]
    rows = bands.tolist()
    upper = [[0.0] * p for _ in range(BESIDE + 1)]
    for j in range(p):
        reach = min(BESIDE, j)
        squares = 0.0
        for d in range(reach, 0, -1):
            i = j - d
            inner = 0.0
            for e in range(reach, d, -1):
                inner += upper[e - d][i] * upper[e][j]
            entry = (rows[d][i] - inner) / upper[0][i]
            upper[d][j] = entry
            squares += entry * entry
        rest = rows[0][j] - squares
        if not rest > 0.0:
            return None
        upper[0][j] = math.sqrt(rest)
    return upper


def solve(upper: Bands, right: Floats) -> Floats:
    """The solution of U'U x = right, shape (p,).

    >>> upper = [[2.0, 3.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]]
    >>> solve(upper, np.array([4.0, 2.0])).tolist()
    [1.0, 0.0]
    """
    solution = right.tolist()
    diagonal = upper[0]
    p = len(solution)
    for j in range(p):
        inner = 0.0
        for d in range(min(BESIDE, j), 0, -1):
            inner += upper[d][j] * solution[j - d]
        solution[j] = (solution[j] - inner) / diagonal[j]
    for j in range(p - 1, -1, -1):
        solution[j] /= diagonal[j]
        for d in range(min(BESIDE, j), 0, -1):
            solution[j - d] -= solution[j] * upper[d][j]
    return np.array(solution)


def inverse_bands(upper: Bands) -> Floats:
    """Diagonal of the inverse of U'U and the three bands above it (Hutchinson and de Hoog 1985),
    shape (4, p), [d, j] is the entry (j, j + d).

    >>> upper = [[2.0, 3.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]]
    >>> (36 * inverse_bands(upper)[:2]).round(9).tolist()  # of [[4, 2], [2, 10]]
    [[10.0, 4.0], [-2.0, 0.0]]
    """
    p = len(upper[0])
    # three columns of zeros beyond the last, so no entry is a special case
    inverse = np.zeros((BESIDE + 1, p + BESIDE)).tolist()
    diagonal, above, second, third = inverse
    for j in range(p - 1, -1, -1):
        c0 = 1.0 / upper[0][j]
        c1, c2, c3 = (_scaled(upper, d, j + d, c0) for d in (1, 2, 3))
        # entries of the rows j + 1 (s), j + 2 (t) and j + 3 (v), from the diagonal on
        s0, s1, s2 = diagonal[j + 1], above[j + 1], second[j + 1]
        t0, t1 = diagonal[j + 2], above[j + 2]
        v0 = diagonal[j + 3]
        third[j] = 0.0 - (c3 * v0 + c2 * t1 + c1 * s2)
        second[j] = 0.0 - (c3 * t1 + c2 * t0 + c1 * s1)
        above[j] = 0.0 - (c3 * s2 + c2 * s1 + c1 * s0)
        total = c0 * c0
        total += c3 * c3 * v0
        total += 2 * c3 * c2 * t1
        total += 2 * c3 * c1 * s2
        total += c2 * c2 * t0
        total += 2 * c2 * c1 * s1
        total += c1 * c1 * s0
        diagonal[j] = total
    return np.array(inverse)[:, :p]


def _scaled(upper: Bands, d: int, j: int, scale: float) -> float:
    """An entry of the factor times a number; 0 beyond the last column."""
    if j >= len(upper[d]):
        return 0.0
    return upper[d][j] * scale
