"""Masks: data released with noise, with values swapped, or multiplied by a matrix.

Reading order: `noise` · `swapping` · `matrix`.
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
