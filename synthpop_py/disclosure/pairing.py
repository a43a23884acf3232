"""The cells of the original and one synthesis side by side, as R pairs them.

R tabulates original and synthetic data separately and adds to each table the levels it lacks. R
sorts an extended table alphabetically; a table that needs no extension keeps its order. From then
on rows (and the columns of a single key) are paired by position.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..core.arrays import Integers, distinct_values
from ..core.crosstab import Counts, pair_up, relabel
from ..core.levels import Variable
from ..r.collation import Collation, order
from ..r.reading import Reading
from .cells import Cells
from .encoding import Encoded

FIRST_CELLS = 1024  # looked at before all others, to see which targets occur


def list_cells(codes: Integers, n_orig: Integers, n_syn: Integers, targets: int) -> Cells:
    """Cells from combined codes ``key * targets + target`` (sorted) and their counts.

    Examples
    --------
    >>> import numpy as np
    >>> cells = list_cells(np.array([0, 1, 5]), np.array([2, 1, 0]), np.array([1, 0, 3]), targets=2)
    >>> cells.key.tolist(), cells.target.tolist(), cells.starts.tolist()
    ([0, 0, 2], [0, 1, 1], [0, 2])
    """
    key = codes // targets
    target = key * targets
    np.subtract(codes, target, out=target)
    first_of_key = np.ones(len(codes), dtype=bool)
    np.not_equal(key[1:], key[:-1], out=first_of_key[1:])
    starts = np.flatnonzero(first_of_key)
    combinations = key[starts]
    del key  # as long as the cells, and no longer needed
    ends = np.empty_like(starts)
    if len(starts):
        np.subtract(starts[1:], 1, out=ends[:-1])
        ends[-1] = len(codes) - 1
    first_of_key[:1] = False  # so that groups are numbered from 0
    return Cells(
        combinations=combinations,
        target=target,
        combinations_syn=combinations,
        target_syn=target,
        n_orig=n_orig,
        n_syn=n_syn,
        starts=starts,
        ends=ends,
        group=np.cumsum(first_of_key),
        target_rows=np.arange(targets),
    )


def _occurring(codes: Integers, n: Integers, size: int) -> Integers:
    """The codes, of those from 0 to size - 1, that some record has, ascending.

    >>> _occurring(np.array([3, 1, 0]), np.array([2, 1, 0]), 4).tolist()
    [1, 3]
    """
    often = np.bincount(codes[:FIRST_CELLS], weights=n[:FIRST_CELLS], minlength=size)
    # in a large table the first cells show them all
    if not often.all():
        often = np.bincount(codes, weights=n, minlength=size)
    return np.flatnonzero(often)


@dataclass(frozen=True, slots=True)
class Alignment:
    """Levels of one variable in the two tables, in R's order.

    Attributes
    ----------
    original, synthetic : codes in the order of the table's rows; the same set of codes, shape (k,).
    named_in_synthetic : codes that are levels of the synthetic table before it is extended.
    differs : whether the two orders differ.
    """

    original: Integers
    synthetic: Integers
    named_in_synthetic: Integers
    differs: bool

    def met_by(self, size: int) -> Integers:
        """For each code of a synthetic level, the code of the original level that stands at its
        position; shape (size,).
        """
        met = np.arange(size)
        met[self.synthetic] = self.original
        return met


@dataclass(frozen=True, slots=True)
class Meeting:
    """How R pairs the levels of the original and of one synthesis. This depends on which levels
    occur, so the counts of single columns determine it.

    Attributes
    ----------
    by_target : levels of the target.
    by_key : levels of the key where there is only one; several are one text in R, which has no
        unused levels and is matched by name.
    key_in_synthetic : codes of that key that occur in the synthesis.
    """

    by_target: Alignment
    by_key: Alignment | None = None
    key_in_synthetic: Integers | None = None

    @property
    def differs(self) -> bool:
        """Whether some level stands at another place in the two tables (D1)."""
        return self.by_target.differs or (self.by_key is not None and self.by_key.differs)


def meeting_of(cells: Cells, encoded: Encoded, table: int, collation: Collation) -> Meeting:
    """How levels are paired, if the cells are complete."""
    target, variables = encoded.target, encoded.keys.variables
    in_synthesis = _occurring(cells.target, cells.n_syn, target.size)
    by_target = align(target, table, np.flatnonzero(encoded.d_t), in_synthesis, collation)
    if len(variables) > 1:
        return Meeting(by_target)
    in_original = distinct_values(cells.key[cells.n_orig > 0])
    in_synthetic = distinct_values(cells.key[cells.n_syn > 0])
    by_key = align(variables[0], table, in_original, in_synthetic, collation)
    return Meeting(by_target, by_key, in_synthetic)


def meet_as_in_r(cells: Cells, encoded: Encoded, meeting: Meeting, compat: Reading) -> Cells:
    """The cells of original and one synthesis as R pairs them, with the target's rows in its
    order.
    """
    if meeting.differs and compat.follow_r("D1"):
        cells = _met_by_position(cells, encoded, meeting.by_target, meeting.by_key)
    if meeting.by_key is not None:
        cells = _named_levels(cells, meeting, compat)
    return replace(cells, target_rows=meeting.by_target.original)


def _met_by_position(
    cells: Cells, encoded: Encoded, by_target: Alignment, by_key: Alignment | None
) -> Cells:
    """Cells as R pairs them: a synthetic level counts for the original level at its position."""
    targets = encoded.target.size
    met_targets = by_target.met_by(targets)
    met_keys = None if by_key is None else by_key.met_by(encoded.keys.size)
    in_original, in_synthetic = cells.n_orig > 0, cells.n_syn > 0
    codes = cells.key * targets + cells.target
    original = Counts(codes[in_original], cells.n_orig[in_original])
    synthetic = Counts(codes[in_synthetic], cells.n_syn[in_synthetic])
    key = cells.key if met_keys is None else met_keys[cells.key]
    moved = key * targets + met_targets[cells.target]
    paired = pair_up(original, relabel(synthetic, moved[in_synthetic]))
    together = list_cells(*paired, targets)
    combinations_syn = together.combinations
    if met_keys is not None:
        combinations_syn = np.argsort(met_keys)[combinations_syn]
    return replace(
        together,
        combinations_syn=combinations_syn,
        target_syn=np.argsort(met_targets)[together.target],
    )


def _named_levels(cells: Cells, meeting: Meeting, compat: Reading) -> Cells:
    """For a single key: which combinations count as present in the synthetic data. R goes by level
    names, unused ones included (D14).
    """
    assert meeting.by_key is not None and meeting.key_in_synthetic is not None
    named = np.isin(cells.combinations, meeting.key_in_synthetic)
    as_r = np.isin(cells.combinations, meeting.by_key.named_in_synthetic)
    differs = bool((named != as_r).any())
    if compat.follow_r("D14", differs):
        named = as_r
    return replace(cells, named_in_syn=named)


def align(
    variable: Variable,
    table: int,
    present_original: Integers,
    present_synthetic: Integers,
    collation: Collation,
) -> Alignment:
    """R's rows of both tables for one synthesis."""
    original = level_order(variable, 0, present_original, collation)
    by_alphabet = _by_alphabet(variable, 0) and _by_alphabet(variable, table)
    # the usual case of texts, and of numbers with missing values: one order serves both
    if by_alphabet and np.array_equal(present_original, present_synthetic):
        return Alignment(original, original, original, differs=False)
    synthetic = level_order(variable, table, present_synthetic, collation)
    if np.array_equal(original, synthetic):
        return Alignment(original, synthetic, synthetic, differs=False)
    rows_original = _extended(variable, original, synthetic, collation)
    rows_synthetic = _extended(variable, synthetic, original, collation)
    return Alignment(
        original=rows_original,
        synthetic=rows_synthetic,
        named_in_synthetic=synthetic,
        differs=not np.array_equal(rows_original, rows_synthetic),
    )


def level_order(
    variable: Variable, table: int, present: Integers, collation: Collation
) -> Integers:
    """Codes of a table's levels in R's order; `present` are those that occur, ascending."""
    if _by_alphabet(variable, table):
        return alphabetical(variable, present, collation)
    declared = variable.declared[table]
    assert declared is not None  # otherwise the order is alphabetical
    if variable.keeps_unused[table]:
        return declared
    return present if variable.whole else declared[np.isin(declared, present)]


def _by_alphabet(variable: Variable, table: int) -> bool:
    """Whether a table's levels have no declared order, or lose it: R turns a column with missing
    values into texts.
    """
    return variable.declared[table] is None or variable.has_missing[table]


def alphabetical(variable: Variable, codes: Integers, collation: Collation) -> Integers:
    """Codes in the order of their texts; a level without a text comes last."""
    ordered = codes[order(variable.texts(codes), collation)]
    if variable.unnamed_code is None or variable.unnamed_code not in codes:
        return ordered
    named = ordered[ordered != variable.unnamed_code]
    return np.append(named, variable.unnamed_code)


def _extended(
    variable: Variable, levels: Integers, others: Integers, collation: Collation
) -> Integers:
    """The levels of a table with those that only the other table has; sorted if there are any."""
    lacking = others[~np.isin(others, levels)]
    if not len(lacking):
        return levels
    return alphabetical(variable, np.concatenate((levels, lacking)), collation)
