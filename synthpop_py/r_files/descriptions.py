"""What a file of R holds, in plain terms: every reader gives it, `values` turns it into Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Numbers: TypeAlias = npt.NDArray[np.float64]
Texts: TypeAlias = list[str | None]

FACTORS = ("factor", "ordered")
KINDS = (*FACTORS, "character", "logical", "integer", "double", "Date", "POSIXct")


@dataclass(frozen=True, slots=True)
class RVector:
    """A vector, or a column of a data frame.

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    numbers : float64, shape (n,)
        The values, NaN where missing. Of a factor the places of its levels, counted from 1; of a
        Date days, of a POSIXct seconds since 1970. Empty for text.
    texts : list of str or None
        The levels of a factor, None for an explicit NA level; the values of a text.
    names : list of str or None, optional
        The names of the elements.
    dim : tuple of int, optional
        Rows, columns and further dimensions; numbers run down the columns first.
    """

    kind: str
    numbers: Numbers
    texts: Texts
    names: Texts | None = None
    dim: tuple[int, ...] | None = None

    def __len__(self) -> int:
        return len(self.texts) if self.kind == "character" else len(self.numbers)


@dataclass(frozen=True, slots=True)
class ROther:
    """Something without a counterpart in Python: its class, as R gives it."""

    what: str


@dataclass(frozen=True, slots=True)
class RFrame:
    """A data frame; row names are not kept. A column without a counterpart is an `ROther`."""

    rows: int
    columns: list[tuple[str, RVector | ROther]]


@dataclass(frozen=True, slots=True)
class RList:
    """A list, with the names of its elements where it has any."""

    values: list[RValue]
    names: Texts | None


@dataclass(frozen=True, slots=True)
class RSynDS:
    """An object of class synds: its sets, special values by column, and the fields n and k; not the
    seed, which is a secret.
    """

    sets: list[RValue]
    cont_na: dict[str, list[float]]
    meta: dict[str, float]


RValue: TypeAlias = RVector | RFrame | RList | RSynDS | ROther | None


def numbers(values: Any) -> Numbers:
    """An array of doubles from whatever can be one."""
    return np.asarray(values, dtype=np.float64)


NO_NUMBERS = numbers([])
