"""One Spark session and one PostgreSQL server for all tests of a process; both end with it. And
the matrix of engines, written when a full run ends.
"""

from __future__ import annotations

import os
import pwd
import shutil
import sqlite3
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engines import matrix
from tests.needs import postgres_programs

ORDINARY_USERS = ("postgres", "nobody")  # initdb refuses to run as root


# of the engines that SQL is written for
NEEDS_OF_SQL = {
    "duckdb": ("duckdb", "pyarrow"),
    "sqlite": ("ibis", "pyarrow"),
    "postgres": ("engines", "ibis", "postgres"),
    "spark": ("engines", "pyspark"),
}
NEEDS = {
    "polars": ("polars", "pyarrow"),
    "pyarrow": ("pyarrow",),
    "DuckDB": ("duckdb", "pyarrow"),
    "DuckDB, enums": ("duckdb", "pyarrow"),
    "SQLite through Ibis": ("ibis", "pyarrow"),
    "Spark": ("engines", "pyspark", "pyarrow"),
    "PostgreSQL through Ibis": ("engines", "postgres", "ibis", "pyarrow"),
}


@pytest.fixture(scope="session")
def engine_named(request: pytest.FixtureRequest) -> Iterator[Callable[[str], Any]]:
    """Gives the engine of a name (tests/backends/engines.py); the tables that it holds serve more
    than one test.
    """
    from tests.backends.engines import make_engine  # which needs Arrow

    made: dict[str, Any] = {}

    def named(name: str) -> Any:
        if name not in made:
            server = {"Spark": "spark", "PostgreSQL through Ibis": "postgres"}.get(name)
            made[name] = make_engine(name, server and request.getfixturevalue(server))
        return made[name]

    yield named
    for engine in made.values():
        engine.close()


@pytest.fixture
def engine(request: pytest.FixtureRequest, engine_named: Callable[[str], Any]) -> Any:
    """One engine, by a parameter of the test."""
    found = engine_named(request.param)
    matrix.VERSIONS[found.name] = found.version()
    return found


@pytest.fixture
def duck() -> Iterator[Any]:
    """A connection of DuckDB."""
    import duckdb

    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'America/New_York'")
        yield connection


@pytest.fixture
def in_sqlite(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Runs statements on a database of SQLite, and gives back a table as Ibis sees it."""
    import ibis

    path = tmp_path / "people.db"
    opened = []

    def make(table: str, *statements: str) -> Any:
        database = sqlite3.connect(path)
        for statement in statements:
            database.execute(statement)
        database.commit()
        database.close()
        opened.append(ibis.sqlite.connect(path))
        return opened[-1].table(table)

    yield make
    for connection in opened:
        connection.disconnect()


@pytest.fixture
def database(postgres: dict[str, str]) -> Iterator[Any]:
    """PostgreSQL as Ibis sees it."""
    import ibis

    connection = ibis.postgres.connect(
        host=postgres["host"], user=postgres["user"], database=postgres["dbname"]
    )
    yield connection
    connection.disconnect()


@pytest.fixture
def put(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Makes a table of an engine: its name, the columns with their types, the rows as SQL."""

    def make(engine: str, name: str, columns: dict[str, str], rows: str) -> Any:
        fields = ", ".join(f"{column} {kind}" for column, kind in columns.items())
        drop, create = f"DROP TABLE IF EXISTS {name}", f"CREATE TABLE {name} ({fields})"
        insert = f"INSERT INTO {name} VALUES {rows}"
        if engine == "sqlite":
            return request.getfixturevalue("in_sqlite")(name, drop, create, insert)
        if engine == "spark":
            of = f"{name}({', '.join(columns)})"
            return request.getfixturevalue("spark").sql(f"SELECT * FROM VALUES {rows} AS {of}")
        if engine == "postgres":
            database = request.getfixturevalue("database")
            database.raw_sql(f"{drop} CASCADE; {create}; {insert}").close()
            return database.table(name)
        duck = request.getfixturevalue("duck")
        for statement in (drop, create, insert):
            duck.execute(statement)
        return duck.table(name)

    return make


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A local Spark session: two threads, two shuffle partitions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Spark's own, about pandas and Java
        from pyspark.sql import SparkSession

        with tempfile.TemporaryDirectory(prefix="synthpop_spark_") as folder:
            session = (
                SparkSession.builder.master("local[2]")
                .appName("synthpop_py tests")
                .config("spark.sql.shuffle.partitions", 2)
                .config("spark.ui.enabled", "false")
                .config("spark.driver.host", "localhost")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.sql.warehouse.dir", folder)
                .getOrCreate()
            )
            session.sparkContext.setLogLevel("ERROR")
            yield session
            session.stop()


@pytest.fixture(scope="session")
def postgres() -> Iterator[dict[str, str]]:
    """A PostgreSQL server of its own on a Unix socket: what `psycopg.connect(**postgres)` and
    `ibis.postgres.connect` (which says `database` for `dbname`) take.
    """
    folder = Path(tempfile.mkdtemp(prefix="synthpop_pg_", dir="/tmp"))  # socket paths must be short
    try:
        _give_away(folder)
        _as_ordinary_user(_program("initdb"), "-D", folder / "data", "-U", "tester", *_INITDB)
        options = f"-c listen_addresses='' -c unix_socket_directories={folder} {_FAST}"
        control = [_program("pg_ctl"), "-D", folder / "data", "-w"]
        _as_ordinary_user(*control, "-l", folder / "log", "-o", options, "start")
        try:
            yield {"host": str(folder), "user": "tester", "dbname": "postgres"}
        finally:
            _as_ordinary_user(*control, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


_INITDB = ("-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
_FAST = "-c fsync=off -c full_page_writes=off"  # nobody needs this data after a crash


def _program(name: str) -> str:
    found = postgres_programs()
    assert found is not None
    return str(found / name)


def _ordinary_user() -> pwd.struct_passwd:
    """Whom the server runs as: ourselves, unless we are root."""
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid())
    known = {user.pw_name: user for user in pwd.getpwall()}
    return next(known[name] for name in ORDINARY_USERS if name in known)


def _give_away(folder: Path) -> None:
    user = _ordinary_user()
    os.chown(folder, user.pw_uid, user.pw_gid)
    folder.chmod(0o700)


def _as_ordinary_user(*command: Any) -> None:
    user = _ordinary_user()
    whom: dict[str, Any] = {}
    if os.geteuid() == 0:
        whom = dict(user=user.pw_uid, group=user.pw_gid, extra_groups=[])
    # pg_ctl hands its output on to the server, which would keep a pipe open: a file it is
    with tempfile.TemporaryFile() as told:
        done = subprocess.run(
            [str(part) for part in command],
            stdout=told,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            cwd="/",
            check=False,
            **whom,
        )
        told.seek(0)
        assert done.returncode == 0, told.read().decode(errors="replace")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Under pytest-xdist the counts are made in the workers and put together by the controller."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["engines"] = matrix.to_send()
    elif exitstatus == 0 and _whole_folder(session.config) and matrix.is_full():
        matrix.write()


def _whole_folder(config: pytest.Config) -> bool:
    """Whether nothing was left out by name or mark; what was not there shows in the matrix."""
    by_name = any("::" in argument for argument in config.args)
    return not (by_name or config.option.keyword or config.option.markexpr)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: Any) -> None:
    matrix.receive(getattr(node, "workeroutput", {}).get("engines", {}))
