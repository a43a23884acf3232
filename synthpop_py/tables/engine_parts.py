"""What an engine is asked where its distinct rows are too many: those with some values of a column,
by the values that it gave itself.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.arrays import Flags
from ..core.columns import Column
from ..core.levels import DAY

if TYPE_CHECKING:
    import pyarrow as pa


def one_of(field: str, values: pa.ChunkedArray, wanted: Flags) -> Any:
    """The condition that a column has one of the values that are wanted: NULL and NaN too."""
    import narwhals.stable.v2 as nw
    import pyarrow.compute as pc
    from pyarrow.types import is_floating

    column = nw.col(field)
    chosen = values.filter(np.asarray(wanted))
    known = chosen.drop_null()
    conditions: list[Any] = []
    if chosen.null_count:
        conditions.append(column.is_null())
    if is_floating(known.type):
        is_nan = pc.is_nan(known)
        if pc.any(is_nan).as_py():
            conditions.append(column.is_nan())
        known = known.filter(pc.invert(is_nan))
    if len(known) or not conditions:
        conditions.append(column.is_in(known.to_pylist()))
    return reduce(or_, conditions)


def of_kind(column: Column, like: Column) -> Column:
    """Some values of a column, of the kind that all of them have: what is read of a part may look
    like something else, as times that are all at midnight look like dates.
    """
    if column.kind == like.kind:
        return column
    if not column.has_values:
        nothing = np.zeros(len(column), dtype=like.values.dtype)
        missing = np.ones(len(column), dtype=bool) if len(column) else None
        return replace(like, values=nothing, missing=missing)
    if (column.kind, like.kind) == ("date", "time"):
        return replace(column, kind="time", values=column.values * DAY)
    if (column.kind, like.kind) == ("double", "integer"):
        # decimals without a fraction, of which this part has only short ones
        whole = column.values if column.missing is None else np.nan_to_num(column.values)
        return replace(column, kind="integer", values=whole.astype(np.int64))
    return column
