"""Work in parts on an engine: it sends the rows of a part and no others, and nothing changes."""

from __future__ import annotations

import datetime
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from synthpop_py import (
    disclosure,
    key_risk,
    multi_disclosure,
    open_table,
    replicated_uniques,
    table_utility,
)
from synthpop_py.core.columns import Column
from synthpop_py.tables.engine import EngineTable
from synthpop_py.tables.engine_parts import in_kind_of

MIDNIGHT = datetime.datetime(2020, 1, 1)
NOON = datetime.datetime(2020, 1, 1, 12)


def people(seed: int, n: int = 120) -> pd.DataFrame:
    """Keys of every kind that a part may read differently than the whole."""
    random = np.random.default_rng(seed)
    pick = random.integers
    towns = np.array(["A", "B", "C", None], dtype=object)[pick(0, 4, n)]
    times = pd.Series([MIDNIGHT, NOON, None], dtype="datetime64[us]")[pick(0, 3, n)]
    return pd.DataFrame(
        {
            "town": towns,
            "age": pick(0, 6, n).astype("int64"),
            "pay": np.array([1.5, -0.0, 0.0, np.nan, 2.0])[pick(0, 5, n)],
            "seen": times.reset_index(drop=True),
            "price": [(Decimal("1.5"), Decimal("2"), None)[i] for i in pick(0, 3, n)],
            "job": np.array(list("xyz"), dtype=object)[pick(0, 3, n)],
        }
    )


def in_polars(frame: pd.DataFrame):
    import polars

    return polars.from_pandas(frame)


def in_lazy_polars(frame: pd.DataFrame):
    return in_polars(frame).lazy()


def in_duckdb(frame: pd.DataFrame):
    import duckdb

    return duckdb.connect().from_arrow(in_polars(frame).to_arrow())


ENGINES = [
    pytest.param(in_polars, id="polars", marks=pytest.mark.needs("polars", "pyarrow")),
    pytest.param(in_lazy_polars, id="lazy polars", marks=pytest.mark.needs("polars", "pyarrow")),
    pytest.param(in_duckdb, id="DuckDB", marks=pytest.mark.needs("polars", "duckdb")),
]
KEYS = ["town", "age", "pay", "seen", "price"]
CALLS = {
    "disclosure": lambda s, o, **k: disclosure(s, o, KEYS, "job", print_flag=False, **k),
    "multi_disclosure": lambda s, o, **k: multi_disclosure(
        s, o, KEYS[:3], ["job", "seen"], print_flag=False, **k
    ),
    "key_risk": lambda s, o, **k: key_risk(s, o, KEYS[:3], "job", **k),
    "replicated_uniques": lambda s, o, **k: replicated_uniques(s, o, KEYS, **k),
    "table_utility": lambda s, o, **k: table_utility(s, o, **k),
}


# what was asked for, and what only rows counted at once can tell
APART = ("fingerprint", "arguments", "call", "repU_rm", "synU_rm")


def plain(content):
    """The content of a result, at any depth, without these."""
    if isinstance(content, dict):
        return {name: plain(part) for name, part in content.items() if name not in APART}
    return list(map(plain, content)) if isinstance(content, list) else content


def nearly(one, other) -> bool:
    """Integers exactly, other numbers to the last digits."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(nearly(one[k], other[k]) for k in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(nearly, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return one == pytest.approx(other, rel=1e-12, abs=1e-12)
    return one == other


@pytest.mark.parametrize("hold", ENGINES)
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("most", [20, 90])
def test_parts_give_what_everything_at_once_gives(name, hold, most):
    original, synthetic = people(1), people(2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = CALLS[name](hold(synthetic), hold(original))
        parts = CALLS[name](hold(synthetic), hold(original), max_cells=most)
    assert nearly(plain(whole.to_dict()), plain(parts.to_dict()))


@pytest.mark.parametrize("hold", ENGINES)
def test_no_more_rows_come_over_than_asked_for(hold, monkeypatch):
    received = []
    answer = EngineTable.answer

    def counted(table, *arguments, **options):
        given = answer(table, *arguments, **options)
        received.append(given.counted.rows)
        return given

    monkeypatch.setattr(EngineTable, "answer", counted)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        disclosure(hold(people(2)), hold(people(1)), KEYS, "job", print_flag=False, max_cells=60)
    assert len(received) > 4 and max(received) <= 61


@pytest.mark.parametrize("hold", ENGINES)
def test_a_part_has_the_rows_with_its_values_and_the_kinds_of_the_whole(hold):
    frame = people(1)
    table = EngineTable(hold(frame), "data")
    for name in KEYS:
        alone = table.count_by([name])
        kind = alone.columns[name].kind
        seen = 0
        for row in range(alone.rows):
            column = alone.columns[name]
            missing = None if column.missing is None else column.missing[row : row + 1]
            if missing is not None and not missing.any():
                missing = None
            value = Column(kind, column.values[row : row + 1], missing, column.labels)
            part = table.count_part(["job", name], name, value)
            assert part.columns[name].kind == kind
            seen += part.records
        assert seen == len(frame)
        by_value = table.count_distinct(["job", name], name)
        assert by_value.records == EngineTable(hold(frame), "data").count_by(["job", name]).rows


def test_a_part_that_is_missing_throughout_is_still_of_its_kind():
    whole = Column("date", np.array([1, 2]))
    part = Column("character", np.array([-1]), np.array([True]))
    again = in_kind_of(part, whole)
    assert again.kind == "date" and again.missing.tolist() == [True]
    assert in_kind_of(Column("integer", np.array([2])), Column("double", np.array([0.5]))).kind == (
        "double"
    )


@pytest.mark.needs("duckdb")
def test_a_table_that_a_user_keeps_is_counted_anew_by_every_call():
    import duckdb

    connection = duckdb.connect()
    connection.sql("CREATE TABLE people AS SELECT * FROM (VALUES ('a', 'x'), ('b', 'y')) v(k, t)")
    table = open_table(connection.table("people"))
    first = disclosure(table, table, "k", "t", compat="corrected", print_flag=False)
    connection.sql("INSERT INTO people VALUES ('b', 'x')")
    second = disclosure(table, table, "k", "t", compat="corrected", print_flag=False)
    assert (first.Norig, second.Norig) == (2, 3)
    assert (first.DiSCO, second.DiSCO) == (100, pytest.approx(100 / 3))


@pytest.mark.parametrize("hold", ENGINES)
def test_rows_that_stand_for_nobody_are_not_among_the_most_that_come_over(hold):
    """Three rows, one for nobody: two are no more than two, and one is not all of them."""
    given = pd.DataFrame({"k": ["a", "b", "c"], "t": [1, 2, 3], "n": [2, 0, 1]})
    table = EngineTable(hold(given), "data", counts="n")
    assert table.count_at_most(["k", "t"], 1) is None
    few = table.count_at_most(["k", "t"], 2)
    assert few is not None and sorted(few.n.tolist()) == [1, 2]
