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
    """For what an engine knows the types of itself."""
    return True


def same_as_now(files: Sequence[Path]) -> Callable[[], bool]:
    """What says whether files are still as they are now: the types of their columns were found
    once, and other values may not fit them.
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
    """For what holds neither a file nor a connection open."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the records of a table are.

    Attributes
    ----------
    native : a pandas data frame, or the lazy table of an engine.
    name : what messages call it: without folders and passwords.
    reader : who reads it.
    read_column : what makes a column of an engine one of ours; None where its type says it all.
    load : the whole as a pandas data frame; None where an engine must be asked.
    close : lets go of files and connections.
    is_current : whether its files are still those whose columns were looked at.
    """

    native: Any
    name: str
    reader: str
    read_column: ReadColumn | None = None
    load: Callable[[], pd.DataFrame] | None = None
    close: Callable[[], None] = nothing_to_close
    is_current: Callable[[], bool] = always


def described(name: str, reader: str, columns: list[Hashable]) -> str:
    """A table in one line: where it is, who reads it, its columns. No value is shown.

    Examples
    --------
    >>> described("people.parquet", "duckdb", ["sex", "age"])
    '<table people.parquet, read by duckdb; 2 columns: sex, age>'
    """
    number = "1 column" if len(columns) == 1 else f"{len(columns)} columns"
    listed = f": {some(columns, MOST_COLUMNS)}" if columns else ""
    return f"<table {name}, read by {reader}; {number}{listed}>"
