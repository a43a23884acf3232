"""The page of what users met: every row says what happens now, and names what shows it; and the
phrases that they could not read have not come back.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = "docs/src/explanation/what-users-met.md"
NAMED_TEST = re.compile(r"`(test_[a-z0-9_]+)`")
FILE_OF_TESTS = re.compile(r"`(tests/[a-z0-9_/]+\.py)`")
SHOWN = re.compile(r"\]\(\S+\)|`[^`]+\.(?:py|md|sh|ipynb|toml|cff)`")

# decisions and this page quote what was met
TEXTS = [
    *ROOT.joinpath("synthpop_py").rglob("*.py"),
    *(p for p in ROOT.joinpath("docs", "src").rglob("*.md") if p != ROOT / PAGE),
    *ROOT.joinpath("notebooks", "src").rglob("*.md"),
    ROOT / "README.md",
]
# as a user read it, or wrongly said of the data
GONE = [
    "one row a synthesis",
    "a `RDefectWarning`",
    "a RDefectWarning",
    "right 4.64",
    "gives away, and rightly",
    "rightly read",
    "of the single ones, which together",
    "shows no risk, whatever the risk is",
    "is yours with a chance of",
    "Without brackets: one data set",
    "Something stands out for",
    "into about so many classes",
    "made real ones",
    "nought",
    "intends to work abroad",
    '8 is a code for "no answer"',
    "one pair of answers, accounts for",
    "stands behind most of it",
    "believes to have found",
    "does otherwise than R",
    "the synthetic data give away",
    "above so many",
    "Read it so",
    "leaves 0 out",
    "and rightly so",
    "whatever the risk is",
    "synthpop_py.RDefectWarning script.py",
]


def rows() -> list[list[str]]:
    lines = (ROOT / PAGE).read_text(encoding="utf-8").splitlines()
    tables = [line for line in lines if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in tables]
    return [row for row in cells if row[0] != "what they met"]


def test_every_row_says_what_happens_now_and_names_what_shows_it():
    assert len(rows()) > 50
    assert [row for row in rows() if len(row) != 3 or not all(row)] == []
    assert [row[0] for row in rows() if not SHOWN.search(row[2])] == []


def defined(files: list[str]) -> set[str]:
    """The tests in files."""
    texts = [(ROOT / file).read_text(encoding="utf-8") for file in files]
    return {name for text in texts for name in re.findall(r"^def (test_\w+)", text, re.MULTILINE)}


@pytest.mark.parametrize("shown", [row[2] for row in rows() if NAMED_TEST.search(row[2])])
def test_every_test_that_is_named_is_in_the_file_that_is_named(shown):
    named = set(NAMED_TEST.findall(shown))
    assert named - defined(FILE_OF_TESTS.findall(shown)) == set()


def words(path: Path) -> str:
    return " ".join(path.read_text(encoding="utf-8").split())


@pytest.mark.parametrize("phrase", GONE)
def test_a_phrase_that_nobody_understood_has_not_come_back(phrase):
    found = [path for path in TEXTS if phrase.lower() in words(path).lower()]
    assert [path.relative_to(ROOT).as_posix() for path in found] == []


def test_the_intruder_is_they():
    he = re.compile(r"intruder\b[^.;:]{0,120}\b(?:he|his|him)\b", re.IGNORECASE)
    found = [p.relative_to(ROOT).as_posix() for p in TEXTS if he.search(words(p))]
    assert found == []
