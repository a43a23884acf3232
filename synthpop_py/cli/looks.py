"""Checks of the columns before the work: notes on what makes figures misleading, and an error for
tables that have nothing in common.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..names import some, unknown_name
from .inputs import HOLDOUT, ORIGINAL, SYNTHETIC, Tables
from .messages import tell

if TYPE_CHECKING:
    from ..core.columns import Column

__all__ = ["common_columns", "look_at"]

KEYS, TARGETS = "--keys", "--targets"
FEWEST = 20  # records; with fewer it is normal that no two share a value
DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
LOOKED_AT = 1000  # distinct texts of a column


def look_at(
    tables: Tables, asked: Mapping[str, Sequence[Hashable]], *, every: bool = False
) -> None:
    """Refuse columns that a table does not have. Note identifiers and numbers with a decimal comma;
    if every column is asked for, also those that not all tables have.

    Parameters
    ----------
    asked : options, and the columns that were named by them.
    """
    for place, table in _others(tables).items():
        _check_in_common(tables.original, table, place)
    for option, names in asked.items():
        for place, table in {ORIGINAL: tables.original, **_others(tables)}.items():
            _check_names(option, names, table, place)
    if every:
        _check_targets_left(tables, asked)
        _tell_of_strangers(tables)
    for name in dict.fromkeys(chain.from_iterable(asked.values())):
        _look_at_column(tables, name)


def _check_names(option: str, names: Sequence[Hashable], table: Any, place: str) -> None:
    columns = _columns(table)
    for name in names:
        if name not in columns:
            raise unknown_name(option, name, columns, place)


def _check_targets_left(tables: Tables, asked: Mapping[str, Sequence[Hashable]]) -> None:
    """If every other column is a target, there must be one; the error says which table lacks
    them.
    """
    keys = asked.get(KEYS)
    if not keys or asked.get(TARGETS, keys):
        return
    wanted = [name for name in _columns(tables.original) if name not in keys]
    if not wanted:
        raise InputError(
            f"{TARGETS}: no column is left; every column of {ORIGINAL} is among {KEYS}"
        )
    for place, table in _others(tables).items():
        if not set(wanted) & set(_columns(table)):
            raise InputError(
                f"{place}: has none of the columns of {ORIGINAL} that could be targets"
                f" ({some(wanted)}); every table needs at least one of them"
            )
    raise InputError(f"{TARGETS}: no column is left; no column besides {KEYS} is in every table")


def common_columns(tables: Tables) -> list[Any]:
    """The columns that all tables have, in the original's order."""
    others = [set(_columns(table)) for table in _others(tables).values()]
    return [name for name in _columns(tables.original) if all(name in other for other in others)]


def _columns(table: Any) -> list[Any]:
    return list(table.columns)


def _others(tables: Tables) -> dict[str, Any]:
    """The tables besides the original, by what messages call them."""
    several = len(tables.synthetic) > 1
    others = {}
    for number, table in enumerate(tables.synthetic, start=1):
        others[f"{SYNTHETIC}, number {number}" if several else SYNTHETIC] = table
    if tables.holdout is not None:
        others[HOLDOUT] = tables.holdout
    return others


def _check_in_common(original: Any, table: Any, option: str) -> None:
    here, there = _columns(original), _columns(table)
    if not set(here) & set(there):
        raise InputError(
            f"{option}: has no column in common with {ORIGINAL} ({some(there)} there, {some(here)}"
            " here); check that these are the correct files"
        )


def _tell_of_strangers(tables: Tables) -> None:
    here = _columns(tables.original)
    lacking: dict[str, list[str]] = {}
    for option, table in _others(tables).items():
        there = _columns(table)
        more = [name for name in there if name not in here]
        missing = [name for name in here if name not in there]
        if more:
            says = f"columns that {ORIGINAL} does not have are ignored: {some(more)}"
            lacking.setdefault(says, []).append(option)
        if missing:
            says = f"lacks columns of {ORIGINAL}, which are ignored: {some(missing)}"
            lacking.setdefault(says, []).append(option)
    for says, options in lacking.items():
        tell(f"{options[0] if len(options) == 1 else SYNTHETIC}: {says}")


# ---- one column ----------------------------------------------------------------------


def _look_at_column(tables: Tables, name: Hashable) -> None:
    from ..tables.opening import open_table

    table = open_table(tables.original, ORIGINAL)
    column = table.count_by([name]).columns[name]
    distinct = _distinct(column)
    if len(distinct) == table.records >= FEWEST:
        tell(
            f"{name!r} has a different value for every original record: it may be an "
            "identifier, or a number to be put into classes. Nobody is found by a value that "
            "the release does not have, so risks look low"
        )
    if column.is_text and _have_decimal_commas([column.labels[code] for code in distinct]):
        tell(
            f"{name!r} of {ORIGINAL} looks like numbers with a decimal comma, and is read as text;"
            " write them with a point"
        )


def _distinct(column: Column) -> list[Any]:
    """The distinct values that are not missing; of texts their positions among the labels."""
    import numpy as np

    values: list[Any] = np.unique(column.present()).tolist()
    return values


def _have_decimal_commas(texts: Sequence[str]) -> bool:
    return bool(texts) and all(map(DECIMAL_COMMA.fullmatch, texts[:LOOKED_AT]))
