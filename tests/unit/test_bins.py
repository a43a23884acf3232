"""Numbers counted before they are put into classes get the classes they would get one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synthpop_py import InputError
from synthpop_py.core.columns import Column
from synthpop_py.disclosure import bins
from synthpop_py.r.reading import Reading

ACTIVE = frozenset({"D15", "D22"})


def column(values: list) -> Column:
    numbers = np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    gaps = np.isnan(numbers)
    whole = not gaps.any() and (np.trunc(numbers) == numbers).all()
    return (
        Column("integer", numbers.astype(np.int64))
        if whole
        else Column("double", numbers, gaps if gaps.any() else None)
    )


def made(columns: list[Column], n: int, style: dict, special: tuple) -> tuple:
    compat = Reading(ACTIVE)
    try:
        variable, grouping = bins.grouped(
            "x",
            columns,
            [None] * len(columns),
            classes=n,
            style=style,
            special=special,
            compat=compat,
        )
    except InputError as error:
        return (str(error),)
    return (
        [variable.own_codes(t).tolist() for t in range(len(columns))],
        variable.missing_code,
        grouping.labels,
        grouping.changed,
        sorted(compat.touched),
    )


VALUES = st.lists(
    st.one_of(st.none(), st.integers(-20, 40), st.sampled_from([-8, 100_000, 0.5, 1e9])),
    min_size=1,
    max_size=40,
)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(VALUES, min_size=2, max_size=3),
    st.integers(2, 8),
    st.sampled_from(["quantile", "equal", "sd", "pretty"]),
    st.sampled_from([(), (-8,), (-8, 100_000)]),
)
def test_counting_changes_nothing(tables, n, style, special):
    columns = [column(values) for values in tables]
    counted = made(columns, n, {"style": style}, special)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bins, "_counted", lambda column, n: None)
        one_by_one = made(columns, n, {"style": style}, special)
    assert counted == one_by_one


def test_what_is_counted():
    incomes = Column(
        "double",
        np.array([800.0, 1200, 800, np.nan, -8]),
        np.array([False, False, False, True, False]),
    )
    assert bins.distinct([incomes], [None])[0].often is None, (
        "the range is far longer than the data"
    )
    ages = Column(
        "double", np.array([3.0, 5, 3, np.nan, 4]), np.array([False, False, False, True, False])
    )
    (found,) = bins.distinct([ages], [None])
    assert (
        found.values[:3].tolist() == [3, 4, 5]
        and found.often.tolist() == [2, 1, 1, 1]
        and found.missing.tolist() == [False, False, False, True]
    )
    assert found.place.tolist() == [0, 2, 0, 3, 1]
    halves = Column("double", np.array([0.5, 1]))
    assert bins.distinct([ages, halves], [None, None])[0].often is None, "all tables or none"
