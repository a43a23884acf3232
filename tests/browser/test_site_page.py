"""The documentation site in a real browser: tables of figures fit beside the menu, and no page is
wider than a phone.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from .chromium import Page, page

# `make engines` has the time; `make test` is to stay short
pytestmark = pytest.mark.needs("chromium", "engines", "zensical")

ROOT = Path(__file__).resolve().parents[2]
PHONE, SMALL_LAPTOP, LAPTOP = 390, 1300, 1440
PAGES = ["adult-and-its-exclusions", "errata", "ifpr-maryland", "nearly-sure", "what-users-met"]
# tables scroll in a box of their own; what is wider than the box is out of sight
OUT_OF_SIGHT = """
[...document.querySelectorAll('.md-content table, .md-typeset__scrollwrap')]
  .filter(box => box.scrollWidth > box.clientWidth + 1)
  .map(box => box.textContent.trim().slice(0, 40))
"""
# a name in two boxes has been broken at the end of a line
BROKEN_NAMES = """
[...document.querySelectorAll('.md-content td:first-child code')]
  .filter(name => !name.textContent.includes(' ') && name.getClientRects().length > 1)
  .map(name => name.textContent)
"""
# a page that is itself wider than the screen moves sideways under the thumb
WIDTH = "document.documentElement.scrollWidth"


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Iterator[Page]:
    with page(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "site"
    command = [sys.executable, "docs/site.py", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def explanation(site) -> Path:
    return site / "explanation"


@pytest.mark.parametrize("name", PAGES)
def test_tables_fit_beside_the_menu(browser, explanation, name):
    browser.open(explanation / name / "index.html", LAPTOP)
    assert browser.evaluate(OUT_OF_SIGHT) == []


@pytest.mark.parametrize("name", PAGES)
def test_no_page_is_wider_than_a_phone(browser, explanation, name):
    browser.open(explanation / name / "index.html", PHONE)
    assert browser.evaluate(WIDTH) <= PHONE


@pytest.mark.parametrize("width", [PHONE, SMALL_LAPTOP])
@pytest.mark.parametrize("name", ["reference", "reference/api"])
def test_names_are_in_one_piece(browser, site, name, width):
    browser.open(site / name / "index.html", width)
    assert browser.evaluate(BROKEN_NAMES) == []
    assert browser.evaluate(WIDTH) <= width


@pytest.mark.parametrize("width", [PHONE, SMALL_LAPTOP])
def test_a_notebook_fits(browser, site, width):
    browser.open(site / "notebooks/5-risk-and-utility/index.html", width)
    assert browser.evaluate(WIDTH) <= width
    assert browser.evaluate("document.querySelectorAll('.md-content details pre').length") > 0
