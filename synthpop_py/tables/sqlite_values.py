"""SQLite lets any column hold any value. Ibis uses the declared type and silently turns 1.5 in a
column of whole numbers into 1, so two levels become one: such columns are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import InputError
from ..redaction import redacted
from .narwhal import Frame
from .questions import RECORDS, questions, quoted

LONG = 2**53  # Ibis makes doubles of whole numbers where one is missing
NUMBERS = "typeof({0}) NOT IN ('integer', 'real')"


def check_sqlite_values(frame: Frame, names: Sequence[str], place: str) -> None:
    """Raise an error if Ibis would change values of a SQLite column while reading."""
    if not frame.implementation.is_ibis() or not names:
        return
    asked = questions(frame, names)
    if asked is None or asked.engine != "sqlite":
        return
    types = [asked.native.schema()[name] for name in names]
    counts = [_changed(f"c{position}", dtype) for position, dtype in enumerate(types)]
    numbers = asked.ask(f"SELECT {', '.join(counts)} FROM {RECORDS}")
    for name, dtype, count in zip(names, types, numbers):
        if count:
            raise InputError(
                f"{redacted(place)}, column {name!r}: Ibis would change {count:,} of its values on"
                f" the way from SQLite, which are not of its declared type ({dtype}), or whole"
                " numbers of more than 53 bits beside missing ones; give a view or a query with"
                f" CAST({quoted(name)} AS TEXT) in its place"
            )


def _changed(field: str, dtype: Any) -> str:
    """How many values Ibis would change, in SQL."""
    strange = _strange(dtype).format(field)
    count = f"COUNT(CASE WHEN {field} IS NOT NULL AND ({strange}) THEN 1 END)"
    if dtype.is_integer():
        long = f"COUNT(CASE WHEN {field} NOT BETWEEN -{LONG} AND {LONG} THEN 1 END)"
        count += f" + (COUNT(*) > COUNT({field})) * {long}"
    return count


def _strange(dtype: Any) -> str:
    """The condition for a value that is not of the declared type; `{0}` is the column."""
    if dtype.is_boolean():
        return "typeof({0}) <> 'integer' OR {0} NOT IN (0, 1)"
    if dtype.is_integer():
        low, high = dtype.bounds
        return f"typeof({{0}}) <> 'integer' OR {{0}} NOT BETWEEN {low} AND {high}"
    if dtype.is_floating():
        return NUMBERS
    if dtype.is_decimal():
        scale = 9 if dtype.scale is None else dtype.scale
        # ROUND gives doubles, which whole numbers may be too long for
        return f"{NUMBERS} OR typeof({{0}}) = 'real' AND {{0}} <> ROUND({{0}}, {scale})"
    if dtype.is_date():
        return "typeof({0}) <> 'text' OR DATE({0}) IS NOT {0}"
    if dtype.is_timestamp():
        return "typeof({0}) <> 'text' OR DATETIME({0}) IS NULL"
    return "typeof({0}) = 'blob'"
