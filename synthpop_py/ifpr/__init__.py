"""IFPR, inverse-frequency post-randomisation: rare combinations of keys are exchanged at random, so
a record with a person's keys need not be theirs.

Reading order: `release` (the call, and what comes out) · `theta` (the goal, and the smallest theta
that meets it) · `blocks` (who shares their keys, who may be exchanged with whom) · `flows` (who
goes where; the draw) · `risk` (the formulas) · `check` (is the goal met? repeated draws).
"""

from .check import IFPRAudit, IFPRCheck
from .flows import ifpr_matrix
from .release import IFPRRelease, ifpr
from .risk import ifpr_found, ifpr_risk, ifpr_variance, ifpr_xi
from .theta import ifpr_theta

__all__ = [
    "IFPRAudit",
    "IFPRCheck",
    "IFPRRelease",
    "ifpr",
    "ifpr_found",
    "ifpr_matrix",
    "ifpr_risk",
    "ifpr_theta",
    "ifpr_variance",
    "ifpr_xi",
]
