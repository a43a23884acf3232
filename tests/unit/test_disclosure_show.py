"""Disclosure and MultiDisclosure: what exports hide, and dictionaries that cannot be read."""

from __future__ import annotations

import copy
import json

import numpy as np
import pandas as pd
import pytest

from synthpop_py import Disclosure, InputError, datasets, disclosure, multi_disclosure
from synthpop_py.disclosure.exclusions import COLUMNS
from synthpop_py.disclosure.people import people_of
from synthpop_py.disclosure.result_frames import LEVEL_FIELDS
from synthpop_py.disclosure.show import document
from synthpop_py.show.audit import exposed
from synthpop_py.show.document import cells_of
from synthpop_py.show.small_cells import hidden_names

KEYS = ["sex", "age", "region", "placesize"]


@pytest.fixture(scope="module")
def marital() -> Disclosure:
    return disclosure(
        datasets.load_synthesis("SD2011_s1"),
        datasets.load("SD2011"),
        KEYS,
        "marital",
        print_flag=False,
        compat="corrected",
        to_print=["ident", "attrib", "check_2way", "exclusions"],
    )


@pytest.fixture(scope="module")
def workab() -> Disclosure:
    """97 % of the people left out."""
    return disclosure(
        datasets.load_synthesis("SD2011_s1"),
        datasets.load("SD2011"),
        KEYS,
        "workab",
        not_targetlev="NO",
        usetargetNA=False,
        print_flag=False,
        compat="corrected",
        to_print=["attrib", "exclusions"],
    )


def rows(markdown: str, begins: str) -> list[list[str]]:
    lines = [line for line in markdown.split("\n") if line.startswith(f"| {begins}")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def test_pairs_that_state_everybody_s_value_are_hidden(marital):
    assert marital.check_2way[0].loc[6, ["key_target_total", "key_total"]].tolist() == [91, 92]
    shown = marital.to_markdown()
    (pair,) = rows(shown, "6 ")
    assert pair[4:] == ["*hidden*", "92", "*hidden*"] and "91 " not in "".join(pair)
    assert rows(marital.to_markdown(min_cell=0), "6 ")[0][4:6] == ["91", "92"]


def test_print_and_frames_show_what_r_shows(marital):
    assert "SINGLE|18" in str(marital) and "hidden" not in str(marital)


def test_a_small_count_is_hidden_in_every_table(workab):
    disclosed = workab.shares[0]["DiSCO"].numerator
    assert 0 < disclosed < 10
    shown = workab.to_markdown()
    (ledger,) = rows(shown, "DiSCO")
    assert ledger[-1] == "*hidden*" and f"{workab.attrib['DiSCO'][1]:.2f}" not in shown
    assert "For *hidden* of the original records the synthetic data reveal" in shown
    # what is large enough stays
    assert rows(shown, "original")[0][1:] == ["4432", "438", "0", "0", "0", "130"]


def test_an_export_says_that_records_were_left_out(workab):
    result = disclosure(
        datasets.load_synthesis("SD2011_s1"),
        datasets.load("SD2011"),
        KEYS,
        "workab",
        not_targetlev="NO",
        print_flag=False,
        compat="corrected",
    )
    for shown in (result._repr_html_(), result.to_html(), result.to_markdown()):
        assert (
            "Left out of attribute risk: 4432 of 5000 people (target level in not_targetlev 4432)"
            in shown
        )


def test_a_dictionary_is_exact_unless_asked(workab):
    exact, limited = workab.to_dict(), workab.to_dict(min_cell=10)
    assert "hidden" not in exact and limited["min_cell"] == 10
    assert limited["shares"][0]["DiSCO"] == [None, 5000]
    assert exact["shares"][0]["DiSCO"][0] == workab.shares[0]["DiSCO"].numerator
    assert "/shares/0/DiSCO/0" in limited["hidden"]
    for pointer in limited["hidden"]:
        value = limited
        for step in pointer.split("/")[1:]:
            value = value[int(step)] if isinstance(value, list) else value[step]
        assert value is None


def test_a_precision_that_is_certain_is_hidden():
    frame = datasets.load("SD2011").head(400)[["sex", "age", "marital"]]
    result = disclosure(
        frame, frame, ["sex", "age"], "marital", print_flag=False, to_print=["attrib", "allCAPs"]
    )
    # the release is the original: all that is certain is correct
    assert result.allCAPs.loc[1, "TCAP"] == 100
    shown = rows(result.to_markdown(), "1 ")
    assert shown[1][-1] == "*hidden*"
    dis, disco = shown[0][4], shown[0][5]
    assert "*hidden*" in (dis, disco)


def test_every_percentage_knows_its_people(marital):
    everything = document(marital, ("all", "check_1way", "check_2way", "exclusions"), 2)
    numbers = [cell for cell in cells_of(everything) if isinstance(cell.value, float)]
    without = [cell for cell in numbers if not cell.people]
    # UiS, Dsyn and CAPs are about synthetic records
    assert len(without) == 3


def test_a_summary_hides_means_and_what_they_are_means_of():
    people = datasets.load("SD2011").head(60)
    result = multi_disclosure(
        datasets.load_synthesis("SD2011_s5"),
        people,
        KEYS,
        ["marital", "ls"],
        print_flag=False,
        compat="corrected",
    )
    records = [row.attrib_syn * 0.6 for row in result.rows]
    assert records == pytest.approx([22.2, 8])
    shown = result.to_markdown()
    assert f"{result.rows[1].attrib_syn:.2f}" not in shown
    limited = result.to_dict(min_cell=10)
    assert limited["rows"][1]["attrib_syn"] is None
    single = limited["output_list"]["ls"]["shares"]
    # the 10 go with the small ones: DCAPd, which is no less, would leave the mean 7 values
    assert [shares["DiSCO"][0] for shares in single] == [11, None, None, None, None]


# ---- what other figures of the same document would give away --------------------------


def test_a_level_hides_the_few_without_it():
    number = np.arange(500)
    people = pd.DataFrame({"k": number, "t": np.where(number < 3, "rare", "x")})
    result = disclosure(
        people, people, ["k"], "t", print_flag=False, compat="corrected", to_print=["check_1way"]
    )
    (level,) = rows(result.to_markdown(), "x ")
    # Level, All, PctLevelAll, totalDisclosive, nLevelDis, PctLevelDis
    assert level[1:] == ["x", "500", "*hidden*", "500", "*hidden*", "*hidden*"]


def test_the_rest_of_the_disclosed_is_no_more_than_those_without_the_level():
    number = np.arange(500)
    # 12 without the level, of whom 3 are disclosed
    people = pd.DataFrame({"k": number, "t": np.where(number < 12, "rare", "x")})
    release = people.assign(t=np.where(number < 3, "rare", "x"))
    result = disclosure(
        release, people, ["k"], "t", print_flag=False, compat="corrected", to_print=["check_1way"]
    )
    (counts,) = result._sets
    assert counts.level is not None and counts.level.totalDisclosive - counts.level.nLevelDis == 3
    (level,) = rows(result.to_markdown(), "x ")
    assert level[5:] == ["*hidden*", "*hidden*"]
    assert exposed_counts(result) == {}


@pytest.fixture(scope="module")
def three_others() -> Disclosure:
    """Three of 1000 people have another value than the release has for everybody."""
    number = np.arange(1000)
    people = pd.DataFrame({"k": number // 20, "t": np.where(number < 997, "no", "yes")})
    return disclosure(
        people.assign(t="no"),
        people,
        ["k"],
        "t",
        print_flag=False,
        compat="corrected",
        to_print=["attrib", "allCAPs", "exclusions"],
    )


def test_expected_guesses_do_not_give_the_disclosed_away(three_others):
    assert three_others.attrib.loc[1, "DCAPd"] == three_others.attrib.loc[1, "DiSCO"]
    attrib, caps, *_ = rows(three_others.to_markdown(), "1 ")
    by_name = dict(zip(three_others.attrib.columns, attrib[1:]))
    by_name |= dict(zip(three_others.allCAPs.columns, caps[1:]))
    for name in ("DiSCO", "DCAPd", "DCAPb", "DCAPs", "mean_denom"):
        assert by_name[name] == "*hidden*", name
    assert exposed_counts(three_others) == {}


def test_a_guess_from_the_target_alone_hides_a_level_of_few(three_others):
    caps = rows(three_others.to_markdown(), "1 ")[1]
    assert caps[1] == "*hidden*" and three_others.allCAPs.columns[0] == "baseCAPd"
    shares = three_others.to_dict(min_cell=10)["shares"][0]
    assert shares["baseCAPd"][0] is None


def test_expected_guesses_lie_between_the_disclosed_and_the_found(marital):
    for people in people_of(marital):
        assert people.of("DiSCO").n <= people.of("DCAPd").n <= people.of("iS").n
        terms = [{name for _, name in r.terms} for r in people.relations()]
        assert any(people.of("DCAPd").name in names for names in terms)


def test_pairs_of_one_level_of_a_key_are_parts_of_it():
    people = pd.DataFrame(
        {
            "k": ["a"] * 20 + ["b"] * 80,
            "u": range(100),
            "t": ["yes"] * 11 + ["an"] * 9 + ["yes"] * 40 + ["an"] * 40,
        }
    )
    result = disclosure(
        people,
        people,
        ["k", "u"],
        "t",
        print_flag=False,
        compat="corrected",
        to_print="check_2way",
        thresh_2way=(0, 40),
    )
    shown = result.to_markdown()
    # of 20 people with a, 8 or more have each value: 5 numbers are left unless the 20 go too
    for pair in (*rows(shown, "3 "), *rows(shown, "1 ")):
        assert pair[4:] == ["*hidden*"] * 3
    assert rows(shown, "2 ")[0][4:] == ["40", "80", "50"]


def exposed_counts(result: Disclosure) -> dict:
    """What an attacker still pins down in an export."""
    counts = {}
    for cell in cells_of(result._document()):
        counts |= {count.name: count for count in cell.people}
    relations = result._relations()
    hidden = hidden_names(cells_of(result._document()), relations, 10)
    return exposed(counts, hidden, relations, 10)


# ---- dictionaries that no result made ------------------------------------------------


def change(path: str, value: object):
    """A function that puts a value into a dictionary."""

    def changed(content: dict) -> dict:
        *steps, last = path.split("/")
        place = content
        for step in steps:
            place = place[int(step)] if isinstance(place, list) else place[step]
        place[int(last) if isinstance(place, list) else last] = value
        return content

    return changed


def without(name: str):
    return lambda content: {key: value for key, value in content.items() if key != name}


def moved(synthesis: object, name: object, r: object):
    """A figure that a defect is said to have moved."""
    return change("defects", [{"id": "D1", "changes": [[synthesis, name, r, 1.0]]}])


def nested(content: dict, times: int) -> dict:
    for _ in range(times):
        content = content | {"corrected": content}
    return content


def circle(content: dict) -> dict:
    content["arguments"] = content
    return content


SHORT = {"index": ["original"], "columns": list(COLUMNS), "values": [[1]] * len(COLUMNS)}
LEVELS = {"index": [], "columns": list(LEVEL_FIELDS), "values": [[]] * len(LEVEL_FIELDS)}

BAD = {
    "not a dictionary": (lambda content: [1], "content: a list is not a dictionary"),
    "nothing": (lambda content: None, "content: a NoneType is not a dictionary"),
    "empty": (lambda content: {}, "content: what is None"),
    "another result": (change("what", "synthpop_py.KeyRisk"), "content: what is 'synthpop_py.Key"),
    "hidden": (change("hidden", ["/Norig"]), "content: hidden lists values"),
    "no such mode": (change("compat", "s"), "content: compat is 's', not one of 'r'"),
    "text for a count": (change("Norig", "x"), "content: Norig is 'x', a str"),
    "negative": (change("Norig", -1), "content: Norig is -1, not a whole number"),
    "truth for a count": (change("Norig", True), "content: Norig is True, a bool"),
    "no shares": (without("shares"), "content: shares is missing"),
    "shares lack one": (change("shares/0", {"UiO": [1, 2]}), "content: shares lacks UiS"),
    "shares of text": (change("shares/0/UiO", ["a", 2]), "shares holds 'a', which is not a number"),
    "shares alone": (change("shares/0/UiO", [1]), "has [1] for UiO, not two numbers"),
    "shares no dictionary": (change("shares/0", 3), "content: shares holds a int"),
    "too few checks": (change("check_1way", []), "check_1way has 0 entries, shares has 1"),
    "attrib no table": (change("attrib", {}), "content: attrib is not a table"),
    "attrib lacks": (change("attrib/columns/7", "x"), "attrib lacks the column max_denom"),
    "ledger cut": (
        change("Nexclusions/0/values/5", [1]),
        "a column that is not a list of 8 values",
    ),
    "ledger short": (change("Nexclusions/0", SHORT), "Nexclusions has 1 rows, not 8"),
    "ledger negative": (change("Nexclusions/0/values/5/0", -4), "Nexclusions is -4"),
    "no such defect": (change("defects", [{"id": "D999"}]), "content: defects holds"),
    "changes cut": (change("defects", [{"id": "D1", "changes": [[1]]}]), "not four values"),
    "corrected of another kind": (change("corrected", 3), "content: a int is not a dictionary"),
    "corrected twice": (
        lambda content: nested(content, 2),
        "corrected has its own corrected result",
    ),
    "names of columns": (change("attrib/columns/0", [1]), "attrib holds [1], which is not a text"),
    "a number for columns": (change("attrib/values", 1.5), "content: values is 1.5, a float"),
    "a number for a column": (
        change("attrib/values/0", 1),
        "attrib has a column that is not a list",
    ),
    "columns without names": (change("attrib/columns", ["x"]), "attrib has 1 names for 9 columns"),
    "a count beyond 64 bits": (change("Nexclusions/0/values/5/0", 2**63), "922337203685477580"),
    "a share beyond 64 bits": (change("shares/0/UiO", [10**400, 1]), "which is too large"),
    "no such measure": (
        change("shares/0/UiOx", [1, 2]),
        "shares has 'UiOx', which is not a measure",
    ),
    "a level without a row": (change("check_1way/0", LEVELS), "check_1way has 0 rows, not one"),
    "keys that name nothing": (change("keys/0", [1]), "keys holds [1], which names no column"),
    "a mode that is a list": (change("compat", ["r"]), "content: compat is ['r'], not one of"),
    "a defect that is a list": (change("defects", [{"id": []}]), "defects holds {'id': []}"),
    "a figure that is a number": (moved(1, 5, 0.0), "defects holds 5, which is not a text"),
    "a figure that nobody has": (moved(1, "UiOx", 0.0), "holds 'UiOx', which is not a figure"),
    "an exclusion that nobody has": (
        moved(1, "Nexclusions[x, y]", 0.0),
        "not a figure of a result",
    ),
    "a synthesis that is a text": (moved("1", "UiO", 0.0), "defects is '1', not a whole number"),
    "a figure that is a text": (moved(1, "UiO", "x"), "defects holds 'x', which is not a number"),
    "fingerprints": (
        change("fingerprint/synthetic", [3]),
        "fingerprint holds 3, which is not a text",
    ),
    "half a letter": (change("target", "\ud800"), "content: holds something that JSON cannot"),
    "an object": (change("call", object()), "content: holds something that JSON cannot"),
    "a circle": (lambda content: circle(content), "content: holds something that JSON cannot"),
}


@pytest.mark.parametrize("name", BAD)
def test_content_that_cannot_be_read(name, workab):
    make, message = BAD[name]
    content = make(copy.deepcopy(workab.to_dict()))
    with pytest.raises(InputError) as error:
        Disclosure.from_dict(content)
    assert message in str(error.value) and "Disclosure.to_dict()" in str(error.value)


@pytest.mark.parametrize("text", ["", "{", "[1, 2", None, "no"])
def test_text_that_is_no_json(text):
    with pytest.raises(InputError, match="text: is not JSON"):
        Disclosure.from_json(text)


def test_json_that_is_nested_too_deeply_is_refused():
    with pytest.raises(InputError, match="text: is nested too deeply"):
        Disclosure.from_json("[" * 100_000)


@pytest.mark.parametrize("digits, to_print", [(16, ["ident"]), (-1, ["ident"]), (2, ["nothing"])])
def test_what_no_call_allows_is_refused_in_a_dictionary_too(digits, to_print, workab):
    content = workab.to_dict() | {"digits": digits, "to_print": to_print}
    with pytest.raises(InputError, match=r"digits: |to_print: "):
        Disclosure.from_dict(content)


def test_a_limited_dictionary_is_refused_and_an_exact_one_read(workab):
    with pytest.raises(InputError, match="hidden lists values"):
        Disclosure.from_dict(workab.to_dict(min_cell=10))
    assert Disclosure.from_json(workab.to_json()).to_dict() == workab.to_dict()
    assert json.loads(workab.to_json()) == workab.to_dict()
