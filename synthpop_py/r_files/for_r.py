"""A synthesis in R's types, whoever writes it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from synthpop_py.errors import InputError
from synthpop_py.synds import SynDS
from synthpop_py.tables.opening import check_frame
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
    """The synthesis in R's types, or an error that names the column R has nothing for."""
    frames = [
        check_frame(frame, f"synds, set {i}") for i, frame in enumerate(synthesis.syn, start=1)
    ]
    names = [str(name) for name in frames[0].columns]
    alike = sorted({name for name in names if names.count(name) > 1})
    if alike:
        raise InputError(f"synds: two columns would both be called {alike[0]!r} in R; rename one")
    rows = [len(frame) for frame in frames]
    n, k = (
        value if isinstance(value := synthesis.meta.get(field), int) else rows[0]
        for field in ("n", "k")
    )
    return SynthesisForR(
        names,
        [
            [_column(frame[c], f"synds, set {i}, column {c!r}") for c in frame.columns]
            for i, frame in enumerate(frames, start=1)
        ],
        rows,
        {str(c): [_special_number(c, v) for v in vs] for c, vs in synthesis.cont_na.items()},
        n,
        k,
    )


def _special_number(name: Hashable, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InputError(
            f"synds: the special value {value!r} of column {name!r} (cont_na) is not a number; R"
            " knows special values of numeric columns only"
        )
    return float(value)


def _column(series: pd.Series, where: str) -> ColumnForR:
    column = read_column(series, where)
    values = column.values
    missing = np.zeros(len(values), dtype=bool) if column.missing is None else column.missing
    if column.is_text:
        ordered = isinstance(series.dtype, pd.CategoricalDtype) and bool(series.dtype.ordered)
        kind = "character" if column.kind == "character" else "ordered" if ordered else "factor"
        return ColumnForR(kind, values.astype(np.int64) + 1, missing, tuple(column.labels))
    if column.kind == "duration":
        raise InputError(
            f"{where}: durations have no counterpart in R's data frames; make them numbers, for"
            " instance with .dt.total_seconds()"
        )
    if column.kind == "date":
        return ColumnForR("Date", values, missing, None)
    if column.kind == "time":
        return ColumnForR("POSIXct", _seconds(values), missing, None)
    if column.kind == "integer" and not _fits(column.present()):
        return ColumnForR("double", values.astype(np.float64), missing, None)
    return ColumnForR(column.kind, values, missing, None)


def _fits(whole: npt.NDArray[Any]) -> bool:
    """Whether R's integers, which have 32 bits and NA for the lowest, can hold the values."""
    return not len(whole) or -LARGEST_R_INTEGER <= whole.min() <= whole.max() <= LARGEST_R_INTEGER


def _seconds(nanoseconds: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Whole seconds and the rest apart: together they are too long for a double."""
    return nanoseconds // NANOSECONDS + nanoseconds % NANOSECONDS / NANOSECONDS
