"""From data frames to design matrices: which columns are categorical, their levels, dummy
variables.

All frames of a release are read with one `Coding`: coefficients from different sets then mean the
same and can be averaged.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import Floats, Integers, Values
from ..errors import InputError


class _Missing:
    """The level that missing values of a categorical column have."""

    def __repr__(self) -> str:
        return "(missing)"


MISSING = _Missing()


def is_numeric(column: pd.Series) -> bool:
    """Whether a column holds numbers; truth values are levels."""
    is_number, is_bool = pd.api.types.is_numeric_dtype, pd.api.types.is_bool_dtype
    return is_number(column.dtype) and not is_bool(column.dtype)


def _is_categorical(column: pd.Series) -> bool:
    return isinstance(column.dtype, pd.CategoricalDtype)


@dataclass(frozen=True, slots=True, eq=False)
class Coding:
    """How columns are read: by their levels, or as numbers.

    levels : for each categorical column an object array of its levels, the reference first,
    `MISSING` last where values are missing.
    columns : all columns that are read, categorical and numeric.
    """

    columns: tuple[Hashable, ...]
    levels: Mapping[Hashable, Values]

    def read(self, frame: pd.DataFrame, place: str) -> pd.DataFrame:
        """The columns, categorical ones as pandas Categoricals with these levels (missing is a
        separate level), numbers as float64.
        """
        columns: dict[Hashable, Any] = {}
        for name in self.columns:
            if name in self.levels:
                columns[name] = self._levels_of(frame[name], name, place)
            else:
                columns[name] = _numbers(frame[name], place)
        return pd.DataFrame(columns, index=pd.RangeIndex(len(frame)))

    def _levels_of(self, column: pd.Series, name: Hashable, place: str) -> pd.Categorical:
        levels = self.levels[name]
        codes = _level_codes(column, levels)
        unknown = np.flatnonzero(codes < 0)
        if len(unknown):
            raise InputError(
                f"{place}: column {name!r} has a level that the models do not know, first in row"
                f" {int(unknown[0]) + 1} (the error's details have it)",
                details={"level": column.iloc[int(unknown[0])], "levels": tuple(levels)},
            )
        return pd.Categorical.from_codes(codes, categories=pd.Index(levels, dtype=object))

    def as_given(self, values: Any, name: Hashable, like: pd.Series) -> pd.Series:
        """Values of a read column back in the type of the column it came from."""
        if name not in self.levels:
            numbers = np.asarray(values, dtype=float)
            return _as_number_type(pd.Series(numbers, index=like.index), like)
        levels, codes = self.levels[name], np.asarray(values.codes)
        if _is_categorical(like):
            return pd.Series(_as_categorical(levels, codes, like), index=like.index)
        plain = [None if level is MISSING else level for level in levels]
        # a code of -1 takes the last, which stands for a gap
        chosen = np.array([*plain, None], dtype=object)[codes]
        return pd.Series(chosen, index=like.index, dtype=object).astype(like.dtype)


def _level_codes(column: pd.Series, levels: Values) -> Integers:
    """The position of each value of a column among the levels, -1 if it is not one of them."""
    if _is_categorical(column):
        positions = _positions(column.cat.categories, levels)
        # pandas has the code -1 for missing, which takes the last element
        codes = np.append(positions, -1)[column.cat.codes.to_numpy()]
    else:
        codes = _positions(column, levels)
    has_missing_level = len(levels) > 0 and levels[-1] is MISSING
    missing_code = len(levels) - 1 if has_missing_level else -1
    return np.where(column.isna().to_numpy(), missing_code, codes)


def _as_categorical(levels: Values, codes: Integers, like: pd.Series) -> pd.Categorical:
    """Coded values with the categories of a column, and behind them those it did not have."""
    categories = like.cat.categories
    more = [level for level in levels if level is not MISSING and level not in categories]
    if more:
        categories = categories.append(pd.Index(more, dtype=categories.dtype))
    positions = np.append(_positions(pd.Index(levels, dtype=object), categories), -1)
    return pd.Categorical.from_codes(
        positions[codes], categories=categories, ordered=like.cat.ordered
    )


def _as_number_type(values: pd.Series, like: pd.Series) -> pd.Series:
    """Numbers in the type of a column; those of a column of whole numbers rounded, and left as
    reals where its type cannot hold them.
    """
    if not pd.api.types.is_integer_dtype(like.dtype):
        return values.astype(like.dtype)
    whole = values.round()
    if not len(whole):
        return whole.astype(like.dtype)
    limits = np.iinfo(getattr(like.dtype, "numpy_dtype", like.dtype))
    # the largest int64 is no double but rounds up to one, hence the strict comparison
    if limits.min <= whole.min() and whole.max() < float(limits.max):
        return whole.astype(like.dtype)
    return whole


def _positions(values: Any, levels: Any) -> Integers:
    """The position of each value among the levels, -1 if it is not one of them."""
    if not len(levels):
        return np.full(len(values), -1)
    known = pd.Index(levels, dtype=object)
    positions: Integers = known.get_indexer(pd.Index(values, dtype=object))
    return positions


def make_coding(
    frames: Sequence[pd.DataFrame], columns: Iterable[Hashable], categorical: Iterable[Hashable]
) -> Coding:
    """Levels found in any of the frames. `categorical` names columns read by level whatever their
    type; others by level unless they are numbers.
    """
    names, by_level = tuple(dict.fromkeys(columns)), set(categorical)
    levels: dict[Hashable, Values] = {}
    for name in names:
        in_frames = [frame[name] for frame in frames]
        if name in by_level or not all(is_numeric(column) for column in in_frames):
            levels[name] = _occurring_levels(in_frames, name)
    return Coding(names, levels)


def _occurring_levels(columns: Sequence[pd.Series], name: Hashable) -> Values:
    """Levels that occur, in the order of the first frame's categories where it has any, otherwise
    sorted; `MISSING` last.
    """
    occurring: set[Any] = set()
    for column in columns:
        if _holds_times(column):
            raise InputError(
                f"models: column {name!r} holds times, which are neither levels nor numbers;"
                " convert it to a number or to text"
            )
        occurring.update(column.dropna().unique().tolist())
    declared = list(columns[0].cat.categories) if _is_categorical(columns[0]) else []
    levels = [level for level in declared if level in occurring]
    levels += _sorted(occurring.difference(declared))
    if any(column.isna().any() for column in columns):
        levels.append(MISSING)
    array = np.empty(len(levels), dtype=object)  # levels can be tuples, which np.array would unpack
    array[:] = levels
    return array


def _holds_times(column: pd.Series) -> bool:
    is_time, is_duration = pd.api.types.is_datetime64_any_dtype, pd.api.types.is_timedelta64_dtype
    return bool(is_time(column.dtype) or is_duration(column.dtype))


def _sorted(values: Iterable[Any]) -> list[Any]:
    values = list(values)
    try:
        return sorted(values)
    except TypeError:
        # levels of mixed types have no order
        return sorted(values, key=str)


def _numbers(column: pd.Series, place: str) -> Floats:
    gaps = int(column.isna().sum())
    if gaps:
        raise InputError(
            f"{place}: {gaps} values of the numeric column {column.name!r} are missing; fill them"
            " in first, or make the column categorical (missing is a level there)"
        )
    values: Floats = column.to_numpy(dtype=float)
    if not np.isfinite(values).all():
        raise InputError(f"{place}: the numeric column {column.name!r} holds infinite values")
    return values


def design_matrix(data: pd.DataFrame, predictors: Sequence[Hashable]) -> Floats:
    """An intercept, then for each predictor its numbers, or an indicator for each level except the
    first. Shape (n, p).
    """
    # the first level is the reference, so the intercept can stay
    blocks = [np.ones((len(data), 1))]
    for name in predictors:
        column = data[name]
        if _is_categorical(column):
            codes = column.cat.codes.to_numpy()[:, None]
            indicators = codes == np.arange(1, len(column.cat.categories))
            blocks.append(indicators.astype(float))
        else:
            blocks.append(column.to_numpy(dtype=float)[:, None])
    return np.hstack(blocks)


def design_names(data: pd.DataFrame, predictors: Sequence[Hashable]) -> tuple[str, ...]:
    """The names of the columns of `design_matrix`."""
    names = ["intercept"]
    for name in predictors:
        column = data[name]
        if _is_categorical(column):
            names += [f"{name}={level}" for level in column.cat.categories[1:]]
        else:
            names.append(str(name))
    return tuple(names)


@dataclass(frozen=True, slots=True)
class Standardised:
    """A design whose numeric columns have mean 0 and variance 1, and the way back: `back` @ its
    coefficients are those of the design as it was.
    """

    matrix: Floats
    back: Floats


def standardised(data: pd.DataFrame, predictors: Sequence[Hashable]) -> Standardised:
    """The design with numbers standardised. Indicators stay 0 and 1; a column that does not vary
    becomes 0.
    """
    matrix = design_matrix(data, predictors)
    back = np.eye(matrix.shape[1])
    at = 1
    for name in predictors:
        column = data[name]
        if _is_categorical(column):
            at += len(column.cat.categories) - 1
            continue
        numbers = matrix[:, at]
        centre, scale = numbers.mean(), numbers.std()
        if not scale > 1e-12 * max(abs(centre), 1e-300):  # only rounding makes it vary
            scale = 1.0
            numbers[:] = centre
        matrix[:, at] = (numbers - centre) / scale
        back[at, at] = 1 / scale
        back[0, at] = -centre / scale
        at += 1
    return Standardised(matrix, back)
