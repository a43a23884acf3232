"""Disclosure risk of synthetic data."""

from . import datasets
from .errors import InputError, SynthpopError
from .synds import SynDS

__version__ = "0.1.0"

__all__ = ["InputError", "SynDS", "SynthpopError", "datasets"]
