"""Cells: combinations of keys that occur in the data. Blocks: cells between which units may be
exchanged, from columns, mappings of levels to groups, or cut points; small ones are merged.

Two records share a cell only if their keys are equal, digit for digit: values that differ in the
release must differ here. All missing values of a key are one level. A key outside the block
variables may change to any of its values in the block.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import column_named, is_column, listed
from ..core.arrays import Flags, Integers, numbered, numbered_by_table
from ..core.coding import Variable, encode, joint_codes
from ..errors import InputError, some, unknown_name
from ..tables.bands import MISSING, bands_between
from ..tables.reading import read_column

KEEP = "keep"
WHOLE = "whole file"
MOST_LABEL = 4
DOUBLE = 8  # bytes


def exact_variable(name: Hashable, tables: Sequence[pd.Series], where: str) -> Variable:
    """A column of one or more tables, coded so that only equal values share a code."""
    columns = [read_column(series, where) for series in tables]
    for series, column in zip(tables, columns):
        wide = series.dtype == object or getattr(series.dtype, "itemsize", DOUBLE) > DOUBLE
        if wide and column.kind == "double":
            values = series.dropna().astype(object)
            if values.nunique() > len(np.unique(column.present())):
                raise InputError(
                    f"{where} holds decimals, long doubles or whole numbers that differ by less"
                    " than doubles can hold; round them, or turn them into texts"
                )
    return encode(str(name), columns, exact=True)


def key_cells(variables: Sequence[Variable]) -> tuple[Integers, Integers]:
    """The cell of each record, and the position of the first record of each cell."""
    (codes,), _ = joint_codes(variables)
    # a table of all possible codes, or, where they are many, sorting
    distinct, of_record = numbered_by_table(codes) or np.unique(codes, return_inverse=True)
    return of_record, first_of(of_record, len(distinct))


def first_of(codes: Integers, size: int) -> Integers:
    """Position of the first record of each code, shape (size,); -1 for codes that do not occur."""
    first = np.full(size, -1, dtype=np.int64)
    # the last one written is the first in the data
    backwards = np.arange(len(codes))[::-1]
    first[codes[backwards]] = backwards
    return first


class Blocks:
    """b blocks in the order of their variables, kept columns first, and which of them were merged.

    Attributes
    ----------
    variables : names of the columns.
    kept : how many of them are kept as they are, so that blocks which differ in them are never
        merged.
    groups : int64, shape (b, variables), the group of each variable, 0, 1, ...
    labels : for each variable the texts of its groups, or a value of each.
    run : int64, shape (b,), ascending: the number of the block each became part of.
    """

    def __init__(
        self, variables: Sequence[Hashable], kept: int, groups: Integers, labels: Sequence[Any]
    ) -> None:
        self.variables, self.kept = tuple(variables), kept
        self.groups, self.labels = groups, labels
        self.run = np.arange(len(groups))

    def __len__(self) -> int:
        return int(self.run.max(initial=-1)) + 1

    def joined(self) -> Flags:
        """For each block before merging, whether it is now part of another, shape (b,)."""
        size = np.bincount(self.run)
        together: Flags = size[self.run] > 1
        return together

    def shared(self) -> Integers:
        """Of block i and i + 1: how many leading variables that may give way are alike, shape (b -
        1,); -1 where a kept column differs.
        """
        alike = self.groups[1:] == self.groups[:-1]
        leading = np.logical_and.accumulate(alike[:, self.kept :], axis=1)
        same_kept = alike[:, : self.kept].all(axis=1)
        return np.where(same_kept, leading.sum(axis=1), -1)

    @cached_property
    def shown(self) -> pd.DataFrame:
        """One row for each block by its label, one column for each variable: its first groups."""
        return self.described(self.run)

    def described(self, run: Integers) -> pd.DataFrame:
        """The same for other numbers of the blocks that each is part of."""
        number = run.max(initial=-1) + 1
        frame = pd.DataFrame(index=range(number))
        label = pd.Series("", index=frame.index, dtype=object)
        for at, name in enumerate(self.variables):
            texts = self._texts(at)
            held: list[list[str]] = [[] for _ in frame.index]
            pairs = np.unique(np.column_stack((run, self.groups[:, at])), axis=0)
            for block, group in pairs.tolist():
                held[block].append(texts[group])
            frame[at] = pd.Series(map(_listed, held), dtype=object)
            label += f", {name}: " + frame[at]
        label = label.str.removeprefix(", ").replace("", WHOLE)
        # equal labels (a level "Missing" and missing values) are numbered
        nth = label.groupby(label).cumcount() + 1
        number = " (" + nth.astype(str) + ")"
        label += number.where(nth > 1, "")
        return frame.set_axis(pd.Index(label, name="block"))

    def _texts(self, at: int) -> list[str]:
        labels = self.labels[at]
        if not isinstance(labels, pd.Series):
            return list(labels)
        variable = exact_variable(self.variables[at], [labels], "blocks")
        return variable.texts(variable.codes[0])


def _listed(groups: list[str]) -> str:
    text = " + ".join(groups[:MOST_LABEL])
    more = len(groups) - MOST_LABEL
    return f"{text} + {more} more" if more > 0 else text


def find_blocks(
    given: Any,
    data: pd.DataFrame,
    keys: Mapping[Hashable, Variable],
    of_record: Integers,
    first: Integers,
) -> tuple[Integers, Blocks]:
    """The block of each cell, by its first record, and the blocks that `given` asks for."""
    rules = _rules(given, list(data.columns))
    names = sorted(rules, key=lambda name: rules[name] is not None)  # kept columns first
    block = np.zeros(len(first), dtype=np.int64)
    groups = np.zeros((len(first), len(names)), dtype=np.int64)
    labels: list[Any] = []
    for at, name in enumerate(names):
        kept = rules[name] is None
        if kept:
            codes = _kept_column(name, data, keys, of_record)
        else:
            codes, texts = _groups(name, rules[name], data, keys)
        occurring, group = numbered(codes[first])
        groups[:, at] = group
        some_record = first[first_of(group, len(occurring))]
        values = data[name].iloc[some_record]
        labels.append(values if kept else [texts[i] for i in occurring])
        _, block = numbered(block * len(occurring) + group)
    number = int(block.max(initial=-1)) + 1
    of_blocks = groups[first_of(block, number)]
    number_kept = sum(rule is None for rule in rules.values())
    return block, Blocks(names, number_kept, of_blocks, labels)


def _rules(given: Any, columns: list[Hashable]) -> dict[Hashable, Any]:
    """By column, in the order given: None for "as it is", a mapping or cut points."""
    one = isinstance(given, Mapping) or is_column(given, columns)
    rules: dict[Hashable, Any] = {}
    for item in [given] if one else listed(given):
        entries = item
        if not isinstance(item, Mapping):
            entries = {column_named("blocks", item, columns, "the data"): KEEP}
        for name, rule in entries.items():
            if not is_column(name, columns):
                raise unknown_name("blocks", name, columns, "the data")
            if name in rules:
                raise InputError(f"blocks: {name!r} is given more than once")
            keep = isinstance(rule, str) and rule == KEEP
            rules[name] = None if keep else rule
    return rules


def _kept_column(
    name: Hashable, data: pd.DataFrame, keys: Mapping[Hashable, Variable], of_record: Integers
) -> Integers:
    """Level of each record: of a key, or of another column that is a function of the keys."""
    if name in keys:
        return keys[name].codes[0]
    codes = exact_variable(name, [data[name]], f"blocks: {name!r}").codes[0]
    first = first_of(of_record, len(of_record))[of_record]
    different = np.flatnonzero(codes != codes[first])
    if len(different):
        second = int(different[0])
        pair = [int(first[second]), second]
        raise InputError(
            f"blocks: {name!r} cuts across the keys: records {pair[0] + 1} and {pair[1] + 1} have"
            f" the same keys, but not the same {name!r}; give a column that is a function of the"
            " keys, make it a key, or group a key by a mapping or cut points",
            details={"records": data.iloc[pair][[*keys, name]].to_dict("records")},
        )
    return codes


def _groups(
    name: Hashable, rule: Any, data: pd.DataFrame, keys: Mapping[Hashable, Variable]
) -> tuple[Integers, list[str]]:
    """Group of each record, and the texts of groups; missing values are by themselves at the end,
    unless a mapping names them.
    """
    if name not in keys:
        raise InputError(
            f"blocks: {name!r} is not one of the keys ({some(list(keys))}), so groups of its values"
            " say nothing about them; group a key, or give a column that is a function of the keys"
            " by its name"
        )
    if isinstance(rule, pd.Series) and not rule.index.is_unique:
        raise InputError(f"blocks: the Series for {name!r} names a level more than once")
    if isinstance(rule, (Mapping, pd.Series)):
        return _mapped(name, dict(rule), data[name])
    return bands_between("blocks", name, rule, data[name])


def _mapped(name: Hashable, rule: dict[Any, Any], values: pd.Series) -> tuple[Integers, list[str]]:
    texts = [*dict.fromkeys(map(str, rule.values())), MISSING]
    place = {level: texts.index(str(group)) for level, group in rule.items()}
    of_missing = [number for level, number in place.items() if _is_missing(level)]
    place_of_missing = of_missing[0] if of_missing else len(texts) - 1
    group = values.astype(object).map(place)
    group = group.where(values.notna(), place_of_missing)
    unknown = values[group.isna()].unique().tolist()
    if unknown:
        raise InputError(
            f"blocks: the mapping for {name!r} has no group for {len(unknown)} of the levels that"
            " occur; name every one, as in {'white': 'white', 'asian': 'other'}; .details lists"
            " those without",
            details={"levels": tuple(unknown)},
        )
    return group.to_numpy(dtype=np.int64), texts


def _is_missing(value: Any) -> bool:
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))


def safe_blocks(
    blocks: Blocks,
    cells: Integers,
    sizes: Integers,
    unsafe: Callable[[Integers], Flags],
    how: str,
) -> None:
    """Join small blocks to neighbours, or refuse those that cannot meet the goal."""
    bad = np.zeros(len(blocks), dtype=bool)
    if how == "merge":
        blocks.run, bad = merge_small(cells, sizes, blocks.shared(), unsafe)
    elif how == "error":
        bad = unsafe(cells)
    if not bad.any():
        return
    number = np.bincount(blocks.run, weights=cells.sum(axis=1))
    said = ["1 cell" if k == 1 else f"{k:.0f} cells" for k in number[bad]]
    named = dict(zip(blocks.shown.index[bad], said))
    kinds = list(dict.fromkeys(said))
    merging = "small_blocks='merge' to join them to neighbours, " if how == "error" else ""
    raise InputError(
        f"blocks: {len(said)} of {len(blocks)} blocks cannot meet xi with the rare"
        f" combinations of keys in them ({some(kinds)}; .details lists the"
        f" blocks); give {merging}coarser blocks, fewer columns that are kept (merging does not"
        " cross them), fewer keys, a higher max_count, or small_blocks='keep' to leave these as"
        " they are",
        details={"blocks": named},
    )


def merge_small(
    cells: Integers, sizes: Integers, shared: Integers, unsafe: Callable[[Integers], Flags]
) -> tuple[Integers, Flags]:
    """Joins neighbours until no block is unsafe, or an unsafe block has no neighbour left to join:
    the one with which it shares more leading variables, then the one with fewer units, then the one
    before. So the variable given last gives way first, and kept columns are never crossed.

    Returns the new number of each block, and whether each new block is unsafe. Blocks of 1, 5 and 3
    single cells:

    >>> cells, shared = np.array([[1], [5], [3]]), np.array([1, 0])
    >>> run, still = merge_small(cells, np.array([1]), shared, lambda cells: cells.sum(axis=1) < 2)
    >>> run.tolist(), still.tolist()
    ([0, 0, 1], [False, False])
    """
    run = np.arange(len(cells))
    while True:
        bad = unsafe(cells)
        joined = _joined_now(cells @ sizes, bad, shared)
        if not joined.any():
            return run, bad
        starts = np.append(True, ~joined)
        run = (np.cumsum(starts) - 1)[run]
        cells = np.add.reduceat(cells, np.flatnonzero(starts), axis=0)
        shared = shared[~joined]


def _joined_now(units: Integers, bad: Flags, shared: Integers) -> Flags:
    """Which neighbours are joined now: the smallest bad block first; one whose neighbour has just
    been joined waits, because that may be enough for both.
    """
    before, after = np.append(-1, shared), np.append(shared, -1)
    ends = np.concatenate(([0], units, [0]))
    smaller_before = ends[:-2] <= ends[2:]
    alike = before == after
    backwards = (before > after) | (alike & smaller_before)
    neighbour = np.arange(len(units)) + np.where(backwards, -1, 1)
    possible = np.maximum(before, after) >= 0
    by_size = np.argsort(units, kind="stable")
    joined = np.zeros(len(shared), dtype=bool)
    touched: set[int] = set()
    for block in by_size[(bad & possible)[by_size]]:
        pair = {block, neighbour[block]}
        if touched.isdisjoint(pair):
            touched |= pair
            joined[min(pair)] = True
    return joined
