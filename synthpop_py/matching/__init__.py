"""Identification risk of partially synthetic data (Reiter and Mitra; Drechsler and Reiter) and what
goes with it: synthesis models, risk and utility by number of sets.

Estimands and combining rules are in `synthpop_py.estimation`.
"""

from .api import identification_risk
from .distances import Euclidean, Mahalanobis
from .intervals import Fixed, QuantileSD, Relative
from .model_restrictions import Restriction, SampleUniques
from .model_synthesis import Posterior, fit_models, partial_synthesis
from .models import Estimate, Multinomial, NormalRegression, SynthesisModel
from .results import IdentificationRisk
from .study import risk_utility_by_m
from .study_establishments import generated_establishments
from .study_result import RiskUtilityByM

__all__ = [
    "Estimate",
    "Euclidean",
    "Fixed",
    "IdentificationRisk",
    "Mahalanobis",
    "Multinomial",
    "NormalRegression",
    "Posterior",
    "QuantileSD",
    "Relative",
    "Restriction",
    "RiskUtilityByM",
    "SampleUniques",
    "SynthesisModel",
    "fit_models",
    "generated_establishments",
    "identification_risk",
    "partial_synthesis",
    "risk_utility_by_m",
]
