"""What an engine could merge or change on the way, asked before it counts: types without a
counterpart, sums of strange counts, collations, values of SQLite that are not of their type.

Frames come under our names, c0, c1 and so on; `called` says what the user calls them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import InputError
from ..redaction import redacted
from .frames import Frame
from .protocol import NO_COUNTS, TOO_MANY, quoted

if TYPE_CHECKING:
    import pyarrow as pa

RECORDS = "synthpop_records"  # what queries call the table
WITHOUT_SQL = ("polars",)  # engines of Ibis that are not asked in SQL
SPARKS_BYTES = "UTF8_BINARY"

# Every collation that is not binary treats two of these as one: case, accents, blanks at the end,
# two ways to encode an accent, wide letters, signs without weight.
ALIKE = ("a", "A", "\u00e1", "a\u0301", "a ", "\uff41", "a\u00ad")
# by engine: what differs wherever the bytes of two texts do; a column compared by its bytes
BYTES = {
    "duckdb": ("HEX({0})", "{0} COLLATE C"),
    "sqlite": ("HEX({0})", "{0} COLLATE BINARY"),
    "mysql": ("HEX({0})", "{0} COLLATE utf8mb4_bin"),
    "pyspark": ("HEX({0})", "COLLATE({0}, 'UTF8_BINARY')"),
    # FORMAT keeps the blanks at the end that a cast of CHAR to text drops
    "postgres": (
        "CASE WHEN {0} IS NOT NULL THEN CONVERT_TO(FORMAT('%s', {0}), 'UTF8') END",
        '{0}::text COLLATE "C"',
    ),
}


def check_columns(
    frame: Frame, fields: Sequence[str], called: Mapping[str, str], place: str
) -> None:
    """Raise an error if a GROUP BY would merge values of a column."""
    import narwhals.stable.v2 as nw

    schema = frame.collect_schema()
    refused: list[Any] = [nw.List, nw.Array, nw.Struct, nw.Binary, nw.Time, nw.Object]
    # intervals of databases: a month is 30 days to GROUP BY, and Ibis drops fractions of seconds
    if frame.implementation.is_duckdb() or frame.implementation.is_ibis():
        refused += [nw.Duration]
    # polars does not hand whole numbers of 128 bits to Arrow, DuckDB does
    if frame.implementation.is_polars():
        refused += [nw.Int128, nw.UInt128]
    for field in fields:
        if schema[field] in refused:
            raise InputError(
                f"{redacted(place)}, column {called[field]!r}: columns of type {schema[field]}"
                " cannot be compared; give a view or a query that makes it text, a number or a date"
            )
    asked = _questions(frame)
    texts = [field for field in fields if schema[field] == nw.String]
    if asked is not None and texts:
        _check_collations(asked, texts, called, place)
    if asked is not None and fields and asked.engine == "sqlite":
        _check_sqlite_values(asked, fields, called, place)


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


def check_counts(
    frame: Frame, field: str, what: str, collected: Callable[[Callable[[], Frame]], pa.Table]
) -> None:
    """Raise an error for a column that cannot be a column of counts: sums of groups would hide a
    negative number, a fraction or a missing one, and some engines wrap around beyond 64 bits.
    """
    import narwhals.stable.v2 as nw

    dtype = frame.collect_schema()[field]
    if not dtype.is_numeric():
        raise InputError(NO_COUNTS.format(what))
    number = nw.col(field)
    looks = [number.is_null().cast(nw.Int64).sum(), number.min(), number.cast(nw.Float64).sum()]
    if not dtype.is_integer():
        looks.append((number.floor() != number).cast(nw.Int64).sum())
    asked = [look.alias(f"look{at}") for at, look in enumerate(looks)]
    seen = collected(lambda: frame.select(*asked)).to_pylist()[0]
    missing, lowest, about, *fractions = (value or 0 for value in seen.values())
    if missing or math.isnan(about) or any(fractions) or lowest < 0:
        raise InputError(NO_COUNTS.format(what))
    # the sum of doubles is off by less than this; what is near the limit is summed exactly later
    if about > 2.0**63 * (1 + 1e-6):
        raise InputError(TOO_MANY.format(what))


class _Questions(NamedTuple):
    """An engine that answers questions in SQL: its name ("postgres" also where Ibis stands
    between), the table as its library has it, and the one row that it answers to a query on
    `RECORDS`. Nothing is written, no view is left behind.
    """

    engine: str
    native: Any
    ask: Callable[[str], Sequence[int]]


def _questions(frame: Frame) -> _Questions | None:
    """The engine that answers; None if there is none: polars, Dask and others."""
    import narwhals.stable.v2 as nw

    native = nw.to_native(frame)
    library = frame.implementation
    if library.is_duckdb():
        return _Questions("duckdb", native, lambda asks: native.query(RECORDS, asks).fetchall()[0])
    if library.is_pyspark() or library.is_pyspark_connect():

        def ask_spark(query: str) -> Sequence[int]:
            answer = native.sparkSession.sql(query.replace(RECORDS, "{records}"), records=native)
            return list(answer.collect()[0])

        return _Questions("pyspark", native, ask_spark)
    if not library.is_ibis() or native.get_backend().name in WITHOUT_SQL:
        return None
    backend = native.get_backend()
    source = f"({backend.compile(native)}) AS {RECORDS}"

    def ask_ibis(query: str) -> Sequence[int]:
        cursor = backend.raw_sql(query.replace(RECORDS, source))
        # Spark answers with a data frame; DuckDB's cursor is the connection, so nothing is closed
        rows = cursor.fetchall() if hasattr(cursor, "fetchall") else cursor.collect()
        return list(rows[0])

    return _Questions(backend.name, native, ask_ibis)


def _check_collations(
    asked: _Questions, fields: Sequence[str], called: Mapping[str, str], place: str
) -> None:
    """Refuse columns where a database treats two texts, such as "a" and "A", as one. Only if a few
    letters show that it may are the records counted, by the column and by its bytes.
    """
    suspects = _merging(asked, fields)
    by_bytes, repaired = BYTES.get(asked.engine, ("", ""))
    found = {} if by_bytes else dict.fromkeys(suspects, "may treat different texts as one")
    if suspects and by_bytes:
        both = [
            f"COUNT(DISTINCT {one}), COUNT(DISTINCT {by_bytes.format(one)})" for one in suspects
        ]
        numbers = asked.ask(f"SELECT {', '.join(both)} FROM {RECORDS}")
        for field, merged, different in zip(suspects, numbers[::2], numbers[1::2]):
            if merged < different:
                found[field] = f"counts its {different:,} different texts as {merged:,}"
    for field, says in found.items():
        name, way = called[field], "a collation that compares bytes"
        if repaired:
            way = f"{repaired.format(quoted(name))} in its place"
        raise InputError(
            f"{redacted(place)}, column {name!r}: {asked.engine} compares its texts by a collation"
            f" and {says}; merged levels would understate the risk. Give a view or a query that"
            f" has {way}"
        )


def _merging(asked: _Questions, fields: Sequence[str]) -> list[str]:
    """The columns that treat two of the texts in `ALIKE` as one; all of them where one cannot hold
    these, such as Postgres' ENUM.
    """
    if asked.engine == "pyspark":  # does not mix its columns with letters; 3 compared bytes only
        types = {field: asked.native.schema[field].dataType for field in fields}
        collations = {field: getattr(kind, "collation", None) for field, kind in types.items()}
        return [field for field in fields if collations[field] not in (None, SPARKS_BYTES)]
    # the columns come first and give their collations to the letters that follow
    rows = [f"SELECT {', '.join(fields)} FROM {RECORDS} WHERE 1 = 0"]
    rows += ["SELECT " + ", ".join([f"'{text}'"] * len(fields)) for text in ALIKE]
    counts = ", ".join(f"COUNT(DISTINCT {field})" for field in fields)
    try:
        found = asked.ask(f"SELECT {counts} FROM ({' UNION ALL '.join(rows)}) AS letters")
    except Exception:
        return list(fields)
    return [field for field, count in zip(fields, found) if count < len(ALIKE)]


# what SQLite must hold in columns of these types; others are texts
NUMBER = "typeof({0}) IN ('integer', 'real')"
DECLARED = {
    "is_boolean": "{0} IN (0, 1)",
    "is_integer": "typeof({0}) = 'integer' AND {0} BETWEEN {1.bounds[0]} AND {1.bounds[1]}",
    "is_floating": NUMBER,
    "is_decimal": f"{NUMBER} AND (typeof({{0}}) = 'integer' OR {{0}} = ROUND({{0}}, {{2}}))",
    "is_date": "DATE({0}) IS {0}",
    "is_timestamp": "typeof({0}) = 'text' AND DATETIME({0}) IS NOT NULL",
}
# Ibis makes doubles of whole numbers where one is missing
LONG = "({0} NOT BETWEEN -9007199254740992 AND 9007199254740992)"


def _check_sqlite_values(
    asked: _Questions, fields: Sequence[str], called: Mapping[str, str], place: str
) -> None:
    """Refuse columns with values that are not of the declared type: SQLite holds 1.5 in a column of
    whole numbers, and Ibis silently turns it into 1.
    """
    counts = []
    for field in fields:
        dtype = asked.native.schema()[field]
        found = [text for name, text in DECLARED.items() if getattr(dtype, name)()]
        decimals = 9 if getattr(dtype, "scale", None) is None else dtype.scale
        fits = [*found, "typeof({0}) <> 'blob'"][0].format(field, dtype, decimals)
        count = f"COUNT(CASE WHEN {field} IS NOT NULL AND NOT ({fits}) THEN 1 END)"
        if dtype.is_integer():
            count += f" + (COUNT(*) > COUNT({field})) * COALESCE(SUM({LONG.format(field)}), 0)"
        counts.append(count)
    numbers = asked.ask(f"SELECT {', '.join(counts)} FROM {RECORDS}")
    for field, changed in zip(fields, numbers):
        if changed:
            name, dtype = called[field], asked.native.schema()[field]
            raise InputError(
                f"{redacted(place)}, column {name!r}: Ibis would change {changed:,} of its values"
                f" on the way: they are not of its declared type ({dtype}), or whole numbers of"
                " more than 53 bits beside missing ones; give a view or a query with"
                f" CAST({quoted(name)} AS TEXT) in its place"
            )
