"""The exceptions of the package: one base class, so that one ``except`` catches them all. And its
warnings, with the one way to give them.
"""

from __future__ import annotations

import sys
import warnings

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


PACKAGE = __name__.partition(".")[0]
DISTRIBUTION = "synthpop-disclosure"


def install(extra: str) -> str:
    """The command that installs what an extra of the distribution brings."""
    return f"pip install '{DISTRIBUTION}[{extra}]'"


def warn(text: str, category: type[Warning]) -> None:
    """Warn at the line of the user's own code that led here, however deep in the package."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__")):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)


def _is_ours(module: object) -> bool:
    """Whether a module, by its name, is one of the package."""
    return isinstance(module, str) and module.partition(".")[0] == PACKAGE
