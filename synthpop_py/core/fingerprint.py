"""Fingerprints of tables: SHA-256 over the sorted distinct rows with their counts, so that they are
the same wherever the records live and whatever their order.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .arrays import Integers
from .coding import encode
from .columns import Column
from .crosstab import LARGEST_CODE, Counts, count_codes, joint_codes, room_for, sparse, totals
from .levels import Namer, Variable

MIDNIGHT = " 00:00:00"
DATE_LENGTH = 10
MOST_VALUES = 20_000  # of a column; to write more of them would take longer than the call

Tables = Mapping[Hashable, Sequence[Column]]  # by name, one column per table


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
    """What the codes of a column stand for; `missing_code` is None where nothing is missing.
    `are_texts` says that values are the texts themselves, not numbers or dates that these spell.
    """

    name: str
    texts: Namer
    missing_code: int | None
    are_texts: bool = True


class CodedColumn(NamedTuple):
    """The codes of a column, shape (rows,), and what they stand for."""

    levels: Levels
    codes: Integers


def fingerprint(columns: Sequence[CodedColumn], n: Integers | None = None) -> str:
    """The fingerprint of rows, which may repeat; `n` says how many records each stands for.

    The digest is made of JSON with the names of the columns in alphabetical order and the distinct
    values of each, sorted, null for missing; then of the distinct rows in lexical order; then of
    their counts. A row is one number: the positions of its values, the first column's counting
    most. Where it could pass 2^62, the distinct rows of the columns so far go into the digest, and
    count by their positions. Numbers have the bytes that the largest needs (1, 2, 4 or 8), the
    lowest byte first.

    Examples
    --------
    >>> names = ["F", "M"]
    >>> sex = Levels("sex", lambda codes: [names[code] for code in codes], None)
    >>> rows = fingerprint([CodedColumn(sex, np.array([1, 0, 1]))])
    >>> counted = fingerprint([CodedColumn(sex, np.array([0, 1]))], np.array([1, 2]))
    >>> rows == counted
    True
    """
    ordered = sorted(columns, key=lambda column: column.levels.name)
    values, positions = [], []
    for column in ordered:
        distinct, position = _sorted_values(column)
        values.append(distinct)
        positions.append(position)
    digest = _begun([column.levels for column in ordered], values)
    rows = np.zeros(len(positions[0]), dtype=np.int64)
    size = 1
    for distinct, position in zip(values, positions):
        if size * len(distinct) > LARGEST_CODE:
            occurring, rows = np.unique(rows, return_inverse=True)
            size = len(occurring)
            digest.update(_bytes(occurring))
        rows *= len(distinct)
        rows += position
        size *= len(distinct)
    return _ended(digest, sparse(count_codes(rows, size, room_for(len(rows)), n)))


def _begun(levels: Sequence[Levels], values: Sequence[Sequence[str | None]]) -> Any:
    """The digest of the values of all columns."""
    names = [of_column.name for of_column in levels]
    return hashlib.sha256(_json(list(zip(names, values))))


def _ended(digest: Any, rows: Counts) -> str:
    digest.update(_bytes(rows.cells))
    digest.update(_bytes(rows.n))
    text: str = digest.hexdigest()
    return text


def _bytes(numbers: Integers) -> bytes:
    """Few bytes, because they cost time, and the same on every machine."""
    fitting = np.min_scalar_type(int(numbers.max(initial=0)))
    return numbers.astype(fitting.newbyteorder("<")).tobytes()


def are_texts(column: Column) -> bool:
    """Whether the values of a column are texts; numbers may be labels of a factor too."""
    return column.is_text and not column.number_labels


def texts_meet_others(columns: Sequence[Column]) -> bool:
    """Whether a variable is text in one table and something else in another, so that one level may
    be two values: the number 100000 and the text "1e+05".
    """
    return len({are_texts(column) for column in columns}) > 1


def fingerprints_of(
    tables: Tables, n: Sequence[Integers | None], records: Sequence[int]
) -> Fingerprints | None:
    """Of all tables, the original first, made at once from their rows; None where a column has so
    many values that the call would wait for it.
    """
    for columns in tables.values():
        for column, number in zip(columns, records):
            if number > MOST_VALUES and _has_many_values(column):
                return None
    digests = []
    for table, counts in enumerate(n):
        digests.append(
            rows_fingerprint({name: columns[table] for name, columns in tables.items()}, counts)
        )
    original, *synthetic = digests
    return Fingerprints(
        columns=tuple(sorted(map(str, tables))),
        synthetic=tuple(synthetic),
        original=original,
    )


def rows_fingerprint(columns: Mapping[Hashable, Column], n: Integers | None) -> str:
    """Of the rows of one table; `n` says how many records each stands for."""
    variables, levels = [], []
    for name in sorted(columns, key=str):
        variable = encode(str(name), [columns[name]])
        variables.append(variable)
        levels.append(levels_of(variable, columns[name]))
    size = math.prod(variable.size for variable in variables)
    if size <= room_for(len(variables[0].codes[0])):
        (codes,), radix = joint_codes(variables)
        counts = totals(codes, n, size)
        return _table_fingerprint(levels, counts.reshape(radix.sizes))
    coded = [CodedColumn(one, variable.own_codes(0)) for one, variable in zip(levels, variables)]
    return fingerprint(coded, n)


def levels_of(variable: Variable, column: Column) -> Levels:
    """What the codes of a variable stand for, as the column has them."""
    return Levels(
        name=variable.name,
        texts=variable.name_codes,
        missing_code=variable.missing_code,
        are_texts=are_texts(column),
    )


def _table_fingerprint(levels: Sequence[Levels], counts_as_given: Integers) -> str:
    """Of a table of counts with one axis for each column, by name: axes are put into the order of
    their values, which takes less time than to do that with rows.
    """
    values = []
    counts = counts_as_given
    occupied = counts != 0
    for axis, of_column in enumerate(levels):
        others = tuple(other for other in range(counts.ndim) if other != axis)
        occurring = np.flatnonzero(occupied.any(axis=others))
        texts = _values(of_column, occurring)
        distinct, positions = _positions(texts)
        if len(distinct) < len(texts):
            return _merged_fingerprint(levels, counts_as_given)
        counts = counts.take(occurring[np.argsort(positions)], axis=axis)
        values.append(distinct)
    return _ended(_begun(levels, values), sparse(counts.reshape(-1)))


def _merged_fingerprint(levels: Sequence[Levels], counts: Integers) -> str:
    """The same where two levels of a column are one value."""
    cells = np.argwhere(counts)
    coded = [CodedColumn(one, codes) for one, codes in zip(levels, cells.T)]
    return fingerprint(coded, counts[counts != 0])


def _has_many_values(column: Column) -> bool:
    """Whether more values occur than are written at once."""
    if not column.has_values:
        return False
    values = column.present()
    # a part that has too many spares to sort the rest
    if len(np.unique(values[: 2 * MOST_VALUES])) > MOST_VALUES:
        return True
    if column.is_text and len(column.labels) <= MOST_VALUES:
        return False
    if values.dtype.kind in "iu" and int(values.max()) - int(values.min()) < MOST_VALUES:
        return False
    return len(np.unique(values)) > MOST_VALUES


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
    occurring = _occurring(column.codes)
    distinct, positions = _positions(_values(column.levels, occurring))
    return distinct, _looked_up(column.codes, occurring, positions)


def _values(levels: Levels, codes: Integers) -> list[str | None]:
    """What codes stand for, None for missing."""
    values: list[str | None] = []
    for code, text in zip(codes.tolist(), levels.texts(codes)):
        if code == levels.missing_code:
            values.append(None)
        else:
            values.append(text if levels.are_texts else written_once(text))
    return values


def _positions(values: Sequence[str | None]) -> tuple[list[str | None], Integers]:
    """The distinct values, sorted, missing first; and where each of the given ones is."""
    distinct = sorted(set(values), key=lambda value: (value is not None, value))
    position_of = {value: position for position, value in enumerate(distinct)}
    return distinct, np.array([position_of[value] for value in values], dtype=np.int64)


def _occurring(codes: Integers) -> Integers:
    """The distinct codes, ascending."""
    size = int(codes.max(initial=-1)) + 1
    if size > room_for(len(codes)):
        return np.unique(codes)
    flags = np.zeros(size, dtype=bool)
    flags[codes] = True
    return np.flatnonzero(flags)


def _looked_up(codes: Integers, occurring: Integers, positions: Integers) -> Integers:
    """The position that belongs to each code."""
    size = int(occurring[-1]) + 1 if len(occurring) else 0
    if size > room_for(len(codes)):
        return positions[np.searchsorted(occurring, codes)]
    table = np.zeros(size, dtype=np.int64)
    table[occurring] = positions
    return table[codes]


def written_once(text: str) -> str:
    """A number, date or time in one of the ways in which R may write it.

    Examples
    --------
    >>> written_once("1e+05"), written_once("1e-04"), written_once("2020-02-01 00:00:00")
    ('100000', '0.0001', '2020-02-01')
    """
    if "e" in text:
        return _without_exponent(text)
    if text.endswith(MIDNIGHT) and len(text) == DATE_LENGTH + len(MIDNIGHT):
        return text.removesuffix(MIDNIGHT)
    return text


def _without_exponent(text: str) -> str:
    """A number as Python writes it, whole ones with all their digits; every other text as it is."""
    try:
        value = float(text)
    except ValueError:
        return text
    return str(int(value)) if value.is_integer() else repr(value)
