"""Making synthetic data: R's `syn()`, and models of partially synthetic data.

Reading order for `syn()`: `api` · `call` (its arguments, checked) · `prepare` (columns and steps) ·
`draw` (the draws, in R's order) · `trees` with `splits`, `gini`, `row_order` (rpart's rules) ·
`stream` (R's random numbers) · `assemble` (columns again).

Reading order for partial synthesis, used by the agency and by an intruder who knows the models:
`models` (one response given other columns) · `chain` (several in order) · `restrictions` (what the
agency tells about the records it chose) · `partial` (fit, then draw).
"""

from .api import syn
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
    "syn",
]
