"""R's files through the package pyreadr: data frames only, fast.

It is a parser in C under the AGPL: for files from people you trust. What it loses: whether a factor
is ordered, and the type of a column in which everything is missing.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from synthpop_py.errors import InputError

from .descriptions import NO_NUMBERS, RFrame, ROther, RValue, RVector, Texts, numbers
from .packages import GET_RDATA, imported

ONLY_FRAMES = "pyreadr reads only data frames"
USE_RDATA = f"for anything else, such as a synds, {GET_RDATA} or use R"
EPOCH = np.datetime64("1970-01-01")


def describe(file: Path) -> dict[str, RValue]:
    """The data frames in the file by name, a single one without a name under the file's stem."""
    pyreadr = imported("pyreadr", "reader")
    try:
        listed = pyreadr.list_objects(str(file))
        # where there is nothing to read it would warn, and the error below says so
        frames = pyreadr.read_r(str(file)) if listed else {}
    except Exception as error:  # its own errors, and what pandas says of damaged values
        raise InputError(
            f"path: pyreadr cannot read {file.name} ({error}); it reads only data frames:"
            f" {USE_RDATA}"
        ) from None
    if not frames:
        raise InputError(f"path: pyreadr finds no data frame in {file.name}; {USE_RDATA}")
    names = {entry["object_name"]: entry["columns"] for entry in listed}
    return {
        file.stem if name is None else name: _value(frame, names.get(name))
        for name, frame in frames.items()
    }


def _value(frame: Any, names: list[str] | None) -> RValue:
    """pyreadr makes frames of vectors and matrices too; only a data frame's columns have names of
    which it knows beforehand.
    """
    if isinstance(frame, pd.DataFrame) and list(frame.columns) == names:
        columns = [(str(name), _column(frame[name])) for name in frame.columns]
        return RFrame(len(frame), columns)
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:  # pyreadr drops all but the last
        nothing = RVector("double", NO_NUMBERS, [])
        return RFrame(0, [(twice[0], nothing), (twice[0], nothing)])
    return ROther(f"no data frame; {ONLY_FRAMES}")


def _column(series: pd.Series) -> RVector | ROther:
    dtype, missing = series.dtype, series.isna().to_numpy()
    if isinstance(dtype, pd.CategoricalDtype):
        places = series.cat.codes.to_numpy() + 1.0
        levels: Texts = [str(level) for level in dtype.categories]
        return RVector("factor", np.where(missing, np.nan, places), levels)
    if dtype.kind == "M":
        return _dated("POSIXct", series.to_numpy(), missing, 1e9)
    if pd.api.types.is_bool_dtype(dtype):
        return RVector("logical", numbers(series), [])
    if pd.api.types.is_integer_dtype(dtype):
        return RVector("integer", numbers(series), [])
    if pd.api.types.is_float_dtype(dtype):
        return RVector("double", numbers(series), [])
    return _objects(series, missing)


def _objects(series: pd.Series, missing: Any) -> RVector | ROther:
    """Columns of Python's objects: texts, dates, and numbers or truth values with gaps."""
    known = pd.api.types.infer_dtype(series[~missing], skipna=True)
    if known == "date":
        days = series.to_numpy(dtype="datetime64[D]", na_value=None)
        return _dated("Date", days, missing, 1)
    if known in ("boolean", "integer"):
        kind = "logical" if known == "boolean" else "integer"
        values = series.astype(object).where(~missing, np.nan)
        return RVector(kind, numbers(values), [])
    texts = [None if gap else str(text) for text, gap in zip(series.tolist(), missing.tolist())]
    return RVector("character", NO_NUMBERS, texts)


def _dated(kind: str, moments: Any, missing: Any, unit: float) -> RVector | ROther:
    """Days or seconds. Dates that R keeps as whole numbers come from pyreadr as 1970, the second
    half as whatever was in memory.
    """
    # a column that is really all 1970-01-01 is less likely, and would be refused, not misread
    half = (len(moments) + 1) // 2
    if half and (moments[:half] == EPOCH).all():
        return ROther(f"{kind} kept as whole numbers, which pyreadr misreads")
    units = "datetime64[ns]" if kind == "POSIXct" else "datetime64[D]"
    ticks = moments.astype(units).astype(np.int64)
    values = ticks / unit
    return RVector(kind, np.where(missing, np.nan, values), [])
