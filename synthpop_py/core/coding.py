"""Columns of several tables as codes, and several variables as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from ..levels import Variable as Matched
from ..levels import factorise, match
from .arrays import Integers
from .columns import Column
from .levels import Namer, Variable


def encode(name: str, columns: Sequence[Column], exact: bool = False) -> Variable:
    """Equal codes for equal values, whatever their type in each table: `levels.match` for all who
    need no more than codes. `exact`: doubles are one level only where they are equal; without it
    fractions also where they are written alike with 15 digits.

    Examples
    --------
    >>> original, synthetic = (Column("integer", np.array(v)) for v in ([5, 7, 5], [7, 9, 9]))
    >>> variable = encode("x", [original, synthetic])
    >>> [codes.tolist() for codes in variable.codes], variable.texts()
    ([[0, 1, 0], [1, 2, 2]], ['5', '7', '9'])
    """
    factors = [factorise(column) for column in columns]
    matched = match(factors, exact)
    names = _in_full(matched) if exact else matched.sides[0].texts
    codes = tuple(side.codes.astype(np.int64) for side in matched.sides)
    return Variable(name, matched.size, codes, names)


def _in_full(matched: Matched) -> Namer:
    """Names codes; doubles that R writes alike get all their digits."""

    def names(codes: Sequence[int] | Integers) -> list[str]:
        texts = matched.sides[0].texts(range(matched.size))
        often = Counter(texts)
        for side in matched.sides:
            if side.factor.kind != "double":
                continue
            there = np.flatnonzero(side.factor.place[:-1] >= 0)
            levels = np.asarray(side.factor.levels)[side.factor.place[there]].tolist()
            for code, level in zip(side.place[there].tolist(), levels):
                if often[texts[code]] > 1:
                    texts[code] = repr(level)
        return [texts[code] for code in codes]

    return names
