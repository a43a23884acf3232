"""`report()`: what the first page decides, what is behind it, what is rounded, and what is left
alone on the disk.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from html import unescape
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import synthpop_py
from synthpop_py import (
    InputError,
    SynthpopError,
    datasets,
    disclosure,
    propensity_utility,
    report,
    sdc,
    table_utility,
)
from synthpop_py.report import render
from synthpop_py.rounding import counts

KEYS = ["sex", "age", "region", "placesize"]
TARGETS = ["depress", "ls", "marital", "workab", "income"]
HEADINGS = [
    "Can these files be compared?",
    "What the release reveals",
    "Limits",
    "What to do next",
    "From everybody to those revealed",
    "People who were not in the data",
    "Which keys are dangerous",
    "Several syntheses",
    "Utility beside risk",
    "What the rounding means",
    "Definitions",
    "How to make this report again",
]
LABELS = {"marital": "marital status", "workab": "answer on work abroad"}
ASKED = {"compat": "corrected", "print_flag": False}
pytestmark = pytest.mark.needs("jinja2")


@pytest.fixture(scope="module")
def original():
    return datasets.load("SD2011")


@pytest.fixture(scope="module")
def synthetic():
    return datasets.load_synthesis("SD2011_s1")


def of_sd2011(synthetic, original):
    limits = {"DiSCO": 5, "repU": 20}
    return report(synthetic, original, KEYS, TARGETS, path=None, limits=limits, labels=LABELS)


@pytest.fixture(scope="module")
def made(synthetic, original):
    return of_sd2011(synthetic, original)


def in_words(made_report) -> str:
    """The Markdown without its escapes."""
    return re.sub(r"\\([\\`*_\[\]<>|#~])", r"\1", made_report.to_markdown())


def section(made_report, heading: str) -> str:
    return in_words(made_report).partition(f"## {heading}\n")[2].partition("\n## ")[0]


def rows(made_report, heading: str) -> list[list[str]]:
    """The cells of the tables of a section, headings and rules too."""
    lines = [line for line in section(made_report, heading).splitlines() if line[:1] == "|"]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def target(made_report, name: str) -> dict:
    (found,) = [one for one in made_report.content["targets"] if one["name"] == name]
    return found


def small(people, fake=None, **asked):
    return report(people if fake is None else fake, people, path=None, format="md", **asked)


# ---- the first page ------------------------------------------------------------------


def test_every_part_is_there_in_its_order_in_few_words(made):
    page = made.to_html()
    found = re.findall(r"<h2[^>]*>(.*?)</h2>", page)
    assert found == HEADINGS == re.findall(r"^## (.*)$", made.to_markdown(), re.M)
    words = re.sub(r"<(style|title)>.*?</\1>|<[^>]+>", " ", page, flags=re.S).split()
    assert len(words) < 1500
    said = section(made, "What the rounding means")
    assert "at least five possible values" in said and "publish one" in said


def test_the_headline_is_the_riskiest_target_that_is_not_common_knowledge(made):
    said = in_words(made).partition("## ")[0]
    assert (
        "Somebody who knows sex, age, region and placesize learns the marital status of 1,760 of"
        " 5,000 people (35.2 %) correctly from the release.\n\nCommon knowledge: 2,610 (52.2 %) for"
        " answer on work abroad, but over 90 % of these have the value NO, and so have over 80 % of"
        " all people."
    ) in said


def test_figures_are_rounded_figures_of_the_results(made, synthetic, original):
    correct = disclosure(synthetic, original, KEYS, "marital", **ASKED)
    shares = correct.shares[0]
    found = [shares[name].numerator for name in ("DiSCO", "DiS", "UiO", "repU")]
    assert found == [1759, 2447, 2419, 743]
    row = ["marital status", "1,760 (35.2 %)", "–", "2,450 (49.0 %)", "71.8 %", "79.2 %", "no"]
    assert row in rows(made, "What the release reveals")
    said = section(made, "What the release reveals")
    assert "2,420 of 5,000 people (48.4 %) are alone with their sex, age" in said
    assert "For 740 (14.8 %) the release has exactly one such record too" in said


def test_numbers_are_in_ten_classes_with_the_exact_match_beside(made, synthetic, original):
    grouped = disclosure(synthetic, original, KEYS, "income", ngroups_target=10, **ASKED)
    exact = disclosure(synthetic, original, KEYS, "income", **ASKED)
    assert (grouped.shares[0]["DiSCO"].numerator, exact.shares[0]["DiSCO"].numerator) == (384, 245)
    income = target(made, "income")
    assert income["classes"] == 10 and target(made, "ls")["classes"] is None
    assert (income["DiSCO"]["people"], income["exact"]["people"]) == (380, 250)
    assert "Numbers are judged in classes" in section(made, "What the release reveals")
    columns = original[[*KEYS, "income"]]
    plain = small(columns, synthetic, keys=KEYS, targets=["income"], ngroups_targets=0)
    assert target(plain, "income")["DiSCO"]["people"] == 250
    assert "exact number" not in plain.text


def test_limits_are_met_or_not_with_their_figures(made):
    assert made.decision == "not met" and made.exit_code == 1
    assert [one["met"] for one in made.limits] == [False, True]
    worst = ["2,610 (52.2 %), answer on work abroad", "2,614", "not met by 5 of 5 targets"]
    assert rows(made, "Limits")[2:] == [
        ["DiSCO at most 5 %", *worst],
        ["repU at most 20 %", "740 (14.8 %)", "744", "met"],
    ]
    assert "**Not within the limits: DiSCO 52.2 %, at most 5 % allowed.**" in made.to_markdown()


def test_without_limits_nothing_is_judged(synthetic, original):
    asked = {"keys": KEYS, "targets": ["ls"]}
    columns = original[[*KEYS, "ls"]]
    free = small(columns, synthetic, **asked)
    assert free.decision is None and free.exit_code == 0 and free.limits == []
    assert "No limit was given" in section(free, "Limits")
    within = small(columns, synthetic, limits={"DiSCO": 14}, **asked)
    assert within.decision == "met" and within.exit_code == 0
    assert "Within the limits: DiSCO 13.8 %, at most 14 % allowed." in in_words(within)


def test_a_limit_holds_for_the_largest_count_that_is_shown_so():
    """100 of 1,000 are shown as 10 %; 104 would be, too."""
    people = pd.DataFrame({"town": range(1000), "job": ["x"] * 1000})
    fake = people.assign(town=lambda frame: frame["town"].where(frame["town"] < 100, 5000))
    for limit, decision in ((10, "not met"), (10.3, "not met"), (10.4, "met")):
        told = small(people, fake, keys=["town"], limits={"DiSCO": limit})
        assert told.decision == decision and rows(told, "Limits")[2][2] == "104"
    exact = small(people, fake, keys=["town"], limits={"DiSCO": 10}, round_to=1)
    assert exact.decision == "met"


def test_remedies_have_a_call_and_the_risk_before_and_after(made, synthetic, original):
    said = section(made, "What to do next")
    assert "adds most to the risk is age: the marital status of fewest people is revealed" in said
    classes, without_age, without_uniques = rows(made, "What to do next")[2:]

    def n(synthetic, keys, **others) -> list[int]:
        result = disclosure(synthetic, original, keys, "marital", **ASKED, **others)
        return counts(result, 10)[["DiSCO", "repU"]].iloc[0].tolist()

    grouped = n(synthetic, KEYS, ngroups_keys=[0, 5, 0, 0])
    assert classes[:3] == ["Release age in about 5 classes", f"1,760 → {grouped[0]}", "740 → 20"]
    assert classes[3] == "ngroups_keys={'age': 5}; or --ngroups-keys age=5" and grouped[1] == 20
    assert n(synthetic, ["sex", "region", "placesize"]) == [0, 0]
    assert without_age[:2] == ["Leave age out of the release", "1,760 → fewer than 5"]
    assert without_age[3] == "keys=['sex', 'region', 'placesize']; or --drop age"
    safer = sdc(synthetic, original, KEYS, rm_replicated_uniques=True, **ASKED)
    assert without_uniques[1] == f"1,760 → {n(safer, KEYS)[0]:,}" and "sdc(" in without_uniques[3]


# ---- can these files be compared? ----------------------------------------------------


@pytest.fixture
def messy() -> pd.DataFrame:
    rng = np.random.default_rng(4)
    n = 600
    return pd.DataFrame(
        {
            "id": [f"P{number:04d}" for number in range(n)],
            "sex": rng.choice(["f", "m"], n),
            "postcode": [f"{code:05d}" for code in rng.choice([1067, 4109, 10115, 20095], n)],
            "income": np.where(rng.random(n) < 0.1, -9, rng.lognormal(8, 1, n).round(2)),
            "visits": np.where(rng.random(n) < 0.1, 99, rng.poisson(3, n)),
            "ill": rng.choice(["no", "yes"], n),
        }
    )


def seen(made_report) -> dict[str, str]:
    """What the box says about each column, with the repairs."""
    found: dict[str, str] = {}
    for one in made_report.content["checks"]:
        words = f"{one['text']} [{one['option']}] [{one['command']}]"
        found[one["column"]] = " ".join([found.get(one["column"], ""), words])
    return found


def test_missing_codes_and_identifiers_are_seen(made, messy):
    assert made.content["checks"] == []
    assert section(made, HEADINGS[0]).strip().startswith("Yes: keys and targets have the same")
    told = small(messy, keys=["sex", "postcode", "id"], targets=["income", "visits", "ill"])
    found = seen(told)
    assert found.keys() == {"id", "income", "visits"}
    assert re.search(r"\d0 people have -9, far from the rest: missing codes\?", found["income"])
    assert "[cont_na={'income': [-9]}] [--missing income=-9]" in found["income"]
    assert "have 99, far" in found["visits"] and "an identifier" in found["id"]
    told = small(messy, keys=["sex"], targets=["income"], cont_na={"income": -9})
    assert seen(told).keys() == {"id"}  # told although nobody asked about it


def test_numbers_read_as_text_are_seen(messy):
    comma = messy.assign(income=[f"{one:.2f}".replace(".", ",") for one in messy["income"]])
    found = seen(small(comma, keys=["sex", "postcode"], targets=["income"]))
    assert found.keys() == {"id", "income"}
    assert "numbers read as text" in found["income"] and "[--decimal ,]" in found["income"]


def test_dates_in_two_forms_cannot_be_judged(messy):
    days = pd.Timestamp("2001-05-17") + pd.to_timedelta(np.arange(len(messy)) % 40, unit="D")
    people = messy.assign(seen=days.strftime("%Y-%m-%d"))
    fake = people.assign(seen=days.strftime("%d.%m.%Y"))
    with pytest.warns(UserWarning, match="'seen': no value in common"):
        told = small(people, fake, keys=["sex"], targets=["seen", "ill"], limits={"DiSCO": 90})
    assert told.decision == "cannot be judged" and told.exit_code == 2
    assert "written as 9999-99-99, here text written as 99.99.9999" in seen(told)["seen"]
    assert "The limits cannot be judged" in told.text
    table = rows(told, "What the release reveals")
    assert {row[0]: row[1] for row in table}["seen"] == "cannot be compared"
    with pytest.raises(InputError, match="'seen': no value in common"):
        small(people, fake, keys=["sex", "seen"], targets=["ill"])


# ---- behind it -----------------------------------------------------------------------


def test_keys_are_searched_with_the_figures_of_the_answer(made):
    search = made.content["key_search"]
    assert search["sets"] == 15 and search["target"] == "marital status"
    of_all, without_age, *_ = search["without"]
    assert of_all["DiSCO"] == target(made, "marital")["DiSCO"]
    assert of_all["UiO"] == made.content["identity"]["UiO"]
    assert without_age["key"] == "age" and without_age["DiSCO"]["number"] == "fewer than 5"
    said = section(made, "Which keys are dangerous")
    assert "15 sets of these columns were tried: sex, age, region, placesize." in said


def test_without_keys_the_riskiest_set_is_reported(synthetic, original):
    told = small(original, synthetic, targets=["depress"])
    first = told.content["key_search"]["riskiest"][0]
    assert told.content["keys_searched"] and len(told.content["keys"]) == 4
    assert first["keys"] == "{}, {}, {} and {}".format(*told.content["keys"])
    assert "Nobody named the keys" in told.text
    columns = ["sex", "region", "depress", "ls"]
    told = small(original[columns], synthetic.syn[0][columns])
    assert len(told.content["keys"]) == 3 and "riskiest sets" in told.text


def test_an_identifier_is_no_key_unless_it_is_named(messy):
    told = small(messy, targets=["ill"])
    assert "id" not in told.content["keys"] and "an identifier" in seen(told)["id"]
    assert "id" in small(messy, keys=["id", "sex"], targets=["ill"]).content["keys"]
    every = small(messy.assign(town=(messy.index // 3).map("t{}".format)), keys=["sex"])
    assert "id" not in [one["name"] for one in every.content["targets"]]
    assert {row[0] for row in rows(every, "Utility beside risk")[2:]} > {"S_pMSE"}
    assert "without text columns of more than 100" in section(every, "Utility beside risk")


def test_several_syntheses_have_mean_and_range(original):
    columns = [*KEYS, "marital", "ls"]
    five = [frame[columns] for frame in datasets.load_synthesis("SD2011_s5").syn]
    told = small(original[columns], five, keys=KEYS)
    n = counts(disclosure(five, original[columns], KEYS, "ls", **ASKED), 10)["DiSCO"]
    found = [target(told, "ls")[one]["people"] for one in ("DiSCO", "lowest", "highest")]
    assert found == [round(n.mean()), n.min(), n.max()]
    assert "5 syntheses of 5,000 records, figures are means over them" in told.text


def test_members_stand_beside_non_members(made, original):
    people = original[[*KEYS[:3], "depress", "marital"]]
    members, others = people.iloc[:3500], people.iloc[3500:]
    copy = members.sample(frac=1, replace=True, random_state=1)
    told = small(members, copy, keys=KEYS[:3], targets=["depress", "marital"], holdout=others)
    of_depress = next(one for one in told.content["non_members"] if one["label"] == "depress")
    exact = told.result.baseline.set_index(["target", "measure"]).loc[("depress", "DiSCO")]
    assert of_depress["of"] == 1500 and not of_depress["may_be_chance"]
    difference, low, high = of_depress["difference"]
    assert difference == pytest.approx(exact["difference"], abs=0.7)
    assert [low, high] == pytest.approx(exact[["lower", "upper"]].tolist(), abs=1.5)
    assert rows(told, "People who were not in the data")[-1][-1] == "no"  # not by chance
    assert "holdout=..." in in_words(told)
    assert "no holdout was given" in section(made, "People who were not in the data")


def test_utility_has_two_digits_and_is_no_score(made, synthetic, original):
    tables, scores = table_utility(synthetic, original), propensity_utility(synthetic, original)
    said = section(made, "Utility beside risk")
    assert f"| {tables.mean(order=1):.2g} |" in said and f"| {scores.S_pMSE:.2g} |" in said
    assert "not combined into one score" in said


def test_what_cannot_be_computed_says_why(synthetic, original):
    counted, fake = (
        frame.groupby([*KEYS, "marital"], dropna=False).size().reset_index(name="n")
        for frame in (original, synthetic.syn[0])
    )
    told = small(counted, fake, keys=KEYS, targets=["marital"], counts="n")
    assert target(told, "marital")["DiSCO"]["people"] == 1760
    assert "Not computed: " in section(told, "Utility beside risk")


def test_nearly_sure_is_said():
    """Of 20 people in each town 19 have the same job: nobody is certain, everybody nearly sure."""
    towns = pd.DataFrame({"town": list("AB") * 20, "job": [*"xy" * 19, "y", "x"]})
    told = small(towns, keys=["town"], targets=["job"], certainty=0.9, round_to=1)
    said = in_words(told)
    assert "learns the job of 38 of 40 people (95.00 %) correctly from the release, nearly" in said
    assert "at least 90 % of the synthetic records with the same keys have one value" in said
    assert told.content["key_search"]["target"] is None  # the search counts what is certain


def test_labels_are_everywhere(made):
    words = re.sub(r"report\(.*\)|sdc\(.*\)|keys=\[.*\]", "", in_words(made))
    assert "answer on work abroad" in words and re.search(r"\bmarital(?! status)", words) is None
    assert "workab" not in words


def test_many_targets_leave_the_first_page_short(original):
    """The riskiest seven, what the others reveal at most; these are behind it."""
    people = original[[*KEYS, *original.columns[8:17]]].head(1000)
    told = small(people, people.sample(frac=0.5, random_state=2), keys=KEYS)
    first, _, behind = in_words(told).partition("## From everybody")
    assert first.partition("## What the release reveals")[2].partition("## L")[0].count("\n| ") == 9
    eighth = told.content["targets"][7]["DiSCO"]["text"]
    assert f"The other 2 targets, each at most {eighth}, are on the next page" in first
    assert "The other targets" in behind


def test_an_option_that_it_does_not_have(synthetic, original):
    with pytest.raises(TypeError, match="unexpected keyword argument 'ngroup_keys'"):
        report(synthetic, original, KEYS, path=None, ngroup_keys=5)


# ---- rounding ------------------------------------------------------------------------

FEW = 997  # a prime number, so that no two counts have the same percentage
# numbers that are not about people, by where they stand in the JSON
NOT_OF_PEOPLE = re.compile(
    r"synthetic_records|certainty|round_to|headline|classes|sets|largest|limits\.\d+\.(limit|up_to)"
    r"|utility\.\d+\.(value|chance)|membership\.attacks\.\d+\.auc"
)


@pytest.fixture(scope="module")
def few_people() -> pd.DataFrame:
    """997 people. Three keep zebras, in a town of their own; seven have an office that tells their
    wage; two are alone with their age.
    """
    rng = np.random.default_rng(5)
    people = pd.DataFrame(
        {
            "town": rng.choice(["Aton", "Bton", "Cton"], FEW),
            "age": rng.integers(20, 40, FEW),
            "job": rng.choice(["baker", "clerk", "nurse"], FEW),
            "wage": rng.choice(["low", "middle", "high"], FEW),
            "income": rng.integers(0, 300, FEW),
        }
    )
    people.loc[:2, ["town", "job"]] = ["Zton", "zebrakeeper"]
    people.loc[3:9, ["town", "age", "wage"]] = ["Office", 25, "highest"]
    people.loc[10, "age"], people.loc[11, "age"] = 71, 72
    people.loc[20:150, ["town", "job"]] = ["Bakery", "baker"]
    return people


@pytest.fixture(scope="module")
def rounded(few_people):
    asked = {"targets": ["job", "wage", "income"], "limits": {"DiSCO": 5, "UiO": 50}}
    others = few_people.sample(150, random_state=3)
    with pytest.warns(UserWarning, match="holdout"):
        return small(few_people, keys=["town", "age"], holdout=others, **asked)


def numbers(content, place: str = "") -> Iterator[tuple[str, float]]:
    """Every number in the JSON, with its place."""
    if isinstance(content, (dict, list)):
        parts = content.items() if isinstance(content, dict) else enumerate(content)
        for name, value in parts:
            if name != "made":
                yield from numbers(value, f"{place}.{name}".strip("."))
    elif isinstance(content, (int, float)) and not isinstance(content, bool):
        yield place, content


def test_every_count_in_the_json_is_a_shown_count(rounded):
    content = json.loads(rounded.to_json())
    found = dict(numbers(content))
    N = found["people"]
    assert N == 1000 - 10  # 997 is shown below what a reader knows to be its ceiling
    for place, value in found.items():
        *_, name = place.split(".")
        if name in ("people", "of"):
            assert value % 10 == 0, place
        elif name == "percent":
            people = found[place.removesuffix("percent") + "people"]
            whole = content["non_members"][0]["of"] if ".non_members." in f".{place}" else N
            assert value in (round(100 * people / whole), round(100 * people / N)), place
        elif ".difference." in f".{place}":
            assert round(value, 1) == value
        else:
            assert NOT_OF_PEOPLE.search(place), f"{place}: is this figure rounded?"


def test_every_figure_of_the_page_is_one_of_the_json(rounded):
    """Numbers in the words and tables are shown counts, their percentages, or no figures."""
    known = set(re.findall(r"\d[\d,.]*\d|\d", rounded.to_json()))
    for attack in rounded.content["membership"]["attacks"]:
        known |= {f"{value:.2f}" for name, value in attack.items() if name.startswith("auc")}
    fixed = {"5", "10", "80", "90", "95", "0", "1", "3", "1,000", "256"}
    page = unescape(re.sub(r"<style>.*?</style>|<[^>]+>", " ", rounded.to_html(), flags=re.S))
    for words in (page.partition("Definitions")[0], in_words(rounded).partition("## Def")[0]):
        found = set(re.findall(r"\d[\d,.]*\d|\d", words))
        assert found - known - fixed <= {f"{n:,}" for n in range(0, 1001, 10)}


def test_no_small_count_and_no_rare_level_is_anywhere(rounded):
    small_shares = {f"{100 * n / FEW:.{digits}f}" for n in range(1, 10) for digits in (2, 3, 4)}
    for text in (rounded.to_html(), rounded.to_markdown(), rounded.to_json()):
        assert "zebrakeeper" not in text and "Zton" not in text and "Office" not in text
        shares = re.sub(r"\d\.\d\d \(\d\.\d\d to \d\.\d\d\)", "", text)  # of an AUC
        assert not small_shares & set(re.findall(r"\d+\.\d+", shares))
        text = re.sub(r"synthetic_records.*?\]", "", text, flags=re.S)
        assert "997" not in text.replace("of 997 records", "")


def test_a_rare_level_that_was_left_out_is_not_named(few_people):
    left_out = {"job": "zebrakeeper"}
    told = small(few_people, keys=["town"], targets=["job"], not_targetslev=left_out)
    assert "zebrakeeper" not in told.text and "not_targetslev=..." in in_words(told)


def test_exact_figures_are_marked(few_people):
    told = small(few_people, keys=["town", "age"], targets=["job"], round_to=1)
    assert "**Exact figures, not for release.**" in told.text and told.content["exact"]
    assert told.content["people"] == 997 and "Nothing is rounded" in told.text
    with pytest.raises(InputError, match="round_to: 5 would leave counts fewer than five"):
        small(few_people, keys=["town"], round_to=5)


def test_too_few_people_have_no_figures():
    people = pd.DataFrame({"town": list("ab") * 8, "job": list("xyz") * 5 + ["x"]})
    told = small(people, keys=["town"], targets=["job"], limits={"DiSCO": 5})
    assert "No figures are shown" in told.text and told.decision == "cannot be judged"
    assert "targets" not in told.content and told.content["people"] is None
    assert "Few people in the original" in told.text
    assert told.to_html() and json.loads(told.to_json())


# ---- markup, secrets, the same page twice --------------------------------------------


def test_names_stay_text(made):
    hostile = "<script>alert(1)</script>|*x*"
    people = pd.DataFrame({"town": list("ab") * 30, hostile: [hostile] * 30 + ["u", "w"] * 15})
    told = small(people, keys=["town"], targets=[hostile], title="a | <b>", labels={"town": "<i>"})
    page = told.to_html()
    assert "<script" not in page and "&lt;script&gt;" in page and "<i>" not in page
    table = [line for line in told.text.splitlines() if line.startswith("|")]
    assert table and all("<" not in line.replace("\\<", "") for line in table)
    assert "# a \\| \\<b\\>" in told.text
    for one in (made, told):
        bars = [len(re.findall(r"(?<!\\)\|", line)) for line in one.to_markdown().splitlines()]
        assert all(a == b for a, b in pairwise(bars) if a and b)


def test_files_are_named_with_their_digest_and_without_folders(tmp_path, original):
    folder = tmp_path / "secret-folder"
    folder.mkdir()
    people = original[["sex", "region"]].head(300)
    paths = {name: str(folder / f"{name}.csv") for name in ("synthetic", "original")}
    for path in paths.values():
        people.to_csv(path, index=False)
    told = report(*paths.values(), ["sex"], ["region"], path=folder / "report.html")
    text = told.text + in_words(told) + told.to_json() + repr(told)
    assert "secret-folder" not in text and str(tmp_path) not in text and "seed=" not in text
    assert sha256(Path(paths["original"]).read_bytes()).hexdigest() in told.text
    names = [one["name"] for one in told.content["made"]["files"]]
    assert names == ["synthetic.csv", "original.csv"]
    told = small(people, keys=["sex"], files={"original": paths["original"]})
    assert [one["what"] for one in told.content["made"]["files"]] == ["original"]
    assert "report(synthetic, original, keys=['sex']" in in_words(told)


def test_it_is_the_same_at_every_run(made, synthetic, original):
    again = of_sd2011(synthetic, original)
    assert again.to_json() == made.to_json() and again.to_html() == made.to_html()


def test_one_small_file_without_scripts_or_addresses(made):
    page = made.to_html()
    assert len(page) < 100_000 and made.text == page
    assert not re.findall(r"https?://", page)
    assert "<script" not in page and "<link" not in page and "@import" not in page


# ---- files ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def quick(original):
    people = original.head(300)[["sex", "region"]]
    return people, people, ["sex"], ["region"]


def test_the_date_is_that_of_the_build(quick, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert "Made on 1970-01-02 with" in report(*quick, path=None, format="md").text


@pytest.mark.parametrize("name", ["a.html", "a.HTM", "a.md", "a.json"])
def test_the_name_says_the_format(quick, tmp_path, name):
    told = report(*quick, path=tmp_path / name)
    assert told.path == tmp_path / name and told.path.read_text(encoding="utf-8") == told.text
    assert os.listdir(tmp_path) == [name]


def test_a_format_alone_changes_the_default_name(quick, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert report(*quick, format="md").path == Path("report.md")
    assert report(*quick, path="about", format="md").path == Path("about")
    assert sorted(os.listdir()) == ["about", "report.md"]


def test_what_is_there_is_not_overwritten(quick, tmp_path):
    path = tmp_path / "report.md"
    path.write_text("precious")
    with pytest.raises(InputError, match="exists; give another name, or force=True"):
        report(*quick, path=path)
    assert path.read_text() == "precious"
    report(*quick, path=path, force=True)
    assert "of 300 people" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "name, form, words",
    [
        ("nowhere/report.html", None, "the folder of .* does not exist"),
        ("folder.html", None, "is a folder"),
        ("people.csv", None, "does not say what to write; end it in .html, .md, .json, .pdf"),
        ("a.html", "md", "does not say what to write"),
        ("a.html", "docx", "format: 'docx' is unknown; choices: 'html', 'md'"),
    ],
)
def test_where_nothing_can_be_written(quick, tmp_path, name, form, words):
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(InputError, match=words):
        report(*quick, path=tmp_path / name, format=form)
    assert os.listdir(tmp_path) == ["folder.html"]


def test_a_wrong_call_writes_nothing(synthetic, original, tmp_path):
    with pytest.raises(InputError, match="keys: 'agee' is not a column"):
        report(synthetic, original, keys=["agee"], path=tmp_path / "a.html")
    with pytest.raises(InputError, match="limits: 5 cannot be used"):
        report(synthetic, original, KEYS, limits=5, path=tmp_path / "a.html")
    with pytest.raises(InputError, match="original: SynDS cannot be the original data"):
        report(original, synthetic, KEYS, path=tmp_path / "a.html")
    assert os.listdir(tmp_path) == []


# ---- what is not installed -----------------------------------------------------------


def test_without_chromium_a_pdf_is_a_sentence(quick, tmp_path, monkeypatch):
    monkeypatch.setattr(render, "find_browser", lambda: None)
    with pytest.raises(SynthpopError, match="'pdf' needs Chromium or Chrome"):
        report(*quick, path=tmp_path / "a.pdf")
    monkeypatch.setattr(render, "find_browser", lambda: "/bin/true")
    with pytest.raises(SynthpopError, match="'pdf' failed: true printed nothing"):
        report(*quick, path=tmp_path / "a.pdf")
    assert os.listdir(tmp_path) == []


def test_jinja_is_asked_for_only_by_pages():
    """JSON needs no Jinja2, and nothing needs matplotlib; a page without Jinja2 is a sentence."""
    program = """
import sys
sys.modules["jinja2"] = sys.modules["matplotlib"] = None
from synthpop_py import datasets, report, SynthpopError
people = datasets.load("SD2011").head(100)[["sex", "marital"]]
report(people, people, ["sex"], path=None, format="json").text
try:
    report(people, people, ["sex"], path=None).text
except SynthpopError as error:
    print(error)
"""
    words = [sys.executable, "-W", "ignore", "-c", program]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Jinja2, which is not installed" in done.stdout
    assert "pip install 'synthpop-disclosure[report]'" in done.stdout


def test_the_room_does_not_hide_the_function():
    assert inspect.isfunction(synthpop_py.report) and "synthpop_py.report.api" in sys.modules
