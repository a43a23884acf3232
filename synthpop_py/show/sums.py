"""Systems of sums: printed counts filled in, hidden ones unknown. Which values could these have?

Decided by bounds where those settle it, by values that were seen to fit before, and only then by a
solver of whole numbers.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .document import Count, Relation

ROUNDING = 1e-6
# More than the solver's own tolerance, 1e-6. Where sums with means leave no more room than that, it
# takes solutions back as slightly off, and prints a remark from C to standard output.
ROOM_OF_MEANS = 1e-5
SLACK = 1e-4  # by which bounds are wider than what the solver takes for a solution
ROUNDS = 8  # of bounds from bounds; where these do not settle it, the solver does
STEPS = 3  # from relation to relation: so far is near
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


Ends = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]
NO_VALUE = Range(low=math.inf, high=-math.inf)


class Seen:
    """The lowest and highest value of every count in the solutions so far; the true values are the
    first.
    """

    def __init__(self, counts: Mapping[str, Count], relations: Sequence[Relation]) -> None:
        named = (name for relation in relations for _, name in relation.terms)
        names = dict.fromkeys([*counts, *named])
        self._place = {name: place for place, name in enumerate(names)}
        true = [float(counts[name].n) if name in counts else math.nan for name in names]
        self._low = np.array(true)
        self._high = self._low.copy()

    def note(self, unknown: Sequence[str], values: Ends | None) -> None:
        if values is None:
            return
        places = [self._place[name] for name in unknown]
        self._low[places] = np.fmin(self._low[places], values)
        self._high[places] = np.fmax(self._high[places], values)

    def values_of(self, name: str) -> float:
        """How many values a count is known to have at least."""
        place = self._place[name]
        low, high = float(self._low[place]), float(self._high[place])
        return 0 if math.isnan(low) else Range(low=low, high=high).values


class Terms(NamedTuple):
    """Factors by relation and unknown, shape (terms,): in the order of unknowns."""

    row: Integers
    column: Integers
    factor: Ends


class System(NamedTuple):
    """Relations with the printed counts filled in: low <= terms @ unknown <= high, unknown >= 0.

    low, high : shape (relations,).
    ceiling : what no unknown is tried above.
    whole : 1 for each unknown that is a whole number, 0 for means and expectations.
    """

    unknown: tuple[str, ...]
    terms: Terms
    low: Ends
    high: Ends
    ceiling: float
    whole: Integers

    def among(self, names: Collection[str]) -> list[str]:
        return [name for name in self.unknown if name in names]

    def feasible(self, name: str, seen: Seen) -> Range:
        """The values that one unknown could have."""
        column = self.unknown.index(name)
        lowest = self.solved([column], 1.0, seen)
        highest = self.solved([column], -1.0, seen)
        if lowest is None or highest is None:
            return NO_VALUE
        return Range(low=float(lowest[column]), high=float(highest[column]))

    def solved(self, columns: Sequence[int], sign: float, seen: Seen) -> Ends | None:
        """Values of all unknowns for which the sum of some is least (sign 1) or highest (-1); None
        where no values fit at all.
        """
        from scipy import optimize, sparse

        goal = np.zeros(len(self.unknown))
        goal[list(columns)] = sign
        places = (self.terms.row, self.terms.column)
        shape = (len(self.low), len(self.unknown))
        matrix = sparse.csc_array((self.terms.factor, places), shape=shape)
        # a hair of room, so that means, which are rounded, are no contradiction
        room = ROUNDING if self.whole.all() else ROOM_OF_MEANS
        sums = optimize.LinearConstraint(matrix, self.low - room, self.high + room)
        solved = optimize.milp(
            goal,
            constraints=sums,
            bounds=optimize.Bounds(0, self.ceiling),
            integrality=self.whole,
        )
        values = solved.x if solved.status == 0 else None
        seen.note(self.unknown, values)
        return values

    def bounds(self) -> tuple[Ends, Ends]:
        """Ends that no unknown can be beyond: each relation bounds each of its unknowns by what the
        others leave, again with the new bounds. The true ranges may be narrower, never wider.
        """
        lowest, highest = np.zeros(len(self.unknown)), np.full(len(self.unknown), self.ceiling)
        for _ in range(ROUNDS):
            down, up = self._left_by_others(lowest, highest)
            higher = np.maximum(lowest, np.where(self.whole, np.ceil(down - SLACK), down))
            lower = np.minimum(highest, np.where(self.whole, np.floor(up + SLACK), up))
            if np.array_equal(lowest, higher) and np.array_equal(highest, lower):
                break
            lowest, highest = higher, lower
        return lowest, highest

    def _left_by_others(self, lowest: Ends, highest: Ends) -> tuple[Ends, Ends]:
        """The ends of each unknown, given those of the others in its relations."""
        row, column, factor = self.terms
        ends = factor * lowest[column], factor * highest[column]
        least, most = np.minimum(*ends), np.maximum(*ends)
        others_least = np.bincount(row, least, len(self.low))[row] - least
        others_most = np.bincount(row, most, len(self.low))[row] - most
        # a factor of 0 (a limit of 0 per cent) bounds nothing
        bounds = factor != 0
        divisor = np.where(bounds, factor, 1.0)
        rooms = (
            (self.low[row] - SLACK - others_most) / divisor,
            (self.high[row] + SLACK - others_least) / divisor,
        )
        # every unknown is in some relation, so that none is without terms
        first = np.searchsorted(column, np.arange(len(self.unknown)))
        down = np.maximum.reduceat(np.where(bounds, np.minimum(*rooms), -np.inf), first)
        up = np.minimum.reduceat(np.where(bounds, np.maximum(*rooms), np.inf), first)
        return down, up


def narrow(system: System, names: Sequence[str], min_cell: int, seen: Seen) -> list[str]:
    """Those of some unknowns that could have fewer than `min_cell` values.

    Every solution that is found is a value for all of them, so that most are seen to be safe after
    the first two.
    """
    doubtful = [name for name in names if seen.values_of(name) < min_cell]
    if not doubtful:
        return []
    settled = set(narrow_by_bounds(system, doubtful, min_cell))
    undecided = [name for name in doubtful if name not in settled]
    if len(undecided) > 1:
        columns = [system.unknown.index(name) for name in undecided]
        for sign in (1.0, -1.0):
            system.solved(columns, sign, seen)
    settled |= {name for name in undecided if is_narrow(system, name, min_cell, seen)}
    return [name for name in names if name in settled]


def narrow_by_bounds(system: System, names: Sequence[str], min_cell: int) -> list[str]:
    """Those that have fewer values even if nothing else were known than the bounds."""
    lowest, highest = system.bounds()
    found = []
    for name in names:
        column = system.unknown.index(name)
        widest = Range(low=float(lowest[column]) - SLACK, high=float(highest[column]) + SLACK)
        if widest.values < min_cell:
            found.append(name)
    return found


def is_narrow(system: System, name: str, min_cell: int, seen: Seen) -> bool:
    """By the solver, from above first: most unknowns have room there."""
    column = system.unknown.index(name)
    for sign in (-1.0, 1.0):
        if seen.values_of(name) >= min_cell:
            return False
        if system.solved([column], sign, seen) is None:
            return True
    return seen.values_of(name) < min_cell


# ---- from relations ------------------------------------------------------------------


def is_printed(name: str, counts: Mapping[str, Count]) -> bool:
    """Whether a count has a cell of its own. A complement has none: it follows from the others."""
    return name in counts and not counts[name].complement


def _terms_of(relations: Sequence[Relation]) -> tuple[Terms, dict[str, int]]:
    """All terms in the order of counts, and the place of each count."""
    places: dict[str, int] = {}
    rows, columns, factors = [], [], []
    for row, relation in enumerate(relations):
        for factor, name in relation.terms:
            rows.append(row)
            columns.append(places.setdefault(name, len(places)))
            factors.append(factor)
    in_order = np.argsort(columns, kind="stable")
    terms = Terms(
        row=np.array(rows, dtype=np.int64)[in_order],
        column=np.array(columns, dtype=np.int64)[in_order],
        factor=np.array(factors, dtype=np.float64)[in_order],
    )
    return terms, places


class Group:
    """Relations, and systems of them: those that share an unknown are in one.

    Attributes
    ----------
    names : of all counts, in the order in which relations name them.
    """

    def __init__(self, relations: Sequence[Relation], counts: Mapping[str, Count]) -> None:
        self.relations = relations
        self.counts = counts
        self._terms, self._place = _terms_of(relations)
        self.names = list(self._place)
        self._low = np.array([relation.low for relation in relations], dtype=np.float64)
        self._high = np.array([relation.high for relation in relations], dtype=np.float64)
        true = [float(counts[name].n) if name in counts else math.nan for name in self.names]
        self._numbers: Ends = np.array(true)
        self._ceiling = 2 * float(np.nansum(self._numbers)) + FAR
        never = [not is_printed(name, counts) for name in self.names]
        self._never_printed: Flags = np.array(never)
        known = ~np.isnan(self._numbers)
        is_whole = self._numbers == np.rint(self._numbers)
        self._whole = np.where(known, is_whole, is_whole[known].all()).astype(np.int64)

    def beside(self, name: str) -> set[str]:
        """The counts in the same relations."""
        row, place, _ = self._terms
        rows = row[place == self._place[name]]
        return {other for number in set(rows.tolist()) for _, other in self.relations[number].terms}

    def systems(self, hidden: Collection[str]) -> Iterator[System]:
        """All systems, each once."""
        unknown = self._unknown(hidden)
        system_of_place = self._parts(unknown)
        for number in dict.fromkeys(system_of_place[unknown].tolist()):
            yield self._system(unknown & (system_of_place == number), unknown)

    def system_of(self, name: str, hidden: Collection[str]) -> System:
        """The system of one unknown: what hangs together with it."""
        unknown = self._unknown(hidden)
        system_of_place = self._parts(unknown)
        wanted = system_of_place == system_of_place[self._place[name]]
        return self._system(unknown & wanted, unknown)

    def around(self, name: str, hidden: Collection[str]) -> System:
        """What is near one unknown, the rest as it is in truth: whatever fits here fits."""
        unknown = self._unknown(hidden)
        row, place, _ = self._terms
        near = np.zeros(len(self.names), dtype=bool)
        near[self._place[name]] = True
        for _ in range(STEPS):
            is_near = np.bincount(row[near[place]], minlength=len(self.relations)) > 0
            reached = np.bincount(place[is_near[row]], minlength=len(self.names)) > 0
            near |= reached & unknown
        # of a count without a number nothing can be said in truth
        near |= unknown & np.isnan(self._numbers)
        return self._system(near, near)

    def _unknown(self, hidden: Collection[str]) -> Flags:
        is_hidden: Flags = np.array([name in hidden for name in self.names])
        return np.logical_or(self._never_printed, is_hidden)

    def _parts(self, unknown: Flags) -> Integers:
        """For each count the number of its system: unknowns hang together by relations."""
        from scipy.sparse import csgraph, csr_array

        ties = unknown[self._terms.column]
        # relations are numbered after the counts
        ends = self._terms.column[ties], self._terms.row[ties] + len(self.names)
        size = len(self.names) + len(self.relations)
        graph = csr_array((np.ones(len(ends[0])), ends), shape=(size, size))
        parts: Integers = csgraph.connected_components(graph, directed=False)[1]
        return parts[: len(self.names)]

    def _system(self, wanted: Flags, unknown: Flags) -> System:
        """The system of some unknowns, which share no relation with others."""
        row, place, factor = self._terms
        of_system = wanted[place]
        rows = np.flatnonzero(np.bincount(row[of_system], minlength=len(self.relations)))
        is_printed_term = ~unknown[place]
        printed = np.bincount(
            row[is_printed_term],
            weights=factor[is_printed_term] * self._numbers[place[is_printed_term]],
            minlength=len(self.relations),
        )
        new_row, new_place = np.cumsum(_marks(rows, len(self.relations))), np.cumsum(wanted)
        return System(
            unknown=tuple(self.names[place] for place in np.flatnonzero(wanted)),
            terms=Terms(
                row=new_row[row[of_system]] - 1,
                column=new_place[place[of_system]] - 1,
                factor=factor[of_system],
            ),
            low=(self._low - printed)[rows],
            high=(self._high - printed)[rows],
            ceiling=self._ceiling,
            whole=self._whole[wanted],
        )


def _marks(places: Integers, size: int) -> Integers:
    marks = np.zeros(size, dtype=np.int64)
    marks[places] = 1
    return marks
