"""The tables of a call: read once, kept as arrays, and shared by all targets, syntheses and readings."""

from __future__ import annotations

import numbers
import warnings
from dataclasses import dataclass, field
from typing import Any, Hashable, Mapping, Sequence

import numpy as np
import pandas as pd

from ..arguments import special_values, synthetic_sets
from ..core.columns import Column
from ..core.levels import Variable, encode
from ..errors import InputError, NothingInCommonWarning
from ..frames import check_frame, read_column, unknown_name
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
    special: dict[Any, tuple]
    plain: bool
    columns: Tables = field(default_factory=dict)
    memory: dict[Any, Any] = field(default_factory=dict)

    def tables(self, names: Sequence[Hashable]) -> Tables:
        """The named columns of the original and of every synthesis."""
        for name in names:
            if name not in self.columns:
                self.columns[name] = self._read(name)
        return {name: self.columns[name] for name in names}

    def _read(self, name: Hashable) -> list[Column]:
        places = ["data"] + (["object"] if len(self.sets) == 1 else [f"object, element {i}" for i in range(1, len(self.sets) + 1)])
        columns = [read_column(frame[name], f"{place}, column {name!r}") for frame, place in zip([self.data, *self.sets], places)]
        for column, place in zip(columns[1:], places[1:]):
            check_comparable(name, columns[0], column, place)
            if not may_agree(columns[0], column):
                warn_of_nothing_in_common(name, columns[0], column, place)
        return columns

    def special_values(self, request: Request) -> dict[Any, tuple]:
        """Special values of the columns in use; each must occur in the original (R looks only at the last one of a column, D25)."""
        for name in self.special:
            if name not in self.data.columns:
                raise unknown_name("cont_na", name, list(self.data.columns), "the original data")
        tables = self.tables([request.target, *request.keys])
        used = {name: values for name, values in self.special.items() if name in tables and values}
        for name, values in used.items():
            original = tables[name][0]
            for value in values:
                if original.is_number and not isinstance(value, numbers.Real):
                    raise InputError(f"cont_na: {value!r} is not a number, but column {name!r} holds numbers")
            for value in values if request.mode == "corrected" else values[-1:]:
                if original.is_number and not (original.present() == value).any():
                    raise InputError(f"cont_na: {value!r} does not occur in column {name!r} of the original data; a special value that never occurs is probably a slip")
        return used

    def as_r_takes_it(self, request: Request, compat: Compat) -> Tables:
        """For plain data frames, what R's comparison of columns makes of them (D6, D28); otherwise the tables as they are."""
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
            compat.shows("D15", original.kind == "integer" and both.original.kind == "double" and written_differently(original))
            taken[name] = [both.original, both.synthetic]
        return taken

    def _first_needs_adjusting(self) -> bool:
        if "adjusted" not in self.memory:
            self.memory["adjusted"] = anything_changes(self.data, self.sets[0], lambda frame, name: read_column(frame[name], f"column {name!r}"))
        return self.memory["adjusted"]


def read_source(object: Any, data: Any, cont_na: Any) -> Source:
    """The synthetic data in any of the forms a user may hold them, and the original."""
    sets, special = read_object(object, cont_na)
    return Source(check_frame(data, "data"), sets, special, not isinstance(object, SynDS))


def read_object(object: Any, cont_na: Mapping[Any, Any] | None) -> tuple[list[pd.DataFrame], dict[Any, tuple]]:
    """The synthetic data frames and the special values of their columns."""
    sets = synthetic_sets("object", object)
    own = dict(object.cont_na) if isinstance(object, SynDS) else {}
    return sets, own | special_values(cont_na)


NATURES = {"logical": "True and False", "integer": "numbers", "double": "numbers", "date": "dates", "time": "dates", "duration": "durations"}


def check_comparable(name: Hashable, original: Column, synthetic: Column, place: str) -> None:
    """Two columns that can never have a value in common are a slip; text may stand for anything, and so may a column of gaps."""
    natures = [NATURES.get(c.kind) if len(c.present()) else None for c in (original, synthetic)]
    if None not in natures and natures[0] != natures[1]:
        raise InputError(f"{place}, column {name!r}: holds {natures[1]}, the original data hold {natures[0]}; they cannot be compared, convert one of them")


def may_agree(original: Column, synthetic: Column) -> bool:
    """Whether two columns, one of them text, have a value in common. Numbers that never agree are nothing strange; texts that never do are."""
    if not (original.is_text or synthetic.is_text) or not (len(original.present()) and len(synthetic.present())):
        return True
    if original.is_text and synthetic.is_text and (original.labels == synthetic.labels or not set(original.labels).isdisjoint(synthetic.labels)):
        return True
    variable = encode("", [original, synthetic])
    return bool(len(set(_values(variable, 0, original)) & set(_values(variable, 1, synthetic))))


def _values(variable: Variable, table: int, column: Column) -> list[int]:
    """Codes of the values that occur, without the missing ones."""
    codes = variable.own_codes(table)
    return np.unique(codes if column.missing is None else codes[~column.missing]).tolist()


def warn_of_nothing_in_common(name: Hashable, original: Column, synthetic: Column, place: str) -> None:
    coded = [encode("", [c]) for c in (original, synthetic)]
    examples = [variable.text(_values(variable, 0, c)[0]) for variable, c in zip(coded, (original, synthetic))]
    kinds = [NATURES.get(c.kind, "text") for c in (original, synthetic)]
    warnings.warn(
        f"{place}, column {name!r}: no value in common with the original data, which hold {kinds[0]} such as {examples[0]!r}, here {kinds[1]} such as {examples[1]!r}; "
        "nothing can match, so a risk of 0 would say nothing. Give both columns the same values or type",
        NothingInCommonWarning,
        stacklevel=2,
    )
