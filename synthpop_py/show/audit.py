"""What the printed sums give away.

An attacker reads the printed counts and solves what ties them to the hidden ones, knowing that
numbers of people are never negative. The audit asks for each hidden count how many values it could
have, and hides more until every one of them could have at least `min_cell`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .document import Count, Relation

ROUNDING = 1e-6
FAR = 1_000_000  # a count that the sums do not bound is looked for up to here and no further


class Range(NamedTuple):
    """The lowest and highest value a count could have."""

    low: float
    high: float

    @property
    def values(self) -> float:
        """How many whole numbers lie in it; none where the sums contradict each other."""
        if self.low > self.high:
            return 0
        if math.isinf(self.high):
            return math.inf
        lowest = math.ceil(self.low - ROUNDING)
        highest = math.floor(self.high + ROUNDING)
        return max(highest - lowest + 1, 0)


def hide_more(
    counts: Mapping[str, Count],
    small: frozenset[str],
    relations: Sequence[Relation],
    min_cell: int,
) -> frozenset[str]:
    """The small counts and as many others as it takes: afterwards every hidden count could have at
    least `min_cell` values.
    """
    hidden = set(small)
    for group in _connected([r for r in relations if _holds(r, counts)]):
        _protect(group, counts, hidden, min_cell)
    return frozenset(hidden)


def exposed(
    counts: Mapping[str, Count],
    hidden: frozenset[str],
    relations: Sequence[Relation],
    min_cell: int,
) -> dict[str, Range]:
    """Hidden counts that have fewer than `min_cell` feasible values, with their ranges. Empty when
    all is well.
    """
    found = {}
    for group in _connected(relations):
        system = _System.of(group, counts, hidden)
        for name in system.to_protect(hidden):
            feasible = system.range_of(name)
            if feasible.values < min_cell:
                found[name] = feasible
    return found


def _protect(
    group: Sequence[Relation], counts: Mapping[str, Count], hidden: set[str], min_cell: int
) -> None:
    """Hide more of one group of relations, the least worthy count first."""
    while True:
        weak = exposed(counts, frozenset(hidden), group, min_cell)
        if not weak:
            return
        candidates = _printed(group, counts, hidden)
        beside = _printed([r for r in group if _touches(r, weak)], counts, hidden)
        if not candidates:
            return  # nothing is printed any more, so nothing is left that could be worked out
        hidden.add(_least_worthy(beside or candidates, counts))


def _holds(relation: Relation, counts: Mapping[str, Count]) -> bool:
    """Whether the numbers keep a relation. R's defects can break one, and then nobody can work
    anything out by it.
    """
    if any(name not in counts for _, name in relation.terms):
        return True
    total = sum(factor * counts[name].n for factor, name in relation.terms)
    return relation.low - ROUNDING <= total <= relation.high + ROUNDING


def _touches(relation: Relation, names: Mapping[str, Range]) -> bool:
    return any(name in names for _, name in relation.terms)


def _printed(group: Sequence[Relation], counts: Mapping[str, Count], hidden: set[str]) -> list[str]:
    names = dict.fromkeys(name for relation in group for _, name in relation.terms)
    return [name for name in names if _is_printed(name, counts) and name not in hidden]


def _is_printed(name: str, counts: Mapping[str, Count]) -> bool:
    """Whether a count has a cell of its own. A complement has none: it follows from the others."""
    return name in counts and not counts[name].complement


def _least_worthy(names: Sequence[str], counts: Mapping[str, Count]) -> str:
    """Of equally worthy counts the smallest, which costs least; a count of nobody hides nobody, so
    it comes last.
    """

    def rank(name: str) -> tuple[int, bool, float, str]:
        count = counts[name]
        return count.worth, count.n == 0, count.n, name

    return min(names, key=rank)


# ---- one system of sums --------------------------------------------------------------


class _System(NamedTuple):
    """Relations with the printed counts filled in: low <= matrix @ unknown <= high, unknown >= 0.

    matrix : shape (relations, unknowns).
    """

    unknown: tuple[str, ...]
    matrix: npt.NDArray[np.float64]
    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]
    ceiling: float
    whole: bool

    @classmethod
    def of(
        cls, group: Sequence[Relation], counts: Mapping[str, Count], hidden: frozenset[str]
    ) -> _System:
        names = dict.fromkeys(name for relation in group for _, name in relation.terms)
        unknown = tuple(n for n in names if n in hidden or not _is_printed(n, counts))
        place = {name: i for i, name in enumerate(unknown)}
        matrix = np.zeros((len(group), len(unknown)))
        low = np.array([relation.low for relation in group], dtype=np.float64)
        high = np.array([relation.high for relation in group], dtype=np.float64)
        for i, relation in enumerate(group):
            for factor, name in relation.terms:
                if name in place:
                    matrix[i, place[name]] += factor
                else:
                    printed = factor * counts[name].n
                    low[i] -= printed
                    high[i] -= printed
        numbers = [counts[name].n for name in names if name in counts]
        whole = all(float(n).is_integer() for n in numbers)
        ceiling = 2 * sum(numbers) + FAR
        return cls(unknown=unknown, matrix=matrix, low=low, high=high, ceiling=ceiling, whole=whole)

    def to_protect(self, hidden: frozenset[str]) -> list[str]:
        return [name for name in self.unknown if name in hidden]

    def range_of(self, name: str) -> Range:
        place = self.unknown.index(name)
        if len(self.matrix) == 1:
            return self._range_in_one_sum(place)
        return Range(low=self._end(place, 1.0), high=-self._end(place, -1.0))

    def _range_in_one_sum(self, place: int) -> Range:
        """All others at their lowest, or at their highest."""
        others = np.delete(self.matrix[0], place) * self.ceiling
        least, most = np.minimum(others, 0).sum(), np.maximum(others, 0).sum()
        factor = self.matrix[0, place]
        ends = sorted(((self.low[0] - most) / factor, (self.high[0] - least) / factor))
        return Range(low=max(float(ends[0]), 0.0), high=min(float(ends[1]), self.ceiling))

    def _end(self, place: int, sign: float) -> float:
        """The least value of sign x unknown; infinity where no values fit at all."""
        from scipy import optimize

        goal = np.zeros(len(self.unknown))
        goal[place] = sign
        # a hair of room, so that means, which are rounded, are no contradiction
        sums = optimize.LinearConstraint(self.matrix, self.low - ROUNDING, self.high + ROUNDING)
        solved = optimize.milp(
            goal,
            constraints=sums,
            bounds=optimize.Bounds(0, self.ceiling),
            integrality=np.full(len(goal), int(self.whole)),
        )
        return float(solved.fun) if solved.status == 0 else math.inf


def _connected(relations: Sequence[Relation]) -> list[list[Relation]]:
    """Relations in groups that share no count."""
    groups: list[tuple[set[str], list[Relation]]] = []
    for relation in relations:
        names = {name for _, name in relation.terms}
        members = [relation]
        apart = []
        for known, group in groups:
            if known.isdisjoint(names):
                apart.append((known, group))
            else:
                names |= known
                members = group + members
        groups = [*apart, (names, members)]
    return [members for _, members in groups]
