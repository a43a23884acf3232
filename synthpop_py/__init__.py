"""Disclosure risk of synthetic data."""

from . import datasets, estimation, matching, risk_utility
from .disclosure.api import disclosure
from .disclosure.key_risk import KeyRisk, key_risk
from .disclosure.ledger import r_defects
from .disclosure.mergelevels import mergelevels_syn
from .disclosure.multi import disclosure_summary, multi_disclosure
from .disclosure.multi_results import MultiDisclosure
from .disclosure.numtocat import Grouped, numtocat_syn
from .disclosure.results import DefectFinding, Disclosure
from .disclosure.sdc import sdc
from .disclosure.synorig import SynorigComparison, synorig_compare
from .disclosure.uniques import ReplicatedUniques, replicated_uniques
from .errors import (
    InputError,
    NothingInCommonWarning,
    RDefectWarning,
    SynthpopError,
    UndeterminedWarning,
)
from .estimation import ci_overlap, combine, combine_two_stage, estimand_overlap
from .ifpr import (
    IFPRAudit,
    IFPRCheck,
    IFPRRelease,
    ifpr,
    ifpr_risk,
    ifpr_theta,
    ifpr_variance,
    ifpr_xi,
)
from .matching import (
    IdentificationRisk,
    RiskUtilityByM,
    identification_risk,
    partial_synthesis,
    risk_utility_by_m,
)
from .r_files import read_r, read_synds, write_synds
from .risk_utility import (
    RUMap,
    add_noise,
    matrix_mask,
    propensity_utility,
    ru_map,
    swap,
    table_utility,
)
from .synds import SynDS

__version__ = "0.1.0"

__all__ = [
    "DefectFinding",
    "Disclosure",
    "Grouped",
    "IFPRAudit",
    "IFPRCheck",
    "IFPRRelease",
    "IdentificationRisk",
    "InputError",
    "KeyRisk",
    "MultiDisclosure",
    "NothingInCommonWarning",
    "RDefectWarning",
    "RUMap",
    "ReplicatedUniques",
    "RiskUtilityByM",
    "SynDS",
    "SynorigComparison",
    "SynthpopError",
    "UndeterminedWarning",
    "add_noise",
    "ci_overlap",
    "combine",
    "combine_two_stage",
    "datasets",
    "disclosure",
    "disclosure_summary",
    "estimand_overlap",
    "estimation",
    "identification_risk",
    "ifpr",
    "ifpr_risk",
    "ifpr_theta",
    "ifpr_variance",
    "ifpr_xi",
    "key_risk",
    "matching",
    "matrix_mask",
    "mergelevels_syn",
    "multi_disclosure",
    "numtocat_syn",
    "partial_synthesis",
    "propensity_utility",
    "r_defects",
    "read_r",
    "read_synds",
    "replicated_uniques",
    "risk_utility",
    "risk_utility_by_m",
    "ru_map",
    "sdc",
    "swap",
    "synorig_compare",
    "table_utility",
    "write_synds",
]
