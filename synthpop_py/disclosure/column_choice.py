"""Columns chosen by the user of a function that works on one frame."""

from __future__ import annotations

from typing import Any, Hashable

import pandas as pd

from ..errors import InputError
from .options import column_named, listed


def chosen_columns(argument: str, given: Any, data: pd.DataFrame) -> list[Hashable]:
    """Names of the columns given by name, or by position counted from 1 as in R; each once."""
    columns = list(data.columns)
    one_name = isinstance(given, tuple) and given in columns  # a tuple can be the name of one column
    names = [column_named(argument, value, columns, "the data") for value in ([given] if one_name else listed(given))]
    twice = [name for place, name in enumerate(names) if name in names[:place]]
    if twice:
        raise InputError(f"{argument}: {twice[0]!r} is given more than once")
    return names

