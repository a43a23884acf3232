"""Levels that a user declares for a column, because its engine knows no categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..core.columns import Column
from ..errors import InputError


def with_levels(column: Column, levels: Sequence[str], where: str) -> Column:
    """A column of text as a factor with these levels in this order; "factor" columns take the
    order.

    Examples
    --------
    >>> text = Column("character", np.array([1, 0]), None, ("low", "high"))
    >>> with_levels(text, ["high", "low", "none"], "data, column 'risk'").values.tolist()
    [0, 1]
    """
    declared = tuple(levels)
    if not column.is_text and column.has_values:
        raise InputError(
            f"levels: {where} holds no text ({column.kind}); levels are for columns of text"
        )
    position_of = {label: position for position, label in enumerate(declared)}
    absent = {label for label in _occurring(column) if label not in position_of}
    if absent:
        raise InputError(
            f"levels: {where} has {len(absent)} level(s) that are not listed (in the error's"
            " details); list every level",
            details={"levels": tuple(sorted(absent))},
        )
    new_codes = np.array([position_of.get(label, -1) for label in column.labels], dtype=np.int64)
    values = column.values
    codes = new_codes[values] if len(new_codes) else np.zeros(len(values), dtype=np.int64)
    if column.missing is not None:
        codes = np.where(column.missing, -1, codes)
    return replace(column, kind="factor", values=codes, labels=declared)


def _occurring(column: Column) -> set[str]:
    """The labels that some record has."""
    return {column.labels[code] for code in np.unique(column.present()).tolist()}
