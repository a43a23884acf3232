"""What a call of `ru_map()` asks for, checked once."""

from __future__ import annotations

import inspect
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..arguments import PASSED_ON, check_number, check_whole, chosen_columns, column_named
from ..disclosure import disclosure
from ..errors import InputError, unknown_choice
from ..matching import identification_risk
from ..missing import MISSING
from ..tables.opening import (
    check_original,
    is_frame,
    is_in_memory,
    is_table,
    number_of_records,
    open_table,
    refuse_released,
)
from ..utility.release import compared_columns
from ..utility.variables import brought_numbers, read_variable, special_numbers
from .candidates import Candidate, read_candidates
from .repeats import Repetition

SET_BY_MAP = (
    "object",
    "data",
    "original",
    "synthetic",
    "keys",
    "known",
    "synthesised",
    "target",
    "compat",
    "print_flag",
)

SCALARS = (str, bool, int, float, np.generic)

# special values that releases brought: column, value, names of the releases
Brought = dict[Hashable, dict[float, list[str]]]


@dataclass(frozen=True)
class MapRequest:
    """Everything that measures are made of, checked.

    Attributes
    ----------
    variables, left_out : columns that utility is measured on, and those of the original that no
        candidate has.
    chosen : whether the user named the variables.
    special : special values of numeric columns.
    brought : those of them that releases brought, and who; empty where the user gave them.
    """

    original: Any
    candidates: tuple[Candidate, ...]
    keys: tuple[Hashable, ...]
    target: Hashable | None
    variables: tuple[Hashable, ...]
    left_out: tuple[Hashable, ...]
    chosen: bool
    special: dict[Hashable, tuple[float, ...]]
    brought: Brought
    estimands: Any
    classes: int
    level: float
    disclosure_options: Mapping[str, Any]
    matching_options: Mapping[str, Any]
    most_parameters: int

    @cached_property
    def repetition(self) -> Repetition:
        used = {*self.keys, self.target, *self.variables}
        columns = [name for name in self.original.columns if name in used]
        return Repetition(self.original, self.keys, columns)

    def asked(self) -> dict[str, Any]:
        """The arguments that are not attributes of a map; data and objects only by their kind."""
        return {
            "classes": self.classes,
            "cont_na": {str(name): list(values) for name, values in self.special.items()},
            "most_parameters": self.most_parameters,
            "disclosure_options": {n: _told(v) for n, v in self.disclosure_options.items()},
            "matching_options": {n: _told(v) for n, v in self.matching_options.items()},
        }


def _told(option: Any) -> Any:
    """An option as a dictionary may show it."""
    if option is None or option is MISSING or isinstance(option, SCALARS):
        return option
    if isinstance(option, Mapping):
        return {str(name): _told(value) for name, value in option.items()}
    if isinstance(option, (list, tuple)):
        return [_told(value) for value in option]
    return type(option).__name__


def checked_request(
    *,
    synthetic: Any,
    original: Any,
    keys: Any,
    target: Any,
    variables: Any,
    estimands: Any,
    classes: Any,
    cont_na: Any,
    aligned: Any,
    level: Any,
    disclosure_options: Any,
    matching_options: Any,
    most_parameters: Any,
) -> MapRequest:
    """The arguments of `ru_map()`, read and checked in the order of their errors."""
    original = _original(original)
    if not number_of_records(original):
        raise InputError("original: has no rows, so there is nobody to protect")
    columns = list(original.columns)
    known, learnt = _keys_and_target(keys, target, columns)
    needed = [("keys", name) for name in known]
    if learnt is not None:
        needed.append(("target", learnt))
    candidates = read_candidates(synthetic, original, needed, aligned)
    frames, places = _all_sets(candidates)
    for _, name in needed:
        read_variable(name, [original, *frames], ["the original data", *places])
    compared, left_out = _compared(variables, original, candidates)
    brought = _brought(candidates, columns) if cont_na is None else {}
    special = special_numbers(cont_na, columns)
    for name, values in brought.items():
        special[name] = tuple(values)
    return MapRequest(
        original=original,
        candidates=candidates,
        keys=known,
        target=learnt,
        variables=compared,
        left_out=left_out,
        chosen=variables is not None,
        special=special,
        brought=brought,
        estimands=estimands,
        level=check_number("level", level, 0, 1, open_low=True, open_high=True),
        disclosure_options=_options(
            "disclosure_options", disclosure_options, disclosure, PASSED_ON
        ),
        matching_options=_options("matching_options", matching_options, identification_risk),
        classes=check_whole("classes", classes, 2),
        most_parameters=check_whole("most_parameters", most_parameters, 1),
    )


def _original(given: Any) -> Any:
    """A pandas data frame, or a table where records are in an engine."""
    refuse_released(given, "original")
    if is_table(given):
        return given
    if is_frame(given) and not is_in_memory(given):
        return open_table(given, "original")
    return check_original(given, "original")


def _keys_and_target(
    keys: Any, target: Any, columns: list[Hashable]
) -> tuple[tuple[Hashable, ...], Hashable | None]:
    known: tuple[Hashable, ...] = ()
    if keys is not None:
        known = tuple(chosen_columns("keys", keys, columns, "the original data"))
    if target is None:
        return known, None
    learnt = column_named("target", target, columns)
    if learnt in known:
        raise InputError(f"target: {learnt!r} is also one of the keys; a target cannot be a key")
    return known, learnt


def _all_sets(candidates: tuple[Candidate, ...]) -> tuple[list[Any], list[str]]:
    """The data sets of all candidates, and what error messages call them."""
    frames: list[Any] = []
    places: list[str] = []
    for candidate in candidates:
        frames.extend(candidate.sets)
        places.extend(candidate.places())
    return frames, places


def _brought(candidates: tuple[Candidate, ...], columns: list[Hashable]) -> Brought:
    """The special values of all releases together: they are codes of the original, so those of one
    release hold for all.
    """
    brought: Brought = {}
    for candidate in candidates:
        for name, values in brought_numbers(candidate.cont_na, columns).items():
            of_column = brought.setdefault(name, {})
            for value in values:
                of_column.setdefault(value, []).append(candidate.name)
    return brought


def _compared(
    variables: Any, original: Any, candidates: tuple[Candidate, ...]
) -> tuple[tuple[Hashable, ...], tuple[Hashable, ...]]:
    """Columns that utility is measured on, and those of the original that no candidate has."""
    frames, places = _all_sets(candidates)
    if variables is not None:
        asked = compared_columns("variables", variables, original, frames, places)
        return tuple(asked), ()
    present: list[Hashable] = []
    left_out: list[Hashable] = []
    for name in original.columns:
        if any(candidate.has(name) for candidate in candidates):
            present.append(name)
        else:
            left_out.append(name)
    if not present:
        raise InputError(
            f"variables: {places[0]} and the original data have no column in common; the original's"
            f" are {', '.join(map(str, original.columns))}"
        )
    return tuple(present), tuple(left_out)


def _options(
    argument: str, options: Any, function: Any, also: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Arguments passed on to a function: those it has, and those it takes `also`, apart from the
    ones that the map itself gives.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise InputError(
            f"{argument}: {options!r} is not a mapping; give arguments of {function.__name__}() by"
            " name"
        )
    taken = [*inspect.signature(function).parameters, *also]
    choices = [name for name in taken if name not in SET_BY_MAP]
    for name in options:
        if name in SET_BY_MAP:
            raise InputError(
                f"{argument}: {name!r} is set by the map itself; choices: {', '.join(choices)}"
            )
        if name not in choices:
            raise unknown_choice(argument, name, choices, f"the arguments of {function.__name__}()")
    return dict(options)
