"""Records that stay where they are: in polars, DuckDB, Spark, a database. The engine groups and
counts; only distinct rows with their counts come over.

An engine may split what is one value to us (0.0 and -0.0, NULL and NaN): rows may repeat, so that
does no harm. It must not merge two values; `engine_checks` sees to that. Engines see our names of
columns, c0, c1 and so on: their own rules for names (dots, case, quotes) do not matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from ..core.columns import Column
from ..errors import InputError, SynthpopError, unknown_name
from ..redaction import redacted
from .engine_checks import check_columns, check_counts, too_many, with_texts
from .frames import Frame, arrow_of, arrow_series, library_of, wrapped
from .protocol import Counted, Opened, Origin, Table
from .reading import checked_levels, read_column, with_levels

if TYPE_CHECKING:
    import pyarrow as pa

COUNTER = "synthpop_n"
LARGEST_TOTAL = 2**63 - 1
MOST_ROWS = 100_000_000  # distinct rows that are fetched and held
T = TypeVar("T")


class Answer(NamedTuple):
    """What an engine answered to one GROUP BY: the distinct rows as Arrow has them, columns in the
    order asked for, which `labelling` joins on; and the same as columns of ours.
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
        self.names, self.renamed = self.asked(lambda: _with_our_names(given, place))
        self._frame: Frame = self.asked(lambda: with_texts(wrapped(self.renamed)))
        self.columns: list[Hashable] = list(self.names)
        self._checked: set[str] = set()
        self._last: Answer | None = None
        for name in self.levels:
            if name not in self.columns:
                raise unknown_name("levels", name, self.columns, self.place)
        if counts is not None:
            if counts not in self.columns:
                raise unknown_name("counts", counts, self.columns, self.place)
            self.columns.remove(counts)

    @property
    def engine(self) -> str:
        """The name of the library that counts."""
        engine = str(self._frame.implementation.value)
        return "pyspark" if engine.startswith("pyspark") else engine

    def opened_as(self, place: str, counts: Hashable | None) -> EngineTable:
        """The same table for one call, without earlier answers: the data may have changed since
        then.
        """
        place = self.place if counts == self.counts else place
        return EngineTable(self.given, place, counts, self.levels, self.origin)

    @cached_property
    def records(self) -> int:
        """How many records there are; asked once, and compared with every later answer."""
        what = self._what_counts()
        if self.counts is not None:
            check_counts(self._frame, self.field(self.counts), what, self._collected)
        total = self._collected(lambda: self._frame.select(self._total()))
        number = total.column(0)[0].as_py() or 0
        # below 0 where an engine wraps around
        if not 0 <= number <= LARGEST_TOTAL:
            raise too_many(what)
        return int(number)

    def count_by(self, names: Sequence[Hashable]) -> Counted:
        """Distinct rows of these columns. The last answer is used again if it has all of them; then
        rows may repeat.
        """
        if self._last is None or not set(names) <= set(self._last.counted.columns):
            self._last = self.answer(names)
        counted = self._last.counted
        return replace(counted, columns={name: counted.columns[name] for name in names})

    def answer(self, names: Sequence[Hashable]) -> Answer:
        """One GROUP BY."""
        fields = [self.field(name) for name in names]
        expected = self.records
        new = [field for field in fields if field not in self._checked]
        called = {self.field(name): str(name) for name in names}
        self.asked(lambda: check_columns(self._frame, new, called, self.place))
        self._checked.update(new)
        native = self._collected(lambda: self._grouped(fields))
        counter = native.column(COUNTER)
        n = np.asarray(counter.cast("int64").to_numpy(), dtype=np.int64)
        if not (n > 0).all():
            # a row without records must not add a level or a cell
            native, n = native.filter(n > 0), n[n > 0]
        columns = {name: self._column(native, name) for name in names}
        counted = Counted(columns=columns, n=n, rows=len(n))
        if counted.records != expected:
            raise InputError(
                f"{redacted(self.place)}: its records changed while they were counted, from"
                f" {expected:,} to {counted.records:,}; work on a snapshot or a copy"
            )
        return Answer(native=native.select(fields), counted=counted)

    def field(self, name: Hashable) -> str:
        """Our name of a column."""
        return f"c{self.names.index(name)}"  # type: ignore[arg-type]

    def native_records(self, total: str) -> Any:
        """The rows that stand for at least one record, as the engine has them, under our names; for
        a frequency table the column `total` says for how many.
        """
        if self.counts is None:
            return self.renamed
        import narwhals.stable.v2 as nw

        number = nw.col(self.field(self.counts))
        frame = wrapped(self.renamed).filter(number > 0)
        if self.counts != total:
            frame = frame.with_columns(number.cast(nw.Int64()).alias(total))
        return frame.to_native()

    def _total(self) -> Any:
        """The expression that counts the records of a group."""
        import narwhals.stable.v2 as nw

        if self.counts is None:
            return nw.len().alias(COUNTER)
        field = self.field(self.counts)
        number = nw.col(field)
        if self._frame.collect_schema()[field] != nw.Int64:
            number = number.cast(nw.Int64())
        return number.sum().alias(COUNTER)

    def _grouped(self, fields: Sequence[str]) -> Frame:
        import narwhals.stable.v2 as nw

        if not fields:
            return self._frame.select(self._total())
        grouped = self._frame.group_by(*fields).agg(self._total())
        # rows cannot be more than records, so that they are counted for large tables only
        if self.records > MOST_ROWS:
            rows = arrow_of(grouped.select(nw.len().alias(COUNTER))).column(0)[0].as_py()
            if rows > MOST_ROWS:
                raise InputError(
                    f"{redacted(self.place)}: its columns have {rows:,} different rows, more than"
                    f" the {MOST_ROWS:,} that are held in memory; give fewer keys, or put their"
                    " values into classes first (ngroups_keys and ngroups_target do so only later)"
                )
        return grouped

    def _column(self, native: pa.Table, name: Hashable) -> Column:
        where = f"{self.place}, column {name!r}"
        series = arrow_series(native.column(self.field(name)))
        if self.origin is not None and self.origin.read_column is not None:
            column = self.origin.read_column(str(name), series, where)
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
        answer = self.asked(lambda: arrow_of(question()))
        if self.origin is not None and not self.origin.is_current():
            raise InputError(
                f"{redacted(self.place)}: the file changed after its columns were read; call "
                "again, and reopen the table if you keep one"
            )
        return answer

    def asked(self, question: Callable[[], T], task: str = "count its records") -> T:
        """The engine's answer; if it fails, an error in our own words. The engine's message may
        quote values and passwords, so it goes into the details.
        """
        try:
            return question()
        # what an engine tells of its own future is an error only to those who make warnings errors
        except (SynthpopError, Warning):
            raise
        except Exception as error:
            raise InputError(
                f"{redacted(self.place)}: {library_of(self.given)} could not {task}"
                f" ({type(error).__name__}); {_advice(error)} Its own message is in the error's"
                " details",
                details={"reason": redacted(str(error))},
            ) from None


def _advice(error: Exception) -> str:
    import pyarrow as pa

    # what a driver calls a value that Python has no type for, such as a date before our era
    if isinstance(error, pa.ArrowException) or type(error).__name__ == "DataError":
        return (
            "a column holds values that Arrow has no type for: give a view or a query that makes"
            " it text or a double."
        )
    return "check that the connection is open and the table still exists with these columns."


def is_spark(given: Any) -> bool:
    """Whether it is a data frame of Spark, local or through Spark Connect; decided without
    importing Spark.
    """
    return type(given).__module__.startswith("pyspark.sql.")


def _with_our_names(given: Any, place: str) -> tuple[list[str], Any]:
    """The names of the columns, and the engine's table under ours."""
    if is_spark(given):  # which reads `i.x` as the field x of i, and "a" and "A" as one name
        names = list(given.columns)
        repeated = sorted(name for name, times in Counter(names).items() if times > 1)
        if repeated:
            raise InputError(
                f"{redacted(place)}: the column names {', '.join(repeated)} occur more than once;"
                " rename them"
            )
        return names, given.toDF(*[f"c{at}" for at in range(len(names))])
    frame = wrapped(given)
    names = frame.collect_schema().names()
    ours = {name: f"c{at}" for at, name in enumerate(names)}
    return names, frame.rename(ours).to_native()


def keeps_order(table: Table) -> bool:
    """Whether columns are text by choice, not for lack of categories; polars has Enum."""
    return not isinstance(table, EngineTable) or table.engine == "polars"
