"""Whether two columns can be compared at all. A risk of 0 that means "nothing could be compared" is
the worst figure a privacy tool can show.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from ..core.coding import encode
from ..core.columns import Column
from ..errors import InputError, NothingInCommonWarning, warn
from ..redaction import redacted
from .near_levels import NearLevels, RowCounts, near_levels, warn_of_near_levels

NATURES = {
    "logical": "True and False",
    "integer": "numbers",
    "double": "numbers",
    "date": "dates",
    "time": "dates",
    "duration": "durations",
}
FEWEST_IN_COMMON = 0.01  # of the synthetic records; below, agreement is chance
FIRST_LOOKS = 8  # values looked up before all of them are: nearly always one is enough
FIRST_RECORDS = 1000  # of the original, in which they are looked up first
LONGEST_FORM = 20  # characters; a longer form is a sentence
DATE_FORM = re.compile(r"(9{4}[-./]9{1,2}[-./]9{1,2}|9{1,2}[-./ ][9a]{1,2}[-./ ](99){1,2})\b.*")


def check_comparable(name: Hashable, original: Column, synthetic: Column, place: str) -> None:
    """Refuse two columns that can never have a value in common; text, or a column with only missing
    values, can stand for anything.
    """
    if not (original.has_values and synthetic.has_values):
        return
    theirs, ours = NATURES.get(original.kind), NATURES.get(synthetic.kind)
    if theirs is not None and ours is not None and theirs != ours:
        raise InputError(
            f"{redacted(place)}, column {name!r}: holds {ours}, the original data hold {theirs};"
            " they cannot be compared, convert one of them"
        )


@dataclass(frozen=True, slots=True)
class NothingInCommon:
    """Two columns with hardly any value in common.

    Attributes
    ----------
    finding : which columns, and what is in them.
    consequence : what that means for a risk, and what to do about it.
    short : the finding beside another one.
    at_all : not a single value is the same.
    """

    finding: str
    consequence: str
    short: str
    at_all: bool = True

    def __str__(self) -> str:
        return f"{self.finding}; {self.consequence}"


def warn_of_mismatch(
    name: Hashable,
    original: Column,
    synthetic: Column,
    place: str,
    n: RowCounts = (None, None),
    *,
    must_match: bool = False,
) -> NothingInCommon | NearLevels | None:
    """Give a `NothingInCommonWarning` if hardly any value is the same, otherwise a
    `NearLevelsWarning` if some values are written in two ways. Returns the finding.

    Parameters
    ----------
    n : how many records rows of each table stand for.
    must_match : without a single value in common this is an error: every risk would be 0.
    """
    may_be_near = original.labels != synthetic.labels or _look_alike(original.labels)
    strangers = nothing_in_common(name, original, synthetic, place, n)
    if strangers is not None:
        # a table may be named by the address of its database
        if must_match and strangers.at_all:
            raise InputError(redacted(str(strangers)))
        warn(redacted(str(strangers)), NothingInCommonWarning, redacted(strangers.short))
        return strangers
    if may_be_near or not (original.has_short_numbers() and synthetic.has_short_numbers()):
        return warn_of_near_levels(name, original, synthetic, place, n)
    return None


def _look_alike(labels: tuple[str, ...]) -> bool:
    """Whether declared levels differ only in case or blanks, so each table may use its own."""
    return len({label.strip().casefold() for label in labels}) < len(labels)


def nothing_in_common(
    name: Hashable,
    original: Column,
    synthetic: Column,
    place: str,
    n: RowCounts = (None, None),
) -> NothingInCommon | None:
    """The finding if hardly any synthetic record has a value of the original; None if enough do."""
    where = f"{place}, column {name!r}"
    if not len(original.values) or not len(synthetic.values):
        return None  # an empty table is refused where it is read
    if not original.has_values:
        return _no_original_value(name, synthetic)
    if not synthetic.has_values:
        missing = f"{where}: every value is missing"
        return NothingInCommon(
            finding=f"{missing}, while the original data have some",
            consequence="an intruder would not use it, so leave it out of the keys",
            short=missing,
        )
    # coding both columns takes longer than everything else here; hardly any call needs it
    if _agree_at_first_sight(original, synthetic):
        return None
    share = share_in_common(original, synthetic, n[1])
    if share >= FEWEST_IN_COMMON:
        return None
    near = near_levels(where, original, synthetic, n)
    return _strangers(where, original, synthetic, share, near)


def _no_original_value(name: Hashable, synthetic: Column) -> NothingInCommon:
    tables = "the original data" if synthetic.has_values else "either table"
    nothing = f"column {name!r}: no record of {tables} has a value"
    return NothingInCommon(
        finding=f"{nothing}, all are missing",
        consequence=(
            "a risk of 0 would say nothing: leave the column out, or check how it was read"
        ),
        short=nothing,
        at_all=synthetic.has_values,  # two gaps match
    )


def _strangers(
    where: str, original: Column, synthetic: Column, share: float, near: NearLevels | None
) -> NothingInCommon:
    common = "no value" if share == 0 else f"only {100 * share:.2g} % of its values"
    forms = _form(original), _form(synthetic)
    # no value of either table: the synthetic ones may be copies of the original's
    return NothingInCommon(
        finding=(
            f"{where}: {common} in common with the original data, which hold {forms[0]}, here"
            f" {forms[1]}"
        ),
        consequence=(
            "values that cannot match always show zero risk, whatever the true risk:"
            f" {_repair(original, synthetic, near)}"
        ),
        short=f"{where}: {common} in common",
        at_all=share == 0,
    )


def _repair(original: Column, synthetic: Column, near: NearLevels | None) -> str:
    has_text = original.is_text or synthetic.is_text
    if has_text and all(map(_is_dated, (original, synthetic))):
        return "write the dates of both tables in one way, year-month-day for instance"
    if near is not None:
        return near.repair
    if original.is_number and synthetic.is_number:
        return (
            "group them (as ngroups_keys and ngroups_target do), round both alike, or match within"
            " intervals"
        )
    return "give both columns the same values or type"


def _form(column: Column) -> str:
    """How the values of a column are written: digits as 9, letters as a; never a value."""
    pattern = _pattern(column)
    if pattern:
        return f"text written as {pattern}"
    return NATURES.get(column.kind, "text")


def _pattern(column: Column) -> str:
    """The form of most labels, such as 99.99.9999; empty where there is none worth showing."""
    labels = column.labels[:FIRST_RECORDS]
    forms = Counter(re.sub(r"[^\W\d_]+", "a", re.sub(r"\d", "9", label)) for label in labels)
    form, often = forms.most_common(1)[0] if forms else ("", 0)
    is_telling = "9" in form and len(form) <= LONGEST_FORM and 2 * often > len(labels)
    return form if is_telling else ""


def _is_dated(column: Column) -> bool:
    return column.kind in ("date", "time") or DATE_FORM.fullmatch(_pattern(column)) is not None


def _agree_at_first_sight(original: Column, synthetic: Column) -> bool:
    """Whether levels are the same, or one of the first values is in the original."""
    if original.is_text and synthetic.is_text:
        return original.labels == synthetic.labels
    if original.is_text or synthetic.is_text:
        return False
    first_values = synthetic.present()[:FIRST_LOOKS].tolist()
    # usually one of the first original records has it, and the others need not be checked
    for records in (slice(FIRST_RECORDS), slice(None)):
        known = original.values[records]
        is_there = True if original.missing is None else ~original.missing[records]
        if any(((known == value) & is_there).any() for value in first_values):
            return True
    return False


def share_in_common(original: Column, synthetic: Column, n: np.ndarray | None = None) -> float:
    """The share of synthetic records, missing ones left out, whose value the original has; `n` says
    how many records each synthetic row stands for.

    Examples
    --------
    >>> people = Column("integer", np.array([1, 2, 3]))
    >>> fake = Column("integer", np.array([3, 3, 4, 5]))
    >>> share_in_common(people, fake)
    0.5
    """
    variable = encode("", [original, synthetic])
    known, codes = variable.own_codes(0), variable.own_codes(1)
    if original.missing is not None:
        known = known[~original.missing]
    in_original = np.zeros(variable.size, dtype=bool)
    in_original[known] = True
    times = np.ones(len(codes)) if n is None else n.astype(np.float64)
    if synthetic.missing is not None:
        codes, times = codes[~synthetic.missing], times[~synthetic.missing]
    if not len(codes):
        return 0.0
    return float(times[in_original[codes]].sum() / times.sum())
