"""Everything about the matches that does not depend on what the intruder makes of them: targets,
ranges, counts, who matches itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..core.arrays import Flags, Integers
from ..core.crosstab import Counts, count_codes, room_for
from ..errors import InputError
from .counting import count_matches
from .keys import ExactKey, KeyCells, MatchKeys, NumericKey, cells_of
from .reach import Entries, Filter, entries_of
from .targets import TargetKeys, target_keys, whole_cells

__all__ = ["Problem", "agreeing_on_category", "agreeing_on_known", "prepare", "units_in_population"]


@dataclass(frozen=True, slots=True)
class Problem:
    """The matches of one release.

    Attributes
    ----------
    counts : int64, shape (G, sets): records that match each target key in each set (n_t).
    itself : bool, shape (n, sets): whether each original record matches itself.
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


def _matches_itself(keys: MatchKeys, cells: KeyCells, targets: TargetKeys, table: int) -> Flags:
    """Which original records match their own row of a table."""
    good: Flags = cells.full[table] == cells.full[0]
    if not keys.numeric:
        return good
    names = tuple(_with_interval(keys))
    everything = Filter(keys, targets, names, joint=targets.joint is not None)
    record = np.flatnonzero(good)
    tables = np.full(len(record), table)
    good[record] = everything.holds(record, tables, targets.of_record[record])
    return good


def agreeing_on_known(problem: Problem) -> Integers:
    """Records that agree with each target on the known keys (n_t*), shape (G,); 0 only where an
    open interval of width 0 leaves not even the target.
    """
    keys = problem.keys
    example = problem.targets.example
    numeric = tuple(_against_itself(key) for key in keys.numeric if key.known)
    if not numeric:
        return _sizes_of_known_cells(problem.cells, example)
    exact = tuple(_codes_against_themselves(key) for key in keys.exact if key.known)
    # the same problem with fewer keys and the original as its one released set
    known_only = replace(keys, exact=exact, numeric=numeric, distance=None, sets=1)
    reduced = prepare(known_only)
    return reduced.counts[:, 0][reduced.targets.of_record[example]]


def _against_itself(key: NumericKey) -> NumericKey:
    """The key with the original in place of a released set."""
    missing = None if key.missing is None else key.missing[:1] * 2
    return replace(key, values=key.values[:1] * 2, missing=missing)


def _codes_against_themselves(key: ExactKey) -> ExactKey:
    """The same for a key that must agree exactly."""
    variable = replace(key.variable, codes=key.variable.codes[:1] * 2)
    return replace(key, variable=variable)


def _sizes_of_known_cells(cells: KeyCells, records: Integers) -> Integers:
    """How many original records are in the cell of each of some records."""
    cell = cells.known[records]
    counts = count_codes(cells.known, cells.known_size, room_for(len(cells.known)))
    if isinstance(counts, Counts):
        return counts.n[np.searchsorted(counts.cells, cell)]
    sizes: Integers = counts[cell]
    return sizes


def agreeing_on_category(problem: Problem, wanted: Flags, sets: int) -> tuple[Entries, Flags]:
    """The intervals of the synthesised keys dropped.

    Ranges of the wanted targets (bool, shape (G,)), which are numbered anew, and whether each
    record agrees with itself, shape (n, sets).
    """
    keys, cells, targets = problem.keys, problem.cells, problem.targets
    of_target = cells.category[0][targets.example]
    known = tuple(i for i, key in enumerate(keys.numeric) if key.known)
    # ranges are whole categories here, so that every known interval is to be checked
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
    itself = np.column_stack([cells.category[table] == cells.category[0] for table in tables])
    if check is not None:
        # known keys are the same in every set: the original (table 0) stands for all
        original = np.zeros(keys.n, dtype=np.int64)
        near = check.holds(np.arange(keys.n), original, targets.of_record)
        itself &= near[:, None]
    return entries.among(wanted), itself


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
    matches_itself = _matches_itself(keys, cells, targets, 0)[targets.example]
    absent = np.flatnonzero((units == 0) & matches_itself)
    if len(absent):
        row = int(targets.example[absent[0]]) + 1
        more = f" (and those of {len(absent) - 1} other targets)" if len(absent) > 1 else ""
        raise InputError(
            f"population: nobody in it has the keys of row {row} of the original data{more}; a"
            " target belongs to the population, so it must count every combination that occurs:"
            " check the codes of the levels, or add what is missing"
        )
    return units
