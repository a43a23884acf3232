"""Frequency tables and declared levels in engines follow the rules that they follow in pandas."""

from __future__ import annotations

import warnings
from decimal import Decimal
from typing import Any

import pandas as pd
import pytest

from synthpop_py import InputError, RDefectWarning, SynDS, disclosure
from synthpop_py.tables.engine import EngineTable
from synthpop_py.tables.opening import open_table
from tests.unit.test_counted_tables import same

# Ibis and Spark tell of their own future, also when a test makes a table
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")

TALL = pd.DataFrame({"k": list("aabbbc"), "t": list("xyxxyx")})


def in_duckdb(frame: pd.DataFrame, kind: str) -> Any:
    import duckdb

    texts = ["NULL" if pd.isna(n) else f"CAST('{n}' AS {kind})" for n in frame["n"]]
    rows = [f"('{k}', '{t}', {n})" for k, t, n in zip(frame["k"], frame["t"], texts)]
    return duckdb.sql(f"SELECT * FROM (VALUES {', '.join(rows)}) people(k, t, n)")


def in_polars(frame: pd.DataFrame, kind: str) -> Any:
    import polars

    table = polars.DataFrame(frame.astype({"n": object}).to_dict("list"), strict=False)
    if kind == "VARCHAR":
        return table.with_columns(polars.col("n").cast(polars.String))
    return table.lazy()


def counted(n: list[Any]) -> pd.DataFrame:
    """Three rows of one group, then one of another."""
    frame = pd.DataFrame({"k": list("aaab"), "t": list("xxxy")})
    return frame.assign(n=pd.Series(n, dtype=object))


def figures(synthetic: Any, original: Any, **how: Any) -> dict:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RDefectWarning)
        return disclosure(synthetic, original, ["k"], "t", print_flag=False, **how).to_dict()


# ---- counts --------------------------------------------------------------------------

WHOLE = ["BIGINT", "UTINYINT", "HUGEINT", "DECIMAL(10, 2)", "DOUBLE"]


@pytest.mark.needs("duckdb", "pyarrow")
@pytest.mark.parametrize("kind", WHOLE)
def test_whole_numbers_of_any_type_are_counts(kind):
    frame = counted([1, 0, 2, 3])
    expected = figures(frame.astype({"n": int}), frame.astype({"n": int}), counts="n")
    table = in_duckdb(frame, kind)
    assert same(figures(table, table, counts="n"), expected)
    assert EngineTable(table, "data", "n").records == 6


REFUSED = {
    "a fraction that another makes whole": ([1.5, 0.5, 1, 1], "DOUBLE", "whole numbers"),
    "a decimal fraction": ([Decimal("1.5"), Decimal("0.5"), 1, 1], "DECIMAL(9, 1)", "whole number"),
    "a negative number that others hide": ([-1, 3, 1, 1], "BIGINT", "whole numbers"),
    "a missing number": ([None, 3, 1, 1], "BIGINT", "none missing"),
    "not a number": ([float("nan"), 3.0, 1.0, 1.0], "DOUBLE", "none missing"),
    "text": (["1", "2", "1", "1"], "VARCHAR", "whole numbers"),
    "more than 64 bits hold": ([2**62, 2**62, 2**62, 1], "BIGINT", "64 bits"),
    "one more than 64 bits hold": ([2**63 - 1, 1, 0, 0], "BIGINT", "64 bits"),
    "a number beyond 64 bits": ([2**64, 1, 0, 0], "HUGEINT", "64 bits"),
}


@pytest.mark.needs("duckdb", "polars", "pyarrow")
@pytest.mark.parametrize("engine", [in_duckdb, in_polars], ids=["duckdb", "polars"])
@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_a_count(name, engine):
    n, kind, says = REFUSED[name]
    if kind == "HUGEINT" and engine is in_polars:
        n, kind, says = [2**63, 2**63, 0, 0], "UBIGINT", "64 bits"
    table = engine(counted(n), kind)
    with pytest.raises(InputError, match=f"^counts: column 'n' of object.*{says}"):
        figures(table, table, counts="n")


@pytest.mark.needs("duckdb", "pyarrow")
def test_the_largest_total_that_64_bits_hold():
    table = in_duckdb(counted([2**62, 2**62 - 3, 0, 2]), "BIGINT")
    assert EngineTable(table, "data", "n").records == 2**63 - 1
    found = EngineTable(table, "data", "n").count_by(["k"])
    assert sorted(found.n.tolist()) == [2, 2**63 - 3]


@pytest.mark.needs("ibis", "pyarrow")
def test_counts_in_a_database_through_ibis(put):
    frame = counted([1, 0, 2, 3]).astype({"n": int})
    columns = {"k": "TEXT", "t": "TEXT", "n": "INTEGER"}
    rows = ", ".join(map(str, frame.itertuples(index=False, name=None)))
    table = put("sqlite", "people", columns, rows)
    assert same(figures(table, table, counts="n"), figures(frame, frame, counts="n"))
    wrong = put("sqlite", "wrong", columns, rows.replace("2)", "-2)"))
    with pytest.raises(InputError, match="counts: column 'n' of object must hold whole"):
        figures(wrong, wrong, counts="n")


# ---- levels --------------------------------------------------------------------------


@pytest.mark.needs("duckdb", "pyarrow")
def test_levels_of_a_table():
    import duckdb

    table = duckdb.sql("SELECT *, 1 AS number FROM TALL")
    with pytest.raises(InputError, match="levels: 'kk' is not a column of data; did you mean 'k'"):
        EngineTable(table, "data", levels={"kk": ["a"]})
    with pytest.raises(InputError, match="column 'number' holds no text") as error:
        EngineTable(table, "data", levels={"number": ["1"]}).count_by(["number"])
    with pytest.raises(InputError, match=r"column 'k' has 2 level.* that are not listed") as error:
        EngineTable(table, "data", levels={"k": ["a", "d"]}).count_by(["k"])
    assert error.value.details == {"levels": ("b", "c")}
    declared = EngineTable(table, "data", levels={"k": ["c", "never", "b", "a"]})
    column = declared.count_by(["k"]).columns["k"]
    assert column.kind == "factor" and column.labels == ("c", "never", "b", "a")


@pytest.mark.needs("duckdb", "pyarrow")
@pytest.mark.parametrize("compat", ["r", "corrected"])
def test_declared_levels_make_texts_factors_with_unused_levels(compat):
    import duckdb

    original = pd.DataFrame({"k": list("ccacbb"), "t": list("yxzxxy")})
    synthetic = pd.DataFrame({"k": list("ccbbbb"), "t": list("xwxzwx")})
    levels = {"k": list("cbda"), "t": list("zyxw")}
    types = {name: pd.CategoricalDtype(texts) for name, texts in levels.items()}
    frames = [frame.astype(types) for frame in (synthetic, original)]
    tables = [EngineTable(duckdb.sql("SELECT * FROM synthetic"), "object", levels=levels)]
    tables.append(EngineTable(duckdb.sql("SELECT * FROM original"), "data", levels=levels))
    assert same(figures(*tables, compat=compat), figures(*frames, compat=compat))


# ---- the order of texts --------------------------------------------------------------


@pytest.mark.needs("duckdb", "pyarrow")
@pytest.mark.filterwarnings("ignore::synthpop_py.RDefectWarning")
def test_where_a_defect_of_r_depends_on_the_order_an_engine_gives_what_a_frame_gives():
    import duckdb

    types = {"t": pd.CategoricalDtype(list("zyx"))}
    original = pd.DataFrame({"k": list("cbbaa"), "t": list("xxxxz")}).astype(types)
    synthetic = pd.DataFrame({"k": list("bcbbc"), "t": list("zyyyz")})
    table = duckdb.sql("SELECT * FROM synthetic")
    in_engine = SynDS([open_table(table, "object")])
    result = disclosure(in_engine, original, ["k"], "t", print_flag=False)
    assert "D1" in [finding.id for finding in result.defects]
    here = disclosure(SynDS(synthetic), original, ["k"], "t", print_flag=False)
    assert here.to_dict() == result.to_dict()


@pytest.mark.needs("duckdb", "pyarrow")
def test_declared_levels_decide_between_tied_ones():
    """Four levels of two disclosive records each: which one is flagged is a matter of order."""
    import duckdb

    frame = pd.DataFrame({"k": list("aabbccdd"), "t": list("xxyyzzww")})
    table = duckdb.from_df(frame)
    low = {"thresh_1way": [0, 10], "print_flag": False}
    assert disclosure(table, table, ["k"], "t", **low).check1 == "w"
    declared = EngineTable(table, "data", levels={"t": list("zyxw")})
    assert disclosure(declared, declared, ["k"], "t", **low).check1 == "z"
