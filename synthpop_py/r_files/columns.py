"""A vector of R as an array: the types of `synthpop_py.datasets.load`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .descriptions import FACTORS, Numbers, RVector, Texts

SECONDS_OF_A_DAY = 86_400
NANOSECOND_DAYS = 106_000  # either way from 1970; what nanoseconds in 64 bits can hold
FIRST_DAY, LAST_DAY = (
    -719_162,
    2_932_896,
)  # from 1970; the years 1 to 9999, which Python's dates have


class NoCounterpart(Exception):
    """An object of R that cannot be had in Python; the text is the reason."""


def array_of(vector: RVector) -> Any:
    """A NumPy array where one can hold the values, otherwise an array of pandas."""
    if vector.kind in FACTORS:
        return _categorical(vector.texts, vector.numbers, ordered=vector.kind == "ordered")
    if vector.kind == "character":
        return _objects(vector.texts)
    if vector.kind == "logical":
        return _whole(vector.numbers, "bool", "boolean")
    if vector.kind == "integer":
        return _whole(vector.numbers, "int64", "Int64")
    if vector.kind == "Date":
        return _days(vector.numbers)
    return _times(vector.numbers) if vector.kind == "POSIXct" else vector.numbers


def _objects(values: list[Any]) -> Any:
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made


def _categorical(levels: Texts, places: Numbers, *, ordered: bool) -> Any:
    """Pandas has no missing category: R's explicit NA level becomes an ordinary missing value."""
    names = [level for level in levels if level is not None]
    if len(set(names)) < len(names):
        raise NoCounterpart("a factor has the same level twice")
    present = places[~np.isnan(places)]
    if len(present) and not 1 <= present.min() <= present.max() <= len(levels):
        raise NoCounterpart("a factor has values beyond its levels")
    code_of = {level: code for code, level in enumerate(names)}
    codes = np.array(
        [-1, *(code_of.get(level, -1) if level is not None else -1 for level in levels)]
    )
    return pd.Categorical.from_codes(
        codes[np.nan_to_num(places, nan=0).astype(np.int64)],
        pd.Index(names, dtype=object),
        ordered=ordered,
    )


def _whole(values: Numbers, plain: str, nullable: str) -> Any:
    missing = np.isnan(values)
    made = np.where(missing, 0, values).astype(plain)
    if not missing.any():
        return made
    array = pd.array(made, dtype=nullable)
    array[missing] = pd.NA
    return array


def _days(days: Numbers) -> Any:
    missing = ~np.isfinite(days)
    known = np.where(missing, 0, np.floor(days))
    if ((known < FIRST_DAY) | (known > LAST_DAY)).any():
        raise NoCounterpart("dates lie outside the years 1 to 9999")
    dates = known.astype(np.int64).astype("datetime64[D]")
    if (np.abs(known) > NANOSECOND_DAYS).any():
        return _objects([None if gap else day for day, gap in zip(dates.tolist(), missing)])
    return np.where(missing, np.datetime64("NaT", "D"), dates).astype("datetime64[ns]")


def _times(seconds: Numbers) -> Any:
    """In UTC, so that a column of midnights is not taken for dates. Microseconds, which is what a
    double holds.
    """
    missing = ~np.isfinite(seconds)
    known = np.where(missing, 0, seconds)
    if (np.abs(known) > NANOSECOND_DAYS * SECONDS_OF_A_DAY).any():
        raise NoCounterpart("times lie outside the years 1678 to 2261")
    moments = np.round(known * 1e6).astype(np.int64).astype("datetime64[us]")
    plain = np.where(missing, np.datetime64("NaT", "us"), moments).astype("datetime64[ns]")
    return pd.Series(plain).dt.tz_localize("UTC").array
