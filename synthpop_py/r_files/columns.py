"""A vector of R as an array: the types of `synthpop_py.datasets.load`. And the data frames that
pyreadr reads, in these types.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..errors import InputError

Numbers: TypeAlias = npt.NDArray[np.float64]
Texts: TypeAlias = list[str | None]

FACTORS = ("factor", "ordered")
SECONDS_OF_A_DAY = 86_400
NANOSECOND_DAYS = 106_000  # either way from 1970; what nanoseconds in 64 bits can hold
# from 1970; the years 1 to 9999, which Python's dates have
FIRST_DAY, LAST_DAY = -719_162, 2_932_896
KINDS = {"b": "logical", "i": "integer", "u": "integer", "f": "double"}  # by that of NumPy
EPOCH = np.datetime64("1970-01-01")
ONLY_FRAMES = "for anything else, such as a synds, leave out reader, and rdata reads it"


class NoCounterpart(Exception):
    """An R object without a counterpart in Python; the text is the reason."""


def array_of(kind: str, numbers: Numbers, texts: Texts) -> Any:
    """A NumPy array where one can hold the values, otherwise an array of pandas.

    Parameters
    ----------
    kind : "factor", "ordered", "character", "logical", "integer", "double", "Date" or "POSIXct".
    numbers : the values, NaN where missing. Of a factor the places of its levels, counted from 1;
        of a Date days, of a POSIXct seconds since 1970.
    texts : the levels of a factor, None for an explicit NA level; the values of a text.
    """
    if kind in FACTORS:
        return _categorical(texts, numbers, ordered=kind == "ordered")
    if kind == "character":
        return objects(texts)
    if kind == "logical":
        return _whole(numbers, "bool", "boolean")
    if kind == "integer":
        return _whole(numbers, "int64", "Int64")
    if kind == "Date":
        return _days(numbers)
    return _times(numbers) if kind == "POSIXct" else numbers


def objects(values: Sequence[Any]) -> Any:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def series(array: Any, index: pd.Index | None = None) -> pd.Series:
    """Texts stay objects, as everywhere in the package; pandas 3 would make them ``str``."""
    return pd.Series(array, index, dtype=object if array.dtype == object else None)


def _categorical(levels: Texts, places: Numbers, *, ordered: bool) -> Any:
    """Pandas has no missing category: R's explicit NA level becomes an ordinary missing value."""
    names = [level for level in levels if level is not None]
    if len(set(names)) < len(names):
        raise NoCounterpart("a factor has the same level twice")
    present = places[~np.isnan(places)]
    if len(present) and not 1 <= present.min() <= present.max() <= len(levels):
        raise NoCounterpart("a factor has values beyond its levels")
    code_of = {level: code for code, level in enumerate(names)}
    # R counts positions from 1, so 0 is free for missing values
    codes = np.array([-1, *(-1 if level is None else code_of[level] for level in levels)])
    filled = np.nan_to_num(places, nan=0).astype(np.int64)
    categories = pd.Index(names, dtype=object)
    return pd.Categorical.from_codes(codes[filled], categories, ordered=ordered)


def _whole(values: Numbers, plain: str, nullable: str) -> Any:
    """Whole numbers or truth values; of a type that can be missing only where some are."""
    missing = np.isnan(values)
    filled = np.where(missing, 0, values).astype(plain)
    if not missing.any():
        return filled
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
        return objects([None if gap else day for day, gap in zip(dates.tolist(), missing)])
    return np.where(missing, np.datetime64("NaT", "D"), dates).astype("datetime64[ns]")


def _times(seconds: Numbers) -> Any:
    """In UTC, so that a column of midnights is not mistaken for dates. Microseconds, which is what
    a double holds.
    """
    missing = ~np.isfinite(seconds)
    known = np.where(missing, 0, seconds)
    if (np.abs(known) > NANOSECOND_DAYS * SECONDS_OF_A_DAY).any():
        raise NoCounterpart("times lie outside the years 1678 to 2261")
    moments = np.round(known * 1e6).astype(np.int64).astype("datetime64[us]")
    with_gaps = np.where(missing, np.datetime64("NaT", "us"), moments)
    return pd.Series(with_gaps.astype("datetime64[ns]")).dt.tz_localize("UTC").array


# ---- pyreadr -------------------------------------------------------------------------


class PyreadrContents:
    """The data frames in a file by name. What pyreadr loses: whether a factor is ordered, and the
    type of a column in which everything is missing.
    """

    def __init__(self, file: Path) -> None:
        import pyreadr

        try:
            listed = pyreadr.list_objects(str(file))
            # where there is nothing to read it would warn, and the error below says so
            frames = pyreadr.read_r(str(file)) if listed else {}
        except Exception as error:  # its own errors, and what pandas says of damaged values
            raise InputError(
                f"path: pyreadr cannot read {file.name} ({error}); it reads only data frames:"
                f" {ONLY_FRAMES}"
            ) from None
        if not frames:
            raise InputError(f"path: pyreadr finds no data frame in {file.name}; {ONLY_FRAMES}")
        self.is_workspace = None not in frames
        self.objects = {file.stem if name is None else name: one for name, one in frames.items()}
        # of the columns of data frames; pyreadr makes frames of vectors and matrices too
        self.names: dict[str, list[str]] = {
            entry["object_name"] or file.stem: entry["columns"] for entry in listed
        }
        self.left_out: list[str] = []

    def can_be_synthesis(self, name: str) -> bool:
        return True

    def noun(self, name: str) -> str:
        return "a data frame"

    def value(self, name: str) -> pd.DataFrame:
        frame, names = self.objects[name], self.names.get(name) or []
        if isinstance(frame, pd.DataFrame) and list(frame.columns) == names:
            columns = {str(one): series(_column(one, frame[one])) for one in names}
            return pd.DataFrame(columns, index=pd.RangeIndex(len(frame)))
        twice = [one for one, times in Counter(names).items() if times > 1]
        if twice:  # pyreadr drops all but the last
            raise NoCounterpart(f"two columns are called {twice[0]!r}; rename one in R")
        raise NoCounterpart("no data frame; pyreadr reads only data frames")


def _column(name: str, column: pd.Series) -> Any:
    dtype, missing = column.dtype, column.isna().to_numpy()
    kind, values = KINDS.get(dtype.kind, ""), column
    texts: Texts = []
    known = pd.api.types.infer_dtype(column[~missing], skipna=True)
    if isinstance(dtype, pd.CategoricalDtype):
        kind, texts = "factor", [str(level) for level in dtype.categories]
        values = np.where(missing, np.nan, column.cat.codes.to_numpy() + 1.0)
    elif dtype.kind == "M":
        kind, values = "POSIXct", _since_1970(name, column.to_numpy(), missing, "POSIXct", "ns")
        values = values / 1e9
    elif not kind and known == "date":
        days = column.to_numpy(dtype="datetime64[D]", na_value=None)
        kind, values = "Date", _since_1970(name, days, missing, "Date", "D")
    elif not kind and known in ("boolean", "integer"):
        kind = "logical" if known == "boolean" else "integer"
        values = column.astype(object).where(~missing, np.nan)
    elif not kind:
        texts = [None if gap else str(one) for one, gap in zip(column.tolist(), missing.tolist())]
        return objects(texts)
    try:
        return array_of(kind, np.asarray(values, dtype=np.float64), texts)
    except NoCounterpart as error:
        raise NoCounterpart(f"column {name!r}: {error}") from None


def _since_1970(name: str, moments: Any, missing: Any, kind: str, unit: str) -> Numbers:
    """Days, or nanoseconds. Dates that R keeps as whole numbers come from pyreadr as 1970, the
    second half as whatever was in memory.
    """
    # a column that is really all 1970-01-01 is less likely, and would be refused, not misread
    half = (len(moments) + 1) // 2
    if half and (moments[:half] == EPOCH).all():
        raise NoCounterpart(
            f"column {name!r} is of type {kind} kept as whole numbers, which pyreadr misreads;"
            " convert it in R"
        )
    ticks: Any = moments.astype(f"datetime64[{unit}]").astype(np.int64)
    return np.where(missing, np.nan, ticks)
