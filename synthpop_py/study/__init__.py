"""Risk and utility as more synthetic sets are released (Drechsler and Reiter).

Reading order: `by_m` (the study) · `result` · `establishments` (generated data to study).
"""

from .by_m import risk_utility_by_m
from .establishments import generated_establishments
from .result import RiskUtilityByM

__all__ = [
    "RiskUtilityByM",
    "generated_establishments",
    "risk_utility_by_m",
]
