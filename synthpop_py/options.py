"""The arguments of `disclosure()`, checked once and resolved to names. Everything after this trusts
them.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from .arguments import (
    check_choice,
    check_digits,
    check_flag,
    check_groups,
    is_number,
    listed,
    per_key,
    resolve_keys,
    resolve_target,
)
from .errors import DataWarning, InputError, warn
from .exclusions import Pair, Wanted
from .missing import MISSING
from .r.collation import Collation
from .r.reading import CORRECTED, MODES
from .tables.protocol import Table

TO_PRINT = ("short", "ident", "attrib", "allCAPs", "check_1way", "check_2way", "exclusions", "all")
COLLATIONS = ("icu", "C")
STYLES = ("quantile", "equal", "sd", "pretty", "fixed")
STYLE_ARGUMENTS = ("style", "type", "fixedBreaks")
# plot: R's paper passes it to disclosure(), which ignores it
PASSED_ON = (*STYLE_ARGUMENTS, "plot")
MOMENTS = (datetime, timedelta, np.datetime64, np.timedelta64)
CERTAIN = Fraction(1)
DOUBLE_DIGITS = 17  # digits that identify a double


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What is asked. `use_keys` and `groups` are in the order of `asked`, the user's; `keys` in
    that of the data's columns. `asked_mode` is what the user asked for: the correct figures beside
    R's are made with the same arguments.
    """

    keys: tuple[Hashable, ...]
    asked: tuple[Hashable, ...]
    target: Hashable
    use_keys: tuple[bool, ...]
    use_target: bool
    groups: tuple[int, ...]
    groups_target: int
    levels: tuple[Any, ...]
    pairs: tuple[Pair, ...]
    given_limit: float | None
    limit: float | None
    thresh_1way: tuple[float, float]
    thresh_2way: tuple[float, float]
    certainty: Fraction
    style: dict[str, Any] = field(default_factory=dict)
    digits: int = 2
    to_print: tuple[str, ...] = ("short",)
    compare_synorig: bool = True
    collation: Collation = "icu"
    asked_mode: str = CORRECTED

    @property
    def strict(self) -> bool:
        """Whether an option without effect is an error, and "Missing" a text like any other."""
        return self.asked_mode == CORRECTED

    @property
    def names(self) -> tuple[Hashable, ...]:
        return (self.target, *self.keys)

    @property
    def left_out(self) -> Wanted:
        """What is left out; per-key arguments must be in the order of the columns."""
        return Wanted(self.use_target, self.use_keys, self.levels, self.pairs, self.limit)


def read_call(
    data: Table,
    sets: Sequence[Table],
    *,
    keys: Any,
    target: Any,
    denom_lim: Any = 5,
    exclude_ov_denom_lim: Any = False,
    not_targetlev: Any = None,
    usetargetNA: Any = True,
    usekeysNA: Any = True,
    exclude_keys: Any = None,
    exclude_keylevs: Any = None,
    exclude_targetlevs: Any = None,
    ngroups_target: Any = None,
    ngroups_keys: Any = None,
    thresh_1way: Any = (50, 90),
    thresh_2way: Any = (4, 80),
    certainty: Any = 1,
    digits: Any = 2,
    to_print: Any = ("short",),
    compare_synorig: Any = True,
    compat: Any = CORRECTED,
    collation: Any = "icu",
    asked_mode: str | None = None,
    style: dict[str, Any] | None = None,
) -> Call:
    """All arguments, or an error that names the argument, the value and the choices."""
    asked = resolve_keys(keys, data, sets)
    name = resolve_target(target, data, sets)
    if name in asked:
        raise InputError(f"target: {name!r} is also one of the keys; a target cannot be a key")
    mode = check_choice("compat", compat, MODES)
    share = check_share("certainty", certainty)
    if share < CERTAIN and mode != CORRECTED:
        raise InputError(
            f"certainty: {certainty!r} cannot be used with compat={mode!r}, because R counts only"
            " what is certain; call with compat='corrected', or with certainty=1"
        )
    over_limit = check_flag("exclude_ov_denom_lim", exclude_ov_denom_lim)
    limit = _limit(denom_lim)  # a mistake is an error even if nothing is excluded by it
    asked_mode = asked_mode or mode
    pairs = _pairs(
        asked, exclude_keys, exclude_keylevs, exclude_targetlevs, asked_mode == CORRECTED
    )
    return Call(
        keys=tuple(column for column in data.columns if column in asked),
        asked=asked,
        target=name,
        use_keys=per_key("usekeysNA", usekeysNA, asked, check_flag),
        use_target=check_flag("usetargetNA", usetargetNA),
        groups=per_key("ngroups_keys", ngroups_keys, asked, check_groups),
        groups_target=check_groups("ngroups_target", ngroups_target),
        levels=_levels("not_targetlev", not_targetlev),
        pairs=pairs,
        given_limit=limit,
        limit=limit if over_limit else None,
        thresh_1way=_thresholds("thresh_1way", thresh_1way),
        thresh_2way=_thresholds("thresh_2way", thresh_2way),
        certainty=share,
        style=check_style(style or {}),
        digits=check_digits(digits),
        to_print=check_to_print(to_print),
        compare_synorig=check_flag("compare_synorig", compare_synorig),
        collation=check_choice("collation", collation, COLLATIONS),
        asked_mode=asked_mode,
    )


def _levels(argument: str, value: Any) -> tuple[Any, ...]:
    if value is None:
        return ()
    levels = tuple(listed(value))
    if not levels:
        raise InputError(f"{argument}: is empty; give the level or levels to leave out, or None")
    for level in levels:
        check_level(argument, level)
    return levels


def check_level(argument: str, level: Any) -> None:
    """A level that a user names is a text, a number, a truth value or `MISSING`."""
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


def _pairs(
    keys: Sequence[Hashable], names: Any, key_levels: Any, target_levels: Any, strict: bool
) -> tuple[Pair, ...]:
    columns, of_keys, of_target = listed(names), listed(key_levels), listed(target_levels)
    if not columns and (of_keys or of_target):
        told = (
            "exclude_keys: is not given, but levels to exclude are; name the key of each "
            "pair, or leave out exclude_keylevs and exclude_targetlevs"
        )
        if strict:
            raise InputError(told)
        # R continues without them
        warn(f"{told}; nothing is excluded, as in R", DataWarning)
        return ()
    if not len(columns) == len(of_keys) == len(of_target):
        raise InputError(
            f"exclude_keys, exclude_keylevs, exclude_targetlevs: {len(columns)},"
            f" {len(of_keys)} and {len(of_target)} values given; give the same number of"
            " each, one for each pair"
        )
    for name in columns:
        if name not in keys:
            choices = ", ".join(map(str, keys))
            raise InputError(f"exclude_keys: {name!r} is not one of the keys; choices: {choices}")
    for level in of_keys:
        check_level("exclude_keylevs", level)
    for level in of_target:
        check_level("exclude_targetlevs", level)
    return tuple(map(Pair, columns, of_keys, of_target))


def _limit(value: Any) -> float | None:
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


def check_share(argument: str, value: Any) -> Fraction:
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
    """The arguments that make classes, under the names that `grouping.group` has for them."""
    for name in given:
        if name not in PASSED_ON:
            # what Python itself says of an argument that is not there
            raise TypeError(f"got an unexpected keyword argument {name!r}")
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
