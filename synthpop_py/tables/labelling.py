"""Labels joined to records where the records are stored. A label belongs to a distinct row of some
columns. It is sent to the engine once, and the result is a table of the engine's own kind: the
user's columns and the labels. Nothing is collected.

Joins use each engine's own rule for equal values, the one by which it grouped: one row there is one
row here. Missing equals missing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from ..core.arrays import Flags, Values
from ..errors import InputError
from .engine import Answer, EngineTable
from .narwhal import wrapped
from .spark import is_spark

if TYPE_CHECKING:
    import pyarrow as pa

TOTAL = "n"  # the records that a row of a frequency table stands for
JOINED = "synthpop_key_"  # with a number: names that no column has
WAY_OUT = "rename it, or leave it out of the table"

Labels = Mapping[str, Values]  # by name, one value for each distinct row


def rows_to_label(table: EngineTable, names: Sequence[Hashable]) -> Answer:
    """The distinct rows of these columns, with what `label_by` joins on."""
    if _engine(table) == "ibis":
        return _rows_of_ibis(table, names)
    return table.answer(names)


def label_by(
    table: EngineTable,
    names: Sequence[Hashable],
    rows: Answer,
    blocks: Sequence[Labels],
) -> Any:
    """The table with the labels of its rows, as the engine has tables: every record once for each
    block. A record that came after the rows were counted has no labels (missing).
    """
    engine = _engine(table)
    if engine not in JOINS:
        raise InputError(
            f"{table.place}: labels cannot be joined to tables of {engine}; give the data as a"
            f" pandas or polars data frame, or as a table of {', '.join(JOINS)}"
        )
    columns, added = table.names, list(blocks[0])
    any_case = engine != "polars"
    if table.counts not in (None, TOTAL):
        check_free(columns, [TOTAL], table.place, any_case=any_case)
        columns.append(TOTAL)
    check_free(columns, added, table.place, any_case=any_case)
    fields = [table.field(name) for name in names]
    labels = [_arrow_labels(rows.native, len(fields), block) for block in blocks]

    def joined() -> Any:
        records = table.native_records(TOTAL)
        return JOINS[engine](Join(records, fields, labels, added, [*columns, *added]))

    return table.asked(joined, "take labels of its records")


class Join(NamedTuple):
    """What every engine receives.

    Attributes
    ----------
    records : its own table.
    fields : names of the columns to join by.
    labels : one table of Arrow for each block; its columns are the values of `fields`, under names
        of ours, and the labels.
    added : names of the labels.
    columns : the user's names for the columns of the result.
    """

    records: Any
    fields: Sequence[str]
    labels: Sequence[pa.Table]
    added: Sequence[str]
    columns: Sequence[str]

    @property
    def joined_by(self) -> list[str]:
        return [f"{JOINED}{position}" for position in range(len(self.fields))]

    def all_labels(self) -> pa.Table:
        import pyarrow as pa

        return pa.concat_tables(self.labels)


def _arrow_labels(rows: pa.Table, keys: int, block: Labels) -> pa.Table:
    """The last `keys` columns of the rows are those to join by."""
    import pyarrow as pa

    columns: dict[str, Any] = {}
    for position, column in enumerate(rows.columns[-keys:]):
        columns[f"{JOINED}{position}"] = column
    for name, values in block.items():
        columns[name] = pa.array(values)
    return pa.table(columns)


def check_free(columns: Sequence[str], added: Sequence[str], place: str, *, any_case: bool) -> None:
    """Raise an error if a table already has a column with a name that is added; `any_case` if its
    engine treats "a" and "A" as one name.
    """
    written = str.casefold if any_case else str
    taken = {written(name): name for name in columns}
    for name in added:
        if written(name) in taken:
            raise InputError(
                f"{place}: has a column {taken[written(name)]!r}, and {name!r} is the name of one"
                f" that is added; {WAY_OUT}"
            )


def label_rows(given: Any, kept: Flags | None, blocks: Sequence[Labels]) -> Any:
    """A frame in memory with labels for each row, in its order, as its library has frames: every
    row once for each block. `kept` says which rows are labelled, None for all.
    """
    import narwhals.stable.v2 as nw

    frame = wrapped(given)
    check_free(frame.columns, list(blocks[0]), "original", any_case=False)
    if kept is not None:
        frame = frame.filter(kept.tolist())
    labelled = []
    for block in blocks:
        columns = [
            nw.Series.from_numpy(name, values, backend=frame.implementation)
            for name, values in block.items()
        ]
        labelled.append(frame.with_columns(*columns))
    return nw.concat(labelled).to_native()


# ---- one function for each engine ----------------------------------------------------


def _in_polars(join: Join) -> Any:
    import polars as pl

    schema = join.records.collect_schema()
    own_types = [pl.col(key).cast(schema[field]) for key, field in zip(join.joined_by, join.fields)]
    blocks = []
    for labels in join.labels:
        uploaded = pl.DataFrame(labels).with_columns(own_types)
        labelled = join.records.join(
            uploaded.lazy() if isinstance(join.records, pl.LazyFrame) else uploaded,
            left_on=list(join.fields),
            right_on=join.joined_by,
            how="left",
            nulls_equal=True,
            maintain_order="left",
        )
        blocks.append(labelled)
    return pl.concat(blocks)


def _in_duckdb(join: Join) -> Any:
    # the query finds the labels under the name of this variable
    synthpop_labels = join.all_labels()
    view = f"synthpop_records_{uuid4().hex}"  # later calls must not take it over
    added = ", ".join(f"labels.{_quoted(name)}" for name in join.added)
    same = " AND ".join(
        f"records.{_quoted(field)} IS NOT DISTINCT FROM labels.{key}"
        for key, field in zip(join.joined_by, join.fields)
    )
    labelled = join.records.query(
        view,
        f"SELECT records.*, {added} FROM {view} AS records"
        f" LEFT JOIN synthpop_labels AS labels ON {same}",
    )
    del synthpop_labels
    return labelled


def _quoted(name: str) -> str:
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


def _in_spark(join: Join) -> Any:
    from pyspark.sql import types

    records = join.records
    kinds = {bool: types.BooleanType(), int: types.LongType()}
    labels = join.all_labels()
    schema = types.StructType()
    for key, field in zip(join.joined_by, join.fields):
        schema.add(key, records.schema[field].dataType)
    for name in join.added:
        schema.add(name, kinds[type(labels.column(name)[0].as_py())])
    uploaded = records.sparkSession.createDataFrame(labels, schema)
    same = [
        records[field].eqNullSafe(uploaded[key]) for key, field in zip(join.joined_by, join.fields)
    ]
    labelled = records.join(uploaded, on=same, how="left").drop(*join.joined_by)
    return labelled.toDF(*join.columns)


def _in_ibis(join: Join) -> Any:
    """Equality of filled columns, and of whether they are filled: databases look up `=`, but go
    through all labels for each record where NULL has to be equal to NULL.
    """
    import ibis

    records = join.records
    filled, fillers = _filled(join.all_labels(), join.joined_by)
    uploaded = ibis.memtable(filled)  # goes to a temporary table when it is first asked for
    same = []
    for key, field in zip(join.joined_by, join.fields):
        form = _form(records, field)
        if key in fillers:
            same.append(form.isnull() == uploaded[_gap(key)])
            form = form.fill_null(fillers[key])
        same.append(form == uploaded[key])
    ours = [*join.joined_by, *map(_gap, fillers)]
    return records.left_join(uploaded, same).drop(*ours)


def _rows_of_ibis(table: EngineTable, names: Sequence[Hashable]) -> Answer:
    """A database may not accept a decimal or a time as it gave it out. So it joins by forms that
    survive the round trip, and computes them itself.
    """
    forms = {}
    for position, name in enumerate(names):
        forms[f"{JOINED}{position}"] = _form(table.given, table.field(name))
    return table.answer(names, extended=table.given.mutate(**forms), beside=list(forms))


def _form(records: Any, field: str) -> Any:
    """A column as text, number or yes and no."""
    column = records[field]
    kind = column.type()
    is_number = kind.is_integer() or kind.is_floating()
    if is_number or kind.is_boolean() or kind.is_string():
        return column
    return column.cast("string")


def _filled(labels: pa.Table, keys: Sequence[str]) -> tuple[pa.Table, dict[str, Any]]:
    """The labels with a value in place of missing ones, and a column that marks them; and that
    value for each column to join by that has missing values.
    """
    import pyarrow as pa

    fillers: dict[str, Any] = {}
    for position, key in enumerate(keys):
        column = labels.column(key)
        if not column.null_count:
            continue
        filler = "" if pa.types.is_string(column.type) else pa.scalar(0).cast(column.type).as_py()
        fillers[key] = filler
        labels = labels.set_column(position, key, column.fill_null(filler))
        labels = labels.append_column(_gap(key), column.is_null())
    return labels, fillers


def _gap(key: str) -> str:
    return f"{key}_missing"


def _engine(table: EngineTable) -> str:
    if is_spark(table.given):
        return "pyspark"
    return str(wrapped(table.given).implementation.value)


JOINS: dict[str, Callable[[Join], Any]] = {
    "polars": _in_polars,
    "duckdb": _in_duckdb,
    "pyspark": _in_spark,
    "ibis": _in_ibis,
}
