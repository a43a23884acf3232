"""The records nearest to each target, as rows that exact arithmetic will judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..core.arrays import Flags, Integers

__all__ = ["NEAR", "Leaders", "all_leaders"]

NEAR = 1e-9  # sums of a few hundred fractions are rounded by less than 1e-13 of their size


@dataclass(frozen=True, slots=True)
class Leaders:
    """Candidates for the highest probability.

    Attributes
    ----------
    target : int64, shape (R,), ascending.
    bits : bool, shape (R, sets): the sets in which these records match and that give probability.
    count : int64, shape (R,): how many records.
    """

    target: Integers
    bits: Flags
    count: Integers

    def renumbered(self, target: Integers) -> Leaders:
        """The same for targets that have other numbers: number t becomes target[t]."""
        return Leaders(target[self.target], self.bits, self.count)

    def in_order(self) -> Leaders:
        """Target after target."""
        order = np.argsort(self.target, kind="stable")
        return Leaders(self.target[order], self.bits[order], self.count[order])


def all_leaders(parts: Sequence[Leaders], sets: int) -> Leaders:
    """Leaders of different targets as one list."""
    if not parts:
        nothing = np.zeros(0, dtype=np.int64)
        return Leaders(nothing, np.zeros((0, sets), dtype=bool), nothing)
    return Leaders(
        target=np.concatenate([part.target for part in parts]),
        bits=np.concatenate([part.bits for part in parts]),
        count=np.concatenate([part.count for part in parts]),
    )
