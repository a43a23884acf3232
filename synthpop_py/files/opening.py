"""From a path to an origin: one way for every function and for the command line."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd

from ..errors import InputError
from .agreed_kinds import agreed_kinds
from .csv_files import csv_texts, read_csv
from .databases import opened_database
from .locations import DATABASES, OF_R, SCANNED, Location
from .origin import Origin
from .parquet_files import read_parquet
from .scans import can_scan, csv_scanned, scanned
from .sources import one_table, source_of
from .statistical import read_statistical
from .text_types import AsText

OF_TEXT = (".csv", ".csv.gz")


def opened(
    given: str | os.PathLike[str],
    argument: str,
    table: Any = None,
    *,
    as_text: AsText | None = None,
) -> Origin:
    """What a path leads to; records stay in the file where an engine can scan it. `as_text` has
    columns of a CSV that are text whatever they hold.
    """
    source = source_of(given)
    location = source.located(argument)
    return _origin(location, one_table(source, table), as_text=as_text)


def _origin(
    location: Location, table: Any, *, scan: bool = True, as_text: AsText | None = None
) -> Origin:
    if location.kind in DATABASES:
        return opened_database(location, table)
    if table is not None and location.kind not in OF_R:
        raise InputError(
            f"table: {location.name!r} holds one table, without a name; leave table= out"
        )
    origin = scanned(location, as_text) if scan and location.kind in SCANNED else None
    if origin is not None:
        return origin
    frame = in_memory(location, table, as_text=as_text)
    return Origin(native=frame, name=location.name, reader="pandas")


def in_memory(
    location: Location, table: str | None = None, *, as_text: AsText | None = None
) -> pd.DataFrame:
    """The table in files that are not a database."""
    if location.kind == ".parquet":
        return read_parquet(location)
    if location.kind in SCANNED:
        return read_csv(location, as_text=as_text)
    return read_statistical(location, table)


# ---- several files that are compared -------------------------------------------------


class Asked(NamedTuple):
    """A path, and the argument that gave it."""

    given: str | os.PathLike[str]
    argument: str


def opened_together(
    asked: Sequence[Asked], *, scan: bool = True, as_text: AsText | None = None
) -> list[Origin]:
    """The origins of several paths, for tables that are compared with each other: a CSV does not
    give the types of its columns, so all files together decide them, and columns named in `as_text`
    are text. Without `scan`, files are read into memory.
    """
    sources = [source_of(one.given) for one in asked]
    locations = [source.located(one.argument) for source, one in zip(sources, asked)]
    of_text = [at for at, place in enumerate(locations) if place.kind in OF_TEXT]
    for at in of_text:
        if sources[at].table is not None:
            _origin(locations[at], sources[at].table)  # which refuses it
    texts = [locations[at] for at in of_text]
    by_place = dict(zip(of_text, _csv_together(texts, scan=scan, as_text=as_text)))
    origins = []
    for at, (source, location) in enumerate(zip(sources, locations)):
        if at in by_place:
            origins.append(by_place[at])
        else:
            origins.append(_origin(location, source.table, scan=scan))
    return origins


def _csv_together(
    locations: Sequence[Location], *, scan: bool, as_text: AsText | None
) -> list[Origin]:
    if scan and can_scan(".csv"):
        return csv_scanned(locations, as_text)
    tables = [csv_texts(location) for location in locations]
    kinds = agreed_kinds(tables, as_text)
    origins = []
    for location, table in zip(locations, tables):
        frame = table.frame(kinds)
        origins.append(Origin(native=frame, name=location.name, reader="pandas"))
    return origins
