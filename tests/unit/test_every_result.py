"""Every result has the same methods, and keeps the same rules in all of them."""

from __future__ import annotations

import json
import re

import pytest

import synthpop_py
from synthpop_py.show import Drawn, Shown
from synthpop_py.show.audit import exposed
from synthpop_py.show.document import cells_of
from synthpop_py.show.plain import cells_within
from synthpop_py.show.small_cells import hidden_names, is_small
from tests.unit.every_result import EVIL, RESULTS, SEED, made

METHODS = ("to_dict", "to_json", "_repr_html_", "to_html", "to_markdown", "summary")
# results that state numbers of people, of whom some are few
ABOUT_FEW = (
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
    "IFPRCheck that fails",
    "RUMap",
    "TableUtility",
)

# docs/decisions/0009 says why not the others
FINGERPRINTED = (
    "Disclosure",
    "Disclosure with a defect",
    "Disclosure with a holdout",
    "MultiDisclosure",
    "MultiDisclosure with a holdout",
    "KeyRisk",
    "ReplicatedUniques",
    "SynDS",
    "SynorigComparison",
    "IdentificationRisk",
    "IFPRRelease",
    "RUMap",
    "TableUtility",
    "PropensityUtility",
    "EstimandOverlap",
)

every_result = pytest.mark.parametrize("name", RESULTS)


def test_no_kind_of_result_is_left_out():
    kinds = [*Shown.__subclasses__(), *Drawn.__subclasses__()]
    shown = {kind.__name__ for kind in kinds} - {"Example", "Drawn"}
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
    assert 1 <= len(made(name).summary().split("\n")) <= 5


@every_result
def test_a_dictionary_goes_through_json_unchanged(name):
    content = made(name).to_dict()
    assert json.loads(made(name).to_json()) == content
    assert content["what"] == f"synthpop_py.{type(made(name)).__name__}"
    assert content["version"] == synthpop_py.__version__
    assert (content["fingerprint"] is not None) is (name in FINGERPRINTED)
    assert isinstance(content["arguments"], dict) and isinstance(content["records"], dict)


@every_result
def test_nothing_tells_a_seed(name):
    result = made(name)
    texts = (result.to_json(), result.to_html(min_cell=0), result.to_markdown(min_cell=0))
    for text in (*texts, str(result)):
        assert "seed" not in text.lower() and str(SEED) not in text


@every_result
def test_html_is_escaped_and_has_no_script(name):
    result = made(name)
    for html in (result._repr_html_(), result.to_html(), result.to_html(min_cell=0)):
        assert "<script" not in html.lower()
        assert html.count("<table>") == html.count("<caption>")
        assert len(re.findall(r"<th(?! scope=)[ >]", html)) == 0
    assert "<script" not in result.to_markdown().lower()


def test_the_harmful_name_is_there_to_be_escaped():
    escaped = [name for name in RESULTS if "&lt;script&gt;" in made(name).to_html(min_cell=0)]
    assert len(escaped) >= 12 and EVIL in str(made("KeyRisk"))


@every_result
def test_a_page_is_one(name):
    page = made(name).to_html()
    assert page.startswith("<!DOCTYPE html>") and page.rstrip().endswith("</html>")
    assert page.count("<h1>") == 1 and "viewport" in page


# ---- small cells ---------------------------------------------------------------------


@every_result
def test_exports_hide_few_people_and_print_does_not(name):
    result = made(name)
    hides = name in ABOUT_FEW
    assert ("<em>hidden</em>" in result.to_html()) is hides
    assert ("*hidden*" in result.to_markdown()) is hides
    for text in (repr(result), str(result), result._repr_html_(), result.to_html(min_cell=0)):
        assert "hidden" not in text


@every_result
def test_a_dictionary_is_exact_unless_asked(name):
    result = made(name)
    assert "hidden" not in result.to_dict()
    limited = result.to_dict(min_cell=10)
    assert limited["min_cell"] == 10
    for pointer in limited["hidden"]:
        value = limited
        for step in pointer.split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            value = value[int(key)] if isinstance(value, list) else value[key]
        assert value is None
    if name in ABOUT_FEW:
        assert limited["hidden"]


@every_result
@pytest.mark.parametrize("where", ["document", "dictionary"])
def test_the_printed_sums_give_no_hidden_count_away(name, where):
    result = made(name)
    if where == "document":
        cells = list(cells_of(result._document()))
    else:
        cells = list(cells_within(result._header() | dict(result._content())))
    hidden = hidden_names(cells, result._relations(), 10)
    counts = {count.name: count for cell in cells for count in cell.people}
    for count in counts.values():
        assert count.name in hidden or not is_small(count, 10)
    holding = [r for r in result._relations() if _holds(r, counts)]
    assert exposed(counts, hidden, holding, 10) == {}


def _holds(relation, counts) -> bool:
    if any(name not in counts for _, name in relation.terms):
        return True
    total = sum(factor * counts[name].n for factor, name in relation.terms)
    return relation.low - 1e-6 <= total <= relation.high + 1e-6


@every_result
def test_a_name_stands_for_one_number(name):
    result = made(name)
    numbers: dict[str, float] = {}
    cells = [*cells_of(result._document()), *cells_within(dict(result._content()))]
    for cell in cells:
        for count in cell.people:
            assert numbers.setdefault(count.name, count.n) == pytest.approx(count.n), count.name
