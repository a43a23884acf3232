"""Tables of an engine in parts: the same figures, and never more rows at once than were allowed."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import pandas as pd
import pytest

from synthpop_py import disclosure, key_risk, replicated_uniques
from synthpop_py.tables.engine import EngineTable

KEYS = ["text", "number", "moment"]
MOST = 30  # fewer than the distinct rows of both tables, more than those of one text


def frame(seed: int):
    """Texts, numbers with NaN and moments, each with gaps; only some moments are at midnight."""
    import polars

    rng = np.random.default_rng(seed)
    moments = [datetime(2020, 1, 1), datetime(2020, 1, 2), datetime(2020, 1, 2, 12), None]
    values = {
        "text": ["a", "b", "c", "d", None],
        "number": [0.5, 1.5, float("nan"), None],
        "moment": moments,
        "job": ["x", "y", "z"],
    }
    drawn = {name: [of[i] for i in rng.integers(0, len(of), 90)] for name, of in values.items()}
    return polars.DataFrame(drawn, strict=False)


def of_engine(name: str, given):
    if name == "polars":
        return given.lazy()
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.register("records", given.to_arrow())
    connection.execute("CREATE TABLE kept AS SELECT * FROM records")
    return connection.table("kept")


@pytest.fixture(params=["polars", "duckdb"])
def tables(request):
    return [of_engine(request.param, frame(seed)) for seed in (1, 2)]


@pytest.fixture
def collected(monkeypatch) -> list[int]:
    """How many rows came over, question by question."""
    numbers: list[int] = []
    plain = EngineTable._collected

    def counting(self, asked):
        native = plain(self, asked)
        numbers.append(native.num_rows)
        return native

    monkeypatch.setattr(EngineTable, "_collected", counting)
    return numbers


pytestmark = pytest.mark.needs("polars", "pyarrow", "duckdb")


def test_disclosure_in_parts_is_that_at_once(tables, collected):
    synthetic, original = tables
    at_once = disclosure(synthetic, original, KEYS, "job", compat="corrected", print_flag=False)
    assert max(collected) > MOST + 1
    collected.clear()
    asked = {"compat": "corrected", "print_flag": False, "max_cells": MOST}
    in_parts = disclosure(synthetic, original, KEYS, "job", **asked)
    assert max(collected) <= MOST + 1  # one more, which shows that they are too many
    pd.testing.assert_frame_equal(in_parts.ident, at_once.ident)
    pd.testing.assert_frame_equal(in_parts.attrib, at_once.attrib)


def test_key_risk_in_parts_is_that_at_once(tables):
    at_once = key_risk(*tables, KEYS, "job").table
    pd.testing.assert_frame_equal(key_risk(*tables, KEYS, "job", max_cells=MOST).table, at_once)


def test_replicated_uniques_in_parts_are_those_at_once(tables):
    at_once = replicated_uniques(*tables, KEYS, compat="corrected")
    in_parts = replicated_uniques(*tables, KEYS, compat="corrected", max_cells=MOST)
    assert in_parts.res_tab[0].equals(at_once.res_tab[0])
    assert at_once.res_tab[0]["Number"].iloc[0] > 0


def test_rows_that_stand_for_nobody_bring_no_value_to_a_part():
    import polars

    given = polars.DataFrame({"k": ["a", "b", "c"], "t": [1, 2, 3], "n": [2, 0, 1]})
    table = EngineTable(given.lazy(), "data", counts="n")
    margin = table.count_by(["k"])
    part = table.count_part(["k", "t"], "k", margin.columns["k"])
    assert sorted(part.columns["t"].values.tolist()) == [1, 3]
    assert sorted(part.n.tolist()) == [1, 2]
    assert table.count_at_most(["k", "t"], 1) is None
