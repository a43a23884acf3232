"""A vector of R as an array: the types of `synthpop_py.datasets.load`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .descriptions import FACTORS, Numbers, RVector, Texts

SECONDS_OF_A_DAY = 86_400
NANOSECOND_DAYS = 106_000  # either way from 1970; what nanoseconds in 64 bits can hold
# from 1970; the years 1 to 9999, which Python's dates have
FIRST_DAY, LAST_DAY = -719_162, 2_932_896


class NoCounterpart(Exception):
    """An R object without a counterpart in Python; the text is the reason."""


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
    if vector.kind == "POSIXct":
        return _times(vector.numbers)
    return vector.numbers


def _objects(values: list[Any]) -> Any:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _categorical(levels: Texts, places: Numbers, *, ordered: bool) -> Any:
    """Pandas has no missing category: R's explicit NA level becomes an ordinary missing value."""
    names = [level for level in levels if level is not None]
    if len(set(names)) < len(names):
        raise NoCounterpart("a factor has the same level twice")
    present = places[~np.isnan(places)]
    if len(present) and not 1 <= present.min() <= present.max() <= len(levels):
        raise NoCounterpart("a factor has values beyond its levels")
    code_of: dict[str | None, int] = {level: code for code, level in enumerate(names)}
    level_codes = [code_of.get(level, -1) for level in levels]
    # R counts positions from 1, so 0 is free for missing values
    codes = np.array([-1, *level_codes])
    filled = np.nan_to_num(places, nan=0).astype(np.int64)
    categories = pd.Index(names, dtype=object)
    return pd.Categorical.from_codes(codes[filled], categories, ordered=ordered)


def _whole(values: Numbers, plain: str, nullable: str) -> Any:
    """Whole numbers or truth values; of a type that can be missing only where some are."""
    missing = np.isnan(values)
    filled = np.where(missing, 0, values).astype(plain)
    if not missing.any():
        return filled
    # NumPy's whole numbers and truth values have no missing value
    array = pd.array(filled, dtype=nullable)
    array[missing] = pd.NA
    return array


def _days(days: Numbers) -> Any:
    missing = ~np.isfinite(days)
    # R's dates are doubles, and show the day in which they lie
    known = np.where(missing, 0, np.floor(days))
    if ((known < FIRST_DAY) | (known > LAST_DAY)).any():
        raise NoCounterpart("dates lie outside the years 1 to 9999")
    dates = known.astype(np.int64).astype("datetime64[D]")
    if (np.abs(known) > NANOSECOND_DAYS).any():
        days_or_none = [None if gap else day for day, gap in zip(dates.tolist(), missing)]
        return _objects(days_or_none)
    with_gaps = np.where(missing, np.datetime64("NaT", "D"), dates)
    return with_gaps.astype("datetime64[ns]")


def _times(seconds: Numbers) -> Any:
    """In UTC, so that a column of midnights is not mistaken for dates. Microseconds, which is what
    a double holds.
    """
    missing = ~np.isfinite(seconds)
    known = np.where(missing, 0, seconds)
    if (np.abs(known) > NANOSECOND_DAYS * SECONDS_OF_A_DAY).any():
        raise NoCounterpart("times lie outside the years 1678 to 2261")
    microseconds = np.round(known * 1e6).astype(np.int64)
    moments = microseconds.astype("datetime64[us]")
    with_gaps = np.where(missing, np.datetime64("NaT", "us"), moments)
    plain = pd.Series(with_gaps.astype("datetime64[ns]"))
    return plain.dt.tz_localize("UTC").array
