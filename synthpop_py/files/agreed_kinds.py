"""The types of the columns of CSV files that are compared, whoever reads them: all texts of all
files decide together. Codes that only look like numbers stay text: where a file has both 007 and 7,
or where the user says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from ..errors import NearLevelsWarning, warn
from .locations import Location
from .text_types import ONE_SPELLING, AsText, Tally, TextKind, common_kinds


class TextTable(Protocol):
    """A CSV before its columns have types."""

    @property
    def location(self) -> Location: ...

    def tallies(self) -> dict[str, Tally]: ...

    def is_spelled_twice(self, name: str, *, fractions: bool = False) -> bool: ...


def agreed_kinds(tables: Sequence[TextTable], as_text: AsText | None = None) -> dict[str, TextKind]:
    """One type for each column over all tables that have it.

    Parameters
    ----------
    as_text : columns that the user declares to be text, with the kind of text they are.
    """
    tallies = [table.tallies() for table in tables]
    kinds = common_kinds(tallies)
    kinds |= {name: kind for name, kind in (as_text or {}).items() if name in kinds}
    for table, by_name in zip(tables, tallies):
        for name in _spelled_twice(table, by_name, kinds):
            _warn_of_codes(name, table.location)
            kinds[name] = "character"
    for table, by_name in zip(tables, tallies):
        for name in by_name:
            if kinds[name] == "double" and table.is_spelled_twice(name, fractions=True):
                _warn_of_one_number(name, table.location)
    return kinds


def _spelled_twice(
    table: TextTable, tallies: Mapping[str, Tally], kinds: Mapping[str, TextKind]
) -> Iterator[str]:
    """The columns of which two texts of one table would become one number."""
    for name, tally in tallies.items():
        # of a column of text an engine may have counted only the first rows
        is_doubtful = tally.plain < tally.whole or kinds[name] == "code"
        if kinds[name] in ONE_SPELLING and is_doubtful and table.is_spelled_twice(name):
            yield name


def _warn_of_codes(name: str, location: Location) -> None:
    where = f"{location.argument}: column {name!r} of {location.name!r}"
    warn(
        f"{where} writes a whole number in two ways, as 007 and 7 would be. They may be two codes,"
        " so the column is read as text. If they are one number, write it in one way; if they are"
        f" codes, read every file with pandas.read_csv(path, dtype={{{name!r}: str}})",
        NearLevelsWarning,
        short=where,
    )


def _warn_of_one_number(name: str, location: Location) -> None:
    where = f"{location.argument}: column {name!r} of {location.name!r}"
    warn(
        f"{where} writes a number in two ways, as 1.1 and 1.10 or 1e5 and 100000 would be. It is"
        " read as one number; if they are two codes,"
        f" read every file with pandas.read_csv(path, dtype={{{name!r}: str}})",
        NearLevelsWarning,
        short=where,
    )
