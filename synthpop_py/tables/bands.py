"""Records in bands of a column between cut points, of numbers and of dates, and in groups by the
values of columns. The argument that asks for them is named in messages.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any

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
    dates = bool(cut_points) and all(map(_is_date, cut_points))
    if not dates and not (cut_points and all(map(_is_number, cut_points))):
        raise _unusable(argument, name, cuts)
    column = read_column(series, f"{argument}: {name!r}")
    _check_same_kind(argument, name, column, dates)
    if dates:
        points = _moments(argument, name, cut_points, series, column.kind == "time")
        unit = "ns" if column.kind == "time" else "D"
        values = column.values.astype(f"datetime64[{unit}]").astype(points.dtype)
        texts = [_moment_text(point) for point in points]
    else:
        points, values = np.array(cut_points, dtype=float), column.values
        texts = [f"{cut:g}" for cut in cut_points]
    if (points[1:] <= points[:-1]).any():
        raise _unusable(argument, name, cuts)
    bands = np.searchsorted(points, values, side="right")
    if column.missing is not None:
        bands = np.where(column.missing, len(cut_points) + 1, bands)
    between = [f"{low} to below {high}" for low, high in itertools.pairwise(texts)]
    return bands, [f"below {texts[0]}", *between, f"from {texts[-1]} on", MISSING]


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
    says = ""
    if column.kind in DATES and not dates:
        says = "holds dates, so its cut points are dates, as in [datetime.date(2000, 1, 31)]"
    elif column.is_number and dates:
        says = "is numeric, so its cut points are numbers, as in [18, 25, 65]"
    elif column.kind not in DATES and not column.is_number:
        says = (
            "is neither a number nor a date, so it has no cut points; give a mapping of its levels"
            " to groups"
        )
    if says:
        raise InputError(f"{argument}: {name!r} {says}")


def _moments(
    argument: str, name: Hashable, cuts: Sequence[Any], series: pd.Series, times: bool
) -> Values:
    """Cut points as moments, in universal time where the column has a time zone; nanoseconds beside
    times, microseconds beside dates, which may be far away.
    """
    zoned = times and pd.to_datetime(series).dt.tz is not None
    for cut in cuts:
        # a day has no time zone
        is_moment = isinstance(cut, (datetime, np.datetime64))
        if is_moment and (getattr(cut, "tzinfo", None) is not None) != zoned:
            raise InputError(
                f"{argument}: {name!r} has {'a' if zoned else 'no'} time zone, but the cut point"
                f" {cut} has {'none' if zoned else 'one'}; give a time zone to both or to neither"
            )
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


def _moment(cut: Any, zoned: bool) -> np.datetime64:
    if isinstance(cut, pd.Timestamp):  # which has nanoseconds
        plain = cut.tz_convert("UTC").tz_localize(None) if zoned else cut
        moment: np.datetime64 = plain.to_datetime64()
        return moment
    if isinstance(cut, datetime) and zoned:
        cut = cut.astimezone(UTC).replace(tzinfo=None)
    return np.datetime64(cut)


def _moment_text(point: np.datetime64) -> str:
    day = point.astype("datetime64[D]")
    return str(day) if day == point else str(point).replace("T", " ").rstrip("0").rstrip(".")


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
        column = frame.iloc[:, at]
        if isinstance(column.dtype, pd.CategoricalDtype):
            codes, levels = column.cat.codes.to_numpy(), len(column.cat.categories)
        else:
            try:
                codes, values = pd.factorize(column, sort=True)
            except TypeError:  # values without an order come in that of the rows
                codes, values = pd.factorize(column)
            levels = len(values)
        codes = np.where(codes < 0, levels, codes)
        number = np.unique(number * (levels + 1) + codes, return_inverse=True)[1].reshape(-1)
    return number


def group_columns(given: Any, original: pd.DataFrame) -> pd.DataFrame:
    """A user's groups, as columns that say which group each record is in."""
    columns = list(original.columns)
    given = plain_values(plain_if_frame(given, "by"))
    names = list(given) if isinstance(given, (list, tuple)) else []
    if is_column(given, columns):
        names = [given]
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
