"""What must stay together when the records of a call are split. Levels that R pairs by position
(D1) or by glued texts (D10) are in one part, like equal levels.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np

from ..core.arrays import Integers
from ..core.levels import Variable
from ..old_parts.splitting import MarginPlaces, Units
from ..r.reading import Reading
from ..tables.protocol import Counted
from .keys import GLUE
from .pairing import Meeting


def paired_units(
    keys: dict[Hashable, Variable],
    meetings: Sequence[Meeting],
    *,
    has_glue: bool,
    compat: Reading,
) -> Units:
    """For each key that may split the records, and each table, the units to which its values
    belong.
    """
    if has_glue and len(keys) > 1 and compat.reproduces("D10"):
        # combinations that R glues to one text have one first piece, which the first key decides
        name, first = next(iter(keys.items()))
        return {name: units_of(first, _first_pieces(first))}
    units = {name: own_codes(variable) for name, variable in keys.items()}
    for table, meeting in enumerate(meetings, start=1):
        # a single key may meet by position
        if meeting.by_key is not None and meeting.differs and compat.reproduces("D1"):
            ((name, variable),) = keys.items()
            units[name][table] = meeting.by_key.met_by(variable.size)[units[name][table]]
    return units


def own_codes(variable: Variable) -> list[Integers]:
    """The codes of every table, from 0 on."""
    return [variable.own_codes(table) for table in range(len(variable.codes))]


def _first_pieces(variable: Variable) -> list[str]:
    # with the glue that follows: the end of a label may look like the beginning of the glue
    return [(text + GLUE).split(GLUE)[0] for text in variable.texts()]


def units_of(variable: Variable, pieces: Sequence[str]) -> list[Integers]:
    """For each table a number per value, equal where the pieces of their codes are equal."""
    number_of = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    of_code = np.array([number_of[piece] for piece in pieces], dtype=np.int64)
    return [of_code[codes] for codes in own_codes(variable)]


def with_codes(
    name: Hashable, variable: Variable, counted: Sequence[Counted], places: MarginPlaces
) -> Variable:
    """A variable of whole columns, its codes those of their margins, with the codes of some rows of
    the tables.
    """
    codes = []
    for table, rows in enumerate(counted):
        place = places.of(name, table, rows.columns[name])
        codes.append(variable.codes[table][place])
    return replace(variable, codes=tuple(codes), gaps_with_text=None)
