"""Disclosure risk of synthetic data.

Importing the package loads nothing else: each name is fetched from its module when it is first
asked for (PEP 562). So `import synthpop_py` needs neither NumPy nor pandas, and who only wants
`disclosure` does not pay for SciPy.

A new public name has three entries here: under `TYPE_CHECKING` for type checkers and editors, in
`_MODULE_OF` for Python, in `__all__` for both. A test says when they disagree.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
        propensity_utility,
        ru_map,
        swap,
        table_utility,
    )
    from .risk_utility.matrix_masking import matrix_mask
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

# a name -> the module that has it; "" for a module of its own
_MODULE_OF = {
    "DefectFinding": "disclosure.results",
    "Disclosure": "disclosure.results",
    "Grouped": "disclosure.numtocat",
    "IFPRAudit": "ifpr",
    "IFPRCheck": "ifpr",
    "IFPRRelease": "ifpr",
    "IdentificationRisk": "matching",
    "InputError": "errors",
    "KeyRisk": "disclosure.key_risk",
    "MultiDisclosure": "disclosure.multi_results",
    "NothingInCommonWarning": "errors",
    "RDefectWarning": "errors",
    "RUMap": "risk_utility",
    "ReplicatedUniques": "disclosure.uniques",
    "RiskUtilityByM": "matching",
    "SynDS": "synds",
    "SynorigComparison": "disclosure.synorig",
    "SynthpopError": "errors",
    "UndeterminedWarning": "errors",
    "add_noise": "risk_utility",
    "ci_overlap": "estimation",
    "combine": "estimation",
    "combine_two_stage": "estimation",
    "datasets": "",
    "disclosure": "disclosure.api",
    "disclosure_summary": "disclosure.multi",
    "estimand_overlap": "estimation",
    "estimation": "",
    "identification_risk": "matching",
    "ifpr": "ifpr",
    "ifpr_risk": "ifpr",
    "ifpr_theta": "ifpr",
    "ifpr_variance": "ifpr",
    "ifpr_xi": "ifpr",
    "key_risk": "disclosure.key_risk",
    "matching": "",
    "matrix_mask": "risk_utility.matrix_masking",
    "mergelevels_syn": "disclosure.mergelevels",
    "multi_disclosure": "disclosure.multi",
    "numtocat_syn": "disclosure.numtocat",
    "partial_synthesis": "matching",
    "propensity_utility": "risk_utility",
    "r_defects": "disclosure.ledger",
    "read_r": "r_files",
    "read_synds": "r_files",
    "replicated_uniques": "disclosure.uniques",
    "risk_utility": "",
    "risk_utility_by_m": "matching",
    "ru_map": "risk_utility",
    "sdc": "disclosure.sdc",
    "swap": "risk_utility",
    "synorig_compare": "disclosure.synorig",
    "table_utility": "risk_utility",
    "write_synds": "r_files",
}


if not TYPE_CHECKING:  # a type checker that saw it would take every misspelt name for known

    def __getattr__(name: str) -> object:
        if name not in _MODULE_OF:
            raise _no_such_name(name)
        module = _MODULE_OF[name]
        value: object = (
            getattr(import_module(f".{module}", __name__), name)
            if module
            else import_module(f".{name}", __name__)
        )
        globals()[name] = value  # so that it is fetched once
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _no_such_name(name: str) -> AttributeError:
    from difflib import get_close_matches

    by_lower = {known.lower(): known for known in __all__}
    near = get_close_matches(name.lower(), by_lower, n=1)
    hint = f"; did you mean {by_lower[near[0]]!r}?" if near else ""
    text = f"module {__name__!r} has no attribute {name!r}{hint}"
    return AttributeError(text, name=name)  # without obj: tracebacks add no second suggestion


class _Package(ModuleType):
    """Keeps `disclosure` and `ifpr` functions, although folders have the same names.

    When Python has imported a submodule, it sets it as an attribute of the package. So after
    `import synthpop_py.ifpr.risk`, from whatever line of whatever module, `synthpop_py.ifpr` would
    be the folder. Here such a setting is ignored where the table says that the name is not a
    module; the folder stays reachable by import, `from synthpop_py.ifpr import risk`.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if isinstance(value, ModuleType) and _MODULE_OF.get(name):
            return
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
