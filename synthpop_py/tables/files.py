"""Files and databases: which files a path means (one, a folder of Parquet files, all that a pattern
matches; and the table in it, as in ``census.duckdb::people`` or ``sqlite:census.bin::people``), and
how all but CSV are read. A file is never changed, and nothing is left beside it.

DuckDB scans Parquet, so large files are not read into memory; without it they are. Messages name
files without their folders, and show only the beginning of an address.
"""

from __future__ import annotations

import glob
import os
import re
import tempfile
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
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
SAS_TEXT = "iso-8859-1"  # the encoding of transport files; any byte can be read in it
READERS: dict[str, Callable[[Path], pd.DataFrame]] = {
    ".sas7bdat": lambda file: pd.read_sas(file, format="sas7bdat", encoding="infer"),
    ".xpt": lambda file: pd.read_sas(file, format="xport", encoding=SAS_TEXT),
    ".sav": lambda file: pd.read_spss(file),
    ".dta": lambda file: pd.read_stata(file),
}
READABLE = (*SCANNED, *READERS, *OF_R, *DATABASES)

ADDRESS = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+)://")
STORES = ("http", "https", "ftp", "s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "hf")
WAYS = {  # by the scheme of an address
    **dict.fromkeys(STORES, "download the file, or open it with duckdb or polars"),
    **dict.fromkeys(("file", "sqlite", "duckdb"), "give the path of the file without it"),
}
WITHIN = "::"  # between a file and the table in it
# row labels that pandas writes as a column; for other readers they are not records
ROW_LABELS = re.compile(r"__index_level_\d+__")
DAMAGED = "cannot be read as Parquet; it is damaged, incomplete or another kind of file"

SQLITE = b"SQLite format 3\x00"
DUCKDB = b"DUCK"  # from the ninth byte on
WRITE_AHEAD = 2  # what bytes 18 and 19 of SQLite's header say of a database with a log
MOST_TABLES = 10
SPOKEN = {"duckdb": "DuckDB", "sqlite": "SQLite"}
LIST_TABLES = {
    "duckdb": "SELECT table_schema, table_name FROM information_schema.tables ORDER BY ALL",
    "sqlite": (
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


# ---- paths ---------------------------------------------------------------------------


def names_a_file(given: Any) -> bool:
    """Whether this is almost certainly a path: a text may also be a value."""
    if isinstance(given, str):
        return ending(Path(given)) in READABLE
    return isinstance(given, os.PathLike)


def ending(path: Path) -> str:
    """The ending that says what a file is, in lower case: ``.csv.gz`` of ``People.CSV.gz``."""
    name = path.name.lower()
    return ".csv.gz" if name.endswith(".csv.gz") else Path(name).suffix


def located(given: str | os.PathLike[str], argument: str) -> Location:
    """The files behind a path, or an error with the way out. A file with exactly this name comes
    first, also where the name has colons.
    """
    text, table, kind = os.fsdecode(given), "", ""
    if isinstance(given, str) and not ADDRESS.match(text) and not _exists(text):
        word, _, rest = text.partition(":")
        if word.lower() in SPOKEN and not rest.startswith(":"):
            text, kind = rest, DATABASES[0]
        if WITHIN in text:
            text, _, table = text.rpartition(WITHIN)
    _refuse_others(text, argument)
    path = Path(text).expanduser()
    name = path.name
    if path.is_dir() and not kind:
        files, name = _in_folder(path, argument), f"{path.resolve().name}/"
    elif glob.has_magic(text) and not (kind or path.exists()):
        files = _matching(path, argument)
    else:
        files = _one_file(path, argument, kind)
    location = Location(argument, kind or ending(files[0]), tuple(files), name, table or None)
    for file in files:
        try:
            with file.open("rb") as opened:
                first = opened.read(1)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise location.error(f"cannot be opened ({reason})", file.name) from None
        if not first:
            raise location.error("is empty; it does not even have column names", file.name)
    return location


def _exists(text: str) -> bool:
    try:
        return Path(text).expanduser().exists()
    except (OSError, ValueError, RuntimeError):  # too long, a zero byte, no such user
        return False


def _refuse_others(text: str, argument: str) -> None:
    """Refuse a blank, and an address, of which only the beginning holds no password."""
    address = ADDRESS.match(text)
    if address is not None:
        scheme = address["scheme"].lower()
        way = WAYS.get(scheme, "connect with ibis.connect(...) and give its .table(...)")
        raise InputError(f"{argument}: an address ({scheme}://...) is not a path; {way}")
    if not text.strip():
        raise InputError(f"{argument}: an empty text is not a path; give the path of a file")


def _one_file(path: Path, argument: str, kind: str) -> list[Path]:
    """The file of this name, of any ending if it is said to be a database."""
    if path.is_file() and (kind or ending(path) in READABLE):
        return [path]
    near = _nearest_file(path)
    meant = f"did you mean {near!r}?" if near else ""
    if not kind and ending(path) not in READABLE:
        says = f"{path.name!r} cannot be read: its ending is unknown; {meant}".rstrip()
        says += f" choices: {', '.join(READABLE)}, or a folder of .parquet files"
    elif not path.parent.is_dir():
        says = (
            f"the folder of {path.name!r} does not exist; a relative path starts where Python runs"
        )
    else:
        meant = meant or "no file with a similar name is in its folder"
        says = f"there is no file {path.name!r}; {meant}"
    raise InputError(f"{argument}: {says}")


def _nearest_file(path: Path) -> str | None:
    """The file beside it whose name is most alike; endings, which many share, do not count."""
    stems: dict[str, list[str]] = {}
    for other in sorted(path.parent.iterdir()) if path.parent.is_dir() else ():
        if ending(other) in READABLE:
            stems.setdefault(other.name.partition(".")[0], []).append(other.name)
    stem = nearest(path.name.partition(".")[0], list(stems))
    return None if stem is None else nearest(path.name, stems[stem])


def _in_folder(path: Path, argument: str) -> list[Path]:
    """All Parquet files of a folder."""
    parts_of = {file: file.relative_to(path).parts for file in sorted(path.rglob("*.parquet"))}
    # writers also leave hidden files, _metadata and _temporary folders
    files = [
        file
        for file, parts in parts_of.items()
        if file.is_file() and not any(part.startswith((".", "_")) for part in parts)
    ]
    folder = f"{argument}: the folder '{path.resolve().name}/'"
    if not files:
        raise InputError(f"{folder} holds no file that ends in .parquet; give one that does")
    parts = {part for file in files for part in parts_of[file][:-1] if "=" in part}
    if parts:
        columns = some(sorted({part.partition("=")[0] for part in parts}))
        raise InputError(
            f"{folder} is split by columns that are only in its folders' names ({columns}); open it"
            " with duckdb.read_parquet or polars.scan_parquet and hive_partitioning=True, and give"
            " the result"
        )
    return files


def _matching(pattern: Path, argument: str) -> list[Path]:
    found = sorted(map(Path, glob.glob(str(pattern), recursive=True)))
    files = [file for file in found if file.is_file()]
    kinds = sorted(set(map(ending, files)))
    if not files:
        raise InputError(
            f"{argument}: no file matches {pattern.name!r}; check the pattern, and the folder where"
            " it starts"
        )
    if len(kinds) > 1 or kinds[0] not in SCANNED:
        raise InputError(
            f"{argument}: {pattern.name!r} matches files that end in {', '.join(kinds)}; a pattern"
            f" must match files of one kind, of {', '.join(SCANNED)}"
        )
    return files


# ---- all files but CSV ---------------------------------------------------------------


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
    elif location.kind in READERS:
        frame = _of_statistics(location)
    elif scan and all(map(protocol.is_installed, ("duckdb", "narwhals", "pyarrow"))):
        return _parquet_scanned(location)
    else:
        frame = _parquet_in_memory(location)
    return Origin(native=frame, name=location.name, reader="pandas")


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


# ---- Parquet -------------------------------------------------------------------------


def _columns_of(location: Location) -> tuple[list[str], list[str]]:
    """The columns that hold records, and those of them that hold categories. They must have the
    same types in all files: an engine would convert the values of one, and may merge some.
    """
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        raise missing_package("files that end in .parquet", "pyarrow", "frames") from None
    common: dict[str, str] = {}
    categories: list[str] = []
    for file in location.files:
        try:
            schema = parquet.read_schema(file)
        except (ValueError, OSError):  # Arrow's errors are among them, and may quote the file
            raise location.error(DAMAGED, file.name) from None
        _check_case(schema.names, location, file.name)
        types = {}
        for field in schema:
            of_categories = hasattr(field.type, "index_type")
            kind = str(field.type.value_type if of_categories else field.type)
            if not ROW_LABELS.fullmatch(field.name):
                types[field.name] = "string" if kind == "large_string" else kind
                if of_categories and not common:
                    categories.append(field.name)
        common = common or types
        first = location.files[0].name
        if set(types) != set(common):
            names = some(sorted(set(types) ^ set(common)))
            says = f"and {first!r} do not have the same columns ({names}), so are not one table"
            raise location.error(says, file.name)
        for name, kind in common.items():
            if kind != types[name]:
                raise InputError(
                    f"{location.argument}: column {name!r} has type {kind} in {first!r}"
                    f" and {types[name]} in {file.name!r}; write the files with one type"
                )
    return list(common), categories


def _check_case(names: Sequence[str], location: Location, file: str) -> None:
    """Raise an error for names that differ at most in case: databases treat them as the same."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.lower(), name)
        if names.count(name) > 1:
            raise location.error(f"has columns of the same name ({name}); rename them", file)
        if other != name:
            says = f"has columns {other!r} and {name!r}, which differ only in case; rename one"
            raise location.error(says, file)


def _parquet_scanned(location: Location) -> Origin:
    found = _stamps(location.files)
    names, of_categories = _columns_of(location)
    connection = connected()
    files = [glob.escape(str(file)) for file in location.files]  # names are patterns to DuckDB
    table = connection.read_parquet(files, hive_partitioning=False)
    return Origin(
        native=table.select(*map(quoted, names)),
        name=location.name,
        reader="duckdb",
        categories={
            name: lru_cache(partial(_categories, location, name)) for name in of_categories
        },
        close=connection.close,
        is_current=lambda: _stamps(location.files) == found,
    )


def _stamps(files: Sequence[Path]) -> list[tuple[int, int]]:
    """What tells whether files have changed; nothing where one is gone."""
    try:
        states = [file.stat() for file in files]
    except OSError:
        return []
    return [(state.st_size, state.st_mtime_ns) for state in states]


def _categories(location: Location, name: str) -> list[Any]:
    """The categories of a column, in the order of the files. Groups of rows have lists of their
    own, and are read one at a time to save memory.
    """
    import pyarrow.parquet as parquet

    found: dict[Any, None] = {}
    for file in location.files:
        with parquet.ParquetFile(file) as opened:
            for group in range(opened.num_row_groups):
                for chunk in opened.read_row_group(group, columns=[name]).column(0).chunks:
                    found |= dict.fromkeys(chunk.dictionary.to_pandas())
    return list(found)


def _parquet_in_memory(location: Location) -> pd.DataFrame:
    names, _ = _columns_of(location)
    import pyarrow as pa
    import pyarrow.parquet as parquet

    try:
        files = [parquet.ParquetFile(file, memory_map=False) for file in location.files]
        table = pa.concat_tables([file.read(columns=names).select(names) for file in files])
    except (ValueError, OSError):
        raise location.error(DAMAGED) from None
    return in_pandas(table, location.argument)


# ---- databases -----------------------------------------------------------------------


def connected(database: str = ":memory:", *, read_only: bool = False) -> Any:
    """A separate connection of DuckDB. It fetches nothing from the network, and spills to the
    folder for temporary files: of one file to the same place, because DuckDB refuses a second
    connection with other settings.
    """
    import duckdb

    name = uuid.uuid4() if database == ":memory:" else uuid.uuid5(uuid.NAMESPACE_URL, database)
    spill = os.path.join(tempfile.gettempdir(), f"synthpop-{os.getpid()}-{name.hex}")
    config: dict[str, Any] = {"autoinstall_known_extensions": "false", "temp_directory": spill}
    return duckdb.connect(database, read_only=read_only, config=config)


def _of_database(location: Location) -> Origin:
    with location.files[0].open("rb") as opened:
        header = opened.read(20)  # endings do not show what it is
    if not header.startswith(SQLITE) and header[8:12] != DUCKDB:
        says = (
            "is not a database of DuckDB or SQLite; is it damaged, or does it need another ending?"
        )
        raise location.error(says)
    reader = "sqlite" if header.startswith(SQLITE) else "duckdb"
    package, extra = ("duckdb", "duckdb") if reader == "duckdb" else ("ibis", "sql")
    protocol.needed(f"databases of {SPOKEN[reader]}", package, extra)
    check_installed()
    connection: Any = None
    try:
        if reader == "duckdb":
            connection = connected(str(location.files[0].resolve()), read_only=True)
        else:
            connection = _connected_to_sqlite(location.files[0], header)
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
            f" ({type(error).__name__}, see the error's details); if a connection to it is open,"
            " close it, or give a table of that connection",
            details={"reason": str(error)},
        ) from None
    return Origin(native, f"{location.name}, table {location.table}", reader, connection.close)


def _connected_to_sqlite(file: Path, header: bytes) -> Any:
    """A connection that writes nothing. For a database in log mode even a reader leaves two files
    behind, unless SQLite is told that nobody writes; that is true if there is no log file.
    """
    import sqlite3  # not every Python is built with it

    keeps_log = header[18:20] == bytes([WRITE_AHEAD, WRITE_AHEAD])
    nobody_writes = keeps_log and not file.with_name(f"{file.name}-wal").exists()
    mode = "immutable=1" if nobody_writes else "mode=ro"
    return sqlite3.connect(f"file:{quote(str(file.absolute()))}?{mode}", uri=True)


def _chosen(location: Location, found: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """Schema and name of the table that was asked for."""
    table = location.table
    by_name: dict[str | None, tuple[str, str]] = {}
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
        example = f"open_table(..., table={names[0]!r})"
        raise location.error(f"is a database; name one of its tables, as in {example}; {choices}")
    near = nearest(table, names)
    hint = choices if near is None else f"did you mean {near!r}?"
    raise InputError(f"table: {table!r} is not a table of {location.name!r}; {hint}")
