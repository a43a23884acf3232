"""Columns of pandas as our arrays: the only place that knows types of pandas."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.arrays import Flags, Floats, Values
from ..core.columns import Column, Kind
from ..core.levels import DAY, time_texts
from ..core.numerals import EXACT_DOUBLE, LARGEST_WHOLE, exact_number, exact_text
from ..errors import InputError, unknown_name
from ..r.text import double_text

if TYPE_CHECKING:
    import pyarrow as pa

DAYS_OF_NANOSECONDS = 106_000  # what 64 bits of nanoseconds can hold, either way from 1970
LAST_DAY = np.datetime64("9999-12-31")
SHORT_REALS = (np.dtype("float16"), np.dtype("float32"))
NUMBERS: dict[str, Kind] = {"b": "logical", "i": "integer", "u": "integer", "f": "double"}
# what pandas calls columns of Python's numbers
OBJECTS: dict[str, Kind] = {
    "boolean": "logical",
    "integer": "integer",
    "floating": "double",
    "mixed-integer-float": "double",
    "decimal": "double",
}


def read_column(series: pd.Series, where: str) -> Column:
    """A pandas column as R would see it: what kind it is, its values, what is missing.

    `where` names the column in error messages. Missing is whatever pandas calls missing (None, NaN,
    NaT, pd.NA).
    """
    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _categorical(series, where)
    if isinstance(dtype, pd.ArrowDtype):
        texts = _texts_of_arrow(series.array.__arrow_array__())
        return read_column(_from_arrow(series, where), where) if texts is None else texts
    # types of pandas' own have these letters too
    if dtype.kind in NUMBERS:
        return _numbers(series, NUMBERS[dtype.kind], where)
    if dtype.kind == "M":
        return _moments(series, where)
    if dtype.kind == "m":
        return _durations(series, where)
    if pd.api.types.is_string_dtype(dtype) or dtype == object:
        return _objects(series, where)
    raise InputError(
        f"{where}: columns of type {dtype} cannot be compared; convert it to text, a number, a date"
        " or a category"
    )


def _texts_of_arrow(values: pa.ChunkedArray) -> Column | None:
    """A column of texts, numbered by Arrow, which makes no Python object of each; None for columns
    of anything else.
    """
    import pyarrow as pa  # at hand, since there is such a column

    kinds = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    if not any(is_kind(values.type) for is_kind in kinds):
        return None
    numbered = values.dictionary_encode().unify_dictionaries().combine_chunks()
    missing = np.asarray(numbered.is_null())
    codes = np.asarray(numbered.indices.fill_null(-1))
    return Column("character", codes, _gaps(missing), tuple(numbered.dictionary.to_pylist()))


def _from_arrow(series: pd.Series, where: str) -> pd.Series:
    import pyarrow as pa

    try:
        plain = plain_series(series.array.__arrow_array__())
        # an engine's date without end is no day
        is_local = isinstance(plain.dtype, np.dtype) and plain.dtype.kind == "M"
        if is_local and (plain.to_numpy().astype("M8[D]") > LAST_DAY).any():
            raise OverflowError
        return plain
    except (pa.ArrowException, ValueError, OverflowError):
        raise InputError(
            f"{where}: holds values of type {series.dtype} that pandas cannot hold; make them "
            "dates, numbers or text"
        ) from None


def plain_series(values: pa.ChunkedArray) -> pd.Series:
    """A column of Arrow in pandas' own types: a dictionary as a category with its levels in their
    order, whole numbers and truth values as such although some are missing, decimals as Python's.
    """
    import pyarrow as pa

    if pa.types.is_dictionary(values.type):
        values = values.unify_dictionaries()
    truths = pa.types.is_boolean(values.type)
    if values.null_count and (truths or pa.types.is_integer(values.type)):
        known = np.asarray(values.fill_null(False if truths else 0))
        array = pd.arrays.BooleanArray if truths else pd.arrays.IntegerArray
        return pd.Series(array(known, np.asarray(values.is_null())))
    return pd.Series(values.to_pandas(date_as_object=False))


def _numbers(series: pd.Series, kind: Kind, where: str) -> Column:
    """Numbers, copied only where needed."""
    missing = None
    if isinstance(series.dtype, np.dtype):
        values = series.to_numpy()
    else:  # a type of pandas, which marks what is missing
        stored = getattr(series.dtype, "numpy_dtype", None) or series.dtype.subtype
        missing = series.isna().to_numpy()
        filler = {"na_value": 0} if missing.any() else {}
        values = series.to_numpy(stored, **filler)
    # beyond 64 bits with a sign, different numbers would become one
    if values.dtype.kind == "u" and len(values) and values.max() > LARGEST_WHOLE:
        raise _too_large(where)
    if values.dtype in SHORT_REALS:
        values = _as_written(values)
    elif kind == "double":
        values = values.astype(np.float64, copy=False)
    elif kind == "logical" or values.dtype == np.uint64:
        values = values.astype(np.int64)
    if kind == "double":
        not_numbers = np.isnan(values)
        missing = not_numbers if missing is None else missing | not_numbers
    return Column(kind, values, None if missing is None else _gaps(missing))


def _gaps(missing: Flags) -> Flags | None:
    return missing if missing.any() else None


def _too_large(where: str) -> InputError:
    return InputError(
        f"{where}: holds whole numbers beyond 64 bits, which cannot be told apart as numbers;"
        " convert it to text, for instance with .astype(str) or CAST"
    )


def _as_written(values: Values) -> Floats:
    """Single-precision numbers as doubles with the same text: 0.1 stays 0.1, not 0.10000000149."""
    distinct, place = np.unique(values, return_inverse=True)
    doubles = np.array([float(str(value)) for value in distinct], dtype=np.float64)
    return doubles[place.reshape(-1)]


def _categorical(series: pd.Series, where: str) -> Column:
    array = series.array
    codes = array.codes  # cheaper than through series.cat, which makes another series
    categories = array.categories
    if isinstance(categories.dtype, pd.ArrowDtype):
        categories = pd.Index(_from_arrow(pd.Series(categories), where))
    values = categories.tolist()
    # the common case at once: calls read the levels of every factor
    all_texts = set(map(type, values)) == {str}
    labels = tuple(values) if all_texts else _labels(categories, where)
    if len(set(labels)) < len(labels):
        twice = {label for label in labels if labels.count(label) > 1}
        raise InputError(
            f"{where}: two categories have the same text; rename one (it is in the error's"
            " details)",
            details={"levels": tuple(sorted(twice))},
        )
    decimals = len(values) > 0 and all(isinstance(value, Decimal) for value in values)
    numbers = not all_texts and (categories.dtype.kind in "iuf" or decimals)
    return Column("factor", codes, _gaps(codes < 0), labels, number_labels=numbers)


def _labels(categories: pd.Index, where: str) -> tuple[str, ...]:
    """The texts of categories; of times those that a column of times has."""
    if categories.dtype in SHORT_REALS:
        categories = pd.Index(_as_written(categories.to_numpy()))
    if not pd.api.types.is_datetime64_any_dtype(categories.dtype):
        return tuple(_label(value, where) for value in categories)
    column = _moments(pd.Series(categories), where)
    nanoseconds = column.values * DAY if column.kind == "date" else column.values
    return tuple(time_texts(nanoseconds))


def _label(value: Any, where: str) -> str:
    """The text R would give to a category."""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value)).upper()
    if isinstance(value, (str, int, np.integer, pd.Interval)):
        return str(value)
    if isinstance(value, Decimal) and value == value.to_integral_value():
        return exact_text(double_text(float(value)), int(value))
    if isinstance(value, (float, np.floating, Decimal)):
        return exact_text(double_text(float(value)), exact_number(float(value)))
    if isinstance(value, pd.Timestamp):
        whole_day = value == value.normalize()
        return str(value.strftime("%Y-%m-%d") if whole_day else value.isoformat(sep=" "))
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    raise InputError(
        f"{where}: a category of type {type(value).__name__} has no text; convert the "
        "categories to text"
    )


def _moments(series: pd.Series, where: str) -> Column:
    """Dates where every value is a midnight (R's Date), else times."""
    missing = series.isna().to_numpy()
    # a moment with a time zone is never a mere date, even at midnight
    local = series.dt.tz is None
    plain = series if local else series.dt.tz_convert("UTC").dt.tz_localize(None)
    moments = plain.to_numpy()
    days = moments.astype("datetime64[D]")
    known_days = days[~missing]
    if local and (moments[~missing] == known_days).all():
        return _whole_values("date", days, missing)
    if _beyond_nanoseconds(known_days):
        raise InputError(
            f"{where}: holds times outside the years 1678 to 2261; make them dates or text"
        )
    return _whole_values("time", moments.astype("datetime64[ns]"), missing)


def _durations(series: pd.Series, where: str) -> Column:
    spans = series.to_numpy()
    missing = np.isnat(spans)
    if _beyond_nanoseconds(spans[~missing].astype("timedelta64[D]")):
        raise InputError(f"{where}: holds durations beyond 292 years; make them numbers or text")
    return _whole_values("duration", spans.astype("timedelta64[ns]"), missing)


def _beyond_nanoseconds(days: Values) -> bool:
    """Whether some days are too far for 64 bits of nanoseconds."""
    return bool((np.abs(days.astype("int64")) > DAYS_OF_NANOSECONDS).any())


def _whole_values(kind: Kind, values: Values, missing: Flags) -> Column:
    return Column(kind, np.where(missing, 0, values.astype("int64")), _gaps(missing))


def _objects(series: pd.Series, where: str) -> Column:
    """Text, or a column of Python objects that are all of one kind."""
    missing = series.isna().to_numpy()
    known = series[~missing]
    kind = pd.api.types.infer_dtype(known, skipna=True)
    if kind in ("string", "empty"):
        codes, texts = pd.factorize(series)
        return Column("character", codes, _gaps(missing), tuple(map(str, texts)))
    if kind == "decimal" and _long_whole_numbers(known):
        return _number_objects("integer", known, missing, where)
    if kind in OBJECTS:
        return _number_objects(OBJECTS[kind], known, missing, where)
    # pandas says "date" also where some are times, which are dates to Python
    if kind == "date" and not any(isinstance(value, datetime) for value in known):
        days = np.zeros(len(series), dtype="datetime64[D]")
        days[~missing] = known.to_numpy(dtype="datetime64[D]")
        return _whole_values("date", days, missing)
    if kind in ("date", "datetime", "datetime64"):
        try:
            return _moments(pd.to_datetime(series), where)
        except (ValueError, OverflowError) as error:
            if isinstance(error, InputError):
                raise
            # the reason may quote a value
            raise InputError(
                f"{where}: holds dates and times that cannot be compared; give them one time zone,"
                " or make them text",
                details={"reason": str(error)},
            ) from None
    if kind in ("timedelta", "timedelta64"):
        return _durations(pd.to_timedelta(series), where)
    what = "holds values that cannot be compared"
    if kind.startswith("mixed"):
        what = "mixes values of different types"
    raise InputError(
        f"{where}: {what} ({kind}); make it all text or all numbers, for instance with .astype(str)"
    )


def _long_whole_numbers(decimals: pd.Series) -> bool:
    """Whether they are whole, and at least one is too long for a double to hold exactly."""
    if not all(value.is_finite() and value == value.to_integral_value() for value in decimals):
        return False
    return any(abs(value) > EXACT_DOUBLE for value in decimals)


def _number_objects(kind: Kind, known: pd.Series, missing: Flags, where: str) -> Column:
    """Python's numbers, of which those that are not missing are `known`."""
    values = np.zeros(len(missing), dtype=np.float64 if kind == "double" else np.int64)
    try:
        values[~missing] = known.to_numpy(dtype=values.dtype)
    except OverflowError:
        raise _too_large(where) from None
    return Column(kind, values, _gaps(missing))


def checked_levels(levels: Any) -> dict[Hashable, tuple[str, ...]]:
    """Levels by column, or a clear error; whether a table has these columns is checked elsewhere.

    Examples
    --------
    >>> checked_levels({"size": ["small", "large"]})
    {'size': ('small', 'large')}
    """
    if levels is None:
        return {}
    if not isinstance(levels, Mapping):
        raise InputError(
            f"levels: {type(levels).__name__} given; give levels by column, as in"
            " {'size': ['small', 'large']}"
        )
    for name, declared in levels.items():
        is_list = isinstance(declared, Sequence) and not isinstance(declared, (str, bytes))
        if not is_list or not all(isinstance(level, str) for level in declared):
            raise InputError(
                f"levels: those of {name!r} are not a list of texts; numbers, dates and flags "
                "already have an order and need no levels"
            )
        if len(set(declared)) < len(declared):
            raise InputError(f"levels: those of {name!r} hold a text twice; list each once")
    return {name: tuple(declared) for name, declared in levels.items()}


def with_levels(column: Column, levels: Sequence[str], where: str) -> Column:
    """A column of text as a factor with these levels in this order; "factor" columns take the
    order.

    Examples
    --------
    >>> text = Column("character", np.array([1, 0]), None, ("low", "high"))
    >>> with_levels(text, ["high", "low", "none"], "data, column 'risk'").values.tolist()
    [0, 1]
    """
    if not column.is_text and column.has_values:
        raise InputError(
            f"levels: {where} holds no text ({column.kind}); levels are for columns of text"
        )
    place_of = {label: place for place, label in enumerate(levels)}
    occurring = {column.labels[code] for code in np.unique(column.present()).tolist()}
    absent = occurring - place_of.keys()
    if absent:
        raise InputError(
            f"levels: {where} has {len(absent)} level(s) that are not listed (in the error's"
            " details); list every level",
            details={"levels": tuple(sorted(absent))},
        )
    # one more place, for the code of a gap
    places = np.array([*(place_of.get(label, -1) for label in column.labels), -1], dtype=np.int64)
    codes = np.full(len(column), -1) if not column.has_values else places[column.values]
    if column.missing is not None:
        codes = np.where(column.missing, -1, codes)
    return replace(column, kind="factor", values=codes, labels=tuple(levels))


def with_level_columns(
    frame: pd.DataFrame, levels: Mapping[Hashable, Sequence[str]], place: str
) -> pd.DataFrame:
    """A data frame whose columns of text are categories with these levels; the frame given is not
    changed.
    """
    changed = frame.copy(deep=False) if levels else frame
    for name, declared in levels.items():
        if name not in frame.columns:
            raise unknown_name("levels", name, list(frame.columns), place)
        where = f"{place}, column {name!r}"
        column = with_levels(read_column(frame[name], where), declared, where)
        changed[name] = pd.Categorical.from_codes(column.values, categories=list(declared))
    return changed
