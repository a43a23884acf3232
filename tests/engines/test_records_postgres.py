"""`result.records(original)` on tables of PostgreSQL, through Ibis."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from synthpop_py import datasets
from tests.engines.labelled import (
    disclosed,
    expected_rows,
    labels_by_id,
    pandas_labels_by_id,
    rows_of,
)
from tests.engines.test_records import (
    BY_HAND,
    ODD,
    ORIGINAL,
    SYNTHETIC,
    VALUES,
    kinds_in_pandas,
)

pytestmark = [
    pytest.mark.needs("engines", "ibis", "postgres"),
    # how Ibis asks pandas 3 for its settings
    pytest.mark.filterwarnings("ignore:The 'future.infer_string' option is deprecated"),
]


@pytest.fixture
def database(postgres):
    """A schema that goes away, on a connection of Ibis."""
    import ibis

    connection = ibis.postgres.connect(
        host=postgres["host"], user=postgres["user"], database=postgres["dbname"]
    )
    connection.con.execute("DROP SCHEMA IF EXISTS records CASCADE; CREATE SCHEMA records")
    connection.con.execute("SET search_path TO records")
    connection.con.commit()
    yield connection
    if not connection.con.closed:
        connection.disconnect()


def stored(database: Any, columns: str, rows: Any) -> Any:
    """A table with these columns and rows."""
    raw = database.con
    raw.execute(f"CREATE TABLE records.people ({columns})")
    rows = [tuple(None if pd.isna(value) else value for value in row) for row in rows]
    places = ", ".join(["%s"] * len(rows[0]))
    with raw.cursor() as cursor:
        cursor.executemany(f"INSERT INTO records.people VALUES ({places})", rows)
    raw.commit()
    return database.table("people", database="records")


def test_a_small_table_by_hand(database):
    table = stored(database, "id int, k text, t text", ORIGINAL.itertuples(index=False))
    result = disclosed(SYNTHETIC, table, ["k"], "t", compat="corrected")
    labelled = result.records(table)
    assert type(labelled) is type(table)
    assert rows_of(labelled) == BY_HAND


def test_odd_names(database):
    columns = '"i.x" int, "a ""quoted"". name" text, "select" text'
    table = stored(database, columns, ORIGINAL.itertuples(index=False))
    synthetic = SYNTHETIC.rename(columns=ODD)
    result = disclosed(synthetic, table, [ODD["k"]], ODD["t"], compat="corrected")
    assert rows_of(result.records(table)) == BY_HAND


def test_sd2011(database):
    people = datasets.load("SD2011")[["sex", "age", "region", "depress", "income"]]
    for name in ("sex", "region"):
        people = people.assign(**{name: people[name].astype(object)})
    columns = "sex text, age int, region text, depress int, income double precision"
    table = stored(database, columns, people.itertuples(index=False))
    synthetic = datasets.load_synthesis("SD2011_s5")
    result = disclosed(synthetic, table, ["sex", "age", "region"], "depress", compat="corrected")
    assert rows_of(result.records(table)) == expected_rows(people, result)


@pytest.mark.filterwarnings("ignore::synthpop_py.DataWarning")  # blanks and capitals
def test_every_kind_of_value(database):
    frame = kinds_in_pandas()
    synthetic = frame.drop(columns="id").iloc[[0, 2, 4, 5]]
    columns = (
        "id int, t text, real double precision, short real, number bigint, text text, yes boolean,"
        " decimal numeric(5, 2), day date, moment timestamp, level text"
    )
    raw = database.con
    raw.execute(f"CREATE TABLE records.people ({columns})")
    rows = list(zip(range(6), "xyxxyx", *VALUES.values()))
    with raw.cursor() as cursor:  # NaN goes in as such
        places = ", ".join(["%s"] * len(rows[0]))
        cursor.executemany(f"INSERT INTO records.people VALUES ({places})", rows)
    raw.commit()
    table = database.table("people", database="records")
    for keys in [*([name] for name in VALUES), list(VALUES)]:
        result = disclosed(synthetic, table, keys, "t", compat="corrected")
        expected = disclosed(synthetic, frame, keys, "t", compat="corrected")
        found = labels_by_id(result.records(table))
        assert found == pandas_labels_by_id(frame, expected), keys


def test_text_of_fixed_length_and_decimals_of_any(database):
    """CHAR comes with blanks that it does not have in comparisons; 1.0 and 1.00 are one value."""
    rows = [(0, "a", "1.0", "x"), (1, "a", "1.00", "y"), (2, "bb", None, "x"), (3, None, "2", "x")]
    table = stored(database, "id int, c char(5), d numeric, t text", rows)
    result = disclosed(table, table, ["c", "d"], "t", compat="corrected")
    labels = labels_by_id(result.records(table))
    assert {number: label[-4:] for number, label in labels.items()} == {
        0: (2, 2, 1, 1),
        1: (2, 2, 1, 1),
        2: (1, 1, 1, 1),
        3: (1, 1, 1, 1),
    }


def test_labels_are_looked_up(database):
    """By hashes or in order: to compare every record with every label would take their product."""
    rows = ((number, None if number % 7 == 0 else f"k{number % 50}", "x") for number in range(500))
    table = stored(database, "id int, k text, t text", rows)
    database.con.execute("ANALYZE records.people")
    labelled = disclosed(table, table, ["k"], "t", compat="corrected").records(table)
    assert labelled.count().to_pyarrow().as_py() == 500  # which sends the labels
    plan = database.con.execute(f"EXPLAIN {database.compile(labelled)}").fetchall()
    text = "\n".join(line for (line,) in plan)
    assert ("Hash" in text or "Merge" in text) and "Nested Loop" not in text, text


def test_nothing_is_left_behind(database, postgres):
    import psycopg

    table = stored(database, "id int, k text, t text", ORIGINAL.itertuples(index=False))
    labelled = disclosed(SYNTHETIC, table, ["k"], "t", compat="corrected").records(table)
    everything = "SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relpersistence "
    temporary = database.con.execute(everything + "= 't'").fetchone()
    assert temporary == (0,)  # nothing was sent yet
    permanent = database.con.execute(everything + "<> 't'").fetchone()
    assert rows_of(labelled) == BY_HAND
    database.con.commit()
    assert database.con.execute(everything + "<> 't'").fetchone() == permanent
    database.disconnect()
    with psycopg.connect(**postgres) as later:
        assert later.execute(everything + "= 't'").fetchone() == (0,)


def test_long_whole_numbers_beside_missing_ones(database):
    rows = [(0, 2**53 + 1, "x"), (1, 2**53, "x"), (2, None, "x")]
    table = stored(database, "id int, k bigint, t text", rows)
    result = disclosed(table, table, ["k"], "t", compat="corrected")
    labels = labels_by_id(result.records(table))
    assert {number: label[-4:] for number, label in labels.items()} == {
        0: (1, 1, 1, 1),
        1: (1, 1, 1, 1),
        2: (1, 1, 1, 1),
    }
