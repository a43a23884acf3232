"""The tables of a call: read once, kept as arrays, and shared by all targets, syntheses and
readings.
"""

from __future__ import annotations

import numbers
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from ..arguments import special_values, synthetic_sets
from ..comparison import check_comparable, warn_if_nothing_in_common
from ..core.columns import Column
from ..core.levels import written_in_two_ways
from ..errors import InputError
from ..frames import check_frame, read_column
from ..names import unknown_name
from ..synds import SynDS
from .encoding import written_differently
from .harmonise import anything_changes, harmonise
from .options import Request
from .rcompat import Compat

Tables = dict[Hashable, list[Column]]


@dataclass(slots=True)
class Source:
    """Original and synthetic data of a call.

    Attributes
    ----------
    data, sets : the original and the synthetic data frames.
    special : special values of numeric columns, by name.
    plain : the synthetic data came as plain frames, which R first compares with the original.
    columns : columns read so far; `memory` holds codes of keys made so far.
    """

    data: pd.DataFrame
    sets: list[pd.DataFrame]
    special: dict[Any, tuple[Any, ...]]
    plain: bool
    columns: Tables = field(default_factory=dict)
    memory: dict[Any, Any] = field(default_factory=dict)

    def tables(self, names: Sequence[Hashable]) -> Tables:
        """The named columns of the original and of every synthesis."""
        for name in names:
            if name not in self.columns:
                self.columns[name] = self._read(name)
        return {name: self.columns[name] for name in names}

    @property
    def places(self) -> list[str]:
        """What the original and each synthesis are called in messages."""
        return ["data"] + (
            ["object"]
            if len(self.sets) == 1
            else [f"object, element {i}" for i in range(1, len(self.sets) + 1)]
        )

    def _read(self, name: Hashable) -> list[Column]:
        columns = [
            read_column(frame[name], f"{place}, column {name!r}")
            for frame, place in zip([self.data, *self.sets], self.places)
        ]
        for column, place in zip(columns[1:], self.places[1:]):
            check_comparable(name, columns[0], column, place)
        return columns

    def warn_of_strangers(self, groups: Mapping[Hashable, int]) -> None:
        """Warn of columns, given with the number of classes asked for, that have nothing in common;
        each is looked at once. Classes always may.
        """
        looked_at = self.memory.setdefault("looked at", set())
        for name, (original, *others) in self.tables(
            [n for n in groups if n not in looked_at]
        ).items():
            looked_at.add(name)
            for column, place in zip(others, self.places[1:]):
                if not (groups[name] and original.is_number):
                    warn_if_nothing_in_common(name, original, column, place)

    def special_values(self, request: Request) -> dict[Any, tuple[Any, ...]]:
        """Special values of the columns in use; each must occur in the original (R looks only at
        the last one of a column, D25).
        """
        for name in self.special:
            if name not in self.data.columns:
                raise unknown_name("cont_na", name, list(self.data.columns), "the original data")
        tables = self.tables([request.target, *request.keys])
        used = {name: values for name, values in self.special.items() if name in tables and values}
        for name, values in used.items():
            original = tables[name][0]
            for value in values:
                if original.is_number and not isinstance(value, numbers.Real):
                    raise InputError(
                        f"cont_na: {value!r} is not a number, but column {name!r} holds numbers"
                    )
            for value in values if request.mode == "corrected" else values[-1:]:
                if original.is_number and not (original.present() == value).any():
                    raise InputError(
                        f"cont_na: {value!r} does not occur in column {name!r} of the original"
                        " data; a special value that never occurs is probably a slip"
                    )
        return used

    def as_r_takes_it(self, request: Request, compat: Compat) -> Tables:
        """For plain data frames, what R's comparison of columns makes of them (D6, D28); otherwise
        the tables as they are.
        """
        tables = self.tables([request.target, *request.keys])
        if not (self.plain and request.compare_synorig and compat.active):
            return tables
        if len(self.sets) > 1:
            if not compat.shows("D28", self._first_needs_adjusting()):
                return tables
            tables = {name: columns[:2] for name, columns in tables.items()}
        taken = {}
        for name, (original, synthetic) in tables.items():
            both = harmonise(original, synthetic, request.collation)
            # a whole number turned real goes by another text from now on: 1e+05 instead of 100000
            compat.shows(
                "D15",
                original.kind == "integer"
                and both.original.kind == "double"
                and written_differently(original),
            )
            compat.shows(
                "D15",
                (original.number_labels or synthetic.number_labels)
                and written_in_two_ways([original, synthetic]),
            )
            taken[name] = [both.original, both.synthetic]
        return taken

    def _first_needs_adjusting(self) -> bool:
        if "adjusted" not in self.memory:
            self.memory["adjusted"] = anything_changes(
                self.data,
                self.sets[0],
                lambda frame, name: read_column(frame[name], f"column {name!r}"),
            )
        adjusted: bool = self.memory["adjusted"]
        return adjusted


def read_source(object: Any, data: Any, cont_na: Any) -> Source:
    """The synthetic data in any of the forms a user may hold them, and the original."""
    sets, own = read_object(object)
    frame = check_frame(data, "data")
    brought = {name: values for name, values in own.items() if name in frame.columns}
    special = brought | special_values(cont_na)
    source = Source(frame, sets, special, not isinstance(object, SynDS))
    for synthetic, place in zip(sets, source.places[1:]):
        if not len(synthetic):
            raise InputError(
                f"{place}: has no rows; nothing can match, so that a risk of 0 would say nothing"
            )
    return source


def read_object(object: Any) -> tuple[list[pd.DataFrame], dict[Any, tuple[Any, ...]]]:
    """The synthetic data frames and the special values that they bring."""
    sets = synthetic_sets("object", object)
    return sets, dict(object.cont_na) if isinstance(object, SynDS) else {}
