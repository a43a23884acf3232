"""The search in parts, if the rows of all candidates and targets are too many to count at once.

A subset that contains the splitting key is counted part by part: each of its combinations is in one
part, so counts add up. Subsets of the other candidates remain, which have fewer rows.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from ..core.arrays import Integers
from ..core.levels import Variable
from ..disclosure.source import Source
from ..disclosure.splitting import own_codes, with_codes
from ..old_parts.splitting import MarginPlaces, Margins, PartReader, split
from ..progress import Begin
from ..tables.protocol import Counted
from .search import LeftOut, Subset, SubsetCounts, search


class PartSearch:
    """The search over candidates, given as variables with the codes of their margins."""

    def __init__(
        self,
        source: Source,
        keys: dict[Hashable, Variable],
        targets: dict[Hashable, Variable],
        margins: Margins,
        largest: int,
        left_out: LeftOut,
    ) -> None:
        self.source = source
        self.keys = keys
        self.targets = targets
        self.margins = margins
        self.largest = largest
        self.left_out = left_out
        self.places = MarginPlaces(source.tables, margins)
        self.positions = {name: position for position, name in enumerate(keys)}

    def run(self, begin: Begin) -> SubsetCounts:
        """Counts for every subset. `begin` is called for each part."""
        records_of: dict[Subset, Integers] = {}
        left = list(self.keys)
        while left:
            rows = self.source.few_rows((*left, *self.targets))
            if rows is not None:
                counted = []
                for table, n in enumerate(rows.n):
                    columns = {name: tables[table] for name, tables in rows.columns.items()}
                    length = len(columns[left[0]])
                    counted.append(Counted(columns, n, length))
                records_of |= self._of_rows(left, counted)
                break
            split_by, found = self._with_one_key(left, begin)
            records_of |= found
            left.remove(split_by)
        subsets = sorted(records_of, key=lambda subset: (len(subset), subset))
        return SubsetCounts(tuple(subsets), np.stack([records_of[subset] for subset in subsets]))

    def _with_one_key(
        self, names: Sequence[Hashable], begin: Begin
    ) -> tuple[Hashable, dict[Subset, Integers]]:
        """A key by whose values records are split, and every subset that has it."""
        columns = (*names, *self.targets)
        most = self.source.most_rows(len(columns))
        assert most is not None, "only then can rows be too many"
        units = {name: own_codes(self.keys[name]) for name in names}
        tables = self.source.tables
        parts = split(tables, columns, units, self.margins, most)
        sums: dict[Subset, Integers] = {}
        for counted in PartReader(tables, columns, self.margins, parts, begin):
            for subset, records in self._of_rows(names, counted).items():
                if self.positions[parts.column] in subset:
                    sums[subset] = sums.get(subset, 0) + records
        return parts.column, sums

    def _of_rows(self, names: Sequence[Hashable], counted: list[Counted]) -> dict[Subset, Integers]:
        """Every subset of some candidates in some rows, by positions among all candidates."""
        keys = [with_codes(name, self.keys[name], counted, self.places) for name in names]
        targets = []
        for name, variable in self.targets.items():
            targets.append(with_codes(name, variable, counted, self.places))
        positions = [self.positions[name] for name in names]
        left_out = self.left_out.of(positions)
        found = search(keys, targets, [rows.n for rows in counted], self.largest, left_out)
        records_of = {}
        for subset, records in zip(found.subsets, found.records):
            records_of[tuple(positions[place] for place in subset)] = records
        return records_of
