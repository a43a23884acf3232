"""What an engine could merge or change on the way, before it counts: types, collations, values of
SQLite that are not of their type. `called` says what the user calls our columns c0, c1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import InputError
from ..redaction import redacted
from .frames import Frame
from .protocol import quoted

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
            says = f"{redacted(place)}, column {called[field]!r}: columns of type {schema[field]}"
            raise InputError(f"{says} cannot be compared; give a view that makes it text")
    asked = _questions(frame)
    texts = [field for field in fields if schema[field] == nw.String]
    if asked is not None and texts:
        _check_collations(asked, texts, called, place)
    if asked is not None and fields and asked.engine == "sqlite":
        _check_sqlite_values(asked, fields, called, place)


def with_texts(frame: Frame) -> Frame:
    """Texts for types that only an engine knows, and for polars' Categorical, without an order."""
    import narwhals.stable.v2 as nw

    schema = frame.collect_schema()
    strange = [name for name, dtype in schema.items() if dtype in (nw.Unknown, nw.Categorical)]
    if not strange:
        return frame
    return frame.with_columns(*[nw.col(name).cast(nw.String) for name in strange])


class _Questions(NamedTuple):
    """An engine that answers in SQL; nothing is written, no view is left behind."""

    engine: str  # "postgres" also where Ibis stands between
    native: Any  # the table as its library has it
    ask: Callable[[str], Sequence[int]]  # the one row that answers a query on `RECORDS`


def _questions(frame: Frame) -> _Questions | None:
    """The engine that answers; None if there is none: polars, Dask and others."""
    import narwhals.stable.v2 as nw

    native = nw.to_native(frame)
    library = frame.implementation
    if library.is_duckdb():
        return _Questions("duckdb", native, lambda asks: native.query(RECORDS, asks).fetchall()[0])
    if library.is_pyspark() or library.is_pyspark_connect():
        spark = native.sparkSession

        def ask_spark(query: str) -> Sequence[int]:
            answer = spark.sql(query.replace(RECORDS, "{records}"), records=native)
            return list(answer.collect()[0])

        return _Questions("pyspark", native, ask_spark)
    backend = native.get_backend() if library.is_ibis() else None
    if backend is None or backend.name in WITHOUT_SQL:
        return None
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
    """Refuse columns where a database treats two texts, such as "a" and "A", as one."""
    by_bytes, repaired = BYTES.get(asked.engine, ("", ""))
    for field in _merging(asked, fields):
        name, way = called[field], "a collation that compares bytes"
        says = "may treat different texts as one"
        if by_bytes:
            counts = f"COUNT(DISTINCT {field}), COUNT(DISTINCT {by_bytes.format(field)})"
            merged, different = asked.ask(f"SELECT {counts} FROM {RECORDS}")
            if merged == different:
                continue
            says = f"counts its {different:,} different texts as {merged:,}"
            way = f"{repaired.format(quoted(name))} in its place"
        where = f"{redacted(place)}, column {name!r}: {asked.engine} compares its texts by"
        why = "merged levels would understate the risk. Give a view or a query that has"
        raise InputError(f"{where} a collation and {says}; {why} {way}")


def _merging(asked: _Questions, fields: Sequence[str]) -> list[str]:
    """The columns that may treat two texts as one, as far as the letters in `ALIKE` tell."""
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
    """Refuse values that Ibis would change: SQLite holds 1.5 in a column of whole numbers."""
    schema = asked.native.schema()
    counts = []
    for field in fields:
        dtype = schema[field]
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
            name = called[field]
            raise InputError(
                f"{redacted(place)}, column {name!r}: Ibis would change {changed:,} of its values"
                f" on the way: they are not of its declared type ({schema[field]}), or whole"
                " numbers of more than 53 bits beside missing ones;"
                f" give a view or a query with CAST({quoted(name)} AS TEXT) in its place"
            )
