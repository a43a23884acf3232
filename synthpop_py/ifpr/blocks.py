"""Blocks: cells between which units may be exchanged, from columns, mappings of levels to groups,
or cut points.

Units that a block variable keeps apart are never exchanged. A key outside the block variables may
change to any of its values in the block.
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
from ..core.combinations import LARGEST_CODE
from ..core.levels import Variable
from ..errors import InputError, unknown_name
from ..tables.bands import MISSING, bands_between
from .key_cells import KeyCells, exact_variable, first_of

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


@dataclass(frozen=True, slots=True)
class KeyedData:
    """The data with their keys and the cells of these."""

    data: pd.DataFrame
    keys: Sequence[Hashable]
    cells: KeyCells

    def is_key(self, name: Hashable) -> bool:
        return name in self.keys

    def key_variable(self, name: Hashable) -> Variable:
        """A key as it is coded in the cells."""
        return self.cells.variables[list(self.keys).index(name)]


def block_variables(blocks: Any, keyed: KeyedData, which: Integers) -> list[BlockVariable]:
    """The partitions that `blocks` asks for, at the cells `which`; kept columns first, otherwise in
    the order given.
    """
    rules = _rules(blocks, list(keyed.data.columns), keyed.keys)
    rows = keyed.cells.first[which]
    variables = [_block_variable(name, rule, keyed, rows) for name, rule in rules]
    return sorted(variables, key=lambda variable: not variable.kept)


def _block_variable(name: Hashable, rule: Any, keyed: KeyedData, rows: Integers) -> BlockVariable:
    """A column as it is where `rule` is None, groups of a key otherwise; at the records `rows`."""
    if rule is None:
        levels, variable = _kept_column(name, keyed)
        occurring, codes = np.unique(levels[rows], return_inverse=True)
        labels = tuple(variable.texts(occurring))
    else:
        groups, texts = _groups(name, rule, keyed)
        occurring, codes = np.unique(groups[rows], return_inverse=True)
        labels = tuple(texts[group] for group in occurring)
    return BlockVariable(name=name, kept=rule is None, codes=codes.reshape(-1), labels=labels)


def _rules(
    blocks: Any, columns: list[Hashable], keys: Sequence[Hashable]
) -> list[tuple[Hashable, Any]]:
    """(column, None for "as it is", a mapping or cut points), each column once."""
    rules: list[tuple[Hashable, Any]] = []
    for item in _items(blocks, columns):
        if isinstance(item, Mapping):
            rules += [_rule(name, rule, columns, keys) for name, rule in item.items()]
        else:
            rules.append((column_named("blocks", item, columns, "the data"), None))
    seen: list[Hashable] = []
    for name, _ in rules:
        if name in seen:
            raise InputError(f"blocks: {name!r} is given more than once")
        seen.append(name)
    return rules


def _items(blocks: Any, columns: list[Hashable]) -> list[Any]:
    if isinstance(blocks, Mapping) or is_column(blocks, columns):
        return [blocks]
    return listed(blocks)


def _rule(
    name: Hashable, rule: Any, columns: list[Hashable], keys: Sequence[Hashable]
) -> tuple[Hashable, Any]:
    """One entry of a mapping, checked."""
    if not is_column(name, columns):
        raise unknown_name("blocks", name, columns, "the data")
    if isinstance(rule, str) and rule == KEEP:
        return name, None
    if name not in keys:
        known = ", ".join(map(str, keys))
        raise InputError(
            f"blocks: {name!r} is not one of the keys ({known}), so groups of its values say"
            " nothing about them; group a key, or give a column that is a function of the keys by"
            " its name"
        )
    return name, rule


def _kept_column(name: Hashable, keyed: KeyedData) -> tuple[Integers, Variable]:
    """Level of each record, and what names the levels: of a key, or of another column that is a
    function of the keys.
    """
    if keyed.is_key(name):
        variable = keyed.key_variable(name)
        return variable.own_codes(0), variable
    variable = exact_variable(name, [keyed.data[name]], f"blocks: {name!r}")
    codes = variable.own_codes(0)
    _check_function_of_keys(name, codes, keyed)
    return codes, variable


def _check_function_of_keys(name: Hashable, codes: Integers, keyed: KeyedData) -> None:
    """Records with the same keys must have the same value."""
    first_of_cell = keyed.cells.first[keyed.cells.of_record]
    different = np.flatnonzero(codes != codes[first_of_cell])
    if not len(different):
        return
    second = int(different[0])
    first = int(first_of_cell[second])
    rows = keyed.data.iloc[[first, second]]
    raise InputError(
        f"blocks: {name!r} cuts across the keys: records {first + 1} and {second + 1} have the same"
        f" keys, but not the same {name!r}; give a column that is a function of the keys, make it a"
        " key, or group a key by a mapping or cut points",
        details={"records": rows[[*keyed.keys, name]].to_dict("records")},
    )


def _groups(name: Hashable, rule: Any, keyed: KeyedData) -> tuple[Integers, list[str]]:
    """Group of each record, and the texts of the groups."""
    if isinstance(rule, (Mapping, pd.Series)):
        return _groups_by_mapping(name, _mapping(name, rule), keyed)
    return bands_between("blocks", name, rule, keyed.data[name])


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


def _groups_by_mapping(
    name: Hashable, groups: Mapping[Any, Any], keyed: KeyedData
) -> tuple[Integers, list[str]]:
    """Group of each record: in the order in which the mapping names them; missing values by
    themselves at the end, unless it names them.
    """
    variable = keyed.key_variable(name)
    codes = variable.own_codes(0)
    first = first_of(codes, variable.size)
    present = np.flatnonzero(first >= 0)
    values = keyed.data[name].iloc[first[present]].tolist()
    order = _group_numbers(name, groups)
    of_missing = _number_for_missing(groups, order)
    number = np.full(variable.size, -1, dtype=np.int64)
    unknown = []
    for code, value in zip(present.tolist(), values):
        if _is_missing(value):
            number[code] = of_missing
        elif value in groups:
            number[code] = order[groups[value]]
        else:
            unknown.append(value)
    if unknown:
        raise _unnamed(name, unknown, groups, values)
    return number[codes], [*map(str, order), MISSING]


def _group_numbers(name: Hashable, groups: Mapping[Any, Any]) -> dict[Any, int]:
    """Groups numbered in the order in which they are named."""
    order: dict[Any, int] = {}
    for group in groups.values():
        if not isinstance(group, Hashable):
            raise InputError(
                f"blocks: {group!r} for {name!r} is not the name of a group; give one name for each"
                " level, as in {'white': 'white', 'asian': 'other'}"
            )
        order.setdefault(group, len(order))
    return order


def _number_for_missing(groups: Mapping[Any, Any], order: dict[Any, int]) -> int:
    for level, group in groups.items():
        if _is_missing(level):
            return order[group]
    return len(order)


def _unnamed(
    name: Hashable, unknown: list[Any], groups: Mapping[Any, Any], values: list[Any]
) -> InputError:
    number = "1 level that occurs" if len(unknown) == 1 else f"{len(unknown)} levels that occur"
    strangers = [level for level in groups if not _is_missing(level) and level not in values]
    hint = ""
    if strangers:
        names = ", ".join(map(repr, strangers[:MOST_NAMED]))
        which = "which does not occur" if len(strangers) == 1 else "which do not occur"
        hint = f" (it names {names}, {which})"
    return InputError(
        f"blocks: the mapping for {name!r} has no group for {number}{hint}; name every"
        " level that occurs, as in {'white': 'white', 'asian': 'other'}; .details lists them",
        details={"levels": tuple(unknown)},
    )


def _is_missing(value: Any) -> bool:
    if value is None or value is pd.NA or value is pd.NaT:
        return True
    return is_number(value) and math.isnan(value)


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
    codes = _codes_of_all(variables, number_of_cells)
    _, first, of_cell = np.unique(codes, return_index=True, return_inverse=True)
    groups = np.empty((len(first), len(variables)), dtype=np.int64)
    for at, variable in enumerate(variables):
        groups[:, at] = variable.codes[first]
    kept = sum(variable.kept for variable in variables)
    return Partition(of_cell.reshape(-1), groups, _shared(groups, kept))


def _codes_of_all(variables: Sequence[BlockVariable], number_of_cells: int) -> Integers:
    """One code for each cell, ordered as the groups of the first variable, then of the next."""
    codes = np.zeros(number_of_cells, dtype=np.int64)
    size = 1
    for variable in variables:
        levels = len(variable.labels)
        if size * levels > LARGEST_CODE:
            distinct, codes = np.unique(codes, return_inverse=True)
            size = len(distinct)
        codes = codes * levels + variable.codes
        size *= levels
    return codes


def _shared(groups: Integers, kept: int) -> Integers:
    """See `Partition`; the first `kept` variables are kept."""
    alike = groups[1:] == groups[:-1]
    same_kept = alike[:, :kept].all(axis=1)
    leading = np.logical_and.accumulate(alike[:, kept:], axis=1)
    return np.where(same_kept, leading.sum(axis=1), -1)
