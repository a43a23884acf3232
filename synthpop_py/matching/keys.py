"""The keys of all tables in one coding: where data frames end and arrays begin.

Table 0 holds the targets, then come the released sets, then the population where there is one. The
targets are the original records; where the intruder has others, the original is the last table.
Equal values get equal codes in all of them; missing is a level.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_in_every_set, is_number
from ..core.arrays import Flags, Floats, Integers, Values
from ..core.coding import encode
from ..core.columns import Column
from ..core.combinations import LARGEST_CODE, compact, joint_codes
from ..core.levels import Variable
from ..core.numerals import exact_number
from ..errors import DataWarning, InputError, warn
from ..tables.comparable import check_comparable, warn_of_mismatch
from ..tables.reading import read_column
from .coarsening import coarsened
from .distances import Distance
from .intervals import Boundary, Interval
from .knowledge import OneOf, Statement, Statements, is_too_large
from .options import AttackRequest

__all__ = ["ExactKey", "KeyCells", "MatchKeys", "NumericKey", "Stated", "cells_of", "read_keys"]

# units of the last binary place by which a number may change on its way through a text file
LAST_DIGIT = 4


@dataclass(frozen=True, slots=True, eq=False)
class Stated:
    """What is known about a key where it is not a value.

    Attributes
    ----------
    of_target : int64, one per target: the position of its statement, -1 where the value is known.
    statements : each once.
    admits : of an exact key: for each statement which codes agree with it.
    """

    of_target: Integers
    statements: tuple[Statement, ...]
    admits: tuple[Flags, ...] = ()


@dataclass(frozen=True, slots=True)
class ExactKey:
    """A key that must agree exactly; `variable` is coded over all tables. `stated` where some
    targets have a statement in place of a value.
    """

    name: Hashable
    variable: Variable
    known: bool
    stated: Stated | None = None


@dataclass(frozen=True, slots=True)
class NumericKey:
    """A key that must be near.

    Attributes
    ----------
    values : one float64 array per table, shape (n_table,), 0 where missing.
    missing : one bool array per table, or None where nothing is missing in any.
    interval : how near; None for a key that is judged by the joint distance.
    stated : where some targets have a statement in place of a value.
    """

    name: Hashable
    known: bool
    values: tuple[Floats, ...]
    missing: tuple[Flags, ...] | None
    interval: Interval | None
    stated: Stated | None = None

    def present(self, table: int) -> Floats:
        """The values of a table that are not missing."""
        values = self.values[table]
        if self.missing is None:
            return values
        return values[~self.missing[table]]

    def gaps(self, table: int) -> Flags:
        """Which values of a table are missing."""
        if self.missing is None:
            return np.zeros(len(self.values[table]), dtype=bool)
        return self.missing[table]

    def with_gaps(self) -> tuple[Floats, ...]:
        """The values of every table, NaN where missing."""
        if self.missing is None:
            return self.values
        return tuple(
            np.where(gaps, np.nan, values) for gaps, values in zip(self.missing, self.values)
        )


@dataclass(frozen=True, slots=True)
class MatchKeys:
    """All keys of one call, in the order known, synthesised.

    Attributes
    ----------
    rows : of each table. sets : released ones.
    truth : the table of the original, 0 where its records are the targets.
    records : int64, one per target: the row of the original, -1 for a target outside the file; None
        where each target is the record of its own row.
    most_pairs : how many pairs of records and targets may be checked one by one.
    """

    exact: tuple[ExactKey, ...]
    numeric: tuple[NumericKey, ...]
    distance: Distance | None
    boundary: Boundary
    rows: tuple[int, ...]
    sets: int
    truth: int
    records: Integers | None
    most_pairs: int

    @property
    def all(self) -> tuple[ExactKey | NumericKey, ...]:
        return (*self.exact, *self.numeric)

    @property
    def n(self) -> int:
        """Records of the file."""
        return self.rows[1]

    @property
    def targets(self) -> int:
        return self.rows[0]


@dataclass(frozen=True, slots=True)
class KeyCells:
    """One number for all that must agree exactly, one array per table.

    Attributes
    ----------
    known : int64, one per target: the known keys only, from 0 to known_size - 1. known_in_file :
        the same of the records of the file, shape (n,).
    category : all exact keys, and which numeric known keys are missing.
    full : the same and which numeric synthesised keys are missing; records of one category are
        neighbours in its order.
    size : numbers of `category` and `full` run from 0 to size - 1.
    """

    known: Integers
    known_in_file: Integers
    known_size: int
    category: tuple[Integers, ...]
    full: tuple[Integers, ...]
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class _Tables:
    """The frames that hold the keys. `drawn` sets have the synthesised keys only; the known ones
    are the original's. `targets` is None where the original records are the targets.
    """

    original: pd.DataFrame
    sets: Sequence[pd.DataFrame]
    population: pd.DataFrame | None
    targets: pd.DataFrame | None
    coarsen: dict[Hashable, Any]
    drawn: bool

    @property
    def truth(self) -> int:
        """The table of the original."""
        if self.targets is None:
            return 0
        return 1 + len(self.sets) + (self.population is not None)

    def title(self, table: int) -> str:
        """What a table is called in messages."""
        if table == self.truth:
            return "the original data"
        if table == 0:
            return "the targets"
        if table > len(self.sets):
            return "the population"
        return "the synthetic data" if len(self.sets) == 1 else f"synthetic data set {table}"

    def frames(self, known: bool) -> list[pd.DataFrame]:
        """Where a key of every table is read."""
        frames = [self.original if self.targets is None else self.targets]
        if known and self.drawn:
            frames += [self.original] * len(self.sets)
        else:
            frames += self.sets
        if self.population is not None:
            frames.append(self.population)
        if self.targets is not None:
            frames.append(self.original)
        return frames

    def columns(self, name: Hashable, known: bool) -> list[Column]:
        """The column of every table; a table given twice is read once."""
        frames = self.frames(known)
        read: dict[int, Column] = {}
        for table, frame in enumerate(frames):
            if id(frame) not in read:
                read[id(frame)] = self.column(name, frame[name], self.title(table))
        return [read[id(frame)] for frame in frames]

    def column(self, name: Hashable, series: pd.Series, place: str) -> Column:
        """One column, in groups if the intruder knows only those."""
        if name in self.coarsen:
            return coarsened(name, self.coarsen[name], series, place)
        # a copy: keys are compared again when a result is asked
        return read_column(series, f"column {name!r} of {place}").copied()


def read_keys(
    original: pd.DataFrame,
    sets: Sequence[pd.DataFrame],
    request: AttackRequest,
    *,
    drawn: bool = False,
) -> MatchKeys:
    """Read and code every key. `drawn` sets hold the synthesised keys only; the known ones are
    taken from the original.
    """
    targets = request.targets
    tables = _Tables(
        original=original,
        sets=sets,
        population=request.population,
        targets=None if targets is None else targets.values,
        coarsen=request.coarsen,
        drawn=drawn,
    )
    _check_names(tables, request)
    statements = {} if targets is None else targets.statements
    numbers = set(request.intervals)
    if request.distance is not None:
        numbers.update(request.distance.columns or ())
    exact, numeric = [], []
    for name in (*request.known, *request.synthesised):
        known = name in request.known
        if name in numbers:
            interval = request.intervals.get(name)
            numeric.append(_numeric_key(name, known, tables, interval, statements.get(name)))
        else:
            exact.append(_exact_key(name, known, tables, statements.get(name)))
    return MatchKeys(
        exact=tuple(exact),
        numeric=tuple(numeric),
        distance=request.distance,
        boundary=request.boundary,
        rows=tuple(len(frame) for frame in tables.frames(known=False)),
        sets=len(sets),
        truth=tables.truth,
        records=None if targets is None else targets.records,
        most_pairs=request.most_pairs,
    )


def _check_names(tables: _Tables, request: AttackRequest) -> None:
    """Check that every set has the keys it needs."""
    for name in request.synthesised:
        if tables.drawn and name not in tables.sets[0].columns:
            raise InputError(
                f"models: none of them draws the synthesised key {name!r}; give a model for every"
                " synthesised key"
            )
        check_in_every_set("synthesised", name, tables.sets)
    # drawn sets have no known keys: these are read from the original
    if tables.drawn:
        return
    for name in request.known:
        check_in_every_set("known", name, tables.sets)


def _exact_key(
    name: Hashable, known: bool, tables: _Tables, statements: Statements | None
) -> ExactKey:
    columns = tables.columns(name, known)
    by_ends_alone = statements is not None and not _asks_for_values(columns[0], statements)
    _check_matchable(name, columns, tables, warns=not tables.drawn and not by_ends_alone)
    if statements is None:
        variable = encode(str(name), columns)
        stated = None
    else:
        variable, stated = _with_statements(name, columns, tables, statements)
    if known:
        _check_unchanged(name, variable.codes, tables)
    return ExactKey(name, variable, known, stated)


def _asks_for_values(targets: Column, statements: Statements) -> bool:
    """Whether any target has a value, or a set of values, that records must have exactly."""
    return targets.has_values or any(isinstance(one, OneOf) for one in statements.distinct)


def _with_statements(
    name: Hashable, columns: Sequence[Column], tables: _Tables, statements: Statements
) -> tuple[Variable, Stated]:
    """A key coded over all tables, and the codes that agree with each statement."""
    members = [value for one in statements.distinct for value in _members(one)]
    # values of sets as one more table: they get the codes of values that are equal
    series = pd.Series(members, dtype=object)
    listed = tables.column(name, series, "the sets among the targets")
    if listed.has_values:
        place = "the sets among the targets"
        check_comparable(name, columns[tables.truth], listed, place)
        if not tables.drawn:
            warn_of_mismatch(name, columns[tables.truth], listed, place)
    variable = encode(str(name), [*columns, listed])
    codes = variable.own_codes(len(columns))
    admits = []
    at = 0
    for statement in statements.distinct:
        admitted = np.zeros(variable.size, dtype=bool)
        if isinstance(statement, OneOf):
            admitted[codes[at : at + len(statement.values)]] = True
            at += len(statement.values)
        elif statement.says_nothing:
            admitted[:] = True
        else:
            _admit_numbers(name, statement, columns, variable, tables, admitted)
        admits.append(admitted)
    variable = replace(variable, codes=variable.codes[:-1])
    return variable, Stated(statements.of_target, statements.distinct, tuple(admits))


def _members(statement: Statement) -> tuple[Any, ...]:
    return statement.values if isinstance(statement, OneOf) else ()


def _admit_numbers(
    name: Hashable,
    statement: Statement,
    columns: Sequence[Column],
    variable: Variable,
    tables: _Tables,
    admitted: Flags,
) -> None:
    """Flag the codes of all numbers between two ends."""
    for table in range(1, len(columns)):
        column = columns[table]
        if not column.is_number:
            raise InputError(
                f"targets: {name!r} is not numeric in {tables.title(table)} ({column.kind}), "
                "so Between(...) cannot be used; give a set of values, or Between() where "
                "nothing is known"
            )
        gaps = _gaps(column)
        good = statement.holds(_filled(column, gaps), gaps)
        admitted[variable.own_codes(table)[good]] = True


def _numeric_key(
    name: Hashable,
    known: bool,
    tables: _Tables,
    interval: Interval | None,
    statements: Statements | None,
) -> NumericKey:
    columns = tables.columns(name, known)
    if tables.targets is not None and not columns[0].has_values:
        # statements or gaps only: such a column has no type of its own
        nothing = np.zeros(len(columns[0]))
        columns[0] = Column("double", nothing, missing=nothing == 0)
    for table, column in enumerate(columns):
        if not column.is_number:
            argument = "distance" if interval is None else "intervals"
            raise InputError(
                f"{argument}: {name!r} is not numeric in {tables.title(table)} ({column.kind});"
                " make it a number, or leave it out to match exactly"
            )
    # missing counts as 0, so numbers can be compared everywhere; cells keep missing and zero apart
    gaps = [_gaps(column) for column in columns]
    values = tuple(_filled(column, gap) for column, gap in zip(columns, gaps))
    for table, numbers in enumerate(values):
        if not np.isfinite(numbers).all():
            raise InputError(
                f"column {name!r} of {tables.title(table)} holds infinite values, which are "
                "near nothing; replace them"
            )
    key = NumericKey(
        name=name,
        known=known,
        values=values,
        missing=tuple(gaps) if any(gap.any() for gap in gaps) else None,
        interval=interval,
        stated=_stated_numbers(name, statements),
    )
    if known:
        if not tables.drawn:
            _warn_of_rounding(name, columns, tables)
        _check_unchanged(name, key.with_gaps(), tables)
    return key


def _stated_numbers(name: Hashable, statements: Statements | None) -> Stated | None:
    if statements is None:
        return None
    for statement in statements.distinct:
        for value in _members(statement):
            if value is not None and not is_number(value):
                raise InputError(
                    f"targets: {value!r} is in a set for {name!r}, which is numeric; give numbers"
                )
            if value is not None and is_too_large(value):
                raise InputError(
                    f"targets: a number in a set for {name!r} is too large; leave it out"
                )
    return Stated(statements.of_target, statements.distinct)


def _gaps(column: Column) -> Flags:
    """Which values of a column are missing."""
    if column.missing is None:
        return np.zeros(len(column), dtype=bool)
    return column.missing


def _filled(column: Column, gaps: Flags) -> Floats:
    numbers = column.values.astype(np.float64)
    return np.where(gaps, 0.0, numbers)


def _check_matchable(
    name: Hashable, columns: Sequence[Column], tables: _Tables, *, warns: bool
) -> None:
    """Check that keys can agree exactly: an error if no released value does, a warning if hardly
    any does.
    """
    original = columns[tables.truth]
    for table, column in enumerate(columns):
        only_statements = table == 0 and not column.has_values
        if column is original or only_statements:
            continue
        place = tables.title(table)
        check_comparable(name, original, column, place)
        if warns and table <= len(tables.sets):
            warn_of_mismatch(name, original, column, place, must_match=table > 0)


def _warn_of_rounding(name: Hashable, columns: Sequence[Column], tables: _Tables) -> None:
    """Warn of numbers that equal the original's except for the last digit, which they lost in a
    file: they match nothing.
    """
    released = columns[1 : len(tables.sets) + 1]
    for table, column in enumerate(released, start=1):
        lost = _nearly_equal(columns[tables.truth], column)
        if lost:
            repair = (
                "read files exactly (older pandas: float_precision='round_trip'), round both "
                "columns in the same way, or match within an interval"
            )
            finding = f"{tables.title(table)}, column {name!r}: {lost} of {len(column)} values"
            warn(
                f"{finding} differ from one of the original only in the last digit, as numbers do"
                f" that were written to a file and read back; they do not match: {repair}",
                DataWarning,
                short=f"{finding} differ in the last digit",
            )


def _nearly_equal(original: Column, synthetic: Column) -> int:
    """How many values of a column match none of the other but are next to one."""
    if synthetic is original or not (original.is_number and synthetic.is_number):
        return 0
    # only fractions lose digits in a file
    if "double" not in (original.kind, synthetic.kind):
        return 0
    known = np.unique(original.present().astype(np.float64))
    values = synthetic.present().astype(np.float64)
    values = values[np.trunc(values) != values]  # whole numbers survive
    if not len(known) or not len(values):
        return 0
    position = np.searchsorted(known, values)
    below = known[np.maximum(position - 1, 0)]
    above = known[np.minimum(position, len(known) - 1)]
    nearest = np.where(values - below < above - values, below, above)
    gap = np.abs(values - nearest)
    rounding = LAST_DIGIT * np.spacing(np.abs(values))
    near = (gap > 0) & (gap <= rounding)
    # 15 digits decide, and they may differ although the numbers are neighbours
    pairs = zip(values[near].tolist(), nearest[near].tolist())
    return sum(exact_number(value) != exact_number(known) for value, known in pairs)


def _check_unchanged(name: Hashable, codes: Sequence[Values], tables: _Tables) -> None:
    """Check that a known key is released unchanged; otherwise the list is wrong or rows are
    reordered.
    """
    original = codes[tables.truth]
    for table in range(1, len(tables.sets) + 1):
        released = codes[table]
        if released is original:
            continue
        differs = ~same_values(released, original)
        if differs.any():
            first_row = int(np.flatnonzero(differs)[0]) + 1
            raise InputError(
                f"known: {name!r} differs between the original and {tables.title(table)} in"
                f" {int(differs.sum())} of {len(differs)} records, first in row {first_row}; known"
                " keys are released unchanged: bring the rows into the same order, or list it under"
                " synthesised"
            )


def same_values(first: Values, second: Values) -> Flags:
    """Where two arrays agree; NaN, which stands for missing, agrees with NaN."""
    both_nan = (first != first) & (second != second)
    same: Flags = (first == second) | both_nan
    return same


def cells_of(keys: MatchKeys) -> KeyCells:
    """Number what must agree exactly."""
    known = [key.variable for key in keys.exact if key.known]
    known += _gap_flags(keys, known=True)
    synthesised = [key.variable for key in keys.exact if not key.known]
    flags = _gap_flags(keys, known=False)
    known_cells, known_size = _known_cells(known, keys)
    category, size = _categories(keys, known + synthesised, spare_bits=len(flags))
    # as the lowest digits, so records of one category stay neighbours
    full = category
    for flag in flags:
        full = tuple(2 * cell + gap for cell, gap in zip(full, flag.codes))
        size = 2 * size
    return KeyCells(
        known=known_cells[0],
        known_in_file=known_cells[-1],
        known_size=known_size,
        category=category,
        full=full,
        size=size,
    )


def _gap_flags(keys: MatchKeys, *, known: bool) -> list[Variable]:
    """For each numeric key with gaps, known ones or synthesised ones: whether it is missing."""
    flags = []
    for key in keys.numeric:
        if key.missing is not None and key.known == known:
            columns = [Column("logical", gap.astype(np.int64)) for gap in key.missing]
            flags.append(encode(f"{key.name} is missing", columns))
    return flags


def _known_cells(known: Sequence[Variable], keys: MatchKeys) -> tuple[list[Integers], int]:
    """The cells by the known keys, of the targets and of the file, and how many there can be; one
    array where the records of the file are the targets.
    """
    # known keys are the same in every set: the first stands for the file
    tables = 1 if keys.records is None else 2
    if not known:
        return [np.zeros(rows, dtype=np.int64) for rows in keys.rows[:tables]], 1
    both = [replace(variable, codes=variable.codes[:tables]) for variable in known]
    return joint_codes(both)


def _categories(
    keys: MatchKeys, variables: Sequence[Variable], spare_bits: int
) -> tuple[tuple[Integers, ...], int]:
    """The cell of each record of each table by all exact keys, and how many cells there can be;
    so many bits more must fit beside them.
    """
    if not variables:
        return tuple(np.zeros(rows, dtype=np.int64) for rows in keys.rows), 1
    codes, size = joint_codes(variables)
    # flags of missing numbers will be appended, a bit each
    if size << spare_bits > LARGEST_CODE:
        codes, size = compact(codes)
    return tuple(codes), size
