"""Questions in SQL about columns of a table that narwhals cannot express. The engine must
answer with one row; nothing is written, and no view is left behind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .narwhal import Frame

RECORDS = "synthpop_records"  # what queries call the table; its columns are c0, c1, …
WITHOUT_SQL = ("polars",)  # engines of Ibis that are not asked in SQL


@dataclass(frozen=True, slots=True)
class Questions:
    """An engine that answers questions about some columns of one table.

    Attributes
    ----------
    engine : its name, "postgres" also where Ibis stands between.
    native : the table, as its own library has it.
    ask : the one row that it answers to a query on `RECORDS`.
    """

    engine: str
    native: Any
    ask: Callable[[str], Sequence[int]]


def questions(frame: Frame, names: Sequence[str]) -> Questions | None:
    """The engine that answers for these columns; None if there is none: polars, Dask and others."""
    import narwhals.stable.v2 as nw

    native = nw.to_native(frame)
    library = frame.implementation
    if library.is_duckdb():
        return _duckdb(native, names)
    if library.is_pyspark() or library.is_pyspark_connect():
        return _spark(native, names)
    if library.is_ibis():
        return _ibis(native, names)
    return None


def quoted(name: str) -> str:
    """A name quoted for SQL.

    Examples
    --------
    >>> print(quoted('size "net"'))
    "size ""net""\"
    """
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _duckdb(relation: Any, names: Sequence[str]) -> Questions:
    fields = [f"{quoted(name)} AS c{position}" for position, name in enumerate(names)]
    records = relation.project(", ".join(fields))

    def ask(query: str) -> Sequence[int]:
        return list(records.query(RECORDS, query).fetchall()[0])

    return Questions("duckdb", relation, ask)


def _spark(frame: Any, names: Sequence[str]) -> Questions:
    columns = [frame[f"`{name.replace('`', '``')}`"] for name in names]
    records = frame.select(*columns).toDF(*[f"c{position}" for position in range(len(names))])

    def ask(query: str) -> Sequence[int]:
        answer = records.sparkSession.sql(query.replace(RECORDS, "{records}"), records=records)
        return list(answer.collect()[0])

    return Questions("pyspark", frame, ask)


def _ibis(table: Any, names: Sequence[str]) -> Questions | None:
    backend = table.get_backend()
    if backend.name in WITHOUT_SQL:
        return None
    records = table.select(**{f"c{position}": table[name] for position, name in enumerate(names)})
    source = f"({backend.compile(records)}) AS {RECORDS}"

    def ask(query: str) -> Sequence[int]:
        cursor = backend.raw_sql(query.replace(RECORDS, source))
        # Spark answers with a data frame; DuckDB's cursor is the connection, so nothing is closed
        rows = cursor.fetchall() if hasattr(cursor, "fetchall") else cursor.collect()
        return list(rows[0])

    return Questions(backend.name, table, ask)
