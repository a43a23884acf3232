"""By which key, and into which parts, the records of a call are split.

Records that may meet are in one part: a part has some levels of one key, in every table, after the
levels have been paired. So 1, "1" and 1.0 are in one part, and so is what R lets meet by position
(D1) or by glued texts (D10).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from ..core.arrays import Integers
from ..core.columns import Column
from ..core.levels import Variable
from ..r.reading import Reading
from ..tables.parts import rows_by_value, some_values
from .keys import GLUE
from .pairing import Meeting
from .rows import Rows
from .source import Source


@dataclass(frozen=True, slots=True)
class Parts:
    """How records are split.

    Attributes
    ----------
    key : the name of the key.
    number : of parts.
    of_value : for each table the part of each value of the key, in the order of its own count.
    """

    key: Hashable
    number: int
    of_value: tuple[Integers, ...]

    def values(self, table: int, column: Column, part: int) -> Column:
        """The values of the key, as one table has them, that are in a part."""
        return some_values(column, np.flatnonzero(self.of_value[table] == part))


def split(
    source: Source,
    names: Sequence[Hashable],
    units: dict[Hashable, list[Integers]],
    margins: dict[Hashable, Rows],
) -> Parts:
    """Parts of at most as many distinct rows as are to be counted at once, as far as levels of one
    key allow. `units` has for each key that may be split by, and each table, what every value of
    it is paired as.
    """
    most = source.most_rows(len(names))
    assert most is not None, "otherwise nothing is too many"
    key = _best_key(units, margins, most)
    margin = margins[key]
    of_tables = []
    # of several syntheses R may read the first alone (D28)
    for table in range(len(units[key])):
        values, n = margin.columns[key][table], margin.n[table]
        of_tables.append(rows_by_value(source.tables[table], names, key, values, n))
    place, rows_by_unit = _by_unit(units[key], of_tables)
    part_of_unit = packed(rows_by_unit, most)
    return Parts(
        key=key,
        number=int(part_of_unit[-1]) + 1,
        of_value=tuple(part_of_unit[of_values] for of_values in place),
    )


def _best_key(
    units: dict[Hashable, list[Integers]], margins: dict[Hashable, Rows], most: int
) -> Hashable:
    """Of the keys whose levels have no more records each than fit, the one with the fewest levels;
    where there is none, the one whose largest level is the smallest.
    """
    order = {}
    for key, of_tables in units.items():
        rows = margins[key]
        records = []
        for of_values, n in zip(of_tables, rows.n):
            records.append(np.ones(len(of_values), dtype=np.int64) if n is None else n)
        _, by_unit = _by_unit(of_tables, records)
        largest = int(by_unit.max(initial=0))
        order[key] = (max(largest - most, 0), len(by_unit))
    return min(order, key=lambda key: order[key])


def _by_unit(
    units: Sequence[Integers], weights: Sequence[Integers]
) -> tuple[list[Integers], Integers]:
    """For each table the position of its values among the units that occur, and the sum of weights
    over each of these.
    """
    occurring, place = np.unique(np.concatenate(units), return_inverse=True)
    place = place.reshape(-1)
    sums = np.zeros(len(occurring), dtype=np.int64)
    np.add.at(sums, place, np.concatenate(weights))
    ends = np.cumsum([len(of_table) for of_table in units])
    return np.split(place, ends[:-1]), sums


def packed(rows: Integers, most: int) -> Integers:
    """The part of each unit, in their order: a part is closed before it gets too large. A unit that
    is too large by itself is a part.

    >>> packed(np.array([3, 2, 4, 9, 1]), 6).tolist()
    [0, 0, 1, 2, 3]
    """
    parts = np.empty(len(rows), dtype=np.int64)
    part, filled = 0, 0
    for unit, n in enumerate(rows.tolist()):
        if filled and filled + n > most:
            part, filled = part + 1, 0
        parts[unit] = part
        filled += n
    return parts


def paired_units(
    keys: dict[Hashable, Variable],
    meetings: Sequence[Meeting],
    *,
    has_glue: bool,
    compat: Reading,
) -> dict[Hashable, list[Integers]]:
    """For each key that may be split by, and each table, what its values are paired as."""
    if has_glue and len(keys) > 1 and compat.reproduces("D10"):
        first = next(iter(keys))
        return {first: _by_first_piece(keys[first])}
    units = {name: _codes(variable) for name, variable in keys.items()}
    for table, meeting in enumerate(meetings, start=1):
        # a single key may meet by position
        if meeting.by_key is not None and meeting.differs and compat.reproduces("D1"):
            ((name, variable),) = keys.items()
            units[name][table] = meeting.by_key.met_by(variable.size)[units[name][table]]
    return units


def _codes(variable: Variable) -> list[Integers]:
    return [variable.own_codes(table) for table in range(len(variable.codes))]


def _by_first_piece(variable: Variable) -> list[Integers]:
    """Combinations that R glues to one text have one first piece, which the first key alone
    decides.
    """
    number_of: dict[str, int] = {}
    pieces = []
    for text in variable.texts():
        # with the glue that follows: the end of a label may be taken for the beginning of it
        piece = (text + GLUE).split(GLUE)[0]
        pieces.append(number_of.setdefault(piece, len(number_of)))
    piece_of_code = np.array(pieces, dtype=np.int64)
    return [piece_of_code[codes] for codes in _codes(variable)]
