"""Masks: data released with noise, with values swapped, or multiplied by a matrix.

Reading order: `noise` · `swapping` (candidates, pairs, moves) · `matrix` (M = A X B + C) ·
`columns` (which of them are numbers).
"""

from .matrix import matrix_mask, swap_matrix
from .noise import add_noise
from .swapping import swap, swap_candidates

__all__ = [
    "add_noise",
    "matrix_mask",
    "swap",
    "swap_candidates",
    "swap_matrix",
]
