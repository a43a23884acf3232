"""Disclosure risk of synthetic data: R's synthpop in Python, and what no package has beside it.

SciPy, matplotlib, narwhals and whatever else is optional are imported where they are used.
"""

# first: modules that are imported below tell it
__version__ = "0.1.0"

from typing import TYPE_CHECKING

from . import closed_forms, datasets, estimation, masks, matching, study, synthesis, utility
from .disclosure import disclosure
from .errors import DataWarning, InputError, RDefectWarning, SeedWarning, SlowWarning, SynthpopError
from .estimation import ci_overlap, combine, combine_two_stage, estimand_overlap
from .ifpr import (
    IFPRAudit,
    IFPRCheck,
    IFPRRelease,
    ifpr,
    ifpr_found,
    ifpr_matrix,
    ifpr_risk,
    ifpr_theta,
    ifpr_variance,
    ifpr_xi,
)
from .key_risk import KeyRisk, key_risk
from .masks import add_noise, matrix_mask, swap
from .matching import IdentificationRisk, identification_risk
from .membership import Membership, membership
from .mergelevels import mergelevels_syn
from .missing import MISSING
from .multi import MultiDisclosure, disclosure_summary, multi_disclosure
from .numtocat import Grouped, numtocat_syn
from .r.ledger import DefectFinding, r_defects
from .r_files import read_rdata, read_rds, read_synds, write_synds
from .report.api import Report, report
from .results import Disclosure
from .ru_map import Measure, RUMap, Runs, ru_map
from .sdc import sdc
from .study import RiskUtilityByM, risk_utility_by_m
from .synds import SynDS
from .synorig import SynorigComparison, synorig_compare
from .synthesis import partial_synthesis, syn
from .tables.api import open_table
from .uniques import ReplicatedUniques, replicated_uniques
from .utility import propensity_utility, table_utility

__all__ = [
    "MISSING",
    "DataWarning",
    "DefectFinding",
    "Disclosure",
    "Grouped",
    "IFPRAudit",
    "IFPRCheck",
    "IFPRRelease",
    "IdentificationRisk",
    "InputError",
    "KeyRisk",
    "Measure",
    "Membership",
    "MultiDisclosure",
    "RDefectWarning",
    "RUMap",
    "ReplicatedUniques",
    "Report",
    "RiskUtilityByM",
    "Runs",
    "SeedWarning",
    "SlowWarning",
    "SynDS",
    "SynorigComparison",
    "SynthpopError",
    "add_noise",
    "ci_overlap",
    "closed_forms",
    "combine",
    "combine_two_stage",
    "datasets",
    "disclosure",
    "disclosure_summary",
    "estimand_overlap",
    "estimation",
    "identification_risk",
    "ifpr",
    "ifpr_found",
    "ifpr_matrix",
    "ifpr_risk",
    "ifpr_theta",
    "ifpr_variance",
    "ifpr_xi",
    "key_risk",
    "masks",
    "matching",
    "matrix_mask",
    "membership",
    "mergelevels_syn",
    "multi_disclosure",
    "numtocat_syn",
    "open_table",
    "partial_synthesis",
    "propensity_utility",
    "r_defects",
    "read_rdata",
    "read_rds",
    "read_synds",
    "replicated_uniques",
    "report",
    "risk_utility_by_m",
    "ru_map",
    "sdc",
    "study",
    "swap",
    "syn",
    "synorig_compare",
    "synthesis",
    "table_utility",
    "utility",
    "write_synds",
]


if not TYPE_CHECKING:  # type checkers would accept every misspelt name

    def __getattr__(name: str) -> object:
        """An unknown name: the nearest known one, or what to use instead of a function of R."""
        from difflib import get_close_matches

        from .r.only_there import way_without_function

        by_lower = {known.lower(): known for known in __all__}
        near = get_close_matches(name.lower(), by_lower, n=1)
        hint = f"; did you mean {by_lower[near[0]]!r}?" if near else ""
        instead = way_without_function(name)
        if instead is not None:
            hint = f"; this name exists in R. Here: {instead}"
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}", name=name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__", "__doc__"])
