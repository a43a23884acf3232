"""The arguments of `disclosure()`, checked once and resolved to names. Everything after this trusts
them.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import (
    check_choice,
    check_digits,
    check_flag,
    check_in_every_set,
    column_named,
    is_column,
    is_number,
    listed,
)
from ..errors import InputError
from ..r.collation import Collation
from ..r.reading import MODES, Mode, Reading

TO_PRINT = ("short", "ident", "attrib", "allCAPs", "check_1way", "check_2way", "exclusions", "all")
COLLATIONS = ("icu", "C")
STYLE_ARGUMENTS = ("style", "type", "fixedBreaks")
# plot: R's paper passes it to disclosure(), which ignores it
PASSED_ON = (*STYLE_ARGUMENTS, "plot")
STYLES = ("quantile", "equal", "sd", "pretty", "fixed")

Level = str | float | int


@dataclass(frozen=True, slots=True)
class Exclusion:
    """One pair set aside by the user: records with this key level and this target level."""

    key: Hashable
    key_level: Level
    target_level: Level


@dataclass(frozen=True, slots=True)
class Request:
    """What the user asked, in the user's order. Arguments given per key are aligned with
    `asked_keys`.
    """

    asked_keys: tuple[Hashable, ...]
    keys: tuple[Hashable, ...]
    target: Hashable
    use_target_missing: bool
    use_key_missing: tuple[bool, ...]
    not_targetlev: tuple[Level, ...]
    exclusions: tuple[Exclusion, ...]
    denom_lim: float | None
    groups_target: int
    groups_keys: tuple[int, ...]
    style: dict[str, Any]
    thresh_1way: tuple[float, float]
    thresh_2way: tuple[float, float]
    digits: int
    to_print: tuple[str, ...]
    compare_synorig: bool
    show_notes: bool
    collation: Collation
    mode: Mode


@dataclass(frozen=True, slots=True)
class Plan:
    """The request with per-key arguments in the order of the data's columns, under one reading of
    them.
    """

    keys: tuple[Hashable, ...]
    target: Hashable
    use_target_missing: bool
    use_key_missing: tuple[bool, ...]
    not_targetlev: tuple[Level, ...]
    exclusions: tuple[Exclusion, ...]
    denom_lim: float | None
    groups: dict[Hashable, int]
    style: dict[str, Any]
    thresh_1way: tuple[float, float]
    thresh_2way: tuple[float, float]
    collation: Collation


def make_plan(request: Request, compat: Reading) -> Plan:
    """Give each per-key argument to its key (D2, D3: R gives some to another one)."""
    asked, keys = request.asked_keys, request.keys
    place = [asked.index(k) for k in keys]
    use = tuple(request.use_key_missing[i] for i in place)
    r_use = tuple(request.use_key_missing[keys.index(k)] for k in asked)
    groups = tuple(request.groups_keys[i] for i in place)
    r_groups = request.groups_keys
    none_first = (
        bool(request.not_targetlev) and request.not_targetlev[0] == ""
    )  # R's way to say "none"
    levels = request.not_targetlev[1:] if none_first else request.not_targetlev
    return Plan(
        keys=keys,
        target=request.target,
        use_target_missing=request.use_target_missing,
        use_key_missing=r_use if compat.follow_r("D2", r_use != use) else use,
        not_targetlev=() if compat.follow_r("D21", none_first and bool(levels)) else levels,
        exclusions=request.exclusions,
        denom_lim=request.denom_lim,
        groups={
            request.target: request.groups_target,
            **dict(zip(keys, r_groups if compat.follow_r("D3", r_groups != groups) else groups)),
        },
        style=request.style,
        thresh_1way=request.thresh_1way,
        thresh_2way=request.thresh_2way,
        collation=request.collation,
    )


# ---- checking ------------------------------------------------------------------------


def check_arguments(
    data: pd.DataFrame,
    sets: Sequence[pd.DataFrame],
    *,
    keys: Any,
    target: Any,
    style: dict[str, Any],
    **given: Any,
) -> Request:
    """All arguments, or an error that names the argument, the value and the choices."""
    asked = resolve_keys(keys, data, sets)
    (name,) = (resolve_target(target, data, sets),)
    if name in asked:
        raise InputError(f"target: {name!r} is also one of the keys; a target cannot be a key")
    limit = _denominator_limit(given["denom_lim"])
    return Request(
        asked_keys=asked,
        keys=tuple(c for c in data.columns if c in asked),
        target=name,
        **_of_target(
            asked,
            *(
                given[n]
                for n in (
                    "usetargetNA",
                    "not_targetlev",
                    "exclude_keys",
                    "exclude_keylevs",
                    "exclude_targetlevs",
                    "ngroups_target",
                )
            ),
        ),
        use_key_missing=per_key("usekeysNA", given["usekeysNA"], asked, check_flag),
        denom_lim=(
            limit if check_flag("exclude_ov_denom_lim", given["exclude_ov_denom_lim"]) else None
        ),
        groups_keys=per_key("ngroups_keys", given["ngroups_keys"], asked, check_groups),
        style=check_style(style),
        thresh_1way=_thresholds("thresh_1way", given["thresh_1way"]),
        thresh_2way=_thresholds("thresh_2way", given["thresh_2way"]),
        digits=check_digits(given["digits"]),
        to_print=check_to_print(given["to_print"]),
        compare_synorig=check_flag("compare_synorig", given["compare_synorig"]),
        show_notes=check_flag("print_flag", given["print_flag"]),
        collation=check_choice("collation", given["collation"], COLLATIONS),
        mode=check_choice("compat", given["compat"], MODES),
    )


def for_target(
    shared: Request,
    target: Hashable,
    *,
    usetargetNA: Any,
    not_targetlev: Any,
    exclude_keys: Any,
    exclude_keylevs: Any,
    exclude_targetlevs: Any,
    ngroups_target: Any,
) -> Request:
    """The request for another target, with what is given for each target; the rest was checked with
    the first.
    """
    return replace(
        shared,
        target=target,
        **_of_target(
            shared.asked_keys,
            usetargetNA,
            not_targetlev,
            exclude_keys,
            exclude_keylevs,
            exclude_targetlevs,
            ngroups_target,
        ),
    )


def _of_target(
    keys: Sequence[Hashable],
    usetargetNA: Any,
    not_targetlev: Any,
    exclude_keys: Any,
    exclude_keylevs: Any,
    exclude_targetlevs: Any,
    ngroups_target: Any,
) -> dict[str, Any]:
    """Fields of a request that are about the target."""
    return {
        "use_target_missing": check_flag("usetargetNA", usetargetNA),
        "not_targetlev": _levels("not_targetlev", not_targetlev),
        "exclusions": _exclusions(keys, exclude_keys, exclude_keylevs, exclude_targetlevs),
        "groups_target": check_groups("ngroups_target", ngroups_target),
    }


def resolve_keys(
    keys: Any, data: pd.DataFrame, sets: Sequence[pd.DataFrame]
) -> tuple[Hashable, ...]:
    columns = list(data.columns)
    names = (
        (keys,)
        if isinstance(keys, tuple) and is_column(keys, columns)
        else tuple(column_named("keys", k, columns) for k in listed(keys))
    )
    if not names:
        raise InputError("keys: none given; name at least one column that an intruder may know")
    twice = sorted({str(n) for n in names if names.count(n) > 1})
    if twice:
        raise InputError(f"keys: {', '.join(twice)} given more than once")
    for name in names:
        check_in_every_set("keys", name, sets)
    return names


def resolve_target(target: Any, data: pd.DataFrame, sets: Sequence[pd.DataFrame]) -> Hashable:
    given = [target] if is_column(target, list(data.columns)) else listed(target)
    if len(given) != 1:
        raise InputError(
            f"target: {target!r} is not a single column; for several use multi_disclosure()"
        )
    name = column_named("target", given[0], list(data.columns))
    check_in_every_set("target", name, sets)
    return name


def per_key(argument: str, value: Any, keys: Sequence[Hashable], check: Any) -> tuple[Any, ...]:
    values = [None] if value is None else listed(value)
    if len(values) == 1:
        values = values * len(keys)
    if len(values) != len(keys):
        raise InputError(
            f"{argument}: {len(values)} values given; give one, or one for each of the {len(keys)}"
            " keys"
        )
    return tuple(check(argument, v) for v in values)


def check_groups(argument: str, value: Any) -> int:
    if value is None:
        return 0
    if not is_number(value) or not math.isfinite(value):
        raise InputError(
            f"{argument}: {value!r} is not a number of groups; give a whole number above 1, or 0"
            " for no grouping"
        )
    if value == 1:
        raise InputError(
            f"{argument}: 1 group would hide everything; give a number above 1, or 0 for no"
            " grouping"
        )
    return max(int(value), 0)


def _levels(argument: str, value: Any) -> tuple[Level, ...]:
    if value is None:
        return ()
    levels = tuple(listed(value))
    if not levels:
        raise InputError(f"{argument}: is empty; give the level or levels to leave out, or None")
    for level in levels:
        _check_level(argument, level)
    return levels


def _check_level(argument: str, level: Any) -> None:
    if not pd.api.types.is_scalar(level) or (
        isinstance(level, (datetime, timedelta, np.datetime64, np.timedelta64))
        and not pd.isna(level)
    ):
        raise InputError(
            f"{argument}: {level!r} is not a level; give its text, as in '2020-01-01', or a number"
        )
    if pd.isna(level):
        raise InputError(
            f"{argument}: a missing value is no level; missing values go by the text 'Missing'"
        )


def _exclusions(
    keys: Sequence[Hashable], by: Any, key_levels: Any, target_levels: Any
) -> tuple[Exclusion, ...]:
    columns, levels, targets = listed(by), listed(key_levels), listed(target_levels)
    if not columns:
        return ()  # as in R, the other two mean nothing without exclude_keys
    if not len(columns) == len(levels) == len(targets):
        raise InputError(
            f"exclude_keys, exclude_keylevs, exclude_targetlevs: {len(columns)}, {len(levels)} and"
            f" {len(targets)} values given; give the same number of each, one for each pair"
        )
    for name in columns:
        if name not in keys:
            raise InputError(
                f"exclude_keys: {name!r} is not one of the keys; choices:"
                f" {', '.join(map(str, keys))}"
            )
    for argument, values in (("exclude_keylevs", levels), ("exclude_targetlevs", targets)):
        for level in values:
            _check_level(argument, level)
    return tuple(Exclusion(*pair) for pair in zip(columns, levels, targets))


def _denominator_limit(value: Any) -> float | None:
    if value is None:
        return None
    if not is_number(value) or value <= 0 or not float(value).is_integer():
        raise InputError(f"denom_lim: {value!r} is not a whole number above 0")
    return float(value)


def _thresholds(argument: str, value: Any) -> tuple[float, float]:
    pair = listed(value)
    if len(pair) != 2 or not all(is_number(v) and not math.isnan(v) for v in pair):
        raise InputError(
            f"{argument}: {value!r} are not two numbers; give a count and a percentage, as in"
            " (50, 90)"
        )
    return float(pair[0]), float(pair[1])


def check_to_print(value: Any) -> tuple[str, ...]:
    wanted = tuple(listed(value))
    for item in wanted:
        check_choice("to_print", item, TO_PRINT)
    if not wanted:
        raise InputError(f"to_print: is empty; choices: {', '.join(TO_PRINT)}")
    if "short" in wanted and len(wanted) > 1:
        raise InputError("to_print: 'short' goes alone; leave it out to see other tables")
    return wanted


def check_style(given: dict[str, Any]) -> dict[str, Any]:
    """The arguments that make classes, under the names that `core.grouping` has for them."""
    if "style" in given:
        check_choice("style", given["style"], STYLES)
    breaks = listed(given.get("fixedBreaks"))
    if not all(is_number(b) and not math.isnan(b) for b in breaks):
        raise InputError(
            f"fixedBreaks: {given['fixedBreaks']!r} are not numbers; give the bounds of the"
            " classes, as in [0, 10, 20]"
        )
    renamed = {"fixedBreaks": "fixed_breaks"}
    return {renamed.get(n, n): v for n, v in given.items() if n in STYLE_ARGUMENTS}
