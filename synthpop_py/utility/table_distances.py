"""Tables of one or two variables, and how far those of a release are from the original's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from ..arguments import listed
from ..core.arrays import Integers
from ..core.combinations import room_for
from ..core.crosstab import Counts, count_codes
from ..core.distance import total_variation
from ..errors import InputError
from .variables import CodedVariable


def check_orders(orders: Any, variables: int) -> tuple[int, ...]:
    """The orders of tables asked for, each once; there must be variables for them."""
    wanted = tuple(dict.fromkeys(listed(orders)))
    if not wanted or not all(_is_order(order) for order in wanted):
        raise InputError(f"orders: {orders!r} cannot be used; give 1, 2 or (1, 2)")
    if wanted == (2,) and variables < 2:
        raise InputError("orders: two-way tables need at least two variables")
    return wanted


def _is_order(order: Any) -> bool:
    return order in (1, 2) and not isinstance(order, bool)


def table_list(variables: int, orders: Sequence[int]) -> list[tuple[int, ...]]:
    """Which variables, by position, make up each table.

    >>> table_list(3, [1, 2])
    [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]
    """
    tables: list[tuple[int, ...]] = []
    for order in sorted(orders):
        tables.extend(combinations(range(variables), order))
    return tables


def cell_counts(
    variables: Sequence[CodedVariable], table: int, rows: Integers | None = None
) -> Integers | Counts:
    """Records by cell of these variables in one of the tables that were coded; with `rows`, of
    these records only.
    """
    first, *others = variables
    codes, n = first.codes[table], first.n[table]
    if rows is not None:
        codes = codes[rows]
        n = None if n is None else n[rows]
    size = first.size
    for variable in others:
        values = variable.codes[table]
        # no more than two variables, so codes stay far below 64 bits
        codes = np.multiply(codes, variable.size, dtype=np.int64)
        codes += values if rows is None else values[rows]
        size *= variable.size
    records = sum(len(of_table) for of_table in first.codes)
    return count_codes(codes, size, room_for(records), n)


def distance(
    variables: Sequence[CodedVariable],
    table: int,
    rows_original: Integers | None = None,
    rows: Integers | None = None,
) -> float:
    """Total variation distance of a table from the original's; with rows, of these records."""
    original = cell_counts(variables, 0, rows_original)
    return total_variation(original, cell_counts(variables, table, rows))


def by_chance(n: Integers, sizes: Integers) -> float:
    """The mean TVD of samples of these sizes drawn with replacement from the original's own table,
    of which `n` are the occupied cells (normal approximation, averaged over sets).
    """
    # sorted, because an engine gives cells in any order, and a sum in another order may differ
    n = np.sort(n)
    share = n / n.sum()
    spread = np.sqrt(share * (1 - share)).sum()
    distances = spread / np.sqrt(2 * math.pi * sizes)
    return float(distances.mean())
