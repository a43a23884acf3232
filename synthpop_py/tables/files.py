"""Files that are not CSV, and tables in database files of DuckDB and SQLite: from a path to an
origin. A file is never changed, and nothing is left beside it.

DuckDB scans Parquet, so large files are not read into memory; without it they are.
"""

from __future__ import annotations

import glob
import os
import re
import tempfile
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pandas as pd

from ..core.columns import Column
from ..errors import InputError, SynthpopError, missing_package, nearest, some, unknown_choice
from . import protocol
from .frames import import_narwhals
from .paths import DATABASES, OF_R, Location
from .protocol import Origin, quoted
from .reading import plain_series, read_column

if TYPE_CHECKING:
    import pyarrow as pa

SQLITE = b"SQLite format 3\x00"
DUCKDB = b"DUCK"  # from the ninth byte on
WRITE_AHEAD = 2  # what bytes 18 and 19 of SQLite's header say of a database with a log
MOST_TABLES = 10
SPOKEN = {"duckdb": "DuckDB", "sqlite": "SQLite"}
NEEDED = {"duckdb": ("duckdb", "duckdb"), "sqlite": ("ibis", "sql")}  # package and extra
LIST_TABLES = {
    "duckdb": "SELECT table_schema, table_name FROM information_schema.tables ORDER BY ALL",
    "sqlite": (
        "SELECT 'main', name FROM sqlite_master WHERE type IN ('table', 'view')"
        " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
    ),
}
# row labels that pandas writes as a column; for other readers they are not records
ROW_LABELS = re.compile(r"__index_level_\d+__")
SAS_TEXT = "iso-8859-1"  # the encoding of transport files; any byte can be read in it
READERS: dict[str, Callable[[Path], pd.DataFrame]] = {
    ".sas7bdat": lambda file: pd.read_sas(file, format="sas7bdat", encoding="infer"),
    ".xpt": lambda file: pd.read_sas(file, format="xport", encoding=SAS_TEXT),
    ".sav": lambda file: pd.read_spss(file),
    ".dta": lambda file: pd.read_stata(file),
}


def origin_of(location: Location, *, scan: bool = True) -> Origin:
    """The table in a file that is not CSV; without `scan` it is read into memory."""
    if location.kind in DATABASES:
        return _of_database(location)
    if location.table is not None and location.kind not in OF_R:
        raise InputError(
            f"table: {location.name!r} holds one table, without a name; leave table= out"
        )
    if location.kind in OF_R:
        frame = _of_r(location)
    elif location.kind != ".parquet":
        frame = _of_statistics(location)
    elif scan and all(map(protocol.is_installed, ("duckdb", "narwhals", "pyarrow"))):
        return _parquet_scanned(location)
    else:
        frame = _parquet_in_memory(location)
    return Origin(native=frame, name=location.name, reader="pandas")


def connected(database: str = ":memory:", *, read_only: bool = False) -> Any:
    """A separate connection of DuckDB. It fetches nothing from the network, and spills to the
    folder for temporary files, not to where Python runs: connections to one file to the same place,
    because DuckDB refuses a second one with other settings.
    """
    import duckdb

    name = uuid.uuid4() if database == ":memory:" else uuid.uuid5(uuid.NAMESPACE_URL, database)
    spill = os.path.join(tempfile.gettempdir(), f"synthpop-{os.getpid()}-{name.hex}")
    config: dict[str, Any] = {"autoinstall_known_extensions": "false", "temp_directory": spill}
    return duckdb.connect(database, read_only=read_only, config=config)


def _import_parquet() -> Any:
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        raise missing_package("files that end in .parquet", "pyarrow", "frames") from None
    return parquet


def _schema(location: Location) -> pa.Schema:
    """Names and types of the columns, those of the first file; the others must have the same: an
    engine would convert the values of one file, and may merge some.
    """
    first, *others = location.files
    schema = _schema_of(first, location)
    _check_case(schema.names, location)
    for file in others:
        other = _schema_of(file, location)
        differing = set(schema.names) ^ set(other.names)
        if differing:
            raise location.error(
                f"and {first.name!r} do not have the same columns ({some(sorted(differing))}), so"
                " they are not one table",
                file.name,
            )
        for name in _record_columns(schema):
            types = _type_of(schema, name), _type_of(other, name)
            if types[0] != types[1]:
                raise InputError(
                    f"{location.argument}: column {name!r} has type {types[0]} in {first.name!r}"
                    f" and {types[1]} in {file.name!r}; write the files with one type"
                )
    return schema


def _check_case(names: Sequence[str], location: Location) -> None:
    """Raise an error for names that differ only in case, which databases treat as the same."""
    by_lower: dict[str, str] = {}
    for name in names:
        other = by_lower.setdefault(name.lower(), name)
        if other != name:
            raise location.error(
                f"has columns {other!r} and {name!r}, which differ only in case; rename one"
            )


def _schema_of(file: Path, location: Location) -> pa.Schema:
    parquet = _import_parquet()
    try:
        schema = parquet.read_schema(file)
    except (ValueError, OSError):  # Arrow's errors are among them, and may quote the file
        raise _damaged_parquet(location, file.name) from None
    twice = sorted({name for name in schema.names if schema.names.count(name) > 1})
    if twice:
        raise location.error(
            f"has columns of the same name ({some(twice)}); rename them", file.name
        )
    return schema


def _type_of(schema: pa.Schema, name: str) -> str:
    """The type of a column: of categories that of their values, of text one for all its forms."""
    import pyarrow as pa

    found = schema.field(name).type
    if pa.types.is_dictionary(found):
        found = found.value_type
    is_text = pa.types.is_string(found) or pa.types.is_large_string(found)
    return "string" if is_text else str(found)


def _damaged_parquet(location: Location, name: str) -> InputError:
    return location.error(
        "cannot be read as Parquet; it is damaged, incomplete or another kind of file. Write it"
        " again",
        name,
    )


def _record_columns(schema: pa.Schema) -> list[str]:
    return [name for name in schema.names if not ROW_LABELS.fullmatch(name)]


def _parquet_scanned(location: Location) -> Origin:
    import pyarrow as pa

    is_current = location.same_as_now()
    schema = _schema(location)
    # DuckDB loses the order of categories, and those that do not occur; the files still have them
    categories = [field.name for field in schema if pa.types.is_dictionary(field.type)]
    known: dict[str, list[Any]] = {}

    def read(name: str, series: pd.Series, where: str) -> Column:
        if name not in categories:
            return read_column(series, where)
        if name not in known:
            known[name] = _categories(location, name)
        values = series.array.__arrow_array__().to_pandas()
        return read_column(pd.Series(pd.Categorical(values, categories=known[name])), where)

    connection = connected()
    files = [glob.escape(str(file)) for file in location.files]  # names are patterns to DuckDB
    table = connection.read_parquet(files, hive_partitioning=False)
    return Origin(
        native=table.select(*map(quoted, _record_columns(schema))),
        name=location.name,
        reader="duckdb",
        read_column=read if categories else None,
        load=lambda: _parquet_in_memory(location),
        close=connection.close,
        is_current=is_current,
    )


def _categories(location: Location, name: str) -> list[Any]:
    """The categories of a column, in the order of the files. Every group of rows has its own list,
    nearly always the same; the groups are read one at a time to save memory.
    """
    found: dict[Any, None] = {}
    for file in location.files:
        with _import_parquet().ParquetFile(file) as opened:
            for group in range(opened.num_row_groups):
                for chunk in opened.read_row_group(group, columns=[name]).column(0).chunks:
                    found |= dict.fromkeys(chunk.dictionary.to_pandas())
    return list(found)


def _parquet_in_memory(location: Location) -> pd.DataFrame:
    parquet = _import_parquet()
    import pyarrow as pa

    names = _record_columns(_schema(location))
    try:
        files = [parquet.ParquetFile(file, memory_map=False) for file in location.files]
        table = pa.concat_tables([file.read(columns=names).select(names) for file in files])
    except (ValueError, OSError):
        raise _damaged_parquet(location, location.name) from None
    columns = [plain_series(column) for column in table.columns]
    return pd.DataFrame(dict(zip(names, columns)), columns=names)


def _of_statistics(location: Location) -> pd.DataFrame:
    if location.kind == ".sav" and not protocol.is_installed("pyreadstat"):
        raise SynthpopError(
            "files that end in .sav need pyreadstat, which is not installed: pip install pyreadstat"
        )
    try:
        frame = READERS[location.kind](location.files[0])
    except Exception as error:  # readers of damaged files raise nearly anything
        raise location.error(
            f"cannot be read as {location.kind} ({type(error).__name__}); it may be damaged, or of"
            " a version that pandas does not know. Save it as .csv or .parquet",
            reason=str(error),
        ) from None
    # all three formats write a missing text as blanks
    for name, column in frame.items():
        if pd.api.types.is_string_dtype(column.dtype) or column.dtype == object:
            blank = column.map(lambda value: isinstance(value, str) and not value.strip())
            frame[name] = column.mask(blank.astype(bool))
    return frame


def _of_r(location: Location) -> pd.DataFrame:
    from ..r_files.reading import all_objects
    from ..synds import SynDS

    objects: Mapping[str, Any] = all_objects(location.files[0])
    tables = {name: thing for name, thing in objects.items() if isinstance(thing, pd.DataFrame)}
    table = location.table
    if table is not None:
        if table not in tables:
            raise unknown_choice("table", table, sorted(tables), f"the tables of {location.name!r}")
        return tables[table]
    if len(tables) == 1:
        return next(iter(tables.values()))
    way = "save it by itself with saveRDS()"
    if tables:
        way = f"name one, as in {location.name}::{next(iter(tables))}"
    elif any(isinstance(thing, SynDS) for thing in objects.values()):
        way = f"it holds a synthesis: read_synds({location.name!r}) gives it"
    raise location.error(f"holds {len(tables)} data frames, and one is needed; {way}")


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


def _of_database(location: Location) -> Origin:
    reader = "sqlite" if _is_sqlite(location) else "duckdb"
    package, extra = NEEDED[reader]
    protocol.needed(f"databases of {SPOKEN[reader]}", package, extra)
    import_narwhals()
    connection = None
    try:
        connection = _connected_to(location.files[0], reader)
        schema, name = _chosen(location, connection.execute(LIST_TABLES[reader]).fetchall())
        if reader == "sqlite":
            import ibis

            native = ibis.sqlite.from_connection(connection).table(name)
        else:
            native = connection.sql(f"SELECT * FROM {quoted(schema)}.{quoted(name)}")
    except Exception as error:  # which may quote values and folders
        if connection is not None:
            connection.close()
        if isinstance(error, SynthpopError):
            raise
        raise InputError(
            f"{location.argument}: {SPOKEN[reader]} cannot open {location.name!r}"
            f" ({type(error).__name__}); if a connection to it is open, here or in another program,"
            " close it, or give a table of that connection. Its own message is in the error's"
            " details",
            details={"reason": str(error)},
        ) from None
    return Origin(native, f"{location.name}, table {location.table}", reader, connection.close)


def _connected_to(file: Path, reader: str) -> Any:
    if reader == "duckdb":
        return connected(str(file.resolve()), read_only=True)
    import sqlite3  # not every Python is built with it

    return sqlite3.connect(_read_only_address(file), uri=True)


def _read_only_address(file: Path) -> str:
    """The address that makes SQLite open the file without writing. For a database in log mode even
    a reader leaves two files behind, unless SQLite is told that nobody writes; that is true if
    there is no log file.
    """
    keeps_log = _header(file)[18:20] == bytes([WRITE_AHEAD, WRITE_AHEAD])
    nobody_writes = keeps_log and not file.with_name(f"{file.name}-wal").exists()
    return f"file:{quote(str(file.absolute()))}?{'immutable=1' if nobody_writes else 'mode=ro'}"


def _chosen(location: Location, found: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """Schema and name of the table that was asked for."""
    table = location.table
    by_name: dict[str, tuple[str, str]] = {}
    for schema, name in found:
        by_name.setdefault(name, (schema, name))
        by_name[f"{schema}.{name}"] = (schema, name)
    if table in by_name:
        return by_name[table]
    names = [name for _, name in found]
    if not names:
        raise location.error("is a database without tables")
    choices = f"choices: {some(names, MOST_TABLES)}"
    if table is None:
        raise location.error(
            f"is a database; name one of its tables, as in open_table(..., table={names[0]!r});"
            f" {choices}"
        )
    near = nearest(table, names)
    hint = choices if near is None else f"did you mean {near!r}?"
    raise InputError(f"table: {table!r} is not a table of {location.name!r}; {hint}")
