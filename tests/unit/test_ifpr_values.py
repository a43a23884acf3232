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
from synthpop_py.ifpr import IFPRRelease, ifpr
from synthpop_py.ifpr.blocks import exact_variable

NEARLY = 0.1 + 0.2  # 0.30000000000000004: R writes 0.3 with 15 digits


def as_objects(values: list) -> pd.Series:
    return pd.Series(values, dtype=object)


def made(frame: pd.DataFrame, keys=("x", "y"), **given) -> IFPRRelease:
    return ifpr(frame, list(keys), **({"seed": 1, "reproducible": True} | given))


def codes(column: pd.Series) -> list[int]:
    return exact_variable("x", [column], "x").own_codes(0).tolist()


# each column holds one value that differs from the rest by less than 15 digits show
DOUBLES = [0.3, 0.3, 0.3, NEARLY]
CLOSE = {"doubles": pd.Series(DOUBLES), "nullable": pd.Series(DOUBLES, dtype="Float64")}


@pytest.mark.parametrize("column", CLOSE.values(), ids=CLOSE)
def test_values_that_differ_in_the_last_digit_are_different(column):
    assert codes(column) == [0, 0, 0, 1]
    with pytest.raises(InputError, match=r"1 of 1 blocks cannot meet xi .*\(1 cell;"):
        made(pd.DataFrame({"x": column}), "x", xi=0.395)  # one has nobody to change with
    several = pd.concat([column] * 4, ignore_index=True)
    frame = pd.DataFrame({"x": several, "y": np.repeat([1, 2, 3, 4], 4)})
    release = made(frame, xi=0.395, seed=3)
    assert release.design["cells_1"].tolist() == [4] and release.verify().ok
    assert release.marginals("x")["original"].tolist() == [12, 4]
    assert release.tvd("x")["cells"].tolist() == [2]


def test_texts_of_close_values_are_written_in_full():
    variable = exact_variable("x", [pd.Series([0.3, NEARLY, 0.5, np.nan])], "x")
    assert variable.texts() == ["0.3", "0.30000000000000004", "0.5", "Missing"]
    assert variable.own_codes(0).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "values", [[Decimal("1.00000000000000001"), Decimal(1)], [2**53 + 1, 2**53, 0.5]], ids=str
)
def test_values_that_no_double_can_tell_apart_are_refused(values):
    with pytest.raises(InputError, match="keys: 'x' holds decimals, long doubles or whole numbers"):
        made(pd.DataFrame({"x": as_objects(values)}), "x", xi=0.395)


# ---- one value, several ways to write it ---------------------------------------------

SAME = {
    "missing": as_objects([None, np.nan] * 2),
    "zero": pd.Series([0.0, -0.0] * 2),
    "decimals": as_objects([Decimal("1.0"), Decimal("1.00")] * 2),
    "whole and real": as_objects([1, 1.0] * 2),
    "dates": as_objects([date(2020, 1, 1), datetime(2020, 1, 1)] * 2),
}


def written(column: pd.Series) -> list[str]:
    return [repr(value) for value in column.tolist()]


@pytest.mark.parametrize("column", SAME.values(), ids=SAME)
def test_they_are_one_level_and_a_kept_key_is_not_rewritten(column):
    assert len(set(codes(column))) == 1
    frame = pd.DataFrame({"x": column, "y": [1, 2, 3, 4]})
    moved = 0
    for seed in range(10):
        release = made(frame, theta=0.9, blocks="x", seed=seed)
        assert written(release.data["x"]) == written(frame["x"])
        moved += release.changed.sum()
    assert moved > 20


def test_a_kept_double_keeps_its_last_digit():
    frame = pd.DataFrame({"x": [0.3, NEARLY] * 4, "y": range(8)})
    for seed in range(10):
        data = made(frame, theta=0.8, blocks="x", seed=seed).data
        assert data["x"].tolist() == frame["x"].tolist()


@pytest.mark.parametrize("column", SAME.values(), ids=SAME)
def test_the_way_a_value_is_written_does_not_tell_who_stayed(column):
    """Two pairs, each written in both ways: after the exchange a cell is written in one way,
    whoever is in it.
    """
    frame = pd.DataFrame({"x": column, "y": [1, 1, 2, 2]})
    for seed in range(20):
        data = made(frame, theta=0.9, seed=seed).data
        assert all(len(set(written(cell))) == 1 for _, cell in data.groupby("y")["x"])
    # nobody can have moved, so nothing is rewritten
    assert written(made(frame, theta=0).data["x"]) == written(frame["x"])


def test_a_column_of_objects_stays_one():
    x = as_objects([datetime(2020, 1, d) for d in range(1, 7)])
    frame = pd.DataFrame({"x": x, "y": as_objects([Decimal(d) for d in range(6)])})
    frame.index = [5, 5, 1, 2, 3, 4]
    data = made(frame, theta=0.8).data
    assert data.dtypes.tolist() == [object, object] and data.index.equals(frame.index)
    assert {type(v) for v in data["x"]} == {datetime}


def exact(value) -> str:
    return "missing" if pd.isna(value) else "0.0" if value == 0 else repr(value)


VALUES = [0.3, NEARLY, 0.1, 0.0, -0.0, float("nan"), 1e300, 5e-324]
ROWS = st.tuples(st.sampled_from(VALUES), st.integers(0, 2))


@given(st.lists(ROWS, min_size=3, max_size=40), st.integers(0, 999))
@settings(max_examples=150, deadline=None)
def test_cells_of_any_doubles_are_exact(rows, seed):
    frame = pd.DataFrame(rows, columns=["x", "y"])
    release = made(frame, xi=0.4, seed=seed, small_blocks="keep")
    before, after = (Counter(zip(map(exact, f["x"]), f["y"])) for f in (frame, release.data))
    by_size = Counter(n for n in before.values() if n <= 2)
    assert release.design[["cells_1", "cells_2"]].sum().tolist() == [by_size[1], by_size[2]]
    large = {cell: n for cell, n in before.items() if n > 2}
    assert set(after) <= set(before) and all(after[cell] == n for cell, n in large.items())
    highest = release.verify().table["risk"].max()
    assert highest >= max((1 / n for n in large.values()), default=0)
