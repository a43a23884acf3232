"""`result.records(original)` on tables of polars, Arrow, DuckDB and SQLite: the user's own table
with the flags joined on, not collected.
"""

from __future__ import annotations

import gc
import sqlite3
from datetime import date, datetime
from decimal import Decimal

import numpy as np
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
    # how Ibis asks pandas 3 for its settings
    pytest.mark.filterwarnings("ignore:The 'future.infer_string' option is deprecated"),
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


def in_lazy_polars(frame):
    return in_polars(frame).lazy()


def in_arrow(frame):
    import pyarrow as pa

    return pa.Table.from_pandas(frame, preserve_index=False)


def in_duckdb(frame):
    import duckdb

    connection = duckdb.connect()
    connection.register("given", in_arrow(frame))
    connection.execute("CREATE TABLE people AS SELECT * FROM given")
    return connection.table("people")


def in_sqlite(frame, path):
    import ibis

    connection = sqlite3.connect(path)
    frame.to_sql("people", connection, index=False)
    connection.close()
    return ibis.sqlite.connect(path).table("people")


@pytest.fixture(params=["polars", "lazy polars", "arrow", "duckdb", "sqlite"])
def in_engine(request, tmp_path):
    """Puts a pandas frame where an engine has it."""
    makers = {
        "polars": in_polars,
        "lazy polars": in_lazy_polars,
        "arrow": in_arrow,
        "duckdb": in_duckdb,
    }
    if request.param in makers:
        return makers[request.param]
    return lambda frame: in_sqlite(frame, tmp_path / "people.db")


# ---- the same flags ------------------------------------------------------------------


def test_a_small_table_by_hand(in_engine):
    table = in_engine(ORIGINAL)
    result = disclosed(SYNTHETIC, table, ["k"], "t", compat="corrected")
    labelled = result.records(table)
    assert type(labelled) is type(table)
    assert columns_of(labelled) == ["id", "k", "t", *ADDED]
    assert rows_of(labelled) == BY_HAND
    assert expected_rows(ORIGINAL, result) == BY_HAND


def test_sd2011(in_engine):
    original, synthetic = datasets.load("SD2011"), datasets.load_synthesis("SD2011_s5")
    columns = ["sex", "age", "region", "depress", "income"]
    people = original[columns]
    for name in ("sex", "region"):  # SQLite has no categories
        people = people.assign(**{name: people[name].astype(object)})
    table = in_engine(people)
    result = disclosed(synthetic, table, ["sex", "age", "region"], "depress", compat="corrected")
    labelled = result.records(table)
    assert rows_of(labelled) == expected_rows(people, result)


def test_every_synthesis_is_a_block(in_engine):
    table = in_engine(ORIGINAL)
    other = SYNTHETIC.assign(t=["x", "y", "x"])
    result = disclosed([SYNTHETIC, other], table, ["k"], "t", compat="corrected")
    rows = rows_of(result.records(table))
    assert rows == expected_rows(ORIGINAL, result)
    assert [row[3] for row in rows] == [1, 2] * len(ORIGINAL)  # sorted by id
    assert rows[1::2] != rows[::2]


@pytest.mark.parametrize("number", ["n", "freq"])
def test_frequency_tables(in_engine, number):
    counted = ORIGINAL.assign(**{number: [3, 0, 2, 1, 5, 1]})
    synthetic = SYNTHETIC.assign(**{number: [1, 1, 2]})
    table = in_engine(counted)
    result = disclosed(synthetic, table, ["k"], "t", compat="corrected", counts=number)
    labelled = result.records(table)
    assert rows_of(labelled) == expected_rows(counted, result)
    assert columns_of(labelled)[3] == number
    assert "n" in columns_of(labelled)
    assert len(rows_of(labelled)) == len(counted) - 1  # a row of nobody
    for measure in MEASURES:
        place = columns_of(labelled).index(measure)
        of = columns_of(labelled).index("n")
        total = sum(row[of] for row in rows_of(labelled) if row[place])
        assert total == result.shares[0][measure].numerator
