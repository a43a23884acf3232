"""The arguments of `numtocat_syn()`, checked and matched to their columns."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

import pandas as pd

from ..arguments import chosen_columns, is_number, listed, special_values
from ..core.columns import Column
from ..errors import InputError
from ..tables.reading import read_column
from .numtocat_classes import NumericColumn

STYLES = ("quantile", "equal", "sd", "pretty")


def numeric_columns(
    data: pd.DataFrame, numtocat: Any, catgroups: Any, cont_na: Any
) -> list[NumericColumn]:
    """The columns to group, each with its number of classes and its special values."""
    columns = {name: _read(data, name) for name in columns_to_group(numtocat, data)}
    _check_numeric(columns)
    names = list(columns)
    classes = _class_numbers(catgroups, names)
    special = _special_values(cont_na, names)
    numeric = []
    for (name, column), number in zip(columns.items(), classes):
        numeric.append(
            NumericColumn(
                name=name,
                column=column,
                classes=number,
                special=special.get(name, ()),
            )
        )
    return numeric


def columns_to_group(numtocat: Any, data: pd.DataFrame) -> list[Hashable]:
    """Names of the columns given; of all numeric ones if none are given."""
    if numtocat is not None:
        return chosen_columns("numtocat", numtocat, data.columns)
    names: list[Hashable] = []
    for name in data.columns:
        if _may_be_numeric(data[name].dtype) and _read(data, name).is_number:
            names.append(name)
    return names


def _read(data: pd.DataFrame, name: Hashable) -> Column:
    return read_column(data[name], f"data, column {name!r}")


def _may_be_numeric(kind: Any) -> bool:
    if kind == object:
        return True
    return pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind)


def _check_numeric(columns: dict[Hashable, Column]) -> None:
    other = [str(name) for name, column in columns.items() if not column.is_number]
    if other:
        names = ", ".join(other)
        raise InputError(f"numtocat: {names} not numeric; only columns of numbers can be grouped")


def _class_numbers(catgroups: Any, names: list[Hashable]) -> list[float]:
    """A number of classes for each column."""
    values = listed(catgroups)
    for value in values:
        if not is_number(value) or not math.isfinite(value) or value < 2:
            raise InputError(
                f"catgroups: {value!r} is not a number of classes; give a number of 2 or more"
            )
    if len(values) == 1:
        return values * len(names)
    if len(values) != len(names):
        raise InputError(
            f"catgroups: {len(values)} numbers for {len(names)} columns; give one number, or one"
            " for each column"
        )
    return values


def _special_values(cont_na: Any, names: list[Hashable]) -> dict[Hashable, tuple[Any, ...]]:
    by_column = special_values(cont_na)
    for name, values in by_column.items():
        if name not in names:
            grouped = ", ".join(map(str, names))
            raise InputError(f"cont_na: {name!r} is not among the columns being grouped: {grouped}")
        for value in values:
            if not is_number(value):
                raise InputError(f"cont_na: {value!r} for {name!r} is not a number")
    return by_column
