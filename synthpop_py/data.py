"""The data of a call: the original and the syntheses as tables, read by columns, and what must be
said about them before a figure is trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .arguments import check_groups, listed, per_key, special_values
from .core.arrays import Integers
from .core.columns import Column
from .errors import DataWarning, InputError, some, unknown_name, warn
from .exclusions import no_effect
from .grouping import Grouping
from .levels import Factor, agree_at_first_sight, column_of, factorise
from .redaction import redacted
from .steps import Factors
from .synds import SynDS
from .tables.comparable import about, check_comparable, warn_of_mismatch
from .tables.opening import listed_sets, open_tables, refuse_released, set_places
from .tables.protocol import Table

NUMBERS_ONLY = "leave it out, or convert the column to numbers"


class Read(NamedTuple):
    """Columns of a call by their levels, first the original's, and how many records the rows of
    each table stand for.
    """

    factors: Factors
    n: list[Integers | None]


@dataclass
class Data:
    """Tables of a call.

    Attributes
    ----------
    original, sets : the tables.
    special : special values by column, those of a SynDS included; `asked_special` are the columns
        for which the call gives some.
    plain : the synthetic data are frames, and not a SynDS.
    counts : the column that says how many records a row stands for.
    holdout : records that the synthesiser never saw, once they are read; `given_holdout` is their
        table before that.
    shared : keys in codes, which serve every target of a summary.
    remarks : what was said about a column.
    """

    original: Table
    sets: list[Table]
    special: dict[Hashable, tuple[Any, ...]]
    plain: bool
    counts: Hashable | None = None
    holdout: Table | None = None
    given_holdout: Table | None = None
    asked_special: tuple[Hashable, ...] = ()
    shared: dict[Any, Any] = field(default_factory=dict)
    remarks: dict[Hashable, list[str]] = field(default_factory=dict)
    _kept: dict[tuple[int, Hashable], Factor] = field(default_factory=dict)
    _said: set[Hashable] = field(default_factory=set)

    @property
    def tables(self) -> list[Table]:
        """The original, the syntheses, and the holdout where there is one."""
        return [self.original, *self.sets, *([] if self.holdout is None else [self.holdout])]

    @property
    def in_memory(self) -> bool:
        """Whether rows are the same whatever the columns, so that codes of keys can be kept."""
        return all(table.keeps_rows for table in self.tables)

    @property
    def records(self) -> tuple[int, ...]:
        return tuple(table.records for table in self.tables)

    def factors(self, names: Sequence[Hashable]) -> Read:
        """The named columns of every table by their levels, and the records that rows stand for."""
        found: Factors = {name: [] for name in names}
        n: list[Integers | None] = []
        for number, table in enumerate(self.tables):
            known = self._kept if table.keeps_rows else ()
            todo = [name for name in names if (number, name) not in known]
            counted = table.count_by(todo or names[:1])
            n.append(counted.n)
            read = {name: factorise(counted.columns[name], counted.n) for name in todo}
            for name, factors in found.items():
                before = self._kept.get((number, name))
                if name in read:
                    if before is not None:
                        check_unchanged(before, read[name], table.place)
                    self._kept[number, name] = read[name]
                factors.append(self._kept[number, name])
                if factors[0].kind != factors[-1].kind:
                    check_comparable(name, *both_columns(factors), table.place)
        if not self.in_memory:
            self.shared.clear()  # codes made of other rows do not fit
        return Read(found, n)

    def forget_rows(self) -> None:
        """Results keep levels and cells, and nothing as long as the data."""
        for factor in self._kept.values():
            factor.rows.forget()

    def unused(self, names: Collection[Hashable]) -> Iterator[list[Factor]]:
        """The other columns that the original and the first synthesis have, by their levels."""
        tables = (self.original, self.sets[0])
        for name in self.original.columns:
            if name in names or name not in tables[1].columns:
                continue
            try:
                counted = [table.count_by([name]) for table in tables]
            except InputError:  # an unreadable column outside the call does not matter
                continue
            yield [factorise(one.columns[name], one.n) for one in counted]

    def check_values(
        self, factors: Factors, groups: Mapping[Hashable, int], must_match: Collection[Hashable]
    ) -> None:
        """Warn of columns that have nothing in common, or values written in two ways; refuse those
        that must match and share no value. Once for each column; numbers put into classes may
        always match.
        """
        for name in reversed(list(groups)):  # keys, which come after the target, are told first
            original, *others = factors[name]
            if name in self._said:
                continue
            alike = [agree_at_first_sight(original, factor) for factor in others]
            if all(alike):
                self._said.add(name)
                continue
            has_values = bool(original.occurring().any())
            if groups[name] and original.is_number and has_values:
                continue
            self._said.add(name)
            # one message, where it is about the original
            sets = self.sets if has_values else self.sets[:1]
            ours, n = column_of(original)
            for factor, table in zip(others, sets):
                theirs, m = column_of(factor)
                found = warn_of_mismatch(
                    name, ours, theirs, table.place, (n, m), must_match=name in must_match
                )
                if found is not None:
                    self.remarks.setdefault(name, []).append(redacted(str(found)))

    def check_classes(
        self, groupings: Mapping[Hashable, Grouping], must_match: Collection[Hashable]
    ) -> None:
        """Warn of classes that leave records out, or that no synthetic record shares with an
        original one; refuse the second where a column must match.
        """
        for name, made in groupings.items():
            if ("classes", name) in self._said:
                continue
            self._said.add(("classes", name))
            records = self.records[: len(self.sets) + 1]
            for text, short in about_classes(name, made, records, name in must_match):
                warn(text, DataWarning, short)
                self.remarks.setdefault(name, []).append(text)

    def check_effects(
        self, strict: bool, classes: Sequence[tuple[str, Any, Sequence[Hashable]]]
    ) -> None:
        """Classes and special values are for numbers: on another column they have no effect. One
        number of classes for several columns has an effect if any of them is numeric.
        """
        used = [name for _, _, names in classes for name in names]
        for argument, given, names in classes:
            wanted = per_key(argument, given, names, check_groups)
            idle = [name for name, one in zip(names, wanted) if one and not self.is_numeric(name)]
            if idle and not (len(listed(given)) == 1 and len(idle) < len(names)):
                no_effect(strict, f"{argument}: not numeric: {some(idle)}", NUMBERS_ONLY)
        for name in self.asked_special:
            if name in used and not self.is_numeric(name):
                no_effect(strict, f"cont_na: not numeric: {name}", NUMBERS_ONLY)

    def is_numeric(self, name: Hashable) -> bool:
        """Whether a column of the original holds numbers, or nothing."""
        original = self.factor(0, name)
        return original.is_number or not original.occurring().any()

    def factor(self, table: int, name: Hashable) -> Factor:
        """A column of one table: 0 is the original, -1 the last."""
        number = table % len(self.tables)
        if (number, name) not in self._kept:
            counted = self.tables[number].count_by([name])
            self._kept[number, name] = factorise(counted.columns[name], counted.n)
        return self._kept[number, name]

    def special_of(
        self, name: Hashable, needed: Callable[[tuple[Any, ...]], tuple[Any, ...]] = tuple
    ) -> tuple[Any, ...]:
        """The special values of a column; those that are `needed`, all by default, must occur in
        the original.
        """
        values = self.special.get(name, ())
        original = self.factor(0, name)
        if not values or not original.is_number:
            return ()
        for value in values:
            if not isinstance(value, (int, float, np.number)):
                raise InputError(
                    f"cont_na: {value!r} is not a number, but column {name!r} holds numbers"
                )
        for value in values:
            if value in np.asarray(original.levels):
                continue
            found = f"cont_na: {value!r} does not occur in column {name!r} of the original data"
            if value in needed(values):
                raise InputError(
                    f"{found}; a special value that never occurs is probably a mistake"
                )
            warn(f"{found}, and has no effect", DataWarning, short=found)
        return values


def both_columns(factors: Sequence[Factor]) -> tuple[Column, Column]:
    """The levels of the original's column, and of the one that was read last."""
    return column_of(factors[0])[0], column_of(factors[-1])[0]


def check_unchanged(before: Factor, now: Factor, place: str) -> None:
    """Raise an error if a column of an engine, read once more for another target, has other values:
    its table changed in between, although it has as many records as before.
    """
    then, again = (dict(zip([*one.levels, None], one.records())) for one in (before, now))
    if then != again:
        raise InputError(
            f"{redacted(place)}: its records changed while they were counted, so keys of one target"
            " are not those of another; call again when nobody writes to it, or give a copy"
        )


def about_classes(
    name: Hashable, made: Grouping, records: Sequence[int], must_match: bool
) -> Iterator[tuple[str, str]]:
    """What to say of classes that leave records out, or of which none is common to both sides: the
    text, and its short form.
    """
    if made.apart:
        apart = f"column {name!r}: no synthetic record is in a class of the original data"
        text = (
            f"{apart}; values that cannot match always show zero risk, whatever the true "
            "risk: ask for fewer classes, or look for a mistake in the data"
        )
        if must_match:
            raise InputError(text)
        yield text, apart
    if made.unused_breaks:
        yield (
            f"fixedBreaks: make fewer than three classes of column {name!r}, so classes of "
            "equal width were used instead, as in R; give more breaks",
            f"too few breaks for column {name!r}",
        )
    if any(made.outside):
        original, *synthetic = made.outside
        outside = (
            f"{about(original, records[0])} of {about(records[0], records[0])} original and"
            f" {sum(synthetic):,} of {sum(records[1:]):,} synthetic records of column {name!r}"
        )
        yield (
            f"fixedBreaks: {outside} lie outside the breaks and count as missing; give breaks "
            "that cover them, for instance -inf first and inf last",
            outside,
        )


def open_data(
    object: Any,
    data: Any,
    cont_na: Any = None,
    counts: Hashable | None = None,
    called: tuple[str, str] = ("object", "data"),
    *,
    holdout: Any = None,
    by_record: bool = False,
) -> Data:
    """The synthetic data in any of the forms a user may hold them, the original, and the holdout;
    `called` are the names of the first two in messages, `by_record` as for `open_tables`.
    """
    of_sets, of_original = called
    sets = listed_sets(of_sets, object)
    refuse_released(data, of_original)
    refuse_released(holdout, "holdout")
    outside = [] if holdout is None else [holdout]
    places = [*set_places(of_sets, len(sets)), of_original, "holdout"]
    tables = open_tables([*sets, data, *outside], places, counts, by_record=by_record)
    synthetic, original = tables[: len(sets)], tables[len(sets)]
    for table in synthetic:
        if not table.records:
            raise InputError(
                f"{redacted(table.place)}: has no rows; nothing can match, so a risk of 0 "
                "would say nothing"
            )
    if not original.records:
        raise InputError(f"{of_original}: has no rows, so there is nobody to find")
    # a synthesis may have special values of columns outside the call
    special = {}
    if isinstance(object, SynDS):
        brought = object.cont_na.items()
        special = {name: values for name, values in brought if name in original.columns}
    asked = special_values(cont_na)
    for name in asked:
        if name not in original.columns:
            raise unknown_name("cont_na", name, list(original.columns), "the original data")
    return Data(
        original=original,
        sets=synthetic,
        special=special | asked,
        plain=not isinstance(object, SynDS),
        counts=counts,
        given_holdout=tables[-1] if outside else None,
        asked_special=tuple(asked),
    )
