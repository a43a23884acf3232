"""sdc() on tables small enough to check by hand, its smoothing, and bad input."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest

from synthpop_py import InputError, RDefectWarning, SynDS, replicated_uniques, sdc
from synthpop_py.r.spline import knot_count, smooth

PEOPLE = pd.DataFrame({"sex": list("fmff"), "age": [30, 71, 40, 40]})
# f 30 is unique in both; m 71 twice here; f 40 unique here, twice in the original
FAKE = pd.DataFrame({"sex": list("fmmf"), "age": [30, 71, 71, 40]})
AS_TEXT = {"age": str}
quiet = partial(sdc, print_flag=False)


def test_nothing_asked_changes_nothing():
    result = quiet(FAKE, PEOPLE)
    assert isinstance(result, SynDS) and result.syn[0] is not FAKE
    pd.testing.assert_frame_equal(result.syn[0], FAKE)


@pytest.mark.parametrize(
    "asked, kept",
    [
        ({"rm_replicated_uniques": True}, [1, 2, 3]),
        ({"rm_uniques_in_orig": True}, [1, 2]),
        ({"rm_uniques_in_orig": True, "rm_replicated_uniques": True}, [1, 2]),
    ],
)
def test_removal_by_hand(asked, kept):
    result = quiet(FAKE.astype(AS_TEXT), PEOPLE.astype(AS_TEXT), **asked)
    assert result.syn[0].index.tolist() == kept


def test_recoding_comes_before_removal():
    coded = {"recode_vars": "age", "bottom_top_coding": (35, 70)}
    result = quiet(FAKE, PEOPLE, ["sex", "age"], rm_replicated_uniques=True, **coded)
    assert result.syn[0]["age"].tolist() == [35, 70, 70, 40], "f 35 is not in the original"


def test_recoding_spares_special_and_missing_values():
    frame = pd.DataFrame({"x": [-8.0, 1.0, 5.0, 9.0, np.nan], "n": [1, 2, 3, 4, 5]})
    two = {"recode_vars": ["x", "n"], "bottom_top_coding": [(2, 6), (None, 4)]}
    for given in (frame, frame.convert_dtypes()):
        result = quiet(given, frame, recode_exclude=[-8, None], **two).syn[0]
        assert result["x"].tolist()[:4] == [-8, 2, 5, 6] and np.isnan(result["x"].iloc[4])
        assert result["n"].tolist() == [1, 2, 3, 4, 4]
    one = {"recode_vars": "x", "bottom_top_coding": (2, None), "recode_exclude": [-8, 1]}
    assert quiet(frame, frame, **one).syn[0]["x"].tolist()[:4] == [-8, 1, 5, 9]


def test_names_label_and_special_values():
    synthesis = SynDS([FAKE, FAKE], cont_na={"age": -8}, meta={"seed": 1})
    result = quiet(synthesis, PEOPLE, prefix="s_", suffix=".x", label=["one", "two"])
    assert list(result.syn[0].columns) == ["flag", "s_sex.x", "s_age.x"]
    assert [set(frame["flag"]) for frame in result.syn] == [{"one"}, {"two"}]
    assert result.cont_na == {"s_age.x": (-8,)} and result.meta["seed"] == 1
    assert list(quiet(FAKE, PEOPLE, label="FAKE").syn[0]["flag"]) == ["FAKE"] * 4


def test_the_caller_s_object_is_never_changed():
    frame = pd.DataFrame({"g": list("aabbc"), "x": [5.0, 1.0, 2.0, 9.0, -8.0]})
    before, synthesis = frame.copy(), SynDS(frame, cont_na={"x": -8}, meta={"k": 5})
    coded = {"recode_vars": "x", "bottom_top_coding": (2, 6), "compat": "corrected"}
    quiet(synthesis, frame, prefix="p", label="L", rm_uniques_in_orig=True, **coded)
    quiet(synthesis, frame, smooth_vars="x")
    pd.testing.assert_frame_equal(frame, before)
    pd.testing.assert_frame_equal(synthesis.syn[0], before)
    assert synthesis.cont_na == {"x": (-8,)} and synthesis.meta == {"k": 5}


def test_what_is_told(capsys):
    def told(*args, **more):
        sdc(*args, **more)
        return capsys.readouterr().out

    coded = {"recode_vars": "age", "bottom_top_coding": (35, 70)}
    removed = "records removed, unique in the synthetic data and found in the original: 2 of 4\n"
    assert told([FAKE, FAKE], PEOPLE, **coded) == "age: 1 values bottom-coded, 2 top-coded\n" * 2
    assert told(FAKE, PEOPLE, rm_uniques_in_orig=True) == removed
    assert told(FAKE, PEOPLE, rm_uniques_in_orig=True, print_flag=False) == ""
    assert told(FAKE, PEOPLE) == ""


# ---- R's defects ---------------------------------------------------------------------


def test_a_single_key_removes_nothing_in_r():
    original, synthetic = (pd.DataFrame({"a": list(a), "b": 1}) for a in ("pqrr", "pqqr"))
    call = partial(quiet, synthetic, original, ["a"], rm_replicated_uniques=True)
    with pytest.warns(RDefectWarning, match="R removes 0 records, correct is 1(.|\n)*D37"):
        assert len(call().syn[0]) == 4
    assert call(compat="corrected").syn[0]["a"].tolist() == list("qqr")


def test_sizes_are_remembered_as_in_r():
    fake, people = FAKE.astype(AS_TEXT), PEOPLE.astype(AS_TEXT)
    once = quiet(fake, people, rm_replicated_uniques=True)
    assert once.meta == {"n": 4, "k": 4}
    with pytest.warns(RDefectWarning, match="D38"):
        replicated_uniques(once, people)
    twice = quiet(once, people, rm_replicated_uniques=True)
    assert len(twice.syn[0]) == 3 and not twice.syn[0].isna().any().any()
    correct = quiet(fake, people, rm_replicated_uniques=True, compat="corrected")
    assert correct.meta == {} and replicated_uniques(correct, people).defects == ()


# ---- smoothing -----------------------------------------------------------------------

# smooth.spline(STEPS)$y and smooth.spline(sort(round((1:300 * 37) %% 101 / 7)))$y[c(1, 100, 150,
# 300)] in R 4.2.2
STEPS = [1.0, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5, 5, 5, 6, 9]
STEPS_IN_R = [
    *(0.99999999999785627, 1.0000000000064293, 1.9999999999935894, 1.9999999999999087),
    *(2.0000000000067764, 2.9999999999922866, 3.0000000000047882, 2.9999999999949631),
    *(3.0000000000089546, 3.9999999999884892, 4.000000000011382, 4.9999999999916929),
    *(5.0000000000025588, 4.9999999999980353, 6.0000000000053211, 8.9999999999969695),
]
LONG_IN_R = [0.0031537975925382444, 5.0127709897878345, 6.9992520457525735, 13.999310855632977]
# stats:::.nknots.smspl in R
KNOTS = {4: 4, 49: 49, 50: 49, 100: 62, 199: 99, 200: 99, 799: 139, 800: 140}
KNOTS |= {3199: 199, 3200: 200, 5000: 204}
# the last bits depend on the processor; the search for the smoothing parameter is the same, so far
# more digits agree than 1e-8
RELATIVE = 1e-10


def test_smoothing_gives_r_s_values():
    assert smooth(np.array(STEPS)) == pytest.approx(STEPS_IN_R, rel=RELATIVE)
    long = np.sort(np.round(np.arange(1, 301) * 37 % 101 / 7))
    assert smooth(long)[[0, 99, 149, 299]] == pytest.approx(LONG_IN_R, rel=RELATIVE)
    assert {n: knot_count(n) for n in KNOTS} == KNOTS


def test_smoothed_columns_keep_order_ties_and_special_values():
    frame = pd.DataFrame({"x": [9.0, -8.0, 1.0, 4.0, 4.0, np.nan, 2.0, 30.0]})
    result = quiet(SynDS(frame, cont_na={"x": -8}), frame, smooth_vars="x").syn[0]["x"].to_numpy()
    assert result[1] == -8 and np.isnan(result[5]) and result[3] == result[4]
    curve = smooth(np.array([1.0, 2, 4, 4, 9, 30]))
    assert result[[2, 6, 3, 0, 7]].tolist() == curve[[0, 1, 2, 4, 5]].tolist()


# ---- bad input -----------------------------------------------------------------------

CODED = {"recode_vars": "age", "bottom_top_coding": (1, 2)}
SMOOTHED = {"smooth_vars": "age"}
WIDE = FAKE.assign(age=[1e300 * i for i in range(len(FAKE))])


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"keys": ["aeg"]}, "keys: 'aeg' .* did you mean 'age'"),
        (CODED | {"recode_vars": "aeg"}, "recode_vars: 'aeg' .* did you mean 'age'"),
        (CODED | {"recode_vars": "sex"}, "recode_vars: column 'sex' is not numeric"),
        ({"recode_vars": "age"}, "bottom_top_coding: .* is not a pair"),
        (CODED | {"bottom_top_coding": (1, 2, 3)}, "bottom_top_coding: .* is not a pair"),
        (CODED | {"bottom_top_coding": [(1, 2)] * 2}, "bottom_top_coding: 2 entries for 1"),
        (CODED | {"bottom_top_coding": ("a", 2)}, "bottom_top_coding: 'a' for 'age' is not a num"),
        (CODED | {"bottom_top_coding": (5, 2)}, "lower limit above its upper limit"),
        (CODED | {"recode_exclude": [[1], [2]]}, "recode_exclude: 2 entries"),
        (CODED | {"recode_exclude": "x"}, "recode_exclude: 'x' for 'age' is not a number"),
        ({"bottom_top_coding": (1, 2)}, "bottom_top_coding: 2 entries for 0"),
        ({"smooth_vars": "sex"}, "smooth_vars: column 'sex' is not numeric"),
        (
            SMOOTHED | {"object": FAKE.iloc[:3]},
            "column 'age' has 3 usual values; smoothing needs 4",
        ),
        (SMOOTHED | {"object": FAKE.assign(age=np.inf)}, "column 'age' holds infinite values"),
        (SMOOTHED | {"object": WIDE}, "column 'age' cannot be smoothed: the squares of values as"),
        ({"prefix": 1}, "prefix: 1 is not a text"),
        ({"label": ["a", "b"]}, "label: .* is not one text, nor one for each of 1 syntheses"),
        ({"label": "x", "object": FAKE.assign(flag=1)}, "label: there is a column called 'flag'"),
        ({"rm_uniques_in_orig": 1}, "rm_uniques_in_orig: 1 is neither True nor False"),
        ({"compat": "right"}, "compat: 'right' is unknown"),
        ({"object": 5}, "object: int"),
        ({"data": None}, "data: NoneType is not a DataFrame of pandas, polars or Arrow"),
    ],
)
def test_bad_input_is_named(arguments, words):
    with pytest.raises(InputError, match=words):
        sdc(**{"object": FAKE, "data": PEOPLE, **arguments})
