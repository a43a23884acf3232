"""The keys of all tables in one coding: where data frames end and arrays begin.

Table 0 holds the targets, then come the released sets, then the population where there is one; the
original is the last. Equal values have equal codes in all of them; missing is a level.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_in_every_set, is_number
from ..core.arrays import Flags, Floats, Integers, Values, numbered
from ..core.coding import encode
from ..core.columns import Column
from ..errors import InputError
from ..tables.comparable import check_comparable, warn_of_mismatch
from ..tables.reading import read_column
from .near import Boundary, Distance, Fixed, Interval
from .targets import OneOf, Request, Statements, coarsened, is_too_large

LARGEST_CODE = 2**62
LARGEST = float(np.finfo(np.float64).max)
HALF = Fixed(0.5)  # between the numbers 0 and 1 that say whether a statement holds


@dataclass(frozen=True, slots=True, eq=False)
class Key:
    """One key in all tables.

    Attributes
    ----------
    known : released unchanged.
    tables : one array per table: codes (int64) of a key that must agree exactly; values (float64,
        infinite where missing) of one that must be near.
    size : codes are below it; 0 for values.
    interval : how near; None for exact keys, and for those that are judged by the distance.
    stated : what is known of targets of whom no value is; `admits` has, for each statement about an
        exact key, the codes that agree with it.
    """

    name: Hashable
    known: bool
    tables: tuple[Values, ...]
    size: int = 0
    interval: Interval | None = None
    stated: Statements | None = None
    admits: tuple[Flags, ...] = ()

    def of(self, targets: Integers) -> Key:
        """The same for some of the targets, whose values are known."""
        return replace(self, tables=(self.tables[0][targets], *self.tables[1:]), stated=None)

    def holds(self, number: int, table: int) -> Flags:
        """Which records of a table agree with a statement."""
        values = self.tables[table]
        if self.size:
            return self.admits[number][values]
        assert self.stated is not None
        return self.stated.distinct[number].holds(values)


@dataclass(frozen=True, slots=True, eq=False)
class Keys:
    """All keys of one call, in the order known, synthesised.

    Attributes
    ----------
    rows : of each table. sets : released ones.
    records : int64, one per target: the row of the original, -1 for a target outside the file.
    """

    all: tuple[Key, ...]
    distance: Distance | None
    boundary: Boundary
    rows: tuple[int, ...]
    sets: int
    records: Integers

    @property
    def n(self) -> int:
        """Records of the file."""
        return self.rows[-1]

    @property
    def exact(self) -> list[Key]:
        return [key for key in self.all if key.size]

    @property
    def numeric(self) -> list[Key]:
        return [key for key in self.all if not key.size]

    def only(self, keys: Iterable[Key], distance: Distance | None = None) -> Keys:
        """The same question about some of the keys."""
        return replace(self, all=tuple(keys), distance=distance)

    def without_sets(self) -> Keys:
        """Targets and original alone."""
        keys = [replace(key, tables=(key.tables[0], key.tables[-1])) for key in self.all]
        return replace(self, all=tuple(keys), rows=(self.rows[0], self.rows[-1]), sets=0)

    def in_one_set(self, change: Mapping[Hashable, Values] | None = None) -> Keys:
        """With one set in place of all, the first or the one given by key."""
        keys = []
        for key in self.all:
            one = key.tables[1] if change is None else change.get(key.name, key.tables[1])
            others = key.tables[self.sets + 1 :]
            keys.append(replace(key, tables=(key.tables[0], one, *others)))
        rows = (*self.rows[:2], *self.rows[self.sets + 1 :])
        return replace(self, all=tuple(keys), rows=rows, sets=1)


def joined(keys: Sequence[Key], rows: Sequence[int], most: int) -> tuple[list[Integers], int]:
    """One code for all keys, below `most`: an array per table, and how many codes are possible."""
    cells: list[Integers] = [np.zeros(number, dtype=np.int64) for number in rows]
    size = 1
    for key in keys:
        if size > most // key.size:
            # only those that occur
            occurring, places = numbered(np.concatenate(cells))
            cells, size = np.split(places, np.cumsum(rows)[:-1]), len(occurring)
        for cell, codes in zip(cells, key.tables):
            cell *= key.size
            cell += codes
        size *= key.size
    return cells, size


# ---- reading -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Tables:
    """The frames that hold the keys and what each is called in messages. `drawn` sets have the
    synthesised keys only; the known ones are the original's.
    """

    frames: list[pd.DataFrame]
    places: list[str]
    sets: int
    drawn: bool
    coarsen: Mapping[Hashable, Any]

    def columns(self, name: Hashable, known: bool) -> list[Column]:
        """The column of every table; a table given twice is read once."""
        frames = list(self.frames)
        if known and self.drawn:
            frames[1 : self.sets + 1] = frames[-1:] * self.sets
        read: dict[int, Column] = {}
        for frame, place in zip(frames, self.places):
            if id(frame) not in read:
                read[id(frame)] = self.column(name, frame[name], place)
        return [read[id(frame)] for frame in frames]

    def column(self, name: Hashable, series: pd.Series, place: str) -> Column:
        """One column, in groups if the intruder knows only those."""
        if name in self.coarsen:
            return coarsened(name, self.coarsen[name], series, place)
        return read_column(series, f"column {name!r} of {place}")


def read_keys(
    original: pd.DataFrame,
    sets: Sequence[pd.DataFrame],
    request: Request,
    *,
    drawn: bool = False,
) -> Keys:
    """Read and code every key. `drawn` sets hold the synthesised keys only; the known ones are
    taken from the original.
    """
    tables = _tables(original, sets, request, drawn)
    _check_names(sets, request, drawn)
    together = () if request.distance is None else request.distance.columns or ()
    keys = []
    for name in (*request.known, *request.synthesised):
        known = name in request.known
        columns = tables.columns(name, known)
        statements = None if request.targets is None else request.targets.statements.get(name)
        if name in request.intervals or name in together:
            interval = request.intervals.get(name)
            key = _numeric_key(name, known, columns, tables, interval, statements)
        else:
            key = _exact_key(name, known, columns, tables, statements)
        if known:
            _check_unchanged(key, tables)
        keys.append(key)
    targets = request.targets
    return Keys(
        all=tuple(keys),
        distance=request.distance,
        boundary=request.boundary,
        rows=tuple(len(frame) for frame in tables.frames),
        sets=len(sets),
        records=np.arange(len(original)) if targets is None else targets.records,
    )


def _tables(
    original: pd.DataFrame, sets: Sequence[pd.DataFrame], request: Request, drawn: bool
) -> _Tables:
    own = request.targets
    frames = [original if own is None else own.values, *sets]
    places = ["the original data" if own is None else "the targets"]
    places += [f"synthetic data set {number}" for number in range(1, len(sets) + 1)]
    if len(sets) == 1:
        places[1] = "the synthetic data"
    if request.population is not None:
        frames.append(request.population)
        places.append("the population")
    frames.append(original)
    places.append("the original data")
    return _Tables(frames, places, len(sets), drawn, request.coarsen)


def _check_names(sets: Sequence[pd.DataFrame], request: Request, drawn: bool) -> None:
    """Check that every set has the keys it needs."""
    for name in request.synthesised:
        if drawn and name not in sets[0].columns:
            raise InputError(
                f"models: none of them draws the synthesised key {name!r}; give a model for every"
                " synthesised key"
            )
        check_in_every_set("synthesised", name, sets)
    # drawn sets have no known keys: these are read from the original
    for name in () if drawn else request.known:
        check_in_every_set("known", name, sets)


def _exact_key(
    name: Hashable,
    known: bool,
    columns: list[Column],
    tables: _Tables,
    statements: Statements | None,
) -> Key:
    distinct = () if statements is None else statements.distinct
    # ends alone ask for no value that a released record must have
    by_ends_alone = statements is not None and not columns[0].has_values
    by_ends_alone &= not any(isinstance(one, OneOf) for one in distinct)
    warns = not tables.drawn and not by_ends_alone
    for table, column in enumerate(columns):
        only_statements = table == 0 and not column.has_values
        if column is columns[-1] or only_statements:
            continue
        place = tables.places[table]
        check_comparable(name, columns[-1], column, place)
        if warns and table <= tables.sets:
            warn_of_mismatch(name, columns[-1], column, place, must_match=table > 0)
    if statements is None:
        codes, size = _coded(name, columns)
        return Key(name, known, tuple(codes), size)
    # values of sets as one more table: they get the codes of values that are equal
    place = "the sets among the targets"
    members = [value for one in distinct if isinstance(one, OneOf) for value in one.values]
    listed = tables.column(name, pd.Series(members, dtype=object), place)
    if listed.has_values:
        check_comparable(name, columns[-1], listed, place)
        if not tables.drawn:
            warn_of_mismatch(name, columns[-1], listed, place)
    codes, size = _coded(name, [*columns, listed])
    *codes, of_members = codes
    admits = []
    for one in distinct:
        admitted = np.zeros(size, dtype=bool)
        if isinstance(one, OneOf):
            here, of_members = np.split(of_members, [len(one.values)])
            admitted[here] = True
        elif one.says_nothing:
            admitted[:] = True
        else:
            for table in range(1, len(columns)):
                numbers = _numbers(name, columns[table], tables.places[table], "targets")
                admitted[codes[table][one.holds(numbers)]] = True
        admits.append(admitted)
    return Key(name, known, tuple(codes), size, stated=statements, admits=tuple(admits))


def _coded(name: Hashable, columns: Sequence[Column]) -> tuple[list[Integers], int]:
    """Codes of every table; columns that are given twice are coded once."""
    distinct = list({id(column): column for column in columns}.values())
    variable = encode(str(name), distinct)
    codes = {id(column): of_column for column, of_column in zip(distinct, variable.codes)}
    return [codes[id(column)] for column in columns], variable.size


def _numeric_key(
    name: Hashable,
    known: bool,
    columns: list[Column],
    tables: _Tables,
    interval: Interval | None,
    statements: Statements | None,
) -> Key:
    if not columns[0].has_values and columns[0] is not columns[-1]:
        # statements or gaps only: such a column has no type of its own
        nothing = np.zeros(len(columns[0]))
        columns[0] = Column("double", nothing, missing=nothing == 0)
    argument = "distance" if interval is None else "intervals"
    read: dict[int, Floats] = {}
    for column, place in zip(columns, tables.places):
        if id(column) not in read:
            values = _numbers(name, column, place, argument)
            if not np.isfinite(column.present()).all():
                raise InputError(
                    f"column {name!r} of {place} holds infinite values, which are near nothing;"
                    " replace them"
                )
            read[id(column)] = values
    values_of = tuple(read[id(column)] for column in columns)
    for one in () if statements is None else statements.distinct:
        for value in one.values if isinstance(one, OneOf) else ():
            if value is not None and not is_number(value):
                raise InputError(
                    f"targets: {value!r} is in a set for {name!r}, which is numeric; give numbers"
                )
            if value is not None and is_too_large(value):
                raise InputError(
                    f"targets: a number in a set for {name!r} is too large; leave it out"
                )
    return Key(name, known, values_of, interval=interval, stated=statements)


def _numbers(name: Hashable, column: Column, place: str, argument: str) -> Floats:
    """The values of a numeric column, infinite where missing: only what is missing is near that."""
    if not column.is_number:
        ways = "make it a number, or leave it out to match exactly"
        if argument == "targets":
            ways = (
                "so Between(...) cannot be used; give a set of values, or Between() where nothing"
                " is known"
            )
        sign = "," if argument == "targets" else ";"
        raise InputError(
            f"{argument}: {name!r} is not numeric in {place} ({column.kind}){sign} {ways}"
        )
    # what was infinite stays a number, above or below all others
    values = np.clip(column.values.astype(np.float64), -LARGEST, LARGEST)
    if column.missing is not None:
        values[column.missing] = np.inf
    return values


def _check_unchanged(key: Key, tables: _Tables) -> None:
    """Check that a known key is released unchanged; otherwise the list is wrong or rows are
    reordered.
    """
    original = key.tables[-1]
    for released, place in zip(key.tables[1 : tables.sets + 1], tables.places[1:]):
        differs = np.zeros(0, bool) if released is original else released != original
        if differs.any():
            digits = "" if key.size else ", make sure that no file cut their last digits"
            raise InputError(
                f"known: {key.name!r} differs between the original and {place} in"
                f" {int(differs.sum())} of {len(differs)} records, first in row"
                f" {int(np.argmax(differs)) + 1}; known keys are released unchanged: bring the rows"
                f" into the same order{digits}, or list it under synthesised"
            )


# ---- targets of whom the same is known -----------------------------------------------


def known_alike(keys: Keys) -> list[Integers]:
    """Positions of targets with the same statements."""
    number = np.zeros(keys.rows[0], dtype=np.int64)
    for key in keys.all:
        if key.stated is not None:
            code = number * (len(key.stated.distinct) + 1) + key.stated.of_target + 1
            number = np.unique(code, return_inverse=True)[1].reshape(-1)
    order = np.argsort(number, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(number[order])) + 1)


def about(keys: Keys, targets: Integers) -> Keys:
    """The keys of targets with the same statements. A statement becomes a key of its own, which
    says whether it holds; a key about which nothing is known is left out.
    """
    chosen = []
    for key in keys.all:
        number = -1 if key.stated is None else int(key.stated.of_target[targets[0]])
        if number < 0:
            chosen.append(key.of(targets))
        elif key.stated is not None and not key.stated.distinct[number].says_nothing:
            flags = [np.ones(len(targets), dtype=np.int64)]
            for table in range(1, len(key.tables)):
                flags.append(key.holds(number, table).astype(np.int64))
            # ends of a synthesised key are an interval: the fallback to categories drops it
            is_near = not isinstance(key.stated.distinct[number], OneOf) and not key.known
            values = tuple(flag.astype(np.float64) for flag in flags) if is_near else tuple(flags)
            interval, size = (HALF, 0) if is_near else (None, 2)
            chosen.append(Key(key.name, key.known, values, size, interval))
    rows = (len(targets), *keys.rows[1:])
    return replace(keys, all=tuple(chosen), rows=rows, records=keys.records[targets])
