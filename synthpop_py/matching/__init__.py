"""Identification risk of partially synthetic data (Reiter and Mitra; Drechsler and Reiter) and what goes with it: synthesis models, combining rules, risk and utility."""

from .api import identification_risk
from .combining import Combined, IntervalOverlap, ci_overlap, combine, combine_two_stage
from .distances import Euclidean, Mahalanobis
from .intervals import Fixed, QuantileSD, Relative
from .model_restrictions import Restriction, SampleUniques
from .model_synthesis import Posterior, fit_models, partial_synthesis
from .models import Estimate, Multinomial, NormalRegression, SynthesisModel
from .results import IdentificationRisk
from .study import risk_utility_by_m
from .study_establishments import generated_establishments
from .study_estimands import Means, Proportions, Regression
from .study_result import RiskUtility
