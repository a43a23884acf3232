"""The oracle against tables worked out by hand; the working is in the comments."""

from __future__ import annotations

import math

import pytest

from tests.parity.oracle import (
    group_breaks,
    group_labels,
    number_text,
    oracle_disclosure,
    oracle_multi,
    oracle_replicated_uniques,
)


def factor(name, values, levels=None):
    values = list(values)
    return {
        "name": name,
        "type": "factor",
        "levels": levels or sorted({v for v in values if v is not None}),
        "values": values,
    }


def column(name, kind, values):
    return {"name": name, "type": kind, "values": list(values)}


def frame(*columns):
    return {"columns": list(columns)}


def texts(**columns):
    """A frame of factors; a text is taken letter by letter, '.' is NA."""
    return frame(
        *(
            factor(name, [None if v == "." else v for v in values])
            for name, values in columns.items()
        )
    )


def judge(synthetic, original, **arguments):
    return oracle_disclosure([synthetic], original, **({"keys": "k", "target": "t"} | arguments))


def measures(synthetic, original, **arguments):
    return judge(synthetic, original, **arguments).measures[0]


def assert_measures(found, expected):
    assert {name: found[name] for name in expected} == pytest.approx(
        expected, rel=1e-14, nan_ok=True
    )


# The table used most below. d.q: a2 b2 c1 d2 e1; s.q: a1 b2 c1 d2 f1.
ORIGINAL = texts(k="aabbcdde", t="xxxyyxxy")
SYNTHETIC = texts(k="abbcddf", t="xxxxxyy")


def test_identity_by_hand():
    # Alone in the original: c, e (2 of 8). Alone in the synthesis: a, c, f (3 of 7). c is in both,
    # and alone in both.
    assert_measures(
        measures(SYNTHETIC, ORIGINAL), {"UiO": 25, "UiS": 300 / 7, "UiOiS": 12.5, "repU": 12.5}
    )


def test_attribute_by_hand():
    expected = {
        "Dorig": 75,  # a2 c1 d2 e1 have one target each
        "Dsyn": 500 / 7,  # a1 b2 c1 f1
        "iS": 87.5,  # all but e
        "DiS": 62.5,  # a2 b2 c1: one synthetic target
        "DiSCO": 37.5,  # a says x (2 correct), b says x (1 correct), c says x (0 correct)
        "DiSDiO": 25,  # of these only a is pure in the original
        "max_denom": 2,
        "mean_denom": 1.5,  # cells of 2 and 1
    }
    assert_measures(measures(SYNTHETIC, ORIGINAL), expected)


def test_cap_by_hand():
    expected = {
        "baseCAPd": 53.125,  # x5 y3: (25 + 9) / 64
        "CAPd": 87.5,  # a2, b 1/2 + 1/2, c1, d2, e1
        "CAPs": 600 / 7,  # a1 b2 c1, d 1/2 + 1/2, f1
        "DCAPd": 50,  # a 1*2, b 1*1, d 1/2*2 = 4 of 8
        "DCAPs": 400 / 7,
        "DCAPb": 400 / 6,  # Nsboth: all synthetic records but f
        "TCAPb": 50,  # 3 certain and correct, over 6
        "TCAPs": 300 / 7,
        "TCAP": 60,  # over the original records of a2 b2 c1 (f: 0)
        "TCAP_192": 300 / 7,  # over the 7 original records whose keys are matched
        "denom_DiSCO": 8,
        "denom_TCAPb": 7,
        "denom_TCAPs": 6,
        "denom_TCAP": 5,
    }
    assert_measures(measures(SYNTHETIC, ORIGINAL), expected)


def row(*numbers):
    names = (
        "excluded target",
        "missing target",
        "missing in  keys",
        "set to exclude",
        "over denom_lim",
        "remaining",
    )
    return dict(zip(names, numbers))


LIMITED = {"not_targetlev": "y", "exclude_ov_denom_lim": True, "denom_lim": 1}


def test_exclusions_are_booked_under_the_first_reason():
    expected = {
        "original": row(3, 0, 0, 0, 4, 1),  # y of b, c, e; x of a2 and d2; x of b stays
        "synthetic": row(2, 0, 0, 0, 2, 3),  # y of d, f; x of b2; x of a, c, d stay
        "Dorig": row(2, 0, 0, 0, 4, 0),  # c, e; a2 d2
        "Dsyn": row(1, 0, 0, 0, 2, 2),  # f; b2; a, c stay
        "iS": row(2, 0, 0, 0, 4, 1),  # y of b, c; a2 d2; x of b stays
        "DiS": row(2, 0, 0, 0, 2, 1),  # y of b, c; a2; x of b stays
        "DiSCO": row(0, 0, 0, 0, 2, 1),  # a2; x of b stays
        "DiSDiO": row(0, 0, 0, 0, 2, 0),  # a2
    }
    assert judge(SYNTHETIC, ORIGINAL, **LIMITED).exclusions[0] == expected


def test_rows_of_exclusions_add_up_to_the_table():
    totals = {
        "original": 8,
        "synthetic": 7,
        "Dorig": 6,
        "Dsyn": 5,
        "iS": 7,
        "DiS": 5,
        "DiSCO": 3,
        "DiSDiO": 2,
    }
    pair = {"exclude_keys": "k", "exclude_keylevs": "a", "exclude_targetlevs": "x"}
    for arguments in ({}, LIMITED, pair, LIMITED | pair):
        booked = judge(SYNTHETIC, ORIGINAL, **arguments).exclusions[0]
        assert {name: sum(counts.values()) for name, counts in booked.items()} == totals


def test_excluded_pair_comes_before_the_denominator_limit():
    pair = {"exclude_keys": ["k"], "exclude_keylevs": ["a"], "exclude_targetlevs": ["x"]}
    booked = judge(SYNTHETIC, ORIGINAL, **LIMITED | pair).exclusions[0]
    assert booked["original"] == row(3, 0, 0, 2, 2, 1)
    assert booked["DiSCO"] == row(0, 0, 0, 2, 0, 1)


def test_measures_after_exclusions_r():
    # Kept: original x of b (1); synthetic x of a, c, d (1 each). Key b has lost its synthetic
    # records.
    found = measures(SYNTHETIC, ORIGINAL, **LIMITED)
    expected = {
        "UiO": 12.5,
        "UiS": 300 / 7,
        "UiOiS": 12.5,
        "repU": 0,
        "DiSCO": 12.5,
        "baseCAPd": 53.125,
        "CAPd": 12.5,
    }
    assert_measures(
        found,
        expected
        | {
            "CAPs": 300 / 7,
            "DCAPd": 0,
            "DCAPb": math.nan,
            "TCAPb": math.nan,
            "TCAP_192": math.inf,
        },
    )
    assert found["TCAP"] is None


def test_measures_after_exclusions_corrected():
    # Identity as without exclusions (D17); TCAP_192 is 1 kept DiSCO record of 1 kept iS record
    # (D16).
    found = measures(SYNTHETIC, ORIGINAL, convention="corrected", **LIMITED)
    assert_measures(
        found,
        {"UiO": 25, "UiS": 300 / 7, "UiOiS": 12.5, "repU": 12.5, "DiSCO": 12.5, "TCAP_192": 100},
    )


def test_missing_is_a_level_like_any_other():
    # Keys a and NA are both alone and both certain: everything is 100.
    data = texts(k="a.", t=".x")
    assert_measures(measures(data, data), {"UiO": 100, "repU": 100, "DiSCO": 100})


def test_corrected_identity_still_drops_missing_keys():
    data = texts(k="a.", t="xx")
    for convention in ("r", "corrected"):
        assert_measures(
            measures(data, data, usekeysNA=False, convention=convention), {"UiO": 50, "repU": 50}
        )


def test_nothing_in_common():
    found = measures(texts(k="b", t="x"), texts(k="a", t="x"))
    assert_measures(
        found,
        {
            "iS": 0,
            "DiSCO": 0,
            "max_denom": 0,
            "mean_denom": math.nan,
            "DCAPb": math.nan,
            "DCAPs": 0,
            "TCAP_192": math.nan,
        },
    )
    assert found["TCAP"] is None


def test_no_original_records():
    found = measures(texts(k="ab", t="xy"), texts(k="", t=""))
    assert_measures(
        found,
        {
            "UiO": math.nan,
            "UiS": 100,
            "Dsyn": 100,
            "DiSCO": math.nan,
            "baseCAPd": math.nan,
            "DCAPs": 0,
            "max_denom": 0,
        },
    )


# Checks


def test_check_1way_is_strict_on_both_thresholds():
    # 8 DiSCO records, 6 of them x: 75 %.
    data = texts(k="aaaaaabb", t="xxxxxxyy")
    flagged = {
        "Level": {"x"},
        "All": 8,
        "PctLevelAll": 75,
        "totalDisclosive": 8,
        "nLevelDis": 6,
        "PctLevelDis": 75,
    }
    found = judge(data, data, thresh_1way=(5, 74)).check_1way[0]
    assert {name: found[name] for name in flagged} == flagged
    assert judge(data, data, thresh_1way=(6, 74)).check_1way == [None]
    assert judge(data, data, thresh_1way=(5, 75)).check_1way == [None]


def test_check_1way_compares_exactly():
    # 11 of 20 is 55 %; in doubles 11 / 20 * 100 is a little more than 55.
    data = frame(factor("k", map(str, range(20))), factor("t", "x" * 11 + "y" * 9))
    assert judge(data, data, thresh_1way=(5, 55)).check_1way == [None]


def test_check_1way_reports_ties_as_a_set():
    data = texts(
        k="aaabbbc", t="xxxyyyx"
    )  # c: x once more in the original, but the synthesis says y
    synthetic = texts(k="aaabbbc", t="xxxyyyy")
    found = judge(synthetic, data, thresh_1way=(2, 40)).check_1way[0]
    assert found["Level"] == {"x", "y"}
    assert found["PctLevelAll_by_level"] == pytest.approx({"x": 400 / 7, "y": 300 / 7})


def test_check_2way_by_hand():
    # Synthetic a is always x; of 6 originals with a, 5 are x: a cell of 5 > 4, and 5/6 = 83.3 % >
    # 80.
    original, synthetic = texts(k="aaaaaab", t="xxxxxyx"), texts(k="aaab", t="xxxy")
    pair = {
        "target_lev": "x",
        "key_lev": "a",
        "key": "k",
        "npairs": 5,
        "key_target_total": 5,
        "key_total": 6,
    }
    assert judge(synthetic, original).check_2way == [
        [pair | {"PctTargetKeyLevel": pytest.approx(500 / 6)}]
    ]
    assert judge(synthetic, original, thresh_2way=(5, 80)).check_2way == [[]]
    assert judge(synthetic, original, thresh_2way=(4, 84)).check_2way == [[]]


def test_check_2way_is_strict_on_the_share():
    # 4 of 5 originals with a are x: exactly 80 %.
    original, synthetic = texts(k="aaaaa", t="xxxxy"), texts(k="a", t="x")
    assert judge(synthetic, original, thresh_2way=(3, 80)).check_2way == [[]]
    assert len(judge(synthetic, original, thresh_2way=(3, 79)).check_2way[0]) == 1


def test_check_2way_adds_the_large_cells_of_one_key_level():
    # Target x with l=u: cells (a, u) of 2 and (b, u) of 3; (c, u) of 1 is not large.
    data = texts(k="aabbbc", l="uuuuuu", t="xxxxxx")
    rows = judge(data, data, keys=["k", "l"], thresh_2way=(1, 80)).check_2way[0]
    assert {(r["key"], r["key_lev"], r["npairs"], r["key_total"]) for r in rows} == {
        ("k", "a", 2, 2),
        ("k", "b", 3, 3),
        ("l", "u", 5, 6),
    }


# The ledger of R's defects: the column "correct"


def test_d1_levels_are_matched_by_value():
    # 24 distinct keys; the two records with x = 5 are not in the synthesis: 22 of 24.
    def rows(keep):
        cells = [(k, x) for k in "ab" for x in range(1, 13) if keep(x)]
        return frame(
            factor("k1", [k for k, _ in cells]),
            factor("k2", ["abcdefghijkl"[x - 1] for _, x in cells]),
            column("x", "integer", [x for _, x in cells]),
        )

    found = measures(rows(lambda x: x != 5), rows(lambda x: True), keys=["k1", "k2"], target="x")
    assert_measures(
        found,
        dict.fromkeys(("DiSCO", "DiSDiO", "DCAPd", "repU"), 2200 / 24)
        | {
            "TCAP_192": 100,
            "TCAP": 100,
        },
    )


def test_d1_order_of_levels_is_irrelevant():
    original = frame(factor("k", "abc"), factor("t", "xyz", ["x", "y", "z"]))
    synthetic = frame(factor("k", "abc", ["c", "b", "a"]), factor("t", "xyz", ["z", "x", "y"]))
    assert_measures(measures(synthetic, original), {"DiSCO": 100, "repU": 100})


@pytest.mark.parametrize(
    "keys, use, removed",
    [
        ("CAB", (True, False, True), 2),
        ("BAC", (False, True, True), 3),
        ("ABC", (True, False, True), 3),
    ],
)
def test_d2_usekeysna_belongs_to_the_key_it_was_given_for(keys, use, removed):
    # A is missing in 2 records, B in 3.
    data = texts(A="..aaaa", B="bb...b", C="cccccc", t="123456")
    found = judge(data, data, keys=list(keys), usekeysNA=use)
    assert found.exclusions[0]["original"]["missing in  keys"] == removed
    assert found.keys == ["A", "B", "C"]


def test_d3_ngroups_belongs_to_the_key_it_was_given_for():
    # p in four groups coincides with q: pairs of records share their keys. q in groups would leave
    # p to make all unique.
    data = frame(
        column("p", "integer", range(1, 9)),
        column("q", "double", [1, 1, 2, 2, 3, 3, 4, 4]),
        factor("t", "12345678"),
    )
    assert_measures(measures(data, data, keys=["q", "p"], ngroups_keys=(0, 4)), {"UiO": 0})
    assert_measures(measures(data, data, keys=["p", "q"], ngroups_keys=(0, 4)), {"UiO": 100})


@pytest.mark.parametrize(
    "kind_values",
    [
        ("character", ["x", None]),
        ("logical", [True, None]),
        ("Date", ["2020-01-01", None]),
        ("double", [1.5, None]),
    ],
)
def test_d5_d7_missing_values_of_any_type(kind_values):
    data = frame(factor("k", "ab"), column("t", *kind_values))
    complete = frame(factor("k", "ab"), column("t", kind_values[0], [kind_values[1][0]] * 2))
    assert_measures(measures(data, data), {"DiSCO": 100})
    assert_measures(measures(data, complete), {"DiSCO": 50})


def test_d4_explicit_missing_level_is_missing():
    explicit = frame(factor("k", "ab"), factor("t", ["x", None], ["x", None]))
    assert judge(explicit, texts(k="ab", t="x."), usetargetNA=False).exclusions[0][
        "synthetic"
    ] == row(0, 1, 0, 0, 0, 1)


def test_d8_missing_target_only_in_the_synthesis():
    # Synthetic a is certainly NA, b certainly y. Dsyn keeps the 2 of b (of 4). DiS counts originals
    # under certain keys: all.
    found = judge(texts(k="aabb", t="..yy"), texts(k="aabb", t="xxyy"), usetargetNA=False)
    assert found.exclusions[0]["synthetic"]["missing target"] == 2
    assert_measures(found.measures[0], {"Dsyn": 50, "DiS": 100, "DiSCO": 50})


def test_d9_missing_is_not_the_level_called_missing():
    data = frame(factor("k", "1234"), factor("t", ["Missing", None, "x", "x"]))
    assert judge(data, data, usetargetNA=False).exclusions[0]["original"]["missing target"] == 1
    assert (
        judge(data, data, not_targetlev="Missing").exclusions[0]["original"]["excluded target"] == 2
    )
    as_key = frame(factor("k", ["Missing", None, "x", "x"]), factor("t", "1234"))
    assert judge(as_key, as_key, usekeysNA=False).exclusions[0]["original"]["missing in  keys"] == 1
    assert_measures(measures(as_key, as_key), {"UiO": 50})


def test_d10_bars_in_levels():
    data = frame(factor("k1", ["a", "a | b"]), factor("k2", ["b | c", "c"]), factor("t", "xy"))
    assert_measures(measures(data, data, keys=["k1", "k2"]), {"UiO": 100, "DiSCO": 100})
    data = frame(factor("k1", ["a | Missing", "b"]), factor("k2", ["c", None]), factor("t", "xy"))
    booked = judge(data, data, keys=["k1", "k2"], usekeysNA=(True, False)).exclusions[0]
    assert booked["original"]["missing in  keys"] == 1
    pair = {"exclude_keys": "k1", "exclude_keylevs": "a | Missing", "exclude_targetlevs": "x"}
    assert judge(data, data, keys="k1", **pair).exclusions[0]["original"]["set to exclude"] == 1


def test_d11_bars_in_pairs():
    data = frame(factor("k", ["a|1"] * 6), factor("t", ["x|1"] * 6))
    (found,) = judge(data, data).check_2way[0]
    assert (found["target_lev"], found["key_lev"], found["key_total"]) == ("x|1", "a|1", 6)


def test_d12_a_key_called_keys():
    data = texts(keys="abab", k="uuvv", t="xyxy")
    found = oracle_disclosure([data, data], data, keys=["keys", "k"], target="t")
    assert [m["DiSCO"] for m in found.measures] == [100, 100]


def test_d13_one_key_combination_and_a_new_target_level():
    # Original x, x, y; synthetic x, y, w: 1/3 * 2 + 1/3 * 1 = 1 of 3.
    assert_measures(
        measures(texts(k="aaa", t="xyw"), texts(k="aaa", t="xxy")), {"DCAPd": 100 / 3, "DiSCO": 0}
    )


def test_d14_unused_levels_do_not_count():
    # a and b are alone in the original; only b is in the synthesis.
    synthetic = frame(factor("k", "bcc", ["a", "b", "c"]), factor("t", "yxy"))
    assert_measures(measures(synthetic, texts(k="abcc", t="xyxy")), {"UiO": 50, "UiOiS": 25})


def test_d15_integers_and_doubles_are_the_same_values():
    original = frame(factor("k", "ab"), column("x", "integer", [100000, 200000]))
    synthetic = frame(factor("k", "ab"), column("x", "double", [1e5, 2e5]))
    assert_measures(measures(synthetic, original, target="x"), {"DiSCO": 100})


def test_d15_factor_and_number():
    original = frame(factor("k", ["5", "10"]), factor("t", "xy"))
    synthetic = frame(column("k", "double", [5, 10]), factor("t", "xy"))
    assert_measures(measures(synthetic, original), {"repU": 100})


def test_texts_that_look_like_numbers_stay_apart_among_texts():
    data = frame(factor("k", ["100000", "1e+05"]), factor("t", "xy"))
    assert_measures(measures(data, data), {"UiO": 100})


def test_d15_times():
    original = frame(column("k", "POSIXct", [1577836800, 1578054600]), factor("t", "xy"))
    synthetic = frame(column("k", "POSIXct", [1577836800]), factor("t", "x"))
    assert_measures(measures(synthetic, original), {"repU": 50})


def test_d16_tcap_with_a_denominator_limit():
    # Kept DiSCO: x of c (1), y of b (1); x of a is 5 and goes. Kept iS: y of a, y of b, x and y of
    # c = 4.
    # R 1.9-2 divides by kept originals with kept synthetic keys: synthetic a3 and c2 are gone, so
    # only b: 2 / 1.
    original, synthetic = texts(k="aaaaaabcc", t="xxxxxyyxy"), texts(k="aaabcc", t="xxxyxx")
    limit = {"denom_lim": 1, "exclude_ov_denom_lim": True}
    assert_measures(measures(synthetic, original, **limit), {"TCAP_192": 200, "TCAP": 100})
    assert_measures(
        measures(synthetic, original, convention="corrected", **limit), {"TCAP_192": 50}
    )
    assert_measures(
        measures(synthetic, original, not_targetlev="y", **limit), {"TCAP_192": math.inf}
    )


def test_d17_identity_and_target_exclusions():
    # Without y: a has 2 records, b has 1, which then looks unique.
    data = texts(k="aaabb", t="xxyxy")
    assert_measures(measures(data, data), {"UiO": 0, "repU": 0, "CAPd": 160 / 3, "baseCAPd": 52})
    after = {"CAPd": 60, "CAPs": 60, "DCAPd": 60, "Dorig": 0, "iS": 60, "baseCAPd": 52}
    assert_measures(
        measures(data, data, not_targetlev="y"), {"UiO": 20, "UiOiS": 20, "repU": 20} | after
    )
    assert_measures(
        measures(data, data, not_targetlev="y", convention="corrected"),
        {"UiO": 0, "UiOiS": 0, "repU": 0} | after,
    )


def test_d19_denominators_are_original_counts():
    found = measures(texts(k="a" * 7, t="x" * 7), texts(k="aa", t="xx"))
    assert_measures(found, {"max_denom": 2, "mean_denom": 2})


def test_d20_excluded_pairs_must_be_parallel():
    data = texts(k="ab", t="xy")
    with pytest.raises(ValueError, match="differ in length"):
        judge(
            data,
            data,
            exclude_keys=["k", "k"],
            exclude_keylevs=["a", "b"],
            exclude_targetlevs=["x"],
        )
    with pytest.raises(ValueError, match="not among the keys"):
        judge(data, data, exclude_keys="q", exclude_keylevs="a", exclude_targetlevs="x")


def test_d21_several_target_levels():
    data = texts(k="abc", t="xyz")
    for levels in ({"x", "y"}, ["y", "x"], ["", "x", "y"]):
        assert judge(data, data, not_targetlev=levels).exclusions[0]["original"] == row(
            2, 0, 0, 0, 0, 1
        )
    assert judge(data, data, not_targetlev="").exclusions[0]["original"] == row(0, 0, 0, 0, 0, 3)


def test_not_targetlev_by_number():
    for kind in ("integer", "double"):
        data = frame(factor("k", "ab"), column("x", kind, [1, 100000]))
        assert (
            judge(data, data, target="x", not_targetlev=100000).exclusions[0]["original"][
                "excluded target"
            ]
            == 1
        )


def test_d29_d31_multi_averages_every_measure():
    # 40 unique records; the second synthesis has the first 4: repU 100 and 10.
    def first(n):
        return frame(
            factor("k", map(str, range(n))),
            factor("t", (["x"] * 20 + ["y"] * 20)[:n]),
            factor("u", ["z"] * n),
        )

    found = oracle_multi([first(40), first(4)], first(40), ["k"], ["t", "u"])
    assert found.ident_syn == {"t": 55, "u": 55}
    assert found.attrib_syn == {"t": 55, "u": 55}
    assert found.order == ["t", "u"]
    other = oracle_multi([first(4)], first(40), ["k"], ["t"], "DCAP", "UiSiO")
    assert (other.attrib_orig["t"], other.attrib_syn["t"], other.ident_syn["t"]) == (100, 10, 10)


def test_multi_orders_by_synthetic_measure_and_takes_arguments_per_target():
    # t is known from k in full, u never (k does not tell u).
    data = texts(k="aabb", t="xxyy", u="pqpq")
    found = oracle_multi([data], data, ["k"], ["t", "u"])
    assert found.order == ["u", "t"]
    found = oracle_multi(
        [data], data, ["k"], ["t", "u"], per_target={"t": {"not_targetlev": ["x", "y"]}}
    )
    assert found.attrib_syn == {"t": 0, "u": 0}
    assert found.order == ["t", "u"]


def test_multi_ties_keep_the_order_asked():
    # Nd = 7. DiSCO of t: 1/7 and 2/7; of u: 2/7 and 1/7. The means are the same 3/14, whichever is
    # added first.
    original = texts(k="abccccc", t="xyxxxyy", u="yxxxxyy")
    first, second = texts(k="aab", t="xyy", u="yyx"), texts(k="aab", t="xxy", u="yxx")
    for targets in (["t", "u"], ["u", "t"]):
        found = oracle_multi([first, second], original, ["k"], targets)
        assert found.attrib_syn == pytest.approx({"t": 300 / 14, "u": 300 / 14})
        assert found.order == targets


# Uniques


def test_replicated_uniques_by_hand():
    # Original: p, q alone, r twice. Synthetic: p, r, n alone, q twice. In the original: p, r; alone
    # there: p.
    (found,) = oracle_replicated_uniques([texts(a="pqqrn")], texts(a="pqrr"), "a")
    assert (found.original, found.synthetic, found.synthetic_in_original, found.replicated) == (
        2,
        3,
        2,
        1,
    )
    assert (found.synU_rm, found.repU_rm) == ([0, 3], [0])


def test_d36_d38_keys_are_not_glued():
    original = frame(factor("a", "pqp"), column("n", "double", [1, 2, 100]))
    synthetic = frame(factor("a", "pqp"), column("n", "double", [1, 2, 3]))
    assert oracle_replicated_uniques([synthetic], original, ["a", "n"])[0].replicated == 2
    bars = frame(factor("a", ["x|y", "x"]), factor("b", ["z", "y|z"]))
    assert oracle_replicated_uniques([bars], bars, ["a", "b"])[0].original == 2


# Texts of numbers


@pytest.mark.parametrize(
    "value, text",
    [
        (0.1 + 0.2, "0.3"),
        (1 / 3, "0.333333333333333"),
        (100000.0, "1e+05"),
        (200000.0, "2e+05"),
        (1e6, "1e+06"),
        (150000.0, "150000"),
        (123456.0, "123456"),
        (1234500000.0, "1234500000"),
        (1e15, "1e+15"),
        (1234567890123456.0, "1234567890123456"),
        (1e-4, "1e-04"),
        (0.00012345, "0.00012345"),
        (100000.1, "100000.1"),
        (-100000.0, "-1e+05"),
        (-0.0, "0"),
        (1e-300, "1e-300"),
        (math.inf, "Inf"),
        (-math.inf, "-Inf"),
        (math.nan, "NaN"),
    ],
)
def test_text_of_a_double(value, text):
    assert number_text(value) == text


def test_doubles_with_one_text_are_one_level_and_nan_is_a_level():
    data = frame(column("k", "double", [0.1 + 0.2, 0.3, "NaN", None]), factor("t", "wxyz"))
    assert_measures(measures(data, data), {"UiO": 50})
    assert judge(data, data, usekeysNA=False).exclusions[0]["original"]["missing in  keys"] == 1


# Grouping


def test_one_class_per_value_when_there_are_few_values():
    # Gaps 1, 1, 2: mean 4/3, so the ends move out by 2/3.
    labels = group_labels(group_breaks([1.0, 2.0, 3.0, 5.0], 4))
    assert labels == ["[0.33333333,1.5)", "[1.5,2.5)", "[2.5,4)", "[4,5.6666667]"]


def test_quantile_breaks_of_type_7():
    # Nine values, quarters at positions 3, 5, 7.
    assert group_breaks([float(v) for v in range(1, 10)], 4) == [1, 3, 5, 7, 9]
    # Ten values: quarters at positions 3.25, 5.5, 7.75.
    assert group_breaks([float(v) for v in range(1, 11)], 4) == [1, 3.25, 5.5, 7.75, 10]
    # Five zeros of nine: positions 3, 5, 7 hold 0, 0 and 2; equal limits count once.
    assert group_breaks([0.0, 0, 0, 0, 0, 1, 2, 3, 4], 4) == [0, 2, 4]


def test_labels_have_eight_digits_unless_they_collide():
    assert group_labels([0.123456789, 7 / 3, 4.0]) == ["[0.12345679,2.3333333)", "[2.3333333,4]"]
    assert group_labels([400000.0, 1000000.0]) == ["[400000,1000000]"]
    assert group_labels([823046.5912, 2e9]) == ["[823046.59,2e+09]"]
    assert group_labels([1000000000.1, 1000000000.4, 1000000000.9]) == [
        "[1000000000.1,1000000000.4)",
        "[1000000000.4,1000000000.9]",
    ]


def grouped_levels(x, n, **arguments):
    """How many records each class of x has, read off through not_targetlev."""
    data = frame(column("x", "double", x), factor("k", "a" * len(x)))
    levels = arguments.pop("levels")
    return [
        judge(
            data, data, target="x", ngroups_target=n, not_targetlev=level, **arguments
        ).exclusions[0]["original"]["excluded target"]
        for level in levels
    ]


def test_d22_two_groups():
    x = [1, 2, 3, 4, 5, 6, 7, 8, 9, 1000]
    assert grouped_levels(x, 2, levels=["[1,500.5)", "[500.5,1000]"]) == [9, 1]
    assert grouped_levels(x, 2, levels=["[1,5.5)", "[5.5,1000]"], convention="corrected") == [5, 5]


def test_special_values_are_levels_and_count_towards_three():
    # With -8 there are three levels, so even R keeps the median split.
    x = [1, 2, 3, 4, 5, 6, 7, 8, 9, 1000, -8, -8, None]
    levels = ["[1,5.5)", "[5.5,1000]", "-8", -8, "Missing"]
    assert grouped_levels(x, 2, levels=levels, cont_na={"x": [-8]}) == [5, 5, 2, 2, 1]


def test_too_few_quantile_classes_become_equal_widths():
    # Pooled, every value twice: the quartiles (positions 5.25, 9.5, 13.75 of 18) are 0, 0, 2, which
    # leaves two classes.
    levels = ["[0,3)", "[3,6)", "[6,9)", "[9,12]"]
    assert grouped_levels([0, 0, 0, 0, 0, 1, 2, 3, 12], 4, levels=levels) == [7, 1, 0, 1]


def test_equal_style_and_unknown_styles():
    assert grouped_levels([0, 1, 2, 9], 3, levels=["[0,3)", "[3,6)", "[6,9]"], style="equal") == [
        3,
        0,
        1,
    ]
    with pytest.raises(NotImplementedError):
        grouped_levels([0, 1, 2, 9], 3, levels=["x"], style="kmeans")


def test_d24_syntheses_of_unequal_length_are_pooled():
    # Pooled 0..9 and 0..3 and 0: 15 values, median 3 at position 8; thirds at 5.67 and 10.33.
    # Sorted 0 0 0 1 1 2 2 3 3 4 5 6 7 8 9: 1 + 2/3 * 1 and 4 + 1/3 * 1.
    def values(n):
        return frame(column("x", "double", range(n)), factor("k", "a" * n))

    found = oracle_disclosure(
        [values(4), values(1)],
        values(10),
        keys="k",
        target="x",
        ngroups_target=3,
        not_targetlev="[1.6666667,4.3333333)",
    )
    assert [e["original"]["excluded target"] for e in found.exclusions] == [3, 3]
    assert [e["synthetic"]["excluded target"] for e in found.exclusions] == [2, 0]


def test_one_group_is_refused():
    data = frame(column("x", "double", [1, 2]), factor("k", "aa"))
    with pytest.raises(ValueError, match="single group"):
        judge(data, data, target="x", ngroups_target=1)


def test_a_constant_is_one_class():
    data = frame(column("x", "double", [1, 1]), factor("k", "aa"))
    found = oracle_disclosure(
        [data], data, keys="k", target="x", ngroups_target=3, thresh_1way=(0, 0)
    )
    assert found.check_1way[0]["Level"] == {"[1,1]"}


def test_grouping_leaves_texts_alone():
    data = texts(k="ab", t="xy")
    assert_measures(measures(data, data, ngroups_target=3), {"DiSCO": 100})
