"""Whether two columns can be compared: have they values in common, do they write one value in two
ways ("Oslo" and "oslo ", 1 and 1.0 as text)? Otherwise a risk of 0 would say nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np
import pandas as pd

from ..core.arrays import Flags, Floats, Integers
from ..core.columns import Column
from ..core.numerals import number_key
from ..errors import DataWarning, InputError, warn
from ..levels import Variable, factorise, is_short, match
from ..redaction import redacted
from ..rounding import ROUND_TO, people, shown, too_few

RowCounts = tuple[np.ndarray | None, np.ndarray | None]  # records by row, original and synthetic
Finding = tuple[str, str, bool]  # what keeps two columns apart; what follows; nothing matches

FEWEST_IN_COMMON = 0.01  # of the synthetic records; below, agreement is chance
FIRST_LOOKS = 8  # numbers looked up first: nearly always one is enough
FIRST_LABELS = 1000  # that say how values are written
LONGEST_FORM = 20  # characters; a longer form is a sentence
NATURES = {
    "logical": "True and False",
    "integer": "numbers",
    "double": "numbers",
    "date": "dates",
    "time": "dates",
    "duration": "durations",
}
DATE_FORM = re.compile(r"(9{4}[-./]9{1,2}[-./]9{1,2}|9{1,2}[-./ ][9a]{1,2}[-./ ](99){1,2})\b.*")
DATE = re.compile(r"\d{1,4}([-./ ])\d{1,2}\1\d{1,4}")
DATES_ALIKE = "write the dates of both tables in one way, year-month-day for instance"
SPELLING = (
    "case, blanks, or ways to write a character, a number or a date; write both alike, for instance"
    " with .str.strip(), .str.casefold(), .str.normalize('NFKC'), pandas.to_numeric() or"
    " pandas.to_datetime()"
)
MOST = "half of the records or more"  # so that figures about the column mean nothing
PRECISION = "the last digits of numbers; store both in the same precision, and round both alike"
SAMPLE = 1000


def about(records: int, whole: int) -> str:
    """A number of people out of `whole`, rounded: what is said here stands in pages for others."""
    if too_few(whole):
        return f"fewer than {2 * ROUND_TO}"
    return people(shown(records, whole))


def check_comparable(name: Hashable, original: Column, synthetic: Column, place: str) -> None:
    """Refuse two columns of different natures; text can stand for anything."""
    theirs, ours = NATURES.get(original.kind), NATURES.get(synthetic.kind)
    if theirs is None or ours is None or theirs == ours:
        return
    if original.has_values and synthetic.has_values:
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
) -> str | None:
    """Give a `DataWarning` if hardly any value is the same, or some are written in two ways. For
    what `must_match`, not a single value in common is an error.
    """
    strangers = nothing_in_common(name, original, synthetic, place, n)
    if strangers is None:
        return warn_of_near_levels(name, original, synthetic, place, n)
    finding, advice, nothing_matches = strangers
    if must_match and nothing_matches:
        raise InputError(redacted(f"{finding}; {advice}"))
    return _told(finding, advice)


def warn_of_near_levels(
    name: Hashable, original: Column, synthetic: Column, place: str, n: RowCounts = (None, None)
) -> str | None:
    """The same if only some values are written in two ways."""
    near = _near_levels(original, synthetic, n)
    if near is None:
        return None
    theirs, ours, repair = near
    everybody = len(original) if n[0] is None else int(n[0].sum())
    records = f"{ours:,} synthetic and {about(theirs, everybody)} original records"
    of_synthetic = len(synthetic) if n[1] is None else int(n[1].sum())
    if SPELLING in repair and 2 * ours >= of_synthetic:
        records = f"{MOST}, {records}, "
    else:
        records += " "
    return _told(
        f"{place}, column {name!r}: {records}have a value that the other side writes differently",
        f"they do not match, so risks are too low and distances too large: {repair}",
    )


def _told(finding: str, advice: str) -> str:
    # a table may be named by the address of its database
    text = redacted(f"{finding}; {advice}")
    short = finding.partition(" with the original data, ")[0]  # beside other findings
    warn(text, DataWarning, redacted(short))
    return text


def nothing_in_common(
    name: Hashable, original: Column, synthetic: Column, place: str, n: RowCounts = (None, None)
) -> Finding | None:
    """The finding if hardly any synthetic record has a value of the original; None if enough do."""
    where = f"{place}, column {name!r}"
    if not len(original) or not len(synthetic):
        return None  # an empty table is refused where it is read
    if not original.has_values:
        tables = "the original data" if synthetic.has_values else "either table"
        finding = f"column {name!r}: no record of {tables} has a value, all are missing"
        advice = "a risk of 0 would say nothing: leave the column out, or check how it was read"
        return finding, advice, synthetic.has_values  # two gaps match
    if not synthetic.has_values:
        finding = f"{where}: every value is missing, while the original data have some"
        return finding, "an intruder would not use it, so leave it out of the keys", True
    if not (original.is_text or synthetic.is_text):  # coding both takes longer than a first look
        first = synthetic.present()[:FIRST_LOOKS]
        if np.isin(first, original.present()).any():
            return None
    share = share_in_common(original, synthetic, n[1])
    if share >= FEWEST_IN_COMMON:
        return None
    common = "no value" if share == 0 else f"only {100 * share:.2g} % of its values"
    # no value of either table: the synthetic ones may be copies of the original's
    forms = f"which hold {_form(original)}, here {_form(synthetic)}"
    finding = f"{where}: {common} in common with the original data, {forms}"
    repair = _repair(original, synthetic, n)
    advice = f"values that cannot match always show zero risk, whatever the true risk: {repair}"
    return finding, advice, share == 0


def _repair(original: Column, synthetic: Column, n: RowCounts) -> str:
    columns = (original, synthetic)
    dated = [one.kind in ("date", "time") or DATE_FORM.match(_pattern(one)) for one in columns]
    if all(dated) and (original.is_text or synthetic.is_text):
        return DATES_ALIKE
    near = _near_levels(original, synthetic, n)
    if near is not None:
        return near[2]
    if original.is_number and synthetic.is_number:
        return "group them (as ngroups_keys and ngroups_target do), or match within intervals"
    return "give both columns the same values or type"


def _form(column: Column) -> str:
    pattern = _pattern(column)
    return f"text written as {pattern}" if pattern else NATURES.get(column.kind, "text")


def _pattern(column: Column) -> str:
    """The form of most labels, digits as 9 and letters as a, such as 99.99.9999; empty where there
    is none worth showing.
    """
    labels = column.labels[:FIRST_LABELS]
    forms: Counter[str] = Counter()
    for label in labels:
        form = re.sub(r"[^\W\d_]+", "a", re.sub(r"\d", "9", label))
        forms[form] += 1
    for form, often in forms.most_common(1):
        if "9" in form and len(form) <= LONGEST_FORM and 2 * often > len(labels):
            return form
    return ""


def share_in_common(original: Column, synthetic: Column, n: np.ndarray | None = None) -> float:
    """The share of synthetic records with a value whose value the original has."""
    _, (theirs, ours) = _together(original, synthetic, (None, n))
    return float(ours[theirs > 0].sum() / max(ours.sum(), 1))


def _together(
    original: Column, synthetic: Column, n: RowCounts
) -> tuple[Variable, tuple[Integers, Integers]]:
    """Both columns in one code, and the records that have each; nobody has the missing value."""
    variable = match([factorise(original, n[0]), factorise(synthetic, n[1])])
    theirs, ours = (side.records(variable.size) for side in variable.sides)
    if variable.sides[0].missing >= 0:
        theirs, ours = np.append(theirs[:-1], 0), np.append(ours[:-1], 0)
    return variable, (theirs, ours)


def _plain(text: str) -> str:
    """A text without the differences that a person does not see."""
    plain = unicodedata.normalize("NFKC", text).strip().casefold()
    if DATE.fullmatch(plain):
        return f"date {sorted(map(int, re.findall(r'[0-9]+', plain)))}"
    return number_key(plain)


def _near_levels(original: Column, synthetic: Column, n: RowCounts) -> tuple[int, int, str] | None:
    """How many records of each side have a value that the other only writes otherwise, and what to
    do about it.
    """
    numbers = original.is_number and synthetic.is_number
    if not (numbers or original.is_text or synthetic.is_text):
        return None
    variable, (theirs, ours) = _together(original, synthetic, n)
    if numbers and all(is_short(side.factor) for side in variable.sides):
        return None
    # what matched has one code on both sides, however it is written
    has = theirs > 0, ours > 0
    if numbers:
        near, repair = _near_numbers(_values(variable), has), PRECISION
    else:
        near, repair = _near_texts(variable.sides[0].texts(range(variable.size)), has), SPELLING
    near &= ~(has[0] & has[1])
    if not near.any():
        return None
    return int(theirs[near].sum()), int(ours[near].sum()), f"they differ in {repair}"


def _near_texts(texts: Sequence[str], has: tuple[Flags, Flags]) -> Flags:
    """Which codes look the same as one that the other side has."""
    plain = pd.Index([_plain(text) for text in texts], dtype=object)
    near: Flags = np.zeros(len(texts), dtype=bool)
    for mine, others in (has, has[::-1]):
        near |= mine & plain.isin(plain[others])
    return near


def _values(variable: Variable) -> Floats:
    """The number behind each code, NaN behind that of missing values."""
    values = np.full(variable.size, np.nan)
    for side in variable.sides:
        rows = np.flatnonzero(side.factor.place[:-1] >= 0)
        levels = np.asarray(side.factor.levels, dtype=np.float64)
        values[side.place[rows]] = levels[side.factor.place[rows]]
    return values


def _near_numbers(values: Floats, has: tuple[Flags, Flags]) -> Flags:
    """Which codes are numbers that one side has in less precision, or with other last digits."""
    near = np.zeros(len(values), dtype=bool)
    rounded = _in_twelve_digits(values)
    for mine, others in (has, has[::-1]):
        known, alone = values[others], mine & ~others
        near |= alone & np.isin(rounded, rounded[others])
        some = known[:: max(1, len(known) // SAMPLE)]
        for shorter in SHORTER:
            # numbers that happen to be close are not all of them short; a sample decides
            if (shorter(some) == some).all():
                shortened = shorter(values[alone])
                near[alone] |= np.isin(shortened, known)
                near |= others & ~mine & np.isin(values, shortened)
    return near


def _in_twelve_digits(values: Floats) -> Floats:
    """Fractions in 40 bits; whole numbers, which may be codes, in full."""
    parts, powers = np.frexp(values)
    rounded = np.ldexp(np.round(np.ldexp(parts, 40)), powers - 40)
    return np.where(np.trunc(values) == values, values, rounded)


def _in_single(values: Floats) -> Floats:
    with np.errstate(over="ignore"):
        return values.astype(np.float32).astype(np.float64)


def _by_text_of_single(values: Floats) -> Floats:
    return _in_single(values).astype(np.float32).astype(str).astype(np.float64)


SHORTER = (_in_single, lambda values: np.round(values, 6), _by_text_of_single)
