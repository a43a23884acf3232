"""Levels that a user declares for a column, because its engine knows no categories."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..core.columns import Column
from ..errors import InputError
from ..names import unknown_name
from .reading import read_column


def checked_levels(levels: Any) -> dict[Hashable, tuple[str, ...]]:
    """Levels by column, or a clear error; whether a table has these columns is checked elsewhere.

    Examples
    --------
    >>> checked_levels({"size": ["small", "large"]})
    {'size': ('small', 'large')}
    """
    if levels is None:
        return {}
    if not isinstance(levels, Mapping):
        raise InputError(
            f"levels: {type(levels).__name__} given; give levels by column, as in"
            " {'size': ['small', 'large']}"
        )
    checked = {}
    for name, declared in levels.items():
        is_list = isinstance(declared, Sequence) and not isinstance(declared, (str, bytes))
        if not is_list or not all(isinstance(level, str) for level in declared):
            raise InputError(
                f"levels: those of {name!r} are not a list of texts; numbers, dates and flags "
                "already have an order and need no levels"
            )
        if len(set(declared)) < len(declared):
            raise InputError(f"levels: those of {name!r} hold a text twice; list each once")
        checked[name] = tuple(declared)
    return checked


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


def with_level_columns(
    frame: pd.DataFrame, levels: Mapping[Hashable, Sequence[str]], place: str
) -> pd.DataFrame:
    """A data frame whose columns of text are categories with these levels; the frame given is not
    changed.

    Examples
    --------
    >>> people = pd.DataFrame({"risk": ["low", "high"]})
    >>> with_level_columns(people, {"risk": ["high", "low"]}, "data")["risk"].cat.codes.tolist()
    [1, 0]
    """
    columns: dict[Hashable, pd.Categorical] = {}
    for name, declared in levels.items():
        if name not in frame.columns:
            raise unknown_name("levels", name, list(frame.columns), place)
        where = f"{place}, column {name!r}"
        column = with_levels(read_column(frame[name], where), declared, where)
        codes = column.values if column.has_values else np.full(len(column), -1)
        columns[name] = pd.Categorical.from_codes(codes, categories=list(column.labels))
    if not columns:
        return frame
    changed = frame.copy(deep=False)
    for name, categories in columns.items():
        changed[name] = categories
    return changed
