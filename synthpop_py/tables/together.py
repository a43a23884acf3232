"""`read_both()`: the tables of a command, read together. How each CSV is written is guessed where
it is not said, and what was guessed is told.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

import pandas as pd

from ..errors import InputError, some, unknown_choice, unknown_name
from .csv_files import (
    SEPARATORS,
    USUAL,
    CsvTable,
    Form,
    agreed_kinds,
    csv_table,
    header_of,
    is_encoded,
    kind_of,
)
from .files import origin_of
from .frames import is_foreign_frame, wrapped
from .opening import column_names, table_of
from .paths import OF_TEXT, Location, is_path, source_of
from .protocol import Origin

SMALL = 32_000_000  # bytes of files that are read into memory; engines scan larger ones
UTF_8, LATIN = "utf-8-sig", "cp1252"  # Latin-1 as Windows writes it
UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # what such files begin with
SPOKEN = {LATIN: "Latin-1", "latin-1": "Latin-1", "\t": "tabs", ";": "semicolons", "|": "'|'"}
THOUSANDS = re.compile(r"-?[0-9]{1,3}(,[0-9]{3})+")
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


class Both(NamedTuple):
    """What `read_both` read; leaving it as a context manager closes files and connections.

    Attributes
    ----------
    synthetic, original, holdout : what functions take in place of frames, the first as a list.
    notes : what was guessed, one sentence for each CSV file that is not written with commas,
        decimal points and in UTF-8.
    origins : the files.
    """

    synthetic: list[Any]
    original: Any
    holdout: Any | None
    notes: list[str]
    origins: list[Origin]

    def __enter__(self) -> Both:
        return self

    def __exit__(self, *reason: object) -> None:
        for origin in self.origins:
            origin.close()


def read_both(
    synthetic: Any,
    original: Any,
    *,
    holdout: Any = None,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    dates: str | None = None,
    missing: Iterable[str] = (),
    text: Iterable[str] = (),
    drop: Iterable[str] = (),
    arguments: Sequence[str] = ("--synthetic", "--original", "--holdout"),
) -> Both:
    """The tables of a command. All CSV files together say what a column is, however each of them
    is written.

    Parameters
    ----------
    synthetic : a path, a table or a frame, or a list of these.
    sep, decimal, encoding : how CSV files are written; None to guess it for each.
    dates : how dates in CSV files are written (`DATES`); "text" to leave them as they are; None to
        guess it for each column of each file.
    missing : texts that mean missing in CSV files, beside an empty field and NA.
    text : columns of CSV files that are codes, not numbers: 007 and 7 stay two values.
    drop : columns that are left out of every table.
    arguments : what messages call the three; options are called --sep where these begin with --.
    """
    sets = list(synthetic) if isinstance(synthetic, (list, tuple)) else [synthetic]
    givens = [*sets, original] + ([] if holdout is None else [holdout])
    places = [*[arguments[0]] * len(sets), *arguments[1:]]
    prefix = "--" if arguments[0].startswith("--") else ""
    files: dict[int, Location] = {}
    for at, (given, place) in enumerate(zip(givens, places)):
        if is_path(given):
            files[at] = source_of(given).located(place)
    scan = sum(file.stat().st_size for one in files.values() for file in one.files) > SMALL
    of_text = {at: one for at, one in files.items() if one.kind in OF_TEXT}
    options: dict[str, Any] = {"sep": sep, "decimal": decimal, "encoding": encoding}
    options |= {"dates": dates, "missing": tuple(missing), "text": tuple(text)}
    _check_options(options, prefix, bool(of_text))
    origins = {}
    for at, one in files.items():
        if at not in of_text or source_of(givens[at]).table is not None:
            origins[at] = origin_of(one, source_of(givens[at]).table, scan=scan)
    tables, notes = _csv_read(list(of_text.values()), options, prefix, scan=scan)
    origins |= dict(zip(of_text, tables))
    read = []
    for at, (given, place) in enumerate(zip(givens, places)):
        read.append(_without(tuple(drop), given, place, origins.get(at), f"{prefix}drop"))
    return Both(
        synthetic=read[: len(sets)],
        original=read[len(sets)],
        holdout=None if holdout is None else read[-1],
        notes=notes,
        origins=list(origins.values()),
    )


def _check_options(options: Mapping[str, Any], prefix: str, any_csv: bool) -> None:
    for name, value in options.items():
        if value and not any_csv:
            raise InputError(f"{prefix}{name}: is for CSV files, and none is read; leave it out")
    choices = {"decimal": [".", ","], "dates": [*DATES, NO_DATES]}
    for name, known in choices.items():
        if options[name] is not None and options[name] not in known:
            raise unknown_choice(f"{prefix}{name}", options[name], known, "the ways to write it")
    if options["sep"] is not None and len(options["sep"]) != 1:
        raise InputError(f"{prefix}sep: {options['sep']!r} is not a single character")
    try:
        codecs.lookup(options["encoding"] or UTF_8)
    except LookupError:
        raise InputError(
            f"{prefix}encoding: {options['encoding']!r} is no encoding; choices: utf-8, latin-1,"
            " utf-16"
        ) from None


def _without(
    drop: Sequence[str], given: Any, place: str, origin: Origin | None, option: str
) -> Any:
    """A table without the columns that are dropped, as functions take it."""
    if origin is None:
        native = given
    else:
        native, place = origin.native, f"{place} ({origin.name})"
    if drop:
        names = column_names(native)
        for name in drop:
            if name not in names:
                raise unknown_name(option, name, names, place)
        if isinstance(native, pd.DataFrame):
            native = native.drop(columns=list(drop))
        elif is_foreign_frame(native):
            native = wrapped(native).drop(*drop).to_native()
        else:
            raise InputError(f"{option}: is for files and data frames, not for an opened table")
    if origin is None or isinstance(native, pd.DataFrame):
        return native
    load = origin.load
    if drop and load is not None:
        all_columns = load
        load = lambda: all_columns().drop(columns=list(drop))  # noqa: E731
    return table_of(replace(origin, native=native, load=load), place)


# ---- how CSV files are written -------------------------------------------------------


def _csv_read(
    locations: Sequence[Location], options: Mapping[str, Any], prefix: str, *, scan: bool
) -> tuple[list[Origin], list[str]]:
    """CSV files whose columns get their types together, and what was guessed about each."""
    tables: list[CsvTable] = []
    try:
        for location in locations:
            form = _form(location, options["sep"], options["encoding"])
            form = replace(form, missing=options["missing"])
            tables.append(csv_table(location, form, scan=scan))
        known = [name for table in tables for name in table.names]
        for name in options["text"]:
            if name not in known:
                raise unknown_name(f"{prefix}text", name, known, "the CSV files")
        for table in tables:
            decimal = options["decimal"] or _decimal(table)
            table.form = replace(table.form, decimal=decimal)
        if options["dates"] != NO_DATES:
            names = [name for name in dict.fromkeys(known) if name not in options["text"]]
            _find_dates(tables, names, options["dates"])
        kinds = agreed_kinds(tables, dict.fromkeys(options["text"], "text"))
        origins = [table.origin(kinds) for table in tables]
    except BaseException:
        for table in tables:
            table.close()
        raise
    notes = [_note(table, options) for table in tables]
    return origins, list(dict.fromkeys(filter(None, notes)))


def _form(location: Location, sep: str | None, encoding: str | None) -> Form:
    """How a file is written, as far as its first row and its bytes tell."""
    if encoding is None:
        with location.files[0].open("rb") as opened:
            mark = opened.read(2)
        encoding = "utf-16" if mark in UTF_16 else LATIN
        if encoding == LATIN and all(is_encoded(file, UTF_8) for file in location.files):
            encoding = UTF_8
        elif encoding == LATIN and not all(is_encoded(file, LATIN) for file in location.files):
            encoding = "latin-1"  # in which every byte is a letter
    elif codecs.lookup(encoding).name == "utf-8":
        encoding = UTF_8
    if sep is None:
        headers = {mark: header_of(location, Form(mark, encoding=encoding)) for mark in SEPARATORS}
        sep = max(headers, key=lambda mark: len(headers[mark]))
    return Form(sep, encoding=encoding)


def _decimal(table: CsvTable) -> str:
    """A decimal comma, where it makes numbers of some column and no other has decimal points."""
    with_comma = replace(table.form, decimal=",")
    found = False
    for texts in table.first.values():
        kind, by_comma = kind_of(table.form.known(texts)), kind_of(with_comma.known(texts))
        if kind == "double" and by_comma == "character":
            return "."
        if kind == "character" and by_comma == "double":
            # between commas, "1,234" may be a number with thousands
            known = table.form.known(texts)
            commas = [text for text in known if "," in text]
            thousands = all(map(THOUSANDS.fullmatch, commas))
            found = found or table.form.sep != "," or not thousands
    return "," if found else "."


def _find_dates(tables: Sequence[CsvTable], names: Sequence[str], asked: str | None) -> None:
    """Note in the form of each table which columns are dates, and how they are written: those that
    are dates in every table, and not everywhere year-month-day.
    """
    ways = DATES if asked is None else {asked: DATES[asked]} | {ISO: DATES[ISO]}
    for name in names:
        having = [table for table in tables if name in table.names]
        fitting = []
        for table in having:
            texts = list(table.first[name])
            gaps = table.form.gaps(texts, "date")
            known = [text.strip() for text, gap in zip(texts, gaps) if not gap]
            fitting.append([way for way in ways if known and _are_dates(known, ways[way])])
        if not all(fitting) or all(found[0] == ISO for found in fitting):
            continue
        common = [way for way in ways if all(way in found for found in fitting)]
        for table, found in zip(having, fitting):
            way = common[0] if common else found[0]
            dates = {**table.form.dates, name: ways[way]}
            table.form = replace(table.form, dates=dates)


def _are_dates(texts: Iterable[str], pattern: str) -> bool:
    try:
        for text in texts:
            datetime.strptime(text, pattern)
    except ValueError:
        return False
    return True


def _note(table: CsvTable, options: Mapping[str, Any]) -> str | None:
    """What was guessed about a file; None where nothing is unusual, or all of it was said."""
    form, usual = table.form, USUAL
    said = []
    if form.sep != usual.sep and options["sep"] is None:
        said.append(f"{SPOKEN.get(form.sep, repr(form.sep))} between fields")
    if form.decimal != usual.decimal and options["decimal"] is None:
        said.append("decimal commas")
    if form.encoding != usual.encoding and options["encoding"] is None:
        said.append(SPOKEN.get(form.encoding, form.encoding))
    for way, pattern in DATES.items():
        names = [name for name, found in form.dates.items() if found == pattern]
        if names and options["dates"] is None:
            said.append(f"dates as {way} in {some(names)}")
    return f"{table.location.name}: read with {', '.join(said)}" if said else None
