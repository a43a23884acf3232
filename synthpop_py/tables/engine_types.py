"""Types of engines that have no counterpart here: those with a text become text, others are
refused before anything is counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import InputError
from ..redaction import redacted
from .narwhal import Frame


def with_texts(frame: Frame) -> Frame:
    """The frame with texts for types that only its engine knows (UUID, JSON, addresses, ranges),
    and for polars' Categorical, whose order is that of first occurrence. An Enum keeps its declared
    levels.
    """
    import narwhals.stable.v2 as nw

    schema = frame.collect_schema()
    strange = [name for name, dtype in schema.items() if dtype in (nw.Unknown, nw.Categorical)]
    if not strange:
        return frame
    return frame.with_columns(*[nw.col(name).cast(nw.String) for name in strange])


def check_types(frame: Frame, names: Sequence[str], place: str) -> None:
    """Raise an error for columns of lists, bytes, times of day and similar types."""
    import narwhals.stable.v2 as nw

    refused: list[Any] = [nw.List, nw.Array, nw.Struct, nw.Binary, nw.Time, nw.Object]
    # intervals of databases: a month is 30 days to GROUP BY, and Ibis drops fractions of seconds
    if frame.implementation.is_duckdb() or frame.implementation.is_ibis():
        refused += [nw.Duration]
    # polars does not hand whole numbers of 128 bits to Arrow, DuckDB does
    if frame.implementation.is_polars():
        refused += [nw.Int128, nw.UInt128]
    schema = frame.collect_schema()
    for name in names:
        if schema[name] in refused:
            raise InputError(
                f"{redacted(place)}, column {name!r}: columns of type {schema[name]} cannot be"
                " compared; give a view or a query that makes it text, a number or a date"
            )
