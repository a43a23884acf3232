"""The exceptions of the package, with one base class: one ``except`` catches them all. Errors for
unknown names, which tell the nearest known one. And warnings, with the one way to give them.
"""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from difflib import get_close_matches
from types import FrameType
from typing import Any, ParamSpec, TypeAlias, TypeVar

__all__ = [
    "DataWarning",
    "InputError",
    "RDefectWarning",
    "SeedWarning",
    "SlowWarning",
    "SynthpopError",
    "install_command",
    "missing_package",
]

P = ParamSpec("P")
R = TypeVar("R")
ChoiceT = TypeVar("ChoiceT", bound=Hashable)

PACKAGE = __name__.partition(".")[0]
DISTRIBUTION = "synthpop-disclosure"  # the name for pip; the name for import is synthpop_py
MOST_NAMED = 3  # findings named beside the first


class SynthpopError(Exception):
    """Base class of every exception this package raises on purpose."""


class InputError(SynthpopError, ValueError):
    """An argument cannot be used; the message names it, its value and the choices.

    Attributes
    ----------
    details : dict
        What helps to repair the call but is not for a message, which ends up in logs: values and
        levels of the original data, such as ``{"levels": (...)}``. Often empty.

    Examples
    --------
    >>> error = InputError("not_targetlev: 'x' is not a level of 'job'", details={"levels": ("y",)})
    >>> str(error), error.details
    ("not_targetlev: 'x' is not a level of 'job'", {'levels': ('y',)})
    """

    def __init__(self, message: str = "", *, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.details: dict[str, Any] = dict(details or {})


class DataWarning(UserWarning):
    """Something about the data or the call that can make a figure misleading, such as values that
    cannot match, or an option without effect; the message says what, and how to repair it.
    """


class RDefectWarning(UserWarning):
    """R's figure is wrong for this call; the message gives both."""


class SeedWarning(UserWarning):
    """The seed of a release can be guessed; anyone who has it can undo the release."""


class SlowWarning(UserWarning):
    """The call will take long; the message says why and what helps."""


def install_command(extra: str) -> str:
    """The command that installs an extra; quoted, because some shells read brackets as a pattern.

    >>> install_command("plot")
    "pip install 'synthpop-disclosure[plot]'"
    """
    return f"pip install '{DISTRIBUTION}[{extra}]'"


def missing_package(who: str, package: str, extra: str) -> SynthpopError:
    """The error to raise where an optional package is not installed: who needs it (in the plural),
    its name, and the extra of this distribution that brings it.

    >>> print(missing_package("plots", "matplotlib", "plot"))
    plots need matplotlib, which is not installed; install the 'plot' extra: pip install
    'synthpop-disclosure[plot]'
    """
    return SynthpopError(
        f"{who} need {package}, which is not installed;"
        f" install the '{extra}' extra: {install_command(extra)}"
    )


def nearest(name: Any, choices: Sequence[ChoiceT]) -> ChoiceT | None:
    """The choice that was probably meant: the same apart from case and R's dots, or spelt alike.

    >>> nearest("dob", ["sex", "DOB"]), nearest("print.flag", ["print_flag"])
    ('DOB', 'print_flag')
    """
    by_text = {_plain(choice): choice for choice in reversed(choices)}  # the first of two wins
    near = get_close_matches(_plain(name), list(by_text), n=1)
    return by_text[near[0]] if near else None


def _plain(name: Any) -> str:
    return str(name).replace(".", "_").casefold()


def some(names: Sequence[Hashable], most: int = 5) -> str:
    """The first names of a list, and how many more there are.

    >>> some(["sex", "age", "job"], most=2)
    'sex, age and 1 more'
    """
    first = ", ".join(map(str, names[:most]))
    if len(names) <= most:
        return first
    return f"{first} and {len(names) - most} more"


def unknown_name(argument: str, name: Any, choices: Sequence[Hashable], place: str) -> InputError:
    """The error for a column that does not exist."""
    return unknown_choice(argument, name, choices, place, "a column of")


def unknown_choice(
    argument: str, name: Any, choices: Sequence[Hashable], place: str, what: str = "one of"
) -> InputError:
    """The error for an unknown name, with the nearest known name, or else all of them."""
    near = nearest(name, choices)
    hint = f"choices: {', '.join(map(str, choices))}"
    if near is not None:
        hint = f"did you mean {near!r}?"
    return InputError(f"{argument}: {name!r} is not {what} {place}; {hint}")


# kind -> short form -> text
Findings: TypeAlias = dict[type[Warning], dict[str, str]]
# findings so far, while a function of the package runs; per thread or task, because Python's
# warning filters belong to the whole process
findings: ContextVar[Findings | None] = ContextVar("findings", default=None)


@contextmanager
def untold(*kinds: type[Warning]) -> Iterator[None]:
    """Findings of these kinds, by default of all, are not told: the caller says the same in another
    way.
    """
    inside: Findings = {}
    token = findings.set(inside)
    try:
        yield
    finally:
        findings.reset(token)
    outer = findings.get()
    for kind, texts in inside.items():
        if kinds and not issubclass(kind, kinds) and outer is not None:
            outer[kind] = outer.get(kind, {}) | texts


def warning_once(function: Callable[P, R]) -> Callable[P, R]:
    """A function that gives one warning of each kind when it ends, also when it fails."""

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        found: Findings = {}
        # in its own context: after an interrupt at any point, later calls warn as before
        own = copy_context()
        own.run(findings.set, found)
        try:
            return own.run(function, *args, **kwargs)
        except BaseException as error:
            if not isinstance(error, Exception):
                found.clear()  # no warnings after an interrupt
            raise
        finally:
            if found:
                tell(found, caller=sys._getframe(1))

    return call


def found_so_far() -> tuple[str, ...]:
    """What was said about the data in this call."""
    return tuple((findings.get() or {}).get(DataWarning, {}).values())


def warn(text: str, category: type[Warning], short: str = "") -> None:
    """Warn at the line of the user's own code, however deep in the package this is called. The
    warning is given when the function that the user called ends, one for each kind.

    Parameters
    ----------
    short : what names this finding beside others of its kind. Findings with the same short form are
        the same finding, reported once.
    """
    so_far = findings.get()
    # a warning that something takes long is of no use afterwards
    if so_far is None or issubclass(category, SlowWarning):
        _warn_now(text, category)
    else:
        so_far.setdefault(category, {}).setdefault(short or text, text)


def tell(found: Findings, caller: FrameType) -> None:
    """Give one warning of each kind: the first finding, the next few by their short forms, the
    number of the rest. If a function of the package is the caller, the warning is left to it.
    """
    outer = findings.get()
    while caller.f_back is not None and _module(caller) == "functools":
        caller = caller.f_back  # functools only calls our functions
    if outer is not None and _is_ours(_module(caller)):
        for category, texts in found.items():
            outer[category] = outer.get(category, {}) | texts
        return
    for category, texts in found.items():
        _warn_now(_together(texts), category)


def _together(texts: Mapping[str, str]) -> str:
    """One text for all findings of a kind."""
    first, *others = texts.values()
    if not others:
        return first
    named = list(texts)[1 : 1 + MOST_NAMED]
    if len(others) > MOST_NAMED:
        named.append(f"and {len(others) - MOST_NAMED} more")
    return f"{first.removesuffix('.')}. Also: {'; '.join(named)}."


def _warn_now(text: str, category: type[Warning]) -> None:
    # a fixed stacklevel would point into the package wherever a call came another way
    frame, level = sys._getframe(), 1
    # functools calls our functions (cached properties)
    while frame.f_back is not None and (_module(frame) == "functools" or _is_ours(_module(frame))):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)


def _module(frame: FrameType) -> object:
    return frame.f_globals.get("__name__")


def _is_ours(module: object) -> bool:
    """Whether the module of this name belongs to the package."""
    return isinstance(module, str) and module.partition(".")[0] == PACKAGE
