"""Identification risk of partially synthetic data (Reiter and Mitra; Drechsler and Reiter).

Reading order: `api` (the call) · `options` (its arguments, checked) ·
`release` (the released sets) ·
`keys` (all tables in one coding) · `intervals`, `distances` (how near is a match) · `targets`,
`counting` (who matches whom, without a list of pairs) · `problem` (all of this together) ·
`membership` (census counts and survey weights) · `intruders` (three of them) · `attacks`,
`model_attack` (what they do) · `leaders`, `exact`, `declare` (whom they name) · `result` · `show`.

Models that make such data are in `synthpop_py.synthesis`.
"""

from .api import identification_risk
from .distances import Euclidean, Mahalanobis
from .intervals import Fixed, QuantileSD, Relative
from .result import IdentificationRisk

__all__ = [
    "Euclidean",
    "Fixed",
    "IdentificationRisk",
    "Mahalanobis",
    "QuantileSD",
    "Relative",
    "identification_risk",
]
