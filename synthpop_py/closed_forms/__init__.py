"""Risk and utility of four ways to release a mean, in closed form (Duncan and Keller-McNulty).

Reading order: `forms` · `curves` (a form over a range of its parameter) · `optima`.
"""

from .curves import RUCurve, ru_curve
from .forms import RiskUtility, noise_ru, original_ru, printed_threshold, swapping_ru, synthetic_ru
from .optima import optimal_noise, optimal_samples, optimal_swap_rate

__all__ = [
    "RUCurve",
    "RiskUtility",
    "noise_ru",
    "optimal_noise",
    "optimal_samples",
    "optimal_swap_rate",
    "original_ru",
    "printed_threshold",
    "ru_curve",
    "swapping_ru",
    "synthetic_ru",
]
