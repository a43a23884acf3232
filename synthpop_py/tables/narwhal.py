"""Frames of other libraries, recognised and read through narwhals, which is imported when one
comes in.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..errors import missing_package

# narwhals' own classes are generic over the native frame, which we do not know
Frame = Any


def is_foreign_frame(given: Any) -> bool:
    """Whether it is a table of another library than pandas, as far as narwhals knows them; decided
    without importing any of these libraries.
    """
    if isinstance(given, pd.DataFrame) or not looks_like_frame(given):
        return False
    import_narwhals()
    import narwhals.stable.v2 as nw

    frame = nw.from_native(given, pass_through=True)
    return isinstance(frame, (nw.DataFrame, nw.LazyFrame))


def looks_like_frame(given: Any) -> bool:
    """Whether it can be turned into a table, by the names of its class alone."""
    kind = type(given)
    marks = ("to_pandas", "toPandas", "collect", "__arrow_c_stream__", "__narwhals_lazyframe__")
    return any(hasattr(kind, mark) for mark in marks)


def import_narwhals() -> None:
    """An error that says what to install where narwhals is absent."""
    for package in ("narwhals", "pyarrow"):
        try:
            __import__(package)
        except ImportError:
            raise missing_package(
                "tables of other libraries than pandas", package, "frames"
            ) from None


def is_lazy(given: Any) -> bool:
    """Whether an engine answers for it, so that its records should stay there; polars counts
    faster than we do, so its eager frames too.
    """
    import narwhals.stable.v2 as nw

    frame = nw.from_native(given)
    return isinstance(frame, nw.LazyFrame) or frame.implementation.is_polars()


def wrapped(given: Any) -> Frame:
    """The frame as narwhals sees it."""
    import narwhals.stable.v2 as nw

    return nw.from_native(given)


def as_pandas(given: Any) -> pd.DataFrame:
    """An eager frame in pandas, its columns in Arrow's types: no value changes on the way."""
    import narwhals.stable.v2 as nw

    frame = nw.from_native(given)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect(backend="pyarrow")
    return frame.to_arrow().to_pandas(types_mapper=pd.ArrowDtype)
