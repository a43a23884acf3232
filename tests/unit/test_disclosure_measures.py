"""Every measure, exclusion, check and view of `disclosure()` on tables small enough to check by
hand.
"""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest

from synthpop_py import Disclosure, InputError, RDefectWarning, SynDS, disclosure, r_defects
from tests.rooms import MEASURES

# The example of this file. Key combinations of the original, with the targets of their records:
#   (a,u) x x y    (b,u) x    (b,v) y    (c,u) y    (d,u) x y         8 records
# and of the synthetic data:
#   (a,u) x x                 (b,v) y    (c,u) x y    (e,u) x         6 records
ORIGINAL = pd.DataFrame({"k1": list("aaabbcdd"), "k2": list("uuuuvuuu"), "t": list("xxyxyyxy")})
SYNTHETIC = pd.DataFrame({"k1": list("aabcce"), "k2": list("uuvuuu"), "t": list("xxyxyx")})
NOBODY_FOUND = SYNTHETIC.assign(k1="a", k2="v")
KEYS = ["k1", "k2"]

# measure: numerator, denominator
SHARES = {
    "UiO": (3, 8),  # (b,u), (b,v), (c,u)
    "UiS": (2, 6),  # (b,v), (e,u)
    "UiOiS": (2, 8),  # of the three in the original, (b,v) and (c,u) are found
    "repU": (1, 8),  # (b,v) only: (c,u) has two synthetic records
    "Dorig": (3, 8),  # (b,u), (b,v), (c,u) have one target
    "Dsyn": (4, 6),  # (a,u) twice, (b,v), (e,u)
    "iS": (5, 8),  # (a,u) three times, (b,v), (c,u)
    "DiS": (4, 8),  # (c,u) is found but not certain
    "DiSCO": (3, 8),  # of (a,u) the two x, and (b,v)
    "DiSDiO": (1, 8),  # (a,u) is not certain in the original
    "baseCAPd": (4, 8),  # x and y have 4 each: (4² + 4²) / 8
    "CAPd": (
        5 / 3 + 1 + 1 + 1 + 1,
        8,
    ),  # (2² + 1²)/3 for (a,u), 1 for each single record, (1² + 1²)/2 for (d,u)
    "CAPs": (5, 6),  # 2, 1, (1² + 1²)/2 and 1
    "DCAPd": (3.5, 8),  # 2 for (a,u), 1 for (b,v), a half for (c,u)
    "DCAPb": (3.5, 5),  # five synthetic records have keys of the original
    "DCAPs": (3.5, 6),
    "TCAPb": (3, 5),
    "TCAPs": (3, 6),
    "TCAP_DiS": (3, 4),  # correct over certain
    "TCAP_iS": (3, 5),  # correct over found
    "DCAPd_scaled": (3.5 / 8 - 4 / 8, 1 - 4 / 8),  # worse than a guess: below zero
    "TCAP_iS_scaled": (3 / 5 - 4 / 8, 1 - 4 / 8),
}
DENOMS = {"denom_DiSCO": 8, "denom_TCAPb": 5, "denom_TCAPs": 6, "denom_TCAP": 4}


def example(synthetic=SYNTHETIC, original=ORIGINAL, **arguments) -> Disclosure:
    arguments = {"compat": "corrected", "print_flag": False, **arguments}
    return disclosure(synthetic, original, KEYS, "t", **arguments)


def column(table: pd.DataFrame, name: str) -> list:
    return table[name].tolist()


# ---- measures ------------------------------------------------------------------------


@pytest.mark.parametrize("compat", ["r", "corrected"])
@pytest.mark.parametrize("measure", SHARES)
def test_share(measure, compat):
    tidy = example(compat=compat).tidy().set_index("measure").loc[measure]
    numerator, denominator = SHARES[measure]
    assert (tidy["numerator"], tidy["denominator"]) == (pytest.approx(numerator), denominator)
    assert tidy["value"] == pytest.approx(100 * numerator / denominator)


def test_tables_show_the_shares():
    result = example()
    for table in (result.ident, result.attrib, result.allCAPs):
        for name in table.columns.drop(["max_denom", "mean_denom"], errors="ignore"):
            numerator, denominator = SHARES["TCAP_DiS" if name == "TCAP" else name]
            assert column(table, name) == [pytest.approx(100 * numerator / denominator)]
    assert list(result.ident) == ["UiO", "UiS", "UiOiS", "repU"]
    assert list(result.attrib) == [
        "Dorig",
        "Dsyn",
        "iS",
        "DiS",
        "DiSCO",
        "DCAPd",
        "DiSDiO",
        "max_denom",
        "mean_denom",
    ]
    assert list(result.allCAPs) == [
        "baseCAPd",
        "CAPd",
        "CAPs",
        "DCAPb",
        "DCAPs",
        "TCAPb",
        "TCAPs",
        "TCAP",
    ]


def test_denominators():
    result = example()
    assert result.attrib_denoms.to_dict("list") == {name: [value] for name, value in DENOMS.items()}
    # the cells behind DiSCO hold 2 and 1 original records
    assert column(result.attrib, "max_denom") == [2] and column(result.attrib, "mean_denom") == [
        1.5
    ]


def test_nothing_in_common():
    with pytest.raises(InputError, match="column 'k1': no value in common"):
        example(SYNTHETIC.assign(k1="z"))
    result = example(NOBODY_FOUND)
    assert result.attrib.loc[1, ["iS", "DiS", "DiSCO", "DiSDiO", "max_denom"]].tolist() == [0] * 5
    assert math.isnan(result.attrib.loc[1, "mean_denom"]) and math.isnan(
        result.allCAPs.loc[1, "TCAP"]
    )


def test_facts_of_the_call():
    result = example(SynDS([SYNTHETIC, ORIGINAL]), digits=3, to_print=["ident", "attrib"])
    assert (result.keys, result.target, result.Norig, result.Nsyn, result.m) == (
        ("k1", "k2"),
        "t",
        8,
        (6, 8),
        2,
    )
    assert (result.digits, result.to_print, result.compat) == (3, ("ident", "attrib"), "corrected")
    assert (
        result.call
        == "disclosure(object, data, keys=['k1', 'k2'], target='t', print_flag=False, digits=3,"
        " to_print=['ident', 'attrib'], compat='corrected')"
    )


def test_keys_are_listed_in_the_order_of_the_data():
    assert disclosure(SYNTHETIC, ORIGINAL, ["k2", "k1"], "t", print_flag=False).keys == ("k1", "k2")


def test_several_syntheses_are_judged_one_by_one():
    both = example([SYNTHETIC, ORIGINAL])
    for number, alone in enumerate((example(SYNTHETIC), example(ORIGINAL)), start=1):
        for name in ("ident", "attrib", "allCAPs", "attrib_denoms"):
            assert getattr(both, name).index.tolist() == [1, 2]
            assert getattr(both, name).loc[number].equals(getattr(alone, name).loc[1])
        assert both.Nexclusions[number - 1].equals(alone.Nexclusions[0])
    assert len(both.check_1way) == len(both.check_2way) == len(both.Nexclusions) == 2


# ---- exclusions ----------------------------------------------------------------------

WITH_GAPS = ORIGINAL.assign(
    k1=["a", "a", "a", "b", None, "c", "d", "d"], t=["x", "x", "y", "x", "y", None, "x", "y"]
)
SYN_WITH_GAPS = SYNTHETIC.assign(
    k1=["a", "a", None, "c", "c", "e"], t=["x", "x", "y", "x", None, "x"]
)
PAIR = {"exclude_keys": ["k1"], "exclude_keylevs": ["a"], "exclude_targetlevs": ["x"]}

# reason: arguments, data, and what is removed from original, synthetic, iS and DiSCO
EXCLUSIONS = {
    # y: once each in (a,u), (b,v), (c,u), (d,u); synthetic (b,v), (c,u); of iS all but (d,u); of
    # DiSCO (b,v)
    "excluded target": ({"not_targetlev": "y"}, (SYNTHETIC, ORIGINAL), (4, 2, 3, 1)),
    # original (c,u); synthetic (c,u); found there, nothing certain
    "missing target": ({"usetargetNA": False}, (SYN_WITH_GAPS, WITH_GAPS), (1, 1, 1, 0)),
    # (missing,v) y in both, certain and correct
    "missing in  keys": ({"usekeysNA": [False, True]}, (SYN_WITH_GAPS, WITH_GAPS), (1, 1, 1, 1)),
    # the two x of (a,u) in both
    "set to exclude": (PAIR, (SYNTHETIC, ORIGINAL), (2, 2, 2, 2)),
    # the same cell, because it holds more than one record
    "over denom_lim": (
        {"denom_lim": 1, "exclude_ov_denom_lim": True},
        (SYNTHETIC, ORIGINAL),
        (2, 2, 2, 2),
    ),
}


@pytest.mark.parametrize("compat", ["r", "corrected"])
@pytest.mark.parametrize("reason", EXCLUSIONS)
@pytest.mark.filterwarnings("ignore::synthpop_py.RDefectWarning")
def test_exclusion(reason, compat):
    arguments, (synthetic, original), removed = EXCLUSIONS[reason]
    result = example(SynDS(synthetic), original, compat=compat, **arguments)
    (table,) = result.Nexclusions
    assert tuple(table.loc[["original", "synthetic", "iS", "DiSCO"], reason]) == removed
    assert (table.drop(columns=[reason, "remaining"]) == 0).all(axis=None)
    assert result.attrib.loc[1, "DiSCO"] == 100 * table.at["DiSCO", "remaining"] / 8


@pytest.mark.parametrize("reason", EXCLUSIONS)
def test_bookkeeping_adds_up_to_the_counts_without_exclusions(reason):
    arguments, (synthetic, original), _ = EXCLUSIONS[reason]
    before, after = example(synthetic, original), example(synthetic, original, **arguments)
    assert after.Nexclusions[0].shape == (8, 6)
    assert after.Nexclusions[0].sum(axis=1).equals(before.Nexclusions[0]["remaining"])


def test_a_record_is_booked_under_the_first_reason():
    # x is out altogether, so nothing is left for the pair (a, x) nor for the cell of two x
    table = example(not_targetlev="x", denom_lim=1, exclude_ov_denom_lim=True, **PAIR).Nexclusions[
        0
    ]
    assert table.loc["original"].tolist() == [4, 0, 0, 0, 0, 4]


def test_several_excluded_levels_and_pairs():
    assert example(not_targetlev=["x", "y"]).Nexclusions[0].loc["original"].tolist() == [
        8,
        0,
        0,
        0,
        0,
        0,
    ]
    pairs = example(
        exclude_keys=["k1", "k2"], exclude_keylevs=["a", "v"], exclude_targetlevs=["x", "y"]
    )
    assert pairs.Nexclusions[0].at["original", "set to exclude"] == 3  # two x of a, one y of v


def test_certainty_is_decided_before_exclusions_and_cap_after():
    # (a,u) of the original: with y gone only x remains, but it was not certain before
    result = example(ORIGINAL, not_targetlev="y")
    assert result.attrib.loc[1, "Dorig"] == 100 * 1 / 8  # (b,u)
    assert result.allCAPs.loc[1, "CAPd"] == 100 * 4 / 8  # 2 for (a,u), (b,u), (d,u)
    assert result.allCAPs.loc[1, "baseCAPd"] == 50  # never filtered


def test_who_is_unique_does_not_depend_on_the_target():
    assert example(not_targetlev="y").ident.equals(example().ident)
    as_r = example(not_targetlev="y", compat="r")  # without y, (d,u) has one record left
    assert as_r.ident.loc[1, "UiO"] == 100 * 2 / 8
    assert "D17" in [finding.id for finding in as_r.defects]  # a convention: no warning


# ---- checks --------------------------------------------------------------------------

# three records (a,z) x and one (b,z) y, synthesised as they are: 4 disclosive records, 3 of them x
FOUR = pd.DataFrame({"k1": list("aaab"), "k2": ["z"] * 4, "t": list("xxxy")})


def test_check_1way_row():
    result = example(FOUR, FOUR, thresh_1way=(2, 74))
    (table,) = result.check_1way
    assert table.to_dict("list") == {
        "Level": ["x"],
        "All": [4],
        "PctLevelAll": [75],
        "totalDisclosive": [4],
        "nLevelDis": [3],
        "PctLevelDis": [75],
    }
    assert table.index.tolist() == ["x"] and result.check1 == "x"


@pytest.mark.parametrize(
    "thresholds, flagged",
    [((2, 74), True), ((3, 74), False), ((2, 75), False), ((2.9, 74.9), True)],
)
def test_check_1way_thresholds_are_strict(thresholds, flagged):
    result = example(FOUR, FOUR, thresh_1way=thresholds)
    assert (result.check_1way[0] is not None) == flagged == (result.check1 is not None)


def test_check_1way_counts_what_is_kept():
    result = example(FOUR, FOUR, thresh_1way=(0, 0), not_targetlev="x")
    assert result.check_1way[0].loc["y"].tolist() == ["y", 1, 100.0, 1, 1, 100.0]


def test_check_2way_rows():
    (table,) = example(FOUR, FOUR, thresh_2way=(2, 70)).check_2way
    assert table.to_dict("list") == {
        "target_key_levs": ["x|a", "x|z"],
        "npairs": [3, 3],
        "key": ["k1", "k2"],
        "key_target_total": [3, 3],
        "key_total": [3, 4],
        "PctTargetKeyLevel": [100, 75],
    }
    assert table.index.tolist() == [1, 2]


@pytest.mark.parametrize(
    "thresholds, pairs",
    [
        ((2, 74), ["x|a", "x|z"]),
        ((2, 75), ["x|a"]),
        ((3, 0), None),
        ((0, 25), ["x|a", "x|z", "y|b"]),
        ((0, 24), ["x|a", "x|z", "y|b", "y|z"]),
    ],
)
def test_check_2way_thresholds_are_strict(thresholds, pairs):
    result = example(FOUR, FOUR, thresh_2way=thresholds)
    table = result.check_2way[0]
    assert (None if table is None else column(table, "target_key_levs")) == pairs
    assert result.check2 == (None if pairs is None else len(pairs))


def test_check_2way_sorts_by_size_and_keeps_row_numbers():
    # (b,z) x x, (a,z) x x: k1 gives x|a, x|b with 2 each, k2 gives x|z with 4
    frame = pd.DataFrame({"k1": list("bbaa"), "k2": ["z"] * 4, "t": ["x"] * 4})
    (table,) = example(frame, frame, thresh_2way=(1, 50)).check_2way
    assert column(table, "target_key_levs") == ["x|z", "x|a", "x|b"] and table.index.tolist() == [
        3,
        1,
        2,
    ]


def test_check_2way_percentages_ignore_exclusions():
    (table,) = example(FOUR, FOUR, thresh_2way=(2, 70), not_targetlev="y").check_2way
    assert column(table, "key_total") == [3, 4]


def test_checks_of_several_syntheses():
    result = example([FOUR, FOUR.iloc[3:]], FOUR, thresh_1way=(0, 50), thresh_2way=(0, 90))
    # the second has (b,z) y alone
    assert [t.index[0] for t in result.check_1way] == ["x", "y"] and result.check1 == "x, y"
    assert [len(t) for t in result.check_2way] == [2, 1] and result.check2 == 2


# ---- records and tidy ----------------------------------------------------------------

BY_RECORD = ["UiO", "repU", "iS", "DiS", "DiSCO", "DiSDiO"]


def test_records():
    table = example().records(ORIGINAL)
    assert column(table, "record") == list(range(8)) and set(table["synthesis"]) == {1}
    assert np.flatnonzero(table["UiO"]).tolist() == [3, 4, 5]
    assert np.flatnonzero(table["repU"]).tolist() == [4]
    assert np.flatnonzero(table["iS"]).tolist() == [0, 1, 2, 4, 5]
    assert np.flatnonzero(table["DiS"]).tolist() == [0, 1, 2, 4]
    assert np.flatnonzero(table["DiSCO"]).tolist() == [0, 1, 4]
    assert np.flatnonzero(table["DiSDiO"]).tolist() == [4]
    assert column(table, "orig_key") == [3, 3, 3, 1, 1, 1, 2, 2]
    assert column(table, "syn_key") == [2, 2, 2, 0, 1, 2, 0, 0]
    assert column(table, "orig_cell") == [2, 2, 1, 1, 1, 1, 1, 1]
    assert column(table, "syn_cell") == [2, 2, 0, 0, 1, 1, 0, 0]


@pytest.mark.parametrize("compat", ["r", "corrected"])
@pytest.mark.parametrize(
    "arguments", [{}, *(EXCLUSIONS[r][0] for r in EXCLUSIONS)], ids=["none", *EXCLUSIONS]
)
@pytest.mark.filterwarnings("ignore::synthpop_py.RDefectWarning")
def test_records_sum_to_the_numerators(arguments, compat):
    result = example(SynDS([SYN_WITH_GAPS, WITH_GAPS]), WITH_GAPS, compat=compat, **arguments)
    tidy = result.tidy().set_index(["synthesis", "measure"])["numerator"]
    sums = result.records(WITH_GAPS).groupby("synthesis")[BY_RECORD].sum()
    assert all(sums.at[j, name] == tidy[j, name] for j in (1, 2) for name in BY_RECORD)


@pytest.mark.parametrize("compat", ["r", "r-1.9-2", "corrected"])
def test_tidy_value_is_numerator_over_denominator(compat):
    tidy = example(
        [SYNTHETIC.astype("category"), ORIGINAL.astype("category")],
        compat=compat,
        compare_synorig=False,
    ).tidy()
    assert list(tidy) == [
        "synthesis",
        "measure",
        "value",
        "numerator",
        "denominator",
        "base",
        "left_out",
        "corrected",
        "defect",
        "unit",
        "direction",
    ]
    assert {tuple(p) for p in tidy[["synthesis", "measure"]].values} == {
        (j, m) for j in (1, 2) for m in [*SHARES, "max_denom", "mean_denom"]
    }
    shares = tidy[tidy["denominator"].notna()]
    assert len(shares) == 2 * len(SHARES)
    assert np.allclose(
        shares["value"], 100 * shares["numerator"] / shares["denominator"], rtol=1e-14, atol=0
    )


def test_scaled_measures_have_no_figure_where_guessing_has_none():
    """With exclusions baseCAPd is about other people; with one target level it is 100 already."""
    excluded = example(not_targetlev="x").shares[0]
    assert math.isnan(excluded["DCAPd_scaled"].percent)
    one_level = example(SYNTHETIC.assign(t="x"), ORIGINAL.assign(t="x")).shares[0]
    assert math.isnan(one_level["DCAPd_scaled"].percent)
    assert math.isnan(one_level["TCAP_iS_scaled"].percent)


def test_every_measure_says_what_it_is():
    names = [measure.name for measure in MEASURES]
    assert names == list(SHARES) and len(set(names)) == len(names)
    for measure in MEASURES:
        assert measure.formula
        assert measure.direction == "higher is riskier"  # all of them, so far


def test_tidy_says_unit_and_direction():
    tidy = example().tidy().set_index("measure")[["unit", "direction"]]
    assert tidy.loc["UiS"].tolist() == ["% of synthetic records", "higher is riskier"]
    assert tidy.loc["TCAP_iS"].tolist() == ["% of records found", "higher is riskier"]
    assert tidy.loc["max_denom"].tolist() == ["records", ""]


def test_measures_are_where_r_shows_them():
    now, before = example(compat="r-1.9-3"), example(compat="r-1.9-2")
    assert now.attrib.loc[1, "DCAPd"] == before.allCAPs.loc[1, "DCAP"] == now.DCAPd
    assert before.allCAPs.loc[1, "TCAP"] == before.TCAP_iS == 60
    assert now.ident.loc[1, "repU"] == before.ident.loc[1, "repU"] == 12.5
    shown = {
        name
        for one in (now, before)
        for t in TABLES
        if getattr(one, t) is not None
        for name in getattr(one, t)
    }
    assert not {"DCAPd_scaled", "TCAP_iS_scaled"} & shown


def test_measures_of_the_same_people_count_them_with_exclusions_too():
    """The synthetic z, which is left out, made key a uncertain: DiSCO is decided with it (10 people
    of key b), TCAPb and TCAPs without it (all 30), as in R.
    """
    original = pd.DataFrame({"k": ["a"] * 20 + ["b"] * 10, "t": ["x"] * 20 + ["y"] * 10})
    synthetic = pd.DataFrame({"k": ["a", "a", "b"], "t": ["x", "z", "y"]})
    options = {"not_targetlev": "z", "compat": "corrected", "print_flag": False}
    (shares,) = disclosure(synthetic, original, ["k"], "t", **options).shares
    assert [shares[name].numerator for name in ("DiSCO", "TCAPb", "TCAPs")] == [10, 30, 30]
    for name, same in (("DCAPb", "DCAPd"), ("DCAPs", "DCAPd"), ("TCAP_DiS", "DiSCO")):
        assert shares[name].numerator == shares[same].numerator


# ---- R's figures beside the correct ones -----------------------------------------------

# Targets 1, 2, 10 with keys a, b, c; the synthesis lacks b. R sorts the synthetic table as text (1,
# 10, 2) and the original by value (1, 2, 10), so its 10 meets the original 2: DiSCO 1 of 3 instead
# of 2 of 3 (D1).
NUMBERS = pd.DataFrame({"k1": list("abc"), "k2": ["z"] * 3, "t": [1, 2, 10]})


@pytest.fixture
def misaligned() -> Disclosure:
    with pytest.warns(RDefectWarning, match="D1, tables compared by position"):
        return example(NUMBERS.iloc[[0, 2]], NUMBERS, compat="r")


def test_both_figures_in_every_view(misaligned):
    assert misaligned.attrib.loc[1, "DiSCO"] == pytest.approx(100 / 3)
    assert misaligned.corrected.attrib.loc[1, "DiSCO"] == pytest.approx(200 / 3)
    row = misaligned.tidy().set_index("measure").loc["DiSCO"]
    assert (row["value"], row["corrected"], row["defect"]) == (
        pytest.approx(100 / 3),
        pytest.approx(200 / 3),
        "D1",
    )
    kept = misaligned.to_dict()
    assert kept["defects"][0]["id"] == "D1" and kept["corrected"]["compat"] == "corrected"
    for text in (str(misaligned), repr(misaligned), misaligned._repr_html_()):
        assert "33.33" in text and "66.67" in text and "D1" in text


def test_correct_results_show_nothing_else():
    result = example(compat="r")
    assert result.defects == () and result.corrected is None
    assert set(result.tidy()["defect"]) == {""} and "correct" not in str(result)


def test_layout_of_the_earlier_version():
    result = example(compat="r-1.9-2")
    assert list(result.attrib) == [
        "Dorig",
        "Dsyn",
        "iS",
        "DiS",
        "DiSCO",
        "DiSDiO",
        "max_denom",
        "mean_denom",
    ]
    assert list(result.allCAPs) == ["baseCAPd", "CAPd", "CAPs", "DCAP", "TCAP"]
    assert result.attrib_denoms is None
    assert result.allCAPs.loc[1, ["DCAP", "TCAP"]].tolist() == [
        43.75,
        60,
    ]  # over all records; over those found


def test_ledger():
    ledger = r_defects()
    assert ledger.index.tolist() == [f"D{i}" for i in range(1, 51) if i != 18]
    assert list(ledger) == ["summary", "r_does", "correct", "severity", "kind", "port", "versions"]
    assert set(ledger["severity"]) == set("ABCD") and set(ledger["kind"]) == {"bug", "convention"}
    assert set(ledger["port"]) == {"switch", "works", "same", "other function"}
    assert (ledger != "").all(axis=None) and not ledger.isna().any(axis=None)


# ---- exchange ------------------------------------------------------------------------

TABLES = ("ident", "attrib", "allCAPs", "attrib_denoms")


CUT = {"denom_lim": 1, "exclude_ov_denom_lim": True}
# without y nothing of the original is left that the synthetic data find, so that R 1.9-2 divides by
# zero
INF_ORIGINAL = pd.DataFrame({"k1": list("aab"), "k2": ["z"] * 3, "t": list("xyy")})
INF_SYNTHETIC = pd.DataFrame({"k1": list("aab"), "k2": ["z"] * 3, "t": list("xxy")})
ROUND_TRIPS = {
    "plain": lambda: example(),
    "two syntheses with checks": lambda: example(
        [FOUR, FOUR], FOUR, thresh_1way=(0, 0), thresh_2way=(0, 0)
    ),
    "NaN": lambda: example(NOBODY_FOUND),
    "Inf, R 1.9-2": lambda: example(
        SynDS(INF_SYNTHETIC), INF_ORIGINAL, compat="r-1.9-2", not_targetlev="y", **CUT
    ),
    "both figures": lambda: example(NUMBERS.iloc[[0, 2]], NUMBERS, compat="r"),
    "levels NaN and Inf": lambda: example(
        FOUR.replace({"x": "NaN", "a": "Inf"}),
        FOUR.replace({"x": "NaN", "a": "Inf"}),
        thresh_1way=(0, 0),
        thresh_2way=(0, 0),
    ),
}


@pytest.mark.parametrize("name", ROUND_TRIPS)
@pytest.mark.filterwarnings("ignore::synthpop_py.RDefectWarning")
def test_results_are_json(name):
    result = ROUND_TRIPS[name]()
    text = result.to_json()
    content = json.loads(text, parse_constant=lambda c: pytest.fail(f"{c} is not JSON"))
    assert content == result.to_dict() and content["compat"] == result.compat
    assert content["attrib"]["columns"] == list(result.attrib)


@pytest.mark.filterwarnings("ignore::synthpop_py.RDefectWarning")
def test_the_example_with_inf_holds_one():
    assert math.isinf(ROUND_TRIPS["Inf, R 1.9-2"]().allCAPs.loc[1, "TCAP"])


# ---- literal views -------------------------------------------------------------------

SHORT = """\
Disclosure risk for 8 original records, 1 synthesis; keys: k1, k2

Identity risk, and attribute risk for t, in % of original records (higher is riskier):
            Identity (UiO/repU) Attrib (Dorig/DiSCO)
Original                   37.5                 37.5
Synthesis 1                12.5                 37.5"""

HTML = (
    '<div class="synthpop-py"><section><p>Disclosure risk for 8 original records, 1 synthesis;'
    ' keys: k1, k2</p></section>\n<section><div class="wide"><table><caption>Identity risk, and'
    " attribute risk for t, in % of original records (higher is riskier)</caption><thead><tr>"
    '<td></td><th scope="col" class="number">Identity (UiO/repU)</th><th scope="col"'
    ' class="number">Attrib (Dorig/DiSCO)</th></tr></thead><tbody><tr><th scope="row">Original</th>'
    '<td class="number">37.5</td><td class="number">37.5</td></tr><tr><th scope="row">Synthesis'
    ' 1</th><td class="number">12.5</td><td class="number">37.5</td></tr></tbody></table></div>'
    "</section></div>"
)

ALL = """\
Disclosure risk for 8 original records, 1 synthesis; keys: k1, k2

Call: disclosure(object, data, keys=['k1', 'k2'], target='t', print_flag=False, compat='corrected')

Identity measures from keys k1, k2, in % of records:
   UiO   UiS UiOiS repU
1 37.5 33.33    25 12.5

Attribute measures for t from keys k1, k2, in % of records (max_denom, mean_denom: original records
per cell):
  Dorig  Dsyn   iS DiS DiSCO DCAPd DiSDiO max_denom mean_denom
1  37.5 66.67 62.5  50  37.5 43.75   12.5         2        1.5

Correct attribution probabilities for t from keys k1, k2, in %:
  baseCAPd  CAPd  CAPs DCAPb DCAPs TCAPb TCAPs TCAP
1       50 70.83 83.33    70 58.33    60    50   75
"""

CHECKS = """\
Disclosure risk for 4 original records, 1 synthesis; keys: k1, k2

Target level behind most disclosive records of t:
  Level All PctLevelAll totalDisclosive nLevelDis PctLevelDis
x     x   4          75               4         3          75

Pairs of t and a key that nearly always go together:
  target_key_levs npairs key key_target_total key_total PctTargetKeyLevel
1             x|a      3  k1                3         3               100
2             x|z      3  k2                3         4                75

Records removed from each count, by reason, synthesis 1:
          excluded target missing target missing in  keys set to exclude over denom_lim remaining
original                0              0                0              0              0         4
synthetic               0              0                0              0              0         4
Dorig                   0              0                0              0              0         4
Dsyn                    0              0                0              0              0         4
iS                      0              0                0              0              0         4
DiS                     0              0                0              0              0         4
DiSCO                   0              0                0              0              0         4
DiSDiO                  0              0                0              0              0         4
"""

WHAT_TO_DO_NEXT = """\
Look at level x of t: most disclosive records have it, so it may be common knowledge.
result.print('check_1way') shows it; adding 'x' to not_targetlev leaves it out.

Look at 2 pairs of t and a key that nearly always go together.
result.print('check_2way') shows them; exclude_keys, exclude_keylevs and exclude_targetlevs leave
them out, exclude_ov_denom_lim=True leaves out large cells."""

BOTH_FIGURES = """\
Disclosure risk for 3 original records, 1 synthesis; keys: k1, k2

Identity risk, and attribute risk for t, in % of original records (higher is riskier):
            Identity (UiO/repU) Attrib (Dorig/DiSCO)
Original                 100.00               100.00
Synthesis 1               66.67                33.33

R's synthpop 1.9-3 reports DiSCO 33.33 %; 66.67 % is correct (D1). 7 more differ.
Why: .defects. The correct result: .corrected, or compat='corrected'."""

FLAGGED = {"thresh_1way": (2, 74), "thresh_2way": (2, 70)}


def test_repr_and_html():
    assert repr(example()) == SHORT == str(example())
    assert example()._repr_html_() == HTML


def test_html_escapes_names():
    frame = FOUR.rename(columns={"t": "<t>"})
    assert "&lt;t&gt;" in disclosure(frame, frame, KEYS, "<t>", print_flag=False)._repr_html_()


def test_print_all(capsys):
    example().print("all")
    assert capsys.readouterr().out == ALL


def test_print_checks_and_exclusions(capsys):
    example(FOUR, FOUR, **FLAGGED).print(["check_1way", "check_2way", "exclusions"])
    assert capsys.readouterr().out == CHECKS


def test_print_says_what_to_do_next():
    assert str(example(FOUR, FOUR, **FLAGGED)).endswith(WHAT_TO_DO_NEXT)
    assert "result.print('exclusions')" in str(example(not_targetlev="y"))


def test_print_both_figures(misaligned):
    assert str(misaligned) == BOTH_FIGURES


def test_print_decimals(capsys):
    example(SYNTHETIC).print("ident", digits=0)
    # 37.5 rounds to the even 38, 12.5 to 12, as in R
    assert capsys.readouterr().out.splitlines()[-1].split() == ["1", "38", "33", "25", "12"]


def test_print_shows_what_was_asked_for_in_the_call():
    assert str(example(to_print=["ident"])).splitlines()[-1].split() == [
        "1",
        "37.5",
        "33.33",
        "25",
        "12.5",
    ]
    assert "37.500" not in str(example(to_print=["ident"], digits=3))


@pytest.mark.parametrize(
    "arguments", [{"to_print": "everything"}, {"to_print": ["short", "all"]}, {"digits": -1}]
)
def test_print_refuses_what_it_does_not_know(arguments):
    with pytest.raises(InputError, match=next(iter(arguments))):
        example().print(**arguments)
