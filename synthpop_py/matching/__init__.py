"""Identification risk of partially synthetic data (Reiter and Mitra; Drechsler and Reiter).

Reading order: `api` (the call, its arguments) · `near` (how near is a match), `targets` (those of
the intruder's own, keys known in part or in groups, N_t) · `keys` (all tables in one coding) ·
`matches` (which records match which targets), `boxes` (without a list of pairs) · `attack` (match
probabilities, and which records are named) · `intruders` (three of them), `models` (the one who
knows the synthesis models) · `result`.

Models that make such data are in `synthpop_py.synthesis`.
"""

from .api import identification_risk
from .near import Euclidean, Fixed, Mahalanobis, QuantileSD, Relative
from .result import IdentificationRisk
from .targets import Between, LogLinear

__all__ = [
    "Between",
    "Euclidean",
    "Fixed",
    "IdentificationRisk",
    "LogLinear",
    "Mahalanobis",
    "QuantileSD",
    "Relative",
    "identification_risk",
]
