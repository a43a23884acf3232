"""Eager frames of other libraries for methods that look at single records: in pandas, and back.

The conversion goes through Arrow. Categories keep their levels and order, integers and truth values
keep their types even if some are missing, dates become moments at midnight, decimals stay Python's.
So a function sees the same data as in pandas, and the frame given is never changed.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd

from ..errors import InputError
from .narwhal import Frame, is_eager_frame, is_foreign_frame, library_of, unwrapped, wrapped

if TYPE_CHECKING:
    import pyarrow as pa

# what brings records over, for engines that do not call it .collect()
WAYS = {"duckdb": ".to_arrow_table()", "pyspark": ".toPandas()", "ibis": ".to_pyarrow()"}
Pair = tuple["pa.ChunkedArray", pd.Series]  # a column in Arrow, and in pandas
FrameT = TypeVar("FrameT")  # a DataFrame of pandas, polars or Arrow


def in_pandas(given: Any, argument: str) -> pd.DataFrame:
    """A frame of another library in pandas; an error for one whose records are in an engine.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [30, None], "sex": pa.array(["f", "m"]).dictionary_encode()})
    >>> in_pandas(people, "data").dtypes.map(str).to_dict()
    {'age': 'Int64', 'sex': 'category'}
    """
    if not is_eager_frame(given):
        raise not_collected(given, argument)
    frame = wrapped(given)
    try:
        columns = _plain_columns(frame)
    except Exception as error:  # each library has errors of its own
        raise InputError(
            f"{argument}: {_without_counterpart(frame)} has a type that pandas cannot hold; "
            "make it text, a number or a date, or leave it out",
            details={"reason": str(error)},
        ) from None
    plain = pd.DataFrame(dict(enumerate(columns)), index=pd.RangeIndex(len(frame)))
    plain.columns = pd.Index(frame.columns, dtype=object)
    return plain


def _plain_columns(frame: Frame) -> list[pd.Series]:
    columns = [plain_column(values) for values in frame.to_arrow().columns]
    if frame.implementation.is_polars():
        return [_unordered(column) for column in columns]
    return columns


def _without_counterpart(frame: Frame) -> str:
    """The first column that pandas has nothing for, as messages call it."""
    for name in frame.columns:
        try:
            _plain_columns(frame.select(name))
        except Exception:
            return f"column {name!r}"
    return "a column"


def _unordered(column: pd.Series) -> pd.Series:
    """polars calls every Enum ordered, even if it is meant only as a list of levels."""
    if not isinstance(column.dtype, pd.CategoricalDtype):
        return column
    return column.cat.as_unordered()


def not_collected(given: Any, argument: str) -> InputError:
    """The error for records in an engine, where single records are needed."""
    native = getattr(given, "given", given)  # an EngineTable's own
    library = library_of(native)
    way = WAYS.get(library, ".collect()")
    return InputError(
        f"{argument}: the records of this {library} {type(native).__name__} are not "
        f"collected, and this function needs single records; collect them first, with {way}"
    )


def plain_column(values: pa.ChunkedArray) -> pd.Series:
    """A column of Arrow in pandas' own types."""
    import pyarrow as pa

    kind = values.type
    if pa.types.is_dictionary(kind):
        values = values.unify_dictionaries()
    elif values.null_count and (pa.types.is_integer(kind) or pa.types.is_boolean(kind)):
        return _with_gaps(values)
    return pd.Series(values.to_pandas(date_as_object=False))


def _with_gaps(values: pa.ChunkedArray) -> pd.Series:
    """Whole numbers or truth values of which some are missing, as such."""
    import pyarrow as pa

    truths = pa.types.is_boolean(values.type)
    known = np.asarray(values.fill_null(False if truths else 0))
    missing = np.asarray(values.is_null())
    array = pd.arrays.BooleanArray if truths else pd.arrays.IntegerArray
    return pd.Series(array(known, missing))


def plain_values(given: Any) -> Any:
    """One value for each record: a series of polars or Arrow as an array of pandas, anything else
    as it is.
    """
    if library_of(given) not in ("polars", "pyarrow") or is_foreign_frame(given):
        return given
    import pyarrow as pa

    arrow = given.to_arrow() if hasattr(given, "to_arrow") else given
    chunks = arrow if isinstance(arrow, pa.ChunkedArray) else pa.chunked_array([arrow])
    return plain_column(chunks).array


# ---- back ----------------------------------------------------------------------------


def give_back(
    frame: pd.DataFrame,
    like: FrameT,
    names_before: Mapping[Hashable, Hashable] | None = None,
    *,
    refit: bool = True,
) -> FrameT:
    """A frame of ours in the library of `like`; as it is where that is pandas.

    A column keeps the type it has in `like` where its values still fit; `names_before` says what
    renamed columns are called there. Without `refit`, integers that became floats stay floats. Row
    labels exist only in pandas and are dropped.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"age": pa.array([30, 40], pa.int8()), "sex": ["f", "m"]})
    >>> older = give_back(pd.DataFrame({"age": [31.0, 41.0], "flag": ["x", "y"]}), people)
    >>> older.schema.field("age").type, older["age"].to_pylist()
    (DataType(int8), [31, 41])
    """
    if not is_foreign_frame(like):
        as_it_is: FrameT = frame
        return as_it_is
    import narwhals.stable.v2 as nw
    import pyarrow as pa

    source = wrapped(like)
    pairs = _pairs(frame, like, source.to_arrow(), dict(names_before or {}))
    arrays = [_arrow_column(frame[name], pairs.get(name), refit) for name in frame.columns]
    table = pa.table(arrays, names=[str(name) for name in frame.columns])
    made = nw.from_arrow(table, backend=source.implementation)
    if source.implementation.is_polars():
        made = made.with_columns(*_enums(frame, pairs))
    given_back: FrameT = unwrapped(made, like)
    return given_back


def give_back_sets(
    frames: Sequence[pd.DataFrame], likes: Sequence[Any], *, refit: bool = True
) -> list[Any]:
    """Several frames, each in its own library."""
    return [give_back(frame, like, refit=refit) for frame, like in zip(frames, likes, strict=True)]


def _pairs(
    frame: pd.DataFrame, like: Any, table: pa.Table, names_before: Mapping[Hashable, Hashable]
) -> dict[Hashable, Pair]:
    """For each column of a new frame what it was before, in Arrow and in pandas."""
    before = in_pandas(like, "data")
    pairs = {}
    for name in frame.columns:
        old_name = names_before.get(name, name)
        if old_name in before.columns:
            pairs[name] = table.column(old_name), before[old_name]
    return pairs


def _arrow_column(
    series: pd.Series, before: Pair | None, refit: bool
) -> pa.ChunkedArray | pa.Array:
    import pyarrow as pa

    plain = series.reset_index(drop=True)
    if before is None:
        return pa.Array.from_pandas(plain)
    values, old = before
    # equal() finds 1 and 1.0 in numbers of two types alike
    if old.dtype == plain.dtype and old.equals(plain):
        return values
    if isinstance(plain.dtype, pd.CategoricalDtype):
        return _dictionary(plain, values.type)
    if (refit or old.dtype == plain.dtype) and _may_keep(values.type, plain, old):
        try:
            return pa.Array.from_pandas(plain, type=values.type)
        except (ValueError, TypeError, ArithmeticError):
            pass  # they no longer fit
    return pa.Array.from_pandas(plain)


def _may_keep(kind: pa.DataType, series: pd.Series, old: pd.Series) -> bool:
    """Whether Arrow may be asked to write these values in this type: it refuses numbers that do not
    fit, but cuts times to dates.
    """
    import pyarrow as pa

    if pa.types.is_date(kind):
        if not pd.api.types.is_datetime64_any_dtype(series.dtype):
            return False
        moments = series.dropna()
        return bool((moments == moments.dt.normalize()).all())
    if series.dtype == old.dtype:
        return True
    is_number = pd.api.types.is_numeric_dtype(series.dtype)
    if not is_number or pd.api.types.is_bool_dtype(series.dtype):
        return False
    return bool(pa.types.is_integer(kind) or kind == pa.float64())


def _dictionary(series: pd.Series, kind: pa.DataType) -> pa.DictionaryArray:
    """Categories with their levels in order; in the types of the dictionary that was given, where
    it was one.
    """
    import pyarrow as pa

    made = pa.Array.from_pandas(series)
    if not pa.types.is_dictionary(kind):
        return made
    try:
        indices = made.indices.cast(kind.index_type)
        levels = made.dictionary.cast(kind.value_type)
    except (ValueError, TypeError):
        return made
    return pa.DictionaryArray.from_arrays(indices, levels, ordered=bool(series.cat.ordered))


def _enums(frame: pd.DataFrame, pairs: Mapping[Hashable, Pair]) -> Iterator[Any]:
    """Categories as polars' Enum, which keeps levels and their order; a Categorical stays one where
    its levels are those it had.
    """
    import narwhals.stable.v2 as nw

    for name in frame.columns:
        column = frame[name]
        if not isinstance(column.dtype, pd.CategoricalDtype):
            continue
        levels = column.cat.categories.tolist()
        if not all(isinstance(level, str) for level in levels):
            continue  # polars' categories are texts; others came as the values they are
        was_enum, old_levels = _levels_before(pairs.get(name))
        if was_enum or levels != old_levels:
            yield nw.col(str(name)).cast(nw.Enum(levels))


def _levels_before(before: Pair | None) -> tuple[bool, list[Any] | None]:
    """Whether a column of polars was an Enum, which Arrow sees as ordered, and its levels."""
    if before is None or not isinstance(before[1].dtype, pd.CategoricalDtype):
        return False, None
    values, old = before
    return bool(values.type.ordered), old.cat.categories.tolist()
