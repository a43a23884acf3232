"""`numtocat_syn` on columns small enough to group by hand."""

from __future__ import annotations

import math
import warnings

import pandas as pd
import pytest

from synthpop_py import InputError, RDefectWarning, numtocat_syn

NUMBERS = pd.DataFrame(
    {"x": [90.0, 95, 100, 105, 1000], "n": [1, 2, 2, 3, 3], "f": pd.Categorical(list("aabbc"))},
    index=[10, 11, 12, 13, 14],
)
SKEWED = pd.DataFrame({"x": [1.0, 2, 3, 4, 5, 6, 7, 8, 9, 1000]})


def quiet(data, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RDefectWarning)
        return numtocat_syn(data, *args, print_flag=False, **kwargs)


def corrected(data, *args, **kwargs):
    return quiet(data, *args, compat="corrected", **kwargs)


def test_every_part_of_the_result():
    before = NUMBERS.copy(deep=True)
    result = corrected(NUMBERS, ["x"], catgroups=2, style_groups="equal")
    assert result.data["x"].tolist() == ["[90,545)"] * 4 + ["[545,1000]"]
    assert result.breaks["x"].tolist() == [90, 545, 1000]
    assert result.levels == {"x": ("[90,545)", "[545,1000]")}
    assert result.orig.to_dict("list") == {"orig.x": NUMBERS["x"].tolist()}
    assert (result.numtocat, result.ind, result.cont_na) == (("x",), (1,), {"x": ()})
    assert result.defects == () and result.corrected is None
    assert result.data.index.tolist() == result.orig.index.tolist() == NUMBERS.index.tolist()
    pd.testing.assert_frame_equal(result.data[["n", "f"]], NUMBERS[["n", "f"]])
    pd.testing.assert_frame_equal(NUMBERS, before)


def test_r_sorts_levels_like_words_and_lists_it():
    r = numtocat_syn(NUMBERS, ["x"], catgroups=3, print_flag=False)  # cosmetic: no warning
    correct = corrected(NUMBERS, ["x"], catgroups=3)
    first, *others = ["[103.33333,1000]", "[90,96.666667)", "[96.666667,103.33333)"]
    assert r.defects == ("D39",) and r.data["x"].tolist() == correct.data["x"].tolist()
    assert r.data["x"].cat.categories.tolist() == [first, *others]
    assert correct.data["x"].cat.categories.tolist() == [*others, first]
    assert r.corrected.data.equals(correct.data) and r.levels == correct.levels


@pytest.mark.parametrize("collation, place", [("icu", 2), ("C", 0)])
def test_the_collation_decides_where_a_special_value_goes(collation, place):
    data = pd.DataFrame({"x": [1.0, 2, 3, 4, 9]})
    how = {"catgroups": 2, "style_groups": "equal", "collation": collation}
    levels = quiet(data, cont_na={"x": 9}, **how).data["x"].cat.categories
    assert levels[place] == "9" and sorted(levels) == ["9", "[1,2.5)", "[2.5,4]"]


def test_two_classes_are_split_at_the_median_only_when_corrected():
    with pytest.warns(RDefectWarning, match="D22") as caught:
        r = numtocat_syn(SKEWED, catgroups=2, print_flag=False)
    assert "R's grouping is not correct (D22); .corrected has the correct one" in repr(r)
    # labels hold the smallest and the largest value, which are not for a warning
    assert "(x: R has other classes than the correct ones). D22, " in str(caught[0].message)
    assert r.levels["x"] == ("[1,500.5)", "[500.5,1000]") and "D22" in r.defects
    assert corrected(SKEWED, catgroups=2).levels["x"] == ("[1,5.5)", "[5.5,1000]")


def test_no_warning_where_r_is_correct():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert numtocat_syn(NUMBERS, "n", catgroups=3, print_flag=False).defects == ()


def test_too_few_quantile_classes_become_classes_of_equal_width(capsys):
    data = pd.DataFrame({"x": [0.0] * 8 + [1, 2, 3, 4, 5]})
    result = numtocat_syn(data, catgroups=3, compat="corrected")
    assert result.breaks["x"].tolist() == [0, 5 / 3, 10 / 3, 5]
    told = "x: classes of equal width, because style 'quantile' gave too few; now 3\n"
    assert capsys.readouterr().out == f"grouped: x\n{told}"


def test_special_and_missing_values_take_no_part_in_the_breaks():
    data = pd.DataFrame({"x": pd.array([1, 2, 3, 4, 5, 6, -8, None], dtype="Int64")})
    result = corrected(data, cont_na={"x": [-8, None]}, catgroups=3)
    assert result.levels["x"] == ("[1,2.6666667)", "[2.6666667,4.3333333)", "[4.3333333,6]", "-8")
    assert result.data["x"].iloc[-2] == "-8"
    assert result.data["x"].isna().tolist() == [False] * 7 + [True]
    assert result.cont_na == {"x": (-8,)}


def test_one_text_for_a_special_value_when_corrected():
    data, how = pd.DataFrame({"x": [1, 2, 3, 4, 100000]}), {"cont_na": {"x": 100000}}
    with pytest.warns(RDefectWarning, match="D15"):
        r = numtocat_syn(data, catgroups=4, print_flag=False, **how)
    assert r.levels["x"][-1] == "1e+05" and "100000" in r.data["x"].cat.categories
    assert corrected(data, catgroups=4, **how).levels["x"][-1] == "100000"


def test_columns_by_default_by_position_and_without_numbers():
    assert quiet(NUMBERS).numtocat == ("x", "n")
    assert quiet(NUMBERS, [2]).numtocat == ("n",)
    nothing = quiet(NUMBERS[["f"]])
    assert nothing.numtocat == () and nothing.data.equals(NUMBERS[["f"]])
    assert quiet(pd.DataFrame({"x": [5.0, 5.0]})).levels == {"x": ("[5,5]",)}


def test_repr_shows_the_levels():
    shown = "Grouped(3 columns, 1 grouped)\n  n: [0.5,1.5) [1.5,2.5) [2.5,3.5]"
    assert repr(quiet(NUMBERS, "n", catgroups=3)) == shown


@pytest.mark.parametrize(
    "kwargs, message",
    [
        ({"numtocat": "zz"}, "numtocat: 'zz' is not a column of the data; choices: x, n, f"),
        ({"numtocat": [9]}, "numtocat: 9 is not the position of a column of the data"),
        ({"numtocat": ["f"]}, "numtocat: column 'f' is not numeric"),
        ({"numtocat": ["x", "x"]}, "numtocat: 'x' is given more than once"),
        ({"catgroups": 1}, "catgroups: 1 is not a number of at least 2"),
        ({"catgroups": "five"}, "catgroups: 'five' is not a number of at least 2"),
        ({"catgroups": [2, 3, 4]}, "catgroups: 3 numbers for 2 columns"),
        ({"cont_na": [-8]}, r"cont_na: \[-8\] is not a mapping"),
        ({"numtocat": "x", "cont_na": {"n": 2}}, "cont_na: 'n' is not one of the columns being"),
        ({"cont_na": {"x": "none"}}, "cont_na: 'none' for 'x' is not a number"),
        ({"style_groups": "fixed"}, "style_groups: 'fixed' is unknown; choices: 'quantile', 'eq"),
        ({"compat": "s"}, "compat: 's' is unknown; choices: 'r', 'r-1.9-3', 'r-1.9-2'"),
        ({"collation": "de"}, "collation: 'de' is unknown; choices: 'icu', 'C'"),
        ({"data": [NUMBERS]}, "data: list is not a DataFrame of pandas, polars or Arrow"),
        (
            {"data": pd.DataFrame({"x": [-8.0, math.nan]}), "cont_na": {"x": -8}},
            "column 'x': the variable has only missing or special values",
        ),
        ({"data": pd.DataFrame({"x": [1.0, math.inf]})}, "column 'x': only finite values can"),
    ],
)
def test_bad_arguments(kwargs, message):
    with pytest.raises(InputError, match=message):
        numtocat_syn(**{"data": NUMBERS, **kwargs})
