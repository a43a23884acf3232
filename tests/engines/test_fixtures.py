"""The engines that the tests start, do they answer?"""

import pytest


@pytest.mark.needs("engines", "pyspark")
def test_spark_counts(spark):
    rows = spark.createDataFrame([("a", 1), ("a", 2), ("b", 3)], "k string, v int")
    assert sorted(map(tuple, rows.groupBy("k").count().collect())) == [("a", 2), ("b", 1)]


@pytest.mark.needs("engines", "postgres")
def test_postgres_counts(postgres):
    import psycopg

    with psycopg.connect(**postgres) as connection:
        rows = connection.execute("SELECT v % 2, COUNT(*) FROM generate_series(1, 5) v GROUP BY 1")
        assert sorted(rows) == [(0, 2), (1, 3)]
