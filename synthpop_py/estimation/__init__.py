"""What users estimate from data, and how several synthetic sets are combined.

Reading order: `estimands` (means, shares and regressions of a data frame), `evaluation` (users'
functions checked, and their answers in one order), `combining` (the rules for several sets),
`intervals` (overlap of confidence intervals), `overlap` (all of this for a release). Below them,
for synthesis models too: `design` (from data frames to matrices), `linear`, `multinomial` and
`normal` (fits and draws, arrays in, arrays out).
"""

from .combining import Combined, combine, combine_two_stage
from .estimands import Means, Proportions, Regression
from .intervals import IntervalOverlap, ci_overlap
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
