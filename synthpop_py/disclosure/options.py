"""The arguments of `disclosure()`, checked once and resolved to names. Everything after this trusts
them.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import (
    Argument,
    check_choice,
    check_digits,
    check_flag,
    check_groups,
    checked,
    is_number,
    listed,
    resolve_keys,
    resolve_target,
)
from ..errors import InputError, UnknownLevelWarning, warn
from ..missing import MISSING, Missing
from ..r.collation import Collation
from ..r.reading import CORRECTED, MODES, Mode
from ..tables.protocol import Table
from .nearly import CERTAIN

TO_PRINT = ("short", "ident", "attrib", "allCAPs", "check_1way", "check_2way", "exclusions", "all")
COLLATIONS = ("icu", "C")
STYLE_ARGUMENTS = ("style", "type", "fixedBreaks")
# plot: R's paper passes it to disclosure(), which ignores it
PASSED_ON = (*STYLE_ARGUMENTS, "plot")
STYLES = ("quantile", "equal", "sd", "pretty", "fixed")
MOMENTS = (datetime, timedelta, np.datetime64, np.timedelta64)

DOUBLE_DIGITS = 17  # digits that identify a double

Level = str | float | int | Missing


@dataclass(frozen=True, slots=True)
class Exclusion:
    """One pair left out by the user: records with this key level and this target level."""

    key: Hashable
    key_level: Level
    target_level: Level


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """Arguments that are the same under every reading. `make_plan` passes all of them on.
    `asked_mode` is that of the user's call, even when the correct result beside R's is made.
    """

    keys: tuple[Hashable, ...]
    target: Hashable
    use_target_missing: bool
    exclusions: tuple[Exclusion, ...]
    denom_lim: float | None
    style: dict[str, Any]
    thresh_1way: tuple[float, float]
    thresh_2way: tuple[float, float]
    collation: Collation
    certainty: Fraction
    asked_mode: Mode

    @property
    def missing_by_text(self) -> bool:
        """Whether the text "Missing" names missing values too, as in R."""
        return self.asked_mode != CORRECTED


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(Settled):
    """The user's arguments, in the user's order. Arguments given per key are aligned with
    `asked_keys`. `denom_lim` is `given_limit` if that excludes anything.
    """

    asked_keys: tuple[Hashable, ...]
    use_key_missing: tuple[bool, ...]
    not_targetlev: tuple[Level, ...]
    given_limit: float | None
    groups_target: int
    groups_keys: tuple[int, ...]
    digits: int
    to_print: tuple[str, ...]
    compare_synorig: bool
    show_notes: bool
    mode: Mode


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(Settled):
    """The request with per-key arguments in the order of the data's columns, under one reading of
    them.
    """

    use_key_missing: tuple[bool, ...]
    not_targetlev: tuple[Level, ...]
    groups: dict[Hashable, int]


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
    if level is MISSING:
        return
    is_moment = isinstance(level, MOMENTS) and not pd.isna(level)
    if is_moment or not pd.api.types.is_scalar(level):
        raise InputError(
            f"{argument}: {level!r} is not a level; give its text, as in '2020-01-01', or a number"
        )
    if pd.isna(level):
        raise InputError(
            f"{argument}: a missing value is not a level; use {MISSING!r} for missing values"
        )


def _exclusions(keys: Sequence[Hashable], given: Mapping[str, Any]) -> tuple[Exclusion, ...]:
    columns = listed(given["exclude_keys"])
    key_levels = listed(given["exclude_keylevs"])
    target_levels = listed(given["exclude_targetlevs"])
    if not columns and (key_levels or target_levels):
        told = (
            "exclude_keys: is not given, but levels to exclude are; name the key of each "
            "pair, or leave out exclude_keylevs and exclude_targetlevs"
        )
        if given["compat"] == CORRECTED:
            raise InputError(told)
        # R continues without them
        warn(f"{told}; nothing is excluded, as in R", UnknownLevelWarning)
        return ()
    if not len(columns) == len(key_levels) == len(target_levels):
        raise InputError(
            f"exclude_keys, exclude_keylevs, exclude_targetlevs: {len(columns)},"
            f" {len(key_levels)} and {len(target_levels)} values given; give the same number of"
            " each, one for each pair"
        )
    for name in columns:
        if name not in keys:
            choices = ", ".join(map(str, keys))
            raise InputError(f"exclude_keys: {name!r} is not one of the keys; choices: {choices}")
    for level in key_levels:
        _check_level("exclude_keylevs", level)
    for level in target_levels:
        _check_level("exclude_targetlevs", level)
    return tuple(map(Exclusion, columns, key_levels, target_levels))


def _denominator_limit(value: Any) -> float | None:
    if value is None:
        return None
    if not is_number(value) or value <= 0 or not float(value).is_integer():
        raise InputError(f"denom_lim: {value!r} is not a whole number above 0")
    return float(value)


def _thresholds(argument: str, value: Any) -> tuple[float, float]:
    pair = listed(value)
    numbers = [value for value in pair if is_number(value) and not math.isnan(value)]
    if len(pair) != 2 or len(numbers) != 2:
        raise InputError(
            f"{argument}: {value!r} are not two numbers; give a count and a percentage, as in"
            " (50, 90)"
        )
    return float(pair[0]), float(pair[1])


def _share_that_agrees(argument: str, value: Any) -> Fraction:
    """A share above one half, up to 1, as the fraction that was meant."""
    if type(value) is int and value == 1:
        return CERTAIN  # the usual case
    if is_number(value) or isinstance(value, Decimal):
        share = _as_written(value)
        if share is not None and CERTAIN / 2 < share <= CERTAIN:
            return share
    raise InputError(
        f"{argument}: {value!r} is not a share above 0.5, up to 1; give 1 if all records must "
        "agree, or a share such as 0.9"
    )


def _as_written(value: Any) -> Fraction | None:
    """The fraction that a number stands for: 0.9 is 9/10 and 5/6 is 5/6, although the doubles are
    only close to these. None if it is not a fraction.
    """
    if isinstance(value, Decimal):
        return Fraction(value) if value.is_finite() else None
    if isinstance(value, (Fraction, int)):
        return Fraction(value)
    double = float(str(value))  # single-precision numbers, too, mean what they print as
    if not math.isfinite(double):
        return None
    for digits in range(1, DOUBLE_DIGITS):
        simple = Fraction(double).limit_denominator(10**digits)
        if float(simple) == double:
            return simple
    return Fraction(double)


def check_to_print(value: Any) -> tuple[str, ...]:
    wanted = tuple(listed(value))
    for item in wanted:
        check_choice("to_print", item, TO_PRINT)
    if not wanted:
        raise InputError(f"to_print: is empty; choices: {', '.join(TO_PRINT)}")
    if "short" in wanted and len(wanted) > 1:
        raise InputError("to_print: 'short' must be alone; leave it out to see other tables")
    return wanted


def check_style(given: dict[str, Any]) -> dict[str, Any]:
    """The arguments that make classes, under the names that `grouping` has for them."""
    if "style" in given:
        check_choice("style", given["style"], STYLES)
    breaks = listed(given.get("fixedBreaks"))
    if not all(is_number(b) and not math.isnan(b) for b in breaks):
        raise InputError(
            f"fixedBreaks: {given['fixedBreaks']!r} are not numbers; give the bounds of the"
            " classes, as in [0, 10, 20]"
        )
    style = {name: value for name, value in given.items() if name in STYLE_ARGUMENTS}
    if "fixedBreaks" in style:
        style["fixed_breaks"] = style.pop("fixedBreaks")
    return style


# Arguments about the target; `multi_disclosure()` gives them for each.
OF_TARGET = (
    Argument("usetargetNA", "use_target_missing", check_flag),
    Argument("ngroups_target", "groups_target", check_groups),
    Argument("not_targetlev", "not_targetlev", _levels),
)
OTHERS = (
    Argument("print_flag", "show_notes", check_flag),
    Argument("compare_synorig", "compare_synorig", check_flag),
    Argument("usekeysNA", "use_key_missing", check_flag, per_key=True),
    Argument("ngroups_keys", "groups_keys", check_groups, per_key=True),
    Argument("collation", "collation", partial(check_choice, choices=COLLATIONS)),
    Argument("compat", "mode", partial(check_choice, choices=MODES)),
    Argument("digits", "digits", lambda _, value: check_digits(value)),
    Argument("thresh_1way", "thresh_1way", _thresholds),
    Argument("thresh_2way", "thresh_2way", _thresholds),
    Argument("certainty", "certainty", _share_that_agrees),
    Argument("to_print", "to_print", lambda _, value: check_to_print(value)),
)


def check_arguments(
    data: Table,
    sets: Sequence[Table],
    *,
    keys: Any,
    target: Any,
    style: dict[str, Any],
    **given: Any,
) -> Request:
    """All arguments, or an error that names the argument, the value and the choices."""
    asked = resolve_keys(keys, data, sets)
    name = resolve_target(target, data, sets)
    if name in asked:
        raise InputError(f"target: {name!r} is also one of the keys; a target cannot be a key")
    asked_mode = given.pop("asked_mode", given["compat"])
    others = checked(OTHERS, given, asked)
    if others["certainty"] < CERTAIN and others["mode"] != CORRECTED:
        raise InputError(
            f"certainty: {given['certainty']!r} cannot be used with "
            f"compat={others['mode']!r}, because R counts only what is certain; call with "
            "compat='corrected', or with certainty=1"
        )
    over_limit = check_flag("exclude_ov_denom_lim", given["exclude_ov_denom_lim"])
    # a mistake is an error even if nothing is excluded by it
    limit = _denominator_limit(given["denom_lim"])
    return Request(
        asked_keys=asked,
        keys=tuple(column for column in data.columns if column in asked),
        target=name,
        denom_lim=limit if over_limit else None,
        given_limit=limit,
        style=check_style(style),
        asked_mode=asked_mode,
        exclusions=_exclusions(asked, given),
        **checked(OF_TARGET, given, asked),
        **others,
    )


def for_target(shared: Request, target: Hashable, **given: Any) -> Request:
    """The request for another target, with the arguments given per target; the rest was checked
    with the first.
    """
    keys = shared.asked_keys
    return replace(
        shared,
        target=target,
        exclusions=_exclusions(keys, given),
        **checked(OF_TARGET, given, keys),
    )
