"""Bands of a key between cut points: of numbers and of dates."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Sequence
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import is_number, listed
from ..core.arrays import Integers, Values
from ..errors import InputError
from ..tables.reading import DAYS_OF_NANOSECONDS, read_column

MISSING = "missing"
MOST_TEXT = 80  # characters of a value that are shown in a message
DATES = ("date", "time")


def bands_between(name: Hashable, given: Any, series: pd.Series) -> tuple[Integers, list[str]]:
    """Band of each record, and the texts of the bands: a cut point begins one. Missing values are
    the last band.

    Examples
    --------
    >>> bands_between("age", [18, 65], pd.Series([17, 18, 70]))
    (array([0, 1, 2]), ['below 18', '18 to below 65', 'from 65 on', 'missing'])
    """
    cuts = listed(given)
    dates = bool(cuts) and all(map(_is_date, cuts))
    if not dates and not (cuts and all(map(_is_number, cuts))):
        raise _unusable(name, given)
    column = read_column(series, f"blocks: {name!r}")
    if dates != (column.kind in DATES) or (not dates and not column.is_number):
        raise _other_kind(name, column.kind in DATES, column.is_number)
    if dates:
        points = _moments(name, cuts, series, column.kind == "time")
        values = column.values.astype(
            "datetime64[ns]" if column.kind == "time" else "datetime64[D]"
        ).astype(points.dtype)
    else:
        points, values = np.array(cuts, dtype=float), column.values
    if (points[1:] <= points[:-1]).any():
        raise _unusable(name, given)
    bands = np.searchsorted(points, values, side="right")
    if column.missing is not None:
        bands = np.where(column.missing, len(cuts) + 1, bands)
    texts = [_moment_text(point) for point in points] if dates else [f"{cut:g}" for cut in cuts]
    return bands, [
        f"below {texts[0]}",
        *(f"{a} to below {b}" for a, b in itertools.pairwise(texts)),
        f"from {texts[-1]} on",
        MISSING,
    ]


def _is_number(cut: Any) -> bool:
    return is_number(cut) and math.isfinite(cut)


def _is_date(cut: Any) -> bool:
    return isinstance(cut, (date, np.datetime64)) and not pd.isna(cut)


def _unusable(name: Hashable, given: Any) -> InputError:
    shown = repr(given)
    return InputError(
        f"blocks: {shown if len(shown) <= MOST_TEXT else shown[:MOST_TEXT] + '...'} for {name!r}"
        " cannot be used; give 'keep', a mapping of levels to groups, or increasing cut points,"
        " numbers or dates, as in [18, 25, 65] for below 18, 18 to below 25, 25 to below 65, from"
        " 65 on"
    )


def _other_kind(name: Hashable, is_date: bool, is_number: bool) -> InputError:
    if is_date:
        return InputError(
            f"blocks: {name!r} holds dates, so its cut points are dates, as in [datetime.date(2000,"
            " 1, 31)]"
        )
    if is_number:
        return InputError(
            f"blocks: {name!r} is numeric, so its cut points are numbers, as in [18, 25, 65]"
        )
    return InputError(
        f"blocks: {name!r} is neither a number nor a date, so it has no cut points; give a mapping"
        " of its levels to groups"
    )


# ---- dates ---------------------------------------------------------------------------


def _moments(name: Hashable, cuts: Sequence[Any], series: pd.Series, times: bool) -> Values:
    """Cut points as moments, in universal time where the column has a time zone; nanoseconds beside
    times, microseconds beside dates, which may be far away.
    """
    zoned = times and pd.to_datetime(series).dt.tz is not None
    for cut in cuts:
        if isinstance(cut, (datetime, np.datetime64)) and zoned == (
            getattr(cut, "tzinfo", None) is None
        ):
            raise InputError(
                f"blocks: {name!r} has {'a' if zoned else 'no'} time zone, but the cut point {cut}"
                f" has {'none' if zoned else 'one'}; give both or neither one"
            )
    points = np.array([_moment(cut, zoned) for cut in cuts])
    if (
        times
        and (np.abs(points.astype("datetime64[D]").astype(np.int64)) > DAYS_OF_NANOSECONDS).any()
    ):
        raise InputError(
            f"blocks: the cut points for {name!r} are outside the years 1678 to 2261, which beside"
            " times of day cannot be compared"
        )
    return points.astype("datetime64[ns]" if times else "datetime64[us]")


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
    return str(day) if day == point else str(point).replace("T", " ").rstrip("0").rstrip(".")
