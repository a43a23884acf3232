"""Identification risk of partially synthetic data (Reiter and Mitra; Drechsler and Reiter).

Reading order: `api` (the call) · `release` (the released sets) · `options` (the other arguments,
checked), and what they can be: `intervals`, `distances` (how near is a match), `knowledge` (the
intruder's own targets, known in part), `coarsening` (keys known in groups), `membership` (census
counts, survey weights and other sources of N_t), `belief` (how an intruder decides) · `intruders`
(three of them) · `keys` (all tables in one coding) · `targets`, `reach` (which records are near
which targets) · `stabbing`, `boxes`, `ball_tree` (intervals and distances without a list of pairs),
`effort` (a list of pairs where nothing else works) · `counting` (how many match) · `problem` (all
of this together) · `parts` (targets about whom the same is known) · `loglinear` (N_t by a model) ·
`attacks`, `model_attack` (what intruders do) · `leader_rows`, `combinations`, `leaders`, `declare`,
`exact` (which records they name) · `result` · `show`.

Models that make such data are in `synthpop_py.synthesis`.
"""

from .api import identification_risk
from .distances import Euclidean, Mahalanobis
from .intervals import Fixed, QuantileSD, Relative
from .knowledge import Between
from .membership import LogLinear
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
