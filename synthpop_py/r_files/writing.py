"""A synthesis written for R by the package rdata, without R."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from numbers import Real
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from ..errors import InputError, SynthpopError, warning_once
from ..synds import SynDS
from ..tables.frames import AnyFrame
from ..tables.opening import check_frame, check_sets
from ..tables.protocol import needed
from ..tables.reading import read_column
from .objects import objects
from .replacing import replacement

LARGEST_R_INTEGER = 2**31 - 1
NANOSECONDS = 1_000_000_000
R_CLASSES = {"factor": ["factor"], "date": ["Date"], "time": ["POSIXct", "POSIXt"]}


@warning_once
def write_synds(synds: SynDS | AnyFrame | Sequence[AnyFrame], path: str | Path) -> None:
    """Write a synthesis for R: an object of class ``synds`` that R's ``disclosure()`` takes.

    The file is written completely or not at all: after an error or an interrupt the old file is
    still there.

    Parameters
    ----------
    synds : SynDS, DataFrame of pandas, polars or Arrow, or a list of these. Levels, their order,
        ordered flags, missing values and special values are kept. ``meta["n"]`` (rows of the
        original), where given, becomes R's ``n``.
    path : ``.rds`` is read in R with ``readRDS()``, ``.rda`` or ``.RData`` with ``load()``, where
        the object is called ``synds``.

    Examples
    --------
    In R, ``disclosure(readRDS("mine.rds"), ods, keys, target)`` takes what this writes:

    >>> from synthpop_py import datasets, write_synds
    >>> write_synds(datasets.load_synthesis("SD2011_s5"), "mine.rds")  # doctest: +SKIP
    """
    release = synds if isinstance(synds, SynDS) else SynDS(synds)
    file = Path(path)
    ending = file.suffix.lower()
    if ending not in (".rds", ".rda", ".rdata"):
        raise InputError(
            f"path: {str(path)!r} ends in {file.suffix!r}; choices: .rds, .rda, .RData"
        )
    if not file.absolute().parent.is_dir():
        raise InputError(f"path: the folder of {str(path)!r} does not exist")
    needed("R's files", "rdata", "rdata")
    import rdata

    if not hasattr(rdata, "write_rds"):
        raise SynthpopError("R's files: rdata 1 or later is needed to write them")
    made = _synds(release)
    ours: Any = {"constructor_dict": {SimpleNamespace: _with_attributes}}
    with replacement(file) as new:
        if ending == ".rds":
            rdata.write_rds(new, made, **ours)
        else:
            rdata.write_rda(new, {"synds": made}, **ours)


def _with_attributes(thing: SimpleNamespace, converter: Any) -> Any:
    """How rdata makes R's object of a value with attributes."""
    made = converter.convert_to_r_object(thing.value)
    made.attributes = converter.convert_to_r_attributes(thing.attributes)
    made.info.attributes, made.info.object = True, "class" in thing.attributes
    return made


def _named(parts: dict[str, Any], **attributes: Any) -> SimpleNamespace:
    """A list of R with names."""
    attributes["names"] = objects(list(parts))
    return SimpleNamespace(value=list(parts.values()), attributes=attributes)


def _synds(synthesis: SynDS) -> SimpleNamespace:
    """An object of class synds, with R's names for its fields; an error names the column without a
    counterpart in R.
    """
    check_sets("synds", synthesis.syn)
    frames = []
    for number, frame in enumerate(synthesis.syn, start=1):
        place = f"synds, set {number}"
        frames.append(_frame(check_frame(frame, place), place))
    names = frames[0].attributes["names"]
    nothing = np.ma.array([True], mask=[True], fill_value=True)
    special: dict[str, Any] = dict.fromkeys(names, nothing)
    for name, values in synthesis.cont_na.items():
        for value in values:
            if isinstance(value, bool) or not isinstance(value, Real):
                raise InputError(
                    f"synds: the special value {value!r} of column {name!r} (cont_na) is not a "
                    "number; in R only numeric columns have special values"
                )
        special[str(name)] = np.array(values, dtype=np.float64)
    fields = {
        "syn": frames[0] if len(frames) == 1 else frames,  # R keeps a single set without a list
        "m": np.array([len(frames)], dtype=np.float64),
        "cont.na": _named(special),
    }
    for name in ("n", "k"):
        known = synthesis.meta.get(name)
        rows = known if isinstance(known, int) else len(synthesis.syn[0])
        fields[name] = np.array([rows], dtype=np.int32)
    return _named(fields, **{"class": objects(["synds"])})


def _frame(frame: pd.DataFrame, place: str) -> SimpleNamespace:
    """Row numbers are kept as R keeps them: NA and minus their count, nothing for no rows."""
    from rdata.missing import R_INT_NA

    # 1 and "1" are two columns for pandas, but one name for R
    names = Counter(map(str, frame.columns))
    alike = sorted(name for name, times in names.items() if times > 1)
    if alike:
        raise InputError(f"synds: two columns would both be called {alike[0]!r} in R; rename one")
    columns = {str(name): _column(frame[name], f"{place}, column {str(name)!r}") for name in frame}
    rows = [R_INT_NA, -len(frame)] if len(frame) else []
    numbers = {"row.names": np.array(rows, dtype=np.int32)}
    return _named(columns, **numbers, **{"class": objects(["data.frame"])})


def _column(series: pd.Series, place: str) -> Any:
    """A column in R's type."""
    from rdata.missing import R_FLOAT_NA, R_INT_NA

    column = read_column(series, place)
    values, kind = column.values, column.kind
    missing = np.zeros(len(column), dtype=bool) if column.missing is None else column.missing
    if kind == "duration":
        raise InputError(
            f"{place}: durations have no counterpart in R's data frames; make them numbers, for"
            " instance with .dt.total_seconds()"
        )
    if kind == "character":
        labels = objects([*column.labels, None])
        return labels[np.where(missing, -1, values)]
    attributes: dict[str, Any] = {}
    if kind in R_CLASSES:
        ordered = ["ordered"] if getattr(series.dtype, "ordered", False) else []
        attributes["class"] = objects([*ordered, *R_CLASSES[kind]])
    if kind == "factor":
        values = values.astype(np.int64) + 1
        attributes["levels"] = objects(column.labels)
    if kind == "time":
        # whole seconds and the rest apart: together they are too long for a double
        seconds, rest = np.divmod(values, NANOSECONDS)
        values = seconds + rest / NANOSECONDS
        attributes["tzone"] = objects(["UTC"])
    present = values[~missing]
    # R's integers have 32 bits
    is_small = kind == "integer" and (np.abs(present.astype(float)) <= LARGEST_R_INTEGER).all()
    made: Any
    if kind == "logical":
        made = np.ma.array(values.astype(bool), mask=missing, fill_value=True)
    elif kind == "factor" or is_small:
        made = np.where(missing, R_INT_NA, values).astype(np.int32)
    else:
        made = np.where(missing, 0.0, values).astype(np.float64)
        made[missing] = R_FLOAT_NA  # R tells its NA from other NaNs by their bits
    return SimpleNamespace(value=made, attributes=attributes) if attributes else made
