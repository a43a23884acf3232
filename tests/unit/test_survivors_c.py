"""Small changes to the code that the tests of their rooms did not notice in a sample of November
2026 (seed 26); each test here fails with one of them.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from synthpop_py import disclosure
from synthpop_py.core.coding import encode
from synthpop_py.core.columns import Column
from synthpop_py.core.numerals import whole_number
from tests.rooms import class_breaks

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
    assert class_breaks(values, 2, often=often, exact=True).tolist() == [1, 2, 3]


def test_the_standard_deviation_is_about_the_mean():
    """Of 1, 2, 3, and of two records with 1 and two with 3: mean 2, deviation 1 and sqrt(4 / 3)."""
    assert class_breaks(np.array([1.0, 2.0, 3.0]), 2, "sd").tolist() == [1, 2, 3]
    written = class_breaks(np.array([1.0, 1, 3, 3]), 1.5, "sd")
    assert written == pytest.approx([2 - 2 * math.sqrt(4 / 3), 2, 2 + 2 * math.sqrt(4 / 3)])
    counted = class_breaks(np.array([1.0, 3.0]), 1.5, "sd", often=np.array([2, 2]))
    assert counted.tolist() == written.tolist()


def test_people_left_out_for_their_denominators_are_left_out():
    """Six with key 1 are beyond the limit of 5, two with key 2 are not."""
    people = pd.DataFrame({"k": [1] * 6 + [2] * 2, "t": "x"})
    options = {"denom_lim": 5, "exclude_ov_denom_lim": True}
    result = disclosure(people, people, ["k"], "t", **options, **QUIET)
    assert result.shares[0]["DiSCO"].numerator == 2
    assert "Left out of attribute risk: 6 of 8 people" in " ".join(str(result).split())
    assert "Left out" not in str(disclosure(people, people, ["k"], "t", **QUIET))
