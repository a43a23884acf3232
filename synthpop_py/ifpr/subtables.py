"""Distances of sub-tables, original against released."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_whole, chosen_columns, is_column, listed
from ..core.combinations import joint_codes
from ..core.crosstab import count_codes, pair_up
from ..core.distance import total_variation
from ..core.levels import Variable
from ..errors import InputError

ROOM = 4  # possible cells are counted densely up to this many times the records


def chosen_tables(
    variables: Any, order: Any, columns: list[Hashable], keys: Sequence[Hashable]
) -> list[tuple[Hashable, ...]]:
    """The sub-tables asked for, each as the names of its variables."""
    items = _items(variables, columns, keys)
    if any(_is_list(item, columns) for item in items):
        if order is not None:
            raise InputError(
                "order: `variables` already lists sub-tables; leave order out, or give single"
                " columns"
            )
        return [tuple(chosen_columns("variables", item, columns)) for item in items]
    names = chosen_columns("variables", items, columns)
    if not names:
        raise InputError("variables: none given")
    if order is None:
        return [tuple(names)]
    tables: list[tuple[Hashable, ...]] = []
    for number in _orders(order, len(names)):
        tables += combinations(names, number)
    return tables


def _items(variables: Any, columns: list[Hashable], keys: Sequence[Hashable]) -> list[Any]:
    if variables is None:
        return list(keys)
    if is_column(variables, columns):
        return [variables]
    return listed(variables)


def _is_list(item: Any, columns: list[Hashable]) -> bool:
    """Whether it names several columns; a tuple may be the name of one."""
    return isinstance(item, (list, tuple)) and not is_column(item, columns)


def _orders(order: Any, most: int) -> list[int]:
    """Numbers of variables per table, at most `most`."""
    orders = [check_whole("order", value, 1) for value in listed(order)]
    for number in orders:
        if number > most:
            raise InputError(f"order: {number} variables in a table, but only {most} given")
    return orders


def distance_frame(
    tables: Sequence[tuple[Hashable, ...]], coded: Mapping[Hashable, Variable]
) -> pd.DataFrame:
    """One row per table; `coded` has each variable in both data sets."""
    levels = {name: _number_of_levels(variable) for name, variable in coded.items()}
    distances, occupied_cells, possible_cells = [], [], []
    for table in tables:
        distance, occupied = _distance([coded[name] for name in table])
        distances.append(distance)
        occupied_cells.append(occupied)
        possible_cells.append(math.prod(levels[name] for name in table))
    frame = pd.DataFrame({"variables": pd.Series(list(tables), dtype=object)})
    return frame.assign(tvd=distances, cells=possible_cells, occupied=occupied_cells)


def _number_of_levels(variable: Variable) -> int:
    """Levels that occur in either table."""
    first, second = (
        np.bincount(variable.own_codes(table), minlength=variable.size) for table in (0, 1)
    )
    return int(np.count_nonzero(first + second))


def _distance(variables: Sequence[Variable]) -> tuple[float, int]:
    """Total variation distance, and cells that are occupied in either table."""
    codes, size = joint_codes(variables)
    first, second = (count_codes(c, size, ROOM * len(c)) for c in codes)
    occupied, *_ = pair_up(first, second)
    return total_variation(first, second), len(occupied)
