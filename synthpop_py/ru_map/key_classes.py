"""Numeric keys, or a numeric target, in classes made from the original alone, so that every release
on a map is judged by the same classes.

`disclosure()` itself makes classes from the original and the synthetic data together, as R does.
Then a release could lower its risk by records that shift the classes.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import Integers
from ..core.columns import Column
from ..core.grouping import Grouping, group
from ..errors import InputError
from ..tables.reading import read_column


def in_classes_of_original(
    original: pd.DataFrame,
    frames: Sequence[pd.DataFrame],
    places: Sequence[str],
    groups: Mapping[Hashable, int],
    special: Mapping[Hashable, Sequence[float]],
    style: Mapping[str, Any],
) -> tuple[pd.DataFrame, list[pd.DataFrame]]:
    """The data with the numeric columns of `groups` put into so many classes; values beyond those
    of the original belong to the first or last class.

    Examples
    --------
    Two classes of 1, 2, 3, 4; the release's 99 belongs to the upper one.

    >>> people, fake = pd.DataFrame({"age": [1, 2, 3, 4]}), pd.DataFrame({"age": [2, 99, None]})
    >>> first, (second,) = in_classes_of_original(people, [fake], ["fake"], {"age": 2}, {}, {})
    >>> first["age"].tolist(), second["age"].tolist()
    (['[1,2.5)', '[1,2.5)', '[2.5,4]', '[2.5,4]'], ['[1,2.5)', '[2.5,4]', nan])
    """
    original, frames = original.copy(), [frame.copy() for frame in frames]
    for name, n in groups.items():
        own = read_column(original[name], f"the original data, column {name!r}")
        if not n or not own.is_number:
            continue
        apart = tuple(special.get(name, ()))
        columns = [
            read_column(frame[name], f"{place}, column {name!r}")
            for frame, place in zip(frames, places)
        ]
        strange = [
            place
            for column, place in zip(columns, places)
            if not column.is_number and len(column.present())
        ]
        if strange:
            raise InputError(
                f"{strange[0]}, column {name!r}: is not numeric, but numeric in the original data;"
                " it cannot be put into the same classes"
            )
        try:
            made = group(
                own.present().astype(np.float64), n, special=apart, median_split=True, **style
            )
        except InputError as error:
            raise InputError(f"grouping of column {name!r}: {error}") from error
        for frame, column in zip([original, *frames], [own, *columns]):
            frame[name] = pd.Categorical.from_codes(
                _codes(column, made, apart), categories=list(made.labels)
            )
    return original, frames


def _codes(column: Column, made: Grouping, apart: Sequence[float]) -> Integers:
    """Class of each value, then the special values; -1 for missing ones."""
    if not column.is_number:  # nothing but missing values
        return np.full(len(column), -1)
    values, ends = column.values.astype(np.float64), made.breaks
    codes = np.clip(np.searchsorted(ends, values, side="right") - 1, 0, len(ends) - 2)
    for i, value in enumerate(apart):
        codes[values == value] = len(ends) - 1 + i
    if column.missing is not None:
        codes[column.missing] = -1
    return codes
