"""The order of texts and the texts of numbers, side by side with R."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest

from synthpop_py.r.collation import Collation, _table, order
from synthpop_py.r.text import (
    double_text,
    format_column,
    format_padded,
    integer_text,
)
from tests.parity.live import LiveR
from tests.unit.test_rtext import decimals_shown

pytestmark = pytest.mark.requires_r

LOCALES = {"icu": "root", "C": "ASCII"}

R_FUNCTIONS = """
text_orders <- function(json, locale) {
  icuSetCollate(locale = locale)
  toJSON(lapply(fromJSON(json, simplifyMatrix = FALSE), order))
}
number_texts <- function(json) {
  numbers <- fromJSON(json)
  toJSON(list(text = as.character(numbers), as_sent = sprintf("%.17g", numbers)))
}
integer_texts <- function(json) toJSON(as.character(fromJSON(json)))
columns <- function(json) lapply(fromJSON(json, simplifyMatrix = FALSE), as.double)
padded <- function(json, digits) toJSON(lapply(columns(json), format, digits = digits))
trimmed <- function(json, digits) {
  toJSON(lapply(columns(json), format, digits = digits, trim = TRUE))
}
decimals <- function(json, digits) {
  toJSON(vapply(columns(json), function(x) format.info(x, digits = digits)[2], 0L))
}
printed <- function(json) {
  toJSON(lapply(columns(json), function(x) capture.output(print(data.frame(x)))))
}
"""


@pytest.fixture(scope="module")
def r_text(live_r: LiveR):
    """A function that calls one of the R functions above with data, and its answer; all as JSON
    text.
    """
    live_r.r(f"text_rules <- local({{ {R_FUNCTIONS}; environment() }})")

    def call(function: str, data: Any, *arguments: Any) -> Any:
        return json.loads(
            live_r.r(f"text_rules${function}")(json.dumps(data, ensure_ascii=False), *arguments)[0]
        )

    return call


# ---- texts ----


def covered() -> list[str]:
    """Every character with collation elements of its own in the table."""
    return [chr(code) for code, entry in _table()[0].items() if entry != "?"]


@cache
def covered_set() -> set[str]:
    return set(covered())


LETTERS_AND_SIGNS = [c for c in covered() if not unicodedata.combining(c)]
ACCENTS = [c for c in covered() if unicodedata.combining(c)]
COMPOSED = [
    c
    for c in map(chr, range(0x80, 0x10000))
    if c not in covered_set()
    and len(parts := unicodedata.normalize("NFD", c)) > 1
    and set(parts) <= covered_set()
]


def alike(character: str) -> list[str]:
    """The character, its other case, and those with the same base letter: ties above."""
    base = unicodedata.normalize("NFKD", character)[0]
    return [
        c for c in LETTERS_AND_SIGNS if unicodedata.normalize("NFKD", c)[0].lower() == base.lower()
    ]


def random_texts(rng: np.random.Generator, alphabet: list[str], n: int) -> list[str]:
    return ["".join(rng.choice(alphabet, rng.integers(0, 7))) for _ in range(n)]


def text_lists(kind: str) -> list[list[str]]:
    rng = np.random.default_rng(20)
    if kind == "every character":
        characters = list(rng.permutation(LETTERS_AND_SIGNS + ACCENTS + COMPOSED))
        return [characters, [c + "b" for c in characters] + [c + "a" for c in characters]]
    if kind == "ASCII":
        return [random_texts(rng, [chr(c) for c in range(9, 127)], 300) for _ in range(20)]
    if kind == "whole repertoire":
        return [random_texts(rng, LETTERS_AND_SIGNS, 300) for _ in range(20)]
    if kind == "few alike characters":

        def some() -> list[str]:
            return [variant for c in rng.choice(LETTERS_AND_SIGNS, 2) for variant in alike(c)]

        return [random_texts(rng, [*some(), "\u00ad", "l", "·", "L"], 200) for _ in range(60)]
    if kind == "combining accents":
        letters = [c for c in LETTERS_AND_SIGNS if c.isalpha()]

        def pairs() -> list[str]:
            return [c + a for c, a in zip(rng.choice(letters, 60), rng.choice(ACCENTS, 60))]

        return [random_texts(rng, pairs() + list("eE"), 300) for _ in range(20)]
    if kind == "labels":
        numbers = [str(round(x, 2)) for x in rng.normal(0, 1000, 2000)]
        intervals = [f"[{a},{a + b})" for a, b in rng.integers(-50, 50, (500, 2))]
        words = [
            "Missing",
            "missing",
            "NA",
            "-8",
            "_x",
            "SINGLE",
            "Single",
            "DIVORCED ",
            "LEGALLY SEPARATED",
            "café",
            "cafe",
            "",
        ]
        return [list(rng.permutation(numbers + intervals + words))]
    raise ValueError(kind)


@pytest.mark.parametrize("collation", LOCALES)
@pytest.mark.parametrize(
    "kind",
    [
        "every character",
        "ASCII",
        "whole repertoire",
        "few alike characters",
        "combining accents",
        "labels",
    ],
)
def test_order(r_text, tally: Counter[str], kind: str, collation: Collation) -> None:
    lists = text_lists(kind)
    expected = r_text("text_orders", lists, LOCALES[collation])
    for texts, permutation in zip(lists, expected):
        assert [i + 1 for i in order(texts, collation).tolist()] == permutation, texts
    tally[f"texts sorted as R sorts them ({collation})"] += sum(map(len, lists))


# ---- numbers ----


def random_numbers(kind: str, n: int) -> np.ndarray:
    rng = np.random.default_rng(4)
    if kind == "all magnitudes":
        numbers = np.frombuffer(rng.bytes(8 * n), dtype=np.float64)
        return numbers[np.isfinite(numbers)]
    if kind == "usual magnitudes":
        return rng.normal(size=n) * 10.0 ** rng.integers(-15, 20, n)
    if kind == "few digits":
        return rng.integers(-999, 999, n) * 10.0 ** rng.integers(-8, 9, n)
    if kind == "money":
        return np.round(rng.lognormal(8, 3, n), 2)
    if kind == "whole numbers":
        return np.trunc(10 ** rng.uniform(0, 18, n))
    if kind == "just below a power of ten":
        return 10.0 ** rng.integers(-12, 18, n) * (1 - 10.0 ** -rng.integers(3, 17, n))
    if kind == "near the middle of two roundings":  # where R's extended precision decides
        digits = rng.integers(10**14, 10**15, n).tolist()
        return np.array([float(f"{d}5e{p}") for d, p in zip(digits, rng.integers(-40, 40, n))])
    raise ValueError(kind)


NUMBER_KINDS = [
    "all magnitudes",
    "usual magnitudes",
    "few digits",
    "money",
    "whole numbers",
    "just below a power of ten",
    "near the middle of two roundings",
]


@pytest.mark.parametrize("kind", NUMBER_KINDS)
def test_double_texts(r_text, tally: Counter[str], kind: str) -> None:
    numbers = random_numbers(kind, 5000)
    answer = r_text("number_texts", numbers.tolist())
    assert answer["as_sent"] == [f"{x:.17g}" for x in numbers.tolist()], (
        "R did not receive the numbers sent"
    )
    different = [
        (x, r, ours)
        for x, r, ours in zip(numbers, answer["text"], map(double_text, numbers.tolist()))
        if r != ours
    ]
    assert not different, different[:5]
    tally["doubles written as as.character writes them"] += len(numbers)


def test_integer_text(r_text) -> None:
    numbers = [0, -1, 100000, 2147483647, -2147483647, 300000]
    assert [integer_text(x) for x in numbers] == r_text("integer_texts", numbers)


def random_columns(n: int) -> list[list]:
    rng = np.random.default_rng(9)
    pool = np.concatenate([random_numbers(kind, 3000) for kind in NUMBER_KINDS])
    special = np.array([None, "NaN", "Inf", "-Inf", 0.0, 100.0], dtype=object)
    found = []
    for _ in range(n):
        size = rng.integers(1, 9)
        column = rng.choice(pool, size)
        if rng.random() < 0.7:  # numbers of about the same size, as in tables
            column = np.round(
                column / 10.0 ** np.floor(np.log10(np.abs(column) + 1e-300)), rng.integers(0, 12)
            )
            column *= 10.0 ** (rng.integers(-6, 7) + rng.integers(-2, 3, size))
        if rng.random() < 0.1:
            column = 100 - np.abs(column) * 1e-7
        column = column.astype(object)
        column[rng.random(size) < 0.15] = rng.choice(special)
        found.append(column.tolist())
    return found


def to_python(column: list) -> list[float | None]:
    return [None if x is None else float(x) for x in column]


def as_printed(column: list[float | None]) -> list[str]:
    """The column as a data frame of one column x is printed."""
    entries = format_padded(column)
    rows = len(str(len(entries)))
    width = max(len(entries[0]), 1)
    lines = [f"{i:<{rows}} {entry.rjust(width)}" for i, entry in enumerate(entries, 1)]
    return [" " * rows + " " + "x".rjust(width), *lines]


def test_printed_columns(r_text, tally: Counter[str]) -> None:
    sent = random_columns(4000)
    for column, lines in zip(sent, r_text("printed", sent)):
        assert as_printed(to_python(column)) == lines, column
    tally["columns printed as R prints them"] += len(sent)


@pytest.mark.parametrize("digits", [1, 3, 5, 7, 10, 15, 17])
def test_format(r_text, digits: int) -> None:
    sent = random_columns(800)
    columns = [to_python(column) for column in sent]
    assert [format_padded(column, digits) for column in columns] == r_text("padded", sent, digits)
    assert [format_column(column, digits) for column in columns] == r_text("trimmed", sent, digits)
    assert [decimals_shown(column, digits) for column in columns] == r_text(
        "decimals", sent, digits
    )
