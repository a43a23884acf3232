"""The arguments of `multi_disclosure()`, checked and aligned with its targets."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..arguments import (
    check_choice,
    check_flag,
    check_groups,
    check_in_every_set,
    column_named,
    is_column,
    listed,
)
from ..disclosure.source import Source
from ..errors import InputError
from ..names import unknown_choice

ATTRIB_MEASURES = ("DiSCO", "DiSDiO", "DCAP")
IDENT_MEASURES = ("repU", "UiSiO", "baseCAPd")


@dataclass(frozen=True, slots=True)
class Settings:
    """What is asked of every target, checked and aligned with `targets`. `left_out` says which
    columns could not be targets, where none were given.
    """

    keys: tuple[Hashable, ...]
    asked_keys: tuple[Hashable, ...]
    targets: tuple[Hashable, ...]
    not_targetslev: tuple[str, ...]
    usetargetsNA: tuple[bool, ...]
    ngroups_targets: tuple[Any, ...]
    usekeysNA: tuple[Any, ...]
    ngroups_keys: Any
    exclude_keys: tuple[Any, ...]
    exclude_keylevs: tuple[Any, ...]
    exclude_targetlevs: tuple[Any, ...]
    ident_meas: str
    attrib_meas: str
    common: dict[str, Any]
    left_out: tuple[str, ...]


def check_settings(source: Source, *, keys: Any, targets: Any, **given: Any) -> Settings:
    data, sets = source.data, source.sets
    asked = tuple(
        dict.fromkeys(column_named("keys", k, list(data.columns)) for k in _several(keys, data))
    )  # R merges duplicated keys
    for name in asked:
        check_in_every_set("keys", name, sets)
    chosen = _targets(targets, asked, data, sets)
    return Settings(
        keys=tuple(c for c in data.columns if c in asked),
        asked_keys=asked,
        targets=chosen,
        not_targetslev=_levels_left_out(given["not_targetslev"], chosen),
        usetargetsNA=_per_target("usetargetsNA", given["usetargetsNA"], chosen, check_flag),
        ngroups_targets=_per_target(
            "ngroups_targets", given["ngroups_targets"], chosen, check_groups
        ),
        usekeysNA=_recycled(
            "usekeysNA", True if given["usekeysNA"] is None else given["usekeysNA"], asked
        ),
        ngroups_keys=given["ngroups_keys"],
        ident_meas=check_choice("ident_meas", given["ident_meas"], IDENT_MEASURES),
        attrib_meas=check_choice("attrib_meas", given["attrib_meas"], ATTRIB_MEASURES),
        common=given["common"],
        left_out=_left_out(data, sets) if targets is None else (),
        **{
            name: _lists(name, given[name], chosen)
            for name in ("exclude_keys", "exclude_keylevs", "exclude_targetlevs")
        },
    )


def _targets(
    targets: Any, keys: Sequence[Hashable], data: pd.DataFrame, sets: Sequence[pd.DataFrame]
) -> tuple[Hashable, ...]:
    columns = list(data.columns)
    if targets is None:
        names = tuple(c for c in _in_all(sets) if c in columns and c not in keys)
    else:
        names = tuple(column_named("targets", t, columns) for t in _several(targets, data))
    if not names:
        raise InputError(
            "targets: none left; name at least one column that both data have and that is not a key"
        )
    twice = sorted({str(t) for t in names if names.count(t) > 1})
    if twice:
        raise InputError(f"targets: {', '.join(twice)} given more than once")
    both = sorted(str(t) for t in names if t in keys)
    if both:
        raise InputError(
            f"targets: {', '.join(both)} also among the keys; a target cannot be a key"
        )
    for name in names:
        check_in_every_set("targets", name, sets)
    return names


def _levels_left_out(levels: Any, targets: Sequence[Hashable]) -> tuple[str, ...]:
    """The level to leave out of each target, "" for none: given in the order of the targets, or by
    their names.
    """
    if levels is None:
        return ("",) * len(targets)
    by_position = listed(levels)
    if isinstance(levels, Mapping):
        unknown = [name for name in levels if name not in targets]
        if unknown:
            raise unknown_choice("not_targetslev", unknown[0], targets, "the targets")
        by_position = [levels.get(target, "") for target in targets]
    if len(by_position) != len(targets) or not all(isinstance(x, str) for x in by_position):
        raise InputError(
            f"not_targetslev: {levels!r}; give one text for each of the {len(targets)} targets"
            f" ({', '.join(map(str, targets))}), '' for none, or a mapping of targets to texts"
        )
    return tuple(by_position)


def _in_all(sets: Sequence[pd.DataFrame]) -> list[Hashable]:
    """The columns that every synthesis has, in the order of the first."""
    return [c for c in sets[0].columns if all(c in frame.columns for frame in sets)]


def _left_out(data: pd.DataFrame, sets: Sequence[pd.DataFrame]) -> tuple[str, ...]:
    """One line for each side that has columns of its own."""
    synthetic = dict.fromkeys(c for frame in sets for c in frame.columns)
    common = {c for c in _in_all(sets) if c in data.columns}
    places = {
        "the synthetic data": [c for c in synthetic if c not in data.columns],
        "the original data": [c for c in data.columns if c not in synthetic],
        "some of the synthetic data sets": [
            c for c in synthetic if c in data.columns and c not in common
        ],
    }
    return tuple(
        f"Only in {place}, so no target: {', '.join(map(str, names))}."
        for place, names in places.items()
        if names
    )


def _several(given: Any, data: pd.DataFrame) -> list[Any]:
    """Columns given one by one; a tuple may be the name of one."""
    return (
        [given]
        if isinstance(given, tuple) and is_column(given, list(data.columns))
        else listed(given)
    )


def _per_target(
    argument: str, value: Any, targets: Sequence[Hashable], check: Any
) -> tuple[Any, ...]:
    return tuple(check(argument, v) for v in _recycled(argument, value, targets, "targets"))


def _recycled(
    argument: str, value: Any, names: Sequence[Hashable], what: str = "keys"
) -> tuple[Any, ...]:
    values = [None] if value is None else listed(value)
    if len(values) == 1:
        values = values * len(names)
    if len(values) != len(names):
        raise InputError(
            f"{argument}: {len(values)} values given; give one, or one for each of the {len(names)}"
            f" {what} ({', '.join(map(str, names))})"
        )
    return tuple(values)


def _lists(argument: str, value: Any, targets: Sequence[Hashable]) -> tuple[Any, ...]:
    """Exclusions of each target."""
    if value is None:
        return (None,) * len(targets)
    values = listed(value)
    if len(values) != len(targets):
        raise InputError(
            f"{argument}: {len(values)} entries given; give a list with one entry for each of the"
            f" {len(targets)} targets ({', '.join(map(str, targets))})"
        )
    return tuple(
        (
            v
            if v is None or (isinstance(v, (list, tuple)) and v)
            else None
            if not listed(v)
            else listed(v)
        )
        for v in values
    )
