"""`result.records(original)` on tables of polars, Arrow and DuckDB: the user's own table
with the flags joined on, not collected.
"""

from __future__ import annotations

import gc
from datetime import date, datetime
from decimal import Decimal

import pandas as pd
import pytest

from synthpop_py import InputError, datasets
from tests.engines.labelled import (
    ADDED,
    MEASURES,
    columns_of,
    disclosed,
    expected_rows,
    labels_by_id,
    pandas_labels_by_id,
    rows_of,
)

pytestmark = [
    pytest.mark.needs("pyarrow", "polars", "duckdb", "ibis"),
    # how Ibis asks pandas 3 for its settings, and DuckDB for Arrow
    pytest.mark.filterwarnings("ignore:The 'future.infer_string' option is deprecated"),
    pytest.mark.filterwarnings("ignore:fetch_arrow_table"),
]

ORIGINAL = pd.DataFrame(
    {
        "id": [0, 1, 2, 3, 4, 5],
        "k": ["a", "a", "a", None, None, "b"],
        "t": ["x", "x", "y", "x", None, "x"],
    }
)
SYNTHETIC = pd.DataFrame({"k": ["a", "a", None], "t": ["x", "x", "y"]})
# by hand: a is x in the synthetic data, so everybody with a is in it, and x are found out; those
# without a key have an answer, y, that is wrong; b is nobody in the synthetic data
#        id  k     t    synthesis  UiO, repU, iS, DiS, DiSCO, DiSDiO    keys   cells
BY_HAND = [
    (0, "a", "x", 1, False, False, True, True, True, False, 3, 2, 2, 2),
    (1, "a", "x", 1, False, False, True, True, True, False, 3, 2, 2, 2),
    (2, "a", "y", 1, False, False, True, True, False, False, 3, 2, 1, 0),
    (3, None, "x", 1, False, False, True, True, False, False, 2, 1, 1, 0),
    (4, None, None, 1, False, False, True, True, False, False, 2, 1, 1, 0),
    (5, "b", "x", 1, True, False, False, False, False, False, 1, 0, 1, 0),
]


# ---- makers of tables ----------------------------------------------------------------


def in_polars(frame):
    import polars as pl

    return pl.from_pandas(frame)


def in_arrow(frame):
    import pyarrow as pa

    return pa.Table.from_pandas(frame, preserve_index=False)


def in_duckdb(given):
    """A frame, or a table of Arrow."""
    import duckdb

    connection = duckdb.connect()
    connection.register("given", in_arrow(given) if isinstance(given, pd.DataFrame) else given)
    connection.execute("CREATE TABLE people AS SELECT * FROM given")
    return connection.table("people")


MAKERS = {
    "polars": in_polars,
    "lazy polars": lambda frame: in_polars(frame).lazy(),
    "arrow": in_arrow,
    "duckdb": in_duckdb,
}
SPARK = pytest.param("spark", marks=pytest.mark.needs("engines", "pyspark"))
with_spark = pytest.mark.parametrize("in_engine", [*MAKERS, SPARK], indirect=True)


@pytest.fixture(params=list(MAKERS))
def in_engine(request):
    """Puts a pandas frame where an engine has it."""
    if request.param == "spark":
        spark = request.getfixturevalue("spark")
        return lambda frame: spark.createDataFrame(in_arrow(frame))
    return MAKERS[request.param]


OTHER = SYNTHETIC.assign(t=["x", "y", "x"])


def labelled(table, synthetic=SYNTHETIC, keys=("k",), target="t", **options):
    """The table with the labels of a call on it."""
    options = {"compat": "corrected", **options}
    result = disclosed(synthetic, table, list(keys), target, **options)
    return result, result.records(table)


# ---- the same flags ------------------------------------------------------------------


@with_spark
def test_a_small_table_by_hand(in_engine):
    table = in_engine(ORIGINAL)
    result, found = labelled(table)
    assert type(found) is type(table)
    assert columns_of(found) == ["id", "k", "t", *ADDED]
    assert rows_of(found) == BY_HAND
    assert expected_rows(ORIGINAL, result) == BY_HAND


@with_spark
def test_sd2011(in_engine):
    columns = ["sex", "age", "region", "depress", "income"]
    people = datasets.load("SD2011")[columns]
    for name in ("sex", "region"):  # engines have no categories
        people = people.assign(**{name: people[name].astype(object)})
    synthetic = datasets.load_synthesis("SD2011_s1")
    result, found = labelled(in_engine(people), synthetic, columns[:3], "depress")
    assert rows_of(found) == expected_rows(people, result)


@with_spark
def test_every_synthesis_is_a_block(in_engine):
    result, found = labelled(in_engine(ORIGINAL), [SYNTHETIC, OTHER])
    rows = rows_of(found)
    assert rows == expected_rows(ORIGINAL, result)
    assert [row[3] for row in rows] == [1, 2] * len(ORIGINAL)  # sorted by id
    assert rows[1::2] != rows[::2]


@with_spark
@pytest.mark.parametrize("number", ["n", "freq", "how.many"])
def test_frequency_tables(in_engine, number):
    counted = ORIGINAL.assign(**{number: [3, 0, 2, 1, 5, 1]})
    synthetic = SYNTHETIC.assign(**{number: [1, 1, 2]})
    result, found = labelled(in_engine(counted), synthetic, counts=number)
    rows, columns = rows_of(found), columns_of(found)
    assert rows == expected_rows(counted, result)
    assert columns[3] == number and "n" in columns
    assert len(rows) == len(counted) - 1  # a row of nobody
    for measure in MEASURES:
        place, of = columns.index(measure), columns.index("n")
        total = sum(row[of] for row in rows if row[place])
        assert total == result.shares[0][measure].numerator


# ---- every kind of value is found again ----------------------------------------------

NAN = float("nan")
VALUES = {
    "real": [0.0, -0.0, NAN, None, 1.1, 1.1],
    "short": [0.5, -0.0, NAN, None, 1.1, 1.1],
    "number": [2**40 + 1, 2**40, None, None, -1, -1],
    "text": ["a", "a ", "A", "", None, "ä'\"%"],
    "yes": [True, False, None, None, True, True],
    "decimal": [Decimal("1.10"), Decimal("0.00"), None, None, Decimal("2.25"), Decimal("2.25")],
    "day": [date(2020, 2, 29), date(1899, 1, 1), None, None, date(2020, 2, 29), date(2020, 3, 1)],
    "moment": [
        datetime(2020, 2, 29, 10, 0, 0, 1),
        datetime(2020, 2, 29, 10),
        None,
        None,
        datetime(2020, 2, 29, 10),
        datetime(2020, 2, 29),
    ],
    "level": ["low", "high", None, None, "low", "low"],
}


def arrow_of_kinds():
    import pyarrow as pa

    kinds = {
        "real": pa.float64(),
        "short": pa.float32(),
        "number": pa.int64(),
        "text": pa.string(),
        "yes": pa.bool_(),
        "decimal": pa.decimal128(5, 2),
        "day": pa.date32(),
        "moment": pa.timestamp("us"),
        "level": pa.string(),
    }
    columns = {name: pa.array(values, kinds[name]) for name, values in VALUES.items()}
    return pa.table({"id": range(6), "t": list("xyxxyx"), **columns})


def kinds_in_polars():
    import polars as pl

    order = pl.Enum(["none", "low", "high"])
    return pl.DataFrame(arrow_of_kinds()).with_columns(pl.col("level").cast(order))


def kinds_in_duckdb():
    table = in_duckdb(arrow_of_kinds())
    return table.query(
        "people",
        "SELECT * REPLACE (CAST(level AS ENUM('none', 'low', 'high')) AS level) FROM people",
    )


KINDS = {
    "polars": kinds_in_polars,
    "lazy polars": lambda: kinds_in_polars().lazy(),
    "arrow": arrow_of_kinds,
    "duckdb": kinds_in_duckdb,
}


def kinds_in_pandas():
    return arrow_of_kinds().to_pandas(types_mapper=pd.ArrowDtype)


@pytest.mark.filterwarnings("ignore::synthpop_py.DataWarning")  # blanks and capitals
@pytest.mark.parametrize("engine", KINDS)
def test_every_kind_of_value(engine):
    frame = kinds_in_pandas()
    synthetic = frame.drop(columns="id").iloc[[0, 2, 4, 5]]
    table = KINDS[engine]()
    for keys in [*([name] for name in VALUES), list(VALUES)]:
        result = disclosed(synthetic, table, keys, "t", compat="corrected")
        expected = disclosed(synthetic, frame, keys, "t", compat="corrected")
        found = labels_by_id(result.records(table))
        assert found == pandas_labels_by_id(frame, expected), keys


# ---- names ---------------------------------------------------------------------------

ODD = {"k": 'a "quoted". name', "t": "select", "id": "i.x"}


@with_spark
def test_odd_names(in_engine):
    table = in_engine(ORIGINAL.rename(columns=ODD))
    _, found = labelled(table, SYNTHETIC.rename(columns=ODD), [ODD["k"]], ODD["t"])
    assert columns_of(found) == ["i.x", 'a "quoted". name', "select", *ADDED]
    assert rows_of(found) == BY_HAND


@pytest.mark.parametrize(
    "name, says",
    [
        ("synthesis", "has a column 'synthesis', and 'synthesis' is the name of one"),
        ("UIO", "has a column 'UIO', and 'UiO' is the name of one"),
        ("n", "has a column 'n', and 'n' is the name of one"),
    ],
)
def test_a_name_that_is_taken(in_engine, name, says):
    table = in_engine(ORIGINAL.rename(columns={"id": name}).assign(freq=1))
    with pytest.raises(InputError, match=says):
        labelled(table, SYNTHETIC.assign(freq=1), counts="freq")


# ---- the same data, and nothing else -------------------------------------------------


def test_other_data_are_refused(in_engine):
    result = disclosed(SYNTHETIC, ORIGINAL, ["k"], "t", compat="corrected")
    for changed in (ORIGINAL.assign(t="x"), ORIGINAL.iloc[1:]):
        with pytest.raises(InputError, match="not those of this result"):
            result.records(in_engine(changed))
    with pytest.raises(InputError, match="original: has no column 't'"):
        result.records(in_engine(ORIGINAL.drop(columns="t")))


def test_the_call_may_have_seen_another_kind_of_table(in_engine):
    result = disclosed(SYNTHETIC, ORIGINAL, ["k"], "t", compat="corrected")
    assert rows_of(result.records(in_engine(ORIGINAL))) == BY_HAND


def test_a_record_that_came_later_has_no_labels():
    import duckdb

    connection = duckdb.connect()
    connection.register("given", in_arrow(ORIGINAL))
    connection.execute("CREATE TABLE people AS SELECT * FROM given")
    _, found = labelled(connection.table("people"))
    connection.execute("INSERT INTO people VALUES (6, 'new', 'x')")
    assert labels_by_id(found)[6] == (None,) * len(ADDED)


def test_an_engine_that_cannot_be_joined(put):
    rows = "('a', 'x'), ('b', 'y')"
    table = put("sqlite", "people", {"k": "TEXT", "t": "TEXT"}, rows)
    with pytest.raises(InputError, match="original: labels cannot be joined to tables of ibis"):
        labelled(table)


# ---- nothing is collected, nothing is left behind ------------------------------------


@pytest.mark.parametrize("engine", ["polars", "lazy polars", "arrow"])
def test_frames_in_memory_keep_their_order(engine):
    table = MAKERS[engine](ORIGINAL.iloc[[5, 2, 0, 4, 1, 3]])
    _, found = labelled(table, [SYNTHETIC, OTHER])
    if engine == "lazy polars":
        found = found.collect()
    assert [int(number) for number in found["id"]] == [5, 2, 0, 4, 1, 3] * 2
    assert [int(number) for number in found["synthesis"]] == [1] * 6 + [2] * 6


def test_polars_reads_the_records_to_count_them_only():
    """The group-by and the number of records; whoever collects what comes back reads them once
    more.
    """
    import polars as pl

    times = []
    watched = MAKERS["lazy polars"](ORIGINAL).map_batches(lambda frame: times.append(1) or frame)
    result = disclosed(SYNTHETIC, ORIGINAL, ["k"], "t", compat="corrected")
    labelled = result.records(watched)
    assert isinstance(labelled, pl.LazyFrame)
    assert len(times) == 2
    assert rows_of(labelled) == BY_HAND
    assert len(times) == 3


def test_a_database_of_duckdb_that_may_not_be_written_to(tmp_path):
    import duckdb

    path = tmp_path / "people.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.register("given", in_arrow(ORIGINAL))
        connection.execute("CREATE TABLE people AS SELECT * FROM given")
    with duckdb.connect(str(path), read_only=True) as connection:
        table = connection.table("people")
        labelled = disclosed(SYNTHETIC, table, ["k"], "t", compat="corrected").records(table)
        gc.collect()
        assert type(labelled) is type(table)
        assert rows_of(labelled) == BY_HAND
        assert labelled.filter("DiSCO").aggregate("count(*)").fetchall() == [(2,)]
    with duckdb.connect(str(path)) as connection:
        assert connection.execute("SHOW ALL TABLES").fetchall()[0][2] == "people"
        assert len(connection.execute("SHOW ALL TABLES").fetchall()) == 1


def test_two_tables_with_labels_of_one_connection():
    table = in_duckdb(ORIGINAL)
    first = disclosed(SYNTHETIC, table, ["k"], "t", compat="corrected").records(table)
    other = SYNTHETIC.assign(t=["x", "y", "x"])
    second = disclosed(other, table, ["k"], "t", compat="corrected").records(table)
    assert rows_of(first) == BY_HAND
    assert rows_of(second) != BY_HAND


def test_columns_keep_their_types():
    import polars as pl

    frame = kinds_in_polars().with_columns(pl.col("text").cast(pl.Categorical))
    labelled = disclosed(frame, frame, ["text", "level"], "t", compat="corrected").records(frame)
    assert labelled.select(frame.columns).equals(frame)
    assert labelled.select(frame.columns).schema == frame.schema
    table = kinds_in_duckdb()
    labelled = disclosed(table, table, ["level"], "t", compat="corrected").records(table)
    assert labelled.types[: len(table.types)] == table.types
