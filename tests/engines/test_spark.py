"""Spark: what it is asked, what it is sent, names that mean something to it, and
`result.records(original)`.
"""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from uuid import uuid4

import pytest

from synthpop_py import InputError, multi_disclosure
from tests.engines.labelled import (
    disclosed,
    labels_by_id,
    pandas_labels_by_id,
    rows_of,
)
from tests.engines.test_records import (
    BY_HAND,
    ORIGINAL,
    SYNTHETIC,
    VALUES,
    arrow_of_kinds,
    in_arrow,
    kinds_in_pandas,
)

pytestmark = pytest.mark.needs("engines", "pyspark")


@pytest.fixture
def in_spark(spark):
    return lambda frame: spark.createDataFrame(in_arrow(frame))


@contextmanager
def jobs_of(spark):
    """The jobs that Spark runs meanwhile; stages that a job skips are no work."""
    group = uuid4().hex
    spark.sparkContext.setJobGroup(group, "asked by a test")
    jobs: list[int] = []
    yield jobs
    jobs.extend(spark.sparkContext.statusTracker().getJobIdsForGroup(group))


# ---- records -------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::synthpop_py.DataWarning")  # blanks and capitals
@pytest.mark.parametrize(
    "zone, names", [("UTC", list(VALUES)), ("America/New_York", ["day", "moment"])]
)
def test_every_kind_of_value(spark, zone, names):
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", zone)
    try:
        frame = kinds_in_pandas()
        synthetic = frame.drop(columns="id").iloc[[0, 2, 4, 5]]
        table = spark.createDataFrame(arrow_of_kinds())
        # what a clock shows, as in pandas; Spark made moments of the session's zone of them
        table = table.withColumn("moment", table["moment"].cast("timestamp_ntz"))
        for keys in (names[:1], names):  # together they find out about each
            result = disclosed(synthetic, table, keys, "t", compat="corrected")
            expected = disclosed(synthetic, frame, keys, "t", compat="corrected")
            found = labels_by_id(result.records(table))
            assert found == pandas_labels_by_id(frame, expected), keys
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)


def test_moments_with_the_zone_of_the_session(spark):
    """An hour that a clock shows twice is two moments."""
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        table = spark.sql(
            "SELECT * FROM VALUES (0, TIMESTAMP '2020-11-01 05:30:00Z', 'x'),"
            " (1, TIMESTAMP '2020-11-01 06:30:00Z', 'y'), (2, NULL, 'x') AS people(id, k, t)"
        )
        result = disclosed(table, table, ["k"], "t", compat="corrected")
        labels = labels_by_id(result.records(table))
        assert {number: label[-4:] for number, label in labels.items()} == {
            0: (1, 1, 1, 1),
            1: (1, 1, 1, 1),
            2: (1, 1, 1, 1),
        }
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)


# ---- names ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.b", "a`b", "a b", "", "Ä", "a,b;c(d)", "K"])
def test_one_odd_name(in_spark, name):
    names = {"k": name, "id": "k"}
    table = in_spark(ORIGINAL.rename(columns=names))
    result = disclosed(SYNTHETIC.rename(columns=names), table, [name], "t", compat="corrected")
    assert rows_of(result.records(table)) == BY_HAND


def test_names_that_occur_twice(spark):
    table = spark.sql("SELECT 1 AS k, 2 AS k, 'x' AS t")
    with pytest.raises(InputError, match="data: the column names k occur more than once; rename"):
        disclosed(SYNTHETIC, table, ["k"], "t")


# ---- what Spark is asked -------------------------------------------------------------


@pytest.fixture
def jobs_of_a_group_by(spark, in_spark):
    """Spark turns one question into several jobs."""
    with jobs_of(spark) as asked:
        in_spark(ORIGINAL).groupBy("k", "t").count().toArrow()
    return len(asked)


def test_one_group_by_for_each_table_and_target(spark, in_spark, jobs_of_a_group_by):
    """And one question about the number of records of each table; nothing else."""
    original, synthetic = in_spark(ORIGINAL), in_spark(SYNTHETIC)
    with jobs_of(spark) as asked:
        disclosed(synthetic, original, ["k"], "t", compat="corrected")
    assert len(asked) == (2 + 2) * jobs_of_a_group_by
    original, synthetic = in_spark(ORIGINAL.assign(u="x")), in_spark(SYNTHETIC.assign(u="x"))
    call = dict(keys=["k"], targets=["t", "u"], compat="corrected", print_flag=False)
    with jobs_of(spark) as asked:
        multi_disclosure(synthetic, original, **call)
    assert len(asked) == (2 + 2 * 2) * jobs_of_a_group_by


def test_records_are_not_collected(spark, in_spark, jobs_of_a_group_by):
    """Their number and their distinct rows are asked for, to see that they are the same ones."""
    table = in_spark(ORIGINAL)
    result = disclosed(SYNTHETIC, ORIGINAL, ["k"], "t", compat="corrected")
    with jobs_of(spark) as asked:
        labelled = result.records(table)
    assert len(asked) == 2 * jobs_of_a_group_by
    with jobs_of(spark) as asked:
        assert labelled.filter("DiSCO").count() == 2
    assert asked


def test_only_distinct_rows_come_over(spark, in_spark, monkeypatch):
    """A thousand times the records, the same bytes."""
    kind = type(in_spark(ORIGINAL))
    collected = []
    plain = kind.toArrow

    def watched(frame):
        collected.append(plain(frame))
        return collected[-1]

    monkeypatch.setattr(kind, "toArrow", watched)
    sizes = []
    for times in (1, 1000):
        collected.clear()
        many = in_spark(ORIGINAL).crossJoin(spark.range(times).select())
        disclosed(in_spark(SYNTHETIC), many, ["k"], "t", compat="corrected")
        sizes.append([table.nbytes for table in collected])
    assert len(sizes[0]) == 4 and sizes[0] == sizes[1]


def test_no_warning_but_ours(spark, in_spark):
    """Spark warns of pandas 3 where it is asked for pandas, which we never do."""
    table, synthetic = in_spark(ORIGINAL), in_spark(SYNTHETIC)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = disclosed(synthetic, table, ["k"], "t", compat="corrected")
        result.records(table).collect()


def test_a_session_that_was_stopped():
    """In a process of its own: others go on with theirs."""
    import subprocess
    import sys

    script = """
import warnings
warnings.simplefilter("ignore")
from pyspark.sql import SparkSession
from synthpop_py import InputError, disclosure
session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
session.sparkContext.setLogLevel("OFF")
table = session.createDataFrame([("a", "x"), ("b", "y")], "k string, t string")
result = disclosure(table, table, ["k"], "t", print_flag=False)
session.stop()
for question in (
    lambda: disclosure(table, table, ["k"], "t", print_flag=False),
    lambda: result.records(table),
):
    try:
        question()
    except InputError as error:
        print("told:", error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    told = [line for line in done.stdout.splitlines() if line.startswith("told:")]
    assert len(told) == 2, done.stdout + done.stderr[-3000:]
    assert told[0].startswith("told: object: pyspark could not")
    assert told[1].startswith("told: original: pyspark could not")
