"""What users estimate from data, and what several synthetic sets say about it together: estimands,
combining rules, overlap of confidence intervals.
"""

from .combining import Combined, IntervalOverlap, ci_overlap, combine, combine_two_stage
from .estimands import Means, Proportions, Regression
from .overlap import EstimandOverlap, estimand_overlap

__all__ = [
    "Combined",
    "EstimandOverlap",
    "IntervalOverlap",
    "Means",
    "Proportions",
    "Regression",
    "ci_overlap",
    "combine",
    "combine_two_stage",
    "estimand_overlap",
]
