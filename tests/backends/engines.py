"""Engines that hold the records of a pandas frame: each gives back what a user would pass.

Columns keep their types where the engine has them. Where it knows no categories they become text,
and their levels are handed over beside the table (`levels=`), as a user would do.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pandas as pd
import pyarrow as pa

from synthpop_py.synds import SynDS
from synthpop_py.tables.engine import EngineTable
from synthpop_py.tables.opening import open_table, set_places
from synthpop_py.tables.reading import read_column

KEPT_UPLOADS = 24  # tables that stay in the engine for the next case


class Engine:
    """Where records can live.

    Attributes
    ----------
    name : as the matrix of engines shows it.
    knows_levels : whether a column can say what levels it has, in their order.
    """

    name: str
    knows_levels = False

    def __init__(self) -> None:
        self._uploads: dict[int, tuple[pd.DataFrame, Any]] = {}
        self._numbers: Iterator[int] = iter(range(10**9))

    def version(self) -> str:
        raise NotImplementedError

    def upload(self, table: pa.Table, levels: dict[str, list[str]]) -> Any:
        """The engine's own table with the records of an Arrow table; `levels` by column, for those
        that are text here and categories in pandas.
        """
        raise NotImplementedError

    def drop(self, native: Any) -> None:
        """Forgets a table."""

    def close(self) -> None:
        """Ends what the engine started."""

    def hold(self, given: Any, place: str = "object") -> Any:
        """What a user of the engine would pass in place of a frame, a list, a SynDS."""
        if isinstance(given, SynDS):
            frames = zip(self._listed(given.syn, place), set_places(place, given.m))
            tables = [open_table(frame, name) for frame, name in frames]
            return SynDS(tables, given.cont_na, given.meta)
        if isinstance(given, (list, tuple)):
            return self._listed(given, place)
        return self._held(given, place)

    def _listed(self, frames: Any, place: str) -> list[Any]:
        places = set_places(place, len(frames))
        return [self._held(frame, name) for frame, name in zip(frames, places)]

    def _held(self, frame: pd.DataFrame, place: str) -> Any:
        levels = levels_of(frame)
        native = self._uploaded(frame, levels)
        if self.knows_levels or not levels:
            return native
        return EngineTable(native, place, levels=levels)

    def _uploaded(self, frame: pd.DataFrame, levels: dict[str, list[str]]) -> Any:
        """Frames that several cases share are uploaded once; the cache keeps them alive, so that
        no other frame gets their id.
        """
        if id(frame) not in self._uploads:
            if len(self._uploads) >= KEPT_UPLOADS:
                oldest = next(iter(self._uploads))
                self.drop(self._uploads.pop(oldest)[1])
            self._uploads[id(frame)] = frame, self.upload(arrow_table(frame), levels)
        entry = self._uploads.pop(id(frame))
        self._uploads[id(frame)] = entry  # the latest is last
        return entry[1]

    def new_name(self) -> str:
        return f"records_{next(self._numbers)}"


def levels_of(frame: pd.DataFrame) -> dict[str, list[str]]:
    """The levels of its categories, which plain text does not tell."""
    kinds = frame.dtypes.items()
    names = [name for name, kind in kinds if isinstance(kind, pd.CategoricalDtype)]
    return {name: list(read_column(frame[name][:0], str(name)).labels) for name in names}


def arrow_table(frame: pd.DataFrame) -> pa.Table:
    """The frame's records in Arrow, with text for categories."""
    return pa.table({str(name): _arrow_column(frame[name]) for name in frame.columns})


def _arrow_column(series: pd.Series) -> pa.Array:
    if isinstance(series.dtype, pd.CategoricalDtype):
        column = read_column(series, str(series.name))
        codes = column.values.tolist()
        texts = [column.labels[code] if code >= 0 else None for code in codes]
        return pa.array(texts, pa.string())
    if pd.api.types.is_datetime64_any_dtype(series.dtype):
        is_date = read_column(series, str(series.name)).kind == "date"
        return pa.array(series, pa.date32() if is_date else pa.timestamp("us"), from_pandas=True)
    if series.dtype != object:
        return pa.array(series, from_pandas=True)
    if series.isna().all():
        return pa.array(series, pa.string(), from_pandas=True)
    if any(isinstance(value, Decimal) for value in series):
        return pa.array(series, pa.decimal128(20, 4), from_pandas=True)
    if any(isinstance(value, float) and value == value for value in series):
        return pa.array(series.tolist(), pa.float64(), from_pandas=False)  # NaN beside null
    return pa.array(series, from_pandas=True)


class Polars(Engine):
    """Eager frames; categories are enums."""

    name = "polars"
    knows_levels = True

    def version(self) -> str:
        import polars as pl

        return pl.__version__

    def upload(self, table: pa.Table, levels: dict[str, list[str]]) -> Any:
        import polars as pl

        frame = pl.DataFrame(pl.from_arrow(table))
        enums = [pl.col(name).cast(pl.Enum(labels)) for name, labels in levels.items()]
        return frame.with_columns(*enums)


class PolarsLazy(Polars):
    """Queries that polars has not run yet."""

    name = "polars, lazy"

    def upload(self, table: pa.Table, levels: dict[str, list[str]]) -> Any:
        return super().upload(table, levels).lazy()


class Arrow(Engine):
    """Tables of pyarrow; categories are dictionaries."""

    name = "pyarrow"
    knows_levels = True

    def version(self) -> str:
        return pa.__version__

    def upload(self, table: pa.Table, levels: dict[str, list[str]]) -> Any:
        for name, labels in levels.items():
            position = {label: i for i, label in enumerate(labels)}
            codes = [position.get(text) for text in table.column(name).to_pylist()]
            values = pa.DictionaryArray.from_arrays(
                pa.array(codes, pa.int32()), pa.array(labels, pa.string())
            )
            table = table.set_column(table.column_names.index(name), name, values)
        return table


class DuckDB(Engine):
    """Relations over tables in a database of its own; categories are text."""

    name = "DuckDB"

    def __init__(self) -> None:
        import duckdb

        super().__init__()
        self._database = duckdb.connect()

    def version(self) -> str:
        import duckdb

        return duckdb.__version__

    def upload(self, table: pa.Table, levels: dict[str, list[str]]) -> Any:
        name = self.new_name()
        fields = ", ".join(self._field(column, levels) for column in table.column_names)
        self._database.register("arriving", table)
        self._database.execute(f"CREATE TABLE {name} AS SELECT {fields} FROM arriving")
        self._database.unregister("arriving")
        return self._database.table(name)

    def _field(self, name: str, levels: dict[str, list[str]]) -> str:
        return quoted(name)

    def drop(self, native: Any) -> None:
        self._database.execute(f"DROP TABLE {native.alias}")

    def close(self) -> None:
        self._database.close()


class DuckDBEnum(DuckDB):
    """The same with categories as enums."""

    name = "DuckDB, enums"
    knows_levels = True

    def _field(self, name: str, levels: dict[str, list[str]]) -> str:
        if name not in levels:
            return quoted(name)
        labels = ", ".join("'" + label.replace("'", "''") + "'" for label in levels[name])
        return f"CAST({quoted(name)} AS ENUM({labels})) AS {quoted(name)}"


class SqliteIbis(Engine):
    """Tables of SQLite, opened with Ibis."""

    name = "SQLite through Ibis"

    def __init__(self) -> None:
        import ibis

        super().__init__()
        self._backend = ibis.sqlite.connect()

    def version(self) -> str:
        import sqlite3

        import ibis

        return f"{sqlite3.sqlite_version}, Ibis {ibis.__version__}"

    def upload(self, table: pa.Table, levels: dict[str, list[str]]) -> Any:
        name = self.new_name()
        kinds = [_sql_type(kind, real="REAL") for kind in table.schema.types]
        columns = [_sqlite_values(column) for column in table.columns]
        fields = ", ".join(f"{quoted(c)} {k}" for c, k in zip(table.column_names, kinds))
        marks = ", ".join("?" for _ in columns)
        database = self._backend.con
        database.execute(f"CREATE TABLE {name} ({fields})")
        database.executemany(f"INSERT INTO {name} VALUES ({marks})", zip(*columns))
        database.commit()
        return self._backend.table(name)

    def drop(self, native: Any) -> None:
        self._backend.con.execute(f"DROP TABLE {native.get_name()}")

    def close(self) -> None:
        self._backend.disconnect()


def _sqlite_values(column: pa.ChunkedArray) -> list[Any]:
    values = column.to_pylist()
    if pa.types.is_temporal(column.type) or pa.types.is_decimal(column.type):
        return [None if value is None else str(value) for value in values]
    return values


class Spark(Engine):
    """Data frames of a Spark session."""

    name = "Spark"

    def __init__(self, session: Any) -> None:
        super().__init__()
        self._session = session

    def version(self) -> str:
        return str(self._session.version)

    def upload(self, table: pa.Table, levels: dict[str, list[str]]) -> Any:
        return self._session.createDataFrame(table)


class Postgres(Engine):
    """Tables of a PostgreSQL server, opened with Ibis."""

    name = "PostgreSQL through Ibis"

    def __init__(self, server: dict[str, str]) -> None:
        import ibis
        import psycopg

        super().__init__()
        self._connection = psycopg.connect(**server, autocommit=True)
        address = {name: value for name, value in server.items() if name != "dbname"}
        self._backend = ibis.postgres.connect(database=server["dbname"], **address)

    def version(self) -> str:
        import ibis

        number = self._connection.execute("SHOW server_version").fetchone()[0]
        return f"{number.split()[0]}, Ibis {ibis.__version__}"

    def upload(self, table: pa.Table, levels: dict[str, list[str]]) -> Any:
        name = self.new_name()
        kinds = [_sql_type(kind, real="DOUBLE PRECISION") for kind in table.schema.types]
        fields = ", ".join(f"{quoted(c)} {k}" for c, k in zip(table.column_names, kinds))
        self._connection.execute(f"CREATE TABLE {name} ({fields})")
        with self._connection.cursor().copy(f"COPY {name} FROM STDIN") as copy:
            for row in zip(*(column.to_pylist() for column in table.columns)):
                copy.write_row(row)
        return self._backend.table(name)

    def drop(self, native: Any) -> None:
        self._connection.execute(f"DROP TABLE {native.get_name()}")

    def close(self) -> None:
        self._backend.disconnect()
        self._connection.close()


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _sql_type(kind: pa.DataType, real: str) -> str:
    if pa.types.is_boolean(kind):
        return "BOOLEAN"
    if pa.types.is_integer(kind):
        return "BIGINT"
    if pa.types.is_floating(kind):
        return real
    if pa.types.is_decimal(kind):
        return f"DECIMAL({kind.precision}, {kind.scale})"
    if pa.types.is_date(kind):
        return "DATE"
    if pa.types.is_timestamp(kind):
        return "TIMESTAMP"
    return "TEXT"


KINDS = (Polars, PolarsLazy, Arrow, DuckDB, DuckDBEnum, SqliteIbis, Spark, Postgres)


def make_engine(name: str, server: Any = None) -> Engine:
    """The engine of this name; Spark and PostgreSQL need what the tests started for them."""
    (kind,) = (kind for kind in KINDS if kind.name == name)
    return kind() if server is None else kind(server)
