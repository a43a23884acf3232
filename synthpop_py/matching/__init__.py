"""Identification risk of partially synthetic data (Reiter and Mitra; Drechsler and Reiter).

Reading order: `api` (the call) · `release` (the released sets) · `options` (the other arguments,
checked), and what they can be: `intervals`, `distances` (how near is a match), `membership` (census
counts and survey weights), `belief` (how an intruder decides) · `intruders` (three of them) ·
`keys` (all tables in one coding) · `targets`, `reach` (who is near whom) · `stabbing`, `boxes`,
`ball_tree` (intervals and distances without a list of pairs), `effort` (a list of pairs after all)
· `counting` (how many match) · `problem` (all of this together) · `attacks`, `model_attack` (what
intruders do) · `leader_rows`, `combinations`, `leaders`, `declare`, `exact` (whom they name) ·
`result` · `show`.

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
