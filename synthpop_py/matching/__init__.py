"""Identification risk of partially synthetic data (Reiter and Mitra; Drechsler and Reiter) and what goes with it: synthesis models, risk and utility by number of sets.

Estimands and combining rules are those of `synthpop_py.estimation`.
"""

from ..estimation import Combined, IntervalOverlap, Means, Proportions, Regression, ci_overlap, combine, combine_two_stage
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
    "Combined",
    "Estimate",
    "Euclidean",
    "Fixed",
    "IdentificationRisk",
    "IntervalOverlap",
    "Mahalanobis",
    "Means",
    "Multinomial",
    "NormalRegression",
    "Posterior",
    "Proportions",
    "QuantileSD",
    "Regression",
    "Relative",
    "Restriction",
    "RiskUtilityByM",
    "SampleUniques",
    "SynthesisModel",
    "ci_overlap",
    "combine",
    "combine_two_stage",
    "fit_models",
    "generated_establishments",
    "identification_risk",
    "partial_synthesis",
    "risk_utility_by_m",
]
