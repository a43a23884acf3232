"""Arguments that every public function takes in the same way: columns, choices, flags, numbers,
seeds.

Each check returns the value in the form the rest of the package trusts, or raises an `InputError`
that names the argument, the value and the choices.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeGuard

import numpy as np
import pandas as pd

from .errors import InputError, nearest, unknown_name

MOST_DIGITS = 15
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
    if isinstance(given, (pd.DataFrame, dict)):
        raise InputError(
            f"{argument}: a {type(given).__name__} is not a name; give names or positions of"
            " columns"
        )
    # where columns are named by numbers, any other number is a mistake
    if is_number(given) and not any(map(is_number, columns)):
        if float(given).is_integer() and 1 <= given <= len(columns):
            return columns[int(given) - 1]
        raise InputError(
            f"{argument}: {given!r} is not the position of a column of {place}; give a whole number"
            f" from 1 to {len(columns)}, or a name"
        )
    if not isinstance(given, Hashable):
        raise InputError(f"{argument}: {given!r} is not a name; give names or positions of columns")
    raise unknown_name(argument, given, columns, place)


def is_column(given: Any, columns: Sequence[Hashable]) -> bool:
    """Whether exactly this value, which may be a tuple, names a column."""
    if isinstance(given, bool):  # False and True equal 0 and 1, which may be names
        return any(column is given for column in columns)
    return isinstance(given, Hashable) and given in columns


def chosen_columns(
    argument: str, given: Any, columns: Sequence[Hashable], place: str = "the data"
) -> list[Hashable]:
    """Names of the columns given by name, or by position counted from 1 as in R; none twice."""
    columns = list(columns)
    # a tuple can be the name of one column
    one_name = isinstance(given, tuple) and given in columns
    values = [given] if one_name else listed(given)
    names = [column_named(argument, value, columns, place) for value in values]
    twice = [name for at, name in enumerate(names) if name in names[:at]]
    if twice:
        raise InputError(f"{argument}: {twice[0]!r} is given more than once")
    return names


def check_in_every_set(argument: str, name: Hashable, sets: Sequence[pd.DataFrame]) -> None:
    for number, frame in enumerate(sets, start=1):
        if name not in frame.columns:
            place = "the synthetic data" if len(sets) == 1 else f"synthetic data set {number}"
            raise unknown_name(argument, name, list(frame.columns), place)


def resolve_keys(
    keys: Any, data: Any, sets: Sequence[Any], called: str = "keys"
) -> tuple[Hashable, ...]:
    """Names of the keys, given by name or position: columns of the original and of every synthesis,
    none twice; of a set, which has no order, in that of the data. `called` is the argument.
    """
    columns = list(data.columns)
    if isinstance(keys, tuple) and is_column(keys, columns):
        keys = [keys]
    names = tuple(column_named(called, key, columns) for key in listed(keys))
    if isinstance(keys, (set, frozenset)):
        names = tuple(sorted(names, key=columns.index))
    if not names:
        raise InputError(f"{called}: none given; name at least one column")
    twice = sorted({str(name) for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"{called}: {', '.join(twice)} given more than once")
    for name in names:
        check_in_every_set(called, name, sets)
    return names


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
    if len(values) != len(keys):
        raise InputError(
            f"{argument}: {len(values)} values given; give one, or one for each of the {len(keys)}"
            " keys"
        )
    return tuple(check(argument, one) for one in values)


def check_flag(argument: str, value: Any) -> bool:
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise InputError(f"{argument}: {value!r} is neither True nor False")


def is_number(value: Any) -> TypeGuard[float]:
    """Whether this is a real number, finite or not; True and False are not."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def check_choice(argument: str, value: Any, choices: Sequence[str]) -> Any:
    if isinstance(value, str) and value in choices:
        return value
    near = nearest(value, choices) if isinstance(value, str) else None
    hint = f"; did you mean {near!r}?" if near is not None else ""
    raise InputError(
        f"{argument}: {value!r} is unknown; choices: {', '.join(map(repr, choices))}{hint}"
    )


def check_digits(value: Any) -> int:
    """A number of decimals."""
    if not is_number(value) or not float(value).is_integer() or value < 0:
        raise InputError(
            f"digits: {value!r} is not a number of decimals; give a whole number of 0 or more"
        )
    if value > MOST_DIGITS:
        raise InputError(
            f"digits: {value!r} decimals are more than a number holds; give a whole number from 0"
            f" to {MOST_DIGITS}"
        )
    return int(value)


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
    bounds = _range(low, high, open_low, open_high)
    raise InputError(f"{argument}: {value!r} is not a number{bounds}")


def _range(low: float, high: float, open_low: bool, open_high: bool) -> str:
    parts = []
    if low > -math.inf:
        parts.append(f"above {low:g}" if open_low else f"of at least {low:g}")
    if high < math.inf:
        parts.append(f"below {high:g}" if open_high else f"of at most {high:g}")
    return f" {' and '.join(parts)}" if parts else ""


def check_whole(argument: str, value: Any, low: int = 0) -> int:
    """A whole number of at least `low`."""
    if not is_number(value) or not float(value).is_integer() or value < low:
        raise InputError(f"{argument}: {value!r} is not a whole number of {low} or more")
    return int(value)


def check_groups(argument: str, value: Any) -> int:
    """A number of classes; 0 for no grouping."""
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
                distinct[value] = None
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
