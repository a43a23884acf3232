"""What a call of `ru_map()` asks for, checked once."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from ..arguments import check_number, check_whole, chosen_columns, column_named
from ..disclosure.api import disclosure
from ..disclosure.options import PASSED_ON
from ..errors import InputError
from ..matching import identification_risk
from ..names import argument_names, check_arguments_exist
from ..tables.opening import check_original
from ..utility.tables import compared_columns
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


# special values that releases brought: column, value, names of the releases
Brought = dict[Hashable, dict[float, list[str]]]


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that measures are made of, checked. `shared` keeps what several measures use;
    `brought` is empty where the user gave the special values.
    """

    original: pd.DataFrame
    candidates: tuple[Candidate, ...]
    keys: tuple[Hashable, ...]
    target: Hashable | None
    variables: tuple[Hashable, ...]
    left_out: tuple[Hashable, ...]
    special: dict[Hashable, tuple[float, ...]]
    brought: Brought
    estimands: Any
    classes: int
    level: float
    disclosure_options: Mapping[str, Any]
    matching_options: Mapping[str, Any]
    most_parameters: int
    shared: dict[str, Any] = field(default_factory=dict)

    def repetition(self) -> Repetition:
        if "repetition" not in self.shared:
            columns = [
                name
                for name in self.original.columns
                if name in (*self.keys, self.target, *self.variables)
            ]
            self.shared["repetition"] = Repetition(self.original, self.keys, columns)
        repetition: Repetition = self.shared["repetition"]
        return repetition


def checked_request(
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
    disclosing: Any,
    matching: Any,
    most_parameters: Any,
) -> Request:
    check_original(original, "original")
    if not len(original):
        raise InputError("original: has no rows; there is nobody to protect")
    columns = list(original.columns)
    names = (
        tuple(chosen_columns("keys", keys, columns, "the original data"))
        if keys is not None
        else ()
    )
    goal = None if target is None else column_named("target", target, columns)
    if goal is not None and goal in names:
        raise InputError(f"target: {goal!r} is also one of the keys; a target cannot be a key")
    needed = [("keys", name) for name in names] + ([("target", goal)] if goal is not None else [])
    read = read_candidates(synthetic, original, needed, aligned)
    frames, places = (
        [frame for c in read for frame in c.sets],
        [place for c in read for place in c.places()],
    )
    for _, name in needed:
        read_variable(name, [original, *frames], ["the original data", *places])
    compared, left_out = _compared(variables, original, read)
    brought = _brought(read, columns) if cont_na is None else {}
    special = special_numbers(cont_na, columns) | {name: tuple(v) for name, v in brought.items()}
    level = check_number("level", level, 0, 1, open_low=True, open_high=True)
    options = (
        _options("disclosure_options", disclosing, disclosure, PASSED_ON),
        _options("matching_options", matching, identification_risk),
    )
    return Request(
        original,
        read,
        names,
        goal,
        compared,
        left_out,
        special,
        brought,
        estimands,
        check_whole("classes", classes, 2),
        level,
        *options,
        check_whole("most_parameters", most_parameters, 1),
    )


def _brought(candidates: tuple[Candidate, ...], columns: list[Hashable]) -> Brought:
    """The special values of all releases together: they are codes of the original, so that one
    release's are every release's.
    """
    found: Brought = {}
    for candidate in candidates:
        for name, values in brought_numbers(candidate.cont_na, columns).items():
            for value in values:
                found.setdefault(name, {}).setdefault(value, []).append(candidate.name)
    return found


def _compared(
    variables: Any, original: pd.DataFrame, candidates: tuple[Candidate, ...]
) -> tuple[tuple[Hashable, ...], tuple[Hashable, ...]]:
    """Columns that utility is measured on, and those of the original that no candidate has."""
    frames, places = (
        [frame for c in candidates for frame in c.sets],
        [place for c in candidates for place in c.places()],
    )
    if variables is not None:
        return tuple(compared_columns("variables", variables, original, frames, places)), ()
    there = tuple(name for name in original.columns if any(not c.lacks([name]) for c in candidates))
    if not there:
        raise InputError(
            f"variables: {places[0]} and the original data have no column in common; the original's"
            f" are {', '.join(map(str, original.columns))}"
        )
    return there, tuple(name for name in original.columns if name not in there)


def _options(
    argument: str, options: Any, function: Any, also: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Arguments passed on to a function: those it has, and those it takes `also`, apart from the
    ones that the map itself gives.
    """
    taken = SET_BY_MAP
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise InputError(
            f"{argument}: {options!r} is not a mapping; give arguments of {function.__name__}() by"
            " name"
        )
    choices = (*argument_names(function, taken), *also)
    for name in options:
        if name in taken:
            raise InputError(
                f"{argument}: {name!r} is set by the map itself; choices: {', '.join(choices)}"
            )
    check_arguments_exist(function.__name__, options, choices, f"{argument}, ")
    return dict(options)
