"""What the printed sums reveal.

An attacker reads the printed counts and solves the relations to the hidden ones, knowing that
numbers of people are never negative. The audit asks for each hidden count how many values it could
have, and hides more until every one of them could have at least `min_cell`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from .document import Count, Relation
from .gaps import steps, values_in
from .sums import ROUNDING, Group, Range, Seen, is_narrow, is_printed, narrow, narrow_by_bounds

__all__ = ["KEPT", "Range", "exposed", "hide_more"]

KEPT = 9  # counts of this worth are hidden for the sake of others only when nothing else is left


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
    # values that fit go on fitting: hiding more only leaves more of them
    seen = Seen(counts, kept)
    while True:
        fixed = {n for n, count in counts.items() if count.worth >= KEPT and n not in hidden}
        given_up = None
        for relations in _connected(kept, fixed):
            group = Group(relations, counts)
            given_up = given_up or _protect(group, hidden, fixed, min_cell, seen)
            given_up = given_up or _fill_gaps(group, hidden, fixed, min_cell, seen)
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
    distinct = list(dict.fromkeys(relations))
    seen = Seen(counts, distinct)
    ranges: dict[str, Range] = {}
    for relations in _connected(distinct, fixed):
        group = Group(relations, counts)
        narrow = _doubtful(group, hidden, min_cell, seen)
        for name in [*narrow, *_with_gaps(group, hidden, min_cell, seen)]:
            ranges[name] = group.system_of(name, hidden).feasible(name, seen)
    return ranges


def _protect(
    group: Group, hidden: set[str], fixed: Collection[str], min_cell: int, seen: Seen
) -> str | None:
    """Hide more of one group of relations, the least worthy count first. A count of the fixed ones
    is returned when nothing else is left.
    """
    doubtful = _doubtful(group, hidden, min_cell, seen)
    # what was safe stays safe
    while doubtful:
        name = doubtful[-1]
        if not _is_doubtful(name, group, hidden, min_cell, seen):
            doubtful.pop()
            continue
        chosen = _to_hide_for(name, group, hidden, fixed)
        if chosen is None or chosen in fixed:
            return chosen
        hidden.add(chosen)
        doubtful.append(chosen)
    return None


def _fill_gaps(
    group: Group, hidden: Collection[str], fixed: Collection[str], min_cell: int, seen: Seen
) -> str | None:
    """What to hide for the sake of a count that has enough room, but too few values in it."""
    for name in _with_gaps(group, hidden, min_cell, seen):
        chosen = _to_hide_for(name, group, hidden, fixed)
        if chosen is not None:
            return chosen
    return None


def _with_gaps(group: Group, hidden: Collection[str], min_cell: int, seen: Seen) -> Iterator[str]:
    """Hidden counts of which gaps leave too few values."""
    for system in group.systems(hidden):
        step_of = steps(system)
        for name in system.among(hidden):
            step = step_of[name]
            if step > 1 and values_in(system.feasible(name, seen), step) < min_cell:
                yield name


def _to_hide_for(
    name: str, group: Group, hidden: Collection[str], fixed: Collection[str]
) -> str | None:
    """The least worthy printed count beside a hidden one; a fixed one, or one further away, only
    if there is no other; None if nothing is printed.
    """
    printed = _printed(group, hidden)
    beside = [other for other in group.beside(name) if other in printed]
    candidates = _without(beside, fixed) or _without(printed, fixed) or printed
    return _least_worthy(candidates, group.counts) if candidates else None


def _is_doubtful(
    name: str, group: Group, hidden: Collection[str], min_cell: int, seen: Seen
) -> bool:
    """Whether one hidden count has too few values; most can be told from what is near them."""
    if seen.values_of(name) >= min_cell:
        return False
    system = group.system_of(name, hidden)
    if name in narrow_by_bounds(system, [name], min_cell):
        return True
    if not is_narrow(group.around(name, hidden), name, min_cell, seen):
        return False
    return is_narrow(system, name, min_cell, seen)


def _doubtful(group: Group, hidden: Collection[str], min_cell: int, seen: Seen) -> list[str]:
    """Hidden counts with too few values, in the order in which relations name them."""
    found: set[str] = set()
    for system in group.systems(hidden):
        found.update(narrow(system, system.among(hidden), min_cell, seen))
    return [name for name in group.names if name in found]


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


def _printed(group: Group, hidden: Collection[str]) -> list[str]:
    printed = [name for name in group.names if is_printed(name, group.counts)]
    return _without(printed, hidden)


def _least_worthy(names: Sequence[str], counts: Mapping[str, Count]) -> str:
    """The count of least worth; of equals the smallest, which costs least. A count of 0 protects
    nobody, so it comes last.
    """

    def rank(name: str) -> tuple[int, bool, float, str]:
        count = counts[name]
        return count.worth, count.n == 0, count.n, name

    return min(names, key=rank)


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
