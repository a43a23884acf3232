"""Levels and columns by name: exactly the one that was meant, or an error."""

from __future__ import annotations

import pickle
import warnings
from time import process_time

import numpy as np
import pandas as pd
import pytest

import synthpop_py
from synthpop_py import (
    MISSING,
    DataWarning,
    InputError,
    RDefectWarning,
    disclosure,
    key_risk,
    multi_disclosure,
)

MODES = ("r", "corrected")
B = 2**60  # doubles near it are 256 apart


def left(target: list, level, compat: str = "corrected", **call) -> float:
    """The share of four original records, each alone with its key, that `level` leaves."""
    data = pd.DataFrame({"k": list("abcd")[: len(target)], "t": target})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RDefectWarning)
        result = disclosure(
            data, data, ["k"], "t", not_targetlev=level, compat=compat, print_flag=False, **call
        )
    return result.attrib["Dorig"].tolist()[0]


# ---- whole numbers -------------------------------------------------------------------


@pytest.mark.parametrize("compat", MODES)
@pytest.mark.parametrize("level", [B + 1, np.int64(B + 1), str(B + 1)])
@pytest.mark.parametrize("kind", ["int64", "Int64", str])
def test_long_whole_numbers_are_found_exactly(kind, level, compat):
    column = pd.Series([B, B + 1, B + 1, B + 1]).astype(kind)
    assert left(column, level, compat) == 25
    assert left(column, B, compat) == 75


def test_a_long_whole_number_that_is_not_there_is_not_its_neighbour():
    with pytest.raises(InputError, match=f"{B + 2} is not a level of 't'"):
        left([B, B + 1, B + 1, B + 1], B + 2)


@pytest.mark.parametrize("level", [100000, 100000.0, "100000"])
def test_a_number_finds_itself_however_it_is_written(level):
    assert left([100000, 1, 1, 1], level) == 75
    assert left(["100000", "1", "1", "1"], level) == 75


def test_a_number_finds_the_text_that_spells_it():
    assert left(["1.0", "2.5", "2.5", "2.5"], 1) == 75
    assert left(["1.0", "2.5", "2.5", "2.5"], 2.50) == 25


@pytest.mark.parametrize("compat", MODES)
def test_a_number_in_single_precision_means_what_it_prints_as(compat):
    column = np.array([0.1, 2.5, 2.5, 2.5], dtype=np.float32)
    assert left(column, column[0], compat) == 75
    assert left([0.1, 2.5, 2.5, 2.5], np.float32(0.1), compat) == 75


def test_so_does_a_special_value():
    data = pd.DataFrame({"k": np.array([0.1, 1, 2, 3], np.float32), "t": list("xyxy")})
    call = {"ngroups_keys": 2, "print_flag": False, "compat": "corrected"}
    result = disclosure(data, data, ["k"], "t", cont_na={"k": data.k[0]}, **call)
    assert result.groupings["k"].labels[-1] == "0.1"


# ---- many levels ---------------------------------------------------------------------


@pytest.mark.parametrize("step", ["h", "D"])
def test_a_level_among_thousands_of_times_is_found_in_no_time(step):
    times = pd.Series(pd.date_range("2000-01-01", periods=2000, freq=step))
    name = {"h": "2000-01-01 05:00:00", "D": "2000-01-06"}[step]
    started = process_time()
    result = disclosure(
        pd.DataFrame({"k": times, "t": times}),
        pd.DataFrame({"k": times, "t": times}),
        ["k"],
        "t",
        not_targetlev=name,
        exclude_keys="k",
        exclude_keylevs=name,
        exclude_targetlevs=name,
        thresh_2way=(0, 0),
        compat="corrected",
    )
    assert process_time() - started < 5  # a minute where each time is written once for each
    assert result.Nexclusions[0].loc["original", "excluded target"] == 1
    assert f"{name}|{name}" not in set(result.check_2way[0].target_key_levs)


# ---- missing values, the text "Missing", the empty text ------------------------------


WITH_BOTH = [None, "Missing", "Missing", ""]


def test_missing_values_the_text_missing_and_the_empty_text_are_three_levels():
    assert left(WITH_BOTH, MISSING) == 75
    assert left(WITH_BOTH, "Missing") == 50
    assert left(WITH_BOTH, "") == 75


def test_all_three_together_leave_nobody():
    with pytest.warns(DataWarning, match="every original"):
        assert left(WITH_BOTH, [MISSING, "Missing", ""]) == 0


def test_r_has_one_word_for_missing_values_and_the_text():
    data = pd.DataFrame({"k": list("abcd"), "t": WITH_BOTH})
    with pytest.warns(RDefectWarning):
        as_r = disclosure(data, data, ["k"], "t", not_targetlev="Missing", print_flag=False)
    assert as_r.Nexclusions[0].loc["original", "excluded target"] == 3
    # in R the empty text says "none"
    assert left(WITH_BOTH, "", "r") == 100


@pytest.mark.parametrize("compat", MODES)
def test_the_sentinel_works_in_both_modes(compat):
    assert left([None, "x", "x", "y"], MISSING, compat) == 75


def test_the_text_missing_is_no_word_for_missing_values_under_corrected():
    with pytest.raises(InputError, match=r"'Missing' is not a level.*use synthpop_py.MISSING"):
        left([None, "x", "x", "y"], "Missing")
    assert left([None, "x", "x", "y"], "Missing", "r") == 75


def test_the_correct_result_beside_rs_understands_rs_word():
    data = pd.DataFrame({"k": list("abcd"), "t": [None, "x", "x", "y"]})
    result = disclosure(data, data, ["k"], "t", not_targetlev="Missing", print_flag=False)
    assert [finding.id for finding in result.defects] == ["D17"]
    assert result.corrected.Nexclusions[0].loc["original", "excluded target"] == 1


def test_pairs_can_name_missing_values():
    data = pd.DataFrame({"k": ["a", None, "Missing", None], "t": ["x", "x", "x", None]})
    call = {"exclude_keys": ["k", "k"], "exclude_keylevs": [MISSING, "Missing"]}
    result = disclosure(
        data,
        data,
        ["k"],
        "t",
        **call,
        exclude_targetlevs=["x", "x"],
        compat="corrected",
        print_flag=False,
    )
    assert result.Nexclusions[0].loc["original", "set to exclude"] == 2


def test_the_sentinel_says_what_it_is_and_survives():
    assert repr(MISSING) == str(MISSING) == "synthpop_py.MISSING"
    assert pickle.loads(pickle.dumps(MISSING)) is MISSING is synthpop_py.MISSING
    data = pd.DataFrame({"k": list("abcd"), "t": [None, "x", "x", "y"]})
    result = disclosure(
        data, data, ["k"], "t", not_targetlev=MISSING, compat="corrected", print_flag=False
    )
    assert "not_targetlev=synthpop_py.MISSING" in result.call
    assert '"synthpop_py.MISSING"' in result.to_json()


@pytest.mark.parametrize("level", [None, np.nan, pd.NA, pd.NaT])
def test_a_missing_value_as_level_is_told_the_sentinel(level):
    with pytest.raises(InputError, match=r"use synthpop_py.MISSING for missing values"):
        left(["x", "x", "x", "y"], [level])


def test_the_sentinel_where_nothing_is_missing():
    with pytest.raises(InputError, match="no value is missing"):
        left(["x", "x", "x", "y"], MISSING)


# ---- levels that are not there -------------------------------------------------------


JOBS = pd.DataFrame({"k": list("abcd") * 8, "t": ["baker"] * 15 + ["miner"] * 16 + ["bishop"]})


def refused(**call) -> InputError:
    with pytest.raises(InputError) as caught:
        disclosure(
            JOBS.iloc[:-1], JOBS, ["k"], "t", **{"compat": "corrected", "print_flag": False} | call
        )
    return caught.value


def test_a_misspelt_level_is_an_error_with_the_nearest_one():
    error = refused(not_targetlev="bakr")
    assert "not_targetlev: 'bakr' is not a level of 't'; did you mean 'baker'?" in str(error)


def test_a_rare_level_of_the_original_is_not_suggested():
    error = refused(not_targetlev="bishp")
    assert "bishop" not in str(error)
    assert sorted(error.details["levels"]) == ["baker", "bishop", "miner"]


def test_a_rare_level_that_is_released_is_suggested():
    with pytest.raises(InputError, match="did you mean 'bishop'"):
        disclosure(JOBS, JOBS, ["k"], "t", not_targetlev="bishp", compat="corrected")


@pytest.mark.parametrize("print_flag", [True, False])
def test_where_r_goes_on_a_misspelt_level_is_a_warning(print_flag, capsys):
    with pytest.warns(DataWarning, match="'bakr' is not a level of 't'") as caught:
        disclosure(JOBS, JOBS, ["k"], "t", not_targetlev="bakr", print_flag=print_flag)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert "bakr" not in capsys.readouterr().out  # once is enough


@pytest.mark.parametrize("compat", MODES)
@pytest.mark.parametrize("argument", ["exclude_keylevs", "exclude_targetlevs"])
def test_misspelt_levels_of_pairs_do_not_list_the_original(argument, compat):
    pair = {"exclude_keys": "k", "exclude_keylevs": "a", "exclude_targetlevs": "baker"}
    error = refused(**pair | {argument: "bishp"}, compat=compat)
    assert str(error).startswith(f"{argument}: 'bishp' is not a level of")
    assert "bishop" not in str(error)
    assert len(error.details["levels"]) == (4 if argument == "exclude_keylevs" else 3)


@pytest.mark.parametrize("compat", MODES)
def test_the_summary_over_targets_does_the_same(compat):
    data = JOBS.assign(u=list("pq") * 16)
    call = {"not_targetslev": {"t": "bakr"}, "compat": compat, "print_flag": False}
    if compat == "corrected":
        with pytest.raises(InputError, match="'bakr' is not a level of 't'; did you mean 'baker'"):
            multi_disclosure(data, data, ["k"], ["t", "u"], **call)
    else:
        with pytest.warns(DataWarning, match="'bakr'"):
            multi_disclosure(data, data, ["k"], ["t", "u"], **call)


@pytest.mark.parametrize("compat", MODES)
def test_the_summary_takes_the_sentinel(compat):
    data = pd.DataFrame({"k": list("abcd"), "t": [None, "x", "x", "y"], "u": list("pqrs")})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RDefectWarning)
        result = multi_disclosure(
            data,
            data,
            ["k"],
            ["t", "u"],
            not_targetslev=[MISSING, ""],
            compat=compat,
            print_flag=False,
        )
    single = result.output_list["t"]
    assert single.Nexclusions[0].loc["original", "excluded target"] == 1


# ---- exclusions that nobody asked for ------------------------------------------------


LONELY = [{"exclude_keylevs": "a"}, {"exclude_targetlevs": "baker"}, {"exclude_keylevs": [""]}]


@pytest.mark.parametrize("call", LONELY)
def test_levels_without_their_key_are_an_error(call):
    error = refused(**call, compat="corrected")
    assert str(error).startswith("exclude_keys: is not given, but levels to exclude are")


@pytest.mark.parametrize("compat", [mode for mode in MODES if mode != "corrected"])
@pytest.mark.parametrize("call", LONELY)
def test_where_r_goes_on_without_them_that_is_told(call, compat):
    people = pd.DataFrame({"k": list("abab"), "t": list("xyxy")})
    with pytest.warns(DataWarning, match="nothing is excluded, as in R"):
        told = disclosure(people, people, ["k"], "t", compat=compat, print_flag=False, **call)
    assert not told.Nexclusions[0]["set to exclude"].any()


# ---- columns -------------------------------------------------------------------------


NUMBERED = pd.DataFrame({0: list("aabb"), 1: list("xyxy"), 2: list("uuvv")})


@pytest.mark.parametrize("call", [{"target": 3}, {"keys": [0, 3], "target": 2}])
def test_positions_are_no_names_where_columns_are_called_by_numbers(call):
    with pytest.raises(InputError, match="3 is not a column of the original data"):
        disclosure(NUMBERED, NUMBERED, **{"keys": [0], "print_flag": False} | call)
    with pytest.raises(InputError, match="3 is not a column"):
        key_risk(NUMBERED, NUMBERED, [0, 3], print_flag=False)


def test_numbers_name_columns_where_there_are_such():
    result = disclosure(NUMBERED, NUMBERED, [0], 2, print_flag=False)
    assert (result.keys, result.target) == ((0,), 2)


def test_positions_count_from_1_elsewhere():
    named = NUMBERED.set_axis(["a", "b", "c"], axis=1)
    result = disclosure(named, named, [1], 3, print_flag=False)
    assert (result.keys, result.target) == (("a",), "c")


@pytest.mark.parametrize("compat", ["r", "r-1.9-2", "corrected"])
def test_an_empty_text_is_flagged_as_any_other_level(compat):
    """And is no defect of R, although D10 might have moved something: a key holds " | "."""
    people = pd.DataFrame({"k": ["a | b"] * 3, "j": ["c"] * 3, "t": [""] * 3})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = disclosure(
            people, people, ["k", "j"], "t", thresh_1way=(1, 50), compat=compat, print_flag=False
        )
    assert (result.check1, result.defects) == ("", ())
