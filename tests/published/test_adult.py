"""Section 5 of Raab, Nowok and Dibben on Adult: Figure 2, the synthetic columns of Table 1, and the
pairs that the paper recommends to leave out; the measures on differentially private data.

The paper prints neither its synthesis nor a seed, so that synthetic figures are those of
`Adult_cart`: compared with the print where the two syntheses must be alike, exact where the figures
follow from the files. `test_practical_privacy_metrics` has the columns of the original.
"""

from __future__ import annotations

import warnings

import pandas as pd
import pytest

from synthpop_py import MISSING, RDefectWarning, datasets, disclosure, multi_disclosure
from tests.published import paper_figures as paper

KEYS = ["age", "occupation", "race", "sex"]
SD_KEYS = ["sex", "age", "region", "placesize"]
NUMERIC = ["capital.gain", "capital.loss", "fnlwgt", "hours.per.week"]
NO_MISSING = {"usetargetNA": False, "usekeysNA": False}
ONE = {"denom_lim": 1, "exclude_ov_denom_lim": True}
SETTINGS = {
    # name in print: recorded cases, whether flagged levels are left out, further arguments
    "No excl": ("none", False, {}),
    "not.tlev": ("not.targetlev", True, {}),
    "NAs out, not.tlev": ("not.targetlev+NA", True, NO_MISSING),
    "denom_lim 1, NAs out, not.tlev": ("not.targetlev+NA+denom", True, {**NO_MISSING, **ONE}),
    "denom_lim 1": ("denom", False, ONE),
}
# Bands: our CART synthesis beside theirs, where D1 does not act, in all settings but the third,
# whose print repeats the second. Ratios are 0.93 to 1.24, and 1.59 for 0.06 and 0.04 %, some ten
# records. One synthesis, no other seed tried; chosen after looking.
HIGHEST_RATIO = 1.7
LOWEST_RATIO = 0.85


@pytest.fixture(scope="module")
def adult():
    return datasets.load("Adult")


@pytest.fixture(scope="module")
def cart():
    return datasets.load_synthesis("Adult_cart")


def risk(cart, adult, target, compat, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RDefectWarning)
        return disclosure(cart, adult, KEYS, target, compat=compat, print_flag=False, **options)


# ---- Figure 2 ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def summary(cart, adult):
    return multi_disclosure(
        cart, adult, KEYS, list(paper.ADULT_DORIG), compat="corrected", print_flag=False
    )


def test_the_levels_that_figure_2_flags_are_flagged(summary):
    flagged = {}
    for target, result in summary.output_list.items():
        if result.check1 is not None:
            flagged[target] = result.check1
    # R loses the disclosive records of hours.per.week (D1), so that the paper cannot have it
    assert flagged == {**paper.ADULT_FLAGGED_LEVELS, "hours.per.week": "40"}


def test_shares_of_the_flagged_levels(summary):
    """Printed as 95, 92 and 89 %, the first two in the other order."""
    shares = {}
    for target in paper.ADULT_FLAGGED_LEVELS:
        shares[target] = round(summary[target].check_1way[0]["PctLevelAll"].iloc[0], 1)
    assert shares == {"capital.gain": 91.7, "capital.loss": 95.3, "native.country": 89.7}


def test_pairs_that_figure_2_flags(summary):
    """Two of three numbers are the printed ones; workclass has two more in our synthesis."""
    found = {target: summary[target].check2 for target in paper.ADULT_FLAGGED_PAIRS}
    assert found == {**paper.ADULT_FLAGGED_PAIRS, "workclass": 9}


def test_what_the_paper_says_of_workclass(summary):
    """Most of it is due to a missing class of work where the occupation is missing."""
    pairs = summary["workclass"].check_2way[0]
    assert pairs["target_key_levs"].iloc[0] == "Missing|Missing"
    assert pairs["key"].iloc[0] == "occupation" and pairs["npairs"].iloc[0] == 2245


# ---- Table 1, synthetic columns ------------------------------------------------------


def in_setting(cart, adult, setting, target, compat):
    _, with_levels, options = SETTINGS[setting]
    level = paper.ADULT_FLAGGED_LEVELS.get(target) if with_levels else None
    return risk(cart, adult, target, compat, not_targetlev=level, **options)


@pytest.mark.parametrize("setting", SETTINGS)
def test_r_and_corrected_in_each_setting(cart, adult, setting, records):
    """R's column is the recorded one; without D1 it is the correct one too. What the original says
    does not depend on R.
    """
    group = SETTINGS[setting][0]
    for target in paper.ADULT_DORIG:
        if target == "fnlwgt":
            continue  # thousands of levels; test_recorded has it
        as_r = in_setting(cart, adult, setting, target, "r")
        correct = in_setting(cart, adult, setting, target, "corrected")
        assert as_r.Dorig == correct.Dorig
        if target not in NUMERIC:
            assert as_r.DiSCO == correct.DiSCO
        record = records.get(f"adult/table1/{group}/{target} [icu]")
        if record is not None:
            table = record["result"]["attrib"]
            recorded = dict(zip(table["columns"], table["values"]))["DiSCO"]
            assert as_r.DiSCO == pytest.approx(recorded[0], rel=1e-12)


@pytest.mark.parametrize("setting", [name for name in SETTINGS if "NAs out, not.tlev" != name])
def test_another_cart_synthesis_has_similar_figures(cart, adult, setting):
    for target, printed in paper.ADULT_TABLE_1_SYN[setting].items():
        if target in NUMERIC:
            continue
        ratio = in_setting(cart, adult, setting, target, "corrected").DiSCO / printed
        assert LOWEST_RATIO < ratio < HIGHEST_RATIO, (target, ratio)


def test_the_printed_third_setting_repeats_the_second_in_the_synthetic_column_too():
    table = paper.ADULT_TABLE_1_SYN
    assert table["NAs out, not.tlev"] == table["not.tlev"]


def test_cells_of_one_record_have_the_uniques_of_the_original(cart, adult, summary):
    for target in ("income", "workclass", "education"):
        assert risk(cart, adult, target, "corrected", **ONE).Dorig == summary[target].UiO


# ---- pairs left out ------------------------------------------------------------------


def flagged_pairs(result) -> list[tuple]:
    pairs = []
    for pair in result.check_2way[0].itertuples():
        texts = pair.target_key_levs.split("|")
        of_target, of_key = [MISSING if text == "Missing" else text for text in texts]
        pairs.append((pair.key, of_key, of_target))
    return pairs


def is_level(column: pd.Series, level) -> pd.Series:
    return column.isna() if level is MISSING else column.astype(str) == level


def disco_without(synthetic, original, target, pairs) -> float:
    """DiSCO without the records of the pairs, by grouping records."""
    distinct = synthetic[[*KEYS, target]].drop_duplicates()
    only = distinct[~distinct.duplicated(KEYS, keep=False)].rename(columns={target: "answer"})
    known = original[[*KEYS, target]].merge(only, on=KEYS, validate="many_to_one")
    own, answer = known[target].astype(object), known["answer"].astype(object)
    correct = (own == answer) | (own.isna() & answer.isna())
    for key, of_key, of_target in pairs:
        correct &= ~(is_level(known[key], of_key) & is_level(known[target], of_target))
    return float(correct.sum() / len(original) * 100)


@pytest.mark.parametrize(
    "target, left", [("workclass", 1.90), ("marital.status", 2.83), ("relationship", 2.85)]
)
def test_leaving_out_the_flagged_pairs(cart, adult, summary, target, left):
    """As the paper recommends, with R's figures and the correct ones, and counted independently."""
    pairs = flagged_pairs(summary[target])
    names, key_levels, target_levels = zip(*pairs)
    exclusions = {
        "exclude_keys": names,
        "exclude_keylevs": key_levels,
        "exclude_targetlevs": target_levels,
    }
    result = risk(cart, adult, target, "corrected", **exclusions)
    assert round(result.DiSCO, 2) == left and result.check2 is None
    assert risk(cart, adult, target, "r", **exclusions).DiSCO == result.DiSCO
    one = risk(cart, adult, target, "corrected", **ONE)
    assert one.DiSCO < result.DiSCO  # which cells of one record do not see
    counted = disco_without(cart.syn[0], adult, target, pairs)
    assert result.DiSCO == pytest.approx(counted, rel=1e-12)


# ---- differentially private data -----------------------------------------------------


def test_private_data_tell_less_than_the_original():
    """Of every target, scaled DCAP rises with epsilon and stays below that of the original; DiSCO
    need not.
    """
    grouped = datasets.load("SD2011_grouped")
    for target in ("depress", "income", "ls", "marital", "workab"):
        scaled = []
        for release in (
            datasets.load_synthesis("SD2011_dp_eps1"),
            datasets.load_synthesis("SD2011_dp_eps10"),
            grouped,
        ):
            result = disclosure(
                release, grouped, SD_KEYS, target, compat="corrected", print_flag=False
            )
            scaled.append(result.DCAPd_scaled)
        assert scaled == sorted(scaled)
