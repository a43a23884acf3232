"""What users estimate from data, and how several synthetic sets are combined.

Reading order: `evaluation` (means, shares, regressions and users' own functions of a data frame),
`combining` (the rules for several sets, and the overlap of confidence intervals), `overlap` (all of
this for a release). Below them, for synthesis models too: `design` (from data frames to matrices,
and fits).
"""

from .combining import Combined, IntervalOverlap, ci_overlap, combine, combine_two_stage
from .evaluation import Means, Proportions, Regression
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
