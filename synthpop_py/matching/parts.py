"""Targets about whom the same is known, together: a statement that is not a value becomes a
separate key, "agrees with the statement", and everything after it compares values as usual.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..core.arrays import Flags, Integers
from ..core.coding import encode
from ..core.columns import Column
from .distances import squared_reach
from .effort import announce_statements
from .intervals import Fixed, bounds
from .keys import ExactKey, MatchKeys, NumericKey, Stated
from .knowledge import Between
from .problem import Problem, prepare

__all__ = ["Part", "about", "contradictions", "one_problem", "parts"]

HALF = Fixed(0.5)  # between the numbers 0 and 1 that say whether a statement holds


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some targets (positions) and their problem."""

    targets: Integers
    problem: Problem


def one_problem(keys: MatchKeys, units: Integers | None) -> Problem | None:
    """The problem of all targets where every key is a value, and N_t the same for equal keys."""
    if any(key.stated is not None for key in keys.all):
        return None
    problem = prepare(keys)
    if units is not None and _layers(problem, units).any():
        return None
    return problem


def parts(keys: MatchKeys, units: Integers | None) -> Iterator[Part]:
    """The targets by what is known about them, one problem after the other: together they would
    need memory for every statement and record.
    """
    groups = _known_alike(keys)
    announce_statements(len(groups), keys.n * keys.sets, keys.most_pairs)
    for targets in groups:
        problem = prepare(about(keys, targets))
        layer = np.zeros(len(targets), dtype=np.int64)
        if units is not None:
            layer = _layers(problem, units[targets])
        if not layer.any():
            yield Part(targets, problem)
            continue
        for number in range(int(layer.max()) + 1):
            some = targets[layer == number]
            yield Part(some, prepare(about(keys, some)))


def _known_alike(keys: MatchKeys) -> list[Integers]:
    """Positions of targets with the same statements."""
    number = np.zeros(keys.targets, dtype=np.int64)
    for key in keys.all:
        if key.stated is not None:
            code = number * (len(key.stated.statements) + 1) + key.stated.of_target + 1
            number = np.unique(code, return_inverse=True)[1].reshape(-1)
    order = np.argsort(number, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(number[order])) + 1)


def _layers(problem: Problem, units: Integers) -> Integers:
    """0 for targets with the first N_t of their key, 1 for those with another one, and so on."""
    of_target = problem.targets.of_record
    pairs = np.unique(np.stack([of_target, units]), axis=1, return_inverse=True)
    (key, _), pair = pairs[0], pairs[1].reshape(-1)
    # pairs are in the order of their keys
    first_of_key = np.searchsorted(key, key, side="left")
    layer: Integers = (np.arange(len(key)) - first_of_key)[pair]
    return layer


def about(keys: MatchKeys, targets: Integers) -> MatchKeys:
    """The keys of targets with the same statements; a key about which nothing is known is left
    out.
    """
    keys = _with_original_apart(keys)
    exact: list[ExactKey] = []
    numeric: list[NumericKey] = []
    for key in keys.all:
        statement = -1 if key.stated is None else int(key.stated.of_target[targets[0]])
        if statement >= 0:
            _add_flags(key, statement, len(targets), exact, numeric)
        elif isinstance(key, ExactKey):
            exact.append(_exact_of(key, targets))
        else:
            numeric.append(_numeric_of(key, targets))
    return replace(
        keys,
        exact=tuple(exact),
        numeric=tuple(numeric),
        rows=(len(targets), *keys.rows[1:]),
        records=None if keys.records is None else keys.records[targets],
    )


def _with_original_apart(keys: MatchKeys) -> MatchKeys:
    """The same with the original as a separate table, so some of the targets can be left out."""
    if keys.records is not None:
        return keys
    return replace(
        keys,
        exact=tuple(_exact_twice(key) for key in keys.exact),
        numeric=tuple(_numeric_twice(key) for key in keys.numeric),
        rows=(*keys.rows, keys.rows[0]),
        truth=len(keys.rows),
        records=np.arange(keys.targets),
    )


def _exact_twice(key: ExactKey) -> ExactKey:
    codes = key.variable.codes
    return replace(key, variable=replace(key.variable, codes=(*codes, codes[0])))


def _numeric_twice(key: NumericKey) -> NumericKey:
    missing = key.missing
    if missing is not None:
        missing = (*missing, missing[0])
    return replace(key, values=(*key.values, key.values[0]), missing=missing)


def _exact_of(key: ExactKey, targets: Integers) -> ExactKey:
    first, *others = key.variable.codes
    variable = replace(key.variable, codes=(first[targets], *others))
    return replace(key, variable=variable, stated=None)


def _numeric_of(key: NumericKey, targets: Integers) -> NumericKey:
    values = (key.values[0][targets], *key.values[1:])
    missing = key.missing
    if missing is not None:
        missing = (missing[0][targets], *missing[1:])
    return replace(key, values=values, missing=missing, stated=None)


def _add_flags(
    key: ExactKey | NumericKey,
    number: int,
    targets: int,
    exact: list[ExactKey],
    numeric: list[NumericKey],
) -> None:
    """A key that says whether a statement holds, which it does for the targets."""
    statement = _stated(key).statements[number]
    if statement.says_nothing:
        return
    tables = 1 + _other_tables(key)
    flags = [np.ones(targets, dtype=bool)]
    flags += [holds(key, number, table) for table in range(1, tables)]
    # ends of a synthesised key are an interval: the fallback to categories drops it
    if isinstance(statement, Between) and not key.known:
        values = tuple(flag.astype(np.float64) for flag in flags)
        numeric.append(
            NumericKey(name=key.name, known=False, values=values, missing=None, interval=HALF)
        )
        return
    columns = [Column("logical", flag.astype(np.int64)) for flag in flags]
    variable = encode(f"{key.name} agrees", columns)
    exact.append(ExactKey(key.name, variable, key.known))


def _other_tables(key: ExactKey | NumericKey) -> int:
    tables = key.variable.codes if isinstance(key, ExactKey) else key.values
    return len(tables) - 1


def _stated(key: ExactKey | NumericKey) -> Stated:
    assert key.stated is not None
    return key.stated


def holds(key: ExactKey | NumericKey, number: int, table: int) -> Flags:
    """Which records of a table agree with a statement."""
    stated = _stated(key)
    if isinstance(key, ExactKey):
        return stated.admits[number][key.variable.own_codes(table)]
    return stated.statements[number].holds(key.values[table], key.gaps(table))


def contradictions(keys: MatchKeys) -> Integers:
    """Targets whose keys differ from those of the original record they are declared to be; numbers
    that need only be near, if they are not.
    """
    if keys.records is None:
        return np.zeros(0, dtype=np.int64)
    inside = np.flatnonzero(keys.records >= 0)
    wrong = _beyond_distance(keys, inside)
    for key in keys.all:
        statement = np.full(len(inside), -1)
        if key.stated is not None:
            statement = key.stated.of_target[inside]
            for number in range(len(key.stated.statements)):
                agrees = holds(key, number, keys.truth)[keys.records[inside]]
                wrong |= (statement == number) & ~agrees
        wrong |= (statement < 0) & _differs(key, keys, inside)
    return inside[wrong]


def _differs(key: ExactKey | NumericKey, keys: MatchKeys, inside: Integers) -> Flags:
    """Which of these targets have another value than their record, or one that is not near."""
    assert keys.records is not None
    records = keys.records[inside]
    if isinstance(key, ExactKey):
        codes = key.variable.codes
        other: Flags = codes[0][inside] != codes[keys.truth][records]
        return other
    gap = key.gaps(0)[inside]
    differs: Flags = gap != key.gaps(keys.truth)[records]
    if key.interval is not None:
        own = key.values[0][inside]
        radii = key.interval.radii(own, key.present(keys.truth))
        # closed whatever was asked for: a value on the boundary is no sign of a mistake
        lowest, highest = bounds(own, radii, "closed")
        value = key.values[keys.truth][records]
        differs |= ~gap & ((value < lowest) | (value > highest))
    return differs


def _beyond_distance(keys: MatchKeys, inside: Integers) -> Flags:
    """Which of these targets are further from their record than the joint distance allows."""
    if keys.distance is None or keys.records is None:
        return np.zeros(len(inside), dtype=bool)
    by_name = {key.name: key for key in keys.numeric}
    columns = [by_name[name] for name in keys.distance.columns or ()]
    original = np.column_stack([key.with_gaps()[keys.truth] for key in columns])
    whitening = keys.distance.whitening(original)
    own = np.column_stack([key.values[0] for key in columns])[inside] @ whitening.T
    values = np.column_stack([key.values[keys.truth] for key in columns])
    gaps = own - values[keys.records[inside]] @ whitening.T
    far: Flags = (gaps**2).sum(axis=1) > squared_reach(own, keys.distance.radius, "closed")
    return far
