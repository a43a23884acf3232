"""Classes of a numeric variable: small cases worked by hand, and what holds for all of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from synthpop_py import InputError
from tests.rooms import assign_classes, class_breaks, class_labels, covering, group

ONE_TO_NINE = np.arange(1.0, 10)

# Quantiles of 1, ..., 9 at 1/4: rank 2.25 for types 1 to 3 (2.25 - 0.5 for type 3), a + (10 - a -
# b) / 4 for the others.
QUARTER_OF_NINE = {1: 3, 2: 3, 3: 2, 4: 2.25, 5: 2.75, 6: 2.5, 7: 3, 8: 2 + 2 / 3, 9: 2.6875}


@pytest.mark.parametrize("type_, quarter", QUARTER_OF_NINE.items())
def test_first_quartile_of_each_type(type_, quarter):
    breaks = class_breaks(ONE_TO_NINE, 4, type=type_)
    assert breaks[[0, -1]].tolist() == [1, 9]
    assert breaks[1] == pytest.approx(quarter, rel=1e-15)


@pytest.mark.parametrize(
    "values, n, style, breaks",
    [
        ([7, 1, 3, 9, 5], 4, "quantile", [1, 3, 5, 7, 9]),
        ([0] * 5 + [1, 2, 3, 4, 5], 4, "quantile", [0, 0.5, 2.75, 5]),  # ties are one break
        (range(1, 10), 2.9, "quantile", [1, 5, 9]),  # a fraction of a class is cut off
        ([0, 1, 2, 10], 2, "equal", [0, 5, 10]),
        ([-1.5e308, 0, 1.5e308], 2, "equal", [-1.5e308, 0, 1.5e308]),
        ([3, 14, 20, 77, 97], 4, "pretty", [0, 20, 40, 60, 80, 100]),
        # mean 0, standard deviation 2: the values lie 1 deviation on either side
        ([-2, -2, 0, 2, 2], 2, "sd", [-2, 0, 2]),
    ],
)
def test_breaks_by_hand(values, n, style, breaks):
    assert class_breaks(np.array(values, dtype=float), n, style).tolist() == breaks
    assert class_breaks(np.array(values), n, style).tolist() == breaks


def test_round_numbers_have_an_exact_zero():
    """-0.3 + 3 * 0.1 is not 0 in floating point."""
    assert 0.0 in class_breaks(np.array([-0.3, -0.2, -0.1, 0.05, 0.1, 0.15, 0.2, 0.3]), 6, "pretty")


@pytest.mark.parametrize(
    "values, breaks, codes",
    [
        ([0.0, -1, 1e-300], [-1, -0.5, 0], [1, 0, -1]),
        ([0.0, 1, -1e-300], [0, 0.5, 1], [0, 1, -1]),
        ([0.0, -1, 1e-16], [-1, -0.5, 0], [1, 0, -1]),
    ],
)
def test_a_value_beyond_a_rounded_zero_is_in_no_class(values, breaks, codes):
    """R's pretty() rounds the end to 0, and cut() gives NA for what lies behind it."""
    x = np.array(values)
    made = class_breaks(x, 2, "pretty")
    assert made.tolist() == breaks and assign_classes(x, made).tolist() == codes


def test_given_breaks_in_any_order():
    assert class_breaks(ONE_TO_NINE, 3, "fixed", fixed_breaks=[10, 0, 4, 4]).tolist() == [0, 4, 10]


@pytest.mark.parametrize("n", [4, 5, 20])
@pytest.mark.parametrize("style", ["quantile", "equal", "sd", "pretty", "fixed"])
def test_as_many_classes_as_values(n, style):
    breaks = class_breaks(np.array([5.0, 1, 2, 3, 3]), n, style)
    assert class_labels(breaks) == ["[0.33333333,1.5)", "[1.5,2.5)", "[2.5,4)", "[4,5.6666667]"]


def test_a_single_value_is_one_class():
    breaks = class_breaks(np.array([0.1, 0.1]), 5)
    assert breaks.tolist() == [0.1, 0.1]
    assert class_labels(breaks) == ["[0.1,0.1]"]
    assert assign_classes(np.array([0.1, 0, 1, np.nan]), breaks).tolist() == [0, -1, -1, -1]


def test_49_quantile_classes_can_miss_the_largest_value():
    """R multiplies by 1/49, and 49 * (1/49) is less than 1."""
    values = np.arange(60.0)
    breaks = class_breaks(values, 49)
    assert breaks[-1] < 59
    assert assign_classes(values, breaks)[-1] == -1


@pytest.mark.parametrize(
    "breaks, labels",
    [
        ([0.123456789, 7 / 3, 5], ["[0.12345679,2.3333333)", "[2.3333333,5]"]),
        ([4e5, 1e6], ["[400000,1000000]"]),
        ([823046.59, 2e9], ["[823046.59,2e+09]"]),
        (
            [1e9 + 0.1, 1e9 + 0.4, 1e9 + 0.9],
            ["[1000000000.1,1000000000.4)", "[1000000000.4,1000000000.9]"],
        ),
        ([1, 1 + 1e-11, 2], ["[1,1.00000000001)", "[1.00000000001,2]"]),
        ([1, 1 + 1e-12, 2], ["Range_1", "Range_2"]),
        ([-0.0, 1], ["[0,1]"]),
        ([-np.inf, 0, np.inf], ["[-Inf,0)", "[0,Inf]"]),
    ],
)
def test_labels(breaks, labels):
    assert class_labels(np.array(breaks)) == labels


def test_classes_are_closed_on_the_left_and_the_last_on_both_sides():
    codes = assign_classes(
        np.array([0.9, 1, 1.9, 2, 3, 3.1, np.nan, np.inf, -np.inf]), np.array([1.0, 2, 3])
    )
    assert codes.tolist() == [-1, 0, 0, 1, 1, -1, -1, -1, -1]
    assert codes.dtype == np.int64


@pytest.mark.parametrize(
    "values, n, how, breaks, style, changed",
    [
        ([1, 2, 3, 100], 2, {}, [1, 50.5, 100], "equal", True),
        # a special value is a third level
        ([1, 2, 3, 100], 2, {"special": [-8]}, [1, 2.5, 100], "quantile", False),
        ([1, 2, 3, 100], 2, {"median_split": True}, [1, 2.5, 100], "quantile", False),
        ([0, 0, 0, 0, 1, 4], 2, {"median_split": True}, [0, 2, 4], "equal", True),
        ([0] * 8 + [1, 2, 9], 3, {"median_split": True}, [0, 3, 6, 9], "equal", True),
        # the second try forgets the options
        (range(1, 10), 3, {"style": "fixed", "fixed_breaks": [0, 10]}, None, "equal", True),
        # empty classes count as levels
        ([1] * 9 + [2, *range(1, 41)], 4, {}, [1, 3.25, 15.5, 27.75, 40], "quantile", False),
        ([3, 3, np.nan], 5, {}, [3, 3], "equal", True),
    ],
)
def test_too_few_classes_become_equal_widths(values, n, how, breaks, style, changed):
    values = np.array(values, dtype=float)
    before = values.copy()
    found = group(values, n, **how)
    if breaks is None:
        breaks = class_breaks(values, n, "equal").tolist()
    assert (found.breaks.tolist(), found.style, found.changed) == (breaks, style, changed)
    np.testing.assert_array_equal(values, before)


def test_special_and_missing_values_take_no_part_in_the_breaks():
    values = np.array([-8.0, 1, 2, 3, 4, 5, np.nan, 1e5, 1e5])
    found = group(values, 4, special=[-8, 100000, np.nan, -8])
    assert found.labels == ("[1,2)", "[2,3)", "[3,4)", "[4,5]", "-8", "1e+05")
    assert (found.style, found.changed) == ("quantile", False)


@pytest.mark.parametrize(
    "values, how, message",
    [
        (ONE_TO_NINE, {"type": 10}, "type: 10 .*1, 2, 3, 4, 5, 6, 7, 8, 9"),
        (ONE_TO_NINE, {"style": "fixed"}, "fixedBreaks: None"),
        (ONE_TO_NINE, {"style": "fixed", "fixed_breaks": [2]}, r"fixedBreaks: \[2\]"),
        ([1, np.inf, -np.inf], {}, "only finite values can be grouped; set inf and -inf"),
        ([1e300, 2e300, -1e300], {"style": "sd"}, "too narrow a range for style 'sd'"),
        ([-1e308, 0, 1e308], {"style": "pretty"}, "too wide or too narrow a range for style"),
        ([1e15, 1e15 + 0.125, 1e15 + 0.25], {"style": "pretty"}, "range for style 'pretty'"),
        ([-8, np.nan], {"special": [-8]}, "has only missing or special values"),
    ],
)
def test_refusals_name_the_argument(values, how, message):
    with pytest.raises(InputError, match=message):
        group(np.array(values), 2, **how)


values_in_a_vector = st.lists(
    st.one_of(
        st.integers(-20, 20).map(float),
        st.floats(-1e12, 1e12),
        st.sampled_from([0.1, 0.2, 0.3, 1e-300]),
    ),
    min_size=1,
    max_size=40,
)


def beyond_a_rounded_zero(x, breaks):
    """R's pretty() calls an end 0 that is 1e-14 of a step from it; smaller values lie behind it."""
    above = (breaks[-1] == 0) & (x > 0)
    below = (breaks[0] == 0) & (x < 0)
    near_zero = np.abs(x) < 1e-14 * np.diff(breaks).max()
    return (above | below) & near_zero


@example(values=[0.0, -1.0, 1e-300], n=2, style="pretty", type_=1)
@given(
    values=values_in_a_vector,
    n=st.integers(2, 48),
    style=st.sampled_from(["quantile", "equal", "pretty"]),
    type_=st.integers(1, 9),
)
def test_every_value_is_in_exactly_one_class(values, n, style, type_):
    x = np.array(values)
    breaks = class_breaks(x, n, style, type=type_)
    distinct = len(np.unique(x))
    assert (np.diff(breaks) > 0).all() or (distinct == 1 and len(breaks) == 2)
    assert style == "pretty" or len(breaks) <= max(2, n + 1)
    if style == "pretty":
        lost = beyond_a_rounded_zero(x, breaks)
        assert (assign_classes(x[lost], breaks) == -1).all()
        x = x[~lost]
    codes = assign_classes(x, breaks)
    left, right, last = breaks[:-1], breaks[1:], np.arange(len(breaks) - 1) == len(breaks) - 2
    inside = (x[:, None] >= left) & ((x[:, None] < right) | (last & (x[:, None] == right)))
    assert (inside.sum(axis=1) == 1).all()
    assert (inside.argmax(axis=1) == codes).all()
    assert (np.diff(codes[np.argsort(x)]) >= 0).all()
    labels = class_labels(breaks)
    assert len(labels) == len(set(labels)) == len(breaks) - 1


@given(values_in_a_vector, st.integers(2, 20), st.randoms())
def test_the_order_of_the_values_does_not_matter(values, n, random):
    shuffled = random.sample(values, len(values))
    assert (
        class_breaks(np.array(values), n).tolist() == class_breaks(np.array(shuffled), n).tolist()
    )


# ---- no value is lost ----------------------------------------------------------------


LARGEST_UNIQUE = {  # every maximum occurs once
    "whole": np.arange(250.0),
    "fractions": np.sqrt(np.arange(1.0, 251.0)),
    "negative": -1 / np.arange(1.0, 251.0),
}


@pytest.mark.parametrize("type_", range(1, 10))
@pytest.mark.parametrize("values", LARGEST_UNIQUE.values(), ids=LARGEST_UNIQUE)
def test_classes_that_cover_lose_no_value_for_any_number_of_classes(values, type_):
    lost_in_r = []
    for n in range(2, 201):
        as_r = group(values, n, type=type_)
        covered = covering(as_r, values)
        assert (assign_classes(values, covered.breaks) >= 0).all(), n
        if (assign_classes(values, as_r.breaks) < 0).any():
            lost_in_r.append(n)
        else:
            assert covered is as_r
    # R loses it where the last rank is the largest value, with nothing to spare
    assert (49 in lost_in_r) == (type_ in (4, 7))


def test_only_the_outer_breaks_move():
    values = np.arange(60.0)
    as_r = group(values, 49, special=[-8])
    covered = covering(as_r, values)
    assert covered.breaks[:-1].tolist() == as_r.breaks[:-1].tolist()
    assert covered.breaks[-1] == 59 and covered.labels[-1] == "-8"
    assert len(covered.labels) == len(as_r.labels) == 50


def test_a_value_beyond_a_rounded_zero_is_covered():
    """R's pretty() makes 1e-300 an exact 0."""
    values = np.array([0.0, -1, 1e-300])
    as_r = group(values, 2, "pretty", median_split=True)
    assert assign_classes(values, as_r.breaks)[-1] == -1
    assert assign_classes(values, covering(as_r, values).breaks)[-1] >= 0


def test_fixed_breaks_are_not_stretched():
    values = np.arange(60.0)
    fixed = group(values, 3, "fixed", fixed_breaks=[10, 20, 30, 40])
    assert covering(fixed, values) is fixed
