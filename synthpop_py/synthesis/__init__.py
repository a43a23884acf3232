"""Models that make partially synthetic data, for the agency and for an intruder who knows them.

Reading order: `models` (one response given other columns) · `chain` (several in order) · `partial`
(the agency: fit, then draw) · `restrictions` (what it tells intruders about the records it chose).
"""

from .models import Estimate, Multinomial, NormalRegression, SynthesisModel
from .partial import Posterior, fit_models, partial_synthesis
from .restrictions import Restriction, SampleUniques

__all__ = [
    "Estimate",
    "Multinomial",
    "NormalRegression",
    "Posterior",
    "Restriction",
    "SampleUniques",
    "SynthesisModel",
    "fit_models",
    "partial_synthesis",
]
