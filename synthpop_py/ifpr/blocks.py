"""Cells: combinations of keys that occur in the data. Blocks: cells between which units may be
exchanged, from columns, mappings of levels to groups, or cut points.

Two records share a cell only if their keys are equal, digit for digit: values that differ in the
release must differ here. All missing values of a key are one level. Units that a block variable
keeps apart are never exchanged. A key outside the block variables may change to any of its values
in the block.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import column_named, is_column, is_number, listed
from ..core.arrays import Flags, Integers, Values, numbered
from ..core.coding import Variable, encode, joint_codes
from ..core.columns import Column
from ..errors import InputError, unknown_name
from ..tables.bands import MISSING, bands_between
from ..tables.reading import read_column

KEEP = "keep"
WHOLE = "whole file"
MOST_NAMED, MOST_LABEL = 5, 4
DOUBLE = 8  # bytes
ROOM = 4  # possible cells are counted densely up to this many times the records


# ---- cells ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class KeyCells:
    """Occupied cells of the keys.

    Attributes
    ----------
    data : the table. variables : its keys, coded.
    of_record : int64, shape (n,), the cell of each record. size : int64, shape (c,), records in
        each cell. first : int64, shape (c,), position of its first record.
    """

    data: pd.DataFrame
    variables: Mapping[Hashable, Variable]
    of_record: Integers
    size: Integers
    first: Integers


def key_cells(data: pd.DataFrame, keys: Sequence[Hashable]) -> KeyCells:
    """Cross-classify the keys; missing is a separate level."""
    variables = {name: exact_variable(name, [data[name]], f"keys: {name!r}") for name in keys}
    (codes,), possible = joint_codes(list(variables.values()))
    if possible > ROOM * len(codes):
        _, of_record, size = np.unique(codes, return_inverse=True, return_counts=True)
        of_record = of_record.reshape(-1)
    else:
        records = np.bincount(codes, minlength=possible)
        number = np.cumsum(records > 0) - 1
        of_record, size = number[codes], records[records > 0]
    return KeyCells(data, variables, of_record, size, _first_of(of_record, len(size)))


def _first_of(codes: Integers, size: int) -> Integers:
    """Position of the first record of each code, shape (size,); -1 for codes that do not occur."""
    first = np.full(size, -1, dtype=np.int64)
    # the last one written is the first in the data
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    return first


def exact_variable(name: Hashable, tables: Sequence[pd.Series], where: str) -> Variable:
    """A column of one or more tables, coded so that two values share a code only if they are equal.

    >>> exact_variable("x", [pd.Series([0.3, 0.1 + 0.2, 0.3])], "x").own_codes(0).tolist()
    [0, 1, 0]
    """
    columns: list[Column] = [read_column(series, where) for series in tables]
    # decimals, huge whole numbers and long doubles are read as doubles, which cannot hold them all
    wide = [s.dtype == object or getattr(s.dtype, "itemsize", DOUBLE) > DOUBLE for s in tables]
    if any(c.kind == "double" and is_wide for c, is_wide in zip(columns, wide)):
        columns = _by_value(tables, columns)
    return encode(str(name), columns, exact=True)


def _by_value(tables: Sequence[pd.Series], columns: list[Column]) -> list[Column]:
    """The columns as levels in ascending order, where doubles would make one of two values; as they
    are otherwise.
    """
    codes, distinct = pd.factorize(np.concatenate([s.to_numpy(dtype=object) for s in tables]))
    doubles = np.concatenate([column.present() for column in columns])
    if len(distinct) <= len(np.unique(doubles)):
        return columns
    order = sorted(range(len(distinct)), key=distinct.__getitem__)
    rank = np.append(np.argsort(order), -1)  # -1 is missing
    labels = tuple(str(distinct[i]) for i in order)
    ranks = np.split(rank[codes], np.cumsum([len(series) for series in tables])[:-1])
    return [Column("factor", part, column.missing, labels) for part, column in zip(ranks, columns)]


# ---- blocks --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Blocks:
    """b blocks in the order of their variables, and which of them were merged.

    Attributes
    ----------
    variables : names of the columns. kept : for each whether it was given as a column, so that
        blocks which differ in it are never merged; these come first. labels : for each the texts
        of its groups.
    groups : int64, shape (b, variables), places in `labels`.
    run : int64, shape (b,), ascending: the number of the block each became part of.
    """

    variables: tuple[Hashable, ...]
    kept: tuple[bool, ...]
    labels: tuple[tuple[str, ...], ...]
    groups: Integers
    run: Integers

    @property
    def number(self) -> int:
        """Blocks after merging."""
        return int(self.run[-1]) + 1 if len(self.run) else 0

    @property
    def joined(self) -> Flags:
        """For each block before merging, whether it is now part of another, shape (b,)."""
        return np.bincount(self.run, minlength=self.number)[self.run] > 1

    @property
    def shared(self) -> Integers:
        """Of block i and i + 1, before merging: how many leading variables that may give way are
        alike, shape (b - 1,); -1 where a kept column differs.
        """
        kept = sum(self.kept)
        alike = self.groups[1:] == self.groups[:-1]
        leading = np.logical_and.accumulate(alike[:, kept:], axis=1).sum(axis=1)
        return np.where(alike[:, :kept].all(axis=1), leading, -1)

    def merged(self, run: Integers) -> Blocks:
        return replace(self, run=run)

    def group_texts(self) -> list[list[str]]:
        """For each variable the groups that every block holds, the first few of them."""
        texts = []
        for at, labels in enumerate(self.labels):
            held: list[list[str]] = [[] for _ in range(self.number)]
            pairs = np.unique(self.run * (len(labels) + 1) + self.groups[:, at])
            for pair in pairs.tolist():
                block, group = divmod(pair, len(labels) + 1)
                held[block].append(labels[group])
            texts.append([_listed_groups(groups) for groups in held])
        return texts

    def names(self, group_texts: list[list[str]] | None = None) -> Values:
        """One label per block, in their order, shape (blocks,); equal labels (a level "Missing" and
        missing values) are numbered.
        """
        parts = [
            [f"{name}: {text}" for text in texts]
            for name, texts in zip(self.variables, group_texts or self.group_texts())
        ]
        plain = [", ".join(row) for row in zip(*parts)] if parts else [WHOLE] * self.number
        names = np.array(plain, dtype=object)
        if len(set(plain)) == len(plain):
            return names
        seen: dict[str, int] = {}
        for i, label in enumerate(plain):
            seen[label] = seen.get(label, 0) + 1
            if seen[label] > 1:
                names[i] = f"{label} ({seen[label]})"
        return names


def _listed_groups(groups: list[str]) -> str:
    if len(groups) == 1:
        return groups[0]
    text = " + ".join(groups[:MOST_LABEL])
    more = len(groups) - MOST_LABEL
    return f"{text} + {more} more" if more > 0 else text


def find_blocks(given: Any, cells: KeyCells, which: Integers) -> tuple[Integers, Blocks]:
    """The block of each of the cells `which`, shape (c,), and the blocks that `given` asks for:
    cells that are alike in every variable.
    """
    # kept columns first, otherwise in the order given
    rules = sorted(_rules(given, cells), key=lambda rule: rule[1] is not None)
    code = np.zeros(len(which), dtype=np.int64)
    of_variables, labels = [], []
    for name, rule in rules:
        of_record, texts_of = (
            _kept_column(name, cells) if rule is None else _groups(name, rule, cells)
        )
        occurring, groups = np.unique(of_record[cells.first[which]], return_inverse=True)
        of_variables.append(groups.reshape(-1))
        labels.append(tuple(texts_of(occurring)))
        code = numbered(code * len(occurring) + of_variables[-1])[1]
    number = int(code.max(initial=-1)) + 1
    first = _first_of(code, number)
    groups = np.zeros((number, len(rules)), dtype=np.int64)
    for at, of_cell in enumerate(of_variables):
        groups[:, at] = of_cell[first]
    kept = tuple(rule is None for _, rule in rules)
    names = tuple(name for name, _ in rules)
    return code, Blocks(names, kept, tuple(labels), groups, np.arange(number))


def _rules(given: Any, cells: KeyCells) -> list[tuple[Hashable, Any]]:
    """(column, None for "as it is", a mapping or cut points), each column once."""
    columns = list(cells.data.columns)
    one = isinstance(given, Mapping) or is_column(given, columns)
    rules: list[tuple[Hashable, Any]] = []
    for item in [given] if one else listed(given):
        if isinstance(item, Mapping):
            rules += [(name, _rule(name, rule, cells)) for name, rule in item.items()]
        else:
            rules.append((column_named("blocks", item, columns, "the data"), None))
    names = [name for name, _ in rules]
    for at, name in enumerate(names):
        if name in names[:at]:
            raise InputError(f"blocks: {name!r} is given more than once")
    return rules


def _rule(name: Hashable, rule: Any, cells: KeyCells) -> Any:
    """One entry of a mapping, checked."""
    columns = list(cells.data.columns)
    if not is_column(name, columns):
        raise unknown_name("blocks", name, columns, "the data")
    if isinstance(rule, str) and rule == KEEP:
        return None
    if name not in cells.variables:
        known = ", ".join(map(str, cells.variables))
        raise InputError(
            f"blocks: {name!r} is not one of the keys ({known}), so groups of its values say"
            " nothing about them; group a key, or give a column that is a function of the keys by"
            " its name"
        )
    return rule


def _kept_column(name: Hashable, cells: KeyCells) -> tuple[Integers, Any]:
    """Level of each record, and what names the levels: of a key, or of another column that is a
    function of the keys.
    """
    if name in cells.variables:
        variable = cells.variables[name]
        return variable.codes[0], variable.texts
    variable = exact_variable(name, [cells.data[name]], f"blocks: {name!r}")
    codes = variable.codes[0]
    first_of_cell = cells.first[cells.of_record]
    different = np.flatnonzero(codes != codes[first_of_cell])
    if len(different):
        first, second = int(first_of_cell[different[0]]), int(different[0])
        rows = cells.data.iloc[[first, second]]
        raise InputError(
            f"blocks: {name!r} cuts across the keys: records {first + 1} and {second + 1} have the"
            f" same keys, but not the same {name!r}; give a column that is a function of the keys,"
            " make it a key, or group a key by a mapping or cut points",
            details={"records": rows[[*cells.variables, name]].to_dict("records")},
        )
    return codes, variable.texts


def _groups(name: Hashable, rule: Any, cells: KeyCells) -> tuple[Integers, Any]:
    """Group of each record, and what names the groups."""
    if isinstance(rule, (Mapping, pd.Series)):
        of_record, texts = _groups_by_mapping(name, rule, cells)
    else:
        of_record, texts = bands_between("blocks", name, rule, cells.data[name])
    return of_record, lambda groups: [texts[group] for group in groups]


def _groups_by_mapping(
    name: Hashable, rule: Mapping[Any, Any] | pd.Series, cells: KeyCells
) -> tuple[Integers, list[str]]:
    """Group of each record: in the order in which the mapping names them; missing values by
    themselves at the end, unless it names them. A Series names the group of each level in its
    index.
    """
    if isinstance(rule, pd.Series):
        twice = rule.index[rule.index.duplicated()].tolist()
        if twice:
            raise InputError(
                f"blocks: the Series for {name!r} names {twice[0]!r} more than once; give one group"
                " for each level"
            )
        rule = dict(zip(rule.index.tolist(), rule.tolist()))
    order: dict[Any, int] = {}
    for group in rule.values():
        if not isinstance(group, Hashable):
            raise InputError(
                f"blocks: {group!r} for {name!r} is not the name of a group; give one name for each"
                " level, as in {'white': 'white', 'asian': 'other'}"
            )
        order.setdefault(group, len(order))
    of_missing = [order[group] for level, group in rule.items() if _is_missing(level)]
    variable = cells.variables[name]
    first = _first_of(variable.codes[0], variable.size)
    present = np.flatnonzero(first >= 0)
    values = cells.data[name].iloc[first[present]].tolist()
    number = np.full(variable.size, -1, dtype=np.int64)
    unknown = []
    for code, value in zip(present.tolist(), values):
        if _is_missing(value):
            number[code] = [*of_missing, len(order)][0]
        elif value in rule:
            number[code] = order[rule[value]]
        else:
            unknown.append(value)
    if unknown:
        strangers = [level for level in rule if not _is_missing(level) and level not in values]
        raise _unnamed(name, unknown, strangers)
    return number[variable.codes[0]], [*map(str, order), MISSING]


def _unnamed(name: Hashable, unknown: list[Any], strangers: list[Any]) -> InputError:
    number = "1 level that occurs" if len(unknown) == 1 else f"{len(unknown)} levels that occur"
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
