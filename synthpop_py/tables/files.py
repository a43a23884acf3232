"""Files and databases: which files a path means (one, a folder of Parquet files, all that a pattern
matches; and the table in it, as in ``census.duckdb::people``), and how all but CSV are read.
Nothing is changed, or left beside a file; messages name no folders.
"""

from __future__ import annotations

import glob
import os
import re
import tempfile
import uuid
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd

from ..errors import InputError, SynthpopError, missing_package, nearest, some, unknown_choice
from . import protocol
from .frames import check_installed, in_pandas
from .protocol import Origin, quoted

OF_TEXT = (".csv", ".csv.gz")
OF_R = (".rds", ".rda", ".rdata")
SCANNED = (*OF_TEXT, ".parquet")  # of these, several files can be one table
DATABASES = (".duckdb", ".ddb", ".sqlite", ".sqlite3", ".db", ".db3")
READERS: dict[str, Callable[[Path], pd.DataFrame]] = {
    ".sas7bdat": lambda file: pd.read_sas(file, format="sas7bdat", encoding="infer"),
    # in which any byte is a letter
    ".xpt": lambda file: pd.read_sas(file, format="xport", encoding="iso-8859-1"),
    ".sav": lambda file: pd.read_spss(file),
    ".dta": lambda file: pd.read_stata(file),
}
READABLE = (*SCANNED, *READERS, *OF_R, *DATABASES)

ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
SAID = re.compile(r"(duckdb|sqlite):(?!:)", re.IGNORECASE)  # before a database of any ending
WITHIN = "::"  # between a file and the table in it
# row labels that pandas writes as a column; for other readers they are not records
ROW_LABELS = re.compile(r"__index_level_\d+__")

SQLITE = b"SQLite format 3\x00"
DUCKDB = b"DUCK"  # from the ninth byte on
WITH_LOG = b"\x02\x02"  # bytes 18 and 19 of a SQLite database with a write-ahead log
LIST_TABLES = {
    "DuckDB": "SELECT table_schema, table_name FROM information_schema.tables ORDER BY ALL",
    "SQLite": (
        "SELECT 'main', name FROM sqlite_master WHERE type IN ('table', 'view')"
        " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
    ),
}


@dataclass(frozen=True, slots=True)
class Location:
    """Files that are one table, in the order of their names, or a database file."""

    argument: str  # that gave the path
    kind: str  # the ending that all the files have
    files: tuple[Path, ...]
    name: str  # what messages call it
    table: str | None = None  # named after ``::``, in a database or a file of R

    @property
    def is_text(self) -> bool:
        return self.kind in OF_TEXT and self.table is None

    def error(self, says: str, name: str | None = None, **details: str) -> InputError:
        """An error about it, or about the file of this name."""
        return InputError(f"{self.argument}: {(name or self.name)!r} {says}", details=details)


def ending(path: Path) -> str:
    """The ending that says what a file is, in lower case: ``.csv.gz`` of ``People.CSV.gz``."""
    name = path.name.lower()
    return ".csv.gz" if name.endswith(".csv.gz") else Path(name).suffix


def located(given: str | os.PathLike[str], argument: str) -> Location:
    """The files behind a path. A file with exactly this name comes first, also one with colons."""
    text, table = os.fsdecode(given), ""
    address = ADDRESS.match(text)
    if address is not None:  # only its beginning holds no password
        says = f"an address ({address[1].lower()}://...) is not a path; give that of a file on this"
        says += " machine, or a table of duckdb, polars or ibis.connect(...)"
        raise InputError(f"{argument}: {says}")
    if not text.strip():
        raise InputError(f"{argument}: an empty text is not a path; give the path of a file")
    if isinstance(given, str) and not os.path.exists(os.path.expanduser(text)):
        text, _, table = SAID.sub("", text).partition(WITHIN)
    path = Path(os.path.expanduser(text))
    name, files = path.name, [path]
    if path.is_dir():
        name, files = f"{path.resolve().name}/", _seen(path)
    elif glob.has_magic(text) and not path.exists():
        files = [Path(found) for found in glob.glob(str(path), recursive=True)]
    files = sorted(file for file in files if file.is_file())
    kinds = sorted(set(map(ending, files or [path])))
    if table and kinds[0] not in READABLE:
        kinds = [DATABASES[0]]  # of any ending
    if not files or kinds[0] not in READABLE:
        raise _no_file(path, argument, name)
    if len(kinds) > 1 or (len(files) > 1 and kinds[0] not in SCANNED):
        says = f"{name!r} matches files that end in {', '.join(kinds)}; a pattern must match files"
        raise InputError(f"{argument}: {says} of one kind, of {', '.join(SCANNED)}")
    location = Location(argument, kinds[0], tuple(files), name, table or None)
    for file in files:
        try:
            with file.open("rb") as opened:
                is_empty = not opened.read(1)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise location.error(f"cannot be opened ({reason})", file.name) from None
        if is_empty:
            raise location.error("is empty; it does not even have column names", file.name)
    return location


def _seen(folder: Path) -> list[Path]:
    """All Parquet files of a folder but hidden ones, which writers leave behind."""
    files = []
    for file in folder.rglob("*.parquet"):
        if not any(part.startswith((".", "_")) for part in file.relative_to(folder).parts):
            files.append(file)
    return files


def _no_file(path: Path, argument: str, name: str) -> InputError:
    """The error where nothing can be read, with the name that is most alike."""
    if path.is_dir():
        says = f"the folder {name!r} holds no file that ends in .parquet; give one that does"
        return InputError(f"{argument}: {says}")
    names = {}
    for other in sorted(path.parent.glob("*"), reverse=True):
        if ending(other) in READABLE:
            names[other.name.partition(".")[0]] = other.name  # many share endings
    near = nearest(name.partition(".")[0], list(names))
    meant = "" if near is None else f"; did you mean {names[near]!r}?"
    if ending(path) in READABLE:
        meant = meant or "; no file with a similar name is in its folder"
        return InputError(f"{argument}: there is no file {name!r}{meant}")
    says = f"{name!r} cannot be read: its ending is unknown{meant or ';'} choices:"
    return InputError(f"{argument}: {says} {', '.join(READABLE)}, or a folder of .parquet files")


def origin_of(location: Location, *, scan: bool = True) -> Origin:
    """The table in a file that is not CSV; without `scan` it is read into memory."""
    if location.kind in DATABASES:
        return _of_database(location)
    if location.kind in OF_R:
        frame = _of_r(location)
    elif location.table is not None:
        says = f"{location.name!r} holds one table, without a name; leave table= out"
        raise InputError(f"table: {says}")
    elif location.kind in READERS:
        frame = _of_statistics(location)
    elif scan and all(map(protocol.is_installed, ("duckdb", "narwhals", "pyarrow"))):
        return _parquet_scanned(location)
    else:
        frame = _parquet_in_memory(location)
    return Origin(frame, location.name, "pandas")


def _of_statistics(location: Location) -> pd.DataFrame:
    try:
        frame = READERS[location.kind](location.files[0])
    except ImportError:
        says = "files that end in .sav need pyreadstat, which is not installed"
        raise SynthpopError(f"{says}: pip install pyreadstat") from None
    except Exception as error:  # readers of damaged files raise nearly anything
        says = f"cannot be read as {location.kind} ({type(error).__name__}); save it as .csv"
        raise location.error(says, reason=str(error)) from None
    # all these formats write a missing text as blanks
    for name, column in frame.items():
        if pd.api.types.is_string_dtype(column.dtype):  # of objects, too
            blank = column.map(lambda value: isinstance(value, str) and not value.strip())
            frame[name] = column.mask(blank.astype(bool))
    return frame


def _of_r(location: Location) -> pd.DataFrame:
    from ..r_files.reading import all_objects

    objects = all_objects(location.files[0])
    tables = {name: thing for name, thing in objects.items() if isinstance(thing, pd.DataFrame)}
    table = location.table
    if table is None and len(tables) == 1:
        (table,) = tables
    if table in tables:
        return tables[table]
    if table is not None:
        raise unknown_choice("table", table, sorted(tables), f"the tables of {location.name!r}")
    way = f"name one, as in {location.name}::{next(iter(tables), 'people')}"
    if not tables:
        way = f"if it holds a synthesis: read_synds({location.name!r}) gives it"
    raise location.error(f"holds {len(tables)} data frames, and one is needed; {way}")


def _columns_of(location: Location) -> tuple[list[str], list[str]]:
    """The columns, of one type in all files, since an engine converts; which hold categories."""
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        raise missing_package("files that end in .parquet", "pyarrow", "frames") from None
    first: dict[str, str] = {}
    categories: list[str] = []  # of every file
    for file in location.files:
        try:
            schema = parquet.read_schema(file)
        except (ValueError, OSError):  # Arrow's errors are among them, and may quote the file
            raise _damaged(location, file.name) from None
        types: dict[str, str] = {}
        fields = [field for field in schema if not ROW_LABELS.fullmatch(field.name)]
        for field in fields:
            has_categories = hasattr(field.type, "index_type")
            kind = field.type.value_type if has_categories else field.type
            categories += [field.name] * has_categories
            types[field.name] = str(kind).removeprefix("large_")
        if len({name.lower() for name in types}) < len(fields):  # databases ignore case
            says = "has columns whose names differ only in case or not at all; rename them"
            raise location.error(says, file.name)
        first = first or types
        if types != first:
            differs = [name for name in first | types if first.get(name) != types.get(name)]
            says = f"and {location.files[0].name!r} do not have the same columns of the same types"
            raise location.error(f"{says} ({some(differs)}), so are not one table", file.name)
    # as texts where a file holds no categories
    whole = [name for name in first if categories.count(name) == len(location.files)]
    return list(first), whole


def _damaged(location: Location, name: str | None = None) -> InputError:
    says = "cannot be read as Parquet; it is damaged, incomplete or another kind of file"
    return location.error(says, name)


def _parquet_scanned(location: Location) -> Origin:
    names, of_categories = _columns_of(location)
    connection = connected()
    files = [glob.escape(str(file)) for file in location.files]  # names are patterns to DuckDB
    table = connection.read_parquet(files, hive_partitioning=False).select(*map(quoted, names))
    levels: dict[Hashable, Any] = {
        name: partial(_categories, location, name) for name in of_categories
    }
    return Origin(table, location.name, "duckdb", connection.close, levels)


def _categories(location: Location, name: str) -> list[str]:
    """The categories of a column, in the order of the files; batches have lists of their own."""
    import pyarrow.parquet as parquet

    found: dict[str, None] = {}
    for file in location.files:
        with parquet.ParquetFile(file) as opened:
            for batch in opened.iter_batches(columns=[name]):
                found |= dict.fromkeys(batch.column(0).dictionary.to_pylist())
    return list(found)


def _parquet_in_memory(location: Location) -> pd.DataFrame:
    names, categories = _columns_of(location)
    import pyarrow as pa
    import pyarrow.parquet as parquet

    tables = []
    try:
        for file in location.files:
            table = parquet.ParquetFile(file, memory_map=False).read(columns=names).select(names)
            for at, field in enumerate(table.schema):
                is_coded = hasattr(field.type, "index_type")
                kind = field.type.value_type if is_coded else field.type
                if str(kind) in ("string", "large_string") and field.name not in categories:
                    texts = table.column(at).cast(pa.large_string())
                    table = table.set_column(at, field.name, texts)
            tables.append(table)
        whole = pa.concat_tables(tables)
    except (ValueError, OSError):
        raise _damaged(location) from None
    return in_pandas(whole, location.argument)


def connected(database: str = ":memory:", *, read_only: bool = False) -> Any:
    """A separate connection of DuckDB, which fetches nothing and spills to the temporary folder."""
    import duckdb

    # of one file to the same place: a second connection with other settings is refused
    name = uuid.uuid4() if database == ":memory:" else uuid.uuid5(uuid.NAMESPACE_URL, database)
    spill = os.path.join(tempfile.gettempdir(), f"synthpop-{os.getpid()}-{name.hex}")
    config: dict[str, Any] = {"autoinstall_known_extensions": "false", "temp_directory": spill}
    return duckdb.connect(database, read_only=read_only, config=config)


def _of_database(location: Location) -> Origin:
    file = location.files[0]
    with file.open("rb") as opened:
        header = opened.read(20)  # endings do not show what it is
    reader = "SQLite" if header.startswith(SQLITE) else "DuckDB"
    if reader == "DuckDB" and header[8:12] != DUCKDB:
        raise location.error("is not a database of DuckDB or SQLite; is it damaged?")
    package, extra = {"DuckDB": ("duckdb", "duckdb"), "SQLite": ("ibis", "sql")}[reader]
    protocol.needed(f"databases of {reader}", package, extra)
    check_installed()
    connection: Any = None
    try:
        if reader == "DuckDB":
            connection = connected(str(file.resolve()), read_only=True)
        else:
            connection = _connected_to_sqlite(file, header[18:20] == WITH_LOG)
        schema, name = _chosen(location, connection.execute(LIST_TABLES[reader]).fetchall())
        if reader == "DuckDB":
            native = connection.sql(f"SELECT * FROM {quoted(schema)}.{quoted(name)}")
        else:
            import ibis

            native = ibis.sqlite.from_connection(connection).table(name)
    except Exception as error:  # which may quote values and folders
        if connection is not None:
            connection.close()
        if isinstance(error, SynthpopError):
            raise
        says = f"{reader} cannot open {location.name!r} ({type(error).__name__}, see the error's"
        says += " details); if a connection to it is open, close it, or give its table"
        details = {"reason": str(error)}
        raise InputError(f"{location.argument}: {says}", details=details) from None
    place = f"{location.name}, table {location.table}"
    return Origin(native, place, reader.lower(), connection.close)


def _connected_to_sqlite(file: Path, keeps_log: bool) -> Any:
    """A connection that writes nothing: with a log even a reader leaves two files, unless SQLite is
    told that nobody writes.
    """
    import sqlite3  # not every Python is built with it

    nobody_writes = keeps_log and not file.with_name(f"{file.name}-wal").exists()
    mode = "immutable=1" if nobody_writes else "mode=ro"
    return sqlite3.connect(f"file:{quote(str(file.absolute()))}?{mode}", uri=True)


def _chosen(location: Location, found: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """Schema and name of the table that was asked for."""
    for schema, name in found:
        if location.table in (name, f"{schema}.{name}"):
            return schema, name
    names = [name for _, name in found]
    if not names:
        raise location.error("is a database without tables")
    if location.table is not None:
        raise unknown_choice("table", location.table, names, repr(location.name), "a table of")
    example = f"open_table(..., table={names[0]!r}); choices: {some(names)}"
    raise location.error(f"is a database; name one of its tables, as in {example}")
