"""Disclosure risk of synthetic data."""

from . import datasets
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
from .errors import InputError, NothingInCommonWarning, RDefectWarning, SynthpopError
from .rdata import read_synds, write_synds
from .synds import SynDS

__version__ = "0.1.0"

__all__ = [
    "DefectFinding",
    "Disclosure",
    "Grouped",
    "InputError",
    "KeyRisk",
    "MultiDisclosure",
    "NothingInCommonWarning",
    "RDefectWarning",
    "ReplicatedUniques",
    "SynDS",
    "SynorigComparison",
    "SynthpopError",
    "datasets",
    "disclosure",
    "disclosure_summary",
    "key_risk",
    "mergelevels_syn",
    "multi_disclosure",
    "numtocat_syn",
    "r_defects",
    "read_synds",
    "replicated_uniques",
    "sdc",
    "synorig_compare",
    "write_synds",
]
