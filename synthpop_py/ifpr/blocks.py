"""Blocks: cells between which units may be exchanged, from columns, mappings of levels to groups,
or cut points.

What a block variable keeps apart is never exchanged. A key that no block variable mentions may
change to anything that occurs in the block.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import column_named, is_column, is_number, listed
from ..core.arrays import Integers
from ..errors import InputError
from ..names import unknown_name
from .bands import MISSING, bands_between
from .cells import KeyCells, exact_variable, first_of

KEEP = "keep"
MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class BlockVariable:
    """One partition of the cells.

    Attributes
    ----------
    name : of the column. kept : given as a column, so that blocks which differ in it are never
        merged.
    codes : int64, shape (c,), the group of each cell asked for; groups are numbered in their own
        order. labels : texts of the groups.
    """

    name: Hashable
    kept: bool
    codes: Integers
    labels: tuple[str, ...]


def block_variables(
    blocks: Any, data: pd.DataFrame, keys: Sequence[Hashable], cells: KeyCells, which: Integers
) -> list[BlockVariable]:
    """The partitions that `blocks` asks for, at the cells `which`; kept columns first, otherwise in
    the order given.
    """
    rules = _rules(blocks, list(data.columns), keys)
    rows = cells.first[which]
    made = [
        (
            _kept(name, data, keys, cells, rows)
            if rule is None
            else _grouped(name, rule, data, cells, keys, rows)
        )
        for name, rule in rules
    ]
    return sorted(made, key=lambda v: not v.kept)


def _rules(
    blocks: Any, columns: list[Hashable], keys: Sequence[Hashable]
) -> list[tuple[Hashable, Any]]:
    """(column, None for "as it is", a mapping or cut points), each column once."""
    rules: list[tuple[Hashable, Any]] = []
    for item in (
        [blocks] if isinstance(blocks, Mapping) or is_column(blocks, columns) else listed(blocks)
    ):
        if isinstance(item, Mapping):
            rules += [
                (
                    _key(name, rule, columns, keys),
                    None if isinstance(rule, str) and rule == KEEP else rule,
                )
                for name, rule in item.items()
            ]
        else:
            rules.append((column_named("blocks", item, columns, "the data"), None))
    names = [name for name, _ in rules]
    twice = [name for at, name in enumerate(names) if name in names[:at]]
    if twice:
        raise InputError(f"blocks: {twice[0]!r} is given more than once")
    return rules


def _key(name: Hashable, rule: Any, columns: list[Hashable], keys: Sequence[Hashable]) -> Hashable:
    if not is_column(name, columns):
        raise unknown_name("blocks", name, columns, "the data")
    if name not in keys and not (isinstance(rule, str) and rule == KEEP):
        known = ", ".join(map(str, keys))
        raise InputError(
            f"blocks: {name!r} is not one of the keys ({known}), so groups of its values say"
            " nothing about them; group a key, or give a column that is a function of the keys by"
            " its name"
        )
    return name


# ---- columns as they are -------------------------------------------------------------


def _kept(
    name: Hashable, data: pd.DataFrame, keys: Sequence[Hashable], cells: KeyCells, rows: Integers
) -> BlockVariable:
    variable = (
        cells.variables[list(keys).index(name)]
        if name in keys
        else exact_variable(name, [data[name]], f"blocks: {name!r}")
    )
    codes = variable.own_codes(0)
    if name not in keys:
        _check_function(name, data, keys, cells, codes)
    occurring, groups = np.unique(codes[rows], return_inverse=True)
    return BlockVariable(name, True, groups.reshape(-1), tuple(variable.texts(occurring)))


def _check_function(
    name: Hashable, data: pd.DataFrame, keys: Sequence[Hashable], cells: KeyCells, codes: Integers
) -> None:
    """Records with the same keys must have the same value."""
    other = np.flatnonzero(codes != codes[cells.first[cells.of_record]])
    if not len(other):
        return
    one, two = int(cells.first[cells.of_record[other[0]]]), int(other[0])
    same = ", ".join(f"{key}={data[key].iloc[one]}" for key in keys)
    values = data[name].iloc[[one, two]].tolist()
    raise InputError(
        f"blocks: {name!r} cuts across the keys: records {one + 1} and {two + 1} both have {same},"
        f" but {name!r} is {values[0]!r} in one and {values[1]!r} in the other; give a column that"
        " is a function of the keys, make it a key, or group a key by a mapping or cut points"
    )


# ---- groups of a key -----------------------------------------------------------------


def _grouped(
    name: Hashable,
    rule: Any,
    data: pd.DataFrame,
    cells: KeyCells,
    keys: Sequence[Hashable],
    rows: Integers,
) -> BlockVariable:
    if isinstance(rule, (Mapping, pd.Series)):
        groups, labels = _by_mapping(
            name, _mapping(name, rule), data, cells, list(keys).index(name)
        )
    else:
        groups, labels = bands_between(name, rule, data[name])
    occurring, codes = np.unique(groups[rows], return_inverse=True)
    return BlockVariable(name, False, codes.reshape(-1), tuple(labels[i] for i in occurring))


def _mapping(name: Hashable, rule: Mapping[Any, Any] | pd.Series) -> Mapping[Any, Any]:
    """A Series names the group of each level in its index."""
    if isinstance(rule, Mapping):
        return rule
    twice = rule.index[rule.index.duplicated()].tolist()
    if twice:
        raise InputError(
            f"blocks: the Series for {name!r} names {twice[0]!r} more than once; give one group for"
            " each level"
        )
    return dict(zip(rule.index.tolist(), rule.tolist()))


def _by_mapping(
    name: Hashable, groups: Mapping[Any, Any], data: pd.DataFrame, cells: KeyCells, at: int
) -> tuple[Integers, list[str]]:
    """Group of each record: in the order in which the mapping names them; missing values by
    themselves at the end, unless it names them.
    """
    variable = cells.variables[at]
    codes = variable.own_codes(0)
    first = first_of(codes, variable.size)
    present = np.flatnonzero(first >= 0)
    values = data[name].iloc[first[present]].tolist()
    for_missing = [group for level, group in groups.items() if _is_missing(level)]
    order: dict[Any, int] = {}
    for group in groups.values():
        order.setdefault(_group(name, group), len(order))
    number = np.full(variable.size, -1, dtype=np.int64)
    unknown = []
    for code, value in zip(present.tolist(), values):
        if _is_missing(value):
            number[code] = order[for_missing[0]] if for_missing else len(order)
        elif value in groups:
            number[code] = order[groups[value]]
        else:
            unknown.append(value)
    if unknown:
        raise _unnamed(name, unknown, groups, values)
    return number[codes], [*map(str, order), MISSING]


def _group(name: Hashable, group: Any) -> Any:
    if isinstance(group, Hashable):
        return group
    raise InputError(
        f"blocks: {group!r} for {name!r} is not the name of a group; give one name for each level,"
        " as in {'white': 'white', 'asian': 'other'}"
    )


def _unnamed(
    name: Hashable, unknown: list[Any], groups: Mapping[Any, Any], values: list[Any]
) -> InputError:
    shown = ", ".join(map(repr, unknown[:MOST_NAMED])) + (
        f" and {len(unknown) - MOST_NAMED} more" if len(unknown) > MOST_NAMED else ""
    )
    strangers = [level for level in groups if not _is_missing(level) and level not in values]
    hint = (
        f" (it names {', '.join(map(repr, strangers[:MOST_NAMED]))}, which do not occur)"
        if strangers
        else ""
    )
    return InputError(
        f"blocks: the mapping for {name!r} has no group for {shown}{hint}; name every level that"
        " occurs, as in {'white': 'white', 'asian': 'other'}"
    )


def _is_missing(value: Any) -> bool:
    return (
        value is None
        or value is pd.NA
        or value is pd.NaT
        or (is_number(value) and math.isnan(value))
    )


# ---- from variables to blocks --------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Partition:
    """Blocks in the order of their variables.

    Attributes
    ----------
    of_cell : int64, shape (c,), the block of each cell. groups : int64, shape (b, v), the group of
        each block in each variable.
    shared : int64, shape (b - 1,), of block i and i + 1: how many leading variables that may give
        way are alike; -1 where a kept column differs.
    """

    of_cell: Integers
    groups: Integers
    shared: Integers


def partition(variables: Sequence[BlockVariable], number_of_cells: int) -> Partition:
    """Blocks of cells that are alike in every variable; `variables` has kept ones first."""
    code = np.zeros(number_of_cells, dtype=np.int64)
    room = 1
    for variable in variables:
        if room * len(variable.labels) > 2**62:
            distinct, code = np.unique(code, return_inverse=True)
            room = len(distinct)
        code = code * len(variable.labels) + variable.codes
        room *= len(variable.labels)
    _, first, of_cell = np.unique(code, return_index=True, return_inverse=True)
    groups = (
        np.array([v.codes[first] for v in variables], dtype=np.int64)
        .reshape(len(variables), len(first))
        .T
    )
    alike = groups[1:] == groups[:-1]
    kept = sum(v.kept for v in variables)
    same_kept = alike[:, :kept].all(axis=1)
    shared = np.where(same_kept, np.logical_and.accumulate(alike[:, kept:], axis=1).sum(axis=1), -1)
    return Partition(of_cell.reshape(-1), groups, shared)
