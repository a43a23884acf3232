"""Keys by value: what can be told apart in a release is told apart when cells are counted, and a
kept key is never rewritten.
"""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synthpop_py import InputError
from synthpop_py.ifpr import ifpr
from synthpop_py.ifpr.blocks import exact_variable, key_cells

NEARLY = 0.1 + 0.2  # 0.30000000000000004: R writes 0.3 with 15 digits


def as_objects(values: list) -> pd.Series:
    return pd.Series(values, dtype=object)


def cell_sizes(column: pd.Series) -> list[int]:
    of_record, _ = key_cells([exact_variable("x", [column], "x")])
    return sorted(np.bincount(of_record).tolist())


# each column holds one value that differs from the rest by less than 15 digits show
CLOSE = {
    "doubles": pd.Series([0.3, 0.3, 0.3, NEARLY]),
    "nullable doubles": pd.Series([0.3, 0.3, 0.3, NEARLY], dtype="Float64"),
}


@pytest.mark.parametrize("column", CLOSE.values(), ids=CLOSE)
def test_values_that_differ_in_the_last_digit_are_different(column):
    sizes = cell_sizes(column)
    assert sizes == [1, 3]
    with pytest.raises(
        InputError, match=r"1 of 1 blocks cannot meet xi .*\(1 cell;"
    ):  # one value is unique, and has nobody to change with
        ifpr(pd.DataFrame({"x": column}), "x", xi=0.395, seed=1, reproducible=True)


@pytest.mark.parametrize("column", CLOSE.values(), ids=CLOSE)
def test_no_value_is_left_alone_and_called_safe(column):
    frame = pd.DataFrame(
        {"x": pd.concat([column] * 4, ignore_index=True), "y": np.repeat([1, 2, 3, 4], len(column))}
    )
    release = ifpr(frame, ["x", "y"], xi=0.395, seed=3, reproducible=True)
    counts = Counter(zip(frame["x"], frame["y"]))
    assert (
        release.design["cells_1"].tolist() == [sum(n == 1 for n in counts.values())] == [4]
        and release.verify().ok
    )
    assert release.marginals("x")["original"].sum() == len(frame) and len(
        release.marginals("x")
    ) == len(set(column))
    assert release.tvd("x")["cells"].tolist() == [len(set(column))]


def test_texts_of_close_values_are_written_in_full():
    variable = exact_variable("x", [pd.Series([0.3, NEARLY, 0.5, np.nan])], "x")
    assert variable.texts() == [
        "0.3",
        "0.30000000000000004",
        "0.5",
        "Missing",
    ] and variable.own_codes(0).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "values", [[Decimal("1.00000000000000001"), Decimal(1)], [2**53 + 1, 2**53, 0.5]], ids=str
)
def test_values_that_no_double_can_tell_apart_are_refused(values):
    with pytest.raises(InputError, match="keys: 'x' holds decimals, long doubles or whole numbers"):
        ifpr(pd.DataFrame({"x": as_objects(values)}), "x", xi=0.395)


# ---- one value, several ways to write it ---------------------------------------------

SAME = {
    "missing": as_objects([None, np.nan, None, np.nan]),
    "zero": pd.Series([0.0, -0.0, 0.0, -0.0]),
    "decimals": as_objects([Decimal("1.0"), Decimal("1.00"), Decimal("1.0"), Decimal("1.00")]),
    "whole and real": as_objects([1, 1.0, 1, 1.0]),
    "dates": as_objects(
        [date(2020, 1, 1), datetime(2020, 1, 1), date(2020, 1, 1), datetime(2020, 1, 1)]
    ),
}


def written(column: pd.Series) -> list[str]:
    return [repr(value) for value in column.tolist()]


@pytest.mark.parametrize("column", SAME.values(), ids=SAME)
def test_they_are_one_level(column):
    assert cell_sizes(column) == [4]


@pytest.mark.parametrize("column", SAME.values(), ids=SAME)
def test_a_kept_key_is_not_rewritten(column):
    frame = pd.DataFrame({"x": column, "y": [1, 2, 3, 4]})
    moved = 0
    for seed in range(10):
        release = ifpr(frame, ["x", "y"], theta=0.9, blocks="x", seed=seed, reproducible=True)
        assert written(release.data["x"]) == written(frame["x"])
        moved += release.changed.sum()
    assert moved > 20


def test_a_kept_double_keeps_its_last_digit():
    frame = pd.DataFrame({"x": [0.3, NEARLY] * 4, "y": range(8)})
    for seed in range(10):
        assert (
            ifpr(frame, ["x", "y"], theta=0.8, blocks="x", seed=seed, reproducible=True)
            .data["x"]
            .tolist()
            == frame["x"].tolist()
        )


@pytest.mark.parametrize("column", SAME.values(), ids=SAME)
def test_the_way_a_value_is_written_does_not_tell_who_stayed(column):
    """Two pairs, each written in both ways: after the exchange a cell is written in one way,
    whoever is in it.
    """
    frame = pd.DataFrame({"x": column, "y": [1, 1, 2, 2]})
    for seed in range(20):
        data = ifpr(frame, ["x", "y"], theta=0.9, seed=seed, reproducible=True).data
        for _, cell in data.groupby("y"):
            assert len(set(written(cell["x"]))) == 1
    still = ifpr(frame, ["x", "y"], theta=0, seed=1, reproducible=True)
    assert written(still.data["x"]) == written(
        frame["x"]
    )  # nobody can have moved, so nothing is rewritten


def test_a_column_of_objects_stays_one():
    frame = pd.DataFrame(
        {
            "x": as_objects([datetime(2020, 1, d) for d in range(1, 7)]),
            "y": as_objects([Decimal(d) for d in range(6)]),
        },
        index=[5, 5, 1, 2, 3, 4],
    )
    data = ifpr(frame, ["x", "y"], theta=0.8, seed=1, reproducible=True).data
    assert (
        data.dtypes.tolist() == [object, object]
        and {type(v) for v in data["x"]} == {datetime}
        and data.index.equals(frame.index)
    )


def exact(value) -> str:
    return "missing" if pd.isna(value) else "0.0" if value == 0 else repr(value)


@given(
    st.lists(
        st.tuples(
            st.sampled_from([0.3, NEARLY, 0.1, 0.0, -0.0, float("nan"), 1e300, 5e-324]),
            st.integers(0, 2),
        ),
        min_size=3,
        max_size=40,
    ),
    st.integers(0, 999),
)
@settings(max_examples=150, deadline=None)
def test_cells_of_any_doubles_are_exact(rows, seed):
    frame = pd.DataFrame(rows, columns=["x", "y"])
    release = ifpr(frame, ["x", "y"], xi=0.4, seed=seed, reproducible=True, small_blocks="keep")
    before, after = (Counter(zip(map(exact, f["x"]), f["y"])) for f in (frame, release.data))
    by_size = Counter(n for n in before.values() if n <= 2)
    assert release.design[["cells_1", "cells_2"]].sum().tolist() == [by_size[1], by_size[2]]
    assert set(after) <= set(before) and all(
        after[cell] == n for cell, n in before.items() if n > 2
    )
    highest = release.verify().table["risk"].max()
    assert highest >= max([1 / n for n in before.values() if n > 2], default=0)
