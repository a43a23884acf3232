"""Distances of sub-tables, original against released."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_whole, chosen_columns, is_column, listed
from ..core.crosstab import count_codes, joint_codes, pair_up
from ..core.distance import total_variation
from ..core.levels import Variable
from ..errors import InputError

ROOM = 4  # possible cells are counted densely up to so many times the records


def chosen_tables(
    variables: Any, order: Any, columns: list[Hashable], keys: Sequence[Hashable]
) -> list[tuple[Hashable, ...]]:
    """The sub-tables asked for, each as the names of its variables."""
    items = (
        list(keys)
        if variables is None
        else [variables]
        if is_column(variables, columns)
        else listed(variables)
    )
    if any(isinstance(item, (list, tuple)) and not is_column(item, columns) for item in items):
        if order is not None:
            raise InputError(
                "order: sub-tables are listed in `variables` already; leave it out, or give single"
                " columns"
            )
        return [tuple(chosen_columns("variables", item, columns)) for item in items]
    names = chosen_columns("variables", items, columns)
    if not names:
        raise InputError("variables: none given")
    if order is None:
        return [tuple(names)]
    orders = [check_whole("order", value, 1) for value in listed(order)]
    too_many = [value for value in orders if value > len(names)]
    if too_many:
        raise InputError(f"order: {too_many[0]} variables in a table, but only {len(names)} given")
    return [table for value in orders for table in combinations(names, value)]


def distance_frame(
    tables: Sequence[tuple[Hashable, ...]], coded: Mapping[Hashable, Variable]
) -> pd.DataFrame:
    """One row per table; `coded` has each variable in both data sets."""
    levels = {name: _number_of_levels(variable) for name, variable in coded.items()}
    rows = [
        _distance([coded[name] for name in table], [levels[name] for name in table])
        for table in tables
    ]
    frame = pd.DataFrame({"variables": pd.Series(list(tables), dtype=object)})
    return frame.assign(
        tvd=[row[0] for row in rows],
        cells=[row[1] for row in rows],
        occupied=[row[2] for row in rows],
    )


def _number_of_levels(variable: Variable) -> int:
    """Levels that occur in either table."""
    return int(
        np.any(
            [np.bincount(variable.own_codes(table), minlength=variable.size) for table in (0, 1)],
            axis=0,
        ).sum()
    )


def _distance(variables: Sequence[Variable], levels: Sequence[int]) -> tuple[float, int, int]:
    """Total variation distance, possible cells and occupied ones."""
    codes, radix = joint_codes(variables)
    first, second = (count_codes(c, radix.size, ROOM * len(c)) for c in codes)
    return total_variation(first, second), math.prod(levels), len(pair_up(first, second)[0])
