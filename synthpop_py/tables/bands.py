"""Records in bands of a column between cut points, numbers or dates, and in groups by the values of
columns. The argument that asks for them is named in messages.
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
from ..errors import InputError, unknown_name
from .frames import check_labels, plain_values
from .opening import plain_if_frame
from .reading import read_column

MISSING = "missing"
MOST_TEXT = 80  # characters of a value that are shown in a message


def bands_between(
    argument: str, name: Hashable, cuts: Any, series: pd.Series
) -> tuple[Integers, list[str]]:
    """Band of each record, and the texts of the bands: a cut point begins one. Missing values are
    the last band.
    """
    points = listed(cuts)
    column = read_column(series, f"{argument}: {name!r}")
    in_time = column.kind in ("date", "time")
    fits = _is_date if in_time else _is_number
    says = ""
    if not (in_time or column.is_number):
        says = "is neither a number nor a date, so it has no cut points; give a mapping of its"
        says += " levels to groups"
    elif in_time and points and all(map(_is_number, points)):
        says = "holds dates, so its cut points are dates, as in [datetime.date(2000, 1, 31)]"
    elif points and all(map(_is_date, points)) and not in_time:
        says = "is numeric, so its cut points are numbers, as in [18, 25, 65]"
    if says:
        raise InputError(f"{argument}: {name!r} {says}")
    if not points or not all(map(fits, points)):
        raise _unusable(argument, name, cuts)
    if in_time:
        unit = "D" if column.kind == "date" else "ns"
        # microseconds hold all dates, and tell apart all moments that a cut point can be
        values = column.values.astype(f"datetime64[{unit}]").astype("datetime64[us]")
        borders = _moments(argument, name, points, series, column.kind == "time")
        texts = [_moment_text(border) for border in borders]
    else:
        values, borders = column.values, np.array(points, dtype=float)
        texts = [f"{point:g}" for point in points]
    if (borders[1:] <= borders[:-1]).any():
        raise _unusable(argument, name, cuts)
    bands = np.searchsorted(borders, values, side="right")
    if column.missing is not None:
        bands = np.where(column.missing, len(points) + 1, bands)
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
    return InputError(
        f"{argument}: {shown} for {name!r} cannot be used; give {keep}a mapping of levels to"
        " groups, or increasing cut points, numbers or dates (not texts:"
        " datetime.date(2020, 2, 1)), as in [18, 25, 65] for below 18, 18 to below 25, 25 to below"
        " 65, from 65 on"
    )


def _moments(
    argument: str, name: Hashable, cuts: Sequence[Any], series: pd.Series, with_times: bool
) -> Values:
    """Cut points, in universal time where the column has a time zone."""
    zoned = with_times and pd.to_datetime(series).dt.tz is not None
    moments = []
    for cut in cuts:
        own_zone = getattr(cut, "tzinfo", None) is not None
        # a day has no time zone
        if own_zone != zoned and isinstance(cut, (datetime, np.datetime64)):
            has, lacks = ("a", "none") if zoned else ("no", "one")
            says = f"{name!r} has {has} time zone, but the cut point {cut} has {lacks}"
            raise InputError(f"{argument}: {says}; give a time zone to both or to neither")
        moments.append(cut.astimezone(UTC).replace(tzinfo=None) if own_zone else cut)
    return np.array(moments, dtype="datetime64[us]")


def _moment_text(point: np.datetime64) -> str:
    day = point.astype("datetime64[D]")
    return str(day) if day == point else str(point).replace("T", " ").rstrip("0").rstrip(".")


def group_numbers(frame: pd.DataFrame) -> Integers:
    """The group of each row: int64 from 0 on, in the order of the columns' values (categories in
    theirs, missing last).
    """
    number = np.zeros(len(frame), dtype=np.int64)
    for at in range(frame.shape[1]):
        column = frame.iloc[:, at]
        if isinstance(column.dtype, pd.CategoricalDtype):
            codes, levels = column.cat.codes.to_numpy(), column.cat.categories
        else:
            try:
                codes, levels = pd.factorize(column, sort=True)
            except TypeError:  # values without an order come in that of the rows
                codes, levels = pd.factorize(column)
        codes = np.where(codes < 0, len(levels), codes)
        joint = number * (len(levels) + 1) + codes
        number = np.unique(joint, return_inverse=True)[1].reshape(-1)
    return number


def group_columns(given: Any, original: pd.DataFrame) -> pd.DataFrame:
    """A user's groups, as columns that say which group each record is in."""
    columns = list(original.columns)
    given = plain_values(plain_if_frame(given, "by"))
    is_list = isinstance(given, (list, tuple)) and not is_column(given, columns)
    names = list(given) if is_list else [given]
    strangers = [name for name in names if not is_column(name, columns)]
    if names and not strangers:
        return original[names].reset_index(drop=True)
    has_values = hasattr(given, "__len__") and not isinstance(given, (str, bytes))
    if not has_values or (is_list and len(names) != len(original)):
        raise unknown_name("by", [*strangers, given][0], columns, "the original data")
    if isinstance(given, pd.Series):
        given = {"group" if given.name is None else given.name: given}
    elif not isinstance(given, (Mapping, pd.DataFrame)):
        given = {"group": given}
    aligned = {}
    for name, values in given.items():
        if len(values) != len(original):
            says = f"{len(values)} values given for {len(original)} records; give one for each"
            raise InputError(f"by: {says} record, or names of columns")
        if isinstance(values, pd.Series):
            check_labels("by", values.index, original)
            values = values.array
        aligned[name] = plain_values(values)
    return pd.DataFrame(aligned)
