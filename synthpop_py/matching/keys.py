"""The keys of all tables in one coding: where data frames end and arrays begin.

Table 0 holds the targets, then come the released sets, then the population where there is one; the
original is the last. Equal values have equal codes in all of them; missing is a level.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from copy import copy
from types import SimpleNamespace

import numpy as np
import pandas as pd

from ..core.arrays import Flags, Floats, Integers, Values, numbered
from ..core.coding import encode
from ..core.columns import Column
from ..errors import InputError
from ..tables.comparable import check_comparable, warn_of_mismatch
from .near import Interval
from .targets import Between, coarsened

LARGEST_CODE = 2**62
Tables = Sequence[Values]


class Key:
    """One key in all tables.

    Attributes
    ----------
    tables : one array per table: codes (int64, below `size`) of a key that must agree exactly;
        values (float64, infinite where missing, `size` 0) of one that must be near.
    interval : how near; None for exact keys, and for those that are judged by the distance.
    loose : the fallback to categories leaves it out.
    statement : of each target, -1 where its value is known. codes : by table. admits : by
        statement, the codes that agree with it; None where all do. ends : which are `Between`.
    """

    interval: Interval | None = None
    statement: Integers | None = None
    codes: Tables = ()
    admits: Sequence[Flags | None] = ()
    ends: Sequence[bool] = ()

    def __init__(self, name: Hashable, known: bool, tables: Tables, size: int) -> None:
        self.name, self.known, self.tables, self.size = name, known, tables, size
        self.loose = not size and not known

    def about(self, targets: Integers) -> Key | None:
        """The same for targets of whom the same is known: their values, or whether the statement
        about them holds; None where nothing is known.
        """
        key = copy(self)
        key.statement = None
        number = -1 if self.statement is None else int(self.statement[targets[0]])
        if number < 0:
            key.tables = (self.tables[0][targets], *self.tables[1:])
            return key
        admitted = self.admits[number]
        if admitted is None:
            return None
        holds = [admitted[codes].astype(np.int64) for codes in self.codes[1:]]
        key.tables = (np.ones(targets.size, np.int64), *holds)
        key.size, key.interval = 2, None
        # ends of a synthesised key are an interval
        key.loose = self.ends[number] and not key.known
        return key


class Keys:
    """All keys of one call, in the order known, synthesised.

    Attributes
    ----------
    rows : of each table. sets : released ones.
    records : int64, one per target: the row of the original, -1 for a target outside the file.
    """

    def __init__(
        self, all: Sequence[Key], rows: Sequence[int], sets: int, asked: SimpleNamespace
    ) -> None:
        self.all, self.rows, self.sets, self.records = all, rows, sets, asked.records
        self.distance, self.boundary = asked.distance, asked.boundary

    @property
    def n(self) -> int:
        """Records of the file."""
        return self.rows[-1]

    @property
    def together(self) -> list[Key]:
        """The keys of the distance, in its order."""
        names = () if self.distance is None else self.distance.columns
        by_name = {key.name: key for key in self.all if not key.size and key.interval is None}
        return [by_name[name] for name in names if name in by_name]

    def only(self, keys: Sequence[Key]) -> Keys:
        """The same question about some of the keys."""
        part = copy(self)
        part.all = keys
        return part

    def in_one_set(self, picks: Mapping[Hashable, Integers]) -> Keys:
        """With one set in place of all: for each key named, the value of every record in the set
        picked for it; for others the first.
        """
        part = self.only([copy(key) for key in self.all])

        def picked(tables: Tables) -> Tables:
            target, *released = tables
            sets, others = released[: self.sets], released[self.sets :]
            first = np.zeros(self.n, dtype=np.int64) if pick is None else pick
            one = np.take_along_axis(np.array(sets), first[None], axis=0)
            return (target, *one, *others)

        for key in part.all:
            pick = picks.get(key.name)
            key.tables = picked(key.tables)
            if key.statement is not None:
                key.codes = picked(key.codes)
        part.rows = [*self.rows[:2], *self.rows[self.sets + 1 :]]
        part.sets = 1
        return part

    def known_alike(self) -> list[Integers]:
        """Positions of targets with the same statements."""
        number = np.zeros(self.rows[0], dtype=np.int64)
        for key in self.all:
            if key.statement is not None:
                _, number = numbered(number * (len(key.admits) + 1) + key.statement + 1)
        order = np.argsort(number, kind="stable")
        return np.split(order, np.flatnonzero(np.diff(number[order])) + 1)

    def about(self, targets: Integers) -> Keys:
        """The same about targets of whom the same is known."""
        keys = [key.about(targets) for key in self.all]
        part = self.only([key for key in keys if key is not None])
        part.rows = [targets.size, *self.rows[1:]]
        part.records = self.records[targets]
        return part


def joined(
    keys: Sequence[tuple[Tables, int]], rows: Sequence[int], most: int
) -> tuple[list[Integers], int]:
    """One code for all keys, below `most`: an array per table, and how many codes are possible."""
    cells: list[Integers] = [np.zeros(number, dtype=np.int64) for number in rows]
    size = 1
    for tables, of_key in keys:
        if size > most // of_key:
            # only those that occur
            occurring, places = numbered(np.concatenate(cells))
            cells, size = np.split(places, np.cumsum(rows)[:-1]), occurring.size
        for cell, codes in zip(cells, tables):
            cell *= of_key
            cell += codes
        size *= of_key
    return cells, size


def read_keys(asked: SimpleNamespace, sets: Sequence[pd.DataFrame], *, drawn: bool = False) -> Keys:
    """Read and code every key. `drawn` sets hold the synthesised keys only; the known ones are the
    original's.
    """
    frames = {"the original data" if asked.given is None else "the targets": asked.values}
    for number, released in enumerate(sets, start=1):
        several = f"synthetic data set {number}"
        frames["the synthetic data" if len(sets) == 1 else several] = released
    if asked.population is not None:
        frames["the population"] = asked.population
    places = [*frames, "the original data"]
    tables = [*frames.values(), asked.original]
    keys = []
    for name in asked.keys:
        rule, known = asked.coarsen.get(name), name in asked.known
        of_key = list(tables)
        if known and drawn:
            of_key[1 : len(sets) + 1] = [asked.original] * len(sets)
        read: dict[int, Column] = {}
        for frame, place in zip(of_key, places):
            # a table given twice is read once
            if id(frame) not in read:
                read[id(frame)] = coarsened(name, rule, frame[name], place)
        columns = [read[id(frame)] for frame in of_key]
        key = _read_key(name, columns, places, asked, 0 if drawn else len(sets))
        if known:
            _check_unchanged(key, places[1 : len(sets) + 1])
        keys.append(key)
    return Keys(keys, [len(frame) for frame in tables], len(sets), asked)


def _read_key(
    name: Hashable, columns: list[Column], places: list[str], asked: SimpleNamespace, sets: int
) -> Key:
    """One key; the first tables (`sets`) should have values in common with the original."""
    known, interval = name in asked.known, asked.intervals.get(name)
    is_near = interval is not None or name in asked.together
    statement, distinct = asked.statements.get(name, (None, ()))
    key = Key(name, known, (), 0)
    key.interval = interval
    if is_near:
        argument = "distance" if interval is None else "intervals"
        key.tables = _near_values(name, columns, places, argument)
        if statement is None:
            return key
    # values of sets as one more table: they get the codes of values that are equal
    members = [value for one in distinct if not isinstance(one, Between) for value in one]
    place, listed, original = "the sets among the targets", columns[-1], columns[-1]
    if members:
        series = pd.Series(members, dtype=object)
        listed = coarsened(name, asked.coarsen.get(name), series, place)
    # ends alone ask for no value that a released record must have
    in_sets = any(value is not None for value in members)
    by_values = columns[0].has_values or in_sets or statement is None
    for table, (column, where) in enumerate(zip([*columns, listed], [*places, place])):
        is_own = table in (0, len(columns))
        if column is original or is_near or (is_own and not column.has_values):
            continue
        check_comparable(name, original, column, where)
        if by_values and sets and (is_own or table <= sets):
            warn_of_mismatch(name, original, column, where, must_match=not is_own)
    unique = {id(column): column for column in (*columns, listed)}
    variable = encode(str(name), list(unique.values()))
    codes = dict(zip(unique, variable.codes))
    key.codes = [codes[id(column)] for column in columns]
    if not is_near:
        key = Key(name, known, key.codes, variable.size)
        key.codes = key.tables
    if statement is not None:
        key.statement, key.admits = statement, []
        key.ends = [isinstance(one, Between) for one in distinct]
        of_members = codes[id(listed)]
        for one in distinct:
            admitted = np.zeros(variable.size, dtype=bool)
            if not isinstance(one, Between):
                admitted[of_members[: len(one)]] = True
                of_members = of_members[len(one) :]
            elif not one.says_nothing:
                for column, own, where in zip(columns[1:], key.codes[1:], places[1:]):
                    values = _numbers(name, column, where, "targets")
                    admitted[own[one.holds(values)]] = True
            is_known = not isinstance(one, Between) or not one.says_nothing
            key.admits.append(admitted if is_known else None)
    return key


def _near_values(
    name: Hashable, columns: list[Column], places: Sequence[str], argument: str
) -> list[Floats]:
    """The values by table, infinite where missing."""
    read: dict[int, Floats] = {}
    for column, place in zip(columns, places):
        if id(column) in read:
            continue
        values = _numbers(name, column, place, argument)
        if np.isinf(values).any():
            raise InputError(
                f"column {name!r} of {place} holds infinite values, which are near nothing;"
                " replace them"
            )
        read[id(column)] = np.nan_to_num(values, copy=False, nan=np.inf)
    return [read[id(column)] for column in columns]


def _numbers(name: Hashable, column: Column, place: str, argument: str) -> Floats:
    """The values of a numeric column, NaN where missing."""
    if not column.has_values:
        # statements or gaps only: such a column has no type of its own
        return np.full(len(column), np.nan)
    if not column.is_number:
        raise InputError(
            f"{argument}: {name!r} is not numeric in {place} ({column.kind}); make it a number, or"
            " let it match exactly: with no interval, or by a set of values"
        )
    values = column.values.astype(np.float64)
    if column.missing is not None:
        values[column.missing] = np.nan
    return values


def _check_unchanged(key: Key, places: Sequence[str]) -> None:
    """Check that a known key is released unchanged; otherwise the list is wrong or rows are
    reordered.
    """
    original = key.tables[-1]
    for released, place in zip(key.tables[1:], places):
        differs = np.flatnonzero(released != original)
        if differs.size:
            raise InputError(
                f"known: {key.name!r} differs between the original and {place} in {differs.size} of"
                f" {len(original)} records, first in row {differs[0] + 1}; known keys are released"
                " unchanged: bring the rows"
                " into the same order, make sure that no file cut the last digits of numbers, or"
                " list it under synthesised"
            )
