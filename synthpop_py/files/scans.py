"""Tables in files that an engine scans: no more of them is in memory at a time than it needs.

DuckDB comes first: it works on disk where memory is short. polars scans Parquet. In a CSV it reads
an empty line as a record and silently fills up short rows, so its CSV scanner is not used.
"""

from __future__ import annotations

import glob
import os
import tempfile
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from .agreed_kinds import agreed_kinds
from .csv_files import csv_names, damaged_csv, read_csv
from .locations import Location, check_case
from .origin import Origin, ReadColumn, nothing_to_close, same_as_now
from .parquet_files import (
    Categories,
    category_columns,
    parquet_schema,
    read_parquet,
    record_columns,
)
from .sql_types import is_spelled_twice, quoted, tallies_of, with_types
from .text_types import AsText, Tally, TextKind

NEEDED = ("narwhals", "pyarrow")  # by every engine, to hand over what it counted


def is_installed(package: str) -> bool:
    return find_spec(package) is not None


def scanned(location: Location, as_text: AsText | None = None) -> Origin | None:
    """The table in CSV or Parquet files through the first engine that is installed; None where
    there is none. `as_text` has columns of a CSV that are text whatever they hold.
    """
    if not can_scan(location.kind):
        return None
    if location.kind == ".parquet":
        return _parquet(location)
    return csv_scanned([location], as_text)[0]


def can_scan(kind: str) -> bool:
    """Whether an engine is installed that scans files with this ending."""
    readers = ("duckdb", "polars") if kind == ".parquet" else ("duckdb",)
    return all(map(is_installed, NEEDED)) and any(map(is_installed, readers))


def _parquet(location: Location) -> Origin | None:
    readers = {"duckdb": _parquet_of_duckdb, "polars": _parquet_of_polars}
    reader = next((name for name in readers if is_installed(name)), None)
    if reader is None:
        return None
    is_current = same_as_now(location.files)
    schema = parquet_schema(location)
    categories = category_columns(schema)
    read_column: ReadColumn | None = None
    if categories:
        read_column = Categories(location.files, categories)
    native, close = readers[reader](location, record_columns(schema), categories)
    return Origin(
        native=native,
        name=location.name,
        reader=reader,
        read_column=read_column,
        load=lambda: read_parquet(location),
        close=close,
        is_current=is_current,
    )


def _parquet_of_duckdb(
    location: Location, names: Sequence[str], categories: Sequence[str]
) -> tuple[Any, Callable[[], None]]:
    connection = connected()
    table = connection.read_parquet(_patterns(location), hive_partitioning=False)
    return table.select(*map(quoted, names)), connection.close


def _parquet_of_polars(
    location: Location, names: Sequence[str], categories: Sequence[str]
) -> tuple[Any, Callable[[], None]]:
    import polars

    files = [str(file) for file in location.files]
    frame = polars.scan_parquet(files, glob=False, hive_partitioning=False).select(names)
    # the order of categories comes from the files
    texts = [polars.col(name).cast(polars.String) for name in categories if name in names]
    return frame.with_columns(texts), nothing_to_close


def csv_scanned(locations: Sequence[Location], as_text: AsText | None = None) -> list[Origin]:
    """CSV files that are compared with each other, through DuckDB: a column is the same in all."""
    texts: list[_CsvTexts] = []
    try:
        for location in locations:
            texts.append(_csv_texts(location))
        kinds = agreed_kinds(texts, as_text)
        return [table.origin(kinds) for table in texts]
    except BaseException:
        for table in texts:
            table.connection.close()
        raise


@dataclass(frozen=True, slots=True)
class _CsvTexts:
    """A CSV as DuckDB reads it, all of it text."""

    location: Location
    connection: Any
    relation: Any
    names: list[str]
    is_current: Callable[[], bool]

    def tallies(self) -> dict[str, Tally]:
        with _refused(self.location):
            return tallies_of(self.relation, self.names)

    def is_spelled_twice(self, name: str, *, fractions: bool = False) -> bool:
        with _refused(self.location):
            return is_spelled_twice(self.relation, name, fractions=fractions)

    def origin(self, kinds: Mapping[str, TextKind]) -> Origin:
        with _refused(self.location):
            native = with_types(self.relation, kinds, self.names)
        return Origin(
            native=native,
            name=self.location.name,
            reader="duckdb",
            load=lambda: read_csv(self.location, kinds),
            close=self.connection.close,
            is_current=self.is_current,
        )


def _csv_texts(location: Location) -> _CsvTexts:
    is_current = same_as_now(location.files)
    names = csv_names(location)
    check_case(names, location)
    connection = connected()
    try:
        with _refused(location):
            relation = connection.read_csv(
                _patterns(location),
                header=True,
                delimiter=",",
                quotechar='"',
                escapechar='"',
                columns=dict.fromkeys(names, "VARCHAR"),
                auto_detect=False,
            )
    except BaseException:
        connection.close()
        raise
    return _CsvTexts(
        location=location,
        connection=connection,
        relation=relation,
        names=names,
        is_current=is_current,
    )


@contextmanager
def _refused(location: Location) -> Iterator[None]:
    """The error for what DuckDB cannot read, in our own words: DuckDB's message quotes rows."""
    try:
        yield
    except Exception as error:
        raise damaged_csv(location, error) from None


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


def _patterns(location: Location) -> list[str]:
    """The files as DuckDB takes them: each name is a pattern to it."""
    return [glob.escape(str(file)) for file in location.files]
