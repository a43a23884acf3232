"""Labels joined to records where the records are stored. A label belongs to a distinct row of some
columns. It is sent to the engine once, and the result is a table of the engine's own kind: the
user's columns and the labels. Nothing is collected.

Joins use each engine's own rule for equal values, the one by which it grouped: one row there is one
row here. Missing equals missing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
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
Pairs = Sequence[tuple[str, str]]  # a column to join by, and what it is called beside the labels


def label_by(
    table: EngineTable, names: Sequence[Hashable], rows: Answer, blocks: Sequence[Labels]
) -> Any:
    """The table with the labels of its rows, as the engine has tables: every record once for each
    block. A record that came after the rows were counted has no labels (missing).
    """
    import pyarrow as pa

    engine = table.engine
    added = list(blocks[0])
    if table.counts not in (None, TOTAL):
        added.insert(0, TOTAL)
    check_free(table.names, added, table.place, any_case=engine != "polars")
    pairs = [(table.field(name), f"{JOINED}{at}") for at, name in enumerate(names)]
    keys = dict(zip([key for _, key in pairs], rows.native.columns))
    labels = []
    for block in blocks:
        labels.append(pa.table({**keys, **{name: pa.array(block[name]) for name in block}}))

    def joined() -> Any:
        labelled = JOINS[engine](table.native_records(TOTAL), pairs, pa.concat_tables(labels))
        columns = [*table.names, *added]
        if engine == "pyspark":
            return labelled.toDF(*columns)
        frame = wrapped(labelled)
        return frame.rename(dict(zip(frame.collect_schema().names(), columns))).to_native()

    return table.asked(joined, "take labels of its records")


def check_joinable(table: EngineTable) -> None:
    """Raise an error for an engine that labels cannot be joined in."""
    if table.engine not in JOINS:
        raise InputError(
            f"{table.place}: labels cannot be joined to tables of {table.engine}; give the data as"
            " a data frame of pandas or polars, or as a table of DuckDB or Spark"
        )


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


def _in_polars(records: Any, pairs: Pairs, labels: pa.Table) -> Any:
    import polars as pl

    schema = records.collect_schema()
    uploaded = pl.DataFrame(labels).with_columns(
        [pl.col(key).cast(schema[field]) for field, key in pairs]
    )
    blocks = []
    for block in uploaded.partition_by("synthesis", maintain_order=True):
        labelled = records.join(
            block.lazy() if isinstance(records, pl.LazyFrame) else block,
            left_on=[field for field, _ in pairs],
            right_on=[key for _, key in pairs],
            how="left",
            nulls_equal=True,
            maintain_order="left",
        )
        blocks.append(labelled)
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


JOINS: dict[str, Callable[[Any, Pairs, Any], Any]] = {
    "polars": _in_polars,
    "duckdb": _in_duckdb,
    "pyspark": _in_spark,
}
