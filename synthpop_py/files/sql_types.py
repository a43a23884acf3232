"""The rule of `text_types` for DuckDB, which counts how many fields of a column can be read as
what, and then reads them as what they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.numerals import EXACT_DOUBLE, LARGEST_WHOLE
from .text_types import BLANKS, LOGICAL, MISSING, NUMBER, WHOLE, Tally, TextKind

TALLIES = len(Tally.__slots__)


def with_types(table: Any, names: Sequence[str]) -> Any:
    """A relation of texts with the type that each column has over all its values."""
    (counts,) = table.aggregate(", ".join(_tally(name) for name in names)).fetchall()
    kinds = []
    for start in range(0, len(counts), TALLIES):
        tally = Tally(*counts[start : start + TALLIES])
        kinds.append(tally.kind)
    columns = [f"{_read(name, kind)} AS {quoted(name)}" for name, kind in zip(names, kinds)]
    return table.project(", ".join(columns))


def quoted(name: str) -> str:
    """A name as SQL takes it, whatever is in it.

    Examples
    --------
    >>> quoted('my "best" column')
    '"my ""best"" column"'
    """
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


def _text(value: str) -> str:
    """A text as SQL takes it."""
    escaped = value.replace("'", "''")
    return f"'{escaped}'"


def _stripped(name: str) -> str:
    return f"trim({quoted(name)}, {_text(BLANKS)})"


def _known(name: str) -> str:
    words = ", ".join(map(_text, MISSING))
    return f"{_stripped(name)} NOT IN ({words})"


def _tally(name: str) -> str:
    """The counts of `Tally`, in its order."""
    stripped = _stripped(name)
    words = ", ".join(map(_text, LOGICAL))
    is_number = f"regexp_full_match({stripped}, {_text(NUMBER.pattern)})"
    is_whole = f"regexp_full_match({stripped}, {_text(WHOLE.pattern)})"
    size = f"abs(TRY_CAST({stripped} AS HUGEINT))"
    conditions = [
        _known(name),
        f"{stripped} IN ({words})",
        is_number,
        is_whole,
        f"{is_whole} AND {size} <= {LARGEST_WHOLE}",
        f"{is_whole} AND {size} <= {EXACT_DOUBLE}",
    ]
    return ", ".join(f"count(*) FILTER ({condition})" for condition in conditions)


def _read(name: str, kind: TextKind) -> str:
    """A column as its kind; blanks and NA as NULL."""
    expressions = {
        "logical": f"lower({_stripped(name)}) = 'true'",
        "integer": f"CAST({_stripped(name)} AS BIGINT)",
        "double": f"CAST({_stripped(name)} AS DOUBLE)",
        "character": quoted(name),
    }
    return f"CASE WHEN {_known(name)} THEN {expressions[kind]} END"
