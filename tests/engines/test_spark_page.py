"""The page "From Spark": its code runs, and its arithmetic is that of Spark."""

from __future__ import annotations

import pandas as pd
import pytest

from docs import build

pytestmark = pytest.mark.needs("engines", "pyspark")

PAGE = "how-to/from-spark.md"


@pytest.fixture(scope="module")
def ran(spark, tmp_path_factory):
    """The names that the page's code leaves behind, run in an empty folder."""
    folder = tmp_path_factory.mktemp("page")
    template = (build.SOURCE / PAGE).read_text(encoding="utf-8")
    names = {"spark": spark}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for line, kind, code in build.blocks(template, PAGE):
            if kind is not None and kind.startswith("python"):
                code = code.replace('.parquet("', f'.parquet("{folder}/')
                exec(compile("\n" * line + code, PAGE, "exec"), names)
    return names


def test_the_figures_are_those_of_pandas(ran):
    shown = ["measure", "value", "numerator", "denominator"]
    in_spark, in_pandas = ran["result"].tidy(), ran["in_pandas"].tidy()
    pd.testing.assert_frame_equal(in_spark[shown], in_pandas[shown])


def test_the_records_are_those_of_pandas(ran):
    original = ran["SD2011"]
    flagged = ran["in_pandas"].records(original)
    regions = original["region"].iloc[flagged.record[flagged.DiSCO]].value_counts()
    found = dict(zip(*ran["at_risk"].to_pydict().values()))
    assert found == {region: n for region, n in regions.items() if n}
    assert ran["people"].count() == len(original)


def test_spark_shuffles_the_distinct_rows_of_each_partition(ran, spark):
    """In no more bytes than the page takes for a row."""
    partitions, records = 4, 20_000
    columns = [f"CAST(hash(id, {seed}) % 3 AS LONG) AS c{seed}" for seed in range(6)]
    people = spark.range(0, partitions * records, numPartitions=partitions).selectExpr(*columns)
    by_partition = people.rdd.mapPartitions(lambda rows: [len(set(rows))])
    distinct = sum(by_partition.collect())
    assert distinct < partitions * records / 2
    before = _stages(spark)
    people.groupBy(*people.columns).count().toArrow()
    written = [stage for number, stage in _stages(spark).items() if number not in before]
    assert sum(stage.shuffleWriteRecords() for stage in written) == distinct
    shuffled = sum(stage.shuffleWriteBytes() for stage in written)
    assert 0 < shuffled <= distinct * ran["ROW_BYTES"]


def _stages(spark) -> dict[int, object]:
    """What Spark knows of the stages it ran."""
    context = spark.sparkContext._jsc.sc()
    context.listenerBus().waitUntilEmpty()
    store = context.statusStore()
    options = [getattr(store, f"stageList$default${place}")() for place in (2, 3, 4, 5)]
    listed = store.stageList(None, *options)
    return {listed.apply(at).stageId(): listed.apply(at) for at in range(listed.size())}
