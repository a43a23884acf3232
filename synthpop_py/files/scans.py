"""Tables in files that an engine scans: no more of them is in memory at a time than it needs.

DuckDB comes first: it works on disk where memory is short. polars scans Parquet; of a CSV it takes
an empty line for a record and fills short rows up without a word, so its scanner is not used.
"""

from __future__ import annotations

import glob
import os
import tempfile
import uuid
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

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
from .sql_types import quoted, with_types

NEEDED = ("narwhals", "pyarrow")  # by every engine, to hand over what it counted


def is_installed(package: str) -> bool:
    return find_spec(package) is not None


def scanned(location: Location) -> Origin | None:
    """The table in CSV or Parquet files through the first engine that is installed; None where
    there is none.
    """
    if not all(map(is_installed, NEEDED)):
        return None
    if location.kind == ".parquet":
        return _parquet(location)
    return _csv(location) if is_installed("duckdb") else None


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


def _csv(location: Location) -> Origin:
    is_current = same_as_now(location.files)
    names = csv_names(location)
    check_case(names, location)
    connection = connected()
    try:
        texts = connection.read_csv(
            _patterns(location),
            header=True,
            delimiter=",",
            quotechar='"',
            escapechar='"',
            columns=dict.fromkeys(names, "VARCHAR"),
            auto_detect=False,
        )
        table = with_types(texts, names)
    except Exception as error:  # DuckDB's quote the rows that it could not read
        connection.close()
        raise damaged_csv(location, error) from None
    return Origin(
        native=table,
        name=location.name,
        reader="duckdb",
        load=lambda: read_csv(location),
        close=connection.close,
        is_current=is_current,
    )


def connected(database: str = ":memory:", *, read_only: bool = False) -> Any:
    """A connection of DuckDB of its own. It fetches nothing from the net, and what it has no memory
    for goes to the folder for temporary files, not to where Python runs.
    """
    import duckdb

    spill = os.path.join(tempfile.gettempdir(), f"synthpop-{uuid.uuid4().hex}")
    config: dict[str, Any] = {"autoinstall_known_extensions": "false", "temp_directory": spill}
    return duckdb.connect(database, read_only=read_only, config=config)


def _patterns(location: Location) -> list[str]:
    """The files as DuckDB takes them: each name is a pattern to it."""
    return [glob.escape(str(file)) for file in location.files]
