"""Everything about the matches that does not depend on how the intruder decides: targets, ranges,
counts, and which targets match their own record.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..core.arrays import Flags, Integers
from ..core.combinations import room_for
from ..core.crosstab import Counts, count_codes
from ..errors import InputError
from .counting import count_matches
from .keys import ExactKey, KeyCells, MatchKeys, NumericKey, cells_of
from .reach import Entries, Filter, entries_of
from .targets import TargetKeys, target_keys, whole_cells

__all__ = [
    "KnownAgreement",
    "Problem",
    "agreeing_on_category",
    "agreeing_on_known",
    "in_original",
    "own_records",
    "prepare",
    "units_in_population",
]


@dataclass(frozen=True, slots=True)
class Problem:
    """The matches of one release.

    Attributes
    ----------
    counts : int64, shape (G, sets): records that match each target key in each set (n_t).
    itself : bool, shape (targets, sets): whether the record of each target matches it.
    """

    keys: MatchKeys
    cells: KeyCells
    targets: TargetKeys
    entries: Entries
    counts: Integers
    itself: Flags


def prepare(keys: MatchKeys) -> Problem:
    """Sort the targets, find their ranges, count."""
    cells = cells_of(keys)
    targets = target_keys(keys, cells)
    tables = range(1, keys.sets + 1)
    entries = _entries(keys, cells, targets, tables)
    counts = count_matches(entries)
    itself = [_matches_itself(keys, cells, targets, table) for table in tables]
    return Problem(
        keys=keys,
        cells=cells,
        targets=targets,
        entries=entries,
        counts=counts,
        itself=np.column_stack(itself),
    )


def _entries(keys: MatchKeys, cells: KeyCells, targets: TargetKeys, tables: range) -> Entries:
    """The targets within reach of the records of some tables."""
    sweep = targets.sweep
    parts = []
    for table in tables:
        values = None if sweep is None else keys.numeric[sweep].values[table]
        parts.append(targets.ranges(cells.full[table], values))
    check = _filter(keys, targets)
    return entries_of(
        parts,
        tables,
        check,
        targets=len(targets),
        points=sweep is None,
        most_pairs=keys.most_pairs,
    )


def _filter(keys: MatchKeys, targets: TargetKeys) -> Filter | None:
    """What cell and sweep key leave to be checked."""
    names = tuple(name for name in _with_interval(keys) if name != targets.sweep)
    if not names and targets.joint is None:
        return None
    return Filter(keys, targets, names, joint=targets.joint is not None)


def _with_interval(keys: MatchKeys) -> list[int]:
    """Positions of the numeric keys that have an interval of their own."""
    return [i for i, key in enumerate(keys.numeric) if key.interval is not None]


def own_records(keys: MatchKeys) -> tuple[Integers, Integers]:
    """The targets who are in the file, and the record of each."""
    if keys.records is None:
        everybody = np.arange(keys.targets)
        return everybody, everybody
    inside = np.flatnonzero(keys.records >= 0)
    return inside, keys.records[inside]


def _matches_itself(keys: MatchKeys, cells: KeyCells, targets: TargetKeys, table: int) -> Flags:
    """Which targets match their own record of a table."""
    target, record = own_records(keys)
    return _pairs_match(keys, cells, targets, table, target, record)


def _pairs_match(
    keys: MatchKeys,
    cells: KeyCells,
    targets: TargetKeys,
    table: int,
    target: Integers,
    record: Integers,
) -> Flags:
    """Which targets, one flag each, match a record of a table; targets without one do not."""
    same_cell = cells.full[table][record] == cells.full[0][target]
    target, record = target[same_cell], record[same_cell]
    if keys.numeric:
        names = tuple(_with_interval(keys))
        everything = Filter(keys, targets, names, joint=targets.joint is not None)
        tables = np.full(len(record), table)
        target = target[everything.holds(record, tables, targets.of_record[target])]
    good = np.zeros(keys.targets, dtype=bool)
    good[target] = True
    return good


@dataclass(frozen=True, slots=True)
class KnownAgreement:
    """Which records agree on the known keys.

    Attributes
    ----------
    counts : int64, shape (G,): records that agree with each target key (n_t*). Of original records
        0 only where an open interval of width 0 leaves not even the target.
    itself : bool, one per target: whether its own record does.
    """

    counts: Integers
    itself: Flags


def agreeing_on_known(problem: Problem) -> KnownAgreement:
    """Compare the known keys of the targets with those of the file."""
    keys = problem.keys
    example = problem.targets.example
    numeric = tuple(_against_file(key) for key in keys.numeric if key.known)
    if not numeric:
        counts = _sizes_of_known_cells(problem.cells, example)
        return KnownAgreement(counts, _own_known_cell(keys, problem.cells))
    exact = tuple(_codes_against_file(key) for key in keys.exact if key.known)
    # the same problem with fewer keys and the file, whose known keys are the original's, as its one
    # released set
    known_only = replace(
        keys,
        exact=exact,
        numeric=numeric,
        distance=None,
        rows=keys.rows[:2],
        sets=1,
        truth=min(keys.truth, 1),
    )
    reduced = prepare(known_only)
    counts = reduced.counts[:, 0][reduced.targets.of_record[example]]
    return KnownAgreement(counts, reduced.itself[:, 0])


def _against_file(key: NumericKey) -> NumericKey:
    """The key of the targets and of one released set."""
    missing = None if key.missing is None else key.missing[:2]
    return replace(key, values=key.values[:2], missing=missing)


def _codes_against_file(key: ExactKey) -> ExactKey:
    """The same for a key that must agree exactly."""
    variable = replace(key.variable, codes=key.variable.codes[:2])
    return replace(key, variable=variable)


def _sizes_of_known_cells(cells: KeyCells, targets: Integers) -> Integers:
    """How many records of the file are in the cell of each of some targets."""
    cell = cells.known[targets]
    in_file = cells.known_in_file
    counts = count_codes(in_file, cells.known_size, room_for(len(in_file)))
    if isinstance(counts, Counts):
        position = np.searchsorted(counts.cells, cell)
        position = np.minimum(position, len(counts.cells) - 1)
        return np.where(counts.cells[position] == cell, counts.n[position], 0)
    sizes: Integers = counts[cell]
    return sizes


def _own_known_cell(keys: MatchKeys, cells: KeyCells) -> Flags:
    """Which targets have the known keys of their own record."""
    target, record = own_records(keys)
    good = np.zeros(keys.targets, dtype=bool)
    good[target] = cells.known[target] == cells.known_in_file[record]
    return good


def agreeing_on_category(problem: Problem, wanted: Flags, sets: int) -> tuple[Entries, Flags]:
    """The intervals of the synthesised keys dropped.

    Ranges of the wanted targets (bool, shape (G,)), which are numbered anew, and whether each
    target agrees with its own record, shape (targets, sets).
    """
    keys, cells, targets = problem.keys, problem.cells, problem.targets
    of_target = cells.category[0][targets.example]
    known = tuple(i for i, key in enumerate(keys.numeric) if key.known)
    # ranges are whole categories here, so every known interval must be checked
    check = Filter(keys, targets, known, joint=False) if known else None
    tables = range(1, sets + 1)
    parts = [whole_cells(of_target, cells.category[table], cells.size) for table in tables]
    entries = entries_of(
        parts,
        tables,
        check,
        targets=len(targets),
        points=False,
        most_pairs=keys.most_pairs,
    )
    target, record = own_records(keys)
    itself = np.zeros((keys.targets, sets), dtype=bool)
    for table in tables:
        of_record = cells.category[table][record]
        itself[target, table - 1] = of_record == cells.category[0][target]
    if check is not None:
        # known keys are the same in every set: the first stands for all
        first = np.ones(len(record), dtype=np.int64)
        near = check.holds(record, first, targets.of_record[target])
        itself[target] &= near[:, None]
    return entries.among(wanted), itself


def in_original(problem: Problem) -> Integers:
    """Original records that match each target key, shape (G,)."""
    keys = problem.keys
    original = range(keys.truth, keys.truth + 1)
    entries = _entries(keys, problem.cells, problem.targets, original)
    return count_matches(entries)[:, 0]


def units_in_population(problem: Problem, amounts: Integers) -> Integers:
    """The amounts of the population's rows that agree with each target, added up; int64, shape
    (G,).
    """
    keys, cells, targets = problem.keys, problem.cells, problem.targets
    population = keys.sets + 1
    entries = _entries(keys, cells, targets, range(population, population + 1))
    units = count_matches(entries, amounts)[:, 0]
    # an open interval of width 0 holds not even the target itself, and then the population need not
    # either
    example = targets.example
    matches_itself = _pairs_match(keys, cells, targets, 0, example, example)[example]
    absent = np.flatnonzero((units == 0) & matches_itself)
    if len(absent):
        row = int(targets.example[absent[0]]) + 1
        place = "the original data" if keys.records is None else "the targets"
        more = f" (and those of {len(absent) - 1} other targets)" if len(absent) > 1 else ""
        raise InputError(
            f"population: nobody in it has the keys of row {row} of {place}{more}; targets "
            "belong to the population, so it must count every combination that occurs: check "
            "the codes of the levels, or add what is missing"
        )
    return units
