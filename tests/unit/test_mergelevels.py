"""`mergelevels_syn` on columns small enough to merge by hand. R's answers were seen in live R; the
fuzz repeats that on random ones.
"""

from __future__ import annotations

import warnings
from time import perf_counter

import numpy as np
import pandas as pd
import pytest

from synthpop_py import InputError, RDefectWarning, mergelevels_syn


def column(text: str, levels: str | None = None, ordered: bool = False) -> pd.DataFrame:
    """One column `a` of one-letter levels; a dot is missing."""
    values = [None if c == "." else c for c in text]
    return pd.DataFrame(
        {
            "a": pd.Categorical(
                values,
                categories=list(levels) if levels else sorted(set(text) - {"."}),
                ordered=ordered,
            )
        }
    )


def merged(data: pd.DataFrame, **kwargs) -> dict:
    """Counts of the levels of `a` afterwards, in the order of levels."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RDefectWarning)
        return mergelevels_syn(data, **kwargs)["a"].value_counts(sort=False).to_dict()


BASE = column("ppppppqqqqqrrs")


def test_small_levels_become_one():
    before = BASE.copy(deep=True)
    assert merged(BASE, minsize=3) == {"p": 6, "q": 5, "Other": 3}
    pd.testing.assert_frame_equal(BASE, before)


def test_nothing_to_merge_gives_the_same_data():
    pd.testing.assert_frame_equal(mergelevels_syn(BASE, minsize=1), BASE)


def test_if_that_is_too_small_the_smallest_other_joins():
    assert merged(column("ppppppqqqqr"), minsize=4) == {"p": 6, "Other": 5}


def test_a_level_that_is_called_other_is_merged_too():
    data = pd.DataFrame(
        {"a": pd.Categorical(["Other"] * 5 + ["b"] * 6 + ["c"], categories=["Other", "b", "c"])}
    )
    assert merged(data, minsize=3) == {"b": 6, "Other": 6}


def test_ties_keep_the_small_level_as_r_does():
    assert merged(column("ppppqqqqr"), minsize=4) == {"p": 4, "q": 4, "Other": 1}


def test_unused_levels_are_small():
    assert merged(column("ppppqqqq", levels="pqz"), minsize=2) == {"p": 4, "q": 4, "Other": 0}


def test_the_order_of_levels_and_the_ordered_flag_stay():
    result = mergelevels_syn(column("bbbaaac", levels="bac", ordered=True), minsize=1)["a"]
    assert result.cat.ordered and result.cat.categories.tolist() == ["b", "a", "c"]
    assert mergelevels_syn(column("bbbaaaccd", levels="bacd", ordered=True), minsize=3)[
        "a"
    ].cat.ordered


def test_missing_values_are_left_alone_or_taken_as_a_level():
    data = column("ppppqqqqr..")
    result = mergelevels_syn(data, minsize=3, compat="corrected")["a"]
    assert result.isna().sum() == 2
    assert merged(data, minsize=3, addNA=True) == {"p": 4, "q": 4, "Other": 3}
    assert mergelevels_syn(column("pppp..."), minsize=3, addNA=True)["a"].isna().sum() == 3


def test_labels_of_what_was_merged():
    assert merged(BASE, minsize=3, newlabel=True) == {"p": 6, "q": 5, "r s": 3}
    assert merged(column("ppppqq."), minsize=3, newlabel=True, addNA=True) == {"p": 4, "q NA": 3}


@pytest.mark.parametrize(
    "text, kwargs, as_r, correct",
    [
        # two tied levels: R merges neither, leaves Other too small, and renames q, which was not
        # merged
        (
            "ppppqqqqr",
            {"minsize": 4, "newlabel": True},
            {"p": 4, "q r": 4, "Other": 1},
            {"p": 4, "q r": 5},
        ),
        ("ppppqqqqr", {"minsize": 4}, {"p": 4, "q": 4, "Other": 1}, {"p": 4, "Other": 5}),
        # p joins r, but R's label says q
        ("ppppqqqqqqr", {"minsize": 4, "newlabel": True}, {"q": 6, "q r": 5}, {"q": 6, "p r": 5}),
        (
            "ppppppqqqqrs",
            {"minsize": 4, "newlabel": True},
            {"p": 6, "q r q s": 6},
            {"p": 6, "q r s": 6},
        ),
        # nothing is missing and no level is small, but addNA makes an empty level, which counts as
        # one
        ("ppppqqqqq", {"minsize": 3, "addNA": True}, {"q": 5, "Other": 4}, {"p": 4, "q": 5}),
    ],
)
def test_both_sets_of_levels_where_r_is_wrong(text, kwargs, as_r, correct):
    with pytest.warns(RDefectWarning) as caught:
        result = mergelevels_syn(column(text), **kwargs)["a"]
    assert result.value_counts(sort=False).to_dict() == as_r
    corrected = mergelevels_syn(column(text), compat="corrected", **kwargs)[
        "a"
    ]  # a warning would be an error
    assert corrected.value_counts(sort=False).to_dict() == correct
    told = str(caught[0].message)
    assert "R has other levels than the correct ones in column a;" in told
    assert "D47, mergelevels: labels and ties" in told


def test_a_level_called_other_takes_in_the_small_ones():
    data = pd.DataFrame({"a": pd.Categorical(["Other"] * 31 + ["x"] * 15 + ["y"])})
    assert merged(data) == {"x": 15, "Other": 32}
    assert mergelevels_syn(data)["a"].equals(
        mergelevels_syn(data, compat="corrected")["a"]
    )  # R is correct, so nothing warns
    assert merged(data, newlabel=True, compat="corrected") == {
        "Other": 31,
        "x y": 16,
    }  # y joins the smallest


def test_a_level_that_nobody_has_is_no_reason_to_merge():
    data = column("pppppqqqq", levels="pqr")
    assert merged(data, minsize=3) == {"p": 5, "Other": 4}
    assert merged(data, minsize=3, compat="corrected") == {"p": 5, "q": 4, "r": 0}
    assert merged(
        column("pppppqqqqs", levels="pqrs"), minsize=3, newlabel=True, compat="corrected"
    ) == {"p": 5, "q s": 5}


def test_a_new_label_that_is_taken_already():
    data = pd.DataFrame(
        {
            "a": pd.Categorical(
                ["a b"] * 9 + ["c"] * 7 + ["a"] * 2 + ["b"] * 2, ["a b", "c", "a", "b"]
            )
        }
    )
    assert merged(data, minsize=4, newlabel=True) == {"a b": 13, "c": 7}
    assert merged(data, minsize=4, newlabel=True, compat="corrected") == {
        "a b": 9,
        "c": 7,
        "a b (merged)": 4,
    }


def test_corrected_leaves_no_level_too_small():
    rng = np.random.default_rng(7)
    for _ in range(300):
        text = "".join(
            rng.choice(
                list("abcdefg."),
                rng.integers(3, 40),
                p=[0.3, 0.2, 0.15, 0.1, 0.1, 0.05, 0.05, 0.05],
            )
        )
        minsize, add = int(rng.integers(1, 8)), bool(rng.integers(2))
        result = mergelevels_syn(
            column(text), minsize=minsize, addNA=add, newlabel=True, compat="corrected"
        )["a"]
        sizes = [
            *result.value_counts(sort=False),
            *([result.isna().sum()] if add and result.isna().any() else []),
        ]
        assert len(sizes) <= 1 or min(sizes) >= minsize, (text, minsize, add)
        for level in result.cat.categories:  # a label names exactly the levels in it
            members = {"NA" if c == "." else c for c, r in zip(text, result) if r == level}
            assert set(level.split()) == members


def test_merging_by_hand():
    assert merged(BASE, merge_byhand=True, merge_details={"a": ["rest", "s", "q"]}) == {
        "p": 6,
        "rest": 6,
        "r": 2,
    }
    assert merged(BASE, merge_byhand=True, merge_details={"a": ["p", "s"]}) == {
        "p": 7,
        "q": 5,
        "r": 2,
    }
    assert merged(
        column("pq.."), merge_byhand=True, addNA=True, merge_details={"a": ["none", "NA", "q"]}
    ) == {"p": 1, "none": 3}


def test_the_counts_are_shown_when_asked(capsys):
    mergelevels_syn(BASE, minsize=3, print_flag=True)
    assert capsys.readouterr().out == "a, before: p 6, q 5, r 2, s 1\na, after: p 6, q 5, Other 3\n"
    mergelevels_syn(BASE, minsize=3)
    assert capsys.readouterr().out == ""


def test_only_the_columns_named_and_the_index_stays():
    data = BASE.assign(b=BASE["a"], x=1.0).set_axis(range(100, 114))
    result = mergelevels_syn(data, vars="b", minsize=3)
    assert (
        result["a"].equals(data["a"])
        and "Other" in result["b"].cat.categories
        and result.index.equals(data.index)
    )


@pytest.mark.parametrize(
    "kwargs, message",
    [
        ({"vars": ["zz"]}, "vars: 'zz' is not a column of the data; choices: a, x"),
        ({"vars": 7}, "vars: 7 is not the position of a column"),
        ({"vars": ["x"]}, "vars: column 'x' is float64, not categorical; convert it with .astype"),
        ({"compat": "right"}, "compat: 'right' is unknown; choices: 'r', 'r-1.9-3', 'r-1.9-2'"),
        ({"minsize": "ten"}, "minsize: 'ten' is not a number"),
        ({"newlabel": "yes"}, "newlabel: 'yes' is neither True nor False"),
        (
            {"merge_details": {"a": ["n", "p"]}},
            "merge_details: is given, but merge_byhand is False",
        ),
        ({"merge_byhand": True}, "merge_details: None; with merge_byhand give a mapping"),
        (
            {"merge_byhand": True, "merge_details": {"b": ["n", "p"]}},
            "merge_details: 'b' is not a column of the data",
        ),
        (
            {"merge_byhand": True, "merge_details": {"x": ["n", "p"]}},
            "merge_details: column 'x' is float64, not categorical",
        ),
        (
            {"merge_byhand": True, "merge_details": {"a": ["n", "z"]}},
            "merge_details: 'z' is not a level of 'a'; the error's details have all levels",
        ),
        ({"merge_byhand": True, "merge_details": {"a": ["n", 3]}}, "is not a list of texts"),
    ],
)
def test_bad_arguments(kwargs, message):
    with pytest.raises(InputError, match=message):
        mergelevels_syn(BASE.assign(x=1.0), **kwargs)


def test_bad_data():
    with pytest.raises(
        InputError, match="data: list is not a DataFrame of pandas, polars or Arrow"
    ):
        mergelevels_syn([BASE])


def test_time_grows_with_the_levels_not_with_their_square():
    # 100,000 levels, half of them merged: half a second; more than a minute where each is looked up
    # among all
    codes = np.append(np.arange(100_000), np.repeat(np.arange(50_000), 9))
    frame = pd.DataFrame({"code": pd.Categorical(codes)})
    started = perf_counter()
    merged = mergelevels_syn(frame, compat="corrected")
    assert perf_counter() - started < 20
    assert len(merged["code"].cat.categories) == 50_001
