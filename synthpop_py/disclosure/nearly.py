"""Nearly sure: the cells that hold at least a given share of the records of their key combination.

Notation as in `certainty`: a cell is nearly sure in the original where pd = d/d.q >= c, in the
synthetic data where ps = s/s.q >= c. Above one half, a combination has at most one such cell on
either side; the two need not be the same. So everything is decided cell by cell: both sides may be
nearly sure of different targets.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..core.arrays import Flags, Integers
from .cells import Cells

CERTAIN = Fraction(1)
LARGEST_PRODUCT = 2**62


@dataclass(frozen=True, slots=True)
class SureCells:
    """The cells, bool (c,), that the original and the synthetic data are nearly sure of."""

    orig: Flags
    syn: Flags


def sure_cells(
    cells: Cells, counts: tuple[Integers, Integers], by_key: tuple[Integers, Integers], c: Fraction
) -> SureCells:
    """The cells with pd >= c, and with ps >= c, from d, s, (c,), and d.q, s.q, (g,)."""
    orig, syn = [_reaches(n, n_q[cells.group], c) for n, n_q in zip(counts, by_key)]
    return SureCells(orig=orig, syn=syn)


def _reaches(n: Integers, total: Integers, c: Fraction) -> Flags:
    """Whether n / total >= c, in whole numbers: a rounded quotient may fall on the other side. 0 of
    0 does not reach it.
    """
    largest = int(total.max(initial=0)) * c.denominator
    part, whole = n, total
    if largest >= LARGEST_PRODUCT:
        part, whole = n.astype(object), total.astype(object)  # whole numbers of any size
    reached = part * c.denominator >= whole * c.numerator
    flags: Flags = reached.astype(np.bool_) & (n > 0)
    return flags
