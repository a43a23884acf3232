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
from .frames import wrapped

if TYPE_CHECKING:
    import pyarrow as pa

TOTAL = "n"  # the records that a row of a frequency table stands for
JOINED = "synthpop_key_"  # with a number: what the columns to join by are called beside the labels

Labels = Mapping[str, Values]  # by name, one value for each distinct row


class Join(NamedTuple):
    """What every engine receives.

    Attributes
    ----------
    records : its own table, under our names.
    fields : the columns to join by.
    keys : what they are called in the labels.
    labels : one table of Arrow for each block.
    """

    records: Any
    fields: Sequence[str]
    keys: Sequence[str]
    labels: Sequence[pa.Table]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return list(zip(self.fields, self.keys))

    def all_labels(self) -> pa.Table:
        import pyarrow as pa

        return pa.concat_tables(self.labels)


def rows_to_label(table: EngineTable, names: Sequence[Hashable]) -> Answer:
    """The distinct rows of these columns, with what `label_by` joins on."""
    if _engine(table) != "ibis":
        return table.answer(names)
    # a database may not accept a decimal or a time as it gave it out: it joins by forms that
    # survive the round trip, and computes them itself
    forms = {}
    for at, name in enumerate(names):
        forms[f"{JOINED}{at}"] = _form(table.renamed, table.field(name))
    return table.answer(names, beside=forms)


def label_by(
    table: EngineTable, names: Sequence[Hashable], rows: Answer, blocks: Sequence[Labels]
) -> Any:
    """The table with the labels of its rows, as the engine has tables: every record once for each
    block. A record that came after the rows were counted has no labels (missing).
    """
    import pyarrow as pa

    engine = _engine(table)
    if engine not in JOINS:
        raise InputError(
            f"{table.place}: labels cannot be joined to tables of {engine}; give the data as a"
            f" pandas or polars data frame, or as a table of {', '.join(JOINS)}"
        )
    added = list(blocks[0])
    if table.counts not in (None, TOTAL):
        added.insert(0, TOTAL)
    check_free(table.names, added, table.place, any_case=engine != "polars")
    fields = [table.field(name) for name in names]
    keys = [f"{JOINED}{at}" for at in range(len(names))]
    columns = dict(zip(keys, rows.native.columns[-len(names) :]))
    labels = []
    for block in blocks:
        values = {name: pa.array(array) for name, array in block.items()}
        labels.append(pa.table({**columns, **values}))

    def joined() -> Any:
        records = table.native_records(TOTAL)
        labelled = JOINS[engine](Join(records, fields, keys, labels))
        columns = [*table.names, *added]
        if engine == "pyspark":
            return labelled.toDF(*columns)
        frame = wrapped(labelled)
        return frame.rename(dict(zip(frame.collect_schema().names(), columns))).to_native()

    return table.asked(joined, "take labels of its records")


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
                " that is added; rename it, or leave it out of the table"
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
    own_types = [pl.col(key).cast(schema[field]) for field, key in join.pairs]
    blocks = []
    for labels in join.labels:
        uploaded = pl.DataFrame(labels).with_columns(own_types)
        labelled = join.records.join(
            uploaded.lazy() if isinstance(join.records, pl.LazyFrame) else uploaded,
            left_on=list(join.fields),
            right_on=list(join.keys),
            how="left",
            nulls_equal=True,
            maintain_order="left",
        )
        blocks.append(labelled)
    return pl.concat(blocks)


def _in_duckdb(join: Join) -> Any:
    synthpop_labels = join.all_labels()  # the query finds it under this name
    view = f"synthpop_records_{uuid4().hex}"  # later calls must not take it over
    same = [f"records.{field} IS NOT DISTINCT FROM labels.{key}" for field, key in join.pairs]
    labelled = join.records.query(
        view,
        f"SELECT records.*, labels.* EXCLUDE ({', '.join(join.keys)}) FROM {view} AS records"
        f" LEFT JOIN synthpop_labels AS labels ON {' AND '.join(same)}",
    )
    del synthpop_labels
    return labelled


def _in_spark(join: Join) -> Any:
    from pyspark.sql import types

    records = join.records
    kinds = {bool: types.BooleanType(), int: types.LongType()}
    labels = join.all_labels()
    schema = types.StructType()
    for field, key in join.pairs:
        schema.add(key, records.schema[field].dataType)
    for name in labels.column_names[len(join.keys) :]:
        schema.add(name, kinds[type(labels.column(name)[0].as_py())])
    uploaded = records.sparkSession.createDataFrame(labels, schema)
    same = [records[field].eqNullSafe(uploaded[key]) for field, key in join.pairs]
    return records.join(uploaded, on=same, how="left").drop(*join.keys)


def _in_ibis(join: Join) -> Any:
    """Equality of filled columns, and of whether they are filled: databases look up `=`, but go
    through all labels for each record where NULL has to be equal to NULL.
    """
    import ibis
    import pyarrow as pa

    labels = join.all_labels()
    fillers: dict[str, Any] = {}
    for at, key in enumerate(join.keys):
        column = labels.column(key)
        if column.null_count:
            is_text = pa.types.is_string(column.type)
            fillers[key] = "" if is_text else pa.scalar(0).cast(column.type).as_py()
            labels = labels.set_column(at, key, column.fill_null(fillers[key]))
            labels = labels.append_column(f"{key}_missing", column.is_null())
    uploaded = ibis.memtable(labels)  # goes to a temporary table when it is first asked for
    same = []
    for field, key in join.pairs:
        form = _form(join.records, field)
        if key in fillers:
            same.append(form.isnull() == uploaded[f"{key}_missing"])
            form = form.fill_null(fillers[key])
        same.append(form == uploaded[key])
    gaps = [f"{key}_missing" for key in fillers]
    return join.records.left_join(uploaded, same).drop(*join.keys, *gaps)


def _form(records: Any, field: str) -> Any:
    """A column as text, number or yes and no."""
    column = records[field]
    kind = column.type()
    is_number = kind.is_integer() or kind.is_floating()
    if is_number or kind.is_boolean() or kind.is_string():
        return column
    return column.cast("string")


def _engine(table: EngineTable) -> str:
    engine = str(wrapped(table.renamed).implementation.value)
    return "pyspark" if engine.startswith("pyspark") else engine


JOINS: dict[str, Callable[[Join], Any]] = {
    "polars": _in_polars,
    "duckdb": _in_duckdb,
    "pyspark": _in_spark,
    "ibis": _in_ibis,
}
