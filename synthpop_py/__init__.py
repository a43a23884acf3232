"""Disclosure risk of synthetic data.

Importing the package loads nothing else: each name is fetched from its module when it is first
asked for (PEP 562). So `import synthpop_py` needs neither NumPy nor pandas, and a user of
`disclosure` alone does not wait for SciPy.

A new public name has three entries here: under `TYPE_CHECKING` for type checkers and editors, in
`_MODULE_OF` for Python, in `__all__` for both. A test fails when they disagree.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import closed_forms, datasets, estimation, masks, matching, study, synthesis, utility
    from .disclosure.api import disclosure
    from .disclosure.result import Disclosure
    from .errors import (
        GuessableSeedWarning,
        HoldoutWarning,
        InputError,
        NearLevelsWarning,
        NotAsInRWarning,
        NothingInCommonWarning,
        OutsideBreaksWarning,
        RDefectWarning,
        SlowWarning,
        SynthpopError,
        UnchangedWarning,
        UndeterminedWarning,
        UnknownLevelWarning,
    )
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
    from .key_search.api import key_risk
    from .key_search.result import KeyRisk
    from .masks import add_noise, matrix_mask, swap
    from .matching import IdentificationRisk, identification_risk
    from .mergelevels import mergelevels_syn
    from .missing import MISSING
    from .numtocat import Grouped, numtocat_syn
    from .r.both import DefectFinding
    from .r.catalogue import r_defects
    from .r_files import read_r, read_synds, write_synds
    from .report.api import report
    from .report.result import Report
    from .ru_map import Measure, RUMap, Runs, ru_map
    from .sdc import sdc
    from .study import RiskUtilityByM, risk_utility_by_m
    from .summary.api import disclosure_summary, multi_disclosure
    from .summary.result import MultiDisclosure
    from .synds import SynDS
    from .synorig import SynorigComparison, synorig_compare
    from .synthesis import partial_synthesis, syn
    from .tables.api import open_table
    from .uniques import ReplicatedUniques, replicated_uniques
    from .utility import propensity_utility, table_utility

__version__ = "0.1.0"

__all__ = [
    "MISSING",
    "DefectFinding",
    "Disclosure",
    "Grouped",
    "GuessableSeedWarning",
    "HoldoutWarning",
    "IFPRAudit",
    "IFPRCheck",
    "IFPRRelease",
    "IdentificationRisk",
    "InputError",
    "KeyRisk",
    "Measure",
    "MultiDisclosure",
    "NearLevelsWarning",
    "NotAsInRWarning",
    "NothingInCommonWarning",
    "OutsideBreaksWarning",
    "RDefectWarning",
    "RUMap",
    "ReplicatedUniques",
    "Report",
    "RiskUtilityByM",
    "Runs",
    "SlowWarning",
    "SynDS",
    "SynorigComparison",
    "SynthpopError",
    "UnchangedWarning",
    "UndeterminedWarning",
    "UnknownLevelWarning",
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
    "mergelevels_syn",
    "multi_disclosure",
    "numtocat_syn",
    "open_table",
    "partial_synthesis",
    "propensity_utility",
    "r_defects",
    "read_r",
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

# name -> the module that defines it; "" where the name is itself a module
_MODULE_OF = {
    "DefectFinding": "r.both",
    "Disclosure": "disclosure.result",
    "Grouped": "numtocat",
    "GuessableSeedWarning": "errors",
    "HoldoutWarning": "errors",
    "IFPRAudit": "ifpr",
    "IFPRCheck": "ifpr",
    "IFPRRelease": "ifpr",
    "IdentificationRisk": "matching",
    "InputError": "errors",
    "KeyRisk": "key_search.result",
    "MISSING": "missing",
    "Measure": "ru_map",
    "MultiDisclosure": "summary.result",
    "NotAsInRWarning": "errors",
    "NearLevelsWarning": "errors",
    "NothingInCommonWarning": "errors",
    "OutsideBreaksWarning": "errors",
    "RDefectWarning": "errors",
    "RUMap": "ru_map",
    "ReplicatedUniques": "uniques",
    "Report": "report.result",
    "RiskUtilityByM": "study",
    "Runs": "ru_map",
    "SlowWarning": "errors",
    "SynDS": "synds",
    "SynorigComparison": "synorig",
    "SynthpopError": "errors",
    "UnchangedWarning": "errors",
    "UndeterminedWarning": "errors",
    "UnknownLevelWarning": "errors",
    "add_noise": "masks",
    "ci_overlap": "estimation",
    "closed_forms": "",
    "combine": "estimation",
    "combine_two_stage": "estimation",
    "datasets": "",
    "disclosure": "disclosure.api",
    "disclosure_summary": "summary.api",
    "estimand_overlap": "estimation",
    "estimation": "",
    "identification_risk": "matching",
    "ifpr": "ifpr",
    "ifpr_found": "ifpr",
    "ifpr_matrix": "ifpr",
    "ifpr_risk": "ifpr",
    "ifpr_theta": "ifpr",
    "ifpr_variance": "ifpr",
    "ifpr_xi": "ifpr",
    "key_risk": "key_search.api",
    "masks": "",
    "matching": "",
    "matrix_mask": "masks",
    "mergelevels_syn": "mergelevels",
    "multi_disclosure": "summary.api",
    "numtocat_syn": "numtocat",
    "open_table": "tables.api",
    "partial_synthesis": "synthesis",
    "propensity_utility": "utility",
    "r_defects": "r.catalogue",
    "read_r": "r_files",
    "read_synds": "r_files",
    "replicated_uniques": "uniques",
    "report": "report.api",
    "risk_utility_by_m": "study",
    "ru_map": "ru_map",
    "sdc": "sdc",
    "study": "",
    "swap": "masks",
    "syn": "synthesis",
    "synorig_compare": "synorig",
    "synthesis": "",
    "table_utility": "utility",
    "utility": "",
    "write_synds": "r_files",
}


if not TYPE_CHECKING:  # hidden from type checkers, which would otherwise accept every misspelt name

    def __getattr__(name: str) -> object:
        if name not in _MODULE_OF:
            raise _no_such_name(name)
        module = _MODULE_OF[name]
        value: object = (
            getattr(import_module(f".{module}", __name__), name)
            if module
            else import_module(f".{name}", __name__)
        )
        globals()[name] = value  # each name is fetched only once
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _no_such_name(name: str) -> AttributeError:
    from difflib import get_close_matches

    from .r.only_there import way_without_function

    by_lower = {known.lower(): known for known in __all__}
    near = get_close_matches(name.lower(), by_lower, n=1)
    hint = f"; did you mean {by_lower[near[0]]!r}?" if near else ""
    instead = way_without_function(name)
    if instead is not None:
        hint = f"; this name exists in R. Here: {instead}"
    text = f"module {__name__!r} has no attribute {name!r}{hint}"
    return AttributeError(text, name=name)  # without obj: tracebacks add no second suggestion


class _Package(ModuleType):
    """Keeps `disclosure`, `ifpr`, `report` and `ru_map` functions, although folders share these
    names.

    After importing a submodule, Python sets it as an attribute of the package. So after any
    `import synthpop_py.ifpr.risk`, `synthpop_py.ifpr` would be the folder. This class ignores such
    an assignment where the table says that the name is not a module. Modules of the folder stay
    reachable by `from synthpop_py.ifpr import risk`, not by `import synthpop_py.ifpr.risk as risk`:
    there Python asks the function for its `risk`.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if isinstance(value, ModuleType) and _MODULE_OF.get(name):
            return
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
