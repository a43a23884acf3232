"""Making synthetic data: R's `syn()`, and models of partially synthetic data.

Reading order for `syn()`: `api` (the call, its arguments checked) · `plan` (columns, methods and
steps) · `draw` (the draws in R's order, smoothing, columns again) · `rpart` with `splits` (rpart's
trees) · `stream` (R's random numbers).

Reading order for partial synthesis: `models` (one response given other columns) · `chain` (several
in order) · `partial` (the agency: fit, then draw) · `restrictions` (what intruders know about the
records it chose).
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
