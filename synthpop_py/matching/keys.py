"""The keys of all tables in one coding: where data frames end and arrays begin.

Table 0 is the original, then come the released sets, last the population where there is one. Equal
values get equal codes in all of them; missing is a level.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ..arguments import check_in_every_set
from ..core.arrays import Flags, Floats, Integers, Values
from ..core.columns import Column
from ..core.crosstab import LARGEST_CODE, compact, joint_codes
from ..core.levels import LevelRules, Variable, encode
from ..errors import InputError, NothingInCommonWarning, warn
from ..tables.comparable import check_comparable, warn_if_nothing_in_common
from ..tables.reading import read_column
from .distances import Distance
from .intervals import Boundary, Interval

__all__ = ["Cells", "ExactKey", "Keys", "NumericKey", "cells_of", "read_keys"]

LAST_DIGIT = (
    4  # units of the last binary place by which a number may change on its way through a text file
)
EQUAL = LevelRules(exact_numbers=True)  # two numbers that differ, however little, tell people apart


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
        return self.values[0] if self.missing is None else self.values[0][~self.missing[0]]


@dataclass(frozen=True, slots=True)
class Keys:
    """All keys of one call, in the order known, synthesised; `has_population` says that the last
    table is one.
    """

    exact: tuple[ExactKey, ...]
    numeric: tuple[NumericKey, ...]
    distance: Distance | None
    boundary: Boundary
    n: int
    sets: int
    has_population: bool

    @property
    def tables(self) -> int:
        return 1 + self.sets + self.has_population


@dataclass(frozen=True, slots=True)
class Cells:
    """One number for all that must agree exactly, one array per table.

    Attributes
    ----------
    known : int64, shape (n,): the known keys of the original only.
    category : all exact keys, and which numeric known keys are missing.
    full : the same and which numeric synthesised keys are missing; records of one category are
        neighbours in its order.
    size : numbers run from 0 to size - 1.
    """

    known: Integers
    category: tuple[Integers, ...]
    full: tuple[Integers, ...]
    size: int


# ---- reading -------------------------------------------------------------------------


def read_keys(
    original: pd.DataFrame,
    sets: Sequence[pd.DataFrame],
    known: Sequence[Hashable],
    synthesised: Sequence[Hashable],
    intervals: Mapping[Hashable, Interval],
    distance: Distance | None,
    boundary: Boundary,
    population: pd.DataFrame | None = None,
    *,
    drawn: bool = False,
) -> Keys:
    """Read and code every key. `drawn` sets hold the synthesised keys only; the known ones are
    taken from the original.
    """
    for argument, names in (("synthesised", synthesised), ("known", () if drawn else known)):
        for name in names:
            if drawn and name not in sets[0].columns:
                raise InputError(
                    f"models: none of them draws the synthesised key {name!r}; give a model for"
                    " every synthesised key"
                )
            check_in_every_set(argument, name, sets)
    joint = () if distance is None else tuple(distance.columns or ())
    exact, numeric = [], []
    for name in (*known, *synthesised):
        is_known = name in known
        own = [original] * (1 + len(sets)) if drawn and is_known else [original, *sets]
        columns = _columns(name, own if population is None else [*own, population], len(sets))
        if name in intervals or name in joint:
            key = _numeric(name, is_known, columns, intervals.get(name), len(sets))
            if is_known and not drawn:
                _warn_of_rounding(name, columns, len(sets))
            _check_unchanged(
                name,
                (
                    key.values
                    if key.missing is None
                    else [np.where(m, np.nan, v) for v, m in zip(key.values, key.missing)]
                ),
                len(sets),
                is_known,
            )
            numeric.append(key)
        else:
            _check_matchable(name, columns, len(sets), tell=not drawn)
            if not drawn:
                _warn_of_rounding(name, columns, len(sets))
            variable = encode(str(name), columns, EQUAL)
            _check_unchanged(name, variable.codes, len(sets), is_known)
            exact.append(ExactKey(name, variable, is_known))
    return Keys(
        tuple(exact),
        tuple(numeric),
        distance,
        boundary,
        len(original),
        len(sets),
        population is not None,
    )


def place(table: int, sets: int) -> str:
    """What a table is called in messages."""
    if table == 0:
        return "the original data"
    if table > sets:
        return "the population"
    return "the synthetic data" if sets == 1 else f"synthetic data set {table}"


def _columns(name: Hashable, frames: Sequence[pd.DataFrame], sets: int) -> list[Column]:
    """The column of every table; a table given twice is read once."""
    read: dict[int, Column] = {}
    for table, frame in enumerate(frames):
        if id(frame) not in read:
            read[id(frame)] = read_column(frame[name], f"column {name!r} of {place(table, sets)}")
    return [read[id(frame)] for frame in frames]


def _check_matchable(name: Hashable, columns: Sequence[Column], sets: int, *, tell: bool) -> None:
    """A key that must agree exactly can; `tell` warns where hardly any released value does."""
    for table, column in enumerate(columns[1:], start=1):
        if column is not columns[0]:
            check_comparable(name, columns[0], column, place(table, sets))
            if tell and table <= sets:
                warn_if_nothing_in_common(name, columns[0], column, place(table, sets))


def _warn_of_rounding(name: Hashable, columns: Sequence[Column], sets: int) -> None:
    """Numbers that are the original's but for the last digit, which they lost in a file, match
    nothing.
    """
    for table, column in enumerate(columns[1 : sets + 1], start=1):
        lost = _nearly_equal(columns[0], column)
        if lost:
            repair = (
                "read files exactly (older pandas: float_precision='round_trip'), round both"
                " columns alike, or match within an interval"
            )
            warn(
                f"{place(table, sets)}, column {name!r}: {lost} of {len(column)} values differ from"
                " one of the original only in the last digit, as numbers do that were written to a"
                f" file and read back; they do not match: {repair}",
                NothingInCommonWarning,
            )


def _nearly_equal(original: Column, synthetic: Column) -> int:
    """How many values of a column are not in the other but next to one that is."""
    if (
        synthetic is original
        or not (original.is_number and synthetic.is_number)
        or "double" not in (original.kind, synthetic.kind)
    ):
        return 0
    known, values = (
        np.unique(original.present().astype(np.float64)),
        synthetic.present().astype(np.float64),
    )
    values = values[np.trunc(values) != values]  # whole numbers survive
    if not len(known) or not len(values):
        return 0
    at = np.searchsorted(known, values)
    below, above = known[np.maximum(at - 1, 0)], known[np.minimum(at, len(known) - 1)]
    gap = np.minimum(np.abs(values - below), np.abs(above - values))
    return int(((gap > 0) & (gap <= LAST_DIGIT * np.spacing(np.abs(values)))).sum())


def _numeric(
    name: Hashable, known: bool, columns: Sequence[Column], interval: Interval | None, sets: int
) -> NumericKey:
    for table, column in enumerate(columns):
        if not column.is_number:
            what = "intervals" if interval is not None else "distance"
            raise InputError(
                f"{what}: {name!r} is not numeric in {place(table, sets)} ({column.kind}); make it"
                " a number, or leave it out to match exactly"
            )
    gaps = [np.zeros(len(c), dtype=bool) if c.missing is None else c.missing for c in columns]
    values = tuple(np.where(gap, 0.0, c.values.astype(np.float64)) for c, gap in zip(columns, gaps))
    for table, own in enumerate(values):
        if not np.isfinite(own).all():
            raise InputError(
                f"column {name!r} of {place(table, sets)} holds infinite values, which are near to"
                " nothing; replace them"
            )
    return NumericKey(
        name, known, values, tuple(gaps) if any(g.any() for g in gaps) else None, interval
    )


def _check_unchanged(name: Hashable, codes: Sequence[Values], sets: int, known: bool) -> None:
    """A known key is released as it was; otherwise the list is wrong or rows are reordered."""
    for table in range(1, sets + 1) if known else ():
        if codes[table] is codes[0]:
            continue
        differs = ~(
            (codes[table] == codes[0]) | (codes[table] != codes[table]) & (codes[0] != codes[0])
        )
        if differs.any():
            raise InputError(
                f"known: {name!r} differs between the original and {place(table, sets)} in"
                f" {int(differs.sum())} of {len(differs)} records, first in row"
                f" {int(np.flatnonzero(differs)[0]) + 1}; known keys are released unchanged: bring"
                " the rows into the same order, or list it under synthesised"
            )


# ---- cells ---------------------------------------------------------------------------


def cells_of(keys: Keys) -> Cells:
    """Number what must agree exactly."""
    flags = {
        known: [_flag(k) for k in keys.numeric if k.missing is not None and k.known == known]
        for known in (True, False)
    }
    known = [k.variable for k in keys.exact if k.known] + flags[True]
    synthesised = [k.variable for k in keys.exact if not k.known]
    own = (
        joint_codes([replace(v, codes=v.codes[:1]) for v in known])[0][0]
        if known
        else np.zeros(keys.n, dtype=np.int64)
    )
    if not known and not synthesised:
        nothing = tuple(np.zeros(len(values), dtype=np.int64) for values in keys.numeric[0].values)
        category, size = nothing, 1
    else:
        codes, radix = joint_codes(known + synthesised)
        if radix.size << len(flags[False]) > LARGEST_CODE:
            codes, radix = compact(codes, radix)
        category, size = tuple(codes), radix.size
    full = category
    for flag in flags[False]:
        full, size = tuple(2 * cell + gap for cell, gap in zip(full, flag.codes)), 2 * size
    return Cells(own, category, full, size)


def _flag(key: NumericKey) -> Variable:
    return encode(
        f"{key.name} is missing",
        [Column("logical", gap.astype(np.int64)) for gap in key.missing or ()],
    )
