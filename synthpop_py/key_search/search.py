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


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Original records that do not count, by codes.

    Attributes
    ----------
    missing : for each key whether a subset with it leaves out records that lack it.
    levels : for each target the codes that its DiSCO leaves out.
    pairs : for each key what DiSCO leaves out if the subset has it: position of a target, codes of
        the target, codes of the key.
    limit : DiSCO leaves out cells of more records than this; None for no limit.
    """

    missing: tuple[bool, ...]
    levels: tuple[Integers, ...]
    pairs: tuple[tuple[tuple[int, Integers, Integers], ...], ...]
    limit: float | None

    def of(self, positions: Sequence[int]) -> LeftOut:
        """The same for keys at some positions, in their order."""
        missing = tuple(self.missing[position] for position in positions)
        pairs = tuple(self.pairs[position] for position in positions)
        return replace(self, missing=missing, pairs=pairs)


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
    left_out: LeftOut,
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
    >>> counts = search([a, b], [], [None, None], 2, LeftOut((False, False), (), ((), ()), None))
    >>> counts.subsets, counts.records[:, :, 0].tolist()
    (((0,), (1,), (0, 1)), [[1, 1], [1, 0], [3, 1]])
    """
    # keys of many levels first: those that come late tell fewer rows apart
    order = sorted(range(len(keys)), key=lambda position: -keys[position].size)
    in_order = [keys[position] for position in order]
    walk, everybody = _begun(in_order, targets, n, largest, left_out.of(order))
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
    left_out: LeftOut,
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
    number = len(distinct.rows)
    tables = table_of_row.codes[distinct.rows]
    bounds = np.searchsorted(tables, np.arange(len(lengths) + 1))
    original = distinct.rows[: bounds[1]]

    def having(variable: Variable, codes: Integers) -> Flags:
        return np.isin(variable.own_codes(0)[original], codes)

    lacking: list[Flags | None] = []
    uncounted: list[list[tuple[int | None, Flags]]] = []
    for key, leave_out in zip(keys, left_out.missing):
        gaps = leave_out and key.missing_code is not None
        lacking.append(having(key, np.array([key.missing_code])) if gaps else None)
    for target, codes in zip(targets, left_out.levels):
        uncounted.append([(None, having(target, codes))] if len(codes) else [])
    for position, pairs in enumerate(left_out.pairs):
        for place, of_target, of_key in pairs:
            both = having(targets[place], of_target) & having(keys[position], of_key)
            uncounted[place].append((position, both))
    walk = _Walk(
        keys=of_keys,
        targets=of_targets,
        later=joint_suffixes(of_keys, of_targets),
        largest=largest,
        m=len(n) - 1,
        lacking=lacking,
        uncounted=uncounted,
        limit=left_out.limit,
    )
    everybody = _Node(
        rows=np.arange(number),
        codes=np.zeros(number, dtype=np.int64),
        size=1,
        bounds=bounds,
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
    lacking : for each key the original rows that lack it, if these are left out.
    uncounted : for each target the original rows that its DiSCO leaves out, each with the key that
        the subset must have, or None.
    limit : DiSCO leaves out cells of more records.
    """

    keys: list[RowCodes]
    targets: list[Integers]
    later: list[RowCodes]
    largest: int
    m: int
    lacking: list[Flags | None]
    uncounted: list[list[tuple[int | None, Flags]]]
    limit: float | None

    def below(self, parent_subset: Subset, parent: _Node) -> Iterator[tuple[Subset, Integers]]:
        """Every superset by later keys, with its records."""
        first = parent_subset[-1] + 1 if parent_subset else 0
        for position in range(first, len(self.keys)):
            parent = self._collapsed(parent, position)
            subset = (*parent_subset, position)
            node = _grown(self._with_key(parent, position), self.keys[position])
            counts = [self._counts(node, table) for table in range(self.m + 1)]
            yield subset, self._records(subset, node, counts)
            may_grow = len(subset) < self.largest and position + 1 < len(self.keys)
            if may_grow:
                yield from self.below(subset, self._pruned(node, counts))

    def _with_key(self, node: _Node, position: int) -> _Node:
        """The node without original records that lack a key, if these are left out. All records of
        a combination lack it, so what is certain of others does not change.
        """
        lacks = self.lacking[position]
        if lacks is None:
            return node
        kept = np.ones(len(node.rows), dtype=bool)
        kept[: node.bounds[1]] = ~lacks[node.table(node.rows, 0)]
        return _only(node, kept)

    def _counts(self, node: _Node, table: int) -> Integers:
        """Records of a table by combination."""
        return totals(node.table(node.codes, table), node.records(table), node.size)

    def _records(self, subset: Subset, node: _Node, counts: list[Integers]) -> Integers:
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
                if self.limit is not None:
                    disclosed &= _cells_up_to(self.limit, node, disclosed)
                for key, rows in self.uncounted[measure - 2]:
                    if key is None or key in subset:
                        disclosed &= ~rows[node.table(node.rows, 0)]
                records[measure, j] = _how_many(disclosed, of_original)
        return records

    def _pruned(self, node: _Node, counts: list[Integers]) -> _Node:
        """The node without records that no further key can change.

        A synthetic record whose combination no original record has will never match one. An
        original record that is unique, and in no synthesis, stays unique and undisclosed whichever
        keys are added, unless it lacks one and is then left out.
        """
        original, *syntheses = counts
        settled = original == 1
        for synthetic in syntheses:
            settled &= synthetic == 0
        codes, rows = node.table(node.codes, 0), node.table(node.rows, 0)
        for lacks in self.lacking:
            if lacks is not None:
                settled[codes[lacks[rows]]] = False
        open_combinations = (original > 0) & ~settled
        new_code = np.cumsum(open_combinations) - 1
        left = _only(node, open_combinations[node.codes])
        return replace(
            left,
            codes=new_code[left.codes],
            size=int(np.count_nonzero(open_combinations)),
            settled=node.settled + int(np.count_nonzero(settled)),
        )

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


def _only(node: _Node, kept: Flags) -> _Node:
    """The node with some of its rows."""
    kept_before = np.concatenate(([0], np.cumsum(kept)))
    return replace(
        node,
        rows=node.rows[kept],
        codes=node.codes[kept],
        bounds=kept_before[node.bounds],
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


def _cells_up_to(limit: float, node: _Node, disclosed: Flags) -> Flags:
    """Original records in DiSCO cells of at most so many records."""
    codes, n = node.table(node.codes, 0), node.records(0)
    in_cell = totals(codes[disclosed], None if n is None else n[disclosed], node.size)
    few: Flags = in_cell[codes] <= limit
    return few


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
