"""`synorig_compare` step by step on frames of three or four rows."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from synthpop_py import InputError, synorig_compare


def compare(syn: dict, orig: dict, **kwargs):
    return synorig_compare(pd.DataFrame(syn), pd.DataFrame(orig), print_flag=False, **kwargs)


def levels(series: pd.Series) -> list:
    return series.cat.categories.tolist()


def factor(text: str, categories: str = "", ordered: bool = False) -> pd.Categorical:
    values = [None if c == "." else c for c in text]
    return pd.Categorical(values, list(categories) or None, ordered=ordered)


def test_the_same_columns_need_nothing(capsys):
    data = {"f": factor("aba"), "x": [1.0, 2, 3]}
    result = compare(data, data)
    assert (result.needsfix, result.unchanged, result.notes) == (False, True, [])
    synorig_compare(result.syn, result.orig)
    assert capsys.readouterr().out == "2 columns in common; syn has 2, orig 2\nnothing to adjust\n"


def test_columns_of_one_side_are_left_out_and_the_order_is_the_originals():
    syn = {"extra": [1.0] * 3, "x": [1.0, 2, 3], "f": factor("aba")}
    result = compare(syn, {"f": factor("aba"), "x": [1.0, 2, 3], "more": [1] * 3})
    assert result.syn.columns.tolist() == result.orig.columns.tolist() == ["f", "x"]
    said = ["only in syn, left out: extra", "only in orig, left out: more"]
    assert result.unchanged and result.notes == said
    one = compare({"f": factor("ab")}, {"f": factor("ab"), "g": factor("xy")})
    assert one.syn.columns.tolist() == ["f"]


def test_numbers_beside_a_factor_become_a_factor():
    result = compare({"v": [10.0, 9, 100000]}, {"v": pd.Categorical(["9", "10", "9"], ["9", "10"])})
    assert levels(result.syn["v"]) == levels(result.orig["v"]) == ["9", "10", "1e+05"]
    assert not result.unchanged and not result.needsfix
    assert result.notes == ["v: numbers made categories in syn", "v: levels combined"]


def test_texts_become_factors_in_the_order_of_the_collation():
    data = {"v": ["b", "B", "a"]}
    assert levels(compare(data, data).syn["v"]) == ["a", "b", "B"]
    assert levels(compare(data, data, collation="C").orig["v"]) == ["B", "a", "b"]


def test_whole_numbers_beside_real_ones_become_real():
    result = compare({"v": pd.array([1, None, 3], dtype="Int64")}, {"v": [1.0, math.nan, 2.5]})
    assert result.syn["v"].dtype == "float64"
    assert result.syn["v"].isna().tolist() == [False, True, False]
    assert result.notes == ["v: integers converted to floats in syn"]
    assert compare({"v": [1.5]}, {"v": [1]}).notes == ["v: integers converted to floats in orig"]


@pytest.mark.parametrize(
    "syn, orig",
    [
        (factor("ab", ordered=True), factor("ab")),
        ([True, False], pd.Categorical(["TRUE", "FALSE"])),
        ([True, False], [1.0, 0.0]),
    ],
)
def test_types_that_cannot_be_matched_are_left_and_named(syn, orig):
    result = compare({"v": syn}, {"v": orig})
    assert result.needsfix and result.unchanged
    assert result.notes == ["v: types differ and were left as they are; change one of them"]
    assert result.syn["v"].dtype == pd.Series(syn).dtype
    assert result.orig["v"].dtype == pd.Series(orig).dtype


def test_levels_of_both_sides_those_of_the_synthetic_data_first():
    result = compare({"v": factor("adb", "dba")}, {"v": factor("abc")})
    assert levels(result.syn["v"]) == levels(result.orig["v"]) == ["d", "b", "a", "c"]
    assert "".join(result.syn["v"]) == "adb" and "".join(result.orig["v"]) == "abc"
    # combining takes the order away, as in R
    result = compare({"v": factor("ab", "ab", True)}, {"v": factor("ab", "ba", True)})
    assert not result.syn["v"].cat.ordered and not result.orig["v"].cat.ordered
    assert not result.needsfix


@pytest.mark.parametrize(
    "syn, orig, note",
    [
        ("ab.", "aba", "syn only, which looks wrong; R makes orig a factor with a level for NA"),
        ("aba", "ab.", "orig only; R gives syn a level for NA"),
    ],
)
def test_missing_values_on_one_side(syn, orig, note):
    result = compare({"v": factor(syn)}, {"v": factor(orig)})
    assert not result.unchanged and result.notes == [f"v: missing values in {note}"]
    assert levels(result.syn["v"]) == levels(result.orig["v"]) == ["a", "b"]
    assert result.syn["v"].isna().sum() == syn.count(".")


def test_numbers_missing_only_in_the_synthetic_data_make_the_original_a_factor_as_in_r():
    days = pd.to_datetime(["2020-01-02", "2019-01-01"])
    gaps = pd.array([True, None], dtype="boolean")
    syn = {"v": [1.0, math.nan], "l": gaps, "d": [days[0], pd.NaT]}
    result = compare(syn, {"v": [2.0, 10.0], "l": [True, False], "d": days})
    made = [["2", "10"], ["FALSE", "TRUE"], ["2019-01-01", "2020-01-02"]]
    assert [levels(result.orig[name]) for name in "vld"] == made
    assert result.syn["v"].dtype == "float64"


def test_where_r_stops_because_an_na_level_meets_an_extra_level():
    result = compare({"v": factor("abc.", "abc")}, {"v": factor("abab")})
    assert levels(result.syn["v"]) == levels(result.orig["v"]) == ["a", "b", "c"]


def test_frames_are_not_changed_and_rows_may_differ():
    syn = pd.DataFrame({"v": ["a", "b"], "i": [1, 2]}, index=[5, 6])
    orig = pd.DataFrame({"v": ["a", "c", "c"], "i": [1.5, 2, 3]})
    before = syn.copy(deep=True), orig.copy(deep=True)
    result = synorig_compare(syn, orig, print_flag=False)
    pd.testing.assert_frame_equal(syn, before[0])
    pd.testing.assert_frame_equal(orig, before[1])
    assert result.syn.index.tolist() == [5, 6] and len(result.orig) == 3


FRAME = pd.DataFrame({"v": [1]})


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"syn": [FRAME]}, "syn: list is not a DataFrame of pandas, polars or Arrow"),
        ({"orig": [FRAME]}, "orig: list cannot be the original data"),
        ({"orig": FRAME.rename(columns={"v": "w"})}, "in common with orig; syn has v, orig has w"),
        ({"collation": "de"}, "collation: 'de' is unknown; choices: 'icu', 'C'"),
        (
            {"orig": pd.DataFrame([[1, 2]], columns=["v", "v"])},
            "orig: the column names v occur more than once",
        ),
    ],
)
def test_bad_input(arguments, words):
    with pytest.raises(InputError, match=words):
        synorig_compare(**{"syn": FRAME, "orig": FRAME, **arguments})
