"""Symmetric positive definite matrices with three bands beside the diagonal, as cubic splines have
them. Entries are added in the order of LINPACK's dpbfa and dpbsl, on which R's ``smooth.spline``
rests: the last bits matter, because they steer its search.
"""

from __future__ import annotations

import math

import numpy as np

from ..core.arrays import Floats

Bands = list[list[float]]  # plain numbers: loops over single entries are slow in NumPy's arrays


def factor(bands: Floats) -> Bands | None:
    """Upper Cholesky factor of a matrix whose entry (j, j + d) is bands[d, j]: [d][j] is the entry
    (j - d, j). None when the matrix is not positive definite.

    >>> factor(np.array([[4.0, 10.0], [2.0, 0.0], [0.0, 0.0], [0.0, 0.0]]))[:2]
    [[2.0, 3.0], [0.0, 1.0]]
    """
    rows = bands.tolist()
    upper = [[0.0] * bands.shape[1] for _ in range(4)]
    diagonal, first, second, third = upper
    for j in range(bands.shape[1]):
        squares = 0.0
        if j >= 3:
            third[j] = rows[3][j - 3] / diagonal[j - 3]
            squares += third[j] * third[j]
        if j >= 2:
            inner = first[j - 2] * third[j]
            second[j] = (rows[2][j - 2] - inner) / diagonal[j - 2]
            squares += second[j] * second[j]
        if j >= 1:
            inner = second[j - 1] * third[j]
            inner += first[j - 1] * second[j]
            first[j] = (rows[1][j - 1] - inner) / diagonal[j - 1]
            squares += first[j] * first[j]
        rest = rows[0][j] - squares
        if not rest > 0.0:
            return None
        diagonal[j] = math.sqrt(rest)
    return upper


def solve(upper: Bands, right: Floats) -> Floats:
    """The solution of U'U x = right, shape (p,).

    >>> solve([[2.0, 3.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]], np.array([4.0, 2.0])).tolist()
    [1.0, 0.0]
    """
    solution = right.tolist()
    diagonal = upper[0]
    columns = range(len(solution))
    for j in columns:
        inner = 0.0
        for d in range(min(3, j), 0, -1):
            inner += upper[d][j] * solution[j - d]
        solution[j] = (solution[j] - inner) / diagonal[j]
    for j in reversed(columns):
        solution[j] /= diagonal[j]
        for d in range(min(3, j), 0, -1):
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
    factors = np.pad(upper, ((0, 0), (0, 3))).tolist()
    inverse = np.zeros((4, p + 3)).tolist()
    diagonal, above, second, third = inverse
    for j in range(p - 1, -1, -1):
        c0 = 1.0 / factors[0][j]
        c1, c2, c3 = (factors[d][j + d] * c0 for d in (1, 2, 3))
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
