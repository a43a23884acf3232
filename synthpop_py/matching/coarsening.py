"""Keys that an intruder knows only in groups: bands between cut points, or a mapping of levels to
groups. Every table is coarsened in the same way before anything is matched.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import is_number
from ..core.arrays import Flags, Integers
from ..core.coding import encode
from ..core.columns import Column
from ..errors import InputError, unknown_name
from ..tables.bands import bands_between
from ..tables.frames import owned_values
from ..tables.reading import read_column
from .knowledge import Between, TargetList, is_missing

__all__ = ["check_coarsen", "coarsened"]

NO_GROUP, UNNAMED = -1, -2  # a level whose group is missing; one that the mapping does not name
EXAMPLE = "{'age': [30, 45, 60]} or {'town': {'A': 'north', 'B': 'north', 'C': 'south'}}"


def check_coarsen(
    coarsen: Any,
    keys: Sequence[Hashable],
    near: Collection[Hashable],
    targets: TargetList | None,
) -> dict[Hashable, Any]:
    """A mapping of levels to groups, or cut points, by key. `near` are keys with an interval or in
    the distance, which cannot also be in groups.
    """
    if coarsen is None:
        return {}
    if not isinstance(coarsen, Mapping):
        raise InputError(f"coarsen: {coarsen!r} is not a mapping; give keys, as in {EXAMPLE}")
    rules = {}
    for name, rule in coarsen.items():
        if name not in keys:
            raise unknown_name("coarsen", name, list(keys), "the keys")
        if name in near:
            raise InputError(
                f"coarsen: {name!r} also has an interval or is in the distance; groups must "
                "agree exactly, so use only one of them"
            )
        _check_statements(name, targets)
        rules[name] = _rule(name, rule)
    return rules


def _rule(name: Hashable, rule: Any) -> Any:
    """Cut points are checked later, with the values."""
    if isinstance(rule, pd.Series):
        twice = rule.index[rule.index.duplicated()].tolist()
        if twice:
            raise InputError(
                f"coarsen: the Series for {name!r} names {twice[0]!r} more than once; give one"
                " group for each level"
            )
        return dict(zip(rule.index.tolist(), rule.tolist()))
    if isinstance(rule, Mapping) and not rule:
        raise InputError(f"coarsen: the mapping for {name!r} is empty; write it as in {EXAMPLE}")
    return owned_values(rule)


def _check_statements(name: Hashable, targets: TargetList | None) -> None:
    if targets is None or name not in targets.statements:
        return
    for statement in targets.statements[name].distinct:
        if isinstance(statement, Between) and not statement.says_nothing:
            raise InputError(
                f"coarsen: {name!r} has Between(...) among the targets, which does not fit "
                "groups; give sets of values there, or leave the key out of coarsen"
            )


def coarsened(name: Hashable, rule: Any, series: pd.Series, place: str) -> Column:
    """The group of each value as a whole number; missing values stay missing, unless the mapping
    names them.

    Examples
    --------
    >>> coarsened("age", [30, 45], pd.Series([29, 30, 60]), "here").values.tolist()
    [0, 1, 2]
    """
    if isinstance(rule, Mapping):
        return _by_mapping(name, rule, series, place)
    if series.isna().all():
        # without values a column has no type, so it cannot have bands
        nothing = np.zeros(len(series), dtype=np.int64)
        return _numbered(nothing, nothing == 0)
    bands, texts = bands_between("coarsen", name, rule, series)
    missing = bands == len(texts) - 1
    return _numbered(bands, missing)


def _by_mapping(name: Hashable, groups: Mapping[Any, Any], series: pd.Series, place: str) -> Column:
    column = read_column(series, f"column {name!r} of {place}")
    group = _group_of_each(name, groups, column)
    missing = np.zeros(len(group), dtype=bool) if column.missing is None else column.missing
    unnamed = (group == UNNAMED) & ~missing
    if unnamed.any():
        raise InputError(
            f"coarsen: the mapping for {name!r} has no group for the values of"
            f" {int(unnamed.sum())} of {len(group)} records of {place}; name every level that"
            " occurs; .details lists them",
            details={"levels": tuple(pd.unique(series[unnamed]).tolist())},
        )
    return _numbered(group, group < 0)


def _group_of_each(name: Hashable, groups: Mapping[Any, Any], column: Column) -> Integers:
    """The number of each value's group, `UNNAMED` where the mapping has none for it."""
    columns = [column]
    levels = []
    for of_one_type in _levels_by_type(groups):
        series = pd.Series(of_one_type, dtype=object)
        columns.append(read_column(series, f"coarsen: the mapping for {name!r}"))
        levels += of_one_type
    # 1, 1.0 and "1" are one level here too
    variable = encode(str(name), columns)
    codes = np.concatenate([variable.own_codes(table) for table in range(1, len(columns))])
    numbers = _group_numbers(name, [groups[level] for level in levels])
    group_of = np.full(variable.size, UNNAMED, dtype=np.int64)
    group_of[codes] = numbers
    _check_one_group_each(name, levels, codes, group_of[codes] != numbers)
    return group_of[variable.own_codes(0)]


def _levels_by_type(groups: Mapping[Any, Any]) -> list[list[Any]]:
    """The levels of a mapping in columns of one type: numbers apart from texts, so that the
    original may have ages and the file bands of them.
    """
    numbers = [level for level in groups if is_number(level)]
    others = [level for level in groups if not is_number(level)]
    if numbers and any(isinstance(level, str) for level in others):
        return [numbers, others]
    return [list(groups)]


def _check_one_group_each(
    name: Hashable, levels: Sequence[Any], codes: Integers, differs: Flags
) -> None:
    """Refuse a level that is written in two ways, as 1 and "1", with a group each."""
    if not differs.any():
        return
    first = int(np.flatnonzero(differs)[0])
    again = int(np.flatnonzero(codes == codes[first])[-1])
    raise InputError(
        f"coarsen: the mapping for {name!r} has two groups for the same level, "
        f"{levels[first]!r} and {levels[again]!r}; give one"
    )


def _group_numbers(name: Hashable, groups: Sequence[Any]) -> Integers:
    """The groups numbered in the order of their names, `NO_GROUP` where a name is missing."""
    order: dict[Hashable, int] = {}
    numbers = []
    for group in groups:
        if not isinstance(group, Hashable):
            raise InputError(
                f"coarsen: {group!r} for {name!r} is not the name of a group; write it as in"
                f" {EXAMPLE}"
            )
        if is_missing(group):
            numbers.append(NO_GROUP)
            continue
        numbers.append(order.setdefault(group, len(order)))
    return np.array(numbers, dtype=np.int64)


def _numbered(groups: Integers, missing: Any) -> Column:
    gaps = missing if missing.any() else None
    return Column(kind="integer", values=np.where(missing, 0, groups), missing=gaps)
