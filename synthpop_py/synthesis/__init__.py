"""Making synthetic data: R's `syn()`, and models of partially synthetic data.

Reading order for `syn()`: `api` (the call) · `columns` (methods, predictors, parts) · `draw` (draws
in R's order, columns again), with `smoothing` · `rpart` with `splits` (trees) · `stream` (R's
generator). For partial synthesis: `models` (one response given other columns) · `chain` (several in
order) · `partial` (the agency: fit, then draw) · `restrictions` (what intruders know).
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
