"""Numbers as text. Every expectation is what R 4.2.2 answers."""

from __future__ import annotations

import numpy as np
import pytest

from synthpop_py.r.text import (
    double_text,
    format_column,
    format_padded,
    integer_text,
)

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    "x, text",
    [
        (0.1 + 0.2, "0.3"),
        (1 / 3, "0.333333333333333"),
        (2 / 3, "0.666666666666667"),
        (100000.0, "1e+05"),  # scientific is shorter
        (150000.0, "150000"),
        (123456.0, "123456"),
        (100000.1, "100000.1"),
        (1e15, "1e+15"),
        (1234500000.0, "1234500000"),
        (1234567890123456.0, "1234567890123456"),  # 16 digits: whole numbers are not cut
        (0.001, "0.001"),
        (0.0001, "1e-04"),
        (0.00012345, "0.00012345"),
        (1e-300, "1e-300"),
        (1e100, "1e+100"),
        (99999.99999999999, "1e+05"),
        (-2.5, "-2.5"),
        (-0.0, "0"),
        (INF, "Inf"),
        (-INF, "-Inf"),
        (NAN, "NaN"),
    ],
)
def test_double_text(x, text):
    assert double_text(x) == text


@pytest.mark.parametrize(
    "x, text",
    [
        (-9.802988271315006e-09, "-9.802988271315e-09"),  # correctly rounded: -9.80298827131501e-09
        (8.725170481766395e-09, "8.7251704817664e-09"),
    ],
)
def test_the_last_digit_that_r_drops(x, text):
    assert double_text(x) == text


def test_integer_text():
    assert [integer_text(x) for x in (100000, -3, 0)] == ["100000", "-3", "0"]


@pytest.mark.parametrize(
    "values, texts",
    [
        ([1.0, 10.0, 100.0], ["  1", " 10", "100"]),
        ([1.5, None, NAN, -INF], [" 1.5", "  NA", " NaN", "-Inf"]),
        ([33.3333333333, 8.25, 100.0], [" 33.33333", "  8.25000", "100.00000"]),
        ([1e-10, 1.0], ["1e-10", "1e+00"]),
        ([1e5, 1.0], ["1e+05", "1e+00"]),
        ([123456.0, 1e5], ["123456", "100000"]),
        ([1e10, 1e100], [" 1e+10", "1e+100"]),
        ([-0.0, -1.0], [" 0", "-1"]),
        ([None, None], ["NA", "NA"]),
        ([100000, None, 1], ["100000", "    NA", "     1"]),  # integers
        (
            [99.999996, 0.1234567],
            [" 99.9999960", "  0.1234567"],
        ),  # room for 100, which 7 digits would give
        ([], []),
    ],
)
def test_format_padded(values, texts):
    assert format_padded(values) == texts


def test_format_column_is_not_padded():
    assert format_column([0.5, NAN, 12.25, None]) == ["0.50", "NaN", "12.25", "NA"]
    assert format_column(np.array([4.0, 26.38095238])) == ["4.00000", "26.38095"]
    assert format_column([47.05882, 2.941176], digits=3) == ["47.06", "2.94"]


def decimals_shown(values, digits: int = 7) -> int:
    """Decimals of the numbers of a column as they are printed, which are the same in all."""
    texts = [text.partition("e")[0] for text in format_column(values, digits)]
    return max((len(text.partition(".")[2]) for text in texts), default=0)


@pytest.mark.parametrize(
    "values, digits, decimals",
    [
        ([33.3333333333, 100.0], 7, 5),
        ([0.5, 0.25], 7, 2),
        ([3.0, None], 7, 0),
        ([1 / 3], 3, 3),
        ([1.5e-10], 7, 1),
        ([5], 7, 0),
    ],
)
def test_significant_decimals(values, digits, decimals):
    assert decimals_shown(values, digits) == decimals
