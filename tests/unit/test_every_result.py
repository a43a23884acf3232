"""Every result has the same methods, and keeps the same rules in all of them."""

from __future__ import annotations

import json
import re

import pytest

import synthpop_py
from synthpop_py.results import ByName
from synthpop_py.show.views import Drawn, Shown
from tests.unit.every_result import EVIL, RESULTS, SEED, made

METHODS = ("to_dict", "to_json", "_repr_html_", "to_html", "to_markdown", "summary")
# results about people: exact pages of them are marked
ABOUT_PEOPLE = (
    "Membership",
    "Disclosure",
    "Disclosure with a defect",
    "Disclosure with a holdout",
    "MultiDisclosure",
    "MultiDisclosure with a holdout",
    "ReplicatedUniques",
    "KeyRisk",
    "IdentificationRisk",
    "RiskUtilityByM",
    "IFPRRelease",
    "RUMap",
    "TableUtility",
    "PropensityUtility",
)

every_result = pytest.mark.parametrize("name", RESULTS)


def test_no_kind_of_result_is_left_out():
    kinds = [*Shown.__subclasses__(), *Drawn.__subclasses__(), *ByName.__subclasses__()]
    shown = {kind.__name__ for kind in kinds} - {"Example", "Drawn", "ByName"}
    assert shown == {type(made(name)).__name__ for name in RESULTS}


@every_result
def test_the_methods_are_inherited_and_give_texts(name):
    result = made(name)
    for method in METHODS:
        assert method not in vars(type(result))
        value = getattr(result, method)()
        assert isinstance(value, dict if method == "to_dict" else str) and value


@every_result
def test_no_printed_line_is_longer_than_100_characters(name):
    result = made(name)
    for text in (repr(result), str(result), result.summary()):
        assert text and max(map(len, text.split("\n"))) <= 100


@every_result
def test_a_summary_is_a_sentence_or_two(name):
    """After what is to be known of the data."""
    result = made(name)
    sentences = result.summary().split("\n\n", maxsplit=1 if result._notes() else 0)[-1]
    assert 1 <= len(sentences.split("\n")) <= 5


@every_result
def test_a_dictionary_goes_through_json_unchanged(name):
    content = made(name).to_dict()
    assert json.loads(made(name).to_json()) == content
    assert content["what"] == f"synthpop_py.{type(made(name)).__name__}"
    assert content["version"] == synthpop_py.__version__
    assert "fingerprint" not in content and "hidden" not in content
    assert isinstance(content["arguments"], dict) and isinstance(content["records"], dict)


@every_result
def test_nothing_tells_a_seed(name):
    result = made(name)
    texts = (result.to_json(), result.to_html(round_to=1), result.to_markdown(round_to=1))
    for text in (*texts, str(result)):
        assert "seed" not in text.lower() and str(SEED) not in text


@every_result
def test_html_is_escaped_and_has_no_script(name):
    result = made(name)
    for html in (result._repr_html_(), result.to_html(), result.to_html(round_to=1)):
        assert "<script" not in html.lower()
        assert html.count("<table>") == html.count("<caption>")
        assert len(re.findall(r"<th(?! scope=)[ >]", html)) == 0
    assert "<script" not in result.to_markdown().lower()


def test_the_harmful_name_is_there_to_be_escaped():
    escaped = [name for name in RESULTS if "&lt;script&gt;" in made(name).to_html(round_to=1)]
    assert len(escaped) >= 12 and EVIL in str(made("KeyRisk"))


@every_result
def test_a_page_is_one(name):
    page = made(name).to_html()
    assert page.startswith("<!DOCTYPE html>") and page.rstrip().endswith("</html>")
    assert page.count("<h1>") == 1 and "viewport" in page


# ---- for other people ----------------------------------------------------------------


@every_result
def test_exact_pages_about_people_are_marked(name):
    result = made(name)
    about_people = name in ABOUT_PEOPLE
    for exact in (result.to_html(round_to=1), result.to_markdown(round_to=1)):
        assert ("not for release" in exact) is about_people
    for rounded in (result.to_html(), result.to_markdown()):
        assert "not for release" not in rounded and "hidden" not in rounded
    if about_people:
        assert result.to_html() != result.to_html(round_to=1)


@every_result
def test_a_page_for_others_has_no_small_count_of_people(name):
    """1 to 9 people are "fewer than 5" or 10; figures with a decimal point are no counts."""
    if name in ABOUT_PEOPLE:
        cells = re.findall(r'<td class="number">([^<]*)</td>', made(name).to_html())
        people = [cell for cell in cells if re.fullmatch(r"[\d,]+", cell)]
        counts = [int(cell.replace(",", "")) for cell in people]
        # numbers of tables, sets and parameters are not about people
        if name not in ("TableUtility", "PropensityUtility", "RiskUtilityByM", "RUMap"):
            assert all(n % 5 == 0 for n in counts), counts  # means of two counts
