"""`MISSING`, which stands for missing values in an argument."""

from __future__ import annotations

from enum import Enum


class Missing(Enum):
    """The type of `MISSING`, its only member."""

    MISSING = "missing values"

    def __repr__(self) -> str:
        return "synthpop_py.MISSING"

    __str__ = __repr__


MISSING = Missing.MISSING
