"""Frames of other libraries, recognised and read through narwhals (imported when needed)."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..errors import InputError, missing_package

# narwhals' own classes are generic over the native frame, which we do not know
Frame = Any
AnyFrame = Any  # a DataFrame of pandas, polars or Arrow: none of them is imported to name its type


def is_foreign_frame(given: Any) -> bool:
    """Whether it is a table of a library other than pandas that narwhals knows; decided without
    importing any of them.
    """
    if isinstance(given, pd.DataFrame) or not looks_like_frame(given):
        return False
    import_narwhals()
    import narwhals.stable.v2 as nw

    return isinstance(wrapped(given), (nw.DataFrame, nw.LazyFrame))


def looks_like_frame(given: Any) -> bool:
    """Whether it can be turned into a table, by the names of its class alone."""
    kind = type(given)
    marks = ("to_pandas", "toPandas", "collect", "__arrow_c_stream__", "__narwhals_lazyframe__")
    return any(hasattr(kind, mark) for mark in marks)


def import_narwhals() -> None:
    """The module narwhals, or an error that says what to install."""
    for package in ("narwhals", "pyarrow"):
        try:
            __import__(package)
        except ImportError:
            raise missing_package(
                "tables of other libraries than pandas", package, "frames"
            ) from None


def is_lazy(given: Any) -> bool:
    """Whether an engine answers for it and its records should stay there; polars counts faster than
    we do, so this includes its eager frames.
    """
    import narwhals.stable.v2 as nw

    frame = nw.from_native(given)
    return isinstance(frame, nw.LazyFrame) or frame.implementation.is_polars()


def is_eager_frame(given: Any) -> bool:
    """Whether it is a frame of another library whose records are in memory."""
    if not is_foreign_frame(given):
        return False
    import narwhals.stable.v2 as nw

    return isinstance(wrapped(given), nw.DataFrame)


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
        raise InputError(
            f"some column names of a {library_of(given)} {type(given).__name__} occur more than"
            " once; rename them"
        ) from None


def unwrapped(frame: Frame, like: Any) -> Any:
    """A frame of narwhals as the user has theirs: one of narwhals, or that of the library."""
    return frame if type(like).__module__.startswith("narwhals") else frame.to_native()


def as_pandas(given: Any) -> pd.DataFrame:
    """An eager frame in pandas, its columns in Arrow's types: no value changes on the way."""
    import narwhals.stable.v2 as nw

    frame = nw.from_native(given)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect(backend="pyarrow")
    # what pandas once wrote beside the columns would turn some of them into row labels
    return frame.to_arrow().to_pandas(types_mapper=pd.ArrowDtype, ignore_metadata=True)
