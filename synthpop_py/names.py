"""Errors for unknown columns, choices and arguments; they name the nearest known one."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextvars import copy_context
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, ParamSpec, TypeVar

from .errors import DataWarning, Findings, InputError, findings, tell

P = ParamSpec("P")
R = TypeVar("R")
ChoiceT = TypeVar("ChoiceT", bound=Hashable)

# names that functions, ours and others, give to the same thing
SAME_MEANING = (("object", "synthetic", "syn"), ("data", "original", "orig"))
PLAIN = (bool, int, float, str)  # kinds of value that an error may show
LONGEST_VALUE = 40
MOST_NAMES = 3
PLACES = ("first", "second", "third", "fourth", "fifth", "sixth")


def nearest(name: Any, choices: Sequence[ChoiceT]) -> ChoiceT | None:
    """The choice that was probably meant: the same apart from case and R's dots, or spelt alike.

    Examples
    --------
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

    Examples
    --------
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


def named_arguments(
    *also: str,
    aliases: Mapping[str, str] | None = None,
    way_without: Callable[[str], str | None] | None = None,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a function answer a wrong call with a sentence: an unknown argument, a missing one, one
    given twice, or too many by position. It also gives at most one warning of each kind.

    Parameters
    ----------
    also : names that it takes through ``**``, besides those of its signature.
    aliases : other names of its parameters, as in ``{"synthetic": "object"}``: the caller's name,
        and the name in the signature. Messages about such a parameter give both names. (Type
        checkers know only the signature; `spellings` declares the others to them.)
    way_without : maps an argument that only R's function has to what to do instead; None for any
        other name.

    Examples
    --------
    >>> @named_arguments(aliases={"original": "data"})
    ... def cut(data, *, not_targetlev=None):
    ...     return data
    >>> cut(original=[1])
    [1]
    >>> try:
    ...     cut([1], **{"not.targetlev": "NO"})
    ... except InputError as error:
    ...     print(error)
    not.targetlev: is not an argument of cut(); did you mean not_targetlev='NO'?
    >>> try:
    ...     cut(not_targetlev="NO")
    ... except InputError as error:
    ...     print(error)
    data: is not given; it is the first argument of cut(), by name data= or original=
    """
    others = dict(aliases or {})

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        by_position, by_name = _parameters(function)
        names = tuple(dict.fromkeys((*by_name, *also, *others)))
        needed = _needed(function)

        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            if len(args) > len(by_position):
                raise _too_many(function.__name__, len(args), by_position, by_name)
            if way_without is not None:
                _check_not_only_in_r(function.__name__, kwargs, names, way_without)
            check_arguments_exist(function.__name__, kwargs, names)
            # a parameter given by position cannot also be given by its other name
            filled = by_position[: len(args)]
            _take_own_names(kwargs, others, filled)
            for name in needed:
                if name not in filled and name not in kwargs:
                    raise _not_given(function.__name__, name, others, by_position)
            for name in filled:
                if name in kwargs:
                    raise InputError(
                        f"{name}: is given twice, by position and by name; leave out {name}="
                    )
            return _warning_once(function, *args, **kwargs)

        return call

    return decorate


def _warning_once(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Call a function, and give one warning of each kind when it ends, also when it fails."""
    found: Findings = {}
    # in its own context: after an interrupt at any point, later calls warn as before
    own = copy_context()
    own.run(findings.set, found)
    try:
        result: Any = own.run(function, *args, **kwargs)
        # a warning on a terminal does not reach whoever reads the result
        if found and "notes" in getattr(result, "__dataclass_fields__", ()):
            texts = [
                text for kind, by in found.items() if kind is DataWarning for text in by.values()
            ]
            result = replace(result, notes=tuple(dict.fromkeys((*result.notes, *texts))))
        told: R = result
        return told
    except BaseException as error:
        # no warnings after an interrupt
        if not isinstance(error, Exception):
            found.clear()
        raise
    finally:
        if found:
            # skips this function and the one that the user called
            tell(found, caller=sys._getframe(2))


def _needed(function: Callable[..., Any]) -> list[str]:
    """The parameters that have no default."""
    parameters = inspect.signature(function).parameters
    return [
        name
        for name in _parameters(function)[1]
        if parameters[name].default is inspect.Parameter.empty
    ]


def _take_own_names(
    kwargs: dict[str, Any], aliases: Mapping[str, str], by_position: Sequence[str]
) -> None:
    """Move arguments given by an alias to their name in the signature."""
    for alias in [name for name in kwargs if name in aliases]:
        name = aliases[alias]
        if name in kwargs:
            raise InputError(
                f"{name}, {alias}: both are given, but they mean the same; give only one"
            )
        if name in by_position:
            raise InputError(
                f"{name}, {alias}: mean the same, and the argument is already given by "
                f"position; leave out {alias}="
            )
        kwargs[name] = kwargs.pop(alias)


def _not_given(
    function: str, name: str, aliases: Mapping[str, str], by_position: Sequence[str]
) -> InputError:
    spellings = [name, *(alias for alias, own in aliases.items() if own == name)]
    written = " or ".join(f"{spelling}=" for spelling in spellings)
    if name not in by_position:
        return InputError(f"{name}: is not given; {function}() needs it by name, {written}")
    which = PLACES[by_position.index(name)]
    order = f"; in order: {', '.join(by_position)}" if len(by_position) > 1 else ""
    return InputError(
        f"{name}: is not given; it is the {which} argument of {function}(), by name"
        f" {written}{order}"
    )


def argument_names(function: Callable[..., Any], without: Sequence[str] = ()) -> tuple[str, ...]:
    """Names of the arguments that a function takes by name, without some."""
    return tuple(name for name in _parameters(function)[1] if name not in without)


def check_arguments_exist(
    function: str, given: Mapping[str, Any], names: Sequence[str], prefix: str = ""
) -> None:
    """Raise an error for the first name that is not an argument of the function; `prefix` goes
    before it.
    """
    for name, value in given.items():
        if name not in names:
            hint = _hint(name, value, names)
            raise InputError(f"{prefix}{name}: is not an argument of {function}(); {hint}")


def _check_not_only_in_r(
    function: str,
    given: Iterable[str],
    names: Sequence[str],
    way_without: Callable[[str], str | None],
) -> None:
    for name in given:
        instead = None if name in names else way_without(name)
        if instead is not None:
            raise InputError(f"{name}: R has this argument, {function}() here does not; {instead}")


def _hint(name: str, value: Any, names: Sequence[str]) -> str:
    """The argument that was probably meant, as it would be written."""
    near = _of_same_meaning(name, names) or nearest(name, names)
    if near is None:
        return f"choices: {', '.join(names)}"
    return f"did you mean {near}{_value(value)}?"


def _of_same_meaning(name: str, names: Sequence[str]) -> str | None:
    """The argument that has this name in other functions."""
    for same in SAME_MEANING:
        if name in same:
            return next((other for other in names if other in same), None)
    return None


def _value(value: Any) -> str:
    """The value given, if it is short; data are never shown."""
    parts = value if isinstance(value, (list, tuple)) else [value]
    plain = all(part is None or isinstance(part, PLAIN) for part in parts)
    if not plain or len(repr(value)) > LONGEST_VALUE:
        return ""
    return f"={value!r}"


def _too_many(
    function: str, given: int, by_position: Sequence[str], by_name: Sequence[str]
) -> InputError:
    taken = "it takes none"
    if by_position:
        taken = f"it takes {len(by_position)} ({', '.join(by_position)})"
    others = [name for name in by_name if name not in by_position]
    rest = ""
    if others:
        more = ", ..." if len(others) > MOST_NAMES else ""
        rest = f"; give the others by name ({', '.join(others[:MOST_NAMES])}{more})"
    return InputError(f"{function}(): {given} arguments given by position, {taken}{rest}")


def _parameters(function: Callable[..., Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the parameters that can be given by position, and of those by name."""
    by_position, by_name = [], []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            by_position.append(parameter.name)
            by_name.append(parameter.name)
        elif parameter.kind is parameter.KEYWORD_ONLY:
            by_name.append(parameter.name)
    return tuple(by_position), tuple(by_name)
