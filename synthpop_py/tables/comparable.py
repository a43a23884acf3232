"""Whether two columns can be compared: have they values in common, do they write one value in two
ways ("Oslo" and "oslo ", 1 and 1.0 as text)? Otherwise a risk of 0 would say nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..core.arrays import Flags, Floats, Integers
from ..core.coding import encode
from ..core.columns import Column
from ..core.levels import exact_level_texts
from ..core.numerals import number_key
from ..errors import DataWarning, InputError, warn
from ..levels import column_of, factorise
from ..redaction import redacted
from ..rounding import ROUND_TO, people, shown, too_few

RowCounts = tuple[np.ndarray | None, np.ndarray | None]  # records by row, original and synthetic
Way = Callable[[str], str]

FEWEST_IN_COMMON = 0.01  # of the synthetic records; below, agreement is chance
FIRST_LOOKS = 8  # values looked up before all of them are: nearly always one is enough
FIRST_LABELS = 1000  # that say how values are written
LONGEST_FORM = 20  # characters; a longer form is a sentence
NATURES = {
    "logical": "True and False",
    **dict.fromkeys(("integer", "double"), "numbers"),
    **dict.fromkeys(("date", "time"), "dates"),
    "duration": "durations",
}
DATE_FORM = re.compile(r"(9{4}[-./]9{1,2}[-./]9{1,2}|9{1,2}[-./ ][9a]{1,2}[-./ ](99){1,2})\b.*")
DATE = re.compile(r"\d{1,4}([-./ ])\d{1,2}\1\d{1,4}")
PRECISION = "the last digits of numbers; store both in the same precision, and round both alike"
SAMPLE = 1000


class Finding(NamedTuple):
    """What keeps the values of two columns apart."""

    finding: str  # which columns, and what is in them
    consequence: str  # for a risk, and what to do about it
    short: str  # the finding beside another one
    repair: str = ""
    at_all: bool = False  # not a single value is the same

    def __str__(self) -> str:
        return f"{self.finding}; {self.consequence}"


def about(records: int, whole: int) -> str:
    """A number of people out of `whole`, rounded: what is said here stands in pages for others."""
    if too_few(whole):
        return f"fewer than {2 * ROUND_TO}"
    return people(shown(records, whole))


def check_comparable(name: Hashable, original: Column, synthetic: Column, place: str) -> None:
    """Refuse two columns of different natures; text can stand for anything."""
    theirs, ours = NATURES.get(original.kind), NATURES.get(synthetic.kind)
    both = theirs is not None and ours is not None and theirs != ours
    if both and original.has_values and synthetic.has_values:
        says = f"{redacted(place)}, column {name!r}: holds {ours}, the original data hold {theirs}"
        raise InputError(f"{says}; they cannot be compared, convert one of them")


def warn_of_mismatch(
    name: Hashable,
    original: Column,
    synthetic: Column,
    place: str,
    n: RowCounts = (None, None),
    *,
    must_match: bool = False,
) -> Finding | None:
    """Give a `DataWarning` if hardly any value is the same, or some are written in two ways. For
    what `must_match`, not a single value in common is an error.
    """
    strangers = nothing_in_common(name, original, synthetic, place, n)
    if strangers is None:
        return warn_of_near_levels(name, original, synthetic, place, n)
    if must_match and strangers.at_all:
        raise InputError(redacted(str(strangers)))
    return _told(strangers)


def warn_of_near_levels(
    name: Hashable, original: Column, synthetic: Column, place: str, n: RowCounts = (None, None)
) -> Finding | None:
    """The same if only some values are written in two ways."""
    near = near_levels(f"{place}, column {name!r}", original, synthetic, n)
    return None if near is None else _told(near)


def _told(found: Finding) -> Finding:
    # a table may be named by the address of its database
    warn(redacted(str(found)), DataWarning, redacted(found.short))
    return found


def nothing_in_common(
    name: Hashable, original: Column, synthetic: Column, place: str, n: RowCounts = (None, None)
) -> Finding | None:
    """The finding if hardly any synthetic record has a value of the original; None if enough do."""
    where = f"{place}, column {name!r}"
    if not len(original.values) or not len(synthetic.values):
        return None  # an empty table is refused where it is read
    if not original.has_values:
        tables = "the original data" if synthetic.has_values else "either table"
        short = f"column {name!r}: no record of {tables} has a value"
        says = "a risk of 0 would say nothing: leave the column out, or check how it was read"
        # two gaps match
        return Finding(f"{short}, all are missing", says, short, at_all=synthetic.has_values)
    if not synthetic.has_values:
        short = f"{where}: every value is missing"
        says = "an intruder would not use it, so leave it out of the keys"
        return Finding(f"{short}, while the original data have some", says, short, at_all=True)
    # coding both columns takes longer than everything else here; hardly any call needs it
    texts = original.is_text, synthetic.is_text
    are_alike = original.labels == synthetic.labels if all(texts) else not any(texts)
    first = synthetic.present()[:FIRST_LOOKS]
    if are_alike and np.isin(first, original.present()).any():
        return None
    share = share_in_common(original, synthetic, n[1])
    if share >= FEWEST_IN_COMMON:
        return None
    common = "no value" if share == 0 else f"only {100 * share:.2g} % of its values"
    short = f"{where}: {common} in common"
    # no value of either table: the synthetic ones may be copies of the original's
    finding = (
        f"{short} with the original data, which hold {_form(original)}, here {_form(synthetic)}"
    )
    repair = _repair(original, synthetic, near_levels(where, original, synthetic, n))
    says = f"values that cannot match always show zero risk, whatever the true risk: {repair}"
    return Finding(finding, says, short, at_all=share == 0)


def _repair(original: Column, synthetic: Column, near: Finding | None) -> str:
    columns = (original, synthetic)
    dated = [one.kind in ("date", "time") or DATE_FORM.match(_pattern(one)) for one in columns]
    if all(dated) and (original.is_text or synthetic.is_text):
        return "write the dates of both tables in one way, year-month-day for instance"
    if near is not None:
        return near.repair
    if original.is_number and synthetic.is_number:
        way = "group them (as ngroups_keys and ngroups_target do), round both alike"
        return f"{way}, or match within intervals"
    return "give both columns the same values or type"


def _form(column: Column) -> str:
    """How the values of a column are written: digits as 9, letters as a; never a value."""
    pattern = _pattern(column)
    return f"text written as {pattern}" if pattern else NATURES.get(column.kind, "text")


def _pattern(column: Column) -> str:
    """The form of most labels, such as 99.99.9999; empty where there is none worth showing."""
    labels = column.labels[:FIRST_LABELS]
    forms = Counter(re.sub(r"[^\W\d_]+", "a", re.sub(r"\d", "9", label)) for label in labels)
    form, often = forms.most_common(1)[0] if forms else ("", 0)
    is_telling = "9" in form and len(form) <= LONGEST_FORM and 2 * often > len(labels)
    return form if is_telling else ""


class _Levels(NamedTuple):
    """The values of a column that some record has, each once."""

    column: Column
    codes: Integers  # the same for the same value in the other column
    records: Integers  # that have the value

    def texts(self) -> list[str]:
        if self.column.is_text:
            return [self.column.labels[code] for code in self.column.values.tolist()]
        return exact_level_texts(self.column.kind, self.column.values)


def _levels_of(columns: Sequence[Column], n: RowCounts) -> list[_Levels]:
    found = [column_of(factorise(column, times)) for column, times in zip(columns, n)]
    variable = encode("", [column for column, _ in found])
    levels = []
    for at, (column, records) in enumerate(found):
        known = slice(len(column) - column.has_missing)  # missing comes last
        present = Column(column.kind, column.values[known], labels=column.labels)
        levels.append(_Levels(present, variable.own_codes(at)[known], records[known]))
    return levels


def share_in_common(original: Column, synthetic: Column, n: np.ndarray | None = None) -> float:
    """The share of synthetic records with a value whose value the original has."""
    theirs, ours = _levels_of((original, synthetic), (None, n))
    common = ours.records[np.isin(ours.codes, theirs.codes)].sum()
    return float(common / max(ours.records.sum(), 1))


def _date_key(text: str) -> str:
    """The same for all ways to write a date with three numbers."""
    if not DATE.fullmatch(text):
        return text
    return f"date {sorted(map(int, re.findall(r'[0-9]+', text)))}"


# in the order in which they are undone, each with what repairs it
WAYS: dict[str, tuple[Way, str]] = {
    "forms of one character": (partial(unicodedata.normalize, "NFKC"), ".str.normalize('NFKC')"),
    "blanks": (str.strip, ".str.strip()"),
    "upper and lower case": (str.casefold, ".str.casefold()"),
    "ways to write a number": (number_key, "pandas.to_numeric()"),
    "ways to write a date": (_date_key, "pandas.to_datetime()"),
}


def near_levels(
    where: str, original: Column, synthetic: Column, n: RowCounts = (None, None)
) -> Finding | None:
    """Levels of one side that differ from a level of the other only in how they are written."""
    numbers = original.is_number and synthetic.is_number
    if numbers and original.has_short_numbers() and synthetic.has_short_numbers():
        return None  # both precisions hold them
    if not (numbers or original.is_text or synthetic.is_text):
        return None
    # two factors of one origin are the common case, and records need not be looked at
    labels = original.labels
    if labels and labels == synthetic.labels and len(set(map(_plain, labels))) == len(labels):
        return None
    sides = _levels_of((original, synthetic), n)
    # what matched has one code on both sides, however it is written
    alone = [~np.isin(sides[at].codes, sides[1 - at].codes) for at in (0, 1)]
    if numbers:
        near, repair = _near_numbers(sides, alone), PRECISION
    else:
        near, repair = _near_texts([side.texts() for side in sides], alone)
    theirs, ours = (int(side.records[is_near].sum()) for side, is_near in zip(sides, near))
    if not (theirs or ours):
        return None
    everybody = len(original) if n[0] is None else int(n[0].sum())
    short = f"{where}: {ours:,} synthetic and {about(theirs, everybody)} original records"
    finding = f"{short} have a value that the other side writes differently"
    repair = f"they differ in {repair}"
    says = f"they do not match, so risks are too low and distances too large: {repair}"
    return Finding(finding, says, short, repair)


def _plain(text: str, leaving: str | None = None) -> str:
    """A text without the differences that a person does not see, or with one kind of them."""
    for way, (change, _) in WAYS.items():
        if way != leaving:
            text = change(text)
    return text


def _near_texts(texts: Sequence[Sequence[str]], among: Sequence[Flags]) -> tuple[list[Flags], str]:
    """For both sides, which levels `among` those flagged the other has, and what differs."""
    near = _alike(texts, among)
    often = sum(map(np.sum, near))
    ways, means = [], []
    for way, (_, repair) in WAYS.items():
        if often and sum(map(np.sum, _alike(texts, near, way))) < often:
            ways.append(way)
            means.append(repair)
    return near, f"{', '.join(ways)}; write both alike, for instance with {', '.join(means)}"


def _alike(
    texts: Sequence[Sequence[str]], among: Sequence[Flags], leaving: str | None = None
) -> list[Flags]:
    plain = [pd.Index([_plain(text, leaving) for text in side], dtype=object) for side in texts]
    return [among[at] & plain[at].isin(plain[1 - at]) for at in (0, 1)]


def _near_numbers(sides: Sequence[_Levels], among: Sequence[Flags]) -> list[Flags]:
    """For both sides, which numbers `among` those flagged one of them has in less precision."""
    values = [side.column.values.astype(np.float64) for side in sides]
    alone = [numbers[flags] for numbers, flags in zip(values, among)]
    found = [np.zeros(len(numbers), dtype=bool) for numbers in alone]
    for exact, short in ((0, 1), (1, 0)):
        some = values[short][:: max(1, len(values[short]) // SAMPLE)]
        is_whole = (np.trunc(some) == some).all()
        decimals = () if is_whole else (partial(np.round, decimals=6),)
        for shorter in (_in_single, *decimals, _by_text_of_single):
            # numbers that happen to be close are not all of them short; a sample decides
            if (shorter(some) == some).all():
                shortened = pd.Index(shorter(alone[exact]))
                found[exact] |= shortened.isin(values[short])
                found[short] |= pd.Index(alone[short]).isin(shortened)
                break
    if any((np.trunc(numbers) != numbers).any() for numbers in alone):  # others may be codes
        bits = [np.frexp(numbers) for numbers in alone]
        most = [pd.Index(np.ldexp(np.round(np.ldexp(part, 40)), power)) for part, power in bits]
        for at in (0, 1):
            found[at] |= most[at].isin(most[1 - at])
    near = [flags.copy() for flags in among]
    for flags, those in zip(near, found):
        flags[flags] = those
    return near


def _in_single(values: Floats) -> Floats:
    with np.errstate(over="ignore"):
        return values.astype(np.float32).astype(np.float64)


def _by_text_of_single(values: Floats) -> Floats:
    return _in_single(values).astype(np.float32).astype(str).astype(np.float64)
