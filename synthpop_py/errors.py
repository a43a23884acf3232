"""The exceptions of the package: one base class, so that one ``except`` catches them all."""

from __future__ import annotations

__all__ = [
    "InputError",
    "NothingInCommonWarning",
    "RDefectWarning",
    "SynthpopError",
    "UndeterminedWarning",
]


class SynthpopError(Exception):
    """Base class of every exception this package raises on purpose."""


class InputError(SynthpopError, ValueError):
    """An argument cannot be used; the message names it, its value and the choices."""


class RDefectWarning(UserWarning):
    """R's figure is wrong for this call; the message gives both."""


class NothingInCommonWarning(UserWarning):
    """A column of the synthetic data shares no value with the original, so a risk of 0 may only say
    that nothing could be compared.
    """


class UndeterminedWarning(UserWarning):
    """The data do not determine the coefficients of a model, so that draws of them are noise; a
    ridge helps.
    """
