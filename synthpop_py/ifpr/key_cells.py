"""Combinations of keys that occur in the data: the combination of each record, and how many share
it.

Two records share a cell only if their keys are equal, digit for digit: values that differ in the
release must differ here. All missing values of a key are one level.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..core.arrays import Integers
from ..core.coding import encode
from ..core.columns import Column
from ..core.combinations import joint_codes
from ..core.levels import Variable
from ..tables.reading import read_column

ROOM = 4  # possible combinations are counted densely up to this many times the records
DOUBLE = 8  # bytes


@dataclass(frozen=True, slots=True)
class KeyCells:
    """Occupied cells of the keys.

    Attributes
    ----------
    variables : the coded keys. of_record : int64, shape (n,), the cell of each record.
    size : int64, shape (c,), records in each cell. first : int64, shape (c,), position of its first
        record.
    """

    variables: tuple[Variable, ...]
    of_record: Integers
    size: Integers
    first: Integers


def key_cells(data: pd.DataFrame, keys: Sequence[Hashable]) -> KeyCells:
    """Cross-classify the keys; missing is a separate level."""
    variables = tuple(exact_variable(name, [data[name]], f"keys: {name!r}") for name in keys)
    (codes,), possible = joint_codes(variables)
    of_record, size = _numbered(codes, possible)
    first = first_of(of_record, len(size))
    return KeyCells(variables, of_record, size, first)


def _numbered(codes: Integers, possible: int) -> tuple[Integers, Integers]:
    """Codes renumbered by those that occur, in their order, and how many records each holds."""
    if possible > ROOM * len(codes):
        # one sort gives both; `combinations.compact` would look up every record again
        _, of_record, size = np.unique(codes, return_inverse=True, return_counts=True)
        return of_record.reshape(-1), size
    counts = np.bincount(codes, minlength=possible)
    occupied = np.flatnonzero(counts)
    number = np.zeros(possible, dtype=np.int64)
    number[occupied] = np.arange(len(occupied))
    return number[codes], counts[occupied]


def first_of(codes: Integers, size: int) -> Integers:
    """Position of the first record of each code, shape (size,); -1 for codes that do not occur."""
    backwards = np.arange(len(codes) - 1, -1, -1)
    first = np.full(size, -1, dtype=np.int64)
    first[codes[::-1]] = backwards  # the last one written is the first in the data
    return first


def exact_variable(name: Hashable, tables: Sequence[pd.Series], where: str) -> Variable:
    """A column of one or more tables, coded so that two values share a code only if they are equal.

    Examples
    --------
    >>> exact_variable("x", [pd.Series([0.3, 0.1 + 0.2, 0.3])], "x").own_codes(0).tolist()
    [0, 1, 0]
    """
    columns: Sequence[Column] = [read_column(series, where) for series in tables]
    if any(map(_may_lose_digits, tables, columns)):
        columns = _by_value(tables, columns)
    return encode(str(name), columns, exact=True)


def _may_lose_digits(series: pd.Series, column: Column) -> bool:
    """Whether a column that is read as doubles may hold numbers that no double can: decimals, huge
    whole numbers, long doubles.
    """
    if column.kind != "double":
        return False
    if series.dtype == object:
        return True
    return isinstance(series.dtype, np.dtype) and series.dtype.itemsize > DOUBLE


def _by_value(tables: Sequence[pd.Series], columns: Sequence[Column]) -> Sequence[Column]:
    """The columns as levels in ascending order, where doubles would make one of two values; as they
    are otherwise.
    """
    objects = [series.to_numpy(dtype=object) for series in tables]
    codes, distinct = pd.factorize(np.concatenate(objects))
    doubles = np.concatenate([column.present() for column in columns])
    if len(distinct) <= len(np.unique(doubles)):
        return columns
    values = list(distinct)
    order = sorted(range(len(values)), key=values.__getitem__)
    rank = np.append(np.argsort(order), -1)  # -1 is missing
    labels = tuple(str(values[i]) for i in order)
    ends = np.cumsum([len(series) for series in tables])
    ranks = np.split(rank[codes], ends[:-1])
    return [Column("factor", part, column.missing, labels) for part, column in zip(ranks, columns)]
