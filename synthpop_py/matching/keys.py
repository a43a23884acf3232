"""The keys of all tables in one coding: where data frames end and arrays begin.

Table 0 holds the targets, then come the released sets, then the population where there is one; the
original is the last. Equal values have equal codes in all of them; missing is a level.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import Flags, Floats, Integers, Values, numbered
from ..core.coding import encode
from ..core.columns import Column
from ..errors import InputError
from ..tables.comparable import check_comparable, warn_of_mismatch
from .near import Boundary, Distance, Interval
from .targets import Between, Statements, coarsened

LARGEST_CODE = 2**62
Tables = Sequence[Values]


class Key:
    """One key in all tables.

    Attributes
    ----------
    known : released unchanged.
    tables : one array per table: codes (int64) of a key that must agree exactly; values (float64,
        infinite where missing) of one that must be near.
    size : codes are below it; 0 for values.
    interval : how near; None for exact keys, and for those that are judged by the distance.
    loose : the fallback to categories leaves it out.
    stated : the statement about each target of whom no value is known, -1 where one is; codes by
        table, and the codes that agree with each statement (None where all do).
    """

    def __init__(
        self, name: Hashable, known: bool, tables: Tables, size: int, interval: Interval | None
    ) -> None:
        self.name, self.known, self.tables = name, known, tables
        self.size, self.interval = size, interval
        self.loose = not size and not known
        self.stated: tuple[Statements, Tables, list[Flags | None]] | None = None

    def about(self, targets: Integers) -> Key | None:
        """The same for targets of whom the same is known: their values, or whether the statement
        about them holds; None where nothing is known.
        """
        key = copy(self)
        key.tables, key.stated = (self.tables[0][targets], *self.tables[1:]), None
        if self.stated is None:
            return key
        (of_target, statements), tables, admits = self.stated
        number = int(of_target[targets[0]])
        if number < 0:
            return key
        admitted = admits[number]
        if admitted is None:
            return None
        holds = [admitted[codes].astype(np.int64) for codes in tables[1:]]
        key.tables, key.size, key.interval = (np.ones(len(targets), np.int64), *holds), 2, None
        # ends of a synthesised key are an interval
        key.loose = isinstance(statements[number], Between) and not key.known
        return key


class Keys:
    """All keys of one call, in the order known, synthesised.

    Attributes
    ----------
    rows : of each table. sets : released ones.
    records : int64, one per target: the row of the original, -1 for a target outside the file.
    """

    def __init__(
        self,
        all: Sequence[Key],
        rows: Sequence[int],
        sets: int,
        records: Integers,
        distance: Distance | None,
        boundary: Boundary,
    ) -> None:
        self.all, self.rows, self.sets, self.records = list(all), list(rows), sets, records
        self.distance, self.boundary = distance, boundary

    @property
    def n(self) -> int:
        """Records of the file."""
        return self.rows[-1]

    @property
    def together(self) -> list[Key]:
        """The keys of the distance, in its order."""
        names = () if self.distance is None else self.distance.columns or ()
        by_name = {key.name: key for key in self.all if not key.size and key.interval is None}
        return [by_name[name] for name in names if name in by_name]

    def only(self, keys: Sequence[Key]) -> Keys:
        """The same question about some of the keys."""
        part = copy(self)
        part.all = list(keys)
        return part

    def in_one_set(self, picks: Mapping[Hashable, Integers]) -> Keys:
        """With one set in place of all: for each key named, the value of every record in the set
        picked for it; for others the first.
        """
        part = self.only([copy(key) for key in self.all])
        for key in part.all:
            pick = picks.get(key.name, np.zeros(self.n, dtype=np.int64))
            key.tables = _picked(key.tables, pick, self.sets)
            if key.stated is not None:
                statements, tables, admits = key.stated
                key.stated = statements, _picked(tables, pick, self.sets), admits
        part.rows = [*self.rows[:2], *self.rows[self.sets + 1 :]]
        part.sets = 1
        return part

    def known_alike(self) -> list[Integers]:
        """Positions of targets with the same statements."""
        number = np.zeros(self.rows[0], dtype=np.int64)
        for key in self.all:
            if key.stated is not None:
                of_target, statements = key.stated[0]
                _, number = numbered(number * (len(statements) + 1) + of_target + 1)
        order = np.argsort(number, kind="stable")
        return np.split(order, np.flatnonzero(np.diff(number[order])) + 1)

    def about(self, targets: Integers) -> Keys:
        """The same about targets of whom the same is known."""
        keys = [key.about(targets) for key in self.all]
        part = self.only([key for key in keys if key is not None])
        part.rows = [len(targets), *self.rows[1:]]
        part.records = self.records[targets]
        return part


def _picked(tables: Tables, pick: Integers, sets: int) -> Tables:
    one = np.array(tables[1 : sets + 1])[pick, np.arange(len(pick))]
    return (tables[0], one, *tables[sets + 1 :])


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
            cells, size = np.split(places, np.cumsum(rows)[:-1]), len(occurring)
        for cell, codes in zip(cells, tables):
            cell *= of_key
            cell += codes
        size *= of_key
    return cells, size


# ---- reading -------------------------------------------------------------------------


def read_keys(
    asked: Mapping[str, Any],
    original: pd.DataFrame,
    sets: Sequence[pd.DataFrame],
    *,
    drawn: bool = False,
) -> Keys:
    """Read and code every key. `drawn` sets hold the synthesised keys only; the known ones are the
    original's.
    """
    own, population = asked["own"], asked["population"]
    frames = [original if own is None else own, *sets]
    places = ["the original data" if own is None else "the targets"]
    places += [f"synthetic data set {number}" for number in range(1, len(sets) + 1)]
    if len(sets) == 1:
        places[1] = "the synthetic data"
    if population is not None:
        frames.append(population)
        places.append("the population")
    frames.append(original)
    places.append("the original data")
    keys = []
    for name in (*asked["known"], *asked["synthesised"]):
        of_name = list(frames)
        if drawn and name in asked["known"]:
            of_name[1 : len(sets) + 1] = [original] * len(sets)
        read: dict[int, Column] = {}
        for frame, place in zip(of_name, places):
            # a table given twice is read once
            if id(frame) not in read:
                rule = asked["coarsen"].get(name)
                read[id(frame)] = coarsened(name, rule, frame[name], place)
        columns = [read[id(frame)] for frame in of_name]
        key = _key(name, columns, places, asked, 0 if drawn else len(sets))
        if key.known:
            _check_unchanged(key, places, len(sets))
        keys.append(key)
    rows = [len(frame) for frame in frames]
    return Keys(keys, rows, len(sets), asked["records"], asked["distance"], asked["boundary"])


def _key(
    name: Hashable,
    columns: list[Column],
    places: Sequence[str],
    asked: Mapping[str, Any],
    to_match: int,
) -> Key:
    """One key, read; the first tables (`to_match`) should have values in common with the original
    where values must agree.
    """
    known, interval, distance = (
        name in asked["known"],
        asked["intervals"].get(name),
        asked["distance"],
    )
    statements = asked["statements"].get(name)
    is_near = interval is not None or (distance is not None and name in distance.columns)
    distinct = () if statements is None else statements[1]
    members = [value for one in distinct if not isinstance(one, Between) for value in one]
    if is_near:
        key = Key(name, known, _near_values(name, columns, places, interval), 0, interval)
    elif columns[0].has_values or members or not distinct:
        # ends alone ask for no value that a released record must have
        _check_values(name, columns, places, to_match)
    if is_near and not distinct:
        return key
    # values of sets as one more table: they get the codes of values that are equal
    place = "the sets among the targets"
    series = pd.Series(members, dtype=object)
    listed = coarsened(name, asked["coarsen"].get(name), series, place)
    check_comparable(name, columns[-1], listed, place)
    if listed.has_values and to_match and not is_near:
        warn_of_mismatch(name, columns[-1], listed, place)
    unique = {id(column): column for column in (*columns, listed)}
    variable = encode(str(name), list(unique.values()))
    codes = dict(zip(unique, variable.codes))
    tables = [codes[id(column)] for column in columns]
    if not is_near:
        key = Key(name, known, tables, variable.size, None)
    if statements is not None:
        admits: list[Flags | None] = []
        of_members = codes[id(listed)]
        for one in distinct:
            admitted = np.zeros(variable.size, dtype=bool)
            if not isinstance(one, Between):
                admitted[of_members[: len(one)]] = True
                of_members = of_members[len(one) :]
            elif not one.says_nothing:
                for column, of_column, place in zip(columns[1:], tables[1:], places[1:]):
                    values = _numbers(name, column, place, "targets")
                    admitted[of_column[one.holds(values)]] = True
            nothing = isinstance(one, Between) and one.says_nothing
            admits.append(None if nothing else admitted)
        key.stated = (statements, tables, admits)
    return key


def _check_values(
    name: Hashable, columns: Sequence[Column], places: Sequence[str], to_match: int
) -> None:
    """Refuse, or tell of, tables whose values can hardly agree with the original's."""
    original = columns[-1]
    for table, (column, place) in enumerate(zip(columns, places)):
        if column is original or (table == 0 and not column.has_values):
            continue
        check_comparable(name, original, column, place)
        if to_match and table <= to_match:
            warn_of_mismatch(name, original, column, place, must_match=table > 0)


def _near_values(
    name: Hashable, columns: list[Column], places: Sequence[str], interval: Interval | None
) -> list[Floats]:
    if not columns[0].has_values and columns[0] is not columns[-1]:
        # statements or gaps only: such a column has no type of its own
        nothing = np.zeros(len(columns[0]))
        columns = [Column("double", nothing, missing=nothing == 0), *columns[1:]]
    argument = "distance" if interval is None else "intervals"
    read: dict[int, Floats] = {}
    for column, place in zip(columns, places):
        if id(column) not in read:
            values = _numbers(name, column, place, argument)
            if np.isinf(values).any():
                raise InputError(
                    f"column {name!r} of {place} holds infinite values, which are near nothing;"
                    " replace them"
                )
            read[id(column)] = np.where(np.isnan(values), np.inf, values)
    return [read[id(column)] for column in columns]


def _numbers(name: Hashable, column: Column, place: str, argument: str) -> Floats:
    """The values of a numeric column, NaN where missing."""
    if not column.is_number:
        ways = "make it a number, or leave it out to match exactly"
        if argument == "targets":
            ways = "so use a set of values in place of Between(...)"
        raise InputError(f"{argument}: {name!r} is not numeric in {place} ({column.kind}); {ways}")
    values = column.values.astype(np.float64)
    if column.missing is not None:
        values[column.missing] = np.nan
    return values


def _check_unchanged(key: Key, places: Sequence[str], sets: int) -> None:
    """Check that a known key is released unchanged; otherwise the list is wrong or rows are
    reordered.
    """
    original = key.tables[-1]
    for released, place in zip(key.tables[1 : sets + 1], places[1:]):
        differs = np.zeros(0, bool) if released is original else released != original
        if differs.any():
            raise InputError(
                f"known: {key.name!r} differs between the original and {place} in"
                f" {int(differs.sum())} of {len(differs)} records, first in row"
                f" {int(np.argmax(differs)) + 1}; known keys are released unchanged: bring the rows"
                " into the same order, make sure that no file cut the last digits of numbers, or"
                " list it under synthesised"
            )
