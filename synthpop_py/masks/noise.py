"""Masking numbers with additive noise: frames in, frames out."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_flag, check_number, chosen_columns, random_generator
from ..core.arrays import Flags, Floats
from ..errors import InputError
from ..names import unknown_name
from ..spellings import plain_names_too
from ..tables.opening import check_frame
from ..utility.variables import special_numbers


@plain_names_too()
def add_noise(
    data: pd.DataFrame,
    columns: Any,
    *,
    sd: float | Mapping[Hashable, float] | None = None,
    ratio: float | Mapping[Hashable, float] | None = None,
    correlated: bool = False,
    cont_na: Mapping[Any, Any] | None = None,
    seed: Any = None,
) -> pd.DataFrame:
    """Add normal noise with mean 0 to numeric columns.

    Parameters
    ----------
    data : DataFrame
        Not changed. By name also ``original=``.
    columns : names or positions (from 1) of the columns to mask.
    sd : standard deviation of the noise, in the unit of the column: one number, or one for each
        column by name.
    ratio : the same as a multiple of the column's own standard deviation (n - 1, missing values
        left out). Give either `sd` or `ratio`.
    correlated : draw the noise of the columns together, with the columns' own correlations, so that
        the correlations of the masked data are on average those of the original where `ratio` is
        the same for all. They are taken from the records without a missing value in these columns.
    cont_na : special values of the columns, as in ``{"income": -8}``: codes, not amounts. They stay
        as they are and take no part in standard deviations and correlations. Columns that are not
        masked may be named, too.
    seed : whole number or numpy.random.Generator; the same seed gives the same data.

    Returns
    -------
    DataFrame
        The same columns, index and dtypes. Missing values stay missing. Columns of whole numbers
        are rounded to whole numbers, which adds about 1/12 to the variance of the noise.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [30, 40, 50], "income": [900.0, 1500.0, None]})
    >>> masked = add_noise(people, ["age", "income"], ratio=0.1, seed=1)
    >>> masked["age"].tolist(), masked["income"].isna().tolist(), str(masked["age"].dtype)
    ([30, 40, 51], [False, False, True], 'int64')

    A code for "no answer" stays a code:

    >>> answers = pd.DataFrame({"income": [900, -8, 1500]})
    >>> noisy = add_noise(answers, "income", sd=100, cont_na={"income": -8}, seed=1)
    >>> noisy["income"].tolist()
    [935, -8, 1533]

    With noise of variance 0 nothing changes:

    >>> add_noise(people, "income", sd=0.0).equals(people)
    True
    """
    check_frame(data, "data")
    names = chosen_columns("columns", columns, list(data.columns))
    if not names:
        raise InputError(f"columns: none given; choices: {', '.join(map(str, data.columns))}")
    special = special_numbers(cont_na, list(data.columns))
    values = np.column_stack(
        [_amounts(_numbers(data, name), special.get(name, ())) for name in names]
    )
    spread = _spread(names, values, sd, ratio)
    generator = random_generator(seed)
    noise = generator.standard_normal(values.shape)
    if check_flag("correlated", correlated) and len(names) > 1:
        noise = noise @ _root(_correlations(names, values)).T
    masked = data.copy()
    for j, name in enumerate(names):
        if spread[j] == 0:
            continue  # doubles would lose digits of very large whole numbers
        masked[name] = _as_column(
            data[name], values[:, j] + spread[j] * noise[:, j], np.isnan(values[:, j])
        )
    return masked


def _amounts(values: Floats, special: Sequence[float]) -> Floats:
    """Special values as missing ones."""
    return np.where(np.isin(values, special), np.nan, values) if special else values


def _numbers(data: pd.DataFrame, name: Hashable) -> Floats:
    """A numeric column as doubles, missing values as NaN."""
    column = data[name]
    if (
        not pd.api.types.is_numeric_dtype(column.dtype)
        or pd.api.types.is_bool_dtype(column.dtype)
        or pd.api.types.is_complex_dtype(column.dtype)
    ):
        raise InputError(
            f"columns: {name!r} is of type {column.dtype}, not numeric; noise can be added to"
            " numbers only, take swap() for categories"
        )
    values: Floats = column.to_numpy(dtype=np.float64, na_value=np.nan)
    if np.isinf(values).any():
        raise InputError(
            f"columns: {name!r} holds infinite values; replace them, for instance by missing values"
        )
    return values


def _spread(names: Sequence[Hashable], values: Floats, sd: Any, ratio: Any) -> Floats:
    """Standard deviation of the noise of each column, shape (columns,)."""
    if (sd is None) == (ratio is None):
        raise InputError(
            f"sd: give either sd or ratio, not {'both' if sd is not None else 'neither'}"
        )
    if sd is not None:
        return _one_each("sd", sd, names)
    known = (~np.isnan(values)).sum(axis=0)
    few = [name for name, n in zip(names, known) if n < 2]
    if few:
        raise InputError(
            f"ratio: {few[0]!r} has fewer than two values, so it has no standard deviation; give sd"
            " instead"
        )
    spread: Floats = np.nanstd(values, axis=0, ddof=1)
    return _one_each("ratio", ratio, names) * spread


def _one_each(argument: str, given: Any, names: Sequence[Hashable]) -> Floats:
    if not isinstance(given, Mapping):
        return np.full(len(names), check_number(argument, given, 0))
    for name in given:
        if name not in names:
            raise unknown_name(argument, name, names, "the columns to mask")
    missing = [name for name in names if name not in given]
    if missing:
        raise InputError(
            f"{argument}: has no value for {missing[0]!r}; give one number, or one for each of"
            f" {', '.join(map(str, names))}"
        )
    return np.array([check_number(f"{argument}[{name!r}]", given[name], 0) for name in names])


def _correlations(names: Sequence[Hashable], values: Floats) -> Floats:
    complete = values[~np.isnan(values).any(axis=1)]
    spread = complete.std(axis=0) if len(complete) > 1 else np.zeros(len(names))
    flat = [name for name, s in zip(names, spread) if s == 0]
    if flat:
        raise InputError(
            f"correlated: {flat[0]!r} does not vary among the {len(complete)} records without"
            " missing values, so it has no correlations; mask it in a call of its own"
        )
    return np.asarray(np.corrcoef(complete, rowvar=False))


def _root(correlations: Floats) -> Floats:
    """A matrix L with L L' = correlations; columns that depend on one another are no obstacle."""
    values, vectors = np.linalg.eigh(correlations)
    root: Floats = vectors * np.sqrt(np.clip(values, 0, None)) @ vectors.T
    return root


def _as_column(original: pd.Series, values: Floats, kept: Flags) -> pd.Series:
    """The masked values in the type of the original column, except for those that are kept: missing
    and special ones.
    """
    dtype = original.dtype
    if pd.api.types.is_integer_dtype(dtype):
        kind = np.dtype(getattr(dtype, "numpy_dtype", dtype))
        low, high = np.iinfo(kind).min, np.iinfo(kind).max
        whole = np.rint(values)
        if (whole[~kept] < low).any() or (whole[~kept] >= float(high) + 1).any():
            raise InputError(
                f"columns: with noise {original.name!r} leaves the range of {dtype}; convert it to"
                " a wider type, for instance with .astype(float)"
            )
        values = np.where(kept, 0, whole).astype(kind)
    masked = pd.Series(values, index=original.index).astype(dtype)
    return original.where(kept, masked) if kept.any() else masked
