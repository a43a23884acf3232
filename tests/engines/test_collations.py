"""A collation that takes "a" and "A" for one merges levels in a GROUP BY: detected and refused,
with a repair that works. Where the records have no such texts, figures are those of pandas.
"""

from __future__ import annotations

import warnings
from typing import Any

import pandas as pd
import pytest

from synthpop_py import InputError, RDefectWarning, disclosure
from synthpop_py.tables import engine as engine_module
from synthpop_py.tables.engine import EngineTable
from tests.engines.conftest import NEEDS_OF_SQL
from tests.unit.test_counted_tables import same

# Ibis and Spark tell of their own future, also when a test makes a table
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")

# four people who differ in the case of one letter, an accent or a blank at the end
TEXTS = ["a", "A", "e", "\u00e9", "b", "b ", "z", "z"]
PEOPLE = pd.DataFrame({"c": TEXTS, "t": list("xyxyxyxx")})
PLAIN = pd.DataFrame({"c": list("abcdefzz"), "t": list("xyxyxyxx")})


def figures(synthetic: Any, original: Any) -> dict:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RDefectWarning)
        return disclosure(synthetic, original, ["c"], "t", print_flag=False).to_dict()


def rows_of(frame: pd.DataFrame) -> list[tuple]:
    return list(frame.itertuples(index=False, name=None))


def assert_refused(table: Any, different: int, merged: int, engine: str) -> None:
    with pytest.raises(InputError) as error:
        figures(PEOPLE, table)
    text = str(error.value)
    assert text.startswith(f"data, column 'c': {engine} compares its texts by a collation and")
    assert f"counts its {different} different texts as {merged};" in text


# by engine and collation, how many of the seven texts it tells apart, and the repair
MERGING = {
    "duckdb": ("VARCHAR COLLATE {0}", {"NOCASE": 6, "NOACCENT": 6, "NOCASE.NOACCENT": 5}),
    "sqlite": ("TEXT COLLATE {0}", {"NOCASE": 6, "RTRIM": 6}),
}


def in_engines() -> list[Any]:
    found = []
    for engine, (kind, collations) in MERGING.items():
        mark = pytest.mark.needs(*NEEDS_OF_SQL[engine])
        for collation, merged in collations.items():
            found.append(pytest.param(engine, kind.format(collation), merged, marks=mark))
    return found


@pytest.mark.parametrize("engine, kind, merged", in_engines())
def test_a_collation_that_merges_is_refused(put, engine, kind, merged):
    rows = ", ".join(map(str, rows_of(PEOPLE)))
    columns = {"c": kind, "t": "VARCHAR(9)"}
    table = put(engine, "people", columns, rows)
    assert_refused(table, different=7, merged=merged, engine=engine)
    by_bytes = {"duckdb": "COLLATE C", "sqlite": "COLLATE BINARY"}[engine]
    query = f'SELECT "c" {by_bytes} AS c, t FROM people'
    if engine == "duckdb":
        repaired = table.query("people", query)
    else:
        repaired = table.get_backend().sql(query)
    assert same(figures(PEOPLE, repaired), figures(PEOPLE, PEOPLE))
    harmless = put(engine, "harmless", columns, ", ".join(map(str, rows_of(PLAIN))))
    assert same(figures(PLAIN, harmless), figures(PLAIN, PLAIN))
    plain = put(engine, "plain", columns | {"c": "VARCHAR(9)"}, rows)
    assert same(figures(PEOPLE, plain), figures(PEOPLE, PEOPLE))


def in_duckdb(duck: Any, frame: pd.DataFrame, kind: str) -> Any:
    duck.execute(f"CREATE OR REPLACE TABLE people (c {kind}, t VARCHAR)")
    duck.executemany("INSERT INTO people VALUES (?, ?)", rows_of(frame))
    return duck.table("people")


@pytest.mark.needs("duckdb", "pyarrow")
def test_duckdb_where_a_setting_gives_all_columns_a_collation(duck):
    table = in_duckdb(duck, PEOPLE, "VARCHAR")
    assert same(figures(PEOPLE, table), figures(PEOPLE, PEOPLE))
    duck.execute("SET default_collation = 'NOCASE'")
    assert_refused(duck.table("people"), different=7, merged=6, engine="duckdb")


@pytest.mark.needs("duckdb", "pyarrow")
def test_only_columns_of_the_call_are_asked_about_and_the_records_only_where_need_be(duck):
    """A few letters tell; a query on the records comes only after them."""
    in_duckdb(duck, PEOPLE, "VARCHAR COLLATE NOCASE")
    table = duck.sql("SELECT c, t, c || '' AS other FROM people")
    queries = []
    plain = engine_module.ask

    def spied(frame, query):
        queries.append(query)
        return plain(frame, query)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine_module, "ask", spied)
        opened = EngineTable(table, "data")
        opened.count_by(["t"])
        assert len(queries) == 1 and "WHERE 1 = 0" in queries[0]
        opened.count_by(["t"])
        assert len(queries) == 1
        with pytest.raises(InputError, match="column 'c'"):
            opened.count_by(["c", "t"])
        assert len(queries) == 3 and "HEX(c0)" in queries[2]


@pytest.mark.needs("duckdb", "pyarrow")
def test_names_that_need_quotes(duck):
    duck.execute('CREATE TABLE odd ("a ""b"".c" VARCHAR COLLATE NOCASE)')
    duck.execute("INSERT INTO odd VALUES ('x'), ('X')")
    with pytest.raises(InputError, match="counts its 2 different texts as 1") as error:
        EngineTable(duck.table("odd"), "data").count_by(['a "b".c'])
    assert '"a ""b"".c" COLLATE C' in str(error.value)


@pytest.mark.needs("duckdb", "pyarrow")
def test_an_engine_whose_words_for_bytes_are_not_known_is_refused_without_numbers(duck):
    table = in_duckdb(duck, PLAIN, "VARCHAR COLLATE NOCASE")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine_module, "BYTES", {})
        with pytest.raises(InputError) as error:
            figures(PLAIN, table)
    assert str(error.value).endswith(
        "compares its texts by a collation and may treat different texts as one; merged levels"
        " would understate the risk. Give a view or a query that has a collation that compares"
        " bytes"
    )


@pytest.mark.needs("ibis", "duckdb", "pyarrow")
def test_duckdb_through_ibis_stays_open():
    import ibis

    connection = ibis.duckdb.connect()
    connection.raw_sql("CREATE TABLE people (c VARCHAR COLLATE NOCASE, t VARCHAR)")
    connection.raw_sql("INSERT INTO people VALUES ('a', 'x'), ('A', 'y')")
    table = connection.table("people")
    assert_refused(table, different=2, merged=1, engine="duckdb")
    assert table.count().to_pyarrow().as_py() == 2
    connection.disconnect()


# ---- engines that take long to start -------------------------------------------------

POSTGRES = {
    "an ICU collation without case": ("TEXT COLLATE without_case", 6),
    "an ICU collation without accents": ("TEXT COLLATE letters_only", 5),
    "citext": ("CITEXT", 6),
}


@pytest.mark.needs("engines", "ibis", "postgres")
@pytest.mark.parametrize("kind", POSTGRES)
def test_postgres(postgres, kind):
    import ibis
    import psycopg

    declared, merged = POSTGRES[kind]
    with psycopg.connect(**postgres) as connection:
        connection.execute(
            """
            CREATE EXTENSION IF NOT EXISTS citext;
            CREATE COLLATION IF NOT EXISTS without_case
                (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
            CREATE COLLATION IF NOT EXISTS letters_only
                (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
            DROP TABLE IF EXISTS collated CASCADE;
            """
        )
        connection.execute(f"CREATE TABLE collated (c {declared}, t TEXT)")
        connection.cursor().executemany("INSERT INTO collated VALUES (%s, %s)", rows_of(PEOPLE))
        connection.execute(
            'CREATE VIEW by_bytes AS SELECT "c"::text COLLATE "C" AS c, t FROM collated'
        )
    database = ibis.postgres.connect(
        host=postgres["host"], user=postgres["user"], database=postgres["dbname"]
    )
    assert_refused(database.table("collated"), different=7, merged=merged, engine="postgres")
    assert same(figures(PEOPLE, database.table("by_bytes")), figures(PEOPLE, PEOPLE))
    database.disconnect()


@pytest.mark.needs("engines", "pyspark")
@pytest.mark.parametrize(
    "collation, merged", [("UTF8_LCASE", 6), ("UNICODE_CI_AI", 5), ("UTF8_BINARY_RTRIM", 6)]
)
def test_spark(spark, collation, merged):
    plain = spark.createDataFrame(rows_of(PEOPLE), "c string, t string")
    table = plain.selectExpr(f"COLLATE(c, '{collation}') AS c", "t")
    assert_refused(table, different=7, merged=merged, engine="pyspark")
    repaired = table.selectExpr("COLLATE(c, 'UTF8_BINARY') AS c", "t")
    expected = figures(PEOPLE, PEOPLE)
    assert same(figures(PEOPLE, repaired), expected) and same(figures(PEOPLE, plain), expected)
