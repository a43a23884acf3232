"""What every table answers, wherever its records are stored: `count_by`, distinct rows and how many
records each stands for. Nothing after it knows of frames, files or databases.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, Protocol, Self

from ..core.arrays import Integers
from ..core.columns import Column
from ..errors import missing_package, some
from ..redaction import redacted

MOST_COLUMNS = 8  # that are listed where a table prints
NO_COUNTS = "{} must hold whole numbers of 0 or more, none missing"
TOO_MANY = "{} adds up to more than 64 bits hold"


@dataclass(frozen=True, slots=True)
class Counted:
    """Rows of some columns, which may repeat."""

    columns: dict[Hashable, Column]
    n: Integers | None  # the records that each row stands for, above 0; None where all are one
    rows: int

    @property
    def records(self) -> int:
        return self.rows if self.n is None else int(self.n.sum())

    def among(self, names: Sequence[Hashable]) -> Counted:
        return Counted({name: self.columns[name] for name in names}, self.n, self.rows)


class Table(Protocol):
    """One table."""

    place: str  # what messages call it
    keeps_rows: bool  # `count_by` gives the same rows in the same order, whatever the columns
    columns: list[Hashable]

    @property
    def records(self) -> int: ...

    def count_by(self, names: Sequence[Hashable]) -> Counted: ...


class HeldTable:
    """A table whose rows are held here, with the columns asked for or made from them."""

    keeps_rows = True

    def __init__(self, counted: Counted, place: str) -> None:
        self.counted, self.place = counted, place
        self.columns, self.records = list(counted.columns), counted.records

    def count_by(self, names: Sequence[Hashable]) -> Counted:
        return self.counted.among(names)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the records of a table are, and which library reads them."""

    native: Any  # a pandas data frame, or the lazy table of an engine
    name: str  # what messages call it: without folders and passwords
    reader: str
    close: Callable[[], None] = lambda: None  # releases files and connections
    # by column, what gives its categories in their order; an engine would lose them
    categories: Mapping[Hashable, Callable[[], Sequence[str]]] = field(default_factory=dict)


class Opened:
    """A table that may hold a file open; `origin` is what a user opened, None for others."""

    origin: Origin | None
    place: str
    columns: list[Hashable]

    def __repr__(self) -> str:
        origin = self.origin or Origin(None, redacted(self.place), "a frame")
        columns = "1 column" if len(self.columns) == 1 else f"{len(self.columns)} columns"
        listed = some(self.columns, MOST_COLUMNS)
        return f"<table {origin.name}, read by {origin.reader}; {columns}: {listed}>"

    def close(self) -> None:  # the file or the database
        if self.origin is not None:
            self.origin.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()


def is_installed(package: str) -> bool:
    return find_spec(package) is not None


def needed(who: str, package: str, extra: str) -> None:
    """Raise an error that says what to install, if a package is not there."""
    if not is_installed(package):
        raise missing_package(who, package, extra)


def quoted(name: str) -> str:
    """A name quoted for SQL, whatever it contains."""
    return '"' + name.replace('"', '""') + '"'
