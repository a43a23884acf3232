"""The holdout: records of the same population that the synthesiser never saw. It is read and
checked, with a warning if it cannot serve as a baseline.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.arrays import Flags, Integers, numbered
from ..core.coding import encode
from ..core.combinations import joint_codes
from ..core.crosstab import totals
from ..errors import HoldoutWarning, InputError, warn
from ..names import some
from ..old_parts.memory import rows_that_fit
from ..old_parts.parts import count_tables
from ..redaction import redacted
from ..tables.comparable import FEWEST_IN_COMMON, about, share_in_common
from ..tables.opening import open_table, refuse_released
from ..tables.protocol import Counted, Table
from .baseline import Baseline, level_of_several
from .baseline_intervals import fewest_records
from .result import Disclosure
from .source import Source

PLACE = "holdout"
SPREADS = 4  # standard deviations beyond which an overlap is more than chance
SIGNIFICANT = 2  # digits of a number that is only a guide


def read_holdout(
    given: Any, source: Source, names: Sequence[Hashable], *, exclude_ov_denom_lim: bool
) -> Table:
    """The table of the holdout, with every column of the call."""
    if exclude_ov_denom_lim:
        raise InputError(
            "holdout: cannot be used with exclude_ov_denom_lim=True; that limit counts the "
            "original records of a cell, which says nothing about people outside the "
            "original; leave one of the two out"
        )
    refuse_released(given, PLACE)
    table = open_table(given, PLACE, source.counts)
    absent = [name for name in names if name not in table.columns]
    if absent:
        raise InputError(
            f"holdout: has no column {_quoted(absent)}; give records of the same"
            " population with the columns of the original data"
        )
    if not table.records:
        raise InputError("holdout: has no rows, so there is nobody to compare with")
    return table


# ---- does it serve? ------------------------------------------------------------------


def warn_of_holdout(source: Source, results: Sequence[Disclosure]) -> None:
    """One `HoldoutWarning` with all findings on the results of one call. It ends up in logs, so it
    contains no value of any person.
    """
    holdout = source.holdout
    assert holdout is not None, "otherwise there is nothing to check"
    baselines: dict[Hashable, Baseline] = {}
    columns: dict[Hashable, None] = {}  # in order, each once
    in_classes: set[Hashable] = set()
    for result in results:
        columns |= dict.fromkeys([result.target, *result.keys])
        in_classes |= set(result.groupings)
        baseline = result._compared()
        if baseline is not None:
            baselines[result.target] = baseline
    ungrouped = [name for name in columns if name not in in_classes]
    findings = [
        *_strangers(source, holdout, ungrouped),
        *_overlap(source, holdout, list(columns)),
        *_too_few(baselines, level_of_several(len(results))),
    ]
    if findings:
        warn(redacted(f"holdout: {'; '.join(findings)}"), HoldoutWarning)


def _strangers(source: Source, holdout: Table, names: Sequence[Hashable]) -> list[str]:
    """Columns, apart from grouped ones, with hardly a known value: nobody could be found."""
    strange = []
    for name in names:
        original = source.margin(name).columns[name][0]
        counted = holdout.count_by([name])
        if share_in_common(original, counted.columns[name], counted.n) < FEWEST_IN_COMMON:
            strange.append(name)
    if not strange:
        return []
    return [
        f"hardly any value of column {_quoted(strange)} is in the original data, so nobody is "
        "found; give both tables the same values or types"
    ]


@dataclass(frozen=True, slots=True)
class Overlap:
    """Records of the holdout that equal an original one in all columns that both have.

    Attributes
    ----------
    shared : how many there are.
    by_chance : the expected number: the share of original records that have a twin among the other
        original records, applied to the holdout.
    records : of the original and of the holdout.
    """

    shared: int
    by_chance: float
    records: tuple[int, int]
    columns: int

    @property
    def more_than_chance(self) -> bool:
        """Whether the overlap exceeds chance by more than `SPREADS` standard deviations; the
        deviation includes that of the expectation, which is estimated from the twins in the
        original.
        """
        original, holdout = self.records
        # one twin more than counted: none among 1,000 does not mean never
        expected = self.by_chance + holdout / original
        spread = math.sqrt(expected * (1 + 2 * holdout / original))
        return self.shared > expected + SPREADS * spread


def _overlap(source: Source, holdout: Table, names: Sequence[Hashable]) -> list[str]:
    overlap = find_overlap(source, holdout, names)
    if overlap is None or not overlap.more_than_chance:
        return []
    return [
        f"{about(overlap.shared)} of its {overlap.records[1]:,} records equal an original record in"
        f" all {overlap.columns} columns that both have, where about {overlap.by_chance:,.0f} would"
        " by chance; give records that the synthesiser never saw"
    ]


def find_overlap(source: Source, holdout: Table, names: Sequence[Hashable]) -> Overlap | None:
    """The overlap in all columns that both have; in those of the call if all are too many to count
    at once; None if these are too many as well.
    """
    tables = [source.data, holdout]
    both = [name for name in source.data.columns if _is_readable(name, tables)]
    for columns in (both, list(names)):
        most = source.most_rows(len(columns))
        if most is None and not holdout.keeps_rows:
            most = rows_that_fit(len(columns))
        if most is None:
            return _counted_overlap(columns, *[table.count_by(columns) for table in tables])
        try:
            few = count_tables(tables, columns, most)
        except InputError:  # a column of an engine outside the call
            continue
        if few is not None:
            return _counted_overlap(columns, *few)
    return None


def _is_readable(name: Hashable, tables: Sequence[Table]) -> bool:
    """Whether both tables have the column and it can be compared. A frame's column of lists, say,
    cannot; an engine is not asked about each column.
    """
    for table in tables:
        if name not in table.columns:
            return False
        if table.keeps_rows:
            try:
                table.count_by([name])
            except InputError:
                return False
    return True


def _counted_overlap(names: Sequence[Hashable], original: Counted, holdout: Counted) -> Overlap:
    variables = []
    for name in names:
        variables.append(encode(str(name), [original.columns[name], holdout.columns[name]]))
    codes, _ = joint_codes(variables)
    distinct, place = numbered(codes[0])
    often = totals(place, original.n, len(distinct))
    twins = int(often[often > 1].sum())
    records = (original.records, holdout.records)
    return Overlap(
        shared=_records(holdout, np.isin(codes[1], distinct)),
        by_chance=records[1] * twins / records[0],
        records=records,
        columns=len(names),
    )


def _records(counted: Counted, rows: Flags) -> int:
    n: Integers | None = counted.n
    return int(np.count_nonzero(rows) if n is None else n[rows].sum())


def _too_few(baselines: Mapping[Hashable, Baseline], level: float) -> list[str]:
    """Targets for which the interval says nothing: it would include 0 even if no non-member were
    disclosed.
    """
    needed = {}
    for target, baseline in baselines.items():
        share = baseline.of("DiSCO").members.percent / 100
        if share > 0 and baseline.records <= fewest_records(share, level):
            needed[target] = fewest_records(share, level)
    if not needed:
        return []
    records = next(iter(baselines.values())).records
    enough = rounded_up(max(needed.values()))
    return [
        f"{records:,} records are too few to say anything about the DiSCO of "
        f"{_quoted(list(needed))}: even if none of them were disclosed, the interval of the "
        f"difference would include 0; give about {enough:,} or more"
    ]


def rounded_up(number: float) -> int:
    """Rounded up to two digits: the number of records needed is only a guide.

    >>> rounded_up(1234.5), rounded_up(34.6)
    (1300, 35)
    """
    digits = len(str(math.ceil(number)))
    step = int(10 ** max(digits - SIGNIFICANT, 0))
    return math.ceil(number / step) * step


def _quoted(names: Sequence[Hashable]) -> str:
    return some([repr(name) for name in names])
