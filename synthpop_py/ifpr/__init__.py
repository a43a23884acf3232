"""IFPR, inverse-frequency post-randomisation: rare combinations of keys exchanged at random until no match is sure."""

from .api import ifpr
from .audit import IFPRAudit
from .check import IFPRCheck
from .release import IFPRRelease
from .risk import ifpr_risk, ifpr_variance, ifpr_xi
from .theta import ifpr_theta

__all__ = ["IFPRAudit", "IFPRCheck", "IFPRRelease", "ifpr", "ifpr_risk", "ifpr_theta", "ifpr_variance", "ifpr_xi"]
