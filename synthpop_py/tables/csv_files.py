"""CSV files. They hold only texts, and all texts of a column, in all files that are compared, say
together what it is: 007 in one file and 7 in the other is the number 7.

The rule is that of R's ``read.csv``, with a few differences: values that R merges stay apart, and a
type depends less on which values happen to occur (decision 0020). DuckDB scans files that it can
read; the rule is here, for every reader. Rows shorter or longer than the first are refused: R fills
up short rows, and a truncated file would look complete.
"""

from __future__ import annotations

import csv
import glob
import gzip
import os
import re
import tempfile
import uuid
import zlib
from array import array
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TextIO, TypeAlias

import numpy as np
import pandas as pd

from ..core.arrays import Flags
from ..core.columns import Column
from ..core.numerals import EXACT_DOUBLE, LARGEST_WHOLE
from ..errors import DataWarning, InputError, some, warn
from . import protocol
from .paths import Location, ending
from .protocol import Origin, quoted
from .reading import read_column

# "code" is text in which every number is written in one way: 7, not 007; "text" is one that a user
# calls text, where NA is a value
Kind: TypeAlias = Literal["logical", "integer", "double", "date", "character", "code", "text"]
AsText: TypeAlias = Mapping[Hashable, Kind]  # columns that are text whatever they hold
Texts: TypeAlias = set[str]

SEPARATORS = (",", ";", "\t", "|")
NAMELESS = "X"  # what R calls the row names that its write.csv puts first
FIRST_ROWS = 10_000  # one text among numbers settles a column, and most have it early
ROWS_AT_ONCE = 1000
MOST_DIGITS = 6000  # of numbers that are written out: 1e999999999 would fill the memory
BLANKS = " \t"
MISSING = ("", "NA")
LOGICAL = {"TRUE": 1, "True": 1, "true": 1, "FALSE": 0, "False": 0, "false": 0}
WHOLE = re.compile(r"[+-]?[0-9]+")
NUMBER = re.compile(
    r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
    r"|[nN][aA][nN]|[+-]?[iI][nN][fF](?:[iI][nN][iI][tT][yY])?"
)
# short numbers as `plain_number` writes them
PLAIN = re.compile(r"0|-?[1-9][0-9]{0,14}|-?(?:0|[1-9][0-9]{0,14})\.[0-9]*[1-9]")
POINT_FOR_COMMA = str.maketrans(",.", ".,")


@dataclass(frozen=True, slots=True)
class Form:
    """How a CSV is written.

    Attributes
    ----------
    missing : texts that mean missing, beside an empty field and R's NA; numbers in any spelling.
    dates : columns of dates, each with the pattern they are written in.
    """

    sep: str = ","
    decimal: str = "."
    encoding: str = "utf-8-sig"
    missing: tuple[str, ...] = ()
    dates: Mapping[str, str] = field(default_factory=dict)

    def known(self, texts: Iterable[str]) -> Texts:
        """Those that are not missing, without blanks around them, numbers with a decimal point."""
        known = {text.strip(BLANKS) for text in texts} - {*MISSING, *self.missing}
        if self.decimal == ",":
            known = {self.number(text) for text in known}
        if self.missing:
            numbers = self.missing_numbers()
            known = {text for text in known if plain_number(text) not in numbers}
        return known

    def number(self, text: str) -> str:
        """A number as Python writes it; a point between thousands makes it none."""
        text = text.strip(BLANKS)
        return text.translate(POINT_FOR_COMMA) if self.decimal == "," else text

    def missing_in(self, kind: Kind) -> Texts:
        """The texts that are missing in a column; in one that a user calls text NA is a value."""
        return {"", *self.missing, *(() if kind == "text" else MISSING)}

    def missing_numbers(self) -> Texts:
        """Those that are numbers, as `plain_number` writes them."""
        texts = {*self.missing, *map(self.number, self.missing)}
        return {plain_number(text) for text in texts if NUMBER.fullmatch(text)}

    def gaps(self, texts: Sequence[str], kind: Kind) -> Flags:
        """Which texts of a column are missing."""
        missing = self.missing_in(kind)
        gaps = [text.strip(BLANKS) in missing for text in texts]
        if self.missing and kind != "text":
            numbers = self.missing_numbers()
            plain = [plain_number(self.number(text)) for text in texts]
            gaps = [gap or text in numbers for gap, text in zip(gaps, plain)]
        return np.array(gaps, dtype=bool)


USUAL = Form()


# ---- what a column is ----------------------------------------------------------------


def kind_of(known: Texts) -> Kind:
    """What a column is, from all its texts; one with only missing values is text. Whole numbers
    that could not be told apart as numbers stay text.

    Examples
    --------
    >>> kind_of({"1", "2"}), kind_of({"1", "2.5"}), kind_of({"1", "one"})
    ('integer', 'double', 'character')
    >>> kind_of({"TRUE", "false"}), kind_of({"T", "F"}), kind_of(set())
    ('logical', 'character', 'character')
    >>> kind_of({"12345678901234567890", "12345678901234567891"})
    'character'
    """
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


def _only_numbers(known: Texts) -> bool:
    return bool(known) and all(NUMBER.fullmatch(text) for text in known)


def plain_number(text: str) -> str:
    """A number without what does not change it; any other text as it is.

    Examples
    --------
    >>> [plain_number(text) for text in ("007", "+7", "-0", "A07", "1.10", "1e5")]
    ['7', '7', '0', 'A07', '1.1', '100000']
    """
    if PLAIN.fullmatch(text) or not NUMBER.fullmatch(text):
        return text
    number = Decimal(text)
    if not number.is_finite() or abs(number.adjusted()) > MOST_DIGITS:
        return text
    written = f"{number:f}" if number else "0"
    return written.rstrip("0").rstrip(".") if "." in written else written


def spelled_twice(known: Texts) -> bool:
    """Whether one number is written in two ways.

    Examples
    --------
    >>> spelled_twice({"007", "7"}), spelled_twice({"007", "012"}), spelled_twice({"1.1", "1.10"})
    (True, False, True)
    """
    numbers = [text for text in known if text[-1:].isdigit() or text[-1:] == "."]
    # programs write -0.0 for what was rounded to zero
    numbers = [text for text in numbers if NUMBER.fullmatch(text) and text != "-0.0"]
    return len(set(map(plain_number, numbers))) < len(numbers)


def telling(known: Texts) -> Texts:
    """The texts that say what a column is: of plain numbers, of which there may be many, one of
    each kind, and those that are also written in another way.
    """
    found = {text for text in known if not PLAIN.fullmatch(text)}
    found |= {plain_number(text) for text in found} & known
    plain = known - found
    for is_fraction in (False, True):
        found |= set(islice((text for text in plain if ("." in text) == is_fraction), 1))
    return found


def agreed_kinds(tables: Sequence[CsvTable], as_text: AsText | None = None) -> dict[str, Kind]:
    """One type for each column over all tables that have it. If one table holds only numbers and
    another also texts, 007 and 7 are the same text; if one table holds both, they are two texts.
    """
    kinds: dict[str, Kind] = {}
    doubtful = []
    for name in dict.fromkeys(name for table in tables for name in table.names):
        firsts = [table.form.known(table.first[name]) for table in tables if name in table.names]
        together = set().union(*firsts)
        if as_text and name in as_text:
            kinds[name] = as_text[name]
        elif any(name in table.form.dates for table in tables):
            kinds[name] = "date"
        elif together and kind_of(together) == "character" and not any(map(_only_numbers, firsts)):
            kinds[name] = "character"
        else:
            doubtful.append(name)
    texts = [table.texts([name for name in doubtful if name in table.names]) for table in tables]
    for name in doubtful:
        of_tables = {table: texts[at][name] for at, table in enumerate(tables) if name in texts[at]}
        kind = kind_of(set().union(*of_tables.values()))
        if kind == "character" and any(map(_only_numbers, of_tables.values())):
            kind = "code"
        if kind in ("integer", "double", "code"):
            for table, known in of_tables.items():
                if spelled_twice(known):
                    _warn_of_codes(name, table.location)
                    kind = "character"
        kinds[name] = kind
    return kinds


def _warn_of_codes(name: str, location: Location) -> None:
    where = f"{location.argument}: column {name!r} of {location.name!r}"
    way = f"read every file with pandas.read_csv(path, dtype={{{name!r}: str}})"
    if location.argument.startswith("--"):
        way = f"give --text {name}"
    warn(
        f"{where} writes a number in two ways, as 007 and 7, 1.1 and 1.10, 1e5 and 100000 would be."
        " They may be two codes, so the column is read as text. If they are one number, write it in"
        f" one way; if they are codes, {way}",
        DataWarning,
        short=where,
    )


def with_plain_numbers(column: Column, form: Form) -> Column:
    """A column of texts in which every number is written in one way."""
    code_of: dict[str, int] = {}
    codes = []
    for label in column.labels:
        plain = plain_number(form.number(label))
        codes.append(code_of.setdefault(plain if NUMBER.fullmatch(plain) else label, len(code_of)))
    values = np.array([*codes, -1], dtype=np.int64)[column.values]
    return replace(column, values=values, labels=tuple(code_of))


def typed(column: Column, kind: Kind, form: Form, name: str = "") -> pd.Series:
    """A column of texts as what it is: whole numbers and flags as such although some are missing.

    Examples
    --------
    >>> ages = Column("character", np.array([1, 0, 1]), None, ("", "41"))
    >>> typed(ages, "integer", Form()).tolist()
    [41, <NA>, 41]
    """
    if kind == "code":
        column = with_plain_numbers(column, form)
    gaps = form.gaps(column.labels, kind)
    missing = gaps[column.values] if len(gaps) else np.zeros(len(column), dtype=bool)
    if kind in ("character", "code", "text"):
        labels = [np.nan if gap else label for label, gap in zip(column.labels, gaps)]
        return pd.Series(np.array([*labels, np.nan], dtype=object)[column.values])
    if kind == "date":
        pattern = form.dates.get(name, "%Y-%m-%d")
        try:
            days = [None if gap else _day(text, pattern) for text, gap in zip(column.labels, gaps)]
        except ValueError:
            raise InputError(
                f"dates: only the first texts of column {name!r} are dates; leave them as text"
                " (dates='text', --dates text)"
            ) from None
        return pd.Series(np.array([*days, None], dtype="datetime64[s]")[column.values])
    readers: dict[str, Callable[[str], float]] = {
        "logical": LOGICAL.__getitem__,
        "integer": int,
        "double": float,
    }
    read = readers[kind]
    texts = map(form.number, column.labels)
    numbers = [0 if gap else read(text) for text, gap in zip(texts, gaps.tolist())]
    values = np.array([*numbers, 0], dtype="f8" if kind == "double" else "i8")[column.values]
    if kind == "double":
        return pd.Series(np.where(missing, np.nan, values))
    values = values.astype(bool) if kind == "logical" else values
    if not missing.any():
        return pd.Series(values)
    array_of = pd.arrays.BooleanArray if kind == "logical" else pd.arrays.IntegerArray
    return pd.Series(array_of(values, missing))


def _day(text: str, pattern: str) -> date:
    return datetime.strptime(text.strip(BLANKS), pattern).date()


# ---- in memory -----------------------------------------------------------------------


class CsvTable:
    """A CSV before its columns have types: here all of it is in memory, as text.

    Attributes
    ----------
    first : by column, the distinct texts of the first rows, as they are written.
    """

    def __init__(self, location: Location, form: Form) -> None:
        self.location = location
        self.form = form
        self.names = csv_names(location, form)
        self._read()

    def _read(self) -> None:
        codes = [array("q") for _ in self.names]
        code_of: list[dict[str, int]] = [_numbering() for _ in self.names]
        for file in self.location.files:
            with _rows_of(file, self.location, self.form) as rows:
                next(rows)
                while some_rows := list(islice(rows, ROWS_AT_ONCE)):
                    for at, texts in enumerate(self._columns(some_rows, file)):
                        codes[at].extend(map(code_of[at].__getitem__, texts))
        self._columns_read: dict[str, Column] = {}
        for name, numbers, labels in zip(self.names, codes, code_of):
            values = np.array(numbers, dtype=np.int64)
            self._columns_read[name] = Column("character", values, None, tuple(labels))
        self.first = {
            name: set(islice(labels, FIRST_ROWS)) for name, labels in zip(self.names, code_of)
        }

    def _columns(self, rows: list[list[str]], file: Path) -> Iterator[Sequence[str]]:
        width = len(self.names)
        if width == 1:
            rows = [row or [""] for row in rows]
        rows = [row for row in rows if row]  # without empty lines
        if any(len(row) != width for row in rows):
            raise damaged_csv(self.location, self.form, file=file)
        return zip(*rows)

    def texts(self, names: Sequence[str]) -> dict[str, Texts]:
        """The texts of columns that say what they are."""
        columns = self._columns_read
        return {name: telling(self.form.known(columns[name].labels)) for name in names}

    def frame(self, kinds: Mapping[str, Kind]) -> pd.DataFrame:
        """The columns converted to their types."""
        columns = {}
        for name, column in self._columns_read.items():
            columns[name] = typed(column, kinds[name], self.form, name)
        return pd.DataFrame(columns, columns=self.names)

    def origin(self, kinds: Mapping[str, Kind]) -> Origin:
        return Origin(native=self.frame(kinds), name=self.location.name, reader="pandas")

    def close(self) -> None:
        """Nothing is held open."""


def _numbering() -> dict[str, int]:
    """Gives each new text the next number."""
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    return numbers


def csv_names(location: Location, form: Form) -> list[str]:
    """The names of the columns, the same in every file."""
    first, *others = location.files
    names = _names(first, location, form)
    for file in others:
        if _names(file, location, form) != names:
            raise InputError(
                f"{location.argument}: {file.name!r} and {first.name!r} do not have the same"
                " columns in the same order, so they are not one table"
            )
    return names


def header_of(location: Location, form: Form, file: Path | None = None) -> list[str]:
    """The first row of a file."""
    with _rows_of(file or location.files[0], location, form) as rows:
        return next(rows, [])


def _names(file: Path, location: Location, form: Form) -> list[str]:
    header = header_of(location, form, file)
    if not header:
        raise InputError(f"{location.argument}: {file.name!r} has no column names in its first row")
    names = [name or NAMELESS for name in header]
    others = [mark for mark in SEPARATORS if mark in names[0] and mark != form.sep]
    if len(names) == 1 and others:
        raise InputError(
            f"{location.argument}: {file.name!r} seems to have {others[0]!r} between its fields;"
            " write it with commas"
        )
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(
            f"{location.argument}: {file.name!r} has columns of the same name ({some(twice)});"
            " rename them in its first row"
        )
    return names


@contextmanager
def _rows_of(file: Path, location: Location, form: Form) -> Iterator[Iterator[list[str]]]:
    """The rows of a file; an error in our own words if it is not CSV."""
    try:
        with _opened(file, form.encoding) as lines:
            yield csv.reader(lines, strict=True, delimiter=form.sep)
    except (csv.Error, UnicodeError, EOFError, zlib.error, OSError) as error:
        raise damaged_csv(location, form, error, file) from None


def _opened(file: Path, encoding: str) -> TextIO:
    opener = gzip.open if ending(file) == ".csv.gz" else open
    opened: TextIO = opener(file, "rt", encoding=encoding, newline="")
    return opened


def damaged_csv(
    location: Location, form: Form, reason: Exception | None = None, file: Path | None = None
) -> InputError:
    """The error for a file that is not CSV. The reader's own message may quote rows, so it goes
    into the details.
    """
    name = location.name if file is None else file.name
    files = location.files if file is None else (file,)
    between = "commas" if form.sep == "," else repr(form.sep)
    says = f"fields must be separated by {between}, with as many in every row as in the first"
    if not all(is_encoded(one, form.encoding) for one in files):
        says = f"it is not {form.encoding}"
        if form.encoding == USUAL.encoding:
            says = "it is not UTF-8; save it as UTF-8 (spreadsheets call it CSV UTF-8)"
    return InputError(
        f"{location.argument}: {name!r} cannot be read as CSV; {says}",
        details={} if reason is None else {"reason": str(reason)},
    )


def is_encoded(file: Path, encoding: str) -> bool:
    """Whether the whole file is in this encoding. A file that cannot even be unpacked has another
    fault.
    """
    try:
        with _opened(file, encoding) as lines:
            for _ in lines:
                pass
    except UnicodeError:
        return False
    except (OSError, EOFError, zlib.error):
        return True
    return True


# ---- scanned by DuckDB ---------------------------------------------------------------


class ScannedCsv(CsvTable):
    """A CSV as DuckDB reads it: no more of it is in memory at a time than it needs."""

    def _read(self) -> None:
        self._is_current = self.location.same_as_now()
        check_case(self.names, self.location)
        self._connection = connected()
        with self._refused():
            self._relation = self._connection.read_csv(
                patterns(self.location),
                header=True,
                delimiter=self.form.sep,
                quotechar='"',
                escapechar='"',
                columns=dict.fromkeys(self.names, "VARCHAR"),
                auto_detect=False,
            )
            columns = ", ".join(f"list(DISTINCT {quoted(name)})" for name in self.names)
            (texts,) = self._relation.limit(FIRST_ROWS).aggregate(columns).fetchall()
        # an empty field that is not quoted is NULL
        self.first = {
            name: {text or "" for text in found or ()} for name, found in zip(self.names, texts)
        }

    def texts(self, names: Sequence[str]) -> dict[str, Texts]:
        if not names:
            return {}
        pattern = _text(PLAIN.pattern)
        # an example must not be one that means missing
        gaps = ", ".join(map(_text, ["", *sorted(self.form.missing_numbers())]))
        numbers, flags, asked = [], [], []
        for at, name in enumerate(names):
            numbers.append(f"{self._number(name)} AS c{at}")
            is_plain = f"regexp_full_match(c{at}, {pattern}) AND c{at} NOT IN ({gaps})"
            flags.append(f"c{at}, {is_plain} AS p{at}")
            asked += [
                f"list(DISTINCT c{at}) FILTER (NOT p{at})",
                f"min(c{at}) FILTER (p{at} AND NOT contains(c{at}, '.'))",
                f"min(c{at}) FILTER (p{at} AND contains(c{at}, '.'))",
            ]
        found = {}
        with self._refused():
            fields = self._relation.project(", ".join(numbers)).project(", ".join(flags))
            (row,) = fields.aggregate(", ".join(asked)).fetchall()
            for at, name in enumerate(names):
                others, *examples = row[3 * at :][:3]
                texts = set(filter(None, [*(others or ()), *examples]))
                # numbers have their point already
                found[name] = replace(self.form, decimal=".").known(texts)
                found[name] |= self._also_plain(name, found[name])
        return found

    def _also_plain(self, name: str, others: Texts) -> Texts:
        """The plain numbers that are also written in another way."""
        plain = {plain_number(text) for text in others if NUMBER.fullmatch(text)} - others
        if not plain:
            return set()
        import pyarrow as pa

        synthpop_plain = pa.table({"text": sorted(plain)})  # the query finds it by this name
        rows = self._relation.query(
            "synthpop_texts",
            f"SELECT DISTINCT {self._number(name)} FROM synthpop_texts"
            f" WHERE {self._number(name)} IN (SELECT text FROM synthpop_plain)",
        ).fetchall()
        del synthpop_plain
        return {text for (text,) in rows}

    def origin(self, kinds: Mapping[str, Kind]) -> Origin:
        columns = [f"{self._typed(name, kinds[name])} AS {quoted(name)}" for name in self.names]
        with self._refused():
            native = self._relation.project(", ".join(columns))

        def read(name: str, series: pd.Series, where: str) -> Column:
            column = read_column(series, where)
            return with_plain_numbers(column, self.form) if kinds[name] == "code" else column

        return Origin(
            native=native,
            name=self.location.name,
            reader="duckdb",
            read_column=read if "code" in kinds.values() else None,
            load=lambda: CsvTable(self.location, self.form).frame(kinds),
            close=self.close,
            is_current=self._is_current,
        )

    def close(self) -> None:
        self._connection.close()

    def _number(self, name: str) -> str:
        field = f"trim({quoted(name)}, {_text(BLANKS)})"
        return f"translate({field}, ',.', '.,')" if self.form.decimal == "," else field

    def _typed(self, name: str, kind: Kind) -> str:
        """A column as its kind, missing texts as NULL."""
        field = f"trim({quoted(name)}, {_text(BLANKS)})"
        expressions = {
            "logical": f"lower({field}) = 'true'",
            "integer": f"CAST({field} AS BIGINT)",
            "double": f"CAST({self._number(name)} AS DOUBLE)",
            "date": f"CAST(strptime({field}, {_text(self.form.dates.get(name, ''))}) AS DATE)",
        }
        known = f"{field} NOT IN ({', '.join(map(_text, sorted(self.form.missing_in(kind))))})"
        numbers = ", ".join(sorted(self.form.missing_numbers()))
        if numbers and kind != "text":
            value = f"TRY_CAST({self._number(name)} AS DOUBLE)"
            known += f" AND coalesce({value} NOT IN ({numbers}), TRUE)"
        return f"CASE WHEN {known} THEN {expressions.get(kind, quoted(name))} END"

    @contextmanager
    def _refused(self) -> Iterator[None]:
        """The error for what DuckDB cannot read, in our own words: DuckDB's message quotes rows."""
        try:
            yield
        except Exception as error:
            self.close()
            raise damaged_csv(self.location, self.form, error) from None


def _text(value: str) -> str:
    """A text quoted for SQL."""
    escaped = value.replace("'", "''")
    return f"'{escaped}'"


def check_case(names: Sequence[str], location: Location) -> None:
    """Raise an error for names that differ only in case, which databases treat as the same."""
    by_lower: dict[str, str] = {}
    for name in names:
        other = by_lower.setdefault(name.lower(), name)
        if other != name:
            raise InputError(
                f"{location.argument}: {location.name!r} has columns {other!r} and {name!r}, which"
                " differ only in case; rename one"
            )


def connected(database: str = ":memory:", *, read_only: bool = False) -> Any:
    """A separate connection of DuckDB. It fetches nothing from the network, and spills to the
    folder for temporary files, not to where Python runs: connections to one file to the same place,
    because DuckDB refuses a second one with other settings.
    """
    import duckdb

    name = uuid.uuid4() if database == ":memory:" else uuid.uuid5(uuid.NAMESPACE_URL, database)
    spill = os.path.join(tempfile.gettempdir(), f"synthpop-{os.getpid()}-{name.hex}")
    config: dict[str, Any] = {"autoinstall_known_extensions": "false", "temp_directory": spill}
    return duckdb.connect(database, read_only=read_only, config=config)


def patterns(location: Location) -> list[str]:
    """The files as DuckDB takes them: each name is a pattern to it."""
    return [glob.escape(str(file)) for file in location.files]


# ---- from files to origins -----------------------------------------------------------


def csv_table(location: Location, form: Form = USUAL, *, scan: bool = True) -> CsvTable:
    """A CSV, scanned where DuckDB can."""
    scan = scan and can_scan() and form.encoding == USUAL.encoding
    return ScannedCsv(location, form) if scan else CsvTable(location, form)


def can_scan() -> bool:
    """Whether DuckDB is there, and what it needs to hand over what it counted."""
    return all(map(protocol.is_installed, ("duckdb", "narwhals", "pyarrow")))


def csv_together(
    locations: Sequence[Location], as_text: AsText | None = None, *, scan: bool = True
) -> list[Origin]:
    """CSV files that are compared with each other: a column is the same in all."""
    tables: list[CsvTable] = []
    try:
        for location in locations:
            tables.append(csv_table(location, scan=scan))
        kinds = agreed_kinds(tables, as_text)
        return [table.origin(kinds) for table in tables]
    except BaseException:
        for table in tables:
            table.close()
        raise
