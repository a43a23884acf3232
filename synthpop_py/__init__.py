"""Disclosure risk of synthetic data."""

from . import datasets
from .disclosure.api import disclosure
from .disclosure.ledger import r_defects
from .disclosure.multi import disclosure_summary, multi_disclosure
from .disclosure.multi_results import MultiDisclosure
from .disclosure.results import DefectFinding, Disclosure
from .errors import InputError, RDefectWarning, SynthpopError
from .synds import SynDS

__version__ = "0.1.0"

__all__ = [
    "DefectFinding",
    "Disclosure",
    "InputError",
    "MultiDisclosure",
    "RDefectWarning",
    "SynDS",
    "SynthpopError",
    "datasets",
    "disclosure",
    "disclosure_summary",
    "multi_disclosure",
    "r_defects",
]
