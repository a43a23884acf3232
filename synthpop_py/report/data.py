"""The tables of a report: which levels a column has, and how many records have each.

Everything goes through the public `open_table` and its one question, `count_by`, so that a report
on a file or a database reads no more than one on a frame.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import listed
from ..synds import SynDS
from ..tables.api import open_table

NUMBER, TEXT, OTHER = "numbers", "text", "other"
MANY_VALUES = 20  # a number with more different values is judged in classes


@dataclass(slots=True)
class Levels:
    """The values of one column of one table.

    Attributes
    ----------
    kind : "numbers", "text" or "other" (dates, true or false).
    n : how many records have each value, without missing ones.
    missing : how many have none.
    """

    kind: str
    n: pd.Series
    missing: int

    @property
    def records(self) -> int:
        return int(self.n.sum()) + self.missing


@dataclass(slots=True)
class Tables:
    """The original and the synthetic tables of a call, with the special values of their numbers."""

    original: Any
    synthetic: list[Any]
    counts: Hashable | None = None
    special: Mapping[Hashable, Any] = field(default_factory=dict)
    _known: dict[tuple[int, Hashable], Levels] = field(default_factory=dict)

    @property
    def common(self) -> list[Hashable]:
        """Columns that all tables have."""
        shared = [c for c in self.original.columns if all(c in s.columns for s in self.synthetic)]
        return [name for name in shared if name != self.counts]

    def levels(self, name: Hashable, table: int = 0) -> Levels:
        """Of the original (0) or of a synthetic table (from 1)."""
        if (table, name) not in self._known:
            opened = (self.original, *self.synthetic)[table]
            self._known[table, name] = _levels(opened, name, self.counts)
        return self._known[table, name]

    def is_many_numbers(self, name: Hashable) -> bool:
        """Whether a column holds so many different numbers that nearly none would match."""
        levels = self.levels(name)
        usual = set(levels.n.index) - set(listed(self.special.get(name)))
        return levels.kind == NUMBER and len(usual) > MANY_VALUES

    def is_identifier(self, name: Hashable) -> bool:
        """Whether nearly everybody has a value of their own; numbers must differ for everybody,
        because amounts nearly do.
        """
        levels = self.levels(name)
        here = int(levels.n.sum())
        if here < 20 or levels.kind == OTHER:
            return False
        if levels.kind == TEXT:
            return len(levels.n) >= 0.95 * here
        values = levels.n.index.to_numpy()
        return len(values) == here and bool((values == np.trunc(values)).all())


def read_tables(
    synthetic: Any, original: Any, counts: Hashable | None = None, cont_na: Any = None
) -> Tables:
    """The tables of a call of `report()`."""
    brought = synthetic.cont_na if isinstance(synthetic, SynDS) else {}
    given = dict(cont_na) if isinstance(cont_na, Mapping) else {}
    return Tables(
        original=open_table(original),
        synthetic=[open_table(one) for one in as_list(synthetic)],
        counts=counts,
        special={**brought, **given},
    )


def as_list(synthetic: Any) -> list[Any]:
    """Synthetic data as a list of tables."""
    if isinstance(synthetic, SynDS):
        return list(synthetic.syn)
    if isinstance(synthetic, Mapping):
        return list(synthetic.values())
    return list(synthetic) if isinstance(synthetic, (list, tuple)) else [synthetic]


def path_of(given: Any) -> Path | None:
    """The file that was given, where one was."""
    if isinstance(given, (str, Path)) and Path(given).is_file():
        return Path(given)
    return None


def _levels(table: Any, name: Hashable, counts: Hashable | None) -> Levels:
    weighted = counts is not None and counts in table.columns
    counted = table.count_by([name, counts] if weighted else [name])
    column = counted.columns[name]
    n = np.ones(counted.rows, dtype=np.int64) if counted.n is None else np.asarray(counted.n)
    if weighted:
        n = n * counted.columns[counts].values.astype(np.int64)
    missing = np.zeros(counted.rows, dtype=bool) if column.missing is None else column.missing
    values, code = np.unique(np.asarray(column.values)[~missing], return_inverse=True)
    index: Any = values
    if column.kind in ("factor", "character"):
        index = [column.labels[value] for value in values]
    totals = np.bincount(code, weights=n[~missing], minlength=len(values)).astype(np.int64)
    kinds = {"integer": NUMBER, "double": NUMBER, "factor": TEXT, "character": TEXT}
    return Levels(
        kind=kinds.get(column.kind, OTHER),
        n=pd.Series(totals, index=index),
        missing=int(n[missing].sum()),
    )
