"""`MISSING`, which stands for missing values in an argument."""

from __future__ import annotations

from enum import Enum


class Missing(Enum):
    """Stands for missing values in `not_targetlev`, `not_targetslev`, `exclude_keylevs` and
    `exclude_targetlevs`, which otherwise name levels by their text.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthpop_py import MISSING, disclosure
    >>> people = pd.DataFrame({"sex": ["f", "m", "m"], "ill": ["yes", None, "no"]})
    >>> told = {"not_targetlev": MISSING, "compat": "corrected"}
    >>> table = disclosure(people, people, "sex", "ill", **told).Nexclusions[0]
    >>> int(table.loc["original", "excluded target"])
    1
    """

    MISSING = "missing values"

    def __repr__(self) -> str:
        return "synthpop_py.MISSING"

    __str__ = __repr__


MISSING = Missing.MISSING
