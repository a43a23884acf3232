"""Records in SQLite (standard library): a second, independent table behind `count_by`.

The database holds plain values: texts for categories and text, numbers for everything else, NULL
for what is missing. It groups and counts; rows come back in no useful order. What a database does
not know of a column (its kind, the order of its levels) is kept beside it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from synthpop_py.core.columns import Column
from synthpop_py.synds import SynDS
from synthpop_py.tables.opening import check_frame, set_places
from synthpop_py.tables.protocol import Counted
from synthpop_py.tables.reading import read_column


class SqliteTable:
    """The records of a data frame, moved into a database of their own."""

    keeps_rows = False

    def __init__(self, frame: pd.DataFrame, place: str) -> None:
        self.place = place
        self.columns: list[Hashable] = list(check_frame(frame, place).columns)
        self.records = len(frame)
        self._kinds: dict[Hashable, Column] = {}
        self._unreadable: dict[Hashable, Exception] = {}
        self._database = sqlite3.connect(":memory:")
        self._move(frame)

    def __del__(self) -> None:
        self._database.close()  # from 3.13 on Python warns where nobody does

    def count_by(self, names: Sequence[Hashable]) -> Counted:
        return self._counted(names)

    def count_at_most(self, names: Sequence[Hashable], rows: int) -> Counted | None:
        counted = self._counted(names, after=f"LIMIT {rows + 1}")
        return counted if counted.rows <= rows else None

    def count_part(self, names: Sequence[Hashable], column: Hashable, values: Column) -> Counted:
        wanted = _plain(values)
        where = f"{self._field(column)} IN ({', '.join('?' for _ in wanted)})"
        if None in wanted:
            where = f"{where} OR {self._field(column)} IS NULL"
        return self._counted(names, where=where, values=wanted)

    def count_distinct(self, names: Sequence[Hashable], column: Hashable) -> Counted:
        fields = ", ".join(self._field(name) for name in names)
        return self._counted([column], source=f"(SELECT DISTINCT {fields} FROM records)")

    def _counted(
        self,
        names: Sequence[Hashable],
        *,
        source: str = "records",
        where: str = "1",
        values: Sequence[Any] = (),
        after: str = "",
    ) -> Counted:
        for name in names:
            if name in self._unreadable:
                raise self._unreadable[name]
        fields = ", ".join(self._field(name) for name in names)
        query = (
            f"SELECT {fields}, COUNT(*) FROM {source} WHERE {where} GROUP BY {fields}"
            f" ORDER BY RANDOM() {after}"
        )
        rows = self._database.execute(query, values).fetchall()
        values = list(zip(*rows)) if rows else [()] * (len(names) + 1)
        columns = {name: self._column(name, values[i]) for i, name in enumerate(names)}
        return Counted(columns, np.array(values[-1], dtype=np.int64), len(rows))

    def _field(self, name: Hashable) -> str:
        return f"c{self.columns.index(name)}"

    def _move(self, frame: pd.DataFrame) -> None:
        columns = []
        for name in self.columns:
            try:
                column = read_column(frame[name], f"{self.place}, column {name!r}")
            except Exception as error:
                self._unreadable[name] = error
                columns.append([None] * len(frame))
                continue
            self._kinds[name] = replace(column, values=column.values[:0], missing=None)
            columns.append(_plain(column))
        fields = ", ".join(f"c{i}" for i in range(len(columns))) or "c0"
        marks = ", ".join("?" for _ in columns) or "?"
        self._database.execute(f"CREATE TABLE records ({fields})")
        self._database.executemany(f"INSERT INTO records VALUES ({marks})", zip(*columns))

    def _column(self, name: Hashable, values: Sequence[Any]) -> Column:
        kind = self._kinds[name]
        missing = np.array([value is None for value in values], dtype=bool)
        gaps = missing if missing.any() else None
        if not kind.is_text:
            known = [0 if value is None else value for value in values]
            dtype = np.float64 if kind.kind == "double" else np.int64
            return replace(kind, values=np.array(known, dtype=dtype), missing=gaps)
        labels = kind.labels if kind.kind == "factor" else tuple(sorted(set(values) - {None}))
        place = {label: i for i, label in enumerate(labels)}
        codes = np.array([place.get(value, -1) for value in values], dtype=np.int64)
        return replace(kind, values=codes, missing=gaps, labels=labels)


def _plain(column: Column) -> list[Any]:
    gaps = np.zeros(len(column), dtype=bool) if column.missing is None else column.missing
    values = column.values.tolist()
    if column.is_text:
        values = [column.labels[code] if code >= 0 else None for code in values]
    return [None if gap else value for value, gap in zip(values, gaps.tolist())]


def in_sqlite(given: Any, place: str = "object") -> Any:
    """The same data with its records in SQLite: a frame, a list of frames, or a SynDS."""
    if isinstance(given, SynDS):
        return SynDS(in_sqlite(given.syn, place), given.cont_na, given.meta)
    if isinstance(given, (list, tuple)):
        places = set_places(place, len(given))
        return [SqliteTable(frame, name) for frame, name in zip(given, places)]
    return SqliteTable(given, place)
