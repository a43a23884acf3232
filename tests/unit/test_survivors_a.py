"""Places of disclosure, its summary, the companions and the key search where a small change of the
code once went unnoticed: each test is a table of a few rows on which that change is seen.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from synthpop_py import (
    Disclosure,
    RDefectWarning,
    SynDS,
    disclosure,
    key_risk,
    numtocat_syn,
    replicated_uniques,
)
from tests.rooms import class_breaks


def quietly(function: Any, *args: Any, **given: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, print_flag=False, compare_synorig=False, **given)


def table(k: Any, t: Any) -> pd.DataFrame:
    """A key and a target, one letter for each record."""
    return pd.DataFrame({"k": list(k), "t": list(t)})


def result_of(original: pd.DataFrame, *released: pd.DataFrame, **given: Any) -> Disclosure:
    result = quietly(disclosure, SynDS(list(released)), original, ["k"], "t", **given)
    assert isinstance(result, Disclosure)
    return result


# ---- measures ------------------------------------------------------------------------


def test_scaled_measures_by_hand():
    """baseCAPd is (9 + 1) / 16, DCAPd is 3 / 4 and TCAP_iS is 2 / 4: a third above and below."""
    data = table("aabb", "xxxy")
    (shares,) = result_of(data, data).shares
    assert shares["DCAPd_scaled"].percent == pytest.approx(100 / 3)
    assert shares["TCAP_iS_scaled"].percent == pytest.approx(-100 / 3)


def test_two_digits_are_shown_unless_others_are_asked_for():
    data = table("ab", "xy")
    assert result_of(data, data).digits == 2


# ---- checks --------------------------------------------------------------------------


def test_exactly_the_threshold_flags_no_level():
    """Nine of ten disclosed people have x, 90 per cent, which is not more; of eleven ten are."""
    nine = pd.DataFrame({"k": range(10), "t": list("x" * 9 + "y")})
    ten = pd.DataFrame({"k": range(11), "t": list("x" * 10 + "y")})
    limits = {"thresh_1way": (0, 90), "compat": "corrected"}
    assert result_of(nine, nine, **limits).check1 is None
    assert result_of(ten, ten, **limits).check1 == "x"


def test_exactly_the_threshold_flags_no_pair():
    """Of ten records with a, eight have x, 80 per cent; of ten with b all have."""
    original = table("a" * 10 + "b" * 10, "x" * 8 + "yy" + "x" * 10)
    released = table("ab", "xx")
    (pairs,) = result_of(original, released).check_2way
    assert pairs is not None
    assert pairs["PctTargetKeyLevel"].tolist() == [100]


# ---- R's texts -----------------------------------------------------------------------


def test_numbers_beside_texts_are_padded_by_r():
    """R pastes the synthetic 1 and 10 to " 1" and "10", the original's texts are "1" and "10"."""
    original = pd.DataFrame({"k": ["1", "10"], "j": ["a", "b"], "t": ["x", "y"]})
    released = original.assign(k=[1, 10])
    result = quietly(disclosure, SynDS(released), original, ["k", "j"], "t")
    assert result.ident["repU"].tolist() == [50]
    assert result.corrected.ident["repU"].tolist() == [100]


def test_a_number_that_was_padded_is_a_text():
    """R writes the synthetic 0.1 as 1e-01 where 1e-05 stands beside it; as a level it is 0.1."""
    original = pd.DataFrame({"k": pd.Categorical([0.1, 1e-05]), "j": ["a", "b"], "t": ["x", "y"]})
    released = original.assign(k=[0.1, 1e-05])
    result = quietly(disclosure, SynDS(released), original, ["k", "j"], "t")
    assert result.ident["repU"].tolist() == [50]
    assert result.corrected.ident["repU"].tolist() == [100]


def test_days_are_written_as_days_and_times_to_the_second():
    """A target of days beside times of the same days: R compares their texts."""
    days = pd.to_datetime(["2020-02-01", "2020-02-02"])
    noon = pd.to_datetime(["2020-02-01 12:00:00", "2020-02-02 00:00:00"])
    original = pd.DataFrame({"k": ["a", "b"], "t": days})
    released = pd.DataFrame({"k": ["a", "b"], "t": noon})
    result = result_of(original, released, compat="corrected")
    assert result.shares[0]["DiSCO"].numerator == 1


# ---- classes -------------------------------------------------------------------------


def test_a_quantile_between_equal_values_is_that_value():
    """The first fifth lies at 0.2 of the way between two values of 5.3, where doubles miss 5.3."""
    assert 0.8 * 5.3 + 0.2 * 5.3 != 5.3
    values = np.array([0, 5.3, 5.3, 5.3, 5.3, 5.3, 5.3, 5.3, 10, 11, 12, 13])
    lowest, tied, *others = class_breaks(values, 5).tolist()
    assert (lowest, tied) == (0, 5.3)
    assert others == pytest.approx([10.8, 13])


def test_only_replaced_classes_are_told_of(capsys):
    numtocat_syn(pd.DataFrame({"age": np.arange(10.0)}), numtocat="age", catgroups=4)
    printed = capsys.readouterr().out
    assert "grouped: age" in printed
    assert "equal width" not in printed


# ---- uniques -------------------------------------------------------------------------


def test_k_is_the_size_of_the_first_synthesis():
    original = table("ab", "xy")
    sets = SynDS([table("abc", "xyz"), table("abcd", "xyzx")])
    assert replicated_uniques(sets, original).k == 3


def test_one_key_that_is_unique_in_a_synthesis_and_the_only_record_of_the_original():
    """R finds a, which one synthetic record has, in an original of one record (D37)."""
    original = pd.DataFrame({"k": ["a"]})
    with pytest.warns(RDefectWarning, match="D37"):
        result = replicated_uniques(SynDS(pd.DataFrame({"k": ["a", "b", "b"]})), original)
    assert result.res_tab[0]["Number"].tolist() == [1, 1, 1, 1]


def test_what_is_in_classes_is_counted_where_a_table_counts_and_where_it_does_not():
    """Frequencies and the records that they count have the same classes."""
    counted = pd.DataFrame({"k": [0.5, 1.5, 2.5, 9], "t": list("xxyy"), "n": [3, 4, 1, 2]})
    written = counted.loc[counted.index.repeat(counted["n"])].drop(columns="n")
    asked = {"ngroups_keys": 2, "compat": "corrected"}
    of_counts = result_of(counted, counted, counts="n", **asked)
    assert of_counts.shares == result_of(written, written, **asked).shares


# ---- key search ----------------------------------------------------------------------


def test_what_a_candidate_adds_counts_uniques_of_the_original():
    """a and b are unique in the original, and neither in the release."""
    original = pd.DataFrame({"k": ["a", "b"], "j": ["u", "u"]})
    released = pd.DataFrame({"k": ["a", "a"], "j": ["u", "u"]})
    added = key_risk(released, original, ["k", "j"]).marginal()
    assert added["UiO_alone"].to_dict() == {"k": 100, "j": 0}
