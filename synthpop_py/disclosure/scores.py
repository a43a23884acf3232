"""What a release says about single records, of members of the original and of others. iS, DiS,
DiSCO and DCAPd are means of these scores.

A score depends only on a record and the release, so people the synthesiser never saw have scores
too. Levels and classes are those of the original and synthetic data. A value that neither has is
not found. People whom the user's exclusions leave out have a score of 0, as members do.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..core.arrays import Flags, Floats, Integers
from ..core.coding import encode
from ..core.columns import Column
from ..core.combinations import joint_codes
from ..grouping import Grouping
from ..core.levels import UNKNOWN, Variable
from ..errors import InputError
from ..r.reading import correctly
from ..tables.comparable import check_comparable
from ..tables.protocol import Counted
from .cells import Cells
from .certainty import known_cells
from .encoding import Encoded
from .exclusions import exclusion_rules
from .keys import Keys
from .options import Plan

if TYPE_CHECKING:
    from .run import SetCells

SCORES = ("iS", "DiS", "DiSCO", "DCAPd")
FIXED = "fixed"  # breaks that the user gave


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of some records, means over the syntheses.

    Attributes
    ----------
    values : (4, k) from 0 to 1, in the order of `SCORES`.
    n : (k,) how many records have these.
    left_out : the records that exclusions leave out.
    """

    values: Floats
    n: Integers
    left_out: int

    @property
    def records(self) -> int:
        return int(self.n.sum())

    def of(self, measure: str) -> Floats:
        of_measure: Floats = self.values[SCORES.index(measure)]
        return of_measure

    def __add__(self, other: Scores) -> Scores:
        """These scores together with those of other people."""
        return Scores(
            values=np.concatenate([self.values, other.values], axis=1),
            n=np.concatenate([self.n, other.n]),
            left_out=self.left_out + other.left_out,
        ).condensed()

    def condensed(self) -> Scores:
        """The same with equal scores together: there are far fewer of them than cells."""
        order = np.lexsort(self.values)
        values, n = self.values[:, order], self.n[order]
        is_first = np.ones(len(n), dtype=bool)
        is_first[1:] = (values[:, 1:] != values[:, :-1]).any(axis=0)
        starts = np.flatnonzero(is_first)
        if not len(starts):
            return self
        return replace(self, values=values[:, starts], n=np.add.reduceat(n, starts))


# ---- members -------------------------------------------------------------------------


def member_scores(sets: Sequence[SetCells]) -> Scores:
    """The scores of the original records, from the cells that they were counted in."""
    sums: Floats | None = None
    for one in sets:
        cell = np.flatnonzero(one.cells.n_orig)  # the same records in every synthesis
        kept = one.kept.remaining.d[cell] > 0
        scores = _scores_at(one, one.cells.group[cell], cell) * kept
        sums = scores if sums is None else sums + scores
    assert sums is not None, "there is a synthesis"
    n = one.cells.n_orig[cell]
    left_out = int(n[~kept].sum())
    return Scores(sums / len(sets), n, left_out).condensed()


def _scores_at(one: SetCells, group: Integers, cell: Integers) -> Floats:
    """The four scores, (4, k), of records by key combination and cell of one synthesis; -1 where
    there is none.
    """
    before, remaining = one.before_exclusions, one.kept.remaining
    has_group, has_cell = group >= 0, cell >= 0
    scores = np.zeros((len(SCORES), len(group)))
    if not len(one.cells.target):
        return scores  # a part in which neither the original nor this synthesis has a record
    # certainty was decided before exclusions, expectations are computed after them
    scores[0] = before.of.in_syn[group] & has_group
    scores[1] = before.certain_syn[group] & has_group
    scores[2] = known_cells(one.cells, before)[cell] & has_cell
    scores[3] = remaining.s[cell] / remaining.of.per_syn[group] * has_cell
    return scores


# ---- others --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Outsiders:
    """Records of people who are not in the original, in its codes; -1 for unknown values.

    Attributes
    ----------
    target, keys : (k,) codes of the target and of each key.
    left_out : (k,) whether an exclusion leaves the record out.
    n : (k,) how many records there are of each.
    """

    target: Integers
    keys: tuple[Integers, ...]
    left_out: Flags
    n: Integers

    def scores(self, encoded: Encoded, sets: Sequence[SetCells]) -> Scores:
        """Scores, means over the syntheses. In a part of the data: 0 for people that only another
        part knows.
        """
        combination = self._combinations(encoded)
        code = np.where(
            (combination >= 0) & (self.target >= 0),
            combination * encoded.target.size + self.target,
            UNKNOWN,
        )
        sums = np.zeros((len(SCORES), len(code)))
        for one in sets:
            cells = one.cells
            group = _place_of(combination, cells.combinations)
            cell = _place_of(code, cells.key * encoded.target.size + cells.target)
            sums += _scores_at(one, group, cell)
        kept = ~self.left_out
        left_out = int(self.n[self.left_out].sum())
        return Scores(sums / len(sets) * kept, self.n, left_out)

    def _combinations(self, encoded: Encoded) -> Integers:
        known = np.ones(len(self.target), dtype=bool)
        for codes in self.keys:
            known &= codes != UNKNOWN
        together: Integers = encoded.keys.radix.together(self.keys)
        return np.where(known, together, UNKNOWN)


def _place_of(codes: Integers, occurring: Integers) -> Integers:
    """The place of each code among those that occur, in ascending order; -1 where it does not."""
    if not len(occurring):
        return np.full(len(codes), UNKNOWN)
    place = np.searchsorted(occurring, codes)
    place[place == len(occurring)] = 0
    return np.where(occurring[place] == codes, place, UNKNOWN)


Tables = Mapping[Hashable, Sequence[Column]]  # by name the columns of the original and of each set


@dataclass(frozen=True, slots=True)
class Known:
    """The levels in which the values of a holdout are looked up.

    Attributes
    ----------
    target, keys : the variables of the run.
    columns : the values that their codes are of.
    groupings : classes of those that were grouped.
    """

    target: Variable
    keys: tuple[Variable, ...]
    columns: Tables
    groupings: Mapping[Hashable, Grouping]

    def codes(self, name: Hashable, variable: Variable, column: Column) -> Integers:
        """The codes of values that original or synthetic data have too."""
        if name in self.groupings:
            return _in_classes(column, variable, self.groupings[name])
        # coded together: values are matched by the same rules whatever their types
        together = encode(variable.name, [*self.columns[name], column])
        last = len(self.columns[name])
        code_of = np.full(together.size, UNKNOWN)
        for table in range(last):
            code_of[together.own_codes(table)] = variable.own_codes(table)
        return code_of[together.own_codes(last)]

    def gaps(self, name: Hashable, variable: Variable, column: Column, codes: Integers) -> Flags:
        """Values that count as missing: missing ones, and those outside breaks given by the
        user.
        """
        gaps = missing_in(column)
        if name in self.groupings and self.groupings[name].style == FIXED:
            gaps = gaps | (codes == UNKNOWN) | (codes == variable.missing_code)
        return gaps

    def check(self, name: Hashable, column: Column, place: str) -> None:
        """Raise an error if values of a column can never match those of the original."""
        check_comparable(name, self.columns[name][0], column, place)
        if name in self.groupings and column.has_values and not column.is_number:
            raise InputError(
                f"{place}: column {name!r} is numeric in the original but not here, so it "
                "cannot be grouped; give numbers"
            )


def missing_in(column: Column) -> Flags:
    return np.zeros(len(column), dtype=bool) if column.missing is None else column.missing


def _in_classes(column: Column, variable: Variable, grouping: Grouping) -> Integers:
    """The classes of numbers. Values outside fixed breaks count as missing, as for members. Other
    classes hold every member, so nobody is found outside them.
    """
    if not column.is_number:  # nothing but gaps
        column = replace(column, kind="double", labels=())
    codes: Integers = variable.recode(column)
    if grouping.style == FIXED or variable.missing_code is None:
        return codes
    outside = (codes == variable.missing_code) & ~missing_in(column)
    return np.where(outside, UNKNOWN, codes)


def code_outsiders(counted: Counted, place: str, known: Known, plan: Plan) -> Outsiders:
    """The rows of a holdout in the codes of a run; `place` is what messages call it."""
    codes, gaps = {}, {}
    for name, variable in zip((plan.target, *plan.keys), (known.target, *known.keys)):
        column = counted.columns[name]
        known.check(name, column, place)
        codes[name] = known.codes(name, variable, column)
        gaps[name] = known.gaps(name, variable, column, codes[name])
    target = codes.pop(plan.target)
    keys = tuple(codes.values())
    left_out = _by_rules(target, keys, known, plan)
    # a gap has no code where neither original nor synthetic data have one
    may_lack = {plan.target: plan.use_target_missing, **dict(zip(plan.keys, plan.use_key_missing))}
    for name, is_used in may_lack.items():
        if not is_used:
            left_out |= gaps[name]
    n = np.ones(counted.rows, dtype=np.int64) if counted.n is None else counted.n
    return Outsiders(target=target, keys=keys, left_out=left_out, n=n)


def _by_rules(target: Integers, keys: tuple[Integers, ...], known: Known, plan: Plan) -> Flags:
    """Whom the user's exclusions leave out: by the rules for cells, with one cell per record."""
    with_unknown = []
    for codes, variable in zip(keys, known.keys):
        own = np.where(codes == UNKNOWN, variable.size, codes)
        with_unknown.append(replace(variable, codes=(own,), shift=0, size=variable.size + 1))
    (combinations,), radix = joint_codes(with_unknown)
    encoded = Encoded(
        target=known.target,
        keys=Keys(
            variables=known.keys, codes=[combinations], radix=radix, size=radix.size, n=(None,)
        ),
        records_per_row=(None,),
        n=(len(target),),
        d_t=np.zeros(known.target.size, dtype=np.int64),
    )
    cells = _each_in_its_own(combinations, target)
    left_out = np.zeros(len(target), dtype=bool)
    for rule in exclusion_rules(cells, encoded, plan, correctly()):
        left_out |= rule.original
    return left_out


def _each_in_its_own(key: Integers, target: Integers) -> Cells:
    nobody = np.zeros_like(target)
    each = np.arange(len(target))
    return Cells(
        combinations=key,
        target=target,
        combinations_syn=key,
        target_syn=target,
        n_orig=nobody,
        n_syn=nobody,
        starts=each,
        ends=each,
        group=each,
        target_rows=nobody,
    )
