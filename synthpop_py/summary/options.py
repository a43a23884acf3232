"""The arguments of `multi_disclosure()`, checked and aligned with its targets."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

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
from ..missing import MISSING, Missing
from ..names import unknown_choice
from ..r.reading import Mode
from ..tables.protocol import Table

ATTRIB_MEASURES = ("DiSCO", "DiSDiO", "DCAP")
IDENT_MEASURES = ("repU", "UiSiO", "baseCAPd")


@dataclass(frozen=True, slots=True)
class Settings:
    """The arguments for every target, checked and aligned with `targets`. `left_out` says which
    columns could not be targets, if none were given.
    """

    keys: tuple[Hashable, ...]
    asked_keys: tuple[Hashable, ...]
    targets: tuple[Hashable, ...]
    not_targetslev: tuple[str | Missing, ...]
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
    asked_mode: Mode
    left_out: tuple[str, ...]


def check_settings(
    source: Source,
    *,
    keys: Any,
    targets: Any,
    not_targetslev: Any,
    usetargetsNA: Any,
    ngroups_targets: Any,
    usekeysNA: Any,
    ngroups_keys: Any,
    exclude_keys: Any,
    exclude_keylevs: Any,
    exclude_targetlevs: Any,
    ident_meas: Any,
    attrib_meas: Any,
    common: dict[str, Any],
    asked_mode: Mode,
) -> Settings:
    """The arguments of a call, with one entry for each target where targets may differ."""
    asked_keys = _keys(keys, source)
    chosen = _targets(targets, asked_keys, source)
    per_target = partial(_per_target, targets=chosen)
    exclusions = partial(_exclusions, targets=chosen)
    use_keys_missing = True if usekeysNA is None else usekeysNA
    return Settings(
        keys=tuple(name for name in source.data.columns if name in asked_keys),
        asked_keys=asked_keys,
        targets=chosen,
        not_targetslev=_levels_left_out(not_targetslev, chosen),
        usetargetsNA=per_target("usetargetsNA", usetargetsNA, check=check_flag),
        ngroups_targets=per_target("ngroups_targets", ngroups_targets, check=check_groups),
        usekeysNA=_recycled("usekeysNA", use_keys_missing, asked_keys, "keys"),
        ngroups_keys=ngroups_keys,
        exclude_keys=exclusions("exclude_keys", exclude_keys),
        exclude_keylevs=exclusions("exclude_keylevs", exclude_keylevs),
        exclude_targetlevs=exclusions("exclude_targetlevs", exclude_targetlevs),
        ident_meas=check_choice("ident_meas", ident_meas, IDENT_MEASURES),
        attrib_meas=check_choice("attrib_meas", attrib_meas, ATTRIB_MEASURES),
        common=common,
        asked_mode=asked_mode,
        left_out=_left_out(source) if targets is None else (),
    )


# ---- columns -------------------------------------------------------------------------


def _keys(keys: Any, source: Source) -> tuple[Hashable, ...]:
    """The keys in the order asked for."""
    columns = list(source.data.columns)
    names = [column_named("keys", key, columns) for key in _several(keys, columns)]
    distinct = tuple(dict.fromkeys(names))  # R merges duplicated keys
    for name in distinct:
        check_in_every_set("keys", name, source.sets)
    return distinct


def _targets(targets: Any, keys: Sequence[Hashable], source: Source) -> tuple[Hashable, ...]:
    """The targets asked for; by default all columns that every table has, apart from the keys."""
    columns = list(source.data.columns)
    if targets is None:
        names = [name for name in _in_all(source.sets) if name in columns and name not in keys]
    else:
        names = [column_named("targets", one, columns) for one in _several(targets, columns)]
    if not names:
        raise InputError(
            "targets: none left; name at least one column that both data have and that is not a key"
        )
    twice = {str(name) for name in names if names.count(name) > 1}
    if twice:
        raise InputError(f"targets: {', '.join(sorted(twice))} given more than once")
    keys_too = [str(name) for name in names if name in keys]
    if keys_too:
        raise InputError(
            f"targets: {', '.join(sorted(keys_too))} also among the keys; a target cannot be a key"
        )
    for name in names:
        check_in_every_set("targets", name, source.sets)
    return tuple(names)


def _several(names: Any, columns: list[Hashable]) -> list[Any]:
    """Columns given one by one; a tuple may be the name of one."""
    if isinstance(names, tuple) and is_column(names, columns):
        return [names]
    return listed(names)


def _in_all(sets: Sequence[Table]) -> list[Hashable]:
    """The columns that every synthesis has, in the order of the first."""
    first, *others = sets
    common = list(first.columns)
    for table in others:
        common = [name for name in common if name in table.columns]
    return common


def _left_out(source: Source) -> tuple[str, ...]:
    """One line for each side that has columns the other lacks."""
    original = source.data.columns
    synthetic: dict[Hashable, None] = {}  # in order, each once
    for table in source.sets:
        synthetic |= dict.fromkeys(table.columns)
    in_all = _in_all(source.sets)
    on_both_sides = [name for name in synthetic if name in original]
    only_in = {
        "the synthetic data": [name for name in synthetic if name not in original],
        "the original data": [name for name in original if name not in synthetic],
        "some of the synthetic data sets": [n for n in on_both_sides if n not in in_all],
    }
    lines = []
    for side, names in only_in.items():
        if names:
            lines.append(f"Only in {side}, so no target: {_joined(names)}.")
    return tuple(lines)


# ---- one value for each target, or key -----------------------------------------------


def _levels_left_out(levels: Any, targets: Sequence[Hashable]) -> tuple[str | Missing, ...]:
    """The level to leave out of each target, "" for none: given in the order of the targets, or by
    their names.
    """
    if levels is None:
        return ("",) * len(targets)
    by_position = listed(levels)
    if isinstance(levels, Mapping):
        by_position = _by_position(levels, targets)
    all_texts = all(isinstance(level, str) or level is MISSING for level in by_position)
    if len(by_position) != len(targets) or not all_texts:
        raise InputError(
            f"not_targetslev: {levels!r}; give one text for each of the {len(targets)} targets"
            f" ({_joined(targets)}), '' for none, or a mapping of targets to texts"
        )
    return tuple(by_position)


def _by_position(levels: Mapping[Any, Any], targets: Sequence[Hashable]) -> list[Any]:
    for name in levels:
        if name not in targets:
            raise unknown_choice("not_targetslev", name, targets, "the targets")
    return [levels.get(target, "") for target in targets]


def _per_target(
    argument: str, value: Any, *, targets: Sequence[Hashable], check: Callable[[str, Any], Any]
) -> tuple[Any, ...]:
    values = _recycled(argument, value, targets, "targets")
    return tuple(check(argument, one) for one in values)


def _recycled(argument: str, value: Any, names: Sequence[Hashable], what: str) -> tuple[Any, ...]:
    """One value for each name; a single value serves all."""
    values = [None] if value is None else listed(value)
    if len(values) == 1:
        values = values * len(names)
    if len(values) != len(names):
        raise InputError(
            f"{argument}: {len(values)} values given; give one, or one for each of the {len(names)}"
            f" {what} ({_joined(names)})"
        )
    return tuple(values)


def _exclusions(argument: str, value: Any, targets: Sequence[Hashable]) -> tuple[Any, ...]:
    """The list of each target, None where it has none."""
    if value is None:
        return (None,) * len(targets)
    values = listed(value)
    if len(values) != len(targets):
        raise InputError(
            f"{argument}: {len(values)} entries given; give a list with one entry for each of the"
            f" {len(targets)} targets ({_joined(targets)})"
        )
    return tuple(map(_list_or_none, values))


def _list_or_none(value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, (list, tuple)) and value:
        return value
    return listed(value) or None


def _joined(names: Iterable[Hashable]) -> str:
    return ", ".join(map(str, names))
