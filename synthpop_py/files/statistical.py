"""Files of SAS, SPSS and Stata, as pandas reads them, and of R."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

import pandas as pd

from ..errors import InputError, SynthpopError
from ..names import unknown_choice
from .locations import OF_R, Location

SAS_TEXT = "iso-8859-1"  # the encoding of transport files; any byte can be read in it


def read_statistical(location: Location, table: str | None = None) -> pd.DataFrame:
    """The table in such a file, in memory; `table` names one of several in a file of R."""
    if location.kind in OF_R:
        return _of_r(location, table)
    readers: dict[str, Callable[[Location], pd.DataFrame]] = {
        ".sas7bdat": _of_sas,
        ".xpt": _of_sas_transport,
        ".sav": _of_spss,
        ".dta": _of_stata,
    }
    reader = readers[location.kind]
    if location.kind == ".sav" and find_spec("pyreadstat") is None:
        raise SynthpopError(
            "files that end in .sav need pyreadstat, which is not installed: pip install pyreadstat"
        )
    try:
        frame = reader(location)
    except Exception as error:  # readers of damaged files raise nearly anything
        raise InputError(
            f"{location.argument}: {location.name!r} cannot be read as {location.kind} "
            f"({type(error).__name__}); it may be damaged, or of a version that pandas does "
            "not know. Save it as .csv or .parquet",
            details={"reason": str(error)},
        ) from None
    return _with_gaps(frame)


def _of_sas(location: Location) -> pd.DataFrame:
    return pd.read_sas(location.files[0], format="sas7bdat", encoding="infer")


def _of_sas_transport(location: Location) -> pd.DataFrame:
    return pd.read_sas(location.files[0], format="xport", encoding=SAS_TEXT)


def _of_spss(location: Location) -> pd.DataFrame:
    return pd.read_spss(location.files[0])


def _of_stata(location: Location) -> pd.DataFrame:
    return pd.read_stata(location.files[0])


def _with_gaps(frame: pd.DataFrame) -> pd.DataFrame:
    """All three formats write a missing text as blanks."""
    for name in frame.columns:
        column = frame[name]
        if pd.api.types.is_string_dtype(column.dtype) or column.dtype == object:
            blank = column.map(lambda value: isinstance(value, str) and not value.strip())
            frame[name] = column.mask(blank.astype(bool))
    return frame


def _of_r(location: Location, table: str | None) -> pd.DataFrame:
    from ..r_files import read_r

    objects = read_r(location.files[0])
    tables = {name: thing for name, thing in objects.items() if isinstance(thing, pd.DataFrame)}
    if table is not None:
        if table not in tables:
            raise unknown_choice("table", table, sorted(tables), f"the tables of {location.name!r}")
        return tables[table]
    if len(tables) != 1:
        raise InputError(
            f"{location.argument}: {location.name!r} holds {len(tables)} data frames, and one is"
            f" needed; {_way_to_one(location, objects, tables)}"
        )
    return next(iter(tables.values()))


def _way_to_one(
    location: Location, objects: Mapping[str, Any], tables: Mapping[str, pd.DataFrame]
) -> str:
    """What to do where a file of R does not hold exactly one data frame."""
    from ..synds import SynDS

    if tables:
        return f"name one, as in {location.name}::{next(iter(tables))}"
    if any(isinstance(thing, SynDS) for thing in objects.values()):
        return f"it holds a synthesis: read_synds({location.name!r}) gives it"
    return "save it by itself with saveRDS()"
