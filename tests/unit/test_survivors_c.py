"""Small changes to the code that the tests of their rooms did not notice in a sample of November
2026 (seed 26); each test here fails with one of them.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synthpop_py import disclosure
from synthpop_py.core.breaks import _mean_and_deviation, class_breaks
from synthpop_py.core.coding import encode
from synthpop_py.core.columns import Column
from synthpop_py.core.numerals import whole_number
from synthpop_py.disclosure.baseline_intervals import Sample, _quantile
from synthpop_py.disclosure.baseline_show import _count
from synthpop_py.disclosure.bins import _apart
from synthpop_py.disclosure.checks import records_at, summed
from synthpop_py.disclosure.findings import _of_checks
from synthpop_py.disclosure.harmonise import _texts
from synthpop_py.disclosure.show import _excluded, view_of
from synthpop_py.ifpr.chances import _BinomialSum
from synthpop_py.ifpr.goal import _goal_of_theta

QUIET = {"print_flag": False, "compat": "corrected"}


def test_fractions_that_are_written_alike_are_one_level_beside_whole_numbers_too():
    whole = Column("integer", np.array([1, 50_000_000]))
    real = Column("double", np.array([0.1 + 0.2, 0.3]))
    assert encode("x", [whole, real]).texts() == ["0.3", "1", "50000000"]


def test_factors_whose_levels_stand_in_another_order_are_matched_by_text():
    first = Column("factor", np.array([0, 1]), labels=("a", "b"))
    second = Column("factor", np.array([0, 1]), labels=("b", "a"))
    variable = encode("x", [first, second])
    assert [codes.tolist() for codes in variable.codes] == [[0, 1], [1, 0]]


@pytest.mark.parametrize("text", ["9223372036854775807", "-9223372036854775807"])
def test_the_largest_whole_number_keeps_its_digits(text):
    assert whole_number(text) == int(text)
    longer = text[:-1] + "9"  # beyond 64 bits: what a double makes of it
    assert whole_number(longer) == int(float(longer))


def test_a_median_among_more_records_than_doubles_count():
    """One more record than 2^60 has 1, one has 2, and as many as have 1 have 3."""
    values, often = np.array([1.0, 2.0, 3.0]), np.array([2**60 + 1, 1, 2**60 + 1])
    assert class_breaks(values, 2, "quantile", often=often).tolist() == [1, 2, 3]


def test_the_standard_deviation_is_about_the_mean():
    assert _mean_and_deviation(np.array([1.0, 2.0, 3.0]), None) == (2, 1)
    assert _mean_and_deviation(np.array([1.0, 3.0]), np.array([2, 2])) == (2, math.sqrt(4 / 3))


def test_one_synthesis_without_a_class_of_the_original_is_enough():
    original, alike, other = np.array([0, 1]), np.array([1]), np.array([2])
    assert _apart([original, alike, other]) and not _apart([original, alike])


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(1, 9)), min_size=1, max_size=12))
def test_sums_of_pairs_are_the_same_by_table_and_by_search(pairs):
    codes, n = (np.array(part) for part in zip(*pairs))
    expected: dict[int, int] = {}
    for code, times in pairs:
        expected[code] = expected.get(code, 0) + times
    for size in (10**6 + 1, 10**12):  # the second is too large for a table
        distinct, sums = summed(codes, n, size)
        assert dict(zip(distinct.tolist(), sums.tolist())) == expected
        wanted = distinct[::2]
        found = records_at(wanted, codes, n, size)
        assert found.tolist() == [expected[code] for code in wanted.tolist()]


def test_the_row_of_the_level_check_counts_what_is_flagged():
    people = pd.DataFrame({"k": np.repeat(np.arange(20), 5), "t": "x"})
    (flagged,) = disclosure(people, people, ["k"], "t", **QUIET)._sets
    (nothing,) = disclosure(people, people, ["k"], "t", thresh_1way=(1000, 90), **QUIET)._sets
    assert next(_of_checks(flagged)) == ("check_1way rows", 1)
    assert next(_of_checks(nothing)) == ("check_1way rows", 0)


def test_people_left_out_for_their_denominators_are_left_out():
    people = pd.DataFrame({"k": [1] * 6 + [2] * 2, "t": "x"})
    options = {"denom_lim": 5, "exclude_ov_denom_lim": True}
    result = disclosure(people, people, ["k"], "t", **options, **QUIET)
    assert _excluded(view_of(result))
    assert not _excluded(view_of(disclosure(people, people, ["k"], "t", **QUIET)))


@pytest.mark.parametrize("records, quantile", [(1, 1.959964), (2, 12.706205), (3, 4.302653)])
def test_two_records_have_one_degree_of_freedom(records, quantile):
    assert _quantile(Sample(mean=0.5, records=records, worth=9), 0.95) == pytest.approx(quantile)


def test_a_mean_of_counts_has_one_decimal():
    assert (_count(3.0), _count(2.26)) == (3, 2.3)


def test_durations_are_written_in_seconds():
    column = Column("duration", np.array([1_500_000_000]))
    assert _texts(column, column.values) == ["1.5"]
    assert _texts(Column("integer", np.array([7])), np.array([7])) == ["7"]


def test_a_sum_that_cannot_be_has_no_chance():
    coins = _BinomialSum(np.array([2.0]), np.array([0.0]))
    assert coins.chance_of(1) == pytest.approx(0.5)
    assert coins.chance_of(-1) == coins.chance_of(3) == 0


def test_a_goal_that_follows_from_theta_was_not_asked_for():
    assert _goal_of_theta(0.5, 3).asked is False
