"""A database can treat "a" and "A" as one value. A GROUP BY then merges levels and silently
understates the risk: columns where that happens are refused.

How a column compares texts is tested with a few letters, not with the records: the letters take the
place of the column and are counted. Only if two letters count as one are the records counted, once
by the column and once by its bytes. polars, Arrow and files compare bytes and are not tested.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..errors import InputError
from ..redaction import redacted
from .narwhal import Frame
from .questions import RECORDS, Questions, questions, quoted

# Every collation that is not binary treats two of these as one: case, accents, blanks at the end,
# two ways to encode an accent, wide letters, signs without weight.
ALIKE = ("a", "A", "\u00e1", "a\u0301", "a ", "\uff41", "a\u00ad")
SPARKS_BYTES = "UTF8_BINARY"


@dataclass(frozen=True, slots=True)
class Dialect:
    """How an engine writes what is needed here; `{0}` stands for the column.

    Attributes
    ----------
    bytes : an expression that differs wherever the bytes of two texts do, whatever the collation.
    binary : the column, compared by its bytes.
    """

    bytes: str
    binary: str


DIALECTS = {
    "duckdb": Dialect(bytes="HEX({0})", binary="{0} COLLATE C"),
    "sqlite": Dialect(bytes="HEX({0})", binary="{0} COLLATE BINARY"),
    "mysql": Dialect(bytes="HEX({0})", binary="{0} COLLATE utf8mb4_bin"),
    "pyspark": Dialect(bytes="HEX({0})", binary="COLLATE({0}, 'UTF8_BINARY')"),
    # FORMAT keeps the blanks at the end that a cast of CHAR to text drops
    "postgres": Dialect(
        bytes="CASE WHEN {0} IS NOT NULL THEN CONVERT_TO(FORMAT('%s', {0}), 'UTF8') END",
        binary='{0}::text COLLATE "C"',
    ),
}


def check_collations(frame: Frame, names: Sequence[str], place: str) -> None:
    """Raise an error if the engine treats several texts of a column as one."""
    import narwhals.stable.v2 as nw

    schema = frame.collect_schema()
    texts = [name for name in names if schema[name] == nw.String]
    asked = questions(frame, texts) if texts else None
    if asked is None:
        return
    if asked.engine == "pyspark":
        suspects = _declared_in_spark(asked, texts)
    else:
        suspects = _merging(asked, range(len(texts)))
    if suspects:
        _refuse_merged(asked, {position: texts[position] for position in suspects}, place)


def _declared_in_spark(asked: Questions, names: Sequence[str]) -> list[int]:
    """Positions of the columns whose type has a collation; Spark does not mix them with letters."""
    schema = asked.native.schema
    suspects = []
    for position, name in enumerate(names):
        # before version 4 Spark compared bytes only
        collation = getattr(schema[name].dataType, "collation", SPARKS_BYTES)
        if collation != SPARKS_BYTES:
            suspects.append(position)
    return suspects


def _merging(asked: Questions, positions: Sequence[int]) -> list[int]:
    """The columns that treat two of the texts in `ALIKE` as one, or cannot hold them."""
    try:
        found = asked.ask(_letters(positions))
    except Exception:
        # a column that holds only listed texts, such as Postgres' ENUM
        if len(positions) == 1:
            return list(positions)
        return [position for one in positions for position in _merging(asked, [one])]
    return [position for position, count in zip(positions, found) if count < len(ALIKE)]


def _letters(positions: Sequence[int]) -> str:
    """The query that counts `ALIKE` as the columns would."""
    fields = [f"c{position}" for position in positions]
    # the columns come first and give their collations to the letters that follow
    rows = [f"SELECT {', '.join(fields)} FROM {RECORDS} WHERE 1 = 0"]
    for text in ALIKE:
        rows.append("SELECT " + ", ".join([f"'{text}'"] * len(fields)))
    counts = ", ".join(f"COUNT(DISTINCT {field})" for field in fields)
    return f"SELECT {counts} FROM ({' UNION ALL '.join(rows)}) AS letters"


def _refuse_merged(asked: Questions, suspects: Mapping[int, str], place: str) -> None:
    """An error for the first column whose records have texts that the engine takes for one."""
    dialect = DIALECTS.get(asked.engine)
    if dialect is None:
        name = next(iter(suspects.values()))
        raise _merged(place, name, asked.engine, "may treat different texts as one")
    counts = []
    for position in suspects:
        field = f"c{position}"
        counts.append(f"COUNT(DISTINCT {field}), COUNT(DISTINCT {dialect.bytes.format(field)})")
    numbers = asked.ask(f"SELECT {', '.join(counts)} FROM {RECORDS}")
    for name, merged, different in zip(suspects.values(), numbers[::2], numbers[1::2]):
        if merged < different:
            found = f"counts its {different:,} different texts as {merged:,}"
            raise _merged(place, name, asked.engine, found)


def _merged(place: str, name: str, engine: str, found: str) -> InputError:
    way = "a collation that compares bytes"
    if engine in DIALECTS:
        way = f"{DIALECTS[engine].binary.format(quoted(name))} in its place"
    return InputError(
        f"{redacted(place)}, column {name!r}: {engine} compares its texts by a collation and"
        f" {found}; merged levels would understate the risk. Give a view or a query that has {way}"
    )
