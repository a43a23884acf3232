"""The tables of a call: read once, kept as arrays, and shared by all targets, syntheses and
readings.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ..arguments import check_groups, listed, per_key, special_values
from ..core.coding_by_text import matched_by_value_only
from ..core.columns import Column
from ..grouping import Grouping
from ..errors import InputError
from ..names import some, unknown_name
from ..old_parts.memory import rows_that_fit
from ..old_parts.parts import check_max_cells, count_tables
from ..r.collation import Collation
from ..r.reading import Mode, Reading
from ..redaction import redacted
from ..synds import SynDS
from ..tables.comparable import NothingInCommon, check_comparable, warn_of_mismatch
from ..tables.engine import keeps_order
from ..tables.opening import listed_sets, open_tables, refuse_released, set_places
from ..tables.protocol import Counted, Table
from .bins import warn_of_classes
from .certainty import Combinations, Sides
from .encoding import KeyMemory, Special, special_in_use, written_differently
from .harmonise import Harmonised, anything_changes, harmonise
from .keys import AskedKeys
from .level_names import no_effect
from .rows import Columns, Preparations, Rows

NUMBERS_ONLY = "leave it out, or read the column as numbers"
# an argument, its value as given, and the columns that it is about
Classes: TypeAlias = tuple[str, Any, Sequence[Hashable]]


@dataclass(slots=True)
class Source:
    """Original and synthetic data of a call.

    Attributes
    ----------
    data, sets : the tables of the original and of the synthetic data.
    special : special values of numeric columns, by name of the column.
    plain : the synthetic data came as plain frames, which R first compares with the original.
    keeps_rows : every table gives the same rows, whatever the columns.
    counts : name of the column of counts, where there is one.
    max_cells : the most distinct rows to count at once, in all tables together; None for as many as
        fit in memory, if tables do not keep their rows in memory anyway.
    holdout : records that the synthesiser never saw, where there are some.
    asked_special : columns whose special values the call itself gives.
    remarks : what was found about a column, by its name.
    uncompared : columns that share hardly any value, or no class, with the original.
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
    max_cells: int | None = None
    holdout: Table | None = None
    asked_special: Sequence[Hashable] = ()
    remarks: dict[Hashable, list[str]] = field(default_factory=dict)
    uncompared: set[Hashable] = field(default_factory=set)
    # the last rows read, by their columns, and the values of single columns
    _last_rows: dict[frozenset[Hashable], Rows] = field(default_factory=dict)
    _last_asked: Rows | None = None  # with the columns in the order asked for
    _margins: dict[Hashable, Rows] = field(default_factory=dict)
    _too_many: set[frozenset[Hashable]] = field(default_factory=set)
    _reads: int = 0
    _compared: set[Hashable] = field(default_factory=set)
    _looked_at: set[Hashable] = field(default_factory=set)
    _classes_told: set[Hashable] = field(default_factory=set)
    _adjusted: bool | None = None
    _keys_met: dict[tuple[AskedKeys, int], tuple[int, ...]] = field(default_factory=dict)

    def read_ahead(self, names: Sequence[Hashable]) -> None:
        """Read the columns that several targets will ask for. Frames give them faster one after the
        other than with other work in between; engines count for each target anyway.
        """
        if self.keeps_rows:
            for table in self.tables:
                table.count_by(names)

    def rows(self, names: Sequence[Hashable]) -> Rows:
        """The named columns of the original and of every synthesis, or an error if these are too
        many to count at once.
        """
        rows = self.few_rows(names)
        if rows is None:
            raise self.too_many(names)
        return rows

    def few_rows(self, names: Sequence[Hashable]) -> Rows | None:
        """The same, or None if these are too many to count at once. The last answer is kept: one
        call asks for the same columns several times.
        """
        if self._last_asked is not None and list(names) == list(self._last_asked.columns):
            return self._last_asked
        wanted = tuple(dict.fromkeys(names))
        columns = frozenset(wanted)
        if columns in self._too_many:
            return None
        # only the last: a summary over many columns should not keep the rows of all of them
        if columns not in self._last_rows:
            self._margins = {name: rows for name, rows in self._margins.items() if name in columns}
            rows = self._read(wanted, self.most_rows(len(wanted)))
            if rows is None:
                self._too_many.add(columns)
                return None
            self._last_rows = {columns: rows}
            if not self.keeps_rows:
                self.coded_keys.clear()
                self.sides.clear()
        rows = self._last_rows[columns]
        self._last_asked = rows if tuple(rows.columns) == wanted else rows.in_order(wanted)
        return self._last_asked

    def margin(self, name: Hashable) -> Rows:
        """The values of a column by itself, with their counts. Those of the last columns read are
        kept.
        """
        if name not in self._margins:
            rows = self._read((name,), None)
            assert rows is not None, "any number of rows is allowed"
            self._margins[name] = rows
        return self._margins[name]

    @property
    def tables(self) -> list[Table]:
        return [self.data, *self.sets]

    def most_rows(self, columns: int) -> int | None:
        """The most distinct rows to count at once, for this number of columns; None for no
        limit.
        """
        if self.max_cells is not None or self.keeps_rows:
            return self.max_cells
        return rows_that_fit(columns)

    def too_many(self, names: Sequence[Hashable]) -> InputError:
        """The error for a function that cannot work in parts."""
        most = self.most_rows(len(names))
        return InputError(
            f"max_cells: columns {some(names)} have more than {most:,} distinct rows in all tables"
            " together, and this function counts them at once; give fewer columns, group them"
            " first, or raise max_cells where memory allows"
        )

    def _read(self, names: tuple[Hashable, ...], most: int | None) -> Rows | None:
        """The rows of every table; None if there are more than `most`."""
        counted: list[Counted] | None
        if most is None:
            counted = [table.count_by(names) for table in self.tables]
        else:
            counted = count_tables(self.tables, names, most)
        if counted is None:
            return None
        columns = {}
        for name in names:
            columns[name] = [rows.columns[name] for rows in counted]
            if name not in self._compared:
                original, *others = columns[name]
                for column, table in zip(others, self.sets):
                    check_comparable(name, original, column, table.place)
                self._compared.add(name)
        # rows counted again come in any order: codes made for others do not fit them
        self._reads += 1
        return Rows(
            columns=columns,
            n=tuple(rows.n for rows in counted),
            records=tuple(table.records for table in self.tables),
            # an engine that is asked again may give the same rows in another order
            identity=None if self.keeps_rows else self._reads,
        )

    def check_same_keys(self, asked: AskedKeys, table: int, records: Combinations) -> None:
        """Raise an error if key combinations are not those of an earlier target: then some table
        changed in between, although it has as many records as before.
        """
        found = (
            len(records.d_q),
            records.orig_found,
            records.syn_found,
            records.uniques_orig,
            records.uniques_syn,
            records.uniques_both,
        )
        call = asked._replace(rows=None), table
        if self._keys_met.setdefault(call, found) != found:
            places = redacted(f"{self.data.place} or {self.sets[table - 1].place}")
            raise InputError(
                f"{places}: its records changed while they were counted, so keys of one target are"
                " not those of another; call again when nobody writes to it, or give a copy"
            )

    def check_common_values(
        self, groups: Mapping[Hashable, int], must_match: Collection[Hashable] = ()
    ) -> None:
        """Warn of columns that have nothing in common, or have values written in two ways; refuse
        those that must match and share no value. Each column is checked once. Columns come with
        their number of classes: values put into classes may always match.
        """
        new = [name for name in groups if name not in self._looked_at]
        self._looked_at.update(new)
        # an engine groups once, by everything the call is about, and answers the rest from that
        together = self.few_rows(list(groups)) if new else None
        for name in reversed(new):  # keys, which come after the target, are told first
            # rows kept in memory are ready; where they are distinct rows, a single column has fewer
            rows = together if together and self.keeps_rows else self.margin(name)
            original, *others = rows.columns[name]
            if groups[name] and original.is_number and original.has_values:
                continue  # other values may fall into the same classes: `warn_of_classes`
            # one message, where it is about the original
            sets = self.sets if original.has_values else self.sets[:1]
            for column, n, table in zip(others, rows.n[1:], sets):
                found = warn_of_mismatch(
                    name,
                    original,
                    column,
                    table.place,
                    (rows.n[0], n),
                    must_match=name in must_match,
                )
                if found is not None:
                    self.remarks.setdefault(name, []).append(redacted(str(found)))
                if isinstance(found, NothingInCommon):
                    self.uncompared.add(name)

    def check_classes(
        self, groupings: Mapping[Hashable, Grouping], must_match: Collection[Hashable] = ()
    ) -> None:
        """Warn of classes that leave records out, or that no synthetic record shares with an
        original one; refuse the second where a column must match. Once for each column.
        """
        records = [table.records for table in (self.data, *self.sets)]
        for name, grouping in groupings.items():
            if name not in self._classes_told:
                found = warn_of_classes(name, grouping, records, must_match=name in must_match)
                self.remarks.setdefault(name, []).extend(found)
                self._classes_told.add(name)
            if grouping.apart:
                self.uncompared.add(name)

    def check_effects(self, mode: Mode, classes: Sequence[Classes]) -> None:
        """Classes and special values are for numbers: on another column they have no effect, which
        is an error, in R's modes a warning. One number of classes for several columns has an effect
        if any of them is numeric.
        """
        for argument, given, names in classes:
            wanted = per_key(argument, given, names, check_groups)
            idle = [name for name, one in zip(names, wanted) if one and not self.is_numeric(name)]
            for_all = len(listed(given)) == 1
            if idle and not (for_all and len(idle) < len(names)):
                no_effect(mode, f"{argument}: not numeric: {some(idle)}", NUMBERS_ONLY)
        used = [name for _, _, names in classes for name in names]
        for name in self.asked_special:
            if name in used and not self.is_numeric(name):
                no_effect(mode, f"cont_na: not numeric: {name}", NUMBERS_ONLY)

    def is_numeric(self, name: Hashable) -> bool:
        """Whether a column of the original holds numbers, or nothing."""
        original = self.margin(name).columns[name][0]
        return original.is_number or not original.has_values

    def texts_without_levels(self, names: Sequence[Hashable]) -> list[Hashable]:
        """Columns of text in some engine without declared levels."""
        found = []
        for name in names:
            columns = self.margin(name).columns[name]
            for table, column in zip(self.tables, columns):
                if column.kind == "character" and not keeps_order(table):
                    found.append(name)
                    break
        return found

    def special_values(self, names: Sequence[Hashable], *, every: bool) -> Special:
        """Special values of the columns in use."""
        columns = {name: self.margin(name).columns[name] for name in names}
        return special_in_use(self.special, columns, every=every)

    def as_r_takes_it(self, rows: Rows, collation: Collation, compat: Reading) -> Rows:
        """What R's comparison of columns makes of plain data frames (D6, D28)."""
        # R uses only the first of several syntheses, but only if it had to adjust it
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
    """Whether some number now has another text: an integer turned into a double, 1e+05 instead of
    100000, or labels that write it in two ways.
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
    max_cells: Any = None,
    *,
    by_record: bool = False,
) -> Source:
    """The synthetic data in any of the forms a user may hold them, and the original; `by_record` as
    for `open_table`.
    """
    sets = listed_sets("object", object)
    refuse_released(data, "data")
    places = set_places("object", len(sets))
    original, *synthetic = open_tables(
        [data, *sets], ["data", *places], counts, by_record=by_record
    )
    for table in synthetic:
        if not table.records:
            raise InputError(
                f"{redacted(table.place)}: has no rows; nothing can match, so a risk of 0 "
                "would say nothing"
            )
    if not original.records:
        raise InputError("data: has no rows, so there is nobody to find")
    # a synthesis may have special values of columns outside the call
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
        max_cells=None if max_cells is None else check_max_cells(max_cells),
        asked_special=() if cont_na is None else tuple(asked),
    )
