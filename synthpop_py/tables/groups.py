"""Records grouped by the values of columns. Missing is a separate value, the same for all records,
whatever the type of the column.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import is_column
from ..core.arrays import Integers
from ..errors import InputError
from ..names import unknown_name
from .conversion import plain_values
from .labels import check_labels
from .opening import plain_if_frame

__all__ = ["group_columns", "group_numbers"]


def group_numbers(frame: pd.DataFrame) -> Integers:
    """The group of each row: int64 from 0 on, in the order of the columns' values (categories in
    theirs, missing last).

    Examples
    --------
    >>> sizes = pd.Categorical(["small", None, "large", None], categories=["small", "large"])
    >>> group_numbers(pd.DataFrame({"size": sizes})).tolist()
    [0, 2, 1, 2]
    """
    number = np.zeros(len(frame), dtype=np.int64)
    for at in range(frame.shape[1]):
        code, size = _codes(frame.iloc[:, at])
        number = np.unique(number * size + code, return_inverse=True)[1].reshape(-1)
    return number


def _codes(column: pd.Series) -> tuple[Integers, int]:
    """A whole number for each value, and how many there are."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes = column.cat.codes.to_numpy().astype(np.int64)
        levels = len(column.cat.categories)
    else:
        codes, values = _factorized(column)
        levels = len(values)
    return np.where(codes < 0, levels, codes), levels + 1


def _factorized(column: pd.Series) -> tuple[Integers, Any]:
    try:
        codes, values = pd.factorize(column, sort=True)
    except TypeError:  # values without an order come in that of the rows
        codes, values = pd.factorize(column)
    return codes, values


def group_columns(given: Any, original: pd.DataFrame) -> pd.DataFrame:
    """A user's groups, as columns that say which group each record is in."""
    columns = list(original.columns)
    given = plain_values(plain_if_frame(given, "by"))
    names = _possible_names(given, columns)
    strangers = [name for name in names if not is_column(name, columns)]
    if names and not strangers:
        return original[names].reset_index(drop=True)
    wrong_length = bool(names) and len(names) != len(original)
    if wrong_length or isinstance(given, (str, bytes)) or not hasattr(given, "__len__"):
        unknown = strangers[0] if strangers else given
        raise unknown_name("by", unknown, columns, "the original data")
    if isinstance(given, pd.Series):
        given = {"group" if given.name is None else given.name: given}
    elif not isinstance(given, (Mapping, pd.DataFrame)):
        given = {"group": given}
    return pd.DataFrame({name: _aligned(values, original) for name, values in given.items()})


def _possible_names(given: Any, columns: list[Any]) -> list[Any]:
    """What may be names of columns: one, or several in a list."""
    if is_column(given, columns):
        return [given]
    return list(given) if isinstance(given, (list, tuple)) else []


def _aligned(values: Any, original: pd.DataFrame) -> Any:
    if len(values) != len(original):
        raise InputError(
            f"by: {len(values)} values given for {len(original)} records; give one for each record,"
            " or names of columns"
        )
    if isinstance(values, pd.Series):
        check_labels("by", values.index, original)
        return values.array
    return plain_values(values)
