"""A table in a database file of DuckDB or SQLite, opened for reading: neither the file nor the
folder beside it changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ..errors import InputError, SynthpopError, missing_package
from ..names import nearest, some
from ..tables.narwhal import import_narwhals
from .locations import Location
from .origin import Origin
from .scans import connected, is_installed
from .sql_types import quoted

if TYPE_CHECKING:
    import sqlite3

SQLITE = b"SQLite format 3\x00"
DUCKDB = b"DUCK"  # from the ninth byte on
WRITE_AHEAD = 2  # what bytes 18 and 19 of SQLite's header say of a database with a log
MOST_TABLES = 10


def opened_database(location: Location, table: Any) -> Origin:
    """A table in the database at this location."""
    if _is_sqlite(location):
        return _of_sqlite(location, table)
    return _of_duckdb(location, table)


def _is_sqlite(location: Location) -> bool:
    """Whether the file is SQLite's, or else DuckDB's, by its first bytes: endings do not show
    it.
    """
    start = _header(location.files[0])
    if start.startswith(SQLITE):
        return True
    if start[8:12] == DUCKDB:
        return False
    raise location.error(
        "is not a database of DuckDB or SQLite; check whether it is damaged, or needs "
        "another ending"
    )


def _header(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(len(SQLITE) + 4)


# ---- DuckDB --------------------------------------------------------------------------


def _of_duckdb(location: Location, table: Any) -> Origin:
    if not is_installed("duckdb"):
        raise missing_package("databases of DuckDB", "duckdb", "duckdb")
    import_narwhals()
    connection = _connection(location)
    try:
        found = connection.execute(
            "SELECT table_schema, table_name FROM information_schema.tables ORDER BY ALL"
        ).fetchall()
        schema, name = _chosen(location, table, found)
        native = connection.sql(f"SELECT * FROM {quoted(schema)}.{quoted(name)}")
    except SynthpopError:
        connection.close()
        raise
    except Exception as error:  # DuckDB's may quote values and folders
        connection.close()
        raise _not_opened(location, "DuckDB", error) from None
    return Origin(
        native=native,
        name=f"{location.name}, table {table}",
        reader="duckdb",
        close=connection.close,
    )


def _connection(location: Location) -> Any:
    try:
        return connected(str(location.files[0].resolve()), read_only=True)
    except Exception as error:
        raise _not_opened(location, "DuckDB", error) from None


def _not_opened(location: Location, engine: str, error: Exception) -> InputError:
    return InputError(
        f"{location.argument}: {engine} cannot open {location.name!r} ({type(error).__name__}); if"
        " a connection to it is open, here or in another program, close it, or give a table of that"
        " connection. Its own message is in the error's details",
        details={"reason": str(error)},
    )


# ---- SQLite --------------------------------------------------------------------------


def _of_sqlite(location: Location, table: Any) -> Origin:
    import sqlite3  # not every Python is built with it

    connection = sqlite3.connect(_read_only_address(location.files[0]), uri=True)
    try:
        names = connection.execute(
            "SELECT 'main', name FROM sqlite_master"
            " WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
            " ORDER BY name"
        ).fetchall()
        _, name = _chosen(location, table, names)
        native = _of_ibis(connection, name)
    except sqlite3.Error as error:
        connection.close()
        raise _not_opened(location, "SQLite", error) from None
    except BaseException:
        connection.close()
        raise
    return Origin(
        native=native,
        name=f"{location.name}, table {table}",
        reader="sqlite",
        close=connection.close,
    )


def _read_only_address(file: Path) -> str:
    """The address that makes SQLite open the file without writing. For a database in log mode even
    a reader leaves two files behind, unless SQLite is told that nobody writes; that is true if
    there is no log file.
    """
    header = _header(file)
    log = file.with_name(f"{file.name}-wal")
    keeps_log = header[18:20] == bytes([WRITE_AHEAD, WRITE_AHEAD])
    mode = "immutable=1" if keeps_log and not log.exists() else "mode=ro"
    return f"file:{quote(str(file.absolute()))}?{mode}"


def _of_ibis(connection: sqlite3.Connection, name: str) -> Any:
    if not is_installed("ibis"):
        raise missing_package("databases of SQLite", "ibis", "sql")
    import_narwhals()
    import ibis

    return ibis.sqlite.from_connection(connection).table(name)


# ---- which table ---------------------------------------------------------------------


def _chosen(location: Location, table: Any, found: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """Schema and name of the table that was asked for."""
    by_name: dict[str, tuple[str, str]] = {}
    for schema, name in found:
        by_name.setdefault(name, (schema, name))
        by_name[f"{schema}.{name}"] = (schema, name)
    if table in by_name:
        return by_name[table]
    names = [name for _, name in found]
    if not names:
        raise location.error("is a database without tables")
    if table is None:
        raise location.error(
            f"is a database; name one of its tables, as in open_table(..., table={names[0]!r});"
            f" choices: {some(names, MOST_TABLES)}"
        )
    near = nearest(table, names)
    hint = f"choices: {some(names, MOST_TABLES)}"
    if near is not None:
        hint = f"did you mean {near!r}?"
    raise InputError(f"table: {table!r} is not a table of {location.name!r}; {hint}")
