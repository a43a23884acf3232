"""What other tools call our measures: each relation on eight people, by hand.

The tables are those of docs/src/explanation/measures.md. Who is found in the synthetic data: all
but (m, C). Who has one answer there: both of (f, A), (m, A), (f, B), both of (m, B). Whose answer
is correct: both of (f, A), (m, A), the teacher of (m, B). In (f, C) one of four synthetic records
is a nurse, as the original one.
"""

from __future__ import annotations

import pandas as pd
import pytest

from docs import build, others
from synthpop_py import disclosure

COLUMNS = ["sex", "town", "job"]
ORIGINAL = pd.DataFrame(
    [
        ("f", "A", "doctor"),
        ("f", "A", "doctor"),
        ("m", "A", "doctor"),
        ("f", "B", "teacher"),
        ("m", "B", "teacher"),
        ("m", "B", "nurse"),
        ("f", "C", "nurse"),
        ("m", "C", "doctor"),
    ],
    columns=COLUMNS,
)
SYNTHETIC = pd.DataFrame(
    [
        ("f", "A", "doctor"),
        ("m", "A", "doctor"),
        ("f", "B", "nurse"),
        ("m", "B", "teacher"),
        ("m", "B", "teacher"),
        ("f", "C", "nurse"),
        ("f", "C", "teacher"),
        ("f", "C", "teacher"),
        ("f", "C", "teacher"),
        ("m", "D", "doctor"),
    ],
    columns=COLUMNS,
)
TABLES = (ORIGINAL, SYNTHETIC, ["sex", "town"], "job")


@pytest.fixture(scope="module")
def ours():
    tidy = disclosure(SYNTHETIC, ORIGINAL, ["sex", "town"], "job").tidy()
    return dict(zip(tidy["measure"], tidy["value"] / 100))


def test_riskutility_by_hand(ours):
    theirs = others.of_riskutility(*TABLES)
    # four for sure and the nurse of (f, C) with 1/4, among the seven who are found
    assert theirs["dcap()$cap"] == pytest.approx((4 + 1 / 4) / 7)
    assert theirs["dcap()$cap"] == pytest.approx(ours["DCAPd"] / ours["iS"])
    # teachers are five of ten synthetic records, more than any other job
    assert theirs["dcap()$baseline"] == 5 / 10 and ours["baseCAPd"] == (16 + 4 + 4) / 64
    # (f, A) and (m, A) are certain and correct in both; the teacher of (m, B) shares keys
    assert theirs["tcap()$tcap_certain"] == pytest.approx(100 * 3 / 7)
    assert theirs["tcap()$tcap_certain"] == pytest.approx(100 * ours["DiSDiO"] / ours["iS"])
    assert theirs["tcap()$tcap_matched"] == pytest.approx(100 * 4 / 7)
    assert theirs["tcap()$tcap_matched"] == pytest.approx(100 * ours["TCAP_iS"])
    assert theirs["tcap()$tcap_conditional"] == pytest.approx(100 * 4 / 6)
    assert theirs["tcap()$tcap_conditional"] == pytest.approx(100 * ours["TCAP_DiS"])
    assert theirs["weap()$weap_mean"] == pytest.approx((6 + 1 / 4 + 3 * 3 / 4) / 10)
    assert theirs["weap()$weap_mean"] == pytest.approx(ours["CAPs"])
    assert theirs["weap()$pct_disclosive"] == pytest.approx(60) == 100 * ours["Dsyn"]


def test_disco_of_riskutility_is_not_disco(ours):
    theirs = others.of_riskutility(*TABLES)
    # synthetic records that an original one equals: (f, A), (m, A), two of (m, B), the nurse of
    # (f, C); certain in the original: not (m, B)
    assert theirs["disco()$pct_disco_potential"] == pytest.approx(50)
    assert theirs["disco()$pct_disco_certain"] == pytest.approx(30)
    # both of (f, A), (m, A), (f, C): the last one is a guess of one in four
    assert theirs["disco()$pct_original_disclosed"] == pytest.approx(50)
    # both of (f, A), (m, A), the teacher of (m, B)
    assert ours["DiSCO"] == 4 / 8 and ours["DiSDiO"] == 3 / 8


def test_disco_of_riskutility_and_ours_part_when_a_record_leaves(ours):
    """Without the nurse of (f, C) theirs falls, because the original was certain there; ours does
    not count that record at all.
    """
    rest = ORIGINAL.drop(index=6)
    theirs = others.of_riskutility(rest, SYNTHETIC, ["sex", "town"], "job")
    tidy = disclosure(SYNTHETIC, rest, ["sex", "town"], "job").tidy().set_index("measure")
    assert theirs["disco()$pct_original_disclosed"] == pytest.approx(100 * 3 / 7)
    assert tidy.loc["DiSCO", "value"] == pytest.approx(100 * 4 / 7)


def test_riskutility_drops_missing_values_by_default():
    original = pd.DataFrame({"sex": list("ffmm"), "job": ["nurse", "clerk", "nurse", None]})
    synthetic = pd.DataFrame({"sex": list("fm"), "job": ["nurse", "nurse"]})
    # one woman and one man are correct: two of four, or of the three whose job is known
    kept = others.of_riskutility(original, synthetic, ["sex"], "job")
    assert kept["tcap()$tcap_matched"] == pytest.approx(50)
    dropped = others.of_riskutility_by_default(original, synthetic, ["sex"], "job")
    assert dropped["tcap()$tcap_matched"] == pytest.approx(100 * 2 / 3)


def test_riskutility_groups_a_numeric_target_into_ten_classes_by_default():
    original = pd.DataFrame({"id": range(10), "x": [1.0, *range(10, 100, 10)]})
    synthetic = original.assign(x=[1.01, *range(10, 100, 10)])
    exact = others.of_riskutility(original, synthetic, ["id"], "x")
    assert exact["tcap()$tcap_matched"] == pytest.approx(90)
    # 1 and 1.01 are below the first decile of both tables together, 9.1
    grouped = others.of_riskutility_by_default(original, synthetic, ["id"], "x")
    assert grouped["tcap()$tcap_matched"] == pytest.approx(100)
    # weap() and disco() take numbers as they are
    assert grouped["disco()$pct_disco_potential"] == pytest.approx(90)


def test_sdmetrics_by_hand(ours):
    theirs = others.of_sdmetrics(*TABLES)
    assert theirs["CategoricalCAP"] == pytest.approx(1 - (4 + 1 / 4) / 7)
    assert theirs["CategoricalCAP"] == pytest.approx(1 - ours["DCAPd"] / ours["iS"])
    assert theirs["CategoricalZeroCAP"] == pytest.approx(1 - (4 + 1 / 4) / 8)
    assert theirs["CategoricalZeroCAP"] == pytest.approx(1 - ours["DCAPd"])
    # three jobs, each guessed with one third
    assert theirs["baseline_protection"] == pytest.approx(2 / 3)
    assert theirs["DisclosureProtection"] == pytest.approx((1 - 4.25 / 7) / (2 / 3))
    # (m, C) is a doctor. One key differs from: doctor of (m, A), two teachers of (m, B), nurse and
    # three teachers of (f, C), doctor of (m, D); two of eight are doctors
    assert theirs["CategoricalGeneralizedCAP"] == pytest.approx(1 - (4 + 1 / 4 + 2 / 8) / 8)


def test_synthgauge_by_hand(ours):
    theirs = others.of_synthgauge(*TABLES)
    assert theirs["tcap_score"] == 4 / 8 == ours["DiSCO"]
    # of six original combinations all but (m, C) are in the synthetic data
    assert theirs["sample_overlap_score, unique"] == pytest.approx(5 / 6)
    assert theirs["sample_overlap_score, sample"] == 7 / 8 == ours["iS"]


def test_sdnist_by_hand(ours):
    theirs = others.of_sdnist(*TABLES)
    assert theirs["compute_disco"] == 4 / 8 == ours["DiSCO"]
    assert theirs["compute_dio"] == 6 / 8 == ours["Dorig"]
    # (m, A), (f, B), (f, C) of the four unique combinations
    assert theirs["unique_exact_matches"] == pytest.approx(75)
    assert theirs["unique_exact_matches"] == pytest.approx(100 * ours["UiOiS"] / ours["UiO"])
    assert theirs["apparent matches"] == 2 == 8 * ours["repU"]


def test_missing_values_are_a_level():
    original = pd.DataFrame({"sex": ["f", "m"], "job": ["nurse", None]})
    synthetic = pd.DataFrame({"sex": ["f", "m"], "job": ["nurse", None]})
    assert others.of_sdnist(original, synthetic, ["sex"], "job")["compute_disco"] == 1


# what the tools themselves answered for SD2011, s1, in November 2026
RAN = {
    "SDMetrics 0.32.0": ("0.747515", "0.836138", "0.796214", "0.956522", "0.781493"),
    "synthgauge 2.2.0": ("0.095400", "0.649000", "0.566060"),
    "SDNist 2.5": ("0.095400", "0.533000", "743 pairs"),
}


@pytest.mark.parametrize("tool", RAN)
def test_the_page_shows_what_the_tool_answered(tool):
    page = (build.PAGES / "reference/what-others-call-it.md").read_text(encoding="utf-8")
    name, _, version = tool.partition(" ")
    section = page.split(f"## {name} (Python, {version})")[1].split("\n## ")[0]
    figures = [row.split("|")[-2].strip() for row in section.splitlines() if row.startswith("| `")]
    last = [row for row in section.splitlines() if row.startswith("| apparent")]
    figures += [row.split("|")[-2].strip() for row in last]
    assert tuple(figures) == RAN[tool]
