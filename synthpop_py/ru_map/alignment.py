"""Whether the rows of a release are those of the original, judged by what is the same in every row.

A column that is the same in every row tells something only if the file is not sorted by it: a
synthesis made area by area has the same areas in the same rows, and still nobody's row is that
person's. So columns by which the file is sorted, one within the other, do not count, and neither
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
    """Columns that are the same in every row, which nothing but alignment explains; empty where
    they are too few to say so.

    Examples
    --------
    Sorted by age; sex and job are the same in every row as well, in an order of their own.

    >>> people = pd.DataFrame({"age": [20, 30, 40, 50], "sex": list("fmfm")})
    >>> people = people.assign(job=list("xyyx"), town=list("ABAB"))
    >>> telling_columns(people.assign(town="A"), people)
    ['sex', 'job']
    >>> telling_columns(people.assign(town="A", sex="f", job="x"), people)
    []
    """
    if len(frame) != len(original) or not frame.index.equals(original.index):
        return []
    same = [
        name
        for name in frame.columns
        if name in original.columns and frame[name].equals(original[name])
    ]
    coded = {name: _codes(original[name]) for name in same}
    codes = {name: own for name, own in coded.items() if own is not None and own.max(initial=0) > 0}
    sorted_by = _sorted_by(codes)
    telling = [
        name for name in codes if name not in sorted_by and not _runs_one_way(original[name])
    ]
    enough = len(telling) > 1 or any(
        codes[name].max() + 1 >= min(MANY_VALUES, len(original) / 2) for name in telling
    )
    return telling if enough else []


def _codes(column: pd.Series) -> Integers | None:
    """Values by number, missing ones included; None where they cannot be compared."""
    try:
        codes = np.asarray(pd.factorize(column)[0], dtype=np.int64)
    except TypeError:
        return None
    return np.where(codes < 0, codes.max(initial=-1) + 1, codes)


def _sorted_by(codes: dict[Hashable, Integers]) -> set[Hashable]:
    """Columns whose equal values lie together in the file, or in every block of columns found
    before.
    """
    found: set[Hashable] = set()
    blocks = np.zeros(len(next(iter(codes.values()), ())), dtype=np.int64)
    again = True
    while again:
        again = False
        for name, own in codes.items():
            if name in found:
                continue
            distinct, joint = np.unique(blocks * (own.max() + 1) + own, return_inverse=True)
            joint = joint.reshape(-1)
            if len(distinct) * FEWEST_IN_BLOCK <= len(joint) and np.count_nonzero(
                joint[1:] != joint[:-1]
            ) + 1 == len(distinct):
                found.add(name)
                blocks, again = joint, True
    return found


def _runs_one_way(column: pd.Series) -> bool:
    """Whether the values only rise, or only fall, along the file."""
    present = column.dropna()
    try:
        return bool(present.is_monotonic_increasing or present.is_monotonic_decreasing)
    except TypeError:
        return False
