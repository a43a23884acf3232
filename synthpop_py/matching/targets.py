"""What an intruder asks and knows: their own targets, of whom some keys are known in part (a set of
values, or ends) or in groups only, and which records of the original they are.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..arguments import is_column, is_number
from ..core.arrays import Flags, Floats, Integers
from ..core.coding import encode
from ..core.columns import Column
from ..core.numerals import exact_number
from ..errors import InputError, unknown_name
from ..tables.bands import bands_between
from ..tables.frames import owned, owned_values, plain_values
from ..tables.opening import check_frame
from ..tables.reading import read_column
from .near import LAST_DIGITS, Boundary, Distance, Interval
from .population import LogLinear, check_has_order, check_target_labels

Attack = Literal["probability", "mode", "model"]
Fallback = Literal["known", "categories"]
Source = Literal["weights", "population", "units", "model"]
SOURCES = {"weights": "survey weights", "population": "population counts", "units": "N_t given"}
NEAR = 1e-14  # numbers further apart than this share of them differ in 15 digits
SETS = (set, frozenset, list, tuple, range, np.ndarray, pd.Index, pd.Series)
NO_GROUP, UNNAMED = -1, -2  # a level whose group is missing; one that the mapping does not name
EXAMPLE = "{'age': [30, 45, 60]} or {'town': {'A': 'north', 'B': 'north', 'C': 'south'}}"


@dataclass(frozen=True, slots=True)
class Between:
    """Only the range of a number is known: ``low <= z <= high``, both ends included. None for no
    end; `Between()` says that nothing is known about this key: every value matches.

    It stands in a cell of `targets`. A missing value lies between no ends.

    Examples
    --------
    >>> Between(100_000), Between(None, 18), Between(30, 39)
    (Between(low=100000, high=None), Between(low=None, high=18), Between(low=30, high=39))
    """

    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        for side, end in (("low", self.low), ("high", self.high)):
            if is_number(end) and is_too_large(end):
                raise InputError(f"Between: {side} is too large; give None for no end")
            if end is not None and not (is_number(end) and math.isfinite(end)):
                raise InputError(
                    f"Between: {side}={end!r} is not a number; give a number, or None for no end"
                )
        if self.low is not None and self.high is not None and self.low > self.high:
            raise InputError(
                f"Between: low={self.low!r} is above high={self.high!r}; give the lower end first"
            )

    @property
    def says_nothing(self) -> bool:
        return self.low is None and self.high is None

    def holds(self, values: Floats) -> Flags:
        """Which numbers lie between the ends; those that are missing (infinite) do not, unless
        nothing is known.
        """
        good = np.isfinite(values) | self.says_nothing
        if self.low is not None:
            good &= values >= self.low - LAST_DIGITS * np.spacing(abs(float(self.low)))
        if self.high is not None:
            good &= values <= self.high + LAST_DIGITS * np.spacing(abs(float(self.high)))
        return good


@dataclass(frozen=True, slots=True)
class OneOf:
    """Only a set of possible values is known; None in it for a missing value."""

    values: tuple[Any, ...]

    @property
    def says_nothing(self) -> bool:
        return False

    def holds(self, values: Floats) -> Flags:
        """Which numbers are among the values: whole numbers exactly, fractions in 15 digits."""
        among = np.isinf(values) & (None in self.values)
        for number in [float(value) for value in self.values if value is not None]:
            near = np.abs(values - number) <= NEAR * abs(number)
            for row in np.flatnonzero(near & (values != number)):
                near[row] = exact_number(float(values[row])) == exact_number(number)
            among |= near
        return among


Statement = Between | OneOf


@dataclass(frozen=True, slots=True, eq=False)
class Statements:
    """What is known of one key where it is no value: the `distinct` statements, and the position of
    each target's (int64), -1 where the value is known.
    """

    of_target: Integers
    distinct: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, eq=False)
class TargetList:
    """The intruder's targets.

    Attributes
    ----------
    given : the frame as given, for its row labels and columns.
    values : its keys, missing where no value is known but a statement.
    statements : by key; keys without any are not in it.
    records : int64, one per target: the row of the original, -1 for a target outside the file.
    """

    given: pd.DataFrame
    values: pd.DataFrame
    statements: dict[Hashable, Statements]
    records: Integers


@dataclass(frozen=True, slots=True)
class Belief:
    """What the intruder believes and how they decide.

    Attributes
    ----------
    threshold : the probability above which a match is perceived.
    fallback : what still has to agree where nothing matches: the known keys, or first the
        categories; None for no fallback.
    source : where N_t comes from; None where the target is known to be in the file.
    amounts : int64: survey weights of the records, counts of the population's rows, or N_t of each
        target, all times `scale`. model : how N_t is estimated.
    abstain : no record is named when the target is at least as likely to be outside the file as to
        be any one record.
    """

    threshold: Fraction
    fallback: Fallback | None
    source: Source | None = None
    amounts: Integers | None = None
    model: LogLinear | None = None
    scale: int = 1
    abstain: bool = False

    @property
    def in_file(self) -> bool:
        """The intruder knows that the target is in the file."""
        return self.source is None

    @property
    def units(self) -> Integers | None:
        """N_t of each target, if it is given."""
        return self.amounts if self.source == "units" else None

    @property
    def source_text(self) -> str:
        """Where N_t comes from, in words."""
        return str(self.model) if self.source == "model" else SOURCES[self.source or "units"]

    def about(self, targets: Integers) -> Belief:
        """The same about some of the targets."""
        return self if self.units is None else replace(self, amounts=self.units[targets])


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """The checked arguments of a call.

    Attributes
    ----------
    targets : the intruder's own; None where every original record is one.
    coarsen : groups of values by key: a mapping of levels, or cut points.
    population : the keys of the population's rows, None where there is none.
    model : the arguments of the attack by models, which reads them.
    """

    known: tuple[Hashable, ...]
    synthesised: tuple[Hashable, ...]
    attack: Attack
    intervals: dict[Hashable, Interval]
    distance: Distance | None
    boundary: Boundary
    belief: Belief
    targets: TargetList | None
    coarsen: dict[Hashable, Any]
    population: pd.DataFrame | None
    model: dict[str, Any] = field(default_factory=dict)


# ---- targets -------------------------------------------------------------------------


def read_targets(
    targets: Any, target_records: Any, original: pd.DataFrame, keys: Sequence[Hashable]
) -> TargetList | None:
    """The targets, checked; None where all original records are targets."""
    if targets is None:
        if target_records is not None:
            raise InputError(
                "target_records: says which records the targets are, but there are no "
                "targets; give targets too, or leave it out: then every original record is a "
                "target"
            )
        return None
    frame = check_frame(targets, "targets")
    if not len(frame):
        raise InputError("targets: has no rows; give one row per target, or leave it out")
    statements, columns = {}, {}
    for name in keys:
        if name not in frame.columns:
            raise InputError(
                f"targets: has no column {name!r}; it needs all keys ({', '.join(map(str, keys))}),"
                " with Between() where nothing is known about a target"
            )
        columns[name], stated = _values_and_statements(name, frame[name])
        if stated is not None:
            statements[name] = stated
    return TargetList(
        given=owned(frame),
        values=pd.DataFrame(columns, index=frame.index),
        statements=statements,
        records=_records(target_records, frame, original),
    )


def _values_and_statements(
    name: Hashable, column: pd.Series
) -> tuple[pd.Series, Statements | None]:
    """A column with its statements taken out, and these."""
    if column.dtype != object:
        return column, None
    numbers: dict[Any, int] = {}
    distinct: list[Statement] = []
    of_target = np.full(len(column), -1, dtype=np.int64)
    cells = column.tolist()
    for row, cell in enumerate(cells):
        statement = _statement(name, row, cell)
        if statement is None:
            continue
        identity: Hashable = statement
        if isinstance(statement, OneOf):
            # 1 and True are not the same
            identity = frozenset((type(value), value) for value in statement.values)
        of_target[row] = numbers.setdefault(identity, len(distinct))
        if of_target[row] == len(distinct):
            distinct.append(statement)
        cells[row] = None
    if not distinct:
        return column, None
    values = pd.Series(cells, index=column.index, dtype=object)
    return values, Statements(of_target, tuple(distinct))


def _statement(name: Hashable, row: int, cell: Any) -> Statement | None:
    """What a cell says; None for a value."""
    if isinstance(cell, Between):
        return cell
    if not isinstance(cell, SETS):
        return None
    values = tuple(None if is_missing(value) else value for value in cell)
    if not values:
        raise InputError(
            f"targets: the set for {name!r} in row {row + 1} is empty, so nobody could match;"
            " give the values that are possible, or Between() where nothing is known"
        )
    if not all(isinstance(value, Hashable) for value in values):
        raise InputError(
            f"targets: the set for {name!r} in row {row + 1} does not hold plain values; give"
            " texts, numbers or dates, as in {'north', 'south'}"
        )
    return OneOf(values)


def is_missing(value: Any) -> bool:
    if value is None or value is pd.NA or value is pd.NaT:
        return True
    return isinstance(value, (float, np.floating)) and math.isnan(value)


def is_too_large(number: Any) -> bool:
    """Whether a whole number has more digits than a double can have."""
    try:
        float(number)
    except OverflowError:
        return True
    return False


def _records(target_records: Any, frame: pd.DataFrame, original: pd.DataFrame) -> Integers:
    """The row of the original that each target is, -1 for one outside the file."""
    if target_records is None:
        raise InputError(
            "target_records: is not given; it says which record of the original data each target"
            " is: a column of targets, or one row label per target, None for a target who is not"
            " in the file"
        )
    if is_column(target_records, list(frame.columns)):
        target_records = frame[target_records]
    elif isinstance(target_records, str):
        raise InputError(
            f"target_records: {target_records!r} is not a column of the targets; give a column, or"
            " one row label of the original data per target"
        )
    check_has_order("target_records", target_records, "targets")
    check_target_labels("target_records", target_records, frame)
    given = list(plain_values(target_records))
    if len(given) != len(frame):
        raise InputError(
            f"target_records: {len(given)} given for {len(frame)} targets; give one for each"
        )
    if not original.index.is_unique:
        raise InputError(
            "target_records: row labels of the original data occur more than once, so they "
            "do not identify a record; give unique ones, for instance with "
            ".reset_index(drop=True)"
        )
    labels = np.empty(len(frame), dtype=object)
    labels[:] = given
    rows = np.full(len(frame), -1, dtype=np.int64)
    inside = np.flatnonzero(~pd.isna(labels))
    rows[inside] = original.index.get_indexer(pd.Index([labels[row] for row in inside]))
    strangers = inside[rows[inside] < 0]
    if len(strangers):
        first = labels[strangers[0]]
        raise InputError(
            f"target_records: {len(strangers)} of {len(frame)} are not row labels of the "
            f"original data, first {first!r} in row {int(strangers[0]) + 1}; give a missing "
            "value (None) for a target who is not in the file"
        )
    return rows


# ---- keys known in groups ------------------------------------------------------------


def check_coarsen(
    coarsen: Any,
    keys: Sequence[Hashable],
    near: Collection[Hashable],
    targets: TargetList | None,
) -> dict[Hashable, Any]:
    """A mapping of levels to groups, or cut points, by key. `near` are keys with an interval or in
    the distance, which cannot also be in groups.
    """
    if coarsen is None:
        return {}
    if not isinstance(coarsen, Mapping):
        raise InputError(f"coarsen: {coarsen!r} is not a mapping; give keys, as in {EXAMPLE}")
    rules = {}
    for name, rule in coarsen.items():
        if name not in keys:
            raise unknown_name("coarsen", name, list(keys), "the keys")
        if name in near:
            raise InputError(
                f"coarsen: {name!r} also has an interval or is in the distance; groups must "
                "agree exactly, so use only one of them"
            )
        stated = None if targets is None else targets.statements.get(name)
        for statement in () if stated is None else stated.distinct:
            if isinstance(statement, Between) and not statement.says_nothing:
                raise InputError(
                    f"coarsen: {name!r} has Between(...) among the targets, which does not fit "
                    "groups; give sets of values there, or leave the key out of coarsen"
                )
        if isinstance(rule, pd.Series):
            twice = rule.index[rule.index.duplicated()].tolist()
            if twice:
                raise InputError(
                    f"coarsen: the Series for {name!r} names {twice[0]!r} more than once; give one"
                    " group for each level"
                )
            rule = dict(zip(rule.index.tolist(), rule.tolist()))
        elif isinstance(rule, Mapping) and not rule:
            raise InputError(
                f"coarsen: the mapping for {name!r} is empty; write it as in {EXAMPLE}"
            )
        rules[name] = owned_values(rule)
    return rules


def coarsened(name: Hashable, rule: Any, series: pd.Series, place: str) -> Column:
    """The group of each value as a whole number; missing values stay missing, unless the mapping
    names them.

    Examples
    --------
    >>> coarsened("age", [30, 45], pd.Series([29, 30, 60]), "here").values.tolist()
    [0, 1, 2]
    """
    if isinstance(rule, Mapping):
        groups = _by_mapping(name, rule, series, place)
        missing = groups < 0
    elif series.isna().all():
        # without values a column has no type, so it cannot have bands
        groups = np.zeros(len(series), dtype=np.int64)
        missing = groups == 0
    else:
        groups, texts = bands_between("coarsen", name, rule, series)
        missing = groups == len(texts) - 1
    return Column("integer", np.where(missing, 0, groups), missing if missing.any() else None)


def _by_mapping(
    name: Hashable, groups: Mapping[Any, Any], series: pd.Series, place: str
) -> Integers:
    """The number of each value's group, negative where it has none."""
    column = read_column(series, f"column {name!r} of {place}")
    # numbers apart from texts, so that the original may have ages and the file bands of them
    numbers = [level for level in groups if is_number(level)]
    texts = [level for level in groups if not is_number(level)]
    if not (numbers and any(isinstance(level, str) for level in texts)):
        numbers, texts = list(groups), []
    levels = [*numbers, *texts]
    columns = [column]
    for of_one_type in filter(None, (numbers, texts)):
        series_of = pd.Series(of_one_type, dtype=object)
        columns.append(read_column(series_of, f"coarsen: the mapping for {name!r}"))
    # 1, 1.0 and "1" are one level here too
    variable = encode(str(name), columns)
    codes = np.concatenate(variable.codes[1:])
    of_level = _group_numbers(name, [groups[level] for level in levels])
    group_of = np.full(variable.size, UNNAMED, dtype=np.int64)
    group_of[codes] = of_level
    differs = np.flatnonzero(group_of[codes] != of_level)
    if len(differs):
        again = int(np.flatnonzero(codes == codes[differs[0]])[-1])
        raise InputError(
            f"coarsen: the mapping for {name!r} has two groups for the same level, "
            f"{levels[differs[0]]!r} and {levels[again]!r}; give one"
        )
    found = group_of[variable.codes[0]]
    unnamed = found == UNNAMED
    if column.missing is not None:
        unnamed &= ~column.missing
    if unnamed.any():
        raise InputError(
            f"coarsen: the mapping for {name!r} has no group for the values of"
            f" {int(unnamed.sum())} of {len(found)} records of {place}; name every level that"
            " occurs; .details lists them",
            details={"levels": tuple(pd.unique(series[unnamed]).tolist())},
        )
    return found


def _group_numbers(name: Hashable, groups: Sequence[Any]) -> Integers:
    """The groups numbered in the order of their names, `NO_GROUP` where a name is missing."""
    order: dict[Hashable, int] = {}
    numbers = []
    for group in groups:
        if not isinstance(group, Hashable):
            raise InputError(
                f"coarsen: {group!r} for {name!r} is not the name of a group; write it as in"
                f" {EXAMPLE}"
            )
        missing = is_missing(group)
        numbers.append(NO_GROUP if missing else order.setdefault(group, len(order)))
    return np.array(numbers, dtype=np.int64)
