"""The order in which R lists levels, and what follows from comparing two lists by position (D1,
D14).

R tabulates original and synthetic data separately and adds to each table the levels it lacks. A
table that had to be extended is sorted alphabetically; one that had not keeps its order. From then
on rows (and the columns of a single key) meet by position.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import Integers
from ..core.levels import Variable
from ..r.collation import Collation, order


@dataclass(frozen=True, slots=True)
class Alignment:
    """Levels of one variable in the two tables, in R's order.

    Attributes
    ----------
    original, synthetic : codes in the order of the table's rows; the same set of codes, shape (k,).
    named_in_synthetic : codes that are levels of the synthetic table before it is extended.
    """

    original: Integers
    synthetic: Integers
    named_in_synthetic: Integers

    @property
    def differs(self) -> bool:
        return self.original is not self.synthetic and not np.array_equal(
            self.original, self.synthetic
        )

    def met_by(self, size: int) -> Integers:
        """For each code of a synthetic level, the code of the original level that stands at its
        position; shape (size,).
        """
        met = np.arange(size)
        met[self.synthetic] = self.original
        return met


def alphabetical(variable: Variable, codes: Integers, collation: Collation) -> Integers:
    ordered = codes[order(variable.texts(codes), collation)]
    if variable.unnamed_code is None or variable.unnamed_code not in codes:
        return ordered
    return np.append(ordered[ordered != variable.unnamed_code], variable.unnamed_code)


def _by_alphabet(variable: Variable, table: int) -> bool:
    """Whether a table's levels have no order of their own, or lose it: R makes texts of a column
    with gaps.
    """
    return variable.declared[table] is None or variable.has_missing[table]


def level_order(
    variable: Variable, table: int, present: Integers, collation: Collation
) -> Integers:
    """Codes of a table's levels in R's order; `present` are those that occur, ascending."""
    if _by_alphabet(variable, table):
        return alphabetical(variable, present, collation)
    declared = variable.declared[table]
    assert declared is not None
    if variable.keeps_unused[table]:
        return declared
    return declared[np.isin(declared, present)] if not variable.whole else present


def align(
    variable: Variable,
    table: int,
    present_original: Integers,
    present_synthetic: Integers,
    collation: Collation,
) -> Alignment:
    """R's rows of both tables for one synthesis."""
    d = level_order(variable, 0, present_original, collation)
    if (
        _by_alphabet(variable, 0)
        and _by_alphabet(variable, table)
        and np.array_equal(present_original, present_synthetic)
    ):
        return Alignment(d, d, d)
    s = level_order(variable, table, present_synthetic, collation)
    if np.array_equal(d, s):
        return Alignment(d, s, s)
    lacks_d, lacks_s = ~np.isin(s, d), ~np.isin(d, s)
    rows_d = (
        alphabetical(variable, np.concatenate((d, s[lacks_d])), collation) if lacks_d.any() else d
    )
    rows_s = (
        alphabetical(variable, np.concatenate((s, d[lacks_s])), collation) if lacks_s.any() else s
    )
    return Alignment(rows_d, rows_s, s)
