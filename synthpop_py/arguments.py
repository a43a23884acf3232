"""Arguments that public functions take in the same way (columns, choices, flags, numbers, seeds),
and those of `disclosure()`, resolved once to names: everything after this trusts them.

Each check returns the value in the form the rest of the package trusts, or raises an `InputError`
that names the argument, the value and the choices.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
import pandas as pd

from .core.numerals import as_printed
from .errors import DataWarning, InputError, nearest, unknown_name, warn
from .exclusions import Pair
from .missing import MISSING
from .r.collation import Collation
from .r.reading import CORRECTED, MODES

if TYPE_CHECKING:
    from .tables.protocol import Table

MOST_DIGITS = 15
TO_PRINT = ("short", "ident", "attrib", "allCAPs", "check_1way", "check_2way", "exclusions", "all")
COLLATIONS = ("icu", "C")
STYLES = ("quantile", "equal", "sd", "pretty", "fixed")
STYLE_ARGUMENTS = ("style", "type", "fixedBreaks")
# plot: R's paper passes it to disclosure(), which ignores it
PASSED_ON = (*STYLE_ARGUMENTS, "plot")
MOMENTS = (datetime, timedelta, np.datetime64, np.timedelta64)
CERTAIN = Fraction(1)
SIMPLE = 10**6  # the largest denominator of a fraction that a double stands for
SEVERAL = (list, tuple, set, frozenset, np.ndarray, pd.Index, pd.Series, range)


def listed(value: Any) -> list[Any]:
    """None, one value or several as a list."""
    if value is None:
        return []
    return list(value) if isinstance(value, SEVERAL) else [value]


def column_named(
    argument: str, given: Any, columns: Sequence[Hashable], place: str = "the original data"
) -> Hashable:
    """A column by name, or by its position counted from 1 as in R. Positions are not accepted where
    columns are named by numbers.
    """
    if is_column(given, columns):
        name: Hashable = given
        return name
    if not isinstance(given, Hashable):
        shown = f"a {type(given).__name__}" if isinstance(given, (pd.DataFrame, dict)) else given
        raise InputError(f"{argument}: {shown!s} is not a name; give names or positions of columns")
    # where columns are named by numbers, any other number is a mistake
    if is_number(given) and not any(map(is_number, columns)):
        if float(given).is_integer() and 1 <= given <= len(columns):
            return columns[int(given) - 1]
        raise InputError(
            f"{argument}: {given!r} is not the position of a column of {place}; give a whole number"
            f" from 1 to {len(columns)}, or a name"
        )
    raise unknown_name(argument, given, columns, place)


def is_column(given: Any, columns: Sequence[Hashable]) -> bool:
    """Whether exactly this value, which may be a tuple, names a column."""
    if isinstance(given, bool):  # False and True equal 0 and 1, which may be names
        return any(column is given for column in columns)
    return isinstance(given, Hashable) and given in columns


def chosen_columns(
    argument: str, given: Any, columns: Sequence[Hashable], place: str = "the data"
) -> list[Hashable]:
    """Names of the columns given by name, or by position counted from 1 as in R; none twice. Those
    of a set, which has no order, come in the order of the data.
    """
    columns = list(columns)
    # a tuple can be the name of one column
    one_name = isinstance(given, tuple) and is_column(given, columns)
    values = [given] if one_name else listed(given)
    names = [column_named(argument, value, columns, place) for value in values]
    twice = [name for at, name in enumerate(names) if name in names[:at]]
    if twice:
        raise InputError(f"{argument}: {twice[0]!r} is given more than once")
    return sorted(names, key=columns.index) if isinstance(given, (set, frozenset)) else names


def check_in_every_set(argument: str, name: Hashable, sets: Sequence[pd.DataFrame]) -> None:
    for number, frame in enumerate(sets, start=1):
        if name not in frame.columns:
            place = "the synthetic data" if len(sets) == 1 else f"synthetic data set {number}"
            raise unknown_name(argument, name, list(frame.columns), place)


def resolve_keys(
    keys: Any, data: Any, sets: Sequence[Any], called: str = "keys"
) -> tuple[Hashable, ...]:
    """Names of the keys, given by name or position: columns of the original and of every synthesis,
    none twice. `called` is the argument.
    """
    names = chosen_columns(called, keys, data.columns, "the original data")
    if not names:
        raise InputError(f"{called}: none given; name at least one column")
    for name in names:
        check_in_every_set(called, name, sets)
    return tuple(names)


def resolve_target(target: Any, data: Any, sets: Sequence[Any]) -> Hashable:
    """Name of the target, given by name or position: a column of the original and of every
    synthesis.
    """
    columns = list(data.columns)
    targets = [target] if is_column(target, columns) else listed(target)
    if len(targets) != 1:
        raise InputError(
            f"target: {target!r} is not a single column; for several use multi_disclosure()"
        )
    name = column_named("target", targets[0], columns)
    check_in_every_set("target", name, sets)
    return name


def per_key(argument: str, value: Any, keys: Sequence[Hashable], check: Any) -> tuple[Any, ...]:
    """One checked value for each key, from one value for all keys or one for each."""
    values = [None] if value is None else listed(value)
    if len(values) == 1:
        values = values * len(keys)
    if len(values) == len(keys):
        return tuple(check(argument, one) for one in values)
    raise InputError(
        f"{argument}: {len(values)} values given; give one, or one for each of the {len(keys)} keys"
    )


def check_flag(argument: str, value: Any) -> bool:
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise InputError(f"{argument}: {value!r} is neither True nor False")


def is_number(value: Any) -> TypeGuard[float]:
    """Whether this is a real number, finite or not; True and False are not."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def check_choice(argument: str, value: Any, choices: Sequence[str]) -> Any:
    hint = ""
    if isinstance(value, str):
        if value in choices:
            return value
        near = nearest(value, choices)
        hint = "" if near is None else f"; did you mean {near!r}?"
    known = ", ".join(map(repr, choices))
    raise InputError(f"{argument}: {value!r} is unknown; choices: {known}{hint}")


def check_digits(value: Any) -> int:
    """A number of decimals."""
    return check_whole("digits", value, 0, MOST_DIGITS)


def check_number(
    argument: str,
    value: Any,
    low: float = -math.inf,
    high: float = math.inf,
    *,
    open_low: bool = False,
    open_high: bool = False,
) -> float:
    """A finite number between two bounds; the bounds are included unless they are open."""
    if is_number(value) and math.isfinite(value):
        above = value > low if open_low else value >= low
        below = value < high if open_high else value <= high
        if above and below:
            return float(value)
    bounds = []
    if low > -math.inf:
        bounds.append(f"above {low:g}" if open_low else f"of at least {low:g}")
    if high < math.inf:
        bounds.append(f"below {high:g}" if open_high else f"of at most {high:g}")
    told = f" {' and '.join(bounds)}" if bounds else ""
    raise InputError(f"{argument}: {value!r} is not a number{told}")


def check_whole(argument: str, value: Any, low: int = 0, high: int | None = None) -> int:
    """A whole number of at least `low`."""
    most = math.inf if high is None else high
    if is_number(value) and float(value).is_integer() and low <= value <= most:
        return int(value)
    bounds = f"of {low} or more" if high is None else f"from {low} to {high}"
    raise InputError(f"{argument}: {value!r} is not a whole number {bounds}")


def check_groups(argument: str, value: Any) -> int:
    """A number of classes; 0 for no grouping."""
    if value is None:
        return 0
    if is_number(value) and math.isfinite(value) and value != 1:
        return max(int(value), 0)
    problem = (
        "1 group would hide everything" if value == 1 else f"{value!r} is not a number of groups"
    )
    raise InputError(f"{argument}: {problem}; give a whole number above 1, or 0 for no grouping")


def special_values(cont_na: Any) -> dict[Hashable, tuple[Any, ...]]:
    """Special values by column, as in ``{"income": -8}``: each value once. Missing values need not
    be listed.
    """
    if cont_na is None:
        return {}
    if not isinstance(cont_na, Mapping):
        raise InputError(
            f"cont_na: {cont_na!r} is not a mapping; give column names with values, as in"
            " {'income': -8}"
        )
    special = {}
    for name, values in cont_na.items():
        distinct: dict[Any, None] = {}
        for value in listed(values):
            if not pd.api.types.is_scalar(value):
                raise InputError(
                    f"cont_na: {value!r} for {name!r} is not a single value; give a number or a"
                    " list of numbers"
                )
            if not pd.isna(value):
                distinct[as_printed(value)] = None
        special[name] = tuple(distinct)
    return special


def random_generator(seed: Any) -> np.random.Generator:
    """The generator given, or a new one from a seed. None draws a seed from the system: results
    differ from call to call.
    """
    if isinstance(seed, np.random.Generator):
        return seed
    if seed is None:
        return np.random.default_rng()
    is_whole = isinstance(seed, numbers.Integral) and not isinstance(seed, bool)
    if is_whole and int(seed) >= 0:
        return np.random.default_rng(int(seed))
    raise InputError(
        f"seed: {type(seed).__name__} cannot be used; give a whole number of 0 or more, a "
        "numpy.random.Generator, or None"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What is asked. `use_keys` and `groups` are in the order of `asked`, the user's; `keys` in
    that of the data's columns; `names` are those of the target and the keys. `asked_mode` is what
    the user asked for: the correct figures beside R's are made with the same arguments. `strict`:
    an option without effect is an error, and "Missing" a text like any other.
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
    strict: bool = True
    names: tuple[Hashable, ...] = ()


def read_call(
    data: Table,
    sets: Sequence[Table],
    keys: Any,
    target: Any,
    *,
    not_targetlev: Any = None,
    exclude_keys: Any = None,
    exclude_keylevs: Any = None,
    exclude_targetlevs: Any = None,
    ngroups_target: Any = None,
    ngroups_keys: Any = None,
    usetargetNA: Any = True,
    usekeysNA: Any = True,
    denom_lim: Any = 5,
    exclude_ov_denom_lim: Any = False,
    certainty: Any = 1,
    digits: Any = 2,
    thresh_1way: Any = (50, 90),
    thresh_2way: Any = (4, 80),
    to_print: Any = "short",
    style: Mapping[str, Any] | None = None,
    compare_synorig: Any = True,
    compat: Any = CORRECTED,
    collation: Any = "icu",
    asked_mode: str | None = None,
) -> Call:
    """All arguments, or an error that names the argument, the value and the choices."""
    asked = resolve_keys(keys, data, sets)
    name = resolve_target(target, data, sets)
    if name in asked:
        raise InputError(f"target: {name!r} is also one of the keys; a target cannot be a key")
    mode = check_choice("compat", compat, MODES)
    asked_mode = asked_mode or mode
    strict = asked_mode == CORRECTED
    share = check_share("certainty", certainty)
    if share < CERTAIN and mode != CORRECTED:
        raise InputError(
            f"certainty: {certainty!r} cannot be used with compat={mode!r}, because R counts only"
            " what is certain; call with compat='corrected', or with certainty=1"
        )
    by_column = tuple(column for column in data.columns if column in asked)
    limit = _limit(denom_lim)  # a mistake is an error even if nothing is excluded by it
    is_limited = check_flag("exclude_ov_denom_lim", exclude_ov_denom_lim)
    return Call(
        keys=by_column,
        asked=asked,
        target=name,
        use_keys=per_key("usekeysNA", usekeysNA, asked, check_flag),
        use_target=check_flag("usetargetNA", usetargetNA),
        groups=per_key("ngroups_keys", ngroups_keys, asked, check_groups),
        groups_target=check_groups("ngroups_target", ngroups_target),
        levels=_levels("not_targetlev", not_targetlev),
        pairs=_pairs(asked, exclude_keys, exclude_keylevs, exclude_targetlevs, strict=strict),
        given_limit=limit,
        limit=limit if is_limited else None,
        thresh_1way=_thresholds("thresh_1way", thresh_1way),
        thresh_2way=_thresholds("thresh_2way", thresh_2way),
        certainty=share,
        style=check_style(style or {}),
        digits=check_digits(digits),
        to_print=check_to_print(to_print),
        compare_synorig=check_flag("compare_synorig", compare_synorig),
        collation=check_choice("collation", collation, COLLATIONS),
        asked_mode=asked_mode,
        strict=strict,
        names=(name, *by_column),
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
    keys: Sequence[Hashable], names: Any, key_levels: Any, target_levels: Any, *, strict: bool
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
    if len(pair) == 2 and all(is_number(one) and not math.isnan(one) for one in pair):
        return float(pair[0]), float(pair[1])
    raise InputError(
        f"{argument}: {value!r} are not two numbers; give a count and a percentage, as in (50, 90)"
    )


def check_share(argument: str, value: Any) -> Fraction:
    """A share above one half, up to 1, as the fraction that was meant."""
    if (is_number(value) or isinstance(value, Decimal)) and 0.5 < value <= 1:
        return _as_written(value)
    raise InputError(
        f"{argument}: {value!r} is not a share above 0.5, up to 1; give 1 if all records must "
        "agree, or a share such as 0.9"
    )


def _as_written(value: Any) -> Fraction:
    """The fraction that a number stands for: 0.9 is 9/10 and 5/6 is 5/6, although the doubles are
    only close to these.
    """
    if isinstance(value, (Decimal, Fraction, int)):
        return Fraction(value)
    written = Fraction(str(value))  # single-precision numbers, too, mean what they print as
    simple = written.limit_denominator(SIMPLE)
    return simple if float(simple) == float(written) else written


def check_to_print(value: Any) -> tuple[str, ...]:
    wanted = tuple(listed(value))
    for item in wanted:
        check_choice("to_print", item, TO_PRINT)
    if not wanted:
        raise InputError(f"to_print: is empty; choices: {', '.join(TO_PRINT)}")
    if "short" in wanted and len(wanted) > 1:
        raise InputError("to_print: 'short' must be alone; leave it out to see other tables")
    return wanted


def check_style(given: Mapping[str, Any]) -> dict[str, Any]:
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
