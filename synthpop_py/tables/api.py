"""`open_table()`: anything that holds records, as one table that every function takes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from ..errors import InputError, warning_once
from .csv_files import CsvTable, frames_together
from .engine import EngineTable
from .files import origin_of
from .frames import in_arrow_types, is_foreign_frame, is_lazy, library_of, owned
from .opening import FrameTable, table_of
from .paths import OF_TEXT, is_path, located
from .protocol import Opened, Origin
from .reading import checked_levels
from .together import Both, read_both

__all__ = ["Both", "open_table", "read_both"]


@warning_once
def open_table(
    source: str | os.PathLike[str] | Any,
    table: str | None = None,
    *,
    levels: Mapping[Any, Sequence[str]] | None = None,
) -> Opened:
    """A table that can be given to `disclosure()` and every other function in place of a data
    frame: a file, a table of a database, a relation, a frame.

    Records stay where they are if an engine can count them there. Nothing is written,
    neither to the file nor beside it.

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
        It prints its name, what reads it, and its columns, but no value. ``close()`` releases the
        file, and so does ``with open_table(...) as people:``.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> import pandas as pd
    >>> from synthpop_py import disclosure, open_table
    >>> folder = Path(mkdtemp())
    >>> people = pd.DataFrame({"sex": ["f", "m", "m"], "job": ["x", "y", "x"]})
    >>> people.to_csv(folder / "people.csv", index=False)
    >>> table = open_table(folder / "people.csv", levels={"job": ["y", "x", "z"]})
    >>> table.columns
    ['sex', 'job']
    >>> result = disclosure(table, people, keys="sex", target="job", compat="corrected")
    >>> round(float(result.attrib.DiSCO[1]), 2)
    33.33
    >>> table.close()
    """
    declared = checked_levels(levels)
    if is_path(source):
        location = located(source, "source")
        if location.table is not None and table is not None:
            raise InputError(
                f"table: is given twice, as {location.table!r} after '::' and as {table!r}; leave"
                " one out"
            )
        location = replace(location, table=table or location.table)
        if location.kind in OF_TEXT and location.table is None:
            (frame,) = frames_together([CsvTable(location)], dict.fromkeys(declared, "character"))
            origin = Origin(frame, location.name, "pandas")
        else:
            origin = origin_of(location)
        return table_of(origin, origin.name, levels=declared)
    if table is not None:
        raise InputError(
            "table: is for the path of a database file; a frame or relation is one table, leave"
            " table= out"
        )
    if isinstance(source, (EngineTable, FrameTable)):
        native = source.given if isinstance(source, EngineTable) else source.frame
        origin = source.origin or Origin(native, source.place, library_of(native))
        return table_of(origin, source.place, levels=declared)
    if isinstance(source, pd.DataFrame):
        native = owned(source)  # columns are read later, when the user's frame may be another
    elif is_foreign_frame(source):
        native = source if is_lazy(source) else in_arrow_types(source)
    else:
        raise InputError(
            f"source: {type(source).__name__} is not a table; give the path of a file, a data "
            "frame, a relation or another table, one at a time"
        )
    name = f"{type(source).__name__} of {library_of(source)}"
    return table_of(Origin(native, name, library_of(native)), name, levels=declared)
