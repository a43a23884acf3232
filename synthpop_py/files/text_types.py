"""The type of a CSV column. A CSV holds only texts; all texts of a column together decide its type.

The rule is that of R's ``read.csv``, with a few differences: values that R merges stay apart, and a
type depends less on which values happen to occur (decision 0020). `sql_types` has the same rule for
DuckDB, so every reader gives the same types.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import reduce
from operator import add
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from ..core.arrays import Values
from ..core.columns import Column
from ..core.columns import Kind as ColumnKind
from ..core.numerals import EXACT_DOUBLE, LARGEST_WHOLE

# "code" is text in which every whole number is written in one way: 7, not 007; "text" is one that
# a user calls text, where NA is a value
TextKind: TypeAlias = Literal["logical", "integer", "double", "character", "code", "text"]
AsText: TypeAlias = Mapping[Any, TextKind]  # columns that are text whatever they hold

# in these kinds 007 and 7 are one value
ONE_SPELLING: tuple[TextKind, ...] = ("integer", "double", "code")

MOST_DIGITS = len(str(LARGEST_WHOLE))
BLANKS = " \t"
MISSING = ("", "NA")
LOGICAL = {
    "TRUE": 1,
    "True": 1,
    "true": 1,
    "FALSE": 0,
    "False": 0,
    "false": 0,
}
WHOLE = re.compile(r"[+-]?[0-9]+")
PLAIN = re.compile(r"0|-?[1-9][0-9]*")  # as `plain_whole` writes it
NUMBER = re.compile(
    r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
    r"|[nN][aA][nN]|[+-]?[iI][nN][fF](?:[iI][nN][iI][tT][yY])?"
)


def is_missing(text: str) -> bool:
    """Whether a field is missing: only blanks, or R's NA.

    Examples
    --------
    >>> [is_missing(text) for text in ("", "  ", "NA", "None", "0")]
    [True, True, True, False, False]
    """
    return text.strip(BLANKS) in MISSING


def is_blank(text: str) -> bool:
    return not text.strip(BLANKS)


@dataclass(frozen=True, slots=True)
class Tally:
    """How many of the non-missing texts of a column can be read as each type. An engine counts
    records, we count distinct texts: only equality of the numbers matters.

    Attributes
    ----------
    known : all of them.
    logical, number, whole : those written as TRUE or FALSE, as a number, as a whole number.
    plain : whole numbers that are certainly written as 7, not as 007 or +7.
    fits_integer, fits_double : whole numbers that 64 bits, and doubles, hold with all digits.
    """

    known: int
    logical: int
    number: int
    whole: int
    plain: int
    fits_integer: int
    fits_double: int

    def __add__(self, other: Tally) -> Tally:
        """The tally of two files of one column."""
        names = [field.name for field in fields(self)]
        return Tally(**{name: getattr(self, name) + getattr(other, name) for name in names})

    @property
    def holds_numbers(self) -> bool:
        """Whether there are only whole numbers, so 007 can only mean 7."""
        return 0 < self.known == self.whole

    @property
    def kind(self) -> TextKind:
        if not self.known:
            return "character"
        if self.logical == self.known:
            return "logical"
        if self.number < self.known:
            return "character"
        # numbers that lose digits could no longer be told apart
        if self.whole == self.known:
            return "integer" if self.fits_integer == self.whole else "character"
        return "double" if self.fits_double == self.whole else "character"


def text_kind(texts: Iterable[str]) -> TextKind:
    """The type of a column from all its texts; a column with only missing values is text.

    Examples
    --------
    >>> text_kind(["1", " 2", ""]), text_kind(["1", "2.5"]), text_kind(["1", "one"])
    ('integer', 'double', 'character')
    >>> text_kind(["TRUE", "false"]), text_kind(["T", "F"]), text_kind(["NA", ""])
    ('logical', 'character', 'character')

    Whole numbers that could not be told apart as numbers stay text:

    >>> text_kind(["12345678901234567890", "12345678901234567891"]), text_kind(["007", "7"])
    ('character', 'character')
    """
    texts = list(texts)
    kind = tally_of(texts).kind
    if kind in ONE_SPELLING and is_spelled_twice(texts):
        return "character"
    return kind


def is_spelled_twice(texts: Iterable[str], *, fractions: bool = False) -> bool:
    """Whether a whole number, or any number, is written in two ways; blanks around it do not count.

    Examples
    --------
    >>> is_spelled_twice(["007", "7"]), is_spelled_twice(["007", "012"])
    (True, False)
    >>> is_spelled_twice(["1.1", "1.10"]), is_spelled_twice(["1e5", "100000"], fractions=True)
    (False, True)
    """
    spelled = {text.strip(BLANKS) for text in texts}
    if fractions:
        numbers = [text for text in spelled if NUMBER.fullmatch(text)]
        return len(set(map(float, numbers))) < len(numbers)
    whole = [text for text in spelled if WHOLE.fullmatch(text)]
    return len({plain_whole(text) for text in whole}) < len(whole)


def tally_of(texts: Iterable[str]) -> Tally:
    """What the texts of a column can be read as."""
    known = [text.strip(BLANKS) for text in texts if not is_missing(text)]
    whole = [text for text in known if WHOLE.fullmatch(text)]
    return Tally(
        known=len(known),
        logical=sum(text in LOGICAL for text in known),
        number=sum(NUMBER.fullmatch(text) is not None for text in known),
        whole=len(whole),
        plain=sum(PLAIN.fullmatch(text) is not None for text in whole),
        fits_integer=sum(_is_up_to(text, LARGEST_WHOLE) for text in whole),
        fits_double=sum(_is_up_to(text, EXACT_DOUBLE) for text in whole),
    )


def common_kinds(tables: Sequence[Mapping[str, Tally]]) -> dict[str, TextKind]:
    """One type for each column over all tables that have it, so a value means the same in each of
    them. If one table holds only whole numbers and another also texts, 007 and 7 are the same.

    Examples
    --------
    >>> original, synthetic = {"zip": tally_of(["007", "A1"])}, {"zip": tally_of(["7"])}
    >>> common_kinds([original, synthetic]), common_kinds([original])
    ({'zip': 'code'}, {'zip': 'character'})
    """
    by_name: dict[str, list[Tally]] = {}
    for table in tables:
        for name, tally in table.items():
            by_name.setdefault(name, []).append(tally)
    return {name: _common_kind(tallies) for name, tallies in by_name.items()}


def _common_kind(tallies: Sequence[Tally]) -> TextKind:
    kind = reduce(add, tallies).kind
    if kind == "character" and any(tally.holds_numbers for tally in tallies):
        return "code"
    return kind


def plain_whole(text: str) -> str:
    """A whole number without what does not change it; any other text as it is.

    Examples
    --------
    >>> [plain_whole(text) for text in (" 007", "+7", "-0", "A07", "7.0")]
    ['7', '7', '0', 'A07', '7.0']
    """
    stripped = text.strip(BLANKS)
    if not WHOLE.fullmatch(stripped):
        return text
    digits = stripped.lstrip("+-").lstrip("0") or "0"
    return f"-{digits}" if stripped.startswith("-") and digits != "0" else digits


def _is_up_to(text: str, largest: int) -> bool:
    """Whether a whole number is no larger, either way from 0. Python refuses to read very long
    ones, so their length is looked at first.
    """
    digits = text.lstrip("+-0")
    return len(digits) <= MOST_DIGITS and int(digits or "0") <= largest


def typed(column: Column, kind: TextKind) -> Column:
    """A column of texts converted to its type.

    Examples
    --------
    >>> ages = Column("character", np.array([1, 0, 1]), None, ("", "41"))
    >>> column = typed(ages, "integer")
    >>> column.values.tolist(), column.missing.tolist()
    ([41, 0, 41], [False, True, False])
    """
    if kind == "code":
        return typed(_with_plain_wholes(column), kind="character")
    missing = is_blank if kind == "text" else is_missing
    gaps = np.array([missing(label) for label in column.labels], dtype=bool)
    if kind == "character" or kind == "text":
        kept = tuple(label for label, gap in zip(column.labels, gaps) if not gap)
        by_label: Values = np.where(gaps, -1, np.cumsum(~gaps) - 1)
        return _replaced(column, "character", by_label, gaps, kept)
    numbers = [0 if gap else _number(label, kind) for label, gap in zip(column.labels, gaps)]
    by_label = np.array(numbers, dtype=np.float64 if kind == "double" else np.int64)
    if kind == "double":
        gaps = gaps | np.isnan(by_label)
    return _replaced(column, kind, by_label, gaps, ())


def _with_plain_wholes(column: Column) -> Column:
    code_of: dict[str, int] = {}
    codes = [code_of.setdefault(plain_whole(label), len(code_of)) for label in column.labels]
    if not codes:
        return column
    values = np.array(codes, dtype=np.int64)[column.values]
    return replace(column, values=values, labels=tuple(code_of))


def _number(text: str, kind: TextKind) -> float:
    text = text.strip(BLANKS)
    if kind == "logical":
        return LOGICAL[text]
    return int(text) if kind == "integer" else float(text)


def _replaced(
    column: Column, kind: ColumnKind, by_label: Values, gaps: Values, labels: tuple[str, ...]
) -> Column:
    codes = column.values
    if not len(by_label):  # a column of gaps: any value serves
        return replace(column, kind=kind, labels=labels)
    missing = gaps[codes]
    if column.missing is not None:
        missing = missing | column.missing
    return replace(
        column,
        kind=kind,
        values=by_label[codes],
        missing=missing if missing.any() else None,
        labels=labels,
    )


def text_series(column: Column, kind: TextKind) -> pd.Series:
    """A column of texts as pandas has what it is: whole numbers and flags as such although some are
    missing.
    """
    read = typed(column, kind)
    if read.kind == "character":
        labels = np.array([*read.labels, math.nan], dtype=object)
        codes = read.values if read.missing is None else np.where(read.missing, -1, read.values)
        return pd.Series(labels[codes])
    if read.kind == "double":
        values = read.values
        return pd.Series(values if read.missing is None else np.where(read.missing, np.nan, values))
    plain = read.values.astype(bool) if read.kind == "logical" else read.values
    if read.missing is None:
        return pd.Series(plain)
    extension = pd.arrays.BooleanArray if read.kind == "logical" else pd.arrays.IntegerArray
    return pd.Series(extension(plain, read.missing))
