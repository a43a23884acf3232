"""Records that stay where they are: in polars, DuckDB, Spark, a database. The engine groups and
counts; only distinct rows with their counts come over.

An engine may split what is one value to us (0.0 and -0.0, NULL and NaN): rows may repeat, so that
does no harm. It must not merge two values; `collations` checks that.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd

from ..core.arrays import Integers, Values, numbered_by_table
from ..core.columns import Column
from ..core.crosstab import totals
from ..errors import InputError, SynthpopError
from ..files.origin import Origin
from ..names import unknown_name
from ..redaction import redacted
from .collations import check_collations
from .declared_levels import checked_levels, with_levels
from .engine_counts import LARGEST_TOTAL, check_counts, too_many, whole_number
from .engine_parts import at_most, distinct_by, is_finer_than_python, of_part
from .engine_types import check_types, with_texts
from .narwhal import Frame, library_of, wrapped
from .opened import Opened
from .parts import only_with
from .protocol import Counted, Table
from .reading import read_column
from .spark import is_spark, with_safe_names
from .sqlite_values import check_sqlite_values

if TYPE_CHECKING:
    import pyarrow as pa

OURS = "synthpop_"  # how the columns begin that queries add
COUNTER = f"{OURS}n"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Answer:
    """What an engine answered to one GROUP BY.

    Attributes
    ----------
    native : the distinct rows as Arrow has them, columns in the order asked for; `labelling` joins
        on them.
    counted : the same as columns of ours.
    """

    native: pa.Table
    counted: Counted


class EngineTable(Opened):
    """A table of an engine.

    Parameters
    ----------
    given : what the user holds: a polars frame, a relation, a Spark data frame, an Ibis table.
    place : what messages call it.
    counts : name of the column that says how many records a row stands for.
    levels : by column, its levels in their order, also those that do not occur; for engines that
        know no categories.
    origin : the file or database it was opened from, if it was.
    """

    keeps_rows = False

    def __init__(
        self,
        given: Any,
        place: str,
        counts: Hashable | None = None,
        levels: Mapping[Hashable, Sequence[str]] | None = None,
        origin: Origin | None = None,
    ) -> None:
        self.given = given
        self.origin = origin
        self.place = place
        self.counts = counts
        self.levels = checked_levels(levels)
        self._named: Any = self._asked(lambda: with_safe_names(given, place))
        self._frame: Frame = self._asked(lambda: to_group(self._named))
        self._fields: list[str] = self._asked(lambda: self._frame.collect_schema().names())
        self._names = self._fields
        if is_spark(given):
            self._names = self._asked(lambda: list(given.columns))
        self.columns: list[Hashable] = list(self._names)
        self._checked: set[Hashable] = set()
        self._last: Answer | None = None
        self._alone: dict[Hashable, Answer] = {}
        for name in self.levels:
            if name not in self.columns:
                raise unknown_name("levels", name, self.columns, self.place)
        if counts is not None:
            if counts not in self.columns:
                raise unknown_name("counts", counts, self.columns, self.place)
            self.columns.remove(counts)

    @property
    def knows_categories(self) -> bool:
        """Whether a user could have given levels: polars has Enum for every text."""
        return bool(self._frame.implementation.is_polars())

    def opened_as(self, place: str, counts: Hashable | None) -> EngineTable:
        """The same table for one call, without earlier answers: the data may have changed since
        then.
        """
        return EngineTable(
            given=self.given,
            place=self.place if counts == self.counts else place,
            counts=counts,
            levels=self.levels,
            origin=self.origin,
        )

    @cached_property
    def records(self) -> int:
        """How many records there are; asked once, and compared with every later answer."""
        if self.counts is not None:
            field = self.field(self.counts)
            check_counts(
                self._frame,
                field,
                self._what_counts(),
                lambda frame: self._asked(lambda: _arrow_of(frame)),
            )
        total = self._collected(lambda: self._frame.select(self._total()))
        number = total.column(0)[0].as_py()
        return _whole(0 if number is None else number, self._what_counts())

    def count_by(self, names: Sequence[Hashable]) -> Counted:
        """Distinct rows of these columns. The last answer is used again if it has all of them; then
        rows of several columns may repeat.
        """
        last = self._last_with(names)
        if last is None:
            last = self._last = self.answer(names)
        if len(names) == 1 < len(last.counted.columns):
            return collapsed(last.counted, names[0])
        columns = {name: last.counted.columns[name] for name in names}
        return replace(last.counted, columns=columns)

    def count_at_most(self, names: Sequence[Hashable], rows: int) -> Counted | None:
        """What `count_by` gives; None if that is more than `most` rows."""
        if self._last_with(names) is None:
            few = at_most(self, names, rows)
            if few is None:
                return None
            self._last = few
        counted = self.count_by(names)
        return counted if counted.rows <= rows else None

    def _last_with(self, names: Sequence[Hashable]) -> Answer | None:
        """The last answer, where it has all of these columns."""
        last = self._last
        return last if last is not None and set(names) <= set(last.counted.columns) else None

    def count_part(self, names: Sequence[Hashable], column: Hashable, values: Column) -> Counted:
        """Of what `count_by(names)` gives, the rows whose column has one of the values."""
        if is_finer_than_python(self.alone(column).native.column(0)):
            return only_with(self.count_by(names), column, values)
        return of_part(self, names, column, values)

    def count_distinct(self, names: Sequence[Hashable], column: Hashable) -> Counted:
        """The values of a column, and how many rows of `count_by(names)` have each."""
        return distinct_by(self, names, column)

    def alone(self, name: Hashable) -> Answer:
        """The values of one column by itself, asked for once."""
        if name not in self._alone:
            self._alone[name] = self.answer([name])
        return self._alone[name]

    def answer(
        self,
        names: Sequence[Hashable],
        extended: Any = None,
        beside: Sequence[str] = (),
        *,
        of: Callable[[Frame], Frame] | None = None,
        most: int | None = None,
        by_row: bool = False,
    ) -> Answer:
        """One GROUP BY.

        Parameters
        ----------
        extended, beside : the user's table with further columns, and those of them to group by as
            well; they come last in `native`.
        of : which rows of the table, all unless it is given.
        most : the most rows of the answer.
        by_row : count rows, although they may stand for several records.
        """
        check_names(names, self.place)
        wanted = [self.field(name) for name in names]
        expected = self.records
        self._check_columns(wanted)
        wanted += beside
        frame = self._frame if extended is None else self._asked(lambda: to_group(extended))
        native = self._collected(lambda: self._question(frame, wanted, of, most, by_row))
        native, n = self._of_somebody(native)
        columns = {name: self._column(native, name) for name in names}
        counted = Counted(columns=columns, n=n, rows=len(n))
        whole = of is None and (most is None or counted.rows < most)
        if whole and counted.records != expected:
            raise InputError(
                f"{redacted(self.place)}: its records changed while they were counted, from"
                f" {expected:,} to {counted.records:,}; work on a snapshot or a copy"
            )
        return Answer(native=native.select(wanted), counted=counted)

    def field(self, name: Hashable) -> str:
        """What the frame that narwhals sees calls a column."""
        return self._fields[self._names.index(name)]  # type: ignore[arg-type]

    @property
    def names(self) -> list[str]:
        """All columns, that of counts among them, as the user calls them."""
        return list(self._names)

    def native_records(self, total: str) -> Any:
        """The rows that stand for at least one record, as the engine has them; for a frequency
        table the column `total` says for how many.
        """
        frame = wrapped(self._named)
        if self.counts is not None:
            import narwhals.stable.v2 as nw

            number = nw.col(self.field(self.counts))
            frame = frame.filter(number > 0)
            if self.counts != total:
                frame = frame.with_columns(number.cast(nw.Int64()).alias(total))
        return frame.to_native()

    def _check_columns(self, names: Sequence[str]) -> None:
        """Raise an error if a GROUP BY would merge values of a column; checked once per column."""
        new = [name for name in names if name not in self._checked]
        for check in (check_types, check_collations, check_sqlite_values):
            self._asked(partial(check, self._frame, new, self.place))
        self._checked.update(new)

    def _total(self) -> Any:
        """The expression that counts the records of a group."""
        import narwhals.stable.v2 as nw

        if self.counts is None:
            return nw.len().alias(COUNTER)
        return whole_number(self._frame, self.field(self.counts)).sum().alias(COUNTER)

    def _question(
        self,
        frame: Frame,
        names: Sequence[str],
        of: Callable[[Frame], Frame] | None,
        most: int | None,
        by_row: bool,
    ) -> Frame:
        import narwhals.stable.v2 as nw

        total = nw.len().alias(COUNTER) if by_row else self._total()
        grouped = self.grouped(frame if of is None else of(frame), names, total)
        if most is None:
            return grouped
        if self.counts is not None and not by_row:
            # rows without records must not count towards the limit
            grouped = grouped.filter(nw.col(COUNTER) != 0)
        return grouped.head(most)

    def grouped(self, frame: Frame, names: Sequence[str], total: Any) -> Frame:
        """The frame by these columns, with the total of each group."""
        if not names:
            return frame.select(total)
        # DuckDB reads the text before a dot as the name of a table
        dotted = [name for name in names if "." in name]
        plain = {name: f"{COUNTER}_{number}" for number, name in enumerate(dotted)}
        keys = [plain.get(name, name) for name in names]
        grouped = self._asked(lambda: frame.rename(plain).group_by(*keys).agg(total))
        return grouped.rename({key: name for name, key in plain.items()})

    def _of_somebody(self, native: pa.Table) -> tuple[pa.Table, Integers]:
        """The rows that stand for a record, and for how many."""
        n = self._numbers(native.column(COUNTER))
        if self.counts is not None and not (n > 0).all():
            # a row without records must not add a level or a cell
            native = native.filter(n > 0)
            n = n[n > 0]
        return native, n

    def _numbers(self, counter: pa.ChunkedArray) -> Integers:
        try:
            numbers = counter.cast("int64").to_numpy()
        except (ValueError, ArithmeticError):  # Arrow's errors are among them
            raise InputError(
                f"{self._what_counts()} must hold whole numbers of 0 or more"
            ) from None
        if (numbers < 0).any():
            raise InputError(f"{self._what_counts()} must hold whole numbers of 0 or more")
        return np.asarray(numbers, dtype=np.int64)

    def _column(self, native: pa.Table, name: Hashable) -> Column:
        where = f"{self.place}, column {name!r}"
        values = native.column(self.field(name))
        series = arrow_series(values)
        if self.origin is not None and self.origin.read_column is not None:
            column = self.origin.read_column(self.field(name), series, where)
        else:
            column = read_column(series, where)
        if name in self.levels:
            return with_levels(column, self.levels[name], where)
        return column

    def _what_counts(self) -> str:
        if self.counts is None:
            return f"{self.place}: the number of records"
        return f"counts: column {self.counts!r} of {self.place}"

    def _collected(self, question: Callable[[], Frame]) -> pa.Table:
        # Spark needs its session for a question, not only for the answer
        answer = self._asked(lambda: _arrow_of(question()))
        if self.origin is not None and not self.origin.is_current():
            raise InputError(
                f"{redacted(self.place)}: the file changed after its columns were read; call "
                "again, and reopen the table if you keep one"
            )
        return answer

    def _asked(self, question: Callable[[], T]) -> T:
        return self.asked(question, "count its records")

    def asked(self, question: Callable[[], T], task: str) -> T:
        """The engine's answer; if it fails, an error in our own words. The engine's message may
        quote values and passwords, so it goes into the details.
        """
        try:
            return question()
        # what an engine tells of its own future is an error only to those who make warnings errors
        except (SynthpopError, Warning):
            raise
        except Exception as error:
            reason = redacted(str(error))
            raise InputError(
                f"{redacted(self.place)}: {library_of(self.given)} could not {task}"
                f" ({type(error).__name__}); {_advice(error)} Its own message is in the error's"
                " details",
                details={"reason": reason},
            ) from None


def check_names(names: Sequence[Hashable], place: str) -> None:
    """Raise an error for names that our own columns use in queries."""
    for name in names:
        if str(name).startswith(OURS):
            raise InputError(
                f"{redacted(place)}, column {name!r}: names that begin with {OURS!r} are used in"
                " queries; rename it"
            )


def to_group(native: Any) -> Frame:
    """A table of an engine as narwhals groups it."""
    return with_texts(wrapped(native))


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


def keeps_order(table: Table) -> bool:
    """Whether columns of a table are text by choice, not for lack of categories."""
    return not isinstance(table, EngineTable) or table.knows_categories


def _whole(number: Any, what: str) -> int:
    # below 0 where an engine wraps around
    if not 0 <= number <= LARGEST_TOTAL:
        raise too_many(what)
    return int(number)


def _advice(error: Exception) -> str:
    import pyarrow as pa

    # what a driver calls a value that Python has no type for, such as a date before our era
    no_room = isinstance(error, pa.ArrowException) or type(error).__name__ == "DataError"
    if no_room:
        return (
            "a column holds values that Arrow has no type for: give a view or a query that makes"
            " it text or a double."
        )
    return "check that the connection is open and the table still exists with these columns."
