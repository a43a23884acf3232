"""Disclosure risk of synthetic data: R's synthpop in Python, and what no package has beside it.

SciPy, matplotlib, narwhals and whatever else is optional are imported where they are used.
"""

# first: modules that are imported below tell it
__version__ = "0.1.0"

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from . import datasets
from .disclosure import disclosure
from .errors import DataWarning, InputError, RDefectWarning, SeedWarning, SlowWarning, SynthpopError
from .key_risk import KeyRisk, key_risk
from .mergelevels import mergelevels_syn
from .missing import MISSING
from .multi import MultiDisclosure, disclosure_summary, multi_disclosure
from .numtocat import Grouped, numtocat_syn
from .r.ledger import DefectFinding, r_defects
from .results import Disclosure
from .sdc import sdc
from .synds import SynDS
from .synorig import SynorigComparison, synorig_compare
from .tables.api import open_table
from .uniques import ReplicatedUniques, replicated_uniques

if TYPE_CHECKING:
    from . import closed_forms, estimation, masks, matching, study, synthesis, utility
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
    from .masks import add_noise, matrix_mask, swap
    from .matching import IdentificationRisk, identification_risk
    from .membership import Membership, membership
    from .r_files import read_rdata, read_rds, read_synds, write_synds
    from .report.api import report
    from .report.result import Report
    from .ru_map import Measure, RUMap, Runs, ru_map
    from .study import RiskUtilityByM, risk_utility_by_m
    from .synthesis import partial_synthesis, syn
    from .utility import propensity_utility, table_utility

# modules that few calls need, imported when one of their names is asked for: with them the import
# would take half as long again as that of pandas
_LATER = {
    "closed_forms": (),
    "estimation": ("ci_overlap", "combine", "combine_two_stage", "estimand_overlap"),
    "ifpr": (
        *("IFPRAudit", "IFPRCheck", "IFPRRelease", "ifpr", "ifpr_found", "ifpr_matrix"),
        *("ifpr_risk", "ifpr_theta", "ifpr_variance", "ifpr_xi"),
    ),
    "masks": ("add_noise", "matrix_mask", "swap"),
    "matching": ("IdentificationRisk", "identification_risk"),
    "r_files": ("read_rdata", "read_rds", "read_synds", "write_synds"),
    "membership": ("Membership", "membership"),
    "report.api": ("report",),
    "report.result": ("Report",),
    "ru_map": ("Measure", "RUMap", "Runs", "ru_map"),
    "study": ("RiskUtilityByM", "risk_utility_by_m"),
    "synthesis": ("partial_synthesis", "syn"),
    "utility": ("propensity_utility", "table_utility"),
}
_MODULE_OF = {name: module for module, names in _LATER.items() for name in names}

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
        if name in _MODULE_OF:
            value: object = getattr(import_module(f".{_MODULE_OF[name]}", __name__), name)
            globals()[name] = value
            return value
        if name in _LATER:
            return import_module(f".{name}", __name__)
        raise _no_such_name(name)


def _no_such_name(name: str) -> AttributeError:
    from difflib import get_close_matches

    from .r.only_there import way_without_function

    by_lower = {known.lower(): known for known in __all__}
    near = get_close_matches(name.lower(), by_lower, n=1)
    hint = f"; did you mean {by_lower[near[0]]!r}?" if near else ""
    instead = way_without_function(name)
    if instead is not None:
        hint = f"; this name exists in R. Here: {instead}"
    return AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}", name=name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__", "__doc__"])


class _Package(ModuleType):
    """Keeps `ifpr`, `report` and `ru_map` functions, although folders have these names: Python sets
    a folder as an attribute when it is first imported.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, ModuleType) and name in _MODULE_OF):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
