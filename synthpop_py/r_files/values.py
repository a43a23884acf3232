"""What a file of R holds, as Python values: frames, syntheses, arrays, lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from synthpop_py.errors import InputError
from synthpop_py.synds import SynDS

from .columns import NoCounterpart, array_of
from .descriptions import RFrame, RList, ROther, RSynDS, RValue, RVector

NO_SETS = "a synthesis without synthetic data (m = 0); synthesise with m of at least 1"
GONE = object()


def python_value(described: RValue, where: str, left_out: list[str]) -> Any:
    """The value; objects in a list without a counterpart are noted in `left_out` as "where (why)".

    Raises
    ------
    NoCounterpart
        The object itself has no counterpart.
    """
    if isinstance(described, RVector):
        return vector_value(described)
    if isinstance(described, RFrame):
        return data_frame(described)
    if isinstance(described, RSynDS):
        return synthesis(described)
    if isinstance(described, RList):
        return _list_value(described, where, left_out)
    if isinstance(described, ROther):
        raise NoCounterpart(described.what)
    return None


def data_frame(described: RFrame) -> pd.DataFrame:
    """A data frame with the types of `datasets.load`, rows counted from 0."""
    columns: dict[str, pd.Series] = {}
    for name, column in described.columns:
        if name in columns:
            raise NoCounterpart(f"two columns are called {name!r}; rename one in R")
        if isinstance(column, ROther):
            raise NoCounterpart(f"column {name!r} is of type {column.what}; convert it in R")
        if len(column) != described.rows:
            raise NoCounterpart(
                f"column {name!r} has {len(column)} values for {described.rows} rows"
            )
        columns[name] = _column(name, column)
    return pd.DataFrame(columns, index=pd.RangeIndex(described.rows))


def _column(name: str, column: RVector) -> pd.Series:
    try:
        return _series(array_of(column))
    except NoCounterpart as error:
        raise NoCounterpart(f"column {name!r}: {error}") from None


def synthesis(described: RSynDS) -> SynDS:
    """A synthesis with the special values and fields that R keeps in it."""
    if not described.sets:
        raise NoCounterpart(NO_SETS)
    sets = [part for part in described.sets if isinstance(part, RFrame)]
    if len(sets) < len(described.sets):
        raise NoCounterpart("a synthesis whose sets are not data frames")
    frames = [data_frame(part) for part in sets]
    special: dict[str, list[int | float]] = {}
    for name, values in described.cont_na.items():
        if name in frames[0].columns:
            special[name] = [_short(value) for value in values]
    meta = {field: _short(value) for field, value in described.meta.items()}
    try:
        return SynDS(frames, special, meta)
    except InputError as error:  # sets with different columns
        raise NoCounterpart(str(error)) from None


def _short(value: float) -> int | float:
    """Whole numbers as such: R's seed 2011 is a double."""
    number = float(value)
    if number.is_integer() and abs(number) < 2**53:
        return int(number)
    return number


def vector_value(vector: RVector) -> Any:
    """An array; a Series where the elements have names; an array of several dimensions."""
    if vector.dim is not None:
        return _grid(vector, vector.dim)
    array = array_of(vector)
    if vector.names is None:
        return array
    if len(vector.names) != len(vector):
        raise NoCounterpart(f"{len(vector)} values with {len(vector.names)} names")
    names = ["" if name is None else name for name in vector.names]
    return _series(array, pd.Index(names, dtype=object))


def _series(array: Any, index: pd.Index | None = None) -> pd.Series:
    """Texts stay objects, as everywhere in the package; pandas 3 would make them ``str``."""
    dtype = object if array.dtype == object else None
    return pd.Series(array, index, dtype=dtype)


def _grid(vector: RVector, dim: tuple[int, ...]) -> Any:
    """Missing whole numbers are NaN here and missing truth values None: no array of several
    dimensions has anything better.
    """
    if vector.kind not in ("character", "logical", "integer", "double"):
        raise NoCounterpart(f"a matrix of type {vector.kind}")
    cells = np.prod(dim, dtype=np.float64)  # whole numbers could overflow
    if min(dim, default=0) < 0 or cells != len(vector):
        raise NoCounterpart(f"{len(vector)} values for the dimensions {list(dim)}")
    array = array_of(vector)
    if not isinstance(array, np.ndarray):
        is_whole = vector.kind == "integer"
        array = vector.numbers if is_whole else array.to_numpy(object, na_value=None)
    return array.reshape(dim, order="F")


def _list_value(described: RList, where: str, left_out: list[str]) -> dict[str, Any] | list[Any]:
    """A dict if every element has a different name, otherwise a list. An element without a
    counterpart is left out of the dict; in the list it is None, which keeps the places of the
    others.
    """
    values = described.values
    names = [name for name in described.names or [] if name]
    # a dict would lose elements without a name, or with a name that comes twice
    if len(set(names)) < len(values):
        elements = [
            _element(value, f"{where}[[{number}]]", left_out)
            for number, value in enumerate(values, start=1)
        ]
        return [None if element is GONE else element for element in elements]
    by_name: dict[str, Any] = {}
    for name, value in zip(names, values):
        element = _element(value, f"{where}${name}", left_out)
        if element is not GONE:
            by_name[name] = element
    return by_name


def _element(value: RValue, where: str, left_out: list[str]) -> Any:
    try:
        return python_value(value, where, left_out)
    except NoCounterpart as error:
        left_out.append(f"{where} ({error})")
        return GONE
