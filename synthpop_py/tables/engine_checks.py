"""What an engine could merge or change on the way: types, collations, values of SQLite that are not
of their type. `called` says what the user calls our columns c0, c1.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..redaction import redacted
from .frames import Frame, arrow_of
from .protocol import quoted

if TYPE_CHECKING:
    import pyarrow as pa

RECORDS = "synthpop_records"  # what queries call the table
# Every collation that is not binary treats two of these as one: case, accents, blanks at the end,
# two ways to encode an accent, wide letters, signs without weight.
ALIKE = ("a", "A", "\u00e1", "a\u0301", "a ", "\uff41", "a\u00ad")
SPARKS_BYTES = "UTF8_BINARY"
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


def with_texts(frame: Frame) -> Frame:
    """Texts for types that only an engine knows, and for polars' Categorical, without an order."""
    import narwhals.stable.v2 as nw

    schema = frame.collect_schema()
    strange = [name for name, dtype in schema.items() if dtype in (nw.Unknown, nw.Categorical)]
    if not strange:
        return frame
    return frame.with_columns(*[nw.col(name).cast(nw.String) for name in strange])


def check_columns(
    frame: Frame, fields: Sequence[str], called: Mapping[str, str], place: str
) -> None:
    """Raise an error if a GROUP BY would merge values of a column."""
    import narwhals.stable.v2 as nw

    schema, library = frame.collect_schema(), frame.implementation
    refused: list[Any] = [nw.List, nw.Array, nw.Struct, nw.Binary, nw.Time, nw.Object]
    # intervals of databases: a month is 30 days to GROUP BY, and Ibis drops fractions of seconds
    if library.is_duckdb() or library.is_ibis():
        refused += [nw.Duration]
    # polars does not hand whole numbers of 128 bits to Arrow, DuckDB does
    if library.is_polars():
        refused += [nw.Int128, nw.UInt128]
    for field in fields:
        if schema[field] in refused:
            says = f"{redacted(place)}, column {called[field]!r}: columns of type {schema[field]}"
            raise InputError(f"{says} cannot be compared; give a view that makes it text")
    engine = _sql_engine(frame)
    texts = [field for field in fields if schema[field] == nw.String]
    if engine and texts:
        _check_collations(frame, engine, texts, called, place)


def _sql_engine(frame: Frame) -> str:
    """The name of the engine that answers in SQL, also where Ibis stands between; may be empty."""
    name = str(frame.implementation.value)
    if frame.implementation.is_ibis():
        backend = str(frame.to_native().get_backend().name)
        return "" if backend == "polars" else backend
    return next((engine for engine in ("duckdb", "pyspark") if name.startswith(engine)), "")


def ask(frame: Frame, query: str) -> Sequence[int]:
    """The one row that answers a query on `RECORDS`; nothing is written, no view is left behind."""
    native = frame.to_native()
    if frame.implementation.is_duckdb():
        return list(native.query(RECORDS, query).fetchall()[0])
    if not frame.implementation.is_ibis():
        answer = native.sparkSession.sql(query.replace(RECORDS, "{records}"), records=native)
        return list(answer.collect()[0])
    backend = native.get_backend()
    cursor = backend.raw_sql(query.replace(RECORDS, f"({backend.compile(native)}) AS {RECORDS}"))
    # Spark answers with a data frame; DuckDB's cursor is the connection, so nothing is closed
    rows = cursor.fetchall() if hasattr(cursor, "fetchall") else cursor.collect()
    return list(rows[0])


def _check_collations(
    frame: Frame, engine: str, fields: Sequence[str], called: Mapping[str, str], place: str
) -> None:
    """Refuse columns where a database treats two texts, such as "a" and "A", as one."""
    by_bytes, repaired = BYTES.get(engine, ("", ""))
    for field in _merging(frame, engine, fields):
        name, way = called[field], "a collation that compares bytes"
        says = "may treat different texts as one"
        if by_bytes:
            counts = f"COUNT(DISTINCT {field}), COUNT(DISTINCT {by_bytes.format(field)})"
            merged, different = ask(frame, f"SELECT {counts} FROM {RECORDS}")
            if merged == different:
                continue
            says = f"counts its {different:,} different texts as {merged:,}"
            way = f"{repaired.format(quoted(name))} in its place"
        where = f"{redacted(place)}, column {name!r}: {engine} compares its texts by"
        why = "merged levels would understate the risk. Give a view or a query that has"
        raise InputError(f"{where} a collation and {says}; {why} {way}")


def _merging(frame: Frame, engine: str, fields: Sequence[str]) -> list[str]:
    """The columns that may treat two texts as one, as far as the letters in `ALIKE` tell."""
    if engine == "pyspark":  # does not mix its columns with letters; 3 compared bytes only
        types = {field.name: field.dataType for field in frame.to_native().schema}
        plain = (None, SPARKS_BYTES)
        return [field for field in fields if getattr(types[field], "collation", None) not in plain]
    # the columns come first and give their collations to the letters that follow
    rows = [f"SELECT {', '.join(fields)} FROM {RECORDS} WHERE 1 = 0"]
    rows += ["SELECT " + ", ".join([f"'{text}'"] * len(fields)) for text in ALIKE]
    counts = ", ".join(f"COUNT(DISTINCT {field})" for field in fields)
    try:
        found = ask(frame, f"SELECT {counts} FROM ({' UNION ALL '.join(rows)}) AS letters")
    except Exception:
        return list(fields)
    return [field for field, count in zip(fields, found) if count < len(ALIKE)]


# ---- SQLite, whose columns hold values of any type -----------------------------------


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


# what reads a value of a declared type, by the test of Ibis for it; others are texts
DECLARED: dict[str, Callable[[Any], Any]] = {
    "is_boolean": {0: False, 1: True}.__getitem__,
    "is_integer": operator.index,
    "is_floating": lambda value: value,
    "is_decimal": lambda value: Decimal(str(value)),
    "is_date": date.fromisoformat,
    "is_timestamp": datetime.fromisoformat,
}


def answer_of(frame: Frame, called: Mapping[str, str], place: str) -> pa.Table:
    """The rows of a query. Those of SQLite are read one by one: Ibis would cut 1.5 in a column of
    whole numbers to 1, and make doubles of whole numbers where one is missing.
    """
    if _sql_engine(frame) != "sqlite":
        return arrow_of(frame)
    import pyarrow as pa

    query = frame.to_native()
    backend, schema = query.get_backend(), query.schema()
    with closing(backend.raw_sql(backend.compile(query))) as cursor:
        rows = cursor.fetchall()
    columns = {}
    for at, (field, dtype) in enumerate(schema.items()):
        tests = [read for test, read in DECLARED.items() if getattr(dtype, test)()]
        read = [*tests, _text][0]
        try:
            values = [None if row[at] is None else read(row[at]) for row in rows]
            columns[field] = pa.array(values, dtype.to_pyarrow())
        except (TypeError, ValueError, ArithmeticError, LookupError):
            name = called.get(field, field)
            says = f"holds values that are not of its declared type ({dtype})"
            way = f"give a view or a query with CAST({quoted(name)} AS TEXT) in its place"
            where = f"{redacted(place)}, column {name!r}"
            raise InputError(f"{where}: {says}; {way}") from None
    return pa.table(columns)
