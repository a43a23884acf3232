"""Everything about the matches that does not depend on what the intruder makes of them: targets,
ranges, counts, who matches itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..core.arrays import Flags, Integers
from ..errors import InputError
from .counting import Entries, Filter, count, entries_of
from .keys import Cells, Keys, cells_of
from .targets import TargetKeys, target_keys, whole_cells

__all__ = ["Problem", "agreeing_on_category", "agreeing_on_known", "prepare", "units_in_population"]


@dataclass(frozen=True, slots=True)
class Problem:
    """The matches of one release.

    Attributes
    ----------
    counts : int64, shape (G, sets): records that match each target key in each set (n_t).
    own : bool, shape (n, sets): whether each original record matches itself.
    """

    keys: Keys
    cells: Cells
    targets: TargetKeys
    entries: Entries
    counts: Integers
    own: Flags


def prepare(keys: Keys) -> Problem:
    """Sort the targets, find their ranges, count."""
    cells = cells_of(keys)
    targets = target_keys(keys, cells)
    tables = range(1, keys.sets + 1)
    entries = _entries(keys, cells, targets, tables)
    return Problem(
        keys,
        cells,
        targets,
        entries,
        count(entries),
        np.column_stack([_matches_itself(keys, cells, targets, table) for table in tables]),
    )


def _entries(keys: Keys, cells: Cells, targets: TargetKeys, tables: range) -> Entries:
    sweep = targets.sweep
    parts = [
        targets.ranges(cells.full[t], None if sweep is None else keys.numeric[sweep].values[t])
        for t in tables
    ]
    return entries_of(
        parts,
        list(tables),
        [_filter(keys, targets)] * len(parts),
        len(targets),
        points=sweep is None,
    )


def _filter(keys: Keys, targets: TargetKeys) -> Filter | None:
    names = tuple(
        i for i, key in enumerate(keys.numeric) if key.interval is not None and i != targets.sweep
    )
    return (
        Filter(keys, targets, names, True)
        if targets.joint
        else Filter(keys, targets, names, False)
        if names
        else None
    )


def _matches_itself(keys: Keys, cells: Cells, targets: TargetKeys, table: int) -> Flags:
    good: Flags = cells.full[table] == cells.full[0]
    everything = Filter(
        keys,
        targets,
        tuple(i for i, key in enumerate(keys.numeric) if key.interval is not None),
        targets.joint is not None,
    )
    record = np.flatnonzero(good)
    if keys.numeric:
        good[record] = everything.holds(
            record, np.full(len(record), table), targets.of_record[record]
        )
    return good


# ---- weaker agreement ----------------------------------------------------------------


def agreeing_on_known(problem: Problem) -> Integers:
    """Records that agree with each target on the known keys (n_t*), shape (G,); 0 only where an
    open interval of width 0 leaves not even the target.
    """
    keys, example = problem.keys, problem.targets.example
    numeric = tuple(
        replace(k, values=k.values[:1] * 2, missing=k.missing and k.missing[:1] * 2)
        for k in keys.numeric
        if k.known
    )
    if not numeric:
        _, place, size = np.unique(problem.cells.known, return_inverse=True, return_counts=True)
        return size[place.reshape(-1)][example]
    exact = tuple(
        replace(k, variable=replace(k.variable, codes=k.variable.codes[:1] * 2))
        for k in keys.exact
        if k.known
    )
    reduced = prepare(
        replace(keys, exact=exact, numeric=numeric, distance=None, sets=1, has_population=False)
    )
    return reduced.counts[:, 0][reduced.targets.of_record[example]]


def agreeing_on_category(problem: Problem, wanted: Flags, sets: int) -> tuple[Entries, Flags]:
    """The intervals of the synthesised keys dropped.

    Ranges of the wanted targets (bool, shape (G,)), which are numbered anew, and whether each
    record agrees with itself, shape (n, sets).
    """
    keys, cells, targets = problem.keys, problem.cells, problem.targets
    of_target = cells.category[0][targets.example]
    known = tuple(i for i, key in enumerate(keys.numeric) if key.known)
    check = Filter(keys, targets, known, False) if known else None
    tables = range(1, sets + 1)
    parts = [whole_cells(of_target, cells.category[t], cells.size) for t in tables]
    entries = entries_of(parts, list(tables), [check] * sets, len(targets), points=False)
    own = np.column_stack([cells.category[t] == cells.category[0] for t in tables])
    if check is not None:
        record = np.arange(keys.n)
        own &= check.holds(record, np.zeros(keys.n, dtype=np.int64), targets.of_record)[:, None]
    return entries.among(wanted), own


def units_in_population(problem: Problem, amounts: Integers) -> Integers:
    """The amounts of the population's rows that agree with each target, added up; int64, shape
    (G,).
    """
    keys, cells, targets = problem.keys, problem.cells, problem.targets
    table = keys.sets + 1
    units = count(_entries(keys, cells, targets, range(table, table + 1)), amounts)[:, 0]
    # an open interval of width 0 holds not even the target itself, and then the population need not
    # either
    absent = np.flatnonzero(
        (units == 0) & _matches_itself(keys, cells, targets, 0)[targets.example]
    )
    if len(absent):
        more = f" (and those of {len(absent) - 1} other targets)" if len(absent) > 1 else ""
        raise InputError(
            f"population: nobody in it has the keys of row {int(targets.example[absent[0]]) + 1} of"
            f" the original data{more}; a target belongs to the population, so it must count every"
            " combination that occurs: check the codes of the levels, or add what is missing"
        )
    return units
