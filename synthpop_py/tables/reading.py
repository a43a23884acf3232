"""Data frames of pandas: the table they are, and their columns as our arrays. Rows are passed on as
they are: grouping them would take longer than what follows.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.arrays import Flags, Integers, Values
from ..core.columns import Column, Kind
from ..core.levels import exact_level_texts
from ..core.numerals import EXACT_DOUBLE, LARGEST_WHOLE
from ..errors import InputError, unknown_name
from .protocol import NO_COUNTS, TOO_MANY, Counted, Opened, Origin

if TYPE_CHECKING:
    import pyarrow as pa

DAYS_OF_NANOSECONDS = 106_000  # what 64 bits of nanoseconds can hold, either way from 1970
LAST_DAY = np.datetime64("9999-12-31")
TOO_LARGE = (
    "{}: holds whole numbers beyond 64 bits, which cannot be told apart as numbers; convert it to"
    " text, for instance with .astype(str) or CAST"
)
NUMBERS: dict[str, Kind] = {"b": "logical", "i": "integer", "u": "integer", "f": "double"}
# what pandas calls columns of Python's numbers
OBJECTS: dict[str, Kind] = {"boolean": "logical", "integer": "integer"}
OBJECTS |= dict.fromkeys(("floating", "mixed-integer-float", "decimal"), "double")


class FrameTable(Opened):
    """A data frame of pandas; `counts` and `origin` as in `EngineTable`."""

    keeps_rows = True

    def __init__(
        self,
        frame: pd.DataFrame,
        place: str,
        counts: Hashable | None = None,
        origin: Origin | None = None,
    ) -> None:
        self.given, self.place, self.counts, self.origin = frame, place, counts, origin
        self.columns: list[Hashable] = frame.columns.tolist()
        check_distinct(self.columns, place)
        self.rows = self.records = len(frame)
        self._read: dict[Hashable, Column] = {}
        self._n: Integers | None = None
        self.kept: Flags | None = None  # rows that stand for at least one record
        if counts is not None:
            self._read_counts(counts)

    def opened_as(self, counts: Hashable | None) -> FrameTable:
        """The same table, with a column of counts where there is one."""
        if counts == self.counts:
            return self
        return FrameTable(self.given, self.place, counts, self.origin)

    def count_by(self, names: Sequence[Hashable]) -> Counted:
        for name in names:
            if name in self._read:
                continue
            series = self.given[name] if self.kept is None else self.given[name][self.kept]
            self._read[name] = read_column(series, f"{self.place}, column {name!r}")
        return Counted({name: self._read[name] for name in names}, self._n, self.rows)

    def _read_counts(self, counts: Hashable) -> None:
        if counts not in self.columns:
            raise unknown_name("counts", counts, self.columns, self.place)
        self.columns.remove(counts)
        what = f"counts: column {counts!r} of {self.place}"
        column = read_column(self.given[counts], f"{self.place}, column {counts!r}")
        n = whole_counts(column, what)
        if sum(n.tolist()) > LARGEST_WHOLE:
            raise InputError(TOO_MANY.format(what))
        # a row without records must not add a level or a cell
        self.kept = n > 0
        n = n[self.kept]
        self._n, self.rows, self.records = n, len(n), int(n.sum())


def whole_counts(column: Column, what: str) -> Integers:
    """The records that rows stand for."""
    if column.is_number and column.missing is None:
        n = column.values.astype(np.int64)
        if (n == column.values).all() and (n >= 0).all():
            return n
    raise InputError(NO_COUNTS.format(what))


def check_distinct(names: Sequence[Hashable], place: str) -> None:
    """Raise an error if two columns have one name."""
    if len(set(names)) < len(names):
        twice = sorted({str(name) for name in names if names.count(name) > 1})
        says = f"the column names {', '.join(twice)} occur more than once; rename them"
        raise InputError(f"{place}: {says}")


def read_column(series: pd.Series, where: str) -> Column:
    """A pandas column as R would see it; `where` names it in messages."""
    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _categorical(series.array, where)
    if isinstance(dtype, pd.ArrowDtype):
        return read_arrow(series.array.__arrow_array__(), where)
    # types of pandas' own have these letters too
    if dtype.kind in NUMBERS:
        return _numbers(series, NUMBERS[dtype.kind], where)
    if dtype.kind == "M":
        return _moments(series, where)
    if dtype.kind == "m":
        return _nanoseconds("duration", series.to_numpy(), series.isna().to_numpy(), where)
    if pd.api.types.is_string_dtype(dtype) or dtype == object:
        return _objects(series, where)
    way = "convert it to text, a number, a date or a category"
    raise InputError(f"{where}: columns of type {dtype} cannot be compared; {way}")


def read_arrow(values: pa.ChunkedArray, where: str) -> Column:
    """The same for a column of Arrow, which numbers texts without making an object of each."""
    import pyarrow as pa  # at hand, since there is such a column

    kinds = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    if not any(is_kind(values.type) for is_kind in kinds):
        return read_column(_in_own_types(values, where), where)
    numbered = values.dictionary_encode().unify_dictionaries().combine_chunks()
    codes = np.asarray(numbered.indices.fill_null(-1))
    return Column("character", codes, _gaps(codes < 0), tuple(numbered.dictionary.to_pylist()))


def _in_own_types(values: pa.ChunkedArray, where: str) -> pd.Series:
    import pyarrow as pa

    try:
        plain = plain_series(values)
        # an engine's date without end is no day
        is_local = isinstance(plain.dtype, np.dtype) and plain.dtype.kind == "M"
        if is_local and (plain.to_numpy().astype("M8[D]") > LAST_DAY).any():
            raise OverflowError
    except (pa.ArrowException, ValueError, OverflowError):
        says = f"holds values of type {pd.ArrowDtype(values.type)} that pandas cannot hold"
        raise InputError(f"{where}: {says}; make them dates, numbers or text") from None
    return plain


def plain_series(values: pa.ChunkedArray) -> pd.Series:
    """A column of Arrow in pandas' own types; whole numbers with gaps stay whole."""
    import pyarrow as pa

    if pa.types.is_dictionary(values.type):
        values = values.unify_dictionaries()
    truths = pa.types.is_boolean(values.type)
    if values.null_count and (truths or pa.types.is_integer(values.type)):
        known = np.asarray(values.fill_null(False if truths else 0))
        array = pd.arrays.BooleanArray if truths else pd.arrays.IntegerArray
        return pd.Series(array(known, np.asarray(values.is_null())))
    return pd.Series(values.to_pandas(date_as_object=False))


def _gaps(missing: Flags) -> Flags | None:
    return missing if missing.any() else None


def _numbers(series: pd.Series, kind: Kind, where: str) -> Column:
    """Numbers, copied only where needed."""
    missing = None
    if isinstance(series.dtype, np.dtype):
        values = series.to_numpy()
    else:  # a type of pandas, which marks what is missing
        stored = getattr(series.dtype, "numpy_dtype", None) or series.dtype.subtype
        missing = series.isna().to_numpy()
        values = series.to_numpy(stored, **({"na_value": 0} if missing.any() else {}))
    # beyond 64 bits with a sign, different numbers would become one
    if values.dtype.kind == "u" and len(values) and values.max() > LARGEST_WHOLE:
        raise InputError(TOO_LARGE.format(where))
    if kind == "double":
        if values.dtype.itemsize < 8:  # 0.1 stays 0.1, not 0.10000000149
            distinct, place = np.unique(values, return_inverse=True)
            values = np.array([float(str(value)) for value in distinct])[place.reshape(-1)]
        values = values.astype(np.float64, copy=False)
        not_numbers = np.isnan(values)
        missing = not_numbers if missing is None else missing | not_numbers
    elif kind == "logical" or values.dtype == np.uint64:
        values = values.astype(np.int64)
    return Column(kind, values, None if missing is None else _gaps(missing))


def _categorical(array: pd.Categorical, where: str) -> Column:
    codes, categories = array.codes, array.categories
    labels = tuple(categories.tolist())
    # the common case at once: calls read the levels of every factor
    if set(map(type, labels)) == {str}:
        return Column("factor", codes, _gaps(codes < 0), labels)
    numbers = False
    try:  # the texts that R gives to a column of such values
        column = read_column(pd.Series(categories), where)
        numbers = column.is_number
        if column.is_text:
            labels = column.labels
        else:
            labels = tuple(exact_level_texts(column.kind, column.values))
    except InputError:  # intervals, or a type of its own for each
        labels = tuple(map(str, labels))
    if len(set(labels)) < len(labels):
        twice = {label for label in labels if labels.count(label) > 1}
        says = "two categories have the same text; rename one (it is in the error's details)"
        raise InputError(f"{where}: {says}", details={"levels": tuple(sorted(twice))})
    return Column("factor", codes, _gaps(codes < 0), labels, number_labels=numbers)


def _moments(series: pd.Series, where: str) -> Column:
    """Dates where every value is a midnight (R's Date), else times."""
    missing = series.isna().to_numpy()
    # a moment with a time zone is never a mere date, even at midnight
    local = series.dt.tz is None
    plain = series if local else series.dt.tz_convert("UTC").dt.tz_localize(None)
    moments = plain.to_numpy()
    days = moments.astype("datetime64[D]")
    if local and (moments[~missing] == days[~missing]).all():
        return Column("date", np.where(missing, 0, days.astype("int64")), _gaps(missing))
    return _nanoseconds("time", moments, missing, where)


def _nanoseconds(kind: Kind, values: Values, missing: Flags, where: str) -> Column:
    """Times or durations; those too far for 64 bits are refused."""
    letter = values.dtype.kind
    days = values[~missing].astype(f"{letter}8[D]").astype("int64")
    if (np.abs(days) > DAYS_OF_NANOSECONDS).any():
        says = "holds times outside the years 1678 to 2261, or durations beyond 292 years"
        raise InputError(f"{where}: {says}; make them dates, numbers or text")
    whole = values.astype(f"{letter}8[ns]").astype("int64")
    return Column(kind, np.where(missing, 0, whole), _gaps(missing))


def _objects(series: pd.Series, where: str) -> Column:
    """Text, or a column of Python objects that are all of one kind."""
    missing = series.isna().to_numpy()
    known = series[~missing]
    kind = pd.api.types.infer_dtype(known, skipna=True)
    if kind in ("string", "empty"):
        codes, texts = pd.factorize(series)
        return Column("character", codes, _gaps(missing), tuple(map(str, texts)))
    if kind in OBJECTS:
        number: Kind = OBJECTS[kind]
        # whole numbers, at least one of them too long for a double
        if kind == "decimal" and all(value == value.to_integral_value() for value in known):
            number = "integer" if any(abs(value) > EXACT_DOUBLE for value in known) else number
        values = np.zeros(len(missing), dtype=np.float64 if number == "double" else np.int64)
        try:
            values[~missing] = known.to_numpy(dtype=values.dtype)
        except OverflowError:
            raise InputError(TOO_LARGE.format(where)) from None
        return Column(number, values, _gaps(missing))
    # pandas says "date" also where some are times, which are dates to Python
    if kind == "date" and not any(isinstance(value, datetime) for value in known):
        days = np.zeros(len(series), dtype="datetime64[D]")
        days[~missing] = known.to_numpy(dtype="datetime64[D]")
        return Column("date", days.astype("int64"), _gaps(missing))
    if kind in ("date", "datetime", "datetime64"):
        try:
            return _moments(pd.to_datetime(series), where)
        except (ValueError, AttributeError, OverflowError) as error:  # which may quote a value
            if isinstance(error, InputError):
                raise
            says = "holds dates and times that cannot be compared; give them one time zone"
            raise InputError(f"{where}: {says}", details={"reason": str(error)}) from None
    if kind in ("timedelta", "timedelta64"):
        return read_column(pd.to_timedelta(series), where)
    what = "holds values that cannot be compared"
    if kind.startswith("mixed"):
        what = "mixes values of different types"
    way = "make it all text or all numbers, for instance with .astype(str)"
    raise InputError(f"{where}: {what} ({kind}); {way}")


def checked_levels(levels: Any) -> dict[Hashable, tuple[str, ...]]:
    """Levels by column, or a clear error; whether there are such columns is checked elsewhere."""
    if levels is not None and not isinstance(levels, Mapping):
        way = "give levels by column, as in {'size': ['small', 'large']}"
        raise InputError(f"levels: {type(levels).__name__} given; {way}")
    for name, declared in (levels or {}).items():
        is_list = isinstance(declared, Sequence) and not isinstance(declared, (str, bytes))
        texts = {level for level in declared if isinstance(level, str)}
        if not is_list or len(texts) < len(declared):
            says = f"those of {name!r} are not a list of different texts; numbers, dates and flags"
            raise InputError(f"levels: {says} already have an order and need no levels")
    return {name: tuple(declared) for name, declared in (levels or {}).items()}


def with_levels(column: Column, levels: Sequence[str], where: str) -> Column:
    """A column of text as a factor with these levels in this order."""
    if not column.is_text and column.has_values:
        raise InputError(f"levels: {where} holds no text, but {column.kind}")
    occurring = {column.labels[code] for code in np.unique(column.present()).tolist()}
    absent = occurring - set(levels)
    if absent:
        says = f"levels: {where} has {len(absent)} level(s) that are not listed (see its details)"
        raise InputError(says, details={"levels": tuple(sorted(absent))})
    codes = np.full(len(column), -1)
    if column.has_values:
        there = slice(None) if column.missing is None else ~column.missing
        codes[there] = pd.Index(levels).get_indexer(column.labels)[column.present()]
    return replace(column, kind="factor", values=codes, labels=tuple(levels))


def with_level_columns(
    frame: pd.DataFrame, levels: Mapping[Hashable, Sequence[str]], place: str
) -> pd.DataFrame:
    """A data frame whose columns of text are categories with these levels; a new one."""
    changed = frame.copy(deep=False) if levels else frame
    for name, declared in levels.items():
        if name not in frame.columns:
            raise unknown_name("levels", name, list(frame.columns), place)
        where = f"{place}, column {name!r}"
        column = with_levels(read_column(frame[name], where), declared, where)
        changed[name] = pd.Categorical.from_codes(column.values, categories=list(declared))
    return changed
