"""What engines answer, and how: rows in any order, names with dots, errors."""

from __future__ import annotations

import pandas as pd
import pytest

from synthpop_py import InputError, disclosure, multi_disclosure
from synthpop_py.tables.engine import EngineTable
from tests.engines.outcomes import differing, outcome

FRAME = pd.DataFrame(
    {
        "k": ["a", "a", "b", "c"],
        "w": [1, 1, 2, 3],
        "t": ["u", "v", "v", "u"],
        "s": ["p", "q", "q", "p"],
    }
)


@pytest.mark.needs("polars", "pyarrow")
def test_an_engine_may_give_rows_in_another_order_when_asked_again():
    """Codes of keys made for the first answer must not be used with the second. polars turns rows
    at random: ten times, one at least is turned.
    """
    import polars as pl

    levels = pl.Enum(["Missing", "u"])
    original = pl.DataFrame({"k": "a", "w": [1] * 9 + [-8], "t": "u", "s": True})
    synthetic = pl.DataFrame({"k": "a", "w": [1] * 6, "t": "u", "s": True})
    tables = [frame.with_columns(t=pl.col("t").cast(levels)) for frame in (synthetic, original)]
    options = {"keys": ["k", "w"], "targets": ["t", "s"], "print_flag": False, "compat": "r-1.9-2"}
    frames = [table.to_pandas() for table in tables]
    here = outcome(lambda: multi_disclosure(*frames, **options))
    for _ in range(10):
        assert not differing(here, outcome(lambda: multi_disclosure(*tables, **options)))


@pytest.mark.needs("duckdb", "pyarrow")
def test_names_with_dots():
    import duckdb

    frame = FRAME.rename(columns={"k": "the.key", "t": "t.a.r"}).assign(**{"n.r": [1, 2, 3, 4]})
    options = {"keys": ["the.key", "w"], "target": "t.a.r", "counts": "n.r", "print_flag": False}
    here = outcome(lambda: disclosure(frame, frame, **options))
    with duckdb.connect() as connection:
        connection.register("frame", frame)
        table = connection.table("frame")
        there = outcome(lambda: disclosure(table, table, **options))
    assert not isinstance(there, str) and not differing(here, there)


@pytest.mark.needs("duckdb", "pyarrow")
def test_a_connection_that_was_closed_is_our_error():
    import duckdb

    connection = duckdb.connect()
    table = EngineTable(connection.sql("SELECT 'a' AS k, 1 AS t"), "data")
    connection.close()
    with pytest.raises(InputError, match="data: duckdb could not count its records"):
        table.count_by(["k"])
