"""One numeric column put into classes, under one reading of R's rules."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import Flags, Floats, Integers
from ..breaks import Style, class_breaks
from ..core.columns import Column
from ..grouping import (
    Grouping,
    assign_classes,
    class_labels,
    covering,
    same_classes,
    stretched,
    told_apart,
)
from ..errors import InputError
from ..r.collation import Collation, order
from ..r.reading import Reading
from ..r.text import double_text, integer_text

FEWEST_CLASSES = 3


@dataclass(frozen=True, slots=True)
class NumericColumn:
    """A column to group: its values, the number of classes to aim at, and the special values."""

    name: Hashable
    column: Column
    classes: float
    special: tuple[Any, ...]

    def ordinary(self) -> Flags:
        """Which records are neither missing nor special."""
        values, missing = self.column.values, self.column.missing
        usual = np.ones(len(values), dtype=bool)
        if self.special:
            usual = ~np.isin(values, self.special)
        return usual if missing is None else usual & ~missing

    def special_text(self, value: Any) -> str:
        """The text of a special value as the column writes it."""
        whole = self.column.kind == "integer" and float(value).is_integer()
        return integer_text(int(value)) if whole else double_text(float(value))


@dataclass(frozen=True, slots=True)
class FactorMade:
    """A column in classes.

    Attributes
    ----------
    values : the class of each record, with the levels that occur.
    breaks : bounds of the classes.
    levels : all classes in numeric order, then the special values.
    replaced : equal widths replaced the style asked for.
    """

    values: pd.Categorical
    breaks: Floats
    levels: tuple[str, ...]
    replaced: bool


def make_factor(
    column: NumericColumn, style: Style, collation: Collation, reading: Reading
) -> FactorMade:
    """The column in classes."""
    ordinary = column.ordinary()
    numbers = column.column.values[ordinary].astype(np.float64)
    classes = _classes(column, numbers, style, reading)
    labels = classes.labels
    class_of = assign_classes(numbers, classes.breaks)
    codes = _codes(column, ordinary, class_of, len(labels))
    texts = [*labels, *map(column.special_text, column.special)]
    return FactorMade(
        values=_factor(codes, texts, collation, reading),
        breaks=classes.breaks,
        levels=(*labels, *_listed_special_texts(column, reading)),
        replaced=classes.changed,
    )


def _classes(column: NumericColumn, numbers: Floats, style: Style, reading: Reading) -> Grouping:
    """Each value lies in the class whose label holds it, unless R rounds it into another (D50) or
    loses the largest (D49).
    """
    if not numbers.size:
        raise InputError(
            f"numtocat: column {column.name!r} has only missing or special values; it cannot be"
            " grouped"
        )
    correct = _in_style(column, numbers, style, reading, exact=True)
    if not reading.active:
        return correct
    rounded = _in_style(column, numbers, style, reading, exact=False)
    wider = covering(rounded, numbers)
    loses = reading.follow_r("D49", wider is not rounded)
    rounds = reading.follow_r("D50", not same_classes(numbers, wider, correct))
    if loses:
        return rounded
    return wider if rounds else correct


def _in_style(
    column: NumericColumn, numbers: Floats, style: Style, reading: Reading, *, exact: bool
) -> Grouping:
    """Classes in the style asked for; equal widths where it gives fewer than three, special values
    not counted. When two are asked for, two are enough. R replaces them all the same (D22).
    """
    try:
        breaks = class_breaks(numbers, column.classes, style, exact=exact)
        even = class_breaks(numbers, column.classes, "equal")
    except InputError as error:
        raise InputError(
            f"numtocat: column {column.name!r} cannot be grouped: {error}", details=error.details
        ) from None
    uneven = not np.array_equal(breaks, even)
    number = len(breaks) - 1
    too_few = number < min(FEWEST_CLASSES, int(column.classes))
    only_in_r = not too_few and number < FEWEST_CLASSES and uneven
    replaced = too_few or reading.follow_r("D22", only_in_r)
    if replaced:
        breaks = even
    labels = class_labels(breaks)
    if exact:
        breaks, labels = told_apart(stretched(breaks, numbers), numbers)
    return Grouping(breaks, tuple(labels), style, changed=replaced and uneven)


def _codes(column: NumericColumn, ordinary: Flags, class_of: Integers, classes: int) -> Integers:
    """The level of each record: its class, then the special values in turn; -1 where missing."""
    values, missing = column.column.values, column.column.missing
    codes = np.full(len(values), -1, dtype=np.int64)
    codes[ordinary] = class_of
    for code, value in enumerate(column.special, start=classes):
        has_value = values == value
        codes[has_value if missing is None else has_value & ~missing] = code
    return codes


def _factor(
    codes: Integers, texts: list[str], collation: Collation, reading: Reading
) -> pd.Categorical:
    """A factor of the levels that occur: in numeric order, or sorted as words (D39)."""
    records = np.bincount(codes[codes >= 0], minlength=len(texts))
    occurring = np.flatnonzero(records)
    as_words = occurring[order([texts[code] for code in occurring], collation)]
    if reading.follow_r("D39", not np.array_equal(as_words, occurring)):
        occurring = as_words
    new_code = np.full(len(texts) + 1, -1)  # the last one is for missing values, whose code is -1
    new_code[occurring] = np.arange(len(occurring))
    levels = pd.Index([texts[code] for code in occurring], dtype=object)
    return pd.Categorical.from_codes(new_code[codes], levels)


def _listed_special_texts(column: NumericColumn, reading: Reading) -> list[str]:
    """Texts of the special values in the list of levels; R writes 100000 as 1e+05 there, but 100000
    in the data, where these are whole numbers (D15).
    """
    as_written = [column.special_text(value) for value in column.special]
    as_doubles = [double_text(float(value)) for value in column.special]
    return as_doubles if reading.follow_r("D15", as_written != as_doubles) else as_written
