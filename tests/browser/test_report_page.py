"""The report in a real browser: markup in names stays text, nothing is asked of the network, it
fits a phone, and it can be read in the light, in the dark and on paper.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from synthpop_py import datasets, report
from synthpop_py.report import render

from .chromium import Page, page

# `make engines` has the time; `make test` is to stay short
pytestmark = pytest.mark.needs("chromium", "engines", "jinja2")

SCRIPT = "<script>document.title = 'owned'</script>"
IMAGE = "<img src=x onerror=\"document.title = 'owned'\">"
BREAKOUT = "</title></figure></svg><script>document.title = 'owned'</script>"
KEYS = ["sex", "age", "region", "placesize"]
LEAST_CONTRAST = 4.5

CONTRAST = """
(() => {
  const luminance = (rgb) => {
    const linear = (v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    const parts = rgb.map(v => linear(v / 255));
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const numbers = (text) => text.match(/[\\d.]+/g).map(Number);
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = numbers(getComputedStyle(e).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour.slice(0, 3);
    }
    return [255, 255, 255];
  };
  let least = 99;
  for (const e of document.querySelectorAll('h1,h2,p,th,td,caption,figcaption,span,footer')) {
    if (!e.textContent.trim()) continue;
    const ink = luminance(numbers(getComputedStyle(e).color)), paper = luminance(behind(e));
    least = Math.min(least, (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05));
  }
  return least;
})()
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Iterator[Page]:
    with page(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.fixture(scope="module")
def plain(tmp_path_factory) -> Path:
    """A report on SD2011, whose names are harmless."""
    original = datasets.load("SD2011")
    synthetic = datasets.load_synthesis("SD2011_s1")
    path = tmp_path_factory.mktemp("report") / "report.html"
    report(synthetic, original, KEYS, limits={"DiSCO": 5}, path=path)
    return path


@pytest.fixture(scope="module")
def hostile(tmp_path_factory) -> Path:
    """A report in which names of columns, levels and the title try to run a script."""
    people = datasets.load("SD2011").head(800)[["sex", "age", "region", "marital"]]
    marital = people["marital"].astype(str).where(people["age"] > 25, IMAGE)
    sex = people["sex"].astype(str).where(people["sex"] == "MALE", BREAKOUT)
    people = people.assign(marital=marital, sex=sex)
    people = people.rename(columns={"region": SCRIPT, "marital": BREAKOUT})
    path = tmp_path_factory.mktemp("hostile") / "report.html"
    report(
        people.sample(frac=1, random_state=1),
        people,
        keys=["sex", "age", SCRIPT],
        title=f"About {IMAGE}",
        labels={"age": SCRIPT},
        path=path,
    )
    return path


# ---- markup stays text ---------------------------------------------------------------


def test_markup_in_names_is_text(browser, hostile):
    browser.open(hostile)
    assert browser.evaluate("document.title") == f"About {IMAGE}"
    assert browser.evaluate("document.querySelectorAll('script, img, iframe, object').length") == 0
    assert browser.evaluate("document.querySelector('h1').textContent") == f"About {IMAGE}"
    shown = browser.evaluate("document.body.innerText")
    assert SCRIPT in shown and BREAKOUT in shown and IMAGE in shown


def test_the_elements_are_those_of_the_template_alone(browser, hostile):
    browser.open(hostile)
    attributes = browser.evaluate(
        "[...document.querySelectorAll('*')].flatMap(e => e.getAttributeNames())"
        ".filter(name => name.startsWith('on')).length"
    )
    assert attributes == 0


# ---- nothing from elsewhere ----------------------------------------------------------


@pytest.mark.parametrize("which", ["plain", "hostile"])
def test_nothing_is_asked_for_and_nothing_complained_about(browser, which, request):
    browser.messages.clear()
    browser.open(request.getfixturevalue(which))
    assert browser.messages == []


def test_a_complaint_would_be_seen(browser, tmp_path):
    path = tmp_path / "bad.html"
    path.write_text("<script>console.error('no')</script><img src='http://127.0.0.1:9/x.png'>")
    browser.messages.clear()
    browser.open(path)
    assert any('"no"' in message for message in browser.messages)
    assert "asked for http://127.0.0.1:9/x.png" in browser.messages


# ---- every reader --------------------------------------------------------------------


@pytest.mark.parametrize("width", [320, 360, 390, 768, 1200])
@pytest.mark.parametrize("which", ["plain", "hostile"])
def test_nothing_scrolls_sideways(browser, which, width, request):
    """Neither the page nor a table in it; on a phone every row of a table is a card."""
    browser.open(request.getfixturevalue(which), width, 800)
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    furthest = browser.evaluate(
        "Math.max(...[...document.querySelectorAll('h1,h2,p,th,td,figure')]"
        ".map(e => e.getBoundingClientRect().right))"
    )
    assert furthest <= width


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_words_stand_out(browser, plain, dark):
    browser.open(plain, dark=dark)
    assert browser.evaluate(CONTRAST) >= LEAST_CONTRAST
    paper = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") is not dark


def test_headings_go_down_one_level_at_a_time(browser, plain):
    browser.open(plain)
    levels = browser.evaluate(
        "[...document.querySelectorAll('h1,h2,h3,h4')].map(e => Number(e.tagName[1]))"
    )
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_tables_and_pictures_say_what_they_are(browser, plain):
    browser.open(plain)
    assert browser.evaluate("document.querySelectorAll('table').length") >= 6
    assert browser.evaluate("document.querySelectorAll('th:not([scope])').length") == 0
    pictures = browser.evaluate(
        "[...document.querySelectorAll('figure')].map(e => [e.getAttribute('role'),"
        " e.getAttribute('aria-label'), e.querySelectorAll('svg').length])"
    )
    assert len(pictures) == 5  # of the riskiest targets
    for role, label, bars in pictures:
        assert role == "img" and bars == 3
        assert "keys found 3,250 (65.0" in label and "the true one" in label


def test_bars_are_as_long_as_their_figures(browser, plain):
    browser.open(plain)
    bars = browser.evaluate(
        "[...document.querySelectorAll('.bar')].map(e => ["
        "e.querySelectorAll('rect')[1].getBoundingClientRect().width /"
        " e.querySelector('.track').getBoundingClientRect().width, e.lastChild.textContent])"
    )
    for length, text in bars:
        share = re.search(r"\(([\d.]+)", text)
        assert share is None or abs(100 * length - float(share[1])) < 0.5


def test_no_two_elements_have_one_name(browser, plain):
    browser.open(plain)
    names = browser.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(names) == len(set(names)) == 12


@pytest.mark.parametrize("width, dark", [(1200, False), (390, False), (1200, True)])
def test_a_picture_of_it_can_be_taken(browser, plain, width, dark):
    browser.open(plain, width, 900, dark=dark)
    picture = browser.screenshot()
    assert picture.startswith(b"\x89PNG") and len(picture) > 20_000


def test_what_explains_is_folded_and_can_be_opened(browser, plain):
    browser.open(plain)
    folded = "[...document.querySelectorAll('details')]"
    assert browser.evaluate(f"{folded}.map(e => e.open)") == [False, False]
    assert browser.evaluate(f"{folded}[0].querySelector('table').checkVisibility()") is False
    browser.evaluate(f"{folded}[0].querySelector('summary').click()")
    assert browser.evaluate(f"{folded}[0].querySelector('table').checkVisibility()") is True


def test_the_verdict_and_the_answer_come_first(browser, plain):
    browser.open(plain, 390, 844)
    first = browser.evaluate(
        "[...document.querySelectorAll('p')].filter("
        "e => e.getBoundingClientRect().bottom < 844).map(e => e.textContent).join(' ')"
    ).replace("\u00a0", " ")
    assert "Not within the limits: DiSCO 52.2 %, at most 5 % allowed." in first
    assert "learns the marital of 1,760 of 5,000 people (35.2 %)" in first
    assert "Yes: keys and targets have the same kinds of values" in first


# ---- paper ---------------------------------------------------------------------------


def test_it_is_printed_on_a4_and_the_first_page_decides(plain, tmp_path):
    made = render.printed(plain.read_text(encoding="utf-8"))
    assert made.startswith(b"%PDF")
    # A4 is 595 by 842 points
    boxes = re.findall(rb"/MediaBox ?\[0 0 ([\d.]+) ([\d.]+)\]", made)
    assert {(round(float(w)), round(float(h))) for w, h in boxes} == {(595, 842)}
    # what is behind the answer begins on the second page, and the answer needs no other
    assert 2 <= len(boxes) <= 4


def test_a_report_is_a_pdf(tmp_path):
    original = datasets.load("SD2011").head(500)[["sex", "age", "marital"]]
    made = report(original, original, ["sex", "age"], path=tmp_path / "report.pdf")
    assert made.format == "pdf" and (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")
