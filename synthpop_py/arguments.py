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

from .errors import InputError
from .names import nearest, unknown_name

MOST_DIGITS = 15


def listed(value: Any) -> list[Any]:
    """None, one value or several as a list."""
    if value is None:
        return []
    if isinstance(value, (str, bytes)) or not isinstance(
        value, (list, tuple, set, frozenset, np.ndarray, pd.Index, pd.Series, range)
    ):
        return [value]
    return list(value)


def column_named(
    argument: str, given: Any, columns: Sequence[Hashable], place: str = "the original data"
) -> Hashable:
    """A column by name, or by its position counted from 1 as in R."""
    if is_column(given, columns):
        name: Hashable = given
        return name
    if isinstance(given, (pd.DataFrame, dict)):
        raise InputError(
            f"{argument}: a {type(given).__name__} is not a name; give names or positions of"
            " columns"
        )
    if is_number(given):
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
    """Whether this very value, which may be a tuple, names a column."""
    return isinstance(given, Hashable) and not isinstance(given, bool) and given in columns


def chosen_columns(
    argument: str, given: Any, columns: Sequence[Hashable], place: str = "the data"
) -> list[Hashable]:
    """Names of the columns given by name, or by position counted from 1 as in R; each once."""
    columns = list(columns)
    one_name = (
        isinstance(given, tuple) and given in columns
    )  # a tuple can be the name of one column
    names = [
        column_named(argument, value, columns, place)
        for value in ([given] if one_name else listed(given))
    ]
    twice = [name for at, name in enumerate(names) if name in names[:at]]
    if twice:
        raise InputError(f"{argument}: {twice[0]!r} is given more than once")
    return names


def check_in_every_set(argument: str, name: Hashable, sets: Sequence[pd.DataFrame]) -> None:
    for number, frame in enumerate(sets, start=1):
        if name not in frame.columns:
            raise unknown_name(
                argument,
                name,
                list(frame.columns),
                "the synthetic data" if len(sets) == 1 else f"synthetic data set {number}",
            )


def check_flag(argument: str, value: Any) -> bool:
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise InputError(f"{argument}: {value!r} is neither True nor False")


def is_number(value: Any) -> TypeGuard[float]:
    """A real number, finite or not; True and False are none."""
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
    if not is_number(value) or not math.isfinite(value) or value != int(value) or value < 0:
        raise InputError(
            f"digits: {value!r} is not a number of decimals; give a whole number from 0 on"
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
    """A finite number between two bounds, which belong to the range unless they are open."""
    good = is_number(value) and math.isfinite(value)
    if (
        good
        and (value > low if open_low else value >= low)
        and (value < high if open_high else value <= high)
    ):
        return float(value)
    raise InputError(
        f"{argument}: {value!r} is not a number{_range(low, high, open_low, open_high)}"
    )


def _range(low: float, high: float, open_low: bool, open_high: bool) -> str:
    parts = []
    if low > -math.inf:
        parts.append(f"above {low:g}" if open_low else f"of at least {low:g}")
    if high < math.inf:
        parts.append(f"below {high:g}" if open_high else f"of at most {high:g}")
    return " " + " and ".join(parts) if parts else ""


def check_whole(argument: str, value: Any, low: int = 0) -> int:
    """A whole number from `low` on."""
    if not is_number(value) or not float(value).is_integer() or value < low:
        raise InputError(f"{argument}: {value!r} is not a whole number from {low} on")
    return int(value)


def special_values(cont_na: Any) -> dict[Hashable, tuple[Any, ...]]:
    """Special values by column, as in ``{"income": -8}``: each value once, missing values need no
    mention.
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
        for value in listed(values):
            if not pd.api.types.is_scalar(value):
                raise InputError(
                    f"cont_na: {value!r} for {name!r} is not a single value; give a number or a"
                    " list of numbers"
                )
        special[name] = tuple(
            dict.fromkeys(value for value in listed(values) if not pd.isna(value))
        )
    return special


def random_generator(seed: Any) -> np.random.Generator:
    """The generator given, or a new one from a seed; None draws a seed from the system, so that
    results differ from call to call.
    """
    if isinstance(seed, np.random.Generator):
        return seed
    if seed is None or (
        isinstance(seed, numbers.Integral) and not isinstance(seed, bool) and int(seed) >= 0
    ):
        return np.random.default_rng(None if seed is None else int(seed))
    raise InputError(
        f"seed: {seed!r} cannot be used; give a whole number from 0 on, a numpy.random.Generator,"
        " or None"
    )
