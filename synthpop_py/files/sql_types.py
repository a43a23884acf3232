"""The rule of `text_types` for DuckDB, which counts how many fields of a column can be read as each
type, and then converts them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..core.numerals import EXACT_DOUBLE, LARGEST_WHOLE
from .text_types import BLANKS, LOGICAL, MISSING, NUMBER, WHOLE, Tally, TextKind

FIRST_ROWS = 10_000  # one text among numbers settles a column, and most have it early
# what a field can be read as
CLASSES = range(8)
GAP, SHORT_WHOLE, OTHERWISE_WRITTEN, WHOLE_OF_64_BITS, LONG_WHOLE, REAL, FLAG, TEXT = CLASSES


def tallies_of(table: Any, names: Sequence[str]) -> dict[str, Tally]:
    """What the fields of each column of a relation of texts can be read as; of a column that its
    first rows make text, those of them.
    """
    tallies = _tallies(table.limit(FIRST_ROWS), names)
    candidates = [name for name, tally in tallies.items() if _may_change(tally)]
    return tallies | _tallies(table, candidates)


def with_types(table: Any, kinds: Mapping[str, TextKind], names: Sequence[str]) -> Any:
    """A relation of texts with the type of each column."""
    columns = [f"{_read(name, kinds[name])} AS {quoted(name)}" for name in names]
    return table.project(", ".join(columns))


def _may_change(tally: Tally) -> bool:
    """Whether further fields can make the column anything but text."""
    return tally.known in (tally.logical, tally.number)


def _tallies(table: Any, names: Sequence[str]) -> dict[str, Tally]:
    if not names:
        return {}
    classes = [f"{_class(name)} AS {quoted(name)}" for name in names]
    counts = [f"count(*) FILTER ({quoted(name)} = {which})" for name in names for which in CLASSES]
    stripped = table.project(", ".join(f"{_stripped(name)} AS {quoted(name)}" for name in names))
    (row,) = stripped.project(", ".join(classes)).aggregate(", ".join(counts)).fetchall()
    by_class = len(CLASSES)
    return {name: _tally(row[at * by_class :][:by_class]) for at, name in enumerate(names)}


def _tally(fields: Sequence[int]) -> Tally:
    short = fields[SHORT_WHOLE] + fields[OTHERWISE_WRITTEN]
    whole = short + fields[WHOLE_OF_64_BITS] + fields[LONG_WHOLE]
    return Tally(
        known=sum(fields) - fields[GAP],
        logical=fields[FLAG],
        number=whole + fields[REAL],
        whole=whole,
        plain=fields[SHORT_WHOLE],
        fits_integer=whole - fields[LONG_WHOLE],
        fits_double=short,
    )


def is_spelled_twice(table: Any, name: str, *, fractions: bool = False) -> bool:
    """Whether a column of a relation of texts writes a whole number in two ways, as
    `text_types.is_spelled_twice` has it; for fractions only the first rows decide.
    """
    pattern, number = WHOLE.pattern, _plain_whole(name)
    if fractions:
        table = table.limit(FIRST_ROWS)
        pattern, number = NUMBER.pattern, f"CAST({_stripped(name)} AS DOUBLE)"
    whole = table.filter(f"regexp_full_match({_stripped(name)}, {_text(pattern)})")
    spelled = whole.project(f"{_stripped(name)} AS spelled, {number} AS number")
    ways = spelled.aggregate("number, count(DISTINCT spelled) AS ways", "number")
    return bool(ways.filter("ways > 1").limit(1).fetchall())


def quoted(name: str) -> str:
    """A name quoted for SQL, whatever it contains.

    Examples
    --------
    >>> quoted('my "best" column')
    '"my ""best"" column"'
    """
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


def _text(value: str) -> str:
    """A text quoted for SQL."""
    escaped = value.replace("'", "''")
    return f"'{escaped}'"


def _stripped(name: str) -> str:
    return f"trim({quoted(name)}, {_text(BLANKS)})"


def _known(name: str) -> str:
    return f"{_stripped(name)} NOT IN ({_words(MISSING)})"


def _words(texts: Iterable[str]) -> str:
    return ", ".join(map(_text, texts))


def _class(name: str) -> str:
    """What a field without blanks around it can be read as. Most numbers are written as DuckDB
    writes them; patterns, which take longer, are for the others.
    """
    field = quoted(name)
    whole, real = f"TRY_CAST({field} AS BIGINT)", f"TRY_CAST({field} AS DOUBLE)"
    size = f"abs(TRY_CAST({field} AS HUGEINT))"
    cases = {
        f"{field} IS NULL OR {field} IN ({_words(MISSING)})": GAP,
        f"{field} = CAST({whole} AS VARCHAR)"
        f" AND {whole} BETWEEN -{EXACT_DOUBLE} AND {EXACT_DOUBLE}": SHORT_WHOLE,
        f"{field} = CAST({real} AS VARCHAR)": REAL,
        f"NOT regexp_full_match({field}, {_text(NUMBER.pattern)})": (
            f"CASE WHEN {field} IN ({_words(LOGICAL)}) THEN {FLAG} ELSE {TEXT} END"
        ),
        f"NOT regexp_full_match({field}, {_text(WHOLE.pattern)})": REAL,
        f"{size} <= {EXACT_DOUBLE}": OTHERWISE_WRITTEN,
        f"{size} <= {LARGEST_WHOLE}": WHOLE_OF_64_BITS,
    }
    branches = " ".join(f"WHEN {condition} THEN {which}" for condition, which in cases.items())
    return f"CASE {branches} ELSE {LONG_WHOLE} END"


def _read(name: str, kind: TextKind) -> str:
    """A column as its kind; blanks and NA as NULL, but NA as it is where a user calls it text."""
    expressions = {
        "logical": f"lower({_stripped(name)}) = 'true'",
        "integer": f"CAST({_stripped(name)} AS BIGINT)",
        "double": f"CAST({_stripped(name)} AS DOUBLE)",
        "character": quoted(name),
        "code": _plain_whole(name),
        "text": quoted(name),
    }
    known = f"{_stripped(name)} <> ''" if kind == "text" else _known(name)
    return f"CASE WHEN {known} THEN {expressions[kind]} END"


def _plain_whole(name: str) -> str:
    """A whole number without what does not change it, as `text_types.plain_whole` has it."""
    field = _stripped(name)
    digits = f"ltrim(ltrim({field}, '+-'), '0')"
    number = f"CASE WHEN {digits} = '' THEN '0' WHEN {field} LIKE '-%' THEN '-' || {digits} ELSE"
    return (
        f"CASE WHEN regexp_full_match({field}, {_text(WHOLE.pattern)}) THEN {number} {digits} END"
        f" ELSE {quoted(name)} END"
    )
