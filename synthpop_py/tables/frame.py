"""A pandas data frame as a table: one record per row, or a frequency table with a column of counts.

Columns are read when first asked for and kept as arrays, so that later changes of the user's frame
do not matter. The frame itself is handed on row by row: grouping it would take longer than
everything that follows.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import pandas as pd

from ..core.arrays import Flags, Integers
from ..core.columns import Column
from ..errors import InputError
from ..names import unknown_name
from .protocol import Counted
from .reading import check_frame, read_column


class FrameTable:
    """A data frame; `counts` names the column that says how many records a row stands for."""

    keeps_rows = True

    def __init__(self, frame: pd.DataFrame, place: str, counts: Hashable | None = None) -> None:
        self.frame = check_frame(frame, place)
        self.place = place
        self._columns: dict[Hashable, Column] = {}
        self._n: Integers | None = None
        self._kept: Flags | None = None  # rows that stand for at least one record
        self.columns: list[Hashable] = list(self.frame.columns)
        if counts is not None:
            self._read_counts(counts)
            self.columns.remove(counts)

    @property
    def rows(self) -> int:
        return len(self.frame) if self._n is None else len(self._n)

    @property
    def records(self) -> int:
        return self.rows if self._n is None else int(self._n.sum())

    def count_by(self, names: Sequence[Hashable]) -> Counted:
        return Counted({name: self._column(name) for name in names}, self._n, self.rows)

    def _column(self, name: Hashable) -> Column:
        if name not in self._columns:
            series = self.frame[name]
            if self._kept is not None:
                series = series[self._kept]
            self._columns[name] = read_column(series, f"{self.place}, column {name!r}")
        return self._columns[name]

    def _read_counts(self, counts: Hashable) -> None:
        if counts not in self.frame.columns:
            raise unknown_name("counts", counts, list(self.frame.columns), self.place)
        column = read_column(self.frame[counts], f"{self.place}, column {counts!r}")
        n = _whole_counts(column, f"counts: column {counts!r} of {self.place}")
        kept = n > 0
        if not kept.all():
            self._kept = kept
            n = n[kept]
        self._n = n


def _whole_counts(column: Column, what: str) -> Integers:
    if not column.is_number or column.has_missing:
        raise InputError(f"{what} must hold whole numbers from 0 on, none missing")
    values = column.values
    whole = values.astype(np.int64)
    if not (whole == values).all() or (whole < 0).any():
        raise InputError(f"{what} must hold whole numbers from 0 on")
    if whole.sum(dtype=np.float64) >= 2.0**63:
        raise InputError(f"{what} adds up to more than 64 bits hold")
    return whole
