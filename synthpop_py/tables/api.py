"""What users and commands open: `open_table()`, and `read_both()`, the tables of a command."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import pandas as pd

from ..errors import InputError, unknown_name, warning_once
from .csv_files import CsvTable, Kind, frames_together, guessed_tables
from .engine import EngineTable
from .files import Location, located, origin_of
from .frames import in_arrow_types, is_foreign_frame, is_lazy, library_of, owned, wrapped
from .opening import column_names, is_path, table_of, with_files
from .protocol import Opened, Origin
from .reading import FrameTable, checked_levels

__all__ = ["open_table", "read_both"]

SMALL = 32_000_000  # bytes of a file that is read into memory; engines scan larger ones


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
    >>> result = disclosure(table, people, keys="sex", target="job", compat="corrected")
    >>> round(float(result.attrib.DiSCO[1]), 2)
    33.33
    """
    declared = checked_levels(levels)
    if is_path(source):
        location = located(source, "source")
        location = replace(location, table=table or location.table)
        if location.is_text:
            as_text: dict[Any, Kind] = dict.fromkeys(declared, "character")
            (frame,) = frames_together([CsvTable(location).read()], as_text)
            origin = Origin(frame, location.name, "pandas")
        else:
            origin = origin_of(location)
        return table_of(origin, origin.name, declared)
    if table is not None:
        raise InputError("table: is for the path of a database file; leave table= out")
    if isinstance(source, (EngineTable, FrameTable)):
        origin = source.origin or Origin(source.given, source.place, library_of(source.given))
        return table_of(origin, source.place, declared)
    if isinstance(source, pd.DataFrame):
        native = owned(source)  # columns are read later, when the user's frame may be another
    elif is_foreign_frame(source):
        native = source if is_lazy(source) else in_arrow_types(source)
    else:
        way = "give the path of a file, a data frame, a relation or another table, one at a time"
        raise InputError(f"source: {type(source).__name__} is not a table; {way}")
    name = f"{type(source).__name__} of {library_of(source)}"
    return table_of(Origin(native, name, library_of(native)), name, declared)


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
    asked: dict[str, Any] = {"sep": sep, "decimal": decimal, "encoding": encoding, "dates": dates}
    asked |= {"missing": tuple(missing), "text": tuple(text)}
    tables: list[CsvTable] = []

    def read_csv(locations: list[Location]) -> list[pd.DataFrame]:
        tables.extend(guessed_tables(locations, asked, prefix))
        return frames_together(tables, dict.fromkeys(asked["text"], "text"))

    found = with_files(givens, places, scan_from=SMALL, read_csv=read_csv)
    for name, value in asked.items():
        if value and not tables:
            raise InputError(f"{prefix}{name}: is for CSV files, and none is read; leave it out")
    read = []
    for one, given, place in zip(found, givens, places):
        table = _without(list(drop), one, place, f"{prefix}drop") if drop else one
        is_read = is_path(given) and isinstance(table, FrameTable)
        read.append(table.given if is_read else table)
    notes = dict.fromkeys(table.note(asked) for table in tables)
    outside = None if holdout is None else read[-1]
    try:
        yield Both(read[: len(sets)], read[len(sets)], outside, list(filter(None, notes)))
    finally:
        for one, given in zip(found, givens):
            if is_path(given):
                one.close()


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
