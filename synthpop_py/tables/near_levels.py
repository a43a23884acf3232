"""Levels that a person calls one and two tables write in two ways: "Oslo" and "oslo ", an é of one
character and of two, 1 and 1.0 as text.

They do not match, so that a risk comes out too low. That is told whatever their share: where only
some levels are concerned, nothing else shows it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass

import numpy as np

from ..core.coding_by_text import numbers_meet_texts
from ..core.columns import Column
from ..core.levels import level_texts
from ..core.numerals import exact_number, exact_text, number_key
from ..errors import NearLevelsWarning, warn
from ..redaction import redacted

FEWEST_SAID = 10  # original records; fewer are not counted out in a message

Way = Callable[[str], str]
Levels = dict[str, int]  # records by text
RowCounts = tuple[np.ndarray | None, np.ndarray | None]  # records by row, original and synthetic


def _normalised(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


# in the order in which they are undone, each with what repairs it
WAYS: dict[str, tuple[Way, str]] = {
    "forms of one character": (_normalised, ".str.normalize('NFKC')"),
    "blanks": (str.strip, ".str.strip()"),
    "upper and lower case": (str.casefold, ".str.casefold()"),
    "ways to write a number": (number_key, "pandas.to_numeric()"),
}


@dataclass(frozen=True, slots=True)
class NearLevels:
    """What two columns write differently.

    Attributes
    ----------
    where : which column.
    ways : in what the texts differ.
    synthetic, original : records with a level that the other side writes otherwise.
    """

    where: str
    ways: tuple[str, ...]
    synthetic: int
    original: int

    @property
    def repair(self) -> str:
        """What to do about it."""
        means = ", ".join(WAYS[way][1] for way in self.ways)
        differences = ", ".join(self.ways)
        return f"they differ in {differences}; write both columns alike, for instance with {means}"

    def __str__(self) -> str:
        return (
            f"{self.where}: {self.synthetic:,} synthetic and {about(self.original)} original"
            " records have a level that the other side only writes otherwise; they do not match, so"
            f" that risks come out too low and distances too large: {self.repair}"
        )


def warn_of_near_levels(
    name: Hashable,
    original: Column,
    synthetic: Column,
    place: str,
    n: RowCounts = (None, None),
) -> None:
    """A `NearLevelsWarning` where there is reason for one."""
    near = near_levels(f"{place}, column {name!r}", original, synthetic, n)
    if near is not None:
        warn(redacted(str(near)), NearLevelsWarning)


def near_levels(
    where: str,
    original: Column,
    synthetic: Column,
    n: RowCounts = (None, None),
) -> NearLevels | None:
    """Levels of one side only that agree with a level of the other but for the way they are
    written; `n` says how many records rows stand for.

    Examples
    --------
    >>> towns = Column("character", np.array([0, 1, 0]), labels=("Oslo", "Bergen"))
    >>> fake = Column("character", np.array([0, 1, 1]), labels=("Oslo", "bergen"))
    >>> near = near_levels("town", towns, fake)
    >>> near.ways, near.synthetic, near.original
    (('upper and lower case',), 2, 1)
    """
    if not (original.is_text or synthetic.is_text) or original.labels == synthetic.labels:
        return None
    columns = (original, synthetic)
    # a number beside texts is matched by value already
    same = number_key if numbers_meet_texts(columns) else str
    ours, theirs = (_levels(column, counts) for column, counts in zip(columns, n))
    only_theirs = _not_among(theirs, ours, same)
    only_ours = _not_among(ours, theirs, same)
    near_theirs = _agreeing(only_theirs, ours, _without())
    near_ours = _agreeing(only_ours, theirs, _without())
    if not near_theirs and not near_ours:
        return None
    ways = []
    for way in WAYS:
        others = _without(leaving=way)
        still = _agreeing(near_theirs, ours, others) + _agreeing(near_ours, theirs, others)
        if len(still) < len(near_theirs) + len(near_ours):
            ways.append(way)
    return NearLevels(
        where=where,
        ways=tuple(ways),
        synthetic=sum(theirs[text] for text in near_theirs),
        original=sum(ours[text] for text in near_ours),
    )


def _without(leaving: str | None = None) -> Way:
    """What takes all differences away that a person does not see, leaving one of them if asked."""
    changes = [change for way, (change, _) in WAYS.items() if way != leaving]

    def changed(text: str) -> str:
        for change in changes:
            text = change(text)
        return text

    return changed


def _not_among(texts: Levels, others: Levels, same: Way) -> list[str]:
    known = {same(text) for text in others}
    return [text for text in texts if same(text) not in known]


def _agreeing(texts: Iterable[str], others: Levels, change: Way) -> list[str]:
    """Those that equal one of the others after both were changed."""
    wanted = list(texts)
    if not wanted:
        return []
    changed = {change(text) for text in others}
    return [text for text in wanted if change(text) in changed]


def _levels(column: Column, n: np.ndarray | None) -> Levels:
    """The levels that occur, by text, with their records."""
    present = slice(None) if column.missing is None else ~column.missing
    values = column.values[present]
    times = np.ones(len(values), dtype=np.int64) if n is None else n[present]
    if not len(values):
        return {}
    distinct, place = np.unique(values, return_inverse=True)
    # exact for any count, as sums of doubles would not be
    records = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(records, place.reshape(-1), times)
    return dict(zip(_texts(column, distinct), records.tolist()))


def _texts(column: Column, distinct: np.ndarray) -> list[str]:
    if column.is_text:
        return [column.labels[code] for code in distinct.tolist()]
    texts = level_texts(column.kind, distinct)
    if not column.is_number:
        return texts
    numbers = [exact_number(value) for value in distinct.tolist()]
    return [exact_text(text, number) for text, number in zip(texts, numbers)]


def about(records: int) -> str:
    """A number of original records; a small one is not told."""
    if 0 < records < FEWEST_SAID:
        return f"fewer than {FEWEST_SAID}"
    return f"{records:,}" if records else "no"
