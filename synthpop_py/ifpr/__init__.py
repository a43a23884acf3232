"""IFPR, inverse-frequency post-randomisation: rare combinations of keys exchanged at random, so
that no record under a person's keys is surely theirs.
"""

from .api import ifpr
from .audit import IFPRAudit
from .check import IFPRCheck
from .release import IFPRRelease
from .risk import ifpr_risk, ifpr_variance, ifpr_xi
from .theta import ifpr_theta

__all__ = [
    "IFPRAudit",
    "IFPRCheck",
    "IFPRRelease",
    "ifpr",
    "ifpr_risk",
    "ifpr_theta",
    "ifpr_variance",
    "ifpr_xi",
]
