"""CSV files, read into memory. They hold only texts, and all texts of a column, in all files that
are compared, say together what it is (decision 0020). Rows shorter or longer than the first are
refused: R fills up short rows, and a truncated file would look complete.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import re
import zlib
from array import array
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from itertools import count, islice
from pathlib import Path
from typing import Any, Literal, TextIO, TypeAlias

import numpy as np
import pandas as pd

from ..core.arrays import Integers
from ..core.numerals import EXACT_DOUBLE, LARGEST_WHOLE
from ..errors import DataWarning, InputError, some, warn
from .files import Location, ending

# "code" is text in which every number is written in one way: 7, not 007; "text" is one that a user
# calls text, where NA is a value
Kind: TypeAlias = Literal["logical", "integer", "double", "date", "character", "code", "text"]

SEPARATORS = (",", ";", "\t", "|")
UTF_8, LATIN = "utf-8-sig", "cp1252"  # Latin-1 as Windows writes it
UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # what such files begin with
ISO = "%Y-%m-%d"
WITH_GAPS = {"logical": ("boolean", "bool"), "integer": ("Int64", "int64")}
TYPES = {"date": "datetime64[s]", "double": "float64"}
NAMELESS = "X"  # what R calls the row names that its write.csv puts first
ROWS_AT_ONCE = 1000
MOST_DIGITS = 6000  # of numbers that are written out: 1e999999999 would fill the memory
BLANKS = " \t"
LOGICAL = {"TRUE": True, "True": True, "true": True, "FALSE": False, "False": False, "false": False}
WHOLE = re.compile(r"[+-]?[0-9]+")
NUMBER = re.compile(
    r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
    r"|[nN][aA][nN]|[+-]?[iI][nN][fF](?:[iI][nN][iI][tT][yY])?"
)
THOUSANDS = re.compile(r"-?[0-9]{1,3}(,[0-9]{3})+")
POINT_FOR_COMMA = str.maketrans(",.", ".,")


@dataclass(frozen=True, slots=True)
class Form:
    """How a CSV is written."""

    sep: str = ","
    decimal: str = "."
    encoding: str = UTF_8
    missing: tuple[str, ...] = ()  # texts beside an empty field and NA; numbers in any spelling
    dates: Mapping[str, str] = field(default_factory=dict)  # by column, the pattern

    def number(self, text: str) -> str:
        """A number as Python writes it; a point between thousands makes it none."""
        text = text.strip(BLANKS)
        return text.translate(POINT_FOR_COMMA) if self.decimal == "," else text

    def known(self, texts: Sequence[str]) -> set[str]:
        """Those that are not missing, without blanks around them, numbers with a decimal point."""
        return {self.number(text) for text, gap in zip(texts, self.gaps(texts)) if not gap}

    def gaps(self, texts: Sequence[str], kind: Kind = "character") -> list[bool]:
        """Which texts of a column are missing; in one that a user calls text NA is a value."""

        def plain(text: str) -> str:
            by_value = self.missing and kind != "text"
            return plain_number(self.number(text)) if by_value else text.strip(BLANKS)

        usual = ("",) if kind == "text" else ("", "NA")
        missing = {plain(text) for text in (*usual, *self.missing)}
        return [plain(text) in missing for text in texts]


class CsvTable:
    """A CSV before its columns have types: by name, distinct texts and the number of each row's."""

    def __init__(self, location: Location, form: Form | None = None) -> None:
        self.location, self.form = location, form or Form()
        names: list[str] = []
        codes: list[array[int]] = []
        code_of: list[dict[str, int]] = []
        for file in location.files:
            with rows_of(file, location, self.form) as rows:
                found = _checked_names(next(rows, []), file, location, self.form.sep)
                if not names:
                    names = found
                    codes = [array("q") for _ in names]
                    code_of = [defaultdict(count().__next__) for _ in names]
                if found != names:
                    says = (
                        f"and {location.files[0].name!r} do not have the same columns in the same"
                    )
                    raise location.error(f"{says} order, so they are not one table", file.name)
                while some_rows := list(islice(rows, ROWS_AT_ONCE)):
                    if len(names) == 1:
                        some_rows = [row or [""] for row in some_rows]
                    some_rows = [row for row in some_rows if row]  # without empty lines
                    if any(len(row) != len(names) for row in some_rows):
                        raise _damaged(location, self.form, file)
                    for at, texts in enumerate(zip(*some_rows)):
                        codes[at].extend(map(code_of[at].__getitem__, texts))
        self.columns: dict[str, tuple[tuple[str, ...], Integers]] = {}
        for name, numbers, of_texts in zip(names, codes, code_of):
            self.columns[name] = (tuple(of_texts), np.array(numbers, dtype=np.int64))

    def typed(self, name: str, kind: Kind) -> pd.Series:
        """A column as what it is: whole numbers and flags as such although some are missing."""
        texts, codes = self.columns[name]
        number, pattern = self.form.number, self.form.dates.get(name, ISO)
        read: dict[Kind, Callable[[str], Any]] = {
            "logical": lambda text: LOGICAL[number(text)],
            "integer": lambda text: int(number(text)),
            "double": lambda text: float(number(text)),
            "date": lambda text: datetime.strptime(text.strip(BLANKS), pattern),
            "code": lambda text: plain_number(number(text)) if is_number(number(text)) else text,
        }
        value, gap = read.get(kind, str), None if kind == "date" else np.nan
        gaps = self.form.gaps(texts, kind)
        values = [gap if missing else value(text) for text, missing in zip(texts, gaps)]
        if kind in WITH_GAPS:
            with_gaps, plain = WITH_GAPS[kind]
            column = pd.Series(pd.array(values, dtype=with_gaps)[codes])
            return column if column.hasnans else column.astype(plain)
        return pd.Series(np.array(values, dtype=TYPES.get(kind, "object"))[codes])


def _checked_names(found: list[str], file: Path, location: Location, sep: str) -> list[str]:
    """The names of the columns in the first row of a file."""
    names = [name or NAMELESS for name in found]
    others = [mark for mark in SEPARATORS if mark in "".join(names) and mark != sep]
    twice = sorted({name for name in names if names.count(name) > 1})
    says = ""
    if not names:
        says = "has no column names in its first row"
    elif len(names) == 1 and others:
        says = f"seems to have {others[0]!r} between its fields; write it with commas"
    elif twice:
        says = f"has columns of the same name ({some(twice)}); rename them in its first row"
    if says:
        raise location.error(says, file.name)
    return names


@contextmanager
def rows_of(file: Path, location: Location, form: Form) -> Iterator[Iterator[list[str]]]:
    """The rows of a file; an error in our own words if it is not CSV."""
    try:
        with _opened(file, form.encoding) as lines:
            yield csv.reader(lines, strict=True, delimiter=form.sep)
    except (csv.Error, UnicodeError, EOFError, zlib.error, OSError) as error:
        raise _damaged(location, form, file, error) from None


def _opened(file: Path, encoding: str) -> TextIO:
    opener = gzip.open if ending(file) == ".csv.gz" else open
    opened: TextIO = opener(file, "rt", encoding=encoding, newline="")
    return opened


def _damaged(
    location: Location, form: Form, file: Path, reason: Exception | None = None
) -> InputError:
    """The error for a file that is not CSV; the reader's own words may quote rows."""
    between = "commas" if form.sep == "," else repr(form.sep)
    says = f"fields must be separated by {between}, with as many in every row as in the first"
    if isinstance(reason, UnicodeError):
        says = f"it is not {form.encoding.removesuffix('-sig').upper()}; save it as CSV UTF-8"
    return location.error(f"cannot be read as CSV; {says}", file.name, reason=str(reason or ""))


def frames_together(
    tables: Sequence[CsvTable | Location], as_text: Mapping[Hashable, Kind] | None = None
) -> list[pd.DataFrame]:
    """CSV files that are compared: a column has one type in all that have it."""
    read = [CsvTable(one) if isinstance(one, Location) else one for one in tables]
    kinds: dict[str, Kind] = {}
    for name in dict.fromkeys(name for table in read for name in table.columns):
        if as_text and name in as_text:
            kinds[name] = as_text[name]
        elif any(name in table.form.dates for table in read):
            kinds[name] = "date"
        else:
            kinds[name] = _agreed_kind(name, [table for table in read if name in table.columns])
    return [
        pd.DataFrame({name: table.typed(name, kinds[name]) for name in table.columns})
        for table in read
    ]


def _agreed_kind(name: str, tables: Sequence[CsvTable]) -> Kind:
    """007 and 7 are the same unless one table writes both, which may be two codes."""
    known = [table.form.known(table.columns[name][0]) for table in tables]
    kind = kind_of(set().union(*known))
    if kind == "character" and any(map(_only_numbers, known)):
        kind = "code"
    if kind not in ("integer", "double", "code"):
        return kind
    for table, texts in zip(tables, known):
        if not spelled_twice(texts):
            continue
        kind = "character"
        where = f"{table.location.argument}: column {name!r} of {table.location.name!r}"
        way = f"read every file with pandas.read_csv(path, dtype={{{name!r}: str}})"
        if where.startswith("--"):
            way = f"give --text {name}"
        text = (
            f"{where} writes a number in two ways, as 007 and 7, 1.1 and 1.10, 1e5 and 100000 would"
            " be. They may be two codes, so the column is read as text. If they are one number,"
            f" write it in one way; if they are codes, {way}"
        )
        warn(text, DataWarning, short=where)
    return kind


def kind_of(known: set[str]) -> Kind:
    """What a column is, from all its texts; one with only missing values is text."""
    if known and known <= LOGICAL.keys():
        return "logical"
    if not _only_numbers(known):
        return "character"
    whole = [text for text in known if WHOLE.fullmatch(text)]
    kind: Kind = "integer" if len(whole) == len(known) else "double"
    # numbers that lose digits could no longer be told apart; Python refuses to read very long ones
    most = LARGEST_WHOLE if kind == "integer" else EXACT_DOUBLE
    for text in whole:
        digits = text.lstrip("+-0")
        if len(digits) > len(str(most)) or int(digits or "0") > most:
            return "character"
    return kind


def is_number(text: str) -> bool:
    return NUMBER.fullmatch(text) is not None


def _only_numbers(known: set[str]) -> bool:
    return bool(known) and all(map(is_number, known))


def plain_number(text: str) -> str:
    """A number without what does not change it, 7 for 007; any other text as it is."""
    number = Decimal(text) if is_number(text) else Decimal("nan")
    if not number.is_finite() or abs(number.adjusted()) > MOST_DIGITS:
        return text
    written = f"{number:f}" if number else "0"
    return written.rstrip("0").rstrip(".") if "." in written else written


def spelled_twice(known: set[str]) -> bool:
    """Whether one number is written in two ways, as 007 and 7 or 1.1 and 1.10."""
    numbers = [text for text in known if text[-1:].isdigit() or text[-1:] == "."]
    # programs write -0.0 for what was rounded to zero
    numbers = [text for text in numbers if is_number(text) and text != "-0.0"]
    return len(set(map(Decimal, numbers))) < len(numbers)


def guessed_form(location: Location, sep: str | None, encoding: str | None) -> Form:
    """How a file is written, as far as its first row and its bytes tell."""
    if encoding is None:
        with location.files[0].open("rb") as opened:
            is_wide = opened.read(2) in UTF_16
        ways = ("utf-16",) if is_wide else (UTF_8, LATIN)
        fitting = [way for way in ways if all(_is_in(file, way) for file in location.files)]
        encoding = [*fitting, "latin-1"][0]  # in which every byte is a letter
    elif codecs.lookup(encoding).name == "utf-8":
        encoding = UTF_8
    if sep is None:
        widths = {}
        for mark in SEPARATORS:
            with rows_of(location.files[0], location, Form(mark, encoding=encoding)) as rows:
                widths[mark] = len(next(rows, []))
        sep = max(widths, key=widths.__getitem__)
    return Form(sep, encoding=encoding)


def _is_in(file: Path, encoding: str) -> bool:
    """Whether the whole file is in this encoding; one that cannot be unpacked has another fault."""
    try:
        with suppress(OSError, EOFError, zlib.error), _opened(file, encoding) as lines:
            deque(lines, maxlen=0)
    except UnicodeError:
        return False
    return True


def guessed_decimal(table: CsvTable) -> str:
    """A decimal comma, where it makes numbers of some column and no other has decimal points."""
    point, comma = (replace(table.form, decimal=mark) for mark in ".,")
    found = False
    for texts, _ in table.columns.values():
        known = point.known(texts)
        kind, by_comma = kind_of(known), kind_of(comma.known(texts))
        if kind == "double" and by_comma == "character":
            return "."
        if kind == "character" and by_comma == "double":
            # between commas, "1,234" may be a number with thousands
            thousands = all(THOUSANDS.fullmatch(text) for text in known if "," in text)
            found = found or point.sep != "," or not thousands
    return "," if found else "."


def find_dates(tables: Sequence[CsvTable], ways: Mapping[str, str], names: Iterable[str]) -> None:
    """Note in the forms which columns are dates in every table, and how each writes them."""
    for name in names:
        having = [table for table in tables if name in table.columns]
        fitting = []
        for table in having:
            texts = table.columns[name][0]
            gaps = table.form.gaps(texts)
            known = [text.strip(BLANKS) for text, gap in zip(texts, gaps) if not gap]
            fitting.append([way for way in ways.values() if known and _are_dates(known, way)])
        if not all(fitting) or all(found[0] == ISO for found in fitting):
            continue
        common = [way for way in ways.values() if all(way in found for found in fitting)]
        for table, found in zip(having, fitting):
            dates = {**table.form.dates, name: [*common, *found][0]}
            table.form = replace(table.form, dates=dates)


def _are_dates(texts: Iterable[str], pattern: str) -> bool:
    try:
        for text in texts:
            datetime.strptime(text, pattern)
    except ValueError:
        return False
    return True
