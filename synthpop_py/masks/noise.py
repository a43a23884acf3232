"""Masking numbers with additive noise: frames in, frames out."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_flag, check_number, chosen_columns
from ..core.arrays import Flags, Floats, Values
from ..errors import InputError, unknown_name, warning_once
from ..release_seed import release_generator
from ..tables.frames import FrameT, give_back
from ..tables.opening import check_frame
from ..utility.variables import special_numbers
from .columns import is_numeric


@warning_once
def add_noise(
    original: FrameT,
    columns: Any,
    *,
    sd: float | Mapping[Hashable, float] | None = None,
    ratio: float | Mapping[Hashable, float] | None = None,
    correlated: bool = False,
    cont_na: Mapping[Any, Any] | None = None,
    seed: Any = None,
    reproducible: bool = False,
) -> FrameT:
    """Add normal noise with mean 0 to numeric columns.

    Parameters
    ----------
    original : DataFrame of pandas, polars or Arrow
        Not changed.
    columns : names or positions (from 1) of the columns to mask.
    sd : standard deviation of the noise, in the unit of the column: one number, or one for each
        column by name.
    ratio : the same as a multiple of the column's own standard deviation (n - 1, missing values
        left out). Give either `sd` or `ratio`.
    correlated : draw the noise of the columns together, with the columns' own correlations. If
        `ratio` is the same for all, the masked data then have, on average, the correlations of the
        original. These come from the records without a missing value in these columns.
    cont_na : special values of the columns, as in ``{"income": -8}``: codes, not amounts. They stay
        as they are and take no part in standard deviations and correlations. Columns that are not
        masked may be named too.
    seed : leave it out for a release; the operating system draws. Anyone who has the seed, a whole
        number or a numpy.random.Generator, can make the same data again and undo the release. A
        seed of fewer than 100 bits can be guessed and gives a warning; `secrets.randbits(128)`,
        kept secret, cannot be guessed.
    reproducible : True for teaching and tests, where nothing is released: a short seed then gives
        no warning.

    Returns
    -------
    DataFrame
        Of the kind given, with the same columns, types and row labels. Missing values stay missing.
        Columns of whole numbers are rounded to whole numbers, which adds about 1/12 to the variance
        of the noise.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [30, 40, 50], "income": [900.0, 1500.0, None]})
    >>> masked = add_noise(people, ["age", "income"], ratio=0.1, seed=1, reproducible=True)
    >>> masked["age"].tolist(), masked["income"].isna().tolist(), str(masked["age"].dtype)
    ([30, 40, 51], [False, False, True], 'int64')

    A code for "no answer" stays a code:

    >>> answers = pd.DataFrame({"income": [900, -8, 1500]})
    >>> codes = {"income": -8}
    >>> noisy = add_noise(answers, "income", sd=9, cont_na=codes, seed=1, reproducible=True)
    >>> noisy["income"].tolist()
    [903, -8, 1503]

    With noise of variance 0 nothing changes:

    >>> add_noise(people, "income", sd=0.0).equals(people)
    True
    """
    frame = check_frame(original, "original")
    names = chosen_columns("columns", columns, list(frame.columns))
    if not names:
        choices = ", ".join(map(str, frame.columns))
        raise InputError(f"columns: is empty; choices: {choices}")
    values = _amounts(frame, names, cont_na)
    spread = _spread(names, values, sd, ratio)
    generator = release_generator(seed, reproducible)
    noise = generator.standard_normal(values.shape)
    if check_flag("correlated", correlated) and len(names) > 1:
        noise = noise @ _root(_correlations(names, values)).T
    masked = frame.copy()
    for j, name in enumerate(names):
        if spread[j] == 0:
            continue  # doubles would lose digits of very large whole numbers
        noisy = values[:, j] + spread[j] * noise[:, j]
        kept = np.isnan(values[:, j])
        masked[name] = _as_column(frame[name], noisy, kept)
    return give_back(masked, original)


def _amounts(data: pd.DataFrame, names: Sequence[Hashable], cont_na: Any) -> Floats:
    """The columns as doubles, shape (records, columns); NaN for missing and special values."""
    special = special_numbers(cont_na, list(data.columns))
    columns = []
    for name in names:
        values = _numbers(data, name)
        codes = special.get(name, ())
        if codes:
            values = np.where(np.isin(values, codes), np.nan, values)
        columns.append(values)
    return np.column_stack(columns)


def _numbers(data: pd.DataFrame, name: Hashable) -> Floats:
    """A numeric column as doubles, missing values as NaN."""
    column = data[name]
    if not is_numeric(column.dtype):
        raise InputError(
            f"columns: {name!r} is of type {column.dtype}, not numeric; noise can be added "
            "only to numbers; use swap() for categories"
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
        number = "neither" if sd is None else "both"
        raise InputError(f"sd: give either sd or ratio, not {number}")
    if sd is not None:
        return _one_each("sd", sd, names)
    known = (~np.isnan(values)).sum(axis=0)
    for name, number_known in zip(names, known):
        if number_known < 2:
            raise InputError(
                f"ratio: {name!r} has fewer than two values, so it has no standard deviation; give"
                " sd instead"
            )
    spread: Floats = np.nanstd(values, axis=0, ddof=1)
    return _one_each("ratio", ratio, names) * spread


def _one_each(argument: str, value: Any, names: Sequence[Hashable]) -> Floats:
    """One number for all columns, or a mapping that has one for each; shape (columns,)."""
    if not isinstance(value, Mapping):
        return np.full(len(names), check_number(argument, value, 0))
    for name in value:
        if name not in names:
            raise unknown_name(argument, name, names, "the columns to mask")
    for name in names:
        if name not in value:
            all_names = ", ".join(map(str, names))
            raise InputError(
                f"{argument}: has no value for {name!r}; give one number, or one for each of"
                f" {all_names}"
            )
    return np.array([check_number(f"{argument}[{name!r}]", value[name], 0) for name in names])


def _correlations(names: Sequence[Hashable], values: Floats) -> Floats:
    """Of the records without a missing value."""
    complete = values[~np.isnan(values).any(axis=1)]
    spread = complete.std(axis=0) if len(complete) > 1 else np.zeros(len(names))
    for name, of_column in zip(names, spread):
        if of_column == 0:
            raise InputError(
                f"correlated: {name!r} does not vary among the {len(complete)} records without"
                " missing values, so it has no correlations; mask it in a separate call"
            )
    return np.asarray(np.corrcoef(complete, rowvar=False))


def _root(correlations: Floats) -> Floats:
    """A matrix L with L L' = correlations; columns may depend on one another."""
    values, vectors = np.linalg.eigh(correlations)
    roots = np.sqrt(np.clip(values, 0, None))
    root: Floats = vectors * roots @ vectors.T
    return root


def _as_column(original: pd.Series, values: Floats, kept: Flags) -> pd.Series:
    """The masked values in the type of the original column, except for those that are kept: missing
    and special ones.
    """
    if pd.api.types.is_integer_dtype(original.dtype):
        values = _rounded(original, values, kept)
    masked = pd.Series(values, index=original.index).astype(original.dtype)
    return original.where(kept, masked) if kept.any() else masked


def _rounded(original: pd.Series, values: Floats, kept: Flags) -> Values:
    """Whole numbers of the original's type; 0 for those that are kept."""
    dtype = original.dtype
    kind = np.dtype(getattr(dtype, "numpy_dtype", dtype))
    limits = np.iinfo(kind)
    whole = np.rint(values)
    beyond = (whole < limits.min) | (whole >= float(limits.max) + 1)
    if (beyond & ~kept).any():
        raise InputError(
            f"columns: with noise, {original.name!r} would exceed the range of {dtype}; "
            "convert it to a wider type, for instance with .astype(float)"
        )
    return np.where(kept, 0, whole).astype(kind)
