"""`MISSING`, which stands for missing values in an argument."""

from __future__ import annotations

from enum import Enum


class Missing(Enum):
    """Stands for missing values in `not_targetlev`, `not_targetslev`, `exclude_keylevs` and
    `exclude_targetlevs`, which otherwise name levels by their text.

    Examples
    --------
    >>> from synthpop_py import MISSING, datasets, disclosure
    >>> original, synthetic = datasets.load("SD2011"), datasets.load_synthesis("SD2011_s1")
    >>> keys = ["sex", "age", "region", "placesize"]
    >>> result = disclosure(
    ...     synthetic, original, keys, "depress", not_targetlev=MISSING, compat="corrected"
    ... )
    >>> int(result.Nexclusions[0].loc["original", "excluded target"])
    89
    """

    MISSING = "missing values"

    def __repr__(self) -> str:
        return "synthpop_py.MISSING"

    __str__ = __repr__


MISSING = Missing.MISSING
