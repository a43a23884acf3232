"""Whether the row labels of two frames agree, where rows are compared by position."""

from __future__ import annotations

import pandas as pd

from ..errors import InputError

__all__ = ["check_labels"]


def check_labels(argument: str, index: pd.Index, original: pd.DataFrame) -> None:
    """Raise an error if row labels contradict the comparison of rows by position.

    Default numbers from 0 say nothing, and neither do other labels beside them, unless these are
    the same numbers in another order.
    """
    if index.equals(original.index):
        return
    reset = "if the rows are in the same order, reset both with .reset_index(drop=True)"
    if index.is_unique and original.index.is_unique and index.isin(original.index).all():
        raise InputError(
            f"{argument}: has the original's row labels in another order; reorder them, for "
            f"instance with .loc[original.index], or {reset}"
        )
    plain = pd.RangeIndex(len(original))
    if not index.equals(plain) and not original.index.equals(plain):
        raise InputError(f"{argument}: has row labels that differ from the original's; {reset}")
