"""What users and commands open: `open_table()`, and `read_both()`, the tables of a command."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import pandas as pd

from ..errors import InputError, some, unknown_choice, unknown_name, warning_once
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
from .engine import EngineTable
from .files import Location, located, origin_of
from .frames import in_arrow_types, is_foreign_frame, is_lazy, library_of, owned, wrapped
from .opening import column_names, is_path, table_of, with_files
from .protocol import Opened, Origin
from .reading import FrameTable, checked_levels

__all__ = ["open_table", "read_both"]

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


@warning_once
def open_table(
    source: str | os.PathLike[str] | Any,
    table: str | None = None,
    *,
    levels: Mapping[Any, Sequence[str]] | None = None,
) -> Opened:
    """A table that every function takes in place of a data frame. Records stay where they are if an
    engine can count them there. Nothing is written, neither to the file nor beside it.

    Parameters
    ----------
    source : path, or frame of any library
        The path of a file that ends in .csv, .csv.gz, .parquet, .sas7bdat, .xpt, .sav, .dta, .rds
        or .rda; a folder of Parquet files; a pattern such as ``"part-*.parquet"``; a database file
        of DuckDB or SQLite. Or a data frame, a lazy frame, a relation, a table of Ibis or Spark.
    table : name of the table, for a database file.
    levels : levels of columns of text in their order, also those that do not occur, as in
        ``{"size": ["small", "large"]}``. Databases have no factors: without levels, texts come in
        R's order. In a CSV such a column is text also where it looks like numbers (007).

    Returns
    -------
    table
        It prints its columns, but no value. ``close()``, or the end of ``with``, releases the file.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthpop_py import disclosure, open_table
    >>> people = pd.DataFrame({"sex": ["f", "m", "m"], "job": ["x", "y", "x"]})
    >>> table = open_table(people, levels={"job": ["y", "x", "z"]})
    >>> table.columns
    ['sex', 'job']
    >>> result = disclosure(table, people, keys="sex", target="job", compat="corrected")
    >>> round(float(result.attrib.DiSCO[1]), 2)
    33.33
    """
    declared = checked_levels(levels)
    if is_path(source):
        location = located(source, "source")
        location = replace(location, table=table or location.table)
        if location.is_text:
            (frame,) = frames_together([location], dict.fromkeys(declared, "character"))
            origin = Origin(frame, location.name, "pandas")
        else:
            origin = origin_of(location)
        return table_of(origin, origin.name, levels=declared)
    if table is not None:
        raise InputError("table: is for the path of a database file; leave table= out")
    if isinstance(source, (EngineTable, FrameTable)):
        origin = source.origin or Origin(source.given, source.place, library_of(source.given))
        return table_of(origin, source.place, levels=declared)
    if isinstance(source, pd.DataFrame):
        native = owned(source)  # columns are read later, when the user's frame may be another
    elif is_foreign_frame(source):
        native = source if is_lazy(source) else in_arrow_types(source)
    else:
        way = "give the path of a file, a data frame, a relation or another table, one at a time"
        raise InputError(f"source: {type(source).__name__} is not a table; {way}")
    name = f"{type(source).__name__} of {library_of(source)}"
    return table_of(Origin(native, name, library_of(native)), name, levels=declared)


class Both(NamedTuple):
    """What `read_both` read, as functions take it in place of frames."""

    synthetic: list[Any]
    original: Any
    holdout: Any | None
    notes: list[str]  # a sentence for each CSV file that is not written in the usual way


@contextmanager
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
) -> Iterator[Both]:
    """The tables of a command; at its end files and connections are closed. All CSV files together
    say what a column is. None means to guess how each is written; `missing` are texts beside an
    empty field and NA, `text` columns of codes, where 007 and 7 stay two values. `arguments` is
    what messages call the three tables; options are called --sep where these begin with --.
    """
    sets = list(synthetic) if isinstance(synthetic, (list, tuple)) else [synthetic]
    givens = [*sets, original] + ([] if holdout is None else [holdout])
    places = [*[arguments[0]] * len(sets), *arguments[1:]]
    prefix = "--" if arguments[0].startswith("--") else ""
    options: dict[str, Any] = {"sep": sep, "decimal": decimal, "encoding": encoding}
    options |= {"dates": dates, "missing": tuple(missing), "text": tuple(text)}
    tables: list[CsvTable] = []

    def read_csv(locations: list[Location]) -> list[pd.DataFrame]:
        tables.extend(_csv_tables(locations, options, prefix))
        return frames_together(tables, dict.fromkeys(options["text"], "text"))

    found = with_files(givens, places, scan_from=SMALL, read_csv=read_csv)
    for name in options:
        if options[name] and not tables:
            raise InputError(f"{prefix}{name}: is for CSV files, and none is read; leave it out")
    read = []
    for one, given, place in zip(found, givens, places):
        table = _without(list(drop), one, place, f"{prefix}drop") if drop else one
        is_read = is_path(given) and isinstance(table, FrameTable)
        read.append(table.given if is_read else table)
    notes = filter(None, [_note(table, options) for table in tables])
    outside = None if holdout is None else read[-1]
    try:
        yield Both(read[: len(sets)], read[len(sets)], outside, list(dict.fromkeys(notes)))
    finally:
        for one, given in zip(found, givens):
            if is_path(given):
                one.close()


def _csv_tables(
    locations: Sequence[Location], options: Mapping[str, Any], prefix: str
) -> list[CsvTable]:
    """CSV files, and how each is written."""
    _check_options(options, prefix)
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


def _check_options(options: Mapping[str, Any], prefix: str) -> None:
    choices = {"decimal": [".", ","], "dates": [*DATES, NO_DATES]}
    for name, known in choices.items():
        if options[name] is not None and options[name] not in known:
            raise unknown_choice(f"{prefix}{name}", options[name], known, "the ways to write it")
    if options["sep"] is not None and len(options["sep"]) != 1:
        raise InputError(f"{prefix}sep: {options['sep']!r} is not a single character")
    try:
        codecs.lookup(options["encoding"] or UTF_8)
    except LookupError:
        says = f"{prefix}encoding: {options['encoding']!r} is no encoding"
        raise InputError(f"{says}; choices: utf-8, latin-1, utf-16") from None


def _without(drop: Sequence[str], given: Any, place: str, option: str) -> Any:
    """A frame, or the table of a file, without the columns that are dropped."""
    origin = given.origin if isinstance(given, Opened) else None
    native = given if origin is None else origin.native
    known = column_names(native)
    for name in drop:
        if name not in known:
            raise unknown_name(option, name, known, place)
    if isinstance(native, pd.DataFrame):
        native = native.drop(columns=drop)
    else:
        native = wrapped(native).drop(*drop).to_native()
    return native if origin is None else table_of(replace(origin, native=native), given.place)


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
