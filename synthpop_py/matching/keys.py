"""The keys of all tables in one coding: where data frames end and arrays begin.

Table 0 is the original, then come the released sets, last the population where there is one. Equal
values get equal codes in all of them; missing is a level.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ..arguments import check_in_every_set
from ..core.arrays import Flags, Floats, Integers, Values
from ..core.coding import encode
from ..core.columns import Column
from ..core.crosstab import LARGEST_CODE, compact, joint_codes
from ..core.levels import LevelRules, Variable
from ..core.numerals import exact_number
from ..errors import InputError, NothingInCommonWarning, warn
from ..tables.comparable import check_comparable, warn_of_mismatch
from ..tables.reading import read_column
from .distances import Distance
from .intervals import Boundary, Interval
from .options import AttackRequest

__all__ = ["ExactKey", "KeyCells", "MatchKeys", "NumericKey", "cells_of", "read_keys"]

# units of the last binary place by which a number may change on its way through a text file
LAST_DIGIT = 4
EQUAL = LevelRules()  # as everywhere: whole numbers exactly, fractions with 15 digits


@dataclass(frozen=True, slots=True)
class ExactKey:
    """A key that must agree exactly; `variable` is coded over all tables."""

    name: Hashable
    variable: Variable
    known: bool


@dataclass(frozen=True, slots=True)
class NumericKey:
    """A key that must be near.

    Attributes
    ----------
    values : one float64 array per table, shape (n_table,), 0 where missing.
    missing : one bool array per table, or None where nothing is missing in any.
    interval : how near; None for a key that is judged by the joint distance.
    """

    name: Hashable
    known: bool
    values: tuple[Floats, ...]
    missing: tuple[Flags, ...] | None
    interval: Interval | None

    def present(self) -> Floats:
        """The original values that are there."""
        original = self.values[0]
        if self.missing is None:
            return original
        return original[~self.missing[0]]

    def with_gaps(self) -> tuple[Floats, ...]:
        """The values of every table, NaN where missing."""
        if self.missing is None:
            return self.values
        return tuple(
            np.where(gaps, np.nan, values) for gaps, values in zip(self.missing, self.values)
        )


@dataclass(frozen=True, slots=True)
class MatchKeys:
    """All keys of one call, in the order known, synthesised, of `n` original records and so many
    released sets; `most_pairs` of records and targets may be looked at one by one.
    """

    exact: tuple[ExactKey, ...]
    numeric: tuple[NumericKey, ...]
    distance: Distance | None
    boundary: Boundary
    n: int
    sets: int
    most_pairs: int


@dataclass(frozen=True, slots=True)
class KeyCells:
    """One number for all that must agree exactly, one array per table.

    Attributes
    ----------
    known : int64, shape (n,): the known keys of the original only, from 0 to known_size - 1.
    category : all exact keys, and which numeric known keys are missing.
    full : the same and which numeric synthesised keys are missing; records of one category are
        neighbours in its order.
    size : numbers of `category` and `full` run from 0 to size - 1.
    """

    known: Integers
    known_size: int
    category: tuple[Integers, ...]
    full: tuple[Integers, ...]
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class _Tables:
    """The frames that hold the keys. `drawn` sets have the synthesised keys only; the known ones
    are the original's.
    """

    original: pd.DataFrame
    sets: Sequence[pd.DataFrame]
    population: pd.DataFrame | None
    drawn: bool

    def title(self, table: int) -> str:
        """What a table is called in messages."""
        if table == 0:
            return "the original data"
        if table > len(self.sets):
            return "the population"
        return "the synthetic data" if len(self.sets) == 1 else f"synthetic data set {table}"

    def frames(self, known: bool) -> list[pd.DataFrame]:
        """Where a key of every table is read."""
        frames = [self.original]
        if known and self.drawn:
            frames += [self.original] * len(self.sets)
        else:
            frames += self.sets
        if self.population is not None:
            frames.append(self.population)
        return frames

    def columns(self, name: Hashable, known: bool) -> list[Column]:
        """The column of every table; a table given twice is read once."""
        frames = self.frames(known)
        read: dict[int, Column] = {}
        for table, frame in enumerate(frames):
            if id(frame) not in read:
                title = f"column {name!r} of {self.title(table)}"
                # in memory of its own: keys are compared again when a result is asked
                read[id(frame)] = read_column(frame[name], title).copied()
        return [read[id(frame)] for frame in frames]


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
    tables = _Tables(original, sets, request.population, drawn)
    _check_names(tables, request)
    numbers = set(request.intervals)
    if request.distance is not None:
        numbers.update(request.distance.columns or ())
    exact, numeric = [], []
    for name in (*request.known, *request.synthesised):
        known = name in request.known
        if name in numbers:
            numeric.append(_numeric_key(name, known, tables, request.intervals.get(name)))
        else:
            exact.append(_exact_key(name, known, tables))
    return MatchKeys(
        exact=tuple(exact),
        numeric=tuple(numeric),
        distance=request.distance,
        boundary=request.boundary,
        n=len(original),
        sets=len(sets),
        most_pairs=request.most_pairs,
    )


def _check_names(tables: _Tables, request: AttackRequest) -> None:
    """Every set has the keys that it must have."""
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


def _exact_key(name: Hashable, known: bool, tables: _Tables) -> ExactKey:
    columns = tables.columns(name, known)
    _check_matchable(name, columns, tables)
    if not tables.drawn:
        _warn_of_rounding(name, columns, tables)
    variable = encode(str(name), columns, EQUAL)
    if known:
        _check_unchanged(name, variable.codes, tables)
    return ExactKey(name, variable, known)


def _numeric_key(
    name: Hashable, known: bool, tables: _Tables, interval: Interval | None
) -> NumericKey:
    columns = tables.columns(name, known)
    for table, column in enumerate(columns):
        if not column.is_number:
            argument = "distance" if interval is None else "intervals"
            raise InputError(
                f"{argument}: {name!r} is not numeric in {tables.title(table)} ({column.kind});"
                " make it a number, or leave it out to match exactly"
            )
    # a gap counts as 0, so that numbers can be compared everywhere; cells keep gaps and zeros apart
    gaps = [_gaps(column) for column in columns]
    values = tuple(_filled(column, gap) for column, gap in zip(columns, gaps))
    for table, numbers in enumerate(values):
        if not np.isfinite(numbers).all():
            raise InputError(
                f"column {name!r} of {tables.title(table)} holds infinite values, which are near to"
                " nothing; replace them"
            )
    key = NumericKey(
        name=name,
        known=known,
        values=values,
        missing=tuple(gaps) if any(gap.any() for gap in gaps) else None,
        interval=interval,
    )
    if known:
        if not tables.drawn:
            _warn_of_rounding(name, columns, tables)
        _check_unchanged(name, key.with_gaps(), tables)
    return key


def _gaps(column: Column) -> Flags:
    """Which values of a column are missing."""
    if column.missing is None:
        return np.zeros(len(column), dtype=bool)
    return column.missing


def _filled(column: Column, gaps: Flags) -> Floats:
    numbers = column.values.astype(np.float64)
    return np.where(gaps, 0.0, numbers)


def _check_matchable(name: Hashable, columns: Sequence[Column], tables: _Tables) -> None:
    """A key that must agree exactly can; a warning tells where hardly any released value does."""
    original = columns[0]
    for table, column in enumerate(columns[1:], start=1):
        if column is original:
            continue
        check_comparable(name, original, column, tables.title(table))
        if not tables.drawn and table <= len(tables.sets):
            warn_of_mismatch(name, original, column, tables.title(table))


def _warn_of_rounding(name: Hashable, columns: Sequence[Column], tables: _Tables) -> None:
    """Numbers that are the original's but for the last digit, which they lost in a file, match
    nothing.
    """
    released = columns[1 : len(tables.sets) + 1]
    for table, column in enumerate(released, start=1):
        lost = _nearly_equal(columns[0], column)
        if lost:
            repair = (
                "read files exactly (older pandas: float_precision='round_trip'), round both"
                " columns alike, or match within an interval"
            )
            finding = f"{tables.title(table)}, column {name!r}: {lost} of {len(column)} values"
            warn(
                f"{finding} differ from one of the original only in the last digit, as numbers do"
                f" that were written to a file and read back; they do not match: {repair}",
                NothingInCommonWarning,
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
    """A known key is released as it was; otherwise the list is wrong or rows are reordered."""
    original = codes[0]
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
    known_cells, known_size = _known_cells(known, keys.n)
    category, size = _categories(keys, known + synthesised, spare_bits=len(flags))
    # as the lowest digits, so that records of one category stay neighbours
    full = category
    for flag in flags:
        full = tuple(2 * cell + gap for cell, gap in zip(full, flag.codes))
        size = 2 * size
    return KeyCells(
        known=known_cells, known_size=known_size, category=category, full=full, size=size
    )


def _gap_flags(keys: MatchKeys, *, known: bool) -> list[Variable]:
    """For each numeric key with gaps, known ones or synthesised ones: whether it is missing."""
    flags = []
    for key in keys.numeric:
        if key.missing is not None and key.known == known:
            columns = [Column("logical", gap.astype(np.int64)) for gap in key.missing]
            flags.append(encode(f"{key.name} is missing", columns))
    return flags


def _known_cells(known: Sequence[Variable], n: int) -> tuple[Integers, int]:
    """The cell of each original record by its known keys, and how many cells there can be."""
    if not known:
        return np.zeros(n, dtype=np.int64), 1
    of_original = [replace(variable, codes=variable.codes[:1]) for variable in known]
    codes, radix = joint_codes(of_original)
    return codes[0], radix.size


def _categories(
    keys: MatchKeys, variables: Sequence[Variable], spare_bits: int
) -> tuple[tuple[Integers, ...], int]:
    """The cell of each record of each table by all exact keys, and how many cells there can be;
    so many bits more must fit beside them.
    """
    if not variables:
        lengths = [len(values) for values in keys.numeric[0].values]
        return tuple(np.zeros(length, dtype=np.int64) for length in lengths), 1
    codes, radix = joint_codes(variables)
    # flags of missing numbers will be appended, a bit each
    if radix.size << spare_bits > LARGEST_CODE:
        codes, radix = compact(codes, radix)
    return tuple(codes), radix.size
