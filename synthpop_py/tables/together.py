"""`read_both()`: the tables of a command, read together. How each CSV is written is guessed where
it is not said, and what was guessed is told.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pandas as pd

from ..errors import InputError, some, unknown_choice, unknown_name
from .csv_files import (
    LATIN,
    UTF_8,
    CsvTable,
    Form,
    find_dates,
    frames_together,
    guessed_decimal,
    guessed_form,
)
from .frames import is_foreign_frame, wrapped
from .opening import column_names, origins_of, table_of
from .paths import Location
from .protocol import Origin

SMALL = 32_000_000  # bytes of a file that is read into memory; engines scan larger ones
SPOKEN = {LATIN: "Latin-1", "latin-1": "Latin-1", "\t": "tabs", ";": "semicolons", "|": "'|'"}
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
    options: dict[str, Any] = {"sep": sep, "decimal": decimal, "encoding": encoding}
    options |= {"dates": dates, "missing": tuple(missing), "text": tuple(text)}
    tables: list[CsvTable] = []

    def read_csv(locations: list[Location]) -> list[pd.DataFrame]:
        _check_options(options, prefix, bool(locations))
        tables.extend(_csv_tables(locations, options, prefix))
        return frames_together(tables, dict.fromkeys(options["text"], "text"))

    origins = origins_of(givens, places, scan_from=SMALL, read_csv=read_csv)
    read = []
    for at, (given, place) in enumerate(zip(givens, places)):
        read.append(_without(tuple(drop), given, place, origins.get(at), f"{prefix}drop"))
    notes = filter(None, [_note(table, options) for table in tables])
    return Both(
        synthetic=read[: len(sets)],
        original=read[len(sets)],
        holdout=None if holdout is None else read[-1],
        notes=list(dict.fromkeys(notes)),
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


def _csv_tables(
    locations: Sequence[Location], options: Mapping[str, Any], prefix: str
) -> list[CsvTable]:
    """CSV files, and how each is written."""
    tables = []
    for location in locations:
        form = guessed_form(location, options["sep"], options["encoding"])
        tables.append(CsvTable(location, replace(form, missing=options["missing"])))
    known = list(dict.fromkeys(name for table in tables for name in table.columns))
    for name in options["text"]:
        if name not in known:
            raise unknown_name(f"{prefix}text", name, known, "the CSV files")
    for table in tables:
        decimal = options["decimal"] or guessed_decimal(table)
        table.form = replace(table.form, decimal=decimal)
    asked = options["dates"]
    if asked != NO_DATES:
        ways = DATES if asked is None else {asked: DATES[asked]} | {ISO: DATES[ISO]}
        find_dates(tables, ways, [name for name in known if name not in options["text"]])
    return tables


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


def _note(table: CsvTable, options: Mapping[str, Any]) -> str | None:
    """What was guessed about a file; None where nothing is unusual, or all of it was said."""
    form, usual = table.form, Form()
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
