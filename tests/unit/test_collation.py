"""The order of texts. Every expectation is what R 4.2.2 with ICU 72 answers."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from r_reference.collation_table import HEADER
from synthpop_py.r import collation
from synthpop_py.r.collation import order


def sorted_by(collation, texts):
    return [texts[i] for i in order(texts, collation)]


def test_labels_of_a_survey_in_both_orders():
    labels = ["Missing", "b", "10", "A", "_x", "[1,2)", "é", "9", "a", "-8", "B"]
    assert sorted_by("icu", labels) == [
        "_x",
        "-8",
        "[1,2)",
        "10",
        "9",
        "a",
        "A",
        "b",
        "B",
        "é",
        "Missing",
    ]
    assert sorted_by("C", labels) == [
        "-8",
        "10",
        "9",
        "A",
        "B",
        "Missing",
        "[1,2)",
        "_x",
        "a",
        "b",
        "é",
    ]


def test_ascii_signs():
    signs = sorted("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ 0a")
    assert "".join(sorted_by("icu", signs)) == " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0a"


@pytest.mark.parametrize(
    "ascending",
    [
        ["ab", "Ab", "ac"],  # letters of the whole text come before case
        ["cote", "Cote", "coté", "côte", "côté"],  # accents before case, from left to right
        ["a b", "a-b", "ab"],  # signs are not ignored
        ["", " ", "a", "a ", "aa"],
        ["Ae", "Æ", "af"],  # a letter that counts as two
        ["ss", "ß", "st"],
        ["1", "10", "2", "²", "3"],  # digits one by one, not as numbers
        [
            "z",
            "α",
            "Ω",
            "а",
            "Я",
            "漢",
        ],  # Latin, Greek, Cyrillic, then what the table does not know
        ["l", "L", "l·", "ŀa", "m"],  # l and a middle dot together
        ["и", "И", "й", "Й", "к"],
        ["e", "é", "ế", "f"],  # composed of known parts
    ],
)
def test_ascending(ascending):
    assert sorted_by("icu", ascending[::-1]) == ascending


def test_texts_that_compare_equal_keep_their_order():
    soft_hyphen = "a\u00adb"
    assert order(["ab", soft_hyphen, "aa"], "icu").tolist() == [2, 0, 1]
    assert order([soft_hyphen, "ab", "aa"], "icu").tolist() == [2, 0, 1]
    assert order(["e\u0301", "\u00e9"], "icu").tolist() == [0, 1]


def test_indices():
    assert order([], "icu").dtype == order(["a"], "C").dtype == np.int64
    assert order(["b", "a", "b"], "icu").tolist() == [1, 0, 2]


def test_many_labels_are_sorted_quickly():
    labels = [str(x / 100) for x in range(-14_000, 14_000)]
    start = time.perf_counter()
    order(labels, "icu")
    assert time.perf_counter() - start < 0.5  # about 0.03 s; the rest is room for a busy machine


def test_the_table_begins_as_its_writer_begins_it():
    text = Path(collation.__file__).with_name("icu_root.txt").read_text(encoding="utf-8")
    assert text.startswith(HEADER.format(version=72))
