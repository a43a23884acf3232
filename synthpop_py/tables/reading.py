"""The boundary between pandas and our arrays: the only place that knows what a data frame is."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import Flags, Floats, Integers, Values
from ..core.columns import Column, Kind
from ..core.levels import DAY, time_texts
from ..core.numerals import EXACT_DOUBLE, LARGEST_WHOLE, exact_number, exact_text
from ..errors import InputError
from ..r.text import double_text

DAYS_OF_NANOSECONDS = 106_000  # what 64 bits of nanoseconds can hold, either way from 1970
SHORT_REALS = (np.dtype("float16"), np.dtype("float32"))
# what pandas calls columns of Python's numbers
KINDS_OF_NUMBERS: dict[str, Kind] = {
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
    if isinstance(dtype, pd.ArrowDtype):
        texts = _texts_of_arrow(series)
        return read_column(_from_arrow(series, where), where) if texts is None else texts
    if isinstance(dtype, pd.CategoricalDtype):
        return _categorical(series, where)
    plain_kind = dtype.kind if isinstance(dtype, np.dtype) else ""
    # the common cases first: asking pandas takes longer than reading
    if plain_kind == "i":
        return _numbers(series, "integer", None, where)
    if plain_kind == "f":
        return _numbers(series, "double", np.float64, where)
    if pd.api.types.is_bool_dtype(dtype):
        return _numbers(series, "logical", np.int64, where)
    if pd.api.types.is_integer_dtype(dtype):
        return _numbers(series, "integer", None, where)
    if pd.api.types.is_float_dtype(dtype):
        return _numbers(series, "double", np.float64, where)
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return _moments(series, where)
    if pd.api.types.is_timedelta64_dtype(dtype):
        return _durations(series, where)
    if pd.api.types.is_string_dtype(dtype) or dtype == object:
        return _objects(series, where)
    raise InputError(
        f"{where}: columns of type {dtype} cannot be compared; convert it to text, a number, a date"
        " or a category"
    )


def _texts_of_arrow(series: pd.Series) -> Column | None:
    """A column of texts, numbered by Arrow, which makes no Python object of each; None for columns
    of anything else.
    """
    import pyarrow as pa  # at hand, since there is such a column

    values = series.array.__arrow_array__()
    kinds = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    if not any(is_kind(values.type) for is_kind in kinds):
        return None
    numbered = values.dictionary_encode().unify_dictionaries().combine_chunks()
    missing = np.asarray(numbered.is_null())
    codes = np.asarray(numbered.indices.fill_null(-1))
    return Column("character", codes, _gaps(missing), tuple(numbered.dictionary.to_pylist()))


def _from_arrow(series: pd.Series, where: str) -> pd.Series:
    """A column of Arrow's types in pandas' own: a dictionary as a category with its levels in their
    order, decimals and dates as Python's, whole numbers as such although some are missing.
    """
    import pyarrow as pa  # at hand, since there is such a column

    values = series.array.__arrow_array__()
    if pa.types.is_boolean(values.type):
        # as Python's objects they would be texts where all of them are missing
        truths, missing = np.asarray(values.fill_null(False)), np.asarray(values.is_null())
        return pd.Series(pd.arrays.BooleanArray(truths, missing))
    try:
        if not pa.types.is_integer(values.type):
            return pd.Series(values.to_pandas())
    except (pa.ArrowException, ValueError, OverflowError):  # a date beyond the year 9999
        raise InputError(
            f"{where}: holds values of type {series.dtype} that pandas cannot hold; make them "
            "dates, numbers or text"
        ) from None
    if not values.null_count:
        return pd.Series(np.asarray(values))  # in the bytes they have
    numbers = np.asarray(values.fill_null(0))
    return pd.Series(pd.arrays.IntegerArray(numbers, np.asarray(values.is_null())))


def _gaps(missing: np.ndarray) -> np.ndarray | None:
    return missing if missing.any() else None


def _integers_with_gaps(kind: Any, values: Integers, missing: Flags) -> Column:
    return Column(kind, values, _gaps(missing))


def _too_large(where: str) -> InputError:
    return InputError(
        f"{where}: holds whole numbers beyond 64 bits, which cannot be told apart as numbers;"
        " convert it to text, for instance with .astype(str) or CAST"
    )


def _numbers(series: pd.Series, kind: Kind, dtype: Any, where: str) -> Column:
    """Numbers, copied only where needed."""
    if not isinstance(series.dtype, np.dtype):
        return _nullable_numbers(series, kind, dtype or np.int64, where)
    values = series.to_numpy()
    # beyond 64 bits with a sign, different numbers would become one
    if values.dtype.kind == "u" and len(values) and values.max() > LARGEST_WHOLE:
        raise _too_large(where)
    if values.dtype in SHORT_REALS:
        values = _as_written(values)
    elif values.dtype == np.uint64:
        values = values.astype(np.int64)
    elif dtype is not None and values.dtype != dtype:
        values = values.astype(dtype)
    if kind != "double":
        return Column(kind, values)
    return Column(kind, values, _gaps(np.isnan(values)))


def _nullable_numbers(series: pd.Series, kind: Kind, dtype: Any, where: str) -> Column:
    """Numbers of pandas' own types, which mark what is missing."""
    unsigned = pd.api.types.is_unsigned_integer_dtype(series.dtype)
    if unsigned and len(series) and series.max() > LARGEST_WHOLE:
        raise _too_large(where)
    missing = series.isna().to_numpy()
    filler = {"na_value": 0} if missing.any() else {}
    values = series.to_numpy(dtype, **filler)
    if kind == "double":
        missing = missing | np.isnan(values)
        stored = getattr(series.dtype, "numpy_dtype", None)
        if stored in SHORT_REALS:
            values = _as_written(values.astype(stored))
    return Column(kind, values, _gaps(missing))


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
    return Column(
        kind="factor",
        values=codes,
        missing=_gaps(codes < 0),
        labels=labels,
        number_labels=not all_texts and _are_numbers(categories),
    )


def _are_numbers(categories: pd.Index) -> bool:
    if categories.dtype.kind in "iuf":
        return True
    return len(categories) > 0 and all(isinstance(value, Decimal) for value in categories)


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
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value)).upper()
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, Decimal) and value == value.to_integral_value():
        return exact_text(double_text(float(value)), int(value))
    if isinstance(value, (float, np.floating, Decimal)):
        return exact_text(double_text(float(value)), exact_number(float(value)))
    if isinstance(value, pd.Timestamp):
        whole_day = value == value.normalize()
        return str(value.strftime("%Y-%m-%d") if whole_day else value.isoformat(sep=" "))
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, pd.Interval):
        return str(value)
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
        return _dates(days, missing)
    if _beyond_nanoseconds(known_days):
        raise InputError(
            f"{where}: holds times outside the years 1678 to 2261; make them dates or text"
        )
    nanoseconds = moments.astype("datetime64[ns]").astype("int64")
    return _integers_with_gaps("time", np.where(missing, 0, nanoseconds), missing)


def _beyond_nanoseconds(days: Values) -> bool:
    """Whether some days are too far for 64 bits of nanoseconds."""
    return bool((np.abs(days.astype("int64")) > DAYS_OF_NANOSECONDS).any())


def _dates(days: Values, missing: Flags) -> Column:
    return _integers_with_gaps("date", np.where(missing, 0, days.astype("int64")), missing)


def _durations(series: pd.Series, where: str) -> Column:
    spans = series.to_numpy()
    missing = np.isnat(spans)
    if _beyond_nanoseconds(spans[~missing].astype("timedelta64[D]")):
        raise InputError(f"{where}: holds durations beyond 292 years; make them numbers or text")
    nanoseconds = spans.astype("timedelta64[ns]").astype("int64")
    return _integers_with_gaps("duration", np.where(missing, 0, nanoseconds), missing)


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
    if kind in KINDS_OF_NUMBERS:
        return _number_objects(KINDS_OF_NUMBERS[kind], known, missing, where)
    # pandas says "date" also where some are times, which are dates to Python
    if kind == "date" and not any(isinstance(value, datetime) for value in known):
        days = np.zeros(len(series), dtype="datetime64[D]")
        days[~missing] = known.to_numpy(dtype="datetime64[D]")
        return _dates(days, missing)
    if kind in ("date", "datetime", "datetime64"):
        return _moments(_as_times(series, where), where)
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
    finite = all(value.is_finite() for value in decimals)
    if not finite or not all(value == value.to_integral_value() for value in decimals):
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


def _as_times(series: pd.Series, where: str) -> pd.Series:
    try:
        return pd.to_datetime(series)
    except (ValueError, OverflowError) as error:
        # the reason may quote a value
        raise InputError(
            f"{where}: holds dates and times that cannot be compared; give them one time zone, or"
            " make them text",
            details={"reason": str(error)},
        ) from None
