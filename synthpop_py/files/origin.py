"""What a path leads to, before anything is counted."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

from ..core.columns import Column
from ..names import some

# the name of a column, its distinct values as an engine gave them, what messages call it
ReadColumn: TypeAlias = Callable[[str, pd.Series, str], Column]
MOST_COLUMNS = 8


def always() -> bool:
    """For tables whose types the engine itself knows."""
    return True


def same_as_now(files: Sequence[Path]) -> Callable[[], bool]:
    """A function that says whether files are unchanged: the types of their columns were found once,
    and new values may not fit them.
    """
    found = _stamps(files)
    return lambda: _stamps(files) == found


def _stamps(files: Sequence[Path]) -> list[tuple[int, int]]:
    stamps = []
    for file in files:
        try:
            status = file.stat()
        except OSError:  # gone
            return []
        stamps.append((status.st_size, status.st_mtime_ns))
    return stamps


def nothing_to_close() -> None:
    """For origins that hold neither a file nor a connection open."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the records of a table are.

    Attributes
    ----------
    native : a pandas data frame, or the lazy table of an engine.
    name : what messages call it: without folders and passwords.
    reader : the library that reads it.
    read_column : turns a column of an engine into one of ours; None if its type is enough.
    load : the whole as a pandas data frame; None where an engine must be asked.
    close : releases files and connections.
    is_current : whether its files are unchanged since their columns were read.
    """

    native: Any
    name: str
    reader: str
    read_column: ReadColumn | None = None
    load: Callable[[], pd.DataFrame] | None = None
    close: Callable[[], None] = nothing_to_close
    is_current: Callable[[], bool] = always


def described(name: str, reader: str, columns: list[Hashable]) -> str:
    """A table in one line: where it is, what reads it, its columns. No value is shown.

    Examples
    --------
    >>> described("people.parquet", "duckdb", ["sex", "age"])
    '<table people.parquet, read by duckdb; 2 columns: sex, age>'
    """
    number = "1 column" if len(columns) == 1 else f"{len(columns)} columns"
    listed = f": {some(columns, MOST_COLUMNS)}" if columns else ""
    return f"<table {name}, read by {reader}; {number}{listed}>"
