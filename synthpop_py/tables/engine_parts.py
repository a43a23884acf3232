"""Some of an engine's distinct rows: up to a limit, or those with some values of a column. The
engine selects them, so the others are never transferred.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.arrays import Flags
from ..core.columns import Column
from ..core.levels import DAY
from .narwhal import Frame
from .parts import NOWHERE, Places
from .protocol import Counted

if TYPE_CHECKING:
    from .engine import Answer, EngineTable


def at_most(table: EngineTable, names: Sequence[Hashable], rows: int) -> Answer | None:
    """The distinct rows of these columns; None if there are more than `most`. At most one more than
    that is transferred.
    """
    answer = table.answer(names, most=rows + 1)
    return answer if answer.counted.rows <= rows else None


def of_part(
    table: EngineTable, names: Sequence[Hashable], column: Hashable, values: Column
) -> Counted:
    """The distinct rows whose column has one of the values, in the kinds of the whole columns."""
    wanted = _native_values(table, column, values)
    field = table.field(column)

    def chosen(frame: Frame) -> Frame:
        return frame.filter(_is_one_of(field, wanted))

    counted = table.answer(names, of=chosen).counted
    alike = {}
    for name in names:
        alike[name] = in_kind_of(counted.columns[name], table.alone(name).counted.columns[name])
    return replace(counted, columns=alike)


def distinct_by(table: EngineTable, names: Sequence[Hashable], column: Hashable) -> Counted:
    """The values of a column, and how many distinct rows of the names have each."""
    import narwhals.stable.v2 as nw

    fields = [table.field(name) for name in names]

    def counted_twice(frame: Frame) -> Frame:
        return table.grouped(frame, fields, nw.len().alias("synthpop_records"))

    return table.answer([column], of=counted_twice, by_row=True).counted


def is_finer_than_python(native: Any) -> bool:
    """Whether values have nanoseconds, which Python's own times and most engines' constants lose:
    so they cannot be selected one by one.
    """
    import pyarrow as pa

    kind = native.type
    has_unit = pa.types.is_timestamp(kind) or pa.types.is_duration(kind)
    return bool(has_unit and kind.unit == "ns")


def _native_values(table: EngineTable, column: Hashable, values: Column) -> list[Any]:
    """The engine's own values that are read as one of these; several may be read alike."""
    alone = table.alone(column)
    is_wanted: Flags = Places(values).of(alone.counted.columns[column]) != NOWHERE
    native = alone.native.column(table.field(column))
    picked: list[Any] = native.filter(is_wanted).to_pylist()
    return picked


def _is_one_of(field: str, wanted: Sequence[Any]) -> Any:
    """The condition, with missing values in both of their forms."""
    import narwhals.stable.v2 as nw

    known = [value for value in wanted if value is not None and value == value]
    condition = nw.col(field).is_in(known)
    if any(value is None for value in wanted):
        condition = condition | nw.col(field).is_null()
    if any(value is not None and value != value for value in wanted):
        condition = condition | nw.col(field).is_nan()
    return condition


def in_kind_of(column: Column, whole: Column) -> Column:
    """Part of a column in the kind that the whole has: what is missing in all of a part, or
    midnight, or a whole number, need not be so elsewhere.

    Examples
    --------
    >>> days = Column("date", np.array([1]))
    >>> times = Column("time", np.array([DAY, 5]))
    >>> in_kind_of(days, times).values.tolist() == [DAY]
    True
    """
    if column.kind == whole.kind:
        return column
    if not column.has_values:
        nothing = np.zeros(len(column), dtype=whole.values.dtype)
        missing = np.ones(len(column), dtype=bool) if len(column) else None
        return replace(whole, values=nothing, missing=missing)
    if whole.kind == "time" and column.kind == "date":
        return replace(column, kind="time", values=column.values * DAY)
    return replace(column, kind=whole.kind, values=column.values.astype(whole.values.dtype))
