"""Traps that earlier versions fell into: each test is the smallest input that showed it."""

from __future__ import annotations

import copy
import pickle
import time
import warnings

import numpy as np
import pandas as pd
import pytest

from synthpop_py import (
    DataWarning,
    InputError,
    RDefectWarning,
    SynDS,
    disclosure,
    multi_disclosure,
)


def run(data, keys, target, syn=None, compat="corrected", **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RDefectWarning)
        return disclosure(
            SynDS(data if syn is None else syn),
            data,
            keys,
            target,
            compat=compat,
            print_flag=False,
            **more,
        )


@pytest.mark.parametrize(
    "levels, targets", [(900, 100), (1290, 3), (1200, 100), (2000, 5), (50, 100)]
)
def test_combinations_times_targets_beyond_64_bits(levels, targets):
    """Two records with the same six keys and different targets: nobody is unique, nothing is
    certain.
    """

    def constant(value, n):
        return pd.Categorical([str(value)] * 2, categories=[str(j) for j in range(n)])

    data = pd.DataFrame({f"k{i}": constant(levels - 1, levels) for i in range(6)})
    data["t"] = pd.Categorical(["0", str(targets - 1)], categories=[str(j) for j in range(targets)])
    result = run(data, [f"k{i}" for i in range(6)], "t")
    assert result.ident["UiO"][1] == 0 and result.attrib["Dorig"][1] == 0


def test_wide_keys_equal_the_same_keys_as_one_text():
    rng = np.random.default_rng(1)
    frames = []
    for n in (400, 420):
        codes = {
            f"k{i}": pd.Categorical.from_codes(
                rng.choice([0, 1, 2, 700], n), [str(j) for j in range(701)]
            )
            for i in range(6)
        }
        frames.append(
            pd.DataFrame(
                {
                    **codes,
                    "t": pd.Categorical.from_codes(
                        rng.integers(0, 40, n), [str(j) for j in range(40)]
                    ),
                }
            )
        )
    keys = [f"k{i}" for i in range(6)]
    joined = [f.assign(k=f[keys].astype(str).agg("/".join, axis=1)) for f in frames]
    wide, text = run(frames[0], keys, "t", frames[1]), run(joined[0], ["k"], "t", joined[1])
    for table in ("ident", "attrib", "allCAPs"):
        pd.testing.assert_frame_equal(getattr(wide, table), getattr(text, table))


def test_dates_far_apart_keep_their_names():
    data = pd.DataFrame(
        {"k": list("aabbcc"), "t": pd.to_datetime(["2020-01-01", "1990-05-05"] * 3)}
    )
    assert (
        run(data, ["k"], "t", not_targetlev="2020-01-01")
        .Nexclusions[0]
        .at["original", "excluded target"]
        == 3
    )


def test_two_labels_of_one_factor_stay_two():
    """Original labels 1e+05 and 100000, synthetic number 100000: R and we find the first only."""
    data = pd.DataFrame({"k": pd.Categorical(["1e+05", "100000", "5", "5"]), "t": list("xyxy")})
    with pytest.warns(DataWarning, match="differ in .* a number"):
        result = run(data, ["k"], "t", pd.DataFrame({"k": [100000.0, 5, 5, 5], "t": list("xyxy")}))
    assert result.ident.loc[1].tolist() == [50, 25, 25, 25]


def test_small_integer_types_do_not_overflow():
    data = pd.DataFrame(
        {"k": np.array([-100, 100, 100, -100, 0], dtype=np.int8), "t": list("xyxyx")}
    )
    result = run(
        data, ["k"], "t", exclude_keys=["k"], exclude_keylevs=[100], exclude_targetlevs=["y"]
    )
    assert result.Nexclusions[0].at["original", "set to exclude"] == 1


def test_records_are_those_of_the_data_of_the_call():
    data = pd.DataFrame({"k": [1, 1, 2], "t": [1, 1, 2]})
    result = run(data, ["k"], "t", data.copy())
    before = result.records(data.copy())
    pd.testing.assert_frame_equal(result.records(data[["t", "k"]]), before)
    changed = [data.assign(t=7), data.assign(k=[1, 2, 2]), data.assign(k=[1, 1, 9])]
    for other in [*changed, data.iloc[:2]]:
        with pytest.raises(InputError, match=r"original: .* exactly the data"):
            result.records(other)
    with pytest.raises(InputError, match="has no column 'k'"):
        result.records(data[["t"]])
    with pytest.raises(InputError, match="give them again"):
        result.records()


@pytest.mark.parametrize(
    "compat, levels, left_out",
    [("corrected", ["x", ""], 3), ("corrected", ["", "x"], 3), ("corrected", "", 2),
     ("r", ["", "x"], 0)],
)  # fmt: skip
def test_empty_text_is_a_level_and_in_r_says_none(compat, levels, left_out):
    data = pd.DataFrame({"k": list("aabb"), "t": ["x", "", "y", ""]})
    result = run(data, ["k"], "t", not_targetlev=levels, compat=compat)
    assert result.Nexclusions[0].at["original", "excluded target"] == left_out


def test_many_texts_in_plain_frames_take_time_in_proportion():
    n = 20_000
    data = pd.DataFrame({"k": [f"person {i}" for i in range(n)], "t": ["x", "y"] * (n // 2)})
    start = time.perf_counter()
    with pytest.warns(RDefectWarning, match="D14"):
        disclosure(data.assign(k=data["k"] + "?"), data, ["k"], "t", print_flag=False)
    assert time.perf_counter() - start < 10  # it took minutes when labels were searched one by one


def test_an_unused_column_that_cannot_be_read_is_nobodys_concern():
    data = pd.DataFrame(
        {"k": pd.Categorical(list("ab")), "t": pd.Categorical(list("xy")), "notes": [1, "text"]}
    )
    result = disclosure([data, data], data, ["k"], "t", print_flag=False)
    assert result.m == 2


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r))])
def test_results_can_be_copied_and_pickled(duplicate):
    data = pd.DataFrame({"k": list("aab"), "t": list("xyx")})
    result = run(data, ["k"], "t")
    assert duplicate(result).to_dict() == result.to_dict()


D1_DATA = pd.DataFrame(
    {"k1": ["a"] * 12 + ["b"] * 12, "k2": list("abcdefghijkl") * 2, "x": list(range(1, 13)) * 2}
)


def test_every_view_shows_both_figures():
    """R compares by position (D1): DiSCO 2 of 24 instead of 22 of 24."""
    syn = D1_DATA[D1_DATA.x != 5]
    with pytest.warns(RDefectWarning, match="D1"):
        result = disclosure(
            SynDS(syn), D1_DATA, ["k1", "k2"], "x", print_flag=False, thresh_2way=(0, 0)
        )
    tidy = result.tidy().set_index("measure")
    assert (round(tidy.at["DiSCO", "value"], 2), round(tidy.at["DiSCO", "corrected"], 2)) == (
        8.33,
        91.67,
    )
    assert (round(tidy.at["TCAP_iS", "value"], 2), round(tidy.at["TCAP_iS", "corrected"], 2)) == (
        9.09,
        100,
    )
    for text in (str(result), repr(result), result._repr_html_()):
        assert "8.33" in text and "91.67" in text
    content = result.to_dict()
    assert content["corrected"]["attrib"]["values"][4] == pytest.approx([91.6666666])
    assert result.records(D1_DATA).DiSCO.sum() == 2
    assert result.corrected.records(D1_DATA).DiSCO.sum() == 22


def test_a_summary_warns_of_groups_given_to_another_key():
    """ngroups_keys = (0, 4) for keys (q, p): R groups q (D3)."""
    data = pd.DataFrame({"p": range(1, 9), "q": [1.0, 1, 2, 2, 3, 3, 4, 4], "t": list("12345678")})
    with pytest.warns(RDefectWarning, match="D3"):
        result = multi_disclosure(
            SynDS(data), data, ["q", "p"], ["t"], ngroups_keys=[0, 4], print_flag=False
        )
    assert result.ident_orig == [100] and result.corrected.ident_orig == [0]


def test_an_infinite_special_value():
    original = pd.DataFrame({"k": [1, 2, 3] * 4, "t": [1.0, 2, np.inf] * 4})
    whole = original.assign(t=[1, 2, 3] * 4)  # whole numbers never are infinite
    result = disclosure(
        SynDS(whole),
        original,
        "k",
        "t",
        cont_na={"t": np.inf},
        ngroups_target=2,
        print_flag=False,
        compat="corrected",
    )
    assert result.attrib["Dorig"][1] == 100 and result.attrib["DiSCO"][1] == pytest.approx(200 / 3)


def test_number_categories_match_however_they_are_written():
    # a gap makes pandas turn whole numbers into real ones, which R writes otherwise: 100000 and
    # 1e+05
    numbers = pd.DataFrame({"k": [100_000, 200_000, 5, 300_000] * 5, "t": [0, 1, 2, 3] * 5})
    whole, real = (numbers.astype({"k": kind}).astype({"k": "category"}) for kind in (int, float))
    for original, synthetic in ((whole, real), (real, whole)):
        correct = disclosure(
            SynDS(synthetic), original, "k", "t", print_flag=False, compat="corrected"
        )
        assert correct.attrib["DiSCO"][1] == 100
        for given in (SynDS(synthetic), synthetic):
            with pytest.warns(RDefectWarning, match="D15"):
                as_r = disclosure(given, original, "k", "t", print_flag=False)
            assert as_r.attrib["DiSCO"][1] == 25, "what R 4.2 with synthpop 1.9-3 answers"
            assert as_r.corrected.attrib["DiSCO"][1] == 100


def test_a_number_names_a_level_of_a_category():
    people = pd.DataFrame({"k": np.arange(40) // 4, "t": np.where(np.arange(40) < 20, 100_000, 7)})
    for frame in (people, people.astype({"t": "category"})):
        assert (
            disclosure(
                SynDS(frame),
                frame,
                "k",
                "t",
                not_targetlev=[100_000],
                print_flag=False,
                compat="corrected",
            ).attrib["DiSCO"][1]
            == 50
        )


def test_categories_of_times_are_the_times():
    times = pd.to_datetime(
        [
            "2020-01-01 00:00:00.0",
            "2020-01-01 12:00:00.0",
            "2020-01-02 00:00:00.0",
            "2020-01-03 06:00:00.5",
        ]
        * 5
    )
    plain = pd.DataFrame({"k": times, "t": [0, 1, 2, 3] * 5})
    ways = [
        plain,
        plain.astype({"k": "category"}),
        plain.assign(k=plain["k"].dt.tz_localize("UTC").astype("category")),
    ]
    for original in ways:
        for synthetic in ways:
            assert (
                disclosure(
                    SynDS(synthetic), original, "k", "t", print_flag=False, compat="corrected"
                ).attrib["DiSCO"][1]
                == 100
            )


def test_a_defect_shows_only_in_versions_that_have_it():
    """TCAP after exclusions: 1.9-2 divides what two filters left (D16), 1.9-3 decides again who is
    certain (D45); neither touches the other's figure.
    """
    original = pd.DataFrame({"k": list("aaabb"), "t": list("xxyxx")})
    synthetic = pd.DataFrame({"k": list("aaabb"), "t": list("xyyxx")})
    call = {"not_targetlev": "y", "print_flag": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RDefectWarning)
        correct, newest, earlier = (
            disclosure(synthetic, original, ["k"], "t", compat=compat, **call)
            for compat in ("corrected", "r", "r-1.9-2")
        )
    assert newest.shares[0]["TCAP_iS"] == correct.shares[0]["TCAP_iS"]
    assert newest.shares[0]["TCAP_DiS"] != correct.shares[0]["TCAP_DiS"]
    assert earlier.shares[0]["TCAP_DiS"] == correct.shares[0]["TCAP_DiS"]
    assert "D16" not in {one.id for one in newest.defects}
    assert "D45" not in {one.id for one in earlier.defects}
