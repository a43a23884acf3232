"""Blocks: cells between which units may be exchanged, from columns, mappings of levels to groups, or cut points.

What a block variable keeps apart is never exchanged. A key that no block variable mentions may change to anything that occurs in the block.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Hashable, Sequence

import numpy as np
import pandas as pd

from ..arguments import column_named, is_column, listed
from ..core.levels import encode
from ..errors import InputError
from ..frames import read_column, unknown_name
from .cells import KeyCells, first_of

KEEP = "keep"
MISSING = "missing"
MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class BlockVariable:
    """One partition of the cells.

    Attributes
    ----------
    name : of the column. kept : given as a column, so that blocks which differ in it are never merged.
    codes : int64, shape (c,), the group of each cell asked for; groups are numbered in their own order. labels : texts of the groups.
    """

    name: Hashable
    kept: bool
    codes: np.ndarray
    labels: tuple[str, ...]


def block_variables(blocks: Any, data: pd.DataFrame, keys: Sequence[Hashable], cells: KeyCells, which: np.ndarray) -> list[BlockVariable]:
    """The partitions that `blocks` asks for, at the cells `which`; kept columns first, otherwise in the order given."""
    rules = _rules(blocks, list(data.columns), keys)
    rows = cells.first[which]
    made = [_kept(name, data, keys, cells, rows) if rule is None else _grouped(name, rule, data, cells, keys, rows) for name, rule in rules]
    return sorted(made, key=lambda v: not v.kept)


def _rules(blocks: Any, columns: list[Hashable], keys: Sequence[Hashable]) -> list[tuple[Hashable, Any]]:
    """(column, None for "as it is", a mapping or cut points), each column once."""
    rules: list[tuple[Hashable, Any]] = []
    for item in [blocks] if isinstance(blocks, Mapping) or is_column(blocks, columns) else listed(blocks):
        if isinstance(item, Mapping):
            rules += [(_key(name, rule, columns, keys), None if isinstance(rule, str) and rule == KEEP else rule) for name, rule in item.items()]
        else:
            rules.append((column_named("blocks", item, columns, "the data"), None))
    names = [name for name, _ in rules]
    twice = [name for at, name in enumerate(names) if name in names[:at]]
    if twice:
        raise InputError(f"blocks: {twice[0]!r} is given more than once")
    return rules


def _key(name: Any, rule: Any, columns: list[Hashable], keys: Sequence[Hashable]) -> Hashable:
    if not is_column(name, columns):
        raise unknown_name("blocks", name, columns, "the data")
    if name not in keys and rule != KEEP:
        known = ", ".join(map(str, keys))
        raise InputError(
            f"blocks: {name!r} is not one of the keys ({known}), so groups of its values say nothing about them; "
            "group a key, or give a column that is a function of the keys by its name"
        )
    return name


# ---- columns as they are ----------------------------------------------------------------------------------------------------------


def _kept(name: Hashable, data: pd.DataFrame, keys: Sequence[Hashable], cells: KeyCells, rows: np.ndarray) -> BlockVariable:
    variable = cells.variables[list(keys).index(name)] if name in keys else encode(str(name), [read_column(data[name], f"blocks: {name!r}")])
    codes = variable.own_codes(0)
    if name not in keys:
        _check_function(name, data, keys, cells, codes)
    occurring, groups = np.unique(codes[rows], return_inverse=True)
    return BlockVariable(name, True, groups.reshape(-1), tuple(variable.texts(occurring)))


def _check_function(name: Hashable, data: pd.DataFrame, keys: Sequence[Hashable], cells: KeyCells, codes: np.ndarray) -> None:
    """Records with the same keys must have the same value."""
    other = np.flatnonzero(codes != codes[cells.first[cells.of_record]])
    if not len(other):
        return
    one, two = int(cells.first[cells.of_record[other[0]]]), int(other[0])
    same = ", ".join(f"{key}={data[key].iloc[one]}" for key in keys)
    values = data[name].iloc[[one, two]].tolist()
    raise InputError(
        f"blocks: {name!r} cuts across the keys: records {one + 1} and {two + 1} both have {same}, but {name!r} is {values[0]!r} in one and {values[1]!r} in the other; "
        "give a column that is a function of the keys, make it a key, or group a key by a mapping or cut points"
    )


# ---- groups of a key --------------------------------------------------------------------------------------------------------------


def _grouped(name: Hashable, rule: Any, data: pd.DataFrame, cells: KeyCells, keys: Sequence[Hashable], rows: np.ndarray) -> BlockVariable:
    if isinstance(rule, Mapping):
        groups, labels = _by_mapping(name, rule, data, cells, list(keys).index(name))
    else:
        groups, labels = _by_cut_points(name, rule, data)
    occurring, codes = np.unique(groups[rows], return_inverse=True)
    return BlockVariable(name, False, codes.reshape(-1), tuple(labels[i] for i in occurring))


def _by_mapping(name: Hashable, groups: Mapping[Any, Any], data: pd.DataFrame, cells: KeyCells, at: int) -> tuple[np.ndarray, list[str]]:
    """Group of each record: in the order in which the mapping names them; missing values by themselves at the end, unless it names them."""
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
    raise InputError(f"blocks: {group!r} for {name!r} is not the name of a group; give one name for each level, as in {{'white': 'white', 'asian': 'other'}}")


def _unnamed(name: Hashable, unknown: list[Any], groups: Mapping[Any, Any], values: list[Any]) -> InputError:
    shown = ", ".join(map(repr, unknown[:MOST_NAMED])) + (f" and {len(unknown) - MOST_NAMED} more" if len(unknown) > MOST_NAMED else "")
    strangers = [level for level in groups if not _is_missing(level) and level not in values]
    hint = f" (it names {', '.join(map(repr, strangers[:MOST_NAMED]))}, which do not occur)" if strangers else ""
    return InputError(f"blocks: the mapping for {name!r} has no group for {shown}{hint}; name every level that occurs, as in {{'white': 'white', 'asian': 'other'}}")


def _is_missing(value: Any) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isnan(value)


def _by_cut_points(name: Hashable, given: Any, data: pd.DataFrame) -> tuple[np.ndarray, list[str]]:
    """Band of each record: a cut point begins a band. Missing values are a band of their own."""
    cuts = [given] if isinstance(given, numbers.Real) else listed(given)
    finite = all(isinstance(c, numbers.Real) and not isinstance(c, bool) and math.isfinite(c) for c in cuts)
    if not cuts or not finite or any(b <= a for a, b in zip(cuts, cuts[1:])):
        raise InputError(
            f"blocks: {given!r} for {name!r} cannot be used; give 'keep', a mapping of levels to groups, or increasing cut points, "
            "as in [18, 25, 65] for below 18, 18 to below 25, 25 to below 65, from 65 on"
        )
    column = read_column(data[name], f"blocks: {name!r}")
    if not column.is_number:
        raise InputError(f"blocks: {name!r} is not numeric, so it has no cut points; give a mapping of its levels to groups")
    bands = np.searchsorted(np.array(cuts, dtype=float), column.values, side="right")
    if column.missing is not None:
        bands = np.where(column.missing, len(cuts) + 1, bands)
    texts = [f"{c:g}" for c in cuts]
    return bands, [f"below {texts[0]}", *(f"{a} to below {b}" for a, b in zip(texts, texts[1:])), f"from {texts[-1]} on", MISSING]


# ---- from variables to blocks -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Partition:
    """Blocks in the order of their variables.

    Attributes
    ----------
    of_cell : int64, shape (c,), the block of each cell. groups : int64, shape (b, v), the group of each block in each variable.
    shared : int64, shape (b - 1,), of block i and i + 1: how many leading variables that may give way are alike; -1 where a kept column differs.
    """

    of_cell: np.ndarray
    groups: np.ndarray
    shared: np.ndarray


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
    groups = np.array([v.codes[first] for v in variables], dtype=np.int64).reshape(len(variables), len(first)).T
    alike = groups[1:] == groups[:-1]
    kept = sum(v.kept for v in variables)
    same_kept = alike[:, :kept].all(axis=1)
    shared = np.where(same_kept, np.logical_and.accumulate(alike[:, kept:], axis=1).sum(axis=1), -1)
    return Partition(of_cell.reshape(-1), groups, shared)
