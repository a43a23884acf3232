"""Columns chosen by the user of a function that works on one frame."""

from __future__ import annotations

import numbers
from typing import Any, Hashable

import pandas as pd

from ..errors import InputError
from ..frames import unknown_name
from .options import listed


def chosen_columns(argument: str, given: Any, data: pd.DataFrame) -> list[Hashable]:
    """Names of the columns given by name, or by position counted from 1 as in R; each once."""
    columns = list(data.columns)
    one_name = isinstance(given, tuple) and given in columns  # a tuple can be the name of one column
    names = [_name(argument, value, columns) for value in ([given] if one_name else listed(given))]
    twice = [name for place, name in enumerate(names) if name in names[:place]]
    if twice:
        raise InputError(f"{argument}: {twice[0]!r} is given more than once")
    return names


def _name(argument: str, given: Any, columns: list[Hashable]) -> Hashable:
    if not isinstance(given, Hashable):
        raise InputError(f"{argument}: {given!r} is not a name; give names or positions of columns")
    if not isinstance(given, bool) and given in columns:
        return given
    if isinstance(given, numbers.Real) and not isinstance(given, bool):
        if float(given).is_integer() and 1 <= given <= len(columns):
            return columns[int(given) - 1]
        raise InputError(f"{argument}: {given!r} is not the position of a column; give a whole number from 1 to {len(columns)}, or a name")
    raise unknown_name(argument, given, columns, "the data")
