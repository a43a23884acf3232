"""Counts behind UiO, repU and DiSCO for every subset of candidate keys, from one walk in which each
subset grows out of a smaller one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import comb
from typing import NamedTuple

import numpy as np

from ..core.arrays import Flags, Integers
from ..core.crosstab import totals
from ..core.levels import Variable


class Coded(NamedTuple):
    """A variable over the records of all tables, one after the other: codes, shape (n,), from 0 to
    size - 1.
    """

    codes: Integers
    size: int


@dataclass(frozen=True, slots=True)
class Found:
    """Records that count, for every subset of the candidates.

    Attributes
    ----------
    subsets : positions of the keys among the candidates; smaller subsets first, then in the
        candidates' order.
    records : int64, shape (subsets, measures, syntheses). Measures are UiO, repU, then DiSCO of
        each target.
    """

    subsets: tuple[tuple[int, ...], ...]
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
) -> Found:
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
    >>> found = search([a, b], [], [None, None], 2)
    >>> found.subsets, found.records[:, :, 0].tolist()
    (((0,), (1,), (0, 1)), [[1, 1], [1, 0], [3, 1]])
    """
    walk = _Walk(
        keys=[_stacked(v) for v in keys],
        targets=[_stacked(v).codes for v in targets],
        largest=largest,
        m=len(n) - 1,
        n=_stacked_counts(keys[0], n),
    )
    lengths = [len(codes) for codes in keys[0].codes]
    everybody = np.arange(sum(lengths))
    start = _Node(
        rows=everybody,
        codes=np.zeros(len(everybody), dtype=np.int64),
        size=1,
        bounds=np.append(0, np.cumsum(lengths)),
        settled=0,
    )
    found = []
    for pair in walk.below((), start):
        found.append(pair)
        if done is not None:
            done(len(found))
    found.sort(key=lambda pair: (len(pair[0]), pair[0]))
    return Found(tuple(subset for subset, _ in found), np.stack([records for _, records in found]))


@dataclass(frozen=True, slots=True)
class _Node:
    """A subset of keys while its supersets are being looked at.

    rows : (r,) records that may still matter, in the order of the tables. codes : (r,) their
    combination, 0 to size - 1.
    bounds : (tables + 1,) where each table begins among the rows. settled : original records
    already known to be unique in every superset.
    """

    rows: Integers
    codes: Integers
    size: int
    bounds: Integers
    settled: int

    def table(self, values: Integers, t: int) -> Integers:
        return values[self.bounds[t] : self.bounds[t + 1]]


@dataclass(frozen=True, slots=True)
class _Walk:
    """Depth-first over subsets: a subset is its parent with one later key added."""

    keys: list[Coded]
    targets: list[Integers]
    largest: int
    m: int
    n: Integers | None  # records that each row stands for; None where every row is one

    def below(
        self, subset: tuple[int, ...], parent: _Node
    ) -> Iterator[tuple[tuple[int, ...], Integers]]:
        first = subset[-1] + 1 if subset else 0
        for i in range(first, len(self.keys)):
            node = _grown(parent, self.keys[i])
            counts = [self._counts(node, t) for t in range(self.m + 1)]
            yield (*subset, i), self._records(node, counts)
            if len(subset) + 1 < self.largest and i + 1 < len(self.keys):
                yield from self.below((*subset, i), _pruned(node, counts))

    def _counts(self, node: _Node, t: int) -> Integers:
        """Records of table t by combination."""
        n = None if self.n is None else self.n[node.table(node.rows, t)]
        return totals(node.table(node.codes, t), n, node.size)

    def _records(self, node: _Node, counts: list[Integers]) -> Integers:
        out = np.empty((2 + len(self.targets), self.m), dtype=np.int64)
        alone = counts[0] == 1
        out[0] = node.settled + np.count_nonzero(alone)
        out[1] = [np.count_nonzero(alone & (s == 1)) for s in counts[1:]]
        for k, target in enumerate(self.targets, start=2):
            value = target[node.rows]
            certain = [_certain_and_right(node, value, t) for t in range(1, self.m + 1)]
            out[k] = [self._original_records(node, rows) for rows in certain]
        return out

    def _original_records(self, node: _Node, rows: Flags) -> int:
        """How many records given rows of the original, bool, stand for."""
        if self.n is None:
            return int(np.count_nonzero(rows))
        return int(self.n[node.table(node.rows, 0)][rows].sum())


def _grown(parent: _Node, key: Coded) -> _Node:
    """The parent's combinations split by one more key, renumbered to those that occur."""
    codes, size = _dense(parent.codes * key.size + key.codes[parent.rows], parent.size * key.size)
    return _Node(parent.rows, codes, size, parent.bounds, parent.settled)


def _pruned(node: _Node, counts: list[Integers]) -> _Node:
    """The node without records whose fate no further key can change.

    Synthetic records whose combination no original record has will never meet one. An original
    record that is alone, and in no synthesis, stays unique and undisclosed whatever is added.
    """
    d = counts[0]
    found = np.zeros(node.size, dtype=bool)
    for s in counts[1:]:
        found |= s > 0
    stays = (d > 1) | ((d == 1) & found)
    kept = stays[node.codes]
    bounds = np.concatenate(([0], np.cumsum(kept)))[node.bounds]
    number = np.cumsum(stays) - 1
    settled = node.settled + int(np.count_nonzero((d == 1) & ~found))
    return _Node(
        node.rows[kept], number[node.codes[kept]], int(np.count_nonzero(stays)), bounds, settled
    )


def _certain_and_right(node: _Node, value: Integers, t: int) -> Flags:
    """DiSCO: original records whose combination has only their own target in synthesis t."""
    codes, values = node.table(node.codes, t), node.table(value, t)
    answer = np.full(node.size, -1, dtype=np.int64)
    answer[codes] = values  # one of the values of each combination, whichever
    answer[codes[answer[codes] != values]] = -1  # and none where another record disagrees
    right: Flags = answer[node.table(node.codes, 0)] == node.table(value, 0)
    return right


def _stacked(variable: Variable) -> Coded:
    codes = np.concatenate([np.asarray(c, dtype=np.int64) - variable.shift for c in variable.codes])
    return Coded(*_dense(codes, variable.size))


def _stacked_counts(variable: Variable, n: Sequence[Integers | None]) -> Integers | None:
    if all(counts is None for counts in n):
        return None
    ones = [np.ones(len(codes), dtype=np.int64) for codes in variable.codes]
    return np.concatenate([one if own is None else own for one, own in zip(ones, n)])


def _dense(codes: Integers, size: int) -> tuple[Integers, int]:
    """The codes renumbered to those that occur, in the same order: by a table of all possible ones
    where it is small, else by sorting.
    """
    if size > max(2**12, 4 * len(codes)):
        distinct, place = np.unique(codes, return_inverse=True)
        return place.reshape(-1), len(distinct)
    occurs = np.zeros(size, dtype=bool)
    occurs[codes] = True
    return (np.cumsum(occurs) - 1)[codes], int(np.count_nonzero(occurs))
