"""From data frames to design matrices: which columns are categorical, their levels, dummy
variables.

All frames of a release are read with one `Coding`, so that coefficients from different sets mean
the same and can be averaged.
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
    return pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(
        column.dtype
    )


# ---- levels --------------------------------------------------------------------------


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
        """The columns, categorical ones as pandas Categoricals with these levels (missing values a
        level of their own), numbers as float64.
        """
        read = {
            name: (
                self._levels_of(frame[name], name, place)
                if name in self.levels
                else _numbers(frame[name], place)
            )
            for name in self.columns
        }
        return pd.DataFrame(read, index=pd.RangeIndex(len(frame)))

    def _levels_of(self, column: pd.Series, name: Hashable, place: str) -> pd.Categorical:
        levels = self.levels[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            place_of = _positions(column.cat.categories, levels)
            codes = np.append(place_of, -1)[column.cat.codes.to_numpy()]
        else:
            codes = _positions(column, levels)
        missing = column.isna().to_numpy()
        codes = np.where(
            missing, len(levels) - 1 if len(levels) and levels[-1] is MISSING else -1, codes
        )
        if (codes < 0).any():
            first = int(np.flatnonzero(codes < 0)[0])
            raise InputError(
                f"{place}: {column.iloc[first]!r} in column {name!r} is not one of the levels the"
                f" models know: {', '.join(map(str, levels))}"
            )
        return pd.Categorical.from_codes(codes, categories=pd.Index(levels, dtype=object))

    def as_given(self, values: Any, name: Hashable, like: pd.Series) -> pd.Series:
        """Values of a read column back in the type of the column it came from."""
        if name not in self.levels:
            return _as_number_type(
                pd.Series(np.asarray(values, dtype=float), index=like.index), like
            )
        levels, codes = self.levels[name], np.asarray(values.codes)
        if isinstance(like.dtype, pd.CategoricalDtype):
            known = like.cat.categories
            more = [v for v in levels if v is not MISSING and v not in known]
            categories = known.append(pd.Index(more, dtype=known.dtype)) if more else known
            place_of = np.append(_positions(pd.Index(levels, dtype=object), categories), -1)
            return pd.Series(
                pd.Categorical.from_codes(
                    place_of[codes], categories=categories, ordered=like.cat.ordered
                ),
                index=like.index,
            )
        plain = np.array([None if v is MISSING else v for v in levels] + [None], dtype=object)[
            codes
        ]
        return pd.Series(plain, index=like.index, dtype=object).astype(like.dtype)


def _as_number_type(values: pd.Series, like: pd.Series) -> pd.Series:
    """Numbers in the type of a column; those of a column of whole numbers rounded, and left as
    reals where its type cannot hold them.
    """
    if not pd.api.types.is_integer_dtype(like.dtype):
        return values.astype(like.dtype)
    whole = values.round()
    limits = np.iinfo(getattr(like.dtype, "numpy_dtype", like.dtype))
    fits = not len(whole) or (limits.min <= whole.min() and whole.max() < float(limits.max))
    return whole.astype(like.dtype) if fits else whole


def _positions(values: Any, levels: Any) -> Integers:
    """Where each value stands among the levels, -1 where it does not."""
    return (
        pd.Index(levels, dtype=object).get_indexer(pd.Index(values, dtype=object))
        if len(levels)
        else np.full(len(values), -1)
    )


def make_coding(
    frames: Sequence[pd.DataFrame], columns: Iterable[Hashable], categorical: Iterable[Hashable]
) -> Coding:
    """Levels found in any of the frames. `categorical` names columns read by level whatever their
    type; others by level unless they are numbers.
    """
    names, forced = tuple(dict.fromkeys(columns)), set(categorical)
    levels = {
        name: _found([frame[name] for frame in frames], name)
        for name in names
        if name in forced or not all(is_numeric(f[name]) for f in frames)
    }
    return Coding(names, levels)


def _found(columns: Sequence[pd.Series], name: Hashable) -> Values:
    """Levels that occur, in the order of the first frame's categories where it has any, otherwise
    sorted; `MISSING` last.
    """
    seen: set[Any] = set()
    for column in columns:
        if pd.api.types.is_datetime64_any_dtype(column.dtype) or pd.api.types.is_timedelta64_dtype(
            column.dtype
        ):
            raise InputError(
                f"models: column {name!r} holds times, which are neither levels nor numbers;"
                " convert it to a number or to text"
            )
        seen.update(column.dropna().unique().tolist())
    order = (
        list(columns[0].cat.categories) if isinstance(columns[0].dtype, pd.CategoricalDtype) else []
    )
    levels = [level for level in order if level in seen] + _sorted(seen.difference(order))
    if any(column.isna().any() for column in columns):
        levels.append(MISSING)
    found = np.empty(len(levels), dtype=object)
    found[:] = levels
    return found


def _sorted(values: Iterable[Any]) -> list[Any]:
    values = list(values)
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=str)


def _numbers(column: pd.Series, place: str) -> Floats:
    if column.isna().any():
        repair = "fill them in first, or make the column categorical (missing is a level there)"
        raise InputError(
            f"{place}: {int(column.isna().sum())} values of the numeric column {column.name!r} are"
            f" missing; {repair}"
        )
    values: Floats = column.to_numpy(dtype=float)
    if not np.isfinite(values).all():
        raise InputError(f"{place}: the numeric column {column.name!r} holds infinite values")
    return values


# ---- design matrices -----------------------------------------------------------------


def design_matrix(data: pd.DataFrame, predictors: Sequence[Hashable]) -> Floats:
    """An intercept, then for each predictor its numbers, or an indicator for each level but the
    first. Shape (n, p).
    """
    blocks = [np.ones((len(data), 1))]
    for name in predictors:
        column = data[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            blocks.append(
                (
                    column.cat.codes.to_numpy()[:, None] == np.arange(1, len(column.cat.categories))
                ).astype(float)
            )
        else:
            blocks.append(column.to_numpy(dtype=float)[:, None])
    return np.hstack(blocks)


def design_names(data: pd.DataFrame, predictors: Sequence[Hashable]) -> tuple[str, ...]:
    names = ["intercept"]
    for name in predictors:
        column = data[name]
        names += (
            [f"{name}={level}" for level in column.cat.categories[1:]]
            if isinstance(column.dtype, pd.CategoricalDtype)
            else [str(name)]
        )
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
        if isinstance(column.dtype, pd.CategoricalDtype):
            at += len(column.cat.categories) - 1
            continue
        centre, scale = matrix[:, at].mean(), matrix[:, at].std()
        if not scale > 1e-12 * max(abs(centre), 1e-300):
            scale = 1.0
            matrix[:, at] = centre
        matrix[:, at] = (matrix[:, at] - centre) / scale
        back[at, at] = 1 / scale
        back[0, at] = -centre / scale
        at += 1
    return Standardised(matrix, back)
