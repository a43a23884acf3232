"""From a path to an origin: one way for every function and for the command line."""

from __future__ import annotations

import os
from typing import Any

import pandas as pd

from ..errors import InputError
from .csv_files import read_csv
from .databases import opened_database
from .locations import DATABASES, SCANNED, Location, located
from .origin import Origin
from .parquet_files import read_parquet
from .scans import scanned
from .statistical import read_statistical


def opened(given: str | os.PathLike[str], argument: str, table: Any = None) -> Origin:
    """What a path leads to; records stay in the file where an engine can scan it."""
    location = located(given, argument)
    if location.kind in DATABASES:
        return opened_database(location, table)
    if table is not None:
        raise InputError(
            f"table: {location.name!r} holds one table and no names of tables; leave table= out"
        )
    origin = scanned(location) if location.kind in SCANNED else None
    if origin is not None:
        return origin
    return Origin(native=in_memory(location), name=location.name, reader="pandas")


def in_memory(location: Location) -> pd.DataFrame:
    """The table in files, which are no database."""
    if location.kind == ".parquet":
        return read_parquet(location)
    if location.kind in SCANNED:
        return read_csv(location)
    return read_statistical(location)
