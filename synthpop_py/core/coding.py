"""Columns of several tables as codes, and several variables as one, for methods that look at single
records. (`disclosure()` works on levels: `synthpop_py.levels`.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..levels import Variable as Matched
from ..levels import factorise, match
from .arrays import Integers, numbered
from .columns import Column

Namer = Callable[[Sequence[int] | Integers], list[str]]
LARGEST_CODE = 2**62


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of several tables, with equal codes for equal values.

    Attributes
    ----------
    size : number of codes, 0 to size - 1; the last is for missing values, where there are any.
    codes : int64, one array per table, shape (n_table,).
    name_codes : texts of given codes.
    """

    name: str
    size: int
    codes: tuple[Integers, ...]
    name_codes: Namer = field(repr=False)

    def texts(self, codes: Sequence[int] | Integers | None = None) -> list[str]:
        """The texts of codes, of all of them by default."""
        return self.name_codes(range(self.size) if codes is None else codes)

    def own_codes(self, table: int) -> Integers:
        """Codes of one table, to work on in place."""
        return self.codes[table].copy()


def encode(name: str, columns: Sequence[Column], exact: bool = False) -> Variable:
    """Equal codes for equal values, whatever their type in each table. `exact`: doubles are one
    level only where they are equal; without it also where they are written alike with 15 digits.
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
        doubles = [side for side in matched.sides if side.factor.kind == "double"]
        for side in doubles:
            there = np.flatnonzero(side.factor.place[:-1] >= 0)
            levels = np.asarray(side.factor.levels)[side.factor.place[there]]
            for code, level in zip(side.place[there].tolist(), levels.tolist()):
                if often[texts[code]] > 1:
                    texts[code] = repr(level)
        return [texts[code] for code in codes]

    return names


def joint_codes(variables: Sequence[Variable]) -> tuple[list[Integers], int]:
    """One code per record for each table, from all variables together, and how many codes are
    possible.
    """
    first, *others = variables
    codes, size = [of_table.copy() for of_table in first.codes], first.size
    for variable in others:
        if size * variable.size > LARGEST_CODE:  # only codes that occur leave room for another
            occurring, places = numbered(np.concatenate(codes))
            ends = np.cumsum([len(of_table) for of_table in codes])
            codes, size = np.split(places, ends[:-1]), len(occurring)
        for of_table, own in zip(codes, variable.codes):
            of_table *= variable.size
            of_table += own
        size *= variable.size
    return codes, size
