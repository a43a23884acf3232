"""Identification risk of partially synthetic data (Reiter and Mitra; Drechsler and Reiter).

Reading order: `api` (the call, its arguments) · `near` (how near is a match), `intruders` (targets
of the intruder's own, keys known in part or in groups), `population` (N_t) · `keys` (all tables in
one coding) · `matches` (which records match which targets), `boxes` (without a list of pairs) ·
`attack` (match probabilities, and which records the intruder names), `models` (the intruder who
knows the synthesis models) · `result`.

Models that make such data are in `synthpop_py.synthesis`.
"""

from .api import identification_risk
from .intruders import Between
from .near import Euclidean, Fixed, Mahalanobis, QuantileSD, Relative
from .population import LogLinear
from .result import IdentificationRisk

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
