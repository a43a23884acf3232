"""Tests, code, pages and decisions cite papers, R and files of this repository, nothing else.

A reader who follows a citation must arrive. Why: docs/decisions/0025-print-and-table.md.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("synthpop_py", "tests", "docs", "r_reference", "scripts", "benchmarks", "examples")
CITED_TOO = ("fixtures", "notebooks")
AT_THE_TOP = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "Makefile")
ENDINGS = (".py", ".md", ".R", ".toml")

# a page, a note or a script of R, with the folders that are written before it
FILE = re.compile(r"(?<![\w./-])((?:[\w.-]+/)*[\w-][\w.-]*\.(?:md|R))\b(?!\()")
# folders of notes that lie beside the repository, and parts of notes that have no name
ELSEWHERE = (
    re.compile(r"(?<![\w-])(?:shared|findings)/[\w-]+"),
    re.compile(r"\bsections? [\d.]+(?: and [\d.]+)? of (?:the|our) (?:\w+ )?(?:spec\w+|notes)\b"),
)
# names that tests and pages make up, pages that `make site` writes, and a column of airquality
NO_FILES = {
    "a.md",
    "r.md",
    "report.md",
    "x.md",
    "my-page.md",
    "contents.md",
    "changelog.md",
    "Solar.R",
}


@cache
def files() -> tuple[str, ...]:
    """Everything that can be cited, as paths from the root."""
    inside = [path for folder in (*FOLDERS, *CITED_TOO) for path in (ROOT / folder).rglob("*")]
    return tuple(path.relative_to(ROOT).as_posix() for path in (*inside, *ROOT.glob("*")))


@cache
def ends_of_paths() -> frozenset[str]:
    """Every path, and what is left of it when leading folders are left out."""
    parts = [path.split("/") for path in files()]
    return frozenset("/".join(p[start:]) for p in parts for start in range(len(p)))


def outside(text: str) -> list[str]:
    """What a text cites that is not here."""
    cited = [name.removeprefix("./") for name in FILE.findall(text)]
    names = [re.sub(r"^(?:\.\./)+", "", name) for name in cited]
    files_named = [name for name in names if name.split("/")[-1] not in NO_FILES]
    missing = [name for name in files_named if name not in ends_of_paths()]
    return missing + [found for pattern in ELSEWHERE for found in pattern.findall(text)]


def texts() -> list[str]:
    own = Path(__file__).relative_to(ROOT).as_posix()  # its examples are not here on purpose
    inside = [path for path in files() if path.endswith(ENDINGS) and path.split("/")[0] in FOLDERS]
    return sorted(path for path in (*inside, *AT_THE_TOP) if path != own)


@pytest.mark.parametrize("folder", [*FOLDERS, "."])
def test_what_is_cited_is_in_the_repository(folder):
    chosen = [p for p in texts() if (p.split("/")[0] if "/" in p else ".") == folder]
    assert chosen
    cited = {p: outside((ROOT / p).read_text(encoding="utf-8")) for p in chosen}
    assert {p: names for p, names in cited.items() if names} == {}


@pytest.mark.parametrize(
    "text",
    [
        "see notes-of-somebody.md 1.3",
        "(`r-notes.md`)",
        "made by elsewhere/ledger-of-old.R",
        "../shared/papers",
        "from findings/users",
        "section 8 of the behaviour notes",
        "sections 4 and 9 of the specification",
    ],
)
def test_a_citation_of_something_else_is_found(text):
    assert len(outside(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "docs/decisions/0025-print-and-table.md",
        "explanation/errata.md, r_reference/record_syn.R",
        "[a page](../pages/explanation/measures.md#all-of-it-computed)",
        "section 3.2 of the paper",
        "shared by all",
    ],
)
def test_a_citation_of_a_file_here_or_a_paper_is_none(text):
    assert outside(text) == []
