"""Counts behind UiO, repU and DiSCO for every subset of candidate keys, from one walk in which each
subset grows out of a smaller one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import comb
from typing import NamedTuple, TypeAlias

import numpy as np

from ..core.arrays import Flags, Integers
from ..core.crosstab import totals
from ..core.levels import Variable

Subset: TypeAlias = tuple[int, ...]


class RecordCodes(NamedTuple):
    """A variable over the records of all tables, one after the other: codes, shape (n,), from 0 to
    size - 1.
    """

    codes: Integers
    size: int


@dataclass(frozen=True, slots=True)
class SubsetCounts:
    """Records that count, for every subset of the candidates.

    Attributes
    ----------
    subsets : positions of the keys among the candidates; smaller subsets first, then in the
        candidates' order.
    records : int64, shape (subsets, measures, syntheses). Measures are UiO, repU, then DiSCO of
        each target.
    """

    subsets: tuple[Subset, ...]
    records: Integers


def number_of_subsets(candidates: int, largest: int) -> int:
    """Non-empty subsets of at most `largest` candidates.

    >>> number_of_subsets(8, 8), number_of_subsets(8, 2)
    (255, 36)
    """
    return sum(comb(candidates, size) for size in range(1, largest + 1))


def search(
    keys: Sequence[Variable],
    targets: Sequence[Variable],
    n: Sequence[Integers | None],
    largest: int,
    done: Callable[[int], None] | None = None,
) -> SubsetCounts:
    """Counts for every subset of at most `largest` keys; `n` says how many records each row of the
    original and of each synthesis stands for (None: one). `done` is told how many subsets are.

    Examples
    --------
    >>> from ..core.columns import Column
    >>> from ..core.coding import encode
    >>> def column(*values):
    ...     return Column("integer", np.array(values))
    >>> a = encode("a", [column(1, 1, 2), column(1, 2)])
    >>> b = encode("b", [column(5, 6, 6), column(5, 5)])
    >>> counts = search([a, b], [], [None, None], 2)
    >>> counts.subsets, counts.records[:, :, 0].tolist()
    (((0,), (1,), (0, 1)), [[1, 1], [1, 0], [3, 1]])
    """
    walk = _Walk(
        keys=[_stacked(key) for key in keys],
        targets=[_stacked(target).codes for target in targets],
        largest=largest,
        m=len(n) - 1,
        n=_stacked_counts(keys[0], n),
    )
    records_of: dict[Subset, Integers] = {}
    for subset, records in walk.below((), _everybody(keys[0])):
        records_of[subset] = records
        if done is not None:
            done(len(records_of))
    subsets = sorted(records_of, key=lambda subset: (len(subset), subset))
    records = np.stack([records_of[subset] for subset in subsets])
    return SubsetCounts(tuple(subsets), records)


@dataclass(frozen=True, slots=True)
class _Node:
    """A subset of keys while its supersets are being looked at.

    Attributes
    ----------
    rows : shape (r,), records that may still matter, in the order of the tables.
    codes : shape (r,), their combination, 0 to size - 1.
    bounds : shape (tables + 1,), where each table begins among the rows.
    settled : original records already known to be unique in every superset.
    """

    rows: Integers
    codes: Integers
    size: int
    bounds: Integers
    settled: int

    def table(self, values: Integers, t: int) -> Integers:
        return values[self.bounds[t] : self.bounds[t + 1]]


def _everybody(variable: Variable) -> _Node:
    """The empty subset, on which all records are alike."""
    lengths = [len(codes) for codes in variable.codes]
    records = sum(lengths)
    return _Node(
        rows=np.arange(records),
        codes=np.zeros(records, dtype=np.int64),
        size=1,
        bounds=np.append(0, np.cumsum(lengths)),
        settled=0,
    )


@dataclass(frozen=True, slots=True)
class _Walk:
    """Depth-first over subsets: a subset is its parent with one later key added."""

    keys: list[RecordCodes]
    targets: list[Integers]
    largest: int
    m: int
    n: Integers | None  # records that each row stands for; None where every row is one

    def below(self, parent_subset: Subset, parent: _Node) -> Iterator[tuple[Subset, Integers]]:
        """Every superset by later keys, with its records."""
        first = parent_subset[-1] + 1 if parent_subset else 0
        for position in range(first, len(self.keys)):
            subset = (*parent_subset, position)
            node = _grown(parent, self.keys[position])
            counts = [self._counts(node, table) for table in range(self.m + 1)]
            yield subset, self._records(node, counts)
            may_grow = len(subset) < self.largest and position + 1 < len(self.keys)
            if may_grow:
                yield from self.below(subset, _pruned(node, counts))

    def _counts(self, node: _Node, table: int) -> Integers:
        """Records of a table by combination."""
        n = None if self.n is None else self.n[node.table(node.rows, table)]
        return totals(node.table(node.codes, table), n, node.size)

    def _records(self, node: _Node, counts: list[Integers]) -> Integers:
        """Original records that count, by measure and synthesis."""
        records = np.empty((2 + len(self.targets), self.m), dtype=np.int64)
        original, *syntheses = counts
        alone = original == 1
        records[0] = node.settled + np.count_nonzero(alone)
        records[1] = [np.count_nonzero(alone & (synthetic == 1)) for synthetic in syntheses]
        for measure, target in enumerate(self.targets, start=2):
            values = target[node.rows]
            for j in range(self.m):
                disclosed = _certain_and_correct(node, values, j + 1)
                records[measure, j] = self._original_records(node, disclosed)
        return records

    def _original_records(self, node: _Node, flags: Flags) -> int:
        """How many records the flagged rows of the original stand for."""
        if self.n is None:
            return int(np.count_nonzero(flags))
        n = self.n[node.table(node.rows, 0)]
        return int(n[flags].sum())


def _grown(parent: _Node, key: RecordCodes) -> _Node:
    """The parent's combinations split by one more key, renumbered to those that occur."""
    pairs = parent.codes * key.size + key.codes[parent.rows]
    codes, size = _dense(pairs, parent.size * key.size)
    return replace(parent, codes=codes, size=size)


def _pruned(node: _Node, counts: list[Integers]) -> _Node:
    """The node without records whose fate no further key can change.

    Synthetic records whose combination no original record has will never meet one. An original
    record that is alone, and in no synthesis, stays unique and undisclosed whatever is added.
    """
    original, *syntheses = counts
    alone = original == 1
    in_a_synthesis = np.zeros(node.size, dtype=bool)
    for synthetic in syntheses:
        in_a_synthesis |= synthetic > 0
    open_combinations = (original > 1) | (alone & in_a_synthesis)
    kept = open_combinations[node.codes]
    kept_before = np.concatenate(([0], np.cumsum(kept)))
    new_code = np.cumsum(open_combinations) - 1
    settled = int(np.count_nonzero(alone & ~in_a_synthesis))
    return _Node(
        rows=node.rows[kept],
        codes=new_code[node.codes[kept]],
        size=int(np.count_nonzero(open_combinations)),
        bounds=kept_before[node.bounds],
        settled=node.settled + settled,
    )


def _certain_and_correct(node: _Node, values: Integers, table: int) -> Flags:
    """DiSCO: original records whose combination has only their own target in a synthesis."""
    # What is certain is defined by cells: `known_cells` in `disclosure.certainty`. Here are records
    # and no cells: listing them for every subset takes twice as long on small data, fifty times on
    # large. `tests/unit/test_key_risk.py` holds the two against each other.
    codes, synthetic = node.table(node.codes, table), node.table(values, table)
    answer = np.full(node.size, -1, dtype=np.int64)
    answer[codes] = synthetic  # one of the values of each combination, whichever
    disagrees = answer[codes] != synthetic
    answer[codes[disagrees]] = -1  # and none where another record disagrees
    answer_for_original = answer[node.table(node.codes, 0)]
    correct: Flags = answer_for_original == node.table(values, 0)
    return correct


def _stacked(variable: Variable) -> RecordCodes:
    """A variable over the records of all tables, renumbered to the codes that occur."""
    tables = [np.asarray(codes, dtype=np.int64) - variable.shift for codes in variable.codes]
    codes, size = _dense(np.concatenate(tables), variable.size)
    return RecordCodes(codes, size)


def _stacked_counts(variable: Variable, n: Sequence[Integers | None]) -> Integers | None:
    if all(counts is None for counts in n):
        return None
    stacked = []
    for codes, counts in zip(variable.codes, n):
        stacked.append(np.ones(len(codes), dtype=np.int64) if counts is None else counts)
    return np.concatenate(stacked)


def _dense(codes: Integers, size: int) -> tuple[Integers, int]:
    """The codes renumbered to those that occur, in the same order: by a table of all possible ones
    where it is small, else by sorting.
    """
    if size > max(2**12, 4 * len(codes)):
        distinct, position = np.unique(codes, return_inverse=True)
        return position.reshape(-1), len(distinct)
    occurs = np.zeros(size, dtype=bool)
    occurs[codes] = True
    new_code = np.cumsum(occurs) - 1
    return new_code[codes], int(np.count_nonzero(occurs))
