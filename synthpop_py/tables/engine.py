"""Records that stay where they are: in polars, DuckDB, Spark, a database. The engine groups and
counts; only distinct rows with their counts come over. Labels can be joined to the records there.

An engine may split what is one value to us (0.0 and -0.0): rows may repeat, so that does no harm.
It must not merge or change values: types, collations and what SQLite holds are checked. Engines
see our names of columns, c0 and so on: their own rules for names (dots, case) do not matter.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import closing
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

import numpy as np

from ..core.arrays import Flags, Values
from ..core.columns import Column
from ..core.numerals import LARGEST_WHOLE
from ..errors import InputError, SynthpopError, unknown_name
from ..redaction import redacted
from .frames import Frame, arrow_of, library_of, wrapped
from .protocol import TOO_MANY, Counted, Opened, Origin, quoted
from .reading import check_distinct, checked_levels, read_arrow, whole_counts, with_levels

if TYPE_CHECKING:
    import pyarrow as pa

RECORDS = "synthpop_records"  # what queries call the table
# Every collation that is not binary treats two of these as one: case, accents, blanks at the end,
# two ways to encode an accent, wide letters, signs without weight.
ALIKE = ("a", "A", "\u00e1", "a\u0301", "a ", "\uff41", "a\u00ad")
SPARKS_BYTES = "UTF8_BINARY"
# by engine: what differs wherever the bytes of two texts do; a column compared by its bytes
BYTES = {
    "duckdb": ("HEX({0})", "{0} COLLATE C"),
    "sqlite": ("HEX({0})", "{0} COLLATE BINARY"),
    "mysql": ("HEX({0})", "{0} COLLATE utf8mb4_bin"),
    "pyspark": ("HEX({0})", "COLLATE({0}, 'UTF8_BINARY')"),
    # FORMAT keeps the blanks at the end that a cast of CHAR to text drops
    "postgres": (
        "CASE WHEN {0} IS NOT NULL THEN CONVERT_TO(FORMAT('%s', {0}), 'UTF8') END",
        '{0}::text COLLATE "C"',
    ),
}
COUNTER = "synthpop_n"
MOST_ROWS = 100_000_000  # distinct rows that are fetched and held
TOTAL = "n"  # the records that a row of a frequency table stands for
JOINED = "synthpop_key_"  # with a number: what the columns to join by are called beside the labels
ADVICE = (
    "check that the connection is open, that the table still exists with these columns, and that"
    " no value is outside Arrow's types, such as a date before our era: a view can make it text"
)
T = TypeVar("T")
Labels = Mapping[str, Values]  # by name, one value for each distinct row
Pairs = Sequence[tuple[str, str]]  # a column to join by, and what it is called beside the labels


class EngineTable(Opened):
    """A table of polars, DuckDB, Spark, Ibis. `counts` names the column that says how many records
    a row stands for; `levels` are those of columns in their order.
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
        self.given, self.place, self.counts, self.origin = given, place, counts, origin
        self.declared = checked_levels(levels)
        self._levels: dict[Hashable, Sequence[str]] = dict(self.declared)
        self.names, self.renamed = self.asked(lambda: _with_our_names(given, place))
        self._frame: Frame = self.asked(lambda: with_texts(wrapped(self.renamed)))
        self.columns: list[Hashable] = list(self.names)
        self._checked: set[str] = set()
        self._last: Counted | None = None
        for name in self.declared:
            if name not in self.columns:
                raise unknown_name("levels", name, self.columns, place)
        if counts is not None:
            if counts not in self.columns:
                raise unknown_name("counts", counts, self.columns, place)
            self.columns.remove(counts)

    def opened_as(self, counts: Hashable | None) -> EngineTable:
        """The same table without earlier answers: the data may have changed since then."""
        return EngineTable(self.given, self.place, counts, self.declared, self.origin)

    def levels(self, names: Iterable[Hashable]) -> dict[Hashable, Sequence[str]]:
        """Those declared, and those that files have of categories, which an engine would lose."""
        in_files = {} if self.origin is None else self.origin.categories
        for name in names:
            if name in in_files and name not in self._levels:
                self._levels[name] = in_files[name]()
        return {name: self._levels[name] for name in names if name in self._levels}

    @cached_property
    def records(self) -> int:
        """How many records there are; asked once, and compared with every later answer."""
        if self.counts is None:
            total = self._answer(lambda: self._frame.select(self._total()))
            return int(total.column(0)[0].as_py() or 0)
        import narwhals.stable.v2 as nw

        # sums of groups would hide a negative number, a fraction, a missing one
        what, field = f"counts: column {self.counts!r} of {self.place}", self.field(self.counts)
        found = self._answer(lambda: self._frame.group_by(field).agg(nw.len().alias(COUNTER)))
        n = whole_counts(read_arrow(found.column(field), what), what).tolist()
        rows = found.column(COUNTER).to_pylist()
        number: int = sum(each * times for each, times in zip(n, rows))
        if number > LARGEST_WHOLE:
            raise InputError(TOO_MANY.format(what))
        return number

    def count_by(self, names: Sequence[Hashable]) -> Counted:
        """Distinct rows; they may repeat where the last answer, used again, has more columns."""
        if self._last is None or not set(names) <= set(self._last.columns):
            _, self._last = self.answer(names)
        return self._last.among(names)

    def answer(self, names: Sequence[Hashable]) -> tuple[pa.Table, Counted]:
        """One GROUP BY: the distinct rows as Arrow has them, and the same as columns of ours."""
        fields = list(dict.fromkeys(map(self.field, names)))
        expected = self.records
        new = [field for field in fields if field not in self._checked]
        self.asked(lambda: check_columns(self._frame, new, self._called, self.place))
        self._checked.update(new)
        native = self._answer(lambda: self._grouped(fields))
        n = np.asarray(native.column(COUNTER).cast("int64").to_numpy(), dtype=np.int64)
        if not (n > 0).all():
            # a row without records must not add a level or a cell
            native, n = native.filter(n > 0), n[n > 0]
        levels = self.levels(names)
        columns: dict[Hashable, Column] = {}
        for name in names:
            where = f"{redacted(self.place)}, column {name!r}"
            columns[name] = read_arrow(native.column(self.field(name)), where)
            if name in levels:
                columns[name] = with_levels(columns[name], levels[name], where)
        counted = Counted(columns, n, len(n))
        if counted.records != expected:
            says = f"its records changed while they were counted, from {expected:,} to"
            says = f"{says} {counted.records:,}; work on a snapshot or a copy"
            raise InputError(f"{redacted(self.place)}: {says}")
        return native.select(fields), counted

    def field(self, name: Hashable) -> str:
        """Our name of a column."""
        return f"c{self.names.index(name)}"  # type: ignore[arg-type]

    @property
    def _called(self) -> dict[str, str]:
        return {self.field(name): name for name in self.names}

    def _total(self) -> Any:
        """The expression that counts the records of a group."""
        import narwhals.stable.v2 as nw

        if self.counts is None:
            return nw.len().alias(COUNTER)
        return nw.col(self.field(self.counts)).cast(nw.Int64()).sum().alias(COUNTER)

    def _grouped(self, fields: Sequence[str]) -> Frame:
        import narwhals.stable.v2 as nw

        if not fields:
            return self._frame.select(self._total())
        grouped = self._frame.group_by(*fields).agg(self._total())
        if self.records <= MOST_ROWS:
            return grouped  # rows cannot be more than records
        number = grouped.select(nw.len().alias(COUNTER))
        rows = answer_of(number, {}, self.place).column(0)[0].as_py()
        if rows > MOST_ROWS:
            says = f"its columns have {rows:,} different rows, more than the {MOST_ROWS:,} that are"
            says = f"{says} held in memory; give fewer keys, or classes as keys"
            raise InputError(f"{redacted(self.place)}: {says}")
        return grouped

    def _answer(self, question: Callable[[], Frame]) -> pa.Table:
        # Spark needs its session for a question, not only for the answer
        return self.asked(lambda: answer_of(question(), self._called, self.place))

    def asked(self, question: Callable[[], T], task: str = "count its records") -> T:
        """The answer, or an error in our words: those of engines may quote values and passwords."""
        try:
            return question()
        # what an engine tells of its own future is an error only to those who make warnings errors
        except (SynthpopError, Warning):
            raise
        except Exception as error:
            says = f"{library_of(self.given)} could not {task} ({type(error).__name__}); {ADVICE}"
            says = f"{redacted(self.place)}: {says}. Its own message is in the error's details"
            raise InputError(says, details={"reason": redacted(str(error))}) from None


def _with_our_names(given: Any, place: str) -> tuple[list[str], Any]:
    """The names of the columns, and the engine's table under ours."""
    # Spark reads `i.x` as the field x of i, and "a" and "A" as one name; it is not imported
    if type(given).__module__.startswith("pyspark.sql."):
        names = list(given.columns)
        check_distinct(names, redacted(place))
        return names, given.toDF(*[f"c{at}" for at in range(len(names))])
    frame = wrapped(given)
    names = frame.collect_schema().names()
    return names, frame.rename({name: f"c{at}" for at, name in enumerate(names)}).to_native()


def with_texts(frame: Frame) -> Frame:
    """Texts for types that only an engine knows, and for polars' Categorical, without an order."""
    import narwhals.stable.v2 as nw

    schema = frame.collect_schema()
    strange = [name for name, dtype in schema.items() if dtype in (nw.Unknown, nw.Categorical)]
    if not strange:
        return frame
    return frame.with_columns(*[nw.col(name).cast(nw.String) for name in strange])


def check_columns(
    frame: Frame, fields: Sequence[str], called: Mapping[str, str], place: str
) -> None:
    """Raise an error if a GROUP BY would merge values of a column."""
    import narwhals.stable.v2 as nw

    schema, library = frame.collect_schema(), frame.implementation
    refused: list[Any] = [nw.List, nw.Array, nw.Struct, nw.Binary, nw.Time, nw.Object]
    # intervals of databases: a month is 30 days to GROUP BY, and Ibis drops fractions of seconds
    if library.is_duckdb() or library.is_ibis():
        refused += [nw.Duration]
    # polars does not hand whole numbers of 128 bits to Arrow, DuckDB does
    if library.is_polars():
        refused += [nw.Int128, nw.UInt128]
    for field in fields:
        if schema[field] in refused:
            says = f"{redacted(place)}, column {called[field]!r}: columns of type {schema[field]}"
            raise InputError(f"{says} cannot be compared; give a view that makes it text")
    engine = _sql_engine(frame)
    texts = [field for field in fields if schema[field] == nw.String]
    if engine and texts:
        _check_collations(frame, engine, texts, called, place)


def _sql_engine(frame: Frame) -> str:
    """The name of the engine that answers in SQL, also where Ibis stands between; may be empty."""
    name = str(frame.implementation.value)
    if frame.implementation.is_ibis():
        backend = str(frame.to_native().get_backend().name)
        return "" if backend == "polars" else backend
    return next((engine for engine in ("duckdb", "pyspark") if name.startswith(engine)), "")


def ask(frame: Frame, query: str) -> Sequence[int]:
    """The one row that answers a query on `RECORDS`; nothing is written, no view is left behind."""
    native = frame.to_native()
    if frame.implementation.is_duckdb():
        return list(native.query(RECORDS, query).fetchall()[0])
    if not frame.implementation.is_ibis():
        answer = native.sparkSession.sql(query.replace(RECORDS, "{records}"), records=native)
        return list(answer.collect()[0])
    backend = native.get_backend()
    cursor = backend.raw_sql(query.replace(RECORDS, f"({backend.compile(native)}) AS {RECORDS}"))
    # Spark answers with a data frame; DuckDB's cursor is the connection, so nothing is closed
    rows = cursor.fetchall() if hasattr(cursor, "fetchall") else cursor.collect()
    return list(rows[0])


def _check_collations(
    frame: Frame, engine: str, fields: Sequence[str], called: Mapping[str, str], place: str
) -> None:
    """Refuse columns where a database treats two texts, such as "a" and "A", as one."""
    by_bytes, repaired = BYTES.get(engine, ("", ""))
    for field in _merging(frame, engine, fields):
        name, way = called[field], "a collation that compares bytes"
        says = "may treat different texts as one"
        if by_bytes:
            counts = f"COUNT(DISTINCT {field}), COUNT(DISTINCT {by_bytes.format(field)})"
            merged, different = ask(frame, f"SELECT {counts} FROM {RECORDS}")
            if merged == different:
                continue
            says = f"counts its {different:,} different texts as {merged:,}"
            way = f"{repaired.format(quoted(name))} in its place"
        where = f"{redacted(place)}, column {name!r}: {engine} compares its texts by"
        why = "merged levels would understate the risk. Give a view or a query that has"
        raise InputError(f"{where} a collation and {says}; {why} {way}")


def _merging(frame: Frame, engine: str, fields: Sequence[str]) -> list[str]:
    """The columns that may treat two texts as one, as far as the letters in `ALIKE` tell."""
    if engine == "pyspark":  # does not mix its columns with letters; 3 compared bytes only
        types = {field.name: field.dataType for field in frame.to_native().schema}
        plain = (None, SPARKS_BYTES)
        return [field for field in fields if getattr(types[field], "collation", None) not in plain]
    # the columns come first and give their collations to the letters that follow
    rows = [f"SELECT {', '.join(fields)} FROM {RECORDS} WHERE 1 = 0"]
    rows += ["SELECT " + ", ".join([f"'{text}'"] * len(fields)) for text in ALIKE]
    counts = ", ".join(f"COUNT(DISTINCT {field})" for field in fields)
    try:
        found = ask(frame, f"SELECT {counts} FROM ({' UNION ALL '.join(rows)}) AS letters")
    except Exception:
        return list(fields)
    return [field for field, count in zip(fields, found) if count < len(ALIKE)]


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


# what reads a value of a declared type, by the test of Ibis for it; others are texts
DECLARED: dict[str, Callable[[Any], Any]] = {
    "is_boolean": {0: False, 1: True}.__getitem__,
    "is_integer": operator.index,
    "is_floating": lambda value: value,
    "is_decimal": lambda value: Decimal(str(value)),
    "is_date": date.fromisoformat,
    "is_timestamp": datetime.fromisoformat,
}


def answer_of(frame: Frame, called: Mapping[str, str], place: str) -> pa.Table:
    """The rows of a query. Those of SQLite are read one by one: Ibis would cut 1.5 in a column of
    whole numbers to 1, and make doubles of whole numbers where one is missing.
    """
    if _sql_engine(frame) != "sqlite":
        return arrow_of(frame)
    import pyarrow as pa

    query = frame.to_native()
    backend, schema = query.get_backend(), query.schema()
    with closing(backend.raw_sql(backend.compile(query))) as cursor:
        rows = cursor.fetchall()
    columns = {}
    for at, (field, dtype) in enumerate(schema.items()):
        tests = [read for test, read in DECLARED.items() if getattr(dtype, test)()]
        read = [*tests, _text][0]
        try:
            values = [None if row[at] is None else read(row[at]) for row in rows]
            columns[field] = pa.array(values, dtype.to_pyarrow())
        except (TypeError, ValueError, ArithmeticError, LookupError):
            name = called.get(field, field)
            says = f"holds values that are not of its declared type ({dtype})"
            way = f"give a view or a query with CAST({quoted(name)} AS TEXT) in its place"
            where = f"{redacted(place)}, column {name!r}"
            raise InputError(f"{where}: {says}; {way}") from None
    return pa.table(columns)


def label_by(
    table: EngineTable, names: Sequence[Hashable], rows: pa.Table, blocks: Sequence[Labels]
) -> Any:
    """The table with the labels of its distinct `rows`: every record once for each block."""
    import narwhals.stable.v2 as nw
    import pyarrow as pa

    library = str(wrapped(table.renamed).implementation.value).partition("[")[0]
    join = JOINS.get(library)
    if join is None:
        says = f"{table.place}: labels cannot be joined to tables of {library}"
        raise InputError(f"{says}; give a data frame, or a table of DuckDB or Spark")
    added = list(blocks[0])
    if table.counts not in (None, TOTAL):
        added.insert(0, TOTAL)
    check_free(table.names, added, table.place)
    pairs = [(table.field(name), f"{JOINED}{at}") for at, name in enumerate(names)]
    keys = dict(zip([key for _, key in pairs], rows.columns))
    labels = pa.concat_tables([pa.table({**keys, **block}) for block in blocks])
    columns = [*table.names, *added]

    def joined() -> Any:  # by the rule for equal values by which the engine grouped
        records = table.renamed
        if table.counts is not None:
            number = nw.col(table.field(table.counts))
            frame = wrapped(records).filter(number > 0)
            if table.counts != TOTAL:
                frame = frame.with_columns(number.cast(nw.Int64()).alias(TOTAL))
            records = frame.to_native()
        labelled = join(records, pairs, labels)
        if library == "pyspark":
            return labelled.toDF(*columns)
        frame = wrapped(labelled)
        return frame.rename(dict(zip(frame.collect_schema().names(), columns))).to_native()

    return table.asked(joined, "take labels of its records")


def check_free(columns: Sequence[str], added: Sequence[str], place: str) -> None:
    """Refuse a table with a column of a name that is added; most engines ignore case."""
    taken = {name.casefold(): name for name in columns}
    for name in added:
        if name.casefold() in taken:
            says = f"{place}: has a column {taken[name.casefold()]!r}, and {name!r} is the name of"
            raise InputError(f"{says} one that is added; rename it, or leave it out of the table")


def label_rows(given: Any, kept: Flags | None, blocks: Sequence[Labels]) -> Any:
    """A frame in memory with labels for each row that is `kept`: every row once for each block."""
    import narwhals.stable.v2 as nw

    frame = wrapped(given)
    check_free(frame.columns, list(blocks[0]), "original")
    if kept is not None:
        frame = frame.filter(kept.tolist())
    labelled = []
    for block in blocks:
        added = []
        for name, values in block.items():
            added.append(nw.Series.from_numpy(name, values, backend=frame.implementation))
        labelled.append(frame.with_columns(*added))
    return nw.concat(labelled).to_native()


def _in_polars(records: Any, pairs: Pairs, labels: pa.Table) -> Any:
    import polars as pl

    schema = records.collect_schema()
    types = [pl.col(key).cast(schema[field]) for field, key in pairs]
    fields, keys = map(list, zip(*pairs))
    how: dict[str, Any] = {"how": "left", "nulls_equal": True, "maintain_order": "left"}
    blocks = []
    for block in pl.DataFrame(labels).with_columns(types).partition_by("synthesis"):
        other = block.lazy() if isinstance(records, pl.LazyFrame) else block
        blocks.append(records.join(other, left_on=fields, right_on=keys, **how))
    return pl.concat(blocks)


def _in_duckdb(records: Any, pairs: Pairs, labels: pa.Table) -> Any:
    view = f"synthpop_records_{uuid4().hex}"  # later calls must not take it over
    keys = ", ".join(key for _, key in pairs)
    same = [f"records.{field} IS NOT DISTINCT FROM labels.{key}" for field, key in pairs]
    synthpop_labels = labels  # the query finds it under this name
    labelled = records.query(
        view,
        f"SELECT records.*, labels.* EXCLUDE ({keys}) FROM {view} AS records"
        f" LEFT JOIN synthpop_labels AS labels ON {' AND '.join(same)}",
    )
    del synthpop_labels
    return labelled


def _in_spark(records: Any, pairs: Pairs, labels: pa.Table) -> Any:
    from pyspark.sql import types

    kinds = {bool: types.BooleanType(), int: types.LongType()}
    schema = types.StructType()
    for field, key in pairs:
        schema.add(key, records.schema[field].dataType)
    for name in labels.column_names[len(pairs) :]:
        schema.add(name, kinds[type(labels.column(name)[0].as_py())])
    uploaded = records.sparkSession.createDataFrame(labels, schema)
    same = [records[field].eqNullSafe(uploaded[key]) for field, key in pairs]
    return records.join(uploaded, on=same, how="left").drop(*[key for _, key in pairs])


JOINS = {"polars": _in_polars, "duckdb": _in_duckdb, "pyspark": _in_spark}
