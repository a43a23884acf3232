"""Fingerprints of tables: SHA-256 over the sorted distinct rows with their counts. They do not
depend on where the records are stored or on their order.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from .arrays import Flags, Integers, Values, distinct_values
from .coding import encode
from .columns import Column, texts_meet_others
from .combinations import LARGEST_CODE, joint_codes, room_for
from .crosstab import Counts, count_codes, sparse, totals
from .levels import Namer, Variable

MIDNIGHT = " 00:00:00"
DATE_LENGTH = 10
MOST_VALUES = 20_000  # values of a column; writing more would take longer than the call itself

Tables = Mapping[Hashable, Sequence[Column]]  # by name, one column per table


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """Fingerprints of the tables of one call.

    Attributes
    ----------
    columns : names of the columns they cover.
    synthetic : one for each synthesis.
    original : None unless asked for, because it can confirm a guess at a small table.
    """

    columns: tuple[str, ...]
    synthetic: tuple[str, ...]
    original: str | None = None


class Levels(NamedTuple):
    """What the codes of a column stand for; `missing_code` is None where nothing is missing.
    `are_texts` says that values are texts, not numbers or dates written as text.
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
    their counts. A row is one number: the positions of its values, with the first column most
    significant. Before it could exceed 2^62, the distinct rows of the columns so far go into the
    digest and are replaced by their positions. Numbers take the bytes that the largest needs (1, 2,
    4 or 8), lowest byte first.

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
    ranked = []
    for column in ordered:
        size = int(column.codes.max(initial=-1)) + 1
        (of_table,) = _ranked(column.levels, [column.codes], size)
        ranked.append(of_table)
    return _rows_digest(ranked, n)


class _RankedColumn(NamedTuple):
    """The values of a column, sorted, None for missing; and each row's position among them."""

    name: str
    values: list[str | None]
    positions: Integers


def _rows_digest(columns: Sequence[_RankedColumn], n: Integers | None) -> str:
    """The digest of rows, from the positions of their values; columns are in alphabetical order."""
    digest = _begun([column.name for column in columns], [column.values for column in columns])
    rows = np.zeros(len(columns[0].positions), dtype=np.int64)
    size = 1
    for column in columns:
        distinct = len(column.values)
        if size * distinct > LARGEST_CODE:
            occurring, rows = np.unique(rows, return_inverse=True)
            size = len(occurring)
            digest.update(_bytes(occurring))
        rows *= distinct
        rows += column.positions
        size *= distinct
    return _ended(digest, sparse(count_codes(rows, size, room_for(len(rows)), n)))


def _begun(names: Sequence[str], values: Sequence[Sequence[str | None]]) -> Any:
    """The digest of the values of all columns."""
    return hashlib.sha256(_json(list(zip(names, values))))


def _ended(digest: Any, rows: Counts) -> str:
    digest.update(_bytes(rows.cells))
    digest.update(_bytes(rows.n))
    text: str = digest.hexdigest()
    return text


def _bytes(numbers: Integers) -> bytes:
    """As few bytes as possible, because they cost time, and the same on every machine."""
    fitting = np.min_scalar_type(int(numbers.max(initial=0)))
    return numbers.astype(fitting.newbyteorder("<")).tobytes()


def fingerprints_of(
    tables: Tables,
    n: Sequence[Integers | None],
    records: Sequence[int],
    coded: Mapping[Hashable, Variable] | None = None,
) -> Fingerprints | None:
    """Fingerprints of all tables, the original first, made at once from their rows. None where a
    column has so many values that the call would be slow. `coded` holds variables that already have
    codes.
    """
    at_hand = coded or {}
    for name, columns in tables.items():
        if name in at_hand and at_hand[name].size <= MOST_VALUES:
            continue
        for column, number in zip(columns, records):
            if number > MOST_VALUES and _has_many_values(column):
                return None
    if any(map(texts_meet_others, tables.values())):
        digests = [_of_table(tables, table, counts) for table, counts in enumerate(n)]
    else:
        digests = _of_all_tables(tables, n, at_hand)
    original, *synthetic = digests
    return Fingerprints(
        columns=tuple(sorted(map(str, tables))),
        synthetic=tuple(synthetic),
        original=original,
    )


def _of_table(tables: Tables, table: int, n: Integers | None) -> str:
    """Coded by itself."""
    return rows_fingerprint({name: columns[table] for name, columns in tables.items()}, n)


def _of_all_tables(
    tables: Tables, n: Sequence[Integers | None], at_hand: Mapping[Hashable, Variable]
) -> list[str]:
    """Coded together, which takes less time."""
    variables, levels = [], []
    for name in sorted(tables, key=str):
        columns = tables[name]
        variable = at_hand[name] if name in at_hand else encode(str(name), columns)
        variables.append(variable)
        levels.append(levels_of(variable, columns[0]))
    tables_of_codes = _distinct_rows(variables, n)
    ranked = []
    for position, (of_column, variable) in enumerate(zip(levels, variables)):
        codes = [rows.codes[position] for rows in tables_of_codes]
        ranked.append(_ranked(of_column, codes, variable.size))
    digests = []
    for columns, rows in zip(zip(*ranked), tables_of_codes):
        digests.append(_rows_digest(columns, rows.n))
    return digests


class _CodedRows(NamedTuple):
    """Codes by column, each of shape (rows,), and how many records a row stands for."""

    codes: Sequence[Integers]
    n: Integers | None


def _distinct_rows(variables: Sequence[Variable], n: Sequence[Integers | None]) -> list[_CodedRows]:
    """The rows of every table: distinct ones with their counts where counting them is cheap, all
    of them otherwise.
    """
    size = math.prod(variable.size for variable in variables)
    if size > room_for(min(map(len, variables[0].codes))):
        tables = range(len(n))
        return [_CodedRows([v.own_codes(t) for v in variables], n[t]) for t in tables]
    codes, radix = joint_codes(variables)
    counted = []
    for of_table, counts in zip(codes, n):
        cells = sparse(totals(of_table, counts, size))
        counted.append(_CodedRows(list(radix.components(cells.cells).T), cells.n))
    return counted


def rows_fingerprint(columns: Mapping[Hashable, Column], n: Integers | None) -> str:
    """The fingerprint of the rows of one table; `n` says how many records each stands for."""
    (digest,) = _of_all_tables({name: [column] for name, column in columns.items()}, [n], {})
    return digest


def levels_of(variable: Variable, column: Column) -> Levels:
    """What the codes of a variable stand for, as the column has them."""
    return Levels(
        name=variable.name,
        texts=variable.name_codes,
        missing_code=variable.missing_code,
        are_texts=column.is_plain_text,
    )


def _has_many_values(column: Column) -> bool:
    """Whether more values occur than may be written."""
    if not column.has_values:
        return False
    # checks that show they are few come first: they take less time than sorting
    if column.is_text and len(column.labels) <= MOST_VALUES:
        return False
    values = column.present()
    if column.is_number and _within_short_range(values):
        return False
    # if a part already has too many, the rest need not be sorted
    if len(distinct_values(values[: 2 * MOST_VALUES])) > MOST_VALUES:
        return True
    return len(distinct_values(values)) > MOST_VALUES


def _within_short_range(numbers: Values) -> bool:
    """Whether they are whole and so close together that they cannot be many."""
    lowest, highest = numbers.min(), numbers.max()
    if not float(highest) - float(lowest) < MOST_VALUES:
        return False
    return numbers.dtype.kind in "iu" or bool((np.trunc(numbers) == numbers).all())


def of_several(parts: Mapping[str, Fingerprints]) -> Fingerprints:
    """One fingerprint per table, from those of several groups of its columns."""
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


def _ranked(levels: Levels, codes: Sequence[Integers], size: int) -> list[_RankedColumn]:
    """The column of each table, from its codes, which are below `size`. A value is written once for
    all of them, because writing takes longer than counting.
    """
    code_of_place = None
    if size > room_for(max(map(len, codes))):
        code_of_place = distinct_values(np.concatenate(codes))
        codes = [np.searchsorted(code_of_place, of_table) for of_table in codes]
        size = len(code_of_place)
    occurs = [_flags(of_table, size) for of_table in codes]
    occurring = np.flatnonzero(np.logical_or.reduce(occurs))
    written = occurring if code_of_place is None else code_of_place
    distinct, positions = _positions(_values(levels, written))
    rank_of = np.zeros(size, dtype=np.int64)
    rank_of[occurring] = positions
    columns = []
    for of_table, here in zip(codes, occurs):
        values, own_rank_of = _own_ranks(distinct, rank_of, here)
        columns.append(_RankedColumn(levels.name, values, own_rank_of[of_table]))
    return columns


def _own_ranks(
    distinct: list[str | None], rank_of: Integers, occurs: Flags
) -> tuple[list[str | None], Integers]:
    """The values of one table, and the rank of each code among them, from those of all tables."""
    own = _flags(rank_of[occurs], len(distinct))
    if own.all():
        return distinct, rank_of
    own_rank = np.cumsum(own) - 1
    return list(compress(distinct, own.tolist())), own_rank[rank_of]


def _flags(codes: Integers, size: int) -> Flags:
    """Which of the codes from 0 to size - 1 occur."""
    flags = np.zeros(size, dtype=bool)
    flags[codes] = True
    return flags


def _values(levels: Levels, codes: Integers) -> list[str | None]:
    """The values that codes stand for, None for missing."""
    texts = levels.texts(codes)
    values: list[str | None] = list(texts if levels.are_texts else map(written_once, texts))
    if levels.missing_code is not None:
        for gap in np.flatnonzero(codes == levels.missing_code).tolist():
            values[gap] = None
    return values


def _positions(values: Sequence[str | None]) -> tuple[list[str | None], Integers]:
    """The distinct values, sorted, missing first; and the position of each given value."""
    texts = set(values)
    has_missing = None in texts
    texts.discard(None)
    distinct: list[str | None] = [None] if has_missing else []
    distinct += sorted(texts)  # type: ignore[type-var]
    position_of = {value: position for position, value in enumerate(distinct)}
    return distinct, np.array([position_of[value] for value in values], dtype=np.int64)


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
