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


def factor(text: str, categories: str | None = None, ordered: bool = False) -> pd.Categorical:
    return pd.Categorical(
        [None if c == "." else c for c in text],
        list(categories) if categories else None,
        ordered=ordered,
    )


def test_the_same_columns_need_nothing():
    data = {"f": factor("aba"), "x": [1.0, 2, 3]}
    result = compare(data, data)
    assert (result.needsfix, result.unchanged, result.notes) == (False, True, [])


def test_columns_of_one_side_are_left_out_and_the_order_is_the_originals():
    result = compare(
        {"extra": [1.0] * 3, "x": [1.0, 2, 3], "f": factor("aba")},
        {"f": factor("aba"), "x": [1.0, 2, 3], "more": [1] * 3},
    )
    assert result.syn.columns.tolist() == result.orig.columns.tolist() == ["f", "x"]
    assert result.unchanged and result.notes == [
        "only in syn, left out: extra",
        "only in orig, left out: more",
    ]


def test_one_common_column_is_enough():
    assert compare(
        {"f": factor("ab")}, {"f": factor("ab"), "g": factor("xy")}
    ).syn.columns.tolist() == ["f"]


def test_numbers_beside_a_factor_become_a_factor():
    result = compare({"v": [10.0, 9, 100000]}, {"v": pd.Categorical(["9", "10", "9"], ["9", "10"])})
    assert levels(result.syn["v"]) == levels(result.orig["v"]) == ["9", "10", "1e+05"]
    assert not result.unchanged and not result.needsfix
    assert result.notes == [
        "v: numbers made categories in syn",
        "v: levels combined; syn had 9, 10, 1e+05, orig had 9, 10",
    ]


def test_texts_become_factors_in_the_order_of_the_collation():
    data = {"v": ["b", "B", "a"]}
    assert levels(compare(data, data).syn["v"]) == ["a", "b", "B"]
    assert levels(compare(data, data, collation="C").orig["v"]) == ["B", "a", "b"]


def test_whole_numbers_beside_real_ones_become_real():
    result = compare({"v": pd.array([1, None, 3], dtype="Int64")}, {"v": [1.0, math.nan, 2.5]})
    assert result.syn["v"].dtype == "float64" and result.syn["v"].isna().tolist() == [
        False,
        True,
        False,
    ]
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
    assert (
        result.needsfix
        and result.unchanged
        and "types differ and were left as they are" in result.notes[0]
    )
    assert (
        result.syn["v"].dtype == pd.Series(syn).dtype
        and result.orig["v"].dtype == pd.Series(orig).dtype
    )


def test_levels_of_both_sides_those_of_the_synthetic_data_first():
    result = compare({"v": factor("adb", "dba")}, {"v": factor("abc")})
    assert levels(result.syn["v"]) == levels(result.orig["v"]) == ["d", "b", "a", "c"]
    assert result.syn["v"].tolist() == ["a", "d", "b"] and result.orig["v"].tolist() == [
        "a",
        "b",
        "c",
    ]


def test_combining_levels_takes_the_order_away_as_in_r():
    result = compare(
        {"v": factor("ab", "ab", ordered=True)}, {"v": factor("ab", "ba", ordered=True)}
    )
    assert (
        not result.syn["v"].cat.ordered and not result.orig["v"].cat.ordered and not result.needsfix
    )


def test_missing_only_in_the_synthetic_data():
    result = compare({"v": factor("ab.")}, {"v": factor("aba")})
    assert (
        not result.unchanged
        and levels(result.orig["v"]) == ["a", "b"]
        and result.syn["v"].isna().tolist() == [False, False, True]
    )
    assert result.notes == [
        "v: missing values in syn only, which looks wrong; R makes orig a factor with a "
        "level for NA"
    ]


def test_missing_only_in_the_original():
    result = compare({"v": factor("aba")}, {"v": factor("ab.")})
    assert not result.unchanged and result.notes == [
        "v: missing values in orig only; R gives syn a level for NA"
    ]


def test_numbers_missing_only_in_the_synthetic_data_make_the_original_a_factor_as_in_r():
    result = compare(
        {
            "v": [1.0, math.nan],
            "l": pd.array([True, None], dtype="boolean"),
            "d": pd.to_datetime(["2020-01-02", None]),
        },
        {"v": [2.0, 10.0], "l": [True, False], "d": pd.to_datetime(["2020-01-02", "2019-01-01"])},
    )
    assert [levels(result.orig[c]) for c in "vld"] == [
        ["2", "10"],
        ["FALSE", "TRUE"],
        ["2019-01-01", "2020-01-02"],
    ]
    assert result.syn["v"].dtype == "float64"


def test_where_r_stops_because_an_na_level_meets_an_extra_level():
    result = compare({"v": factor("abc.", "abc")}, {"v": factor("abab")})
    assert levels(result.syn["v"]) == levels(result.orig["v"]) == ["a", "b", "c"]


def test_frames_are_not_changed_and_rows_may_differ():
    syn, orig = (
        pd.DataFrame({"v": ["a", "b"], "i": [1, 2]}, index=[5, 6]),
        pd.DataFrame({"v": ["a", "c", "c"], "i": [1.5, 2, 3]}),
    )
    before = syn.copy(deep=True), orig.copy(deep=True)
    result = synorig_compare(syn, orig, print_flag=False)
    pd.testing.assert_frame_equal(syn, before[0])
    pd.testing.assert_frame_equal(orig, before[1])
    assert result.syn.index.tolist() == [5, 6] and len(result.orig) == 3


def test_notes_are_shown_when_asked(capsys):
    synorig_compare(pd.DataFrame({"v": [1]}), pd.DataFrame({"v": [1]}))
    assert capsys.readouterr().out == "1 columns in common; syn has 1, orig 1\nnothing to adjust\n"


def test_bad_input():
    frame = pd.DataFrame({"v": [1]})
    with pytest.raises(InputError, match="syn: list is not a DataFrame of pandas, polars or Arrow"):
        synorig_compare([frame], frame)
    with pytest.raises(InputError, match="orig: list cannot be the original data"):
        synorig_compare(frame, [frame])
    with pytest.raises(InputError, match="no column in common with orig; syn has v, orig has w"):
        synorig_compare(frame, pd.DataFrame({"w": [1]}))
    with pytest.raises(InputError, match="collation: 'de' is unknown; choices: 'icu', 'C'"):
        synorig_compare(frame, frame, collation="de")
    with pytest.raises(InputError, match="orig: the column names v occur more than once"):
        synorig_compare(frame, pd.DataFrame([[1, 2]], columns=["v", "v"]))
