"""Records in bands of a column between cut points, of numbers and of dates, and in groups by the
values of columns. The argument that asks for them is named in messages.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..arguments import is_column, is_number, listed
from ..core.arrays import Integers, Values
from ..core.columns import Column
from ..errors import InputError, unknown_name
from .frames import check_labels, plain_values
from .opening import plain_if_frame
from .reading import DAYS_OF_NANOSECONDS, read_column

MISSING = "missing"
MOST_TEXT = 80  # characters of a value that are shown in a message
DATES = ("date", "time")


class Scale(NamedTuple):
    """Cut points and values of a column in units that compare, and texts of the cut points."""

    points: Values
    values: Values
    texts: list[str]


def bands_between(
    argument: str, name: Hashable, cuts: Any, series: pd.Series
) -> tuple[Integers, list[str]]:
    """Band of each record, and the texts of the bands: a cut point begins one. Missing values are
    the last band.

    Examples
    --------
    >>> bands_between("blocks", "age", [18, 65], pd.Series([17, 18, 70]))
    (array([0, 1, 2]), ['below 18', '18 to below 65', 'from 65 on', 'missing'])
    """
    cut_points = listed(cuts)
    dates = _are_all(cut_points, _is_date)
    if not dates and not _are_all(cut_points, _is_number):
        raise _unusable(argument, name, cuts)
    column = read_column(series, f"{argument}: {name!r}")
    _check_same_kind(argument, name, column, dates)
    if dates:
        scale = _scale_of_dates(argument, name, cut_points, column, series)
    else:
        scale = _scale_of_numbers(cut_points, column)
    if (scale.points[1:] <= scale.points[:-1]).any():
        raise _unusable(argument, name, cuts)
    bands = np.searchsorted(scale.points, scale.values, side="right")
    if column.missing is not None:
        bands = np.where(column.missing, len(cut_points) + 1, bands)
    return bands, _band_texts(scale.texts)


def _band_texts(cuts: list[str]) -> list[str]:
    between = [f"{low} to below {high}" for low, high in itertools.pairwise(cuts)]
    return [f"below {cuts[0]}", *between, f"from {cuts[-1]} on", MISSING]


def _scale_of_numbers(cuts: Sequence[Any], column: Column) -> Scale:
    texts = [f"{cut:g}" for cut in cuts]
    return Scale(np.array(cuts, dtype=float), column.values, texts)


def _are_all(cuts: Sequence[Any], is_kind: Callable[[Any], bool]) -> bool:
    return bool(cuts) and all(map(is_kind, cuts))


def _is_number(cut: Any) -> bool:
    try:
        return is_number(cut) and math.isfinite(cut)
    except OverflowError:  # a whole number with more digits than a double can have
        return False


def _is_date(cut: Any) -> bool:
    return isinstance(cut, (date, np.datetime64)) and not pd.isna(cut)


def _unusable(argument: str, name: Hashable, cuts: Any) -> InputError:
    shown = repr(cuts)
    if len(shown) > MOST_TEXT:
        shown = shown[:MOST_TEXT] + "..."
    keep = "'keep', " if argument == "blocks" else ""
    texts = any(isinstance(cut, str) for cut in listed(cuts))
    no_texts = " (not texts: datetime.date(2020, 2, 1))" if texts else ""
    return InputError(
        f"{argument}: {shown} for {name!r}"
        f" cannot be used; give {keep}a mapping of levels to groups, or increasing cut points,"
        f" numbers or dates{no_texts}, as in [18, 25, 65] for below 18, 18 to below 25, 25 to below"
        " 65, from 65 on"
    )


def _check_same_kind(argument: str, name: Hashable, column: Column, dates: bool) -> None:
    """Cut points must be dates beside dates, and numbers beside numbers."""
    if column.kind in DATES:
        if not dates:
            raise InputError(
                f"{argument}: {name!r} holds dates, so its cut points are dates, as in"
                " [datetime.date(2000, 1, 31)]"
            )
    elif not column.is_number:
        raise InputError(
            f"{argument}: {name!r} is neither a number nor a date, so it has no cut points; give a"
            " mapping of its levels to groups"
        )
    elif dates:
        raise InputError(
            f"{argument}: {name!r} is numeric, so its cut points are numbers, as in [18, 25, 65]"
        )


def _scale_of_dates(
    argument: str, name: Hashable, cuts: Sequence[Any], column: Column, series: pd.Series
) -> Scale:
    times = column.kind == "time"
    points = _moments(argument, name, cuts, series, times)
    values = column.values.astype("datetime64[ns]" if times else "datetime64[D]")
    texts = [_moment_text(point) for point in points]
    return Scale(points, values.astype(points.dtype), texts)


def _moments(
    argument: str, name: Hashable, cuts: Sequence[Any], series: pd.Series, times: bool
) -> Values:
    """Cut points as moments, in universal time where the column has a time zone; nanoseconds beside
    times, microseconds beside dates, which may be far away.
    """
    zoned = times and pd.to_datetime(series).dt.tz is not None
    for cut in cuts:
        _check_zone(argument, name, cut, zoned)
    points = np.array([_moment(cut, zoned) for cut in cuts])
    if not times:
        return points.astype("datetime64[us]")
    days = points.astype("datetime64[D]").astype(np.int64)
    if (np.abs(days) > DAYS_OF_NANOSECONDS).any():
        raise InputError(
            f"{argument}: the cut points for {name!r} are outside the years 1678 to 2261, which "
            "cannot be compared with times of day"
        )
    return points.astype("datetime64[ns]")


def _check_zone(argument: str, name: Hashable, cut: Any, zoned: bool) -> None:
    """A moment must have a time zone where the column has one, and only there; a day has none."""
    if not isinstance(cut, (datetime, np.datetime64)):
        return
    cut_is_zoned = getattr(cut, "tzinfo", None) is not None
    if cut_is_zoned != zoned:
        raise InputError(
            f"{argument}: {name!r} has {'a' if zoned else 'no'} time zone, but the cut point {cut}"
            f" has {'none' if zoned else 'one'}; give a time zone to both or to neither"
        )


def _moment(cut: Any, zoned: bool) -> np.datetime64:
    if isinstance(cut, np.datetime64):
        return cut
    if not isinstance(cut, datetime):
        return np.datetime64(cut, "D")
    if isinstance(cut, pd.Timestamp):
        plain = cut.tz_convert("UTC").tz_localize(None) if zoned else cut
        moment: np.datetime64 = plain.to_datetime64()
        return moment
    return np.datetime64(cut.astimezone(UTC).replace(tzinfo=None) if zoned else cut)


def _moment_text(point: np.datetime64) -> str:
    day = point.astype("datetime64[D]")
    if day == point:
        return str(day)
    return str(point).replace("T", " ").rstrip("0").rstrip(".")


# ---- groups --------------------------------------------------------------------------


def group_numbers(frame: pd.DataFrame) -> Integers:
    """The group of each row: int64 from 0 on, in the order of the columns' values (categories in
    theirs, missing last).

    Examples
    --------
    >>> sizes = pd.Categorical(["small", None, "large", None], categories=["small", "large"])
    >>> group_numbers(pd.DataFrame({"size": sizes})).tolist()
    [0, 2, 1, 2]
    """
    number = np.zeros(len(frame), dtype=np.int64)
    for at in range(frame.shape[1]):
        code, size = _codes(frame.iloc[:, at])
        number = np.unique(number * size + code, return_inverse=True)[1].reshape(-1)
    return number


def _codes(column: pd.Series) -> tuple[Integers, int]:
    """A whole number for each value, and how many there are."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes = column.cat.codes.to_numpy().astype(np.int64)
        levels = len(column.cat.categories)
    else:
        codes, values = _factorized(column)
        levels = len(values)
    return np.where(codes < 0, levels, codes), levels + 1


def _factorized(column: pd.Series) -> tuple[Integers, Any]:
    try:
        codes, values = pd.factorize(column, sort=True)
    except TypeError:  # values without an order come in that of the rows
        codes, values = pd.factorize(column)
    return codes, values


def group_columns(given: Any, original: pd.DataFrame) -> pd.DataFrame:
    """A user's groups, as columns that say which group each record is in."""
    columns = list(original.columns)
    given = plain_values(plain_if_frame(given, "by"))
    names = _possible_names(given, columns)
    strangers = [name for name in names if not is_column(name, columns)]
    if names and not strangers:
        return original[names].reset_index(drop=True)
    wrong_length = bool(names) and len(names) != len(original)
    if wrong_length or isinstance(given, (str, bytes)) or not hasattr(given, "__len__"):
        unknown = strangers[0] if strangers else given
        raise unknown_name("by", unknown, columns, "the original data")
    if isinstance(given, pd.Series):
        given = {"group" if given.name is None else given.name: given}
    elif not isinstance(given, (Mapping, pd.DataFrame)):
        given = {"group": given}
    return pd.DataFrame({name: _aligned(values, original) for name, values in given.items()})


def _possible_names(given: Any, columns: list[Any]) -> list[Any]:
    """What may be names of columns: one, or several in a list."""
    if is_column(given, columns):
        return [given]
    return list(given) if isinstance(given, (list, tuple)) else []


def _aligned(values: Any, original: pd.DataFrame) -> Any:
    if len(values) != len(original):
        raise InputError(
            f"by: {len(values)} values given for {len(original)} records; give one for each record,"
            " or names of columns"
        )
    if isinstance(values, pd.Series):
        check_labels("by", values.index, original)
        return values.array
    return plain_values(values)
