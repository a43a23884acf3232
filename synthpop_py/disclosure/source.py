"""The tables of a call: read once, kept as arrays, and shared by all targets, syntheses and
readings.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..arguments import special_values
from ..core.columns import Column
from ..core.levels import written_in_two_ways
from ..errors import InputError
from ..names import unknown_name
from ..r.reading import Reading
from ..synds import SynDS
from ..tables.comparable import check_comparable, warn_if_nothing_in_common
from ..tables.opening import open_table, refuse_released, synthetic_sets
from ..tables.protocol import Table
from .encoding import written_differently
from .harmonise import anything_changes, harmonise
from .options import Request
from .rows import Columns, Rows

Special = dict[Any, tuple[Any, ...]]
Preparation = Callable[[Column], Column]


@dataclass(slots=True)
class Source:
    """Original and synthetic data of a call.

    Attributes
    ----------
    data, sets : the tables of the original and of the synthetic data.
    special : special values of numeric columns, by name.
    plain : the synthetic data came as plain frames, which R first compares with the original.
    memory : codes of keys made so far.
    """

    data: Table
    sets: list[Table]
    special: dict[Any, tuple[Any, ...]]
    plain: bool
    memory: dict[Any, Any] = field(default_factory=dict)
    _asked: dict[tuple[Hashable, ...], Rows] = field(default_factory=dict)
    _compared: set[Hashable] = field(default_factory=set)

    @property
    def keeps_rows(self) -> bool:
        """Whether every table gives the same rows, whatever columns are asked for."""
        return self.data.keeps_rows and all(table.keeps_rows for table in self.sets)

    def rows(self, names: Sequence[Hashable]) -> Rows:
        """The named columns of the original and of every synthesis. The last answer is kept: one
        call asks for the same columns several times.
        """
        wanted = tuple(dict.fromkeys(names))
        if wanted not in self._asked:
            self._asked = {wanted: self._read(wanted)}
        return self._asked[wanted]

    def _read(self, names: tuple[Hashable, ...]) -> Rows:
        tables = [self.data, *self.sets]
        counted = [table.count_by(names) for table in tables]
        columns = {name: [c.columns[name] for c in counted] for name in names}
        for name, (original, *others) in columns.items():
            if name not in self._compared:
                for column, table in zip(others, self.sets):
                    check_comparable(name, original, column, table.place)
                self._compared.add(name)
        return Rows(
            columns=columns,
            n=tuple(c.n for c in counted),
            records=tuple(c.records for c in counted),
            identity=None if self.keeps_rows else names,
        )

    def warn_of_strangers(self, groups: Mapping[Hashable, int]) -> None:
        """Warn of columns, given with the number of classes asked for, that have nothing in common;
        each is looked at once. Classes always may.
        """
        looked_at = self.memory.setdefault("looked at", set())
        new = [name for name in groups if name not in looked_at]
        looked_at.update(new)
        # rows that stay are had at once; where they are counted anew, one column has the fewest
        together = self.rows(new) if new and self.keeps_rows else None
        for name in new:
            rows = together or self.rows([name])
            original, *others = rows.columns[name]
            for column, n, table in zip(others, rows.n[1:], self.sets):
                if not (groups[name] and original.is_number):
                    warn_if_nothing_in_common(name, original, column, table.place, n)

    def special_values(
        self, names: Sequence[Hashable], *, every: bool
    ) -> dict[Any, tuple[Any, ...]]:
        """Special values of the columns in use. They must occur in the original: every one, or only
        the last of a column, which is all R looks at (D25).
        """
        for name in self.special:
            if name not in self.data.columns:
                raise unknown_name("cont_na", name, list(self.data.columns), "the original data")
        tables = self.rows(names).columns
        used = {name: values for name, values in self.special.items() if name in tables and values}
        for name, values in used.items():
            original = tables[name][0]
            for value in values:
                if original.is_number and not isinstance(value, numbers.Real):
                    raise InputError(
                        f"cont_na: {value!r} is not a number, but column {name!r} holds numbers"
                    )
            for value in values if every else values[-1:]:
                if original.is_number and not (original.present() == value).any():
                    raise InputError(
                        f"cont_na: {value!r} does not occur in column {name!r} of the original"
                        " data; a special value that never occurs is probably a slip"
                    )
        return used

    def as_r_takes_it(
        self, request: Request, compat: Reading
    ) -> tuple[Rows, dict[Hashable, Preparation]]:
        """For plain data frames, what R's comparison of columns makes of them (D6, D28); otherwise
        the tables as they are. Also, by column, what was done to those of the original.
        """
        rows = self.rows([request.target, *request.keys])
        if not (self.plain and request.compare_synorig and compat.active):
            return rows, {}
        if len(self.sets) > 1 and not compat.follow_r("D28", self._first_needs_adjusting()):
            return rows, {}
        taken: Columns = {}
        prepared: dict[Hashable, Preparation] = {}
        for name, (original, synthetic, *_) in rows.columns.items():
            both = harmonise(original, synthetic, request.collation)
            # a whole number turned real goes by another text from now on: 1e+05 instead of 100000
            compat.follow_r(
                "D15",
                original.kind == "integer"
                and both.original.kind == "double"
                and written_differently(original),
            )
            compat.follow_r(
                "D15",
                (original.number_labels or synthetic.number_labels)
                and written_in_two_ways([original, synthetic]),
            )
            taken[name] = [both.original, both.synthetic]
            prepared[name] = both.redo
        return rows.with_columns(taken, tables=2), prepared

    def _first_needs_adjusting(self) -> bool:
        if "adjusted" not in self.memory:
            self.memory["adjusted"] = anything_changes(self.data, self.sets[0])
        return bool(self.memory["adjusted"])


def read_source(object: Any, data: Any, cont_na: Any, counts: Hashable | None = None) -> Source:
    """The synthetic data in any of the forms a user may hold them, and the original."""
    sets, own = read_object(object)
    refuse_released(data, "data")
    original = open_table(data, "data", counts)
    places = [f"object, element {i}" for i in range(1, len(sets) + 1)]
    if len(sets) == 1:
        places = ["object"]
    tables = [open_table(one, place, counts) for one, place in zip(sets, places)]
    for table in tables:
        if not table.records:
            raise InputError(
                f"{table.place}: has no rows; nothing can match, so that a risk of 0 would say"
                " nothing"
            )
    brought = {name: values for name, values in own.items() if name in original.columns}
    return Source(
        data=original,
        sets=tables,
        special=brought | special_values(cont_na),
        plain=not isinstance(object, SynDS),
    )


def read_object(object: Any) -> tuple[list[Any], dict[Any, tuple[Any, ...]]]:
    """The synthetic data sets and the special values that they bring."""
    sets = synthetic_sets("object", object)
    return sets, dict(object.cont_na) if isinstance(object, SynDS) else {}
