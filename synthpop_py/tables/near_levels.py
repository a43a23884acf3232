"""Values that are the same to a person but written differently in two tables: "Oslo" and "oslo ",
an é of one character and of two, 1 and 1.0 as text, 0.1 in single and in double precision.

They do not match, so the risk is too low. This is reported whatever their share: if only some
values are affected, nothing else shows it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..core.arrays import Flags, Floats, Integers
from ..core.coding import encode
from ..core.columns import Column
from ..core.crosstab import totals
from ..core.levels import exact_level_texts
from ..core.numerals import number_key
from ..errors import NearLevelsWarning, warn
from ..redaction import redacted

FEWEST_SAID = 10  # original records; a message does not give smaller numbers

Way = Callable[[str], str]
Levels = dict[str, int]  # records by text
RowCounts = tuple[np.ndarray | None, np.ndarray | None]  # records by row, original and synthetic


def _normalised(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def _date_key(text: str) -> str:
    """The same for all ways to write a date with three numbers.

    >>> _date_key("2001-05-17") == _date_key("17.5.2001")
    True
    """
    if not DATE.fullmatch(text):
        return text
    return f"date {sorted(map(int, re.findall(r'[0-9]+', text)))}"


# in the order in which they are undone, each with what repairs it
WAYS: dict[str, tuple[Way, str]] = {
    "forms of one character": (_normalised, ".str.normalize('NFKC')"),
    "blanks": (str.strip, ".str.strip()"),
    "upper and lower case": (str.casefold, ".str.casefold()"),
    "ways to write a number": (number_key, "pandas.to_numeric()"),
    "ways to write a date": (_date_key, "pandas.to_datetime()"),
}
ROUNDING = "the last digits of numbers"  # single precision, or rounded
LAST_DECIMAL = 5e-7  # half of the sixth
SMALLEST = 0.01  # smaller numbers have too few digits left in six decimals
FAR = 100  # times as far as near
SAMPLE = 1000
DATE = re.compile(r"\d{1,4}([-./ ])\d{1,2}\1\d{1,4}")


@dataclass(frozen=True, slots=True)
class NearLevels:
    """What two columns write differently.

    Attributes
    ----------
    where : which column.
    ways : in what the texts differ.
    synthetic, original : records with a level that the other side writes differently.
    """

    where: str
    ways: tuple[str, ...]
    synthetic: int
    original: int

    @property
    def repair(self) -> str:
        """What to do about it."""
        if self.ways == (ROUNDING,):
            return (
                f"they differ in {ROUNDING}; store both in the same precision, and round both alike"
            )
        means = ", ".join(WAYS[way][1] for way in self.ways)
        differences = ", ".join(self.ways)
        return f"they differ in {differences}; write both alike, for instance with {means}"

    @property
    def short(self) -> str:
        """Which column, and how many records."""
        return (
            f"{self.where}: {self.synthetic:,} synthetic and {about(self.original)} original"
            " records"
        )

    def __str__(self) -> str:
        return (
            f"{self.short} have a value that the other side writes differently; they do not "
            f"match, so risks are too low and distances too large: {self.repair}"
        )


def warn_of_near_levels(
    name: Hashable,
    original: Column,
    synthetic: Column,
    place: str,
    n: RowCounts = (None, None),
) -> NearLevels | None:
    """Give a `NearLevelsWarning` if there is reason for one. Returns the finding."""
    near = near_levels(f"{place}, column {name!r}", original, synthetic, n)
    if near is not None:
        warn(redacted(str(near)), NearLevelsWarning, redacted(near.short))
    return near


def near_levels(
    where: str,
    original: Column,
    synthetic: Column,
    n: RowCounts = (None, None),
) -> NearLevels | None:
    """Levels of one side that differ from a level of the other only in how they are written; `n`
    says how many records rows stand for.

    Examples
    --------
    >>> towns = Column("character", np.array([0, 1, 0]), labels=("Oslo", "Bergen"))
    >>> fake = Column("character", np.array([0, 1, 1]), labels=("Oslo", "bergen"))
    >>> near = near_levels("town", towns, fake)
    >>> near.ways, near.synthetic, near.original
    (('upper and lower case',), 2, 1)
    """
    if original.is_number and synthetic.is_number:
        return _near_numbers(where, original, synthetic, n)
    if not (original.is_text or synthetic.is_text):
        return None
    if _declared_alike(original, synthetic):
        return None
    # what matched has one code on both sides, however it is written
    ours, theirs = _levels_by_code(original, synthetic, n)
    only_theirs = [level.text for code, level in theirs.items() if code not in ours]
    only_ours = [level.text for code, level in ours.items() if code not in theirs]
    texts_of_ours = {level.text: level.records for level in ours.values()}
    texts_of_theirs = {level.text: level.records for level in theirs.values()}
    near_theirs = _agreeing(only_theirs, texts_of_ours, _without())
    near_ours = _agreeing(only_ours, texts_of_theirs, _without())
    if not near_theirs and not near_ours:
        return None
    ways = []
    for way in WAYS:
        others = _without(leaving=way)
        still = _agreeing(near_theirs, texts_of_ours, others)
        still += _agreeing(near_ours, texts_of_theirs, others)
        if len(still) < len(near_theirs) + len(near_ours):
            ways.append(way)
    return NearLevels(
        where=where,
        ways=tuple(ways),
        synthetic=sum(texts_of_theirs[text] for text in near_theirs),
        original=sum(texts_of_ours[text] for text in near_ours),
    )


def _near_numbers(
    where: str, original: Column, synthetic: Column, n: RowCounts
) -> NearLevels | None:
    """Numbers of one side that the other has in less precision."""
    columns = (original, synthetic)
    variable = encode("", columns)
    numbers = [column.values.astype(np.float64) for column in columns]
    known = [
        np.ones(len(column), dtype=bool) if column.missing is None else ~column.missing
        for column in columns
    ]
    records = []
    for one, other in ((0, 1), (1, 0)):
        others = variable.own_codes(other)[known[other]]
        alone = known[one] & ~np.isin(variable.own_codes(one), others)
        alone[alone] = _rounded_alike(numbers[one][alone], numbers[other][known[other]])
        times = n[one]
        records.append(int(alone.sum() if times is None else times[alone].sum()))
    if not any(records):
        return None
    return NearLevels(where, (ROUNDING,), synthetic=records[1], original=records[0])


def _rounded_alike(values: Floats, others: Floats) -> Flags:
    """Which values are those of the other side in single precision, or to 6 decimals.

    >>> _rounded_alike(np.array([0.1234567891, 0.25]), np.array([0.123456789, 0.2500001]))
    array([ True,  True])
    """
    none = np.zeros(len(values), dtype=bool)
    if not len(values) or not len(others):
        return none
    with np.errstate(over="ignore", invalid="ignore"):
        size = np.abs(values)
        width = np.spacing(size.astype(np.float32)).astype(np.float64)
        width[(size >= SMALLEST) & (width < LAST_DECIMAL)] = LAST_DECIMAL
        near: Flags = _gaps(values, others) <= width
        if (np.trunc(values) == values).all():
            # neighbours are two numbers, unless one side cannot hold the other's
            return near if _is_single(values) != _is_single(others) else none
        # numbers that are close by chance have more in the wider surroundings, or also elsewhere
        far = _gaps(values, others) <= FAR * width
        elsewhere = _gaps(values + FAR * width, others) <= width
    found = np.count_nonzero(near)
    by_chance = max(np.count_nonzero(far), 4 * np.count_nonzero(elsewhere))
    if found == 1 < len(near):
        return none  # one of several is chance
    return near if 2 * found > by_chance else none


def _gaps(values: Floats, others: Floats) -> Floats:
    """The distance of each value to the nearest of the others."""
    ascending = np.sort(others)
    place = np.searchsorted(ascending, values)
    below = ascending[np.maximum(place - 1, 0)]
    above = ascending[np.minimum(place, len(ascending) - 1)]
    return np.minimum(np.abs(values - below), np.abs(above - values))


def _is_single(values: Floats) -> bool:
    """Whether values are those of single precision, as such or by their shortest text; a sample
    decides.
    """
    some = values[:: max(1, len(values) // SAMPLE)]
    single = some.astype(np.float32)
    texts = single.astype(str).astype(np.float64)
    return bool(((single == some) | (texts == some)).all())


def _declared_alike(original: Column, synthetic: Column) -> bool:
    """Whether both columns have the same declared levels, all of them different for a person too:
    then nothing is written in two ways, whichever levels occur.
    """
    # two factors of one origin are the common case, and records need not be looked at
    labels = original.labels
    if not original.is_text or labels != synthetic.labels:
        return False
    as_read = set(map(_without(), labels))
    return len(as_read) == len(labels)


def _without(leaving: str | None = None) -> Way:
    """A function that removes all differences that a person does not see, keeping one of them if
    asked.
    """
    changes = [change for way, (change, _) in WAYS.items() if way != leaving]

    def changed(text: str) -> str:
        for change in changes:
            text = change(text)
        return text

    return changed


def _agreeing(texts: Iterable[str], others: Levels, change: Way) -> list[str]:
    """The texts that equal one of the others after both are changed."""
    wanted = list(texts)
    if not wanted:
        return []
    changed = {change(text) for text in others}
    return [text for text in wanted if change(text) in changed]


class _Level(NamedTuple):
    """A level as its table writes it, and how many records have it."""

    text: str
    records: int


def _levels_by_code(
    original: Column, synthetic: Column, n: RowCounts
) -> tuple[dict[int, _Level], dict[int, _Level]]:
    """The levels that occur in each table, missing ones left out."""
    columns = (original, synthetic)
    variable = encode("", columns)
    ours, theirs = (
        _own_levels(column, variable.own_codes(table), n[table])
        for table, column in enumerate(columns)
    )
    return ours, theirs


def _own_levels(column: Column, codes: Integers, n: np.ndarray | None) -> dict[int, _Level]:
    present = slice(None) if column.missing is None else ~column.missing
    of_values = codes[present]
    if not len(of_values):
        return {}
    times = None if n is None else n[present]
    records = totals(of_values, times, 0)
    distinct = np.flatnonzero(records)
    # the last one written stays, so that backwards the first record of each level does
    rows = np.arange(len(of_values))
    first_row = np.zeros(len(records), dtype=np.int64)
    first_row[of_values[::-1]] = rows[::-1]
    texts = _texts(column, column.values[present][first_row[distinct]])
    levels = map(_Level, texts, records[distinct].tolist())
    return dict(zip(distinct.tolist(), levels))


def _texts(column: Column, distinct: np.ndarray) -> list[str]:
    if column.is_text:
        return [column.labels[code] for code in distinct.tolist()]
    return exact_level_texts(column.kind, distinct)


def about(records: int) -> str:
    """A number of original records; a small one is not given."""
    if 0 < records < FEWEST_SAID:
        return f"fewer than {FEWEST_SAID}"
    return f"{records:,}" if records else "no"
