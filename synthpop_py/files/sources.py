"""How one text names a table: a path, and what a path alone does not say.

``census.duckdb::people`` and ``study.RData::people`` name the table in a file that holds several;
``duckdb:census.bin::people`` and ``sqlite:...`` also say what the file is, whatever its ending.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import InputError
from .locations import ADDRESS, DATABASES, Location, located, located_as

WITHIN = "::"  # between a file and the table in it
DATABASE_WORDS = ("duckdb", "sqlite")


class Source(NamedTuple):
    """A path, the table in it, and what the file was said to be.

    Attributes
    ----------
    path : the file, folder or pattern.
    table : the table named after ``::``; None where there is none.
    database : "duckdb" or "sqlite" where that was said.
    """

    path: str
    table: str | None
    database: str | None

    def located(self, argument: str) -> Location:
        """The files behind it, or an error with the way out."""
        if self.database is None:
            return located(self.path, argument)
        return located_as(self.path, argument, DATABASES[0])


def source_of(given: str | os.PathLike[str]) -> Source:
    """What a text names; a file with exactly this name comes first.

    Examples
    --------
    >>> source_of("duckdb:census.db::people")
    Source(path='census.db', table='people', database='duckdb')
    >>> source_of("people.csv")
    Source(path='people.csv', table=None, database=None)
    """
    text = os.fsdecode(given)
    if not isinstance(given, str) or ADDRESS.match(text) or _exists(text):
        return Source(path=text, table=None, database=None)
    word, colon, rest = text.partition(":")
    database = word.lower() if colon and word.lower() in DATABASE_WORDS else None
    if database is None or rest.startswith(":"):
        database, rest = None, text
    path, within, table = rest.rpartition(WITHIN)
    if not within:
        return Source(path=rest, table=None, database=database)
    return Source(path=path, table=table or None, database=database)


def _exists(text: str) -> bool:
    try:
        return Path(text).expanduser().exists()
    except (OSError, ValueError, RuntimeError):  # too long, a zero byte, no such user
        return False


def one_table(source: Source, table: Any) -> Any:
    """The table asked for, by ``::`` or by an argument."""
    if source.table is not None and table is not None:
        raise InputError(
            f"table: is given twice, as {source.table!r} after {WITHIN!r} and as {table!r}; leave"
            " one out"
        )
    return source.table if table is None else table
