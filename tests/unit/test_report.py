"""`report()`: what it says, what it hides, and what it leaves alone on the disk."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from synthpop_py import (
    InputError,
    RDefectWarning,
    Report,
    SynthpopError,
    datasets,
    disclosure,
    key_risk,
    multi_disclosure,
    propensity_utility,
    report,
    table_utility,
)
from synthpop_py.disclosure.people import people_of
from synthpop_py.plots import plot_funnel
from synthpop_py.report import pdf
from synthpop_py.report.baseline import _chance as chance_words
from synthpop_py.show.document import Table, cells_of
from synthpop_py.show.text import words_text

KEYS = ["sex", "age", "region", "placesize"]
HEADINGS = [
    "What was asked",
    "The answer",
    "Risk of each target",
    "From everybody to those disclosed",
    "Would it have happened to people who were not in the data?",
    "What may be common knowledge",
    "Which keys are dangerous",
    "Several syntheses: mean and range",
    "Utility beside risk",
    "What is hidden here, and what remains",
    "Appendix A: what R's synthpop would report",
    "Appendix B: definitions",
    "Appendix C: reproducibility",
]
pytestmark = pytest.mark.needs("jinja2", "matplotlib")


@pytest.fixture(scope="module")
def original():
    return datasets.load("SD2011")


@pytest.fixture(scope="module")
def synthetic():
    return datasets.load_synthesis("SD2011_s1")


@pytest.fixture(scope="module")
def made(synthetic, original):
    labels = {"depress": "depression score"}
    return report(synthetic, original, keys=KEYS, labels=labels, path=None, date="2026-11-17")


def text_of(made_report) -> str:
    """All words of a page, as a reader sees them."""
    return " ".join(re.sub(r"<[^>]+>", " ", made_report.text).replace("\u00a0", " ").split())


def section(made_report, heading: str) -> str:
    """The words of one section of the document."""
    (found,) = [s for s in made_report.document.sections if s.heading == heading]
    parts = []
    for block in found.blocks:
        parts.append(words_text(block.words if hasattr(block, "words") else block.caption))
        for column in getattr(block, "columns", ()):
            parts.append(" ".join([column.name, *(str(cell.value) for cell in column.cells)]))
    return "\n".join(parts).replace("\u00a0", " ")


# ---- what it says --------------------------------------------------------------------


def test_every_part_is_there_in_its_order(made):
    assert re.findall(r"<h2[^>]*>(.*?)</h2>", made.text) == [
        heading.replace("'", "&#39;") for heading in HEADINGS
    ]
    assert [s.heading for s in made.document.sections] == HEADINGS


def test_figures_are_those_of_the_results(made, synthetic, original):
    correct = disclosure(synthetic, original, KEYS, "depress", compat="corrected")
    share = correct.shares[0]["DiSCO"]
    assert (share.numerator, round(share.percent, 1)) == (477, 9.5)
    assert (
        "Of 5,000 people, 477 (9.5 %) have a depression score that the synthetic data reveal"
        " correctly to somebody who knows sex, age, region and placesize (DiSCO)."
    ) in text_of(made)
    unique = correct.shares[0]["repU"].numerator
    assert f"for {unique} ({correct.repU:.1f} %) the synthetic data also hold" in text_of(made)


def test_the_table_of_targets_has_numerators_and_denominators(made):
    (found,) = [s for s in made.document.sections if s.heading == "Risk of each target"]
    table = next(block for block in found.blocks if isinstance(block, Table))
    columns = {c.name: [cell.value for cell in c.cells] for c in table.columns}
    assert columns["target"] == ["workab", "marital", "ls", "depress", "income"]
    assert columns["people disclosed (DiSCO)"] == [2605, 1759, 689, 477, 245]
    assert columns["certain about (DiS), people"] == [2871, 2447, 1787, 1709, 1574]
    assert np.round(columns["of these correct (TCAP_DiS), %"][3], 2) == 27.91
    assert "5,000 people" in words_text(table.caption)


def test_keys_are_searched(made):
    said = section(made, "Which keys are dangerous")
    assert "15 sets" in said and "sex, age, region, placesize" in said.replace("\n", " ")
    assert "Smallest sets that reveal ls of at least 5 %" in said


def test_utility_stands_beside_risk_and_is_no_score(made, synthetic, original):
    said = section(made, "Utility beside risk")
    tables = table_utility(synthetic, original)
    scores = propensity_utility(synthetic, original)
    assert str(tables.mean(order=1)) in said and str(tables.mean(order=2)) in said
    assert str(scores.S_pMSE) in said and str(scores.pMSE) in said
    assert "are not combined: people" in said and "score" not in said.replace(
        "propensity scores", ""
    )


def test_without_a_holdout_it_says_how_to_have_one(made):
    said = section(made, HEADINGS[4])
    assert "no holdout was given" in said and "report(..., holdout=" in said
    assert "baseCAPd" in said


def test_definitions_are_those_of_the_registry(made):
    said = section(made, "Appendix B: definitions")
    assert "sum of d where ps = 1 / Nd" in said and "DiSCO / DiS" in said and "S_pMSE" in said


def test_what_no_release_changes_is_not_called_riskier(made):
    said = section(made, "Risk of each target")
    assert "every column" not in said
    assert "Dorig) and a guess without keys (baseCAPd) are the same for every release" in said


@pytest.fixture(scope="module")
def labelled():
    """Two columns that decide a third; -8 is a code."""
    people = pd.DataFrame({"yr": [1, 2, 3, 4] * 10, "inc": [10, 20, 30, -8] * 10})
    people["job"] = list("abcd") * 10
    return report(
        [people, people],
        people,
        keys=["yr", "inc"],
        targets=["job"],
        labels={"yr": "year of birth", "job": "occupation", "inc": "income"},
        usetargetsNA=False,
        not_targetslev={"job": "a"},
        cont_na={"inc": -8},
        ngroups_keys=2,
        path=None,
        format="md",
        min_cell=0,
    )


def test_labels_are_in_captions_and_sentences_alike(labelled):
    assert "Attribute risk from keys year of birth, income; " in labelled.text
    assert re.search(r"(year of birth|income) adds most to UiO: ", labelled.text)
    assert "guesses from the distribution of occupation alone" in labelled.text
    assert "| DiSCO of occupation |" in labelled.text
    assert "For occupation: 10 people (" in labelled.text
    assert "year of birth (about 2)" in labelled.text


def test_special_values_are_part_of_what_was_asked(labelled, made):
    said = "Special values (cont_na), which count as levels, not as numbers: -8 in income."
    assert said in section(labelled, "What was asked")
    assert said in section(made, "What was asked")  # the synthesis brings it
    assert "Special values" not in section(_without_special_values(), "What was asked")


def _without_special_values():
    people = pd.DataFrame({"town": list("ab") * 10, "job": list("xy") * 10})
    return report(people, people, keys=["town"], targets=["job"], path=None, format="md")


def test_the_worst_targets_have_funnels(made):
    assert made.text.count("<svg") == 5  # targets, three funnels, pairs of keys
    assert "From all records to those whose workab can be learnt" in made.text


def test_the_checks_are_told_in_words(made):
    said = section(made, "What may be common knowledge")
    assert "For workab: of 2,605 people disclosed 2,482 (95.3 %) have the value NO" in said
    assert "For 88.2 % of the 2,389 people whose placesize is RURAL AREAS, workab is NO." in said


def test_r_figures_are_in_the_appendix_corrected_first():
    """The synthetic data lack an hour, so that R compares other hours with each other (D1)."""
    people = pd.DataFrame({"town": list("abcd") * 50, "hours": [8, 9, 10, 11] * 50})
    fake = people[people["hours"] != 8]
    with pytest.warns(RDefectWarning):
        r = disclosure(fake, people, ["town"], "hours", print_flag=False)
    assert (r.DiSCO, r.corrected.DiSCO) == (0, 75)
    told = report(fake, people, keys=["town"], targets=["hours"], path=None, format="md").text
    body, appendix = told.split("## Appendix A")
    assert "150 (75.0" in body
    assert re.search(r"\| hours \| DiSCO \| 75(\.0+)? \| 0(\.0+)? \| D1 \|", appendix)
    assert "D1, tables compared by position" in appendix


def test_several_syntheses_have_mean_and_range(original):
    columns = [*KEYS, "depress", "ls"]
    five = [frame[columns] for frame in datasets.load_synthesis("SD2011_s5").syn]
    original = original[columns]
    told = report(five, original, keys=KEYS, path=None, format="md").text
    values = disclosure(five, original, KEYS, "depress", compat="corrected")["DiSCO"]
    row = f"| DiSCO of depress | {values.mean():.2f} | {values.min():.2f} | {values.max():.2f} |"
    assert row in told and "means of 5 syntheses" in told


def test_exclusions_say_how_many_they_leave_out(synthetic, original):
    told = report(
        synthetic,
        original,
        keys=KEYS,
        targets=["workab", "depress"],
        not_targetslev={"workab": "NO"},
        usetargetsNA=False,
        ngroups_keys=5,
        path=None,
        format="md",
    ).text
    reasons = "(target level in not_targetlev NO: 4,432; target missing: 438)"
    assert f"workab: 4,870 people {reasons}" in told
    assert "depress: 89 people (target missing: 89)" in told
    assert "Grouped into classes of about equal numbers of people: age (about 5)." in told


# ---- keys nobody named ---------------------------------------------------------------


def test_without_keys_the_riskiest_set_is_reported(synthetic, original):
    made = report(synthetic, original, targets=["depress"], path=None, format="md")
    searched = made.evidence.searched
    assert made.evidence.keys_searched and set(searched.candidates) >= {"sex", "age", "income"}
    assert set(made.evidence.keys) == set(searched.table["keys"].iloc[0])
    assert "No keys were named" in made.text


def test_an_identifier_is_no_key():
    people = pd.DataFrame(
        {"id": range(60), "sex": ["f", "m"] * 30, "town": list("abc") * 20, "job": ["x"] * 60}
    )
    made = report(people, people, targets=["job"], path=None, format="md")
    assert made.evidence.identifiers == ("id",) and "id" not in made.evidence.keys
    assert "they differ for everyone" in made.text
    named = report(people, people, keys=["id", "sex"], targets=["job"], path=None, format="md")
    assert "**Different for everyone: id." in named.text


# ---- from results --------------------------------------------------------------------


def test_levels_of_a_pair_may_have_a_bar():
    """All 30 people in town A|B have job x|y, and nobody else has it."""
    towns = pd.DataFrame(
        {"town": ["A|B"] * 30 + ["C"] * 30, "job": ["x|y"] * 30 + ["u"] * 15 + ["w"] * 15}
    )
    asked = {"keys": ["town"], "targets": ["job"], "path": None, "format": "md", "min_cell": 0}
    told = section(report(towns, towns, **asked), "What may be common knowledge")
    assert "30 people whose town is A|B, job is x|y." in told


def test_nearly_sure_is_said():
    """Of 20 people in each town 19 have the same job: nobody is certain, everybody nearly sure."""
    towns = pd.DataFrame({"town": list("AB") * 20, "job": [*"xy" * 19, "y", "x"]})
    asked = {"keys": ["town"], "targets": ["job"], "path": None, "format": "md", "min_cell": 0}
    made = report(towns, towns, certainty=0.9, **asked)
    text = text_of(made)
    assert "Of 40 people, 38 (95.0 %) have a value of job" in text
    assert "nearly sure of the value of 40 people" in text
    assert text.count("at least 90 % of the records with the same keys") == 2
    # the search counts what is certain, and would contradict the answer
    assert "DiSCO" not in section(made, "Which keys are dangerous")
    assert "R counts what is certain and nothing else" in text
    assert "early sure" not in report(towns, towns, **asked).text


def test_a_sentence_of_which_both_figures_are_hidden_is_not_said():
    """All 40 people are disclosed: that nobody is wrong states everyone's job, so it is hidden."""
    towns = pd.DataFrame({"town": list("AB") * 20, "job": list("xy") * 20})
    asked = {"keys": ["town"], "targets": ["job"], "path": None, "format": "md"}
    told = section(report(towns, towns, **asked), "The answer")
    assert "how often correct (precision, TCAP_DiS), is hidden here." in told
    assert "They would be" not in told
    told = section(report(towns, towns, min_cell=0, **asked), "The answer")
    assert "They would be certain of the value of 40 people, and correct for 100.0" in told


def test_from_a_result(synthetic, original):
    result = multi_disclosure(synthetic, original, KEYS, ["depress", "ls"], print_flag=False)
    search = key_risk(synthetic, original, KEYS)
    tables = table_utility(synthetic, original)
    made = report(result, key_search=search, utility=tables, path=None, format="md")
    from_data = report(synthetic, original, keys=KEYS, targets=["depress", "ls"], path=None)
    assert section(made, "The answer") == section(from_data, "The answer")
    assert "15 sets" in made.text and str(round(tables.mean(order=1), 4)) in made.text
    assert "No propensity scores. It needs the data" in made.text


def test_from_a_result_of_one_target(synthetic, original):
    result = disclosure(synthetic, original, KEYS, "depress", compat="corrected", print_flag=False)
    made = report(result, path=None, format="md")
    assert "477 (9.5" in made.text and "R's figures were not computed" in made.text
    assert made.result is result


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"keys": ["sex"]}, "keys: cannot be given with a result"),
        ({"original": pd.DataFrame({"sex": ["f"]})}, "original: cannot be given with a result"),
        ({"ngroups_keys": 5}, "ngroups_keys: cannot be given with a result"),
        ({"key_search": 3}, "key_search: int is not what key_risk"),
        ({"utility": [3]}, "utility: int is not what table_utility"),
    ],
)
def test_what_does_not_go_with_a_result(synthetic, original, arguments, words):
    result = disclosure(synthetic, original, KEYS, "depress", print_flag=False)
    with pytest.raises(InputError, match=re.escape(words)):
        report(result, path=None, **arguments)


# ---- members and non-members ---------------------------------------------------------


@pytest.fixture(scope="module")
def with_holdout(original):
    """A copy of people, and others of the same population who were not copied."""
    people = original[[*KEYS[:3], "depress", "marital"]]
    members, others = people.iloc[:3500], people.iloc[3500:]
    copy = members.sample(frac=1, replace=True, random_state=1)
    ask = dict(keys=KEYS[:3], targets=["depress", "marital"], holdout=others)
    return report(copy, members, path=None, **ask)


def test_members_stand_beside_non_members(with_holdout):
    said = section(with_holdout, HEADINGS[4])
    frame = with_holdout.result.baseline
    row = frame[(frame["target"] == "depress") & (frame["measure"] == "DiSCO")].iloc[0]
    assert row["difference"] > 1
    assert (
        f"For depress: of 3,500 members {row['members']:.1f} % have a value that is revealed"
        f" correctly, and of 1,500 non-members {row['non_members']:.1f} %. Being in the data adds"
        f" {row['difference']:.1f} percentage points ({row['lower']:.1f} to {row['upper']:.1f}"
    ) in said
    assert "more than chance (p below 0.001)" in said
    assert "TCAP_DiS" in said and "no holdout was given" not in said
    assert "holdout=..." in text_of(with_holdout)


def test_the_funnel_has_non_members(with_holdout):
    assert "non-members" in " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", with_holdout.text))
    assert with_holdout.audit.passed


def test_chance_is_called_so():
    assert "It may be chance" in chance_words(0.4) and "more than chance" in chance_words(0.01)
    assert chance_words(float("nan")) == ""


def test_few_non_members_are_hidden_and_so_is_the_difference(original):
    """Seven of 1,500 non-members are found and disclosed."""
    people = original[["sex", "age", "depress"]].iloc[:1500].reset_index(drop=True)
    members = people.assign(sex="A", depress=1)
    others = people.assign(sex="B")
    others.loc[:6, ["sex", "depress"]] = ["A", 1]
    others.loc[7:99, "sex"] = "A"
    others.loc[7:99, "depress"] = 2
    ask = dict(keys=["sex"], targets=["depress"], holdout=others, path=None, format="md")
    limited = report(members, members, **ask)
    everything = report(members, members, min_cell=0, **ask)
    assert "0.47" in section(everything, HEADINGS[4])  # 7 of 1,500
    said = section(limited, HEADINGS[4])
    assert "0.47" not in said and "99.5" not in said and limited.audit.passed


# ---- small cells ---------------------------------------------------------------------

FEW = 997  # a prime number, so that no two counts have the same percentage


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
        }
    )
    people.loc[:2, ["town", "job"]] = ["Zton", "zebrakeeper"]
    people.loc[3:9, ["town", "age", "wage"]] = ["Office", 25, "highest"]
    people.loc[10, "age"] = 71
    people.loc[11, "age"] = 72
    people.loc[20:150, ["town", "job"]] = ["Bakery", "baker"]
    return people


SMALL = dict(keys=["town", "age"], targets=["job", "wage"], thresh_2way=(0, 50), date="2026-11-17")


@pytest.fixture(scope="module")
def reports(few_people) -> dict[tuple[str, int], Report]:
    """In every format, with the rule and without."""
    made = {}
    for kind in ("html", "md", "json"):
        for least in (0, 10):
            made[kind, least] = report(
                few_people, few_people, path=None, format=kind, min_cell=least, **SMALL
            )
    return made


def read(made_report: Report) -> str:
    """What a reader sees, without colours and places of what is drawn."""
    return text_of(made_report) if made_report.format == "html" else made_report.text


def small_figures() -> Iterator[re.Pattern[str]]:
    """Percentages of 1 to 9 of 997, rounded to two decimals or not at all."""
    for n in range(1, 10):
        rounded, whole = f"{100 * n / FEW:.2f}", f"{100 * n / FEW:.7f}"
        yield re.compile(rf"(?<![\d.])(?:{re.escape(rounded)}(?!\d)|{re.escape(whole[:-2])})")


@pytest.mark.parametrize("kind", ["html", "md", "json"])
def test_no_percentage_of_few_people_is_shown(reports, kind):
    limited, everything = reports[kind, 10], reports[kind, 0]
    assert limited.audit.passed and limited.audit.small > 3
    assert [p.pattern for p in small_figures() if p.search(read(limited))] == []
    assert any(pattern.search(read(everything)) for pattern in small_figures())


def test_no_count_of_few_people_is_in_a_table(reports):
    """Of the columns that count people; sizes of sets of keys and numbers of pairs do not."""
    limited = json.loads(reports["json", 10].text)
    everything = json.loads(reports["json", 0].text)
    assert set(range(1, 10)) & set(people_counts(everything))
    assert not set(range(1, 10)) & set(people_counts(limited))
    assert limited["hidden"] and limited["min_cell"] == 10


def people_counts(content: dict) -> Iterator[float]:
    for part in content["sections"]:
        for block in part["blocks"]:
            for name, values in zip(block.get("columns", ()), block.get("values", ())):
                if "people" in name:
                    yield from (value for value in values if isinstance(value, (int, float)))


def test_no_sentence_counts_few_people(reports):
    few = re.compile(r"(?<![\d.,/])[1-9] (\([\d.]+\s%|people|of those disclosed|of the )")
    assert few.search(reports["md", 10].text) is None
    assert few.search(reports["md", 0].text) is not None


@pytest.mark.parametrize("kind", ["html", "md", "json"])
def test_names_of_rare_levels_are_not_printed(reports, kind):
    limited, everything = reports[kind, 10].text, reports[kind, 0].text
    assert "zebrakeeper" not in limited and "Zton" not in limited and "Office" not in limited
    assert "Bakery" in limited  # 131 people, nearly all of whom bake
    assert "zebrakeeper" in everything or "Office" in everything


def test_a_rare_level_that_was_left_out_is_not_named(few_people):
    made = report(
        few_people,
        few_people,
        path=None,
        format="md",
        not_targetslev={"job": "zebrakeeper"},
        **SMALL,
    )
    assert "zebrakeeper" not in made.text and "not_targetslev=..." in made.text


def test_pictures_hide_what_the_page_hides(reports):
    made = reports["html", 10]
    drawn = " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", made.text))
    assert any(cell.hidden for cell in cells_of(made.document)) and "hidden" in drawn
    assert not any(pattern.search(drawn) for pattern in small_figures())


def test_a_picture_hides_what_is_hidden_elsewhere_for_the_sake_of_others(synthetic, original):
    result = disclosure(synthetic, original, KEYS, "depress", compat="corrected", print_flag=False)
    disclosed = people_of(result)[0].of("DiSCO").name
    shown = plot_funnel(result, also_hidden=frozenset([disclosed]))
    words = [text.get_text() for text in shown.texts]
    assert "hidden" in words and not any(text.startswith("477") for text in words)


def test_everything_is_shown_on_request_and_said_so(reports):
    made = reports["html", 0]
    assert made.audit.small == 0 and "Nothing is hidden (min_cell=0)" in made.text


def test_what_remains_is_said(made):
    said = section(made, "What is hidden here, and what remains")
    for word in ("Precision.", "Group disclosure.", "Two reports compared."):
        assert word in said


# ---- secrets -------------------------------------------------------------------------


def test_no_path_and_no_seed_in_it(tmp_path, original, synthetic):
    folder = tmp_path / "secret-folder"
    folder.mkdir()
    columns = [*KEYS, "depress"]
    original[columns].head(500).to_csv(folder / "original.csv", index=False)
    synthetic.syn[0][columns].head(500).to_csv(folder / "synthetic.csv", index=False)
    made = report(
        str(folder / "synthetic.csv"),
        str(folder / "original.csv"),
        keys=KEYS,
        targets=["depress"],
        path=folder / "report.html",
    )
    told = made.text + repr(made)
    assert "secret-folder" not in told and ".csv" not in told and str(tmp_path) not in told
    assert "report(synthetic, original, keys=" in text_of(made)
    assert "seed=" not in told


def test_the_synthetic_data_have_a_fingerprint_and_the_original_on_request(synthetic, original):
    ask = dict(keys=KEYS, targets=["depress"], path=None, format="md")
    limited = report(synthetic, original, **ask)
    (synthetic_digest,) = limited.evidence.summary.to_dict()["fingerprint"]["synthetic"]
    content = limited.evidence.summary.to_dict(original_fingerprint=True)["fingerprint"]
    assert synthetic_digest in limited.text and content["original"] not in limited.text
    asked = report(synthetic, original, original_fingerprint=True, min_cell=0, **ask)
    assert content["original"] in asked.text
    with pytest.raises(InputError, match="original_fingerprint: cannot be used with min_cell=10"):
        report(synthetic, original, original_fingerprint=True, **ask)


# ---- the same page twice -------------------------------------------------------------


def test_it_is_the_same_at_every_run(made, synthetic, original):
    labels = {"depress": "depression score"}
    again = report(synthetic, original, keys=KEYS, labels=labels, path=None, date="2026-11-17")
    assert again.content == made.content


def test_the_date_is_that_of_the_build(synthetic, original, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    result = disclosure(synthetic, original, KEYS, "depress", print_flag=False)
    assert "Date: 1970-01-02." in report(result, path=None, format="md").text
    assert "Date: 2001-02-03." in report(result, path=None, format="md", date="2001-02-03").text
    with pytest.raises(InputError, match="date: 'soon' is not a date"):
        report(result, path=None, date="soon")


def test_one_small_file_without_scripts_or_addresses(made):
    assert len(made.content) < 1_000_000
    addresses = set(re.findall(r"https?://[^\s\"'<]+", made.text))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert "<script" not in made.text and "<link" not in made.text and "@import" not in made.text


# ---- files ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def quick(synthetic, original):
    return disclosure(synthetic, original, KEYS, "depress", compat="corrected", print_flag=False)


@pytest.mark.parametrize("name", ["a.html", "a.HTM", "a.md", "a.json"])
def test_the_name_says_the_format(quick, tmp_path, name):
    made = report(quick, path=tmp_path / name)
    assert made.path == tmp_path / name and made.path.read_bytes() == made.content
    assert os.listdir(tmp_path) == [name]
    if name.endswith("json"):
        assert json.loads(made.text)["what"] == "synthpop_py.report"


def test_a_format_alone_changes_the_default_name(quick, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert report(quick, format="md").path == Path("report.md")
    assert report(quick).path == Path("report.html")
    assert sorted(os.listdir()) == ["report.html", "report.md"]


def test_a_name_that_says_nothing_takes_the_format(quick, tmp_path):
    assert report(quick, path=tmp_path / "about", format="md").path == tmp_path / "about"
    assert os.listdir(tmp_path) == ["about"]


def test_what_is_there_is_not_overwritten(quick, tmp_path):
    path = tmp_path / "report.md"
    path.write_text("precious")
    with pytest.raises(InputError, match="exists; give another name, or force=True"):
        report(quick, path=path)
    assert path.read_text() == "precious"
    report(quick, path=path, force=True)
    assert "477" in path.read_text()


@pytest.mark.parametrize(
    "name, words",
    [
        ("nowhere/report.html", "the folder of .* does not exist"),
        ("folder.html", "is a folder"),
        ("people.csv", "does not say what to write; end it in .html, .md, .json, .pdf"),
    ],
)
def test_where_nothing_can_be_written(quick, tmp_path, name, words):
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(InputError, match=words):
        report(quick, path=tmp_path / name)
    assert os.listdir(tmp_path) == ["folder.html"]


def test_a_name_and_a_format_that_disagree(quick, tmp_path):
    with pytest.raises(InputError, match=r"does not fit format='md'; end it in \.md"):
        report(quick, path=tmp_path / "a.html", format="md")
    with pytest.raises(InputError, match="format: 'docx' is unknown; choices: 'html', 'md'"):
        report(quick, path=None, format="docx")


def test_a_folder_without_right_to_write(quick, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(InputError, match="is not writable"):
        report(quick, path=tmp_path / "a.html")
    assert os.listdir(tmp_path) == []


def test_a_disk_that_is_full_leaves_nothing_behind(quick, tmp_path, monkeypatch):
    def full(self, content):
        raise OSError(28, "No space left on device")

    (tmp_path / "a.html").write_text("old")
    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(InputError, match="cannot be written: No space left on device"):
        report(quick, path=tmp_path / "a.html", force=True)
    assert os.listdir(tmp_path) == ["a.html"] and (tmp_path / "a.html").read_text() == "old"


def test_a_wrong_call_writes_nothing(synthetic, original, tmp_path):
    with pytest.raises(InputError, match="keys: 'agee' is not a column"):
        report(synthetic, original, keys=["agee"], path=tmp_path / "a.html")
    with pytest.raises(InputError, match="original: is not given"):
        report(synthetic, path=tmp_path / "a.html")
    assert os.listdir(tmp_path) == []


# ---- what is not installed -----------------------------------------------------------


def test_without_chromium_a_pdf_is_a_sentence(quick, tmp_path, monkeypatch):
    monkeypatch.setattr(pdf, "find_browser", lambda: None)
    with pytest.raises(SynthpopError, match="'pdf' needs Chromium or Chrome"):
        report(quick, path=tmp_path / "a.pdf")
    assert os.listdir(tmp_path) == []


def test_a_browser_that_prints_nothing(quick, tmp_path, monkeypatch):
    monkeypatch.setattr(pdf, "find_browser", lambda: "/bin/true")
    with pytest.raises(SynthpopError, match="'pdf' failed: true printed nothing"):
        report(quick, path=tmp_path / "a.pdf")
    assert os.listdir(tmp_path) == []


def test_jinja_is_asked_for_only_by_pages():
    """Markdown needs neither Jinja2 nor matplotlib; a page without Jinja2 is a sentence."""
    program = """
import sys
sys.modules["jinja2"] = sys.modules["matplotlib"] = None
from synthpop_py import datasets, disclosure, report, SynthpopError
people = datasets.load("SD2011").head(100)
result = disclosure(people, people, ["sex", "age"], "marital", print_flag=False)
report(result, path=None, format="md")
try:
    report(result, path=None)
except SynthpopError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Jinja2, which is not installed" in done.stdout
    assert "pip install 'synthpop-disclosure[report]'" in done.stdout


def test_the_room_does_not_hide_the_function():
    import inspect

    import synthpop_py
    import synthpop_py.report.api

    assert inspect.isfunction(synthpop_py.report)


# ---- what subtraction would tell -----------------------------------------------------


@pytest.fixture(scope="module")
def few_men():
    """400 people: 5 men, all of them ill, and 395 women, 13 of whom are. That 382 of 400 are well,
    and 382 of 395 women, would tell all about the men.
    """
    rng = np.random.default_rng(8)
    people = pd.DataFrame({"sex": ["F"] * 395 + ["M"] * 5, "zip": rng.integers(0, 30, 400)})
    people["ill"] = ["yes"] * 13 + ["no"] * 382 + ["yes"] * 5
    return people


def checks_of(people, targets, **options):
    made = report(people, people, targets=targets, path=None, format="md", **options)
    assert made.audit.passed
    return section(made, "What may be common knowledge")


def test_a_level_and_a_pair_do_not_give_away_the_others(few_men):
    open_to_all = checks_of(few_men, ["ill"], keys=["sex", "zip"], min_cell=0)
    assert "and so have 95.5 % of all people" in open_to_all
    assert "For 96.7 % of the 395 people whose sex is F, ill is no." in open_to_all
    said = checks_of(few_men, ["ill"], keys=["sex", "zip"])
    assert "395" not in said and "96.7" not in said


def test_the_guess_without_keys_does_not_tell_how_many_have_a_level(few_men):
    """382 of 400 are well, and so (382 / 400)^2 + (18 / 400)^2 = 91.405 % guess correctly."""
    made = report(few_men, few_men, keys=["sex", "zip"], targets=["ill"], path=None, format="json")
    level_is_told = "95.5 %" in made.text.replace("\u00a0", " ")
    assert level_is_told or "91.4" not in made.text


def test_three_levels_of_a_key_do_not_give_away_the_fourth():
    """Of 60 ill people 20, 18 and 16 live in a, b and c, and 6, by subtraction, in d."""
    ill = {"a": 20, "b": 18, "c": 16, "d": 6}
    rows = []
    for town, n in ill.items():
        rows += [(town, "yes", "x")] * n + [(town, "no", f"y{i % 5}") for i in range(200 - n)]
    people = pd.DataFrame(rows, columns=["town", "ill", "kind"])
    result = disclosure(people, people, keys=["town", "kind"], target="ill", compat="corrected")
    (everything,) = result.to_dict()["check_2way"]
    (limited,) = result.to_dict(min_cell=10)["check_2way"]
    assert everything["values"][0][:4] == ["no|d", "no|c", "no|b", "no|a"]
    assert everything["values"][-1][:4] == [97.0, 92.0, 91.0, 90.0]
    assert limited["values"][-1][:4] == [None, 92.0, 91.0, None]


def test_people_with_a_pair_are_told_for_what_they_are(few_men):
    """The check of pairs looks at groups of more than four with the same keys only."""
    said = checks_of(few_men, ["ill"], keys=["sex", "zip"], min_cell=0)
    assert "Of those disclosed in groups of more than 4 with the same keys, " in said


def test_means_of_syntheses_are_numbers_one_can_read(few_men):
    other = few_men.assign(ill=few_men["ill"].sample(frac=1, random_state=3).to_numpy())
    releases = [few_men, few_men, other]
    made = report(
        releases, few_men, keys=["zip"], targets=["ill"], path=None, format="md", min_cell=0
    )
    assert "about about" not in made.text
    assert "(synthesis 1)" in section(made, "What may be common knowledge")
    risks = made.text.partition("## Risk of each target")[2].partition("## From everybody")[0]
    assert re.search(r"\| \d+\.\d \|", risks) and re.search(r"\d\.\d{3,}", risks) is None


def test_means_over_syntheses_say_how_they_are_made(few_men):
    """R adjusts the levels of the first synthesis, and then uses no other (D28)."""
    lacking = few_men[few_men["zip"] != 7]
    made = report(
        [lacking, few_men], few_men, keys=["zip"], targets=["ill"], holdout=few_men.head(100),
        path=None, format="md", min_cell=0,
    )  # fmt: skip
    assert "TCAP is here a ratio of means" in made.text
    rows = re.findall(r"^\| ill \| \w+ \| .*$", made.text.partition("## Appendix A")[2], re.M)
    assert rows and all("D28" in row for row in rows)
