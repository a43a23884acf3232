"""Counting for `replicated_uniques()`: which records are unique in a synthesis, and in the original
too.

Reading order: `Sizes` · `count_uniques` (all syntheses) · `compare` (one synthesis) · what R makes
of a single key.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core.arrays import Flags, Integers
from ..core.columns import Column
from ..core.combinations import places_among
from ..core.crosstab import count_codes, pair_up, totals
from ..core.levels import Variable
from ..disclosure.rows import Rows
from ..errors import InputError
from ..r.reading import Reading, correctly
from ..synds import SynDS
from .uniques_keys import NOBODYS_CODE, KeyCodes, coded_keys, coded_single_key, only_value_as_text

LOOKED_UP_AS_NUMBERS = ("date", "time", "duration")


@dataclass(frozen=True, slots=True)
class Sizes:
    """Numbers of records: counted now, and remembered by the object from the time of the synthesis.

    Attributes
    ----------
    n, remembered_n : of the original.
    rows : of each synthesis.
    remembered_k : of any synthesis.
    """

    n: int
    rows: tuple[int, ...]
    remembered_n: int
    remembered_k: int

    @property
    def stale(self) -> bool:
        remembered = (self.remembered_n, self.remembered_k)
        return remembered != (self.n, self.rows[0]) or len(set(self.rows)) > 1

    def height(self, single: bool) -> int:
        """The number of records that R gives each of several syntheses, to put them side by
        side.
        """
        return self.remembered_k if single else self.rows[0]

    def r_has_an_answer(self, single: bool) -> bool:
        """Whether R has a result for several syntheses: it repeats short ones if they fit, and cuts
        long ones with one key.
        """
        if len(self.rows) == 1:
            return True
        height = self.height(single)
        if height > self.remembered_k:
            return False
        return all(_fits(records, height, cut=single) for records in self.rows)


def _fits(records: int, height: int, cut: bool) -> bool:
    if records == 0 or (cut and records > height):
        return True
    return height % records == 0


def remembered_sizes(object: Any, records: Sequence[int]) -> Sizes:
    """The numbers of records, and those that a SynDS has in its `meta`."""
    meta = object.meta if isinstance(object, SynDS) else {}
    n, *of_syntheses = records
    return Sizes(
        n=n,
        rows=tuple(of_syntheses),
        remembered_n=_count_or(meta.get("n"), n),
        remembered_k=_count_or(meta.get("k"), of_syntheses[0]),
    )


def _count_or(value: Any, default: int) -> int:
    """What is remembered, if it is a number of records."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return int(value)
    return default


@dataclass(frozen=True, slots=True)
class Uniques:
    """The uniques of one synthesis: the four numbers of R's table, and the records."""

    numbers: tuple[int, int, int, int]
    replicated: Flags
    in_original: Flags

    def stretched(self, k: int) -> Uniques:
        """As many flags as R remembers the synthesis to have records: it repeats short ones."""
        replicated = _stretched(self.replicated, k)
        return Uniques(self.numbers, replicated, _stretched(self.in_original, k))


def _stretched(flags: Flags, k: int) -> Flags:
    return np.resize(flags, k) if len(flags) < k else flags


@dataclass(frozen=True, slots=True)
class Counted:
    """The uniques of every synthesis, and how many records they are out of."""

    n: int
    k: tuple[int, ...]
    uniques: tuple[Uniques, ...]


def count_uniques(
    rows: Rows, by_value: Mapping[Hashable, Variable], sizes: Sizes, reading: Reading
) -> Counted:
    """The uniques of every synthesis under one reading; `by_value` has the keys as coded under the
    correct reading.
    """
    single = len(rows.columns) == 1
    m = len(sizes.rows)
    if not sizes.r_has_an_answer(single):
        reading = correctly()
    remembers = reading.follow_r("D38", sizes.stale)
    height = sizes.height(single) if remembers and m > 1 else None
    tables = list(rows.columns.values())
    if single:
        # R writes the values of one key after it has cut or repeated them, and how depends on all
        tables = [_at_height(tables[0], rows, height)]
        (name,) = rows.columns
        keys = coded_single_key(name, tables[0], reading)
    else:
        keys = coded_keys(list(by_value.values()), tables, reading)
    one_key_as_r = single and reading.follow_r("D37")
    uniques = []
    for j in range(1, m + 1):
        synthetic = _repeated_codes(keys.codes[j], rows.n[j], height)
        counts = rows.n[0], repeated_counts(rows.n[j], rows.records[j], height)
        if one_key_as_r:
            counted = _single_key_as_r(keys, synthetic, tables[0], j, counts)
        else:
            counted = compare(keys.codes[0], synthetic, keys.size, counts)
        # rows that stand for many records are marked as they are
        stretches = remembers and rows.n[j] is None
        uniques.append(counted.stretched(sizes.remembered_k) if stretches else counted)
    if remembers:
        return Counted(sizes.remembered_n, (sizes.remembered_k,) * m, tuple(uniques))
    return Counted(sizes.n, sizes.rows, tuple(uniques))


def _repeated_codes(codes: Integers, n: Integers | None, height: int | None) -> Integers:
    """The codes of records, repeated; those of rows with counts `n` stay, their counts grow."""
    if height is None or n is not None or not len(codes):
        return codes
    return np.resize(codes, height)


def repeated_counts(n: Integers | None, records: int, height: int | None) -> Integers | None:
    """Counts after R has repeated the records: it only matters whether there is one, or more."""
    if n is None or height is None:
        return n
    return np.minimum(n, 2) * min(height // records, 2)


def _at_height(columns: list[Column], rows: Rows, height: int | None) -> list[Column]:
    """A key whose syntheses are repeated or cut to a number of records; empty ones stay empty."""
    if height is None:
        return columns
    original, *syntheses = columns
    resized = []
    for column, n, records in zip(syntheses, rows.n[1:], rows.records[1:]):
        if n is None:
            column = _resized(column, height)
        elif records > height:
            raise _cut_by_r(records, height)
        resized.append(column)
    return [original, *resized]


def _cut_by_r(records: int, height: int) -> InputError:
    return InputError(
        f"counts: R takes the first {height} of {records} records of a synthesis, and counts "
        "do not say which those are; give the records themselves, one per row, or "
        "compat='corrected'"
    )


def _resized(column: Column, height: int) -> Column:
    if not len(column):
        return column
    missing = None if column.missing is None else np.resize(column.missing, height)
    if missing is not None and not missing.any():
        missing = None
    return replace(column, values=np.resize(column.values, height), missing=missing)


def compare(
    original: Integers,
    synthetic: Integers,
    size: int,
    counts: tuple[Integers | None, Integers | None] = (None, None),
) -> Uniques:
    """Unique combinations of two tables, from the combination's code of each row; `counts` says how
    many records the rows of either table stand for.
    """
    room = 4 * (len(original) + len(synthetic)) + 1024
    n, k = counts
    cells, n_orig, n_syn = pair_up(
        count_codes(original, size, room, n),
        count_codes(synthetic, size, room, k),
    )
    unique_in_original = n_orig == 1
    unique_in_synthetic = n_syn == 1
    in_original = unique_in_synthetic & (n_orig > 0)
    replicated = unique_in_synthetic & unique_in_original
    numbers = (
        int(unique_in_original.sum()),
        int(unique_in_synthetic.sum()),
        int(in_original.sum()),
        int(replicated.sum()),
    )
    cell_of_row = places_among(cells, synthetic, room)
    return Uniques(numbers, replicated[cell_of_row], in_original[cell_of_row])


# ---- one key, as R takes it ----------------------------------------------------------


def _single_key_as_r(
    keys: KeyCodes,
    synthetic: Integers,
    columns: list[Column],
    j: int,
    counts: tuple[Integers | None, Integers | None],
) -> Uniques:
    """One key as R treats it (D37): missing values are left out, and a table of one column is read
    as one long text. Nothing equals that text unless the table has only one record. With several
    syntheses the replicated uniques are marked all the same.
    """
    original, (n, k) = keys.codes[0], counts
    in_original_present = original != keys.missing_code
    present = synthetic != keys.missing_code
    known = synthetic[present]
    known_counts = _of(n, in_original_present), _of(k, present)
    whole = compare(original[in_original_present], known, keys.size, known_counts)
    only_original = _code_of_only_value(keys, columns[0], n)
    alone = _codes_that_occur_once(known, known_counts[1])
    in_original = int((alone == only_original).sum())
    replicated = np.zeros(len(synthetic), dtype=bool)
    marked = np.zeros(len(synthetic), dtype=bool)
    if len(columns) > 2:
        if columns[j].kind not in LOOKED_UP_AS_NUMBERS:
            replicated[present] = whole.replicated
        if in_original:
            marked[:] = synthetic == only_original
    else:
        only_synthetic = _code_of_only_value(keys, columns[j], k)
        if whole.replicated.any():
            replicated[:] = known[whole.replicated][0] == only_synthetic
        if in_original:
            marked[:] = only_synthetic == only_original
    unique_in_original, unique_in_synthetic, _, both = whole.numbers
    numbers = (unique_in_original, unique_in_synthetic, in_original, both)
    return Uniques(numbers, replicated, marked)


def _of(n: Integers | None, rows: Flags) -> Integers | None:
    return None if n is None else n[rows]


def _code_of_only_value(keys: KeyCodes, column: Column, n: Integers | None) -> int:
    """The code of a column's value if it has only one record; otherwise a code that no record
    has.
    """
    if n is not None and n.sum() != 1:
        return NOBODYS_CODE
    text = only_value_as_text(column)
    return NOBODYS_CODE if text is None else keys.code_of(text)


def _codes_that_occur_once(codes: Integers, n: Integers | None) -> Integers:
    values, place = np.unique(codes, return_inverse=True)
    counts = totals(place.reshape(-1), n, len(values))
    alone: Integers = values[counts == 1]
    return alone
