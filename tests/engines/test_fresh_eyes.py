"""What a reader with fresh eyes met: files of several types, files that change, names with dots,
rows that stand for nobody, nanoseconds, names that differ in case or are ours.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pandas as pd
import pytest

from synthpop_py import (
    InputError,
    SynthpopError,
    disclosure,
    key_risk,
    multi_disclosure,
    replicated_uniques,
    table_utility,
)
from synthpop_py.tables import opening

TWO = pd.DataFrame({"k": [1, 2], "t": ["u", "v"]})
pytestmark = pytest.mark.needs("duckdb", "polars", "pyarrow")


def unique(data, keys="k", **options):
    """The share of unique people, of data compared with themselves."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return disclosure(
            data, data, keys, "t", print_flag=False, compat="corrected", **options
        ).UiO


def test_names_with_dots():
    import duckdb

    dotted = pd.DataFrame({"a.b": list("xyzxy") * 9, "c": range(45), "t": (list("uv") * 23)[:45]})
    relation = duckdb.connect().from_df(dotted)
    assert unique(relation, ["a.b", "c"]) == unique(dotted, ["a.b", "c"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in (
            lambda data: table_utility(data, data).table["tvd"].tolist(),
            lambda data: str(key_risk(data, data, ["a.b", "c"], "t")),
        ):
            assert call(relation) == call(dotted)


def test_rows_of_nobody():
    import polars

    counts = {"k": [0] * 5 + list(range(30)), "t": ["q"] * 5 + ["u", "v"] * 15}
    frame = polars.DataFrame({**counts, "n": [0] * 5 + [2] * 30})
    for hold in (frame, frame.lazy()):
        assert unique(hold, counts="n") == 0


def test_nanoseconds():
    import polars

    times = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(60) % 9, unit="ns")
    data = pd.DataFrame({"k": times, "j": range(60), "t": list("uvw") * 20})
    frame = polars.from_pandas(data)
    assert unique(frame, ["k", "j"]) == unique(data, ["k", "j"]) == 100
    assert unique(frame, ["k"]) == unique(data, ["k"])


def test_names_that_queries_use_are_names_like_others():
    import polars

    frame = polars.DataFrame({"synthpop_n": [1, 2], "c0": ["u", "v"], "t": ["u", "v"]})
    assert unique(frame, ["synthpop_n", "c0"]) == 100


def test_parquet_without_arrow_names_the_extra(tmp_path, monkeypatch):
    TWO.to_parquet(tmp_path / "people.parquet")
    for name in ("pyarrow", "pyarrow.parquet", "duckdb", "polars", "narwhals"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(SynthpopError, match=r"pyarrow, which is not installed.*\[frames\]"):
        unique(tmp_path / "people.parquet")


def test_no_record_of_an_engine_is_marked():
    """Flags of distinct rows, in whatever order the engine gave them, could mislead."""
    import duckdb

    table = duckdb.sql("select * from (values ('f', 'A'), ('f', 'B'), ('m', 'C')) as t(sex, town)")
    result = replicated_uniques(table, table)
    assert result.res_tab[0]["Number"].tolist() == [3, 3, 3, 3]
    assert result.repU_rm == result.synU_rm == [] == result.to_dict()["synU_rm"]


def test_a_table_that_has_other_records_for_every_target_is_refused():
    """As many as before, so that only their keys tell."""
    import duckdb

    table = duckdb.sql(
        "select (random() * 50)::int a, (random() * 50)::int b, (random() * 3)::int t,"
        " (random() * 3)::int u from range(1000)"
    )
    with pytest.raises(InputError, match="changed while they were counted, so keys of one target"):
        multi_disclosure(table, table, ["a", "b"], ["t", "u"], print_flag=False)


@pytest.mark.parametrize("values", [[None, None], [True, None], [True, False]])
def test_flags_are_flags_though_all_are_missing(values):
    import pyarrow as pa

    flags = pd.DataFrame({"f": pd.array(values, dtype="boolean")})
    for table in (flags, pa.Table.from_pandas(flags)):
        column = opening.open_table(table, "data").count_by(["f"]).columns["f"]
        assert column.kind == "logical"
