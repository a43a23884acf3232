"""What users estimate from data, and what several synthetic sets say about it together: estimands, combining rules, overlap of confidence intervals."""

from .combining import Combined, IntervalOverlap, ci_overlap, combine, combine_two_stage
from .estimands import Means, Proportions, Regression

__all__ = ["Combined", "IntervalOverlap", "Means", "Proportions", "Regression", "ci_overlap", "combine", "combine_two_stage"]
