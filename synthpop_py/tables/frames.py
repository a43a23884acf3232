"""Frames of other libraries, through narwhals, which is imported where one is met: recognised,
brought to pandas through Arrow, and given back as they came. The frame given is never changed.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd

from ..errors import InputError
from .protocol import needed
from .reading import plain_series

if TYPE_CHECKING:
    import pyarrow as pa

# narwhals' own classes are generic over the native frame, which we do not know
Frame = Any
AnyFrame = Any  # a DataFrame of pandas, polars or Arrow: none of them is imported to name its type
FrameT = TypeVar("FrameT")  # a DataFrame of pandas, polars or Arrow

MARKS = ("to_pandas", "toPandas", "collect", "__arrow_c_stream__", "__narwhals_lazyframe__")
# what brings records over, for engines that do not call it .collect()
WAYS = {"duckdb": ".to_arrow_table()", "pyspark": ".toPandas()", "ibis": ".to_pyarrow()"}


def looks_like_frame(given: Any) -> bool:
    """Whether it can be turned into a table, by the names of its class alone."""
    return any(hasattr(type(given), mark) for mark in MARKS)


def is_foreign_frame(given: Any) -> bool:
    """Whether it is a table of another library that narwhals knows; none is imported."""
    if isinstance(given, pd.DataFrame) or not looks_like_frame(given):
        return False
    check_installed()
    import narwhals.stable.v2 as nw

    return isinstance(wrapped(given), (nw.DataFrame, nw.LazyFrame))


def check_installed() -> None:
    """An error that says what to install, where a package is missing."""
    for package in ("narwhals", "pyarrow"):
        needed("tables of other libraries than pandas", package, "frames")


def is_eager_frame(given: Any) -> bool:
    """Whether it is a frame of another library whose records are in memory."""
    return is_foreign_frame(given) and hasattr(wrapped(given), "to_arrow")


def is_lazy(given: Any) -> bool:
    """Whether an engine should count its records: polars counts its eager frames faster than we."""
    frame = wrapped(given)
    return not hasattr(frame, "to_arrow") or frame.implementation.is_polars()


def library_of(given: Any) -> str:
    """The name of the package that a table belongs to."""
    return type(given).__module__.partition(".")[0].lstrip("_")


def wrapped(given: Any) -> Frame:
    """The frame as narwhals sees it; unchanged if narwhals does not know its library."""
    import narwhals.stable.v2 as nw
    from narwhals.exceptions import DuplicateError

    try:
        return nw.from_native(given, pass_through=True)
    except DuplicateError:
        kind = f"{library_of(given)} {type(given).__name__}"
        says = f"some column names of a {kind} occur more than once; rename them"
        raise InputError(says) from None


def arrow_of(frame: Frame) -> pa.Table:
    """The records of a frame of narwhals, collected where they are not yet."""
    if not hasattr(frame, "to_arrow"):
        frame = frame.collect(backend="pyarrow")
    return frame.to_arrow()


def in_arrow_types(given: Any) -> pd.DataFrame:
    """A frame of another library in pandas, its columns in Arrow's types: no value changes."""
    table = arrow_of(wrapped(given)).unify_dictionaries()
    columns = map(pd.arrays.ArrowExtensionArray, table.columns)
    return _framed(dict(zip(table.column_names, columns)), len(table))


def _framed(columns: dict[str, Any], rows: int) -> pd.DataFrame:
    frame = pd.DataFrame(columns, index=pd.RangeIndex(rows))
    frame.columns = pd.Index(list(columns), dtype=object)
    return frame


def in_pandas(given: Any, argument: str) -> pd.DataFrame:
    """A frame of another library in pandas; an error for one whose records are in an engine."""
    if not is_eager_frame(given):
        raise not_collected(given, argument)
    frame = wrapped(given)
    columns = {}
    for name in frame.columns:
        try:
            column = plain_series(frame.select(name).to_arrow().column(0))
        except Exception as error:  # each library has errors of its own
            says = f"{argument}: column {name!r} has a type that pandas cannot hold; make it text"
            raise InputError(says, details={"reason": str(error)}) from None
        # polars calls every Enum ordered, even if it is meant only as a list of levels
        if frame.implementation.is_polars() and isinstance(column.dtype, pd.CategoricalDtype):
            column = column.cat.as_unordered()
        columns[name] = column
    return _framed(columns, len(frame))


def not_collected(given: Any, argument: str) -> InputError:
    """The error for records in an engine, where single records are needed."""
    native = getattr(given, "given", given)  # an EngineTable's own
    library = library_of(native)
    way = f"collect them first, with {WAYS.get(library, '.collect()')}"
    says = f"{argument}: the records of this {library} {type(native).__name__} are not collected"
    return InputError(f"{says}, and this function needs single records; {way}")


def plain_values(given: Any) -> Any:
    """A series of polars or Arrow as an array of pandas; anything else as it is."""
    if library_of(given) not in ("polars", "pyarrow") or is_foreign_frame(given):
        return given
    import pyarrow as pa

    arrow = given.to_arrow() if hasattr(given, "to_arrow") else given
    chunks = arrow if isinstance(arrow, pa.ChunkedArray) else pa.chunked_array([arrow])
    return plain_series(chunks).array


def give_back(
    frame: pd.DataFrame,
    like: FrameT,
    names_before: Mapping[Hashable, Hashable] | None = None,
    *,
    refit: bool = True,
) -> FrameT:
    """A frame of ours in the library of `like`. A column keeps the type it has there, perhaps by
    another name (`names_before`), if its values fit and it is of one sort, or `refit`.
    """
    if not is_foreign_frame(like):
        return frame  # type: ignore[no-any-return]
    import narwhals.stable.v2 as nw
    import pyarrow as pa

    source, before = wrapped(like), in_pandas(like, "data")
    schema, is_polars = source.to_arrow().schema, source.implementation.is_polars()
    arrays, finished = {}, []
    for name, column in frame.items():
        old_name, plain = (names_before or {}).get(name, name), column.reset_index(drop=True)
        arrays[str(name)] = pa.Array.from_pandas(plain)
        if old_name in before.columns:
            old, kind = before[old_name], schema.field(old_name).type
            same_type = old.dtype == plain.dtype
            # equal() finds 1 and 1.0 in numbers of two types alike
            if same_type and old.equals(plain):
                finished.append(source[old_name].alias(str(name)))
                continue
            if refit or same_type:
                arrays[str(name)] = _fitted(arrays[str(name)], kind, same_type)
        if is_polars and isinstance(plain.dtype, pd.CategoricalDtype):
            levels = plain.cat.categories.tolist()
            # polars' categories are texts; others came as the values they are
            if all(isinstance(level, str) for level in levels):
                finished.append(nw.col(str(name)).cast(nw.Enum(levels)))
    made = nw.from_arrow(pa.table(arrays), backend=source.implementation)
    return _as_given(made.with_columns(*finished), like)


def _as_given(frame: Frame, like: FrameT) -> FrameT:
    """A frame of narwhals as the user has theirs: one of narwhals, or that of the library."""
    is_wrapped = type(like).__module__.startswith("narwhals")
    return frame if is_wrapped else frame.to_native()  # type: ignore[no-any-return]


def _fitted(made: pa.Array, kind: pa.DataType, same_type: bool) -> pa.Array:
    """An array in a type of the same sort, where its values fit."""
    import pyarrow as pa

    types = pa.types
    numbers = [types.is_integer(one) or types.is_floating(one) for one in (made.type, kind)]
    times = [types.is_temporal(one) for one in (made.type, kind)]
    try:
        if pa.types.is_dictionary(made.type) and pa.types.is_dictionary(kind):
            indices = made.indices.cast(kind.index_type)
            levels = made.dictionary.cast(kind.value_type)
            return pa.DictionaryArray.from_arrays(indices, levels, ordered=made.type.ordered)
        if not (same_type or all(numbers) or all(times)):
            return made
        cast = made.cast(kind)
        return cast if cast.cast(made.type).equals(made) else made  # times are cut to dates
    except (ValueError, TypeError, ArithmeticError):
        return made  # they no longer fit


def owned(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame as it is now; later changes to the given frame do not affect it."""
    kept = frame.copy()
    kept.index = frame.index.copy(deep=True)  # its values could be written to as well
    return kept


def owned_values(given: Any) -> Any:
    """Values, or frames, safe from later changes, as far as their type is known."""
    if isinstance(given, pd.DataFrame):
        return owned(given)
    if isinstance(given, (np.ndarray, pd.Series, pd.Index)):
        return given.copy()
    if isinstance(given, Mapping):
        return {name: owned_values(values) for name, values in given.items()}
    if type(given) in (list, tuple):
        return type(given)(map(owned_values, given))
    # tables of Arrow cannot be changed
    if is_eager_frame(given) and not wrapped(given).implementation.is_pyarrow():
        return _as_given(wrapped(given).clone(), given)
    return given


def check_labels(argument: str, index: pd.Index, original: pd.DataFrame) -> None:
    """Raise an error if row labels contradict the comparison of rows by position."""
    if index.equals(original.index):
        return
    reset = "if the rows are in the same order, reset both with .reset_index(drop=True)"
    if index.is_unique and original.index.is_unique and index.isin(original.index).all():
        says = "has the original's row labels in another order; reorder them, for instance with"
        raise InputError(f"{argument}: {says} .loc[original.index], or {reset}")
    plain = pd.RangeIndex(len(original))  # default numbers say nothing
    if not index.equals(plain) and not original.index.equals(plain):
        raise InputError(f"{argument}: has row labels that differ from the original's; {reset}")
