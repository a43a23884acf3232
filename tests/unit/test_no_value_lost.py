"""Every record falls into a class, whatever their number; where breaks that the user gave leave
some out, a warning counts them.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
import pandas as pd
import pytest

from synthpop_py import (
    DataWarning,
    RDefectWarning,
    SynDS,
    disclosure,
    key_risk,
    multi_disclosure,
    numtocat_syn,
    ru_map,
)

SIXTY = pd.DataFrame({"k": np.arange(60.0), "t": ["x", "y"] * 30})
THOUSAND = pd.DataFrame({"k": np.arange(1000.0), "t": ["x", "y"] * 500})
HALF = {"style": "fixed", "fixedBreaks": [0, 100, 200, 499]}  # 500 to 999 lie beyond


@pytest.mark.parametrize("groups", [*range(2, 200, 7), 49, 98, 103, 107, 161, 187, 196, 197])
def test_nobody_is_missing_under_corrected(groups):
    data, released = THOUSAND.iloc[:300], THOUSAND.iloc[:299]
    call = {"ngroups_keys": groups, "usekeysNA": False, "print_flag": False}
    result = disclosure(released, data, ["k"], "t", compat="corrected", **call)
    assert result.Nexclusions[0].loc["original", "missing in  keys"] == 0
    assert result.Nexclusions[0].loc["original", "remaining"] == 300


def test_r_loses_the_largest_value_of_49_classes_and_the_warning_gives_both():
    call = {"ngroups_keys": 49, "usekeysNA": False, "print_flag": False}
    with pytest.warns(RDefectWarning, match="D49, the largest value in no class"):
        result = disclosure(SIXTY.iloc[:-1], SIXTY, ["k"], "t", **call)
    assert result.Nexclusions[0].loc["original", "missing in  keys"] == 1
    assert result.corrected.Nexclusions[0].loc["original", "missing in  keys"] == 0


def test_numtocat_loses_the_largest_value_as_r_does_and_says_so():
    with pytest.warns(RDefectWarning, match="k: R has other classes than the correct ones"):
        as_r = numtocat_syn(SIXTY, "k", catgroups=49, print_flag=False)
    assert as_r.data["k"].isna().sum() == 1 and as_r.data["k"].isna().iloc[-1]
    assert as_r.corrected.data["k"].notna().all() and "D49" in as_r.defects
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        correct = numtocat_syn(SIXTY, "k", catgroups=49, print_flag=False, compat="corrected")
    assert correct.data["k"].notna().all()


@pytest.mark.parametrize("compat", ["r", "corrected"])
def test_breaks_that_do_not_cover_the_data_are_reported_with_the_count(compat):
    with pytest.warns(DataWarning) as caught:
        disclosure(
            SynDS([THOUSAND, THOUSAND.iloc[:600]]),
            THOUSAND,
            ["k"],
            "t",
            ngroups_keys=3,
            compat=compat,
            print_flag=False,
            **HALF,
        )
    told = [str(w.message) for w in caught if w.category is DataWarning]
    assert len(told) == 1
    # 500 and 100 of the two syntheses
    assert "500 of 1,000 original and 600 of 1,600 synthetic records of column 'k'" in told[0]
    assert caught[0].filename == __file__


def test_a_small_count_of_people_is_not_told():
    call = {"style": "fixed", "fixedBreaks": [0, 100, 200, 998]}
    with pytest.warns(DataWarning, match="fewer than 5 of 1,000 original and 1 of"):
        disclosure(THOUSAND, THOUSAND, ["k"], "t", ngroups_keys=3, print_flag=False, **call)


def test_key_risk_reports_them_too():
    with pytest.warns(DataWarning, match="500 of 1,000 original and 500 of 1,000"):
        key_risk(THOUSAND, THOUSAND, ["k"], ngroups_keys=3, print_flag=False, **HALF)


@pytest.mark.parametrize("breaks", [[0, 100, 200, 999], [-math.inf, 100, 200, math.inf]])
def test_breaks_that_cover_are_no_reason_to_warn(breaks):
    call = {"style": "fixed", "fixedBreaks": breaks, "compat": "corrected"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        disclosure(THOUSAND, THOUSAND, ["k"], "t", ngroups_keys=3, print_flag=False, **call)


def test_special_and_missing_values_are_not_outside():
    data = pd.DataFrame({"k": [-8.0, np.nan, *range(10)], "t": list("xy") * 6})
    call = {"style": "fixed", "fixedBreaks": [0, 3, 5, 9], "cont_na": {"k": -8}}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        disclosure(
            data, data, ["k"], "t", ngroups_keys=3, print_flag=False, compat="corrected", **call
        )


def test_the_summary_over_targets_counts_nobody_as_missing():
    data = SIXTY.assign(u=list("abc") * 20)
    result = multi_disclosure(
        data.iloc[:-1],
        data,
        ["k"],
        ["t", "u"],
        ngroups_keys=49,
        compat="corrected",
        print_flag=False,
    )
    for single in result.output_list.values():
        assert single.groupings["k"].breaks[-1] == 59


def test_the_map_reports_breaks_that_do_not_reach_the_original():
    with pytest.warns(DataWarning, match="500 of 1,000 original.*first or last class"):
        ru_map(
            {"a": THOUSAND}, THOUSAND, keys=["k"], disclosure_options={"ngroups_keys": 3, **HALF}
        )
