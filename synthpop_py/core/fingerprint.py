"""Fingerprints of tables: SHA-256 over the sorted distinct rows with their counts, so that they are
the same wherever the records live and whatever their order.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..r.text import double_text
from .arrays import Integers
from .crosstab import LARGEST_CODE
from .levels import Namer

MIDNIGHT = " 00:00:00"
DATE_LENGTH = 10
NUMBERS = "<i8"  # the same bytes on every machine


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """Of the tables of one call.

    Attributes
    ----------
    columns : what they were taken of, by name.
    synthetic : one for each synthesis.
    original : None unless it was asked for: it can confirm a guess at a small table.
    """

    columns: tuple[str, ...]
    synthetic: tuple[str, ...]
    original: str | None = None


class Levels(NamedTuple):
    """What the codes of a column stand for; `missing_code` is None where nothing is missing."""

    name: str
    texts: Namer
    missing_code: int | None


class CodedColumn(NamedTuple):
    """The codes of a column, shape (rows,), and what they stand for."""

    levels: Levels
    codes: Integers


def fingerprint(columns: Sequence[CodedColumn], n: Integers | None = None) -> str:
    """The fingerprint of rows, which may repeat; `n` says how many records each stands for.

    The digest is made of JSON with the names of the columns in alphabetical order and the distinct
    values of each, sorted, null for missing; then of the distinct rows in lexical order, each value
    by its position; then of their counts. Numbers are 64 bits, the lowest byte first.

    Examples
    --------
    >>> names = ["F", "M"]
    >>> sex = Levels("sex", lambda codes: [names[code] for code in codes], None)
    >>> rows = fingerprint([CodedColumn(sex, np.array([1, 0, 1]))])
    >>> counted = fingerprint([CodedColumn(sex, np.array([0, 1]))], np.array([1, 2]))
    >>> rows == counted
    True
    """
    names, values, positions = [], [], []
    for column in sorted(columns, key=lambda column: column.levels.name):
        distinct, position = _sorted_values(column)
        names.append(column.levels.name)
        values.append(distinct)
        positions.append(position)
    first, counts = _distinct_rows(positions, [len(distinct) for distinct in values], n)
    rows = np.array([position[first] for position in positions], dtype=NUMBERS)
    digest = hashlib.sha256(_json(list(zip(names, values))))
    digest.update(rows.T.tobytes())
    digest.update(counts.astype(NUMBERS).tobytes())
    return digest.hexdigest()


def of_several(parts: Mapping[str, Fingerprints]) -> Fingerprints:
    """One for each table, from those of several sets of its columns by name."""
    columns: set[str] = set()
    originals = []
    for part in parts.values():
        columns.update(part.columns)
        if part.original is not None:
            originals.append(part.original)
    by_synthesis = zip(*(part.synthetic for part in parts.values()))
    return Fingerprints(
        columns=tuple(sorted(columns)),
        synthetic=tuple(_together(parts, digests) for digests in by_synthesis),
        original=_together(parts, originals) if len(originals) == len(parts) else None,
    )


def _together(names: Iterable[str], digests: Iterable[str]) -> str:
    named = sorted(zip(names, digests))
    return hashlib.sha256(_json(named)).hexdigest()


def _json(content: Sequence[Any]) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode("ascii")


def _sorted_values(column: CodedColumn) -> tuple[list[str | None], Integers]:
    """The values that occur, sorted, None for missing; and each row's position among them."""
    levels = column.levels
    occurring, level_of_row = np.unique(column.codes, return_inverse=True)
    values: list[str | None] = []
    for code, text in zip(occurring.tolist(), levels.texts(occurring)):
        values.append(None if code == levels.missing_code else written_once(text))
    distinct = sorted(set(values), key=lambda value: (value is not None, value))
    position_of = {value: position for position, value in enumerate(distinct)}
    positions = np.array([position_of[value] for value in values], dtype=np.int64)
    return distinct, positions[level_of_row.reshape(-1)]


def written_once(text: str) -> str:
    """A level in one of the ways in which R may write it, whatever the type of its column.

    Examples
    --------
    >>> written_once("1e+05"), written_once("1"), written_once("2020-02-01 00:00:00")
    ('100000', '1', '2020-02-01')
    """
    if "e+" in text:
        return _whole_number(text)
    if text.endswith(MIDNIGHT) and len(text) == DATE_LENGTH + len(MIDNIGHT):
        return text.removesuffix(MIDNIGHT)
    return text


def _whole_number(text: str) -> str:
    """A large whole number without exponent; every other text as it is."""
    try:
        value = float(text)
    except ValueError:
        return text
    if not value.is_integer() or double_text(value) != text:
        return text
    return str(int(value))


def _distinct_rows(
    positions: Sequence[Integers], sizes: Sequence[int], n: Integers | None
) -> tuple[Integers, Integers]:
    """Where each distinct row stands first, in lexical order, and how many records it has."""
    rows = np.zeros(len(positions[0]), dtype=np.int64)
    largest = 1
    for position, size in zip(positions, sizes):
        if largest * size > LARGEST_CODE:
            occurring, rows = np.unique(rows, return_inverse=True)
            largest = len(occurring)
        rows = rows * size + position
        largest *= size
    order = np.argsort(rows, kind="stable")
    ordered = rows[order]
    begins = np.ones(len(ordered), dtype=bool)
    begins[1:] = ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(begins)
    records = np.ones(len(ordered), dtype=np.int64) if n is None else n[order]
    return order[starts], np.add.reduceat(records, starts)
