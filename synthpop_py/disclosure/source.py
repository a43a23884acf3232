"""The tables of a call: read once, kept as arrays, and shared by all targets, syntheses and
readings.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..arguments import special_values
from ..core.coding_by_text import matched_by_value_only
from ..core.columns import Column
from ..core.grouping import Grouping
from ..errors import InputError
from ..names import unknown_name
from ..r.collation import Collation
from ..r.reading import Reading
from ..redaction import redacted
from ..synds import SynDS
from ..tables.comparable import check_comparable, warn_of_mismatch
from ..tables.engine import keeps_order
from ..tables.opening import listed_sets, open_table, refuse_released, set_places
from ..tables.protocol import Table
from .bins import warn_of_classes
from .certainty import Sides
from .encoding import KeyMemory, Special, special_in_use, written_differently
from .harmonise import Harmonised, anything_changes, harmonise
from .rows import Columns, Preparations, Rows


@dataclass(slots=True)
class Source:
    """Original and synthetic data of a call.

    Attributes
    ----------
    data, sets : the tables of the original and of the synthetic data.
    special : special values of numeric columns, by name.
    plain : the synthetic data came as plain frames, which R first compares with the original.
    keeps_rows : every table gives the same rows, whatever columns are asked for.
    counts : name of the column of counts, where there is one.
    coded_keys, sides : keys coded so far and their combinations, which serve every target.
    """

    data: Table
    sets: list[Table]
    special: Special
    plain: bool
    keeps_rows: bool
    coded_keys: KeyMemory = field(default_factory=dict)
    sides: Sides = field(default_factory=dict)
    counts: Hashable | None = None
    _last_rows: dict[tuple[Hashable, ...], Rows] = field(default_factory=dict)
    _compared: set[Hashable] = field(default_factory=set)
    _looked_at: set[Hashable] = field(default_factory=set)
    _classes_told: set[Hashable] = field(default_factory=set)
    _adjusted: bool | None = None

    def rows(self, names: Sequence[Hashable]) -> Rows:
        """The named columns of the original and of every synthesis. The last answer is kept: one
        call asks for the same columns several times.
        """
        wanted = tuple(dict.fromkeys(names))
        # only the last: a summary over many columns should not keep the rows of all of them
        if wanted not in self._last_rows:
            self._last_rows = {wanted: self._read(wanted)}
        return self._last_rows[wanted]

    def _read(self, names: tuple[Hashable, ...]) -> Rows:
        tables = [self.data, *self.sets]
        counted = [table.count_by(names) for table in tables]
        columns = {}
        for name in names:
            columns[name] = [rows.columns[name] for rows in counted]
            if name not in self._compared:
                original, *others = columns[name]
                for column, table in zip(others, self.sets):
                    check_comparable(name, original, column, table.place)
                self._compared.add(name)
        return Rows(
            columns=columns,
            n=tuple(rows.n for rows in counted),
            records=tuple(table.records for table in tables),
            # an engine that is asked again may give the same rows in another order
            identity=None if self.keeps_rows else object(),
        )

    def warn_of_strangers(self, groups: Mapping[Hashable, int]) -> None:
        """Warn of columns, given with the number of classes asked for, that have nothing in common,
        or levels that are written in two ways; each is looked at once. Classes always may.
        """
        new = [name for name in groups if name not in self._looked_at]
        self._looked_at.update(new)
        # an engine groups once, by everything the call is about, and answers the rest from that
        together = self.rows(new if self.keeps_rows else list(groups)) if new else None
        for name in new:
            # rows that stay are had at once; where they are distinct ones, a column has fewer
            rows = together if together and self.keeps_rows else self.rows([name])
            original, *others = rows.columns[name]
            if groups[name] and original.is_number and original.has_values:
                continue  # other values may fall into the same classes: `warn_of_classes`
            # one message, where it is about the original
            sets = self.sets if original.has_values else self.sets[:1]
            for column, n, table in zip(others, rows.n[1:], sets):
                warn_of_mismatch(name, original, column, table.place, (rows.n[0], n))

    def warn_of_classes(self, groupings: Mapping[Hashable, Grouping]) -> None:
        """Warn of classes that leave records out, or that no synthetic record shares with an
        original one; once for each column.
        """
        records = [table.records for table in (self.data, *self.sets)]
        for name, grouping in groupings.items():
            if name not in self._classes_told:
                warn_of_classes(name, grouping, records)
                self._classes_told.add(name)

    def texts_without_levels(self, names: Sequence[Hashable]) -> list[Hashable]:
        """Columns of text that some engine has and that nobody declared levels for."""
        found = []
        for name, columns in self.rows(names).columns.items():
            for table, column in zip((self.data, *self.sets), columns):
                if column.kind == "character" and not keeps_order(table):
                    found.append(name)
                    break
        return found

    def special_values(self, names: Sequence[Hashable], *, every: bool) -> Special:
        """Special values of the columns in use."""
        return special_in_use(self.special, self.rows(names).columns, every=every)

    def as_r_takes_it(self, rows: Rows, collation: Collation, compat: Reading) -> Rows:
        """What R's comparison of columns makes of plain data frames (D6, D28)."""
        # of several syntheses R goes on with the first alone, but only where it had to adjust it
        if len(self.sets) > 1 and not compat.follow_r("D28", self._first_needs_adjusting()):
            return rows
        taken: Columns = {}
        prepared: Preparations = {}
        for name, (original, synthetic, *_) in rows.columns.items():
            both = harmonise(original, synthetic, collation)
            compat.follow_r("D15", _other_texts(original, synthetic, both))
            taken[name] = [both.original, both.synthetic]
            prepared[name] = both.redo()
        return rows.with_columns(taken, prepared, tables=2)

    def _first_needs_adjusting(self) -> bool:
        if self._adjusted is None:
            self._adjusted = anything_changes(self.data, self.sets[0])
        return self._adjusted


def _other_texts(original: Column, synthetic: Column, both: Harmonised) -> bool:
    """Whether some number goes by another text from now on: a whole number turned real, 1e+05
    instead of 100000, or labels that write one in two ways.
    """
    turned_real = original.kind == "integer" and both.original.kind == "double"
    if turned_real and written_differently(original):
        return True
    number_labels = original.number_labels or synthetic.number_labels
    may_meet = number_labels or original.is_text != synthetic.is_text
    return may_meet and matched_by_value_only([original, synthetic])


def read_source(
    object: Any,
    data: Any,
    cont_na: Any,
    counts: Hashable | None = None,
    *,
    by_record: bool = False,
) -> Source:
    """The synthetic data in any of the forms a user may hold them, and the original; `by_record` as
    for `open_table`.
    """
    sets = listed_sets("object", object)
    refuse_released(data, "data")
    places = set_places("object", len(sets))
    synthetic = [
        open_table(one, place, counts, by_record=by_record) for one, place in zip(sets, places)
    ]
    original = open_table(data, "data", counts, by_record=by_record)
    for table in synthetic:
        if not table.records:
            raise InputError(
                f"{redacted(table.place)}: has no rows; nothing can match, so that a risk of 0"
                " would say nothing"
            )
    if not original.records:
        raise InputError("data: has no rows; there is nobody to be found")
    # a synthesis may bring special values of columns that nobody asks about
    special = {}
    if isinstance(object, SynDS):
        brought = object.cont_na.items()
        special = {name: values for name, values in brought if name in original.columns}
    if cont_na is not None:
        asked = special_values(cont_na)
        for name in asked:
            if name not in original.columns:
                raise unknown_name("cont_na", name, list(original.columns), "the original data")
        special |= asked
    return Source(
        data=original,
        sets=synthetic,
        special=special,
        plain=not isinstance(object, SynDS),
        keeps_rows=all(table.keeps_rows for table in (original, *synthetic)),
        counts=counts,
    )
