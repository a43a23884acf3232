"""The glossary has every measure of the registry, with its unit and direction, and the words that
pages use without explaining them.
"""

from __future__ import annotations

import re

import pytest

from docs import build
from tests.rooms import MEASURES

PAGE = (build.PAGES / "reference/glossary.md").read_text(encoding="utf-8")
ROWS = {
    row[0]: row[1]
    for row in re.findall(r"^\| \*\*\[(\w+)\]\(\S+\)\*\* \|(.+)$", PAGE, flags=re.MULTILINE)
}
WORDS = (
    *("key", "target", "synthesis", "original", "holdout", "unique", "replicated unique"),
    *("perceived match risk", "expected match risk", "true match risk", "rounding", "block"),
    *("defect", "record", "level", "intruder", "seed", "exclusion", "disclosive", "compat"),
)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_every_measure_is_explained_with_unit_and_direction(measure):
    meaning, unit, direction = (cell.strip() for cell in ROWS[measure.name].split("|")[:3])
    assert meaning.endswith(".") and len(meaning) > 20
    assert (unit, direction) == (measure.unit, measure.direction)


@pytest.mark.parametrize("word", WORDS)
def test_every_word_is_explained(word):
    assert re.search(rf"^\*\*{word}\*\*.*: \w", PAGE, flags=re.MULTILINE)


def test_words_are_in_order():
    section = PAGE.split("## Words")[1].split("## Measures")[0]
    words = [word.lower() for word in re.findall(r"^\*\*([^*]+)\*\*", section, flags=re.MULTILINE)]
    assert len(words) > 30 and words == sorted(words)
