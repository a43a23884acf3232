"""Models that make partially synthetic data, for the agency and for an intruder who knows them.

Reading order: `models` (one response given other columns) · `chain` (several in order) ·
`restrictions` (what the agency tells about the records it chose) · `partial` (fit, then draw).
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
