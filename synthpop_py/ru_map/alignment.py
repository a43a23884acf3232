"""Whether the rows of a release are those of the original, judged by the columns that are the same
in every row.

A column that is the same in every row says something only if the file is not sorted by it. A
synthesis made area by area has the same areas in the same rows, and still no row belongs to the
same person. So columns by which the file is sorted, one within the other, do not count, and neither
does a single column of few values.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pandas as pd

from ..core.arrays import Integers

MANY_VALUES = 10  # of a column that may be the only one
FEWEST_IN_BLOCK = 5  # records, on average, for which a file may be said to be sorted by a column


def telling_columns(frame: pd.DataFrame, original: pd.DataFrame) -> list[Hashable]:
    """Columns that are the same in every row, which only alignment explains; empty if they are too
    few to say so.

    Examples
    --------
    Sorted by age; sex and job are also the same in every row, in another order.

    >>> people = pd.DataFrame({"age": [20, 30, 40, 50], "sex": list("fmfm")})
    >>> people = people.assign(job=list("xyyx"), town=list("ABAB"))
    >>> telling_columns(people.assign(town="A"), people)
    ['sex', 'job']
    >>> telling_columns(people.assign(town="A", sex="f", job="x"), people)
    []
    """
    if len(frame) != len(original) or not frame.index.equals(original.index):
        return []
    codes = _varying_columns_alike(frame, original)
    sorted_by = _sorted_by(codes)
    telling = {}
    for name, values in codes.items():
        if name not in sorted_by and not _runs_one_way(original[name]):
            telling[name] = int(values.max()) + 1
    many = min(MANY_VALUES, len(original) / 2)
    if len(telling) > 1 or max(telling.values(), default=0) >= many:
        return list(telling)
    return []


def _varying_columns_alike(frame: pd.DataFrame, original: pd.DataFrame) -> dict[Hashable, Integers]:
    """Codes of the columns that are the same in every row and have more than one value."""
    codes = {}
    for name in frame.columns:
        if name not in original.columns or not frame[name].equals(original[name]):
            continue
        values = _codes(original[name])
        if values is not None and values.max(initial=0) > 0:
            codes[name] = values
    return codes


def _codes(column: pd.Series) -> Integers | None:
    """Values by number, missing ones included; None where they cannot be compared."""
    try:
        numbered, _ = pd.factorize(column)
    except TypeError:
        return None
    codes = np.asarray(numbered, dtype=np.int64)
    missing = codes.max(initial=-1) + 1
    return np.where(codes < 0, missing, codes)


def _sorted_by(codes: dict[Hashable, Integers]) -> set[Hashable]:
    """Columns whose equal values lie together in the file, or in every block of the columns that
    it is sorted by before.
    """
    sorted_by: set[Hashable] = set()
    blocks: Integers = np.zeros(len(next(iter(codes.values()), ())), dtype=np.int64)
    again = True
    while again:
        again = False
        for name, values in codes.items():
            if name in sorted_by:
                continue
            distinct, joint = _together(blocks, values)
            if _lie_together(joint, distinct):
                sorted_by.add(name)
                blocks = joint
                again = True
    return sorted_by


def _together(blocks: Integers, values: Integers) -> tuple[int, Integers]:
    """How many combinations of block and value there are, and which one each record has."""
    combined = blocks * (values.max() + 1) + values
    distinct, joint = np.unique(combined, return_inverse=True)
    return len(distinct), joint.reshape(-1)


def _lie_together(codes: Integers, distinct: int) -> bool:
    """Whether equal codes follow one another, in blocks that are not too small to say so."""
    if distinct * FEWEST_IN_BLOCK > len(codes):
        return False
    changes = np.count_nonzero(codes[1:] != codes[:-1])
    return int(changes) + 1 == distinct


def _runs_one_way(column: pd.Series) -> bool:
    """Whether the values only rise, or only fall, along the file."""
    present = column.dropna()
    try:
        return bool(present.is_monotonic_increasing or present.is_monotonic_decreasing)
    except TypeError:
        return False
