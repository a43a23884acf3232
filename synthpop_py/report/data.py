"""The tables of a report: which values a column has, and how many records each.

Asked through the public `open_table` and its one question, `count_by`, so that a report on a file
or a database reads no more than one on a frame.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..arguments import listed
from ..synds import SynDS
from ..tables.api import open_table

NUMBERS, TEXT, OTHER = "numbers", "text", "other values"
KINDS = {"integer": NUMBERS, "double": NUMBERS, "factor": TEXT, "character": TEXT}
MANY_VALUES = 20  # a number with more different values is judged in classes


class Levels(NamedTuple):
    """The values of a column that are not missing: their kind, and the records of each."""

    kind: str
    n: pd.Series


class Tables:
    """The original and the synthetic tables of a call.

    Attributes
    ----------
    tables : the original, then each synthesis.
    common : columns that all of them have.
    special : codes of numeric columns, by column: given, or brought by the synthesis.
    """

    def __init__(self, synthetic: Any, original: Any, counts: Any = None, cont_na: Any = None):
        self.tables = [open_table(one) for one in (original, *as_list(synthetic))]
        self.counts = counts
        brought = synthetic.cont_na if isinstance(synthetic, SynDS) else {}
        self.special = {**brought, **(cont_na if isinstance(cont_na, Mapping) else {})}
        everywhere = set.intersection(*(set(table.columns) for table in self.tables))
        self.common = [c for c in self.tables[0].columns if c in everywhere and c != counts]
        self._known: dict[tuple[Hashable, int], Levels] = {}

    def levels(self, name: Hashable, table: int = 0) -> Levels:
        """Of the original, or of a synthesis (from 1)."""
        if (name, table) not in self._known:
            self._known[name, table] = _levels(self.tables[table], name, self.counts)
        return self._known[name, table]

    def is_number(self, name: Hashable) -> bool:
        return self.levels(name).kind == NUMBERS

    def has_many_numbers(self, name: Hashable) -> bool:
        """Whether a column holds so many different numbers that few would match."""
        codes = listed(self.special.get(name))
        values = self.levels(name).n.index
        return self.is_number(name) and len(values.difference(codes)) > MANY_VALUES

    def is_identifier(self, name: Hashable) -> bool:
        """Whether nearly everybody has a value of their own; whole numbers must differ for all,
        because amounts of money nearly do.
        """
        kind, n = self.levels(name)
        if kind == NUMBERS:
            return len(n) == n.sum() >= MANY_VALUES and bool((n.index == np.trunc(n.index)).all())
        return kind == TEXT and n.sum() >= MANY_VALUES and len(n) >= 0.95 * n.sum()


def as_list(synthetic: Any) -> list[Any]:
    """Synthetic data in any form as a list of tables."""
    if isinstance(synthetic, SynDS):
        return list(synthetic.syn)
    if isinstance(synthetic, Mapping):
        return list(synthetic.values())
    return list(synthetic) if isinstance(synthetic, (list, tuple)) else [synthetic]


def _levels(table: Any, name: Hashable, counts: Hashable | None) -> Levels:
    weighted = counts is not None and counts in table.columns
    counted = table.count_by([name, counts] if weighted else [name])
    column = counted.columns[name]
    n = np.ones(counted.rows, dtype=np.int64) if counted.n is None else counted.n
    if weighted:
        n = n * counted.columns[counts].values.astype(np.int64)
    here = np.ones(counted.rows, dtype=bool) if column.missing is None else ~column.missing
    values, place = np.unique(column.values[here], return_inverse=True)
    texts = [column.labels[value] for value in values] if column.labels else values
    records = np.bincount(place, weights=n[here], minlength=len(values)).astype(np.int64)
    return Levels(KINDS.get(column.kind, OTHER), pd.Series(records, index=texts))
