"""Which records could be the likeliest: by pairs of a record and a target, or, where these are too
many, by counting boxes in combinations of the released sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ..core.arrays import Flags, Floats, Integers, Values
from .boxes import Boxes
from .matches import Source, boxes_pay, pairs

NEAR = 1e-9  # sums of a few hundred fractions are rounded by less than 1e-13 of their size
MOST_SETS = 16  # 65,535 combinations
MOST_KEPT = 64  # combinations whose boxes are kept for others

# number of the target (shape (R,)), sources in which records match (R, sources), how many records
Rows = tuple[Integers, Flags, Integers]


def leaders(sources: Sequence[Source], wanted: Integers, worth: Floats) -> Rows:
    """Records that could have the highest sum of `worth` (shape (G, sources)) over the sources in
    which they match one of the wanted targets; those that match in the same sources together.
    """
    wanted = wanted[(worth[wanted] > 0).any(axis=1)]
    if len(sources) == 1:
        targets, table = sources[0]
        return wanted, np.ones((len(wanted), 1), dtype=bool), targets.counts(table)[wanted]
    parts: list[Rows] = []
    if len(wanted) and boxes_pay(sources, wanted):
        parts, wanted = _by_combination(sources, wanted, worth)
    parts += _in_pairs(sources, wanted, worth)
    nothing = np.zeros(0, dtype=np.int64)
    parts.append((nothing, np.zeros((0, len(sources)), dtype=bool), nothing))
    number, bits, records = (np.concatenate(part) for part in zip(*parts))
    return number, bits, records


def _by_combination(
    sources: Sequence[Source], wanted: Integers, worth: Floats
) -> tuple[list[Rows], Integers]:
    """Records that match a target in each source of a combination are boxes again: what their boxes
    in these sources have in common. The largest combinations come first; a target whose leaders
    match in all sources needs no other. Returns the targets that are left for the pairs, too.
    """
    (targets, _), many = sources[0], len(sources)
    boxes = [targets.boxes(table) for _, table in sources]

    @lru_cache(MOST_KEPT)
    def common(mask: int) -> Boxes:
        rest = mask & (mask - 1)
        last = boxes[(mask ^ rest).bit_length() - 1]
        return common(rest).within(last) if rest else last

    points, best = targets.points(), np.zeros(len(targets))
    parts: list[Rows] = []
    masks = [2**many - 1]
    for mask in masks:
        members = (mask >> np.arange(many) & 1) == 1
        value = worth[:, members].sum(axis=1)
        possible = (worth[wanted][:, members] > 0).all(axis=1)
        possible &= value[wanted] >= best[wanted] * (1 - NEAR)
        tried = wanted[possible]
        if len(tried):
            records = common(mask).over([place[tried] for place in points])
            found = tried[records > 0]
            best[found] = np.maximum(best[found], value[found])
            parts.append((found, np.tile(members, (len(found), 1)), records[records > 0]))
        if len(masks) == 1:
            wanted = wanted[best[wanted] == 0]
            if many > MOST_SETS or not boxes_pay(sources, wanted, 2**many):
                return parts, wanted
            masks += sorted(range(1, masks[0]), key=int.bit_count, reverse=True)
    return parts, wanted[:0]


def _in_pairs(sources: Sequence[Source], wanted: Integers, worth: Floats) -> list[Rows]:
    parts = []
    for place, record, source in pairs(sources, wanted):
        if not len(place):
            continue
        # the sources in which one record matches one target become neighbours
        code = place * (int(record.max()) + 1) + record
        order = np.argsort(code)
        place, source = place[order], source[order]
        first = changes(code[order])
        row = np.cumsum(first) - 1
        rows = np.flatnonzero(first)
        value = np.add.reduceat(worth[wanted[place], source], rows)
        place_of_row = place[rows]
        begins = changes(place_of_row)
        top = np.maximum.reduceat(value, np.flatnonzero(begins))
        # those that are not clearly below the highest of their target
        near = value >= top[np.cumsum(begins) - 1] * (1 - NEAR)
        kept = near[row]
        bits = np.zeros((int(near.sum()), len(sources)), dtype=bool)
        bits[(np.cumsum(near) - 1)[row[kept]], source[kept]] = True
        number = wanted[place_of_row[near]]
        bits &= worth[number] > 0
        # those of one target that match in the same sources become one row
        packed = np.packbits(bits, axis=1)
        order = np.lexsort((*packed.T, number))
        rows = np.flatnonzero(changes(number[order], *packed[order].T))
        records = np.diff(np.append(rows, len(order)))
        parts.append((number[order[rows]], bits[order[rows]], records))
    return parts


def changes(*columns: Values) -> Flags:
    """Where a row of sorted columns differs from the one before it; the first always does."""
    new = np.zeros(len(columns[0]), dtype=bool)
    new[:1] = True
    for column in columns:
        new[1:] |= column[1:] != column[:-1]
    return new
