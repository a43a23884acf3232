"""Records that stay where they are: in polars, DuckDB, Spark, a database. The engine groups and
counts; only distinct rows with their counts come over.

An engine may split what is one value to us (0.0 and -0.0, NULL and NaN): rows may repeat, so that
does no harm. What it must not do is merge two values; `collations` sees to that.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd

from ..core.arrays import Integers, Values, numbered_by_table
from ..core.columns import Column
from ..core.crosstab import totals
from ..errors import InputError, SynthpopError
from ..names import unknown_name
from ..redaction import redacted
from .collations import check_collations
from .declared_levels import with_levels
from .engine_parts import of_kind, one_of
from .narwhal import Frame, wrapped
from .parts import NOWHERE, Places
from .protocol import Counted
from .reading import read_column

if TYPE_CHECKING:
    import pyarrow as pa

LARGEST_TOTAL = 2**63 - 1
COUNTER = "synthpop_n"  # a name for the count that no column has
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Answer:
    """What an engine answered to one GROUP BY.

    Attributes
    ----------
    native : the distinct rows as Arrow has them, columns in the order asked for; for `records`,
        which joins on them.
    counted : the same as columns of ours.
    """

    native: pa.Table
    counted: Counted


class EngineTable:
    """A table of an engine.

    Parameters
    ----------
    given : what the user holds: a polars frame, a relation, a Spark data frame, an Ibis table.
    place : what messages call it.
    counts : name of the column that says how many records a row stands for.
    levels : by column, its levels in their order, also those that do not occur; for engines that
        know no categories.
    """

    keeps_rows = False

    def __init__(
        self,
        given: Any,
        place: str,
        counts: Hashable | None = None,
        levels: Mapping[Hashable, Sequence[str]] | None = None,
    ) -> None:
        self.given = given
        self.place = place
        self.counts = counts
        self.levels = dict(levels or {})
        self._frame: Frame = self._asked(lambda: wrapped(given))
        self._names: list[str] = self._asked(lambda: self._frame.collect_schema().names())
        self.columns: list[Hashable] = list(self._names)
        self._checked: set[Hashable] = set()
        self._last: Answer | None = None
        self._margins: dict[Hashable, Answer] = {}
        for name in self.levels:
            if name not in self.columns:
                raise unknown_name("levels", name, self.columns, self.place)
        if counts is not None:
            if counts not in self.columns:
                raise unknown_name("counts", counts, self.columns, self.place)
            self.columns.remove(counts)

    def opened_as(self, place: str, counts: Hashable | None) -> EngineTable:
        """The same table under the name of the argument it was given as."""
        if counts == self.counts:
            return self
        return EngineTable(self.given, place, counts, self.levels)

    @cached_property
    def records(self) -> int:
        """How many records there are; asked once, and compared with every later answer."""
        total = self._collected(self._frame.select(self._total()))
        number = total.column(0)[0].as_py()
        return _whole(0 if number is None else number, self._what_counts())

    def count_by(self, names: Sequence[Hashable]) -> Counted:
        """Distinct rows of these columns. The last answer serves again where it has all of them;
        rows of several columns may repeat then.
        """
        last = self._last
        if last is None or not set(names) <= set(last.counted.columns):
            if len(names) == 1:
                return self._margin(names[0]).counted  # what has more columns may be needed again
            last = self._last = self.answer(names)
        if len(names) == 1 < len(last.counted.columns):
            return collapsed(last.counted, names[0])
        columns = {name: last.counted.columns[name] for name in names}
        return replace(last.counted, columns=columns)

    def answer(self, names: Sequence[Hashable]) -> Answer:
        """One GROUP BY."""
        return self._complete(self._collected(self._counting(names)), names)

    def _complete(self, native: pa.Table, names: Sequence[Hashable]) -> Answer:
        """The answer that has all records."""
        native = self._with_records(native)
        counted = self._read(native, names)
        if counted.records != self.records:
            raise InputError(
                f"{redacted(self.place)}: its records changed while they were counted, from"
                f" {self.records:,} to {counted.records:,}; work on a snapshot or a copy"
            )
        return Answer(native.select([self._field(name) for name in names]), counted)

    # ---- some of the distinct rows: `protocol.LargeTable` ----

    def count_at_most(self, names: Sequence[Hashable], rows: int) -> Counted | None:
        """What `count_by` gives; None where that is more than so many rows."""
        last = self._last
        if last is None or not set(names) <= set(last.counted.columns):
            native = self._collected(self._counting(names).head(rows + 1))
            if native.num_rows > rows:
                return None
            self._last = self._complete(native, names)
        counted = self.count_by(names)
        return counted if counted.rows <= rows else None

    def count_part(self, names: Sequence[Hashable], column: Hashable, values: Column) -> Counted:
        """Of what `count_by(names)` gives, the rows whose column has one of the values."""
        margin = self._margin(column)
        wanted = Places(values).of(margin.counted.columns[column]) != NOWHERE
        condition = one_of(self._field(column), margin.native.column(0), wanted)
        native = self._collected(self._counting(names, lambda frame: frame.filter(condition)))
        return self._of_kinds(self._read(self._with_records(native), names))

    def count_distinct(self, names: Sequence[Hashable], column: Hashable) -> Counted:
        """The values of a column, and how many rows of `count_by(names)` have each."""
        import narwhals.stable.v2 as nw

        field = self._field(column)
        distinct = self._counting(names).select(field)
        native = self._collected(distinct.group_by(field).agg(nw.len().alias(COUNTER)))
        return self._of_kinds(self._read(native, [column]))

    def _margin(self, name: Hashable) -> Answer:
        """A column by itself, as the engine has it."""
        if name not in self._margins:
            self._margins[name] = self.answer([name])
        return self._margins[name]

    def _of_kinds(self, counted: Counted) -> Counted:
        """Columns of the kinds that they have in the whole table."""
        columns = {}
        for name, column in counted.columns.items():
            columns[name] = of_kind(column, self._margin(name).counted.columns[name])
        return replace(counted, columns=columns)

    def _counting(
        self, names: Sequence[Hashable], some: Callable[[Frame], Frame] = lambda frame: frame
    ) -> Frame:
        """The question for distinct rows, of all records or some."""
        wanted = [self._field(name) for name in names]
        self._check_collations(wanted)
        return self._asked(lambda: self._grouped(some(self._frame), wanted))

    def _field(self, name: Hashable) -> str:
        return self._names[self._names.index(name)]  # type: ignore[arg-type]

    def _check_collations(self, names: Sequence[str]) -> None:
        new = [name for name in names if name not in self._checked]
        self._asked(lambda: check_collations(self._frame, new, self.place))
        self._checked.update(new)

    def _total(self) -> Any:
        """The expression that counts the records of a group."""
        import narwhals.stable.v2 as nw

        if self.counts is None:
            return nw.len().alias(COUNTER)
        return nw.col(str(self.counts)).sum().alias(COUNTER)

    def _grouped(self, frame: Frame, names: Sequence[str]) -> Frame:
        if not names:
            return frame.select(self._total())
        return frame.group_by(*names).agg(self._total())

    def _read(self, native: pa.Table, names: Sequence[Hashable]) -> Counted:
        n = self._numbers(native.column(COUNTER))
        columns = {name: self._column(native, name) for name in names}
        return Counted(columns=columns, n=n, rows=len(n))

    def _with_records(self, native: pa.Table) -> pa.Table:
        """Without rows that stand for nobody, which must not bring a level or a cell."""
        if self.counts is None:
            return native
        n = self._numbers(native.column(COUNTER))
        return native if (n > 0).all() else native.filter(n > 0)

    def _numbers(self, counter: pa.ChunkedArray) -> Integers:
        try:
            numbers = counter.cast("int64").to_numpy()
        except (ValueError, ArithmeticError):  # Arrow's errors are among them
            raise InputError(f"{self._what_counts()} must hold whole numbers from 0 on") from None
        if (numbers < 0).any():
            raise InputError(f"{self._what_counts()} must hold whole numbers from 0 on")
        return np.asarray(numbers, dtype=np.int64)

    def _column(self, native: pa.Table, name: Hashable) -> Column:
        where = f"{self.place}, column {name!r}"
        values = native.column(self._field(name))
        column = read_column(arrow_series(values), where)
        if name in self.levels:
            return with_levels(column, self.levels[name], where)
        return column

    def _what_counts(self) -> str:
        if self.counts is None:
            return f"{self.place}: the number of records"
        return f"counts: column {self.counts!r} of {self.place}"

    def _collected(self, frame: Frame) -> pa.Table:
        return self._asked(lambda: _arrow_of(frame))

    def _asked(self, question: Callable[[], T]) -> T:
        """The engine's answer; where it has none, an error in our words. Its own may quote values
        and passwords, so it goes into the details.
        """
        try:
            return question()
        except SynthpopError:
            raise
        except Exception as error:
            reason = redacted(str(error))
            raise InputError(
                f"{redacted(self.place)}: {_library(self.given)} could not count its records"
                f" ({type(error).__name__}); is the connection open, and does the table still"
                " exist with these columns? What it said is in the error's details",
                details={"reason": reason},
            ) from None


def _arrow_of(frame: Frame) -> pa.Table:
    import narwhals.stable.v2 as nw

    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect(backend="pyarrow")
    return frame.to_arrow()


def arrow_series(values: pa.ChunkedArray) -> pd.Series:
    """A column of Arrow in pandas, with Arrow's type."""
    import pyarrow as pa

    if pa.types.is_dictionary(values.type):
        values = values.unify_dictionaries()
    return pd.Series(pd.arrays.ArrowExtensionArray(values))


def collapsed(counted: Counted, name: Hashable) -> Counted:
    """One column of counted rows, its distinct values with their counts.

    Examples
    --------
    >>> rows = Column("integer", np.array([7, 5, 7]))
    >>> of_one = collapsed(Counted({"age": rows}, np.array([1, 2, 3]), 3), "age")
    >>> of_one.columns["age"].values.tolist(), of_one.n.tolist()
    ([5, 7], [2, 4])
    """
    column = counted.columns[name]
    values, place = _numbered(column.values)
    missing = None
    if column.missing is not None:
        place = np.where(column.missing, len(values), place)
        values = np.append(values, values[:1])
        missing = np.arange(len(values)) == len(values) - 1
    n = totals(place, counted.n, len(values))
    kept = n > 0
    return Counted(
        columns={
            name: replace(
                column,
                values=values[kept],
                missing=None if missing is None else missing[kept],
            )
        },
        n=n[kept],
        rows=int(kept.sum()),
    )


def _numbered(values: Values) -> tuple[Values, Integers]:
    """Distinct values, and the place of each among them."""
    if (by_table := numbered_by_table(values)) is not None:
        return by_table
    # by hashing, in the order of the rows: sorting them takes longer than all that follows
    place, distinct = pd.factorize(values, use_na_sentinel=False)
    return distinct, place


def _whole(number: Any, what: str) -> int:
    if number != int(number) or number < 0:
        raise InputError(f"{what} must hold whole numbers from 0 on")
    if number > LARGEST_TOTAL:
        raise InputError(f"{what} adds up to more than 64 bits hold")
    return int(number)


def _library(given: Any) -> str:
    return type(given).__module__.partition(".")[0].lstrip("_")
