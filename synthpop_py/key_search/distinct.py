"""Rows that no further key can tell apart, counted once: the search grows with distinct rows, not
with records.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..core.arrays import Integers, Values
from ..core.combinations import LARGEST_CODE
from ..core.crosstab import totals

SMALL_TABLE = 2**12  # of counts or flags: takes no time


class RowCodes(NamedTuple):
    """A variable, or several together, over the rows of all tables, one after the other: codes,
    shape (r,), from 0 to size - 1.
    """

    codes: Integers
    size: int


def short(codes: Integers, size: int) -> RowCodes:
    """The same in as few bytes as possible: lookups come in any order, so it matters how many codes
    fit in the processor's cache.

    >>> short(np.array([0, 200]), 201).codes.dtype
    dtype('int16')
    """
    return RowCodes(codes.astype(np.min_scalar_type(-size)), size)


class Distinct(NamedTuple):
    """Distinct codes, ascending; the position of a row that has each, and the records with it, None
    where each row is one record.
    """

    codes: Integers
    rows: Integers
    n: Values | None


def small_table(size: int, rows: int) -> bool:
    """Whether a table of this size is no longer than the rows, or takes no time."""
    return size <= max(SMALL_TABLE, 4 * rows)


def dense(codes: Integers, size: int) -> RowCodes:
    """The codes renumbered to those that occur, in the same order: by a table of all possible ones
    where it is small, else by sorting.

    >>> dense(np.array([7, 2, 7]), 10)
    RowCodes(codes=array([1, 0, 1]), size=2)
    """
    if not small_table(size, len(codes)):
        distinct, position = np.unique(codes, return_inverse=True)
        return RowCodes(position.reshape(-1), len(distinct))
    occurs = np.zeros(size, dtype=bool)
    occurs[codes] = True
    new_code = np.cumsum(occurs) - 1
    return RowCodes(new_code[codes], int(np.count_nonzero(occurs)))


def distinct_rows(codes: Integers, size: int, n: Values | None) -> Distinct:
    """Rows with the same code as one; `n` says how many records each stands for.

    >>> distinct_rows(np.array([7, 2, 7]), 10, None)
    Distinct(codes=array([2, 7]), rows=array([1, 2]), n=array([1, 2]))
    """
    if small_table(size, len(codes)):
        row_of = np.full(size, -1)
        row_of[codes] = np.arange(len(codes))
        distinct = np.flatnonzero(row_of >= 0)
        return Distinct(distinct, row_of[distinct], totals(codes, n, size)[distinct])
    in_order = np.argsort(codes)
    ordered = codes[in_order]
    begins = np.ones(len(codes), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    # of each the last in the order of the code
    last = np.append(np.flatnonzero(begins[1:]), len(codes) - 1)
    place = np.empty(len(codes), dtype=np.int64)
    place[in_order] = np.cumsum(begins) - 1
    return Distinct(ordered[last], in_order[last], totals(place, n, len(last)))


def joint_suffixes(keys: Sequence[RowCodes], targets: Sequence[Integers]) -> list[RowCodes]:
    """For each key, it together with all keys after it and all targets; after the last key, the
    targets alone.
    """
    together = RowCodes(np.zeros(len(keys[0].codes), dtype=np.int64), 1)
    for codes in targets:
        size = int(codes.max(initial=-1)) + 1
        together = dense(together.codes * size + codes, together.size * size)
    suffixes = [short(*together)]
    for key in reversed(keys):
        assert key.size * together.size < LARGEST_CODE, "both are at most as many as rows"
        codes = key.codes.astype(np.int64) * together.size + together.codes
        together = dense(codes, key.size * together.size)
        suffixes.append(short(*together))
    return suffixes[::-1]
