"""Several variables as one: a whole number for each record, in mixed radix over the variables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .arrays import Integers, numbered
from .levels import Variable

LARGEST_CODE = 2**62  # of what 64 bits hold, a bit is left for those who add a flag


def joint_codes(variables: Sequence[Variable]) -> tuple[list[Integers], int]:
    """One code per record for each table, from all variables together, and how many codes are
    possible.

    Examples
    --------
    >>> from .columns import Column
    >>> from .coding import encode
    >>> a = encode("a", [Column("integer", np.array([0, 1, 1]))])
    >>> b = encode("b", [Column("integer", np.array([2, 0, 1]))])
    >>> (codes,), size = joint_codes([a, b])
    >>> codes.tolist(), size
    ([2, 3, 4], 6)
    """
    first, *others = variables
    codes, size = [of_table.copy() for of_table in first.codes], first.size
    for variable in others:
        if size * variable.size > LARGEST_CODE:
            codes, size = compact(codes)
        for of_table, own in zip(codes, variable.codes):
            of_table *= variable.size
            of_table += own
        size *= variable.size
    return codes, size


def compact(codes: Sequence[Integers]) -> tuple[list[Integers], int]:
    """Only codes that occur, numbered, which leaves space for another variable."""
    occurring, places = numbered(np.concatenate(codes))
    ends = np.cumsum([len(of_table) for of_table in codes])
    return np.split(places, ends[:-1]), len(occurring)


def room_for(records: int) -> int:
    """How many possible cells may be counted densely: some for each record, so memory grows with
    the data.
    """
    return max(2**16, 4 * records, min(16 * records, 2**20))
