"""Whether a holdout can serve: its columns, its values, how many records it has, and whether some
of them were in the original after all.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from .cells import combine, occurring
from .data import Data
from .errors import DataWarning, InputError, some, warn
from .holdout import level_of_several, of_measure, z_square
from .levels import column_of, count, factorise, match
from .redaction import redacted
from .tables.comparable import FEWEST_IN_COMMON, about, share_in_common
from .tables.protocol import Table

SPREADS = 4  # an overlap beyond this many standard deviations is not chance


def read_holdout(data: Data, names: Sequence[Hashable], limited: bool) -> Table | None:
    """The table of the holdout, with every column of the call; None where there is none."""
    table = data.given_holdout
    if table is None:
        return None
    if limited:
        raise InputError(
            "holdout: cannot be used with exclude_ov_denom_lim=True; that limit counts the "
            "original records of a cell, which says nothing about people outside the "
            "original; leave one of the two out"
        )
    absent = [name for name in names if name not in table.columns]
    if absent:
        raise InputError(
            f"holdout: has no column {_quoted(absent)}; give records of the same"
            " population with the columns of the original data"
        )
    if not table.records:
        raise InputError("holdout: has no rows, so there is nobody to compare with")
    return table


def warn_of_holdout(
    data: Data,
    baselines: Mapping[Hashable, pd.DataFrame],
    columns: Iterable[Hashable],
    in_classes: Iterable[Hashable],
) -> None:
    """One warning with all reasons for which the holdout cannot serve. It ends up in logs, so it
    contains no value of any person.
    """
    names, grouped = list(dict.fromkeys(columns)), set(in_classes)
    strange = []  # columns with hardly a known value: nobody could be found
    for name in names:
        if name not in grouped:
            (original, _), (outside, n) = (column_of(data.factor(t, name)) for t in (0, -1))
            if share_in_common(original, outside, n) < FEWEST_IN_COMMON:
                strange.append(name)
    findings = [_overlap(data, names), _too_few(baselines)]
    if strange:
        findings.insert(
            0,
            f"hardly any value of column {_quoted(strange)} is in the original data, so nobody is "
            "found; give both tables the same values or types",
        )
    if any(findings):
        warn(redacted(f"holdout: {'; '.join(filter(None, findings))}"), DataWarning)


def _overlap(data: Data, names: Sequence[Hashable]) -> str:
    """Whether records of the holdout equal original ones, in all columns that both have, more often
    than chance would have it: the share of original records that have a twin among the other
    original records, applied to the holdout. The spread includes that of this expectation.
    """
    assert data.holdout is not None, "otherwise there is nothing to check"
    tables = data.original, data.holdout
    columns = list(names)  # an engine is not asked about each column
    if all(table.keeps_rows for table in tables):
        columns = [name for name in data.original.columns if _is_readable(name, tables)]
    counted = [table.count_by(columns) for table in tables]
    variables = []
    for name in columns:
        variables.append(match([factorise(one.columns[name], one.n) for one in counted]))
    codes = combine(variables, [one.n for one in counted]).codes
    seen, (place, of_holdout) = occurring(codes)
    often = count(place, counted[0].n, len(seen))
    twins = int(often[often > 1].sum())
    original, holdout = (one.records for one in counted)
    shared = int(count(of_holdout, counted[1].n, len(seen))[often > 0].sum())
    by_chance = holdout * twins / original
    # one twin more than counted: none among 1,000 does not mean never
    expected = by_chance + holdout / original
    if shared <= expected + SPREADS * math.sqrt(expected * (1 + 2 * holdout / original)):
        return ""
    return (
        f"{about(shared, holdout)} of its {about(holdout, holdout)} records equal an original"
        f" record in all {len(columns)} columns that both have, where"
        f" {about(round(by_chance), holdout)} would by chance; give records that the synthesiser"
        " never saw"
    )


def _is_readable(name: Hashable, tables: Sequence[Any]) -> bool:
    """Whether both tables have the column, and it can be compared: a column of lists cannot."""
    try:
        return all(name in table.columns and table.count_by([name]) for table in tables)
    except InputError:
        return False


def _too_few(baselines: Mapping[Hashable, pd.DataFrame]) -> str:
    """Targets for which the interval says nothing: it would include 0 even if no non-member were
    disclosed. Wilson's upper end for 0 of n is z² / (n + z²).
    """
    square = z_square(level_of_several(len(baselines)))
    needed, records = {}, 0
    for target, baseline in baselines.items():
        row = of_measure(baseline, "DiSCO")
        share, records = row["members"] / 100, int(row["n_non_members"])
        if share > 0 and records <= square * (1 - share) / share:
            needed[target] = square * (1 - share) / share
    if not needed:
        return ""
    most = max(needed.values())
    step = int(10 ** max(len(str(math.ceil(most))) - 2, 0))  # two digits: it is only a guide
    return (
        f"{records:,} records are too few to say anything about the DiSCO of "
        f"{_quoted(list(needed))}: even if none of them were disclosed, the interval of the "
        f"difference would include 0; give about {math.ceil(most / step) * step:,} or more"
    )


def _quoted(names: Sequence[Hashable]) -> str:
    return some([repr(name) for name in names])
