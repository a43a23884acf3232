"""A synthesis in R's types, for every writer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from synthpop_py.core.columns import Column
from synthpop_py.errors import InputError
from synthpop_py.synds import SynDS
from synthpop_py.tables.opening import check_frame, check_sets
from synthpop_py.tables.reading import read_column

LARGEST_R_INTEGER = 2**31 - 1
NANOSECONDS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class ColumnForR:
    """A column: one of R's types and its numbers.

    Attributes
    ----------
    kind : str
        One of `descriptions.KINDS`.
    values : integers or doubles, shape (n,)
        Values, days or seconds since 1970; of a factor or a text places in `levels` from 1.
    missing : bool, shape (n,)
    levels : tuple of str, optional
        The levels of a factor, the distinct texts of a text.
    """

    kind: str
    values: npt.NDArray[Any]
    missing: npt.NDArray[np.bool_]
    levels: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class SynthesisForR:
    """The m sets as columns, all with the same names, and the fields of a synds."""

    names: list[str]
    sets: list[list[ColumnForR]]
    rows: list[int]
    special: dict[str, list[float]]
    n: int
    k: int


def for_r(synthesis: SynDS) -> SynthesisForR:
    """The synthesis in R's types, or an error that names the column without a counterpart in R."""
    check_sets("synds", synthesis.syn)
    frames = [
        check_frame(frame, f"synds, set {i}") for i, frame in enumerate(synthesis.syn, start=1)
    ]
    names = [str(name) for name in frames[0].columns]
    # 1 and "1" are two columns for pandas, but one name for R
    alike = sorted(name for name, times in Counter(names).items() if times > 1)
    if alike:
        raise InputError(f"synds: two columns would both be called {alike[0]!r} in R; rename one")
    rows = [len(frame) for frame in frames]
    special = {
        str(name): [_special_number(name, value) for value in values]
        for name, values in synthesis.cont_na.items()
    }
    return SynthesisForR(
        names=names,
        sets=[_columns(frame, f"synds, set {i}") for i, frame in enumerate(frames, start=1)],
        rows=rows,
        special=special,
        n=_whole_field(synthesis, "n", rows[0]),
        k=_whole_field(synthesis, "k", rows[0]),
    )


def _columns(frame: pd.DataFrame, where: str) -> list[ColumnForR]:
    return [_column(frame[name], f"{where}, column {name!r}") for name in frame.columns]


def _whole_field(synthesis: SynDS, field: str, otherwise: int) -> int:
    """A whole number that R kept with the synthesis."""
    value = synthesis.meta.get(field)
    return value if isinstance(value, int) else otherwise


def _special_number(name: Hashable, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InputError(
            f"synds: the special value {value!r} of column {name!r} (cont_na) is not a "
            "number; in R only numeric columns have special values"
        )
    return float(value)


def _column(series: pd.Series, where: str) -> ColumnForR:
    column = read_column(series, where)
    missing = column.missing
    if missing is None:
        missing = np.zeros(len(column), dtype=bool)
    if column.is_text:
        places = column.values.astype(np.int64) + 1
        return ColumnForR(_text_kind(column, series), places, missing, tuple(column.labels))
    if column.kind == "duration":
        raise InputError(
            f"{where}: durations have no counterpart in R's data frames; make them numbers, for"
            " instance with .dt.total_seconds()"
        )
    kind, values = _numbers_for_r(column)
    return ColumnForR(kind, values, missing, levels=None)


def _text_kind(column: Column, series: pd.Series) -> str:
    if column.kind == "character":
        return "character"
    is_ordered = isinstance(series.dtype, pd.CategoricalDtype) and series.dtype.ordered
    return "ordered" if is_ordered else "factor"


def _numbers_for_r(column: Column) -> tuple[str, npt.NDArray[Any]]:
    """R's type for numbers, truth values, days and times, and the values in it."""
    if column.kind == "date":
        return "Date", column.values
    if column.kind == "time":
        return "POSIXct", _seconds(column.values)
    if column.kind == "integer" and not _fits(column.present()):
        # R has no wider integers
        return "double", column.values.astype(np.float64)
    return column.kind, column.values


def _fits(whole: npt.NDArray[Any]) -> bool:
    """Whether R's integers, which have 32 bits and NA for the lowest, can hold the values."""
    if not len(whole):
        return True
    return bool(-LARGEST_R_INTEGER <= whole.min() <= whole.max() <= LARGEST_R_INTEGER)


def _seconds(nanoseconds: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Whole seconds and the rest apart: together they are too long for a double."""
    seconds, rest = np.divmod(nanoseconds, NANOSECONDS)
    return seconds + rest / NANOSECONDS
