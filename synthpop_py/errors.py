"""The exceptions of the package: one base class, so that one ``except`` catches them all."""

from __future__ import annotations

__all__ = ["InputError", "RDefectWarning", "SynthpopError"]


class SynthpopError(Exception):
    """Base class of every exception this package raises on purpose."""


class InputError(SynthpopError, ValueError):
    """An argument cannot be used; the message names it, its value and the choices."""


class RDefectWarning(UserWarning):
    """R's figure is wrong for this call; the message gives both."""
