"""A synthesis written for R by the package rdata, without R."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..errors import InputError, SynthpopError, warning_once
from ..synds import SynDS
from ..tables.frames import AnyFrame
from ..tables.opening import check_frame, check_sets
from ..tables.protocol import needed
from ..tables.reading import read_column
from .objects import objects
from .replacing import replacement

ENDINGS = (".rds", ".rda", ".rdata")
LARGEST_R_INTEGER = 2**31 - 1
NANOSECONDS = 1_000_000_000
CLASSES = {"factor": ["factor"], "Date": ["Date"], "POSIXct": ["POSIXct", "POSIXt"]}


@warning_once
def write_synds(
    synds: SynDS | AnyFrame | Sequence[AnyFrame],
    path: str | Path,
) -> None:
    """Write a synthesis for R: an object of class ``synds`` that R's ``disclosure()`` takes.

    The file is written completely or not at all: after an error or an interrupt the old file is
    still there.

    Parameters
    ----------
    synds : SynDS, DataFrame of pandas, polars or Arrow, or a list of these
        Levels, their order, ordered flags, missing values and special values are kept.
        ``meta["n"]`` (rows of the original), where given, becomes R's ``n``.
    path : str or Path
        ``.rds`` is read in R with ``readRDS()``, ``.rda`` or ``.RData`` with ``load()``, where the
        object is called ``synds``.

    Raises
    ------
    InputError
        `path` has another ending, the file cannot be written, or a column has no counterpart in R.
    SynthpopError
        The package rdata is not installed.

    Examples
    --------
    In R, ``disclosure(readRDS("mine.rds"), ods, keys, target)`` takes what this writes:

    >>> from synthpop_py import datasets, write_synds
    >>> write_synds(datasets.load_synthesis("SD2011_s5"), "mine.rds")  # doctest: +SKIP
    """
    release = synds if isinstance(synds, SynDS) else SynDS(synds)
    file = Path(path)
    ending = file.suffix.lower()
    if ending not in ENDINGS:
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
    with replacement(file) as new:
        if ending == ".rds":
            rdata.write_rds(new, made, constructor_dict={_Object: _for_rdata})
        else:
            rdata.write_rda(new, {"synds": made}, constructor_dict={_Object: _for_rdata})


@dataclass(frozen=True, slots=True)
class _Object:
    """An object of R: its type as rdata calls it, value and attributes."""

    r_type: str
    value: Any
    attributes: dict[str, Any] = field(default_factory=dict)


def _for_rdata(thing: _Object, converter: Any) -> Any:
    """How rdata makes R's object of ours."""
    from rdata.conversion.to_r import build_r_object
    from rdata.parser import RObjectType

    value, attributes = thing.value, None
    if thing.r_type == "VEC":
        value = [converter.convert_to_r_object(part) for part in value]
    if thing.r_type == "STR":
        value = converter.convert_to_r_object(value).value
    if thing.attributes:
        attributes = converter.convert_to_r_attributes(thing.attributes)
    return build_r_object(
        RObjectType[thing.r_type],
        value=value,
        is_object="class" in thing.attributes,
        attributes=attributes,
    )


def _synds(synthesis: SynDS) -> _Object:
    """An object of class synds, with R's names for its fields; an error names the column without a
    counterpart in R.
    """
    check_sets("synds", synthesis.syn)
    places = [f"synds, set {i}" for i in range(1, synthesis.m + 1)]
    given = [check_frame(frame, place) for frame, place in zip(synthesis.syn, places)]
    names = [str(name) for name in given[0].columns]
    # 1 and "1" are two columns for pandas, but one name for R
    alike = sorted(name for name, times in Counter(names).items() if times > 1)
    if alike:
        raise InputError(f"synds: two columns would both be called {alike[0]!r} in R; rename one")
    special = _special(synthesis, names)
    frames = [_frame(frame, names, place) for frame, place in zip(given, places)]
    fields = {
        # R keeps a single set without a list
        "syn": frames[0] if len(frames) == 1 else _Object("VEC", frames),
        "m": _numbers([len(frames)]),
        "cont.na": special,
    }
    for name in ("n", "k"):
        known = synthesis.meta.get(name)
        fields[name] = _integers([known if isinstance(known, int) else len(given[0])])
    attributes = {"names": _texts(list(fields)), "class": _texts(["synds"])}
    return _Object("VEC", list(fields.values()), attributes)


def _special(synthesis: SynDS, names: Sequence[str]) -> _Object:
    """The special values of each column, NA where it has none."""
    from rdata.missing import R_INT_NA

    by_name = {}
    for name, values in synthesis.cont_na.items():
        for value in values:
            if isinstance(value, bool) or not isinstance(value, Real):
                raise InputError(
                    f"synds: the special value {value!r} of column {name!r} (cont_na) is not a "
                    "number; in R only numeric columns have special values"
                )
        by_name[str(name)] = _numbers(list(map(float, values)))
    nothing = _Object("LGL", np.array([R_INT_NA]))
    of_columns = [by_name.get(name, nothing) for name in names]
    return _Object("VEC", of_columns, {"names": _texts(names)})


def _frame(frame: pd.DataFrame, names: Sequence[str], place: str) -> _Object:
    """Row numbers are kept as R keeps them: NA and minus their count, nothing for no rows."""
    from rdata.missing import R_INT_NA

    columns = [_column(frame[name], f"{place}, column {name!r}") for name in frame.columns]
    attributes = {
        "names": _texts(names),
        "class": _texts(["data.frame"]),
        "row.names": _integers([R_INT_NA, -len(frame)] if len(frame) else []),
    }
    return _Object("VEC", columns, attributes)


def _column(series: pd.Series, place: str) -> _Object:
    """A column in R's type."""
    from rdata.missing import R_FLOAT_NA, R_INT_NA

    column = read_column(series, place)
    values, missing = column.values, column.missing
    if missing is None:
        missing = np.zeros(len(column), dtype=bool)
    if column.kind == "duration":
        raise InputError(
            f"{place}: durations have no counterpart in R's data frames; make them numbers, for"
            " instance with .dt.total_seconds()"
        )
    if column.kind == "character":
        pairs = zip(values.tolist(), missing.tolist())
        return _texts([None if gap else column.labels[code] for code, gap in pairs])
    attributes: dict[str, Any] = {}
    kind = {"date": "Date", "time": "POSIXct"}.get(column.kind, column.kind)
    if kind == "factor":
        values = values.astype(np.int64) + 1
        attributes["levels"] = _texts(column.labels)
    if kind in CLASSES:
        ordered = ["ordered"] if getattr(series.dtype, "ordered", False) else []
        attributes["class"] = _texts([*ordered, *CLASSES[kind]])
    if kind == "POSIXct":
        # whole seconds and the rest apart: together they are too long for a double
        seconds, rest = np.divmod(values, NANOSECONDS)
        values = seconds + rest / NANOSECONDS
        attributes["tzone"] = _texts(["UTC"])
    if kind in ("factor", "logical") or (kind == "integer" and _fits(column.present())):
        # R's missing whole number is the lowest of 32 bits
        whole = np.where(missing, R_INT_NA, values).astype(np.int32)
        return _Object("LGL" if kind == "logical" else "INT", whole, attributes)
    real = np.where(missing, 0.0, values).astype(np.float64)
    real[missing] = R_FLOAT_NA  # R tells its NA from other NaNs by their bits
    return _Object("REAL", real, attributes)


def _fits(whole: npt.NDArray[Any]) -> bool:
    """Whether R's integers, which have 32 bits and NA for the lowest, can hold the values."""
    if not len(whole):
        return True
    return bool(-LARGEST_R_INTEGER <= whole.min() <= whole.max() <= LARGEST_R_INTEGER)


def _texts(values: Sequence[Any]) -> _Object:
    return _Object("STR", objects(values))


def _integers(values: list[Any]) -> _Object:
    return _Object("INT", np.array(values, dtype=np.int32))


def _numbers(values: list[Any]) -> _Object:
    return _Object("REAL", np.array(values, dtype=np.float64))
