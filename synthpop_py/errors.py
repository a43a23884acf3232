"""The exceptions of the package: one base class, so that one ``except`` catches them all."""

from __future__ import annotations

__all__ = ["InputError", "SynthpopError"]


class SynthpopError(Exception):
    """Base class of every exception this package raises on purpose."""


class InputError(SynthpopError, ValueError):
    """An argument cannot be used; the message names it, its value and the choices."""
