"""Places of matching and IFPR where a small change of the code once went unnoticed.

Each test is a table of a few rows on which that change moves a figure or a message.
"""

from __future__ import annotations

import io
import sys
import warnings

import numpy as np
import pandas as pd
import pytest

from synthpop_py import InputError, ifpr, ifpr_risk
from synthpop_py.ifpr import IFPRRelease, ifpr_variance
from synthpop_py.matching import identification_risk

# ---- matching: messages --------------------------------------------------------------


def test_the_first_row_in_which_a_known_key_differs_is_named():
    """Rows 2 and 4 differ."""
    original = pd.DataFrame({"sex": list("ffmm"), "town": list("ABAB")})
    released = original.assign(sex=list("fmmf"))
    with pytest.raises(InputError, match="in 2 of 4 records, first in row 2;"):
        identification_risk(released, original, known="sex", synthesised="town")


def test_three_row_labels_are_listed_where_one_is_unknown():
    original = pd.DataFrame({"k": range(4)}, index=list("abcd"))
    risk = identification_risk(original, original, known=[], synthesised="k")
    with pytest.raises(InputError) as error:
        risk.probabilities("z")
    assert error.value.details == {"labels": ("a", "b", "c")}


def test_a_value_that_matches_with_15_digits_has_lost_no_digit():
    """Between two neighbours, of which the upper one has its 15 digits, the value matches."""
    upper = 0.1234567890123455
    while f"{np.nextafter(upper, 0):.15g}" == f"{upper:.15g}":
        upper = float(np.nextafter(upper, 0))
    lower, upper = np.nextafter(upper, 0), np.nextafter(upper, 1)
    value = np.nextafter(lower, 1)
    assert f"{lower:.15g}" != f"{value:.15g}" == f"{upper:.15g}"
    original = pd.DataFrame({"k": [lower, upper]})
    released = pd.DataFrame({"k": [lower, value]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        risk = identification_risk(released, original, known=[], synthesised="k")
    assert risk.true == 2


def test_progress_is_told_where_each_record_matches_several_targets(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    original = pd.DataFrame({"size": [1.0, 2.0, 5.0]})
    options = {"known": [], "synthesised": "size", "intervals": {"size": 1}}
    identification_risk([original, original], original, **options)
    assert "1 of 10: pairs of a target and a record" in stream.getvalue()


# ---- matching: figures ---------------------------------------------------------------


def test_more_released_sets_than_bits_in_a_word():
    """Of 65 sets the last exchanges the first two of three people: each is still found."""
    original = pd.DataFrame({"k": list("abc")})
    last = original.assign(k=list("bac"))
    risk = identification_risk([original] * 64 + [last], original, known=[], synthesised="k")
    assert (risk.true, risk.false) == (3, 0)
    assert risk.records()["highest"].tolist() == pytest.approx([64 / 65, 64 / 65, 1])


# ---- IFPR: figures -------------------------------------------------------------------


@pytest.mark.parametrize("T, theta", [(10**6, 500_000), (10**8, 10_000)])
def test_as_many_found_as_expected_means_that_as_many_stayed_as_expected(T, theta):
    """Of T units theta leave and theta come, about: those who find T find T - theta of them."""
    risk = ifpr_risk({T: theta}, T=T, a=T)
    left = T * (1 - T * risk)
    assert left == pytest.approx(theta, rel=1e-3)


@pytest.mark.parametrize("a, stayed", [(2_250_000, 3 / 4), (325_000, 1 / 5)])
def test_more_found_than_expected_means_that_more_stayed(a, stayed):
    """Half of a million leave. The likeliest j of those who stay solves (T - j) (a - j) = j T / 2:
    with a = 2.25 T it is 3/4 T, as 1/4 of 3/2 is 3/8; with a = 0.325 T it is 1/5 T.
    """
    T = 10**6
    assert a * ifpr_risk({T: T / 2}, T=T, a=a) == pytest.approx(stayed, rel=1e-4)


def singles(*groups: int) -> pd.DataFrame:
    """One person for each cell, so many in each group; x is a number within the group."""
    rows = [(g, x) for g, n in enumerate(groups) for x in range(n)]
    return pd.DataFrame(rows, columns=["g", "x"])


def released(frame: pd.DataFrame, **given: object) -> IFPRRelease:
    return ifpr(frame, ["g", "x"], blocks="g", seed=1, reproducible=True, **given)


def test_who_is_alone_in_a_block_adds_nothing_to_the_variance():
    """x = 0 is in block 0, among three, and in block 1, alone: only the first can move."""
    release = released(singles(3, 1), theta=0.5, small_blocks="keep")
    levels = release.marginals("x").set_index("level")
    assert levels["ifpr_sd"].tolist() == pytest.approx([ifpr_variance(0.5, 1, {1: 3}) ** 0.5] * 3)


# ---- IFPR: messages ------------------------------------------------------------------


def refused(frame: pd.DataFrame, **given: object) -> InputError:
    with pytest.raises(InputError) as error:
        ifpr(frame, ["g", "x"], seed=1, reproducible=True, **given)
    return error.value


def test_all_blocks_that_miss_the_goal_are_listed():
    error = refused(singles(5, 1, 1, 1, 1), xi=0.395, blocks="g", small_blocks="error")
    assert error.details == {"blocks": dict.fromkeys(["g: 1", "g: 2", "g: 3", "g: 4"], "1 cell")}


def test_all_levels_without_a_group_are_listed_and_no_stranger_is_told_where_there_is_none():
    frame = pd.DataFrame({"g": 0, "x": range(6)})
    error = refused(frame, theta=0.5, blocks={"x": {}})
    assert error.details == {"levels": (0, 1, 2, 3, 4, 5)}
    assert "for 6 of the levels that occur; name every" in str(error)
