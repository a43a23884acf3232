"""Gaps in what a hidden count could be. If x + 2 y is printed, x can only be odd, or only even: of
the numbers between its ends, half are left.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from .sums import ROUNDING, Range, System

Matrix = npt.NDArray[np.int64]


def steps(system: System) -> dict[str, int]:
    """For each unknown the step from one of its values to the next: 1 where there are no gaps.

    Whole numbers that change no sum are whole multiples of a few (a basis of the lattice), so that
    the step is the greatest common divisor of what these do to the unknown.
    """
    changes = _basis(_exact_sums(system))
    divisors = np.gcd.reduce(changes, axis=1, initial=0)
    return {name: int(step) for name, step in zip(system.unknown, divisors)}


def values_in(ends: Range, step: int) -> float:
    """How many values lie between two ends that are values themselves."""
    if step <= 1:
        return ends.values
    return max(math.floor((ends.high - ends.low) / step + ROUNDING) + 1, 0)


def _exact_sums(system: System) -> Matrix:
    """Sums that must come out exactly and have whole numbers alone, shape (sums, unknowns)."""
    factors = np.zeros((len(system.low), len(system.unknown)))
    np.add.at(factors, (system.terms.row, system.terms.column), system.terms.factor)
    exact = system.low == system.high
    whole = ~(factors[:, system.whole == 0] != 0).any(axis=1)
    whole &= (factors == np.rint(factors)).all(axis=1)
    return np.unique(factors[exact & whole], axis=0).astype(np.int64)


def _basis(sums: Matrix) -> Matrix:
    """Changes of the unknowns that leave all sums as they are, one in each column: columns are
    added to each other as in Euclid's algorithm, until each sum has a single one, which is left
    out.
    """
    changes: Matrix = np.eye(sums.shape[1], dtype=np.int64)
    for factors in sums:
        outcome = factors @ changes
        while np.count_nonzero(outcome) > 1:
            others = np.flatnonzero(outcome)
            least = others[np.argmin(np.abs(outcome[others]))]
            others = others[others != least]
            times = outcome[others] // outcome[least]
            changes[:, others] -= changes[:, [least]] * times
            outcome[others] -= outcome[least] * times
        changes = changes[:, outcome == 0]
    return changes
