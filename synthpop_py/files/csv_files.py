"""CSV files: fields between commas, texts in double quotes where they need it, names of columns in
the first row, UTF-8. Rows shorter or longer than the first are refused: R fills up short rows, and
a truncated file would look complete.
"""

from __future__ import annotations

import csv
import gzip
import zlib
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import numpy as np
import pandas as pd

from ..core.columns import Column
from ..errors import InputError
from ..names import some
from .agreed_kinds import agreed_kinds
from .locations import Location, ending
from .text_types import AsText, Tally, TextKind, is_spelled_twice, tally_of, text_series

OTHER_SEPARATORS = (";", "\t", "|")
NAMELESS = "X"  # what R calls the row names that its write.csv puts first


def csv_names(location: Location) -> list[str]:
    """The names of the columns, the same in every file."""
    first, *others = location.files
    names = _names(first, location)
    for file in others:
        if _names(file, location) != names:
            raise InputError(
                f"{location.argument}: {file.name!r} and {first.name!r} do not have the same"
                " columns in the same order, so they are not one table"
            )
    return names


def _names(file: Path, location: Location) -> list[str]:
    with _rows_of(file, location) as rows:
        header = next(rows, [])
    if not header:
        raise InputError(f"{location.argument}: {file.name!r} has no column names in its first row")
    names = [name or NAMELESS for name in header]
    separator = _other_separator(names)
    if separator:
        raise InputError(
            f"{location.argument}: {file.name!r} seems to have {separator!r} between its fields;"
            " write it with commas"
        )
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(
            f"{location.argument}: {file.name!r} has columns of the same name ({some(twice)});"
            " rename them in its first row"
        )
    return names


def _other_separator(names: Sequence[str]) -> str | None:
    """What stands between the fields, where it is not a comma."""
    if len(names) > 1:
        return None
    return next((mark for mark in OTHER_SEPARATORS if mark in names[0]), None)


def read_csv(
    location: Location,
    kinds: Mapping[str, TextKind] | None = None,
    *,
    as_text: AsText | None = None,
) -> pd.DataFrame:
    """All files of a location, in memory; `kinds` if other files help decide the types, `as_text`
    for columns of text whatever they hold.
    """
    table = csv_texts(location)
    return table.frame(agreed_kinds([table], as_text) if kinds is None else kinds)


@dataclass(frozen=True, slots=True)
class CsvTexts:
    """A CSV in memory, all of it text."""

    location: Location
    columns: Mapping[str, Column]

    def tallies(self) -> dict[str, Tally]:
        return {name: tally_of(column.labels) for name, column in self.columns.items()}

    def is_spelled_twice(self, name: str, *, fractions: bool = False) -> bool:
        return is_spelled_twice(self.columns[name].labels, fractions=fractions)

    def frame(self, kinds: Mapping[str, TextKind]) -> pd.DataFrame:
        """The columns converted to their types."""
        series = {name: text_series(column, kinds[name]) for name, column in self.columns.items()}
        return pd.DataFrame(series, columns=list(self.columns))


def csv_texts(location: Location) -> CsvTexts:
    """All fields of all files of a location, by column."""
    names = csv_names(location)
    columns = [_Texts() for _ in names]
    for file in location.files:
        with _rows_of(file, location) as rows:
            next(rows)
            _take(rows, columns, file, location)
    by_name = {name: texts.column() for name, texts in zip(names, columns)}
    return CsvTexts(location=location, columns=by_name)


def _take(
    rows: Iterator[list[str]], columns: Sequence[_Texts], file: Path, location: Location
) -> None:
    for row in rows:
        if not row and len(columns) > 1:
            continue  # an empty line
        fields = row or [""]
        if len(fields) != len(columns):
            raise damaged_csv(location, file=file)
        for texts, field in zip(columns, fields):
            texts.add(field)


class _Texts:
    """Fields of a column, each distinct text kept once."""

    def __init__(self) -> None:
        self._code_of: dict[str, int] = {}
        self._codes = array("q")

    def add(self, field: str) -> None:
        code = self._code_of.setdefault(field, len(self._code_of))
        self._codes.append(code)

    def column(self) -> Column:
        codes = np.array(self._codes, dtype=np.int64)
        return Column("character", codes, None, tuple(self._code_of))


@contextmanager
def _rows_of(file: Path, location: Location) -> Iterator[Iterator[list[str]]]:
    """The rows of a file; an error in our own words if it is not CSV."""
    try:
        with _opened(file) as lines:
            yield csv.reader(lines, strict=True)
    except (csv.Error, UnicodeError, EOFError, zlib.error, OSError) as error:
        raise damaged_csv(location, error, file) from None


def _opened(file: Path) -> TextIO:
    opener = gzip.open if ending(file) == ".csv.gz" else open
    opened: TextIO = opener(file, "rt", encoding="utf-8-sig", newline="")
    return opened


def damaged_csv(
    location: Location, reason: Exception | None = None, file: Path | None = None
) -> InputError:
    """The error for a file that is not CSV. The reader's own message may quote rows, so it goes
    into the details.
    """
    name = location.name if file is None else file.name
    files = location.files if file is None else (file,)
    if not all(map(_is_utf8, files)):
        says = "it is not UTF-8; save it as UTF-8 (spreadsheets call it CSV UTF-8)"
    else:
        says = "fields must be separated by commas, with as many in every row as in the first"
    return InputError(
        f"{location.argument}: {name!r} cannot be read as CSV; {says}",
        details={} if reason is None else {"reason": str(reason)},
    )


def _is_utf8(file: Path) -> bool:
    """Whether the whole file is UTF-8; checked only if it cannot be read. A file that cannot even
    be unpacked has another fault.
    """
    try:
        with _opened(file) as lines:
            for _ in lines:
                pass
    except UnicodeError:
        return False
    except (OSError, EOFError, zlib.error):
        return True
    return True
