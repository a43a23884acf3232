"""Risk and utility: closed forms, masks, measures of utility, and the map of releases (Duncan and
Keller-McNulty).

What users estimate, and how well a release serves for it, is in `synthpop_py.estimation`.
"""

from .candidates import Runs
from .closed_forms import (
    RiskUtility,
    noise_ru,
    original_ru,
    printed_threshold,
    swapping_ru,
    synthetic_ru,
)
from .curves import RUCurve, ru_curve
from .map import ru_map
from .matrix_masking import matrix_mask, swap_matrix
from .measures import Measure
from .noise import add_noise
from .optima import optimal_noise, optimal_samples, optimal_swap_rate
from .propensity import PropensityUtility, propensity_utility
from .results import RUMap
from .swapping import swap, swap_candidates
from .utility import TableUtility, table_utility

__all__ = [
    "Measure",
    "PropensityUtility",
    "RUCurve",
    "RUMap",
    "RiskUtility",
    "Runs",
    "TableUtility",
    "add_noise",
    "matrix_mask",
    "noise_ru",
    "optimal_noise",
    "optimal_samples",
    "optimal_swap_rate",
    "original_ru",
    "printed_threshold",
    "propensity_utility",
    "ru_curve",
    "ru_map",
    "swap",
    "swap_candidates",
    "swap_matrix",
    "swapping_ru",
    "synthetic_ru",
    "table_utility",
]
