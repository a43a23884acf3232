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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from decimal import Decimal
from itertools import count, islice
from pathlib import Path
from typing import Any, Literal, TextIO, TypeAlias

import numpy as np
import pandas as pd

from ..core.arrays import Integers
from ..core.numerals import EXACT_DOUBLE, LARGEST_WHOLE
from ..errors import DataWarning, InputError, some, unknown_choice, unknown_name, warn
from .files import Location, ending

# "code" is text in which every number is written in one way: 7, not 007; "text" is one that a user
# calls text, where NA is a value
Kind: TypeAlias = Literal["logical", "integer", "double", "date", "character", "code", "text"]

SEPARATORS = (",", ";", "\t", "|")
UTF_8, LATIN = "utf-8-sig", "cp1252"  # Latin-1 as Windows writes it
UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # what such files begin with
SPOKEN = {LATIN: "Latin-1", "\t": "tabs", ";": "semicolons", "|": "'|'"}
# how dates are written; where two fit, the first is taken
DATES = {
    "yyyy-mm-dd": "%Y-%m-%d",
    "dd.mm.yyyy": "%d.%m.%Y",
    "dd/mm/yyyy": "%d/%m/%Y",
    "mm/dd/yyyy": "%m/%d/%Y",
    "dd-mm-yyyy": "%d-%m-%Y",
    "yyyy/mm/dd": "%Y/%m/%d",
}
ISO = "yyyy-mm-dd"
NO_DATES = "text"
NAMELESS = "X"  # what R calls the row names that its write.csv puts first
ROWS_AT_ONCE = 1000
MOST_DIGITS = 6000  # of numbers that are written out: 1e999999999 would fill the memory
BLANKS = " \t"
LOGICAL = {"TRUE": True, "True": True, "true": True, "FALSE": False, "False": False, "false": False}
READ: dict[str, Callable[[str], Any]] = {
    "logical": LOGICAL.__getitem__,
    "integer": int,
    "double": float,
}
# with and without missing values
TYPES = {"logical": ("boolean", "bool"), "integer": ("Int64", "int64"), "double": ("float64",) * 2}
WHOLE = re.compile(r"[+-]?[0-9]+")
NUMBER = re.compile(
    r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
    r"|[nN][aA][nN]|[+-]?[iI][nN][fF](?:[iI][nN][iI][tT][yY])?"
)
THOUSANDS = re.compile(r"-?[0-9]{1,3}(,[0-9]{3})+")
POINT_FOR_COMMA = str.maketrans(",.", ".,")


class CsvTable:
    """A CSV before its columns have types. `columns` has by name the distinct texts and the number
    of each row's; `dates` says by column how dates are written; `missing` are texts beside an empty
    field and NA, numbers in any spelling.
    """

    sep, decimal, encoding = ",", ".", UTF_8
    missing: tuple[str, ...] = ()

    def __init__(self, location: Location) -> None:
        self.location = location
        self.dates: dict[str, str] = {}
        self.zeros: list[str] = []  # columns of numbers that are written as codes are, as 01067
        self.columns: dict[str, tuple[list[str], Integers]] = {}

    def read(self) -> CsvTable:
        """The table with its columns."""
        names: list[str] = []
        codes: list[array[int]] = []
        code_of: list[dict[str, int]] = []
        for file in self.location.files:
            with self.rows_of(file) as rows:
                found = self._checked_names(next(rows, []), file)
                if not names:
                    names = found
                    codes = [array("q") for _ in names]
                    code_of = [defaultdict(count().__next__) for _ in names]
                if found != names:
                    first = self.location.files[0].name
                    says = f"and {first!r} do not have the same columns in the same order"
                    raise self.location.error(f"{says}, so they are not one table", file.name)
                while some_rows := list(islice(rows, ROWS_AT_ONCE)):
                    if len(names) == 1:
                        some_rows = [row or [""] for row in some_rows]
                    some_rows = [row for row in some_rows if row]  # without empty lines
                    if any(len(row) != len(names) for row in some_rows):
                        raise csv.Error
                    for at, texts in enumerate(zip(*some_rows)):
                        codes[at].extend(map(code_of[at].__getitem__, texts))
        for name, numbers, of_texts in zip(names, codes, code_of):
            self.columns[name] = (list(of_texts), np.array(numbers, dtype=np.int64))
        return self

    @contextmanager
    def rows_of(self, file: Path) -> Iterator[Iterator[list[str]]]:
        """The rows of a file; an error in our own words, as the reader's may quote them."""
        try:
            with self.opened(file) as lines:
                yield csv.reader(lines, strict=True, delimiter=self.sep)
        except (csv.Error, UnicodeError, EOFError, zlib.error, OSError) as error:
            between = "commas" if self.sep == "," else repr(self.sep)
            says = f"fields must be separated by {between}, with as many in every row as in the"
            says += " first"
            if isinstance(error, UnicodeError):
                encoding = self.encoding.removesuffix("-sig").upper()
                says = f"it is not {encoding}; save it as CSV UTF-8"
            says = f"cannot be read as CSV; {says}"
            raise self.location.error(says, file.name, reason=str(error)) from None

    def opened(self, file: Path) -> TextIO:
        opener = gzip.open if ending(file) == ".csv.gz" else open
        opened: TextIO = opener(file, "rt", encoding=self.encoding, newline="")
        return opened

    def _checked_names(self, row: Sequence[str], file: Path) -> list[str]:
        """The names of the columns in the first row of a file."""
        names = [name or NAMELESS for name in row]
        others = [mark for mark in SEPARATORS if mark in "".join(names) and mark != self.sep]
        twice = sorted({name for name in names if names.count(name) > 1})
        says = ""
        if not names:
            says = "has no column names in its first row"
        elif len(names) == 1 and others:
            says = f"seems to have {others[0]!r} between its fields; write it with commas"
        elif twice:
            says = f"has columns of the same name ({some(twice)}); rename them in its first row"
        if says:
            raise self.location.error(says, file.name)
        return names

    def number(self, text: str) -> str:
        """A number as Python writes it; a point between thousands makes it none."""
        text = text.strip(BLANKS)
        return text.translate(POINT_FOR_COMMA) if self.decimal == "," else text

    def gaps(self, name: str, kind: Kind = "character") -> list[bool]:
        """Which texts of a column are missing; in one that a user calls text NA is a value."""
        usual = ("",) if kind == "text" else ("", "NA")

        def plain(text: str) -> str:
            by_value = self.missing and kind != "text"
            return plain_number(self.number(text)) if by_value else text.strip(BLANKS)

        missing = {plain(text) for text in (*usual, *self.missing)}
        return [plain(text) in missing for text in self.columns[name][0]]

    def known(self, name: str) -> set[str]:
        """The texts of a column that are not missing, without blanks around them."""
        both = zip(self.columns[name][0], self.gaps(name))
        return {text.strip(BLANKS) for text, gap in both if not gap}

    def typed(self, name: str, kind: Kind) -> pd.Series:
        """A column as what it is: whole numbers and flags as such although some are missing."""
        texts, codes = self.columns[name]
        gap = None if kind == "date" else np.nan
        values = []
        for text, is_missing in zip(texts, self.gaps(name, kind)):
            values.append(gap if is_missing else self._value(name, text, kind))
        if kind == "date":
            return pd.Series(np.array(values, dtype="datetime64[s]")[codes])
        if kind not in TYPES:
            return pd.Series(np.array(values, dtype=object)[codes])
        with_gaps, plain = TYPES[kind]
        column = pd.Series(pd.array(values, dtype=with_gaps)[codes])
        return column if column.hasnans else column.astype(plain)

    def _value(self, name: str, text: str, kind: Kind) -> Any:
        number = self.number(text)
        if kind == "date":
            return datetime.strptime(text.strip(BLANKS), self.dates.get(name, DATES[ISO]))
        if kind in READ:
            return READ[kind](number)
        return plain_number(number) if kind == "code" and is_number(number) else text

    def note(self, asked: Mapping[str, Any]) -> str | None:
        """What was guessed, and not `asked` for; None where nothing is unusual."""
        said = []
        if self.sep != "," and asked["sep"] is None:
            said.append(f"{SPOKEN.get(self.sep, repr(self.sep))} between fields")
        if self.decimal != "." and asked["decimal"] is None:
            said.append("decimal commas")
        if self.encoding != UTF_8 and asked["encoding"] is None:
            said.append(SPOKEN.get(self.encoding, self.encoding))
        for way, pattern in DATES.items():
            names = [name for name, found in self.dates.items() if found == pattern]
            if names and asked["dates"] is None:
                said.append(f"dates as {way} in {some(names)}")
        if self.zeros:
            said.append(f"numbers without leading zeros in {some(self.zeros)} (--text keeps them)")
        return f"{self.location.name}: read with {', '.join(said)}" if said else None


def frames_together(
    tables: Sequence[CsvTable], as_text: Mapping[Any, Kind] | None = None
) -> list[pd.DataFrame]:
    """CSV files that are compared: a column has one type in all that have it."""
    kinds: dict[str, Kind] = {}
    for name in _every_name(tables):
        having = [table for table in tables if name in table.columns]
        if as_text and name in as_text:
            kinds[name] = as_text[name]
        elif any(name in table.dates for table in having):
            kinds[name] = "date"
        else:
            kinds[name] = _agreed_kind(name, having)
    frames = []
    for table in tables:
        columns = {name: table.typed(name, kinds[name]) for name in table.columns}
        frames.append(pd.DataFrame(columns))
    return frames


def _every_name(tables: Sequence[CsvTable]) -> list[str]:
    return list(dict.fromkeys(name for table in tables for name in table.columns))


def _agreed_kind(name: str, tables: Sequence[CsvTable]) -> Kind:
    """007 and 7 are the same unless one table writes both, which may be two codes."""
    known = [set(map(table.number, table.known(name))) for table in tables]
    kind = kind_of(set().union(*known))
    if kind == "character" and any(map(_only_numbers, known)):
        kind = "code"
    if kind not in ("integer", "double", "code"):
        return kind
    for table, texts in zip(tables, known):
        if spelled_twice(texts):
            kind = "character"
            where = f"{table.location.argument}: column {name!r} of {table.location.name!r}"
            way = f"read every file with pandas.read_csv(path, dtype={{{name!r}: str}})"
            if where.startswith("--"):
                way = f"give --text {name}"
            text = (
                f"{where} writes a number in two ways, as 007 and 7, 1.1 and 1.10, 1e5 and 100000"
                " would be. They may be two codes, so the column is read as text. If they are one"
                f" number, write it in one way; if they are codes, {way}"
            )
            warn(text, DataWarning, short=where)
        elif kind == "integer" and any(re.match(r"0\d", text) for text in texts):
            table.zeros.append(name)
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
    digits = [text.lstrip("+-0") or "0" for text in whole]
    if any(len(text) > len(str(most)) or int(text) > most for text in digits):
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


def guessed_tables(
    locations: Sequence[Location], asked: Mapping[str, Any], prefix: str
) -> list[CsvTable]:
    """CSV files written in any way; what is `asked` for (sep, decimal, encoding, dates, missing,
    text) is not guessed. Messages begin with `prefix` and the name of what was asked for.
    """
    _check_asked(asked, prefix)
    tables = []
    for location in locations:
        table = CsvTable(location)
        table.missing = asked["missing"]
        table.encoding = _guessed_encoding(table, asked["encoding"])
        table.sep = asked["sep"] or _guessed_sep(table)
        tables.append(table.read())
    names = _every_name(tables)
    for name in asked["text"]:
        if name not in names:
            raise unknown_name(f"{prefix}text", name, names, "the CSV files")
    for table in tables:
        table.decimal = asked["decimal"] or _guessed_decimal(table)
    if asked["dates"] != NO_DATES:
        ways = [asked["dates"], ISO] if asked["dates"] else list(DATES)
        _find_dates(tables, ways, [name for name in names if name not in asked["text"]])
    return tables


def _check_asked(asked: Mapping[str, Any], prefix: str) -> None:
    choices = {"decimal": [".", ","], "dates": [*DATES, NO_DATES]}
    for name, known in choices.items():
        if asked[name] is not None and asked[name] not in known:
            raise unknown_choice(f"{prefix}{name}", asked[name], known, "the ways to write it")
    if asked["sep"] is not None and len(asked["sep"]) != 1:
        raise InputError(f"{prefix}sep: {asked['sep']!r} is not a single character")
    try:
        codecs.lookup(asked["encoding"] or UTF_8)
    except LookupError:
        says = f"{prefix}encoding: {asked['encoding']!r} is no encoding"
        raise InputError(f"{says}; choices: utf-8, latin-1, utf-16") from None


def _guessed_encoding(table: CsvTable, asked: str | None) -> str:
    if asked is not None:
        return UTF_8 if codecs.lookup(asked).name == "utf-8" else asked
    with table.location.files[0].open("rb") as opened:
        if opened.read(2) in UTF_16:
            return "utf-16"
    try:
        for file in table.location.files:
            # one that cannot be unpacked has another fault
            with suppress(OSError, EOFError, zlib.error), table.opened(file) as lines:
                deque(lines, maxlen=0)
    except UnicodeError:
        return LATIN
    return UTF_8


def _guessed_sep(table: CsvTable) -> str:
    """The one that makes most columns of the first row."""
    widths = {}
    for sep in SEPARATORS:
        table.sep = sep
        with table.rows_of(table.location.files[0]) as rows:
            widths[sep] = len(next(rows, []))
    return max(widths, key=widths.__getitem__)


def _guessed_decimal(table: CsvTable) -> str:
    """A decimal comma, where it makes numbers of some column and no other has decimal points."""
    found = False
    for name in table.columns:
        known = table.known(name)
        kind = kind_of(known)
        by_comma = kind_of({text.translate(POINT_FOR_COMMA) for text in known})
        if kind == "double" and by_comma == "character":
            return "."
        if kind == "character" and by_comma == "double":
            # between commas, "1,234" may be a number with thousands
            thousands = all(THOUSANDS.fullmatch(text) for text in known if "," in text)
            found = found or table.sep != "," or not thousands
    return "," if found else "."


def _find_dates(tables: Sequence[CsvTable], ways: Sequence[str], names: Iterable[str]) -> None:
    """Note which columns are dates in every table, and how each writes them."""
    for name in names:
        having = [table for table in tables if name in table.columns]
        fitting = []
        for table in having:
            known = table.known(name)
            fitting.append([way for way in ways if known and _are_dates(known, DATES[way])])
        if not all(fitting) or all(found[0] == ISO for found in fitting):
            continue
        common = [way for way in ways if all(way in found for found in fitting)]
        for table, found in zip(having, fitting):
            table.dates[name] = DATES[[*common, *found][0]]


def _are_dates(texts: Iterable[str], pattern: str) -> bool:
    try:
        for text in texts:
            datetime.strptime(text, pattern)
    except ValueError:
        return False
    return True
