"""Counts behind UiO, repU and DiSCO for every subset of candidate keys, from one walk in which each
subset grows out of a smaller one.

Rows that the remaining keys cannot tell apart become one row with a count. The cost of a subset
then depends on the number of cells, not of records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import comb
from typing import TypeAlias

import numpy as np

from ..core.arrays import Flags, Integers, Values
from ..core.combinations import LARGEST_CODE
from ..core.crosstab import totals
from ..core.levels import Variable
from .distinct import (
    Distinct,
    RowCodes,
    dense,
    distinct_rows,
    joint_suffixes,
    short,
    small_table,
)

# with this many keys to come, sorting costs little compared with the time that fewer rows may save
WORTH_SORTING = 5
FEW_ROWS = 2**10  # nothing is gained by fewer
FEW_TO_SORT = 2**15  # to sort fewer takes longer than to look at each of them

Subset: TypeAlias = tuple[int, ...]


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
    original and of each synthesis stands for (None: one). `done` receives the number of subsets
    done.

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
    # keys of many levels first: those that come late tell fewer rows apart
    order = sorted(range(len(keys)), key=lambda position: -keys[position].size)
    walk, everybody = _begun([keys[position] for position in order], targets, n, largest)
    records_of: dict[Subset, Integers] = {}
    for subset, records in walk.below((), everybody):
        records_of[tuple(sorted(order[place] for place in subset))] = records
        if done is not None:
            done(len(records_of))
    subsets = sorted(records_of, key=lambda subset: (len(subset), subset))
    records = np.stack([records_of[subset] for subset in subsets])
    return SubsetCounts(tuple(subsets), records)


def _begun(
    keys: Sequence[Variable],
    targets: Sequence[Variable],
    n: Sequence[Integers | None],
    largest: int,
) -> tuple[_Walk, _Node]:
    """The walk over distinct rows, and the empty subset, on which all of them are alike."""
    lengths = [len(codes) for codes in keys[0].codes]
    table_of_row = RowCodes(np.repeat(np.arange(len(lengths)), lengths), len(lengths))
    variables = [_stacked(variable) for variable in (*keys, *targets)]
    together = table_of_row  # counts most, so that rows stay in the order of the tables
    for variable in variables:
        if together.size * variable.size > LARGEST_CODE:
            together = dense(*together)
        joint = together.codes * variable.size + variable.codes
        together = RowCodes(joint, together.size * variable.size)
    distinct = _distinct(together, _stacked_counts(lengths, n))
    rows = [short(codes[distinct.rows], size) for codes, size in variables]
    of_keys, of_targets = rows[: len(keys)], [target.codes for target in rows[len(keys) :]]
    walk = _Walk(
        keys=of_keys,
        targets=of_targets,
        later=joint_suffixes(of_keys, of_targets),
        largest=largest,
        m=len(n) - 1,
    )
    number = len(distinct.rows)
    tables = table_of_row.codes[distinct.rows]
    everybody = _Node(
        rows=np.arange(number),
        codes=np.zeros(number, dtype=np.int64),
        size=1,
        bounds=np.searchsorted(tables, np.arange(len(lengths) + 1)),
        settled=0,
        n=distinct.n,
    )
    return walk, everybody


def _distinct(together: RowCodes, n: Integers | None) -> Distinct:
    """Distinct rows with their counts; of few rows, which would have to be sorted, every one."""
    codes, size = together
    few = len(codes) < FEW_TO_SORT
    if few and not small_table(size, len(codes)):
        return Distinct(codes, np.arange(len(codes)), n)
    return distinct_rows(codes, size, n)


@dataclass(frozen=True, slots=True)
class _Node:
    """A subset of keys while its supersets are being looked at.

    Attributes
    ----------
    rows : shape (r,), rows that may still matter, in the order of the tables.
    codes : shape (r,), their combination, 0 to size - 1.
    bounds : shape (tables + 1,), where each table begins among the rows.
    settled : original records already known to be unique in every superset.
    n : shape (r,), records that each row stands for; None where each is one.
    """

    rows: Integers
    codes: Integers
    size: int
    bounds: Integers
    settled: int
    n: Values | None

    def table(self, values: Values, t: int) -> Values:
        return values[self.bounds[t] : self.bounds[t + 1]]

    def records(self, t: int) -> Values | None:
        """Records that each row of a table stands for."""
        return None if self.n is None else self.table(self.n, t)


@dataclass(frozen=True, slots=True)
class _Walk:
    """Depth-first over subsets: a subset is its parent with one later key added.

    Attributes
    ----------
    later : for each key, it and all that come after it, and the targets, in one code.
    """

    keys: list[RowCodes]
    targets: list[Integers]
    later: list[RowCodes]
    largest: int
    m: int

    def below(self, parent_subset: Subset, parent: _Node) -> Iterator[tuple[Subset, Integers]]:
        """Every superset by later keys, with its records."""
        first = parent_subset[-1] + 1 if parent_subset else 0
        for position in range(first, len(self.keys)):
            parent = self._collapsed(parent, position)
            subset = (*parent_subset, position)
            node = _grown(parent, self.keys[position])
            counts = [self._counts(node, table) for table in range(self.m + 1)]
            yield subset, self._records(node, counts)
            may_grow = len(subset) < self.largest and position + 1 < len(self.keys)
            if may_grow:
                yield from self.below(subset, _pruned(node, counts))

    def _counts(self, node: _Node, table: int) -> Integers:
        """Records of a table by combination."""
        return totals(node.table(node.codes, table), node.records(table), node.size)

    def _records(self, node: _Node, counts: list[Integers]) -> Integers:
        """Original records that count, by measure and synthesis."""
        records = np.empty((2 + len(self.targets), self.m), dtype=np.int64)
        original, *syntheses = counts
        alone = original == 1
        records[0] = node.settled + np.count_nonzero(alone)
        records[1] = [np.count_nonzero(alone & (synthetic == 1)) for synthetic in syntheses]
        of_original = node.records(0)
        for measure, target in enumerate(self.targets, start=2):
            values = target[node.rows]
            for j in range(self.m):
                disclosed = _certain_and_correct(node, values, j + 1)
                records[measure, j] = _how_many(disclosed, of_original)
        return records

    def _collapsed(self, node: _Node, position: int) -> _Node:
        """The node with rows as one that this key and those after it cannot tell apart, where that
        takes less time than it may save.
        """
        number = len(node.rows)
        if number < FEW_ROWS:
            return node
        later = self.later[position]
        span = node.size * later.size  # of the codes of one table
        possible = span * (self.m + 1)
        many_keys = number >= FEW_TO_SORT and len(self.keys) - position >= WORTH_SORTING
        worth_sorting = many_keys and possible < LARGEST_CODE
        if not (worth_sorting or possible <= 2 * number):
            return node
        codes = node.codes * later.size + later.codes[node.rows]
        first_codes = np.arange(self.m + 2) * span
        codes += np.repeat(first_codes[:-1], np.diff(node.bounds))
        distinct = distinct_rows(codes, possible, node.n)
        return replace(
            node,
            rows=node.rows[distinct.rows],
            codes=node.codes[distinct.rows],
            bounds=np.searchsorted(distinct.codes, first_codes),
            n=distinct.n,
        )


def _grown(parent: _Node, key: RowCodes) -> _Node:
    """The parent's combinations split by one more key, renumbered to those that occur."""
    pairs = parent.codes * key.size + key.codes[parent.rows]
    codes, size = dense(pairs, parent.size * key.size)
    return _Node(
        rows=parent.rows,
        codes=codes,
        size=size,
        bounds=parent.bounds,
        settled=parent.settled,
        n=parent.n,
    )


def _pruned(node: _Node, counts: list[Integers]) -> _Node:
    """The node without records that no further key can change.

    A synthetic record whose combination no original record has will never match one. An original
    record that is unique, and in no synthesis, stays unique and undisclosed whichever keys are
    added.
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
        n=None if node.n is None else node.n[kept],
    )


def _how_many(flags: Flags, n: Values | None) -> int:
    """Records whose rows have the flag."""
    return int(np.count_nonzero(flags) if n is None else n[flags].sum())


def _certain_and_correct(node: _Node, values: Integers, table: int) -> Flags:
    """DiSCO: original records whose combination has only their own target value in a synthesis."""
    # What is certain is defined by cells: `known_cells` in `disclosure.certainty`. Here are rows of
    # more keys than the subset has: listing its cells would take a sort for every subset.
    # `tests/unit/test_key_risk.py` holds the two against each other.
    codes, synthetic = node.table(node.codes, table), node.table(values, table)
    answer = np.full(node.size, -1, dtype=np.int64)
    answer[codes] = synthetic  # any one of the values of each combination
    disagrees = answer[codes] != synthetic
    answer[codes[disagrees]] = -1  # and none where another record disagrees
    answer_for_original = answer[node.table(node.codes, 0)]
    correct: Flags = answer_for_original == node.table(values, 0)
    return correct


def _stacked(variable: Variable) -> RowCodes:
    """A variable over the rows of all tables, renumbered to the codes that occur."""
    tables = [np.asarray(codes, dtype=np.int64) - variable.shift for codes in variable.codes]
    return dense(np.concatenate(tables), variable.size)


def _stacked_counts(lengths: Sequence[int], n: Sequence[Integers | None]) -> Integers | None:
    if all(counts is None for counts in n):
        return None
    stacked = []
    for length, counts in zip(lengths, n):
        stacked.append(np.ones(length, dtype=np.int64) if counts is None else counts)
    return np.concatenate(stacked)
