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


def column(text: str, levels: str = "", ordered: bool = False) -> pd.DataFrame:
    """One column `a` of one-letter levels; a dot is missing."""
    categories = list(levels) or sorted(set(text) - {"."})
    codes = [categories.index(c) if c != "." else -1 for c in text]
    return pd.DataFrame({"a": pd.Categorical.from_codes(codes, categories, ordered)})


def named(**counts: int) -> pd.DataFrame:
    """One column `a` of levels, in this order, that so many records have."""
    texts = [level.replace("_", " ") for level, n in counts.items() for _ in range(n)]
    return pd.DataFrame({"a": pd.Categorical(texts, list(dict.fromkeys(texts)))})


def merged(data: pd.DataFrame, **kwargs) -> dict:
    """Counts of the levels of `a` afterwards, in the order of levels."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RDefectWarning)
        return mergelevels_syn(data, **kwargs)["a"].value_counts(sort=False).to_dict()


BASE = column("ppppppqqqqqrrs")
TIED = "ppppqqqqr"
LABEL = {"newlabel": True}


@pytest.mark.parametrize(
    "data, kwargs, as_r, correct",
    [
        (BASE, {"minsize": 3}, {"p": 6, "q": 5, "Other": 3}, None),
        (BASE, {"minsize": 3, **LABEL}, {"p": 6, "q": 5, "r s": 3}, None),
        # if that is too small, the smallest other joins
        (column("ppppppqqqqr"), {"minsize": 4}, {"p": 6, "Other": 5}, None),
        # a level that is called Other is merged too, whatever its size
        (named(Other=5, b=6, c=1), {"minsize": 3}, {"b": 6, "Other": 6}, None),
        (named(Other=31, x=15, y=1), {}, {"x": 15, "Other": 32}, None),
        (column("ppppqq."), {"minsize": 3, "addNA": True, **LABEL}, {"p": 4, "q NA": 3}, None),
        (column("ppppqqqqr.."), {"minsize": 3, "addNA": True}, {"p": 4, "q": 4, "Other": 3}, None),
        # two tied levels: R merges neither, leaves Other too small, and renames q, not merged
        (column(TIED), {"minsize": 4}, {"p": 4, "q": 4, "Other": 1}, {"p": 4, "Other": 5}),
        (
            column(TIED),
            {"minsize": 4, **LABEL},
            {"p": 4, "q r": 4, "Other": 1},
            {"p": 4, "q r": 5},
        ),
        # p joins r, but R's label says q
        (
            column("ppppqqqqqqr"),
            {"minsize": 4, **LABEL},
            {"q": 6, "q r": 5},
            {"q": 6, "p r": 5},
        ),
        (
            column("ppppppqqqqrs"),
            {"minsize": 4, **LABEL},
            {"p": 6, "q r q s": 6},
            {"p": 6, "q r s": 6},
        ),
        # nothing is missing and no level is small, but addNA makes an empty level, which is one
        (
            column("ppppqqqqq"),
            {"minsize": 3, "addNA": True},
            {"q": 5, "Other": 4},
            {"p": 4, "q": 5},
        ),
        # neither is a level that nobody has a reason to merge
        (
            column("pppppqqqq", "pqr"),
            {"minsize": 3},
            {"p": 5, "Other": 4},
            {"p": 5, "q": 4, "r": 0},
        ),
        # a new label that is taken already
        (
            named(a_b=9, c=7, a=2, b=2),
            {"minsize": 4, **LABEL},
            {"a b": 13, "c": 7},
            {"a b": 9, "c": 7, "a b (merged)": 4},
        ),
    ],
)
def test_levels_by_hand(data, kwargs, as_r, correct):
    before = data.copy(deep=True)
    assert merged(data, **kwargs) == as_r
    assert merged(data, compat="corrected", **kwargs) == (correct or as_r)
    pd.testing.assert_frame_equal(data, before)
    if correct is not None:
        with pytest.warns(RDefectWarning, match="other levels .* in column a;(.|\n)*D47"):
            mergelevels_syn(data, **kwargs)


def test_what_is_not_merged_stays_as_it_is():
    pd.testing.assert_frame_equal(mergelevels_syn(BASE, minsize=1), BASE)
    kept = mergelevels_syn(column("bbbaaac", "bac", ordered=True), minsize=1)["a"]
    assert kept.cat.ordered and kept.cat.categories.tolist() == ["b", "a", "c"]
    assert mergelevels_syn(column("bbbaaaccd", "bacd", ordered=True), minsize=3)["a"].cat.ordered
    assert mergelevels_syn(column("pppp..."), minsize=3, addNA=True)["a"].isna().sum() == 3
    data = BASE.assign(b=BASE["a"], x=1.0).set_axis(range(100, 114))
    result = mergelevels_syn(data, vars="b", minsize=3)
    assert result["a"].equals(data["a"]) and result.index.equals(data.index)
    assert "Other" in result["b"].cat.categories


def test_corrected_leaves_no_level_too_small():
    rng = np.random.default_rng(7)
    odds = [0.3, 0.2, 0.15, 0.1, 0.1, 0.05, 0.05, 0.05]
    for _ in range(300):
        text = "".join(rng.choice(list("abcdefg."), rng.integers(3, 40), p=odds))
        how = {"minsize": int(rng.integers(1, 8)), "addNA": bool(rng.integers(2))}
        result = mergelevels_syn(column(text), compat="corrected", **how, **LABEL)["a"]
        sizes = result.value_counts(sort=False).tolist()
        if how["addNA"] and result.isna().any():
            sizes.append(result.isna().sum())
        assert len(sizes) <= 1 or min(sizes) >= how["minsize"], (text, how)
        for level in result.cat.categories:  # a label names exactly the levels in it
            members = {"NA" if c == "." else c for c, r in zip(text, result) if r == level}
            assert set(level.split()) == members


@pytest.mark.parametrize(
    "data, details, expected",
    [
        (BASE, ["rest", "s", "q"], {"p": 6, "rest": 6, "r": 2}),
        (BASE, ["p", "s"], {"p": 7, "q": 5, "r": 2}),
        (column("pq.."), ["none", "NA", "q"], {"p": 1, "none": 3}),
    ],
)
def test_merging_by_hand(data, details, expected):
    add = bool(data["a"].isna().any())
    by_hand = {"merge_byhand": True, "merge_details": {"a": details}}
    assert merged(data, addNA=add, **by_hand) == expected


def test_the_counts_are_shown_when_asked(capsys):
    mergelevels_syn(BASE, minsize=3, print_flag=True)
    assert capsys.readouterr().out == "a, before: p 6, q 5, r 2, s 1\na, after: p 6, q 5, Other 3\n"
    mergelevels_syn(BASE, minsize=3)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "kwargs, message",
    [
        ({"vars": ["zz"]}, "vars: 'zz' is not a column of the data; choices: a, x"),
        ({"vars": ["x"]}, "vars: column 'x' is not categorical, see .astype"),
        ({"compat": "right"}, "compat: 'right' is unknown; choices: 'r', 'r-1.9-3', 'r-1.9-2'"),
        ({"minsize": "ten"}, "minsize: 'ten' is not a number"),
        ({"newlabel": "yes"}, "newlabel: 'yes' is neither True nor False"),
        ({"merge_details": {"a": ["n", "p"]}}, "merge_details: .* with merge_byhand=False; give"),
        ({"merge_byhand": True}, "merge_details: None with merge_byhand=True; give True and"),
        (
            {"merge_byhand": True, "merge_details": {"b": ["n", "p"]}},
            "merge_details: 'b' is not a column of the data",
        ),
        (
            {"merge_byhand": True, "merge_details": {"a": ["n", "z"]}},
            "merge_details: 'z' is not a level of 'a'; see the error's details",
        ),
        ({"data": [BASE]}, "data: list is not a DataFrame of pandas, polars or Arrow"),
    ],
)
def test_bad_arguments(kwargs, message):
    with pytest.raises(InputError, match=message):
        mergelevels_syn(**{"data": BASE.assign(x=1.0), **kwargs})


def test_time_grows_with_the_levels_not_with_their_square():
    # 100,000 levels, half of them merged: half a second; more than a minute where each is looked up
    # among all
    codes = np.append(np.arange(100_000), np.repeat(np.arange(50_000), 9))
    frame = pd.DataFrame({"code": pd.Categorical(codes)})
    started = perf_counter()
    merged = mergelevels_syn(frame, compat="corrected")
    assert perf_counter() - started < 20
    assert len(merged["code"].cat.categories) == 50_001
