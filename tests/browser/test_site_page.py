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
PHONE, LAPTOP = 390, 1440
PAGES = ["adult-and-its-exclusions", "errata", "ifpr-maryland", "nearly-sure", "what-users-met"]
# tables scroll in a box of their own; what is wider than the box is out of sight
OUT_OF_SIGHT = """
[...document.querySelectorAll('.md-content table, .md-typeset__scrollwrap')]
  .filter(box => box.scrollWidth > box.clientWidth + 1)
  .map(box => box.textContent.trim().slice(0, 40))
"""
# a page that is itself wider than the screen moves sideways under the thumb
WIDTH = "document.documentElement.scrollWidth"


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Iterator[Page]:
    with page(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.fixture(scope="module")
def explanation(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "site"
    command = [sys.executable, "docs/site.py", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder / "explanation"


@pytest.mark.parametrize("name", PAGES)
def test_tables_fit_beside_the_menu(browser, explanation, name):
    browser.open(explanation / name / "index.html", LAPTOP)
    assert browser.evaluate(OUT_OF_SIGHT) == []


@pytest.mark.parametrize("name", PAGES)
def test_no_page_is_wider_than_a_phone(browser, explanation, name):
    browser.open(explanation / name / "index.html", PHONE)
    assert browser.evaluate(WIDTH) <= PHONE
