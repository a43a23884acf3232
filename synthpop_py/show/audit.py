"""What the printed sums reveal.

An attacker reads the printed counts and solves the relations to the hidden ones, knowing that
numbers of people are never negative. The audit asks for each hidden count how many values it could
have, and hides more until every one of them could have at least `min_cell`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .document import Count, Relation

ROUNDING = 1e-6
FAR = 1_000_000  # a count that the sums do not bound is looked for up to here and no further
KEPT = 9  # counts of this worth are hidden for the sake of others only when nothing else is left


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
    relations: Iterable[Relation],
    min_cell: int,
) -> frozenset[str]:
    """The small counts and as many others as needed: afterwards every hidden count could have at
    least `min_cell` values.
    """
    kept = [r for r in dict.fromkeys(relations) if _holds(r, counts)]
    hidden = set(small)
    while True:
        fixed = {n for n, count in counts.items() if count.worth >= KEPT and n not in hidden}
        given_up = None
        for group in _connected(kept, fixed):
            given_up = given_up or _protect(group, counts, hidden, fixed, min_cell)
        if given_up is None:
            return frozenset(hidden)
        hidden.add(given_up)


def exposed(
    counts: Mapping[str, Count],
    hidden: frozenset[str],
    relations: Iterable[Relation],
    min_cell: int,
) -> dict[str, Range]:
    """Hidden counts that have fewer than `min_cell` feasible values, with their ranges. Empty if
    the audit passes.
    """
    fixed = {name for name, count in counts.items() if name not in hidden and count.worth >= KEPT}
    ranges: dict[str, Range] = {}
    for group in _connected(list(dict.fromkeys(relations)), fixed):
        system = _System.of(group, counts, hidden)
        ranges |= system.too_narrow(system.to_protect(hidden), counts, min_cell)
    return ranges


def _protect(
    group: Sequence[Relation],
    counts: Mapping[str, Count],
    hidden: set[str],
    fixed: Collection[str],
    min_cell: int,
) -> str | None:
    """Hide more of one group of relations, the least worthy count first. A count of the fixed ones
    is returned when nothing else is left.
    """
    system = _System.of(group, counts, hidden)
    doubtful = list(system.too_narrow(system.to_protect(hidden), counts, min_cell))
    # what was safe stays safe: hiding more only leaves more values
    while doubtful:
        name = doubtful[-1]
        if not _System.of(group, counts, hidden).too_narrow([name], counts, min_cell):
            doubtful.pop()
            continue
        printed = _printed(group, counts, hidden)
        in_the_same_sums = [relation for relation in group if _has(relation, name)]
        beside = _printed(in_the_same_sums, counts, hidden)
        candidates = _without(beside, fixed) or _without(printed, fixed)
        if not candidates:
            return _least_worthy(printed, counts) if printed else None
        chosen = _least_worthy(candidates, counts)
        hidden.add(chosen)
        doubtful.append(chosen)
    return None


def _holds(relation: Relation, counts: Mapping[str, Count]) -> bool:
    """Whether the numbers keep a relation. R's defects can break one, and then nobody can work
    anything out from it.
    """
    if any(name not in counts for _, name in relation.terms):
        return True
    total = sum(factor * counts[name].n for factor, name in relation.terms)
    return relation.low - ROUNDING <= total <= relation.high + ROUNDING


def _without(names: Sequence[str], fixed: Collection[str]) -> list[str]:
    return [name for name in names if name not in fixed]


def _has(relation: Relation, name: str) -> bool:
    return any(other == name for _, other in relation.terms)


def _names(group: Sequence[Relation]) -> list[str]:
    names: dict[str, None] = {}  # in order, each once
    for relation in group:
        names |= dict.fromkeys(name for _, name in relation.terms)
    return list(names)


def _printed(
    group: Sequence[Relation], counts: Mapping[str, Count], hidden: Collection[str]
) -> list[str]:
    printed = [name for name in _names(group) if _is_printed(name, counts)]
    return _without(printed, hidden)


def _is_printed(name: str, counts: Mapping[str, Count]) -> bool:
    """Whether a count has a cell of its own. A complement has no cell: it follows from the
    others.
    """
    return name in counts and not counts[name].complement


def _least_worthy(names: Sequence[str], counts: Mapping[str, Count]) -> str:
    """The count of least worth; of equals the smallest, which costs least. A count of 0 protects
    nobody, so it comes last.
    """

    def rank(name: str) -> tuple[int, bool, float, str]:
        count = counts[name]
        return count.worth, count.n == 0, count.n, name

    return min(names, key=rank)


# ---- one system of sums --------------------------------------------------------------


class _System(NamedTuple):
    """Relations with the printed counts filled in: low <= matrix @ unknown <= high, unknown >= 0.

    matrix : shape (relations, unknowns).
    ceiling : what no unknown is tried above.
    whole : 1 for each unknown that is a whole number, 0 for means and expectations.
    """

    unknown: tuple[str, ...]
    matrix: npt.NDArray[np.float64]
    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]
    ceiling: float
    whole: npt.NDArray[np.int64]

    @classmethod
    def of(
        cls, group: Sequence[Relation], counts: Mapping[str, Count], hidden: Collection[str]
    ) -> _System:
        names = _names(group)
        unknown = tuple(n for n in names if n in hidden or not _is_printed(n, counts))
        column_of = {name: column for column, name in enumerate(unknown)}
        matrix = np.zeros((len(group), len(unknown)))
        printed = np.zeros(len(group))
        for row, relation in enumerate(group):
            for factor, name in relation.terms:
                if name in column_of:
                    matrix[row, column_of[name]] += factor
                else:
                    printed[row] += factor * counts[name].n
        low = np.array([relation.low for relation in group]) - printed
        high = np.array([relation.high for relation in group]) - printed
        numbers = {name: float(counts[name].n) for name in names if name in counts}
        all_whole = all(n.is_integer() for n in numbers.values())
        whole = [numbers[n].is_integer() if n in numbers else all_whole for n in unknown]
        used = matrix.any(axis=1)
        return cls(
            unknown=unknown,
            matrix=matrix[used],
            low=low[used],
            high=high[used],
            ceiling=2 * sum(numbers.values()) + FAR,
            whole=np.array(whole, dtype=np.int64),
        )

    def to_protect(self, hidden: Collection[str]) -> list[str]:
        return [name for name in self.unknown if name in hidden]

    def too_narrow(
        self, names: Sequence[str], counts: Mapping[str, Count], min_cell: int
    ) -> dict[str, Range]:
        """Those of some hidden counts that could have fewer than `min_cell` values.

        Every solution gives a value for all of them, so most are known to be safe after the first
        two.
        """
        columns = [self.unknown.index(name) for name in names]
        if not columns:
            return {}
        seen = _Seen([counts[name].n if name in counts else math.nan for name in self.unknown])
        for sign in (1.0, -1.0):
            seen.note(self._solved(columns, sign))
        narrow = {}
        for name, column in zip(names, columns):
            if seen.range_of(column).values >= min_cell:
                continue
            feasible = self._feasible(column, seen)
            if feasible.values < min_cell:
                narrow[name] = feasible
        return narrow

    def _feasible(self, column: int, seen: _Seen) -> Range:
        """The values that one unknown could have."""
        lowest = self._solved([column], 1.0)
        highest = self._solved([column], -1.0)
        seen.note(lowest)
        seen.note(highest)
        if lowest is None or highest is None:
            return Range(low=math.inf, high=-math.inf)
        return Range(low=float(lowest[column]), high=float(highest[column]))

    def _solved(self, columns: Sequence[int], sign: float) -> npt.NDArray[np.float64] | None:
        """Values of all unknowns for which the sum of some is least (sign 1) or highest (-1); None
        where no values fit at all.
        """
        from scipy import optimize

        goal = np.zeros(len(self.unknown))
        goal[list(columns)] = sign
        # a small tolerance: means are rounded and must not contradict each other
        sums = optimize.LinearConstraint(self.matrix, self.low - ROUNDING, self.high + ROUNDING)
        solved = optimize.milp(
            goal,
            constraints=sums,
            bounds=optimize.Bounds(0, self.ceiling),
            integrality=self.whole,
        )
        return solved.x if solved.status == 0 else None


class _Seen:
    """The lowest and highest value of every unknown in the solutions so far; the true values are
    the first.
    """

    def __init__(self, values: Sequence[float]) -> None:
        self.low = np.array(values, dtype=np.float64)
        self.high = self.low.copy()

    def note(self, values: npt.NDArray[np.float64] | None) -> None:
        if values is not None:
            self.low = np.fmin(self.low, values)
            self.high = np.fmax(self.high, values)

    def range_of(self, column: int) -> Range:
        return Range(low=float(self.low[column]), high=float(self.high[column]))


def _connected(relations: Sequence[Relation], fixed: Collection[str]) -> list[list[Relation]]:
    """Relations in groups that share no count except fixed ones, which everyone knows."""
    groups: list[tuple[set[str], list[Relation]]] = []
    for relation in relations:
        names = {name for _, name in relation.terms if name not in fixed}
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
